"""Whether pages are run by a server, or by a test, which wants to see what fails."""

from __future__ import annotations

from streamlit import runtime

__all__ = ["is_served"]


def is_served() -> bool:
    """Whether a server runs this page; what Streamlit's tests put in its place is none."""
    return runtime.exists() and type(runtime.get_instance()) is runtime.Runtime
