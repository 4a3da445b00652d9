"""A split under review: decisions on its classes, the corrected split, and a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from ui.intake import uploads
from ui.intake.reading_progress import read_or_cancel
from ui.sections.audit import GAIN, Review, show_evidence
from ui.shell import site_map
from ui.shell.text import plain
from ui.state import cache, controls, decisions
from ui.takeaway import tables
from ui.takeaway.downloads import download
from zslcore.leakage import AuditContext, CorrectedSplit, compare_splits
from zslcore.leakage.correction import Policy
from zslcore.numbers import counted
from zslcore.storage import artifacts
from zslcore.texts import listed

# --- Comparison with another split ----------------------------------------------------------------


A_FILE = "a file"


def show_against(review: Review) -> None:
    """Compare the split with another split of the data set or with a file."""
    splits = [] if review.dataset is None else list(review.dataset.splits)
    other_splits = [name for name in splits if name != review.report.split]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = controls.choose_option(
            "Compare with", [*other_splits, A_FILE], key="leakage_other", width=220
        )
    if chosen == A_FILE or review.dataset is None:
        other = _of_file()
    else:
        other = AuditContext.of_split(review.dataset.split(chosen), review.dataset)
    if other is None:
        st.info(
            "Upload another split file of the same data, such as the first release to compare with "
            "version 2.0.",
            icon=":material/upload_file:",
        )
        return
    comparison = compare_splits(review.split, other)
    st.markdown(f"**{plain(comparison.headline)}**")
    for k, table in enumerate(comparison.tables()):
        show_evidence(table, f"leakage_against_{review.file_name}_{k}")


def _of_file() -> AuditContext | None:
    files: Sequence[UploadedFile] = st.file_uploader(
        "Second split file",
        accept_multiple_files=True,
        key="leakage_other_files",
    )
    if not files:
        return None
    key = " ".join(file.file_id for file in files)
    read = partial(read_or_cancel, key, lambda: uploads.read_split_files(files))
    return cache.read_in_visit(key, read)


# --- Decisions and the corrected split ------------------------------------------------------------


#: Option on screen and in the address -> policy of a corrected split.
WORDS: dict[str, Policy] = {"stay in the test part": "test first", "are dropped": "drop"}


def show_decisions(review: Review) -> None:
    """Show the matches of class names for confirmation or rejection."""
    context = review.context
    if not context.vocabularies or context.unseen_classes is None or not context.class_names:
        st.info(
            "Decisions need the names of the test classes and a list of pre-training classes.",
            icon=":material/info:",
        )
        return
    st.caption(
        "Certain matches count unless you reject them, related classes only if you confirm them. "
        "The verdict above and Overlap gain use your decisions; the address keeps them."
    )
    undecided = replace(context, decisions={})
    for vocabulary in context.vocabularies:
        matches = cache.class_overlaps(
            review.key, vocabulary.name, repr(review.lists), undecided, vocabulary
        )
        editor = f"leakage_editor_{review.key}_{vocabulary.name}"
        decisions.edit(context.name, vocabulary, matches, key=editor)
    with st.container(horizontal=True, vertical_alignment="center"):
        download(
            "Decisions for the command line",
            decisions.as_toml(context.decisions),
            "decisions.toml",
            disabled=not any(context.decisions.values()),
            help="For `zslcore check FILE --decisions decisions.toml`.",
        )
        if review.query is not None:
            site_map.link(GAIN, "Gain of these classes", **review.query)


def show_corrected(review: Review) -> None:
    """Show the corrected split, and offer it as files."""
    files = st.container(horizontal=True)  # first: a menu near the lower edge shows little
    words = controls.choose_option(
        "Rows in both training and test", list(WORDS), key="leakage_policy", width=260
    )
    policy = WORDS[words]
    limits = review.context.thresholds
    context = replace(review.split, thresholds=limits)
    split = cache.corrected(review.key, policy, repr(limits), context)
    n = split.n_removed
    parts = listed([part for part, rows in split.removed.items() if len(rows)])
    st.caption(
        f"{counted(n, 'row')} removed from {plain(parts)}."
        if n
        else "No row has to be removed. Classes in the pre-training set stay in "
        "the split; its author decides whether to keep these classes."
    )
    with files:
        for label, ending, make in (
            ("MAT file", "mat", lambda: _mat_bytes(split)),
            ("JSON file", "json", split.to_json),
        ):
            name = f"{review.file_name}_corrected.{ending}"
            download(label, make, name, f"leakage_corrected_{ending}", type="secondary")
    removed = split.table()
    tables.show(
        removed,
        f"leakage_corrected_{review.file_name}",
        labels={"part": "part", "rows": "rows left", "removed": "removed"},
        counts=["rows", "removed"],
        height="content",
    )


def _mat_bytes(split: CorrectedSplit) -> bytes:
    """Return a corrected split as a MAT file in the benchmark layout."""
    with artifacts.scratch() as folder:
        path = folder / "split.mat"
        split.save_mat(path)
        return path.read_bytes()
