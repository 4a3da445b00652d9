"""What is in this data set?"""

import streamlit as st

from ui import controls
from ui.frame import errors_as_sentences, open_page
from ui.sections import inventory
from ui.sections.bring import show_import

header = open_page("Data and splits", "What is in this data set?", icon=":material/dataset:")

with st.container(horizontal=True, vertical_alignment="bottom"), errors_as_sentences():
    dataset = controls.choose_dataset()
    split = controls.choose_split(dataset)
    header.mark(dataset)

statistics, counts, attributes, parts, overlap, own = st.tabs(
    ["Statistics", "Images per class", "Attributes", "Split and folds", "Overlap", "Your own"],
    key="data_tab",
    bind="query-params",
)
for tab, show in (
    (statistics, lambda: inventory.show_statistics(dataset)),
    (counts, lambda: inventory.show_counts(dataset, split)),
    (attributes, lambda: inventory.show_attributes(dataset, split)),
    (parts, lambda: inventory.show_parts(dataset, split)),
    (overlap, lambda: inventory.show_overlap(dataset, split)),
    (own, show_import),
):
    if tab.open:
        with tab, errors_as_sentences():
            show()
