"""Every kind of work there is: each is one file with a name, ``ask``, ``do`` and ``read``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from zslcore.jobs import accuracies, cross, draws, embed, run, transduce
from zslcore.jobs.work import Work

__all__ = ["FUNCTIONS", "IMPORTS", "KINDS", "Kind", "read"]


class Kind(Protocol):
    """What the file of a kind holds.

    Attributes
    ----------
    NAME : str, what a work calls it
    ask : returns the :class:`Work`, from whatever it is about
    do : ``do(folder, report, **arguments)`` leaves the result in an empty folder; runs in a child
    read : ``read(folder, work)`` returns the result
    """

    NAME: str
    ask: Callable[..., Work]
    do: Callable[..., None]
    read: Callable[[Path, Work], Any]


_ALL: tuple[Kind, ...] = (run, accuracies, cross, embed, draws, transduce)
KINDS = {kind.NAME: kind for kind in _ALL}

#: What a job may ask for; see :class:`zslcore.jobs.runner.Runner`.
FUNCTIONS = {name: kind.do for name, kind in KINDS.items()}
#: What a spare child imports beyond this module while it stands by.
IMPORTS = ("torch",)


def read(folder: Path, work: Work) -> Any:
    """Return the result of ``work`` from the folder that its job has left."""
    return KINDS[work.function].read(folder, work)
