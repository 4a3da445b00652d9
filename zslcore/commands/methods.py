"""``zslcore methods``: the table of methods, made from their cards.

Print the table of methods, made from their cards, then the methods from outside that this machine
has.
"""

from __future__ import annotations

import argparse
import sys


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""


def run(_: argparse.Namespace) -> str:
    """Return the table of methods."""
    from zslcore.evaluation import outside
    from zslcore.methods import get_method, markdown_table

    for why in outside.register_own().values():
        print(why, file=sys.stderr)
    own = (f"\n{n}: {get_method(n).card.idea} (--method {outside.word(n)})" for n in outside.own())
    return "\n".join([markdown_table(), *own])
