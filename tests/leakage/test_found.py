"""What every check says of what it finds: how bad it is, which rows and classes, and how many."""

import hashlib
import json
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from tests.leakage.worlds import add, clean, move, with_parts, with_prototype
from tests.worlds import linear_world
from zslcore.evaluation.runs import execute
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import DatasetError
from zslcore.leakage import (
    AuditContext,
    AuditReport,
    Evidence,
    Finding,
    Match,
    Provenance,
    Severity,
    Vocabulary,
    audit_context,
)
from zslcore.leakage import known as known_module
from zslcore.leakage.checks import CHECKS, run_check
from zslcore.leakage.known import KnownSplit, part_digest

FAIL, WARN, INFO, PASS = Severity.FAIL, Severity.WARN, Severity.INFO, Severity.PASS


def found(context, check):
    """Findings of one check, by their severity and message."""
    (check,) = [c for c in CHECKS if c.id == check]
    return {(f.severity, f.message): f for f in run_check(check, context)}


def said(context, check):
    return list(found(context, check))


def the(context, check):
    (finding,) = found(context, check).values()
    return finding


# --- Rows -----------------------------------------------------------------------------------------


def test_a_clean_split_has_nothing_to_say_of_its_rows():
    assert said(clean(), "ZSL003") == [(PASS, "Every row is in one part, once, and exists.")]


def test_a_part_without_rows_is_named():
    empty = AuditContext("bare", {"train": np.arange(3)})
    assert (FAIL, "No rows in trainval and test_unseen.") in said(empty, "ZSL003")
    assert (FAIL, "No rows in test_unseen.") in said(
        AuditContext("bare", {"trainval": np.arange(3)}), "ZSL003"
    )


def test_rows_out_of_range_are_counted():
    world = clean()
    n = world.n_rows
    wrong = add(world, [-1, n - 1, n, n + 7], "test_seen")
    finding = found(wrong, "ZSL003")[
        (FAIL, f"Outside the rows of {n} images: 3 rows of test_seen.")
    ]
    assert finding.figures == {"rows": 3}
    assert [row[1] for row in finding.evidence[0].rows] == [-1, n, n + 7]
    unlabelled = AuditContext(
        "bare", {"trainval": np.arange(3), "test_unseen": np.array([-2, 999])}
    )
    assert (FAIL, "Outside the rows of any data set: 1 row of test_unseen.") in said(
        unlabelled, "ZSL003"
    )


@pytest.mark.parametrize(
    ("trainval", "unseen", "advice"),
    [
        ([-1, 0, 1], [7, 8], "The numbers start at 0"),
        ([-1, 0, 1], [8, 9], "Check that the split belongs"),
        ([-2, 0, 1], [7, 8], "Check that the split belongs"),
        ([1, 2], [9, 10], "The numbers are too large by one"),
        ([2, 3], [9, 10], "The numbers are too large by one"),
        ([0, 2], [9, 10], "Check that the split belongs"),
        ([1, 2], [9, 11], "Check that the split belongs"),
    ],
)
def test_how_numbers_are_off_is_told_where_one_step_mends_all(trainval, unseen, advice):
    context = AuditContext(
        "bare", {"trainval": np.array(trainval), "test_unseen": np.array(unseen)}, n_rows=10
    )
    assert [
        f.advice.startswith(advice)
        for f in found(context, "ZSL003").values()
        if "Outside" in f.message
    ] == [True]


