"""``zslcore run``: choose on folds, fit, evaluate the test set once.

Select what is not given on the folds, fit on trainval, evaluate the test set once. The result is
printed and stored.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

from zslcore.commands.options import METHOD, parquet_to_write, seed, show_steps

if TYPE_CHECKING:
    from zslcore.datasets import ZSLDataset
    from zslcore.evaluation import Predictions
    from zslcore.evaluation.runs import RunResult
    from zslcore.evaluation.specs import RunSpec


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    option("--dataset", default="digits", help="name of the data set (digits)")
    option("--split", help="name of the split (PS, or the only one there is)")
    option("--method", required=True, metavar="METHOD", help=METHOD)
    option("--param", metavar="NAME=VALUE", action="append", default=[], help="give a parameter")
    option("--grid", metavar="NAME=V,V", action="append", default=[], help="search these values")
    option("--gamma", type=float, help="give the calibration gamma")
    option("--select-for", default="gzsl", help="what parameters are chosen for: gzsl or zsl")
    option("--features", default="l2", help="scaling of features: none, l2 or zscore")
    option("--prototypes", default="l2", help="scaling of prototypes: none, l2 or binary")
    option("--seed", type=seed, default=0, help="seed of stochastic methods and of held-out rows")
    option("--dask", default="", metavar="ADDRESS", help="Dask cluster that makes the run")
    option("--no-oracle", action="store_true", help="do not sweep the grid on the test set")
    option("--no-store", action="store_true", help="do not store the result")
    option(
        "--predictions",
        type=parquet_to_write,
        metavar="FILE",
        help="write the answer to every image",
    )
    option("--json", action="store_true", help="print everything as JSON instead of a table")


def run(args: argparse.Namespace) -> None:
    """Run what ``args`` specify, print and store the result."""
    from zslcore.analysis.stored_runs import as_text
    from zslcore.datasets import load
    from zslcore.evaluation import plugins, write_predictions
    from zslcore.evaluation.specs import RunSpec
    from zslcore.results.store import ResultStore

    args.method, dataset = plugins.register(args.method), load(args.dataset)
    fields = ("dataset", "method", "gamma", "select_for", "features", "prototypes", "seed")
    spec = RunSpec(
        split=dataset.split(args.split).name,
        params=read_params(args.method, args.param),
        grid=read_grid(args.method, args.grid),
        **{name: getattr(args, name) for name in fields},
    )
    store = ResultStore()
    if not args.no_store and (refusal := store.refusal()):
        print(f"The result will be printed but not stored. {refusal}", file=sys.stderr)
    result, predictions = executed(spec, dataset, args.dask, not args.no_oracle)
    show_steps()
    print(result.to_json() if args.json else as_text(result), flush=True)
    if not args.no_store:
        with store.tolerated():
            store.put(result, predictions)
    if store.not_stored_because:
        print(f"The result is not stored. {store.not_stored_because}", file=sys.stderr)
    if args.predictions is not None:
        write_predictions(args.predictions, predictions)


def executed(
    spec: RunSpec, dataset: ZSLDataset, dask: str, with_oracle: bool
) -> tuple[RunResult, Predictions]:
    """Return the result of a spec and its predictions, made here or by a Dask cluster."""
    from dataclasses import replace

    from zslcore.evaluation.runs import Progress, execute_with_predictions

    if dask:
        return elsewhere(replace(spec, digest=dataset.digest), dask, with_oracle)
    progress = Progress(spec, dataset, show_steps, with_oracle=with_oracle)
    return execute_with_predictions(
        spec,
        dataset,
        with_oracle=with_oracle,
        on_progress=progress.on_fit,
        on_epoch=progress.on_epoch,
    )


def elsewhere(spec: RunSpec, dask: str, with_oracle: bool) -> tuple[RunResult, Predictions]:
    """Run a spec on a worker of a Dask cluster; the worker must see the same data."""
    from joblib import delayed

    from zslcore.evaluation import plugins
    from zslcore.large.engine import Engine, parallel

    with parallel(Engine(dask=dask), 1, "list") as work:
        (done,) = work([delayed(_there)(spec, plugins.sources([spec.method]), with_oracle)])
    return done


def _there(
    spec: RunSpec, places: dict[str, str], with_oracle: bool
) -> tuple[RunResult, Predictions]:
    """Run a spec in the process of a worker."""
    from zslcore.evaluation import plugins
    from zslcore.evaluation.runs import execute_with_predictions

    plugins.restore(places)
    return execute_with_predictions(spec, with_oracle=with_oracle)


def read_params(method: str, texts: Sequence[str]) -> dict[str, bool | float | int | str]:
    """Read every ``NAME=VALUE``; a word that the method knows stays one, even if it is ``01``."""
    from zslcore.methods import get_method

    hints = get_method(method).hints()
    params = {}
    for text in texts:
        name, value = read_param(text)
        word = text.partition("=")[2]
        params[name] = word if word in get_args(hints.get(name)) else value
    return params


def read_param(text: str) -> tuple[str, bool | float | int | str]:
    """Read ``NAME=VALUE``; a value that is a number, True or False becomes one."""
    from zslcore.exceptions import ParameterError

    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ParameterError(f"--param: expected NAME=VALUE; got {text!r}.")
    return name, read_value(value)


def read_value(text: str) -> bool | float | int | str:
    """Return the number, True or False that a text means, else the text."""
    if text in ("True", "False"):
        return text == "True"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def read_grid(
    method: str, texts: Sequence[str]
) -> dict[str, tuple[bool | float | str, ...]] | None:
    """Read ``NAME=V,V``: these values are searched instead of the method's own."""
    from zslcore.methods import get_method

    return {**get_method(method).param_grid, **read_values(texts)} if texts else None


def read_values(texts: Sequence[str]) -> dict[str, tuple[bool | float | str, ...]]:
    """Read every ``NAME=V,V``."""
    from zslcore.exceptions import ParameterError

    found: dict[str, tuple[bool | float | str, ...]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not name or not values:
            raise ParameterError(f"--grid: expected NAME=VALUE,VALUE; got {text!r}.")
        found[name] = tuple(read_value(value) for value in values.split(","))
    return found
