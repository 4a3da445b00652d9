"""A data set: images per class of a split, statistics, and attributes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from ui.components import window
from ui.figures.images import mosaic
from ui.figures.splits import attribute_map, split_map
from ui.maps import simulated_effects
from ui.sections.your_data import show_your_data
from ui.shell.folds import fold
from ui.shell.frame import Header, chart, place_answer
from ui.shell.guard import fragment
from ui.shell.text import PART_LABELS, plain
from ui.state import controls, data_menu
from ui.takeaway import downloads, tables
from zslcore.analysis import dataset_summary
from zslcore.datasets import Split, ZSLDataset, imports
from zslcore.datasets.facts import (
    benchmark_of,
    class_attributes,
    class_facts,
    published_table,
    row_facts,
    title,
)
from zslcore.datasets.imports import pretraining_of
from zslcore.leakage.contamination import titles_of_sets

#: Option on screen -> order of classes.
CLASS_ORDERS: dict[str, dataset_summary.ClassOrder] = {
    "as in the file": "given",
    "by name": "name",
    "similar together": "similar",
}
ATTRIBUTE_ORDERS: dict[str, dataset_summary.AttributeOrder] = {
    **CLASS_ORDERS,
    "most discriminative first": "telling",
}
#: Maximum number of classes with sample images above their bars.
MOST_SAMPLED = 20
SPLIT_TITLES = {
    "PS": "Proposed split (PS)",
    "SS": "Standard split (SS)",
    "own": "Imported split (own)",
}
PARTS = PART_LABELS | {"several": "in several", "none": "in none"}


def show(header: Header) -> None:
    """Choose a data set and a split; show its picture, and further contents when opened.

    For an import, the verdict is above the picture and the results are below it.
    """
    answer = place_answer()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dataset = data_menu.choose_dataset()
        split = controls.choose_split(dataset)
        header.mark(dataset)
    answer.say(*_counts(dataset, split))
    show_picture = partial(_show_split, dataset, split)
    if dataset.name in imports.names():
        show_your_data(dataset, split, show_picture)
    else:
        show_picture()
    show_attributes = partial(_show_attributes, dataset, split)
    fold("Attributes", show_attributes, key="data_embeddings", in_address=True)
    show_source = partial(_show_source, dataset, split)
    fold("Source and statistics", show_source, key="data_source", in_address=True)


def _show_split(dataset: ZSLDataset, split: Split) -> None:
    """Draw the images of each class by part, and the folds."""
    table = dataset_summary.sort_classes(dataset_summary.class_table(dataset, split), "by role")
    folds = dataset_summary.fold_roles(dataset, split).iloc[table.index]
    chart(
        split_map(table, folds, _samples(dataset, list(table.index))),
        alt=f"Images of every class by their part in the split {split.name}, and the training and "
        f"validation classes of {folds.shape[1]} folds.",
        key="data_split",
        table=lambda: table.join(folds.reset_index(drop=True)).rename(columns=PARTS),
    )
    leaked = int(table["several"].sum())
    if leaked:
        st.warning(
            f"{leaked:,} images are in more than one part: results on this split cannot be "
            "trusted.",
            icon=":material/warning:",
        )
    st.caption(
        f"{plain(split.note)} Parameters are chosen on the folds, without test images: a method "
        "is trained on the grey classes of a fold and evaluated on its "
        f":green[■]\u00a0validation classes.{_left_over(folds)}{_held_out(dataset, split)}"
    )
    if split.name.startswith("PS"):
        _show_photographs(benchmark_of(dataset))


def _samples(dataset: ZSLDataset, classes: Sequence[int]) -> Sequence[str]:
    """Return, for each class, a mosaic of its first six images; empty if they would not fit."""
    if dataset.images is None or len(classes) > MOST_SAMPLED:
        return ()
    first_six = [np.flatnonzero(dataset.labels == c)[:6] for c in classes]
    return [mosaic(dataset.images[rows], 2 if window.is_narrow() else 3) for rows in first_six]


def _counts(dataset: ZSLDataset, split: Split) -> tuple[str, str]:
    """Return the counts of the data set, and the counts of its training and test images."""
    seen, unseen = len(split.seen_classes), len(split.unseen_classes)
    other = "other " * (not np.intersect1d(split.trainval, split.test_seen).size)
    of_seen = f"{len(split.test_seen):,} {other}images of these classes and on "
    of_seen *= bool(len(split.test_seen))
    return (
        f"{plain(title(dataset.name))}: {len(dataset.labels):,} images, {dataset.n_classes} "
        "classes, "
        f"each class described by {dataset.prototypes.shape[1]} attributes.",
        f"{SPLIT_TITLES.get(split.name, f'Split {plain(split.name)}')}: trains on "
        f"{len(split.trainval):,} images of {seen}\u00a0seen\u00a0classes; tests on {of_seen}"
        f"{len(split.test_unseen):,} images of {unseen}\u00a0unseen\u00a0classes.",
    )


def _held_out(dataset: ZSLDataset, split: Split) -> str:
    """Return a sentence on the seen validation images of the first fold."""
    images = dataset_summary.part_sizes(dataset.labels, split).set_index("part")["images"]
    if not images.get("seen validation"):
        return ""
    return (
        f" Fold 1 trains on {images['training']:,} images; γ is chosen on "
        f"{images['seen validation']:,} held-out images of the same classes and on the "
        f"{images['validation']:,} images of the validation classes."
    )


def _left_over(folds: pd.DataFrame) -> str:
    """Return a sentence on the training classes that no fold has as validation classes."""
    validated = folds.isin(["val", "both"]).any(axis=1)
    names = folds.index[folds.isin(["train"]).any(axis=1) & ~validated]
    if names.empty or not validated.any():
        return ""
    unused = plain(str(names[0])) if len(names) == 1 else f"{len(names)} of the classes"
    return f" No fold validates on {unused}."


def _show_photographs(benchmark: str | None) -> None:
    """Report how many test images share a photograph with a training image, in the real split."""
    shared = row_facts(benchmark).shared.get("PS 2.0") if benchmark else None
    if benchmark is None or not shared:
        return
    printed = published_table("dataset_statistics").set_index("dataset")
    counts = [
        f"{n:,} of {int(printed[f'ps_{part}_images'][benchmark]):,} "
        f"{part.removeprefix('test_')} test images"
        for part, n in shared.items()
    ]
    st.caption(
        f"The images of {benchmark} are boxes cut from {row_facts(benchmark).n_photographs:,} "
        "photographs, and the proposed split assigns single boxes, not whole photographs, to "
        f"its parts. In the real {benchmark}, {' and '.join(counts)} share a photograph with a "
        "training image."
    )


def _show_source(dataset: ZSLDataset, split: Split) -> None:
    """Show the origin of the data set, notes on its other splits, and published statistics."""
    declared = pretraining_of(dataset)
    trained = "no images" if declared == ("none",) else titles_of_sets(declared) or "unknown data"
    st.markdown(
        f"**Where it comes from.** {plain(dataset.source)} Extractor trained on {plain(trained)}; "
        f"data {dataset.digest}."
    )
    for part in dataset.splits.values():
        if part.note and part.name != split.name:
            st.markdown(f"**{plain(part.name)}.** {plain(part.note)}")
    benchmark = benchmark_of(dataset)
    if benchmark is None:
        return
    if dataset.simulated:
        attributes = " Attributes are simulated too." * (class_attributes(benchmark) is None)
        st.caption(
            f"{simulated_effects.about_effects(dataset)}{attributes} This demo contains only part "
            f"of the images of {benchmark}; `simulated-{benchmark}-full` contains all."
        )
    notes = class_facts(benchmark).notes
    st.caption(f"Images: {notes['images']} ImageNet-1K: {notes['imagenet1k']}")
    statistics = dataset_summary.statistics(dataset)
    tables.show(
        statistics,
        f"{dataset.name}-statistics",
        labels={name: name for name in map(str, statistics)} | {"quantity": "statistic"},
        percent=["deviation"],
        height="content",
    )


@fragment
def _show_attributes(dataset: ZSLDataset, split: Split) -> None:
    """Draw the class embeddings after search and sorting."""
    n = dataset.prototypes.shape[1]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        of_classes = controls.choose_option(
            "Order of classes", list(CLASS_ORDERS), key="data_class_order"
        )
        of_attributes = controls.choose_option(
            "Order of attributes", list(ATTRIBUTE_ORDERS), key="data_attribute_order"
        )
        classes = st.text_input(
            "Find classes", key="data_classes", bind="query-params", placeholder="bear, whale"
        )
        words = st.text_input(
            "Find attributes", key="data_attributes", bind="query-params", placeholder="stripes"
        )
        most = controls.choose_number(
            "Attributes shown", 1, n, min(n, 40), key="data_most", width=150
        )
    table = dataset_summary.attribute_table(
        dataset,
        classes=CLASS_ORDERS[of_classes],
        attributes=ATTRIBUTE_ORDERS[of_attributes],
        only_classes=classes,
        only_attributes=words,
        max_attributes=most,
    )
    if table.empty:
        st.info("No class or attribute name contains these words.", icon=":material/search_off:")
        return
    by_class = dataset_summary.class_table(dataset, split).set_index("class")
    with st.container(height=600 if len(table) > 26 else "content", border=False):
        chart(
            attribute_map(table, by_class["role"][table.index].tolist()),
            alt=f"Heat map of {table.shape[0]} classes and {table.shape[1]} attributes.",
            key="data_map",
        )
    st.caption(
        f"{table.shape[0]} of {dataset.n_classes} classes, {table.shape[1]} of {n} attributes"
        f"{', those that differ most between classes' if most < n else ''}. ● seen, "
        "◆ unseen. This row is the only information that a method has about an unseen class."
    )
    downloads.offer_table(table, f"{dataset.name}-attributes", index=True)
