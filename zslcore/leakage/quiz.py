"""Quiz on splits of the data set "digits" with a planted fault; the audit gives the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from zslcore.datasets.base import ZSLDataset
from zslcore.exceptions import closest_name
from zslcore.leakage.context import TEST_PARTS, TRAIN_PARTS, AuditContext
from zslcore.leakage.engine import audit_context
from zslcore.leakage.neighbours import near_rows
from zslcore.leakage.report import Report
from zslcore.leakage.vocabularies import Vocabulary

#: Possible answer -> its check; the last answer is that nothing is wrong.
ANSWERS = {
    "a class is both seen and unseen": "ZSL001",
    "a fold validates on test classes": "ZSL002",
    "an image is in both training and test": "ZSL003",
    "test images are copies of training images": "ZSL004",
    "the extractor was trained on test classes": "ZSL006",
    "nothing leaks": "",
}
#: Number of images with a planted fault.
PLANTED = 25

_Fault = Callable[[AuditContext], AuditContext]


def _class_on_both_sides(context: AuditContext) -> AuditContext:
    rows = context.rows("test_unseen")
    moved = rows[context.required_labels[rows] == context.required_unseen_classes[0]][:PLANTED]
    trainval = np.union1d(context.rows("trainval"), moved)
    return _with_parts(context, trainval=trainval, test_unseen=np.setdiff1d(rows, moved))


def _fold_on_test_classes(context: AuditContext) -> AuditContext:
    train, val = context.folds[0]
    folds = ((train, np.union1d(val, context.required_unseen_classes[:1])), *context.folds[1:])
    return replace(context, folds=folds)


def _rows_twice(context: AuditContext) -> AuditContext:
    shared = context.rows("test_seen")[::4][:PLANTED]
    return _with_parts(context, trainval=np.union1d(context.rows("trainval"), shared))


def _copies(context: AuditContext) -> AuditContext:
    X, y = np.array(context.required_features), context.required_labels
    rows = context.rows("test_seen")[:PLANTED]
    for row in rows:
        train = context.rows("trainval")
        X[row] = X[train[y[train] == y[row]][0]]
    return replace(context, features=X)


def _classes_in_pretraining(context: AuditContext) -> AuditContext:
    names = context.names(context.required_unseen_classes)
    more_names = ("tabby cat", "teapot", "zebra")
    return replace(context, vocabularies=(Vocabulary.of("extractor", (*names[:2], *more_names)),))


def _with_parts(context: AuditContext, **parts: np.ndarray) -> AuditContext:
    return replace(context, parts={**context.parts, **parts})


#: Question -> its planted fault, in arbitrary order.
QUESTIONS: dict[str, _Fault] = {
    "1": _rows_twice,
    "2": _classes_in_pretraining,
    "3": lambda context: context,
    "4": _class_on_both_sides,
    "5": _copies,
    "6": _fold_on_test_classes,
}


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of the audit of a planted split: a key of ``ANSWERS``, and the report."""

    right: str
    report: Report


def plant(question: str, dataset: ZSLDataset) -> AuditContext:
    """Plant the fault of a question, if it has one, in the first split of a data set."""
    if question not in QUESTIONS:
        raise closest_name("question", question, QUESTIONS)
    split = next(iter(dataset.splits.values()))
    vocabulary = Vocabulary.of("extractor", ("tabby cat", "teapot", "zebra", "violin", "banana"))
    context = AuditContext.of_split(split, dataset, vocabularies=(vocabulary,))
    # Drop the rows of the folds: they would contradict the planted rows and add findings. The
    # classes of the folds remain.
    return QUESTIONS[question](replace(context, fold_rows=()))


def answer_of(context: AuditContext) -> Answer:
    """Audit a planted split; the first failed check gives the answer."""
    report = audit_context(context)
    failed = {f.check for f in report.findings if f.mark in ("leak", "error")}
    right = next(text for text, check in ANSWERS.items() if check in failed or not check)
    return Answer(right, report)


def clues(context: AuditContext) -> list[tuple[str, str]]:
    """Return facts about a planted split that require no audit, as (name, value) pairs."""
    trained, tested = context.rows(*TRAIN_PARTS), context.rows(*TEST_PARTS)
    near = near_rows(context.required_features, trained, np.setdiff1d(tested, trained))
    closest = float(near.distance.min()) if near.distance.size else None
    parts = {part: len(context.parts[part]) for part in ("trainval", *TEST_PARTS)}
    sizes = f"{' + '.join(f'{n:,}' for n in parts.values())} = {sum(parts.values()):,}"
    copies = (
        "none"
        if closest is None
        else f"{near.distance.size}, the nearest at distance {closest:.3g}"
    )
    classes = {
        "classes of trainval": context.classes("trainval"),
        "classes of test unseen": context.required_unseen_classes,
        **{f"fold {k} validates on": val for k, (_, val) in enumerate(context.folds, start=1)},
    }
    return [
        ("images in the data set", f"{context.n_rows:,}"),
        ("rows in trainval + test seen + test unseen", sizes),
        *((topic, ", ".join(context.names(numbers))) for topic, numbers in classes.items()),
        ("near-duplicates of training images in the test set", copies),
        ("the extractor was trained on", ", ".join(map(str, context.vocabularies[0].entries))),
    ]
