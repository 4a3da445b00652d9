"""Corrected splits: kept and removed rows."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.io import loadmat

from tests.leakage.worlds import add, clean, move, with_features, with_parts
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.leakage import POLICIES, audit_context, correct_context


def with_copies(n):
    """Make a world with copies of a test image in training, ``n`` of them, ever less similar."""
    world = clean()
    rng = np.random.default_rng(0)
    test, rows = world.parts["test_unseen"][0], world.parts["train"][:n]
    steps = 0.01 * np.arange(1, n + 1)[:, None]
    world.features[rows] = world.features[test] + steps * rng.normal(
        size=(n, world.features.shape[1])
    )
    return world, rows


@pytest.mark.parametrize(("n", "left"), [(5, 0), (6, 1)])
def test_near_duplicates_are_removed_in_at_most_five_rounds(n, left):
    world, rows = with_copies(n)
    corrected = correct_context(world)
    np.testing.assert_array_equal(corrected.removed["train"], np.sort(rows[: n - left]))
    assert audit_context(corrected.context).mark("ZSL005") is ("leak" if left else "ok")


def remove_parts(world, *parts):
    return replace(world, parts={p: r for p, r in world.parts.items() if p not in parts})


def the_same(rows, expected):
    np.testing.assert_array_equal(rows, np.sort(expected, axis=0))


def test_a_corrected_trainval_is_the_union_of_train_and_val():
    world = clean()
    trainval, stray = world.parts["trainval"], world.parts["train"][:1]
    alone = correct_context(remove_parts(world, "trainval"))
    the_same(alone.parts["trainval"], trainval)
    the_same(alone.parts["val"], world.parts["val"])
    less = with_parts(world, trainval=np.setdiff1d(trainval, stray))
    the_same(correct_context(less).parts["trainval"], trainval)
    # Without val, the stated trainval cannot be computed, so it is kept.
    of_train = correct_context(remove_parts(less, "val"))
    the_same(of_train.parts["trainval"], less.parts["trainval"])
    the_same(of_train.removed["train"], stray)
    assert "val" not in of_train.parts


@pytest.mark.parametrize("part", ["trainval", "test_unseen"])
@pytest.mark.parametrize("gone", [False, True])
def test_a_split_without_training_or_test_rows_is_refused(part, gone):
    world = remove_parts(clean(), "train", "val")
    world = remove_parts(world, part) if gone else with_parts(world, **{part: np.empty(0, int)})
    with pytest.raises(DatasetError, match=rf"world: .* removes every row of {part}\."):
        correct_context(world)


def test_an_unknown_policy_is_refused():
    with pytest.raises(ParameterError, match="one of test first, drop; got 'train first'"):
        correct_context(clean(), "train first")


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    ("keeps", "gives"),
    [
        ("test_unseen", "test_seen"),
        ("test_unseen", "trainval"),
        ("test_seen", "trainval"),
        ("val", "train"),
    ],
)
def test_a_row_on_two_sides_stays_on_one_or_none_by_policy(policy, keeps, gives):
    world = replace(clean(), labels=None, features=None)
    row = world.parts[keeps][:1]
    mixed = add(world, row, *((gives, "train") if gives == "trainval" else (gives,)))
    corrected = correct_context(mixed, policy)
    leaves = () if policy == "test first" else (keeps, gives)
    for part, rows in world.parts.items():
        the_same(corrected.parts[part], np.setdiff1d(rows, row) if part in leaves else rows)


@pytest.mark.parametrize("policy", POLICIES)
def test_an_unseen_class_is_removed_from_training_or_from_both_sides(policy):
    world = replace(clean(), features=None)
    rows = world.parts["test_unseen"]
    rows = rows[world.labels[rows] == 6]
    corrected = correct_context(move(world, rows[:2], "test_unseen", "trainval", "train"), policy)
    tested = np.setdiff1d(world.parts["test_unseen"], rows[:2] if policy == "test first" else rows)
    the_same(corrected.parts["test_unseen"], tested)
    for part in ("trainval", "train", "val", "test_seen"):
        the_same(corrected.parts[part], world.parts[part])
    the_same(corrected.removed["train"], rows[:2])


@pytest.mark.parametrize("policy", POLICIES)
def test_an_image_in_both_test_parts_stays_in_one_or_none_by_policy(policy):
    world = clean()
    seen, unseen = world.parts["test_seen"][:1], world.parts["test_unseen"][:1]
    corrected = correct_context(with_features(world, unseen, world.features[seen]), policy)
    the_same(corrected.removed["test_seen"], seen)
    the_same(corrected.removed["test_unseen"], unseen if policy == "drop" else [])
    the_same(corrected.parts["trainval"], world.parts["trainval"])


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("jitter", [0.0, 0.01])
def test_a_copied_image_is_removed_from_training_or_from_both_sides(policy, jitter):
    world = clean()
    train, tested = world.parts["train"][:1], world.parts["test_unseen"][:1]
    corrected = correct_context(
        with_features(world, tested, world.features[train] * (1 + jitter)), policy
    )
    for part in ("trainval", "train"):
        the_same(corrected.removed[part], train)
    the_same(corrected.removed["test_unseen"], tested if policy == "drop" else [])
    the_same(corrected.parts["test_seen"], world.parts["test_seen"])


def test_corrected_folds_stay_within_trainval_and_their_classes():
    world = clean()
    train, val, tested = (world.parts[part] for part in ("train", "val", "test_seen"))
    classes = np.unique(world.labels[train]), np.unique(world.labels[val])
    mixed = replace(
        world,
        fold_rows=(
            (np.concatenate([train, val[:3], tested[:2]]), np.append(val[1:], tested[2:4])),
        ),
        folds=((classes[0], classes[0]),),
    )
    corrected = correct_context(mixed).context
    ((fold_train, fold_val),) = corrected.fold_rows
    the_same(fold_train, train)
    the_same(fold_val, val[1:])
    ((train_classes, val_classes),) = corrected.folds
    the_same(train_classes, classes[0])
    the_same(val_classes, classes[1])
    unknown = correct_context(replace(mixed, labels=None)).context
    the_same(unknown.fold_rows[0][0], np.append(train, val[:1]))
    assert unknown.folds == mixed.folds


def test_a_corrected_split_is_hashable():
    corrected = correct_context(clean())
    assert {corrected: "mine"}[corrected] == "mine"


def test_a_row_removed_from_two_parts_is_counted_once():
    world = clean()
    leaking = add(world, world.parts["test_seen"][:3], "trainval", "train")
    assert correct_context(leaking).n_removed == 3
    assert correct_context(leaking).table()["removed"].sum() == 6
    assert correct_context(world).n_removed == 0


def test_a_table_counts_remaining_and_removed_rows():
    world = clean()
    table = correct_context(add(world, world.parts["test_seen"][:4], "trainval")).table()
    assert table.columns.tolist() == ["part", "rows", "removed"]
    assert table["part"].tolist() == list(world.parts)
    assert table["rows"].tolist() == [len(rows) for rows in world.parts.values()]
    assert table["removed"].tolist() == [4, 0, 0, 0, 0]


def test_a_corrected_mat_file_has_the_benchmark_layout(tmp_path):
    world = clean()
    correct_context(replace(world, raw_prototypes=2 * world.prototypes)).save_mat(
        tmp_path / "a.mat"
    )
    read = loadmat(tmp_path / "a.mat")
    for part, rows in world.parts.items():
        the_same(read[f"{part}_loc"], rows[:, None] + 1.0)
    assert [str(cell[0][0]) for cell in read["allclasses_names"]] == list(world.class_names)
    np.testing.assert_array_equal(read["att"], world.prototypes.T)
    np.testing.assert_array_equal(read["original_att"], 2 * world.prototypes.T)


def test_a_corrected_split_as_json_states_its_origin():
    world = clean()
    read = json.loads(correct_context(world, "drop").to_json())
    assert (read["corrected_from"], read["policy"]) == ("world", "drop")
    assert read["parts"] == {part: np.sort(rows).tolist() for part, rows in world.parts.items()}
