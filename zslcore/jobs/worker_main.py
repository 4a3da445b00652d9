"""Worker process: imports the libraries once, then runs one job after another.

A job is one JSON line on standard input, which stays open while the server lives. The worker
replies with JSON lines: ``begun``, progress, then ``finished`` or ``error`` with a sentence. If the
last line has ``stays``, the process waits for the next job. It ends after an unforeseen failure,
and after :data:`JOBS_EACH` jobs, to bound memory leaks. A result is written to a draft folder,
which is renamed in one step, so that a partial result is never visible.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.analysis.study import FORMAT, MANIFEST
from zslcore.evaluation import plugins
from zslcore.exceptions import ZSLError
from zslcore.jobs.runner import PREVIEW
from zslcore.storage import artifacts
from zslcore.storage.files import is_full_or_read_only, refusal
from zslcore.version import commit, version

#: Seconds between lines of progress, and between previews.
LINE_EVERY, PREVIEW_EVERY = 0.1, 1.0
#: Number of jobs after which a process is replaced.
JOBS_EACH = 20


class JobProgress:
    """Progress of a job, sent to the server; cheap enough for every step."""

    def __init__(self, send: Callable[[dict[str, Any]], None], folder: Path) -> None:
        self._send, self._folder = send, folder
        self._done = 0.0
        self._next_line, self._next_preview = 0.0, 0.0

    def __call__(self, done: float, total: float, message: str = "") -> None:
        """Report progress at most once per interval; a new stage is reported at once."""
        now = time.monotonic()
        if now >= self._next_line or done < self._done or done == total:
            self._next_line = now + LINE_EVERY
            self._send({"done": float(done), "total": float(total), "message": message})
        self._done = done

    def preview(self, draw: Callable[[], Mapping[str, np.ndarray]]) -> None:
        """Write the arrays of ``draw`` as a preview, in at most about a tenth of the time."""
        start = time.monotonic()
        if start < self._next_preview:
            return
        unfinished = self._folder / f"unfinished-{PREVIEW}"
        np.savez(unfinished, allow_pickle=False, **draw())
        os.replace(unfinished, self._folder / PREVIEW)
        now = time.monotonic()
        self._next_preview = now + max(PREVIEW_EVERY, 10 * (now - start))


#: Held while a result is moved into place. The thread that ends this process takes it first, so
#: that it never deletes a folder that is being renamed.
_MOVING = threading.Lock()


def run_jobs(name: str) -> None:
    """Run jobs with the functions of the module ``name`` as they arrive."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # output of libraries goes to the log
    jobs = _Jobs()
    functions = import_module(name).FUNCTIONS

    def send(line: dict[str, Any]) -> None:
        answer.write(json.dumps(line) + "\n")
        answer.flush()

    for done in range(1, JOBS_EACH + 1):
        job = jobs.next()
        send({"begun": True})
        last = run_job(functions[job["function"]], job, send)
        gc.collect()
        send(last | {"stays": last["stays"] and done < JOBS_EACH})
        if not last["stays"]:
            return


class _Jobs(queue.SimpleQueue[dict[str, Any]]):
    """Jobs sent by the server; when standard input ends, this process and its children end."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        threading.Thread(target=self._receive, daemon=True).start()

    def next(self) -> dict[str, Any]:
        """Wait for the next job."""
        job = self.get()
        self._folder = Path(job["folder"])
        return job

    def _receive(self) -> None:
        with suppress(OSError, ValueError):
            for line in sys.stdin:
                self.put(json.loads(line))
        _abandon(self._folder)


def _abandon(folder: Path | None) -> None:
    """Delete the draft and exit; wait for a move in progress."""
    with _MOVING:  # held until exit, so that no result is moved after this point
        if folder is not None:
            artifacts.discard(folder)
        if hasattr(os, "killpg"):
            os.killpg(0, signal.SIGKILL)  # the process group of this worker only
        os._exit(1)


def run_job(
    function: Callable[..., None], job: dict[str, Any], send: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    """Run a job, and return its last message."""
    try:
        _compute(function, job, JobProgress(send, Path(job["folder"])))
    except ZSLError as error:
        return {"error": str(error), "stays": True}
    except Exception as error:  # noqa: BLE001 - the page shows any error
        if isinstance(error, OSError) and is_full_or_read_only(error):
            return {"error": str(refusal(error, "The result")), "stays": True}
        traceback.print_exc()
        error_name = type(error).__name__
        return {
            "error": f"The computation failed ({error_name}); see the log of the server.",
            "stays": False,
        }
    return {"finished": True, "stays": True}


def _compute(function: Callable[..., None], job: dict[str, Any], progress: JobProgress) -> None:
    folder, into = Path(job["folder"]), Path(job["into"])
    os.environ["ZSL_DATA"] = job["data"]
    plugins.restore(job["methods"])
    start = time.perf_counter()
    function(folder, progress, **job["arguments"])
    seconds = time.perf_counter() - start
    with _MOVING:
        _move(folder, into, job, seconds)


def _move(folder: Path, into: Path, job: dict[str, Any], seconds: float) -> None:
    """Write the manifest, and move the result into place."""
    (folder / PREVIEW).unlink(missing_ok=True)
    files = [path for path in sorted(folder.iterdir()) if path.name != artifacts.OWNER]
    manifest = {
        "format": FORMAT,
        "settings": {name: job[name] for name in ("function", "arguments", "threads", "made_by")},
        "files": artifacts.seal(files),
        "seconds": seconds,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": version(),
        "commit": commit(),
        "environment": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "machine": platform.machine(),
        },
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    artifacts.discard(into)  # a damaged earlier result, if any
    os.replace(folder, into)
    artifacts.unmark_draft(into)  # last, since a draft without its mark would never be deleted


if __name__ == "__main__":
    run_jobs(sys.argv[1])
