r"""Comparison of two score matrices of the same images.

Both matrices are evaluated on the same resampled classes and images, so that the difficulty of a
class or image for both cancels (:mod:`zslcore.analysis.resampling`).

The smallest difference that the test set can detect follows from the standard deviations of the
difference between and within classes, see :mod:`zslcore.metrics.significance`. H is linearised at
the accuracies u and s of each file: an image of an unseen class has the weight :math:`\partial H /
\partial u = 2 s^2 / (s + u)^2` and an image of a seen class :math:`2 u^2 / (s + u)^2`.
"""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import scipy

from zslcore.analysis.resampling import draws_of_all, tested_sides
from zslcore.evaluation.bootstrap import BootstrapMetrics
from zslcore.evaluation.predicted_tests import PredictedTest
from zslcore.exceptions import DatasetError
from zslcore.metrics import per_class_accuracy
from zslcore.metrics.significance import (
    Design,
    PairedTest,
    caution,
    classes_of_sides,
    fewest_classes,
    interval,
    p_of_draws,
    paired_test,
    stratum_of,
    too_few,
)
from zslcore.names import are_numbers, positions_of
from zslcore.numbers import percent, signed
from zslcore.scores.matrix import Scores
from zslcore.scores.predicted import PredictedScores
from zslcore.scores.protocols import (
    UNIT_OF_SUFFIX,
    WORDS,
    Words,
    metrics_of_test,
    table_of_protocols,
)
from zslcore.scores.questions import MAX_LISTED
from zslcore.texts import expect, listed, strict_json
from zslcore.untrusted.client import rows_by_image

#: Gamma of each file, or None.
Gammas = tuple[float | None, float | None]
#: Metrics that may decide which file is better, the most relevant first: letter and condition.
COMPARED_METRICS = {
    "calibrated_harmonic": ("H", ", γ chosen for each"),
    "plain_harmonic": ("H", ", γ = 0"),
    "separate_harmonic": ("H", ", separate label spaces"),
    "zsl": ("ZSL accuracy", ""),
    "plain_unseen": ("u", ", γ = 0"),
}


