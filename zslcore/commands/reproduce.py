"""``python -m zslcore reproduce EXPERIMENT``: a table of the papers on any data set.

Finished runs are stored: an interrupted experiment resumes. The printed figures
are of ResNet-101 features of the real images.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pandas as pd

from zslcore.analysis.papers.experiments import (
    EXPERIMENTS,
    Experiment,
    configured_experiment,
    get_experiment,
    opened,
    reproduce,
)
from zslcore.commands.options import METHOD
from zslcore.evaluation import outside
from zslcore.exceptions import ParameterError, closest_name
from zslcore.features.views import FeatureScaling

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_parser"]

#: Words of ``--features``, and of the heading.
SCALINGS: dict[str, FeatureScaling] = {"raw": "none", "unit": "l2", "zscore": "zscore"}
IN_WORDS: dict[FeatureScaling, str] = {
    "none": "features as they come",
    "l2": "features of unit length",
    "zscore": "features standardised by the training rows",
}


def add_parser(commands: Subparsers) -> None:
    """Add the command ``reproduce`` to the command line of the package."""
    text = "run an experiment of the papers, and compare it with the printed figures"
    parser = commands.add_parser("reproduce", help=text, description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    option = parser.add_argument
    option("experiment", nargs="?", help="paper and table, for example cal:table2")
    option("--list", action="store_true", help="list the experiments")
    option("--dataset", nargs="+", default=["digits"], metavar="NAME", help="data sets (digits)")
    option("--method", nargs="+", default=(), metavar="METHOD", help=f"only these rows: {METHOD}")
    option("--seeds", type=int, default=5, help="of stochastic methods (5)")
    option("--jobs", type=int, default=2, help="runs at a time, one thread each (2)")
    option("--dask", default="", metavar="ADDRESS", help="Dask cluster that shares our data folder")
    option(
        "--as",
        dest="benchmark",
        metavar="BENCHMARK",
        help="benchmark to compare with (that of the data set)",
    )
    option(
        "--param",
        metavar="METHOD.NAME=VALUE",
        action="append",
        default=[],
        help="give a parameter of a row, over the paper's variant",
    )
    option(
        "--features",
        choices=SCALINGS,
        help="scaling of features; the experiment's own by default (--list)",
    )
    option("--json", action="store_true", help="print one row per cell as JSON, in fractions")
    parser.set_defaults(run=run_reproduce)


def run_reproduce(args: argparse.Namespace) -> None:
    """List the experiments, or run one and print it."""
    if args.list:
        for name, experiment in EXPERIMENTS.items():
            scaled = IN_WORDS[experiment.features]
            print(f"{name:12} {experiment.title} ({len(experiment.methods)} methods; {scaled})")
        return
    if args.experiment is None:
        raise ParameterError(f"Name an experiment: {', '.join(EXPERIMENTS)}.")
    for option in ("seeds", "jobs"):
        if getattr(args, option) < 1:
            raise ParameterError(f"--{option} must be at least 1; got {getattr(args, option)}.")
    args.method = [outside.load(each) if outside.is_own(each) else each for each in args.method]
    params, features = read_params(args), SCALINGS.get(args.features)
    experiment = configured_experiment(args.experiment, params, features)
    table = reproduce(
        args.experiment,
        args.dataset,
        args.method,
        seeds=args.seeds,
        jobs=args.jobs,
        dask=args.dask,
        benchmark=args.benchmark,
        params=params,
        features=features,
        on_done=show_piece,
    )
    if args.json:
        print(table.to_json(orient="records", double_precision=15))
        return
    print(heading(args, experiment, table))
    print(wide(table).to_string(index=False))


def read_params(args: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Read every ``METHOD.NAME=VALUE``, by the name of the row."""
    from zslcore.commands.run import read_params as of_method

    experiment = get_experiment(args.experiment)
    found: dict[str, dict[str, Any]] = {}
    for text in args.param:
        row, dot, given = text.partition(".")
        if not dot or "=" not in given or "=" in row:
            raise ParameterError(f"--param: expected METHOD.NAME=VALUE; got {text!r}.")
        allowed = args.method or experiment.methods
        row = next((name for name in allowed if name.partition("@")[0] == row), row)
        if row not in allowed:
            raise closest_name(f"row for --param {text}:", row, allowed)
        method = experiment.method_of(row)
        found.setdefault(row, {}).update(of_method(method, [given]))
    return found


def show_piece(done: int, total: int, what: str, runs: int) -> None:
    """Print the finished piece on standard error."""
    was = f"{runs} run{'s' * (runs != 1)}" if runs else "already stored"
    sys.stderr.write(f"{done}/{total}  {what}: {was}\n")


def heading(args: argparse.Namespace, experiment: Experiment, table: pd.DataFrame) -> str:
    """Return the heading: the experiment, the data sets and the printed figures."""
    names = [
        f"{name} (simulated)" if opened(name).simulated and "simulated" not in name else name
        for name in args.dataset
    ]
    printed = (
        "printed: the paper's figure, for ResNet-101 features of the real images. diff: ours less "
        "printed, in points."
        if table["printed"].notna().any()
        else "The paper prints no figures for these rows."
    )
    return (
        f"{args.experiment} on {' and '.join(names)}: {experiment.title}.\n"
        "Per-class accuracy in percent; parameters and gamma chosen on the folds; mean ± deviation "
        f"over up to {args.seeds} seeds.\n{variants(experiment, table['method'].unique())}\n"
        f"{printed}\n"
    )


def variants(experiment: Experiment, methods: Iterable[str]) -> str:
    """Return how features are scaled, and the given parameters of rows."""
    given = {
        method: ", ".join(f"{name} = {value}" for name, value in params.items())
        for method in methods
        if (params := experiment.given(method))
    }
    rows = "; ".join(f"{method} with {values}" for method, values in given.items())
    scaled = IN_WORDS[experiment.features].capitalize()
    return f"{scaled}, prototypes of unit length. Given: {rows or 'nothing'}."


def wide(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row a method, three columns a cell, and below them their means.

    These are of the methods that have both figures, where there are any.
    """
    methods = table["method"].unique()
    columns: dict[str, list[str]] = {"method": [*methods, "mean"]}
    for cell, rows in table.groupby("cell", sort=False):
        part = rows.set_index("method").reindex(methods)  # some have no such cell
        with_both = part.dropna(subset=["ours", "printed"])
        mean = (part if with_both.empty else with_both)[["ours", "printed", "difference"]].mean()
        columns[str(cell)] = [*map(_ours, part["ours"], part["std"]), _ours(mean["ours"])]
        if part["printed"].notna().any():
            printed, difference = [*part["printed"], mean["printed"]], [*part["difference"]]
            columns["printed" + " " * len(columns)] = [_ours(value) for value in printed]
            columns["diff" + " " * len(columns)] = [
                _ours(value, sign="+") for value in [*difference, mean["difference"]]
            ]
    shown = pd.DataFrame(columns)
    return shown.rename(columns=str.strip)


def _ours(value: float, std: float = math.nan, sign: str = "") -> str:
    if math.isnan(value):
        return "-"
    spread = "" if math.isnan(std) else f" ± {100 * std:.1f}"
    return f"{100 * value:{sign}.1f}{spread}"
