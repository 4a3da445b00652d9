"""Results that come with the package: read-only, and served only while their revisions are today's.

They lie in ``data/results``, one JSON per run in a folder per data set, named by its key, and are
written by ``python -m tools.shipped``. The run store answers with them where it has no result of
its own; the digest of the data is part of the key.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from zslcore.storage.files import FACTS
from zslcore.storage.records import UnreadableError

if TYPE_CHECKING:
    from zslcore.evaluation.runs import RunResult

__all__ = ["FOLDER", "shipped", "shipped_results"]

FOLDER = FACTS / "results"


def shipped(key: str, folder: Path | None = None) -> RunResult | None:
    """Return the shipped result of the spec with this key; None without one of today's revisions.

    Parameters
    ----------
    key : of :class:`zslcore.evaluation.specs.RunSpec`
    folder : where they lie, :data:`FOLDER` by default
    """
    path = _paths(folder or FOLDER).get(key)
    return None if path is None else _read(path)


def shipped_results(folder: Path | None = None) -> list[RunResult]:
    """Return every shipped result of today's revisions, newest first."""
    found = (_read(path) for path in _paths(folder or FOLDER).values())
    current = [result for result in found if result is not None]
    return sorted(current, key=lambda result: result.created, reverse=True)


@cache
def _paths(folder: Path) -> Mapping[str, Path]:
    return {path.stem: path for path in sorted(folder.glob("*/*.json"))}


@cache
def _read(path: Path) -> RunResult | None:
    from zslcore.evaluation.runs import RunResult

    with suppress(UnreadableError):
        result = RunResult.from_json(path.read_text(encoding="utf-8"))
        if result.key == path.stem and result.spec.present.revisions == result.spec.revisions:
            return result
    return None
