"""One crop and ten: the calibration paper's table, and what one's own features reach with either.

A tab of Compare methods.
"""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from ui import controls, tables
from ui.sections.compare import Comparison
from ui.text import plain
from zslcore.analysis.crops import FIGURES, crop_pairs, crops_of, measured_crops, printed_crops

__all__ = ["show_crops"]

WORDS = {name.replace("gamma", "γ"): name for name in FIGURES}
BENCHMARKS = ("CUB", "AWA2")
HEADINGS = {
    "printed 1 per class": "printed, 1 crop",
    "printed 10 per class": "printed, 10 crops",
    "printed 10 per sample": "10 crops, per sample",
}
COMMANDS = """\
zslcore extract IMAGES --encoder resnet101 --crops 1 --attributes FILE --unseen NAMES --name one
zslcore extract IMAGES --encoder resnet101 --crops 10 --attributes FILE --unseen NAMES --name ten\
"""


def show_crops(comparison: Comparison) -> None:
    """Show the published results of one crop and of ten, and those of two imported data sets.

    Parameters
    ----------
    comparison : Comparison
    """
    pairs = {f"{one} and {ten}": (one, ten) for one, ten in crop_pairs(comparison.datasets)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        benchmark = controls.choose("Printed for", BENCHMARKS, key="compare_crops_of", width=150)
        figure = WORDS[
            controls.choose("Metric shown", list(WORDS), key="compare_crops_figure", width=150)
        ]
        pair = pairs and pairs[controls.choose("Ours", list(pairs), key="compare_crops")]
    table = printed_crops(benchmark, figure).set_index("method").add_prefix("printed ")
    ours = pd.DataFrame()
    headings: dict[str, str] = {}
    if pair:
        ours, headings = _of_runs(comparison, pair, figure)
    table = ours.join(table, how="outer") if len(ours) else table
    _show(table.reset_index(), HEADINGS | headings)
    _show_how_to_make(comparison, figure, pair=bool(pair), made=bool(len(ours)))


def _of_runs(
    comparison: Comparison, pair: tuple[str, str], figure: str
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the figures of runs on the first split by method, and the headings of columns."""
    spec = replace(comparison.spec, task=FIGURES[figure], splits=comparison.spec.splits[:1])
    found = {}
    for name in pair:
        made = crops_of(comparison.datasets[name])
        assert made is not None  # or they were no pair
        keys = [run.key for run in spec.runs_on(comparison.datasets[name])]
        found[made[1]] = [comparison.stored[key] for key in keys if key in comparison.stored]
    table = measured_crops(found, figure).set_index("method")
    headings = {
        f"{crops} per {mean}": f"{plain(name)}, {crops} crop{'s' * (crops > 1)}, per {mean}"
        for crops, name in zip(found, pair, strict=True)
        for mean in ("class", "sample")
    }
    few, many = (f"{crops} per class" for crops in found)
    if {few, many} <= set(table):
        table["gain"] = table[many] - table[few]
    return table, headings


def _show(table: pd.DataFrame, headings: dict[str, str]) -> None:
    labels = {"method": "method"} | {c: headings[c] for c in headings if c in table}
    shares = list(labels)[1:]
    if "gain" in table:
        labels["gain"] = "gain of ours, per class"
    points = ["gain"] if "gain" in table else []
    tables.show(table, "crops", labels=labels, percent=shares, points=points, height="content")


def _show_how_to_make(comparison: Comparison, figure: str, *, pair: bool, made: bool) -> None:
    """Say what the figures are, and how what is missing is made."""
    st.caption(
        "Printed: Le Cacheux et al. 2019, split PS, ResNet features; one crop from tables 1 and 2, "
        "per class; ten crops from table 3. H is with parameters and γ tuned for GZSL. Per class: "
        "the mean over classes; per sample: over images."
    )
    if not pair:
        st.info(
            "None of the data sets above differ in their crops alone. Make two of the same images, "
            "then choose both above.",
            icon=":material/info:",
        )
        st.code(COMMANDS, language=None, wrap_lines=True)
    elif not made:
        task = FIGURES[figure].upper()
        st.info(
            f"No run on these two yet. Choose “Parameters for: {task}” above and run what is "
            "missing.",
            icon=":material/info:",
        )
