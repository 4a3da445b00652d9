"""``zslcore large-scale``: methods on the nine ImageNet test sets of the benchmark.

Parameters are chosen on the released fold of training classes. With ``--shards`` the features of
``simulated-ImageNet-full`` are read from the folder that ``zslcore shards write`` has made of them,
and nothing is ever held whole. Features of your own lie in shards, too, and ``--prototypes`` names
their classes by WordNet ids, in the order of the shards' labels.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zslcore.commands.options import seed, show_steps
from zslcore.exceptions import ParameterError

if TYPE_CHECKING:
    from zslcore.analysis.large_scale import LargeScale
    from zslcore.datasets import ZSLDataset
    from zslcore.large.ranks import Task


TASKS: tuple[Task, ...] = ("zsl", "gzsl")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    text = "name of data with WordNet ids (simulated-ImageNet-small)"
    option("--dataset", default="simulated-ImageNet-small", metavar="NAME", help=text)
    option("--method", nargs="+", default=["ESZSL"], help="names of methods (ESZSL)")
    option("--seed", type=seed, default=0, help="of methods that draw (0)")
    text = "features of the stand-in, or of your own with --prototypes"
    option("--shards", type=Path, metavar="FOLDER", help=text)
    text = "CSV of classes: class (n01440764), then numbers; or ImageNet_w2v.mat"
    option("--prototypes", type=Path, metavar="FILE", help=text)
    option("--dask", default="", metavar="ADDRESS", help="scheduler of a Dask cluster that counts")
    option("--json", action="store_true", help="print every figure as JSON instead of tables")


def run(args: argparse.Namespace) -> object:
    """Measure every method, print what each reaches when it is done, or return all figures."""
    from zslcore.analysis.large_scale import LargeScaleStudy, measure
    from zslcore.large.engine import Engine
    from zslcore.methods import get_method

    for name in args.method:
        get_method(name)  # a misspelt name is refused before any measurement
    dataset, engine = _opened(args.dataset, args.shards, args.prototypes), Engine(dask=args.dask)
    rows: list[dict[Any, Any]] = []
    for name in args.method:
        spec = LargeScaleStudy(dataset.name, dataset.digest, name, args.seed)
        found = measure(spec, dataset, show_steps, engine=engine)
        show_steps()
        rows += found.table().assign(method=name).to_dict("records")
        if not args.json:
            print(_as_text(name, found, dataset))
    about = {"dataset": dataset.name, "digest": dataset.digest, "simulated": dataset.simulated}
    return [row | about for row in rows] if args.json else None


def _opened(name: str, folder: Path | None, prototypes: Path | None) -> ZSLDataset:
    """Return the data set, its features read from shards where these are given."""
    from zslcore.datasets import load

    if prototypes is not None:
        from zslcore.large.sources import imagenet_of_shards

        if folder is None:
            raise ParameterError("--prototypes belongs to features of your own: --shards FOLDER.")
        return imagenet_of_shards(folder, prototypes)
    if folder is None:
        return load(name)
    from zslcore.datasets.imagenet import simulate_imagenet
    from zslcore.large.shards import Shards

    shards = Shards.open(folder)
    return simulate_imagenet(name, shards, digest=shards.digest)


def _as_text(name: str, found: LargeScale, dataset: ZSLDataset) -> str:
    """Return one table: sets as rows; top-1, -5, -10 of ZSL, then of GZSL."""
    kind = ", simulated" * dataset.simulated
    params = ", ".join(f"{key} = {value}" for key, value in found.params.items())
    origin = "chosen on the fold" if found.validated else "defaults"
    lines = [f"{name} on {dataset.name}{kind}, data {dataset.digest}; {origin}: {params or 'none'}"]
    lines.append(
        f"{'':6}{'classes':>9}{'images':>12}"
        + "".join(f"{task}@{k}".rjust(9) for task in ("ZSL", "GZSL") for k in (1, 5, 10))
    )
    for row in found.table().query("task == 'zsl' and k == 1").to_dict("records"):
        shares = "".join(
            f"{100 * found.counts.accuracy(row['set'], k, task=task):8.2f}%"
            for task in TASKS
            for k in (1, 5, 10)
        )
        lines.append(f"{row['set']:6}{row['candidates']:9,}{row['images']:12,}{shares}")
    return "\n".join(lines)
