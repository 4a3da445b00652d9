"""Check the tables of the contamination map, and optionally count all classes again.

    python -m tools.contamination [--count]

Without an option, it prints the errors of the tables line by line, and exits with status 1 if there
are any. With ``--count``, it recomputes ``data/contamination_counts.csv`` and
``data/matching_measured.csv``.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import get_args

from zslcore.exceptions import closest_name
from zslcore.leakage.contamination import (
    COUNTS,
    EXTRACTORS,
    NAME_SEPARATOR,
    SET_SEPARATOR,
    SETS,
    Annotation,
    Kind,
    TestSet,
    comparable,
    extractors,
    find_overlapping_classes,
    pretraining_sets,
    test_sets,
)
from zslcore.leakage.reliability import (
    MEASURED,
    PARTS,
    ReliabilityCounts,
    key_of_pair,
    pairs,
    stored_reliability,
    strengths,
)
from zslcore.leakage.vocabularies import VOCABULARY_NAMES, Vocabulary, get_vocabulary
from zslcore.storage.files import open_atomically, read_csv_rows

COLUMNS = {
    EXTRACTORS: ("extractor", "kind", "pretraining", "labels", "source", "url"),
    SETS: ("name", "title", "classes", "list", "source", "url"),
}
COUNTED = (
    *("dataset", "split", "pretraining", "classes", "certain", "possible"),
    *("certain_classes", "possible_classes", "digest"),
)
#: Increased when new rules change the counts of unchanged lists.
REVISION = 4


# --- Errors of the tables -------------------------------------------------------------------------


def problems(extractors_file: Path = EXTRACTORS, sets_file: Path = SETS) -> Iterator[str]:
    """Yield the errors of the two files that accept new rows, one sentence each.

    Parameters
    ----------
    extractors_file, sets_file : CSV files with the columns of the files in ``data/``
    """
    for path, like in ((sets_file, SETS), (extractors_file, EXTRACTORS)):
        try:
            rows = read_csv_rows(path)
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            yield f"{path.name}: could not be read ({type(error).__name__})."
            return
        expected = set(COLUMNS[like])
        if not rows or set(rows[0]) != expected or any(None in row.values() for row in rows):
            yield f"{path.name}: expected the columns {', '.join(COLUMNS[like])} in every row."
            return
        yield from _formatting_errors(path, rows)
    sets = [row["name"] for row in read_csv_rows(sets_file)]
    yield from _errors_in_sets(sets_file)
    yield from _errors_in_extractors(extractors_file, sets)


def _formatting_errors(path: Path, rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Yield errors that any table can have: spaces, sources, addresses, duplicate names."""
    first = next(iter(rows[0]))
    seen: set[str] = set()
    for number, row in enumerate(rows, 2):
        where, name = f"{path.name}, line {number}", row[first]
        for column, value in row.items():
            if value != value.strip():
                place = f"{where}, column {column!r}"
                yield f"{place}: expected no space at the start or end; got {value!r}."
        if name in seen or not name:
            yield f"{where}: expected a unique name; got {name!r}."
        seen.add(name)
        if not row["source"]:
            yield f"{where}: expected a source (authors, title, year); got none."
        if not row["url"].startswith("https://") and row.get("list") != "none":
            yield f"{where}: expected an address that begins with https://; got {row['url']!r}."


def _errors_in_sets(path: Path) -> Iterator[str]:
    for number, row in enumerate(read_csv_rows(path), 2):
        where = f"{path.name}, line {number}"
        if row["classes"] and not row["classes"].isdecimal():
            yield f"{where}: expected a number of classes or nothing; got {row['classes']!r}."
        elif row["list"] and row["list"] not in VOCABULARY_NAMES:
            yield f"{where}: {closest_name('list of classes', row['list'], VOCABULARY_NAMES)}"
        elif row["list"] and len(get_vocabulary(row["list"]).entries) != int(row["classes"] or -1):
            n = len(get_vocabulary(row["list"]).entries)
            yield f"{where}: expected {n:,} classes, as in its list; got {row['classes']!r}."


def _errors_in_extractors(path: Path, sets: Sequence[str]) -> Iterator[str]:
    allowed = {"kind": get_args(Kind), "labels": get_args(Annotation)}
    for number, row in enumerate(read_csv_rows(path), 2):
        where = f"{path.name}, line {number}"
        for column, choices in allowed.items():
            if row[column] not in choices:
                words = " or ".join(choices)
                yield f"{where}, column {column!r}: expected {words}; got {row[column]!r}."
        for name in row["pretraining"].split(SET_SEPARATOR):
            if name not in sets:
                yield f"{where}: {closest_name('pre-training set', name, sets)}"


# --- Counts ---------------------------------------------------------------------------------------


