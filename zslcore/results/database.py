"""The SQLite file of all results: its tables, and a SHA-256 of every row.

=============== ==================================================================================
``runs``        our own runs
``imported``    runs of other people
``results``     every other kind of result
``predictions`` Parquet files, by the id of their result and the time at which it was made
``sums``        a SHA-256 of every row of these
=============== ==================================================================================

A checksum distinguishes a row that a disk has changed, by a flipped bit within a figure, from the
row that was written. Programs that know nothing of checksums may write rows: triggers in the file
remove the checksum of every row that changes, and the next change that this package makes adds the
missing ones. A row without one is accepted as it is.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

#: Tables of results -> the key of their rows, which is their first column.
KEYS = {"runs": "key", "imported": "id", "results": "id", "predictions": "id"}
#: All tables -> their columns.
COLUMNS = {
    "runs": ("key", "created", "result"),
    "imported": ("id", "who", "file", "added", "created", "result"),
    "sums": ("kept", "id", "sha256"),
    "results": ("id", "kind", "owner", "created", "result"),
    "predictions": ("id", "created", "parquet"),
}

#: Seconds that a writer waits for another one, which takes milliseconds.
PATIENCE = 30.0
#: Seconds after which a backup is made again.
DAY = 86_400

#: A row of any table.
Row = tuple[Any, ...]


def prepare(db: sqlite3.Connection) -> None:
    """Make the tables and triggers that a file lacks."""
    for table, columns in COLUMNS.items():
        typed = ", ".join(f"{column} TEXT" for column in columns)
        primary = KEYS.get(table, "kept, id")
        db.execute(f"CREATE TABLE IF NOT EXISTS {table} ({typed}, PRIMARY KEY ({primary}))")
    for table, key in KEYS.items():
        for event, rows in (("INSERT", "NEW"), ("DELETE", "OLD"), ("UPDATE", "OLD NEW")):
            keys = ", ".join(f"{row}.{key}" for row in rows.split())
            delete = f"DELETE FROM sums WHERE kept = '{table}' AND id IN ({keys})"  # noqa: S608
            name = f"{table}_{event.lower()}"
            db.execute(
                f"CREATE TRIGGER IF NOT EXISTS {name} AFTER {event} ON {table} BEGIN {delete}; END"
            )


def sum_of(row: Row) -> str:
    """Return the SHA-256 of a row, in hex."""
    return hashlib.sha256(json.dumps(row, default=_text_of).encode()).hexdigest()


def _text_of(value: object) -> str:
    return hashlib.sha256(value).hexdigest() if isinstance(value, bytes) else repr(value)


def seal(db: sqlite3.Connection) -> None:
    """Add the checksums of the rows that have none."""
    for table, key in KEYS.items():
        has_sum = f"SELECT 1 FROM sums WHERE kept = '{table}' AND id = {table}.{key}"  # noqa: S608
        query = f"SELECT * FROM {table} WHERE {key} NOT NULL AND NOT EXISTS ({has_sum})"  # noqa: S608
        sums = [(table, row[0], sum_of(row)) for row in db.execute(query)]
        db.executemany("INSERT OR REPLACE INTO sums VALUES (?, ?, ?)", sums)


def rows_of(db: sqlite3.Connection, table: str, key: str | None = None) -> list[tuple[Row, bool]]:
    """Return the rows of a table, newest first, each with whether it agrees with its checksum.

    The connection is in a transaction, so that rows and checksums are of one state. A file without
    the table has no rows.
    """
    there = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if table not in there:
        return []
    named, values = KEYS[table], () if key is None else (key,)
    only = "" if key is None else f"WHERE {named} = ?"
    query = f"SELECT * FROM {table} {only} ORDER BY created DESC, rowid DESC"  # noqa: S608
    rows = db.execute(query, values).fetchall()
    sums: dict[Any, str] = {}
    if "sums" in there:
        only = "" if key is None else "AND id = ?"
        query = f"SELECT id, sha256 FROM sums WHERE kept = ? {only}"  # noqa: S608
        sums = dict(db.execute(query, (table, *values)).fetchall())
    return [(row, sums.get(row[0]) in (None, sum_of(row))) for row in rows]


def drop_oldest_predictions(db: sqlite3.Connection, budget: int) -> int:
    """Remove the oldest predictions until the others take at most ``budget`` bytes.

    Returns how many were removed; the one added last always stays.
    """
    rows = db.execute("SELECT id, length(parquet) FROM predictions ORDER BY rowid DESC").fetchall()
    total, old = 0, []
    for place, (id_, size) in enumerate(rows):
        total += size
        if total > budget and place:
            old.append((id_,))
    db.executemany("DELETE FROM predictions WHERE id = ?", old)
    return len(old)


def damage_in(db: sqlite3.Connection) -> str:
    """Return what is wrong with an open file; empty when it is whole."""
    found = [str(text) for (text,) in db.execute("PRAGMA integrity_check(3)")]
    if found != ["ok"]:
        return found[0].splitlines()[-1]
    n = sum(not whole for table in KEYS for _, whole in rows_of(db, table))
    return f"{'1 result has' if n == 1 else f'{n:,} results have'} changed on the disk" if n else ""


def draft_of(path: Path) -> Path:
    """Return a new name next to a store, of the kind that leftovers of killed processes have."""
    return path.with_name(f".{path.name}.{uuid4().hex}")


def connected(path: Path, timeout: float = PATIENCE) -> sqlite3.Connection:
    """Open a file to read it; what a writer that was killed has left there is undone first."""
    address = f"{path.absolute().as_uri()}?mode=rw"
    db = sqlite3.connect(address, uri=True, timeout=timeout, isolation_level=None)
    db.text_factory = lambda text: text.decode(errors="replace")
    return db


def backup_of(path: Path) -> Path:
    """Return where the backup of a store is."""
    return path.with_name(f"{path.stem}.backup{path.suffix}")


def back_up(path: Path) -> None:
    """Copy a whole store to its backup, unless there is one of the last day, or no room."""
    backup, draft = backup_of(path), draft_of(path)
    with suppress(OSError, sqlite3.Error):
        if not path.exists() or (backup.exists() and time.time() - backup.stat().st_mtime < DAY):
            return
        try:
            with closing(connected(path, 0.1)) as db, closing(sqlite3.connect(draft)) as copy:
                db.execute("BEGIN")
                db.execute("SELECT count(*) FROM sqlite_master")  # a backup would wait for ever
                db.backup(copy)
                whole = not damage_in(copy)
            if whole:
                os.replace(draft, backup)
        finally:
            draft.unlink(missing_ok=True)
