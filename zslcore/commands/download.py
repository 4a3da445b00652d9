"""Download a public archive of data sets (xlsa17: 0.9 GB), check it and import its data sets.

Example::

    zslcore download xlsa17 --only AWA2 CUB
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from zslcore.commands.command import command, option
from zslcore.commands.import_data import print_dataset


@command(
    option("archive NAME", "name of the archive: xlsa17"),
    option("--only SET...", "import these data sets only"),
)
def run(args: argparse.Namespace) -> None:
    """Fetch an archive, unpack its data sets and import them."""
    from zslcore.datasets.download import archive_of, fetch, unpack
    from zslcore.datasets.xlsa17 import read_xlsa17

    archive = archive_of(args.archive, args.only or ())
    path = fetch(archive, show_progress)
    print(f"{archive.title}\n{archive.citation}\n{archive.licence}\n")
    print(f"archive   {path}\nSHA-256   {archive.known_sha256()}\n")
    names = []
    for name, folder in unpack(archive, path, path.parent / archive.name, args.only).items():
        sys.stderr.write(f"Importing {name} ...\n")
        dataset = read_xlsa17(folder, pretraining=archive.pretraining)
        print_dataset(dataset)
        names.append(dataset.name)
    print(f"\n{next_steps(names)}")


def show_progress(done: int, total: int) -> None:
    """Rewrite one line on standard error."""
    share = f"{done / total:4.0%} of {total / 1e6:,.0f} MB" if total else f"{done / 1e6:,.0f} MB"
    sys.stderr.write(f"\r{share} " + ("\n" if done == total else ""))
    sys.stderr.flush()


def next_steps(names: Sequence[str]) -> str:
    """Name the views that now show the imported benchmarks, and the command for a table."""
    first = "AWA2" if "AWA2" in names else names[0]
    views = [f"Playground opens {first}"]
    if {"AWA1", "AWA2"} <= {*names}:
        views.insert(0, "the page AWA1 and AWA2 shows this pair instead of the simulated one")
    *first_names, last = names
    listed = f"{', '.join(first_names)} and {last}" if first_names else last
    return (
        f"The app now shows the real {listed}: {', and '.join(views)} "
        f"(zslcore app). 'zslcore reproduce gbu:table3 --dataset {first}' computes a table of the "
        "papers, and prints how long it takes; if interrupted, it resumes."
    )
