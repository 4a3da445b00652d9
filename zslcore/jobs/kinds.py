"""Every kind of work there is: each is one file with a name, ``ask``, ``do`` and ``read``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from zslcore.exceptions import closest_name
from zslcore.jobs import (
    actions,
    along,
    compare,
    cross,
    draws,
    embed,
    follow,
    large_scale,
    leak_cost,
    run,
    take_apart,
    transduce,
)
from zslcore.jobs.runner import verified
from zslcore.jobs.work import Work

__all__ = ["FUNCTIONS", "KINDS", "Kind", "opened", "read"]


class Kind(Protocol):
    """What the file of a kind holds.

    Attributes
    ----------
    NAME : str, what a work calls it
    REVISION : int, counted up when the same arguments leave another result than before
    """

    NAME: str
    REVISION: int

    @property
    def ask(self) -> Callable[..., Work]:
        """Return what asks for the work, from whatever it is about."""

    @property
    def do(self) -> Callable[..., None]:
        """Return ``do(folder, report, **arguments)``, which leaves the result in an empty folder.

        It runs in a child.
        """

    @property
    def read(self) -> Callable[[Path, Work], Any]:
        """Return ``read(folder, work)``, which returns the result."""


_ALL: tuple[Kind, ...] = (
    run,
    cross,
    embed,
    draws,
    transduce,
    leak_cost,
    compare,
    follow,
    along,
    take_apart,
    actions,
    large_scale,
)
KINDS = {kind.NAME: kind for kind in _ALL}

#: What a job may ask for; see :class:`zslcore.jobs.runner.Runner`.
FUNCTIONS = {name: kind.do for name, kind in KINDS.items()}


def read(folder: Path, work: Work) -> Any:
    """Return the result of ``work`` from the folder that its job has left."""
    return KINDS[work.function].read(folder, work)


def opened(folder: Path) -> tuple[Work, Any]:
    """Return the request of a folder of results, and its result, whatever version made it.

    Raises
    ------
    ZSLError
        When the folder is not what its manifest says, or of a kind that is not known here.
    """
    settings = verified(folder)
    if settings["function"] not in KINDS:
        raise closest_name("kind of work", settings["function"], KINDS)
    work = Work(
        title=folder.name,
        function=settings["function"],
        arguments=settings["arguments"],
        threads=settings["threads"],
        made_by=settings.get("made_by", {}),
    )
    return work, read(folder, work)
