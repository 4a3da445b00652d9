"""Versioned JSON records: written with the version of their schema, read by their types.

What another version wrote, what was torn and what is foreign is refused in one sentence, for the
caller to count or to show. An unknown field is ignored.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from zslcore.exceptions import ZSLError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from pydantic import TypeAdapter

T = TypeVar("T", bound="DataclassInstance")


class UnreadableError(ZSLError):
    """A record that this version cannot read."""


@dataclass(frozen=True)
class Schema(Generic[T]):
    """How a dataclass is stored.

    ``version`` is counted up when a field changes its name or meaning, or a new one has no default.
    """

    kind: type[T]
    version: int

    def dump(self, record: T) -> str:
        """Return a record as JSON, the same text for the same record."""
        return json.dumps({"schema": self.version} | asdict(record))

    def load(self, text: str) -> T:
        """Read what :meth:`dump` wrote in this version; anything else raises UnreadableError."""
        try:
            values = json.loads(text)
        except (ValueError, TypeError, RecursionError):  # NULL, and a million brackets, among them
            raise self._unreadable("text that is no JSON") from None
        if not isinstance(values, dict):
            raise self._unreadable(f"a {type(values).__name__}")
        written = values.pop("schema", None)
        if written != self.version:
            raise self._unreadable(f"schema {written!r}, this version reads {self.version}")
        try:
            return self._adapter.validate_python(values)
        except (ValueError, LookupError, TypeError, AttributeError, ZSLError) as error:
            raise self._unreadable(f"values that do not fit ({type(error).__name__})") from error

    def _unreadable(self, got: str) -> UnreadableError:
        return UnreadableError(f"{self.kind.__name__}: expected a stored record; got {got}.")

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        from pydantic import TypeAdapter  # not at the top: most of who imports this reads nothing

        return TypeAdapter(self.kind)
