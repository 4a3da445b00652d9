"""Table 2 of the calibration paper for the data set of the page: a tab of Regularization."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ui import tables
from ui.numbers import percent, points
from ui.waiting import results_of
from zslcore.analysis.regularization import RegularizationSpec
from zslcore.analysis.three_settings import (
    SETTINGS,
    average,
    missing_runs,
    settings_table,
    stored_runs,
)
from zslcore.datasets import ZSLDataset
from zslcore.datasets.benchmarks import benchmark_of
from zslcore.datasets.facts import published
from zslcore.evaluation.specs import RunSpec
from zslcore.jobs import run
from zslcore.methods import METHODS
from zslcore.results.planning import SEEDS
from zslcore.results.store import ResultStore

__all__ = ["show_settings"]

HEADS = {
    "plain": "H, no calibration, λ for ZSL",
    "calibrated": "H, calibrated, λ for ZSL",
    "for_gzsl": "H, calibrated, λ for GZSL",
}
#: Runs that wait at a time; the queue is everybody's.
AT_ONCE = 4


def show_settings(spec: RegularizationSpec, dataset: ZSLDataset) -> None:
    """Show the three settings of every method that the run store has, and offer to run the others.

    Parameters
    ----------
    spec : whose split and preprocessing count
    dataset : its data
    """
    like = RunSpec(
        spec.dataset,
        spec.split,
        spec.method,
        features=spec.features,
        prototypes=spec.prototypes,
        digest=dataset.digest,
    )
    in_paper = list(published("calibration_gzsl_harmonic")["method"].unique())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        methods = st.multiselect(
            "Methods",
            [name for name in METHODS if not METHODS[name].card.joint_space],
            in_paper,
            key="regularization_methods",
            bind="query-params",
        )
        wanted = st.toggle(
            "Run what is missing",
            key="regularization_run",
            bind="query-params",
            help=f"Every method twice, λ tuned for ZSL and for GZSL; stochastic ones with {SEEDS} "
            "seeds. Without it, the table shows what has been run already.",
        )
    store = ResultStore()
    missing = missing_runs(store, like, dataset, methods)
    runs = stored_runs(store, like, dataset)
    benchmark = benchmark_of(dataset)
    _show(settings_table(runs[runs["method"].isin(methods)], benchmark), benchmark, spec, dataset)
    if missing and wanted:
        results_of([run.ask(each, dataset) for each in missing[:AT_ONCE]])
        st.rerun()
    if missing:
        st.caption(f"At least {len(missing)} runs are missing in this table.")


def _show(
    table: pd.DataFrame, benchmark: str | None, spec: RegularizationSpec, dataset: ZSLDataset
) -> None:
    """Say the averages, list the methods."""
    if table.empty:
        st.info("Nothing has been run on this split with this preprocessing yet.")
        return
    mean = average(table)
    if mean["methods"]:
        ours, theirs = (
            [mean[f"{setting}{what}"] for setting in SETTINGS] for what in ("", "_paper")
        )
        st.markdown(
            f"Average of the {mean['methods']:.0f} methods that are complete and in the paper: H = "
            f"{' → '.join(map(percent, ours))}. Calibration adds {points(ours[1] - ours[0])}, a λ "
            f"for GZSL {points(ours[2] - ours[1])}. In the paper, on {benchmark}: "
            f"{' → '.join(map(percent, theirs))}."
        )
    labels, shown = {"method": "method", "variant": "variant"}, []
    for setting, head in HEADS.items():
        found = {setting: head, f"{setting}_std": "± (seeds)", f"{setting}_paper": "paper"}
        columns = [name for name in found if name == setting or table[name].notna().any()]
        labels |= {name: found[name] for name in columns}
        shown += columns
    if not table["variant"].any():
        del labels["variant"]
    tables.show(
        table,
        f"three_settings_{spec.dataset}_{spec.split}",
        labels=labels,
        percent=shown,
    )
    st.caption(
        "As in table 2 of Le Cacheux, Le Borgne and Crucianu (2019). λ stands for all parameters "
        "of a method; they and γ are selected on the folds. ± is the standard deviation over up to "
        f"{SEEDS} seeds, all with the parameters of the first seed."
        + (" The paper used ResNet-101 features; these are simulated." * dataset.simulated)
    )
