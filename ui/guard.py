"""Whatever goes wrong on a page is a sentence with a reference, which is in the log as well."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar, overload

import streamlit as st

from ui.served import is_served

__all__ = ["fragment", "guarded"]

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


@overload
def fragment(
    function: Callable[Given, Made], *, run_every: float | None = None
) -> Callable[Given, Made]: ...


@overload
def fragment(
    function: None = None, *, run_every: float | None
) -> Callable[[Callable[Given, Made]], Callable[Given, Made]]: ...


def fragment(function: Callable[..., Any] | None = None, *, run_every: float | None = None) -> Any:
    """Make a function a fragment of its page, ``st.fragment``, whose exceptions are caught as well.

    A fragment runs again without its page, so that the page's guard does not see it.

    Parameters
    ----------
    function : what draws it; without one, what is returned decorates one
    run_every : seconds after which it runs again by itself
    """
    if function is None:
        return partial(fragment, run_every=run_every)

    @wraps(function)
    def drawn(*args: Any, **kwargs: Any) -> Any:
        with guarded():
            return function(*args, **kwargs)

    return st.fragment(drawn, run_every=run_every)
