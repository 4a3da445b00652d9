"""The SQLite file of all results: its tables, its backup and its repair.

A store is backed up before the first change of a day. Results that a user deletes are deleted from
store and backup. A store is therefore damaged if it is empty while its backup has results. A repair
renames a damaged file and joins its readable rows with the backup; other repairs and writers wait
until the new file has the name of the store. A writer that waited then starts again on the new
file.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

from zslcore.exceptions import ZSLError
from zslcore.numbers import counted

#: Table -> its key column, which is the first. ``imported`` has runs of other people from earlier
#: versions; it is no longer read, but repaired and backed up.
KEYS = {"runs": "key", "imported": "id", "results": "id", "predictions": "id"}
#: All tables -> their columns.
COLUMNS = {
    "runs": ("key", "created", "result"),
    "imported": ("id", "who", "file", "added", "created", "result"),
    "results": ("id", "kind", "owner", "created", "result"),
    "predictions": ("id", "created", "parquet"),
}

#: Tables with one result per row; predictions belong to a run.
RESULTS = ("runs", "imported", "results")

#: Seconds that a writer waits for another writer, which needs milliseconds.
PATIENCE = 30.0
#: Seconds after which a new backup is made.
DAY = 86_400

#: Row of any table.
Row = tuple[Any, ...]


def prepare(db: sqlite3.Connection) -> None:
    """Create the tables that a file lacks."""
    for table, columns in COLUMNS.items():
        typed = ", ".join(f"{column} TEXT" for column in columns)
        db.execute(f"CREATE TABLE IF NOT EXISTS {table} ({typed}, PRIMARY KEY ({KEYS[table]}))")


def _has_table(db: sqlite3.Connection, table: str) -> bool:
    return bool(db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone())


def rows_by_key(db: sqlite3.Connection, table: str, key: str | None = None) -> list[Row]:
    """Return the rows of a table, or its row with ``key``, newest first; [] without the table."""
    if not _has_table(db, table):
        return []
    only, values = ("", ()) if key is None else (f"WHERE {KEYS[table]} = ?", (key,))
    query = f"SELECT * FROM {table} {only} ORDER BY created DESC, rowid DESC"  # noqa: S608
    return db.execute(query, values).fetchall()


def drop_oldest_predictions(db: sqlite3.Connection, budget: int) -> int:
    """Delete the oldest predictions beyond ``budget`` bytes, never the newest; return how many."""
    rows = db.execute("SELECT id, length(parquet) FROM predictions ORDER BY rowid DESC").fetchall()
    total, old = 0, []
    for rank, (id_, size) in enumerate(rows):
        total += size
        if total > budget and rank:
            old.append((id_,))
    db.executemany("DELETE FROM predictions WHERE id = ?", old)
    return len(old)


def damage_in(db: sqlite3.Connection) -> str:
    """Return a description of the damage in an open file; "" if it is intact."""
    sentences = [str(text) for (text,) in db.execute("PRAGMA integrity_check(3)")]
    return "" if sentences == ["ok"] else sentences[0].splitlines()[-1]


def draft_of(path: Path) -> Path:
    """Return a new path for a draft next to a store."""
    return path.with_name(f".{path.name}.{uuid4().hex}")


def connected(path: Path, timeout: float = PATIENCE, mode: str = "rw") -> sqlite3.Connection:
    """Open a file; SQLite first undoes unfinished changes of a killed writer."""
    address = f"{path.absolute().as_uri()}?mode={mode}"
    db = sqlite3.connect(address, uri=True, timeout=timeout, isolation_level=None)
    db.text_factory = lambda text: text.decode(errors="replace")
    return db


def backup_of(path: Path) -> Path:
    """Return the path of the backup of a store."""
    return path.with_name(f"{path.stem}.backup{path.suffix}")


def back_up(path: Path) -> None:
    """Back up an intact store, unless a backup is less than a day old or the disk is full.

    A store that has lost its results never replaces a backup that has them.
    """
    backup, draft = backup_of(path), draft_of(path)
    with suppress(OSError, sqlite3.Error):
        if not path.exists() or (backup.exists() and time.time() - backup.stat().st_mtime < DAY):
            return
        try:
            with closing(connected(path, 0.1)) as db, closing(sqlite3.connect(draft)) as copy:
                db.execute("BEGIN")
                # Fails if the store is locked, whereas ``backup`` would wait without end.
                db.execute("SELECT count(*) FROM sqlite_master")
                db.backup(copy)
                if not damage_in(copy) and not loss_in(copy, path):
                    os.replace(draft, backup)  # before ``db`` is unlocked
        finally:
            draft.unlink(missing_ok=True)


def delete_from_backup(path: Path, id_: str) -> None:
    """Delete a result from the backup, so that a repair does not restore it."""
    backup = backup_of(path)
    if not backup.exists():
        return
    try:
        with closing(connected(backup)) as db:
            db.execute("BEGIN IMMEDIATE")
            for table in filter(partial(_has_table, db), KEYS):
                db.execute(f"DELETE FROM {table} WHERE {KEYS[table]} = ?", (id_,))  # noqa: S608
            db.execute("COMMIT")
    except sqlite3.Error as error:
        if not is_damage(error):  # a damaged backup is replaced within a day
            raise


def _counts(db: sqlite3.Connection) -> dict[str, int]:
    """Return the number of rows in each existing table of results."""
    return {
        table: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
        for table in filter(partial(_has_table, db), RESULTS)
    }


def loss_in(db: sqlite3.Connection | None, path: Path) -> str:
    """Describe the results in the backup that an open store has lost; "" without a loss.

    ``db`` is None without a file. A store has lost results if the backup has results and the store
    has none, or if the store lacks the table of some results in the backup. Deleted results do not
    count: they are deleted from the backup as well.
    """
    tables = [] if db is None else list(filter(partial(_has_table, db), RESULTS))
    empty = not any(db.execute(f"SELECT 1 FROM {t} LIMIT 1").fetchone() for t in tables if db)  # noqa: S608
    if len(tables) == len(RESULTS) and not empty:
        return ""
    backup = backup_of(path)
    if not backup.exists():
        return ""
    try:
        with closing(connected(backup)) as other:
            counts_of_other = _counts(other)
    except sqlite3.Error:
        return ""  # an unreadable backup does not show a loss
    lost = {
        table: n for table, n in counts_of_other.items() if n and (empty or table not in tables)
    }
    if not lost:
        return ""
    state = "it holds no results" if empty else f"its table {min(lost)} is missing"
    state = "the file is missing" if db is None else state
    return f"{state}, while {backup.name} holds {sum(lost.values()):,}"


# --- Repair ---------------------------------------------------------------------------------------


#: Bytes of a file header, bytes of the largest possible page, and first bytes of a header.
HEADER, LARGEST_PAGE, MAGIC = 100, 1 << 16, b"SQLite format 3\0"
#: Suffixes of the files that SQLite may leave next to a database.
SQLITE_FILES = ("-journal", "-wal", "-shm")


def is_damage(error: sqlite3.Error | OSError) -> bool:
    """Return whether an error means damage; a full disk or a locked or missing file does not."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # higher bits are details
    return code in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def damage_of(path: Path) -> str:
    """Return a description of the damage in a store's file; "" if intact or missing."""
    if not path.exists():
        return loss_in(None, path)
    try:
        with closing(connected(path)) as db:
            db.execute("BEGIN")
            damage = damage_in(db) or loss_in(db, path)
            db.execute("COMMIT")
            return damage or _refusal_to_write(db, path)
    except sqlite3.Error as error:
        return str(error) if is_damage(error) else ""  # any other error is raised on reading


