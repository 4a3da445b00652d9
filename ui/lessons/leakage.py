"""The lesson on leakage and overlap, and the one on data in which nothing is planted."""

from __future__ import annotations

from functools import partial

import pandas as pd

from ui import cache
from ui.figures.leakage import leaks_by_class
from ui.figures.lesson import shares
from ui.figures.overlap import class_accuracy_bars
from ui.figures.palette import OVERLAP, UNSEEN
from ui.lessons.awa import AWA
from ui.lessons.step import Control, Lesson, Ranges, Step, View, Words
from ui.numbers import percent, three_digits
from zslcore.analysis import overlap_tables
from zslcore.datasets.simulated import unplanted_twin
from zslcore.evaluation.specs import RunSpec
from zslcore.leakage import AuditContext, Severity, get_vocabulary, leaks, quiz

__all__ = ["LEAKAGE", "NOTHING"]

DATA = "simulated-AWA2"
VOCABULARY = "imagenet-1k"
METHODS = ("LinearS2V", "LinearV2S", "ESZSL")
WITH, WITHOUT = "gain planted", "nothing planted"
FAULTS = Words(tuple(quiz.ANSWERS))
COUNT = Ranges((1, 4, 7), lambda n: f"{n:g}")
GAINS = Ranges((0.0, 0.1, 0.25, 0.5), lambda gain: f"{100 * gain:.0f} %")
CHANCE = Words(("yes, p is below the usual level", "no, chance can do as much"))
BETTER = Words(("overlapping classes are better", "they are as good, or worse"))
ALPHA = 0.05


def _fault(question: str, which: str) -> View:
    """Show a planted split of the quiz; the audit is the answer."""
    context, _, answer = cache.quiz_question(question)
    marked = which == "what leaks"
    failed = [f for f in answer.report.findings if f.severity is Severity.FAIL]
    said = failed[0].message if failed else "No check of the audit failed."
    table = leaks.leaks_by_class(context, answer.report if marked else None)
    return View(
        leaks_by_class(table),
        f"Images of {len(table)} digits by where they are in the split.",
        f"The audit says: {said}",
        answer.right,
    )


def _clues(question: str) -> str:
    """Write what can be seen of a planted split without an audit, one clue a line."""
    _, clues, _ = cache.quiz_question(question)
    return "\n".join(f"- {what}: {value}" for what, value in clues)


def _known(name: str, split: str) -> set[int]:
    """Return the test classes that the extractor's training classes have for certain."""
    dataset = cache.dataset(name)
    parts = dataset.split(split)
    table = cache.overlaps(
        cache.split_key(dataset, parts),
        VOCABULARY,
        "a lesson",
        AuditContext.of_dataset(dataset, parts),
        get_vocabulary(VOCABULARY),
        every_class=True,
    )
    strong = table.loc[table["strength"] == "strong", "number"]
    return set(strong) & set(parts.unseen_classes.tolist())


def _overlap(split: str) -> View:
    known, dataset = _known(DATA, split), cache.dataset(DATA)
    n = len(dataset.split(split).unseen_classes)
    return View(
        shares({"in the pre-training set": len(known) / n, "not in it": 1 - len(known) / n},
               [OVERLAP, UNSEEN]),
        f"{len(known)} of {n} test classes of split {split} are classes of ImageNet-1K.",
        f"In split {split}, {len(known)} of {n} test classes were among the classes that the "
        "extractor was trained on.",
        COUNT.of(len(known)),
    )  # fmt: skip


def _named(which: str) -> str:
    return DATA if which == WITH else unplanted_twin(DATA) or DATA


