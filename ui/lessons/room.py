"""Answers of the visitors in a room, for all servers of a data folder.

Names are not stored. An answer belongs to a random number for the visit, so that a changed answer
counts once. Rooms, each with a code, are in a SQLite file in the data folder.
"""

from __future__ import annotations

import secrets
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

from zslcore.exceptions import ZSLError
from zslcore.jobs.runner import ANYONE, Visitor, position_to_free
from zslcore.storage.files import data_folder

#: Letters and digits that are not confused when read aloud or from a distance.
_SIGNS = "ABCDEFGHJKMNPQRTUVWXYZ2346789"
_CODE_LENGTH = 5
FILE = "rooms.sqlite"
#: Seconds that a server waits while another server writes.
BUSY = 20.0
_TABLES = (
    "CREATE TABLE IF NOT EXISTS rooms"
    " (code TEXT PRIMARY KEY, address TEXT, browser TEXT, opened REAL)",
    "CREATE TABLE IF NOT EXISTS votes (code TEXT, question TEXT, visit TEXT, answer TEXT,"
    " address TEXT, PRIMARY KEY (code, question, visit))",
    "CREATE TABLE IF NOT EXISTS shown"
    " (code TEXT PRIMARY KEY, lesson TEXT, step INTEGER, revealed INTEGER)",
)
#: Step shown in a room: lesson, step from 1, and whether its answer is revealed.
Shown = tuple[str, int, bool]


@cache
def _fallback_folder() -> Path:
    """Return a temporary folder for rooms if the data folder cannot be written to."""
    return Path(tempfile.mkdtemp(prefix="zsl-rooms-"))


