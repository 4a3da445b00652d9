"""The SQLite file of all results: its tables, and a SHA-256 of every row.

=============== ==================================================================================
``runs``        our own runs; earlier versions read and write this table
``imported``    runs of other people; likewise
``results``     every other kind of result
``predictions`` Parquet files, by the id of their result and the time at which it was made
``sums``        a SHA-256 of every row of these
``stored``      a view of all results: kind, key, created, owner, json
=============== ==================================================================================

A checksum distinguishes a row that a disk has changed, by a flipped bit within a figure, from the
row that was written. Checksums have a table of their own, so that earlier versions and other
programs open the file and write rows as before: triggers in the file remove the checksum of every
row that changes, and the next change that this version makes adds the missing checksums. A row
without one is accepted as it is.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from typing import Any

#: Tables of results -> the key of their rows, which is their first column.
KEYS = {"runs": "key", "imported": "id", "results": "id", "predictions": "id"}
SUMS = "sums"
#: All tables -> their columns. Version 0.2.0 has the first three: these keep their order.
COLUMNS = {
    "runs": ("key", "created", "result"),
    "imported": ("id", "who", "file", "added", "created", "result"),
    SUMS: ("kept", "id", "sha256"),
    "results": ("id", "kind", "owner", "created", "result"),
    "predictions": ("id", "created", "parquet"),
}
_PRIMARY = {**KEYS, SUMS: "kept, id"}

#: Digits of a checksum, of 64, that a disk may have changed.
FEW_DIGITS = 8

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
_STATEMENTS += [
    "CREATE VIEW IF NOT EXISTS stored AS "
    "SELECT 'run' AS kind, key, created, '' AS owner, result AS json FROM runs UNION ALL "
    "SELECT 'run', substr(id, 1, instr(id, '@') - 1), created, who, result FROM imported UNION ALL "
    "SELECT kind, id, created, owner, result FROM results"
]


def sum_of(row: Row) -> str:
    """Return the SHA-256 of a row, in hex."""
    return hashlib.sha256(json.dumps(row, default=_text_of).encode()).hexdigest()


def _text_of(value: object) -> str:
    """Return what stands for a value that JSON does not have: of bytes their SHA-256."""
    return hashlib.sha256(value).hexdigest() if isinstance(value, bytes) else repr(value)


def agrees(row: Row, known: object) -> bool:
    """Return whether a row is the one that a checksum was made of.

    A checksum that differs from that of the row in a few digits was itself changed on the disk:
    those of two rows differ in nearly all digits.
    """
    made, stored = sum_of(row), str(known)
    differ = sum(a != b for a, b in zip(made, stored, strict=False))
    return len(made) == len(stored) and differ <= FEW_DIGITS


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
    return [(row, row[0] not in sums or agrees(row, sums[row[0]])) for row in rows]


def drop_oldest_predictions(db: sqlite3.Connection, budget: int) -> int:
    """Remove the oldest predictions until the others take at most ``budget`` bytes.

    Returns
    -------
    int, how many were removed; the one added last always stays
    """
    rows = db.execute("SELECT id, length(parquet) FROM predictions ORDER BY rowid DESC").fetchall()
    total, old = 0, []
    for place, (id_, size) in enumerate(rows):
        total += size
        if total > budget and place:
            old.append((id_,))
    db.executemany("DELETE FROM predictions WHERE id = ?", old)
    return len(old)


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
