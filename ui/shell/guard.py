"""Whatever goes wrong on a page is a sentence with a reference, which is in the log as well."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

import streamlit as st

from ui.shell.runtime import is_served

Given = ParamSpec("Given")
Made = TypeVar("Made")

_LOG = logging.getLogger(__name__)


@contextmanager
def guarded() -> Iterator[None]:
    """Turn any exception of a page into a sentence; in tests, which look for them, they go on.

    What Streamlit raises to stop or repeat a run is no :class:`Exception`.
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


def fragment(
    function: Callable[Given, Made], *, run_every: float | None = None
) -> Callable[Given, Made]:
    """Make a function a fragment of its page, ``st.fragment``, whose exceptions are caught as well.

    A fragment runs again without its page, so that the page's guard does not see it.
    """

    @wraps(function)
    def drawn(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        with guarded():
            return function(*args, **kwargs)

    return st.fragment(drawn, run_every=run_every)
