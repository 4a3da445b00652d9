"""The lesson on AWA1 and AWA2: counts, a printed p-value, and a shift that can be taken out."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ui import cache, waiting
from ui.figures.cross import difference_strips, four_accuracies, image_counts
from ui.figures.lesson import shares
from ui.figures.palette import FIRST, HARMONIC, SECOND
from ui.lessons.step import Control, Lesson, Ranges, Step, View, Words
from ui.numbers import percent, three_digits
from zslcore.analysis import cross_tests
from zslcore.analysis.cross_dataset import CrossStudy
from zslcore.analysis.inventory import awa_image_counts
from zslcore.datasets.simulated import unplanted_twin

__all__ = ["AWA", "PAIR", "nearest_shares"]

PAIR = ("simulated-AWA1", "simulated-AWA2")
#: Closed forms: they are fitted while one waits.
METHODS = ("LinearV2S", "LinearS2V", "ESZSL")
PRINTED, HERE, BARE = "as printed, real images", "stand-ins, shift planted", "stand-ins, no shift"
QUESTIONS = {
    "training set": "another training set",
    "test set": "another test set",
    "larger": "which changes more",
}
FOLDS = Ranges((2.0, 5.0, 10.0), lambda factor: f"{factor:g} times")
TENTHS = Ranges((0.25, 0.5, 0.75, 0.95), lambda share: f"{100 * share:.0f} %")
MORE = Words(("AWA1", "AWA2", "both have the same"))
#: What is usual to call significant.
ALPHA = 0.05
SIGNIFICANT = Words(("yes, p is below the usual level", "no, p is above it"))
CHANGES = Words(("the training set", "the test set", "the test cannot tell"))


def _names(which: str) -> tuple[str, str]:
    """Return the stand-ins for AWA1 and AWA2, with the shift planted or without."""
    if which == HERE:
        return PAIR
    return unplanted_twin(PAIR[0]) or PAIR[0], unplanted_twin(PAIR[1]) or PAIR[1]


def _table(which: str) -> tuple[pd.DataFrame, str, str]:
    """Return accuracies of one data set on the other, and the names of both in them."""
    if which == PRINTED:
        return cross_tests.printed_table(), "AWA1", "AWA2"
    names = _names(which)
    first, second = map(cache.dataset, names)
    return waiting.result_of(CrossStudy.of(first, second, "PS", METHODS)), names[0], names[1]


def _said(which: str) -> str:
    return which[0].upper() + which[1:]


def _significant(p: float) -> str:
    return SIGNIFICANT.labels[0 if p < ALPHA else 1]


def _totals(which: str) -> View:
    counts = awa_image_counts()[["AWA1", "AWA2"]]
    unseen = awa_image_counts()["role"] == "unseen"
    part = {"all classes": counts, "test classes": counts[unseen]}[which].sum()
    larger = MORE.labels[2] if part["AWA1"] == part["AWA2"] else str(part.idxmax())
    total = counts.sum().max()
    return View(
        shares({name: part[name] / total for name in part.index}, [FIRST, SECOND]),
        f"Images of {which}: {part['AWA1']:,} in AWA1, {part['AWA2']:,} in AWA2.",
        f"AWA1 has {part['AWA1']:,} images of {which}, AWA2 {part['AWA2']:,}. Bars are shares of "
        "the larger data set.",
        larger,
    )


def _balance(which: str) -> View:
    table = awa_image_counts()
    ratio = table[which].max() / table[which].min()
    first = table.rename(columns={"AWA1": "first", "AWA2": "second"})
    largest, smallest = (
        table["class"].iloc[at] for at in (table[which].argmax(), table[which].argmin())
    )
    return View(
        image_counts(first, "AWA1", "AWA2"),
        f"Images of {len(table)} classes in AWA1 and AWA2, largest of AWA2 first.",
        f"In {which} the largest class, {largest}, has {ratio:.1f} times as many images as the "
        f"smallest, {smallest}: a mean over images is mostly one over large classes.",
        FOLDS.of(ratio),
    )


def _cells(which: str) -> View:
    table, *names = _table(which)
    cells = cross_tests.four_cells(table, *names)
    own = float(np.nanmean(cells.iloc[:, [0, 2]].to_numpy()))
    other = float(np.nanmean(cells.iloc[:, [1, 3]].to_numpy()))
    answer = CELLS.labels[0 if other < own else 1]
    return View(
        four_accuracies({which: cells}, *names),
        f"ZSL accuracy of {len(cells)} methods trained on either data set and tested on both.",
        f"{_said(which)}: on their own data set methods average {percent(own)}, on the other one "
        f"{percent(other)}.",
        answer,
    )


CELLS = Words(("lower on the other data set", "as high there, or higher"))


def _claim(which: str) -> View:
    table, *names = _table(which)
    tests = cross_tests.cross_tests(table, *names)
    asked = tests["training set"]
    printed = cross_tests.PRINTED_CLAIM
    return View(
        difference_strips({which: (cross_tests.differences(table, *names), tests)}, QUESTIONS),
        f"Differences of {asked.pairs} pairs of accuracies for each question. {asked.sentence}",
        f"{_said(which)}: computed from these {asked.pairs} pairs, p is {three_digits(asked.p)}"
        + (f"; the paper prints {three_digits(printed.p)}." if which == PRINTED else "."),
        _significant(asked.p),
    )


def _larger(which: str) -> View:
    table, *names = _table(which)
    tests = cross_tests.cross_tests(table, *names)
    larger = tests["larger"]
    if larger.p >= ALPHA:
        answer = CHANGES.labels[2]
    else:
        answer = CHANGES.labels[0 if larger.mean_difference > 0 else 1]
    return View(
        difference_strips({which: (cross_tests.differences(table, *names), tests)}, QUESTIONS),
        f"Differences of pairs for each question. {larger.sentence}",
        f"{_said(which)}: the question about the size of the change has "
        f"p = {three_digits(larger.p)} over {larger.pairs} pairs.",
        answer,
    )


def nearest_shares(names: tuple[str, str]) -> dict[str, float]:
    """Return how often the class mean nearest to one of the other data set is of the same class.

    Parameters
    ----------
    names : of two data sets with the same classes
    """
    means = [cache.class_means(name, cache.dataset(name).digest) for name in names]
    found = {}
    for own, other, name in ((means[0], means[1], names[0]), (means[1], means[0], names[1])):
        distances = np.linalg.norm(own[:, None] - other[None], axis=-1)
        found[name] = float((distances.argmin(axis=1) == np.arange(len(own))).mean())
    return found


def _means(which: str) -> View:
    found = nearest_shares(_names(which))
    share = float(np.mean(list(found.values())))
    return View(
        shares(found, [FIRST, SECOND]),
        f"Share of classes whose nearest class mean in the other data set is the same class: "
        f"{percent(share)} on average.",
        f"{_said(which)}: for {percent(share)} of classes the nearest class mean of the other data "
        "set is that of the same class.",
        TENTHS.of(share),
    )


def _verdict(which: str) -> View:
    table, *names = _table(which)
    tests = cross_tests.cross_tests(table, *names)
    values = {QUESTIONS[k]: tests[k].p for k in ("training set", "test set")}
    return View(
        shares(values, [HARMONIC, HARMONIC]),
        "p-values: " + ", ".join(f"{k} {three_digits(p)}" for k, p in values.items()) + ".",
        f"{_said(which)}: p for "
        + " and ".join(f"{k} is {three_digits(p)}" for k, p in values.items())
        + ": which pairs are compared decides the sentence that a paper may print.",
        _significant(tests["test set"].p),
    )


_PRINTED_FIRST = Control("Accuracies", (PRINTED, HERE, BARE))
_BARE_FIRST = Control("Accuracies", (BARE, HERE, PRINTED))

AWA = Lesson(
    name="awa",
    title="AWA1 and AWA2: is the new data set a fair replacement?",
    about="Image counts, printed p-values, and what simulated data show with no effect.",
    minutes=20,
    steps=(
        Step(
            "Two data sets, the same animals",
            "AWA2 replaces AWA1, whose images could not be published. Both have the same classes. "
            "Which has more images?",
            MORE,
            Control("Images of", ("all classes", "test classes")),
            _totals,
        ),
        Step(
            "Not every class is as large",
            "How many times as many images has the largest class of AWA2 as the smallest?",
            FOLDS,
            Control("Data set", ("AWA2", "AWA1")),
            _balance,
        ),
        Step(
            "Train on one, test on the other",
            "Methods are trained on one data set and tested on both. How high is their mean "
            "accuracy on the other one?",
            CELLS,
            _PRINTED_FIRST,
            _cells,
        ),
        Step(
            "Does the printed p-value follow?",
            "The paper says that another training set changes accuracy significantly. Take the "
            "paper's own table and test it: is that so?",
            SIGNIFICANT,
            _PRINTED_FIRST,
            _claim,
        ),
        Step(
            "What changes accuracy more?",
            "Look at the size of each change, whatever its sign. What changes accuracy more?",
            CHANGES,
            _PRINTED_FIRST,
            _larger,
        ),
        Step(
            "Whose nearest neighbour is whose?",
            "Take the mean features of every class of the stand-ins. For how many classes is the "
            "nearest mean of the other data set that of the same class?",
            TENTHS,
            Control("Simulated with", (HERE, BARE)),
            _means,
            PAIR,
        ),
        Step(
            "Now take the shift out",
            "The stand-ins differ by a shift that was planted. Without it, does another training "
            "set still change accuracy significantly?",
            SIGNIFICANT,
            _BARE_FIRST,
            _claim,
            PAIR,
        ),
        Step(
            "Which pairs were compared?",
            "Back to the printed table: does another test set change accuracy significantly?",
            SIGNIFICANT,
            _PRINTED_FIRST,
            _verdict,
        ),
    ),
    command=lambda: f"python -m zslcore reproduce gbu:table4 --dataset {' '.join(PAIR)}",
)
