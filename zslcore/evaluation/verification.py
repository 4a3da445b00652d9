"""Verification of predictions against the known facts of their images.

Metrics alone cannot be checked; labels, test rows and gamma of predictions can be compared with the
data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest

import numpy as np

from zslcore.datasets.base import Split, ZSLDataset, part_digest
from zslcore.evaluation.predicted_tests import best_common_gamma
from zslcore.evaluation.predictions import PredictedRows, Predictions
from zslcore.numbers import counted
from zslcore.texts import clean_text

#: Tolerance for the mean H of the folds, which rounds differently if summed in another order.
ROUNDING = 1e-12
#: Largest resolution that is not reported, as a share of the typical margin. Margins that differ by
#: at most the resolution count as equal.
COARSE = 0.01


class State(StrEnum):
    """State of a claimed result."""

    #: All metrics are computed from predictions with rows, labels and gamma that match the data.
    VERIFIED = "verified"
    #: Metrics without predictions, or predictions that cannot be fully checked.
    STATED = "stated"


@dataclass(frozen=True, slots=True)
class Verification:
    """Contradictions (``reasons``) and unchecked facts (``unknown``), one sentence each."""

    reasons: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def state(self) -> State | None:
        """The state of the claim; None if there is a contradiction."""
        if self.reasons:
            return None
        return State.STATED if self.unknown else State.VERIFIED


@dataclass(frozen=True, eq=False)
class Reference:
    """Known facts about the images of a benchmark and one of its splits.

    ``labels`` has the class of each image. ``parts`` has the known digests of the rows of
    "test_seen", "test_unseen" and "trainval"; ``split`` is None and ``digest`` empty if unknown.
    """

    name: str
    labels: np.ndarray
    class_names: tuple[str, ...]
    unseen_classes: np.ndarray
    parts: Mapping[str, str]
    split: Split | None = None
    digest: str = ""

    @classmethod
    def of(cls, dataset: ZSLDataset, split: Split) -> Reference:
        """Build the reference from a data set and split."""
        trained = np.unique(dataset.labels[split.trainval])
        candidates = np.union1d(split.seen_classes, split.unseen_classes)
        return cls(
            name=f"{dataset.name}, split {split.name}",
            labels=dataset.labels,
            class_names=dataset.class_names,
            unseen_classes=np.setdiff1d(candidates, trained),
            parts=split.digests,
            split=split,
            digest=dataset.digest,
        )


def verify_predictions(predictions: Predictions, truth: Reference | None = None) -> Verification:
    """Check predictions against known facts; without ``truth``, rows and labels stay unknown."""
    reasons = [*_check_gamma(predictions), *_check_folds(predictions)]
    unknown = [*_unknown(predictions, truth)]
    if truth is not None and predictions.provenance.rows == "benchmark":
        class_faults = [*_check_classes(predictions, truth)]
        reasons += class_faults or [
            *_check_labels(predictions, truth),
            *_check_rows(predictions, truth),
        ]
    return Verification(tuple(reasons), tuple(unknown))


def _unknown(predictions: Predictions, truth: Reference | None) -> Iterator[str]:
    if truth is None:
        yield "The labels and the split are unknown here, so rows and labels cannot be checked."
    elif predictions.provenance.rows != "benchmark":
        yield "Rows are numbered as in the score file, so they cannot be checked."
    elif truth.split is None:
        test = predictions.test
        sides = {"test_seen" if seen else "test_unseen" for seen in test.seen[test.y]}
        yield from (
            f"{truth.name}: the rows of {s} are unknown here." for s in sides - {*truth.parts}
        )
    if truth is None and (
        n_repeated := len(predictions.test.rows) - len(set(predictions.test.rows))
    ):
        yield (
            f"test: {counted(n_repeated, 'row is', 'rows are')} repeated; whether the split "
            "repeats them is unknown."
        )
    for part in (predictions.test, *predictions.folds):
        typical = float(np.median(np.abs(part.margin)))
        if part.resolution > COARSE * typical:
            yield (
                f"{part.name}, resolution: margins that differ by {part.resolution:.3g} or less "
                f"count as equal; a typical margin is {typical:.3g}. Whether the scores "
                "are that imprecise is unknown."
            )
    origin = predictions.provenance.gamma_origin
    if origin == "validated" and not predictions.folds:
        yield "gamma is stated as validated, but no validation rows confirm it."
    if origin in ("given", "oracle"):
        yield f"gamma is stated as {origin}; how it was chosen cannot be checked."


# --- gamma and folds ------------------------------------------------------------------------------


def _check_gamma(predictions: Predictions) -> Iterator[str]:
    """Compare mean H on the folds at gamma with the largest mean H."""
    gamma, folds = predictions.gamma, predictions.folds
    if not folds or gamma is None or predictions.provenance.gamma_origin != "validated":
        return
    curves = [fold.curve for fold in folds]
    best = best_common_gamma(curves)
    chosen_H, best_H = (float(np.mean([c.at(g).harmonic for c in curves])) for g in (gamma, best))
    if chosen_H < best_H - ROUNDING:
        yield (
            f"gamma: expected the choice of the validation rows, {best:.6g} (mean H {best_H:.4f}); "
            f"got {gamma:.6g} (mean H {chosen_H:.4f})."
        )


def _check_folds(predictions: Predictions) -> Iterator[str]:
    test_unseen, test_rows = predictions.unseen_classes, predictions.test.rows
    names = predictions.class_names
    comparable = predictions.provenance.rows == "benchmark"
    for fold in predictions.folds:
        shared = np.intersect1d(fold.labels, test_unseen)
        if shared.size:
            yield (
                f"{fold.name}: expected no unseen test class among the validation classes; got "
                f"{names[shared[0]]!r}{_more(shared.size, 'class', 'classes')}."
            )
        tested = np.intersect1d(fold.rows, test_rows)
        if comparable and tested.size:
            yield (
                f"{fold.name}: expected rows outside the test set; got row {tested[0]:,}"
                f"{_more(tested.size, 'row')}."
            )
        rows, times = np.unique(fold.rows, return_counts=True)
        if (times > 1).any():
            row = rows[times > 1][0]
            yield f"{fold.name}: expected every row once; row {row:,} occurs {times.max()} times."


def _more(n: int, singular: str, many: str = "") -> str:
    return (
        f" and {counted(n - 1, f'more {singular}', f'more {many}' * bool(many))}" if n > 1 else ""
    )


# --- Rows and labels ------------------------------------------------------------------------------


def _check_classes(predictions: Predictions, truth: Reference) -> Iterator[str]:
    digest = predictions.provenance.digest
    if digest and truth.digest and digest != truth.digest:
        yield f"{truth.name}: expected data {truth.digest}; got predictions of {digest}."
    names, expected = (
        tuple(map(clean_text, source.class_names)) for source in (predictions, truth)
    )
    if names != expected:
        pairs = enumerate(zip_longest(expected, names, fillvalue="none"))
        k, (expected_name, got_name) = next((k, pair) for k, pair in pairs if pair[0] != pair[1])
        yield f"class {k}: expected the name {expected_name!r}; got {got_name!r}."
    elif not np.array_equal(predictions.unseen_classes, truth.unseen_classes):
        differing = np.setxor1d(predictions.unseen_classes, truth.unseen_classes)
        side = "unseen" if differing[0] in truth.unseen_classes else "seen"
        yield (
            f"unseen_classes: expected the unseen classes of {truth.name}; got a list that differs "
            f"in {counted(len(differing), 'class', 'classes')}; {names[differing[0]]!r} is {side} "
            f"in {truth.name}."
        )


def _check_labels(predictions: Predictions, truth: Reference) -> Iterator[str]:
    n, names = len(truth.labels), truth.class_names
    for part in (predictions.test, *predictions.folds):
        if part.rows.max() >= n:
            yield f"{part.name}: expected rows 0 to {n - 1:,}; got {part.rows.max():,}."
            continue
        wrong = np.flatnonzero(truth.labels[part.rows] != part.labels)
        if wrong.size:
            k = wrong[0]
            expected, got = (names[c] for c in (truth.labels[part.rows[k]], part.labels[k]))
            n_more = wrong.size - 1
            more_labels = f"; {counted(n_more, 'more label')} differ{'s' * (n_more == 1)}" * (
                n_more > 0
            )
            yield (
                f"{part.name}, label: expected {expected!r} for row {part.rows[k]:,}; got {got!r}"
                f"{more_labels}."
            )


def _check_rows(predictions: Predictions, truth: Reference) -> Iterator[str]:
    """Compare test rows with the split, and fold rows with the training rows."""
    test, split = predictions.test, truth.split
    if split is None:
        yield from _check_digests(test, truth)
        return
    expected = np.concatenate([split.test_seen, split.test_unseen])
    yield from _check_counts("test", test.rows, expected)
    for fold in predictions.folds:
        foreign = np.setdiff1d(fold.rows, split.trainval)
        if foreign.size:
            yield (
                f"{fold.name}: expected rows of trainval; got row {foreign[0]:,}"
                f"{_more(foreign.size, 'row')}."
            )


def _check_counts(name: str, got: np.ndarray, expected: np.ndarray) -> Iterator[str]:
    """Report rows that are missing, repeated, or not in the test set."""
    n = int(max(got.max(), expected.max(initial=0))) + 1
    surplus = np.bincount(got, minlength=n) - np.bincount(expected, minlength=n)
    tested = np.isin(np.arange(n), expected)
    for rows, fault in (
        (np.flatnonzero(surplus < 0), "missing"),
        (np.flatnonzero((surplus > 0) & tested), "repeated"),
        (np.flatnonzero((surplus > 0) & ~tested), "not in the test set"),
    ):
        if rows.size:
            listed = f"row {rows[0]:,}{_more(rows.size, 'row')} {'is' if rows.size == 1 else 'are'}"
            yield f"{name}: expected every test row once; {listed} {fault}."


def _check_digests(test: PredictedRows, truth: Reference) -> Iterator[str]:
    """Compare test rows with the digests of the split's parts, for a split with unknown rows."""
    of_seen = test.seen[test.y]
    for part, rows in (("test_seen", test.rows[of_seen]), ("test_unseen", test.rows[~of_seen])):
        if part in truth.parts and part_digest(rows) != truth.parts[part]:
            yield f"{part}: expected the rows of {truth.name}; got other rows."
    repeated = len(test.rows) - len(np.unique(test.rows))
    if repeated:
        yield f"test: expected every test row once; got {counted(repeated, 'row')} too many."
