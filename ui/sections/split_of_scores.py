"""Which split a score matrix belongs to, with links between scores and split."""

from __future__ import annotations

import streamlit as st

from ui import cache, site_map
from ui.visitors import available
from zslcore.scores.context import is_of
from zslcore.scores.matrix import JudgedScores

__all__ = ["show_split_of"]

#: Splits whose test images two files share, which scores cannot distinguish.
VERSIONS = {
    "PS": "Version 1 and version 2.0 of the proposed split have the same test images: scores "
    "cannot tell which of them the model was trained on."
}


def show_split_of(matrix: JudgedScores) -> None:
    """Say which published split scores are of, and lead to the review of that split."""
    if matrix.benchmark:
        said = f"of **{matrix.benchmark}, split {matrix.split}**. {VERSIONS.get(matrix.split, '')}"
        st.markdown(f"By the number of images of every class, these are the test images {said}")
    else:
        st.markdown("No known test set has as many images of every class.")
    of = _data_with(matrix)
    if of:
        name, split = of
        site_map.link(
            "drop",
            f"{name}, split {split}: is it clean?",
            icon=":material/policy:",
            query={"leakage_source": "a data set", "dataset": name, "split": split},
        )
    else:
        site_map.link(
            "drop",
            "Drop the split file too: H without leaked rows",
            icon=":material/policy:",
            query={"leakage_source": "files"},
        )


def _data_with(matrix: JudgedScores) -> tuple[str, str] | None:
    """Return a data set and a split that scores are of, if there is one here.

    Scores of a benchmark are of no simulated data, though some have as many images.
    """
    for name in available():
        stands_in = name.startswith("simulated-")
        if stands_in and (matrix.benchmark or name.endswith("-full")):
            continue
        if len(cache.class_names(name)) == len(matrix.seen):
            dataset = cache.dataset(name)
            for split in dataset.splits:
                if is_of(matrix, dataset, split):
                    return name, split
    return None
