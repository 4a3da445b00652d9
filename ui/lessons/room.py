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
from zslcore.jobs.runner import ANYONE, Visitor
from zslcore.storage.files import data_folder

#: Letters and digits that are not confused when read aloud or from a distance.
_SIGNS = "ABCDEFGHJKMNPQRTUVWXYZ2346789"
_CODE_LENGTH = 5
FILE = "rooms.sqlite"
#: Seconds that a server waits while another server writes.
BUSY = 20.0
#: Minimum number of seconds between two updates of a room's last use.
NOTED_EVERY = 60.0
_TABLES = (
    "CREATE TABLE IF NOT EXISTS rooms"
    " (code TEXT PRIMARY KEY, address TEXT, browser TEXT, opened REAL, used REAL)",
    "CREATE TABLE IF NOT EXISTS votes (code TEXT, question TEXT, visit TEXT, answer TEXT,"
    " address TEXT, PRIMARY KEY (code, question, visit))",
    "CREATE TABLE IF NOT EXISTS shown"
    " (code TEXT PRIMARY KEY, lesson TEXT, step INTEGER, revealed INTEGER)",
)
#: Step shown in a room: lesson, step from 1, and whether its answer is revealed.
Shown = tuple[str, int, bool]
#: Room to close when there are too many. It belongs to the network address with the most rooms, and
#: there to the browser with the most rooms. Of the rooms of this browser, one without answers is
#: closed first, then the least recently used one.
_FIRST_TO_GO = """
SELECT code FROM rooms WHERE {where}
ORDER BY (SELECT COUNT(*) FROM rooms AS r WHERE r.address = rooms.address) DESC,
         (SELECT COUNT(*) FROM rooms AS r
          WHERE r.address = rooms.address AND r.browser = rooms.browser) DESC,
         EXISTS (SELECT * FROM votes WHERE votes.code = rooms.code), used, opened LIMIT 1
"""


@cache
def _fallback_folder() -> Path:
    """Return a temporary folder for rooms if the data folder cannot be written to."""
    return Path(tempfile.mkdtemp(prefix="zsl-rooms-"))


class Rooms:
    """All rooms of a data folder.

    There are at most ``max_rooms`` rooms, of which a browser may open ``max_of_browser`` and a
    network address ``max_of_address``; opening a room beyond a limit closes another room that
    counts towards this limit.
    A room has answers to at most ``max_questions`` questions, and a question from at most
    ``max_visits`` visits; after that, a vote from an address with few votes replaces a vote from
    the address with the most votes. A room closes ``seconds`` after it was opened, by the common
    clock of all servers.
    """

    def __init__(
        self,
        max_rooms: int = 200,
        max_of_browser: int = 5,
        max_of_address: int = 40,
        max_visits: int = 400,
        max_questions: int = 100,
        seconds: float = 6 * 3600,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.max_rooms, self.max_visits, self.max_questions = max_rooms, max_visits, max_questions
        self.max_of_browser, self.max_of_address = max_of_browser, max_of_address
        self.seconds, self._clock = seconds, clock

    def open(self, visitor: Visitor = ANYONE) -> str:
        """Open a room for a visitor; return its code."""
        now = self._clock()
        with self._writing() as db:
            owner = (visitor.address, visitor.browser)
            self._close_surplus(db, "address = ? AND browser = ?", owner, self.max_of_browser)
            self._close_surplus(db, "address = ?", owner[:1], self.max_of_address)
            self._close_surplus(db, "1", (), self.max_rooms)
            while True:
                code = "".join(secrets.choice(_SIGNS) for _ in range(_CODE_LENGTH))
                row = (code, *owner, now, now)
                if db.execute("INSERT OR IGNORE INTO rooms VALUES (?, ?, ?, ?, ?)", row).rowcount:
                    return code

    def has(self, code: str) -> bool:
        """Return whether a room has this code."""
        with self._reading() as db:
            used = self._used(db, code)
        if used is not None and abs(self._clock() - used) > NOTED_EVERY:
            with self._writing() as db:
                self._record_use(db, code)
        return used is not None

    def answer(self, code: str, question: str, visit: str, answer: str, address: str = "") -> bool:
        """Store an answer; ``visit`` is the visit's random number. Return whether it was stored.

        An answer is refused if the room is closed, if it already has answers to the maximum number
        of questions, or if the question has votes from the maximum number of visits and no address
        has at least two votes more than ``address``.
        """
        with self._reading() as db:
            if self._used(db, code) is None:
                return False
            if (visit, answer) in self._votes(db, code, question):
                return True
        with self._writing() as db:
            if self._used(db, code) is None:
                return False
            votes = dict(self._votes(db, code, question))
            query = "SELECT COUNT(DISTINCT question) FROM votes WHERE code = ?"
            if not votes and db.execute(query, (code,)).fetchone()[0] >= self.max_questions:
                return False
            full = visit not in votes and len(votes) >= self.max_visits
            if full and not _give_way(db, code, question, address):
                return False
            row = (code, question, visit, answer, address)
            db.execute("INSERT OR REPLACE INTO votes VALUES (?, ?, ?, ?, ?)", row)
            self._record_use(db, code)
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
            if self._used(db, code) is not None:
                db.execute("INSERT OR REPLACE INTO shown VALUES (?, ?, ?, ?)", (code, *shown))
                self._record_use(db, code)

    def shown(self, code: str) -> Shown | None:
        """Return the step shown in a room; None before its teacher shows one."""
        with self._reading() as db:
            query = "SELECT lesson, step, revealed FROM shown WHERE code = ?"
            row = db.execute(query, (code,)).fetchone()
        return None if row is None else (row[0], int(row[1]), bool(row[2]))

    # --- The file ---------------------------------------------------------------------------------

    def _close_surplus(
        self, db: sqlite3.Connection, where: str, owner: tuple[str, ...], most: int
    ) -> None:
        """Close rooms until fewer than ``most`` match ``where``."""
        while db.execute(f"SELECT COUNT(*) FROM rooms WHERE {where}", owner).fetchone()[0] >= most:  # noqa: S608
            (code,) = db.execute(_FIRST_TO_GO.format(where=where), owner).fetchone()
            _close(db, code)

    def _used(self, db: sqlite3.Connection, code: str) -> float | None:
        """Return the time of a room's last use; None if the room does not exist."""
        row = db.execute(
            "SELECT used FROM rooms WHERE code = ? AND opened >= ?", (code, self._oldest())
        ).fetchone()
        return None if row is None else row[0]

    def _oldest(self) -> float:
        return self._clock() - self.seconds

    def _record_use(self, db: sqlite3.Connection, code: str) -> None:
        db.execute("UPDATE rooms SET used = ? WHERE code = ?", (self._clock(), code))

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


def _give_way(db: sqlite3.Connection, code: str, question: str, address: str) -> bool:
    """Delete a vote of the address with the most votes; return whether one was deleted."""
    votes = Counter(
        each
        for (each,) in db.execute(
            "SELECT address FROM votes WHERE code = ? AND question = ?", (code, question)
        )
    )
    fullest, n = votes.most_common(1)[0]
    if n < votes[address] + 2:
        return False
    db.execute(
        "DELETE FROM votes WHERE rowid = (SELECT MAX(rowid) FROM votes"
        " WHERE code = ? AND question = ? AND address = ?)",
        (code, question, fullest),
    )
    return True


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
