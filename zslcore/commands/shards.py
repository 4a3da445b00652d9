"""``zslcore shards``: features that do not fit into memory, as a mapped file.

``write`` reads an HDF5 file, a zarr folder or an imported data set, block by block.
``show`` prints the content of a folder, and checks it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zslcore.large.shards import Shards
    from zslcore.large.sources import Block


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    write = verbs.add_parser("write", help="write shards from an HDF5 file, zarr, or a data set")
    option = write.add_argument
    option("source", metavar="SOURCE", help="FILE.h5, FOLDER.zarr, or the name of a data set")
    option("folder", metavar="FOLDER", type=Path, help="folder to write, which must not exist yet")
    option("--features", default="features", metavar="NAME", help="array of features (features)")
    option("--labels", default="labels", metavar="NAME", help="array of class numbers (labels)")
    option("--first-label", type=int, default=0, metavar="N", help="number of the first class (0)")
    option("--dtype", default="float32", help="float32, or float16 for half the size (float32)")
    write.set_defaults(run=write_folder)
    show = verbs.add_parser("show", help="print the content of a folder, and check it")
    show.add_argument("folder", metavar="FOLDER", type=Path)
    show.add_argument("--all", action="store_true", help="hash every file, changed in time or not")
    show.add_argument("--json", action="store_true", help="print everything as JSON")
    show.set_defaults(run=show_folder)


def write_folder(args: argparse.Namespace) -> str:
    """Write what ``args.source`` holds and return what it is."""
    from zslcore.large.shards import write_shards
    from zslcore.large.sources import blocks_of

    blocks = blocks_of(
        args.source, features=args.features, labels=args.labels, first_label=args.first_label
    )
    return _as_text(write_shards(args.folder, _with_progress(blocks), dtype=args.dtype))


def _with_progress(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks, and count their rows on a terminal."""
    rows = 0
    for features, labels in blocks:
        yield features, labels
        rows += len(features)
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{rows:,} rows ")
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{'':20}\r")


def show_folder(args: argparse.Namespace) -> object:
    """Open a folder, which checks it, and return what it holds."""
    from zslcore.large.shards import Shards

    shards = Shards.open(args.folder, every_file=args.all)
    if not args.json:
        return _as_text(shards)
    return {
        "folder": str(shards.folder),
        "rows": len(shards),
        "features": shards.shape[1],
        "dtype": shards.dtype.name,
        "classes": int(shards.labels.max()) + 1,
        "digest": shards.digest,
        "parts": [{"rows": len(part), "digest": part.digest} for part in shards.parts()],
    }


def _as_text(shards: Shards) -> str:
    """Return what a folder holds, one fact a line."""
    n, n_features = shards.shape
    size = n * n_features * shards.dtype.itemsize
    return (
        f"{shards.folder}\n"
        f"  images    {n:,} x {n_features:,} features, {shards.dtype.name}\n"
        f"  classes   numbers {shards.labels.min():,} to {shards.labels.max():,}\n"
        f"  parts     {len(shards.parts()):,}, together {size / 1e6:,.1f} MB\n"
        f"  digest    {shards.digest}"
    )
