"""``zslcore reproduce EXPERIMENT``: a table or figure of the papers on any data set.

Finished runs are stored: an interrupted experiment resumes. Several data sets make one table. The
printed figures are of the papers' own features of the real data.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from zslcore.analysis.actions import DRAWS
from zslcore.analysis.papers.experiments import (
    EXPERIMENTS,
    NOT_COMPUTED,
    Experiment,
    configured_experiment,
    get_experiment,
    reproduce,
)
from zslcore.analysis.papers.experiments.experiment import (
    explain_means,
    open_dataset,
    widen_table,
)
from zslcore.commands.options import METHOD, show_standing
from zslcore.evaluation import plugins, write_predictions
from zslcore.exceptions import DatasetError, ParameterError, closest_name
from zslcore.features import FeatureScaling
from zslcore.results.shipped import ResultsOnly
from zslcore.results.store import ResultStore

#: Words of ``--features``, and of the heading.
SCALINGS: dict[str, FeatureScaling] = {"raw": "none", "unit": "l2", "zscore": "zscore"}
IN_WORDS: dict[FeatureScaling, str] = {
    "none": "features as they come",
    "l2": "features of unit length",
    "zscore": "features standardised by the training rows",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    option("experiment", nargs="?", help="paper and table, for example cal:table2")
    option("--list", action="store_true", help="list the experiments")
    text = "data sets (those of the experiment, see --list)"
    option("--dataset", nargs="+", default=(), metavar="NAME", help=text)
    option("--method", nargs="+", default=(), metavar="METHOD", help=f"only these rows: {METHOD}")
    option("--seeds", type=int, default=5, help="of stochastic methods (5)")
    option("--draws", type=int, default=DRAWS, help=f"of classes of actions ({DRAWS})")
    option("--jobs", type=int, default=2, help="runs at a time, one thread each (2)")
    option("--dask", default="", metavar="ADDRESS", help="Dask cluster that shares our data folder")
    text = "benchmark to compare with (that of the data set)"
    option("--as", dest="benchmark", metavar="BENCHMARK", help=text)
    text = "give a parameter of a row, over the paper's variant"
    option("--param", metavar="METHOD.NAME=VALUE", action="append", default=[], help=text)
    text = "scaling of features; the experiment's own by default (--list)"
    option("--features", choices=SCALINGS, help=text)
    text = "images that a figure over λ is measured on: test images, or those of the first "
    text += "validation split as in the paper (test)"
    option("--on", choices=["test", "validation"], default="test", help=text)
    text = "write the answers of every run, a Parquet file each"
    option("--predictions", type=Path, metavar="FOLDER", help=text)
    option("--json", action="store_true", help="print one row per cell as JSON, in fractions")


def run(args: argparse.Namespace) -> object:
    """List the experiments, or run one and return its table."""
    if args.list:
        return list_experiments()
    if args.experiment is None:
        raise ParameterError(f"Name an experiment: {', '.join(EXPERIMENTS)}.")
    for option in ("seeds", "draws", "jobs"):
        if getattr(args, option) < 1:
            raise ParameterError(f"--{option} must be at least 1; got {getattr(args, option)}.")
    rows = args.method  # rows of tables are no methods, such as variants
    args.method = [plugins.register(row) if plugins.is_plugin_name(row) else row for row in rows]
    params, features = read_params(args), SCALINGS.get(args.features)
    experiment = configured_experiment(args.experiment, params, features, args.on)
    table = reproduce(
        args.experiment,
        args.dataset,
        args.method,
        seeds=args.seeds,
        draws=args.draws,
        jobs=args.jobs,
        dask=args.dask,
        benchmark=args.benchmark,
        params=params,
        features=features,
        on=args.on,
        on_done=show_piece,
        on_standing=show_standing,
    )
    if args.predictions is not None:
        write_answers(table, args.predictions)
    if args.json:
        return table
    shown = widen_table(table, experiment).to_string(index=False)
    return f"{heading(args, experiment, table)}\n{shown}"


def list_experiments() -> str:
    """Return every experiment, then the tables and figures that cannot be computed."""
    lines = []
    for name, experiment in EXPERIMENTS.items():
        n = len(experiment.methods)
        rows = f"{n} method{'s' * (n > 1)}; " if n else ""
        scaled = f"{IN_WORDS[experiment.features]}; " if experiment.scales else ""
        on = " and ".join(experiment.datasets[:2]) if experiment.datasets else "the class lists"
        more = " and others" * (len(experiment.datasets) > 2)
        lines.append(f"{name:12} {experiment.title} ({rows}{scaled}on {on}{more})")
    lines.append("")
    lines += [f"{name:12} cannot be computed: {why}" for name, why in NOT_COMPUTED.items()]
    return "\n".join(lines)


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


def write_answers(table: pd.DataFrame, folder: Path) -> None:
    """Write the predictions of the first run of every cell, ``<key>.parquet``, and print how many.

    Raises DatasetError for cells that are no runs, and predictions that are not stored.
    """
    keys = [key for key in table["key"].unique() if key]
    found = {key: ResultStore().predictions(key) for key in keys}
    written = {key: predictions for key, predictions in found.items() if predictions is not None}
    if not written:
        raise DatasetError("--predictions: expected cells that are runs of the store; got none.")
    folder.mkdir(parents=True, exist_ok=True)
    for key, predictions in written.items():
        write_predictions(folder / f"{key}.parquet", predictions)
    sys.stderr.write(f"{len(written)} of {len(keys)} runs: predictions written to {folder}.\n")


def heading(args: argparse.Namespace, experiment: Experiment, table: pd.DataFrame) -> str:
    """Return the heading: the experiment, the data sets and the printed figures."""
    datasets = args.dataset or experiment.datasets
    names = [
        f"{name} (simulated)" if open_dataset(name).simulated and "simulated" not in name else name
        for name in datasets
    ]
    simulated = any(open_dataset(name).simulated for name in datasets)
    unit = ", in points" * (experiment.unit == "percent")
    difference = f" diff: ours less printed{unit}." if table["difference"].notna().any() else ""
    lines = [
        f"{args.experiment} on {' and '.join(names) or 'the class lists'}: {experiment.title}.",
        experiment.figures.format(over=over_seeds(table["seeds"].max()), draws=args.draws),
        variants(experiment, table["method"].unique()) if experiment.scales else "",
        f"printed: the paper's figure.{difference}"
        if table["printed"].notna().any()
        else "The paper prints no figures for these rows.",
        explain_means(table, experiment),
        experiment.lacks,
        "Figures of simulated data say nothing about the paper." * simulated,
        *filter(None, (missing_features(name, table) for name in datasets)),
    ]
    return "\n".join([*filter(None, lines), ""])


def missing_features(name: str, table: pd.DataFrame) -> str:
    """Say which cells a data set that is known by its results lacks, and what computes them."""
    dataset = open_dataset(name)
    if not isinstance(dataset, ResultsOnly):
        return ""
    rows = table[(table["dataset"] == name) & table["ours"].isna()]
    cells = rows.groupby("method", sort=False)["cell"].agg(", ".join)
    which = "; ".join(f"{method} ({names})" for method, names in cells.items())
    which = "all" if table["ours"].isna().all() else which
    there = "Ours are results that come with the package. "
    if not which:
        return f"{there}No cell needs features."
    return f"{there}Cells that need features: {which}. {dataset.without_features}"


def over_seeds(n: float) -> str:
    """Say over how many seeds figures are means, at most."""
    return f"mean ± deviation over up to {n:.0f} seeds" if n > 1 else "one seed"


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
