"""Two score matrices of the same images compared: figure by figure, class by class, image by image.

Both are judged on the same draws of classes and of images, so that what makes a class or an image
hard for both cancels (:mod:`zslcore.analysis.resampling`).
"""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from zslcore.analysis.resampling import draws_of_all
from zslcore.evaluation.protocol import AnsweredTest
from zslcore.exceptions import DatasetError
from zslcore.leakage.predicted import PredictedScores
from zslcore.metrics import per_class_accuracy
from zslcore.metrics.bootstrap import caution, interval, p_of_draws
from zslcore.metrics.significance import PairedTest, paired_test
from zslcore.scores.matrix import JudgedScores
from zslcore.scores.protocols import OVER, WORDS, Words, figures_of, side_by_side
from zslcore.texts import strict_json

# The gamma of either file, None without one.
Gammas = tuple[float | None, float | None]


@dataclass(frozen=True, eq=False)
class Pair:
    r"""Two matrices of the same images, compared at a gamma each.

    Attributes
    ----------
    names : of both
    tests : their answers, rows in the same order
    gammas : of both, None without one
    classes : DataFrame, a row a class: class, seen, images, first, second, difference
    agreement : share of images that both answer alike
    only_first, only_second : images that one alone answers rightly
    p : of McNemar's exact test, that both are right equally often:
        :math:`n_1 \sim \mathrm{B}(n_1 + n_2, 1/2)`
    """

    names: tuple[str, str]
    tests: tuple[AnsweredTest, AnsweredTest]
    gammas: Gammas
    classes: pd.DataFrame
    agreement: float
    only_first: int
    only_second: int
    p: float

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Second less first, a row a figure that both have (the index, by its registered name).

        Columns: ``first``, ``second``, ``difference``; its 95 % interval over classes, ``low`` and
        ``high``, and over images within their class, ``low_images`` and ``high_images``; the
        two-sided p of the same draws, ``p`` and ``p_images``.
        """
        both = [figures_of(*one) for one in zip(self.tests, self.gammas, strict=True)]
        there = [name for name in both[0] if None not in (both[0][name], both[1][name])]
        table = pd.DataFrame(
            {"first": both[0], "second": both[1]}, index=there, dtype=float
        ).assign(difference=lambda t: t["second"] - t["first"])
        for end, over in OVER.items():
            of = [(t, gamma or 0.0) for t, gamma in zip(self.tests, self.gammas, strict=True)]
            one, two = draws_of_all(of, there, over=over)
            drawn = [two[name] - one[name] for name in there]
            table[[f"low{end}", f"high{end}"]] = [interval(values) for values in drawn]
            table[f"p{end}"] = [p_of_draws(values) for values in drawn]
        return table

    @property
    def caution(self) -> str:
        """What intervals and p cover over few classes, or classes of one image; "" elsewhere."""
        return caution(self.classes["seen"].to_numpy(), self.classes["images"].to_numpy())

    @cached_property
    def class_tests(self) -> tuple[PairedTest, ...]:
        """Paired tests over the classes of either side, of accuracies at the gamma of each file."""
        found = []
        for seen in (True, False):
            of = self.classes["difference"][self.classes["seen"] == seen]
            if len(of) > 1:
                side = "Seen classes:" if seen else "Unseen classes:"
                found.append(paired_test(side, of.to_numpy(), of="classes"))
        return tuple(found)

    def table(self, words: Words = WORDS["seen-unseen"]) -> pd.DataFrame:
        """Return the differences as :func:`zslcore.scores.protocols.side_by_side` does."""
        return in_protocols(self.differences, words)

    def as_text(self, words: Words = WORDS["seen-unseen"]) -> str:
        """Return the differences as lines to read, in points, with both intervals."""
        said = f"{self.names[1]} less {self.names[0]}, points (95 % over classes; over images)"
        lines = [said]
        for row in self.table(words).to_dict("records"):
            what = f"{row['protocol']}, {row['line']}".replace("γ", "gamma")
            ends = (
                f"{100 * row[f'low{end}']:+.1f} to {100 * row[f'high{end}']:+.1f}, "
                f"p {row[f'p{end}']:.2g}"
                for end in OVER
            )
            lines.append(
                f"  {what:<42} {row['average']:<10} {100 * row['value']:+6.1f} ({'; '.join(ends)})"
            )
        return "\n".join(
            [
                *lines,
                f"  alike for {self.agreement:.1%} of the images; right in the second alone "
                f"{self.only_second:,}, in the first alone {self.only_first:,} (McNemar, p = "
                f"{self.p:.3g})",
                *(f"  {words.said(test.sentence)}" for test in self.class_tests),
                *textwrap.wrap(self.caution, 100, initial_indent="  ", subsequent_indent="  "),
            ]
        )

    def to_json(self) -> str:
        """Return the comparison as JSON; figures and differences are fractions."""
        return strict_json(
            {
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
    first: JudgedScores,
    second: JudgedScores,
    gammas: Gammas = (None, None),
) -> Pair:
    """Compare two matrices, or predictions, of the same images, at a gamma each or at 0.

    Both have the same labels in the same order, and the same unseen classes; two predictions that
    number the benchmark's rows may have them in any order. Raises a DatasetError when they are not
    of the same images and classes.
    """
    second = _in_order(first, second)
    alike = np.array_equal(first.y, second.y) and np.array_equal(first.seen, second.seen)
    if not alike:
        raise DatasetError(
            f"{first.name} and {second.name}: expected scores of the same images, with the same "
            f"labels and unseen classes; got {len(first.y):,} and {len(second.y):,} images."
        )
    y, seen = first.y, first.seen
    both = first, second
    answers = [m.tested.predicted(g or 0.0) for m, g in zip(both, gammas, strict=True)]
    right = [answer == y for answer in answers]
    of = [per_class_accuracy(y, answer) for answer in answers]
    present = np.array(sorted(of[0]))
    table = pd.DataFrame(
        {
            "class": [first.class_names[c] for c in present],
            "seen": seen[present],
            "images": np.bincount(y, minlength=len(seen))[present],
            "first": [of[0][c] for c in present],
            "second": [of[1][c] for c in present],
        }
    )
    table["difference"] = table["second"] - table["first"]
    one, two = (int((a & ~b).sum()) for a, b in (right, right[::-1]))
    return Pair(
        names=(first.name, second.name),
        tests=(first.tested, second.tested),
        gammas=gammas,
        classes=table,
        agreement=float((answers[0] == answers[1]).mean()),
        only_first=one,
        only_second=two,
        p=float(binomtest(one, one + two).pvalue) if one + two else 1.0,
    )


def in_protocols(found: pd.DataFrame, words: Words = WORDS["seen-unseen"]) -> pd.DataFrame:
    """Return :attr:`Pair.differences` under every protocol, as :meth:`Pair.table` does."""
    columns = found.drop(columns="difference")
    differences = {str(name): float(d) for name, d in found["difference"].items()}
    table = side_by_side(differences, words=words, intervals=columns)
    return table.drop(columns="reason")[table["value"].notna()].reset_index(drop=True)


def _in_order(first: JudgedScores, second: JudgedScores) -> JudgedScores:
    """Return the second with its rows in the order of the first, where rows say which they are."""
    if not (isinstance(first, PredictedScores) and isinstance(second, PredictedScores)):
        return second
    both = first.predictions, second.predictions
    if any(of.provenance.rows != "benchmark" for of in both):
        return second
    one, two = (of.test.rows for of in both)
    if not np.array_equal(np.sort(one), np.sort(two)):
        other = np.setxor1d(one, two)
        which = f"row {other[0]:,} is in one alone" if other.size else "some are there more often"
        raise DatasetError(
            f"{first.name} and {second.name}: expected predictions of the same rows; {which}."
        )
    order = np.argsort(two, kind="stable")[np.argsort(np.argsort(one, kind="stable"))]
    test = both[1].test.taken(order)
    return replace(second, predictions=replace(both[1], test=test))
