"""The audit finds the faults of rows and classes of a split, and no others."""

import json
import re
from contextlib import suppress
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.leakage import situations
from tests.leakage.worlds import FAULTS, add, clean, failed_checks, with_parts, worlds
from tests.worlds import linear_world
from zslcore.datasets import load
from zslcore.evaluation.runs import run as run_spec
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import DatasetError
from zslcore.leakage import (
    CHECKS,
    MARKS,
    AuditContext,
    Finding,
    Report,
    audit_context,
    corrected_split,
)
from zslcore.leakage.checks import run_check
from zslcore.leakage.correction import POLICIES, correct_context

FEW = settings(max_examples=8)
TRAINED, TESTED = ("trainval", "train", "val"), ("test_seen", "test_unseen")


# --- Random splits --------------------------------------------------------------------------------


@st.composite
def tampered_splits(draw):
    """A split with a few rows moved, copied or invented at random."""
    world = draw(worlds())
    for _ in range(draw(st.integers(0, 4))):
        rows = draw(st.lists(st.integers(-1, world.n_rows), min_size=1, max_size=4))
        world = add(world, rows, draw(st.sampled_from(TRAINED + TESTED)))
    lost = draw(st.sampled_from(("", *TRAINED, "test_seen")))
    rows = world.parts.get(lost, np.empty(0, int))
    return with_parts(world, **{lost: rows[draw(st.integers(0, 3)) :]}) if lost else world


def faults_by_sets(world):
    """Return {(check, severity, words): faulty rows or classes}, computed with plain sets."""
    n, result = world.n_rows, {}
    here = {p: {r for r in rows.tolist() if 0 <= r < n} for p, rows in world.parts.items()}
    classes_of_part = {p: {world.class_of(r) for r in rows} for p, rows in here.items()}
    for part, rows in world.parts.items():
        rows = rows.tolist()
        result["ZSL003", "warning", f"more than once in {part}:"] = {
            r for r in rows if rows.count(r) > 1
        }
    result["ZSL003", "error", "Out of range for"] = {
        (part, r) for part, rows in world.parts.items() for r in rows.tolist() if not 0 <= r < n
    }
    tested = here["test_seen"] | here["test_unseen"]
    used, first = here["train"] | here["val"], here["trainval"] | here["test_seen"]
    if used == first and here["test_seen"] and not here["trainval"] & tested:
        result["ZSL003", "leak", "while trainval is clean"] = here["test_seen"]
    else:
        for b in TESTED:
            parts_of_rows = {}
            for a in TRAINED:
                parts_of_rows.setdefault(frozenset(here[a] & here[b]), []).append(a)
            for rows, parts in parts_of_rows.items():
                words = f"In both {parts[0]} (training) and {b} (test):"
                if len(parts) > 1:
                    words = f"In {' and '.join(parts)} (training), and in {b} (test):"
                result["ZSL003", "leak", words] = set(rows)
        result["ZSL003", "warning", "In train and in val:"] = here["train"] & here["val"]
        result["ZSL003", "error", "Tested in test_seen and in test_unseen:"] = (
            here["test_seen"] & here["test_unseen"]
        )
        result["ZSL003", "warning", "not in trainval"] = used - here["trainval"] - tested
    seen = set().union(*(classes_of_part[p] for p in TRAINED))
    unseen = classes_of_part["test_unseen"]
    result["ZSL001", "leak", "both seen and unseen"] = (
        seen | classes_of_part["test_seen"]
    ) & unseen
    result["ZSL001", "warning", "single training row"] = (
        classes_of_part["test_seen"] - seen - unseen
    )
    result["ZSL002", "leak", "validates on test"] = classes_of_part["val"] & unseen
    result["ZSL002", "leak", "trains on test"] = classes_of_part["train"] & unseen
    result["ZSL002", "warning", "trains and validates"] = (
        classes_of_part["train"] & classes_of_part["val"]
    )
    return {key: items for key, items in result.items() if items}


@settings(max_examples=60)
@given(tampered_splits())
@example(add(add(clean(), [-1], "trainval"), [-1, 999], "train"))
def test_faults_of_rows_and_classes_equal_plain_set_operations(world):
    expected = faults_by_sets(world)
    for check in CHECKS[:3]:
        failed = [f for f in run_check(check, world) if f.mark != "ok"]
        assert len(failed) == sum(key[0] == check.id for key in expected)
        for finding in failed:
            (items,) = (
                items
                for (id_, severity, words), items in expected.items()
                if (id_, severity) == (check.id, finding.mark) and words in finding.sentence
            )
            if check.id == "ZSL003" and finding.rows:
                assert set(finding.rows) == items
                assert finding.numbers["rows"] == len(items)
            elif finding.sentence.startswith("Out of range for"):  # one finding covers all parts
                assert set(finding.evidence[0].rows) == items
                assert all(f" of {part}" in finding.sentence for part, _ in items)
            elif check.id != "ZSL003":
                assert set(finding.classes) == items


@pytest.mark.parametrize("fault", FAULTS)
@FEW
@given(world=worlds())
def test_only_a_planted_fault_is_found(fault, world):
    plant, expected = FAULTS[fault]
    assert failed_checks(world) == set()
    assert failed_checks(plant(world)) == expected


