"""One method on the nine ImageNet test sets: the metrics equal those of dense scores."""

from dataclasses import replace

import numpy as np
import pytest

from tests.worlds import imagenet_world, linear_world
from zslcore.analysis.large_scale import LargeScaleStudy, measure, printed_accuracies
from zslcore.datasets import ZSLDataset, import_dataset
from zslcore.datasets.facts import published_table
from zslcore.datasets.imagenet import SETS, imagenet
from zslcore.evaluation.protocol import fit_and_score, select
from zslcore.exceptions import DatasetError
from zslcore.large.shards import write_shards
from zslcore.methods import get_method
from zslcore.metrics import seen_unseen_curve, top_k_accuracy

WORLD, FACTS = imagenet_world(), imagenet()


@pytest.fixture(scope="module")
def evaluated():
    return measure("ESZSL", WORLD)


@pytest.fixture(scope="module")
def dense(evaluated):
    """Scores of all test images for all classes, as in the protocol."""
    scored = fit_and_score(get_method("ESZSL")(**evaluated.params), WORLD, WORLD.split())
    return scored.F, scored.classes[scored.y]


def members(evaluated, name):
    return np.flatnonzero(evaluated.counts.in_set[evaluated.counts.names.index(name)])


def test_parameters_are_chosen_on_the_fold_and_for_zsl(evaluated):
    chosen = select(get_method("ESZSL")(), WORLD, WORLD.split(), task="zsl")
    assert evaluated.params == dict(chosen.params)
    assert evaluated.validated


def test_test_sets_are_the_released_sets_without_classes_that_lack_an_id(evaluated):
    assert evaluated.counts.names == SETS
    assert evaluated.rows_in_facts[-2:].tolist() == [-1, -1]
    for name in SETS:
        inside = members(evaluated, name)
        assert FACTS.sets[name][evaluated.rows_in_facts[inside]].all()
    unseen = WORLD.split().unseen_classes
    assert members(evaluated, "All").tolist() == [
        c for c in unseen if evaluated.rows_in_facts[c] >= 0
    ]


@pytest.mark.parametrize("task", ["zsl", "gzsl"])
def test_accuracies_are_those_of_the_dense_scores(evaluated, dense, task):
    F, y = dense
    table = evaluated.table().set_index(["set", "task", "k"])
    for name in SETS:
        candidates = members(evaluated, name)
        rows = np.isin(y, candidates)
        if task == "gzsl":
            candidates = np.union1d(candidates, WORLD.split().seen_classes)
        place = np.searchsorted(candidates, y[rows])
        assert table.loc[(name, task, 1), "candidates"] == len(candidates)
        for k in (1, 5):
            expected = top_k_accuracy(F[rows][:, candidates], place, k)
            assert table.loc[(name, task, k), "per_class"] == pytest.approx(expected)


def test_the_curve_is_that_of_the_dense_scores(evaluated, dense):
    F, y = dense
    classes = np.union1d(members(evaluated, "All"), WORLD.split().seen_classes)
    rows = np.isin(y, classes)
    seen = np.isin(classes, WORLD.split().seen_classes)
    expected = seen_unseen_curve(
        F[rows][:, classes].astype(np.float32), np.searchsorted(classes, y[rows]), seen
    )
    assert evaluated.counts.curve("All").ausuc == pytest.approx(expected.ausuc, abs=1e-6)


def test_features_in_shards_give_the_same_metrics(evaluated, tmp_path):
    shards = write_shards(tmp_path / "shards", [(WORLD.features, WORLD.labels)], part_bytes=9_000)
    assert len(shards.parts()) > 3
    fields = ("name", "labels", "prototypes", "class_names", "splits")
    arguments = {name: getattr(WORLD, name) for name in fields}
    mapped = ZSLDataset(features=shards, known_digest=shards.digest, **arguments)
    again = measure("ESZSL", mapped)
    assert again.params == evaluated.params
    np.testing.assert_array_equal(again.counts.hits, evaluated.counts.hits)


def test_a_study_stores_its_rows_and_refuses_other_data(own_data, evaluated):
    study = LargeScaleStudy(import_dataset(WORLD).name, WORLD.digest, "ESZSL")
    assert (study.complete(), study.complete()) == (1, 0)
    assert study.stored() == evaluated.rows()
    with pytest.raises(DatasetError, match="expected data other"):
        replace(study, digest="other").complete()


def test_data_without_ids_are_refused_in_a_sentence():
    world = linear_world()
    with pytest.raises(DatasetError, match="such as n01440764; none of the 4"):
        measure("ESZSL", world)


def test_table_5_equals_the_printed_table():
    table = printed_accuracies()
    assert list(table.columns) == list(SETS)
    cells = published_table("imagenet_zsl_top1")
    assert table.loc["CONSE", "2H"] == pytest.approx(0.0763)
    assert table.notna().sum().sum() == cells["top1_per_class"].notna().sum()
