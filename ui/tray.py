"""What a visitor waits for, on every page: how far each job is, and a way to leave it."""

from __future__ import annotations

import streamlit as st

from ui import visitors
from ui.guard import fragment
from ui.text import plain
from zslcore import jobs

__all__ = ["show"]

#: Seconds between two looks; each shows that the visitor still waits.
LOOK_EVERY = 3.0


def show() -> None:
    """Show the jobs that this visitor waits for; nothing where there are none."""
    if jobs.of_visitor(visitors.who()):
        fragment(_tray, run_every=LOOK_EVERY)()


def _tray() -> None:
    waiting = jobs.of_visitor(visitors.who())
    if not waiting:
        return
    many = f"{len(waiting)} jobs" if len(waiting) > 1 else "1 job"
    with st.popover(many, icon=":material/hourglass_top:", type="tertiary", key="tray"):
        st.caption("Your jobs. A job ends when its last visitor has left.")
        for work, status in waiting:
            share = min(status.done / status.total, 1.0) if status.total else 0.0
            place = f"number {status.position} in the queue" if status.position else "running"
            st.progress(share, text=f"{plain(work.title)}: {place}")
            st.button(
                "Leave",
                icon=":material/close:",
                type="tertiary",
                key=f"leave_{work.key}",
                on_click=jobs.cancel,
                args=(work.key, visitors.who()),
            )