def _gains(name: str, method: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return the accuracy of every test class of split SS, and what overlap gains."""
    dataset = cache.dataset(name)
    accuracy = cache.class_accuracy(RunSpec.among_unseen(dataset, "SS", method))
    known = _known(name, "SS")
    gains = overlap_tables.method_gains({method: accuracy}, known)
    images = overlap_tables.test_images(dataset, dataset.split("SS"))
    table = overlap_tables.class_accuracies(
        accuracy, known, images, dict(enumerate(dataset.class_names))
    )
    return table, gains.iloc[0]


def _bars(name: str, method: str) -> View:
    table, gain = _gains(name, method)
    better = BETTER.labels[0 if gain["overlap"] > gain["clean"] else 1]
    return View(
        class_accuracy_bars(table, {True: gain["overlap"], False: gain["clean"]}, ""),
        f"Accuracy of {len(table)} test classes with {method}, best first.",
        f"Overlapping classes average {percent(gain['overlap'])} with {method}, the others "
        f"{percent(gain['clean'])}.",
        better,
    )


def _gain(which: str, method: str = METHODS[0]) -> View:
    name = _named(which)
    view, (_, gain) = _bars(name, method), _gains(name, method)
    notice = (
        f"With {which}, OverlapGain is {percent(gain['gain'])} with an interval from "
        f"{percent(gain['low'])} to {percent(gain['high'])} over classes."
    )
    return View(view.figure, view.alt, notice, GAINS.of(gain["gain"]))


def _chance(which: str) -> View:
    name = _named(which)
    view, (_, gain) = _bars(name, METHODS[0]), _gains(name, METHODS[0])
    answer = CHANCE.labels[0 if gain["p"] < ALPHA else 1]
    notice = (
        f"With {which}, p is {three_digits(gain['p'])}: so often does chance alone give a "
        "difference as large, when it deals out which classes overlap."
    )
    return View(view.figure, view.alt, notice, answer)


def _quiz_step(title: str, question: str) -> Step:
    return Step(
        title,
        "What is wrong with this split?",
        FAULTS,
        Control("Show", ("the split", "what leaks")),
        partial(_fault, question),
        ("digits",),
        context=partial(_clues, question),
    )


def _command(name: str) -> str:
    return f"python -m zslcore audit {name} --split SS"


_PLANTED = Control("Simulated with", (WITH, WITHOUT))
_BARE = Control("Simulated with", (WITHOUT, WITH))

LEAKAGE = Lesson(
    name="leakage",
    title="Leakage and overlap: what train and test must not share",
    about="Audit four splits, then look for classes in the pre-training set.",
    minutes=20,
    steps=(
        _quiz_step("Count the rows", "1"),
        _quiz_step("Read the names", "4"),
        _quiz_step("Measure the distances", "5"),
        _quiz_step("And this one?", "3"),
        Step(
            "Test classes in the pre-training set",
            "The features come from a network that was trained on ImageNet-1K. How many test "
            "classes of AWA2's standard split are among its classes?",
            COUNT,
            Control("Split", ("SS", "PS")),
            _overlap,
            (DATA,),
        ),
        Step(
            "Do classes in the pre-training set do better?",
            "Compare test classes that the extractor was trained on with the others.",
            BETTER,
            Control("Method", METHODS),
            lambda method: _bars(DATA, method),
            (DATA,),
        ),
        Step(
            "How large is the gain?",
            "OverlapGain is the difference of both means, divided by their mean. How large is it "
            "here?",
            GAINS,
            _PLANTED,
            _gain,
            (DATA,),
        ),
        Step(
            "And when there is nothing?",
            "The same simulation, in which the extractor gives known classes no advantage. Is the "
            "difference that is left more than chance?",
            CHANCE,
            _BARE,
            _chance,
            (DATA,),
        ),
    ),
    command=lambda: _command(DATA),
)

NOTHING = Lesson(
    name="nothing",
    title="When there is nothing to find: planted effects, on and off",
    about="The same pages on simulated data with an effect, and on their twins without it.",
    minutes=10,
    steps=(
        Step(
            "A gain, planted",
            "In these simulated data known classes are made easier on purpose. Does the test see "
            "more than chance?",
            CHANCE,
            _PLANTED,
            _chance,
            (DATA,),
        ),
        Step(
            "No gain, and what remains",
            "No effect is simulated now. How large is OverlapGain by chance?",
            GAINS,
            _BARE,
            _gain,
            (DATA,),
        ),
        *AWA.steps[5:7],
    ),
    command=lambda: _command(unplanted_twin(DATA) or DATA),
)
