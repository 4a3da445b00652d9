"""Results of runs in JSON files, read and checked for contradictions.

A file holds either one result (the output of ``zslcore run --json``) or a list of results (the
output of ``zslcore runs export --format json``). If one result of a list is refused, the whole file
is refused. Two things cannot be checked: whether metrics are true, and whether parameters marked
validated were chosen on folds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import FileRefusedError
from zslcore.storage.records import UnreadableError
from zslcore.texts import clean_text, leaves
from zslcore.untrusted.client import read_value

#: Largest file in bytes; a result with 200 classes takes 20 kB.
MAX_BYTES = 32 << 20
#: Largest number of JSON values in a file.
MAX_VALUES = 1 << 22
#: Maximum number of characters of a text in a result. The longest text in practice, the source of
#: the data, has a few hundred.
MAX_TEXT = 2000
#: Tolerance between a mean and its recomputed value, smaller than the last digit in tables.
TOLERANCE = 1e-6


def read_runs(path: Path) -> list[RunResult]:
    """Read and check the results in a file."""
    values = read_value(path, "JSON", max_bytes=MAX_BYTES, max_items=MAX_VALUES)
    return checked_runs(values, clean_text(path.name))


def checked_runs(values: Any, file: str) -> list[RunResult]:
    """Check one result or a list of results in JSON; a refusal names ``file``."""
    entries = values if isinstance(values, list) else [values]
    if not entries:
        raise FileRefusedError(f"{file}: expected at least one result; got an empty list.")
    return [_read(entry, f"{file}, result {n}") for n, entry in enumerate(entries, 1)]


def _read(entry: Any, where: str) -> RunResult:
    try:
        result = RunResult.from_json(json.dumps(entry))
        wrong = next(_contradictions(entry, result), None)
    except (UnreadableError, LookupError, TypeError) as error:
        raise FileRefusedError(f"{where}: {clean_text(str(error)).rstrip('.')}.") from None
    if wrong:
        raise FileRefusedError(f"{where}: {wrong}.")
    return result


def _contradictions(entry: dict[str, Any], result: RunResult) -> Iterator[str]:
    """Yield the contradictions within a result."""
    yield from _bad_texts(entry)
    e = result.evaluation
    for name, value in _fractions(result):
        if not 0 <= value <= 1:
            yield f"{name} must lie between 0 and 1; got {value:g}"
    of_classes = list(e.per_class_zsl.values())
    if of_classes and abs(math.fsum(of_classes) / len(of_classes) - e.zsl) > TOLERANCE:
        mean = math.fsum(of_classes) / len(of_classes)
        yield f"zsl must be the mean of its classes, {mean:.6f}; got {e.zsl:.6f}"
    if not {*e.per_class_zsl, *e.per_class, *e.per_class_plain} <= set(result.class_names):
        yield "every class with an accuracy must have a name"
    if not all(math.isfinite(x) for _, x in leaves(asdict(result)) if isinstance(x, float)):
        yield "expected finite numbers; got NaN or infinity"
    if result.gamma_origin == "validated" and result.spec.gamma is not None:
        yield "gamma_origin must be 'given', since the spec has a gamma; got 'validated'"
    if not _is_moment(result.created):
        yield "created must be a time with its time zone, such as 2026-01-31T12:00:00+00:00"
    yield from _wrong_keys(entry["spec"], result)


def _wrong_keys(spec: dict[str, Any], result: RunResult) -> Iterator[str]:
    """Yield unknown fields of a spec, and a key of the result that is not the key of its spec."""
    unknown = sorted({*spec} - {field.name for field in fields(RunSpec)})
    if unknown:
        yield (
            "expected a spec with the fields of this version; got the field "
            f"{clean_text(unknown[0])}"
        )
    if (key := result.spec.key) != result.key:
        yield f"its key must be {key}, the key of its spec; got {clean_text(result.key)}"


def _fractions(result: RunResult) -> Iterator[tuple[str, float]]:
    """Yield each metric of a result with its name."""
    e, oracle = result.evaluation, result.oracle
    for name in ("zsl", "zsl_per_sample", "zsl_top5", "ausuc"):
        if (value := getattr(e, name)) is not None:
            yield name, value
    for name in ("plain", "calibrated", "plain_per_sample", "calibrated_per_sample"):
        if (point := getattr(e, name)) is not None:
            yield f"{name}, seen", point.seen
            yield f"{name}, unseen", point.unseen
    for of_classes in (e.per_class_zsl, e.per_class, e.per_class_plain):
        for c, value in of_classes.items():
            yield f"accuracy of class {c}", value
    if oracle is not None:
        yield "oracle, zsl", oracle.zsl
        yield "oracle, harmonic", 0.0 if oracle.harmonic is None else oracle.harmonic


def _is_moment(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _bad_texts(entry: dict[str, Any]) -> Iterator[str]:
    """Yield the faults in the texts of a result, which are shown on screen."""
    for text in (value for _, value in leaves(entry) if isinstance(value, str)):
        if len(text) > MAX_TEXT:
            got = f"{len(text):,}, which begin {clean_text(text, 40)!r}"
            yield f"expected text of at most {MAX_TEXT:,} characters; got {got}"
        elif not text.isprintable():
            yield "expected printable text; got control characters"
