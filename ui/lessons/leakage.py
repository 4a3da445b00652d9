"""Lesson on leakage and overlap: four faulty splits, then classes in the pre-training set."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from ui.figures.lesson import class_accuracy_bars, shares
from ui.figures.marks import GROUP_WORDS
from ui.figures.palette import GROUP_LOOKS
from ui.figures.splits import class_leak_bars
from ui.figures.vocabulary import Chart
from ui.lessons.step import (
    SIGNIFICANT,
    Control,
    Ranges,
    Step,
    StepView,
    WordAnswers,
    read_lesson,
    significant,
)
from ui.state import cache
from zslcore.analysis import overlap
from zslcore.datasets.simulated_names import name_without_effects
from zslcore.evaluation.specs import RunSpec
from zslcore.leakage import AuditContext, counts, get_vocabulary, quiz
from zslcore.metrics.gain import GROUPS, Group

DATA = "simulated-AWA2"
VOCABULARY = "imagenet-1k"
METHODS = ("LinearS2V", "LinearV2S", "ESZSL")
WITH, WITHOUT = "with effect", "without effect"
FAULTS = WordAnswers(tuple(quiz.ANSWERS))
COUNT = Ranges((1, 4, 7), lambda n: f"{n:g}")
GAINS = Ranges((0.0, 0.1, 0.25, 0.5), lambda gain: f"{100 * gain:.0f} %")
BETTER = WordAnswers(("overlapping classes are better", "they are no better"))


def _fault(question: str, which: str) -> StepView:
    """Show a faulty split of the quiz, with the counts of its leaks."""
    context, clues, answer = cache.quiz_question(question)
    table = counts.leaks_by_class(context, answer.report if which == "what leaks" else None)
    facts: dict[str, object] = {"digits": len(table)}
    for finding in answer.report.findings:
        if finding.mark in ("leak", "error"):
            facts.update(finding.numbers, names=", ".join(finding.classes))
    values = dict(clues)
    facts["images"] = values["images in the data set"]
    facts["sum_of_parts"] = values["rows in trainval + test seen + test unseen"].split(" = ")[1]
    near = "near-duplicates of training images in the test set"
    facts["copies"] = values[near].partition(",")[0]
    return StepView(class_leak_bars(table), answer.right, facts)


def _cover() -> Chart:
    """Draw the split of the first question, with names that fit into a small picture."""
    split = _fault("1", "the split").figure
    small = {"tickfont": split.axis("y")["tickfont"] | {"size": 12}}
    axes = {"xaxis": split.axis("x") | {"title": None}, "yaxis": split.axis("y") | small}
    return Chart(split.traces, split.layout | axes)


def _clues(question: str) -> str:
    """Return the clues of a faulty split, one per line."""
    _, clues, _ = cache.quiz_question(question)
    return "\n".join(f"- {topic}: {value}" for topic, value in clues)


def _classes_in_group(name: str, split: str, group: Group) -> set[int]:
    """Return the test classes of a group: in the pre-training set, related to it, or unrelated."""
    dataset = cache.dataset(name)
    parts = dataset.split(split)
    table = cache.class_overlaps(
        cache.split_key(dataset, parts),
        VOCABULARY,
        "a lesson",
        AuditContext.of_split(parts, dataset),
        get_vocabulary(VOCABULARY),
        every_class=True,
    )
    numbers = table.loc[table["group"] == group, "number"]
    return set(numbers) & set(parts.unseen_classes.tolist())


def _overlap(split: str) -> StepView:
    counts = {group: len(_classes_in_group(DATA, split, group)) for group in GROUPS}
    in_set, n = counts["in the set"], sum(counts.values())
    values = {GROUP_WORDS[group]: count / n for group, count in counts.items()}
    figure = shares(values, [GROUP_LOOKS[group] for group in GROUPS])
    return StepView(figure, COUNT.of(in_set), {"in_set": in_set, "n": n})


def _gains(name: str, method: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return the accuracy of each test class of split SS, and the gain by overlap."""
    dataset = cache.dataset(name)
    accuracy = cache.class_accuracy(RunSpec.among_unseen(dataset, "SS", method))
    in_set, related = (_classes_in_group(name, "SS", group) for group in GROUPS[:2])
    gains = overlap.method_gains({method: accuracy}, in_set, related)
    images = overlap.test_images(dataset, dataset.split("SS"))
    table = overlap.class_accuracies(accuracy, in_set, images, dict(enumerate(dataset.class_names)))
    near, inside = table["number"].isin(related), table["overlapping"]
    table["group"] = np.select([inside, near], GROUPS[:2], GROUPS[2])
    return table, gains.iloc[0]


def _bars(name: str, method: str) -> StepView:
    table, gain = _gains(name, method)
    means = {"in the set": gain["overlap"], "unrelated": gain["clean"]}
    figure = class_accuracy_bars(table, means)
    facts = {"method": method, "classes": len(table)} | {str(k): v for k, v in gain.items()}
    return StepView(figure, BETTER.labels[0 if gain["overlap"] > gain["clean"] else 1], facts)


def _simulated(which: str) -> StepView:
    """Show the accuracy bars of the simulated data, with or without the effect."""
    name = DATA if which == WITH else name_without_effects(DATA) or DATA
    return _bars(name, METHODS[0])


def _gain(which: str) -> StepView:
    bars = _simulated(which)
    return StepView(bars.figure, GAINS.of(bars.facts["gain"]), bars.facts)


def _chance(which: str) -> StepView:
    bars = _simulated(which)
    return StepView(bars.figure, significant(bars.facts["p"]), bars.facts)


def _audit_step(question: str) -> Step:
    control = Control("Show", ("what leaks", "the split"))
    see, context = partial(_fault, question), partial(_clues, question)
    return Step(FAULTS, control, see, ("digits",), context)


LEAKAGE = read_lesson(
    "leakage",
    {
        **{f"question {question}": _audit_step(question) for question in quiz.QUESTIONS},
        "overlap": Step(COUNT, Control("Split", ("SS", "PS")), _overlap, (DATA,)),
        "bars": Step(BETTER, Control("Method", METHODS), partial(_bars, DATA), (DATA,)),
        "gain": Step(GAINS, Control("Simulated", (WITH, WITHOUT)), _gain, (DATA,)),
        "chance": Step(SIGNIFICANT, Control("Simulated", (WITHOUT, WITH)), _chance, (DATA,)),
    },
    cover=_cover,
    command=lambda: f"zslcore check {DATA} --split SS",
)
