"""The figures of a run beside those that the papers printed, like beside like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from ui import tables, waiting
from ui.numbers import delta, percent, points, three_digits
from ui.text import AUSUC, GAP_OF_ALL, GAP_OF_PARAMETERS, GLOSSARY
from zslcore.analysis import printed
from zslcore.datasets import ZSLDataset
from zslcore.datasets.benchmarks import benchmark_of
from zslcore.protocol import ScoredTest
from zslcore.runs import RunResult, RunSpec

__all__ = ["show_figures", "show_headline"]

CHOSEN_FOR = {"zsl": "ZSL", "gzsl": "GZSL", "given": "given"}
PAPERS = {
    "benchmark_paper": "Xian et al. 2019",
    "calibration_paper": "Le Cacheux et al. 2019",
}


def show_headline(run: RunResult, scores: ScoredTest) -> None:
    """Say the figures that matter most, in one row."""
    evaluation, gap = run.evaluation, run.oracle_gap
    with st.container(horizontal=True):
        chosen = " Parameters of this row are chosen for GZSL; the table below has both."
        st.metric(
            "ZSL accuracy",
            percent(evaluation.zsl),
            help=GLOSSARY["ZSL accuracy"] + chosen * (printed.chosen_for(run) == "gzsl"),
        )
        if (~scores.seen).sum() > 5:
            st.metric("ZSL top-5", percent(evaluation.zsl_top5))
        if scores.generalized:
            plain, calibrated = evaluation.plain, evaluation.calibrated
            st.metric("H at γ = 0", percent(plain.harmonic), help=GLOSSARY["H at γ = 0"])
            st.metric(
                f"H, γ = {three_digits(run.gamma or 0.0)}",
                percent(calibrated.harmonic),
                delta=delta(calibrated.harmonic - plain.harmonic),
                help=f"Calibrated stacking; γ is {run.gamma_origin or 'none'}.",
            )
            st.metric(AUSUC, percent(evaluation.ausuc), help=GLOSSARY[AUSUC])
        if gap:
            name = GAP_OF_ALL if "harmonic" in gap else GAP_OF_PARAMETERS
            st.metric(name, points(gap.get("harmonic", gap["zsl"])), help=GLOSSARY[name])


def show_figures(spec: RunSpec, dataset: ZSLDataset, run: RunResult) -> None:
    """Show every figure of the run, and of its twin with parameters chosen for ZSL."""
    table = printed.figures_table(_runs(spec, dataset, run), benchmark_of(dataset))
    at = table["gamma"].map(lambda gamma: "" if gamma != gamma else f", γ = {three_digits(gamma)}")
    table.insert(0, "name", table["figure"].str.replace("zsl", "ZSL") + at)
    table["chosen_for"] = table["chosen_for"].map(CHOSEN_FOR)
    papers = {name: text for name, text in PAPERS.items() if table[name].notna().any()}
    tables.show(
        table,
        f"figures_{spec.dataset}_{spec.method}",
        labels={
            "chosen_for": "parameters chosen for",
            "name": "figure",
            "per_class": "per class",
            "per_sample": "per sample",
            **papers,
        },
        percent=["per_class", "per_sample", *papers],
        height="content",
    )
    st.caption(_explained(list(papers.values()), run, dataset))


def _runs(spec: RunSpec, dataset: ZSLDataset, run: RunResult) -> Sequence[RunResult]:
    """Return the run, before it the one with parameters chosen for ZSL, if that is another one."""
    if printed.chosen_for(run) != "gzsl":
        return [run]
    wanted = waiting.is_quick(spec) or st.toggle(
        "Also with parameters chosen for ZSL",
        key="evaluate_zsl",
        bind="query-params",
        help="Most printed figures were chosen so. It takes about as long as this run.",
    )
    return [waiting.run_of(replace(spec, select_for="zsl"))[0], run] if wanted else [run]


def _explained(papers: Sequence[str], run: RunResult, dataset: ZSLDataset) -> str:
    """Say what the rows are, and what stands beside them."""
    if printed.chosen_for(run) == "given":
        return "Parameters were given by hand, so no printed figure stands beside these."
    chosen = "Parameters and γ are chosen on the folds, for the task that the row names. "
    if not papers:
        return chosen
    return (
        f"{chosen}Beside them what {' and '.join(papers)} printed, where parameters were chosen "
        "for the same task, on ResNet-101 features of the real images; "
        + ("these are simulated." if dataset.simulated else "these features may differ.")
    )
