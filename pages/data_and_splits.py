"""What is in this data set?"""

import streamlit as st

from ui import controls, terms
from ui.frame import errors_as_sentences, open_page
from ui.sections import inventory
from ui.sections.bring import show_import

header = open_page("Data and splits", "What is in this data set?", icon=":material/dataset:")

with st.container(horizontal=True, vertical_alignment="bottom"), errors_as_sentences():
    dataset = controls.choose_dataset()
    split = controls.choose_split(dataset)
    header.mark(dataset)

parts, counts, attributes, statistics, overlap, own = terms.tabs(
    ["Split and folds", "Images per class", "Attributes", "Statistics", "Overlap", "Your own"],
    key="data_tab",
    bind="query-params",
)
for tab, show in (
    (parts, lambda: inventory.show_parts(dataset, split)),
    (counts, lambda: inventory.show_counts(dataset, split)),
    (attributes, lambda: inventory.show_attributes(dataset, split)),
    (statistics, lambda: inventory.show_statistics(dataset)),
    (overlap, lambda: inventory.show_overlap(dataset, split)),
    (own, show_import),
):
    if tab.open:
        with tab, errors_as_sentences():
            show()
