"""Maintenance of the server process: early imports, garbage collection, leftovers of jobs."""

from __future__ import annotations

import ctypes
import gc
import importlib
import logging
import pkgutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain

import scipy.linalg  # noqa: F401 - imported so that threadpool_limits finds its BLAS
from streamlit import runtime
from threadpoolctl import threadpool_limits

import ui
from zslcore.evaluation import plugins
from zslcore.exceptions import ZSLError
from zslcore.jobs.upkeep import sweep_leftovers
from zslcore.leakage import get_vocabulary
from zslcore.leakage.matching import match_names
from zslcore.results.database import repair_store
from zslcore.results.store import ResultStore
from zslcore.untrusted import worker


def is_served() -> bool:
    """Return whether a Streamlit server runs this page; False in Streamlit's test runner."""
    return runtime.exists() and type(runtime.get_instance()) is runtime.Runtime


# --- Early imports --------------------------------------------------------------------------------


_LOG = logging.getLogger(__name__)
#: Modules imported inside functions: pydantic reads results, rapidfuzz checks split files.
LATE = ("pydantic", "rapidfuzz")
#: Class list for comparing class names on the pages Leakage, Overlap gain, Compare and Data.
#: Reading it and WordNet takes three quarters of the time of the first view of Leakage.
VOCABULARY = "imagenet-1k"
#: Seconds of pause after each import, so that pages of visitors can run.
BREATH = 0.01
#: Seconds after which imports continue even while visitors use pages.
PATIENCE = 60.0


def modules_of_pages() -> Iterator[str]:
    """Yield the names of all modules of pages, and of modules imported inside functions."""
    for module in pkgutil.walk_packages(ui.__path__, "ui."):
        yield module.name
    yield from LATE


def fact_loaders() -> Iterator[Callable[[], object]]:
    """Yield functions that fill the caches of facts on which the first views depend."""
    from zslcore.analysis.method_table import printed_cells
    from zslcore.analysis.papers.claims import judge_on_printed_tables
    from zslcore.board.checking import packaged_board
    from zslcore.results.shipped import precomputed_digests

    yield partial(match_names, ["otter"], get_vocabulary(VOCABULARY))
    yield from (precomputed_digests, printed_cells, packaged_board, judge_on_printed_tables)


def import_ahead(busy: Callable[[], bool] = lambda: False) -> None:
    """Import all modules of pages and fill the caches of facts; pause while ``busy``."""
    latest = time.monotonic() + PATIENCE
    imports = (partial(importlib.import_module, name) for name in modules_of_pages())
    steps: Iterator[Callable[[], object]] = chain(imports, fact_loaders())
    for step in steps:
        while busy() and time.monotonic() < latest:
            time.sleep(10 * BREATH)
        try:
            step()
        except Exception:  # noqa: BLE001 - the page that needs it will report the error
            _LOG.exception("%s failed", step)
        time.sleep(BREATH)
    worker.warm_up("zslcore.untrusted.readers.variables", "h5py", "scipy.io")


# --- Garbage --------------------------------------------------------------------------------------


#: Seconds after the last page run before visitors are assumed to be idle.
QUIET = 2.0
#: Minimum number of seconds between two collections, since a collection can take as long as a page
#: change.
PAUSE = 30.0
#: Number of newly imported modules after which the objects in memory are frozen again.
MANY_MODULES = 50


class Tidier:
    """Thread that collects garbage once pages have not run for ``quiet`` seconds.

    Collections are at least ``pause`` seconds apart. ``first`` is called once, before the first
    collection, with a function that returns whether pages run again.
    """

    def __init__(
        self,
        quiet: float = QUIET,
        pause: float = PAUSE,
        first: Callable[[Callable[[], bool]], None] | None = None,
    ) -> None:
        self.quiet, self.pause, self.first, self.collections = quiet, pause, first, 0
        self._last_run, self._modules = 0.0, 0
        self._last_tidied = -pause
        self._has_run = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def record_page_run(self) -> None:
        """Record that a page runs now."""
        self._last_run = time.monotonic()
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="tidier", daemon=True)
                self._thread.start()
        self._has_run.set()

    def _watch(self) -> None:
        while self._has_run.wait():
            while (left := self._due() - time.monotonic()) > 0:
                time.sleep(left)
            self._has_run.clear()
            if self.first is not None:
                first, self.first = self.first, None
                first(lambda: time.monotonic() - self._last_run < self.quiet)
            self.tidy()

    def _due(self) -> float:
        """Return the earliest time of the next collection, by the monotonic clock."""
        return max(self._last_run + self.quiet, self._last_tidied + self.pause)

    def tidy(self) -> None:
        """Collect garbage; freeze the remaining objects after many imports."""
        gc.collect()
        _return_freed_memory()
        self.collections += 1
        self._last_tidied = time.monotonic()
        if len(sys.modules) - self._modules >= MANY_MODULES:
            self._modules = len(sys.modules)
            gc.freeze()


def _return_freed_memory() -> None:
    """Return freed memory to the system; the C library of Linux keeps it per thread."""
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)


_TIDIER = Tidier(first=import_ahead)


def record_page_run() -> None:
    """Record that a page of this server runs; do nothing without a server, as in tests."""
    if is_served():
        _TIDIER.record_page_run()


# --- Data folder ----------------------------------------------------------------------------------


def prepare_folder() -> str:
    """Prepare the data folder; return a message on it for visitors, empty if nothing is wrong."""
    threadpool_limits(1)  # pages compute small arrays only: more threads would be slower
    try:
        if left := sweep_leftovers():
            _LOG.warning("removed leftovers of killed processes: %d", left)
        for refusal in (refused := plugins.register_all().values()):
            _LOG.warning("%s", refusal)
        return " ".join(filter(None, [repair_store(ResultStore().path), *refused]))
    except (ZSLError, OSError) as error:
        # A folder that cannot be written to is reported when a result is stored.
        _LOG.warning("%s", error)
        return str(error) if isinstance(error, ZSLError) else ""


_LOCK, _MESSAGES = threading.Lock(), list[str]()


def begin() -> str:
    """Prepare the data folder once per server; return the message for its visitors.

    Without a server, as in tests, do nothing.
    """
    with _LOCK:
        if is_served() and not _MESSAGES:
            _MESSAGES.append(prepare_folder())
    return "".join(_MESSAGES)
