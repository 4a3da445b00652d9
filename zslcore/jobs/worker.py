"""Handle of a worker process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
#: Environment variables from which libraries read their number of threads when loaded.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
)
#: Seconds between checks whether a silent worker is still alive.
POLL = 0.1


class Worker:
    """Process of :mod:`zslcore.jobs.worker_main`, in its own process group.

    ``began`` is True once the process has started its latest job, ``stays`` while it waits for the
    next one.
    """

    def __init__(self, module: str, threads: int) -> None:
        self.threads, self.began, self.stays = threads, False, True
        threads_each = dict.fromkeys(THREAD_VARIABLES, str(threads))
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        self.process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own module
            [sys.executable, "-m", "zslcore.jobs.worker_main", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=os.environ | threads_each | {"PYTHONPATH": path, "OMP_WAIT_POLICY": "passive"},
            start_new_session=True,
        )

    def do(self, job: Mapping[str, Any], on_message: Callable[[dict[str, Any]], None]) -> str:
        """Send one job, and pass on its messages; return an error sentence, or "" on success."""
        last: dict[str, Any] = {}
        ended = threading.Event()
        self.began = False

        def receive() -> None:
            assert self.process.stdout is not None  # a pipe
            for text in self.process.stdout:
                with suppress(ValueError):
                    last.clear()
                    last.update(json.loads(text))
                    self.began = True
                    on_message(dict(last))
                    if "stays" in last:
                        break
            ended.set()

        threading.Thread(target=receive, daemon=True).start()
        self._send(job)
        # Do not wait for the end of the output: child processes of a dead worker can hold its pipe
        # open.
        while not ended.wait(POLL) and self.alive:
            pass
        self.stays = bool(last.get("stays"))
        if self.stays:
            return _sentence(last, 0)
        code = self.process.wait()
        self.kill()  # also ends its child processes
        ended.wait()
        return _sentence(last, code)

    def _send(self, job: Mapping[str, Any]) -> None:
        """Send a job. Standard input stays open, since the worker ends when it is closed."""
        assert self.process.stdin is not None  # a pipe
        with suppress(BrokenPipeError):  # the worker has died; its exit status has the reason
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()

    @property
    def alive(self) -> bool:
        """Whether the process is running and can take a job."""
        return self.process.poll() is None

    def kill(self) -> None:
        """Kill the process and all its child processes."""
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()

    def end(self) -> None:
        """Kill the process, wait for its end, and close its pipes."""
        self.kill()
        with suppress(BrokenPipeError), self.process:
            pass


def _sentence(last: Mapping[str, Any], code: int) -> str:
    """Return why a worker that exited with ``code`` left no result; "" if it left one."""
    if "error" in last:
        return str(last["error"])
    if code == 0 and last.get("finished"):
        return ""
    if code == -getattr(signal, "SIGKILL", 9):
        return "The computation was killed, most likely because memory ran out."
    if code < 0:
        return f"The computation crashed ({signal.strsignal(-code) or -code})."
    return f"The computation ended without a result (exit status {code})."
