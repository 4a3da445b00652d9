"""Processes that read one file each for the door: forked from one that is ready, or started anew.

On Linux a :mod:`zslcore.datasets.sandbox.fork_server` has everything imported and forks a reader
within milliseconds; it is started with the first file, and again should it have died. Elsewhere
every reader starts by itself, which takes a quarter of a second of a processor.
"""

from __future__ import annotations

import atexit
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Protocol

from zslcore.datasets.sandbox.fork_server import ENDED

__all__ = ["Forked", "GoneError", "Reader", "Started", "fork", "start"]

KEEPER = Path(__file__).with_name("fork_server.py")
#: Seconds that a process gets to end after a signal.
GOING = 10.0


class GoneError(Exception):
    """The fork server is gone, and how the reader has ended is unknown."""


class Reader(Protocol):
    """A process that reads."""

    def wait(self, seconds: float) -> int | None:
        """Return its exit status, negative for a signal; None while it still reads."""

    def end(self) -> None:
        """End it, and return when it is gone."""


class Started:
    """A reader that was started by itself.

    Parameters
    ----------
    child : script that it runs
    request, answer : its standard input and output
    environment : all that it hears of this one's
    """

    def __init__(
        self, child: Path, request: IO[bytes], answer: IO[bytes], environment: Mapping[str, str]
    ) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own file
            [sys.executable, "-P", "-W", "ignore", str(child)],
            stdin=request,
            stdout=answer,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
        )

    def wait(self, seconds: float) -> int | None:
        """Return its exit status, negative for a signal; None while it still reads."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def end(self) -> None:
        """End it, and return when it is gone."""
        self._process.kill()
        self._process.wait()


class Forked:
    """A reader that a keeper has forked.

    Parameters
    ----------
    line : on which the keeper says how it has ended
    """

    def __init__(self, line: socket.socket) -> None:
        self._line, self._open = line, True

    def wait(self, seconds: float) -> int | None:
        """Return its exit status, negative for a signal; None while it still reads.

        Raises
        ------
        GoneError
            When the keeper is gone, and its readers with it.
        """
        if not select.select([self._line], [], [], seconds)[0]:
            return None
        said = self._said()
        if len(said) != ENDED.size:
            raise GoneError
        status: int = ENDED.unpack(said)[0]
        return status

    def end(self) -> None:
        """End it, and return when it is gone."""
        with self._line as line:
            if self._open:
                line.shutdown(socket.SHUT_WR)
                line.settimeout(GOING)
                with suppress(TimeoutError):
                    self._said()

    def _said(self) -> bytes:
        self._open = False
        with suppress(ConnectionError):
            return self._line.recv(ENDED.size)
        return b""


class _Kept:
    """A running keeper of readers of one script."""

    def __init__(self, child: Path, environment: Mapping[str, str]) -> None:
        self.child, self.owner = child, os.getpid()
        self.control, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own file
                [
                    *(sys.executable, "-P", "-W", "ignore"),
                    *(str(KEEPER), str(child), str(theirs.fileno())),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=dict(environment),
                pass_fds=[theirs.fileno()],
            )

    def serves(self, child: Path) -> bool:
        return (self.child, self.owner) == (child, os.getpid()) and self.process.poll() is None

    def fork(self, request: IO[bytes], answer: IO[bytes]) -> Forked:
        line, theirs = socket.socketpair()
        with theirs:
            passed = [request.fileno(), answer.fileno(), theirs.fileno()]
            socket.send_fds(self.control, [b"f"], passed)
        return Forked(line)

    def close(self) -> None:
        self.control.close()
        if self.owner == os.getpid():
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(GOING)
            self.process.kill()
            self.process.wait()


_LOCK = threading.Lock()
_kept: list[_Kept] = []


def fork(
    child: Path, request: IO[bytes], answer: IO[bytes], environment: Mapping[str, str]
) -> Reader:
    """Return a reader as :class:`Started` is one, forked where the system lets one fork safely.

    Raises
    ------
    GoneError
        When its keeper is gone.
    """
    if sys.platform != "linux":
        return Started(child, request, answer, environment)
    with _LOCK:
        if not (_kept and _kept[0].serves(child)):
            _close()
            _kept.append(_Kept(child, environment))
        try:
            return _kept[0].fork(request, answer)
        except OSError:
            raise GoneError from None


def start(child: Path, environment: Mapping[str, str]) -> None:
    """Let a keeper import what it needs before anybody waits for a file."""
    if sys.platform == "linux":
        with _LOCK:
            if not (_kept and _kept[0].serves(child)):
                _close()
                _kept.append(_Kept(child, environment))


def _close() -> None:
    while _kept:
        _kept.pop().close()


atexit.register(_close)
