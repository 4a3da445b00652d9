"""Is AWA2 a fair replacement for AWA1?"""

import streamlit as st

from ui import cache, controls, planted, terms
from ui.frame import errors_as_sentences, open_page
from ui.maps.hubs import show_prototypes
from ui.maps.quality import show_quality
from ui.maps.view import show_map
from ui.sections.cross import show_accuracy, show_images
from ui.visitors import available
from zslcore.analysis.maps import match_classes

NOTHING = "nothing else"

header = open_page(
    "AWA1 and AWA2", "Is AWA2 a fair replacement for AWA1?", icon=":material/compare:"
)

with st.container(horizontal=True, vertical_alignment="bottom"), errors_as_sentences():
    names = available()
    first = controls.choose("Data set", names, key="awa1_first", default="simulated-AWA1")
    others = [NOTHING, *(name for name in names if name != first)]
    other = controls.choose("Compared with", others, key="awa1_second", default="simulated-AWA2")
    chosen = planted.choose(first) if other == NOTHING else planted.choose(first, other)
    datasets = tuple(map(cache.dataset, chosen))
    first = datasets[0]
    splits = [name for name in first.splits if all(name in each.splits for each in datasets)]
    split = controls.choose("Split", splits, key="split", default="PS")
    header.mark(*sorted(datasets, key=lambda data: not data.simulated))
    if len(datasets) == 2:
        match_classes(*datasets)

if len(datasets) == 2 and (told := planted.about_shift(*datasets)):
    st.caption(told)

mapped, images, quality, prototypes, accuracy = terms.tabs(
    ["Map", "Images per class", "Quality", "Prototypes and hubs", "Cross-data-set accuracy"],
    key="awa1_tab",
    bind="query-params",
)


def show_pair(show) -> None:
    """Show what needs two data sets."""
    if len(datasets) == 2:
        show(*datasets, split)
    else:
        st.info("This compares two data sets; choose a second one.", icon=":material/compare:")


for tab, show in (
    (mapped, lambda: show_map(datasets, split)),
    (images, lambda: show_pair(show_images)),
    (quality, lambda: show_quality(datasets)),
    (prototypes, lambda: show_prototypes(datasets, split)),
    (accuracy, lambda: show_pair(show_accuracy)),
):
    if tab.open:
        with tab, errors_as_sentences():
            show()