@dataclass(frozen=True, eq=False)
class Pair:
    r"""Comparison of two matrices of the same images, each at its own gamma.

    Attributes
    ----------
    names : names of both files
    tests : predictions of both files, rows in the same order
    gammas : gamma of each file, or None
    classes : DataFrame with one row per class: class, seen, images, first, second, difference
    agreement : share of images with the same predicted class in both files
    only_first, only_second : numbers of images that only one file predicts correctly
    p : p-value of McNemar's exact test of equal accuracy:
        :math:`n_1 \sim \mathrm{B}(n_1 + n_2, 1/2)`
    """

    names: tuple[str, str]
    tests: tuple[PredictedTest, PredictedTest]
    gammas: Gammas
    classes: pd.DataFrame
    agreement: float
    only_first: int
    only_second: int
    p: float

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Metrics of the second file minus the first, one row per common metric (the index).

        Columns are ``first``, ``second`` and ``difference``; ``low`` and ``high``, the 95 %
        interval of the difference over classes; ``low_images`` and ``high_images``, the interval
        over images within their class; and ``p`` and ``p_images``, the two-sided p-values of the
        same two bootstraps.
        """
        both = [
            metrics_of_test(*test_and_gamma)
            for test_and_gamma in zip(self.tests, self.gammas, strict=True)
        ]
        names = [name for name in both[0] if None not in (both[0][name], both[1][name])]
        table = pd.DataFrame(
            {"first": both[0], "second": both[1]}, index=names, dtype=float
        ).assign(difference=lambda t: t["second"] - t["first"])
        for end, over in UNIT_OF_SUFFIX.items():
            tests_and_gammas = [
                (t, gamma or 0.0) for t, gamma in zip(self.tests, self.gammas, strict=True)
            ]
            first_draws, second_draws = draws_of_all(tests_and_gammas, names, over=over)
            draws = [second_draws[name] - first_draws[name] for name in names]
            sides = tested_sides(self.tests[0])
            few = [fewest_classes(sides, name) if over == "classes" else None for name in names]
            pairs = list(zip(draws, few, strict=True))
            table[[f"low{end}", f"high{end}"]] = [interval(x, classes=n) for x, n in pairs]
            table[f"p{end}"] = [p_of_draws(x, n) for x, n in pairs]
        return table

    @property
    def is_of_equal_scores(self) -> bool:
        """Whether both files give every image the same predictions at every gamma."""
        first, second = (test.best_classes for test in self.tests)
        fields = ("seen_class", "unseen_class", "margin")
        is_equal = (np.array_equal(getattr(first, f), getattr(second, f)) for f in fields)
        return self.gammas[0] == self.gammas[1] and all(is_equal)

    @cached_property
    def headline(self) -> str:
        """Sentence on the difference of the files; see :meth:`sentence`."""
        return self.sentence(self.differences)

    def sentence(self, differences: pd.DataFrame) -> str:
        """Return a sentence on the difference: values, interval, smallest detectable difference.

        ``differences`` is the table :attr:`differences`; see :meth:`conclusion` for the metric.
        """
        return "; ".join(filter(None, self.conclusion(differences))) + "."

    def conclusion(self, differences: pd.DataFrame) -> tuple[str, str]:
        """Return which file is better with both values, larger first, and details of the test.

        Both are clauses without a full stop; the details are "" without a common metric. The metric
        is the first of :data:`COMPARED_METRICS` that both files have.
        """
        if self.is_of_equal_scores:
            return f"{' and '.join(self.names)} contain the same scores: no metric differs", ""
        name = next((name for name in COMPARED_METRICS if name in differences.index), None)
        if name is None:
            return "The files have no metric in common", ""
        row = differences.loc[name].to_dict()
        letter, at = COMPARED_METRICS[name]
        smaller, larger, (worse, better) = row["first"], row["second"], self.names
        difference, low, high = row["difference"], row["low"], row["high"]
        if difference < 0:  # the first file has the larger value
            smaller, larger, worse, better = larger, smaller, better, worse
            difference, low, high = -difference, -high, -low
        value = f"{letter} {percent(larger)}"
        other = f"against {percent(smaller)} ({worse}), per class{at}"
        details = (
            f"difference {signed(difference)} points, 95 % interval {signed(low)} to "
            f"{signed(high)} over classes"
        )
        if few := self.too_few(name):
            details = f"difference {signed(difference)} points, not tested: {few}"
            return f"{better} has the larger value: {value} {other}", details
        if low > 0:
            return f"{better} is significantly better: {value} {other}", details
        design = design_of(self, name)
        if np.isfinite(least := design.detectable()):
            classes = " + ".join(f"{round(s.classes):,}" for s in design.strata)
            details += (
                f"; with {classes} classes, only differences of at least {100 * least:.1f} points "
                "can be detected reliably"
            )
        return f"No significant difference: {value} ({better}) {other}", details

    def too_few(self, metric: str) -> str:
        """Return the sides with too few test classes to test a metric, as a clause; else ""."""
        return too_few(**classes_of_sides(tested_sides(self.tests[0]), metric))

    @property
    def caution(self) -> str:
        """Caution on intervals and p from few classes, or from one image of a class; else empty."""
        return caution(self.classes["seen"].to_numpy(), self.classes["images"].to_numpy())

    @cached_property
    def class_tests(self) -> tuple[PairedTest, ...]:
        """Paired tests over the classes of each side, on accuracies at the gamma of each file."""
        tests = []
        for seen in (True, False):
            differences = self.classes["difference"][self.classes["seen"] == seen]
            if len(differences) > 1:
                side = "Seen classes:" if seen else "Unseen classes:"
                tests.append(paired_test(side, differences.to_numpy(), of="classes"))
        return tuple(tests)

    def table(self, words: Words = WORDS["seen-unseen"]) -> pd.DataFrame:
        """Return the differences in the format of :func:`.protocols.table_of_protocols`."""
        return differences_by_protocol(self.differences, words)

    def as_text(self, words: Words = WORDS["seen-unseen"]) -> str:
        """Format the differences as lines of text, in points, with both intervals."""
        legend = (
            f"{self.names[1]} minus {self.names[0]}, points (95 % intervals over classes; over "
            "images)"
        )
        headline = words.translate(self.headline).replace("γ", "gamma")
        lines = [*textwrap.wrap(headline, 100), "", legend]
        for row in self.table(words).to_dict("records"):
            line = f"{row['protocol']}, {row['line']}".replace("γ", "gamma")
            ends = (
                f"{signed(row[f'low{end}'])} to {signed(row[f'high{end}'])}, p {row[f'p{end}']:.2g}"
                for end in UNIT_OF_SUFFIX
            )
            lines.append(
                f"  {line:<42} {row['average']:<10} {signed(row['value']):>6} ({'; '.join(ends)})"
            )
        return "\n".join(
            [
                *lines,
                f"  same class for {percent(self.agreement)} of the images; right only in the "
                f"second file: {self.only_second:,}; only in the first: {self.only_first:,} "
                f"(McNemar, p = {self.p:.3g})",
                *(f"  {words.translate(test.sentence)}" for test in self.class_tests),
                *textwrap.wrap(self.caution, 100, initial_indent="  ", subsequent_indent="  "),
            ]
        )

    def to_json(self) -> str:
        """Return the comparison as JSON; metrics and differences are fractions."""
        return strict_json(
            {
                "headline": self.headline,
                "first": self.names[0],
                "second": self.names[1],
                "gammas": self.gammas,
                "agreement": self.agreement,
                "only_first": self.only_first,
                "only_second": self.only_second,
                "p": self.p,
                "class_tests": [asdict(test) for test in self.class_tests],
                "differences": self.differences.to_dict("index"),
            }
        )


def compare_scores(
    first: Scores,
    second: Scores,
    gammas: Gammas = (None, None),
) -> Pair:
    """Compare two matrices or predictions of the same images, each at its gamma or at 0.

    Both must have the same labels and unseen classes, in the same order unless both files name the
    images and classes. Raises DatasetError for different images or classes.
    """
    first, second = _with_equal_classes(first, second)
    second = _order_images(first, second)
    expected = "scores of the same images, with the same labels and unseen classes"
    got = _difference(first, second)
    expect(not got, f"{first.name} and {second.name}", expected, got)
    y, seen = first.y, first.seen
    both = first, second
    predictions = [m.predicted_rows.predicted(g or 0.0) for m, g in zip(both, gammas, strict=True)]
    right = [predicted == y for predicted in predictions]
    accuracies = [per_class_accuracy(y, predicted) for predicted in predictions]
    present = np.array(sorted(accuracies[0]))
    table = pd.DataFrame(
        {
            "class": [first.class_names[c] for c in present],
            "seen": seen[present],
            "images": np.bincount(y, minlength=len(seen))[present],
            "first": [accuracies[0][c] for c in present],
            "second": [accuracies[1][c] for c in present],
        }
    )
    table["difference"] = table["second"] - table["first"]
    only_first, only_second = (int((a & ~b).sum()) for a, b in (right, right[::-1]))
    return Pair(
        names=(first.name, second.name),
        tests=(first.predicted_rows, second.predicted_rows),
        gammas=gammas,
        classes=table,
        agreement=float((predictions[0] == predictions[1]).mean()),
        only_first=only_first,
        only_second=only_second,
        p=float(scipy.stats.binomtest(only_first, only_first + only_second).pvalue)
        if only_first + only_second
        else 1.0,
    )


def differences_by_protocol(
    comparison: pd.DataFrame, words: Words = WORDS["seen-unseen"]
) -> pd.DataFrame:
    """Return :attr:`Pair.differences` under every protocol, as :meth:`Pair.table` does."""
    columns = comparison.drop(columns="difference")
    differences = {str(name): float(d) for name, d in comparison["difference"].items()}
    table = table_of_protocols(differences, words=words, intervals=columns)
    return table.drop(columns="reason")[table["value"].notna()].reset_index(drop=True)


def _difference(first: Scores, second: Scores) -> str:
    """Return the difference between the images or classes of two files; "" without one."""
    both = first, second
    sizes = [len(scores.y) for scores in both]
    if sizes[0] != sizes[1]:
        return f"{sizes[0]:,} and {sizes[1]:,} images"
    sizes = [len(scores.seen) for scores in both]
    if sizes[0] != sizes[1]:
        return f"{sizes[0]:,} and {sizes[1]:,} classes"
    if (others := np.flatnonzero(first.seen != second.seen)).size:
        names = listed([first.class_names[c] for c in others], MAX_LISTED)
        return f"classes that are unseen in only one of them: {names}"
    n = int((first.y != second.y).sum())
    if n and np.array_equal(np.sort(first.y), np.sort(second.y)):
        return "images in another order; add a column with their names to both files"
    return f"{n:,} images with another label" if n else ""


def _with_equal_classes(first: Scores, second: Scores) -> tuple[Scores, Scores]:
    """Return both files with the classes numbered as in the first one, matched by name.

    Predicted classes alone may lack classes that no image of the file has.
    """
    names = first.class_names
    positions = positions_of(second.class_names, names)
    if are_numbers(names) or np.array_equal(positions, np.arange(len(names))):
        return first, second
    if {first.predicted_rows.limits, second.predicted_rows.limits} == {"predicted classes"}:
        new = [name for name, k in zip(second.class_names, positions, strict=True) if k < 0]
        names = (*names, *new)
        first = _with_classes(first, names, np.arange(len(first.class_names)))
        positions = positions_of(second.class_names, names)
    if (positions < 0).any() or len({*positions.tolist()}) < len(positions):
        return first, second
    return first, _with_classes(second, names, positions)


def _with_classes(scores: Scores, names: tuple[str, ...], positions: np.ndarray) -> Scores:
    """Return the best classes of scores with each class at its position in ``names``."""
    numbers, test = np.append(positions, -1), scores.predicted_rows
    seen = np.ones(len(names), dtype=bool)
    seen[positions] = scores.seen
    columns: dict[str, Any] = {
        column: None if (classes := getattr(test, column)) is None else numbers[classes]
        for column in ("labels", "seen_class", "unseen_class", "zsl_class")
    }
    best = replace(test, **columns, classes=np.arange(len(names)), seen=seen)
    return Scores.of_best(scores.name, best, names, scores.digest, images=scores.images)


def _order_images(first: Scores, second: Scores) -> Scores:
    """Return the second file with the images in the order of the first file, if both name them."""
    if not (isinstance(first, PredictedScores) and isinstance(second, PredictedScores)):
        if first.images is None or second.images is None:
            return second
        files = second.name, first.name
        rows = rows_by_image({"": first.images}, {"image": second.images}, *files)
        if rows is None or len(rows) < len(second.y) or [*rows] == [*range(len(rows))]:
            return second
        best = second.predicted_rows.select(np.array(rows))
        return Scores.of_best(second.name, best, second.class_names, second.digest)
    both = first.predictions, second.predictions
    if any(predictions.provenance.rows != "benchmark" for predictions in both):
        return second
    first_rows, second_rows = (predictions.test.rows for predictions in both)
    if not np.array_equal(np.sort(first_rows), np.sort(second_rows)):
        unmatched = np.setxor1d(first_rows, second_rows)
        reason = (
            f"row {unmatched[0]:,} is in only one of them"
            if unmatched.size
            else "some rows occur more often in one of them"
        )
        raise DatasetError(
            f"{first.name} and {second.name}: expected predictions of the same rows; {reason}."
        )
    order = np.argsort(second_rows, kind="stable")[
        np.argsort(np.argsort(first_rows, kind="stable"))
    ]
    test = both[1].test.select(order)
    return PredictedScores.of(second.name, replace(both[1], test=test))


def design_of(pair: Pair, name: str) -> Design:
    """Return the design of the comparison of two files by one of their common metrics."""
    point, _, side = {"zsl": "separate_unseen"}.get(name, name).partition("_")
    test = pair.tests[0]
    right = [
        _mark_right(test, point, gamma or 0.0)
        for test, gamma in zip(pair.tests, pair.gammas, strict=True)
    ]
    sides = {"unseen": ~test.seen[test.y], "seen": test.seen[test.y]}
    if side == "harmonic":
        return _design_of_harmonic(test.y, right, sides)
    first, second = (r[sides[side]].astype(float) for r in right)
    return Design((stratum_of(second - first, test.y[sides[side]]),))


def _mark_right(test: PredictedTest, point: str, gamma: float) -> np.ndarray:
    """Return a mask of the images predicted correctly at a point."""
    if point == "separate":
        return BootstrapMetrics.once(test).right_in_separate
    return test.predicted(gamma if point == "calibrated" else 0.0) == test.y


def _design_of_harmonic(
    y: np.ndarray, right: list[np.ndarray], sides: dict[str, np.ndarray]
) -> Design:
    values = {side: np.zeros(int(on_side.sum())) for side, on_side in sides.items()}
    for sign, r in zip((-1, 1), right, strict=True):
        u, s = (_mean(r[on_side], y[on_side]) for on_side in sides.values())
        total = (s + u) ** 2 or 1.0
        for side, other in (("unseen", s), ("seen", u)):
            values[side] += sign * 2 * other**2 / total * r[sides[side]]
    return Design(tuple(stratum_of(values[side], y[on_side]) for side, on_side in sides.items()))


def _mean(right: np.ndarray, y: np.ndarray) -> float:
    """Return the mean of ``right`` over classes."""
    images = np.bincount(y)
    return float((np.bincount(y, right)[images > 0] / images[images > 0]).mean())
