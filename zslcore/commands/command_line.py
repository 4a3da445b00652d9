"""Zero-shot learning on the command line: run methods, check splits and scores, open the app.

A command is a module of :mod:`zslcore.commands`, listed below with its description. The docstring
of the module is the help text. The decorated function ``run`` executes the command; a command with
verbs has one function per verb, listed in its ``VERBS``. Only the module of the executed command is
imported. A refusal is one sentence on standard error, with exit code 2.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Collection, Sequence
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from types import ModuleType

from zslcore.commands.command import plain, print_output
from zslcore.exceptions import ZSLError
from zslcore.storage import settings

#: Command -> description, in the order of the help.
COMMANDS = {
    "app": "open the app in the browser",
    "check": "check splits, scores and results for leaks and errors",
    "score": "compute every metric of score matrices, under every protocol",
    "explain": "find the protocol that gives a printed number",
    "run": "run a method on a data set",
    "compare": "run methods on several data sets and rank them",
    "runs": "list, show, compare, export and delete stored runs",
    "reproduce": "compute a table or figure of the papers, and compare it with the printed one",
    "claims": "test claims of the papers on their tables and on runs",
    "leak-cost": "measure the gain from training or choosing on test images, in points",
    "contamination": "find test classes in the training sets of published extractors",
    "protocols": "list how released code bases choose epoch, seed, parameters, gamma and split",
    "base-to-new": "list base and new classes of the sets used to test prompt tuning",
    "board": "check a folder of results and write the board",
    "methods": "list the methods of the package and of plugins",
    "check-method": "check a method against the contract of the package",
    "import": "import a data set from files",
    "export": "write a data set as res101.mat and att_splits.mat, or as a table",
    "folds": "write the rows of the test set and of every fold",
    "download": "download and import public data",
    "extract": "compute features of the images in a folder",
    "embed": "compute class embeddings from class names",
    "shards": "store features larger than memory as a memory-mapped file",
    "large-scale": "evaluate methods on the nine ImageNet test sets",
    "doctor": "check the data folder and repair it",
}
#: Command -> its module, for a command that cannot name a module: ``import`` is a keyword.
MODULES = {"import": "import_data"}


class PrintVersion(argparse.Action):
    """Action that prints the version, which is read from git only when it is needed."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print the version, and exit."""
        from zslcore.version import version

        print(version())
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, and return its exit code (2 for a refusal)."""
    words = sys.argv[1:] if arguments is None else arguments
    parser = parser_of_commands(words[:1])
    if isinstance(sys.stdout, io.TextIOWrapper):  # file names can be undecodable
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        args = parser.parse_args(words)
        args.argv = [*words]  # shown on the page of `check --page`
        settings.check_all()
        status = print_output(args.run(args), as_json=getattr(args, "json", False))
        sys.stdout.flush()  # raises write errors here, not at exit
    except ZSLError as error:
        print(f"zslcore: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        return _report_system_error(error)
    return status


def parser_of_commands(names: Collection[str] = COMMANDS) -> argparse.ArgumentParser:
    """Return the parser of all commands; modules in ``names`` are imported for their options."""
    prog = "zslcore" if Path(sys.argv[0]).stem == "zslcore" else "python -m zslcore"
    parser = argparse.ArgumentParser(prog=prog, description=__doc__.split("\n")[0])
    parser.add_argument(
        "--version", action=PrintVersion, nargs=0, help="print the version and exit"
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text)
        if name in names:
            module = import_module(f"zslcore.commands.{MODULES.get(name, name.replace('-', '_'))}")
            _add_options(command, module)
    return parser


def _add_options(parser: argparse.ArgumentParser, module: ModuleType) -> None:
    """Add the options of a command, or a parser for each of its verbs."""
    description = module.__doc__ or ""
    verbs = getattr(module, "VERBS", None)
    if verbs is None:
        module.run.add_to(parser, description)
        return
    parser.description, parser.formatter_class = (
        plain(description),
        argparse.RawDescriptionHelpFormatter,
    )
    subparsers = parser.add_subparsers(metavar="VERB", required=not hasattr(module, "run"))
    for name, verb in verbs.items():
        text = cleandoc(verb.run.__doc__ or "")
        verb.add_to(subparsers.add_parser(name, help=text.split("\n")[0].rstrip(".")), text)
    if hasattr(module, "run"):  # the command can run without a verb
        parser.set_defaults(run=module.run)


def _report_system_error(error: OSError) -> int:
    """Print a system error as one sentence; a closed pipe, as with `head`, is not an error."""
    from zslcore.storage.files import refusal

    reader_left = isinstance(error, BrokenPipeError)
    if not reader_left:
        print(f"zslcore: {refusal(error, action='read or written')}", file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:  # keeps the interpreter from flushing again at exit, with a traceback
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0 if reader_left else 2
