"""May this number be reported as zero-shot? Test classes against pre-training sets."""

from __future__ import annotations

import shlex

import streamlit as st

from ui import controls, data_menu
from ui.frame import Header, errors_as_sentences, show_tabs
from ui.sections.contamination import (
    Asked,
    show_answer,
    show_classes,
    show_extractors,
    show_map,
)
from ui.takeaway import show_command
from zslcore.exceptions import ParameterError
from zslcore.leakage import contamination
from zslcore.leakage.contamination import TestSet
from zslcore.texts import clean_text

OF_APP, OWN = "a data set of this app", "classes of my own"
#: Names that are compared while a visitor waits; the command takes any number.
MOST_NAMES = 300
EXAMPLE = "zebra\ngiant panda\nokapi"
TABS = {"Map": show_map, "Classes": show_classes, "Extractors": show_extractors}


def show(header: Header) -> None:
    """Choose features and test classes, and say whether they overlap."""
    with errors_as_sentences():
        with st.container(horizontal=True, vertical_alignment="bottom"):
            extractor = controls.choose(
                "Features of",
                list(contamination.extractors()),
                key="contamination_extractor",
                default="ResNet-101",
            )
            tested, words = _choose_classes(header)
        with st.spinner("Comparing names of classes…"):
            asked = Asked(tested, contamination.find_extractor(extractor))
            show_answer(asked)
    show_tabs(TABS, asked, key="contamination_tab")
    with st.expander("The command that says the same", icon=":material/terminal:"):
        asks = ["python", "-m", "zslcore", "contamination", *words, "--extractor", extractor]
        show_command(shlex.join(asks))


def _choose_classes(header: Header) -> tuple[TestSet, list[str]]:
    """Choose test classes: of the map, of a data set here, or the visitor's own."""
    on_map = [str(each) for each in contamination.test_sets()]
    chosen = controls.choose(
        "Tested on", [*on_map, OF_APP, OWN], key="contamination_on", default="AWA1 and AWA2, SS"
    )
    if chosen == OF_APP:
        dataset = data_menu.choose_dataset()
        header.mark(dataset)
        split = controls.choose_split(dataset)
        named = ["--dataset", dataset.name, "--split", split.name]
        return contamination.of_dataset(dataset, split), named
    if chosen == OWN:
        return _own_classes(), ["--classes", "FILE"]
    return contamination.find_test_set(chosen), ["--on", chosen]


def _own_classes() -> TestSet:
    """Read names of classes, one a line."""
    text = st.text_area(
        "Test classes, one a line",
        EXAMPLE,
        max_chars=20_000,
        key="contamination_classes",
        help="They are compared with every list of pre-training classes, and not stored.",
    )
    names = [name for line in text.splitlines() if (name := clean_text(line))]
    if len(names) > MOST_NAMES:
        raise ParameterError(
            f"Expected at most {MOST_NAMES} classes here; got {len(names):,}. The command "
            "zslcore contamination --classes FILE takes any number."
        )
    return contamination.own_test_set("my classes", names)
