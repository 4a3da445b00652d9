"""``zslcore methods``: the table of methods, made from their cards.

Print the table of methods, made from their cards, then the methods from outside that this machine
has.
"""

from __future__ import annotations

import argparse
import sys


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""


def run(_: argparse.Namespace) -> None:
    """Print the table of methods."""
    from zslcore.evaluation import outside
    from zslcore.methods import get_method, markdown_table

    print(markdown_table())
    refused = outside.register_own()
    for name in outside.own():
        print(f"\n{name}: {get_method(name).card.idea} (--method {outside.word(name)})")
    for why in refused.values():
        print(why, file=sys.stderr)
