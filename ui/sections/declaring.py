"""What a visitor declares about a split: choices, lists, photographs."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from ui import controls, uploads
from zslcore.leakage import Provenance

__all__ = ["MEASURED", "Declared", "declare"]

CHOSEN_ON = ["unknown", "validation", "given", "test", "none"]
#: Fitted on request to measure what overlapping classes gain.
MEASURED = ("LinearS2V", "LinearV2S", "ESZSL")


@dataclass(frozen=True, slots=True)
class Declared:
    """What the visitor says about a split; ``groups`` and ``own`` are uploaded files."""

    provenance: Provenance
    own: UploadedFile | None
    groups: UploadedFile | None
    pattern: str
    measure: bool

    @property
    def key(self) -> str:
        """Names what identifies photographs, where the visitor says it."""
        if self.groups is None and not self.pattern:
            return ""
        return f" {self.groups.file_id if self.groups else ''} {self.pattern}"


def declare(*, measurable: bool) -> Declared:
    """Read what the author declares, lists, and whether the effect is to be measured."""
    with st.popover("More", icon=":material/more_horiz:", help="How results were made and chosen"):
        provenance = _declare_provenance()
        own, groups, pattern = _declare_files()
        measure = measurable and st.toggle(
            f"Measure the effect with {', '.join(MEASURED)}",
            key="leakage_measure",
            bind="query-params",
            help="Stored runs on this split count in any case.",
        )
    return Declared(provenance, own, groups, pattern, measure)


def _declare_provenance() -> Provenance:
    chosen = {
        what: controls.choose(label, CHOSEN_ON, key=f"leakage_{what}")
        for what, label in (
            ("hyperparameters", "Hyper-parameters were chosen on"),
            ("epochs", "Epochs were chosen on"),
            ("gamma", "Gamma was chosen on"),
        )
    }
    chosen["prototypes"] = controls.choose(
        "Prototypes were made from",
        ["unknown", "independent", "test images"],
        key="leakage_prototypes",
    )
    return Provenance(**chosen)


def _declare_files() -> tuple[UploadedFile | None, UploadedFile | None, str]:
    """Return a list of classes, a list of groups, and the pattern of a photograph's name."""
    own = st.file_uploader(
        "Pre-training classes of your own, one a line", type=["txt"], key="leakage_list"
    )
    groups = st.file_uploader(
        "Which rows come from one photograph or video (names, one a line, or a CSV)",
        type=list(uploads.GROUP_ENDINGS),
        key="leakage_groups",
    )
    pattern = st.text_input(
        "Regex that extracts the photo id",
        key="leakage_pattern",
        bind="query-params",
        placeholder="(.*)_aug[0-9]+",
        help="The first group is matched in the name of an image file, for frames of a video "
        "or edited copies of an image.",
    )
    return own, groups, pattern
