"""What a server does once, before its first page: sweep, and look at the run store.

Killed processes leave folders behind, and a disk may have damaged the run store; both are seen to
here, and what a visitor has to know of it is one sentence.
"""

from __future__ import annotations

import logging
import threading

import scipy.linalg  # noqa: F401 - its threads are to be limited
from threadpoolctl import threadpool_limits

from ui.served import is_served
from zslcore.evaluation import outside
from zslcore.exceptions import ZSLError
from zslcore.jobs.upkeep import sweep_leftovers
from zslcore.results.repair import mend
from zslcore.results.store import ResultStore

__all__ = ["Start", "begin"]

_LOG = logging.getLogger(__name__)


class Start:
    """Runs once, for the first visitor, and remembers the message."""

    def __init__(self) -> None:
        self._lock, self._done, self.said = threading.Lock(), False, ""

    def begin(self) -> str:
        """Return what visitors have to know, in a sentence; empty when all is well."""
        with self._lock:
            if not self._done:
                self._done = True
                self.said = self._look()
        return self.said

    def _look(self) -> str:
        threadpool_limits(1)  # pages compute small things only, where more threads are slower
        try:
            if left := sweep_leftovers():
                _LOG.warning("%d things that killed processes had left were removed", left)
            for refusal in (refused := outside.register_own().values()):
                _LOG.warning("%s", refusal)
            return " ".join(filter(None, [mend(ResultStore()), *refused]))
        except (
            ZSLError,
            OSError,
        ) as error:  # a folder that cannot be written is reported elsewhere
            _LOG.warning("%s", error)
            return str(error) if isinstance(error, ZSLError) else ""


_START = Start()


def begin() -> str:
    """See to the data folder of this server; elsewhere, as in tests, nothing happens."""
    return _START.begin() if is_served() else ""
