"""Store features larger than memory as a memory-mapped file, and check its folder.

Example::

    zslcore shards write features.h5 ./shards
    zslcore shards show ./shards
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from zslcore.commands.command import Output, command, option
from zslcore.commands.options import JSON, show_steps

if TYPE_CHECKING:
    from zslcore.large.shards import Shards
    from zslcore.large.sources import Block


@command(
    option("source SOURCE", "FILE.h5, or the name of a data set"),
    option("folder FOLDER", "folder to write, which must not exist yet", type=Path),
    option("--features NAME", "array of features (features)", default="features"),
    option("--labels NAME", "array of class numbers (labels)", default="labels"),
    option("--first-label N", "number of the first class (0)", type=int, default=0),
    option("--dtype DTYPE", "float32, or float16 for half the size (float32)", default="float32"),
)
def write(args: argparse.Namespace) -> str:
    """Write shards from an HDF5 file or a data set.

    Example::

        zslcore shards write features.h5 ./shards --dtype float16
    """
    from zslcore.large.shards import write_shards
    from zslcore.large.sources import blocks_of

    blocks = blocks_of(
        args.source, features=args.features, labels=args.labels, first_label=args.first_label
    )
    return _as_text(write_shards(args.folder, _with_progress(blocks), dtype=args.dtype))


def _with_progress(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks, and show the number of rows on a terminal."""
    rows = 0
    for features, labels in blocks:
        yield features, labels
        rows += len(features)
        show_steps(message=f"{rows:,} rows")
    show_steps()


@command(
    option("folder FOLDER", "folder of shards", type=Path),
    option("--all", "hash every file, even if its modification time is unchanged"),
    JSON,
)
def show(args: argparse.Namespace) -> Output:
    """Print the content of a folder of shards, and check it.

    Example::

        zslcore shards show ./shards --all
    """
    from zslcore.large.shards import Shards

    shards = Shards.open(args.folder, every_file=args.all)
    values = {
        "folder": str(shards.folder),
        "rows": len(shards),
        "features": shards.shape[1],
        "dtype": shards.dtype.name,
        "classes": int(shards.labels.max()) + 1,
        "digest": shards.digest,
        "parts": [{"rows": len(part), "digest": part.digest} for part in shards.parts()],
    }
    return Output(_as_text(shards), values)


def _as_text(shards: Shards) -> str:
    """Return the content of a folder, one fact per line."""
    n, n_features = shards.shape
    size = n * n_features * shards.dtype.itemsize
    return (
        f"{shards.folder}\n"
        f"  images    {n:,} x {n_features:,} features, {shards.dtype.name}\n"
        f"  classes   numbers {shards.labels.min():,} to {shards.labels.max():,}\n"
        f"  parts     {len(shards.parts()):,}, together {size / 1e6:,.1f} MB\n"
        f"  digest    {shards.digest}"
    )


VERBS = {"write": write, "show": show}
