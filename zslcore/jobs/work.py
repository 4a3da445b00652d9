"""Job requests and their status."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

__all__ = ["State", "Status", "Work", "key_of"]

State = Literal["queued", "running", "done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Work:
    """Something that takes long, and everything its result depends on.

    Parameters
    ----------
    title : str
        What the screen says; no part of the key.
    function : str
        Name in ``FUNCTIONS`` of the module that the runner works with.
    arguments : mapping to JSON values
        Names, numbers, specs and digests, never arrays.
    made_by : mapping to JSON values
        What does it: the revision of its kind and of methods, the grids that are searched. Part of
        the key, so that no result is taken for that of other code; never passed to the function.
    threads : int
        Threads of linear algebra in the child, part of the key: sums in another order are other
        numbers. More than one pays for long matrix products only; small ones wait for each other,
        and for other users of the cores.
    """

    title: str
    function: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    threads: int = 1
    made_by: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """SHA-256 of the work and of what does it, 16 hex digits."""
        return key_of(self.settings)

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that the result depends on."""
        return {
            "function": self.function,
            "arguments": dict(self.arguments),
            "threads": self.threads,
            "made_by": dict(self.made_by),
        }


def key_of(settings: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the settings of a work, 16 hex digits."""
    text = json.dumps(settings, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Status:
    """Status of a job.

    Attributes
    ----------
    state : "queued", "running", "done", "failed" or "cancelled"
    position : its place in the queue, 1 being the next; 0 unless queued
    done, total : how much is done of how much; ``total`` is 0 while unknown
    stage, message : what is being done
    seconds : since the job started, or was submitted while it is queued
    seconds_left : an estimate from what is done, None before there is any
    preview : an ``.npz`` of how the result looks by now, where the work draws one
    error : one sentence on why there is no result, empty unless failed or dropped
    visitors : how many wait for it
    """

    state: State
    position: int = 0
    done: float = 0
    total: float = 0
    stage: str = ""
    message: str = ""
    seconds: float = 0
    seconds_left: float | None = None
    preview: Path | None = None
    error: str = ""
    visitors: int = 0

    @property
    def active(self) -> bool:
        """Whether there is something to wait for."""
        return self.state in ("queued", "running")
