"""A run store that is damaged: found out, set aside, and what can be read of it kept."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from zslcore.exceptions import ZSLError
from zslcore.runs import TABLES, RunStore

__all__ = ["damage_of", "mend", "refusal_of"]

#: Rows up to which each is asked for by itself, where not even their numbers can be read.
MOST_ROWS = 1 << 16


def damage_of(store: RunStore) -> str:
    """Return what is wrong with the file of a store; empty when it is whole, or not there."""
    if not store.path.exists():
        return ""
    try:
        address = f"{store.path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as db:
            found = [str(text) for (text,) in db.execute("PRAGMA quick_check(3)")]
    except sqlite3.OperationalError:
        return ""  # locked, or not to be opened: that is no damage, and whoever reads it is told
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if found == ["ok"] else found[0].splitlines()[-1]


def mend(store: RunStore) -> str:
    """Set a damaged store aside, keep the rows that can be read, and say so in a sentence.

    Returns
    -------
    The sentence; empty where nothing was damaged. The damaged file stays beside the new one.
    """
    damage = damage_of(store)
    if not damage:
        return ""
    path = store.path
    aside = path.with_name(f"{path.stem}.damaged-{datetime.now(UTC):%Y%m%d-%H%M%S}{path.suffix}")
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        kept = _copied(path, draft)
        path.rename(aside)
        os.replace(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise ZSLError(
            f"{path}: the run store is damaged and cannot be set aside: {error}."
        ) from error
    return (
        f"The run store was damaged ({damage.rstrip('.')}). It was set aside as {aside.name}; "
        f"{kept:,} results that can be read were kept."
    )


def _copied(path: Path, into: Path) -> int:
    """Copy every row that can be read into a new file; return how many these were."""
    copied = 0
    with closing(sqlite3.connect(into, isolation_level=None)) as new:
        for table in TABLES:
            new.execute(f"CREATE TABLE {table}")
            name, width = table.partition(" ")[0], table.count(",") + 1
            for row in _rows(path, name):
                if len(row) == width:
                    marks = ", ".join("?" * width)
                    new.execute(f"INSERT OR REPLACE INTO {name} VALUES ({marks})", row)  # noqa: S608
                    copied += 1
    return copied


def _rows(path: Path, table: str) -> Iterator[tuple[object, ...]]:
    """Yield the rows of a table that can be read, each asked for by itself."""
    with suppress(sqlite3.Error):
        address = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as db:
            db.text_factory = lambda text: text.decode(errors="replace")
            there = db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone()
            for number in _numbers(db, table) if there else ():
                with suppress(sqlite3.Error):
                    yield from db.execute(f"SELECT * FROM {table} WHERE rowid = ?", (number,))  # noqa: S608


def _numbers(db: sqlite3.Connection, table: str) -> Iterator[int]:
    """Yield the numbers of rows: from the index of keys, which is short, or else all."""
    try:
        index = f"sqlite_autoindex_{table}_1"
        found = db.execute(f"SELECT rowid FROM {table} INDEXED BY {index}").fetchall()  # noqa: S608
        yield from (number for (number,) in found)
    except sqlite3.Error:
        yield from range(1, MOST_ROWS)


def refusal_of(store: RunStore) -> str:
    """Say in a sentence why nothing can be kept in a store; empty where something can."""
    try:
        with store.writing():
            return ""
    except ZSLError as error:
        return str(error)
