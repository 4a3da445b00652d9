"""Cleaning of texts from files, and checks of JSON values with messages that name the file."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from zslcore.exceptions import FileRefusedError
from zslcore.names import shared_spellings

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from pydantic import TypeAdapter


def clean_text(text: object, length: int = 200) -> str:
    r"""Return ``text`` without control, format and unassigned characters, cut to ``length``.

    Examples
    --------
    >>> clean_text("grizzly\x00+bear\u202e\n")
    'grizzly+bear'
    """
    start = str(text)[: 4 * length]
    if not start.isprintable():  # printable texts contain nothing to remove
        start = "".join(c for c in start if c.isspace() or unicodedata.category(c)[0] != "C")
    return " ".join(start.split())[:length].rstrip()


def html_of_frame(title: str, frame: pd.DataFrame, rows: int = 12) -> str:
    """Return a title and a table as HTML for a notebook, with at most ``rows`` rows."""
    table = frame.to_html(max_rows=rows, border=0, index=False, na_rep="")
    return f"<p>{escape(title)}</p>{table}"


#: Name of the file that :func:`search_pattern` writes.
MATCHES = "found.json"


def listed(names: Sequence[str], most: int = 6) -> str:
    """Join the first ``most`` names, and count further ones: ``a, b and 7 more``."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def search_pattern(names: Sequence[str], pattern: str, out: Path) -> str:
    """Write a JSON list of the first group of ``pattern`` in each name; null without a match.

    Returns the end of a sentence on why the pattern is invalid; empty for a valid pattern.
    """
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"expected a regular expression, {error}"
    if not compiled.groups:
        return "expected a group in round brackets, such as (.*)_aug[0-9]+"
    matches = (compiled.search(name) for name in names)
    groups = [match and match.group(1) for match in matches]
    (out / MATCHES).write_text(json.dumps(groups), encoding="utf-8")
    return ""


def match_all(pattern: re.Pattern[str] | str, texts: Iterable[str]) -> list[re.Match[str]]:
    r"""Return the match of a pattern with each whole text; [] unless all texts match.

    Examples
    --------
    >>> [match[1] for match in match_all(r"(\w+) \d", ["dog 1", "cat 2"])]
    ['dog', 'cat']
    >>> match_all(r"(\w+) \d", ["dog 1", "cat"])
    []
    """
    matches = []
    for text in texts:
        if (match := re.fullmatch(pattern, text)) is None:
            return []
        matches.append(match)
    return matches


def have_type(values: Iterable[object], kind: type | UnionType) -> bool:
    """Whether all values of a list or an object have a type."""
    return all(isinstance(value, kind) for value in values)


def strict_json(value: Any, **options: Any) -> str:
    """Return JSON, with null for numbers that are not finite; ``options`` are for json.dumps.

    Examples
    --------
    >>> strict_json({"p": float("nan"), "n": (1, 2.5)})
    '{"p": null, "n": [1, 2.5]}'
    """

    def finite(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: finite(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [finite(inner) for inner in value]
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return json.dumps(finite(value), allow_nan=False, **options)


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every key and value within a JSON value, with the dotted name of its field."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield path, str(key)
            yield from leaves(inner, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from leaves(inner, path)
    else:
        yield path, value


def refusal_of(where: Path | str, expected: str, got: object) -> FileRefusedError:
    """Return the error on a file, or a place in it, with expected and actual content."""
    source = clean_text(where.name) if isinstance(where, Path) else where
    return FileRefusedError(f"{source}: expected {expected}; got {got}.")


def expect(holds: object, where: Path | str, expected: str, got: object) -> None:
    """Raise FileRefusedError, with expected and actual content, unless ``holds``."""
    if not holds:
        raise refusal_of(where, expected, got)


def expect_range(
    where: str, values: np.ndarray, n: int, quantity: str = "", *, first: int = 1
) -> None:
    """Raise FileRefusedError for numbers outside ``first`` to ``first`` + ``n`` - 1."""
    last = first + n - 1
    outside = values[(values < first) | (values > last)]
    if outside.size:
        got = f"{outside[0]} ({outside.size} outside)"
        hint = "; are they 0-based?" if outside.max() == 0 else ""
        raise refusal_of(
            where, f"numbers {first}..{last}{f' ({quantity})' * bool(quantity)}", got + hint
        )


def refuse_repeated_names(where: Path | str, classes: Sequence[str]) -> None:
    """Raise FileRefusedError for two classes with the same name.

    The sentence has the name and both positions, counted from 0. Names that differ only in capitals
    are different, such as *Cardigan* (a dog) and *cardigan* in ImageNet; names that differ only in
    spelling, such as blanks or accents, are the same.
    """
    for positions in shared_spellings(classes).values():
        first: dict[str, int] = {}
        for at in positions:
            duplicate = first.setdefault(classes[at], at)
            duplicate = positions[0] if duplicate == at else duplicate
            same_letters = classes[at].casefold() == classes[duplicate].casefold()
            if duplicate != at and (classes[at] == classes[duplicate] or not same_letters):
                names = dict.fromkeys((classes[duplicate], classes[at]))
                got = f"{' and '.join(map(repr, names))} for classes {duplicate} and {at}"
                raise refusal_of(where, "a different name for every class", got)


_T = TypeVar("_T")


def read_fields(kind: type[_T], values: dict[str, Any], file: str) -> _T:
    """Return the values of a JSON file as a dataclass.

    Raises a FileRefusedError that names the field, and the expected and actual value.
    """
    from pydantic import ValidationError

    file = clean_text(file)
    try:
        value: _T = _adapter(cast(Any, kind)).validate_python(values)
        return value
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = clean_text(".".join(map(str, first["loc"])), 80)
        expected = clean_text(first["msg"], 160)
        got = clean_text(repr(first["input"]), 60)
        raise FileRefusedError(f"{file}, {field}: {expected}; got {got}.") from None
    except RecursionError:
        raise FileRefusedError(
            f"{file}: expected a result; got values that are nested too deeply."
        ) from None


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter  # imported late: only needed for reading

    return TypeAdapter(kind)
