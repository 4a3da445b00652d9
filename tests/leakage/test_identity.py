"""ZSL010 on known, partly known and unknown splits."""

from dataclasses import replace

import numpy as np
import pytest

from tests.leakage.worlds import clean
from zslcore.datasets import Split, load
from zslcore.datasets.facts import class_facts, row_facts
from zslcore.leakage import audit_context
from zslcore.leakage import published as known_module
from zslcore.leakage.checks.identity import known_split
from zslcore.leakage.context import SPLIT_PARTS, AuditContext
from zslcore.leakage.published import KnownSplit, fill_in_from_benchmark, known_splits, part_digest

OLD = "Superseded by PS 2.0: train_loc and val_loc of this version contain the test_seen rows."
DATASETS = ["AWA1", "AWA2", "CUB", "SUN", "aPY"]


def published_split(name, parts, **more):
    digests = {part: part_digest(rows) for part, rows in parts.items()}
    counts = {part: len(rows) for part, rows in parts.items()}
    return KnownSplit("Zoo", name, more.pop("sha256", name), digests, counts, **more)


@pytest.fixture
def split(monkeypatch):
    """A split with train and val, published in two versions and as the standard split."""
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
        published_split("PS v1", leaking, superseded=OLD),
        published_split("PS 2.0", parts),
        published_split("SS", standard),
    )
    monkeypatch.setattr(known_module, "known_splits", lambda: table)
    return {
        name: replace(context, parts=p)
        for name, p in (("PS v1", leaking), ("PS 2.0", parts), ("SS", standard))
    }


def finding(context):
    (result,) = known_split(context)
    return result


@pytest.mark.parametrize("name", ["PS 2.0", "SS"])
def test_a_current_release_is_recognised_by_rows_and_by_file(split, name):
    result = finding(split[name])
    assert (result.mark, result.sentence) == ("ok", f"Zoo {name}, with the published rows.")
    result = finding(replace(split[name], file_digest=name))
    assert result.sentence == f"Zoo {name}, identical to the published file."


def test_the_first_release_is_reported_as_superseded(split):
    result = finding(split["PS v1"])
    assert result.mark == "warning"
    assert result.sentence == f"Zoo PS v1, with the published rows. {OLD}"


def test_rows_common_to_both_releases_are_not_reported_as_superseded(split):
    shared = {p: split["PS 2.0"].parts[p] for p in ("trainval", "test_seen", "test_unseen")}
    result = finding(replace(split["PS 2.0"], parts=shared))
    assert result.mark == "ok"
    assert result.sentence == (
        "Zoo PS v1 or PS 2.0, with the published rows: these splits have the same trainval, "
        "test_seen, test_unseen; they differ only in train, val, which the files do not contain."
    )
    assert result.advice == f"Add train, val to distinguish them. PS v1: {OLD}"


def test_order_repetition_and_an_empty_part_do_not_change_the_identity(split):
    rng, parts = np.random.default_rng(0), dict(split["SS"].parts)
    parts["trainval"] = rng.permutation(np.concatenate([parts["trainval"]] * 2))
    parts["test_seen"] = np.empty(0, int)
    assert finding(replace(split["SS"], parts=parts)).sentence.startswith("Zoo SS, with")


def test_a_variant_names_the_differing_parts_and_the_releases(split):
    parts = split["PS 2.0"].parts
    result = finding(replace(split["PS 2.0"], parts=dict(parts) | {"val": parts["val"][:-1]}))
    assert result.mark == "warning"
    assert result.sentence.startswith("Differs from Zoo PS 2.0 in val; trainval, train, ")
    mine = dict(parts) | {"train": parts["train"][1:], "val": parts["val"][1:]}
    result = finding(replace(split["PS 2.0"], parts=mine))
    assert result.sentence.startswith("Differs from Zoo PS v1 or PS 2.0 in train, val;")
    (table,) = result.evidence
    assert table.columns == ("part", "rows here", "rows in Zoo PS v1", "rows in Zoo PS 2.0")
    n = len(parts["train"])
    assert table.rows[0] == ("train", n - 1, n + len(parts["test_seen"][::2]), n)


def test_an_unknown_split_is_not_recognised(split):
    context = split["PS 2.0"]
    moved = {part: rows + 2 for part, rows in context.parts.items()}
    result = finding(replace(context, parts=moved))
    assert (result.mark, result.advice) == ("ok", "")


@pytest.mark.parametrize(
    ("shift", "message", "advice"),
    [
        (-1, "one too low", "Add 1 to all row numbers."),
        (1, "one too high", "Subtract 1 from all row numbers."),
    ],
)
def test_shifted_row_numbers_are_reported_with_advice(split, shift, message, advice):
    context = split["PS 2.0"]
    moved = {part: rows + shift for part, rows in context.parts.items()}
    result = finding(replace(context, parts=moved))
    assert (result.mark, result.advice) == ("warning", advice)
    assert (
        result.sentence
        == f"These are the rows of Zoo PS 2.0, but all row numbers are {message}: the MAT layout "
        "counts from 1."
    )


def test_a_missing_part_is_reported_and_does_not_pass(split):
    parts = dict(split["PS 2.0"].parts)
    for part in ("test_seen", "test_unseen"):
        empty = finding(replace(split["PS 2.0"], parts=parts | {part: np.empty(0, int)}))
        absent = {name: rows for name, rows in parts.items() if name != part}
        for result in (empty, finding(replace(split["PS 2.0"], parts=absent))):
            assert result.mark == "warning"
            assert (
                result.sentence == f"Zoo PS 2.0 without {part}: the other parts are as published."
            )


