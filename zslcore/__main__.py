"""The command line: ``python -m zslcore import FOLDER`` and ``python -m zslcore download NAME``.

One function adds one command. Whatever the package refuses is one sentence on standard error and
exit code 2; the libraries a command needs are imported when it runs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from zslcore.exceptions import ZSLError


def add_import(commands) -> None:
    """``import``: read a data set from files, for good."""
    parser = commands.add_parser(
        "import",
        help="import a data set from files",
        description="Import a data set: a folder in the xlsa17 layout (res101.mat, "
        "att_splits.mat), or features of your own as .npz, HDF5 or CSV.",
    )
    parser.add_argument("source", metavar="FOLDER", help="folder in the xlsa17 layout, or a file")
    parser.add_argument("--features", metavar="F", help="file of features (res101.mat)")
    parser.add_argument("--splits", metavar="S", help="file of splits (att_splits.mat)")
    parser.add_argument("--prototypes", metavar="P", help="CSV of prototypes, beside a file")
    parser.add_argument("--unseen", metavar="CLASS", nargs="+", help="unseen classes of a file")
    parser.add_argument("--name", metavar="N", help="name to import it under")
    parser.set_defaults(run=run_import)


def run_import(args: argparse.Namespace) -> None:
    """Import what ``args.source`` holds and print what it is."""
    from pathlib import Path

    from zslcore.datasets.imported import import_dataset
    from zslcore.exceptions import ParameterError

    of_file, of_folder = ("prototypes", "unseen"), ("features", "splits")
    for option in of_folder if Path(args.source).is_file() else of_file:
        if getattr(args, option) is not None:
            kind = "file" if option in of_folder else "folder"
            raise ParameterError(f"--{option} means nothing for a {kind}; got {args.source}.")
    options = {key: getattr(args, key) for key in ("name", *of_file, *of_folder)}
    given = {key: value for key, value in options.items() if value is not None}
    print_dataset(import_dataset(args.source, **given))


def add_download(commands) -> None:
    """``download``: fetch a public archive and import its data sets."""
    parser = commands.add_parser(
        "download",
        help="download and import public data",
        description="Download a public archive (xlsa17: 0.9 GB) and import its data sets.",
    )
    parser.add_argument("archive", metavar="NAME", help="xlsa17")
    parser.add_argument("--only", metavar="SET", nargs="+", help="import these data sets only")
    parser.set_defaults(run=run_download)


def run_download(args: argparse.Namespace) -> None:
    """Fetch an archive, unpack what is known in it and import every data set."""
    from zslcore.datasets.download import archives, fetch, unpack
    from zslcore.datasets.xlsa17 import read_xlsa17

    path = fetch(args.archive, show_progress)
    archive = archives()[args.archive]
    print(f"{archive.title}\n{archive.citation}\n{archive.licence}\n")
    print(f"archive   {path}\nSHA-256   {archive.known_sha256()}\n")
    for folder in unpack(archive, path, path.parent / archive.name, args.only).values():
        print_dataset(read_xlsa17(folder))


def show_progress(done: int, total: int) -> None:
    """Rewrite one line on standard error."""
    share = f" of {total / 1e6:,.0f} MB, {done / total:.0%}" if total else " MB"
    sys.stderr.write(f"\r{done / 1e6:,.0f}{share} " + ("\n" if done == total else ""))
    sys.stderr.flush()


def print_dataset(data) -> None:
    """Print what a data set holds, one fact a line."""
    n, d = data.features.shape
    print(f"{data.name}")
    print(f"  images    {n:,} x {d:,} features")
    print(f"  classes   {data.n_classes} x {data.prototypes.shape[1]} attributes")
    print(f"  digest    {data.digest}")
    for split in data.splits.values():
        print(
            f"  {split.name:9} {len(split.seen_classes)} seen and "
            f"{len(split.unseen_classes)} unseen classes; {len(split.trainval):,} trainval, "
            f"{len(split.test_seen):,} test seen, "
            f"{len(split.test_unseen):,} test unseen rows; {len(split.folds)} folds"
        )
        print(f"            {split.note}")


COMMANDS = (add_import, add_download)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, or 2 when it was refused."""
    parser = argparse.ArgumentParser(prog="python -m zslcore", description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for add in COMMANDS:
        add(commands)
    args = parser.parse_args(arguments)
    try:
        args.run(args)
    except ZSLError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
