"""Declarations on a split: pre-training set and its classes, origin of choices, photographs."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from ui.state import controls
from zslcore.leakage import DeclaredProvenance, Vocabulary, get_vocabulary
from zslcore.leakage.contamination import titles_of_sets
from zslcore.leakage.vocabularies import USUAL

#: First option of the menu of pre-training sets: as the data set declares, else the usual one.
AS_DECLARED = f"as declared, else {titles_of_sets([USUAL])}"
CHOSEN_ON = ["unknown", "validation", "given", "test", "none"]
#: Declaration -> label and options of its menu.
_CHOICES = {
    "hyperparameters": ("Hyperparameters were chosen on", CHOSEN_ON),
    "epochs": ("Epochs were chosen on", CHOSEN_ON),
    "gamma": ("γ was chosen on", CHOSEN_ON),
    "prototypes": ("Class embeddings were made from", ["unknown", "independent", "test images"]),
}
#: Session key: whether the menu of declarations was opened, or the address has a declaration.
_MENU_OPENED = "leakage_declared"
#: Methods fitted on request to measure the gain of overlapping classes.
MEASURED = ("LinearS2V", "LinearV2S", "ESZSL")


@dataclass(frozen=True, slots=True)
class Declared:
    """Declarations on a split.

    ``class_list`` is a file with the classes of a pre-training set, ``groups`` a file with the
    photograph of each row.
    """

    provenance: DeclaredProvenance
    class_list: UploadedFile | None = None
    groups: UploadedFile | None = None
    pattern: str = ""
    measure: bool = False

    @property
    def key(self) -> str:
        """Key of the declared photographs; empty without any."""
        if self.groups is None and not self.pattern:
            return ""
        return f" {self.groups.file_id if self.groups else ''} {self.pattern}"


def declare(*, measurable: bool) -> Declared:
    """Show the menu of declarations; return its values.

    Once the menu was opened or the address contains a declaration, every run draws the controls, so
    that they keep their values.
    """
    menu = st.popover(
        "More",
        icon=":material/more_horiz:",
        key="leakage_more",
        on_change="rerun",
        help="Declare how results were produced and chosen",
    )
    stated = any(f"leakage_{name}" in st.query_params for name in (*_CHOICES, "pattern", "measure"))
    if menu.open or stated:
        st.session_state[_MENU_OPENED] = True
    if not st.session_state.get(_MENU_OPENED):
        return Declared(DeclaredProvenance())
    with menu:
        chosen = {
            field: controls.choose_option(label, options, key=f"leakage_{field}")
            for field, (label, options) in _CHOICES.items()
        }
        upload = st.file_uploader(
            "Your own list of pre-training classes, one per line", key="leakage_list"
        )
        groups = st.file_uploader(
            "Photograph or video of each row (names, one per line, or a CSV file)",
            key="leakage_groups",
        )
        pattern = st.text_input(
            "Regular expression that extracts the photograph",
            key="leakage_pattern",
            bind="query-params",
            placeholder="(.*)_aug[0-9]+",
            help="Images whose file names have the same text in the first group count as one "
            "photograph, such as frames of a video or edited copies of an image.",
        )
        measure = measurable and st.toggle(
            f"Measure the effect with {', '.join(MEASURED)}",
            key="leakage_measure",
            bind="query-params",
            help="Stored runs on this split are always used.",
        )
    return Declared(DeclaredProvenance(**chosen), upload, groups, pattern, measure)


def choose_pretraining() -> list[Vocabulary]:
    """Choose the pre-training set of the extractor; empty for :data:`AS_DECLARED`."""
    chosen = controls.choose_corpus(
        key="drop_pretraining",
        default=AS_DECLARED,
        width=250,
        help="Test classes in the pre-training set are not unseen.",
    )
    return [] if chosen == AS_DECLARED else [get_vocabulary(chosen)]
