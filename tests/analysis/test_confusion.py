import numpy as np
import pytest

from zslcore.analysis.confusion import confusion, most_confused
from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.evaluation.protocol import evaluate

NAMES = ("ant", "bee", "cat", "dog", "eel")


@pytest.fixture(scope="module")
def scores():
    """Classes 1 and 3 are unseen; class 4 has no test images."""
    rng = np.random.default_rng(1)
    y = rng.integers(4, size=300)
    F = rng.normal(size=(300, 5)) + np.eye(5)[y]
    return ScoredTest(F, y, np.arange(5), np.array([True, False, True, False, True]))


def test_rows_are_shares_seen_classes_first_and_the_diagonal_is_accuracy(scores):
    share = confusion(scores, 0.3, NAMES)
    assert list(share.index) == list(share.columns) == ["ant", "cat", "eel", "bee", "dog"]
    assert share.loc["eel"].isna().all()
    assert share.drop(index="eel").sum(axis=1).to_numpy() == pytest.approx(1)
    per_class = evaluate(scores, 0.3).per_class
    for k, accuracy in per_class.items():
        assert share.loc[NAMES[k], NAMES[k]] == pytest.approx(accuracy)


def test_most_confused_pairs_are_the_largest_off_the_diagonal(scores):
    share = confusion(scores, 0.0, NAMES)
    pairs = most_confused(scores, 0.0, NAMES, n=4)
    off = share.to_numpy().copy()
    np.fill_diagonal(off, 0)
    assert list(pairs["share"]) == pytest.approx(sorted(np.nan_to_num(off).ravel())[:-5:-1])
    for pair in pairs.itertuples():
        assert share.loc[pair._1, pair.predicted] == pair.share
        assert (pair.side == "unseen") == (pair._1 in ("bee", "dog"))
        assert (pair.predicted_side == "unseen") == (pair.predicted in ("bee", "dog"))


def test_classes_with_few_images_are_left_out(scores):
    images = np.bincount(scores.y, minlength=5)
    min_images = int(np.sort(images[:4])[1])  # exactly one class has fewer images than this
    few = [NAMES[k] for k in np.flatnonzero(images < min_images)]
    assert len(few) == 2  # this class, and the class without images
    share = confusion(scores, 0.3, NAMES, min_images)
    assert share.index[share.isna().all(axis=1)].sort_values().tolist() == sorted(few)
    pairs = most_confused(scores, 0.3, NAMES, n=100, min_images=min_images)
    assert not set(pairs["class"]) & set(few)
    assert set(few) & set(most_confused(scores, 0.3, NAMES, n=100)["class"])


def test_a_perfect_result_has_no_confused_pairs():
    perfect = ScoredTest(np.eye(3), np.arange(3), np.arange(3), np.array([True, True, False]))
    assert most_confused(perfect, 0.0, NAMES).empty
