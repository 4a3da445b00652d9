"""Drawer of the Playground: metrics, classes, confusion and command of a run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from ui.figures.accuracy import confusion_map
from ui.shell.frame import chart, show_tabs
from ui.shell.numbers import in_points, percent, three_digits
from ui.shell.text import AUSUC
from ui.state import controls, waiting
from ui.state.waiting import PredictedRun
from ui.takeaway import downloads, tables
from zslcore.analysis import confusion
from zslcore.analysis.papers import printed
from zslcore.datasets import ZSLDataset
from zslcore.datasets.facts import benchmark_of
from zslcore.evaluation.bootstrap import BootstrapMetrics
from zslcore.evaluation.predicted_tests import PredictedTest, origin_in_words
from zslcore.evaluation.runs import WITHOUT_FOLDS, RunResult
from zslcore.evaluation.specs import RunSpec

LOW = 11  # maximum number of classes in a table without scrolling
FEW = 60  # maximum number of classes in a readable confusion matrix
#: Rows of the table of metrics: measured, then printed values, if any.
ROWS = {
    "per_class": "per class",
    "per_sample": "per image",
    "benchmark_paper": "printed, Xian et al. 2019",
    "calibration_paper": "printed, Le Cacheux et al. 2019",
}


def show_drawer(spec: RunSpec, dataset: ZSLDataset, gamma: float) -> None:
    """Show the metrics of a run; classes and confusion are at ``gamma`` of the ruler."""
    predicted = waiting.run_of(spec)
    run, scores = predicted.result, predicted.test
    name = f"{spec.dataset}_{spec.method}"
    _show_metrics(run, scores, dataset, name)
    names = dataset.class_names
    tabs = {
        "Command": partial(_show_command, spec, predicted, dataset),
        "Classes": partial(_show_classes, scores, gamma, names, name),
        "Confusion": partial(_show_confusion, scores, gamma, names, name),
    }
    show_tabs(tabs, key="playground_tab", in_address=False)


def _show_metrics(run: RunResult, scores: PredictedTest, dataset: ZSLDataset, name: str) -> None:
    """Show measured and printed metrics as a table, and further metrics below."""
    metrics = printed.metrics_table([run], benchmark_of(dataset))
    gamma = f"γ = {three_digits(run.gamma or 0.0)}"
    columns = [
        "ZSL" if row.metric == "zsl" else f"{row.metric}, {gamma if row.calibrated else 'γ = 0'}"
        for row in metrics.itertuples()
    ]
    table = metrics[list(ROWS)].set_axis(columns).T.dropna(how="all")
    table.insert(0, "metrics", table.index.map(ROWS))
    table = pd.DataFrame(table.reset_index(drop=True))
    tables.show(
        table,
        f"metrics_{name}",
        labels={"metrics": "", **{column: column for column in columns}},
        percent=columns,
        height="content",
    )
    parts = []
    if run.evaluation.ausuc is not None:
        parts.append(f"{AUSUC} {percent(run.evaluation.ausuc)}")
    if scores.generalized:
        auroc = float(BootstrapMetrics.once(scores).auroc()[0])
        parts.append(f"AUROC (seen against unseen) {percent(auroc)}")
    if run.oracle_gap:
        gap = run.oracle_gap.get("harmonic", run.oracle_gap.get("gamma"))
        if gap is not None:
            parts.append(f"best on test (oracle): {in_points(gap)} of H, an upper bound")
    st.caption(
        f"γ: {origin_in_words(run.gamma_origin)}. "
        + "; ".join(parts)
        + "." * bool(parts)
        + " Printed results use ResNet-101 features; these are simulated." * dataset.simulated
    )


def _show_command(spec: RunSpec, predicted: PredictedRun, dataset: ZSLDataset) -> None:
    run = predicted.result
    st.code(spec.command(), language=None, wrap_lines=True)
    st.caption(
        f"{dataset.source} Data {spec.digest}, seed {spec.seed}, {run.seconds:.1f} s, "
        f"{run.created[:10]}."
    )
    make, with_folds = waiting.predictions_of(predicted)
    downloads.offer_predictions(make, f"run_{run.spec.key}")
    if run.gamma_origin == "validated" and not with_folds:
        st.caption(WITHOUT_FOLDS)
    downloads.offer_run(run, f"run_{run.spec.key}")


# --- Classes and confusion ------------------------------------------------------------------------


def _show_classes(
    scores: PredictedTest, gamma: float, class_names: Sequence[str], name: str
) -> None:
    """Show the accuracy of each class at gamma and at 0; ``name`` is part of the file name."""
    gammas = {"plain": 0.0} | ({"at_gamma": gamma} if gamma else {})
    table = confusion.per_class_table(scores, gammas, class_names)
    at = {"at_gamma": f"accuracy at γ = {three_digits(gamma)}"} if gamma else {}
    tables.show(
        table,
        f"classes_{name}",
        labels={
            "class": "class",
            "side": "side",
            "images": "test images",
            "plain": "accuracy at γ = 0",
            **at,
        },
        percent=["plain", *at],
        height="content" if len(table) <= LOW else 420,
    )


def _show_confusion(
    scores: PredictedTest, gamma: float, class_names: Sequence[str], name: str
) -> None:
    """Show the confusion of classes at a gamma; ``name`` is part of the file names."""
    st.caption(f"At γ = {three_digits(gamma)}.")
    min_images = controls.choose_number(
        "Minimum number of test images per class",
        1,
        1000,
        5,
        key="playground_confusion_least",
        width=220,
        help="In a class with two test images, one error lowers the accuracy by 50 points.",
    )
    if len(scores.seen) <= FEW:
        matrix = confusion.confusion(scores, gamma, class_names, min_images)
        chart(
            confusion_map(matrix, int(scores.seen.sum())),
            f"Share of the test images of {matrix.notna().any(axis=1).sum()} classes predicted as "
            f"each of {len(matrix)} classes.",
            key="playground_confusion",
        )
        st.caption(
            "Rows are true classes, and columns are predicted classes. Dashed lines separate "
            "seen from unseen classes. Rows of classes with fewer test images are empty."
        )
        downloads.offer_table(matrix, f"confusion_{name}", index=True)
    tables.show(
        confusion.most_confused(scores, gamma, class_names, min_images=min_images),
        f"confused_{name}",
        labels={
            "class": "true class",
            "side": "side",
            "predicted": "predicted",
            "predicted_side": "predicted side",
            "images": "images",
            "share": "share of the class",
        },
        percent=["share"],
        height=320,
    )
