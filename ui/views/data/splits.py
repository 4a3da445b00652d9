"""What is in this data set? Its split, classes, attributes and statistics, and an import."""

from __future__ import annotations

import streamlit as st

from ui import controls, data_menu
from ui.frame import Header, errors_as_sentences, show_tabs
from ui.sections import inventory
from ui.sections.bring import choose_imported, show_import


def show(header: Header) -> None:
    """Choose a data set and a split, and show them tab by tab."""
    choose_imported()
    with st.container(horizontal=True, vertical_alignment="bottom"), errors_as_sentences():
        dataset = data_menu.choose_dataset()
        split = controls.choose_split(dataset)
        header.mark(dataset)
    tabs = {
        "Split and folds": lambda: inventory.show_parts(dataset, split),
        "Images per class": lambda: inventory.show_counts(dataset, split),
        "Attributes": lambda: inventory.show_attributes(dataset, split),
        "Statistics": lambda: inventory.show_statistics(dataset),
        "Overlap": lambda: inventory.show_overlap(dataset, split),
        "Import": show_import,
    }
    show_tabs(tabs, key="data_tab")
