"""``zslcore methods``: the table of methods, made from their cards."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_parser"]


def add_parser(commands: Subparsers) -> None:
    """``methods``: the table of methods, made from their cards."""
    parser = commands.add_parser(
        "methods",
        help="list the methods",
        description="Print the table of methods, made from their cards.",
    )
    parser.add_argument("--write", action="store_true", help="renew the table in README.md")
    parser.set_defaults(run=run_methods)


def run_methods(args: argparse.Namespace) -> None:
    """Print the table of methods, or put it between its marks in the README."""
    from zslcore.methods import markdown_table

    table = markdown_table()
    print(table)
    if args.write:
        readme = Path("README.md")
        before, _, rest = readme.read_text(encoding="utf-8").partition(TABLE_MARKS[0])
        after = rest.partition(TABLE_MARKS[1])[2]
        marked = f"{before}{TABLE_MARKS[0]}\n{table}\n{TABLE_MARKS[1]}{after}"
        readme.write_text(marked, encoding="utf-8")


TABLE_MARKS = ("<!-- methods -->", "<!-- /methods -->")
