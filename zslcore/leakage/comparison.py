"""Compare two splits of the same rows: which rows and classes changed their part.

Parts that only one of the two gives are named. ``train`` and ``val`` are then left out of the
comparison: a file without ``train_loc`` does not state that a row is not trained on. A split
without ``test_seen``, as the standard split, has no such rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from zslcore.exceptions import DatasetError
from zslcore.leakage.context import PARTS, TRAIN_PARTS, AuditContext
from zslcore.leakage.evidence import Evidence
from zslcore.leakage.known import numbers_rows_of, published_as
from zslcore.leakage.words import counted

NOWHERE = "in no part"


@dataclass(frozen=True, slots=True, eq=False)
class SplitComparison:
    """Agreement and differences of two splits.

    Attributes
    ----------
    names : of the two
    parts : those that are compared
    given_once : parts that only the first, and only the second, gives
    moves : DataFrame
        ``first`` and ``second`` (the parts that a row is in), and ``rows``; most rows first
    by_class : DataFrame
        ``class``, ``first``, ``second``, ``rows`` of the rows that moved; without rows where the
        classes are not known
    classes : DataFrame
        ``class``, ``first``, ``second``: the classes whose side changed ("seen", "unseen", "both",
        "none"); without rows where the classes are not known
    labelled : whether the class of each row is known
    """

    names: tuple[str, str]
    parts: tuple[str, ...]
    given_once: tuple[tuple[str, ...], tuple[str, ...]]
    moves: pd.DataFrame
    by_class: pd.DataFrame
    classes: pd.DataFrame
    labelled: bool

    @property
    def n_rows(self) -> int:
        """Number of rows that either split uses."""
        return int(self.moves["rows"].sum())

    @property
    def n_moved(self) -> int:
        """Number of rows that are in other parts of the second than of the first."""
        return int(self.moves.query("first != second")["rows"].sum())

    @property
    def headline(self) -> str:
        """What changed, in one sentence for the rows, one for the classes and one for the rest."""
        first, second = self.names
        sentences = [
            f"{first} against {second}: {self.n_moved:,} of {self.n_rows:,} rows changed their "
            f"part ({', '.join(self.parts)} compared)."
        ]
        if self.labelled:
            n = counted(len(self.classes), "class", "classes")
            sentences.append(f"{n} changed from seen to unseen or back.")
        for name, parts in zip(self.names, self.given_once, strict=True):
            if parts:
                sentences.append(f"Only {name} gives {' and '.join(parts)}.")
        return " ".join(sentences)

    def tables(self) -> tuple[Evidence, ...]:
        """Return the tables as a report shows them; those without rows are left out."""
        first, second = (f"in {name}" for name in self.names)
        tables = (
            ("Rows by part", (first, second, "rows"), self.moves),
            ("Classes that changed side", ("class", first, second), self.classes),
            ("Rows that moved, by class", ("class", first, second, "rows"), self.by_class),
        )
        return tuple(
            Evidence.of(title, columns, table.itertuples(index=False))
            for title, columns, table in tables
            if len(table)
        )


def compare_splits(first: AuditContext, second: AuditContext) -> SplitComparison:
    """Compare two splits row by row, and class by class where the labels of one are known.

    Raises
    ------
    DatasetError
        When they are known to number the rows of different data, or share no part.
    """
    names = _names(first, second)
    _refuse_others(first, second, names)
    given = [[p for p in PARTS if context.rows(p).size] for context in (first, second)]
    parts = tuple(p for p in PARTS if p in given[0] and p in given[1])
    if not parts:
        raise DatasetError(f"{names[0]} and {names[1]}: expected parts that both give, got none.")
    if "test_seen" in given[0] + given[1]:
        parts = tuple(p for p in PARTS if p in (*parts, "test_seen"))
    rows = np.union1d(first.rows(*parts), second.rows(*parts))
    roles = pd.DataFrame(
        {side: _roles(context, parts, rows) for side, context in _sides(first, second)}
    )
    labelled = first if first.labels is not None else second
    by_class, classes = _by_class(roles, rows, labelled), _classes(first, second, labelled)
    return SplitComparison(
        names=names,
        parts=parts,
        given_once=(_without(given[0], given[1]), _without(given[1], given[0])),
        moves=_counted(roles, ["first", "second"]),
        by_class=by_class,
        classes=classes,
        labelled=labelled.labels is not None,
    )


def _sides(first: AuditContext, second: AuditContext) -> tuple[tuple[str, AuditContext], ...]:
    return ("first", first), ("second", second)


def _names(first: AuditContext, second: AuditContext) -> tuple[str, str]:
    """Name both, by what they were published as where their own names do not part them."""
    called = []
    for context in (first, second):
        known = published_as(context)
        split = str(known[0]) if len(known) == 1 else context.split_name
        has_own_name = split and split != context.name
        called.append(f"{context.name} ({split})" if has_own_name else context.name)
    if called[0] == called[1]:
        return f"{called[0]}, the first", f"{called[1]}, the second"
    return called[0], called[1]


def _refuse_others(first: AuditContext, second: AuditContext, names: Sequence[str]) -> None:
    """Refuse splits of different data, whose row numbers have nothing to do with each other."""
    of = [numbers_rows_of(context) for context in (first, second)]
    if None not in of and of[0] != of[1]:
        raise DatasetError(
            f"{names[0]} numbers the rows of {of[0]}, {names[1]} those of {of[1]}: expected splits "
            "of the same data."
        )
    n = [context.n_rows for context in (first, second)]
    if None not in n and n[0] != n[1]:
        raise DatasetError(
            f"{names[0]} has {n[0]:,} rows, {names[1]} {n[1]:,}: expected splits of the same data."
        )


def _without(given: Iterable[str], others: Sequence[str]) -> tuple[str, ...]:
    return tuple(part for part in given if part not in others)


def _roles(context: AuditContext, parts: Sequence[str], rows: np.ndarray) -> list[str]:
    """Return the parts that each of ``rows`` is in, in words."""
    code = sum(np.isin(rows, context.rows(part)) * (1 << k) for k, part in enumerate(parts))
    words = {
        c: " + ".join(part for k, part in enumerate(parts) if c >> k & 1) or NOWHERE
        for c in np.unique(code).tolist()
    }
    return [words[c] for c in np.asarray(code).tolist()]


def _counted(table: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Count equal lines, most first."""
    counts = table.groupby(columns, sort=True).size().rename("rows").reset_index()
    return counts.sort_values("rows", ascending=False, kind="stable").reset_index(drop=True)


