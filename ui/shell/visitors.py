"""Visibility of imports: to all visitors or, in public mode, to their owners.

With ``ZSL_PUBLIC=1``, an import belongs to the session that made it and is deleted with the
session, or it belongs to a group whose members enter the same passphrase. The name of an import
contains its owner, ``mine.v-<16 hex digits>``: other visitors are not offered the name and can
neither open nor replace the import, even by a link.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from uuid import uuid4

import streamlit as st

from ui.shell.runtime import is_served
from ui.state import cache
from zslcore import datasets
from zslcore.exceptions import ParameterError
from zslcore.jobs import Visitor
from zslcore.storage import settings
from zslcore.storage.files import data_folder, reraise_write_errors

#: Key of the session state for the passphrase of the visitor's group.
GROUP = "group_words"
_VISITOR = "visitor"
_OWNED = re.compile(r"\.v-([0-9a-f]{16})$")
#: File of random bytes in the data folder; without these bytes, a passphrase cannot be
#: guessed.
SALT = "group_salt"
SALT_BYTES = 32
#: Cost n of scrypt.
_COST = 1 << 14
#: Minimum number of characters of a passphrase, so that it cannot be guessed.
FEWEST = 12


def is_public() -> bool:
    """Return whether ``ZSL_PUBLIC`` is set: visitors do not see the imports of other visitors."""
    return settings.PUBLIC()


def current() -> Visitor:
    """Return the visitor: network address of the connection, and its browser.

    Behind a proxy listed in ``FORWARDED_ALLOW_IPS``, the address comes from the proxy's header.
    """
    if not is_served():
        return Visitor("", session())
    address = st.context.ip_address or "this machine"
    browser = token(st.context.cookies.get("_streamlit_xsrf", "")[:200]) or session()
    return Visitor(address, hashlib.sha256(browser.encode()).hexdigest()[:16])


def token(cookie: str) -> str:
    """Return the constant part of the cookie that identifies a browser.

    Each page writes the cookie anew: version, mask, token XOR mask, and time.

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


def available_datasets() -> tuple[str, ...]:
    """Return the data sets that this visitor may open."""
    return visible(datasets.available())


def visible(names: Iterable[str]) -> tuple[str, ...]:
    """Return the data sets among ``names`` that do not belong to another visitor."""
    if not is_public():
        return tuple(names)
    owners = _owners()
    return tuple(n for n in names if not (owner := _OWNED.search(n)) or owner[1] in owners)


def own_name(name: str) -> str:
    """Return the name under which an import of this visitor is stored.

    Raises ParameterError for a passphrase of fewer than :data:`FEWEST` characters.
    """
    if not is_public():
        return name
    words = st.session_state.get(GROUP, "")
    if 0 < len(words) < FEWEST:
        raise ParameterError(
            f"The group passphrase must have at least {FEWEST} characters; got {len(words)}."
        )
    owner = f".v-{_owners()[-1]}"
    return f"{_OWNED.sub('', name)[: 64 - len(owner)].rstrip('.')}{owner}"


def session() -> str:
    """Return the random identifier of this visit, 16 hex digits."""
    if _VISITOR not in st.session_state:
        st.session_state[_VISITOR] = secrets.token_hex(8)
    visit: str = st.session_state[_VISITOR]
    return visit


def _owners() -> tuple[str, ...]:
    """Return the name suffixes of this visitor's imports; new imports get the last suffix."""
    visit = cache.visit(session())
    words = st.session_state.get(GROUP, "")
    if len(words) < FEWEST:
        return (visit,)
    return visit, _group(words, _salt(data_folder() / SALT))


@lru_cache(maxsize=256)
def _group(words: str, salt: bytes) -> str:
    """Return the name suffix of a group's imports, 16 hex digits."""
    return hashlib.scrypt(words.encode(), salt=salt, n=_COST, r=8, p=1, dklen=8).hex()


def _salt(path: Path) -> bytes:
    """Return the salt of a data folder, shared by its servers; raise ZSLError if it is corrupt."""
    with reraise_write_errors(f"{path.name} in the data folder"):
        if not path.exists():
            _write_salt(path)
        salt = path.read_bytes()
    if len(salt) != SALT_BYTES:
        raise ParameterError(
            f"{path.name} in the data folder: expected {SALT_BYTES} bytes; got {len(salt)}. "
            "Restore it from a backup: without it, no group can find its imports."
        )
    return salt


def _write_salt(path: Path) -> None:
    """Write a new salt, readable by this user only, unless another server has written one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        opened = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(opened, "wb") as file:
            file.write(secrets.token_bytes(SALT_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):  # another server was first: keep its salt
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def may_delete(dataset: str) -> bool:
    """Return whether this visitor may delete a run on a data set."""
    if not is_public():
        return True
    owner = _OWNED.search(dataset)
    return owner is not None and owner[1] in _owners()
