"""A result of any kind but a run: its subject, its figures and its stored record.

=============== =================================================================================
``crossed``     one fit scored on several data sets, :mod:`zslcore.analysis.cross_dataset`
``transductive`` a transductive method and its inductive base, :mod:`zslcore.analysis.transduction`
``action``      one fit of the study of actions, :mod:`zslcore.analysis.actions`
``large-scale`` one method on the ImageNet test sets, :mod:`zslcore.analysis.large_scale`
``path``        figures along a regulariser, :mod:`zslcore.analysis.regularization`
=============== =================================================================================

A run is stored as :class:`zslcore.evaluation.runs.RunResult`. Columns of all kinds have the names
of its row, so that one table holds them all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from zslcore.storage.records import Schema
from zslcore.version import commit, version

RUN = "run"
#: Every kind of result, in the order of a list.
KINDS = (RUN, "crossed", "transductive", "action", "large-scale", "path")


@dataclass(frozen=True, slots=True)
class Result:
    """A stored result of one of :data:`KINDS`.

    ``key`` is of everything that its figures depend on. ``about`` has columns of a run's row;
    ``rows`` are figures, fractions in [0, 1], one mapping per test set, contender or value.
    ``record`` is what the module of its kind reads it back from, None where a job has it.
    """

    kind: str
    key: str
    created: str
    about: dict[str, Any]
    rows: tuple[dict[str, Any], ...]
    record: Any = field(default=None)

    @property
    def id(self) -> str:
        """Its key: results of these kinds are always our own."""
        return self.key

    def table(self) -> list[dict[str, Any]]:
        """Return one tidy row per mapping of ``rows``."""
        head = {"kind": self.kind, "id": self.key, "key": self.key, "origin": "here"}
        return [head | {"created": self.created} | self.about | row for row in self.rows]

    def to_json(self) -> str:
        """Return the result as JSON, under the version of its schema."""
        return SCHEMA.dump(self)

    @classmethod
    def from_json(cls, text: str) -> Result:
        """Read what :meth:`to_json` wrote; raises UnreadableError for any other text."""
        return SCHEMA.load(text)


SCHEMA = Schema(Result, 1)


def result_of(
    kind: str,
    key: str,
    about: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    record: Any = None,
) -> Result:
    """Return a result made now by this version; see :class:`Result`."""
    made = {"version": version(), "commit": commit()}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Result(kind, key, now, made | dict(about), tuple(map(dict, rows)), record)