def countable() -> Iterator[tuple[TestSet, str, Vocabulary]]:
    """Yield the countable cells: test set, name and classes of the pre-training set."""
    for pretraining in pretraining_sets().values():
        if not pretraining.vocabulary:
            continue
        vocabulary = get_vocabulary(pretraining.vocabulary)
        for tested in test_sets():
            if comparable(tested, vocabulary):
                yield tested, pretraining.name, vocabulary


def count_cell(tested: TestSet, name: str, vocabulary: Vocabulary) -> dict[str, str]:
    """Return the row of one cell in ``contamination_counts.csv``."""
    certain, possible = find_overlapping_classes(tested, vocabulary)
    with_names = not tested.synsets  # names are left out for sets of 20,000 classes
    values = (
        *(tested.dataset, tested.split, name),
        *map(str, (len(tested.classes), len(certain), len(possible))),
        *(NAME_SEPARATOR.join(names) if with_names else "" for names in (certain, possible)),
        digest_of(tested, vocabulary),
    )
    return dict(zip(COUNTED, values, strict=True))


def digest_of(tested: TestSet, vocabulary: Vocabulary) -> str:
    """Return the digest of the inputs of a count, with 16 hex digits."""
    lines = [
        str(REVISION),
        *tested.classes,
        *tested.context,
        *tested.synsets,
        *(f"{entry.synset} {entry}" for entry in vocabulary.entries),
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def stale() -> Iterator[str]:
    """Yield the cells with changed lists, and cells without a count."""
    digests = {
        (r["dataset"], r["split"], r["pretraining"]): r["digest"] for r in read_csv_rows(COUNTS)
    }
    for tested, name, vocabulary in countable():
        if digests.get((tested.dataset, tested.split, name)) != digest_of(tested, vocabulary):
            title = pretraining_sets()[name].title
            yield f"{tested} x {title}: not counted for the current lists."


# --- Measured reliability -------------------------------------------------------------------------


def unlabelled() -> Iterator[tuple[str, str, str]]:
    """Yield certain matches of classes in ``labelled_pairs.csv`` that no person has labelled."""
    labelled = set(map(key_of_pair, pairs()))
    for key, strength in strengths().items():
        if strength == "strong" and key not in labelled:
            yield key


def measure() -> tuple[ReliabilityCounts, ...]:
    """Compare the labelled pairs; return one row per part."""
    strength_of = strengths()
    return tuple(_measure_part(part, strength_of) for part in PARTS)


def _measure_part(part: str, strength_of: dict[tuple[str, str, str], str]) -> ReliabilityCounts:
    of_part = [pair for pair in pairs() if pair.part == part]
    answers = [(pair.label, strength_of.get(key_of_pair(pair), "")) for pair in of_part]

    def n(labels: tuple[str, ...], strengths: tuple[str, ...]) -> int:
        return sum(label in labels and strength in strengths for label, strength in answers)

    same, related, wrong = ("same",), ("part or kind",), ("different",)
    all_labels = (*same, *related, *wrong)
    lines = [f"{asdict(pair)} {answer}" for pair, answer in zip(of_part, answers, strict=True)]
    return ReliabilityCounts(
        part=part,
        pairs=len(of_part),
        same=n(same, ("strong", "weak", "")),
        related=n(related, ("strong", "weak", "")),
        certain=n(all_labels, ("strong",)),
        certain_right=n(same, ("strong",)),
        possible=n(all_labels, ("weak",)),
        possible_right=n((*same, *related), ("weak",)),
        same_found=n(same, ("strong", "weak")),
        related_found=n(related, ("strong", "weak")),
        digest=hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16],
    )


def stale_measured() -> Iterator[str]:
    """Yield a sentence if the comparison differs from its stored results."""
    if measure() != stored_reliability():
        yield "matching_measured.csv: expected results for the current pairs and rules; got others."


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    """Write a table as CSV."""
    text = io.StringIO()
    table = csv.DictWriter(text, columns, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    with open_atomically(path) as file:
        file.write(text.getvalue().encode())


def main(arguments: Sequence[str] | None = None) -> int:
    """Check, or count and write; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", action="store_true", help="count all classes again, and write")
    if parser.parse_args(arguments).count:
        rows = [count_cell(*cell) for cell in countable()]
        write_rows(COUNTS, COUNTED, rows)
        write_rows(MEASURED, [f.name for f in fields(ReliabilityCounts)], map(asdict, measure()))
        sys.stdout.write(f"{len(rows)} cells counted.\n")
        return 0
    errors = list(problems()) or [
        f"{sentence} Run `python -m tools.contamination --count`."
        for sentence in (*stale(), *stale_measured())
    ]
    n = f"{len(extractors())} extractors, {len(pretraining_sets())} pre-training sets"
    sys.stdout.write("\n".join(errors or [f"{n}: no errors."]) + "\n")
    return int(bool(errors))


if __name__ == "__main__":
    raise SystemExit(main())
