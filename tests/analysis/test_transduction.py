"""Transductive methods next to their inductive forms."""

from dataclasses import replace

import numpy as np
import pytest

from tests.worlds import linear_world
from zslcore import datasets
from zslcore.analysis.transduction import compare_with_inductive
from zslcore.evaluation import protocol
from zslcore.evaluation.protocol import Setting
from zslcore.exceptions import DatasetError
from zslcore.methods import ESZSL, GFZSL, TRANSDUCTIVE, GFZSLTran, Propagation
from zslcore.metrics import mean_class_accuracy

WORLD = linear_world(noise=0.2)
WORLD = replace(WORLD, features=WORLD.features - WORLD.features.min(axis=0))  # DSRL needs X >= 0
SPLIT = WORLD.splits["PS"]


@pytest.fixture(scope="module")
def chosen():
    return compare_with_inductive(Propagation("ESZSL"), Setting(WORLD, SPLIT, seed=3))


def test_inductive_side_equals_the_protocol(chosen):
    for task in ("zsl", "gzsl"):
        selection = protocol.select(ESZSL(), WORLD, SPLIT, task=task, seed=3)
        assert chosen.inductive.params[task] == ESZSL(**selection.params).get_params()
    scores = protocol.fit_and_score(ESZSL(**selection.params), WORLD, SPLIT, seed=3)
    expected = protocol.evaluate(scores, selection.gamma)
    row = chosen.inductive.row()
    assert row["calibrated_harmonic"] == expected.calibrated.harmonic
    assert row["plain_unseen"] == expected.plain.unseen
    assert row["ausuc"] == expected.ausuc


def test_the_transductive_method_extends_the_chosen_inductive_fit(chosen):
    for task in ("zsl", "gzsl"):
        params = chosen.transductive.params[task]
        assert params["base_params"] == chosen.inductive.params[task]
        assert params["k"] in Propagation.param_grid["k"]


def test_without_unlabelled_images_the_method_is_inductive():
    result = compare_with_inductive(
        Propagation("ESZSL", alpha=0), Setting(WORLD, SPLIT), choose=False
    )
    table = result.table()
    metrics = ["zsl", "plain_unseen", "plain_seen", "calibrated_harmonic", "ausuc", "gamma"]
    np.testing.assert_allclose(table[metrics].iloc[0], table[metrics].iloc[1], rtol=1e-6)


@pytest.mark.parametrize("method", TRANSDUCTIVE.values(), ids=TRANSDUCTIVE.keys())
def test_every_transductive_method_is_compared_with_its_default_parameters(method):
    result = compare_with_inductive(method(), Setting(WORLD, SPLIT), choose=False)
    assert result.transductive.origin == "given"
    assert result.transductive.params["zsl"].keys() == method().get_params().keys()
    assert (result.inductive is None) == (method.card.name == "DSRL")
    assert len(result.table()) == len(result.contenders)


def test_test_labels_are_never_used(chosen):
    labels = WORLD.labels.copy()
    unseen = SPLIT.test_unseen
    labels[unseen] = np.random.default_rng(0).permutation(labels[unseen])
    other = compare_with_inductive(
        Propagation("ESZSL"), Setting(replace(WORLD, labels=labels), SPLIT, seed=3)
    )
    assert other.transductive.params == chosen.transductive.params
    np.testing.assert_array_equal(other.transductive.gzsl.F, chosen.transductive.gzsl.F)


def test_gzsl_needs_seen_test_images():
    split = replace(SPLIT, test_seen=SPLIT.test_seen[:0])
    result = compare_with_inductive(GFZSLTran(), Setting(WORLD, split), choose=False)
    assert result.transductive.gzsl is None
    assert "ausuc" not in result.table()


def test_choices_need_folds():
    with pytest.raises(DatasetError, match="no folds"):
        compare_with_inductive(GFZSLTran(), Setting(WORLD, replace(SPLIT, folds=())))


def test_progress_names_the_choice():
    events = []
    compare_with_inductive(
        GFZSLTran(), Setting(WORLD, SPLIT, progress=lambda *event: events.append(event))
    )
    assert {task for *_, task in events} == {
        f"{name}, {kind}, parameters for {task}"
        for name, kind in (("GFZSL", "inductive"), ("GFZSL-tran", "transductive"))
        for task in ("ZSL", "GZSL")
    }


@pytest.mark.parametrize(
    ("method", "least_gain"),
    [(GFZSLTran(lam_mean=0.01), 0.05), (Propagation("ESZSL"), 0.01)],
    ids=["GFZSL", "ESZSL"],
)
def test_unlabelled_images_help_on_awa2_like_data(method, least_gain):
    data = datasets.load("simulated-AWA2")
    setting = Setting(data, data.split("PS"))
    (with_them, y), (without, _) = (
        scores.unseen_part
        for scores in (setting.transduce(method), setting.transduce(method.inductive()))
    )
    gain = np.subtract(*(mean_class_accuracy(y, F.argmax(axis=1)) for F in (with_them, without)))
    assert gain > least_gain


def test_the_inductive_base_is_gfzsl_with_the_same_parameters():
    model = GFZSLTran(lam_mean=0.5, lam_variance=10.0, kernel="linear", floor=1e-3)
    assert model.inductive().get_params() == GFZSL(0.5, 10.0, "linear", 1e-3).get_params()
    grown = model.with_inductive({"lam_mean": 2.0, "kernel": "quadratic"})
    assert (grown.lam_mean, grown.kernel, grown.floor) == (2.0, "quadratic", 1e-3)
