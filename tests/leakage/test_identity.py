"""ZSL010 on what is known, on what is half of it, and on what is nobody's."""

from dataclasses import replace

import numpy as np
import pytest

from tests.leakage.worlds import clean
from zslcore.datasets import Split, load
from zslcore.leakage import known as known_module
from zslcore.leakage.checks.identity import known_split
from zslcore.leakage.context import PARTS, AuditContext
from zslcore.leakage.known import KnownSplit, known_splits, part_digest
from zslcore.leakage.report import Severity

OLD = "Superseded by PS 2.0: its train_loc and val_loc hold the test_seen rows."
DATASETS = ["AWA1", "AWA2", "CUB", "SUN", "aPY"]


def known(name, parts, **more):
    digests = {part: part_digest(rows) for part, rows in parts.items()}
    counts = {part: len(rows) for part, rows in parts.items()}
    return KnownSplit("Zoo", name, more.pop("sha256", name), digests, counts, **more)


@pytest.fixture
def split(monkeypatch):
    """A split with train and val, known in two releases and as the standard split."""
    context = clean()
    trainval = context.parts["trainval"]
    parts = dict(context.parts) | {"train": trainval[::2], "val": trainval[1::2]}
    seen = parts["test_seen"]
    leaking = parts | {
        "train": np.union1d(parts["train"], seen[::2]),
        "val": np.union1d(parts["val"], seen[1::2]),
    }
    standard = {"trainval": np.union1d(trainval, seen), "test_unseen": parts["test_unseen"]}
    table = (
        known("PS v1", leaking, superseded=OLD),
        known("PS 2.0", parts),
        known("SS", standard),
    )
    monkeypatch.setattr(known_module, "known_splits", lambda: table)
    return {
        name: replace(context, parts=p)
        for name, p in (("PS v1", leaking), ("PS 2.0", parts), ("SS", standard))
    }


def finding(context):
    (found,) = known_split(context)
    return found


@pytest.mark.parametrize("name", ["PS 2.0", "SS"])
def test_a_current_release_passes_by_its_rows_and_by_its_file(split, name):
    found = finding(split[name])
    assert (found.severity, found.message) == (
        Severity.PASS,
        f"Zoo {name}, as published (its rows).",
    )
    found = finding(replace(split[name], file_digest=name))
    assert found.message == f"Zoo {name}, as published (the published file)."


def test_the_first_release_is_said_to_be_superseded(split):
    found = finding(split["PS v1"])
    assert found.severity is Severity.WARN
    assert found.message == f"Zoo PS v1, as published (its rows). {OLD}"


def test_what_both_releases_share_is_no_reproach(split):
    shared = {p: split["PS 2.0"].parts[p] for p in ("trainval", "test_seen", "test_unseen")}
    found = finding(replace(split["PS 2.0"], parts=shared))
    assert found.severity is Severity.PASS
    assert found.message == (
        "Zoo PS v1 or PS 2.0, as published (its rows): they share trainval, test_seen, "
        "test_unseen, and differ only in train, val, of which nothing was given."
    )
    assert found.advice == f"Give train, val to tell them apart. PS v1: {OLD}"


def test_order_repetition_and_an_empty_part_change_nothing(split):
    rng, parts = np.random.default_rng(0), dict(split["SS"].parts)
    parts["trainval"] = rng.permutation(np.concatenate([parts["trainval"]] * 2))
    parts["test_seen"] = np.empty(0, int)
    assert finding(replace(split["SS"], parts=parts)).message.startswith("Zoo SS, as published")


def test_a_variant_says_what_differs_and_from_which_releases(split):
    parts = split["PS 2.0"].parts
    found = finding(replace(split["PS 2.0"], parts=dict(parts) | {"val": parts["val"][:-1]}))
    assert found.severity is Severity.WARN
    assert found.message.startswith("Differs from Zoo PS 2.0 in val; trainval, train, ")
    mine = dict(parts) | {"train": parts["train"][1:], "val": parts["val"][1:]}
    found = finding(replace(split["PS 2.0"], parts=mine))
    assert found.message.startswith("Differs from Zoo PS v1 or PS 2.0 in train, val;")
    (table,) = found.evidence
    assert table.columns == ("part", "rows here", "rows in Zoo PS v1", "rows in Zoo PS 2.0")
    n = len(parts["train"])
    assert table.rows[0] == ("train", n - 1, n + len(parts["test_seen"][::2]), n)


def test_nobodys_split_is_not_taken_for_one(split):
    context = split["PS 2.0"]
    moved = {part: rows + 1 for part, rows in context.parts.items()}
    found = finding(replace(context, parts=moved))
    assert (found.severity, found.advice) == (Severity.INFO, "")


@pytest.mark.parametrize("dataset", DATASETS)
def test_every_benchmark_is_known_in_three_splits_and_its_releases_share_rows(dataset):
    known = {split.name: split for split in known_splits() if split.dataset == dataset}
    assert known.keys() == {"PS v1", "PS 2.0", "SS"}
    first, second = known["PS v1"], known["PS 2.0"]
    different = {part for part in PARTS if first.parts[part] != second.parts[part]}
    assert different == {"train", "val"}
    assert first.superseded
    assert not second.superseded
    leaked = first.counts["train"] + first.counts["val"] - first.counts["trainval"]
    assert leaked == first.counts["test_seen"]
    assert second.counts["train"] + second.counts["val"] == second.counts["trainval"]
    assert "test_seen" not in known["SS"].parts


def test_classes_tell_a_benchmark_where_rows_do_not():
    data = load("simulated-SUN")
    names, y = data.class_names, data.labels
    unseen = data.split("PS").unseen_classes
    own = Split.from_classes("own", y, unseen)
    known = {"labels": y, "class_names": names, "n_rows": len(y)}
    assert finding(AuditContext.of_split(own, **known)).message == (
        "The unseen classes are those of SUN PS, the rows are not."
    )
    other = Split.from_classes("own", y, range(20))
    assert finding(AuditContext.of_split(other, **known)).message == (
        "The classes are those of SUN, parted otherwise than in PS and SS."
    )
    foreign = known | {"class_names": ("dodo", *names[1:])}
    assert finding(AuditContext.of_split(own, **foreign)).message == (
        "Not one of the known split files, nor near one."
    )
