"""Your data: contents of an import, verdict on its split, and results of methods."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from ui.sections.audit import VERDICT_COLORS, Review
from ui.sections.method_grid import rank_with_interval
from ui.sections.results import METRICS, lead_in_words
from ui.shell import site_map
from ui.shell.numbers import duration
from ui.shell.text import plain
from ui.state import cache
from ui.state.waiting import offer_job
from ui.takeaway import tables
from zslcore import jobs
from zslcore.analysis.comparison import ComparisonSpec, ComparisonStudy
from zslcore.analysis.method_table import Column, MethodTable, cells_of_runs
from zslcore.analysis.metric_names import Metric
from zslcore.analysis.study import run_seconds
from zslcore.datasets import Split, ZSLDataset
from zslcore.datasets.imports import pretraining_of
from zslcore.evaluation.protocol import Task
from zslcore.leakage import get_vocabulary
from zslcore.leakage.loading import context_of
from zslcore.leakage.report import Report
from zslcore.methods import METHODS
from zslcore.numbers import counted

#: Number of a comparison's runs that are computed at the same time.
AT_ONCE = 2
#: Maximum number of restarts of a comparison after its runs were deleted.
ATTEMPTS = 8


def show_your_data(dataset: ZSLDataset, split: Split, show_picture: Callable[[], None]) -> None:
    """Show the verdict on a split, its picture by ``show_picture``, and its results, if any."""
    task: Task = "gzsl" if len(split.test_seen) else "zsl"
    column = _column(dataset, split, "H at gamma" if task == "gzsl" else "zsl")
    with st.container(
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
        key="data_own",
    ):
        verdict = st.container(
            horizontal=True,
            vertical_alignment="center",
            gap="small",
            key="data_verdict",
        )
        _offer_methods(dataset, split, task, column)
    if column is not None:
        _show_lead(column, task)
    show_picture()
    if column is not None:
        _show_results(column)
    with verdict:  # drawn last, since it takes seconds for many images
        card = _card(dataset, split)
        st.badge(card.word, color=VERDICT_COLORS[card.verdict])
        st.caption(plain(card.sentence))
        site_map.link_to_audit("Every finding", dataset.name, split.name)


# --- Verdict --------------------------------------------------------------------------------------


def _card(dataset: ZSLDataset, split: Split) -> Report:
    """Audit a split with the pre-training set that the import declares."""
    key = cache.split_key(dataset, split)
    context = cache.read_in_visit(key, lambda: context_of(dataset, split=split))
    stated = [get_vocabulary(name) for name in pretraining_of(dataset)]
    return Review.of(key, context, [(dataset.name, dataset.digest)], stated).card


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


def _column(dataset: ZSLDataset, split: Split, metric: Metric) -> Column | None:
    """Return the ranked runs on a split; None without runs."""
    runs = [
        run
        for run in cache.all_runs()[0]
        if (run.result.spec.dataset, run.result.spec.split) == (dataset.name, split.name)
        and run.result.spec.digest in ("", dataset.digest)
    ]
    table = MethodTable(cells_of_runs(runs), metric, split.name, ["mine"], [dataset.name])
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
    study, refused = ComparisonStudy(spec), {}
    for attempt in range(ATTEMPTS):
        study = ComparisonStudy(spec, attempt=attempt)
        if (folder := jobs.finished(study)) is None:
            break
        refused = study.read(folder)
        if len(refused) == len(missing):
            for sentence in refused.values():
                st.caption(plain(sentence))
            return
    seconds = run_seconds(dataset) * len(missing) / AT_ONCE
    label = f"Compute {counted(len(missing), 'closed-form method')}"
    kind = "primary" if column is None else "secondary"
    tip = (
        f"{', '.join(missing)}: about {duration(max(seconds, 5.0))}, in the background. "
        "Parameters and γ are chosen on the folds."
    )
    offer_job(study, label, key="data_compute", type=kind, help=tip)


# --- Results --------------------------------------------------------------------------------------

#: Metrics in the table, by their labels.
SHOWN = ("H at γ", "u at γ", "s at γ", "ZSL", "AUSUC")


def _show_lead(column: Column, task: Task) -> None:
    """Show the best method in one sentence, and the link to all results."""
    lead = lead_in_words(column, "H at γ" if task == "gzsl" else "ZSL")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"{lead[:1].upper()}{lead[1:]}." if column.too_few else f"{lead}.")
        site_map.link("table", "All results in Compare", dataset=column.data)


def _show_results(column: Column) -> None:
    """Show the methods, best first."""
    table = _as_table(column)
    numbers = [name for name in SHOWN if name in table]
    tables.show(table, f"{column.data}-methods", percent=numbers, height="content")
    interval = "; ranks have 95 % intervals (bootstrap over test classes)"
    ranks = interval if column.is_ranked else ""
    st.caption(
        f"Accuracies are means over classes{ranks}. γ and parameters are chosen on the folds."
    )


def _as_table(column: Column) -> pd.DataFrame:
    """Return one row per method with metrics and rank, best first."""
    ranks = column.ranks.sort_values("value", ascending=False, kind="stable")
    rows = []
    for row, rank in ranks.iterrows():
        cell = column.cells[str(row)]
        metrics = {n: cell.metrics[METRICS[n]] for n in SHOWN if METRICS[n] in cell.metrics}
        place = {"rank": rank_with_interval(rank)} if column.is_ranked else {}
        rows.append({"method": row, **metrics, **place})
    return pd.DataFrame(rows)
