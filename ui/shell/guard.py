"""Guard of pages: show an unexpected exception as one sentence with a reference to the log."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

import streamlit as st
from streamlit.delta_generator_singletons import context_dg_stack

from ui.shell.runtime import is_served

P = ParamSpec("P")
R = TypeVar("R")

_LOG = logging.getLogger(__name__)


@contextmanager
def guarded() -> Iterator[None]:
    """Show an unexpected exception of a page as one sentence; raise it if no server runs.

    The exceptions with which Streamlit stops or repeats a run are not caught, since they do not
    derive from :class:`Exception`.
    """
    try:
        yield
    except Exception:
        if not is_served():
            raise
        reference = secrets.token_hex(4)
        _LOG.exception("A page failed, reference %s", reference)
        st.error(
            "An error stopped this page. Your choices are still in the address. The server's "
            f"administrator can find the reason in the log under **{reference}**.",
            icon=":material/error:",
        )


def fragment(function: Callable[P, R], *, run_every: float | None = None) -> Callable[P, R]:
    """Make a function a fragment, like ``st.fragment``, with the guard of pages.

    A fragment runs again without its page, out of reach of the page's own guard.
    """

    @wraps(function)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> R:
        with guarded():
            return function(*args, **kwargs)

    part = st.fragment(drawn, run_every=run_every)

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        # Streamlit copies the whole stack of open containers for a fragment, but reads only the
        # first and the last; the other containers are needed only in forms, and no fragment is in a
        # form.
        opened = context_dg_stack.get()
        token = context_dg_stack.set((*opened[:1], *opened[1:][-1:]))
        try:
            return part(*args, **kwargs)
        finally:
            context_dg_stack.reset(token)

    return called
