"""``zslcore methods``: the table of methods, made from their cards."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]


def add_parser(commands: Subparsers) -> None:
    """``methods``: the table of methods, made from their cards."""
    parser = commands.add_parser(
        "methods",
        help="list the methods",
        description="Print the table of methods, made from their cards, then the methods from "
        "outside that this machine has.",
    )
    parser.set_defaults(run=run_methods)


def run_methods(_: argparse.Namespace) -> None:
    """Print the table of methods."""
    from zslcore.evaluation import outside
    from zslcore.methods import get_method, markdown_table

    print(markdown_table())
    refused = outside.register_own()
    for name in outside.own():
        print(f"\n{name}: {get_method(name).card.idea} (--method {outside.word(name)})")
    for why in refused.values():
        print(why, file=sys.stderr)
