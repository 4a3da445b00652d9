"""Counts of leaking rows and classes, and of classes in a pre-training set.

Two splits are compared on their common parts, because a file without ``train_loc`` does not show
its training rows. ``test_seen`` is also compared if only one of the splits has it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from zslcore.datasets.base import distinct
from zslcore.exceptions import DatasetError
from zslcore.leakage.context import SPLIT_PARTS, TEST_PARTS, TRAIN_PARTS, AuditContext
from zslcore.leakage.matching import Match, match_names
from zslcore.leakage.paper_lists import papers_of_classes
from zslcore.leakage.published import benchmark_of_rows, find_published_splits
from zslcore.leakage.report import (
    KNOWN_CLASSES,
    Finding,
    Mark,
    Report,
    SplitComparison,
    options_hint,
)
from zslcore.leakage.vocabularies import Vocabulary
from zslcore.metrics.gain import Group
from zslcore.names import dictionary_form
from zslcore.storage.tables import frame
from zslcore.texts import listed

if TYPE_CHECKING:
    import pandas as pd

NOWHERE = "in no part"
#: Advice on a pre-training set that is only assumed.
DECLARE = f"Declare what the extractor was trained on {options_hint('vocabularies')}."
#: Checks that report a row, image or photograph in both training and test.
IMAGE_CHECKS = ("ZSL003", "ZSL004", "ZSL005", "ZSL012")
#: Checks that report a class, row, image or photograph in both training and test.
SPLIT_CHECKS = ("ZSL001", "ZSL002", *IMAGE_CHECKS)


def leaking_rows(
    context: AuditContext, report: Report, checks: Sequence[str] = SPLIT_CHECKS
) -> np.ndarray:
    """Return the test rows that leak according to ``checks``, sorted.

    A test row leaks if training has the row itself, an equal or near image, its photograph or its
    class.
    """
    rows = [
        finding.rows
        for finding in report.findings
        if finding.check in checks and finding.mark == "leak"
    ]
    leaking = np.concatenate([*map(np.asarray, rows), np.empty(0)]).astype(np.intp)
    return np.intersect1d(distinct(leaking), context.rows(*TEST_PARTS), assume_unique=True)


def rows_in_pretraining(context: AuditContext, report: Report) -> np.ndarray:
    """Return the test_unseen rows of classes that leak through the pre-training set, sorted."""
    overlapping = {c for f in report.of("ZSL006") if f.mark == "leak" for c in f.classes}
    if context.labels is None or not overlapping:
        return np.empty(0, np.intp)
    unseen = context.rows("test_unseen")
    classes = context.classes("test_unseen")
    is_overlapping = [name in overlapping for name in context.names(classes)]
    return unseen[np.isin(context.labels[unseen], classes[is_overlapping])]


def leaks_by_class(context: AuditContext, report: Report | None) -> pd.DataFrame:
    """Count the images of each class by part, each image once; one row per class with images.

    ``in_pretraining`` counts the images in :func:`rows_in_pretraining`, ``leaking`` those in
    :func:`leaking_rows`. Without a report, no image is leaking, and an image in training and
    test is counted in both. Without labels, the table is empty.
    """
    columns = ["trained", "test_seen", "test_unseen", "in_pretraining", "leaking", "unused"]
    if context.labels is None:
        return frame((), ["class", "role", "images", *columns])
    labels, image_columns = context.labels, np.full(len(context.labels), columns.index("unused"))
    for column, parts in (("trained", TRAIN_PARTS), *((p, (p,)) for p in SPLIT_PARTS[3:])):
        image_columns[context.rows(*parts)] = columns.index(column)
    if report is not None:
        image_columns[rows_in_pretraining(context, report)] = columns.index("in_pretraining")
        rows = leaking_rows(context, report)
        image_columns[rows[(rows >= 0) & (rows < len(labels))]] = columns.index("leaking")
    counts = np.zeros((labels.max() + 1, len(columns)), dtype=np.intp)
    np.add.at(counts, (labels, image_columns), 1)
    if report is None:
        in_both = np.intersect1d(context.rows(*TRAIN_PARTS), context.rows(*TEST_PARTS))
        np.add.at(counts, (labels[in_both], columns.index("trained")), 1)
    table = frame(counts, columns)
    table.insert(0, "images", counts.sum(axis=1))
    table.insert(0, "role", _class_sides(context, labels, len(table), *TRAIN_PARTS))
    table.insert(0, "class", context.names(range(len(table))))
    return table[table["images"] > 0].reset_index(drop=True)


def _class_sides(context: AuditContext, y: np.ndarray, n: int, *seen_parts: str) -> np.ndarray:
    """Return the side on which each class has rows: "both", "seen", "unseen" or "none"."""
    seen, unseen = (
        np.isin(np.arange(n), y[context.rows(*parts)]) for parts in (seen_parts, ("test_unseen",))
    )
    return np.select([seen & unseen, seen, unseen], ["both", "seen", "unseen"], default="none")


def count_by_part(context: AuditContext, report: Report) -> list[tuple[str, int, int]]:
    """Return name, rows and leaking rows of every part, in the order of the parts."""
    leaking = leaking_rows(context, report)
    rows_of_part = [(part, context.rows(part)) for part in SPLIT_PARTS if part in context.parts]
    return [(part, len(rows), int(np.isin(rows, leaking).sum())) for part, rows in rows_of_part]


def leaks_by_part(context: AuditContext, report: Report) -> pd.DataFrame:
    """Return the counts of :func:`count_by_part` as a table."""
    return frame(count_by_part(context, report), ["part", "rows", "leaking"])


# --- Against another split ------------------------------------------------------------------------


def compare_splits(first: AuditContext, second: AuditContext) -> SplitComparison:
    """Compare two splits by row, and by class if the labels of either split are known.

    Raises DatasetError for splits of different data, or without a common part.
    """
    names = _names_of_both(first, second)
    _refuse_different_data(first, second, names)
    parts_of_each = [
        [p for p in SPLIT_PARTS if context.rows(p).size] for context in (first, second)
    ]
    parts = tuple(p for p in SPLIT_PARTS if p in parts_of_each[0] and p in parts_of_each[1])
    if not parts:
        raise DatasetError(
            f"{names[0]} and {names[1]}: expected a part that both splits have; got none."
        )
    if "test_seen" in parts_of_each[0] + parts_of_each[1]:
        parts = tuple(p for p in SPLIT_PARTS if p in (*parts, "test_seen"))
    rows = np.union1d(first.rows(*parts), second.rows(*parts))
    parts_of_rows = {
        "first": _parts_of(first, parts, rows),
        "second": _parts_of(second, parts, rows),
    }
    table = frame(parts_of_rows)
    labelled = first if first.labels is not None else second
    own_parts = [
        tuple(p for p in parts_of_each[k] if p not in parts_of_each[1 - k]) for k in (0, 1)
    ]
    return SplitComparison(
        names=names,
        parts=parts,
        own_parts=(own_parts[0], own_parts[1]),
        moves=_count_equal_rows(table, ["first", "second"]),
        by_class=_moves_by_class(table, rows, labelled),
        classes=_changed_classes(first, second, labelled),
        labelled=labelled.labels is not None,
    )


def _names_of_both(first: AuditContext, second: AuditContext) -> tuple[str, str]:
    """Return distinct names of two splits, with the name of the published split if recognised."""
    titles = []
    for context in (first, second):
        published = find_published_splits(context)
        split = str(published[0]) if len(published) == 1 else context.split_name
        has_own_name = split and split != context.name
        titles.append(f"{context.name} ({split})" if has_own_name else context.name)
    if titles[0] == titles[1]:
        return f"{titles[0]}, the first", f"{titles[1]}, the second"
    return titles[0], titles[1]


def _refuse_different_data(first: AuditContext, second: AuditContext, names: Sequence[str]) -> None:
    """Refuse splits of different data: their row numbers cannot be compared."""
    benchmarks = [benchmark_of_rows(context) for context in (first, second)]
    if None not in benchmarks and benchmarks[0] != benchmarks[1]:
        raise DatasetError(
            f"{names[0]} is a split of {benchmarks[0]}, {names[1]} of {benchmarks[1]}: "
            "expected splits of the same data."
        )
    n = [context.n_rows for context in (first, second)]
    if None not in n and n[0] != n[1]:
        raise DatasetError(
            f"{names[0]} has {n[0]:,} rows, {names[1]} {n[1]:,}: expected splits of the same data."
        )


def _parts_of(context: AuditContext, parts: Sequence[str], rows: np.ndarray) -> list[str]:
    """Return the parts of each of ``rows`` as text, such as "trainval + train"."""
    code = sum(np.isin(rows, context.rows(part)) * (1 << k) for k, part in enumerate(parts))
    words = {
        c: " + ".join(part for k, part in enumerate(parts) if c >> k & 1) or NOWHERE
        for c in np.unique(code).tolist()
    }
    return [words[c] for c in np.asarray(code).tolist()]


def _count_equal_rows(table: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Count equal rows of the table, the most frequent first."""
    counts = table.groupby(columns, sort=True).size().rename("rows").reset_index()
    return counts.sort_values("rows", ascending=False, kind="stable").reset_index(drop=True)


