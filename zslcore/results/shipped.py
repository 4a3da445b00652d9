"""Results shipped with the package: read-only, served only for current revisions.

``data/results`` has one JSON per run in a folder per data set, named by its key, with predictions
in a Parquet file of the same name; ``python -m tools.shipped`` writes them. The run store answers
with them where it has no result of its own; the digest of the data is part of the key.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from zslcore.exceptions import FileRefusedError
from zslcore.methods import METHODS
from zslcore.storage.files import FACTS
from zslcore.storage.records import UnreadableError

if TYPE_CHECKING:
    from zslcore.evaluation.predictions import Predictions
    from zslcore.evaluation.runs import RunResult
    from zslcore.evaluation.specs import RunSpec

FOLDER = FACTS / "results"
#: Predictions that stay in memory; those of AWA1 take 3 MB.
MOST_IN_MEMORY = 32


def shipped(key: str) -> RunResult | None:
    """Return the shipped result of the spec with this key; None without a current one."""
    path = _paths(FOLDER, "json").get(key)
    return None if path is None else _read(path)


def shipped_results() -> list[RunResult]:
    """Return every shipped result of today's revisions, newest first."""
    found = (_read(path) for path in _paths(FOLDER, "json").values())
    current = [result for result in found if result is not None]
    return sorted(current, key=lambda result: result.created, reverse=True)


def shipped_predictions(key: str) -> Predictions | None:
    """Return the shipped predictions of the run with this key, of today's revisions, or None."""
    path = _paths(FOLDER, "parquet").get(key)
    return None if path is None else _read_predictions(path)


def has_predictions(key: str) -> bool:
    """Whether predictions of the run with this key come with the package; none are read."""
    return key in _paths(FOLDER, "parquet")


def plain_spec(spec: RunSpec) -> RunSpec:
    """Return the same run without the given parameters that no grid searches and are the default.

    A page names every variant of a method, a command line only what it changes.
    """
    if spec.method not in METHODS:
        return spec
    method = METHODS[spec.method]
    defaults = method().get_params()
    params = {
        name: value
        for name, value in spec.params.items()
        if name in method.param_grid or defaults.get(name) != value
    }
    return spec if params == spec.params else replace(spec, params=params)


@cache
def _paths(folder: Path, kind: str) -> Mapping[str, Path]:
    return {path.stem: path for path in sorted(folder.glob(f"*/*.{kind}"))}


@cache
def _read(path: Path) -> RunResult | None:
    from zslcore.evaluation.runs import RunResult

    with suppress(UnreadableError):
        result = RunResult.from_json(path.read_text(encoding="utf-8"))
        if result.key == path.stem and result.spec.present.revisions == result.spec.revisions:
            return result
    return None


@lru_cache(maxsize=MOST_IN_MEMORY)
def _read_predictions(path: Path) -> Predictions | None:
    from zslcore.evaluation.files import read_packaged
    from zslcore.evaluation.specs import RunSpec

    with suppress(FileRefusedError, ValueError, TypeError):
        found = read_packaged(path)
        spec = RunSpec(**dict(found.provenance.spec or {}))
        if spec.key == path.stem and spec.present.revisions == spec.revisions:
            return found
    return None
