"""Repair a damaged run store: move it away and recover its readable rows.

A repair keeps other repairs and writers out from its first look to the moment when the new file has
taken the name. A writer that waited for the old file finds that it has lost its name and begins
again (:meth:`zslcore.results.store.ResultStore.writing`).
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
    Row,
    agrees,
    changed_rows,
    lost_rows,
    prepare,
    seal,
)
from zslcore.results.store import PATIENCE, ResultStore

#: Numbers of rows that are tried one by one, where a table does not list all it has.
MOST_ROWS = 1 << 16
#: Suffixes of the files that SQLite may leave next to a database.
SQLITE_FILES = ("-journal", "-wal", "-shm")
#: How a file begins: bytes of the header, positions of its page size and page count.
HEADER, PAGE_SIZE, N_PAGES = 100, slice(16, 18), slice(28, 32)
PAGE_SIZES = (4096, 1024, 512, 2048, 8192, 16384, 32768)


def damage_of(store: ResultStore) -> str:
    """Return what is wrong with the file of a store; empty when it is whole, or not there."""
    if not store.path.exists():
        return ""
    try:
        with closing(_connected(store.path)) as db:
            db.execute("BEGIN")
            return _damage(db)
    except sqlite3.OperationalError:
        return ""  # locked, or not to be opened: no damage; reading it raises an error
    except sqlite3.DatabaseError as error:
        return str(error)


def _damage(db: sqlite3.Connection) -> str:
    found = [str(text) for (text,) in db.execute("PRAGMA integrity_check(3)")]
    if found != ["ok"]:
        return found[0].splitlines()[-1]
    if n := changed_rows(db):
        return f"{'1 result has' if n == 1 else f'{n:,} results have'} changed on the disk"
    if n := lost_rows(db):
        return f"{'1 result is' if n == 1 else f'{n:,} results are'} missing"
    return ""


def _connected(path: Path) -> sqlite3.Connection:
    """Open a file to read it; what a writer that was killed has left there is undone first."""
    address = f"{path.absolute().as_uri()}?mode=rw"
    db = sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)
    db.text_factory = lambda text: text.decode(errors="replace")
    return db


def mend(store: ResultStore) -> str:
    """Move a damaged store away, recover its readable rows and report it in a sentence.

    Returns
    -------
    The sentence; empty where nothing is damaged. The damaged file stays, under another name.

    Raises
    ------
    ZSLError
        When the store cannot be set aside, or others write for longer than a writer waits.
    """
    if not damage_of(store):
        return ""
    path = store.path.resolve()
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with _alone(path):
            damage = damage_of(store)
            return _replaced(path, draft, damage) if damage else ""  # another one was first
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


def _replaced(path: Path, draft: Path, damage: str) -> str:
    """Replace a damaged store while it is locked; report what was recovered."""
    with ExitStack() as stack:
        patched = _patched(path)
        db = stack.enter_context(closing(_connected(path)))
        db.execute("PRAGMA writable_schema = ON")  # also reads a file that was cut off
        try:
            db.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:  # no database to SQLite: no process can lock or write it
            db.close()
        if patched is not None:
            stack.enter_context(closing(patched))
        recovered, changed = _copied([db, patched] if patched else [db], draft)
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


# --- What can be read -----------------------------------------------------------------------------


def _copied(sources: list[sqlite3.Connection], into: Path) -> tuple[int, int]:
    """Copy every row that can be read into a new file.

    Returns
    -------
    How many there are, and how many more do not agree with their checksums.
    """
    with closing(sqlite3.connect(into, isolation_level=None)) as new:
        prepare(new)
        new.execute("BEGIN")
        sums = {
            (table, id_): sha
            for source in sources
            for table, id_, sha in _rows(source, "sums")
            if table in KEYS
        }
        recovered, changed = 0, 0
        for table in KEYS:
            count, suspect = _fill(new, table, sources, sums)
            recovered += 0 if table == "predictions" else count
            changed += suspect
        seal(new)
        new.execute("COMMIT")
    return recovered, changed


def _fill(
    new: sqlite3.Connection,
    table: str,
    sources: list[sqlite3.Connection],
    sums: dict[tuple[str, str], str],
) -> tuple[int, int]:
    """Fill one table; of two rows with one key the one with the right checksum is taken."""
    marks = ", ".join("?" * len(COLUMNS[table]))
    whole: set[object] = set()
    suspect: set[object] = set()
    for row in (row for source in sources for row in _rows(source, table)):
        if row[0] in whole or not _is_content(row[-1], table):
            continue
        known = sums.get((table, row[0]))
        if known is None:
            new.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", row)  # noqa: S608
            whole.add(row[0])
        elif agrees(row, known):
            new.execute(f"INSERT INTO {table} VALUES ({marks})", row)  # noqa: S608
            whole.add(row[0])
        else:
            suspect.add(row[0])
    return len(whole), len(suspect - whole)


def _is_content(value: object, table: str) -> bool:
    """Whether the last column of a row holds what every version writes there."""
    if table == "predictions":
        return isinstance(value, bytes) and value.startswith(b"PAR1")
    return str(value).startswith("{")


def _rows(db: sqlite3.Connection, table: str) -> Iterator[Row]:
    """Yield the rows of a table that can be read in any way, some of them more than once.

    A scan ends at the first page that is damaged, from either end; a row that is looked up by its
    number is found where the path to it is intact.
    """
    try:
        columns = db.execute(f"SELECT * FROM {table} LIMIT 0").description  # noqa: S608
        if len(columns) != len(COLUMNS[table]):
            return
    except sqlite3.Error:  # also of a connection that is closed
        return
    for way in ("NOT INDEXED", "NOT INDEXED ORDER BY rowid DESC"):
        with suppress(sqlite3.Error):
            yield from db.execute(f"SELECT * FROM {table} {way}")  # noqa: S608
    for number in sorted(_numbers(db, table)):
        with suppress(sqlite3.Error):
            yield from db.execute(f"SELECT * FROM {table} WHERE rowid = ?", (number,))  # noqa: S608


def _numbers(db: sqlite3.Connection, table: str) -> set[int]:
    """Return the numbers that rows may have: those in the index of keys, and the first ones."""
    numbers = set(range(1, MOST_ROWS))
    with suppress(sqlite3.Error):
        index = f"sqlite_autoindex_{table}_1"
        for (number,) in db.execute(f"SELECT rowid FROM {table} INDEXED BY {index}"):  # noqa: S608
            numbers.add(number)
    return numbers


def _patched(path: Path) -> sqlite3.Connection | None:
    """Return a copy, in memory, of a file whose beginning is damaged, with one that is whole.

    It gets a new header; where that is not enough, a new first page with the list of tables: in
    files that this package has made the tables begin at the same pages. None where the file lists
    its tables itself, or nothing helps.
    """
    with closing(_connected(path)) as db:
        db.execute("PRAGMA writable_schema = ON")
        if _has_rows(db):
            return None
    content = path.read_bytes()  # before the lock, which closing the file would give up
    stored = int.from_bytes(content[PAGE_SIZE], "big")
    for size in sorted(PAGE_SIZES, key=lambda size: size != stored):
        fresh = _fresh(size)
        for length in (HEADER, size):
            n_pages = (len(content) // size).to_bytes(4, "big")
            begin = fresh[: N_PAGES.start] + n_pages + fresh[N_PAGES.stop : length]
            copy = _connected_to_memory(begin + content[length : len(content) // size * size])
            if _has_rows(copy):
                return copy
            copy.close()
    return None


def _fresh(page_size: int) -> bytes:
    """Return the bytes of an empty store."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        db.execute(f"PRAGMA page_size = {page_size}")
        prepare(db)
        return db.serialize()


def _connected_to_memory(content: bytes) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.text_factory = lambda text: text.decode(errors="replace")
    with suppress(sqlite3.Error):
        db.deserialize(content)
        db.execute("PRAGMA writable_schema = ON")
    return db


def _has_rows(db: sqlite3.Connection) -> bool:
    """Whether SQLite finds the tables of a file, and a row in one of them."""
    for table in KEYS:
        with suppress(sqlite3.Error):
            if db.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone():  # noqa: S608
                return True
    return False


def refusal_of(store: ResultStore) -> str:
    """Return in a sentence why a store cannot be written; empty where it can."""
    try:
        with store.writing():
            return ""
    except ZSLError as error:
        return str(error)