def _moves_by_class(
    parts_of_rows: pd.DataFrame, rows: np.ndarray, labelled: AuditContext
) -> pd.DataFrame:
    """Count, by class, the rows in different parts of the two splits."""
    moved = (parts_of_rows["first"] != parts_of_rows["second"]).to_numpy()
    if labelled.labels is None or not moved.any():
        return frame((), ["class", "first", "second", "rows"])
    classes = labelled.names(labelled.labels[rows[moved]])
    return _count_equal_rows(
        parts_of_rows[moved].assign(**{"class": classes}), ["class", "first", "second"]
    )


def _changed_classes(
    first: AuditContext, second: AuditContext, labelled: AuditContext
) -> pd.DataFrame:
    """Return the classes that are on different sides in the two splits."""
    columns = ["class", "first", "second"]
    y = labelled.labels
    if y is None:
        return frame((), columns)
    n, of_seen = int(y.max(initial=0)) + 1, (*TRAIN_PARTS, "test_seen")
    sides = [_class_sides(context, y, n, *of_seen) for context in (first, second)]
    changed = np.flatnonzero(sides[0] != sides[1])
    table = zip(labelled.names(changed), sides[0][changed], sides[1][changed], strict=True)
    return frame(table, columns)


OVERLAP_COLUMNS = (
    *("number", "class", "strength", "match", "rule", "evidence"),
    *("matches", "decision", "counts", "group"),
)


