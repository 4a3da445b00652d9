"""Fair queue: round-robin over addresses, then over browsers.

Turns go round by network address, then by browser: the next job is that of the address that was
served longest ago, among its browsers of the one served longest ago, and of these the oldest. So
fifty jobs of one visitor delay another's by the one that runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeVar


class Visitor(NamedTuple):
    """The client of a job: a network address, which a class may share, and a browser there."""

    address: str
    browser: str


#: The client where clients are not distinguished: tests, and programs that use the package.
ANYONE = Visitor("", "")


class Asked(Protocol):
    """A waiting request."""

    @property
    def asked_by(self) -> Visitor:
        """The visitor who waits for it."""


Job = TypeVar("Job", bound=Asked)


class Turns:
    """Remembers who was served when."""

    #: Visitors remembered at most; those served longest ago are as good as new.
    MOST = 1000

    def __init__(self) -> None:
        self._turn = 0
        self._served: dict[str | Visitor, int] = {}

    def order(self, waiting: Sequence[Job]) -> list[Job]:
        """Return what waits in the order in which it will be served."""
        served, turn, left, ordered = dict(self._served), self._turn, list(waiting), []
        while left:
            job = min(left, key=lambda job: _last(served, job.asked_by))
            left.remove(job)
            ordered.append(job)
            turn += 1
            served |= {job.asked_by.address: turn, job.asked_by: turn}
        return ordered

    def serve(self, visitor: Visitor) -> None:
        """Take note that a job of ``visitor`` begins."""
        self._turn += 1
        self._served |= {visitor.address: self._turn, visitor: self._turn}
        if len(self._served) > self.MOST:
            latest = sorted(self._served.items(), key=lambda item: item[1])[-self.MOST // 2 :]
            self._served = dict(latest)


def _last(served: dict[str | Visitor, int], visitor: Visitor) -> tuple[int, int]:
    return served.get(visitor.address, 0), served.get(visitor, 0)


def most_waiting(waiting: Sequence[Job], address: str) -> Job | None:
    """Return the newest job of the address with most of them; None where that is ``address``.

    It gives way in a full queue if its client has two more waiting than the newcomer.
    """
    count = Counter(job.asked_by.address for job in waiting)
    fullest, n = count.most_common(1)[0]
    if n < count[address] + 2:
        return None
    return next(job for job in reversed(waiting) if job.asked_by.address == fullest)
