"""Guard of pages: an unexpected exception becomes a sentence with a reference to the log."""

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
    """Show an unexpected exception of a page as one sentence; raise it where no server runs.

    The exceptions by which Streamlit stops or repeats a run are no :class:`Exception`.
    """
    try:
        yield
    except Exception:
        if not is_served():
            raise
        reference = secrets.token_hex(4)
        _LOG.exception("A page failed, reference %s", reference)
        st.error(
            "This page could not be shown to its end. Your choices are still in the address. "
            f"The server's administrator finds the reason in the log under **{reference}**.",
            icon=":material/error:",
        )


def fragment(function: Callable[P, R], *, run_every: float | None = None) -> Callable[P, R]:
    """Make a function a fragment, as ``st.fragment``, guarded as its page is.

    A fragment runs again without its page, so that the page's guard does not see it.
    """

    @wraps(function)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> R:
        with guarded():
            return function(*args, **kwargs)

    part = st.fragment(drawn, run_every=run_every)

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        # Streamlit copies the whole stack of open containers, but reads only the page and
        # the innermost alone, but for a form: no part of a page that runs alone is in one.
        opened = context_dg_stack.get()
        token = context_dg_stack.set((*opened[:1], *opened[1:][-1:]))
        try:
            return part(*args, **kwargs)
        finally:
            context_dg_stack.reset(token)

    return called