def _refusal_to_write(db: sqlite3.Connection, path: Path) -> str:
    """Return why SQLite cannot write a file despite permission; "" if it can.

    The file is not opened to read its header: closing it again would drop the locks of SQLite.
    """
    try:
        db.execute("PRAGMA busy_timeout = 100")
        db.execute("BEGIN")
        db.execute("PRAGMA user_version = 0")  # the change is undone when ``db`` is closed
    except sqlite3.OperationalError as error:
        read_only = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_READONLY
        if read_only and os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
            return "its header names a file format that cannot be written"
    return ""


def repair_store(path: Path) -> str:
    """Repair a damaged store from its readable rows; return a report, "" if undamaged.

    Raises ZSLError if the store cannot be renamed, or stays locked by writers for :data:`PATIENCE`.
    """
    if not damage_of(path):
        return ""
    path = path.resolve()
    draft = draft_of(path)
    patched = draft.with_name(f"{draft.name}.patched")
    try:
        with _repair_lock(path):
            damage = damage_of(path)
            # Another process may have repaired the store before the lock was free.
            return _replace(path, draft, patched, damage) if damage else ""
    except (OSError, sqlite3.Error) as error:
        raise ZSLError(
            f"{path}: the run store is damaged and cannot be set aside: {error}."
        ) from error
    finally:
        for left, end in product((draft, patched), ("", *SQLITE_FILES)):
            left.with_name(f"{left.name}{end}").unlink(missing_ok=True)