@pytest.mark.parametrize("dataset", DATASETS)
def test_every_benchmark_has_three_known_splits_and_releases_share_rows(dataset):
    split_of_name = {split.name: split for split in known_splits() if split.dataset == dataset}
    assert split_of_name.keys() == {"PS v1", "PS 2.0", "SS"}
    first, second = split_of_name["PS v1"], split_of_name["PS 2.0"]
    different = {part for part in SPLIT_PARTS if first.parts[part] != second.parts[part]}
    assert different == {"train", "val"}
    assert first.superseded
    assert not second.superseded
    leaked = first.counts["train"] + first.counts["val"] - first.counts["trainval"]
    assert leaked == first.counts["test_seen"]
    assert second.counts["train"] + second.counts["val"] == second.counts["trainval"]
    assert "test_seen" not in split_of_name["SS"].parts


def test_a_benchmark_is_recognised_by_classes_if_rows_differ():
    data = load("simulated-SUN")
    names, y = data.class_names, data.labels
    unseen = data.split("PS").unseen_classes
    own = Split.from_classes("own", y, unseen)
    facts = {"labels": y, "class_names": names, "n_rows": len(y)}
    assert finding(AuditContext.of_split(own, **facts)).sentence == (
        "The unseen classes are those of SUN PS, but the rows are not."
    )
    other = Split.from_classes("own", y, range(20))
    assert finding(AuditContext.of_split(other, **facts)).sentence == (
        "The classes are those of SUN, but they are divided differently from PS and SS."
    )
    foreign = facts | {"class_names": ("dodo", *names[1:])}
    assert finding(AuditContext.of_split(own, **foreign)).sentence == (
        "This split is neither a published one nor close to one."
    )


@pytest.mark.parametrize(
    ("unseen", "message"),
    [
        ("ps", "The unseen classes are those of SUN PS; no rows can be compared."),
        ("ss", "The unseen classes are those of SUN SS; no rows can be compared."),
        (None, "The classes are those of SUN, but they are divided differently from PS and SS."),
    ],
)
def test_a_split_without_rows_is_identified_by_its_class_lists(unseen, message):
    facts = class_facts("SUN").classes
    tested = facts[unseen] == "test" if unseen else facts["class"] < "b"
    lists = {"unseen": np.flatnonzero(tested), "seen": np.flatnonzero(~tested)}
    context = AuditContext("lists", parts={}, class_names=tuple(facts["class"]), class_lists=lists)
    assert finding(context).sentence == message


# --- Splits near a published one, by rows ---------------------------------------------------------


def exchange_classes(dataset, *, order=None):
    """PS of a benchmark with one seen and one unseen class exchanged, as row numbers only."""
    y, table = row_facts(dataset).labels, class_facts(dataset).classes
    unseen = np.flatnonzero(table["ps"] == "test")
    seen = np.flatnonzero(table["ps"] != "test")
    now = np.append(unseen[1:], seen[0])
    is_tested = np.isin(y, now)
    held_out = np.concatenate([np.flatnonzero(y == c)[:3] for c in np.setdiff1d(np.unique(y), now)])
    parts = {
        "trainval": np.setdiff1d(np.flatnonzero(~is_tested), held_out),
        "test_seen": held_out,
        "test_unseen": np.flatnonzero(is_tested),
    }
    if order is not None:
        parts = {part: order[rows] for part, rows in parts.items()}
    names = tuple(map(str, table["class"]))
    return AuditContext("mine", parts), names[seen[0]], names[unseen[0]]


@pytest.mark.parametrize("dataset", DATASETS)
def test_a_split_with_one_exchanged_class_is_near_and_its_checks_run(dataset):
    context, now_unseen, now_seen = exchange_classes(dataset)
    report = audit_context(fill_in_from_benchmark(context))
    result = report.of("ZSL010")[0]
    assert result.mark == "warning"
    assert result.sentence.startswith(f"Close to {dataset} PS: ")
    assert result.sentence.endswith(f"now unseen: {now_unseen}; no longer unseen: {now_seen}.")
    near = known_module.nearest_split(context)
    assert 0.5 < min(near.shares.values()) < near.same < 1
    for check in ("ZSL001", "ZSL002", "ZSL011"):
        assert report.mark(check) != "open", check
    assert report.mark("ZSL001") == "ok"


@pytest.mark.parametrize("dataset", DATASETS)
def test_rows_of_other_images_are_not_near_a_known_split(dataset):
    y = row_facts(dataset).labels
    order = np.random.default_rng(0).permutation(len(y))
    permuted, _, _ = exchange_classes(dataset, order=order)
    assert known_module.nearest_split(permuted) is None
    context, _, _ = exchange_classes(dataset)
    shifted = {part: (rows + 2) % len(y) for part, rows in context.parts.items()}
    assert known_module.nearest_split(replace(context, parts=shifted)) is None
    named = replace(context, class_names=tuple(f"thing {c}" for c in range(y.max() + 1)))
    assert known_module.nearest_split(named) is None
    labelled = replace(context, labels=np.zeros(len(y), int), n_rows=len(y))
    assert known_module.nearest_split(labelled) is None
    assert known_module.nearest_split(replace(context, simulated=True)) is None


def test_an_unknown_split_without_labels_is_related_to_a_benchmark_by_class_names():
    names = tuple(map(str, class_facts("CUB").classes["class"]))
    context, _, _ = exchange_classes("CUB", order=np.random.default_rng(0).permutation(11788))
    message = finding(replace(context, class_names=names)).sentence
    assert message.startswith("The class names are those of CUB, but the rows")


def test_labels_of_other_images_lead_to_advice_on_labels_not_on_classes():
    world = clean()
    n = world.n_rows // 2
    short = replace(world, labels=np.zeros(n, int), n_rows=n, features=None)
    (finding,) = [f for f in audit_context(short).of("ZSL001") if f.mark == "open"]
    assert finding.advice.startswith("Provide the labels of these images")
