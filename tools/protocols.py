"""Check the census of released code bases, ``data/protocols.csv``.

    python -m tools.protocols

Prints the errors line by line, and exits with status 1 if there are any.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import date
from pathlib import Path

from zslcore.exceptions import closest_name
from zslcore.leakage.released_codes import CENSUS, HOW, NONE, NOT_STATED, TRAINED_ON, Choice, codes
from zslcore.storage.files import read_csv_rows

#: Maximum number of characters of code between backticks, and of a description.
MAX_QUOTED, MAX_SAID = 40, 240
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_FILE = re.compile(r"[\w.+-]+(/[\w.+-]+)*")
_LINES = re.compile(r"([1-9]\d*)(?:-([1-9]\d*))?")


def problems(path: Path = CENSUS) -> Iterator[str]:
    """Yield the errors of a census, one sentence each.

    Parameters
    ----------
    path : CSV file with the columns of ``data/protocols.csv``
    """
    expected = [field.name for field in fields(Choice)]
    try:
        rows = read_csv_rows(path)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        yield f"{path.name}: could not be read ({type(error).__name__})."
        return
    if not rows or any(list(row) != expected or None in row.values() for row in rows):
        yield f"{path.name}: expected the columns {', '.join(expected)} in every row."
        return
    for number, row in enumerate(rows, 2):
        for sentence in (
            *_formatting_errors(row),
            *_unknown_words(row),
            *_unknown_list(row),
            *_source_errors(row),
        ):
            yield f"{path.name}, line {number}: {sentence}"
    yield from (f"{path.name}: {sentence}" for sentence in _incomplete(rows))


def _formatting_errors(row: Mapping[str, str]) -> Iterator[str]:
    """Yield errors in texts: spaces, empty cells, long texts, quoted code."""
    for column, value in row.items():
        if value != value.strip():
            yield f"column {column!r}: expected no space at the start or end; got {value!r}."
        if not value and column in ("code", "paper", "says"):
            yield f"column {column!r}: expected a text; got none."
    if len(row["says"]) > MAX_SAID:
        yield f"column 'says': expected at most {MAX_SAID} characters; got {len(row['says'])}."
    for quoted in row["says"].split("`")[1::2]:
        if len(quoted) > MAX_QUOTED:
            yield f"expected at most {MAX_QUOTED} characters of code; got {quoted!r}."


def _unknown_words(row: Mapping[str, str]) -> Iterator[str]:
    """Yield errors in the choice and in the word for its value."""
    if row["choice"] not in HOW:
        yield str(closest_name("choice", row["choice"], HOW))
    elif row["how"] not in HOW[row["choice"]]:
        yield str(closest_name(f"word for the {row['choice']}", row["how"], HOW[row["choice"]]))


def _unknown_list(row: Mapping[str, str]) -> Iterator[str]:
    """Yield errors in the training list, which only splits have; it must be a defined word."""
    named = row["trained_on"]
    if row["choice"] != "split":
        if named:
            yield f"column 'trained_on': expected a list for choice 'split' only; got {named!r}."
    elif named not in TRAINED_ON:
        yield str(closest_name("list to train on", named, TRAINED_ON))


def _source_errors(row: Mapping[str, str]) -> Iterator[str]:
    """Yield errors in the source: repository, commit, file, lines, date."""
    if not _REPOSITORY.fullmatch(row["repository"]):
        yield f"expected a repository as owner/name; got {row['repository']!r}."
    if not _COMMIT.fullmatch(row["commit"]):
        yield f"expected a commit of 40 hexadecimal digits; got {row['commit']!r}."
    if not row["file"] and row["how"] not in (NONE, NOT_STATED):
        yield f"expected the file that shows {row['how']!r}; got none."
    if row["file"] and (not _FILE.fullmatch(row["file"]) or ".." in row["file"].split("/")):
        yield f"expected a path inside the repository; got {row['file']!r}."
    lines = _LINES.fullmatch(row["lines"])
    if bool(row["file"]) != bool(row["lines"]) or (row["lines"] and not lines):
        yield f"expected lines such as 112 or 112-115 with a file, else none; got {row['lines']!r}."
    elif lines and lines[2] and int(lines[2]) <= int(lines[1]):
        yield f"expected the first line before the last; got {row['lines']!r}."
    try:
        date.fromisoformat(row["read"])
    except ValueError:
        yield f"expected the day of reading, such as 2026-11-23; got {row['read']!r}."


def _incomplete(rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Yield codes without exactly one row per choice, or with more than one paper."""
    for code in dict.fromkeys(row["code"] for row in rows):
        of_code = [row for row in rows if row["code"] == code]
        if sorted(row["choice"] for row in of_code) != sorted(HOW):
            got = ", ".join(row["choice"] for row in of_code)
            yield f"{code}: expected each of {', '.join(HOW)} once; got {got}."
        for column in ("paper", "repository"):
            if len(values := {row[column] for row in of_code}) > 1:
                yield f"{code}: expected one {column}; got {' and '.join(sorted(values))}."


def main() -> int:
    """Print the errors of the census; return the exit status."""
    errors = list(problems())
    sys.stdout.write("\n".join(errors or [f"{len(codes())} codes: no errors."]) + "\n")
    return int(bool(errors))


if __name__ == "__main__":
    raise SystemExit(main())
