"""One method on the nine ImageNet test sets: figures are those of the dense scores."""

from dataclasses import replace

import numpy as np
import pytest

from tests.worlds import imagenet_world, linear_world
from zslcore.analysis.large_scale import (
    FAR,
    Answers,
    LargeScaleStudy,
    hierarchical_precision,
    measure,
    nearest_answers,
    printed,
)
from zslcore.datasets import ZSLDataset
from zslcore.datasets.facts import published
from zslcore.datasets.imagenet import SETS, imagenet
from zslcore.evaluation.protocol import fit_and_score, select
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.large.engine import Engine
from zslcore.large.shards import write_shards
from zslcore.methods import get_method
from zslcore.methods.base import ZSLEstimator
from zslcore.metrics import seen_unseen_curve, top_k_accuracy

WORLD, FACTS = imagenet_world(), imagenet()


@pytest.fixture(scope="module")
def found():
    return measure(LargeScaleStudy("ids", WORLD.digest, "ESZSL"), WORLD)


@pytest.fixture(scope="module")
def dense(found):
    """Scores of all test images among all classes, as the protocol makes them."""
    scored = fit_and_score(get_method("ESZSL")(**found.params), WORLD, WORLD.split())
    return scored.F, scored.classes[scored.y]


def members(found, name):
    return np.flatnonzero(found.counts.in_set[found.counts.names.index(name)])


def test_parameters_are_chosen_on_the_fold_and_for_zsl(found):
    chosen = select(get_method("ESZSL")(), WORLD, WORLD.split(), task="zsl")
    assert found.params == dict(chosen.params)
    assert found.validated


def test_sets_are_the_released_ones_and_classes_without_an_id_are_in_none(found):
    assert found.counts.names == SETS
    assert found.rows[-2:].tolist() == [-1, -1]
    for name in SETS:
        inside = members(found, name)
        assert FACTS.sets[name][found.rows[inside]].all()
    unseen = WORLD.split().unseen_classes
    assert members(found, "All").tolist() == [c for c in unseen if found.rows[c] >= 0]


@pytest.mark.parametrize("task", ["zsl", "gzsl"])
def test_accuracies_are_those_of_the_dense_scores(found, dense, task):
    F, y = dense
    table = found.table().set_index(["set", "task", "k"])
    for name in SETS:
        candidates = members(found, name)
        rows = np.isin(y, candidates)
        if task == "gzsl":
            candidates = np.union1d(candidates, WORLD.split().seen_classes)
        place = np.searchsorted(candidates, y[rows])
        assert table.loc[(name, task, 1), "candidates"] == len(candidates)
        for k in (1, 5):
            expected = top_k_accuracy(F[rows][:, candidates], place, k)
            assert table.loc[(name, task, k), "per_class"] == pytest.approx(expected)


def test_the_curve_is_that_of_the_dense_scores(found, dense):
    F, y = dense
    classes = np.union1d(members(found, "All"), WORLD.split().seen_classes)
    rows = np.isin(y, classes)
    seen = np.isin(classes, WORLD.split().seen_classes)
    expected = seen_unseen_curve(
        F[rows][:, classes].astype(np.float32), np.searchsorted(classes, y[rows]), seen
    )
    assert found.counts.curve("All").ausuc == pytest.approx(expected.ausuc, abs=1e-6)


def test_features_in_shards_give_the_same_figures(found, tmp_path):
    shards = write_shards(tmp_path / "shards", [(WORLD.features, WORLD.labels)], part_bytes=9_000)
    assert len(shards.parts()) > 3
    fields = ("name", "labels", "prototypes", "class_names", "splits")
    given = {name: getattr(WORLD, name) for name in fields}
    mapped = ZSLDataset(features=shards, known_digest=shards.digest, **given)
    again = measure(
        LargeScaleStudy("ids", shards.digest, "ESZSL"), mapped, engine=Engine(workers=1)
    )
    assert again.params == found.params
    np.testing.assert_array_equal(again.counts.hits, found.counts.hits)


def test_groups_share_out_all_classes_and_average_to_the_whole(found):
    whole = found.counts.accuracy("All", 5)
    for table in (
        found.by_steps(5),
        found.by_population(5),
        found.by_population(5, simulated=True),
    ):
        assert table["classes"].sum() == len(members(found, "All"))
        assert np.average(table["accuracy"], weights=table["classes"]) == pytest.approx(whole)
        assert (table["chance"] == 5 / len(members(found, "All"))).all()
    steps = found.by_steps(1).set_index("steps")["classes"]
    expected = np.bincount(np.minimum(FACTS.steps[found.rows[members(found, "All")]], FAR))
    assert steps.to_dict() == {k: n for k, n in enumerate(expected) if n}


