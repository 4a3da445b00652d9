"""What calibration and a lambda for GZSL add, for all methods: the calibration paper's table 2.

Everything is read off runs that have been made, one run a row; nothing is fitted. A method counts
with the run whose parameters the folds chose, and with the runs of other seeds that were given the
same parameters and the same gamma, as far as there are any.

References
----------
Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From classical to generalized zero-shot learning: a
simple adaptation process", MMM 2019, table 2.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from zslcore.analysis.sweep import first_specs
from zslcore.datasets import ZSLDataset
from zslcore.datasets.facts import published
from zslcore.evaluation.specs import RunSpec
from zslcore.methods import METHODS
from zslcore.results.planning import SEEDS, Plan
from zslcore.results.store import ResultStore

#: Setting -> what the lambda was chosen for, and the figure of a run.
SETTINGS = {
    "plain": ("zsl", "plain_harmonic"),
    "calibrated": ("zsl", "calibrated_harmonic"),
    "for_gzsl": ("gzsl", "calibrated_harmonic"),
}
#: What is needed of a run.
_COLUMNS = ["method", "select_for", "params", "params_origin", "gamma", "seed"]
_COLUMNS += [figure for _, figure in SETTINGS.values()][:2]


# --- Which runs it takes --------------------------------------------------------------------------


def stored_runs(store: ResultStore, like: RunSpec, dataset: ZSLDataset) -> pd.DataFrame:
    """Return the rows of a store that this version would make again, newest first.

    Parameters
    ----------
    store : ResultStore
    like : RunSpec, whose split and preprocessing the runs share
    dataset : ZSLDataset, on whose very content they were made
    """
    return pd.DataFrame(
        [
            result.row()
            for result in reversed(store.runs_on(dataset, like.split))
            if result.spec.preprocessing == like.preprocessing
            and result.spec.revisions == result.spec.present.revisions
        ],
        columns=_COLUMNS,
    )


def missing_runs(
    store: ResultStore, like: RunSpec, dataset: ZSLDataset, methods: Sequence[str]
) -> list[RunSpec]:
    """Return the runs to make next: first those that choose, then the other seeds.

    Parameters
    ----------
    store, like, dataset : as of :func:`stored_runs`
    methods : names
    """
    specs = [
        replace(plain, features=like.features, prototypes=like.prototypes)
        for name in methods
        for plain in first_specs(dataset, like.split, name, ("zsl", "gzsl"))
    ]
    return Plan(specs, seeds=SEEDS).missing(store)


# --- What they say --------------------------------------------------------------------------------


def settings_table(runs: pd.DataFrame, benchmark: str | None) -> pd.DataFrame:
    """Return H of every method in the three settings, with the printed figures.

    Parameters
    ----------
    runs : DataFrame
        Rows of :meth:`zslcore.evaluation.runs.RunResult.row`, of one data set and split, all on the
        same features and prototypes; of several for the same seed the first counts.
    benchmark : str, or None
        Data set of the paper's figures.

    Returns
    -------
    DataFrame, one row a method and variant, in the order of the registry
        Columns: method, variant ("" for the default), and for every setting ("plain", "calibrated",
        "for_gzsl") its mean over seeds, ``*_std`` (missing for one seed), ``*_seeds`` and
        ``*_paper``; missing where there is no run or the paper has no such row. Fractions in
        [0, 1].
    """
    runs = runs.assign(variant=[_variant(m, p) for m, p in runs[["method", "params"]].to_numpy()])
    printed = _printed(benchmark)
    rows = []
    for name in METHODS:
        of_method = runs[runs["method"] == name]
        for variant in sorted(of_method["variant"].unique()):
            found = dict(_over_seeds(of_method[of_method["variant"] == variant]))
            if found:
                row = {"method": name, "variant": variant} | found
                # What the paper reports is one variant; it goes with the default.
                rows.append(row | ({} if variant else printed.get(name, {})))
    columns = [f"{s}{what}" for s in SETTINGS for what in ("", "_std", "_seeds", "_paper")]
    return pd.DataFrame(rows, columns=["method", "variant", *columns])


def average(table: pd.DataFrame) -> pd.Series:
    """Return the mean of every setting, over methods that are there and in the paper in all three.

    Parameters
    ----------
    table : of :func:`settings_table`

    Returns
    -------
    Series with the settings, their ``*_paper`` and ``methods``, how many were averaged
    """
    columns = [f"{setting}{what}" for setting in SETTINGS for what in ("", "_paper")]
    complete = table.dropna(subset=columns)
    return pd.concat([complete[columns].mean(), pd.Series({"methods": len(complete)})])


def _over_seeds(runs: pd.DataFrame) -> Iterator[tuple[str, Any]]:
    """Yield the columns of one method and variant."""
    for setting, (task, figure) in SETTINGS.items():
        of_task = _of_one_choice(runs[runs["select_for"] == task])
        values = of_task[figure].dropna().to_numpy(dtype=float)
        if len(values):
            yield setting, values.mean()
            yield f"{setting}_std", values.std(ddof=1) if len(values) > 1 else np.nan
            yield f"{setting}_seeds", len(values)


def _of_one_choice(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the run that chose on the folds, of the lowest seed, and those given its choice."""
    chose = runs[runs["params_origin"] == "validated"].sort_values("seed", kind="stable")
    if chose.empty:
        return chose
    first = chose.iloc[0]
    same = [_but_seed(params) == _but_seed(first["params"]) for params in runs["params"]]
    others = runs[np.array(same) & np.isclose(runs["gamma"].astype(float), first["gamma"])]
    return pd.concat([chose, others]).drop_duplicates("seed")


def _but_seed(params: str) -> dict[str, Any]:
    return {name: value for name, value in json.loads(params).items() if name != "random_state"}


def _variant(method: str, params: str) -> str:
    """Write the choices by name, as a direction or a loss, that are not the defaults.

    Numbers make no variant: defaults of tolerances may differ from version to version.
    """
    defaults = METHODS[method]().get_params()
    return ", ".join(
        value
        for name, value in sorted(json.loads(params).items())
        if isinstance(value, str) and name != "device" and value != defaults.get(name)
    )


def _printed(benchmark: str | None) -> dict[str, dict[str, float]]:
    """Return the printed figures of a benchmark, by method and column."""
    table = published("calibration_gzsl_harmonic")
    columns = {("no", "zsl"): "plain", ("yes", "zsl"): "calibrated", ("yes", "gzsl"): "for_gzsl"}
    found: dict[str, dict[str, float]] = {}
    for row in table[table["dataset"] == benchmark].to_dict("records"):
        setting = columns[row["calibrated"], row["lambda_selected_for"]]
        found.setdefault(row["method"], {})[f"{setting}_paper"] = row["harmonic"]
    return found
