"""Lines of progress of work that other processes do, here or on a cluster with the same folder.

Every piece writes into a file of its own how far it is, and one thread here reads them all: a line
every ten seconds, whatever the pieces do. The estimate takes pieces for equally long.
"""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from zslcore.storage.files import data_folder, or_refused, written_whole

__all__ = ["Following", "PieceReport", "Standing", "following"]

#: Seconds between two lines, and between two entries of a piece.
LINE_EVERY, ENTRY_EVERY = 8.0, 1.0
#: Share of a piece that is alone from which the time left is estimated.
FEWEST_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Standing:
    """How far the work is.

    Attributes
    ----------
    done, total : pieces
    share : of the work that is done, parts of pieces included
    seconds : since it began
    at_work : what is being done, and the last message on it
    """

    done: int
    total: int
    share: float
    seconds: float
    at_work: Sequence[tuple[str, str]]

    @property
    def seconds_left(self) -> float | None:
        """Estimate from the share; None before a piece is done, of one alone before a tenth is.

        Pieces differ in cost, and a part of the first one says little about the others.
        """
        enough = self.share >= FEWEST_SHARE if self.total == 1 else self.done and self.share
        if not enough:
            return None
        return self.seconds * (1 - self.share) / self.share

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
    """Writes how far a piece is; goes to other processes, and is cheap to call in every step.

    Parameters
    ----------
    path : of the piece's file
    """

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
    """Follows pieces; see :func:`following`.

    Parameters
    ----------
    folder : of the pieces' files
    names : of the pieces
    show : callable(Standing), called from a thread
    """

    def __init__(
        self, folder: Path, names: Sequence[str], show: Callable[[Standing], None]
    ) -> None:
        self._folder, self._show = folder, show
        self._place = {name: str(k) for k, name in enumerate(names)}
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
        at_work, share = [], float(len(self._done))
        for name, place in self._place.items():
            with suppress(OSError, ValueError):
                if name not in self._done:
                    entry = json.loads((self._folder / place).read_bytes())
                    at_work.append((name, str(entry["message"])))
                    share += float(entry["share"])
        n = len(self._place)
        seconds = time.monotonic() - self._began
        return Standing(len(self._done), n, share / n if n else 1.0, seconds, at_work)

    def watch(self, ended: threading.Event) -> None:
        """Show the standing until the work has ended."""
        while not ended.wait(LINE_EVERY):
            self._show(self.standing())


@contextmanager
def following(names: Sequence[str], show: Callable[[Standing], None]) -> Iterator[Following]:
    """Show how far some pieces are, a line every :data:`LINE_EVERY` seconds.

    Parameters
    ----------
    names : of the pieces
    show : callable(Standing)
    """
    data_folder().mkdir(parents=True, exist_ok=True)
    with or_refused("the progress of the work"):
        folder = Path(mkdtemp(prefix=".progress-", dir=data_folder()))
    follows, ended = Following(folder, names, show), threading.Event()
    thread = threading.Thread(target=follows.watch, args=(ended,), daemon=True)
    thread.start()
    try:
        yield follows
    finally:
        ended.set()
        thread.join()
        shutil.rmtree(folder, ignore_errors=True)
