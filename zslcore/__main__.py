"""The command line, ``zslcore`` or ``python -m zslcore``: to open the app, run, import and audit.

One module of :mod:`zslcore.commands` adds one command. Whatever the package or the system refuses
is one sentence on standard error and exit code 2; the libraries a command needs are imported when
it runs.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from zslcore.exceptions import ZSLError
from zslcore.storage import settings

#: Modules of :mod:`zslcore.commands`, in the order of the help.
COMMANDS = (
    "app",
    "run",
    "compare",
    "runs",
    "reproduce",
    "data",
    "extract",
    "methods",
    "check_method",
    "check",
    "audit",
    "leak_cost",
    "claims",
    "protocols",
    "folds",
    "base_to_new",
    "score",
    "power",
    "board",
    "shards",
    "large_scale",
    "actions",
    "review",
    "doctor",
    "contamination",
)


class TellVersion(argparse.Action):
    """Print the version, which is read only then: in a checkout it needs a call of git."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print the version and end."""
        from zslcore.version import version

        print(version())
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, 1 when an audit found what it guards against, 2 when refused."""
    args = parser_of_commands().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name of a file may be no text
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        settings.check()
        ended = args.run(args) or 0
        sys.stdout.flush()  # what cannot be written would fail after the end otherwise
    except ZSLError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        return _refused_by_system(error)
    return int(ended)


def parser_of_commands() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    prog = "zslcore" if Path(sys.argv[0]).stem == "zslcore" else "python -m zslcore"
    parser = argparse.ArgumentParser(prog=prog, description=__doc__.split("\n")[0])
    parser.add_argument("--version", action=TellVersion, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name in COMMANDS:
        import_module(f"zslcore.commands.{name}").add_parser(commands)
    return parser


def _refused_by_system(error: OSError) -> int:
    """Say in one sentence what the system refuses; a reader that left, as `head`, is no error."""
    from zslcore.storage.files import refusal

    reader_left = isinstance(error, BrokenPipeError)
    if not reader_left:
        print(refusal(error, wish="read or write"), file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:  # the interpreter would try again at its end, and print a traceback
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0 if reader_left else 2


if __name__ == "__main__":
    sys.exit(main())
