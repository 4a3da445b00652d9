"""A child of the runner: imports what work needs, waits for one work, does it, ends.

The work comes as one JSON line on standard input, which stays open for as long as the server lives.
Every line of the answer is one JSON object: progress, then ``finished`` or ``error``, a sentence.
A function writes into a temporary folder; with a manifest in it that folder becomes the result in
one step, so that there is never half a result.
"""

from __future__ import annotations

import json
import os
import platform
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
from threadpoolctl import threadpool_limits

from zslcore import kept
from zslcore.exceptions import ZSLError
from zslcore.jobs.runner import MANIFEST, PREVIEW
from zslcore.version import commit, version

__all__ = ["Report"]

#: Seconds between two lines of progress, and between two previews.
LINE_EVERY, PREVIEW_EVERY = 0.1, 1.0
#: Where libraries that are not loaded yet will look for their number of threads.
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Report:
    """Tells the server how far a work is; cheap enough to be called in every step.

    Parameters
    ----------
    say : callable(dict)
        Sends one line.
    folder : Path
        Where the preview goes.
    """

    def __init__(self, say: Callable[[dict[str, Any]], None], folder: Path) -> None:
        self._say, self._folder = say, folder
        self._stage: str | None = None
        self._next_line, self._next_preview = 0.0, 0.0

    def __call__(self, done: float, total: float, message: str = "", stage: str = "") -> None:
        """Say that ``done`` of ``total`` is done; a new stage starts the clock again."""
        now = time.monotonic()
        if now >= self._next_line or stage != self._stage or done == total:
            self._stage, self._next_line = stage, now + LINE_EVERY
            self._say(
                {"done": float(done), "total": float(total), "message": message, "stage": stage}
            )

    def preview(self, draw: Callable[[], Mapping[str, np.ndarray]]) -> None:
        """Leave the arrays that ``draw`` returns for the page; it is called only when it is time.

        Drawing takes no more than a tenth of the time.
        """
        start = time.monotonic()
        if start < self._next_preview:
            return
        unfinished = self._folder / f"unfinished-{PREVIEW}"
        np.savez(unfinished, allow_pickle=False, **draw())
        os.replace(unfinished, self._folder / PREVIEW)
        now = time.monotonic()
        self._next_preview = now + max(PREVIEW_EVERY, 10 * (now - start))


def main(name: str) -> None:
    """Wait for one work of the module called ``name`` and do it."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print belongs into the log
    module = import_module(name)
    for needed in getattr(module, "IMPORTS", ()):
        import_module(needed)
    line = sys.stdin.readline()
    if not line:
        return
    request = json.loads(line)
    folder = Path(request["folder"])
    threading.Thread(target=_end_with_server, args=(folder,), daemon=True).start()

    def say(line: dict[str, Any]) -> None:
        answer.write(json.dumps(line) + "\n")
        answer.flush()

    try:
        _do(module.FUNCTIONS[request["function"]], request, Report(say, folder))
    except ZSLError as error:
        say({"error": str(error)})
    except Exception as error:  # noqa: BLE001 - whatever it is, the page says one sentence
        traceback.print_exc()
        say({"error": f"The computation failed ({type(error).__name__}); the log says more."})
    else:
        say({"finished": True})


def _do(function: Callable[..., None], request: dict[str, Any], report: Report) -> None:
    """Do the work in the temporary folder and put the folder in its place."""
    folder, into = Path(request["folder"]), Path(request["into"])
    os.environ["ZSL_DATA"] = request["data"]
    _limit_threads(request["threads"])
    start = time.perf_counter()
    function(folder, report, **request["arguments"])
    seconds = time.perf_counter() - start
    (folder / PREVIEW).unlink(missing_ok=True)
    manifest = {
        "settings": {
            name: request[name] for name in ("function", "arguments", "threads", "made_by")
        },
        "files": kept.seal(sorted(folder.iterdir())),
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
    kept.discard(into)  # a damaged one, if any: an intact one is not redone
    os.replace(folder, into)


def _limit_threads(threads: int) -> None:
    """Hold libraries to ``threads``: those that are loaded, and those that will be."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(threads)))
    threadpool_limits(threads)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(threads)
    if "numba" in sys.modules:
        numba = sys.modules["numba"]
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
    else:
        os.environ["NUMBA_NUM_THREADS"] = str(threads)


def _end_with_server(folder: Path) -> None:
    """End this process and all it has started when standard input ends."""
    with suppress(OSError, ValueError):
        sys.stdin.read()
    kept.discard(folder)
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)  # the group is this process's own
    os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
