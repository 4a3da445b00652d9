"""``zslcore methods``: the table of methods, made from their cards."""

from __future__ import annotations

import argparse
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
    parser.set_defaults(run=run_methods)


def run_methods(_: argparse.Namespace) -> None:
    """Print the table of methods."""
    from zslcore.methods import markdown_table

    print(markdown_table())
