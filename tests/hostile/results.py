"""Exported results of runs with one wrong value, and a matching key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from itertools import count
from typing import Any

from tests.hostile.making import NAMES


def nested(depth: int) -> Any:
    """Return nested lists and dictionaries."""
    value: Any = 1
    for _ in range(depth):
        value = [{"a": value}]
    return value


#: Replacements for every value.
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 7, 0.5, 1e308, -1e308, 2**63, 10**400, 5e-324),
    *(float("nan"), float("inf"), float("-inf")),
    *("", "x", "nan", "1e999", "x" * 1_000_000, "\ud800", *NAMES),
    *([], [1], [None], [[]], ["x"] * 3, list(range(500)), {}, {"a": 1}, {"": None}, nested(150)),
    {"x" * 100_000: 1},
    {f"k{k}": k for k in range(5000)},
    "2026-01-31T12:00:00+00:00",
    "FancyNet",
    "digits",
)


def changed_results(entry: dict[str, Any], step: int = 1) -> Iterator[tuple[str, Any]]:
    """Yield results with one value replaced, removed or added, each with its place.

    Parameters
    ----------
    entry : a result as JSON
    step : 1 yields all of about 5,000 changes, 10 every tenth
    """
    for n, (place, value, changed) in zip(count(), _changed(entry), strict=False):
        if n % step == 0:
            yield f"{'.'.join(map(str, place))} = {repr(value)[:60]}", _with_key(changed)


def _changed(entry: dict[str, Any]) -> Iterator[tuple[tuple[Any, ...], Any, dict[str, Any]]]:
    for place in _places(entry):
        for value in VALUES:
            yield place, value, _put(entry, place, value)
        *outer, last = place
        less = deepcopy(entry)
        del _at(less, outer)[last]
        yield place, "nothing", less
        if isinstance(_at(entry, outer), dict):
            yield (*outer, "<b>"), 7, _put(entry, (*outer, "<b>"), 7)


def _places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of values; of repeated items, only the first."""
    named = value.items() if isinstance(value, dict) else enumerate(value)
    for n, (name, inner) in enumerate(named):
        if n and str(name).isdigit():
            break
        yield (*above, name)
        if isinstance(inner, dict | list):
            yield from _places(inner, (*above, name))


def _at(entry: Any, place: Any) -> Any:
    for name in place:
        entry = entry[name]
    return entry


def _put(entry: dict[str, Any], place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    result = deepcopy(entry)
    *outer, last = place
    _at(result, outer)[last] = value
    return result


def _with_key(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the result under the key of its spec, so that the reader checks more than the key."""
    if isinstance(entry.get("key"), str):
        with suppress(LookupError, TypeError):
            text = json.dumps(entry["spec"], sort_keys=True)
            entry["key"] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return entry
