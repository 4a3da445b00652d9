"""Evaluate methods on the nine ImageNet test sets of the benchmark.

Parameters are chosen on the released fold of training classes. --shards reads features part by part
from a folder written by `zslcore shards write`. For features of your own, add --prototypes: class
embeddings by WordNet id, one row per class number in the shards. Example::

    zslcore large-scale --method ESZSL SAE
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zslcore.commands.command import Output, command, option
from zslcore.commands.options import JSON, seed, show_steps
from zslcore.exceptions import ParameterError
from zslcore.numbers import percent

if TYPE_CHECKING:
    from zslcore.analysis.large_scale import LargeScale
    from zslcore.datasets import ZSLDataset
    from zslcore.large.ranks import Task


TASKS: tuple[Task, ...] = ("zsl", "gzsl")


@command(
    option(
        "--dataset NAME",
        "name of a data set with WordNet ids (simulated-ImageNet-small)",
        default="simulated-ImageNet-small",
    ),
    option("--method NAME...", "names of methods (ESZSL)", default=["ESZSL"]),
    option("--seed N", "seed of stochastic methods (0)", type=seed, default=0),
    option("--shards FOLDER", "shards with features of the simulated data, or your own", type=Path),
    option(
        "--prototypes FILE",
        "class embeddings: CSV with a column class (n01440764), then numbers; or ImageNet_w2v.mat",
        type=Path,
    ),
    JSON,
)
def run(args: argparse.Namespace) -> Output:
    """Evaluate every method, and print each table when it is finished."""
    from zslcore.analysis.large_scale import measure
    from zslcore.methods import get_method

    for name in args.method:
        get_method(name)  # refuse a misspelt name before any measurement
    dataset = _open_dataset(args.dataset, args.shards, args.prototypes)
    rows: list[dict[Any, Any]] = []
    for name in args.method:
        result = measure(name, dataset, args.seed, progress=show_steps)
        show_steps()
        rows += result.table().assign(method=name).to_dict("records")
        if not args.json:
            print(_as_text(name, result, dataset))
    columns = {"dataset": dataset.name, "digest": dataset.digest, "simulated": dataset.simulated}
    return Output(None, [row | columns for row in rows])


def _open_dataset(name: str, folder: Path | None, prototypes: Path | None) -> ZSLDataset:
    """Return the data set, with features from shards if a folder is named."""
    from zslcore.datasets import load

    if prototypes is not None:
        from zslcore.large.sources import imagenet_of_shards

        if folder is None:
            raise ParameterError("--prototypes: expected --shards FOLDER as well; got none.")
        return imagenet_of_shards(folder, prototypes)
    if folder is None:
        return load(name)
    from zslcore.datasets.imagenet import simulate_imagenet
    from zslcore.large.shards import Shards

    shards = Shards.open(folder)
    return simulate_imagenet(name, shards, digest=shards.digest)


def _as_text(name: str, result: LargeScale, dataset: ZSLDataset) -> str:
    """Return a table with a row per test set: top-1, -5 and -10 of ZSL, then of GZSL."""
    kind = ", simulated" * dataset.simulated
    params = ", ".join(f"{key} = {value}" for key, value in result.params.items())
    origin = "chosen on the fold" if result.validated else "defaults"
    lines = [f"{name} on {dataset.name}{kind}, data {dataset.digest}; {origin}: {params or 'none'}"]
    lines.append(
        f"{'':6}{'classes':>9}{'images':>12}"
        + "".join(f"{task}@{k}".rjust(9) for task in ("ZSL", "GZSL") for k in (1, 5, 10))
    )
    for row in result.table().query("task == 'zsl' and k == 1").to_dict("records"):
        shares = "".join(
            f"{percent(result.counts.accuracy(row['set'], k, task=task), 2):>9}"
            for task in TASKS
            for k in (1, 5, 10)
        )
        lines.append(f"{row['set']:6}{row['candidates']:9,}{row['images']:12,}{shares}")
    return "\n".join(lines)