def test_rows_listed_again_are_counted_with_how_often():
    world = clean()
    a, b = np.sort(world.parts["val"][:2])
    finding = the(add(world, [a, a, b], "val"), "ZSL003")
    assert (finding.severity, finding.rows) == (WARN, (a, b))
    assert finding.message == "Listed more than once in val: 2 rows."
    assert finding.evidence[0].rows == (("val", a, 3), ("val", b, 2))
    assert finding.figures == {"rows": 2}


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("test_seen", "trainval", "Tested in test_seen and trained on in trainval: 2 rows."),
        ("test_unseen", "val", "Tested in test_unseen and trained on in val: 2 rows."),
        ("test_unseen", "test_seen", "In test_seen and in test_unseen: 2 rows."),
        ("val", "train", "In train and in val: 2 rows."),
    ],
)
def test_rows_of_two_parts_are_named_with_their_classes(source, target, message):
    world = clean()
    rows = np.sort(world.parts[source][:2])
    finding = found(add(world, rows, target), "ZSL003")[(FAIL, message)]
    assert finding.rows == tuple(rows)
    assert finding.figures == {"rows": 2}
    assert finding.evidence[0].rows == tuple((row, world.class_of(row)) for row in rows)


def test_rows_of_train_outside_trainval_are_counted():
    world = clean()
    rows = np.sort(world.parts["train"][:2])
    less = with_parts(world, trainval=np.setdiff1d(world.parts["trainval"], rows))
    finding = the(less, "ZSL003")
    assert (finding.severity, finding.rows, finding.figures) == (WARN, tuple(rows), {"rows": 2})
    alone = {part: rows for part, rows in less.parts.items() if part not in ("train", "val")}
    assert said(replace(less, parts=alone), "ZSL003") == [(INFO, "In no part: 2 images.")]


def test_the_first_release_of_the_proposed_split_is_told_row_by_row():
    world = clean()
    seen = np.sort(world.parts["test_seen"])
    v1 = add(add(world, seen[:9], "train"), seen[9:], "val")
    finding = the(v1, "ZSL003")
    assert (
        "All 15 rows of test_seen are also in train or val (9 in train, 6 in val)"
        in finding.message
    )
    assert (finding.severity, finding.rows) == (FAIL, tuple(seen))
    assert finding.figures == {"rows": 15, "in_train": 9, "in_val": 6}
    also_in = ["train"] * 9 + ["val"] * 6
    assert finding.evidence[0].rows == tuple(
        (row, world.class_of(row), where) for row, where in zip(seen, also_in, strict=True)
    )
    nothing_seen = with_parts(world, test_seen=np.empty(0, int))
    assert said(nothing_seen, "ZSL003") == [(INFO, "In no part: 15 images.")]


def test_rows_of_folds_are_parted_from_each_other_and_from_the_test_set():
    world = clean()
    train, val, tested = (np.sort(world.parts[p]) for p in ("train", "val", "test_unseen"))
    assert said(replace(world, fold_rows=((train, val),)), "ZSL003")[0][0] is PASS
    less = with_parts(
        world, trainval=np.setdiff1d(world.parts["trainval"], train[:1]), train=train[1:]
    )
    folds = ((train[1:], val), (np.append(train, [*val[:2], *tested[:3]]), val))
    findings = found(replace(less, fold_rows=folds), "ZSL003")
    for message, rows in (
        ("Fold 2, tested: 3 rows.", tested[:3]),
        ("Fold 2, both trained and validated on: 2 rows.", val[:2]),
        ("Fold 2, not in trainval: 1 row.", train[:1]),
    ):
        finding = findings.pop((FAIL, message))
        assert (finding.rows, finding.figures) == (tuple(rows), {"rows": len(rows)})
    assert list(findings) == [(INFO, "In no part: 1 image.")]


# --- Classes --------------------------------------------------------------------------------------


def test_a_class_on_both_sides_is_counted_by_part():
    world = clean()
    rows = world.parts["test_unseen"]
    rows = np.sort(rows[world.labels[rows] == 7])
    mixed = move(world, rows[:2], "test_unseen", "trainval", "train")
    finding = the(mixed, "ZSL001")
    assert (finding.severity, finding.classes) == (FAIL, ("thing 7",))
    assert finding.message == "Both seen and unseen: 1 class (thing 7)."
    assert finding.rows == tuple(rows[2:])
    assert finding.figures == {"classes": 1}
    assert finding.evidence[0].columns == (
        "class", "trainval", "train", "val", "test_seen", "test_unseen",
    )  # fmt: skip
    assert finding.evidence[0].rows == (("thing 7", 2, 2, 0, 0, 10),)
    assert finding.advice == "Take these classes out of training, or out of test_unseen."


