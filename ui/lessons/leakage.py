"""The lesson on leakage and overlap: four splits to audit, then classes in the pre-training set."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from ui.figures.gains import GROUP_WORDS
from ui.figures.leakage import leaks_by_class
from ui.figures.lesson import class_accuracy_bars, shares
from ui.figures.palette import GROUP_LOOKS
from ui.lessons.step import Asked, Control, Found, Ranges, Words, read_lesson
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
FAULTS = Words(tuple(quiz.ANSWERS))
COUNT = Ranges((1, 4, 7), lambda n: f"{n:g}")
GAINS = Ranges((0.0, 0.1, 0.25, 0.5), lambda gain: f"{100 * gain:.0f} %")
CHANCE = Words(("yes, p is below 5 %", "no, p is above 5 %"))
BETTER = Words(("overlapping classes are better", "they are as good, or worse"))
ALPHA = 0.05


def _fault(question: str, which: str) -> Found:
    """Show a faulty split of the quiz with the finding of the audit."""
    context, _, answer = cache.quiz_question(question)
    failed = [f for f in answer.report.findings if f.mark in ("leak", "error")]
    message = failed[0].sentence if failed else "No check of the audit failed."
    table = counts.leaks_by_class(context, answer.report if which == "what leaks" else None)
    facts = {"digits": len(table), "message": message}
    return Found(leaks_by_class(table), answer.right, facts)


def _clues(question: str) -> str:
    """Return the clues of a faulty split, one a line."""
    _, clues, _ = cache.quiz_question(question)
    return "\n".join(f"- {what}: {value}" for what, value in clues)


def _grouped(name: str, split: str, group: Group) -> set[int]:
    """Return the test classes in the pre-training set, related to its classes, or unrelated."""
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
    numbers = table.loc[table["group"] == group, "number"]
    return set(numbers) & set(parts.unseen_classes.tolist())


def _overlap(split: str) -> Found:
    counts = {group: len(_grouped(DATA, split, group)) for group in GROUPS}
    known, n = counts["in the set"], sum(counts.values())
    values = {GROUP_WORDS[group][0]: count / n for group, count in counts.items()}
    facts = {"known": known, "n": n, "split": split}
    return Found(shares(values, [GROUP_LOOKS[group] for group in GROUPS]), COUNT.of(known), facts)


def _gains(name: str, method: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return the accuracy of every test class of split SS, and the gain by overlap."""
    dataset = cache.dataset(name)
    accuracy = cache.class_accuracy(RunSpec.among_unseen(dataset, "SS", method))
    known, related = (_grouped(name, "SS", group) for group in GROUPS[:2])
    gains = overlap.method_gains({method: accuracy}, known, related)
    images = overlap.test_images(dataset, dataset.split("SS"))
    table = overlap.class_accuracies(accuracy, known, images, dict(enumerate(dataset.class_names)))
    near, inside = table["number"].isin(related), table["overlapping"]
    table["group"] = np.select([inside, near], GROUPS[:2], GROUPS[2])
    return table, gains.iloc[0]


def _bars(name: str, method: str) -> Found:
    table, gain = _gains(name, method)
    figure = class_accuracy_bars(
        table, {"in the set": gain["overlap"], "unrelated": gain["clean"]}, ""
    )
    facts = {"method": method, "classes": len(table)} | {str(k): v for k, v in gain.items()}
    return Found(figure, BETTER.labels[0 if gain["overlap"] > gain["clean"] else 1], facts)


def _simulated(which: str) -> Found:
    """Show the bars of the simulated data with effect, or without."""
    name = DATA if which == WITH else name_without_effects(DATA) or DATA
    found = _bars(name, METHODS[0])
    return Found(found.figure, found.answer, {**found.facts, "which": which})


def _gain(which: str) -> Found:
    found = _simulated(which)
    return Found(found.figure, GAINS.of(found.facts["gain"]), found.facts)


def _chance(which: str) -> Found:
    found = _simulated(which)
    answer = CHANCE.labels[0 if found.facts["p"] < ALPHA else 1]
    return Found(found.figure, answer, found.facts)


def _asked(question: str) -> Asked:
    control = Control("Show", ("the split", "what leaks"))
    see, context = partial(_fault, question), partial(_clues, question)
    return Asked(FAULTS, control, see, ("digits",), context)


LEAKAGE = read_lesson(
    "leakage",
    {
        **{f"question {question}": _asked(question) for question in quiz.QUESTIONS},
        "overlap": Asked(COUNT, Control("Split", ("SS", "PS")), _overlap, (DATA,)),
        "bars": Asked(BETTER, Control("Method", METHODS), partial(_bars, DATA), (DATA,)),
        "gain": Asked(GAINS, Control("Simulated", (WITH, WITHOUT)), _gain, (DATA,)),
        "chance": Asked(CHANCE, Control("Simulated", (WITHOUT, WITH)), _chance, (DATA,)),
    },
    command=lambda: f"zslcore check {DATA} --split SS",
)
