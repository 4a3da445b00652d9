"""Import what pages need while the server is idle, so that their first visitors need not wait.

A page imports its sections, figures and libraries when it is first opened. After the first spell
of runs a thread imports all of them, one module after the other; then it reads the facts and the
shipped results that several pages begin with, and has the sandbox for files make ready.
"""

from __future__ import annotations

import importlib
import logging
import pkgutil
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain

import ui
from zslcore.datasets.sandbox import calling
from zslcore.leakage import get_vocabulary
from zslcore.leakage.matching import match_names

__all__ = ["facts", "prepare", "wanted"]

_LOG = logging.getLogger(__name__)
#: Imported inside functions: results are read with the first, split files judged with the second.
LATE = ("pydantic", "rapidfuzz")
#: With what Leakage review, Overlap gain, Compare and Data compare the names of classes. To read
#: WordNet and to parse this list is three quarters of the first view of Leakage review.
VOCABULARY = "imagenet-1k"
#: Seconds between two steps, in which visitors go first.
BREATH = 0.01
#: Seconds after which it goes on though visitors come and go all the time.
PATIENCE = 60.0


def wanted() -> Iterator[str]:
    """Yield the names of all modules that pages import, and what these import late."""
    for module in pkgutil.walk_packages(ui.__path__, "ui."):
        yield module.name
    yield from LATE


def facts() -> Iterator[Callable[[], object]]:
    """Yield what reads, once in a process, what Evaluate, Compare, Claims and others begin with."""
    from zslcore.analysis.method_table import printed_cells
    from zslcore.analysis.papers.claims import judged_as_printed
    from zslcore.board import packaged_board
    from zslcore.results.results_only import known_by_results

    yield partial(match_names, ["otter"], get_vocabulary(VOCABULARY))
    yield from (known_by_results, printed_cells, packaged_board, judged_as_printed)


def prepare(busy: Callable[[], bool] = lambda: False) -> None:
    """Import what is wanted and read the facts, unless they are there; wait while a page runs.

    Parameters
    ----------
    busy : whether a page has run since; it is waited for
    """
    latest = time.monotonic() + PATIENCE
    imports = (partial(importlib.import_module, name) for name in wanted())
    steps: Iterator[Callable[[], object]] = chain(imports, facts())
    for step in steps:
        while busy() and time.monotonic() < latest:
            time.sleep(10 * BREATH)
        try:
            step()
        except Exception:  # noqa: BLE001 - its page reports the error
            _LOG.exception("%s failed", step)
        time.sleep(BREATH)
    calling.make_ready()