@pytest.mark.parametrize(
    ("labels", "trained", "tested", "off"),
    [
        ([0, 0, 1, 1], [1, 2], [3, 4], True),
        ([0, 0, 1, 1], [0, 1, 2], [3], True),  # what falls off the front is no last row
        ([1, 0, 1, 1], [1, 2], [3], False),  # the first row counts as well
        ([0, 0, 1, 1], [0, 2], [1, 3], False),
        ([0, 0, 1, 1], [-1, 0, 2], [1, 2], False),
        ([0, 0, 0, 1, 1], [0, 1], [2, 3], True),
    ],
)
def test_numbers_are_off_by_one_where_a_step_parts_all_classes(labels, trained, tested, off):
    parts = {"trainval": np.array(trained), "test_unseen": np.array(tested)}
    context = AuditContext("bare", parts, labels=np.array(labels), n_rows=len(labels))
    (finding,) = [f for f in found(context, "ZSL001").values() if f.severity is FAIL]
    assert ("off by one" in finding.advice) == off


def test_folds_of_declared_classes_need_no_labels():
    parts = {part: np.arange(3) for part in ("train", "val")}
    bare = AuditContext(
        "bare", parts, class_lists={"seen": np.arange(3), "unseen": np.arange(3, 5)}
    )
    assert said(bare, "ZSL002")[0][0] is PASS
    ((_, message),) = said(replace(bare, folds=((np.array([0]), np.array([4])),)), "ZSL002")
    assert message == "Fold 1 validates on test classes: class 4."


def test_train_and_val_alone_are_a_fold():
    parts = {"train": np.array([0, 1]), "val": np.array([2, 3])}
    context = AuditContext("bare", parts, labels=np.array([0, 1, 1, 2]), n_rows=4)
    ((severity, message),) = said(context, "ZSL002")
    assert severity is FAIL
    assert message.endswith("trains and validates on the same classes: class 1.")


def test_without_training_or_test_rows_nothing_is_near():
    world = clean()
    for parts in (("trainval", "train", "val"), ("test_seen", "test_unseen")):
        bare = with_parts(world, **{part: np.empty(0, int) for part in parts})
        assert said(bare, "ZSL005")[0][0] is PASS


def test_declared_classes_are_held_against_each_other_and_the_rows():
    world = replace(clean(), class_lists={"seen": np.arange(6), "unseen": np.array([5, 6])})
    assert said(world, "ZSL001") == [
        (FAIL, "The class lists call thing 5 both seen and unseen."),
        (WARN, "test_unseen has rows of thing 7, which the class lists do not name unseen."),
    ]
    right = replace(world, class_lists={"seen": np.arange(5), "unseen": np.arange(5, 8)})
    assert said(right, "ZSL001")[0][0] is PASS
    for one in ({"seen": np.arange(6)}, {"unseen": np.array([5, 6])}):
        assert said(replace(world, class_lists=one), "ZSL001")[0][0] is PASS


def test_declared_classes_alone_can_be_on_both_sides():
    lists = {"seen": np.arange(4), "unseen": np.array([3, 4])}
    finding = the(AuditContext("bare", {"trainval": np.arange(3)}, class_lists=lists), "ZSL001")
    assert (finding.severity, finding.classes) == (FAIL, ("class 3",))
    assert (finding.evidence, finding.rows) == ((), ())


def test_a_class_tested_as_seen_has_to_be_trained_on():
    world = clean()
    rows = world.parts["trainval"]
    gone = rows[world.labels[rows] == 4]
    less = with_parts(
        world, trainval=np.setdiff1d(rows, gone), train=np.setdiff1d(world.parts["train"], gone)
    )
    assert said(less, "ZSL001") == [
        (WARN, "Tested as seen, but without a single training row: thing 4.")
    ]
    untrained = with_parts(world, **{p: np.empty(0, int) for p in ("trainval", "train", "val")})
    assert said(untrained, "ZSL001")[0][0] is PASS


