"""Layouts of files that are read, with examples, for visitors with a refused file."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping

import numpy as np
import streamlit as st

from ui.state import cache
from ui.takeaway.downloads import download
from zslcore.evaluation.protocol import fit_and_score
from zslcore.methods import get_method

SCORES, SPLIT = "score file", "split file"
#: Kind of file -> its arrays and their contents.
ARRAYS: Mapping[str, Mapping[str, str]] = {
    SCORES: {
        "scores": "one row per test image, one column per class, seen and unseen",
        "y": "number of the true class of each image, from 0, in the order of the columns",
        "unseen_classes": "numbers of the unseen classes; not needed for AWA, CUB, SUN and aPY",
    },
    SPLIT: {
        "trainval": "row numbers of the training images, from 0",
        "test_seen": "row numbers of the test images of seen classes",
        "test_unseen": "row numbers of the test images of unseen classes",
        "labels": "number of the class of each row; optional, as are features and class_names",
    },
}
#: Kind of file -> other layouts of it.
OTHERS = {
    SCORES: "Also read: CSV, Parquet, MATLAB or HDF5 with these names; one file for each; a CSV "
    "with y_true and y_pred. The guide *Your scores* lists all layouts (docs/guide/scores.md).",
    SPLIT: "Also read: att_splits.mat (rows from 1) and JSON with these names; text files with "
    "one class or image per line for each side. The guide *Audit a split* lists all layouts "
    "(docs/guide/audit.md).",
}


def show_layouts(*kinds: str) -> None:
    """Show the arrays of each kind of file, and offer an example of it."""
    for column, kind in zip(st.columns(len(kinds), gap="medium"), kinds, strict=True):
        name = f"example_{kind.replace(' ', '_')}.npz"
        arrays = "\n".join(f"- `{array}`: {text}" for array, text in ARRAYS[kind].items())
        with column.container(border=True, height="stretch"):
            st.markdown(f"**Layout of a {kind}**\n\n{arrays}")
            st.caption(OTHERS[kind])
            download(f"Download {name}", EXAMPLES[kind], name, type="secondary")


def _example_scores() -> bytes:
    digits = cache.dataset("digits")
    scored = fit_and_score(get_method("ESZSL")(), digits, digits.split("PS"))
    return _npz(scores=scored.F, y=scored.y, unseen_classes=np.flatnonzero(~scored.seen))


def _example_split() -> bytes:
    digits = cache.dataset("digits")
    parts = {part: getattr(digits.split("PS"), part) for part in [*ARRAYS[SPLIT]][:3]}
    return _npz(**parts, labels=digits.labels)


def _npz(**arrays: np.ndarray) -> bytes:
    with io.BytesIO() as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]  # numpy's stub has allow_pickle as keyword
        return file.getvalue()


#: Kind of file -> function that makes an example.
EXAMPLES: Mapping[str, Callable[[], bytes]] = {SCORES: _example_scores, SPLIT: _example_split}
