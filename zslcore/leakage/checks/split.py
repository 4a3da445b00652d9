"""Checks ZSL001 to ZSL003, ZSL011, ZSL012: rows, classes and photographs in training and test."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

from zslcore.datasets.base import distinct
from zslcore.exceptions import DatasetError
from zslcore.leakage.checks.base import check, error, finding, leak, ok, open_, warning
from zslcore.leakage.context import (
    SPLIT_PARTS,
    TEST_PARTS,
    TRAIN_PARTS,
    UNION,
    UNREAD,
    AuditContext,
)
from zslcore.leakage.photographs import versions_of_images
from zslcore.leakage.published import find_published_splits
from zslcore.leakage.report import Evidence, Finding
from zslcore.metrics import accuracy_interval
from zslcore.names import class_key
from zslcore.numbers import counted, percent
from zslcore.texts import clean_text, listed

Findings = Iterator[Finding]

#: Pattern in the names of lists for training or validation.
TRAINS = re.compile(r"train|(?<![a-z])(trn|val)(?![a-z])", re.IGNORECASE)
#: Pattern in the names of lists of unlabelled images.
UNLABELLED = re.compile(r"unlabel|transduc|(?<![a-z])trans(?![a-z])", re.IGNORECASE)
TESTS = re.compile(r"test|tst", re.IGNORECASE)
#: Pattern in the names of lists that no model trains on.
HELD_OUT = re.compile(r"test|tst|eval|unseen|novel|query|gallery", re.IGNORECASE)
#: Word for training in the name of a list; the name of its test list has "test" instead.
TRAINING_WORD = re.compile(r"train|trn", re.IGNORECASE)
#: Pattern in the names of lists of all images.
ALL = re.compile(r"(?<![a-z])(all|every|whole)(?![a-z])", re.IGNORECASE)
#: Pattern in the names of variables that may be lists of rows.
MAY_BE_ROWS = re.compile(r"train|val|test|seen|split|_(loc|idx|index|ind|rows)\b", re.IGNORECASE)
#: If more than this share of rows is beyond the last label, the labels belong to other images.
STRAY_SHARE = 0.01
PROVIDE_LABELS = (
    "Provide the labels of these images: the split has rows beyond the last label, so the "
    "class of a row is unknown."
)
V1_ADVICE = (
    "Use the second version of the proposed split, or the corrected split; metrics computed with "
    "train_loc or val_loc of this file are not comparable with the published tables."
)
LIKE_V1_ADVICE = (
    "Train on trainval alone and choose parameters on parts of it, or use the corrected split; "
    "metrics computed with train or val of this file are not comparable with others."
)


# --- Rows -----------------------------------------------------------------------------------------


@check(
    "ZSL003",
    "Rows in more than one part",
    "Every row exists and is in exactly one part.",
)
def shared_rows(context: AuditContext) -> Findings:
    """Report rows that are out of range, repeated, in two parts, or outside trainval."""
    if not context.parts and context.class_lists:
        raise DatasetError("lists of classes have no rows.")
    if reading := context.reading:
        yield finding(reading.mark, f"{reading.sentence}.", reading.advice)
    if union := context.facts.get(UNION):
        text = f"The file has no trainval list; trainval is read as the union of {union}."
        yield warning(text, "Add the list, so that every program trains on the same rows.")
    yield from _report_rows_outside(context)
    if empty := [part for part in ("trainval", "test_unseen") if not context.rows(part).size]:
        advice = "Add them: zero-shot learning needs training images and unseen test images."
        yield error(f"No rows in {' and '.join(empty)}.", advice)
    if is_ps_v1(context):
        yield _ps_v1(context)
    else:
        yield from _report_rows_in_two_parts(context)
    yield from _fold_rows(context)
    if context.n_rows is not None and (n := context.n_rows - context.rows(*SPLIT_PARTS).size) > 0:
        yield ok(f"{counted(n, 'image is', 'images are')} in no part.", numbers={"rows": n})
    yield from _compare_other_lists(context)
    if names := context.facts.get(UNREAD):
        finding_of = open_ if MAY_BE_ROWS.search(names) else ok
        yield finding_of(f"Not read, and not checked: {names}.")


def _report_rows_outside(context: AuditContext) -> Findings:
    n, title = context.n_rows, "Rows, 0-based"
    outside = {
        part: rows[(rows < 0) | ((rows >= n) if n is not None else False)]
        for part, rows in context.parts.items()
    }
    outside = {part: rows for part, rows in outside.items() if rows.size}
    if outside:
        limit = "for any data set" if n is None else f"for {n} images"
        rows_outside = ((part, row) for part, rows in outside.items() for row in rows)
        first, *more = outside.items()
        of_parts = [f"{counted(first[1].size, 'row')} of {first[0]}"]
        of_parts += [f"{rows.size:,} of {part}" for part, rows in more]
        text = ", ".join(of_parts[:-1]) + " and " * bool(more) + of_parts[-1]
        bits = _wrapped_bits(context)
        text += f"; the negative numbers look like {bits}-bit numbers that overflowed" * bool(bits)
        advice = "Write the row numbers as 32-bit integers." if bits else _range_advice(context)
        yield error(
            f"Out of range {limit}: {text}.",
            advice,
            Evidence.of(title, ("part", "row"), rows_outside),
            numbers={"rows": sum(rows.size for rows in outside.values())},
        )
    for part, rows in context.parts.items():
        unique, count = np.unique(rows, return_counts=True)
        if (repeated := unique[count > 1]).size:
            times = zip([part] * repeated.size, repeated, count[count > 1], strict=True)
            table = Evidence.of(title, ("part", "row", "times"), times)
            start = f"Listed more than once in {part}"
            yield _finding_on_rows(warning, start, repeated, "List every row once.", table)


def _wrapped_bits(context: AuditContext) -> int:
    """Return the width in bits of the integers that row numbers overflowed; 0 if none did."""
    rows = np.concatenate(list(context.parts.values()))
    for bits in (8, 16):
        half = 1 << (bits - 1)
        # Row numbers are the numbers in the file minus 1. A number just above the largest integer
        # becomes the smallest one, -half, and therefore the row -half - 1.
        if -half - 1 <= rows.min() < -half // 2 and rows.max() < half:
            return bits
    return 0


def _range_advice(context: AuditContext) -> str:
    """Return advice on rows out of range: a shift by one if it brings all rows into range."""
    rows = np.concatenate(list(context.parts.values()))
    low, high = rows.min(), rows.max()
    last = np.inf if context.n_rows is None else context.n_rows - 1
    if low == -1 and high < last:
        return "The numbers start at 0, but the MAT layout counts from 1: add 1 to all numbers."
    if low >= 1 and high == last + 1:
        return "The numbers are too large by one: the MAT layout counts from 1, not from 2."
    return "Check that the split belongs to these features."


def is_ps_v1(context: AuditContext) -> bool:
    """Whether train and val are trainval plus test_seen, with a clean trainval, as in PS v1."""
    if not set(SPLIT_PARTS) <= set(context.parts):
        return False
    trainval, seen, unseen = (context.rows(p) for p in ("trainval", *TEST_PARTS))
    clean = not np.intersect1d(trainval, np.union1d(seen, unseen)).size
    used = context.rows("train", "val")
    return bool(clean and seen.size and np.array_equal(used, np.union1d(trainval, seen)))


def _ps_v1(context: AuditContext) -> Finding:
    seen = context.rows("test_seen")
    train, val = (np.isin(seen, context.rows(part)) for part in ("train", "val"))
    also = np.select([train & val, train], ["train and val", "train"], "val")
    fault = (
        f"All {seen.size:,} rows of test_seen are also in train or val ({train.sum():,} in train, "
        f"{val.sum():,} in val)"
    )
    # The finding names PS v1 only if the rows are those of its release.
    message, advice = f"{fault}, while trainval is clean.", LIKE_V1_ADVICE
    if any(split.name == "PS v1" for split in find_published_splits(context)):
        message, advice = f"{fault}. This is PS v1, the first release.", V1_ADVICE
    table = zip(seen, map(context.class_of, seen), also, strict=True)
    evidence = Evidence.of("Rows of test_seen, 0-based", ("row", "class", "also in"), table)
    return leak(
        message,
        advice,
        evidence,
        seen,
        numbers={"rows": seen.size, "in_train": int(train.sum()), "in_val": int(val.sum())},
    )


def _report_rows_in_two_parts(context: AuditContext) -> Findings:
    advice = "Keep each row in one part; the corrected split does."
    trained_and_tested: dict[tuple[bytes, str], list[str]] = {}
    for a, b in combinations([part for part in SPLIT_PARTS if part in context.parts], 2):
        both = np.intersect1d(context.rows(a), context.rows(b), assume_unique=True)
        if not both.size or (a == "trainval" and b in ("train", "val")):
            continue
        if a in TRAIN_PARTS and b in TEST_PARTS:
            trained_and_tested.setdefault((both.tobytes(), b), []).append(a)
            continue
        finding_of, fault = warning, f"In {a} and in {b}"
        if b in TEST_PARTS:
            finding_of, fault = error, f"Tested in {a} and in {b}"
        yield _finding_on_rows(finding_of, fault, both, advice, _table_of_rows(context, both))
    for (_, b), training_parts in trained_and_tested.items():
        both = np.intersect1d(context.rows(training_parts[0]), context.rows(b), assume_unique=True)
        fault = f"In both {training_parts[0]} (training) and {b} (test)"
        if len(training_parts) > 1:
            fault = f"In {' and '.join(training_parts)} (training), and in {b} (test)"
        yield _finding_on_rows(leak, fault, both, advice, _table_of_rows(context, both))
    if "trainval" in context.parts and {"train", "val"} & set(context.parts):
        outside_trainval = np.setdiff1d(
            context.rows("train", "val"), context.rows("trainval", *TEST_PARTS)
        )
        if outside_trainval.size:
            fault = "In train or val but not in trainval"
            yield _finding_on_rows(
                warning, fault, outside_trainval, "Make trainval the union of train and val."
            )


def _fold_rows(context: AuditContext) -> Findings:
    tested, trainval = context.rows(*TEST_PARTS), context.rows("trainval")
    for k, (train, val) in enumerate(context.fold_rows, 1):
        used = np.union1d(train, val)
        for finding_of, rows, fault in (
            (leak, np.intersect1d(used, tested), f"In fold {k} and in the test set"),
            (warning, np.intersect1d(train, val), f"In both training and validation of fold {k}"),
            (
                warning,
                np.setdiff1d(used, np.union1d(trainval, tested)),
                f"In fold {k} but not in trainval",
            ),
        ):
            if rows.size:
                advice = "Make each fold a partition of the rows of trainval."
                yield _finding_on_rows(finding_of, fault, rows, advice)


def _compare_other_lists(context: AuditContext) -> Findings:
    """Compare lists of the file that are not parts of the split with the test parts.

    A list named for training that contains test rows is a leak, with two exceptions, which only the
    author can confirm: a name that marks the list as unlabelled, since the setting may be
    transductive; and a list that forms a second, supervised split with a test list. Lists with the
    same test rows share a finding.
    """
    tested, harmless = context.rows(*TEST_PARTS), []
    names_of_lists: dict[tuple[str, bytes], list[str]] = {}
    splits = {
        name: pair
        for name, rows in context.other_lists.items()
        if np.isin(rows, tested).any() and (pair := _supervised_pair(context, name))
    }
    of_pairs = {test_list for test_list, _ in splits.values()}
    for name, rows in context.other_lists.items():
        if name in of_pairs:
            continue
        both = np.intersect1d(rows, tested)
        trains = TRAINS.search(name)
        unlabelled = UNLABELLED.search(name) or (TESTS if trains else ALL).search(name)
        if not both.size or (not (unlabelled or trains) and HELD_OUT.search(name)):
            harmless.append(name)
            continue
        use = "supervised" if name in splits else "unlabelled" if unlabelled else "training"
        use = use if unlabelled or trains else "unnamed"
        names_of_lists.setdefault((use, both.tobytes()), []).append(name)
    for (use, _), names in names_of_lists.items():
        both = np.intersect1d(context.other_lists[names[0]], tested)
        yield _finding_on_lists(context, use, names, both, splits)
    if harmless:
        yield ok(f"Other lists, none of which puts test rows into training: {listed(harmless)}.")


def _finding_on_lists(
    context: AuditContext,
    use: str,
    names: list[str],
    both: np.ndarray,
    splits: dict[str, tuple[str, str]],
) -> Finding:
    """Return the finding on lists with the same test rows.

    Parameters
    ----------
    use : "unlabelled", "training", "supervised" or "unnamed"
    names : the lists
    both : test rows in each list
    splits : training list of a supervised split -> its :func:`_supervised_pair`
    """
    are_several = len(names) > 1
    contain, lists = "contain" if are_several else "contains", listed(names)
    in_tests = " and ".join(
        f"{n:,} of {context.rows(part).size:,} rows of {part}"
        for part in TEST_PARTS
        if (n := np.intersect1d(both, context.rows(part)).size)
    )
    evidence, numbers = _table_of_rows(context, both), {"rows": both.size}
    if use in ("unlabelled", "unnamed"):
        effect = "transductive if used without labels"
        if use == "unnamed":
            effect = "a leak if used in training"
        text = f"{lists} {contain} {in_tests}: {effect}."
        advice = "Ask whether methods train on these rows, and with which labels."
        return open_(text, advice, evidence, numbers=numbers)
    if use == "supervised":
        pairs = "; ".join(f"{name} and {splits[name][0]} {splits[name][1]}" for name in names)
        start = "Probably supervised splits, whose training lists contain"
        if not are_several:
            start = "Probably a supervised split, whose training list contains"
        text = f"{start} {in_tests}: {pairs}."
        advice = "Ask which list trained the models; zero-shot models train on trainval."
        return open_(text, advice, evidence, numbers=numbers)
    role = "lists" if are_several else "a list"
    text = f"{lists}, {role} named for training, {contain} {in_tests}."
    advice = "Train on trainval, and ask which list the models were trained on."
    return leak(text, advice, evidence, both, numbers=numbers)


def _supervised_pair(context: AuditContext, train_list: str) -> tuple[str, str] | None:
    """Return the test list that forms a supervised split with a training list, or None.

    The names of the two lists differ only in "train" and "test"; together the lists have each
    image, each row of the split, or each row of a test part exactly once. The test list is
    returned with a text that states which of these holds.
    """
    if not TRAINS.search(train_list) or UNLABELLED.search(train_list):
        return None
    wholes = {}
    if context.n_rows is not None:
        wholes[f"have each of the {context.n_rows:,} images once"] = np.arange(context.n_rows)
    for parts, where in ((SPLIT_PARTS, "the split"), *(((p,), p) for p in TEST_PARTS)):
        wholes[f"have each row of {where} once"] = context.rows(*parts)
    stem = TRAINING_WORD.sub("", train_list)
    for name, rows in context.other_lists.items():
        if name == train_list or not rows.size or TESTS.sub("", name) != stem:
            continue
        union = np.sort(np.concatenate([context.other_lists[train_list], rows]))
        for text, whole in wholes.items():
            if np.array_equal(union, whole):
                return name, text
    return None


def _finding_on_rows(
    finding_of: Callable[..., Finding],
    fault: str,
    rows: np.ndarray,
    advice: str,
    evidence: Evidence | None = None,
) -> Finding:
    """Return a finding on rows, with their number in its sentence."""
    text = f"{fault}: {counted(rows.size, 'row')}."
    return finding_of(text, advice, evidence, rows, numbers={"rows": rows.size})


def _table_of_rows(context: AuditContext, rows: np.ndarray) -> Evidence:
    """Return the table of rows with their classes."""
    table = ((row, context.class_of(row)) for row in rows)
    return Evidence.of("Rows, 0-based", ("row", "class"), table)


# --- Classes --------------------------------------------------------------------------------------


@check(
    "ZSL001",
    "Classes both seen and unseen",
    "No class has both training rows and unseen test rows.",
    "unseen_classes",
    compares=(TRAIN_PARTS, ("test_unseen",)),
)
def seen_and_unseen(context: AuditContext) -> Findings:
    """Report classes that are both seen and unseen, and class lists that contradict the rows.

    Open questions on class names are reported as well.
    """
    for question in context.questions:
        advice = "Use one name for each class."
        if question.startswith("Not read"):
            is_file = "(" not in question
            advice = "Check these files separately." if is_file else "Save it as another type."
        elif "images" in question.lower():
            advice = "List every image once, with one path and its class."
        yield open_(question, advice)
    unseen, labelled = context.required_unseen_classes, context.labels is not None
    seen = context.classes(*TRAIN_PARTS, "test_seen") if labelled else context.seen_classes
    if seen is None:
        return
    if (both := np.intersect1d(seen, unseen)).size:
        yield _on_both_sides(context, both)
    if not context.questions:
        yield from _equal_names(context, np.setdiff1d(seen, both), np.setdiff1d(unseen, both))
    if not labelled:
        return
    if not unseen.size and context.rows("test_seen").size:
        names = context.names(context.classes("test_seen"))
        n = counted(len(names), "tested class", "tested classes")
        have = "has" if len(names) == 1 else "have"
        text = f"No test class is unseen: {n} ({listed(names)}) also {have} training images."
        yield error(text, "Exclude some classes from training and test on them.", classes=names)
    lists = context.class_lists
    trained_unseen = np.setdiff1d(np.intersect1d(seen, lists.get("unseen", [])), both)
    if trained_unseen.size:
        names = context.names(trained_unseen)
        text = (
            "Unseen according to the class lists, but trained on or tested as seen: "
            f"{listed(names)}."
        )
        yield open_(text, "Correct the lists or the rows.", classes=names)
    if {"seen", "unseen"} <= set(lists):
        if (both := np.intersect1d(lists["seen"], lists["unseen"])).size:
            names = context.names(both)
            text = f"The class lists call {listed(names)} both seen and unseen."
            yield leak(text, "Correct the lists.", classes=names)
        if (trained_unseen := np.setdiff1d(unseen, lists["unseen"])).size:
            names = context.names(trained_unseen)
            text = (
                f"test_unseen has rows of {listed(names)}, which the class lists do not list "
                "as unseen."
            )
            advice = (
                PROVIDE_LABELS
                if _has_labels_of_other_images(context)
                else "Correct the lists or the rows."
            )
            yield warning(text, advice, classes=names)
    if context.rows(*TRAIN_PARTS).size:
        trained = context.classes(*TRAIN_PARTS)
        missing = np.setdiff1d(context.classes("test_seen"), np.union1d(trained, unseen))
        if missing.size:
            names = context.names(missing)
            text = f"Tested as seen, but without a single training row: {listed(names)}."
            advice = "Move these rows to test_unseen, or train on some of them."
            yield warning(text, advice, classes=names)


def _on_both_sides(context: AuditContext, classes: np.ndarray) -> Finding:
    names, evidence, rows = context.names(classes), None, np.empty(0, np.intp)
    advice = "Remove these classes from training or from test_unseen."
    if (y := context.labels) is not None:
        parts = [part for part in SPLIT_PARTS if part in context.parts]
        counts = [
            np.bincount(y[context.rows(p)], minlength=classes.max() + 1)[classes] for p in parts
        ]
        table = zip(names, *counts, strict=True)
        evidence = Evidence.of("Rows of these classes", ("class", *parts), table)
        tested = context.rows("test_unseen")
        # If the only training rows of a class are test rows, add no rows: ZSL003 reports them.
        trained = np.setdiff1d(context.rows(*TRAIN_PARTS), tested)
        rows = tested[np.isin(y[tested], np.intersect1d(classes, y[trained]))]
        if _has_labels_of_other_images(context):
            advice = PROVIDE_LABELS
    subject = counted(len(classes), "class is", "classes are")
    text = f"{subject} both seen and unseen ({listed(names)})."
    finding_of = open_ if _has_labels_of_other_images(context) else leak
    return finding_of(text, advice, evidence, rows, names, {"classes": len(classes)})


def _equal_names(context: AuditContext, seen: np.ndarray, unseen: np.ndarray) -> Findings:
    """Ask whether a seen and an unseen class with the same name are one class."""
    keys = [class_key(name) for name in context.class_names]
    of_seen = {keys[c] for c in seen if c < len(keys)}
    if shared := [c for c in unseen if c < len(keys) and keys[c] in of_seen]:
        names, n = context.names(shared), counted(len(shared), "name is", "names are")
        text = f"{n} given to a seen and to an unseen class ({listed(names)}): one class?"
        yield open_(text, "Give one number to each class, and one name.", classes=names)


def _has_labels_of_other_images(context: AuditContext) -> bool:
    """Whether many rows of the split are beyond the labels, which then belong to other images."""
    if context.labels is None or context.n_rows is None:
        return False
    rows = distinct(np.concatenate([*context.parts.values(), np.empty(0, np.intp)]))
    return bool((rows >= context.n_rows).sum() > max(1, STRAY_SHARE * rows.size))


@check(
    "ZSL002",
    "Validation classes",
    "In every fold, the validation classes are neither training nor test classes.",
    "unseen_classes",
    compares=(TRAIN_PARTS, ("test_unseen",)),
)
def fold_classes(context: AuditContext) -> Findings:
    """Report validation classes that are also test or training classes."""
    unseen = context.required_unseen_classes
    folds = [(f"Fold {k}", *fold) for k, fold in enumerate(context.folds, 1)]
    if context.labels is not None and {"train", "val"} <= set(context.parts):
        pair = "The pair train and val", context.classes("train"), context.classes("val")
        folds.insert(0, pair)
    for name, train, val in folds:
        for finding_of, a, b, fault, advice in (
            (
                leak,
                val,
                unseen,
                "validates on test classes",
                "Choose validation classes among the seen classes.",
            ),
            (
                leak,
                train,
                unseen,
                "trains on test classes",
                "Choose training classes among the seen classes.",
            ),
            (
                warning,
                train,
                val,
                "trains and validates on the same classes",
                "Make the two lists of classes disjoint.",
            ),
        ):
            if (classes := np.intersect1d(a, b)).size:
                names = context.names(classes)
                if _has_labels_of_other_images(context):
                    finding_of, advice = open_, PROVIDE_LABELS
                yield finding_of(f"{name} {fault}: {listed(names)}.", advice, classes=names)


@check(
    "ZSL011",
    "Number of test images",
    "Every test class has enough images to compute its accuracy reliably.",
    "labels",
    decides=False,
    compares=(TEST_PARTS,),
)
def few_test_images(context: AuditContext) -> Findings:
    """Report test classes with few images, and the width of the interval of their accuracy."""
    limit = context.thresholds.images
    for part in TEST_PARTS:
        classes, n = np.unique(context.required_labels[context.rows(part)], return_counts=True)
        if not (few := n < limit).any():
            continue
        names = context.names(classes[few])
        widths = [round(float(np.ptp(accuracy_interval(round(k / 2), k))), 3) for k in n[few]]
        columns = ("class", "images", "width of the 95 % interval at 50 %")
        verb = "has" if few.sum() == 1 else "have"
        yield warning(
            f"{few.sum()} of {len(classes)} classes {verb} fewer than {limit} images in {part} "
            f"(smallest {n.min()}).",
            "Report the mean over classes with an interval, not single classes.",
            Evidence.of("Classes", columns, zip(names, n[few], widths, strict=True)),
            classes=names,
            numbers={"classes": int(few.sum()), "smallest": int(n.min())},
        )


# --- Photographs ----------------------------------------------------------------------------------


@check(
    "ZSL012",
    "Photographs on both sides of the split",
    "No photograph is on both sides of the split.",
    "photographs",
    compares=(TRAIN_PARTS, TEST_PARTS),
)
def same_photograph(context: AuditContext) -> Findings:
    """Report test and validation rows that share a photograph with a training row."""
    photographs, none_shared = context.required_photographs, True
    number, trained = photographs.number, context.rows(*TRAIN_PARTS)
    rows_of = {part: shared_rows_of(number, context.rows(part), trained) for part in TEST_PARTS}
    if rows_of := {part: rows for part, rows in rows_of.items() if rows.size}:
        none_shared = False
        yield _finding_on_photographs(context, rows_of)
    folds = [(f"Fold {k}", *fold) for k, fold in enumerate(context.fold_rows, 1)]
    if {"train", "val"} <= set(context.parts):
        folds.insert(0, ("The pair train and val", context.rows("train"), context.rows("val")))
    for name, train, val in folds:
        if (rows := shared_rows_of(number, val, train)).size:
            none_shared = False
            yield warning(
                f"{name}: {rows.size:,} of {len(val):,} validation rows share a photograph "
                f"with a training row ({percent(rows.size / len(val))}).",
                "Validate on photographs that are not used in training; the corrected split does "
                "so.",
                rows=rows,
                numbers={"rows": rows.size, "of": len(val)},
            )
    if none_shared and (pairs := _versions_on_both_sides(context)):
        example = " and ".join(clean_text(name, 60) for name in pairs[0])
        images = counted(len(pairs), "test image is", "test images are")
        yield open_(
            f"{images} named like a training image apart from a size, a suffix or the mark of a "
            f"copy, as {example}: the same photographs?",
            "Keep all versions of a photograph in one part; --group-pattern finds them by a part "
            "of their names.",
        )
    elif none_shared and not photographs.by_name:
        yield ok(f"No photograph is on both sides of the split ({photographs.source}).")
    elif none_shared:
        used = context.rows(*SPLIT_PARTS)
        n = len(distinct(number[used]))
        names = f"All {n:,} file names differ"
        if n < used.size:
            names = (
                f"No file name is on both sides of the split: {used.size:,} rows have {n:,} "
                "different names"
            )
        yield ok(f"{names} ({photographs.source}); the images themselves were not compared.")


def _versions_on_both_sides(context: AuditContext) -> list[tuple[str, str]]:
    """Return the names of training and test images that may be versions of one photograph."""
    photographs = context.required_photographs
    classes = np.zeros(len(photographs.number), int) if context.labels is None else context.labels

    def names_of(rows: np.ndarray) -> list[str]:
        numbers = photographs.number[rows].tolist()
        labels = classes[rows].tolist()
        return [
            f"{c}\0{photographs.names[k]}" for c, k in zip(labels, numbers, strict=True) if k < n
        ]

    n, trained = len(photographs.names), context.rows(*TRAIN_PARTS)
    tested = np.setdiff1d(context.rows(*TEST_PARTS), trained)
    pairs = versions_of_images(photographs.names, names_of(trained), names_of(tested))
    return [(a.partition("\0")[2], b.partition("\0")[2]) for a, b in pairs]


def _finding_on_photographs(context: AuditContext, rows_of: dict[str, np.ndarray]) -> Finding:
    """Return the finding on test rows, by part, that share a photograph with a training row."""
    photographs, trained = context.required_photographs, context.rows(*TRAIN_PARTS)
    number, rows = photographs.number, np.concatenate(list(rows_of.values()))
    sizes = {part: len(context.rows(part)) for part in rows_of}
    shares = {part: part_rows.size / sizes[part] for part, part_rows in rows_of.items()}
    in_parts = " and ".join(
        f"{part_rows.size:,} of {sizes[part]:,} rows of {part} ({percent(shares[part])})"
        for part, part_rows in rows_of.items()
    )
    shared, tested = np.unique(number[rows], return_counts=True)
    counts = [
        np.bincount(number[part_rows], minlength=number.max() + 1)[shared]
        for part_rows in (*rows_of.values(), trained)
    ]
    order = np.argsort(-tested, kind="stable")
    table = [(photographs.name(int(shared[k])), *(n[k] for n in counts)) for k in order]
    return leak(
        f"{in_parts} share a photograph with a training row, according to {photographs.source}.",
        "Separate photographs, not rows: the corrected split removes the training rows of these "
        "photographs and keeps the test set.",
        Evidence.of(
            "Photographs on both sides of the split",
            ("photograph", *(f"rows of {part}" for part in rows_of), "training rows"),
            table,
        ),
        rows,
        numbers={"rows": rows.size, "of": sum(sizes.values()), "photographs": len(shared)},
        value=max(shares.values()),
    )


def shared_rows_of(number: np.ndarray, rows: np.ndarray, other_rows: np.ndarray) -> np.ndarray:
    """Return the rows outside ``other_rows`` that share a photograph with one of them."""
    rows = np.setdiff1d(rows, other_rows)
    return rows[np.isin(number[rows], number[other_rows])]
