"""Many images, a batch at a time and one ahead, in processes that may die.

A decoder that crashes, or does not end, takes its process along. The images that were under way are
then read one by one, each in a process of its own, so that the guilty one is named and the others
are not lost. Without workers images are read in this process, which a crash would end.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from zslcore.datasets.split_lists import is_inside
from zslcore.exceptions import FileRefusedError
from zslcore.extraction.images import MAX_PIXELS, Interpolation, Picture, opened
from zslcore.texts import clean_text, expect

if sys.platform != "win32":
    import resource

#: Seconds that one image may take, and bytes that a process may ask for.
SECONDS, MEMORY = 60, 4 << 30

#: A picture, or the sentence with which its file was refused.
Read = Picture | str


@dataclass(frozen=True, slots=True)
class Reading:
    """How images are read.

    ``workers`` are processes; 0 reads in this one. Images have to lie ``inside`` a folder, links
    followed; None allows every place.
    """

    short_side: int
    interpolation: Interpolation = "bilinear"
    max_pixels: int = MAX_PIXELS
    workers: int = 0
    inside: Path | None = None

    def read(self, path: Path) -> Read:
        """Return one picture, or why there is none."""
        try:
            if self.inside is not None:
                _refuse_elsewhere(path, self.inside)
            return opened(path, self.short_side, self.interpolation, max_pixels=self.max_pixels)
        except FileRefusedError as error:
            return str(error)


def _refuse_elsewhere(path: Path, folder: Path) -> None:
    """Refuse an image that a link leads to from another place, or that no text can name."""
    name = clean_text(path.name)
    below = f"an image below {clean_text(folder.name)}"
    expect(is_inside(path, folder), name, below, "a link out of it")
    try:
        str(path.relative_to(folder)).encode()
    except UnicodeEncodeError:
        raise FileRefusedError(
            f"{name}: expected a path in UTF-8; got other bytes, which no list of images can hold."
        ) from None


def read_batches(how: Reading, batches: Iterable[Sequence[Path]]) -> Iterator[list[Read]]:
    """Yield what every batch of files holds, while the next one is read."""
    if not how.workers:
        for batch in batches:
            yield [how.read(path) for path in batch]
        return
    with _Pool(how) as pool:
        ahead: tuple[Sequence[Path], list[Future[Read]]] | None = None
        for batch in batches:
            started = batch, pool.start(batch)
            if ahead is not None:
                yield pool.finish(*ahead)
            ahead = started
        if ahead is not None:
            yield pool.finish(*ahead)


class _Pool:
    """Processes that read, made anew when one of them dies."""

    def __init__(self, how: Reading) -> None:
        self.how = how
        self.executor = self._made(how.workers)

    def __enter__(self) -> _Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.executor.shutdown(wait=True, cancel_futures=True)

    def _made(self, workers: int) -> ProcessPoolExecutor:
        spawn = multiprocessing.get_context("spawn")  # a fork would take the network's threads
        return ProcessPoolExecutor(workers, spawn, initializer=_limit)

    def start(self, batch: Sequence[Path]) -> list[Future[Read]]:
        try:
            return [self.executor.submit(_read, self.how, path) for path in batch]
        except BrokenProcessPool:
            self.executor = self._made(self.how.workers)
            return self.start(batch)

    def finish(self, batch: Sequence[Path], asked: list[Future[Read]]) -> list[Read]:
        """Return a batch; what a crash has taken along is read again, one by one."""
        found: list[Read] = []
        for path, future in zip(batch, asked, strict=True):
            try:
                found.append(future.result())
            except BrokenProcessPool:
                found.append(self._alone(path))
        return found

    def _alone(self, path: Path) -> Read:
        with self._made(1) as executor:
            try:
                return executor.submit(_read, self.how, path).result()
            except BrokenProcessPool:
                return (
                    f"{clean_text(path.name)}: the file is damaged or hostile and crashed its "
                    f"reader, or took longer than {SECONDS} s."
                )


def _limit() -> None:
    """Limit what a reading process may ask for; runs in it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who ends the parent ends the readers
    Thread(target=_end_with_parent, daemon=True).start()
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # which ends the process


def _end_with_parent() -> None:
    """End this process with its parent, even if that was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _read(how: Reading, path: Path) -> Read:
    if sys.platform == "win32":
        return how.read(path)
    signal.alarm(SECONDS)
    try:
        return how.read(path)
    finally:
        signal.alarm(0)
