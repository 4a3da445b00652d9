"""Lines of progress of work that other processes do, here or on a cluster with the same folder.

Every piece writes into a file of its own how far it is, and one thread here reads them all: a line
every ten seconds, whatever the pieces do. A piece weighs what it is expected to take; one of which
nothing is known weighs the mean of the others.
"""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import mkdtemp

from zslcore.storage.files import data_folder, or_refused, written_whole

#: Seconds between two lines, and between two entries of a piece.
LINE_EVERY, ENTRY_EVERY = 8.0, 1.0
#: Share of the work from which its own pace gives the time left.
FEWEST_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Standing:
    """How far the work is.

    ``share`` counts parts of pieces too; ``at_work`` names what is being done with the last message
    on it. ``expected`` seconds are those of former runs, None where no piece has one.
    """

    done: int
    total: int
    share: float
    seconds: float
    at_work: Sequence[tuple[str, str]]
    expected: float | None = None

    @property
    def seconds_left(self) -> float | None:
        """Estimate from the share, of which a tenth is done, else from what is expected.

        Without either, None before a piece is done: pieces then differ in cost by an unknown
        factor, and a part of the first one says little about the others.
        """
        paced = self.expected is not None or self.total == 1
        if self.share and (self.share >= FEWEST_SHARE if paced else self.done):
            return self.seconds * (1 - self.share) / self.share
        return None if self.expected is None else self.expected * (1 - self.share)

    def __str__(self) -> str:
        """Return the line."""
        now = "; ".join(f"{what}: {said}" if said else what for what, said in self.at_work)
        left = "" if self.seconds_left is None else f", about {_time(self.seconds_left)} left"
        line = f"{self.share:4.0%}  {self.done} of {self.total} done, {_time(self.seconds)}{left}"
        return f"{line}.  {now}" if now else f"{line}."


def _time(seconds: float) -> str:
    """Write a time as "45 s", "3 min 05 s" or "2 h 10 min"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, left = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {left:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


class PieceReport:
    """Writes how far a piece is; goes to other processes, and is cheap to call in every step."""

    def __init__(self, path: Path) -> None:
        self.path, self._next = path, 0.0

    def __call__(self, done: float, total: float, message: str = "") -> None:
        """Say that ``done`` of ``total`` is done."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + ENTRY_EVERY
        share = min(max(done / total, 0.0), 1.0) if total else 0.0
        with suppress(OSError), written_whole(self.path) as file:  # no piece fails for a line
            file.write(json.dumps({"share": share, "message": message}).encode())


class Following:
    """Follows pieces; see :func:`following`."""

    def __init__(
        self,
        folder: Path,
        pieces: Mapping[str, float],
        show: Callable[[Standing], None],
        at_once: int,
    ) -> None:
        self._folder, self._show = folder, show
        self._place = {name: str(k) for k, name in enumerate(pieces)}
        known = [seconds for seconds in pieces.values() if seconds > 0]
        usual = fmean(known) if known else 1.0
        self._weight = {name: s if s > 0 else usual for name, s in pieces.items()}
        self._total = sum(self._weight.values())
        self._expected = max(self._total / at_once, *self._weight.values()) if known else None
        self._done: set[str] = set()
        self._began = time.monotonic()

    def report_of(self, name: str) -> PieceReport:
        """Return what the piece of this name reports to."""
        return PieceReport(self._folder / self._place[name])

    def finished(self, name: str) -> None:
        """Take a piece for done."""
        self._done.add(name)

    def standing(self) -> Standing:
        """Return how far all pieces are."""
        at_work, done = [], sum(self._weight[name] for name in self._done)
        for name, place in self._place.items():
            with suppress(OSError, ValueError):
                if name not in self._done:
                    entry = json.loads((self._folder / place).read_bytes())
                    at_work.append((name, str(entry["message"])))
                    done += float(entry["share"]) * self._weight[name]
        share = done / self._total if self._total else 1.0
        seconds = time.monotonic() - self._began
        n_done, n = len(self._done), len(self._place)
        return Standing(n_done, n, share, seconds, at_work, self._expected)

    def watch(self, ended: threading.Event) -> None:
        """Show the standing until the work has ended."""
        while not ended.wait(LINE_EVERY):
            self._show(self.standing())


@contextmanager
def following(
    pieces: Mapping[str, float], show: Callable[[Standing], None], at_once: int = 1
) -> Iterator[Following]:
    """Show how far some pieces are, a line every :data:`LINE_EVERY` seconds.

    ``pieces`` says how many seconds each is expected to take, NaN where nothing is known; ``show``
    is called from a thread, with a :class:`Standing`.
    """
    data_folder().mkdir(parents=True, exist_ok=True)
    with or_refused("the progress of the work"):
        folder = Path(mkdtemp(prefix=".progress-", dir=data_folder()))
    follows, ended = Following(folder, pieces, show, at_once), threading.Event()
    thread = threading.Thread(target=follows.watch, args=(ended,), daemon=True)
    thread.start()
    try:
        yield follows
    finally:
        ended.set()
        thread.join()
        shutil.rmtree(folder, ignore_errors=True)
