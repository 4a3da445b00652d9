"""Is AWA2 a fair replacement for AWA1? One map of both, its quality, and crossed accuracies."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from ui import cache, controls, planted
from ui.frame import Header, errors_as_sentences, show_tabs
from ui.maps.hubs import show_prototypes
from ui.maps.quality import show_quality
from ui.maps.view import show_map
from ui.sections.cross import show_accuracy, show_images
from ui.visitors import available
from zslcore.analysis.maps import match_classes
from zslcore.datasets import ZSLDataset

NOTHING = "nothing else"
#: How to read a map of two data sets.
LOOK_FOR = (
    "On the map, both colours mix where the data sets agree; an island of one colour is a class "
    "that they show differently."
)


def show(header: Header) -> None:
    """Choose one or two data sets and show them tab by tab."""
    with st.container(horizontal=True, vertical_alignment="bottom"), errors_as_sentences():
        datasets = _choose_datasets()
        splits = [name for name in datasets[0].splits if all(name in d.splits for d in datasets)]
        split = controls.choose("Split", splits, key="split", default="PS")
        header.mark(*sorted(datasets, key=lambda data: not data.simulated))
        if len(datasets) == 2:
            match_classes(*datasets)
    if len(datasets) == 2:
        st.caption(f"{planted.about_shift(*datasets)} {LOOK_FOR}".strip())
    tabs = {
        "Map": lambda: show_map(datasets, split),
        "Images per class": lambda: _show_pair(show_images, datasets, split),
        "Quality": lambda: show_quality(datasets),
        "Prototypes and hubs": lambda: show_prototypes(datasets, split),
        "Cross-data-set accuracy": lambda: _show_pair(show_accuracy, datasets, split),
    }
    show_tabs(tabs, key="awa1_tab")


def _choose_datasets() -> tuple[ZSLDataset, ...]:
    names = available()
    first = controls.choose("Data set", names, key="awa1_first", default="simulated-AWA1")
    others = [NOTHING, *(name for name in names if name != first)]
    other = controls.choose("Compared with", others, key="awa1_second", default="simulated-AWA2")
    chosen = planted.choose(first) if other == NOTHING else planted.choose(first, other)
    return tuple(map(cache.dataset, chosen))


def _show_pair(
    show_both: Callable[[ZSLDataset, ZSLDataset, str], None],
    datasets: tuple[ZSLDataset, ...],
    split: str,
) -> None:
    """Show what needs two data sets."""
    if len(datasets) == 2:
        show_both(*datasets, split)
    else:
        st.info("This compares two data sets; choose a second one.", icon=":material/compare:")
