"""Simulated ImageNet-21K: real classes, simulated numbers, two planted effects."""

from itertools import product

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from zslcore.datasets import available, load
from zslcore.datasets.facts import published_table
from zslcore.datasets.imagenet import (
    BLOCK,
    SETS,
    SIMULATED_IMAGENET,
    imagenet,
    imagenet_plan,
    imagenet_rows,
    planted_imagenet,
    populations,
    simulate_imagenet,
    simulated_blocks,
)
from zslcore.exceptions import DatasetError, UnknownNameError
from zslcore.large.sources import blocks_of

FACTS = imagenet()
SMALL = "simulated-ImageNet-small"


@pytest.fixture(scope="module")
def small():
    """The small simulated data set, which loads in half a second."""
    return load("simulated-ImageNet-small")


def test_the_small_simulated_imagenet_has_every_class_and_the_released_fold(small):
    split = small.split()
    assert (split.name, small.simulated) == ("21K", True)
    assert small.name in SIMULATED_IMAGENET
    assert small.name not in available()
    assert (len(split.seen_classes), len(split.unseen_classes)) == (1000, 20_345)
    fold = split.folds[0]
    assert len(np.unique(small.labels[fold.train])) == 750
    assert len(np.unique(small.labels[fold.val])) == 250
    rows = imagenet_rows(small.class_names)
    assert (rows >= 0).all()
    assert FACTS.seen[rows[split.seen_classes]].all()
    assert FACTS.sets["All"][rows[split.unseen_classes]].all()
    validates = FACTS.validation[rows[small.labels[fold.val]]]
    assert validates.all()


def test_every_row_is_in_exactly_one_part(small):
    split = small.split()
    parts = np.concatenate([split.trainval, split.test_seen, split.test_unseen])
    np.testing.assert_array_equal(np.sort(parts), np.arange(len(small.labels)))
    plan = imagenet_plan(SMALL)
    np.testing.assert_array_equal(np.bincount(small.labels), plan.images)
    n_held_out = np.bincount(small.labels[split.test_seen], minlength=len(plan.held_out))
    np.testing.assert_array_equal(n_held_out, plan.held_out)


def test_populations_and_lists_have_the_printed_properties():
    n = populations()
    printed = published_table("imagenet_splits").set_index("split")["images_per_class_mean"]
    for name in SETS[2:]:
        assert n[FACTS.sets[name]].mean() == pytest.approx(printed[name], rel=0.002), name
    unseen = FACTS.sets["All"]
    for most, least in (("M500", "L500"), ("M1K", "L1K"), ("M5K", "L5K")):
        assert n[FACTS.sets[most]].min() >= n[unseen & ~FACTS.sets[most]].max()
        assert n[FACTS.sets[least]].max() <= n[unseen & ~FACTS.sets[least]].min()
    assert n[unseen].min() == 1
    assert (n[FACTS.seen].sum(), n[FACTS.seen].max()) == (1_281_167, 1300)


def test_the_full_simulated_imagenet_has_its_published_counts_and_is_refused_in_memory():
    plan = imagenet_plan("simulated-ImageNet-full")
    assert plan.trained.sum() == 1_281_167
    assert plan.held_out.sum() == 50_000
    assert 14_100_000 < plan.images.sum() < 14_200_000
    assert (plan.features, plan.attributes) == (2048, 500)
    with pytest.raises(DatasetError, match=r"116 GB; .* shards write simulated-ImageNet-full"):
        simulate_imagenet("simulated-ImageNet-full")


def test_blocks_are_the_same_with_any_number_of_threads(small):
    for threads in (1, 2):
        with threadpool_limits(threads):
            X, y = next(simulated_blocks(imagenet_plan(SMALL)))
        np.testing.assert_array_equal(X, small.features[:BLOCK])
        np.testing.assert_array_equal(y, small.labels[:BLOCK])


def test_related_classes_have_related_prototypes(small):
    S = small.prototypes / np.linalg.norm(small.prototypes, axis=1, keepdims=True)
    names = [name.split(" ", 1)[1] for name in small.class_names]
    tench, goldfish, trombone = (S[names.index(n)] for n in ("tench", "goldfish", "trombone"))
    assert tench @ goldfish > 0.4
    assert abs(tench @ trombone) < 0.3


def test_misspelt_names_of_simulated_imagenet_get_the_nearest_name():
    with pytest.raises(UnknownNameError, match="simulated-ImageNet-small"):
        load("simulated-ImageNet-smal")
    with pytest.raises(UnknownNameError, match="small"):
        imagenet_plan("simulated-ImageNet-smal")


def test_existing_shards_are_used_and_other_features_refused(small):
    half_precision = np.float16(small.features)
    other = simulate_imagenet(small.name, half_precision, digest="of shards")
    assert other.features is half_precision
    assert other.digest == "of shards"
    np.testing.assert_array_equal(other.labels, small.labels)
    np.testing.assert_array_equal(other.prototypes, small.prototypes)
    with pytest.raises(DatasetError, match=r"shape \(48703, 256\); got \(48703, 255\)"):
        simulate_imagenet(small.name, half_precision[:, 1:])
    with pytest.raises(DatasetError, match="shards write simulated-ImageNet-small-unplanted"):
        simulate_imagenet(f"{small.name}-unplanted", half_precision)


def test_shards_are_written_block_by_block(small):
    X, _ = next(blocks_of("simulated-ImageNet-full"))
    assert X.shape == (BLOCK, 2048)
    X, _ = next(blocks_of(small.name))
    np.testing.assert_array_equal(X, small.features[:BLOCK])


@pytest.mark.nightly
def test_each_effect_is_planted_alone_and_classes_and_prototypes_are_the_same(small):
    result = {name: load(name) for name in SIMULATED_IMAGENET if "full" not in name}
    assert {planted_imagenet(name) for name in result} == {*product((True, False), repeat=2)}
    assert len({data.digest for data in result.values()}) == len(result) == 4
    for data in result.values():
        np.testing.assert_array_equal(data.prototypes, small.prototypes)
        np.testing.assert_array_equal(data.labels, small.labels)
    assert planted_imagenet("digits") is None


def test_rho_falls_and_omega_grows_with_rarity_except_for_training_classes():
    plan, n = imagenet_plan(SMALL), populations()[imagenet_plan(SMALL).rows]
    rho, omega = plan.rho_and_omega()
    rare, many = ~plan.seen & (n == 1), ~plan.seen & (n >= 1756)
    assert (rho[rare], omega[rare]) == (pytest.approx(0.1), pytest.approx(1.5))
    assert (rho[many], omega[many]) == (pytest.approx(0.45), pytest.approx(1.1))
    order = np.argsort(n[~plan.seen], kind="stable")
    assert (np.diff(rho[~plan.seen][order]) >= 0).all()
    assert (np.diff(omega[~plan.seen][order]) <= 0).all()
    assert (rho[plan.seen] == 0.9).all()
    assert (omega[plan.seen] == 0.6).all()
    rho, omega = imagenet_plan(f"{SMALL}-unplanted").rho_and_omega()
    assert len(np.unique(rho)) == len(np.unique(omega)) == 1
