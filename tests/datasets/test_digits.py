import numpy as np
import pytest

from tests.datasets.protocol import run
from zslcore.datasets import load, read_digits


@pytest.fixture(scope="module")
def digits():
    return read_digits()


def test_loading_digits_is_reproducible(digits):
    again = load("digits")
    assert again.digest == digits.digest
    assert not again.simulated
    for name in ("trainval", "test_seen", "test_unseen"):
        first, second = (getattr(d.split("PS"), name) for d in (digits, again))
        np.testing.assert_array_equal(first, second)


def test_features_are_the_pixels_of_the_images(digits):
    assert digits.images.dtype == np.uint8
    assert digits.images.shape == (1797, 8, 8)
    np.testing.assert_allclose(
        digits.features * 255 / 16, digits.images.reshape(1797, 64), atol=0.5
    )


def test_prototypes_equal_the_table(digits):
    S = dict(zip(digits.attribute_names, digits.prototypes.T, strict=True))
    assert set(np.unique(digits.prototypes)) == {0.0, 0.5, 1.0}
    assert len(np.unique(digits.prototypes, axis=0)) == 10
    lit = [S[f"segment {where}"].sum() for where in ("top", "middle", "bottom")]
    # Numbers of digits that light the bar at the top, in the middle and at the bottom.
    assert lit == [8, 7, 7]
    segments = np.sum([row for name, row in S.items() if name.startswith("segment")], axis=0)
    assert segments.tolist() == [6, 2, 5, 5, 4, 5, 6, 3, 7, 6]
    holes = S["hole above"] + S["hole below"]
    assert holes.tolist() == [1, 0, 0, 0, 0, 0, 1, 0, 2, 1]


def test_in_ps_the_last_three_digits_are_unseen(digits):
    split, y = digits.split("PS"), digits.labels
    assert split.unseen_classes.tolist() == [7, 8, 9]
    assert split.seen_classes.tolist() == [0, 1, 2, 3, 4, 5, 6]
    parts = np.concatenate([split.trainval, split.test_seen, split.test_unseen])
    assert sorted(parts) == list(range(1797))
    share = np.bincount(y[split.test_seen]) / np.bincount(y)[:7]
    np.testing.assert_allclose(share, 0.2, atol=0.01)
    for fold, val in zip(split.folds, [{0, 1}, {2, 3}, {4, 5}], strict=True):
        assert set(y[fold.val]) == val
        assert sorted([*fold.train, *fold.val]) == split.trainval.tolist()


@pytest.mark.parametrize(
    ("method", "params"), [("LinearS2V", {}), ("ESZSL", {}), ("SAE", {"direction": "S2V"})]
)
def test_digits_show_the_bias_to_seen_classes_and_calibration_helps(digits, method, params):
    metrics = run(digits, method, **params)
    assert metrics.zsl > 0.5  # one of three predictions is right by chance
    assert metrics.plain.seen > metrics.plain.unseen + 0.3
    assert metrics.calibrated.harmonic > metrics.plain.harmonic + 0.02
