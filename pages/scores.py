"""What does a model's score matrix reach?"""

import streamlit as st

from ui import cache, scores, terms
from ui.frame import errors_as_sentences, open_page
from ui.scores import ENDINGS, TEXTS, Sent
from ui.sections.scores import show_scores

EXAMPLES = ("LinearS2V", "ESZSL", "LinearV2S")
UNSEEN = "6, 8, 22 or names"

header = open_page("Scores", "What does a model's score matrix reach?", icon=":material/grid_on:")


def ask_unseen(label: str, key: str) -> str:
    """Ask which classes are unseen, by number or name."""
    return st.text_input(label, key=key, placeholder=UNSEEN, help=terms.tip(label))


with st.container(horizontal=True, vertical_alignment="bottom"):
    files = st.file_uploader(
        "Scores of your own model",
        ENDINGS,
        accept_multiple_files=True,
        key="scores_files",
        on_change=scores.withdraw,
        help="A matrix of images x classes, the class of every image and the unseen classes: "
        "scores, y, unseen_classes. Rows are test images. The test sets of AWA1, AWA2, CUB, SUN "
        "and aPY are recognised by their labels. Or predictions (.parquet), which are checked.",
    )
    with st.popover("More", icon=":material/more_horiz:"):
        labels = st.file_uploader("Labels, one a line", TEXTS, key="scores_labels")
        unseen = ask_unseen("Unseen classes", "scores_unseen")
        chosen_on = st.file_uploader("Validation scores, to choose γ", ENDINGS, key="scores_val")
        validation = None
        if chosen_on is not None:
            validation = Sent(
                chosen_on,
                st.file_uploader("Their labels", TEXTS, key="scores_val_labels"),
                ask_unseen("Their unseen classes", "scores_val_unseen"),
            )

with errors_as_sentences():
    if files:
        found = [scores.brought(Sent(file, labels, unseen), validation) for file in files]
        scores.keep([each for each in found if each is not None])
    elif not (found := list(scores.kept_ones())):
        digits = cache.dataset("digits")
        header.mark(digits)
        st.caption(
            "Until you bring a file, these are the scores of three methods on the embedded digits."
        )
        found = [scores.example(digits, "PS", method) for method in EXAMPLES]
        scores.keep(())
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption("You brought these files earlier on this visit.")
            st.button("Forget them", type="tertiary", key="scores_forget", on_click=scores.forget)
    there = [each for each in found if each is not None]
    if len(there) == len(found):
        show_scores(there[0], there[1:])
