"""Memory budgets for score files, per server and per visitor.

The evaluation of a file takes memory while it runs; the file and its results take memory as long as
the visitor keeps them. The budgets count both.

========================  =======  ============================================
variable                  default  what it limits, in bytes
========================  =======  ============================================
``ZSL_MEMORY``            4 GiB    score files of all visitors of one server
``ZSL_MEMORY_A_VISITOR``  2 GiB    score files of one visitor
========================  =======  ============================================
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from zslcore.exceptions import ZSLError
from zslcore.storage import settings

#: Seconds that a file waits for memory of the server.
PATIENCE = 60.0


def server_limit() -> int:
    """Return the bytes that score files of all visitors may take."""
    return settings.MEMORY()


def visitor_limit() -> int:
    """Return the bytes that score files of one visitor may take."""
    return min(settings.MEMORY_A_VISITOR(), server_limit())


def _mb(n: int) -> str:
    return f"{n / 2**20:,.0f} MB"


class Budget:
    """Memory budget of score files; requests wait up to ``patience`` seconds for memory."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self.patience = patience
        self._changed = threading.Condition(threading.RLock())
        self._held: dict[str, int] = {}
        self._working: dict[str, int] = {}

    @contextmanager
    def reserve(self, visitor: str, most: int, subject: str) -> Iterator[int]:
        """Reserve memory for the duration of the block; yield the number of reserved bytes.

        A visitor with less than ``most`` left gets the remainder. Raises ZSLError if the remainder
        is too small, or if the server has too little memory after ``patience`` seconds.
        """
        with self._changed:
            lent = self._memory_left(visitor, most, subject)
            end = time.monotonic() + self.patience
            while self.used() + lent > server_limit():
                if not self._changed.wait(end - time.monotonic()):
                    raise ZSLError(
                        f"{subject}: expected {_mb(lent)} of free server memory for score files; "
                        f"got {_mb(max(0, server_limit() - self.used()))} of {_mb(server_limit())} "
                        "(ZSL_MEMORY). Try again later."
                    )
                lent = self._memory_left(visitor, most, subject)
            self._working[visitor] = self._working.get(visitor, 0) + lent
        try:
            yield lent
        finally:
            with self._changed:
                self._working[visitor] -= lent
                self._changed.notify_all()

    def _memory_left(self, visitor: str, most: int, subject: str) -> int:
        left = visitor_limit() - self.used(visitor)
        least = min(settings.LEAST_MEMORY, most)
        if left < least:
            raise ZSLError(
                f"{subject}: expected {_mb(least)} of free memory for your score files; got "
                f"{_mb(max(0, left))} of {_mb(visitor_limit())} (ZSL_MEMORY_A_VISITOR). Remove a "
                "file first."
            )
        return min(left, most)

    def hold(self, visitor: str, nbytes: int) -> None:
        """Set the memory held by a visitor between two runs of a page."""
        with self._changed:
            self._held[visitor] = nbytes
            if not nbytes:
                del self._held[visitor]
            self._changed.notify_all()

    def used(self, visitor: str | None = None) -> int:
        """Return the bytes in use by a visitor, or by all visitors."""
        with self._changed:
            if visitor is not None:
                return self._held.get(visitor, 0) + self._working.get(visitor, 0)
            return sum(self._held.values()) + sum(self._working.values())


#: The budget of this server, for all its visitors.
BUDGET = Budget()
