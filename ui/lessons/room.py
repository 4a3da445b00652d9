"""What the visitors of one room predicted: kept in memory, counted, and soon forgotten.

A room has a code that its teacher hands round. No name is asked for: an answer belongs to a random
number of a visit, so that a change of mind counts once.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

__all__ = ["ROOMS", "Rooms"]

#: Letters and digits that nobody takes for each other when they are read aloud or from afar.
_SIGNS = "ABCDEFGHJKMNPQRTUVWXYZ2346789"
_CODE = 5


@dataclass
class _Room:
    opened: float
    answers: dict[str, dict[str, str]] = field(default_factory=dict)  # question -> visit -> answer


class Rooms:
    """All rooms of this server.

    Parameters
    ----------
    most : int
        Rooms at once; the oldest is forgotten for one more.
    visits : int
        Visitors whose answers to one question are kept.
    questions : int
        Questions of one room that are answered.
    seconds : float
        A room is forgotten this long after it was opened.
    clock : callable
        Time in seconds.
    """

    def __init__(
        self,
        most: int = 200,
        visits: int = 400,
        questions: int = 100,
        seconds: float = 6 * 3600,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.most, self.visits, self.questions = most, visits, questions
        self.seconds, self._clock = seconds, clock
        self._rooms: OrderedDict[str, _Room] = OrderedDict()
        self._lock = threading.Lock()

    def open(self) -> str:
        """Open a room; returns its code."""
        with self._lock:
            self._forget()
            code = ""
            while not code or code in self._rooms:
                code = "".join(secrets.choice(_SIGNS) for _ in range(_CODE))
            self._rooms[code] = _Room(self._clock())
            while len(self._rooms) > self.most:
                self._rooms.popitem(last=False)
            return code

    def has(self, code: str) -> bool:
        """Whether there is a room with this code."""
        with self._lock:
            self._forget()
            return code in self._rooms

    def answer(self, code: str, question: str, visit: str, answer: str) -> bool:
        """Take an answer; returns whether it counts, which it does not in a full room."""
        with self._lock:
            self._forget()
            if code not in self._rooms:
                return False
            answers = self._rooms[code].answers
            if question not in answers and len(answers) >= self.questions:
                return False
            given = answers.setdefault(question, {})
            if visit not in given and len(given) >= self.visits:
                return False
            given[visit] = answer
            return True

    def counts(self, code: str, question: str) -> Counter[str]:
        """Return how many visitors gave each answer to a question."""
        with self._lock:
            room = self._rooms.get(code)
            return Counter(room.answers.get(question, {}).values() if room else ())

    def _forget(self) -> None:
        """Drop rooms that are too old; the caller holds the lock."""
        last = self._clock() - self.seconds
        while self._rooms and next(iter(self._rooms.values())).opened < last:
            self._rooms.popitem(last=False)


#: One for all visitors of this server.
ROOMS = Rooms()
