"""Run a method on a data set: choose parameters on the folds, fit, evaluate the test set once.

Parameters and gamma are chosen on the validation folds unless given. The result is printed
and stored. Example::

    zslcore run --dataset digits --method ESZSL --param lam=0.1
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import get_args

from zslcore.commands.command import command, option
from zslcore.commands.options import JSON, METHOD, PARAM, SPLIT, parquet_to_write, seed, show_steps


@command(
    option("--dataset NAME", "name of the data set (digits)", default="digits"),
    SPLIT,
    option("--method METHOD", METHOD, required=True),
    PARAM,
    option("--grid NAME=V,V", "values to search for a parameter", action="append", default=[]),
    option("--gamma NUMBER", "gamma of calibrated stacking (chosen on the folds)", type=float),
    option("--select-for TASK", "task for choosing parameters: gzsl or zsl (gzsl)", default="gzsl"),
    option("--features SCALING", "feature scaling: none, l2 or zscore (l2)", default="l2"),
    option("--prototypes SCALING", "prototype scaling: none, l2 or binary (l2)", default="l2"),
    option("--seed N", "seed of stochastic methods and of held-out rows (0)", type=seed, default=0),
    option("--no-oracle", "do not compute the oracle, which searches the grid on the test set"),
    option("--no-store", "do not store the result"),
    option("--predictions FILE", "write the predictions as Parquet", type=parquet_to_write),
    JSON,
)
def run(args: argparse.Namespace) -> None:
    """Run the method, print and store the result."""
    from zslcore.analysis.stored_runs import as_text
    from zslcore.datasets import load
    from zslcore.evaluation import plugins, runs
    from zslcore.evaluation.predictions_file import write_predictions
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
    result = runs.run(spec, dataset, with_oracle=not args.no_oracle, progress=show_steps)
    show_steps()
    print(result.result.to_json() if args.json else as_text(result.result), flush=True)
    if not args.no_store:
        with store.tolerated():
            store.put_run(result)
    if store.not_stored_because:
        print(f"The result is not stored. {store.not_stored_because}", file=sys.stderr)
    if args.predictions is not None:
        write_predictions(args.predictions, result.predictions)


def read_params(method: str, texts: Sequence[str]) -> dict[str, bool | float | int | str]:
    """Read every ``NAME=VALUE``; a choice of the method stays text."""
    from zslcore.methods import get_method

    hints = get_method(method).hints()
    params = {}
    for text in texts:
        name, value = read_param(text)
        word = text.partition("=")[2]
        params[name] = word if word in get_args(hints.get(name)) else value
    return params


def read_param(text: str) -> tuple[str, bool | float | int | str]:
    """Parse ``NAME=VALUE``; numbers, True and False are converted."""
    from zslcore.exceptions import ParameterError

    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ParameterError(f"--param: expected NAME=VALUE; got {text!r}.")
    return name, read_value(value)


def read_value(text: str) -> bool | float | int | str:
    """Convert a text to a number, True or False if possible, else return it unchanged."""
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
    """Read every ``NAME=V,V`` into the grid of the method."""
    from zslcore.methods import get_method

    return {**get_method(method).param_grid, **read_values(texts)} if texts else None


def read_values(texts: Sequence[str]) -> dict[str, tuple[bool | float | str, ...]]:
    """Read every ``NAME=V,V``."""
    from zslcore.exceptions import ParameterError

    grid: dict[str, tuple[bool | float | str, ...]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not name or not values:
            raise ParameterError(f"--grid: expected NAME=VALUE,VALUE; got {text!r}.")
        grid[name] = tuple(read_value(value) for value in values.split(","))
    return grid
