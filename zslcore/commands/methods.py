"""List the methods of the package, then the plugins on this machine.

Example::

    zslcore methods
"""

from __future__ import annotations

import argparse
import sys

from zslcore.commands.command import command


@command()
def run(_: argparse.Namespace) -> str:
    """Return the table of methods."""
    from zslcore.evaluation import plugins
    from zslcore.methods import get_method, markdown_table

    for why in plugins.register_all().values():
        print(why, file=sys.stderr)
    plugin_lines = (
        f"\n{n}: {get_method(n).card.idea} (--method {plugins.option_value(n)})"
        for n in plugins.registered()
    )
    return "\n".join([markdown_table(), *plugin_lines])