def test_classes_of_folds_are_told_by_what_is_wrong():
    world = clean()
    folds = ((np.array([2, 3]), np.array([0, 1])), (np.array([2, 6]), np.array([2, 7])))
    assert said(replace(world, folds=folds), "ZSL002") == [
        (FAIL, "Fold 2 validates on test classes: thing 7."),
        (FAIL, "Fold 2 trains on test classes: thing 6."),
        (FAIL, "Fold 2 trains and validates on the same classes: thing 2."),
    ]
    mixed = move(world, world.parts["val"][:1], "val", "train")
    ((_, message),) = said(mixed, "ZSL002")
    assert message.startswith("The pair train and val trains and validates on the same classes")


# --- Prototypes -----------------------------------------------------------------------------------


def with_attributes(S):
    return replace(clean(), prototypes=np.array(S, dtype=np.float32))


def test_one_negative_cell_in_a_hundred_is_missing_and_two_are_values():
    S = np.random.default_rng(0).random((10, 10)) + 0.1
    S[3, 4] = -1
    world = replace(with_attributes(S), class_names=tuple(f"thing {c}" for c in range(10)))
    finding = the(world, "ZSL009")
    assert finding.severity is WARN
    assert finding.message == "1 attribute value of thing 3 is -1, the file's code for missing."
    assert finding.evidence[0].rows == (("thing 3", 4, -1.0),)
    S[3, 4] = -0.5
    assert (
        "1 attribute value of thing 3 is negative where all others are not"
        in the(replace(world, prototypes=S), "ZSL009").message
    )
    S[5, 6] = -1
    assert the(replace(world, prototypes=S), "ZSL009").severity is PASS
    raw = np.where(S == -0.5, 0, S)
    marked = the(replace(world, prototypes=S, raw_prototypes=raw), "ZSL009")
    assert marked.classes == ("thing 5",)


def test_prototypes_that_describe_nothing_are_named():
    world = clean()
    assert said(with_prototype(world, 2, 0), "ZSL009") == [
        (FAIL, "Prototypes of thing 2 are all zero.")
    ]
    assert said(with_prototype(world, 2, np.inf), "ZSL009")[0] == (
        FAIL, "Prototypes of thing 2 hold values that are not finite.",
    )  # fmt: skip


@pytest.mark.parametrize(("c", "other", "severity"), [(0, 1, WARN), (0, 7, FAIL)])
def test_equal_prototypes_matter_most_to_test_classes(c, other, severity):
    world = clean()
    finding = the(with_prototype(world, other, world.prototypes[c]), "ZSL009")
    names = (f"thing {c}", f"thing {other}")
    assert (finding.severity, finding.classes) == (severity, names)
    assert [row[1] for row in finding.evidence[0].rows] == list(names)
    assert len({row[0] for row in finding.evidence[0].rows}) == 1
    assert finding.message.endswith(
        "can distinguish." if severity is FAIL else f"({', '.join(names)})."
    )


def test_attributes_that_are_the_same_for_all_are_counted():
    world = clean()
    S = world.prototypes.copy()
    S[:, 1:3] = 0.5
    finding = the(replace(world, prototypes=S), "ZSL009")
    assert (finding.severity, finding.figures) == (INFO, {"attributes": 2})
    assert "2 attributes" in finding.message
    two, one = (replace(world, prototypes=S[:n], labels=world.labels % n) for n in (2, 1))
    assert said(two, "ZSL009") == said(replace(world, prototypes=S), "ZSL009")
    assert said(one, "ZSL009")[0][0] is PASS


# --- Extractors, choices, counts and identity -----------------------------------------------------


