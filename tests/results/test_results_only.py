"""Data sets with only precomputed results: their facts, refusals and replacement by an import."""

import numpy as np
import pytest

from zslcore.datasets import read_xlsa17
from zslcore.datasets.facts import benchmark_of
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import DatasetError, UnknownNameError
from zslcore.leakage.published import known_splits
from zslcore.results.shipped import (
    load_results_only,
    plain_spec,
    precomputed_digests,
    shipped_result,
    shipped_results,
)

NAMES = sorted(precomputed_digests())


def test_data_sets_with_precomputed_predictions_are_listed():
    assert {"AWA1-lss", "CUB-vgg_fc7"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_splits_equal_the_published_splits(name):
    """The test rows determine a split; its digest equals the published one."""
    precomputed = load_results_only(name)
    published = [s for s in known_splits() if s.dataset == benchmark_of(precomputed)]
    for split in precomputed.splits.values():
        assert any(
            split.digests.items() <= published_split.parts.items() for published_split in published
        ), split.name
        assert len(split.folds) == 3


def test_a_precomputed_data_set_equals_the_data_of_its_results(shared):
    """The other data sets are slow to read."""
    name, folder = "AWA1-phog", shared / "data" / "xlsa17" / "AWA1"
    data = read_xlsa17(folder, features="phog.mat", name=name)
    precomputed = load_results_only(name)
    assert precomputed.digest == data.digest
    assert np.array_equal(precomputed.labels, data.labels)
    assert precomputed.class_names == data.class_names
    for split in precomputed.splits.values():
        other = data.split(split.name)
        for mine, theirs in zip(split.folds, other.folds, strict=True):
            assert np.array_equal(np.sort(mine.val), np.sort(theirs.val))


@pytest.mark.parametrize("ask", [lambda f: f.shape, lambda f: f[:3], np.asarray])
def test_missing_features_are_refused_in_one_sentence(ask):
    precomputed = load_results_only("CUB-vgg_fc7")
    assert len(precomputed.features) == len(precomputed.labels) == 11_788
    with pytest.raises(DatasetError, match="only precomputed results.*zslcore import"):
        ask(precomputed.features)


def test_an_unknown_name_gets_the_nearest():
    with pytest.raises(UnknownNameError, match="CUB-vgg_fc7"):
        load_results_only("CUB-vgg-fc7")


def test_default_variants_have_the_key_of_the_plain_run():
    (key,) = (
        r.key
        for r in shipped_results()
        if r.spec.dataset == "CUB-vgg_fc7"
        and (r.spec.method, r.spec.split, r.spec.select_for) == ("ALE", "PS", "gzsl")
        and not r.spec.params
    )
    digest = load_results_only("CUB-vgg_fc7").digest
    spec = RunSpec(
        "CUB-vgg_fc7", "PS", "ALE", params={"alpha": "1/i", "rank": "exact"}, digest=digest
    )
    assert spec.key != key
    assert plain_spec(spec).key == key
    assert shipped_result(key) is not None
