"""The SQLite file of all results: its tables, its backup and its repair.

A store is backed up before the first change of a day. A repair sets a damaged file aside and joins
its readable rows with the backup; it keeps other repairs and writers out until the new file has
taken the name. A writer that waited for the old file finds that it has lost its name and begins
again.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any
from uuid import uuid4

from zslcore.exceptions import ZSLError

#: Tables of results -> the key of their rows, which is their first column.
KEYS = {"runs": "key", "imported": "id", "results": "id", "predictions": "id"}
#: All tables -> their columns.
COLUMNS = {
    "runs": ("key", "created", "result"),
    "imported": ("id", "who", "file", "added", "created", "result"),
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
    """Make the tables that a file lacks."""
    for table, columns in COLUMNS.items():
        typed = ", ".join(f"{column} TEXT" for column in columns)
        db.execute(f"CREATE TABLE IF NOT EXISTS {table} ({typed}, PRIMARY KEY ({KEYS[table]}))")


def rows_of(db: sqlite3.Connection, table: str, key: str | None = None) -> list[Row]:
    """Return the rows of a table, newest first; none where the file lacks the table."""
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone():
        return []
    only, values = ("", ()) if key is None else (f"WHERE {KEYS[table]} = ?", (key,))
    query = f"SELECT * FROM {table} {only} ORDER BY created DESC, rowid DESC"  # noqa: S608
    return db.execute(query, values).fetchall()


def drop_oldest_predictions(db: sqlite3.Connection, budget: int) -> int:
    """Remove the oldest predictions beyond ``budget`` bytes, never the last; return how many."""
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
    return "" if found == ["ok"] else found[0].splitlines()[-1]


def draft_of(path: Path) -> Path:
    """Return a new name next to a store, of the kind that leftovers of killed processes have."""
    return path.with_name(f".{path.name}.{uuid4().hex}")


def connected(path: Path, timeout: float = PATIENCE, mode: str = "rw") -> sqlite3.Connection:
    """Open a file; what a writer that was killed has left there is undone first."""
    address = f"{path.absolute().as_uri()}?mode={mode}"
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


# --- Repair ---------------------------------------------------------------------------------------


#: Suffixes of the files that SQLite may leave next to a database.
SQLITE_FILES = ("-journal", "-wal", "-shm")


def damage_of(path: Path) -> str:
    """Return what is wrong with the file of a store; empty when it is whole, or not there."""
    if not path.exists():
        return ""
    try:
        with closing(connected(path)) as db:
            db.execute("BEGIN")
            return damage_in(db)
    except sqlite3.OperationalError:
        return ""  # locked, or not to be opened: no damage; reading it raises an error
    except sqlite3.DatabaseError as error:
        return str(error)


def mend(path: Path) -> str:
    """Move a damaged store away, recover its readable rows and report it in a sentence, else "".

    Raises ZSLError when the store cannot be set aside, or others write for longer than a writer
    waits.
    """
    if not damage_of(path):
        return ""
    path = path.resolve()
    draft = draft_of(path)
    try:
        with _alone(path):
            damage = damage_of(path)
            return _replace(path, draft, damage) if damage else ""  # another one was first
    except (OSError, sqlite3.Error) as error:
        raise ZSLError(
            f"{path}: the run store is damaged and cannot be set aside: {error}."
        ) from error
    finally:
        for left in (draft, *(draft.with_name(f"{draft.name}{end}") for end in SQLITE_FILES)):
            left.unlink(missing_ok=True)


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
        recovered = _copy(sources, draft)
        aside = _set_aside(path, draft)
    return (
        f"The run store was damaged ({damage.rstrip('.')}). It was set aside as {aside.name}; "
        f"{recovered:,} readable results were recovered."
    )


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


def _copy(sources: list[sqlite3.Connection], into: Path) -> int:
    """Copy the readable rows, those of the first source before others; return how many results."""
    with closing(sqlite3.connect(into, isolation_level=None)) as new:
        prepare(new)
        new.execute("BEGIN")
        for source, (table, columns) in product(sources, COLUMNS.items()):
            marks = ", ".join("?" * len(columns))
            rows = (row for row in _rows(source, table) if _is_content(row[-1], table))
            new.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", rows)  # noqa: S608
        new.execute("COMMIT")
        tables = [table for table in KEYS if table != "predictions"]
        counts = (new.execute(f"SELECT count(*) FROM {table}") for table in tables)  # noqa: S608
        return sum(count for ((count,),) in counts)


def _is_content(value: object, table: str) -> bool:
    """Return whether the last column of a row holds what this package writes there."""
    if table == "predictions":
        return isinstance(value, bytes) and value[:4] == value[-4:] == b"PAR1"
    with suppress(ValueError):
        return isinstance(json.loads(str(value)), dict)
    return False


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
