"""What is done about an audited split: matches confirmed or rejected, and a split without leaks.

Two tabs of Leakage review. Each function is one of them and needs nothing of the page but the
:class:`ui.sections.audit.Review` that it has made.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ui import cache, controls, decisions, site_map, tables
from ui.sections.audit import GAIN, Review
from ui.text import PARTS
from zslcore.leakage import AuditContext, CorrectedSplit
from zslcore.leakage.correction import Policy
from zslcore.storage import artifacts

__all__ = ["show_corrected", "show_decisions"]

#: Words on screen, and in the address, for the policies of a corrected split.
WORDS: dict[str, Policy] = {"stay in the test part": "test first", "are dropped": "drop"}


def show_decisions(review: Review) -> None:
    """Let a person confirm or reject what was matched."""
    context = review.context
    if not context.vocabularies or context.unseen_classes is None or not context.class_names:
        st.info(
            "There is nothing to decide without the names of the test classes and a list of those "
            "the extractor was trained on.",
            icon=":material/info:",
        )
        return
    st.caption(
        "Certain matches count until they are rejected, possible ones once they are confirmed. The "
        "verdict above and Overlap gain use your decisions, and the address keeps them."
    )
    undecided = replace(context, decisions={})
    for vocabulary in context.vocabularies:
        matches = cache.overlaps(
            review.key, vocabulary.name, repr(review.lists), undecided, vocabulary
        )
        editor = f"leakage_editor_{review.key}_{vocabulary.name}"
        decisions.edit(context.name, vocabulary, matches, key=editor)
    with st.container(horizontal=True, vertical_alignment="center"):
        _offer_decisions(context)
        if review.query is not None:
            site_map.link(
                GAIN,
                "What these classes gain",
                icon=":material/arrow_forward:",
                query=review.query,
            )


def _offer_decisions(context: AuditContext) -> None:
    st.download_button(
        "Decisions for the command line",
        decisions.as_toml(context.decisions),
        file_name="decisions.toml",
        mime="application/toml",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        disabled=not any(context.decisions.values()),
        help="For `zslcore check FILE --decisions decisions.toml`.",
    )


def show_corrected(review: Review) -> None:
    """Correct the split and offer it as files."""
    words = controls.choose(
        "Rows in both training and test", list(WORDS), key="leakage_policy", width=260
    )
    policy = WORDS[words]
    limits = review.context.thresholds
    as_it_came = replace(review.split, thresholds=limits)
    split = cache.corrected(review.key, policy, repr(limits), as_it_came)
    removed = split.table()
    tables.show(
        removed.replace({"part": PARTS}),
        f"leakage_corrected_{review.file_name}",
        labels={"part": "part", "rows": "rows left", "removed": "removed"},
        height="content",
    )
    n = split.n_removed
    st.caption(
        f"{n:,} {'image' if n == 1 else 'images'} removed."
        if n
        else "No row has to be removed. Classes in the pre-training set stay: the author of the "
        "split has to decide about them."
    )
    with st.container(horizontal=True):
        for label, ending, make in (
            ("MAT file", "mat", lambda: _mat_bytes(split)),
            ("JSON file", "json", split.to_json),
        ):
            st.download_button(
                label,
                make,
                file_name=f"{review.file_name}_corrected.{ending}",
                icon=":material/download:",
                on_click="ignore",
                key=f"leakage_corrected_{ending}",
            )


def _mat_bytes(split: CorrectedSplit) -> bytes:
    """Return a corrected split in the MAT layout."""
    with artifacts.scratch() as folder:
        path = folder / "split.mat"
        split.save_mat(path)
        return path.read_bytes()
