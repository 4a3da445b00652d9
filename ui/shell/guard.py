"""Guard of pages: show each exception as one sentence, an unexpected one with a reference."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

import streamlit as st
from streamlit.delta_generator_singletons import context_dg_stack

from ui.intake import missing_extras
from ui.shell import site_map
from ui.shell.runtime import is_served
from ui.shell.text import on_screen
from zslcore.exceptions import SplitError, ZSLError

P = ParamSpec("P")
R = TypeVar("R")

_LOG = logging.getLogger(__name__)


@contextmanager
def errors_as_sentences() -> Iterator[None]:
    """Show a ZSLError as one sentence here, and stop the page at it; choices are kept."""
    try:
        yield
    except ZSLError as error:
        if (missing_extra := missing_extras.of_error(str(error))) is not None:
            missing_extras.show(missing_extra)
        else:
            st.error(on_screen(str(error)), icon=":material/error:")
        if isinstance(error, SplitError):
            site_map.link_to_audit("Is this split clean?", error.dataset, error.split)
        st.stop()


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
    """Make a function a fragment, like ``st.fragment``, with errors shown as on pages.

    A fragment runs again without its page, out of reach of the page's own guard.
    """

    @wraps(function)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> R:
        with guarded(), errors_as_sentences():
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
