from itertools import pairwise

import numpy as np
import pytest
from scipy.io import loadmat

from zslcore.datasets import simulated
from zslcore.datasets.facts import class_facts
from zslcore.datasets.simulated import simulate
from zslcore.evaluation.protocol import fit_and_score
from zslcore.methods import get_method


@pytest.fixture(scope="module")
def demo():
    return simulate("simulated-aPY")


def shared_rows(photograph, split):
    """Seen and unseen test rows that share a photograph with a training row."""
    trained = set(photograph[split.trainval])
    return [
        sum(p in trained for p in photograph[part]) for part in (split.test_seen, split.test_unseen)
    ]


@pytest.fixture(scope="module")
def full():
    """Labels, split and photographs in full size, without features."""
    facts = class_facts("aPY")
    images, test_seen = simulated._counts(facts.classes, share=1.0)
    labels = np.repeat(np.arange(len(images)), images)
    split = simulated._proposed_split(facts, labels, images, test_seen)
    is_apascal = (facts.classes["ss"] == "train").to_numpy()[labels]
    drawn = simulated.draw_photographs(labels, is_apascal, split, np.random.default_rng(0))
    return labels, is_apascal, split, drawn


def test_the_full_size_has_as_many_photographs_on_both_sides_as_apy(full):
    labels, is_apascal, split, photograph = full
    assert len(labels) == 15339
    assert photograph.max() + 1 == len(set(photograph)) == pytest.approx(6577, abs=2)
    assert shared_rows(photograph, split) == pytest.approx([817, 2885], abs=3)
    assert not set(photograph[is_apascal]) & set(photograph[~is_apascal])


def test_most_boxes_of_a_photograph_are_of_one_class(full):
    labels, _, split, photograph = full
    boxes = list(zip(photograph.tolist(), labels.tolist(), strict=True))
    trained = {boxes[i] for i in split.trainval}
    seen = [boxes[i] for i in split.test_seen]
    # The real data have 676 such boxes of 817.
    assert sum(pair in trained for pair in seen) > 0.7 * 817


def test_the_demo_size_keeps_the_shares(demo):
    split = demo.split("PS")
    _, photograph = np.unique(demo.image_files, return_inverse=True)
    seen, unseen = shared_rows(photograph, split)
    assert seen / len(split.test_seen) == pytest.approx(817 / 1483, abs=0.03)
    assert unseen / len(split.test_unseen) == pytest.approx(2885 / 7924, abs=0.03)
    assert len(set(photograph)) / len(photograph) == pytest.approx(6577 / 15339, abs=0.02)
    assert demo.image_files[0] == "000000.jpg"
    # The standard split separates aPascal from aYahoo, which have no photograph in common.
    assert shared_rows(photograph, demo.split("SS"))[1] == 0


def test_boxes_of_one_photograph_and_class_are_more_similar(demo):
    deviation = (
        demo.features
        - np.array([demo.features[demo.labels == c].mean(axis=0) for c in range(demo.n_classes)])[
            demo.labels
        ]
    )
    unit = deviation / np.linalg.norm(deviation, axis=1, keepdims=True)
    files, y = np.array(demo.image_files), demo.labels
    pairs = [(i, i + 1) for i in range(len(y) - 1) if y[i] == y[i + 1]]
    order = np.lexsort((files, y))
    same = [unit[i] @ unit[j] for i, j in pairwise(order) if y[i] == y[j] and files[i] == files[j]]
    different = [unit[i] @ unit[j] for i, j in pairs if files[i] != files[j]]
    assert len(same) > 300
    assert np.mean(same) > np.mean(different) + 0.15


def test_boxes_of_training_photographs_are_predicted_better(demo):
    """The same test boxes are predicted by models trained with and without these photographs."""
    accuracy = []
    for data in (demo, simulate("simulated-aPY-unplanted")):
        split, files = data.split("PS"), np.array(data.image_files)
        shares = np.isin(files[split.test_seen], files[split.trainval])
        fitted = fit_and_score(get_method("SAE")(), data, split)
        tested = fitted.seen[fitted.y]
        right = fitted.F[tested][:, fitted.seen].argmax(axis=1)
        hit = np.flatnonzero(fitted.seen)[right] == fitted.y[tested]
        accuracy.append(hit[shares].mean() - hit[~shares].mean())
    assert accuracy[0] > accuracy[1] + 0.04


def test_only_apy_is_cut_from_photographs():
    assert simulate("simulated-AWA1").image_files == ()


def test_the_numbers_are_those_of_the_release(shared):
    folder = shared / "data" / "xlsa17" / "APY"
    column = lambda file, name: loadmat(folder / file)[name].ravel()  # noqa: E731
    files = np.array([str(name[0]) for name in column("image_files.mat", "image_files")])
    y = column("labels.mat", "labels").astype(int) - 1
    rows = {
        part: np.isin(np.arange(len(y)), column("att_splits.mat", f"{part}_loc").astype(int) - 1)
        for part in ("trainval", "test_seen", "test_unseen")
    }
    boxes = list(zip(files, y, strict=True))
    trained = {files[i] for i in np.flatnonzero(rows["trainval"])}
    own = {boxes[i] for i in np.flatnonzero(rows["trainval"])}
    shared_ = np.array([name in trained for name in files])
    same = np.array([box in own for box in boxes])
    for facts, inside in zip(simulated._SOURCES.values(), (y < 20, y >= 20), strict=True):
        train, seen, unseen = (inside & rows[part] for part in rows)
        unshared = inside & ~rows["trainval"] & ~shared_
        assert facts.trainval == (train.sum(), len(set(files[train])))
        assert facts.shared_seen == (seen.sum(), (seen & shared_).sum(), (seen & same).sum())
        assert facts.shared_unseen == (unseen.sum(), (unseen & shared_).sum())
        assert facts.unshared == (unshared.sum(), len(set(files[unshared])))