def _by_class(roles: pd.DataFrame, rows: np.ndarray, labelled: AuditContext) -> pd.DataFrame:
    """Count the rows that moved by class."""
    moved = (roles["first"] != roles["second"]).to_numpy()
    if labelled.labels is None or not moved.any():
        return pd.DataFrame(columns=["class", "first", "second", "rows"])
    classes = labelled.names(labelled.labels[rows[moved]])
    return _counted(roles[moved].assign(**{"class": classes}), ["class", "first", "second"])


def _classes(first: AuditContext, second: AuditContext, labelled: AuditContext) -> pd.DataFrame:
    """Return the classes that are seen in one and unseen in the other."""
    columns = ["class", "first", "second"]
    y = labelled.labels
    if y is None:
        return pd.DataFrame(columns=columns)
    sides = [_class_sides(context, y) for context in (first, second)]
    changed = np.flatnonzero(sides[0] != sides[1])
    table = zip(labelled.names(changed), sides[0][changed], sides[1][changed], strict=True)
    return pd.DataFrame(table, columns=columns)


def _class_sides(context: AuditContext, y: np.ndarray) -> np.ndarray:
    n = int(y.max(initial=0)) + 1
    seen, unseen = (
        np.isin(np.arange(n), y[context.rows(*parts)])
        for parts in ((*TRAIN_PARTS, "test_seen"), ("test_unseen",))
    )
    return np.select([seen & unseen, seen, unseen], ["both", "seen", "unseen"], default="none")