def test_what_a_person_confirmed_without_a_match_is_told_as_such():
    world = replace(
        clean(),
        vocabularies=(Vocabulary.of("mine", ["thing 5", "house"]),),
        decisions={"mine": {"thing 6": "confirmed", "thing 7": "rejected"}},
    )
    finding = the(world, "ZSL006")
    assert finding.message == "Among the classes of mine: 2 of 3 test classes (thing 5, thing 6)."
    assert finding.figures == {"classes": 2}
    first, last = finding.evidence[0].rows[0], finding.evidence[0].rows[-1]
    assert (first[0], first[1], first[5]) == ("thing 5", "strong", "open")
    assert last == ("thing 6", "", "by hand", "", "", "confirmed")


@pytest.mark.parametrize(("names", "which"), [(["house"], "no"), ([5, 6, 7], "every")])
def test_with_no_class_or_all_of_them_there_is_nothing_to_compare(names, which):
    vocabulary = Vocabulary.of("mine", [f"thing {n}" if n in (5, 6, 7) else n for n in names])
    accuracies = {"A": {5: 0.1, 6: 0.2, 7: 0.3}}
    world = replace(clean(), vocabularies=(vocabulary,), accuracies=accuracies)
    assert said(world, "ZSL007") == [
        (INFO, f"Nothing to compare: {which} test class counts as one of mine.")
    ]


def test_an_effect_is_told_with_the_largest_gain_and_the_smallest_p():
    world = clean(n_classes=12, n_unseen=8)
    known = Vocabulary.of("mine", [f"thing {c}" for c in (4, 5, 6, 7)])
    better = {c: 0.9 if c < 8 else 0.1 for c in range(4, 12)}
    accuracies = {"A": dict.fromkeys(better, 0.5), "B": better | {0: 1.0}}
    finding = the(replace(world, vocabularies=(known,), accuracies=accuracies), "ZSL007")
    assert finding.message == (
        "The 4 classes of mine are answered not demonstrably better: largest OverlapGain +160.0% "
        "(B), smallest adjusted p 0.0571."
    )
    assert (finding.severity, finding.advice) == (INFO, "")
    assert [row[0] for row in finding.evidence[0].rows] == ["A", "B"]
    alone = replace(world, vocabularies=(known,), accuracies={"B": better})
    telling = the(alone, "ZSL007")
    assert telling.message.startswith("The 4 classes of mine are answered better:")
    assert (telling.severity, bool(telling.advice)) == (WARN, True)


def test_what_is_not_known_of_choices_is_listed():
    assert said(clean(), "ZSL008") == [
        (
            Severity.UNKNOWN,
            "Not declared by the author: how hyper-parameters, epochs and gamma were chosen.",
        )
    ]
    told = replace(clean(), provenance=Provenance("given", "test", "test"))
    assert said(told, "ZSL008") == [
        (FAIL, "Declared by the author: epochs and gamma were chosen on the test set."),
        (
            INFO,
            "Declared by the author: hyper-parameters were given; how they were found is not "
            "stated.",
        ),
    ]
    one = replace(clean(), provenance=Provenance("validation", "none", "unknown"))
    assert said(one, "ZSL008") == [
        (Severity.UNKNOWN, "Not declared by the author: how gamma was chosen."),
        (PASS, "Declared by the author: hyper-parameters were chosen on validation classes."),
    ]


@pytest.fixture(scope="module")
def run():
    """A run whose oracle, by what is written into it, is better by 12.3456 points."""
    world = linear_world(noise=1.0)
    run = execute(RunSpec(world.name, "PS", "LinearS2V"), world)
    gained = {"zsl": run.evaluation.zsl + 0.123456, "harmonic": None}
    return replace(run, oracle=replace(run.oracle, **gained))


def here(runs):
    """What ZSL008 says of runs, after what it says of the author."""
    unknown, finding = audit_context(replace(clean(), runs=runs)).of("ZSL008")
    assert unknown.severity is Severity.UNKNOWN
    return finding


