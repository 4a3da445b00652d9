"""``zslcore doctor``: check everything in the data folder, and repair damage.

Check versions, free space, the run store, imports, results of jobs and the leftovers of killed
processes. The exit status is 0 when no problem remains, else 1.
"""

from __future__ import annotations

import argparse

from zslcore.exceptions import ZSLError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--mend", action="store_true", help="repair what can be repaired")


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
