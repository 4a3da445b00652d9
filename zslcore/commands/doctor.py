"""Check the data folder: versions, free space, runs, imports, results of jobs, leftovers.

Exit status: 0 when no problem remains, else 1. Example::

    zslcore doctor --repair
"""

from __future__ import annotations

import argparse

from zslcore.commands.command import command, option
from zslcore.exceptions import ZSLError


@command(option("--repair", "repair the problems that can be repaired"))
def run(args: argparse.Namespace) -> int:
    """Print one line per check; return 0 when no problem remains."""
    from zslcore.jobs.upkeep import examine

    problems = 0
    for finding in examine():
        print(f"{'ok' if finding.is_ok else 'problem':8} {finding.subject:10} {finding.sentence}")
        if finding.is_ok:
            continue
        if args.repair and finding.repair:
            try:
                print(f"{'':19} {finding.repair()}")
                continue
            except ZSLError as error:
                print(f"{'':19} {error}")
        elif finding.repair:
            print(f"{'':19} `zslcore doctor --repair` repairs it.")
        problems += 1
    return int(problems > 0)