@dataclass(frozen=True, slots=True)
class Overlap:
    """Test class with its matches, strongest first, and the decision of a person.

    ``number`` is the position of the class among the compared classes or, from
    :func:`overlaps_of_split`, its row in ``prototypes``. ``decision`` is "confirmed", "rejected" or
    "". ``paper`` is the paper that lists the class as one of the pre-training set, or "".
    """

    number: int
    class_name: str
    matches: tuple[Match, ...]
    decision: str = ""
    paper: str = ""

    @property
    def strength(self) -> str:
        """Strength of the best match."""
        return self.matches[0].strength if self.matches else ""

    @property
    def counts(self) -> bool:
        """Whether the class is treated as in the pre-training set: by name or by a paper."""
        return self.decision == "confirmed" or (
            (self.strength == "strong" or bool(self.paper)) and self.decision != "rejected"
        )

    @property
    def is_only_listed(self) -> bool:
        """Whether the class counts only because a paper lists it."""
        return self.counts and self.strength != "strong" and not self.decision

    @property
    def open(self) -> bool:
        """Whether a person has to decide."""
        return bool(self.matches) and not self.counts and not self.decision

    @property
    def group(self) -> Group:
        """Group of the class: in the pre-training set, related to one of its classes, or unrelated.

        A match with the same word in another sense (a computer's *mouse*) does not count as
        related.
        """
        if self.counts:
            return "in the set"
        related = any(match.rule != "other sense" for match in self.matches)
        return "related" if related and self.decision != "rejected" else "unrelated"

    @property
    def row(self) -> tuple[object, ...]:
        """Row of the class in :func:`overlap_table`."""
        match = ("none", "", "", "")
        if self.matches:
            best = self.matches[0]
            match = (best.strength, best.entry, best.rule, best.evidence)
        if self.paper:
            evidence = "; ".join(filter(None, (match[3], f"listed by {self.paper}")))
            match = (*match[:3], evidence)
        decision = self.decision if self.matches or self.counts else ""
        counted = (len(self.matches), decision or "open", self.counts, self.group)
        return (self.number, self.class_name, *match, *counted)


def overlaps(
    names: Sequence[str],
    vocabulary: Vocabulary,
    all_classes: Sequence[str] = (),
    decisions: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Overlap, ...]:
    """Compare classes with a vocabulary; return every class, in the order given.

    ``all_classes`` are all classes of the data set, which decide the meaning of ambiguous names.
    """
    matches: dict[str, list[Match]] = defaultdict(list)
    for match in match_names(names, vocabulary, all_classes):
        matches[match.class_name].append(match)
    decided = {dictionary_form(name): decision for name, decision in decisions.items()}
    papers = papers_of_classes(all_classes, vocabulary.name)
    return tuple(
        Overlap(k, name, tuple(matches[name]), decided.get(form, ""), papers.get(form, ""))
        for k, (name, form) in enumerate(zip(names, map(dictionary_form, names), strict=True))
    )


def overlaps_of_split(
    context: AuditContext, vocabulary: Vocabulary, classes: Iterable[int] | None = None
) -> tuple[Overlap, ...]:
    """Compare the unseen classes of a split, or the given ``classes``, with a vocabulary."""
    rows = [int(c) for c in (context.required_unseen_classes if classes is None else classes)]
    decisions = context.decisions.get(vocabulary.name, {})
    rows_compared = overlaps(context.names(rows), vocabulary, context.class_names, decisions)
    return tuple(replace(row, number=rows[row.number]) for row in rows_compared)


