"""Your data: contents of an import, verdict on its split, and results of methods."""

from __future__ import annotations

from typing import Literal

import pandas as pd
import streamlit as st

from ui.sections.audit import VERDICT_COLORS, Review
from ui.shell import site_map
from ui.shell.numbers import duration, percent
from ui.shell.text import plain
from ui.state import cache
from ui.state.waiting import submit, wait_for
from ui.takeaway import tables
from ui.takeaway.curves import draw_curves
from zslcore import jobs
from zslcore.analysis.comparison import ComparisonSpec, ComparisonStudy
from zslcore.analysis.method_table import Column, MethodResult, MethodTable, cells_of_runs
from zslcore.analysis.metric_names import Metric
from zslcore.analysis.study import run_seconds
from zslcore.datasets import Split, ZSLDataset
from zslcore.datasets.imports import pretraining_of
from zslcore.evaluation.protocol import Task
from zslcore.interactive.seen_unseen import InteractiveCurve, line_of
from zslcore.leakage import get_vocabulary
from zslcore.leakage.contamination import titles_of_sets
from zslcore.leakage.loading import context_of
from zslcore.leakage.report import Report
from zslcore.methods import METHODS
from zslcore.results.store import ResultStore, StoredRun

#: Number of a comparison's runs that are computed at the same time.
AT_ONCE = 2
#: Maximum number of restarts of a comparison after its runs were deleted.
ATTEMPTS = 8


def show_your_data(dataset: ZSLDataset, split: Split) -> None:
    """Show the origin of an import, the verdict on a split, and ranked results."""
    declared = pretraining_of(dataset)
    trained = "nothing" if declared == ("none",) else titles_of_sets(declared)
    st.caption(
        f"{plain(dataset.source)} Extractor trained on {plain(trained or 'unknown data')}; data "
        f"{dataset.digest}. {plain(split.note)}"
    )
    verdict = st.container(horizontal=True, vertical_alignment="center", gap="small")
    task: Task = "gzsl" if len(split.test_seen) else "zsl"
    column = _column(dataset, split, "H at gamma" if task == "gzsl" else "zsl")
    _offer_methods(dataset, split, task, column)
    if column is not None:
        _show_results(column, task)
    with verdict:  # drawn last, since it takes seconds for many images
        _show_verdict(_card(dataset, split), dataset, split)


# --- Verdict --------------------------------------------------------------------------------------


def _card(dataset: ZSLDataset, split: Split) -> Report:
    """Audit a split with the pre-training set that the import declares."""
    key = cache.split_key(dataset, split)
    as_it_came = cache.split_to_review(key, lambda: context_of(dataset, split=split))
    stated = [get_vocabulary(name) for name in pretraining_of(dataset)]
    return Review.of(key, as_it_came, [(dataset.name, dataset.digest)], stated).card


def _show_verdict(card: Report, dataset: ZSLDataset, split: Split) -> None:
    st.badge(card.word, color=VERDICT_COLORS[card.verdict])
    st.markdown(plain(card.sentence), width="content")
    choices = {"leakage_source": "a data set", "dataset": dataset.name, "split": split.name}
    site_map.link("drop", "Every finding", **choices)


# --- Methods --------------------------------------------------------------------------------------


def closed_forms(dataset: ZSLDataset) -> list[str]:
    """Return the closed-form methods that can be run on a data set."""
    one_space = dataset.features.shape[1] == dataset.prototypes.shape[1]
    return [
        name
        for name, method in METHODS.items()
        if not (method.iterative or method.card.extra)
        and (method.card.in_default_comparison or (method.card.joint_space and one_space))
    ]


def _column(dataset: ZSLDataset, split: Split, figure: Metric) -> Column | None:
    """Return the ranked runs on a split; None without runs."""
    runs = [
        one
        for one in cache.all_runs()[0]
        if (one.result.spec.dataset, one.result.spec.split) == (dataset.name, split.name)
        and one.result.spec.digest in ("", dataset.digest)
    ]
    table = MethodTable(cells_of_runs(runs), figure, split.name, ["mine"], [dataset.name])
    return next(iter(table.columns), None)