class Rooms:
    """All rooms of a data folder.

    A browser has at most ``max_of_browser`` rooms; opening another closes its oldest room. There
    are at most ``max_rooms`` rooms. A room has answers to at most ``max_questions`` questions, and
    a question from at most ``max_visits`` visits. If all rooms or votes are taken, a new one
    replaces the newest one of the network address with the most, as in a full queue of jobs
    (:func:`zslcore.jobs.runner.position_to_free`), or is refused. A room closes ``seconds`` after
    it was opened, by the common clock of all servers.
    """

    def __init__(
        self,
        max_rooms: int = 200,
        max_of_browser: int = 5,
        max_visits: int = 400,
        max_questions: int = 100,
        seconds: float = 6 * 3600,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.max_rooms, self.max_visits, self.max_questions = max_rooms, max_visits, max_questions
        self.max_of_browser, self.seconds, self._clock = max_of_browser, seconds, clock

    def open(self, visitor: Visitor = ANYONE) -> str:
        """Open a room for a visitor; return its code.

        Raises ZSLError if all rooms are taken, and no address has at least two rooms more than
        this visitor's.
        """
        owner = (visitor.address, visitor.browser)
        with self._writing() as db:
            query = "SELECT code, address, browser FROM rooms ORDER BY opened, rowid"
            rooms = db.execute(query).fetchall()
            own = [code for code, *other in rooms if tuple(other) == owner]
            if len(own) >= self.max_of_browser:
                _close(db, own[0])
            elif len(rooms) >= self.max_rooms:
                position = position_to_free([address for _, address, _ in rooms], visitor.address)
                if position is None:
                    raise ZSLError(
                        f"Room: all {self.max_rooms} rooms of this server are taken; try again "
                        f"later, since a room closes {self.seconds / 3600:.0f} hours after it was "
                        "opened."
                    )
                _close(db, rooms[position][0])
            query = (
                "INSERT OR IGNORE INTO rooms (code, address, browser, opened) VALUES (?, ?, ?, ?)"
            )
            while True:
                code = "".join(secrets.choice(_SIGNS) for _ in range(_CODE_LENGTH))
                if db.execute(query, (code, *owner, self._clock())).rowcount:
                    return code

    def has(self, code: str) -> bool:
        """Return whether a room has this code."""
        with self._reading() as db:
            return self._has(db, code)

    def answer(self, code: str, question: str, visit: str, answer: str, address: str = "") -> bool:
        """Store an answer; ``visit`` is the visit's random number. Return whether it was stored.

        An answer is refused if the room is closed, if it already has answers to the maximum number
        of questions, or if the question has votes from the maximum number of visits and no address
        has at least two votes more than ``address``.
        """
        with self._reading() as db:
            if not self._has(db, code):
                return False
            if (visit, answer) in self._votes(db, code, question):
                return True
        with self._writing() as db:
            if not self._has(db, code):
                return False
            votes = dict(self._votes(db, code, question))
            query = "SELECT COUNT(DISTINCT question) FROM votes WHERE code = ?"
            if not votes and db.execute(query, (code,)).fetchone()[0] >= self.max_questions:
                return False
            if visit not in votes and len(votes) >= self.max_visits:
                query = (
                    "SELECT rowid, address FROM votes WHERE code = ? AND question = ?"
                    " ORDER BY rowid"
                )
                rows, addresses = zip(*db.execute(query, (code, question)), strict=True)
                position = position_to_free(addresses, address)
                if position is None:
                    return False
                db.execute("DELETE FROM votes WHERE rowid = ?", (rows[position],))
            row = (code, question, visit, answer, address)
            db.execute("INSERT OR REPLACE INTO votes VALUES (?, ?, ?, ?, ?)", row)
            return True

    def counts(self, code: str, question: str) -> Counter[str]:
        """Return the number of visitors who gave each answer to a question."""
        with self._reading() as db:
            return Counter(answer for _, answer in self._votes(db, code, question))

    def is_opened_by(self, code: str, visitor: Visitor) -> bool:
        """Return whether this visitor opened the room."""
        with self._reading() as db:
            row = db.execute("SELECT address, browser FROM rooms WHERE code = ?", (code,))
            return row.fetchone() == (visitor.address, visitor.browser)

    def show(self, code: str, shown: Shown) -> None:
        """Show a step to everyone in a room."""
        if self.shown(code) == shown:
            return
        with self._writing() as db:
            if self._has(db, code):
                db.execute("INSERT OR REPLACE INTO shown VALUES (?, ?, ?, ?)", (code, *shown))

    def shown(self, code: str) -> Shown | None:
        """Return the step shown in a room; None before its teacher shows one."""
        with self._reading() as db:
            query = "SELECT lesson, step, revealed FROM shown WHERE code = ?"
            row = db.execute(query, (code,)).fetchone()
        return None if row is None else (row[0], int(row[1]), bool(row[2]))

    # --- The file ---------------------------------------------------------------------------------

    def _has(self, db: sqlite3.Connection, code: str) -> bool:
        """Return whether a room has this code and is not too old."""
        query = "SELECT 1 FROM rooms WHERE code = ? AND opened >= ?"
        return db.execute(query, (code, self._oldest())).fetchone() is not None

    def _oldest(self) -> float:
        return self._clock() - self.seconds

    @staticmethod
    def _votes(db: sqlite3.Connection, code: str, question: str) -> list[tuple[str, str]]:
        query = "SELECT visit, answer FROM votes WHERE code = ? AND question = ?"
        return db.execute(query, (code, question)).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Lock the file for writing, and close rooms that are too old."""
        with self._reading() as db:
            db.execute("BEGIN IMMEDIATE")
            for (code,) in db.execute(
                "SELECT code FROM rooms WHERE opened < ?", (self._oldest(),)
            ).fetchall():
                _close(db, code)
            yield db
            db.commit()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Open the file; raise ZSLError if it cannot be read or written."""
        try:
            with closing(_open()) as db:
                yield db
        except sqlite3.Error as error:
            raise ZSLError(
                f"{FILE}: expected a database of rooms that can be written; got: {error}."
            ) from error


def _close(db: sqlite3.Connection, code: str) -> None:
    for table in ("rooms", "votes", "shown"):
        db.execute(f"DELETE FROM {table} WHERE code = ?", (code,))  # noqa: S608 - our own tables


def _open() -> sqlite3.Connection:
    """Open the file in the data folder; replace a corrupt file, since rooms last hours only."""
    path = data_folder() / FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return _connect(path)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):  # locked or not writable
            return _connect(_fallback_folder() / FILE)
        path.unlink(missing_ok=True)
        return _connect(path)
    except OSError:
        return _connect(_fallback_folder() / FILE)


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=BUSY, isolation_level=None)
    try:
        db.execute("PRAGMA synchronous = OFF")  # a power cut loses answers of a few hours at most
        for table in _TABLES:
            db.execute(table)
    except BaseException:
        db.close()
        raise
    return db


#: The rooms of this server's data folder.
ROOMS = Rooms()