def test_runs_tell_how_parameters_and_gamma_were_chosen(run):
    finding = here([run, replace(run, oracle=None)])
    assert (finding.severity, finding.message) == (
        INFO,
        "Runs made here, no evidence on the author's figures: 2 runs, parameters and gamma "
        "validated on the folds; parameters chosen on the test set would have gained up to 12.3 "
        "points of ZSL accuracy.",
    )
    assert finding.evidence[0].rows == (
        ("LinearS2V", "validated", "validated", 0.1235, None),
        ("LinearS2V", "validated", "validated", None, None),
    )


@pytest.mark.parametrize("given", ["params_origin", "gamma_origin"])
def test_what_was_given_in_a_run_is_not_validated(run, given):
    other = replace(run, oracle=None, spec=replace(run.spec, method="ESZSL", grid=None))
    runs = [replace(other, **{given: "given"})] * 2 + [replace(other, gamma_origin=None)]
    finding = here(runs)
    assert finding.message.endswith("figures: 3 runs, parameters or gamma of 2 given.")
    assert finding.evidence[0].rows[2][2] == "none"


@pytest.mark.parametrize(("per_class", "few"), [(9, True), (10, False)])
def test_fewer_than_ten_test_images_are_few(per_class, few):
    world = with_parts(clean(per_class=per_class), test_seen=np.empty(0, int))
    finding = the(world, "ZSL011")
    assert (finding.severity is WARN) == few
    if few:
        assert finding.message.endswith("in test_unseen: 3 of 3 classes (smallest 9).")
        assert finding.figures == {"classes": 3, "smallest": 9}
        ((name, n, width), *_) = finding.evidence[0].rows
        assert (name, n) == ("thing 5", 9)
        assert 0.62 < width < 0.7


def test_a_known_split_is_recognised_and_so_is_a_variant(monkeypatch):
    world = clean()
    parts = {part: part_digest(rows) for part, rows in world.parts.items()}
    counts = {part: len(rows) for part, rows in world.parts.items()}
    known = KnownSplit("World", "PS", "abc", parts, counts)
    near = KnownSplit("World", "PS 0", "def", parts | {"val": "other"}, counts, "It is old.")
    monkeypatch.setattr(known_module, "known_splits", lambda: (near, known))
    assert said(world, "ZSL010") == [(PASS, "World PS, as published (its rows).")]
    assert said(replace(world, file_digest="abc"), "ZSL010") == [
        (PASS, "World PS, as published (the published file).")
    ]
    finding = the(
        with_parts(world, train=np.append(world.parts["train"], world.parts["train"][:1])), "ZSL010"
    )
    assert finding.severity is PASS  # listed twice, but the same rows
    finding = the(with_parts(world, train=world.parts["train"][1:]), "ZSL010")
    assert finding.severity is WARN
    assert finding.message == (
        "Differs from World PS in train; trainval, val, test_seen, test_unseen agree."
    )
    assert finding.evidence[0].rows == (("train", counts["train"] - 1, counts["train"]),)
    nothing = with_parts(clean(), **{part: rows[1:] for part, rows in world.parts.items()})
    assert said(nothing, "ZSL010")[0][0] is INFO
    monkeypatch.setattr(known_module, "known_splits", lambda: (near,))
    alone = {part: rows for part, rows in world.parts.items() if part != "val"}
    assert said(replace(world, parts=alone), "ZSL010") == [
        (WARN, "World PS 0, as published (its rows). It is old.")
    ]


def test_rows_are_known_by_sixteen_digits_whatever_their_order():
    digest = part_digest(np.array([258, 0, 258]))
    assert digest == part_digest(np.array([0, 258], np.int32))
    assert digest == hashlib.sha256(b"\0" * 8 + b"\2\1" + b"\0" * 6).hexdigest()[:16]


# --- What is known, and the report ----------------------------------------------------------------