# --- Along the hierarchy --------------------------------------------------------------------------


def test_answers_are_the_best_of_the_dense_scores(found, dense):
    F, y = dense
    candidates = members(found, "All")
    which = np.arange(3, 9)
    first = [np.flatnonzero(y == c)[0] for c in found.answers.classes[which]]
    best = found.answers.best(which, candidates, 4)
    expected = candidates[np.argsort(-F[first][:, candidates], axis=1)[:, :4]]
    np.testing.assert_array_equal(best, expected)
    everything = found.answers.best(which, candidates, 10_000)
    assert everything.shape == (6, len(candidates))
    np.testing.assert_array_equal(everything[:, :4], expected)


def test_hierarchical_precision_at_1_is_plain_accuracy_and_follows_its_formula(found):
    table = hierarchical_precision(found).set_index(["set", "k"])
    assert (table["hp"] == table["flat"]).xs(1, level="k").all()
    table = table["hp"]
    for name in ("2H", "All"):
        candidates = members(found, name)
        which = np.flatnonzero(np.isin(found.answers.classes, candidates))
        best = found.answers.best(which, candidates, 5)
        truth = found.answers.classes[which]
        assert table[name, 1] == pytest.approx((best[:, 0] == truth).mean())
        hits = []
        for true, answered in zip(truth, best, strict=True):
            steps = {c: FACTS.meeting(found.rows[true], found.rows[c])[1] for c in candidates}
            limit = sorted(steps.values())[4]
            hits.append(np.mean([steps[c] <= limit for c in answered]))
        assert table[name, 5] == pytest.approx(np.mean(hits))


def test_answers_of_a_class_stand_with_their_way_through_the_tree(found):
    row = int(found.rows[members(found, "2H")[0]])
    table = nearest_answers(found, row, 6)
    assert table["rank"].tolist() == [1, 2, 3, 4, 5, 6]
    assert not table["seen"].any()
    for answer in table.itertuples():
        other = FACTS.row[answer.synset]
        common, steps = FACTS.meeting(row, other)
        assert (answer.steps, answer.common) == (steps, FACTS.names[common])
        assert answer.steps == 0 or other != row
    assert nearest_answers(found, row, 40, task="gzsl")["seen"].any()
    assert nearest_answers(found, FACTS.row["n00001740"]).empty


def test_meeting_of_a_goldfish_and_a_tench_is_what_they_are_kinds_of():
    tench, goldfish = (FACTS.row[i] for i in ("n01440764", "n01443537"))
    common, steps = FACTS.meeting(tench, goldfish)
    assert (FACTS.names[common], steps) == ("cyprinid", 2)
    assert FACTS.meeting(tench, common) == (common, 1)
    assert FACTS.meeting(tench, tench) == (tench, 0)


# --- What cannot be told --------------------------------------------------------------------------


def test_data_without_ids_are_refused_in_a_sentence():
    world = linear_world()
    with pytest.raises(DatasetError, match="such as n01440764; none of the 4"):
        measure(LargeScaleStudy(world.name, world.digest, "ESZSL"), world)


def test_a_method_without_inner_products_has_figures_and_no_single_answers(found, monkeypatch):
    monkeypatch.setattr(get_method("ESZSL"), "score_map", ZSLEstimator.score_map)
    other = measure(LargeScaleStudy("ids", WORLD.digest, "ESZSL"), WORLD)
    assert other.answers is None
    np.testing.assert_array_equal(other.counts.hits, found.counts.hits)
    for ask in (hierarchical_precision, lambda result: nearest_answers(result, 0)):
        with pytest.raises(ParameterError, match="no single answers"):
            ask(other)


def test_answers_of_several_maps_take_the_best_map():
    rng = np.random.default_rng(0)
    E, codes = rng.normal(size=(2, 3, 4)), rng.normal(size=(5, 4))
    several = Answers(np.array([0, 1]), E, codes, np.zeros(1))
    np.testing.assert_allclose(several.scores(np.arange(2)), (E @ codes.T).max(axis=1))
    one = replace(several, embedded=E[:, 0])
    np.testing.assert_allclose(one.scores(np.array([1])), E[1:, 0] @ codes.T)


def test_table_5_is_there_as_printed():
    table = printed()
    assert list(table.columns) == list(SETS)
    cells = published("imagenet_zsl_top1")
    assert table.loc["CONSE", "2H"] == pytest.approx(0.0763)
    assert table.notna().sum().sum() == cells["top1_per_class"].notna().sum()
