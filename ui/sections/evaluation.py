"""The metrics of a run next to the published ones, each with its like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from ui import site_map, tables, terms, waiting
from ui.figures.accuracy import top_k_lines
from ui.frame import chart
from ui.numbers import change, percent, points, three_digits
from ui.scores import Brought
from ui.sections.at_gamma import show_detection
from ui.text import AUSUC, GAP_OF_ALL, GAP_OF_GAMMA, GAP_OF_PARAMETERS, plain
from zslcore.analysis import mistakes
from zslcore.analysis.papers import printed
from zslcore.datasets import ZSLDataset
from zslcore.datasets.benchmarks import benchmark_of
from zslcore.evaluation.detection import detection
from zslcore.evaluation.protocol import AnsweredTest, origin_in_words
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec

__all__ = ["show_figures", "show_headline", "show_own", "show_top_k"]

#: The gaps of a run, the first that there is stands in the row.
GAPS = {"harmonic": GAP_OF_ALL, "zsl": GAP_OF_PARAMETERS, "gamma": GAP_OF_GAMMA}
CHOSEN_FOR = {"zsl": "ZSL", "gzsl": "GZSL", "given": "given"}
PAPERS = {
    "benchmark_paper": "Xian et al. 2019",
    "calibration_paper": "Le Cacheux et al. 2019",
}


def show_headline(run: RunResult, scores: AnsweredTest) -> None:
    """Show the main metrics in one row."""
    evaluation, gap = run.evaluation, run.oracle_gap
    with st.container(horizontal=True):
        chosen = "This row is tuned for GZSL; the table below has both."
        terms.metric(
            "ZSL accuracy",
            percent(evaluation.zsl),
            help=chosen if printed.chosen_for(run) == "gzsl" else None,
        )
        if (~scores.seen).sum() > 5 and evaluation.zsl_top5 is not None:
            terms.metric("ZSL top-5", percent(evaluation.zsl_top5))
        plain, calibrated = evaluation.plain, evaluation.calibrated
        if scores.generalized and plain is not None and calibrated is not None:
            terms.metric("H at γ = 0", percent(plain.harmonic))
            terms.metric(
                f"H, γ = {three_digits(run.gamma or 0.0)}",
                percent(calibrated.harmonic),
                **change(calibrated.harmonic - plain.harmonic),
                help=f"γ: {origin_in_words(run.gamma_origin)}.",
            )
            terms.metric(AUSUC, percent(evaluation.ausuc))
        if gap:
            kind = next(kind for kind in GAPS if kind in gap)
            terms.metric(GAPS[kind], points(gap[kind]))
    st.caption(_basis(run))
    if scores.generalized:
        show_detection(detection(scores))


def _basis(run: RunResult) -> str:
    """Say what the figures are means of, and why there is no gap of parameters."""
    basis = "Metrics above are means over classes."
    if run.oracle is not None and run.params_origin == "given":
        return f"{basis} Parameters are given, no grid is searched: there is no gap of parameters."
    return basis


def show_own(own: Brought) -> None:
    """Say the figures of scores that the visitor has brought, and where the rest of them is."""
    parts = [f"ZSL {percent(own.report.evaluation.zsl)}"]
    at_gamma = f"H at γ ({own.report.how})"
    for figure, said in (("H", "H at γ = 0"), ("H at gamma", at_gamma)):
        if (value := own.report.figure(figure)) is not None:
            parts.append(f"{said} {percent(value)}")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{plain(own.matrix.name)}: {', '.join(parts)}.", width="content")
        site_map.link("scores", "Your scores", icon=":material/grid_on:")


def show_top_k(scores: AnsweredTest, gamma: float, name: str) -> None:
    """Show top-k accuracy, as far as the answers say at which place the true class is.

    Parameters
    ----------
    scores : AnsweredTest
    gamma : float
    name : of the file to take away
    """
    if scores.zsl_ranks is None:
        st.info(
            "Top-k accuracy is unknown: these predictions have no zsl_rank of every unseen image.",
            icon=":material/info:",
        )
        return
    top_k = mistakes.top_k_table(scores, gamma)
    chart(
        top_k_lines(top_k),
        "Accuracy when the right class need only be among the first k answers.",
        key="evaluate_top_k",
    )
    if scores.generalized and "seen" not in top_k:
        st.caption("Among all classes it is unknown: predictions hold the place among unseen ones.")
    tables.download(top_k, f"top_k_{name}")


def show_figures(spec: RunSpec, dataset: ZSLDataset, run: RunResult) -> None:
    """Show every metric of the run, and of its twin tuned for ZSL."""
    table = printed.figures_table(_runs(spec, dataset, run), benchmark_of(dataset))
    at = table["gamma"].map(lambda gamma: "" if gamma != gamma else f", γ = {three_digits(gamma)}")
    table.insert(0, "name", table["figure"].str.replace("zsl", "ZSL") + at)
    table["chosen_for"] = table["chosen_for"].map(CHOSEN_FOR)
    papers = {name: text for name, text in PAPERS.items() if table[name].notna().any()}
    tables.show(
        table,
        f"figures_{spec.dataset}_{spec.method}",
        labels={
            "chosen_for": "tuned for",
            "name": "metric",
            "per_class": "per class",
            "per_sample": "per sample",
            **papers,
        },
        percent=["per_class", "per_sample", *papers],
        height="content",
    )
    st.caption(_explained(list(papers.values()), run, dataset))


def _runs(spec: RunSpec, dataset: ZSLDataset, run: RunResult) -> Sequence[RunResult]:
    """Return the run, preceded by the one tuned for ZSL if that is another one."""
    if printed.chosen_for(run) != "gzsl":
        return [run]
    wanted = waiting.is_at_once(replace(spec, select_for="zsl")) or st.toggle(
        "Also tuned for ZSL",
        key="evaluate_zsl",
        bind="query-params",
        help="Most published results are tuned this way. It takes about as long as this run.",
    )
    return [waiting.run_of(replace(spec, select_for="zsl"))[0], run] if wanted else [run]


def _explained(papers: Sequence[str], run: RunResult, dataset: ZSLDataset) -> str:
    """Explain the rows and the columns of published results."""
    if printed.chosen_for(run) == "given":
        return "Parameters were given by hand, so no published result can be compared."
    chosen = (
        "Parameters and γ are selected by mean validation score, for the task that the row names. "
    )
    if not papers:
        return chosen
    return (
        f"{chosen}The columns of {' and '.join(papers)} hold published results, tuned for the same "
        "task, on ResNet-101 features of the real images; "
        + ("these are simulated." if dataset.simulated else "these features may differ.")
    )
