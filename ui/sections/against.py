"""A split under review against another one: which rows and classes changed their part.

A tab of Leakage review that needs nothing of the page but the :class:`ui.sections.audit.Review`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from ui import cache, controls, tables, uploads
from ui.reading import read_or_cancel
from ui.sections.audit import Review
from ui.text import PARTS, plain
from zslcore.leakage import AuditContext, SplitComparison, compare_splits

__all__ = ["show_against"]

A_FILE = "a file"


def show_against(review: Review) -> None:
    """Choose another split, by its name or as a file, and say what moved."""
    splits = [] if review.dataset is None else list(review.dataset.splits)
    others = [name for name in splits if name != review.report.split]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = controls.choose("Compare with", [*others, A_FILE], key="leakage_other", width=220)
    other = _of_file() if chosen == A_FILE else _of_dataset(review, chosen)
    if other is None:
        st.info(
            "Upload another split file of the same data, for example the first release and "
            "version 2.0, or the standard split and the proposed one.",
            icon=":material/upload_file:",
        )
        return
    _show(compare_splits(review.split, other), review.file_name)


def _of_dataset(review: Review, name: str) -> AuditContext:
    dataset = review.dataset
    assert dataset is not None  # without one there are no other names
    return AuditContext.of_dataset(dataset, dataset.split(name))


def _of_file() -> AuditContext | None:
    files: Sequence[UploadedFile] = st.file_uploader(
        "Other split file",
        type=list(uploads.SPLIT_ENDINGS),
        accept_multiple_files=True,
        key="leakage_other_files",
    )
    if not files:
        return None
    key = " ".join(file.file_id for file in files)
    read = partial(read_or_cancel, key, lambda: uploads.context_of_files(files))
    return cache.split_to_review(key, read)


def _show(comparison: SplitComparison, name: str) -> None:
    said = comparison.headline
    for part, words in PARTS.items():
        said = said.replace(part, words)
    st.markdown(f"**{plain(said)}**")
    for k, table in enumerate(comparison.tables()):
        more = f", {len(table.rows)} of {table.total:,}" if table.total > len(table.rows) else ""
        st.caption(f"{table.title}{more}")
        shown = table.table()
        tables.show(
            shown.replace(PARTS),
            f"leakage_against_{name}_{k}",
            labels={column: column.replace("_", " ") for column in shown.columns},
            height="content" if len(shown) <= 8 else 320,
        )
