"""Which split a score matrix belongs to, with links between scores and split."""

from __future__ import annotations

import numpy as np
import streamlit as st

from ui import cache, scores, site_map
from ui.text import plain
from ui.visitors import available
from zslcore.leakage import AuditContext
from zslcore.scores.context import are_test_images, is_of
from zslcore.scores.matrix import JudgedScores

__all__ = ["show_own_scores", "show_split_of"]

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
            "review",
            f"Review of {name}, split {split}: can it be trusted?",
            icon=":material/policy:",
            query={"leakage_source": "a data set", "dataset": name, "split": split},
        )
    else:
        site_map.link(
            "review",
            "Review the split file that these scores were made with",
            icon=":material/policy:",
            query={"leakage_source": "a file of my own"},
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


def show_own_scores(split: AuditContext) -> None:
    """Say of the scores that the visitor has brought whether they are of a split under review."""
    brought = scores.named()
    if not brought:
        return
    if split.labels is None:
        st.caption(
            "Whether your scores are of this split, labels would tell: upload a second file with "
            "labels, such as res101.mat."
        )
        return
    for name, each in brought.items():
        st.markdown(f":material/grid_on: {plain(name)}: {_said(each.matrix, split)}")
    site_map.link("scores", "Your scores", icon=":material/grid_on:")


def _said(matrix: JudgedScores, split: AuditContext) -> str:
    labels = split.known_labels
    seen, unseen = (labels[split.rows(part)] for part in ("test_seen", "test_unseen"))
    n_classes = len(split.class_names) or int(labels.max()) + 1
    if are_test_images(matrix, seen, unseen, np.unique(unseen), n_classes):
        return "by the number of images of every class, **of the test images of this split**."
    known = f", those of {matrix.benchmark}, split {matrix.split}" if matrix.benchmark else ""
    return (
        f"not of this split, which has {len(seen) + len(unseen):,} test images of {n_classes} "
        f"classes; these are {len(matrix.y):,} of {len(matrix.seen)}{known}."
    )
