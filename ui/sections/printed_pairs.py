"""Printed accuracies on AWA1 and AWA2: an answer, the pairs, and the images per class."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ui.figures.cross import CROSS_LABELS, difference_strips, image_counts
from ui.figures.palette import narrow
from ui.shell.frame import chart
from ui.shell.numbers import in_points
from ui.shell.text import plain
from zslcore.analysis import cross_dataset
from zslcore.analysis.dataset_summary import awa_image_counts
from zslcore.analysis.maps.quality import ALPHA
from zslcore.metrics.significance import PairedTest

#: Question of the paired tests -> label of its line.
QUESTIONS = {name: label.replace(" ", "<br>", 1) for name, label in CROSS_LABELS.items()}


def answer_from_pairs() -> tuple[str, str]:
    """Return an answer from the 24 pairs of the benchmark paper: a sentence and its evidence."""
    changes, tests = _printed_changes()
    training, test = tests["training set"], tests["test set"]
    largest = changes.loc[changes["question"] == "training set", "difference"].abs().max()
    most = in_points(largest).removeprefix("+")
    headline = (
        "Nearly: training on AWA2 instead of AWA1 changes accuracy by "
        f"{in_points(training.mean_difference)}{_significance(training.p)}, testing by "
        f"{in_points(test.mean_difference)}{_significance(test.p)}."
    )
    return headline, (
        f"Means of {test.pairs} printed pairs (Xian et al. 2019); training on AWA2 changes "
        f"individual accuracies by up to {most}."
    )


def _significance(p: float) -> str:
    return " (not significant)" if p >= ALPHA else " (significant)"


def _printed_changes() -> tuple[pd.DataFrame, dict[str, PairedTest]]:
    """Return the printed differences, AWA2 minus AWA1, and their tests."""
    table, pair = cross_dataset.printed_table(), ("AWA2", "AWA1")
    changes = cross_dataset.paired_differences(table, *pair)
    return changes, cross_dataset.cross_tests(table, *pair)


def show_printed_pairs() -> None:
    """Draw the printed differences by training set and by test set; explain the printed p-value."""
    changes, tests = _printed_changes()
    drawn = changes[changes["question"].isin(list(QUESTIONS))]
    shown = {question: tests[question] for question in QUESTIONS}
    chart(
        difference_strips(
            drawn,
            shown,
            QUESTIONS,
            title="printed accuracy, AWA2 minus AWA1",
            row=70 if narrow() else 138,
        ),
        f"Differences of {tests['training set'].pairs} pairs of printed accuracies, in points, "
        "AWA2 minus AWA1. "
        f"{' '.join(test.sentence for test in shown.values())}",
        key="awa1_printed_pairs",
        table=lambda: changes,
    )
    with st.container(key="awa1_printed_p"):  # on a phone, below the map
        finding, _, source_of_p = cross_dataset.explain_claim(tests).partition(". ")
        st.markdown(f"**{plain(finding.removesuffix('.'))}.**")
        st.caption(
            f"{plain(source_of_p)} A different training set changes individual accuracies more, up "
            f"or down, than a different test set (p = {tests['larger'].p:.2g}); the changes cancel "
            "in the mean.",
            help=f"{plain(cross_dataset.PRINTED_CLAIM.source)} `zslcore reproduce gbu:table4` "
            "computes the same pairs on imported data.",
        )


def show_image_counts() -> None:
    """Draw the images per class of the real AWA1 and AWA2, as in the benchmark paper's figure 2."""
    table = awa_image_counts()
    totals = table[["AWA1", "AWA2"]].sum()
    spread = {name: table[name].std(ddof=0) / table[name].mean() for name in totals.index}
    st.subheader("Images per class", anchor=False)
    st.caption(
        "The figure counts the released labels, as the left half of the benchmark paper's figure "
        f"2 does: {totals['AWA1']:,} images of AWA1, {totals['AWA2']:,} of AWA2. AWA2 is less "
        f"balanced: the standard deviation of its images per class is {spread['AWA2']:.2f} of the "
        f"mean, against {spread['AWA1']:.2f} for AWA1."
    )
    chart(
        image_counts(table),
        f"Images per class of AWA1 and AWA2; AWA2 has from {table['AWA2'].min():,} to "
        f"{table['AWA2'].max():,} ({plain(str(table['class'].iloc[0]))}).",
        key="awa1_images_per_class",
        table=lambda: table,
    )