def describe_papers(papers: Sequence[str], n: int) -> str:
    """Return a clause on the classes, among ``n``, that only papers list; empty if there are none.

    ``papers`` has the paper of each of these classes.
    """
    if not papers:
        return ""
    note = f"according to {listed([*dict.fromkeys(papers)])} only"
    return f" {note}" if len(papers) == n else f", {len(papers):,} of them {note}"


def find_trained_classes(
    names: Sequence[str],
    vocabularies: Sequence[Vocabulary],
    all_classes: Sequence[str] = (),
    *,
    is_assumed: bool = False,
) -> Finding:
    """Report the test classes in the pre-training sets of a feature extractor.

    Parameters
    ----------
    names : unseen classes with test images
    vocabularies : the classes of each pre-training set
    all_classes : all classes of the data set, which decide the meaning of ambiguous names
    is_assumed : whether the pre-training set is assumed instead of declared

    Returns
    -------
    Finding
        Leak with the ``classes`` in a pre-training set, or ok without such classes; open if the set
        is assumed. ``numbers`` has the number of ``classes`` compared, and the number of classes
        ``related`` to a class of a pre-training set.
    """
    compared = [[*overlaps(names, vocabulary, all_classes)] for vocabulary in vocabularies]
    counting = {row.class_name: row for rows in compared for row in rows if row.counts}
    possible = {row.class_name for rows in compared for row in rows if row.open} - {*counting}
    n, overlapping = len(names), tuple(sorted(counting))
    where = " and ".join(vocabulary.title for vocabulary in vocabularies)
    verb = "is" if len(possible) == 1 else "are"
    related = f" {len(possible)} {verb} related to classes of the set." if possible else ""
    numbers = {"classes": n, "related": len(possible)}
    if not any(vocabulary.entries for vocabulary in vocabularies):
        text = "The extractor was trained on no images."
        return Finding(KNOWN_CLASSES, "ok", text, numbers=numbers)
    if not overlapping:
        text = f"{describe_absence(n, where)}{related}"
        if is_assumed:
            text = f"{describe_undeclared(n, where)}{related}"
            return Finding(KNOWN_CLASSES, "open", text, DECLARE, numbers=numbers)
        return Finding(KNOWN_CLASSES, "ok", text, numbers=numbers)
    verb = "is" if len(overlapping) == 1 else "are"
    papers = [r.paper for r in counting.values() if r.is_only_listed]
    text = (
        f"{len(overlapping)} of {n} unseen classes {verb} in {where} ({listed(overlapping)})"
        f"{describe_papers(papers, len(counting))}."
    )
    advice = "Also report accuracy without these classes."
    mark: Mark = "leak"
    if is_assumed:
        mark, text, advice = "open", would_leak(where, text), DECLARE
    return Finding(KNOWN_CLASSES, mark, text, advice, classes=overlapping, numbers=numbers)


def would_leak(where: str, sentence: str) -> str:
    """Return a sentence on classes in ``where``, a pre-training set that is only assumed."""
    return f"This would leak if the features were trained on {where}: {sentence}"


def describe_undeclared(n: int, where: str) -> str:
    """Return sentences on ``n`` unseen classes, none of them in ``where``, an assumed set."""
    return f"The pre-training set is not declared. {describe_absence(n, where)}"


def describe_absence(n: int, where: str) -> str:
    """Return the sentence that, by name, none of ``n`` unseen classes is in ``where``."""
    if not n:
        return "No unseen class is listed."
    return f"By name, none of the {n} unseen classes is in {where}."


def overlap_table(
    context: AuditContext, vocabulary: Vocabulary, classes: Iterable[int] | None = None
) -> pd.DataFrame:
    """Return the unseen or the given ``classes`` with their best matches, most certain first.

    Columns: ``number`` is the row in the prototypes, ``matches`` the number of matches, ``counts``
    whether the class is treated as in the set, ``group`` :attr:`Overlap.group`.
    """
    if classes is None and context.unseen_classes is None:
        classes = ()
    compared = overlaps_of_split(context, vocabulary, classes)
    names = context.class_names  # names as used on pages and in decisions
    rows = [
        replace(row, class_name=names[row.number]).row if row.number < len(names) else row.row
        for row in compared
    ]
    table = frame(rows, list(OVERLAP_COLUMNS))
    rank = table["strength"].map({"strong": 0, "weak": 1, "none": 2})
    return table.iloc[np.argsort(rank.to_numpy(dtype=float), kind="stable")].reset_index(drop=True)