@pytest.mark.parametrize("policy", POLICIES)
@FEW
@given(world=worlds(), faults=st.sets(st.sampled_from(sorted(FAULTS)), max_size=4))
def test_faults_do_not_hide_each_other_and_correction_removes_those_of_rows(policy, world, faults):
    for fault in sorted(faults):
        world = FAULTS[fault][0](world)
    assert set().union(*(FAULTS[fault][1] for fault in faults)) <= failed_checks(world)
    # A correction that leaves no test class is refused.
    with suppress(DatasetError if policy == "drop" else ()):
        left = failed_checks(correct_context(world, policy).context) - {"ZSL009"}
        assert left <= ({"ZSL004"} if "no features" in faults else set())


# --- Sentences ------------------------------------------------------------------------------------


def test_findings_of_each_situation_equal_the_reviewed_file():
    text = situations.FINDINGS_FILE.read_text(encoding="utf-8")
    assert situations.text().split("\n\n") == text.split("\n\n"), (
        "python -m tests.leakage.situations"
    )


def test_stored_runs_report_their_choices_and_the_gain_from_test_data():
    world = linear_world(noise=1.0)
    run = run_spec(RunSpec(world.name, "PS", "LinearS2V"), world).result
    gained = {"zsl": run.evaluation.zsl + 0.123456, "harmonic": None}
    run = replace(run, oracle=replace(run.oracle, **gained))
    with_given_parameters = replace(run, oracle=None, params_origin="given", gamma_origin=None)
    for runs, message in (
        ([run], "1 run, parameters and gamma validated on the folds; .* up to 12.3 points"),
        (
            [with_given_parameters, with_given_parameters],
            r"2 runs, 2 with given parameters or gamma\.",
        ),
    ):
        unknown, finding = audit_context(replace(clean(), runs=runs)).of("ZSL008")
        assert (unknown.mark, finding.mark) == ("open", "ok")
        assert re.search(message, finding.sentence)
    assert finding.evidence[0].rows[0] == ("LinearS2V", "given", "none", None, None)


# --- Report ---------------------------------------------------------------------------------------


@given(st.lists(st.sampled_from(MARKS), min_size=1))
def test_the_verdict_is_the_worst_mark_and_exit_status_follows_fail_on(marks):
    findings = tuple(Finding("ZSL001", mark, f"It is {mark}.") for mark in marks)
    report = Report("x", "PS", findings)
    assert report.mark("ZSL001") == min(marks, key=MARKS.index)
    verdicts = {"leak": ("leaks", 1), "error": ("broken", 2), "open": ("unknown", 3)}
    expected = next((v for mark, v in verdicts.items() if mark in marks), ("clean", 0))
    assert (report.verdict, report.status) == expected
    levels = {"leak": ["leak"], "warning": ["leak", "warning"]}
    levels["open"] = [*levels["warning"], "open"]
    for level, ends in levels.items():
        assert report.fails(level) == bool({*marks} & {*ends})
    counted = [
        f"{n} {mark}{'s' * (n > 1 and mark not in ('open', 'ok'))}"
        for mark in MARKS
        if (n := marks.count(mark))
    ]
    assert report.headline == f"x (PS): {report.verdict} - {', '.join(counted)}."
    assert len(report.select_findings("open")) == marks.count("open")
    assert report.to_frame()["sentence"].tolist() == [f"It is {mark}." for mark in marks]
    with pytest.raises(FrozenInstanceError):
        report.split = "SS"


def test_every_check_is_registered_once_and_in_order():
    ids = [check.id for check in CHECKS]
    assert ids == [f"ZSL{k:03d}" for k in range(1, len(ids) + 1)]


def test_a_context_gives_rows_and_classes_as_far_as_they_are_known():
    bare = AuditContext("bare", {"train": np.array([3, 1, 3]), "val": np.array([-1, 2])})
    assert bare.rows("val", "train", "nothing").tolist() == [1, 2, 3]
    assert (bare.seen_classes, bare.unseen_classes, bare.class_of(1)) == (None, None, "")
    named = replace(bare, class_names=("a", "b"), labels=np.array([0, 1, 1, 2]), n_rows=4)
    assert named.names([0, 1, 2, -1]) == ("a", "b", "class 2", "class -1")
    assert (named.seen_classes.tolist(), named.classes("val").tolist()) == ([1, 2], [1])
    for name in ("labels", "unseen_classes", "features", "prototypes"):
        with pytest.raises(DatasetError, match=r"bare: needs .*; got none\."):
            getattr(bare, f"required_{name}")


def test_findings_contain_only_plain_python_values():
    findings = audit_context(situations.SITUATIONS["two near images"]).findings
    assert json.dumps([[t.rows for t in f.evidence] for f in findings])


def test_correcting_a_clean_split_changes_nothing():
    digits = load("digits")
    corrected = corrected_split(digits)
    for part in ("trainval", *TESTED):
        rows = np.sort(getattr(digits.split("PS"), part))
        np.testing.assert_array_equal(corrected.parts[part], rows)
