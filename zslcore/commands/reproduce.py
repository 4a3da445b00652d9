"""Compute a table or figure of the papers on any data set, and compare it with the printed one.

Finished runs are stored, and an interrupted experiment resumes. Several data sets give one table.
The metrics printed in the papers were measured on real data, with the papers' own features.
Example::

    zslcore reproduce cal:table2 --dataset digits
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from zslcore.analysis.actions import DRAWS
from zslcore.analysis.papers.experiments.experiment import Experiment, explain_means, widen_table
from zslcore.analysis.papers.experiments.reproducing import (
    EXPERIMENTS,
    NOT_COMPUTED,
    configure_experiment,
    get_experiment,
    reproduce,
)
from zslcore.commands.command import Output, command, option
from zslcore.commands.options import JSON, METHOD, show_status
from zslcore.evaluation import plugins
from zslcore.evaluation.predictions_file import write_predictions
from zslcore.exceptions import DatasetError, ParameterError, closest_name
from zslcore.features import FeatureScaling
from zslcore.results.shipped import ResultsOnly, cached_dataset
from zslcore.results.store import ResultStore

#: Value of ``--features`` -> scaling of features.
SCALINGS: dict[str, FeatureScaling] = {"raw": "none", "unit": "l2", "zscore": "zscore"}
IN_WORDS: dict[FeatureScaling, str] = {
    "none": "features without scaling",
    "l2": "features of unit length",
    "zscore": "features standardised by the training rows",
}


@command(
    option("experiment [EXPERIMENT]", "paper and table, for example cal:table2"),
    option("--list", "list the experiments"),
    option("--dataset NAME...", "data sets (default: the experiment's, see --list)", default=()),
    option("--method METHOD...", f"only these rows: {METHOD}", default=()),
    option("--seeds N", "number of seeds of stochastic methods (5)", type=int, default=5),
    option("--draws N", f"number of draws of action classes ({DRAWS})", type=int, default=DRAWS),
    option("--jobs N", "parallel runs, one thread each (2)", type=int, default=2),
    option("--as BENCHMARK", "benchmark to compare with (that of the data set)", dest="benchmark"),
    option(
        "--param METHOD.NAME=VALUE",
        "set a parameter of a row, instead of the paper's value",
        action="append",
        default=[],
    ),
    option(
        "--features {raw,unit,zscore}", "feature scaling (default: the experiment's, see --list)"
    ),
    option(
        "--on {test,validation}",
        "for a figure that varies λ: evaluate on test images or, as in the paper, on the first "
        "validation split (test)",
        default="test",
    ),
    option("--predictions FOLDER", "write the predictions of every run as Parquet", type=Path),
    JSON,
)
def run(args: argparse.Namespace) -> Output | str:
    """List the experiments, or run one and return its table."""
    if args.list:
        return list_experiments()
    if args.experiment is None:
        raise ParameterError(f"reproduce: expected one of {', '.join(EXPERIMENTS)}; got none.")
    for name in ("seeds", "draws", "jobs"):
        if getattr(args, name) < 1:
            raise ParameterError(f"--{name}: expected at least 1; got {getattr(args, name)}.")
    rows = args.method  # a row may be a variant of a method
    args.method = [plugins.register(row) if plugins.is_plugin_name(row) else row for row in rows]
    params, features = read_params(args), SCALINGS.get(args.features)
    experiment = configure_experiment(args.experiment, params, features, args.on)
    table = reproduce(
        args.experiment,
        args.dataset,
        args.method,
        seeds=args.seeds,
        draws=args.draws,
        jobs=args.jobs,
        benchmark=args.benchmark,
        params=params,
        features=features,
        on=args.on,
        on_done=show_part,
        on_status=show_status,
    )
    if args.predictions is not None:
        write_cell_predictions(table, args.predictions)
    return Output(
        lambda: "\n".join(
            [
                heading(args, experiment, table),
                widen_table(table, experiment).to_string(index=False),
            ]
        ),
        table,
    )


def list_experiments() -> str:
    """Return every experiment, then the tables and figures that cannot be computed."""
    lines = []
    for name, experiment in EXPERIMENTS.items():
        n = len(experiment.methods)
        rows = f"{n} method{'s' * (n > 1)}; " if n else ""
        scaled = f"{IN_WORDS[experiment.features]}; " if experiment.can_scale else ""
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
    params: dict[str, dict[str, Any]] = {}
    for text in args.param:
        row, dot, setting = text.partition(".")
        if not dot or "=" not in setting or "=" in row:
            raise ParameterError(f"--param: expected METHOD.NAME=VALUE; got {text!r}.")
        allowed = args.method or experiment.methods
        row = next((name for name in allowed if name.partition("@")[0] == row), row)
        if row not in allowed:
            raise closest_name(f"row for --param {text}:", row, allowed)
        method = experiment.method_of(row)
        params.setdefault(row, {}).update(of_method(method, [setting]))
    return params


def show_part(done: int, total: int, task: str, runs: int) -> None:
    """Print a finished part on standard error."""
    was = f"{runs} run{'s' * (runs != 1)}" if runs else "already stored"
    sys.stderr.write(f"{done}/{total}  {task}: {was}\n")


def write_cell_predictions(table: pd.DataFrame, folder: Path) -> None:
    """Write the predictions of the first run of every cell as ``<key>.parquet``.

    Skips runs without stored predictions; raises DatasetError if no run has stored predictions.
    """
    keys = [key for key in table["key"].unique() if key]
    stored = {key: ResultStore().predictions(key) for key in keys}
    written = {key: predictions for key, predictions in stored.items() if predictions is not None}
    if not written:
        raise DatasetError("--predictions: expected cells with stored runs; got none.")
    folder.mkdir(parents=True, exist_ok=True)
    for key, predictions in written.items():
        write_predictions(folder / f"{key}.parquet", predictions)
    sys.stderr.write(f"{len(written)} of {len(keys)} runs: predictions written to {folder}.\n")


def heading(args: argparse.Namespace, experiment: Experiment, table: pd.DataFrame) -> str:
    """Return the heading: the experiment, the data sets and the source of printed metrics."""
    datasets = args.dataset or experiment.datasets
    names = [
        f"{name} (simulated)"
        if cached_dataset(name).simulated and "simulated" not in name
        else name
        for name in datasets
    ]
    simulated = any(cached_dataset(name).simulated for name in datasets)
    unit = ", in points" * (experiment.unit == "percent")
    difference = f" diff: ours minus printed{unit}." if table["difference"].notna().any() else ""
    lines = [
        f"{args.experiment} on {' and '.join(names) or 'the class lists'}: {experiment.title}.",
        experiment.metrics.format(over=over_seeds(table["seeds"].max()), draws=args.draws),
        variants(experiment, table["method"].unique()) if experiment.can_scale else "",
        f"printed: the paper's metric.{difference}"
        if table["printed"].notna().any()
        else "The paper prints no metrics for these rows.",
        explain_means(table, experiment),
        experiment.feature_source,
        "Metrics on simulated data neither support nor contradict the paper." * simulated,
        *filter(None, (missing_features(name, table) for name in datasets)),
    ]
    return "\n".join([*filter(None, lines), ""])


def missing_features(name: str, table: pd.DataFrame) -> str:
    """Name the cells that need features, if a data set has only precomputed results."""
    dataset = cached_dataset(name)
    if not isinstance(dataset, ResultsOnly):
        return ""
    rows = table[(table["dataset"] == name) & table["ours"].isna()]
    cells = rows.groupby("method", sort=False)["cell"].agg(", ".join)
    missing = "; ".join(f"{method} ({names})" for method, names in cells.items())
    missing = "all" if table["ours"].isna().all() else missing
    source = "Ours: precomputed results of the package. "
    if not missing:
        return f"{source}No cell needs features."
    return f"{source}Cells that need features: {missing}. {dataset.without_features}"


def over_seeds(n: float) -> str:
    """Describe the seeds of a mean: "one seed", or the deviation over at most ``n`` seeds."""
    return f"mean ± deviation over up to {n:.0f} seeds" if n > 1 else "one seed"


def variants(experiment: Experiment, methods: Iterable[str]) -> str:
    """Return a sentence on the scaling of features and on parameters that the paper sets."""
    settings = {
        method: ", ".join(f"{name} = {value}" for name, value in params.items())
        for method in methods
        if (params := experiment.params_of(method))
    }
    rows = "; ".join(f"{method} with {values}" for method, values in settings.items())
    scaled = IN_WORDS[experiment.features].capitalize()
    return f"{scaled}, prototypes of unit length. Parameters set: {rows or 'none'}."
