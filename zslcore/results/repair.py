"""Repair a damaged run store: set it aside, and join its readable rows with the last backup.

A store is backed up before the first change of a day. A repair keeps other repairs and writers out
from its first look to the moment when the new file has taken the name. A writer that waited for the
old file finds that it has lost its name and begins again
(:meth:`zslcore.results.store.ResultStore.writing`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from zslcore.exceptions import ZSLError
from zslcore.results.database import (
    COLUMNS,
    KEYS,
    PATIENCE,
    Row,
    backup_of,
    connected,
    damage_in,
    draft_of,
    prepare,
    seal,
    sum_of,
)
from zslcore.results.store import ResultStore

#: Suffixes of the files that SQLite may leave next to a database.
SQLITE_FILES = ("-journal", "-wal", "-shm")


def damage_of(store: ResultStore) -> str:
    """Return what is wrong with the file of a store; empty when it is whole, or not there."""
    if not store.path.exists():
        return ""
    try:
        with closing(connected(store.path)) as db:
            db.execute("BEGIN")
            return damage_in(db)
    except sqlite3.OperationalError:
        return ""  # locked, or not to be opened: no damage; reading it raises an error
    except sqlite3.DatabaseError as error:
        return str(error)


def mend(store: ResultStore) -> str:
    """Move a damaged store away, recover its readable rows and report it in a sentence.

    The sentence is empty where nothing is damaged; the damaged file stays, under another name.
    Raises ZSLError when the store cannot be set aside, or others write for longer than a writer
    waits.
    """
    if not damage_of(store):
        return ""
    path = store.path.resolve()
    draft = draft_of(path)
    try:
        with _alone(path):
            damage = damage_of(store)
            return _replace(path, draft, damage) if damage else ""  # another one was first
    except (OSError, sqlite3.Error) as error:
        raise ZSLError(
            f"{path}: the run store is damaged and cannot be set aside: {error}."
        ) from error
    finally:
        for left in (draft, *(draft.with_name(f"{draft.name}{end}") for end in SQLITE_FILES)):
            left.unlink(missing_ok=True)


def refusal_of(store: ResultStore) -> str:
    """Return in a sentence why a store cannot be written; empty where it can."""
    try:
        with store.writing():
            return ""
    except ZSLError as error:
        return str(error)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Lock out other repairs through a separate file: the store may be too damaged for a lock."""
    lock = path.with_name(f".{path.name}.repair")
    with closing(sqlite3.connect(lock, timeout=PATIENCE, isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        yield


def _replace(path: Path, draft: Path, damage: str) -> str:
    """Replace a damaged store while it is locked; report what was recovered."""
    with ExitStack() as stack:
        db = stack.enter_context(closing(connected(path)))
        db.execute("PRAGMA writable_schema = ON")  # also reads a file that was cut off
        try:
            db.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:  # no database to SQLite: no process can lock or write it
            db.close()
        sources = [db]
        if backup_of(path).exists():
            sources.append(stack.enter_context(closing(connected(backup_of(path)))))
        recovered, changed = _copy(sources, draft)
        aside = _set_aside(path, draft)
    report = (
        f"The run store was damaged ({damage.rstrip('.')}). It was set aside as {aside.name}; "
        f"{recovered:,} readable results were recovered."
    )
    if changed:
        what = "1 result that has" if changed == 1 else f"{changed:,} results that have"
        report += f" {what} changed on the disk can only be found in the old file."
    return report


def _set_aside(path: Path, draft: Path) -> Path:
    """Give a damaged file a name of its own, and its name to the new one, in one step."""
    name = f"{path.stem}.damaged-{datetime.now(UTC):%Y%m%d-%H%M%S}-{uuid4().hex[:8]}{path.suffix}"
    aside = path.with_name(name)
    try:
        os.link(path, aside)
    except OSError:  # a file system without links: for a moment there is no store
        path.rename(aside)
    for end in SQLITE_FILES:  # of the damaged file; SQLite would take it for the new one's
        with suppress(FileNotFoundError):
            os.replace(path.with_name(f"{path.name}{end}"), aside.with_name(f"{name}{end}"))
    os.replace(draft, path)
    return aside


def _copy(sources: list[sqlite3.Connection], into: Path) -> tuple[int, int]:
    """Copy readable rows, whole ones of the first source; count results, and rows that changed."""
    whole, changed = set[tuple[str, object]](), set[tuple[str, object]]()
    with closing(sqlite3.connect(into, isolation_level=None)) as new:
        prepare(new)
        new.execute("BEGIN")
        for source in sources:
            sums = {(table, id_): sha for table, id_, sha in _rows(source, "sums")}
            for table in KEYS:
                marks = ", ".join("?" * len(COLUMNS[table]))
                for row in _rows(source, table):
                    id_ = (table, row[0])
                    if sums.get(id_) not in (None, sum_of(row)):
                        changed.add(id_)
                    elif id_ not in whole and _is_content(row[-1], table):
                        new.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)  # noqa: S608
                        whole.add(id_)
        seal(new)
        new.execute("COMMIT")
    return sum(table != "predictions" for table, _ in whole), len(changed - whole)


def _is_content(value: object, table: str) -> bool:
    """Return whether the last column of a row holds what this package writes there."""
    if table == "predictions":
        return isinstance(value, bytes) and value.startswith(b"PAR1")
    return str(value).startswith("{")


def _rows(db: sqlite3.Connection, table: str) -> Iterator[Row]:
    """Yield rows readable by a scan from either end or by the index of keys, some repeatedly."""
    numbers: list[Row] = []
    for way in ("NOT INDEXED", "NOT INDEXED ORDER BY rowid DESC"):
        with suppress(sqlite3.Error):  # also of a connection that is closed
            for row in db.execute(f"SELECT * FROM {table} {way}"):  # noqa: S608
                if len(row) == len(COLUMNS[table]):
                    yield row
    with suppress(sqlite3.Error):
        index = f"sqlite_autoindex_{table}_1"
        numbers = db.execute(f"SELECT rowid FROM {table} INDEXED BY {index}").fetchall()  # noqa: S608
    for number in numbers:
        with suppress(sqlite3.Error):
            yield from db.execute(f"SELECT * FROM {table} WHERE rowid = ?", number)  # noqa: S608
