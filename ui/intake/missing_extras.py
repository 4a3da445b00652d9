"""Message and command for an extra that is not installed."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from ui.shell.text import plain
from zslcore.methods import METHODS
from zslcore.storage import extras, settings


class MissingExtra(NamedTuple):
    """An extra that is not installed; ``command`` installs it and is empty on a public server."""

    extra: str
    title: str
    sentence: str
    command: str


def of(name: str, purpose: str) -> MissingExtra | None:
    """Return the extra ``name``, needed for ``purpose``, if it is not installed; else None."""
    return _missing_extra(name, extras.sentence(name, purpose)) if extras.is_missing(name) else None


def of_method(method: str) -> MissingExtra | None:
    """Return the missing extra of a method, else None."""
    name = METHODS[method].card.extra if method in METHODS else ""
    return of(name, method) if name else None


def of_error(error: str) -> MissingExtra | None:
    """Return the missing extra that caused an error; None for other errors."""
    missing = extras.missing_in(error)
    return _missing_extra(missing[1], missing[0]) if missing else None


def _missing_extra(name: str, sentence: str) -> MissingExtra:
    command = "" if settings.PUBLIC() else extras.install_command(name)
    return MissingExtra(name, extras.package_title(name), sentence, command)


def show(missing: MissingExtra) -> None:
    """Show the sentence, and the command to copy."""
    st.info(plain(missing.sentence), icon=":material/extension_off:")
    if missing.command:
        st.code(missing.command, language="sh", wrap_lines=True)
