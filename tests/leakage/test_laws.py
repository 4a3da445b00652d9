"""Laws of all checks: a sound split is ok, a fault has its mark, and missing input is open.

Laws of all formats: verdict and exit status follow from the findings.
"""

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.datasets import files
from tests.leakage.worlds import FAULTS, add, clean, move
from zslcore.__main__ import main
from zslcore.datasets.base import part_digest
from zslcore.leakage import (
    FORMATS,
    DeclaredProvenance,
    Thresholds,
    Vocabulary,
    audit_context,
    published,
)
from zslcore.leakage.checks import CHECKS, run_check
from zslcore.leakage.photographs import Photographs
from zslcore.leakage.published import KnownSplit
from zslcore.leakage.report import STATUS, verdict_of

DECLARED = DeclaredProvenance("validation", "validation", "validation", "independent")
OTHERS = (Vocabulary.of("mine", ("violin", "teapot")),)
BY_ID = {check.id: check for check in CHECKS}


def sound():
    """Return a split without faults, and with everything declared."""
    world = clean()
    return replace(
        world,
        vocabularies=OTHERS,
        provenance=DECLARED,
        thresholds=Thresholds(images=1),
        photographs=Photographs(np.arange(world.n_rows), "names", by_name=False),
    )


def fault(name):
    return lambda world: FAULTS[name][0](world)


def with_overlap(world):
    return replace(world, vocabularies=(Vocabulary.of("mine", world.class_names[5:]),))


def with_overlap_gain(world):
    world = replace(clean(n_classes=14, n_unseen=8), thresholds=Thresholds(images=1))
    vocabulary = Vocabulary.of("mine", world.class_names[10:])
    accuracies = {"A": {c: 0.1 + 0.8 * (c >= 10) + 0.001 * c for c in range(6, 14)}}
    return replace(world, vocabularies=(vocabulary,), accuracies=accuracies)


def of_one_photograph(world):
    number = np.arange(world.n_rows)
    number[world.parts["test_unseen"]] = world.parts["train"][0]
    return replace(world, photographs=Photographs(number, "names", by_name=False))


#: Check -> a fault that it finds, and its mark; for ZSL010, a split near a published one.
FAULTY = {
    "ZSL001": (fault("unseen class trained on"), "leak"),
    "ZSL002": (lambda w: add(w, w.parts["test_unseen"][:1], "val"), "leak"),
    "ZSL003": (fault("seen test row trained on"), "leak"),
    "ZSL004": (fault("equal features"), "leak"),
    "ZSL005": (fault("nearly equal features"), "leak"),
    "ZSL006": (with_overlap, "leak"),
    "ZSL007": (with_overlap_gain, "warning"),
    "ZSL008": (lambda w: replace(w, provenance=replace(DECLARED, gamma="test")), "leak"),
    "ZSL009": (fault("empty prototype"), "error"),
    "ZSL010": (lambda w: move(w, w.parts["train"][:1], "train", "val"), "warning"),
    "ZSL011": (lambda w: replace(w, thresholds=Thresholds(images=200)), "warning"),
    "ZSL012": (of_one_photograph, "leak"),
}
#: Check -> function that removes its input from a split; ZSL010 needs none.
UNREAD = {
    "ZSL003": lambda w: replace(w, parts={}, class_lists={"seen": [0], "unseen": [1]}),
    "ZSL007": lambda w: replace(with_overlap_gain(w), accuracies={}),
    "ZSL008": lambda w: replace(w, provenance=DeclaredProvenance()),
    **{
        check.id: lambda w, needs=check.needs: replace(
            w,
            labels=None,
            n_rows=None,
            class_names=(),
            **dict.fromkeys({*needs} & {"features", "prototypes", "photographs"}),
            vocabularies=(),
        )
        for check in CHECKS
        if check.needs and check.id != "ZSL007"
    },
}


@pytest.fixture(autouse=True)
def published_world(monkeypatch):
    """Publish the sound split, so that it is known, and other splits are variants of it."""
    world = sound()
    parts = {part: part_digest(rows) for part, rows in world.parts.items()}
    counts = {part: len(rows) for part, rows in world.parts.items()}
    published_split = KnownSplit("World", "PS", "abc", parts, counts)
    monkeypatch.setattr(published, "known_splits", lambda: (published_split,))


def marks(check, world):
    return {finding.mark for finding in run_check(BY_ID[check], world)}


def test_every_check_has_a_fault_and_a_case_without_input():
    assert FAULTY.keys() == BY_ID.keys()
    assert UNREAD.keys() == BY_ID.keys() - {"ZSL010"}


@pytest.mark.parametrize("check", BY_ID)
def test_a_sound_split_is_ok_and_a_fault_has_its_mark(check):
    assert marks(check, sound()) == {"ok"}
    plant, mark = FAULTY[check]
    assert mark in marks(check, plant(sound()))


@pytest.mark.parametrize("check", UNREAD)
def test_a_check_without_its_input_is_open(check):
    result = marks(check, UNREAD[check](sound()))
    assert "open" in result
    assert not {"leak", "error"} & result


@pytest.mark.parametrize("check", BY_ID)
def test_every_format_states_the_verdict_of_its_findings(check):
    for world in (sound(), FAULTY[check][0](sound()), UNREAD.get(check, with_overlap)(sound())):
        report = audit_context(world)
        verdict = verdict_of(report.findings)
        assert report.status == STATUS[verdict]
        text = {name: write(report) for name, write in FORMATS.items()}
        assert json.loads(text["json"])["verdict"] == verdict
        assert text["text"].startswith(f"{verdict.upper()}  ")
        assert f'<h1 class="{verdict}">' in text["html"]
        suite = ElementTree.fromstring(text["junit"])[0]
        assert (int(suite.get("failures")) > 0) == (verdict == "leaks")
        assert (int(suite.get("errors")) > 0) >= (verdict in ("broken", "unknown"))
        assert (suite.get("failures"), suite.get("errors")) == ("0", "0") or verdict != "clean"


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("name", FORMATS)
def test_the_exit_status_follows_the_verdict_in_every_format(name, tmp_path):
    good = files.write_folder(tmp_path / "good")
    leaking = {"train_loc": np.append(files.TRAINVAL, files.TEST_SEEN)[:, None] + 1.0}
    beyond = {"test_seen_loc": np.append(files.TEST_SEEN, 10_000)[:, None] + 1.0}
    out = ["--format", name, "--output", str(tmp_path / "report")]
    for folder, options, status in (
        (good, ["--pretraining", "none"], 0),
        (good, [], 3),
        (files.write_folder(tmp_path / "l", splits=leaking), ["--pretraining", "none"], 1),
        (files.write_folder(tmp_path / "b", splits=beyond), ["--pretraining", "none"], 2),
    ):
        assert main(["check", str(folder), *options, *out]) == status