def _offer_methods(dataset: ZSLDataset, split: Split, task: Task, column: Column | None) -> None:
    """Offer to compute the missing closed-form methods, as one job."""
    done = {row.partition(" (")[0] for row in column.cells} if column is not None else set()
    missing = [name for name in closed_forms(dataset) if name not in done]
    if not missing:
        return
    spec = ComparisonSpec(
        {dataset.name: dataset.digest}, (split.name,), tuple(closed_forms(dataset)), task
    )
    work, refused = ComparisonStudy(spec), {}
    for attempt in range(ATTEMPTS):
        work = ComparisonStudy(spec, attempt=attempt)
        if (folder := jobs.finished(work)) is None:
            break
        refused = work.read(folder)
        if len(refused) == len(missing):
            for sentence in refused.values():
                st.caption(plain(sentence))
            return
    status = jobs.status(work.key)
    if status is not None and status.state != "done":
        wait_for(work, stop=False)
        return
    seconds = run_seconds(dataset) * len(missing) / AT_ONCE
    label = f"Compute {len(missing)} closed-form methods"
    with st.container(horizontal=True, vertical_alignment="center"):
        kind: Literal["primary", "secondary"] = "primary" if column is None else "secondary"
        if st.button(label, icon=":material/play_arrow:", key="data_compute", type=kind):
            submit(work)
            st.rerun()
        st.caption(
            f"{', '.join(missing)}: about {duration(max(seconds, 5.0))}, in the background. "
            "Parameters and γ are chosen on the folds."
        )


# --- Results --------------------------------------------------------------------------------------

#: Heading -> metric.
METRICS: dict[str, Metric] = {
    "H at γ": "H at gamma",
    "u at γ": "u at gamma",
    "s at γ": "s at gamma",
    "ZSL": "zsl",
    "AUSUC": "AUSUC",
}


def _show_results(column: Column, task: Task) -> None:
    """Show the ranked methods, and the curve of the leader."""
    metric = "H at γ" if task == "gzsl" else "ZSL"
    value = percent(column.ranks["value"][column.leader])
    sentence = f"**{plain(column.leader)}** has {metric} {value}"
    if (n := len(column.ranks)) > 1:
        equal = f"{column.tied} other{'s are' if column.tied != 1 else ' is'}"
        rest = "all others are" if not column.tied else f"{equal} not"
        sentence += f", the highest of {n} methods; {rest} significantly worse"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"{sentence}.", width="content")
        site_map.link("table", "All results in Compare", dataset=column.data)
    table = _as_table(column)
    left, right = st.columns([0.58, 0.42], gap="medium")
    with left:
        numbers = [name for name in METRICS if name in table]
        tables.show(
            table,
            f"{column.data}-methods",
            percent=numbers,
            height="content",
        )
        st.caption(
            "Accuracies are means over classes; ranks have 95 % intervals (bootstrap over test "
            "classes). γ and parameters are chosen on the folds."
        )
    with right:
        _show_curve(column.cells[column.leader])


def _as_table(column: Column) -> pd.DataFrame:
    """Return one row per method with metrics and rank, best first."""
    ranks = column.ranks.sort_values("value", ascending=False, kind="stable")
    rows = []
    for row, rank in ranks.iterrows():
        cell = column.cells[str(row)]
        metrics = {name: cell.figures[of] for name, of in METRICS.items() if of in cell.figures}
        ends = (
            "" if rank["first"] != rank["first"] else f" ({rank['first']:.0f}–{rank['last']:.0f})"
        )
        rows.append({"method": row, **metrics, "rank": f"{rank['rank']:.0f}{ends}"})
    return pd.DataFrame(rows)


def _show_curve(cell: MethodResult) -> None:
    """Draw the seen-unseen curve of a run if its predictions are stored."""
    source = cell.source
    stored = ResultStore().predictions(source.id) if isinstance(source, StoredRun) else None
    if stored is None or not stored.test.generalized:
        return
    line = line_of(cell.row, stored.test.curve, "first", stored.gamma, stored.gamma or 0.0)
    draw_curves(InteractiveCurve([line], tell=False), key="data_curve")
