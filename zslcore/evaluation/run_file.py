"""The SQLite file of the run store: its tables, and a SHA-256 of every row.

A checksum tells a row that a disk has changed, which may be a flipped bit within a figure, from the
row that was kept. It lies in a table of its own, so that version 0.1.0 and programs of one's own
open the file and write rows as before: triggers in the file remove the checksum of every row that
changes, and the next change that this version makes adds the checksums that are missing. A row
without one is taken as it is.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from typing import Any

__all__ = ["COLUMNS", "KEYS", "changed_rows", "lost_rows", "prepare", "rows_of", "seal", "sum_of"]

#: Tables of results -> what tells their rows apart, which is their first column.
KEYS = {"runs": "key", "imported": "id"}
SUMS = "sums"
#: All tables -> their columns. Version 0.1.0 had the first of these alone.
COLUMNS = {
    "runs": ("key", "created", "result"),
    "imported": ("id", "who", "file", "added", "created", "result"),
    SUMS: ("kept", "id", "sha256"),
}
_PRIMARY = {"runs": "key", "imported": "id", SUMS: "kept, id"}

#: A row of any table.
Row = tuple[Any, ...]


def prepare(db: sqlite3.Connection) -> None:
    """Make the tables and triggers that a file lacks."""
    for statement in _STATEMENTS:
        db.execute(statement)


def _triggers(table: str, key: str) -> Iterator[str]:
    """Yield what makes the triggers that remove the checksum of a row that changes."""
    for event, rows in (("INSERT", "NEW"), ("DELETE", "OLD"), ("UPDATE", "OLD NEW")):
        keys = ", ".join(f"{row}.{key}" for row in rows.split())
        made = f"CREATE TRIGGER IF NOT EXISTS {table}_{event.lower()} AFTER {event} ON {table}"
        delete = f"DELETE FROM {SUMS} WHERE kept = '{table}' AND id IN ({keys})"  # noqa: S608
        yield f"{made} BEGIN {delete}; END"


_STATEMENTS = [
    f"CREATE TABLE IF NOT EXISTS {table} "
    f"({', '.join(f'{column} TEXT' for column in columns)}, PRIMARY KEY ({_PRIMARY[table]}))"
    for table, columns in COLUMNS.items()
]
_STATEMENTS += [made for table, key in KEYS.items() for made in _triggers(table, key)]


def sum_of(row: Row) -> str:
    """Return the SHA-256 of a row, in hex."""
    return hashlib.sha256(json.dumps(row, default=repr).encode()).hexdigest()


def seal(db: sqlite3.Connection) -> None:
    """Add the checksums of the rows that have none."""
    for table, key in KEYS.items():
        has_sum = f"SELECT 1 FROM {SUMS} WHERE kept = '{table}' AND id = {table}.{key}"  # noqa: S608
        query = f"SELECT * FROM {table} WHERE {key} NOT NULL AND NOT EXISTS ({has_sum})"  # noqa: S608
        sums = [(table, row[0], sum_of(row)) for row in db.execute(query)]
        db.executemany(f"INSERT OR REPLACE INTO {SUMS} VALUES (?, ?, ?)", sums)  # noqa: S608


def rows_of(db: sqlite3.Connection, table: str, key: str | None = None) -> list[tuple[Row, bool]]:
    """Return the rows of a table, newest first, each with whether it agrees with its checksum.

    Parameters
    ----------
    db : connection in a transaction, so that rows and checksums are of one state
    table : of results; a file without it has no rows
    key : of the one row that is wanted; None for all
    """
    there = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if table not in there:
        return []
    named = KEYS[table]
    only, order = f"WHERE {named} = ?" if key is not None else "", "created DESC, rowid DESC"
    values = () if key is None else (key,)
    rows = db.execute(f"SELECT * FROM {table} {only} ORDER BY {order}", values).fetchall()  # noqa: S608
    sums: dict[Any, str] = {}
    if SUMS in there:
        only = "AND id = ?" if key is not None else ""
        query = f"SELECT id, sha256 FROM {SUMS} WHERE kept = ? {only}"  # noqa: S608
        sums = dict(db.execute(query, (table, *values)).fetchall())
    return [(row, row[0] not in sums or sums[row[0]] == sum_of(row)) for row in rows]


def changed_rows(db: sqlite3.Connection) -> int:
    """Return how many rows do not agree with their checksums."""
    return sum(not whole for table in KEYS for _, whole in rows_of(db, table))


def lost_rows(db: sqlite3.Connection) -> int:
    """Return how many checksums have no row: a row that is deleted takes its checksum along."""
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (SUMS,)).fetchone():
        return 0
    counts = (
        db.execute(
            f"SELECT count(*) FROM {SUMS} WHERE kept = '{table}' "  # noqa: S608
            f"AND NOT EXISTS (SELECT 1 FROM {table} WHERE {key} = {SUMS}.id)"
        ).fetchone()[0]
        for table, key in KEYS.items()
    )
    return sum(counts)
