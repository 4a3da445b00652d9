"""Lesson on AWA1 and AWA2: image counts, a printed p-value, and a removable shift."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from ui.figures.cross import CROSS_LABELS, difference_strips, four_accuracies, image_counts
from ui.figures.lesson import shares
from ui.figures.palette import FIRST, HARMONIC, SECOND
from ui.figures.vocabulary import Chart
from ui.lessons.step import (
    ALPHA,
    SIGNIFICANT,
    Control,
    Ranges,
    Step,
    StepView,
    WordAnswers,
    read_lesson,
    significant,
)
from ui.shell.numbers import three_digits
from ui.state import cache, waiting
from zslcore.analysis import cross_dataset
from zslcore.analysis.cross_dataset import CrossStudy
from zslcore.analysis.dataset_summary import awa_image_counts
from zslcore.datasets.facts import title
from zslcore.datasets.simulated_names import name_without_effects
from zslcore.metrics.significance import PairedTest

PAIR = ("simulated-AWA1", "simulated-AWA2")
#: Methods with a closed-form solution, fitted within seconds.
METHODS = ("LinearV2S", "LinearS2V", "ESZSL")
PRINTED, HERE, BARE = "real images, as printed", "simulated with shift", "simulated without shift"
QUESTIONS = CROSS_LABELS | {"larger": "which changes more"}
FOLDS = Ranges((2.0, 5.0, 10.0), lambda factor: f"{factor:g} times")
TENTHS = Ranges((0.25, 0.5, 0.75, 0.95), lambda share: f"{100 * share:.0f} %")
MORE = WordAnswers(("AWA1", "AWA2", "both equally"))
CHANGES = WordAnswers(("the training set", "the test set", "no significant difference"))
CELLS = WordAnswers(("lower on the other data set", "equal or higher"))


def _names(which: str) -> tuple[str, str]:
    """Return the names of the simulated AWA1 and AWA2, with or without the shift."""
    if which == HERE:
        return PAIR
    return name_without_effects(PAIR[0]) or PAIR[0], name_without_effects(PAIR[1]) or PAIR[1]


def _table(which: str) -> tuple[pd.DataFrame, str, str]:
    """Return the accuracies within and across two data sets, and the names of the two."""
    if which == PRINTED:
        return cross_dataset.printed_table(), "AWA1", "AWA2"
    names = _names(which)
    first, second = map(cache.dataset, names)
    return waiting.study_result(CrossStudy.of(first, second, "PS", METHODS)), names[0], names[1]


def _totals(which: str) -> StepView:
    counts = awa_image_counts()
    unseen = counts["role"] == "unseen"
    part = {"all classes": counts, "test classes": counts[unseen]}[which][["AWA1", "AWA2"]].sum()
    larger = MORE.labels[2] if part["AWA1"] == part["AWA2"] else str(part.idxmax())
    total = counts[["AWA1", "AWA2"]].sum().max()
    figure = shares({name: part[name] / total for name in part.index}, [FIRST, SECOND])
    return StepView(figure, larger, dict(part))


def _balance(which: str) -> StepView:
    table = awa_image_counts()
    ratio = table[which].max() / table[which].min()
    ends = [int(table[which].argmax()), int(table[which].argmin())]
    largest, smallest = table["class"].iloc[ends]
    facts = {"classes": len(table), "ratio": ratio, "largest": largest, "smallest": smallest}
    counts = image_counts(table)
    names = dict(counts.axis("x"))  # 50 names are illegible in a lecture hall
    names |= {"tickvals": ends, "ticktext": [names["ticktext"][k] for k in ends], "tickangle": 0}
    figure = Chart(counts.traces, counts.layout | {"xaxis": names})
    return StepView(figure, FOLDS.of(ratio), facts)


def _cells(which: str) -> StepView:
    table, first, second = _table(which)
    cells = cross_dataset.four_cells(table, first, second)
    within = float(np.nanmean(cells.iloc[:, [0, 2]].to_numpy()))
    other = float(np.nanmean(cells.iloc[:, [1, 3]].to_numpy()))
    figure = four_accuracies(cells, first, second, f"accuracy ({which})")
    facts = {"methods": len(cells), "own": within, "other": other}
    return StepView(figure, CELLS.labels[0 if other < within else 1], facts)


def _cover() -> Chart:
    """Draw the printed pairs, without means and p-values."""
    table, *names = _table(PRINTED)
    labels = {question: QUESTIONS[question] for question in ("training set", "test set")}
    pairs = cross_dataset.paired_differences(table, *names[::-1])
    strips = difference_strips(pairs[pairs["question"].isin(labels)], {}, labels)
    return Chart(strips.traces, strips.layout | {"showlegend": False})


def _draw_tests(which: str) -> tuple[Chart, Mapping[str, PairedTest]]:
    """Draw the differences of pairs for each question; return the figure and the tests."""
    table, *names = _table(which)
    pair = names[::-1]  # AWA2 minus AWA1, as in the view of the map
    tests = {
        key: replace(test, question=cross_dataset.QUESTIONS[key].format(*map(title, pair)))
        for key, test in cross_dataset.cross_tests(table, *pair).items()
    }
    changes = cross_dataset.paired_differences(table, *pair)
    return difference_strips(changes, tests, QUESTIONS, title=f"difference ({which})"), tests


def _claim(which: str) -> StepView:
    figure, tests = _draw_tests(which)
    test, printed = tests["training set"], cross_dataset.PRINTED_CLAIM
    paper = f"; the paper prints {three_digits(printed.p)}" if which == PRINTED else ""
    facts = {"pairs": test.pairs, "sentence": test.sentence, "p": test.p, "paper": paper}
    return StepView(figure, significant(test.p), facts)


def _larger(which: str) -> StepView:
    figure, tests = _draw_tests(which)
    larger = tests["larger"]
    if larger.p >= ALPHA:
        answer = CHANGES.labels[2]
    else:
        answer = CHANGES.labels[0 if larger.mean_difference > 0 else 1]
    facts = {"pairs": larger.pairs, "sentence": larger.sentence, "p": larger.p}
    return StepView(figure, answer, facts)


def nearest_shares(names: tuple[str, str]) -> dict[str, float]:
    """Return the share of classes with the same class as nearest mean in the other data set."""
    means = [cache.mean_features(name, cache.dataset(name).digest) for name in names]
    by_name = {}
    for means_of_one, other, name in (
        (means[0], means[1], names[0]),
        (means[1], means[0], names[1]),
    ):
        distances = np.linalg.norm(means_of_one[:, None] - other[None], axis=-1)
        by_name[name] = float((distances.argmin(axis=1) == np.arange(len(means_of_one))).mean())
    return by_name


def _means(which: str) -> StepView:
    by_name = nearest_shares(_names(which))
    share = float(np.mean(list(by_name.values())))
    return StepView(shares(by_name, [FIRST, SECOND]), TENTHS.of(share), {"share": share})


def _verdict(which: str) -> StepView:
    _, tests = _draw_tests(which)
    values = {QUESTIONS[k]: tests[k].p for k in ("training set", "test set")}
    training, test = values.values()
    facts = {"training": training, "test": test}
    return StepView(shares(values, [HARMONIC, HARMONIC]), significant(test), facts)


_PRINTED_FIRST = Control("Accuracies", (PRINTED, HERE, BARE))

AWA = read_lesson(
    "awa",
    {
        "totals": Step(MORE, Control("Images of", ("all classes", "test classes")), _totals),
        "balance": Step(FOLDS, Control("Data set", ("AWA2", "AWA1")), _balance),
        "cells": Step(CELLS, _PRINTED_FIRST, _cells),
        "claim": Step(SIGNIFICANT, _PRINTED_FIRST, _claim),
        "larger": Step(CHANGES, _PRINTED_FIRST, _larger),
        "means": Step(TENTHS, Control("Data", (HERE, BARE)), _means, PAIR),
        "without": Step(SIGNIFICANT, Control("Accuracies", (BARE, HERE, PRINTED)), _claim, PAIR),
        "verdict": Step(SIGNIFICANT, _PRINTED_FIRST, _verdict),
    },
    cover=_cover,
    command=lambda: f"zslcore reproduce gbu:table4 --dataset {' '.join(PAIR)}",
)
