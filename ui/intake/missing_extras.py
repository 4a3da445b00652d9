"""Message and command for an extra that is not installed."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from ui.shell.text import plain
from zslcore.methods import METHODS
from zslcore.storage import extras, settings


class Lack(NamedTuple):
    """An extra that is not installed; ``command`` installs it and is empty on a public server."""

    extra: str
    title: str
    sentence: str
    command: str


def of(name: str, purpose: str) -> Lack | None:
    """Return the extra ``name``, needed for ``purpose``, if it is not installed; else None."""
    return _lack(name, extras.sentence(name, purpose)) if extras.is_missing(name) else None


def of_method(method: str) -> Lack | None:
    """Return the missing extra of a method, else None."""
    name = METHODS[method].card.extra if method in METHODS else ""
    return of(name, method) if name else None


def of_error(error: str) -> Lack | None:
    """Return the missing extra that caused an error; None for other errors."""
    missing = extras.missing_in(error)
    return _lack(missing[1], missing[0]) if missing else None


def _lack(name: str, sentence: str) -> Lack:
    command = "" if settings.PUBLIC() else extras.install(name)
    return Lack(name, extras.package_title(name), sentence, command)


def show(lack: Lack) -> None:
    """Show the sentence, and the command to copy."""
    st.info(plain(lack.sentence), icon=":material/extension_off:")
    if lack.command:
        st.code(lack.command, language="sh", wrap_lines=True)
