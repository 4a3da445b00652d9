"""Which classes are taken for which: the picture where it can be read, and the table."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from ui import controls, tables
from ui.figures.accuracy import confusion_map
from ui.frame import chart
from zslcore.analysis import mistakes
from zslcore.evaluation.protocol import AnsweredTest
from zslcore.scores.protocols import WORDS, Words

__all__ = ["show_confusion"]

FEW = 60  # classes up to which a confusion matrix can be read


def show_confusion(
    scores: AnsweredTest,
    gamma: float,
    class_names: Sequence[str],
    name: str,
    *,
    key: str,
    words: Words = WORDS["seen-unseen"],
) -> None:
    """Show which classes are answered with which at a gamma.

    Parameters
    ----------
    scores : AnsweredTest
    gamma : float
    class_names : one name per row of the data set's prototypes
    name : of the files to take away, after "confusion" and "confused"
    key : of the picture
    words : what the two sides are called
    """
    least = st.number_input(
        "Fewest test images of a class",
        1,
        1000,
        5,
        key=f"{key}_least",
        bind=controls.bind_number(f"{key}_least"),
        width=220,
        help="Of a class with two test images, one wrong answer is already a half.",
    )
    if len(scores.seen) <= FEW:
        matrix = mistakes.confusion(scores, gamma, class_names, least)
        chart(
            confusion_map(matrix, int(scores.seen.sum())),
            f"Share of the test images of {matrix.notna().any(axis=1).sum()} classes answered "
            f"with each of {len(matrix)} classes.",
            key=key,
        )
        st.caption(
            "A row is a true class, a column an answer. The dashed lines separate "
            f"{words.seen} classes from {words.unseen} ones. Rows of classes with fewer test "
            "images are empty."
        )
        tables.download(matrix, f"confusion_{name}", index=True)
    _show_table(mistakes.most_confused(scores, gamma, class_names, least=least), name, words)


def _show_table(table: pd.DataFrame, name: str, words: Words) -> None:
    for column in ("side", "answered_side"):
        table[column] = table[column].map(words.said)
    tables.show(
        table,
        f"confused_{name}",
        labels={
            "class": "true class",
            "side": "side",
            "answered": "answer",
            "answered_side": "side of the answer",
            "images": "images",
            "share": "share of the class",
        },
        percent=["share"],
        height=320,
    )