@contextmanager
def _repair_lock(path: Path) -> Iterator[None]:
    """Lock out other repairs through a separate file: the store may be too damaged for a lock."""
    lock = path.with_name(f".{path.name}.repair")
    with closing(sqlite3.connect(lock, timeout=PATIENCE, isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        yield


def _replace(path: Path, draft: Path, patched: Path, damage: str) -> str:
    """Replace a corrupt store while it is locked; report the recovered rows."""
    aside = None
    with ExitStack() as files, ExitStack() as databases:  # files close last: closing drops locks
        sources: list[Iterable[sqlite3.Connection]] = []
        if path.exists():
            db = databases.enter_context(closing(connected(path)))
            _lock(db)
            file = files.enter_context(path.open("rb"))
            sources += [[db], _patched(file, backup_of(path), patched)]
        if backup_of(path).exists():
            sources.append([databases.enter_context(closing(connected(backup_of(path))))])
        recovered = _copy(chain.from_iterable(sources), draft)
        if path.exists():
            aside = _set_aside(path, draft)
        else:
            os.replace(draft, path)
    where = f"It was set aside as {aside.name}; " if aside else ""
    return (
        f"The run store was damaged ({damage.rstrip('.')}). {where}"
        f"{counted(recovered, 'readable result was', 'readable results were')} recovered."
    )


def _lock(db: sqlite3.Connection) -> None:
    """Lock a file; a file that SQLite refuses is not locked, since no writer can open it."""
    db.execute("PRAGMA writable_schema = ON")  # also reads a truncated file
    try:
        db.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if is_damage(error):
            db.close()
        elif error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_READONLY:
            raise


def _patched(file: IO[bytes], backup: Path, patched: Path) -> Iterator[sqlite3.Connection]:
    """Open copies of a corrupt file with the header or first page of an intact file.

    The first page lists the tables; without it, no later row is readable. The first page of the
    backup is the same, and so, usually, is that of a new store.
    """
    with closing(sqlite3.connect(":memory:")) as new:
        prepare(new)
        pages = [new.serialize()]
    with suppress(OSError), backup.open("rb") as other:
        pages.insert(0, other.read(LARGEST_PAGE))
    with patched.open("wb") as copy:
        shutil.copyfileobj(file, copy)
    for page, n in product(filter(_page_size, pages), (HEADER, LARGEST_PAGE)):
        if patched.stat().st_size >= _page_size(page):
            _patch(patched, page, n)
            with closing(connected(patched)) as db:
                db.execute("PRAGMA writable_schema = ON")
                yield db


def _page_size(content: bytes) -> int:
    """Return the page size in the header of a file; 0 for an invalid header."""
    size = int.from_bytes(content[16:18], "big") if content[:16] == MAGIC else 0
    return LARGEST_PAGE if size == 1 else size


def _patch(path: Path, page: bytes, n: int) -> None:
    """Copy ``n`` bytes of ``page`` to the start of a file, corrected to the file's page count."""
    size = _page_size(page)
    header = bytearray(page[:HEADER])
    header[18:20] = b"\1\1"  # the file has no write-ahead log
    # The file has no free pages.
    header[28:40] = (path.stat().st_size // size).to_bytes(4, "big") + bytes(8)
    header[92:96] = header[24:28]  # marks the page count as valid
    with path.open("r+b") as file:
        file.write(header + page[HEADER : min(n, size)])


def _set_aside(path: Path, draft: Path) -> Path:
    """Rename a damaged file, and give its name to the new file."""
    name = f"{path.stem}.damaged-{datetime.now(UTC):%Y%m%d-%H%M%S}-{uuid4().hex[:8]}{path.suffix}"
    aside = path.with_name(name)
    try:
        os.link(path, aside)
    except OSError:  # no links on this file system: the store is missing for a moment
        path.rename(aside)
    for end in SQLITE_FILES:  # SQLite would apply these to the new file
        with suppress(FileNotFoundError):
            os.replace(path.with_name(f"{path.name}{end}"), aside.with_name(f"{name}{end}"))
    os.replace(draft, path)
    return aside


def _copy(sources: Iterable[sqlite3.Connection], into: Path) -> int:
    """Copy readable rows, preferring earlier sources; return the number of results."""
    with closing(sqlite3.connect(into, isolation_level=None)) as new:
        prepare(new)
        new.execute("BEGIN")
        for source, table in ((s, t) for s in sources for t in COLUMNS):
            marks = ", ".join("?" * len(COLUMNS[table]))
            rows = (row for row in _rows(source, table) if _is_content(row[-1], table))
            new.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", rows)  # noqa: S608
        new.execute("COMMIT")
        return sum(_counts(new).values())


def _is_content(value: object, table: str) -> bool:
    """Return whether the last column of a row has content written by this package."""
    if table == "predictions":
        return isinstance(value, bytes) and value[:4] == value[-4:] == b"PAR1"
    with suppress(ValueError):
        return isinstance(json.loads(str(value)), dict)
    return False


def _rows(db: sqlite3.Connection, table: str) -> Iterator[Row]:
    """Yield rows readable by scans from both ends or by the key index; rows may repeat."""
    numbers: list[Row] = []
    for order in ("NOT INDEXED", "NOT INDEXED ORDER BY rowid DESC"):
        with suppress(sqlite3.Error):  # the connection may be closed, too
            for row in db.execute(f"SELECT * FROM {table} {order}"):  # noqa: S608
                if len(row) == len(COLUMNS[table]):
                    yield row
    with suppress(sqlite3.Error):
        index = f"sqlite_autoindex_{table}_1"
        numbers = db.execute(f"SELECT rowid FROM {table} INDEXED BY {index}").fetchall()  # noqa: S608
    for number in numbers:
        with suppress(sqlite3.Error):
            yield from db.execute(f"SELECT * FROM {table} WHERE rowid = ?", number)  # noqa: S608
