"""The status of a job."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

State = Literal["queued", "running", "done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Status:
    """Status of a job.

    Attributes
    ----------
    position : its place in the queue, 1 being the next; 0 unless queued
    done, total : how much is done of how much; ``total`` is 0 while unknown
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
        """True while there is something to wait for."""
        return self.state in ("queued", "running")
