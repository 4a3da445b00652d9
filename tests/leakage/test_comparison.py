"""Comparison of two splits of the same rows."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.datasets import files
from tests.leakage.worlds import add, clean, move, with_parts
from zslcore.__main__ import main
from zslcore.datasets import load
from zslcore.exceptions import DatasetError
from zslcore.leakage import audit, audit_context, compare_splits, render


def command(*words):
    return main(["check", "--format", "text", *words])


def rows_of(comparison):
    """Return the counts of moved rows by (first, second)."""
    moved = comparison.moves.query("first != second")
    return {(a, b): n for a, b, n in moved.itertuples(index=False)}


def test_comparing_a_split_with_itself_finds_no_difference():
    world = clean()
    comparison = compare_splits(world, replace(world, name="other"))
    assert comparison.n_moved == 0
    assert comparison.n_rows == world.n_rows
    assert not len(comparison.by_class)
    assert not len(comparison.classes)
    assert [table.title for table in comparison.tables()] == ["Rows by part"]
    assert comparison.headline == (
        f"world against other: 0 of {world.n_rows} rows are in different parts (trainval, train, "
        "val, test_seen, test_unseen compared). 0 classes changed from seen to unseen or back."
    )


def test_rows_are_counted_by_part_in_both_splits():
    world = clean()
    seen = world.parts["test_seen"]
    leaking = add(add(world, seen[:10], "train"), seen[10:], "val")
    comparison = compare_splits(leaking, world)
    assert rows_of(comparison) == {
        ("train + test_seen", "test_seen"): 10,
        ("val + test_seen", "test_seen"): 5,
    }
    assert comparison.n_moved == len(seen) == comparison.by_class["rows"].sum()
    assert set(comparison.by_class["class"]) == set(world.names(world.labels[seen]))
    back = compare_splits(world, leaking)
    assert rows_of(back) == {(b, a): n for (a, b), n in rows_of(comparison).items()}


def test_classes_that_change_sides_are_named():
    world = clean()
    unseen = world.classes("test_unseen")
    rows = world.rows("test_unseen")[world.labels[world.rows("test_unseen")] == unseen[0]]
    other = move(world, rows, "test_unseen", "trainval", "train")
    comparison = compare_splits(world, other)
    assert comparison.classes.to_numpy().tolist() == [
        [world.class_name(unseen[0]), "unseen", "seen"]
    ]
    assert rows_of(comparison) == {("test_unseen", "trainval + train"): len(rows)}


def test_missing_parts_are_named_and_only_test_seen_may_be_empty():
    world = clean()
    bare = {p: world.parts[p] for p in ("trainval", "test_unseen", "test_seen")}
    comparison = compare_splits(world, replace(world, name="other", parts=bare))
    assert comparison.n_moved == 0
    assert comparison.own_parts == (("train", "val"), ())
    assert comparison.headline.endswith("Only world has train and val.")
    standard = {
        "trainval": np.union1d(world.parts["trainval"], world.parts["test_seen"]),
        "test_unseen": world.parts["test_unseen"],
    }
    comparison = compare_splits(replace(world, name="other", parts=standard), world)
    assert rows_of(comparison) == {("trainval", "test_seen"): len(world.parts["test_seen"])}


def test_without_labels_only_rows_are_compared():
    world = replace(clean(), labels=None)
    other = with_parts(world, test_seen=world.parts["test_seen"][1:])
    comparison = compare_splits(world, other)
    assert rows_of(comparison) == {("test_seen", "in no part"): 1}
    assert not len(comparison.by_class)
    assert "seen to unseen" not in comparison.headline
    # Labels of one split are used for both.
    assert len(compare_splits(world, replace(other, labels=clean().labels)).by_class) == 1


def test_splits_of_different_data_are_refused():
    world = clean()
    with pytest.raises(DatasetError, match=r"world has 96 rows, more 120: expected splits of the"):
        compare_splits(world, replace(clean(per_class=15), name="more"))
    bare = replace(world, parts={"val": world.parts["val"]})
    with pytest.raises(DatasetError, match="expected a part that both splits have; got none"):
        compare_splits(bare, with_parts(bare, val=np.empty(0, int)))


@pytest.mark.parametrize("name", ["text", "html"])
def test_every_format_reports_the_rows_that_another_split_moved(name):
    world = clean()
    other = replace(add(world, world.parts["test_seen"], "train"), name="<b>other|")
    comparison = compare_splits(world, other)
    report = replace(audit_context(world), comparison=comparison)
    text = render(report, name)
    assert "train + test_seen" in text
    assert "15" in text
    assert ("<b>other" in text) == (name == "text")
    assert render(audit_context(world), name).count("train + test") == 0


def test_json_contains_the_comparison_or_null():
    world = clean()
    report = audit_context(world)
    assert json.loads(render(report, "json"))["comparison"] is None
    moved = add(world, world.parts["test_seen"], "train")
    content = json.loads(render(replace(report, comparison=compare_splits(world, moved)), "json"))[
        "comparison"
    ]
    assert (content["moved"], content["rows"]) == (15, world.n_rows)
    assert content["tables"][0]["rows"][0] == ["test_unseen", "test_unseen", 36]


@pytest.mark.usefixtures("in_process")
def test_a_comparison_does_not_change_the_exit_status(tmp_path, capsys):
    good = files.write_folder(tmp_path / "good")
    leak = {"train_loc": np.append(files.TRAINVAL, files.TEST_SEEN)[:, None] + 1.0}
    leaking = files.write_folder(tmp_path / "leaking", splits=leak)
    assert command(str(leaking), "--against", str(good)) == 1
    assert "train + test_seen" in capsys.readouterr().out
    assert command(str(good), "--against", str(good), "--pretraining", "none") == 0
    assert "0 of 30 rows are in different parts" in capsys.readouterr().out
    assert command(str(good), "--against", str(tmp_path / "nowhere.mat")) == 2


def test_two_splits_of_a_data_set_are_compared_by_name(capsys):
    command("simulated-AWA2", "--against", "SS", "--format", "html")
    out = capsys.readouterr().out
    assert "16 classes changed from seen to unseen or back" in out
    data = load("simulated-AWA2")
    report = audit(data, split="PS", against=data.split("SS"))
    assert report.comparison.n_moved == report.comparison.by_class["rows"].sum() > 0
    assert command("simulated-AWA2", "--against", "SSS") == 2
