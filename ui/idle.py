"""Garbage is collected while no page runs, not after every run of one.

Streamlit would collect all generations after each run, and this app's three hundred thousand
objects, most of them of libraries, take a quarter of a second with the interpreter's lock held:
``runner.postScriptGC`` is off. Python goes on collecting by itself as garbage grows; what is left
goes here, once no page has run for a moment. What has been imported by then is frozen first, so
that no later collection walks through it; :mod:`ui.warm` imports the rest before.
"""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Callable

from ui import warm
from ui.served import is_served

__all__ = ["Tidier", "page_runs"]

#: Seconds without a run of any page after which no visitor is assumed to wait.
QUIET = 2.0
#: Modules that have to be new before what is in memory is frozen again.
MANY_MODULES = 50


class Tidier:
    """Collects once after every spell of runs, in a thread of its own.

    Parameters
    ----------
    quiet : float, seconds
    first : done once, after the first spell and before the first collection; it gets a callable
        that returns whether pages run again
    """

    def __init__(
        self, quiet: float = QUIET, first: Callable[[Callable[[], bool]], None] | None = None
    ) -> None:
        self.quiet, self.first, self.collections = quiet, first, 0
        self._last_run, self._modules = 0.0, 0
        self._has_run = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def page_runs(self) -> None:
        """Take note that a page runs now."""
        self._last_run = time.monotonic()
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="tidier", daemon=True)
                self._thread.start()
        self._has_run.set()

    def _watch(self) -> None:
        while self._has_run.wait():
            while (left := self._last_run + self.quiet - time.monotonic()) > 0:
                time.sleep(left)
            self._has_run.clear()
            if self.first is not None:
                first, self.first = self.first, None
                first(lambda: time.monotonic() - self._last_run < self.quiet)
            self.tidy()

    def tidy(self) -> None:
        """Collect; freeze what is left when much has been imported since."""
        gc.collect()
        self.collections += 1
        if len(sys.modules) - self._modules >= MANY_MODULES:
            self._modules = len(sys.modules)
            gc.freeze()


_TIDIER = Tidier(first=warm.prepare)


def page_runs() -> None:
    """Take note that a page of this server runs; elsewhere, as in tests, nothing happens."""
    if is_served():
        _TIDIER.page_runs()
