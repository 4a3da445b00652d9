"""``zslcore download``: public archives.

Download a public archive (xlsa17: 0.9 GB) and import its data sets.
"""

from __future__ import annotations

import argparse
import sys

from zslcore.commands.import_data import print_dataset


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("archive", metavar="NAME", help="xlsa17")
    parser.add_argument("--only", metavar="SET", nargs="+", help="import these data sets only")


def run(args: argparse.Namespace) -> None:
    """Fetch an archive, unpack what is known in it and import every data set."""
    from zslcore.datasets.download import archives, fetch, unpack
    from zslcore.datasets.xlsa17 import read_xlsa17

    path = fetch(args.archive, show_progress)
    archive = archives()[args.archive]
    print(f"{archive.title}\n{archive.citation}\n{archive.licence}\n")
    print(f"archive   {path}\nSHA-256   {archive.known_sha256()}\n")
    for folder in unpack(archive, path, path.parent / archive.name, args.only).values():
        print_dataset(read_xlsa17(folder, pretraining=archive.pretraining))


def show_progress(done: int, total: int) -> None:
    """Rewrite one line on standard error."""
    share = f" of {total / 1e6:,.0f} MB, {done / total:.0%}" if total else " MB"
    sys.stderr.write(f"\r{done / 1e6:,.0f}{share} " + ("\n" if done == total else ""))
    sys.stderr.flush()
