"""Class names of the columns of a score file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from zslcore.names import shared_spellings
from zslcore.scores.matrix import ScoreFile
from zslcore.scores.questions import MAX_LISTED, ask_owner


def fit_names(file: ScoreFile, fixes: Collection[str]) -> ScoreFile:
    """Return the file with one name per column, or ask if names do not fit the columns."""
    names, C = file.class_names, np.asarray(file.scores).shape[1]
    if "unnamed" in fixes:
        names = ()
    if names and len(names) != C:
        joined = [n for n in names if "," in n or ";" in n]
        why = f" ({joined[0]!r} may be two names without a comma between them)" if joined else ""
        text = f"{len(names)} class names for {C} columns of scores{why}, so no name has a column"
        advice = "leave the names out and number the columns?"
        ask_owner("unnamed", f"{file.name}: {text}: {advice}", open=True)
    file, spellings = replace(file, class_names=names), shared_spellings(names)
    if not spellings:
        return file
    if "same-class" in fixes:
        return _merge_columns(file)
    shared = [name for name, k in Counter(names).items() if k > 1]
    parts = [np.asarray(part) for part in (file.labels, file.unseen) if part is not None]
    named = any(
        np.isin(part.astype(str, copy=False), shared).any()
        for part in parts
        if part.dtype.kind in "UO"
    )
    if named or "as-is" not in fixes:
        sentence = _question_on_shared(names, spellings, named)
        ask_owner("same-class", f"{file.name}: {sentence}", open=named)
    unique = (f"{name} (column {k})" if name in shared else name for k, name in enumerate(names))
    return replace(file, class_names=tuple(unique))


def _question_on_shared(
    names: Sequence[str], spellings: Mapping[str, Sequence[int]], named: bool
) -> str:
    """Return the question on columns that share a name.

    ``named`` is True if labels or unseen classes use a shared name.
    """
    clauses = []
    for columns in [*spellings.values()][:MAX_LISTED]:
        spelt_as = list(dict.fromkeys(names[k] for k in columns))
        called = f"share the name {spelt_as[0]!r}"
        if len(spelt_as) > 1:
            called = f"are called {' and '.join(map(repr, spelt_as))}"
        clauses.append(f"columns {', '.join(map(str, columns))} {called}")
    more = f", and {len(spellings) - MAX_LISTED} more names" if len(spellings) > MAX_LISTED else ""
    question = (
        ": are these columns one class, with the larger of their scores? Otherwise they are "
        "distinguished by number."
    )
    if named:
        question = (
            ", and labels or unseen classes use that name: the column is ambiguous, so give labels "
            "and unseen classes as numbers. Or are columns with the same name one class, with the "
            "larger of their scores?"
        )
    return f"{'; '.join(clauses)}{more} (columns counted from 0){question}"


def _merge_columns(file: ScoreFile) -> ScoreFile:
    """Merge columns of the same name, keeping the largest score."""
    F, names_of_columns = np.asarray(file.scores), file.class_names
    first = np.arange(len(names_of_columns))
    for columns in shared_spellings(names_of_columns).values():
        first[columns] = columns[0]
    kept_columns, position = np.unique(first, return_inverse=True)
    names = [names_of_columns[k] for k in kept_columns]
    merged = [F[:, position == k].max(axis=1) for k in range(len(names))]
    labels, unseen = (
        None if part is None else _renumber_columns(np.asarray(part), position)
        for part in (file.labels, file.unseen)
    )
    assert labels is not None
    scores = np.column_stack(merged)
    return replace(file, scores=scores, labels=labels, unseen=unseen, class_names=tuple(names))


def _renumber_columns(part: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Convert column numbers or masks to the merged columns; names are unchanged."""
    if part.dtype.kind in "UO":
        return part
    if part.dtype == bool or (len(part) == len(position) and np.isin(part, (0, 1)).all()):
        return np.bincount(position, part.astype(float)) > 0
    inside = (part >= 0) & (part < len(position))
    renumbered: np.ndarray = np.where(inside, position[np.where(inside, part, 0).astype(int)], part)
    return renumbered


def remarks_on_names(file: ScoreFile) -> Iterator[str]:
    """Yield a remark on names of columns that were made distinct by numbers."""
    numbered = [n for k, n in enumerate(file.class_names) if n.endswith(f" (column {k})")]
    if numbered:
        names = ", ".join(numbered[:MAX_LISTED])
        yield (
            f"{len(numbered)} columns share their name with another column and are distinguished "
            f"by number, counted from 0: {names}."
        )
