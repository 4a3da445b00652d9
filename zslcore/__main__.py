"""The command line, ``zslcore`` or ``python -m zslcore``: to open the app, run, import and audit.

A command is a module of :mod:`zslcore.commands` with a docstring, ``add_arguments`` and ``run``,
and its line below; only the module of the command that runs is imported. ``run`` returns what is
printed, an exit status or both: text, or with ``--json`` a table or other values. Whatever the
package or the system refuses is one sentence on standard error and exit code 2.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Collection, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from zslcore.exceptions import ZSLError
from zslcore.storage import settings
from zslcore.texts import strict_json

#: Commands in the order of the help; each is the module of its name in :mod:`zslcore.commands`.
COMMANDS = {
    "app": "open the app in the browser",
    "run": "run a method on a data set",
    "compare": "compare methods on several data sets, and rank them",
    "runs": "list, compare, export, delete and import runs",
    "reproduce": "compute a table or figure of the papers, and compare it with the printed one",
    "import": "import a data set from files",
    "export": "write a data set as res101.mat and att_splits.mat, or as a table",
    "download": "download and import public data",
    "extract": "turn a folder of images into features",
    "embed": "make class embeddings from names",
    "methods": "list the methods",
    "check-method": "check a method against the contract",
    "check": "is it clean? a card for a split, scores or a result",
    "audit": "former name of check, for this release",
    "leak-cost": "measure what leaks cost, in points",
    "claims": "judge claims of the papers, on their tables and on runs",
    "protocols": "list how released codes choose epoch, seed, parameters, gamma and split",
    "folds": "write the rows of the test set and of every fold",
    "base-to-new": "list base and new classes of the sets that prompt tuning is tested on",
    "score": "judge score matrices of models from elsewhere",
    "explain": "say which reading of scores gives a printed number",
    "power": "plan a comparison: classes and images that a difference needs",
    "board": "check a folder of results and write the board",
    "shards": "store features larger than memory as a mapped file",
    "large-scale": "measure methods on the nine ImageNet test sets",
    "review": "former name of check --page, for this release",
    "doctor": "check the data folder, and repair it",
    "contamination": "list which extractors have seen classes of which test sets",
}
#: A keyword of Python cannot be the name of a module.
MODULES = {"import": "import_data"}


class TellVersion(argparse.Action):
    """Print the version, which is read only then: in a checkout it needs a call of git."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print the version and end."""
        from zslcore.version import version

        print(version())
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, 1 when an audit found what it guards against, 2 when refused."""
    words = sys.argv[1:] if arguments is None else arguments
    parser = parser_of_commands(words[:1])
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name of a file may be no text
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        args = parser.parse_args(words)
        args.argv = [*words]  # a review says which command repeats it
        settings.check()
        status = _print_result(args.run(args))
        sys.stdout.flush()  # what cannot be written would fail after the end otherwise
    except ZSLError as error:
        print(f"zslcore: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        return _refused_by_system(error)
    return status


def _print_result(result: Any) -> int:
    """Print text as it is, a table and other values as JSON; return the exit status."""
    printed, status = result if isinstance(result, tuple) else (result, 0)
    if isinstance(printed, int | None):
        return int(printed or 0)
    if hasattr(printed, "to_json"):
        printed = printed.to_json(orient="records", double_precision=15)
    print(printed.removesuffix("\n") if isinstance(printed, str) else strict_json(printed))
    return status


def parser_of_commands(names: Collection[str] = COMMANDS) -> argparse.ArgumentParser:
    """Return the parser of all commands, with the options of these; other modules stay unread."""
    prog = "zslcore" if Path(sys.argv[0]).stem == "zslcore" else "python -m zslcore"
    parser = argparse.ArgumentParser(prog=prog, description=__doc__.split("\n")[0])
    parser.add_argument("--version", action=TellVersion, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text)
        if name in names:
            module = import_module(f"zslcore.commands.{MODULES.get(name, name.replace('-', '_'))}")
            command.description = module.__doc__
            command.formatter_class = argparse.RawDescriptionHelpFormatter
            command.set_defaults(run=getattr(module, "run", None))
            module.add_arguments(command)
    return parser


def _refused_by_system(error: OSError) -> int:
    """Say in one sentence what the system refuses; a reader that left, as `head`, is no error."""
    from zslcore.storage.files import refusal

    reader_left = isinstance(error, BrokenPipeError)
    if not reader_left:
        print(f"zslcore: {refusal(error, wish='read or write')}", file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:  # the interpreter would try again at its end, and print a traceback
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0 if reader_left else 2


if __name__ == "__main__":
    sys.exit(main())
