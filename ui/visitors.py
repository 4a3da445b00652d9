"""Who sees which imports: everybody, or in the public mode who brought them.

On one's own machine, or in a group that shares it, every import is there for everybody. With
``ZSL_PUBLIC=1`` an import belongs to the session that made it and goes with it, or to a group whose
members type the same words. Its owner is part of its name, ``mine.v-<16 hex digits>``: nobody else
is offered the name, replaces what it names, or opens it, link or not.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets

import streamlit as st

from ui import cache
from ui.served import is_served
from zslcore import datasets
from zslcore.exceptions import ParameterError
from zslcore.jobs import Visitor

__all__ = ["FEWEST", "available", "is_public", "join", "own_name", "session", "who"]

#: Where a session keeps the words of its group.
GROUP = "group_words"
_VISITOR = "visitor"
_OWNED = re.compile(r"\.v-([0-9a-f]{16})$")
#: Letters that words of a group have at least, so that they are not found by trying.
FEWEST = 12


def is_public() -> bool:
    """Whether visitors are strangers to each other: ``ZSL_PUBLIC`` says so."""
    return os.environ.get("ZSL_PUBLIC", "") not in ("", "0")


def who() -> Visitor:
    """Return who asks, as far as can be told: a network address, and a browser there."""
    if not is_served():
        return Visitor("", session())
    address = st.context.ip_address or "this machine"
    if is_public() and (passed := st.context.headers.get("X-Forwarded-For")):
        address = passed.rpartition(",")[2].strip()[:64]  # what the proxy nearest to us has added
    browser = token(st.context.cookies.get("_streamlit_xsrf", "")[:200]) or session()
    return Visitor(address, hashlib.sha256(browser.encode()).hexdigest()[:16])


def token(cookie: str) -> str:
    """Return what stays of the cookie by which the server knows a browser again.

    It is written anew with every page, as version, mask, token under the mask, and time.

    Examples
    --------
    >>> token("2|00ff00ff|a1b2|1"), token("2|ffffffff|5eb2|1"), token("else")
    ('a14d', 'a14d', 'else')
    """
    parts = cookie.split("|")
    try:
        mask, masked = bytes.fromhex(parts[1]), bytes.fromhex(parts[2])
    except (IndexError, ValueError):
        return cookie
    if not mask:
        return cookie
    return bytes(b ^ mask[i % len(mask)] for i, b in enumerate(masked)).hex()


def available() -> tuple[str, ...]:
    """Return the data sets that this visitor may open."""
    names = datasets.available()
    if not is_public():
        return names
    mine = _owners()
    return tuple(n for n in names if not (found := _OWNED.search(n)) or found[1] in mine)


def own_name(name: str) -> str:
    """Return the name under which an import of this visitor is kept.

    Raises
    ------
    ParameterError
        When the words of a group are so few that they could be found by trying.
    """
    if not is_public():
        return name
    words = st.session_state.get(GROUP, "")
    if 0 < len(words) < FEWEST:
        raise ParameterError(
            f"The words of a group must have at least {FEWEST} letters; got {len(words)}."
        )
    owner = f".v-{_owners()[-1]}"
    return f"{_OWNED.sub('', name)[: 64 - len(owner)].rstrip('.')}{owner}"


def join(words: str) -> None:
    """Keep the words of the visitor's group for this visit, on all pages."""
    st.session_state[GROUP] = words.strip()


def session() -> str:
    """Return what this visit is known by."""
    if _VISITOR not in st.session_state:
        st.session_state[_VISITOR] = secrets.token_hex(8)
    known: str = st.session_state[_VISITOR]
    return known


def _owners() -> tuple[str, ...]:
    """Return what this visitor's imports end in, that of new ones last."""
    visit = cache.visit(session())
    words = st.session_state.get(GROUP, "")
    if len(words) < FEWEST:
        return (visit,)
    group = hashlib.scrypt(words.encode(), salt=b"zslcore", n=1 << 12, r=8, p=1, dklen=8)
    return (visit, group.hex())
