"""Evaluate your scores: all metrics of a score matrix that a visitor uploads."""

from __future__ import annotations

import streamlit as st

from ui import cache, scores, terms
from ui.components import window
from ui.frame import Header, errors_as_sentences
from ui.scores import ENDINGS, TEXTS, Brought, Sent
from ui.sections.scores import show_scores

EXAMPLES = ("LinearS2V", "ESZSL", "LinearV2S")
UNSEEN = "6, 8, 22 or names"
#: Pixels of height of an upload without files.
UPLOAD = 100


def show(header: Header) -> None:
    """Read the visitor's files, or an example, and judge them."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sent, validation = _take_files()
    with errors_as_sentences():
        if sent:
            found: list[Brought | None] = [scores.brought(each, validation) for each in sent]
            scores.keep([each for each in found if each is not None])
        elif not (found := [*scores.kept_ones()]):
            found = [*_examples(header)]
        else:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption("You brought these files earlier on this visit.")
                st.button(
                    "Forget them", type="tertiary", key="scores_forget", on_click=scores.forget
                )
        there = [each for each in found if each is not None]
        if len(there) == len(found):
            show_scores(there[0], there[1:])


def _take_files() -> tuple[list[Sent], Sent | None]:
    """Return what was uploaded, and the validation scores next to it."""
    # An upload begins in a higher form than its own: without files its height is certain.
    certain = not (st.session_state.get("scores_files") or window.is_narrow())
    with st.container(height=UPLOAD if certain else "content", border=False):
        files = st.file_uploader(
            "Scores of your own model",
            ENDINGS,
            accept_multiple_files=True,
            key="scores_files",
            on_change=scores.withdraw,
            help="A matrix of images x classes, the class of every image and the unseen classes: "
            "scores, y, unseen_classes. Rows are test images. The test sets of AWA1, AWA2, CUB, "
            "SUN and aPY are recognised by their labels. Or predictions (.parquet), which are "
            "checked.",
        )
    with st.popover("More", icon=":material/more_horiz:"):
        labels = st.file_uploader("Labels, one a line", TEXTS, key="scores_labels")
        unseen = _ask_unseen("Unseen classes", "scores_unseen")
        chosen_on = st.file_uploader("Validation scores, to choose γ", ENDINGS, key="scores_val")
        validation = None
        if chosen_on is not None:
            validation = Sent(
                chosen_on,
                st.file_uploader("Their labels", TEXTS, key="scores_val_labels"),
                _ask_unseen("Their unseen classes", "scores_val_unseen"),
            )
    return [Sent(file, labels, unseen) for file in files], validation


def _ask_unseen(label: str, key: str) -> str:
    """Ask which classes are unseen, by number or name."""
    return st.text_input(label, key=key, placeholder=UNSEEN, help=terms.tip(label))


def _examples(header: Header) -> list[scores.Brought]:
    digits = cache.dataset("digits")
    header.mark(digits)
    st.caption("Example: three methods on digits. Drop your file to replace it.")
    found = [scores.example(digits, "PS", method) for method in EXAMPLES]
    scores.keep(())
    return found
