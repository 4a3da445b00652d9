"""Check the data folder: versions, free space, stored runs, imports, results of jobs, leftovers.

Exit status: 0 when no problem remains, else 1. Example::

    zslcore doctor --mend
"""

from __future__ import annotations

import argparse

from zslcore.commands.command import command, option
from zslcore.exceptions import ZSLError


@command(option("--mend", "repair the problems that can be repaired"))
def run(args: argparse.Namespace) -> int:
    """Print one line per finding; return 0 when no problem remains."""
    from zslcore.jobs.upkeep import examine

    ill = 0
    for finding in examine():
        print(f"{'well' if finding.well else 'ILL':5} {finding.what:10} {finding.sentence}")
        if finding.well:
            continue
        if args.mend and finding.mend:
            try:
                print(f"{'':16} {finding.mend()}")
                continue
            except ZSLError as error:
                print(f"{'':16} {error}")
        elif finding.mend:
            print(f"{'':16} `zslcore doctor --mend` repairs it.")
        ill += 1
    return int(ill > 0)
