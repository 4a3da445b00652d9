"""Progress of reading files, with a cancel button."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from zslcore.untrusted.worker import watch_calls

READING = "Reading the files …"
#: Session key: key of the files of which the visitor cancelled the reading.
CANCELLED = "reading_cancelled"

Read = TypeVar("Read")


@contextmanager
def progress(slot: DeltaGenerator, key: str, **options: Any) -> Iterator[None]:
    """Show the progress of reading, with a button that cancels it.

    Any click reruns the page: the run that reads the files then ends at its next update of the
    screen, and ends the process that reads for it. Closing the page has the same effect.
    """
    with slot.container(border=True, key=f"reading_box_{key}"):
        bar = st.progress(0.0, text=READING)
        st.button("Cancel", icon=":material/close:", key=key, **options)

    def show(share: float) -> None:
        bar.progress(share, text=f"{READING} {share:.0%}")

    with watch_calls(show):
        yield


def read_or_cancel(files_key: str, read: Callable[[], Read]) -> Read:
    """Return the result of ``read``; after a cancellation, offer to read again."""
    if st.session_state.get(CANCELLED) == files_key:
        st.info("Reading these files was cancelled.", icon=":material/block:")
        st.button(
            "Read the files",
            key=f"reading_again_{files_key}",
            icon=":material/refresh:",
            on_click=_set_cancelled,
            args=("",),
        )
        st.stop()
    slot = st.empty()
    try:
        options: dict[str, Any] = {"on_click": _set_cancelled, "args": (files_key,)}
        with progress(slot, f"reading_cancel_{files_key}", **options):
            return read()
    finally:
        slot.empty()


def _set_cancelled(files_key: str) -> None:
    st.session_state[CANCELLED] = files_key
