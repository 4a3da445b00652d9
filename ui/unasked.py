"""What may start without a press of a button: runs that take ten seconds at most."""

from __future__ import annotations

import os
import time
from collections import defaultdict

from ui import cache, waiting
from zslcore.evaluation.protocol import ScoredTest
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.jobs import run

__all__ = ["LIMIT", "compute", "may_follow", "may_start", "seconds"]

#: Seconds that a run may take, and all those together that it is compared with.
LIMIT = 10.0
#: Seconds that this process has computed, by digest and split.
_spent: defaultdict[tuple[str, str], float] = defaultdict(float)


def seconds(spec: RunSpec) -> float:
    """Return how long a closed form takes on this machine with the work that it has, about."""
    return run.seconds(cache.dataset(spec.dataset)) * _load()


def may_start(spec: RunSpec) -> bool:
    """Whether the run that is shown may start unasked."""
    return waiting.is_quick(spec) and seconds(spec) <= LIMIT


def may_follow(spec: RunSpec) -> bool:
    """Whether a run may start unasked that is only compared with the one shown."""
    spent = _spent[spec.digest, spec.split]
    return waiting.is_quick(spec) and spent + seconds(spec) <= LIMIT


def compute(spec: RunSpec) -> tuple[RunResult, ScoredTest]:
    """Run a spec here and now, unless it has been."""
    began = time.monotonic()
    result, scores, _ = cache.quick_run(spec)
    _spent[spec.digest, spec.split] += time.monotonic() - began
    return result, scores


def _load() -> float:
    """Return how many programs share a processor here, 1 where that is not known."""
    if not hasattr(os, "getloadavg"):
        return 1.0
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
