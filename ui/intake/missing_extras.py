"""What a page shows in place of a use whose extra is not installed: a sentence and a command."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from ui.shell.text import plain
from zslcore.methods import METHODS
from zslcore.storage import extras, settings


class Lack(NamedTuple):
    """An extra that is not installed; ``command`` installs it, and is empty on a public server."""

    extra: str
    title: str
    sentence: str
    command: str


def of(name: str, purpose: str) -> Lack | None:
    """Return what is missing of an extra, None where it is installed; ``purpose`` needs it."""
    return _lack(name, extras.sentence(name, purpose)) if extras.is_missing(name) else None


def of_method(method: str) -> Lack | None:
    """Return what is missing to fit a method; None where nothing is."""
    name = METHODS[method].card.extra if method in METHODS else ""
    return of(name, method) if name else None


def of_error(error: str) -> Lack | None:
    """Return what was missing where that is why something failed; None for any other error."""
    found = extras.missing_in(error)
    return _lack(found[1], found[0]) if found else None


def _lack(name: str, sentence: str) -> Lack:
    command = "" if settings.PUBLIC() else extras.install(name)
    return Lack(name, extras.title(name), sentence, command)


def show(lack: Lack) -> None:
    """Put the sentence here and, to be copied, the command."""
    st.info(plain(lack.sentence), icon=":material/extension_off:")
    if lack.command:
        st.code(lack.command, language="sh", wrap_lines=True)
