"""Import what pages need while the server is idle, so that their first visitors need not wait.

A page imports its sections, figures and libraries when it is first opened. After the first spell
of runs a thread imports all of them, one module after the other; then it reads the list of classes
that four pages begin with, and has the door for files make ready.
"""

from __future__ import annotations

import importlib
import logging
import pkgutil
import time
from collections.abc import Callable, Iterator

import ui
from zslcore.datasets.sandbox import client
from zslcore.leakage import get_vocabulary
from zslcore.leakage.matching import match_names

__all__ = ["prepare", "wanted"]

_LOG = logging.getLogger(__name__)
#: Imported inside functions: results are read with the first, split files judged with the second.
LATE = ("pydantic", "rapidfuzz")
#: With what Leakage review, Overlap gain, Compare and Data compare the names of classes. To read
#: WordNet and to parse this list is three quarters of the first view of Leakage review.
VOCABULARY = "imagenet-1k"
#: Seconds between two modules, in which visitors go first.
BREATH = 0.01
#: Seconds after which it goes on though visitors come and go all the time.
PATIENCE = 60.0


def wanted() -> Iterator[str]:
    """Yield the names of all modules that pages import, and what these import late."""
    for module in pkgutil.walk_packages(ui.__path__, "ui."):
        yield module.name
    yield from LATE


def prepare(busy: Callable[[], bool] = lambda: False) -> None:
    """Import what is wanted, unless it is there; wait while a page runs.

    Parameters
    ----------
    busy : whether a page has run since; it is waited for
    """
    latest = time.monotonic() + PATIENCE
    for name in wanted():
        while busy() and time.monotonic() < latest:
            time.sleep(10 * BREATH)
        try:
            importlib.import_module(name)
        except Exception:  # noqa: BLE001 - its page reports the error
            _LOG.exception("%s could not be imported", name)
        time.sleep(BREATH)
    match_names(["otter"], get_vocabulary(VOCABULARY))
    client.make_ready()
