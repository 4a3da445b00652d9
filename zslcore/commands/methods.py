"""``zslcore methods``: the table of methods, made from their cards.

Print the table of methods, made from their cards, then the plugins that this machine
has.
"""

from __future__ import annotations

import argparse
import sys


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""


def run(_: argparse.Namespace) -> str:
    """Return the table of methods."""
    from zslcore.evaluation import plugins
    from zslcore.methods import get_method, markdown_table

    for why in plugins.register_all().values():
        print(why, file=sys.stderr)
    own = (
        f"\n{n}: {get_method(n).card.idea} (--method {plugins.option_value(n)})"
        for n in plugins.registered()
    )
    return "\n".join([markdown_table(), *own])