def test_a_context_tells_rows_and_classes_as_far_as_they_are_known():
    bare = AuditContext("bare", {"train": np.array([3, 1, 3]), "val": np.array([-1, 2])})
    assert bare.rows("val", "train", "nothing").tolist() == [1, 2, 3]
    assert bare.rows("nothing").tolist() == []
    assert (bare.seen_classes, bare.unseen_classes, bare.class_of(1)) == (None, None, "")
    assert replace(bare, n_rows=3).rows("train").tolist() == [1]
    named = replace(bare, class_names=("a", "b"), labels=np.array([0, 1, 1, 2]))
    assert named.names([0, 1, 2, -1]) == ("a", "b", "class 2", "class -1")
    assert (named.class_of(0), named.class_of(3)) == ("a", "class 2")
    assert named.seen_classes.tolist() == [1, 2]
    assert named.classes("val").tolist() == [1]
    for what in ("labels", "unseen_classes", "features", "prototypes"):
        with pytest.raises(DatasetError, match=r"bare: needs .*; got none\."):
            getattr(bare, f"known_{what}")


def report(*severities, split="PS"):
    findings = tuple(Finding("ZSL001", s, f"It is {s}.") for s in severities)
    return AuditReport("x", split, findings, {"ZSL001": "title"})


@pytest.mark.parametrize(
    ("record", "field"),
    [
        (CHECKS[0], "id"),
        (Finding("ZSL001", PASS, ""), "severity"),
        (Evidence.of("", (), ()), "total"),
        (Match("seal", "mine", "seal", "strong", "same name", ""), "strength"),
        (KnownSplit("World", "PS", "", {}, {}), "superseded"),
    ],
)
def test_what_was_said_does_not_change(record, field):
    with pytest.raises(FrozenInstanceError):
        setattr(record, field, "another")


def test_a_headline_counts_what_there_is_worst_first():
    mixed = report(PASS, WARN, Severity.UNKNOWN, WARN)
    assert mixed.headline == "x (PS): warnings - 2 warn, 1 unknown, 1 pass."
    assert report(PASS, split="").headline == "x: passed - 1 pass."
    assert mixed.counts[WARN] == 2
    assert list(mixed.counts) == list(Severity)
    assert mixed.severity("ZSL001") is WARN
    assert [s.rank for s in Severity] == [0, 1, 2, 3, 4, 5]


def test_open_questions_are_what_nobody_could_answer():
    asked = report(FAIL, Severity.UNKNOWN, INFO, Severity.DID_NOT_RUN)
    assert [f.severity for f in asked.open_questions] == [Severity.UNKNOWN, Severity.DID_NOT_RUN]


@pytest.mark.parametrize(
    ("severity", "ends"),
    [
        (FAIL, {"fail", "warn", "unknown"}),
        (WARN, {"warn", "unknown"}),
        (Severity.UNKNOWN, {"unknown"}),
        (Severity.DID_NOT_RUN, {"unknown"}),
        (INFO, set()),
        (PASS, set()),
    ],
)
def test_a_build_ends_at_what_it_is_guarded_against(severity, ends):
    guards = ("fail", "warn", "unknown")
    assert {guard for guard in guards if report(PASS, severity).fails(guard)} == ends
    assert report(severity).fails() == (severity is FAIL)


def test_a_report_and_its_evidence_are_tables():
    table = report(FAIL, PASS).table()
    assert table.columns.tolist() == ["id", "check", "severity", "message", "advice"]
    assert table.loc[0].tolist() == ["ZSL001", "title", "fail", "It is fail.", ""]
    evidence = Evidence.of("t", ["a", "b"], [(np.float64(1), "x"), (2, "y")])
    assert evidence.columns == ("a", "b")
    assert json.dumps(evidence.rows) == '[[1.0, "x"], [2, "y"]]'
    assert evidence.table()["b"].tolist() == ["x", "y"]


def test_a_check_that_cannot_run_says_what_it_needs():
    bare = AuditContext("bare", {"trainval": np.arange(3)}, class_names=("a",))
    report = audit_context(bare)
    (finding,) = report.of("ZSL006")
    assert finding.message == (
        "Did not run: needs the extractor's classes (pretraining=, --pretraining) and labels or "
        "lists of the classes (labels=, --labels)."
    )
    assert finding.severity is Severity.DID_NOT_RUN
