"""Keeps everything imported and forks one reader for every file; runs alone, and opens no file.

Started by path from :mod:`zslcore.datasets.sandbox.readers`, which hands over, for every file,
three descriptors through a socket: the request, a file for the answer, and a line. What is forked
reads the request as its standard input and runs the door's child from its beginning, so that limits
and walls are its own. The line says how the reader has ended; who closes it ends the reader. When
the socket is closed, every reader ends, and this process with them.

A process that starts imports for a quarter of a second, one that is forked for none. This one has a
single thread and never looks at what a file holds, so that every reader begins clean.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import selectors
import signal
import socket
import struct
import sys
from contextlib import suppress
from pathlib import Path
from types import CodeType
from typing import NoReturn

__all__ = ["ENDED", "Keeper"]

#: What readers use, imported once. Parquet's library is not among them: it sets up its own memory.
PRELOADED = (
    *("csv", "ctypes.util", "json", "resource", "tomllib", "zipfile"),
    *("numpy", "scipy.io", "h5py"),
    *("zslcore.datasets.sandbox.text", "zslcore.datasets.sandbox.confinement"),
)
#: How the end of a reader is written: its exit status, negative for a signal.
ENDED = struct.Struct("=i")
#: Descriptors that come with a file.
N_PASSED = 3
PR_SET_PDEATHSIG = 1


class Keeper:
    """Forks readers and tells how they end.

    Parameters
    ----------
    code : what a reader runs
    control : from which descriptors come
    """

    def __init__(self, code: CodeType, control: socket.socket) -> None:
        self.code, self.control, self.pid = code, control, os.getpid()
        self.lines: dict[int, socket.socket] = {}
        self.looked_at = selectors.DefaultSelector()
        self.looked_at.register(control, selectors.EVENT_READ)
        self.bell, ring = os.pipe()
        os.set_blocking(self.bell, False)
        os.set_blocking(ring, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(ring)
        self.looked_at.register(self.bell, selectors.EVENT_READ)

    def keep(self) -> None:
        """Fork a reader per request until the socket is closed."""
        while True:
            for key, _ in self.looked_at.select():
                if key.fileobj is self.control:
                    if not self._take():
                        return
                elif key.fd == self.bell:
                    with suppress(BlockingIOError):
                        os.read(self.bell, 1 << 12)
                else:
                    self._end(key.data)
            self._reap()

    def close(self) -> None:
        """End every reader."""
        for pid in self.lines:
            os.kill(pid, signal.SIGKILL)

    def _take(self) -> bool:
        """Fork a reader for what has come; False when nothing will come any more."""
        message, passed, *_ = socket.recv_fds(self.control, 1, N_PASSED)
        if not message:
            return False
        if len(passed) == N_PASSED:
            pid = os.fork()
            if pid == 0:
                self._read(*passed[:2])
            line = socket.socket(fileno=os.dup(passed[2]))
            self.lines[pid] = line
            self.looked_at.register(line, selectors.EVENT_READ, pid)
        for descriptor in passed:
            os.close(descriptor)
        return True

    def _read(self, request: int, answer: int) -> NoReturn:
        """Be the reader: run the child and end, holding nothing that belongs to anybody else."""
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != self.pid:  # it went before the call
                os._exit(status)
            os.dup2(request, 0)
            os.dup2(answer, 1)
            os.closerange(3, os.sysconf("SC_OPEN_MAX"))
            exec(self.code, {"__name__": "__main__", "__file__": self.code.co_filename})  # noqa: S102
            sys.stdout.flush()
            status = 0
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 1
        finally:
            os._exit(status)

    def _end(self, pid: int) -> None:
        """End a reader without a client; its line is closed once it is gone."""
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        self.looked_at.unregister(self.lines[pid])

    def _reap(self) -> None:
        """Tell how readers have ended."""
        while self.lines:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            line = self.lines.pop(pid)
            with suppress(KeyError):  # no longer looked at
                self.looked_at.unregister(line)
            with line, suppress(OSError):
                line.send(ENDED.pack(os.waitstatus_to_exitcode(status)))


def main() -> None:
    """Keep readers of the script that is named first, through the socket that is named second."""
    child, control = Path(sys.argv[1]), socket.socket(fileno=int(sys.argv[2]))
    for name in PRELOADED:
        importlib.import_module(name)
    keeper = Keeper(compile(child.read_bytes(), str(child), "exec"), control)
    gc.freeze()
    try:
        keeper.keep()
    finally:
        keeper.close()


if __name__ == "__main__":
    main()
