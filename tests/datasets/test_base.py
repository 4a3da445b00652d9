import numpy as np
import pytest

from tests.worlds import linear_world
from zslcore.datasets.base import Split, ZSLDataset, hold_out
from zslcore.exceptions import DatasetError, UnknownNameError

LABELS = np.repeat(np.arange(5), 10)


def dataset(**changes):
    parts = {
        "name": "toy",
        "features": np.zeros((50, 3), np.float32),
        "labels": LABELS,
        "prototypes": np.eye(5),
        "class_names": "abcde",
    }
    return ZSLDataset(**(parts | changes))


def test_arrays_are_read_only_and_labels_are_copied():
    labels = LABELS.copy()
    ds = dataset(labels=labels)
    labels[0] = 4
    assert ds.labels[0] == 0
    for array in (ds.features, ds.labels, ds.prototypes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"features": np.zeros((49, 3))}, "a label for each of 49 rows of features; got 50"),
        ({"features": np.zeros(50)}, "two dimensions; got 1 and 2"),
        ({"labels": LABELS + 1}, "labels must lie in 0..4, the rows of prototypes; got 1..5"),
        ({"labels": LABELS + 0.5}, "one whole number per sample"),
        ({"class_names": "abcd"}, "a name for each of 5 rows of prototypes; got 4"),
        ({"attribute_names": "ab"}, "a name for each of 5 columns of prototypes; got 2"),
        ({"image_files": ["a.jpg"]}, r"one image file per sample \(50\) or none; got 1\."),
        ({"prototypes": np.full((5, 2), np.nan)}, "not finite"),
        ({"features": np.zeros((0, 3)), "labels": np.zeros(0, int)}, "at least one sample"),
        (
            {"splits": [Split("PS", [0, 50], [], [], [0], [])]},
            r"toy, split 'PS': row numbers must lie in 0..49; got 50 \(1 outside\)",
        ),
        ({"splits": [Split("PS", [0], [], [], [5], [])]}, "class numbers must lie in 0..4; got 5"),
    ],
)
def test_values_unfit_for_computing_are_refused(changes, sentence):
    with pytest.raises(DatasetError, match=sentence):
        dataset(**changes)


def test_a_leaking_split_is_still_a_split():
    leaking = Split.from_rows(
        "leak", LABELS, trainval=range(30), test_seen=range(25, 35), test_unseen=range(30, 50)
    )
    assert dataset(splits=[leaking]).split("leak").seen_classes.tolist() == [0, 1, 2]


def test_a_misspelt_split_gets_the_nearest_name():
    with pytest.raises(UnknownNameError, match="Unknown split of linear world 'ps'; did you mean"):
        linear_world().split("ps")


def test_split_from_classes_holds_out_a_fifth_of_every_seen_class():
    split = Split.from_classes("PS", LABELS, unseen=[3, 4], folds=[[0], [1, 2]])
    assert np.bincount(LABELS[split.test_seen]).tolist() == [2, 2, 2]
    assert set(LABELS[split.test_unseen]) == {3, 4}
    parts = [split.trainval, split.test_seen, split.test_unseen]
    assert sorted(np.concatenate(parts)) == list(range(50))
    for fold, val in zip(split.folds, [{0}, {1, 2}], strict=True):
        assert set(LABELS[fold.val]) == val
        assert not set(LABELS[fold.train]) & val
        assert sorted([*fold.train, *fold.val]) == split.trainval.tolist()


@pytest.mark.parametrize(
    ("sizes", "fraction", "held_out"), [([1, 2, 10], 0.2, [0, 1, 2]), ([1, 2, 10], 0, [0, 0, 0])]
)
def test_hold_out_leaves_at_least_one_image_on_each_side(sizes, fraction, held_out):
    labels = np.repeat(np.arange(3), sizes)
    kept_rows, out = hold_out(labels, np.arange(len(labels)), fraction, seed=0)
    assert np.bincount(labels[out], minlength=3).tolist() == held_out
    assert sorted([*kept_rows, *out]) == list(range(len(labels)))


def test_the_digest_depends_only_on_the_content():
    assert dataset().digest == dataset(name="other").digest
    changed = np.zeros((50, 3), np.float32)
    changed[49, 2] = 1e-6
    assert dataset(features=changed).digest != dataset().digest
    assert dataset(labels=LABELS[::-1]).digest != dataset().digest
    assert dataset(known_digest="0123").digest == "0123"
    assert dataset(revision=1).digest == dataset().digest
    assert len({dataset(revision=k).digest for k in (1, 2, 3)}) == 3
