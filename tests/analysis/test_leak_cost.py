"""Cost of leaks: each side equals the protocol on the rows with or without the leak."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.io import loadmat

from tests.worlds import linear_world
from zslcore.analysis import leak_cost
from zslcore.analysis.resampling import RESAMPLED_METRICS
from zslcore.datasets import Fold, Split
from zslcore.evaluation import protocol
from zslcore.evaluation.protocol import Setting
from zslcore.exceptions import DatasetError, ParameterError, ZSLError
from zslcore.methods import ALE, ESZSL, LinearV2S

WORLD = linear_world(n_features=60, noise=1.5, seed=3)
SPLIT = WORLD.splits["PS"]
SETTING = Setting(WORLD, SPLIT)


def with_photographs(world, effect, boxes=3, seed=9):
    """Let ``boxes`` rows of a class share a photograph, which shifts their features in common."""
    rng = np.random.default_rng(seed)
    photograph = np.empty(len(world.labels), dtype=np.intp)
    for c in range(world.n_classes):
        rows = rng.permutation(np.flatnonzero(world.labels == c))
        photograph[rows] = 100 * c + np.arange(len(rows)) // boxes
    shared = rng.normal(size=(photograph.max() + 1, world.features.shape[1]))
    features = (world.features + effect * shared[photograph]).astype(np.float32)
    names = [f"{number:05}.jpg" for number in photograph]
    return replace(world, features=features, image_files=names, known_digest="")


@pytest.fixture(scope="module")
def measured():
    costs = leak_cost.costs(LinearV2S(), SETTING)
    return {cost.leak: cost for cost in costs}


# --- The first version of the split ---------------------------------------------------------------


@pytest.mark.parametrize("name", ["AWA1", "AWA2", "CUB", "SUN", "APY"])
def test_folds_of_the_first_release_are_those_of_its_file(shared, name):
    folder = shared / "data" / "xlsa17" / name
    file = {"CUB": "vgg_fc7.mat", "AWA1": "lss.mat"}.get(name, "labels.mat")
    labels = loadmat(folder / file, variable_names=["labels"])["labels"].ravel().astype(int) - 1
    first = folder / "att_splits_v1.mat"
    v1 = loadmat(first if first.exists() else folder / "first_release" / first.name)
    rows = {key: np.sort(v1[key].ravel().astype(int) - 1) for key in v1 if key.endswith("_loc")}
    val_classes = np.unique(labels[rows["val_loc"]])
    in_val = np.isin(labels[rows["trainval_loc"]], val_classes)
    clean = Split.from_rows(
        "PS",
        labels,
        trainval=rows["trainval_loc"],
        test_seen=rows["test_seen_loc"],
        test_unseen=rows["test_unseen_loc"],
        folds=[Fold(rows["trainval_loc"][~in_val], rows["trainval_loc"][in_val])],
    )
    (fold,) = leak_cost.first_release_folds(labels, clean)
    np.testing.assert_array_equal(fold.train, rows["train_loc"])
    np.testing.assert_array_equal(fold.val, rows["val_loc"])


# --- With and without a leak ----------------------------------------------------------------------


def same(arm, scores):
    np.testing.assert_allclose(arm.scores.F, scores.F, rtol=1e-6)
    np.testing.assert_array_equal(arm.scores.y, scores.y)


def test_training_on_test_images_is_the_only_change(measured):
    cost = measured["training"]
    chosen = protocol.select(LinearV2S(), WORLD, SPLIT)
    assert cost.clean.params == cost.leaky.params == LinearV2S(**chosen.params).get_params()
    assert cost.clean.gamma == cost.leaky.gamma == chosen.gamma
    same(cost.clean, protocol.fit_and_score(LinearV2S(**chosen.params), WORLD, SPLIT))
    leaking = replace(SPLIT, trainval=np.union1d(SPLIT.trainval, SPLIT.test_seen))
    same(cost.leaky, protocol.fit_and_score(LinearV2S(**chosen.params), WORLD, leaking))
    assert cost.leaky.rows == cost.clean.rows + len(SPLIT.test_seen)


def test_training_on_test_images_improves_their_accuracy(measured):
    rows = {row["metric"]: row for row in measured["training"].rows()}
    assert list(rows) == list(RESAMPLED_METRICS)
    assert rows["seen"]["difference"] > 0.05
    assert rows["ausuc"]["difference"] > 0.03
    for row in rows.values():
        assert row["difference"] == pytest.approx(row["leaky"] - row["clean"])
        assert row["low"] <= row["difference"] <= row["high"]


def test_choosing_on_leaking_folds_trains_on_the_clean_rows(measured):
    cost = measured["selection"]
    folds = leak_cost.first_release_folds(WORLD.labels, SPLIT)
    chosen = protocol.select(LinearV2S(), WORLD, replace(SPLIT, folds=folds))
    assert cost.leaky.params == LinearV2S(**chosen.params).get_params()
    assert cost.leaky.gamma == chosen.gamma
    assert cost.leaky.rows == cost.clean.rows == len(SPLIT.trainval)
    assert cost.clean is measured["training"].clean


def test_given_parameters_are_not_changed():
    (cost,) = leak_cost.costs(LinearV2S(lam=0.3), SETTING, ["training"], choose=False)
    assert cost.origin == "given"
    assert cost.leaky.params["lam"] == cost.clean.params["lam"] == 0.3
    assert cost.clean.gamma is not None


def test_without_folds_no_gamma_is_chosen():
    bare = replace(SPLIT, folds=())
    assert leak_cost.possible_leaks(WORLD, bare) == ("training",)
    (cost,) = leak_cost.costs(LinearV2S(), Setting(WORLD, bare), choose=False)
    assert cost.clean.gamma is None
    assert "calibrated_harmonic" not in {row["metric"] for row in cost.rows()}


# --- Photographs ----------------------------------------------------------------------------------


def test_both_sides_train_on_equally_many_images_and_one_shares_no_photograph():
    world = with_photographs(WORLD, 1.0)
    work = leak_cost._LeakMeasurement(LinearV2S(), protocol.Setting(world, SPLIT), False)
    trained = []
    work._arm = lambda split, params, gamma: trained.append(split.trainval)
    work.photographs()
    files = np.array(world.image_files)
    in_test = set(files[SPLIT.test_seen])
    clean, leaky = trained
    assert in_test
    assert not in_test & set(files[clean])
    assert in_test <= set(files[leaky])
    labels = world.labels
    np.testing.assert_array_equal(np.bincount(labels[clean]), np.bincount(labels[leaky]))
    assert set(clean) | set(leaky) <= set(SPLIT.trainval)


def test_only_a_planted_photograph_effect_is_found():
    larger = linear_world(n_seen=10, n_per_class=40, n_features=60, noise=1.0, seed=3)
    result = {}
    for effect in (0.0, 3.0):
        world = with_photographs(larger, effect, boxes=4)
        (cost,) = leak_cost.costs(
            ESZSL(), Setting(world, world.splits["PS"]), ["photographs"], choose=False
        )
        result[effect] = {row["metric"]: row for row in cost.rows()}
    assert result[0.0]["seen"]["low"] <= 0 <= result[0.0]["seen"]["high"]
    assert result[3.0]["seen"]["low"] > 0.02


def test_missing_leaks_are_refused_in_one_sentence():
    assert leak_cost.possible_leaks(WORLD, SPLIT) == ("training", "selection", "epochs")
    with pytest.raises(DatasetError, match="expected a photograph with rows in training and in"):
        leak_cost.costs(ESZSL(), SETTING, ["photographs"])
    with pytest.raises(ZSLError, match="training"):
        leak_cost.costs(ESZSL(), SETTING, ["trainin"])
    standard = replace(SPLIT, test_seen=[])
    assert leak_cost.possible_leaks(WORLD, standard) == ()
    with pytest.raises(DatasetError, match="expected test images of seen classes"):
        leak_cost.costs(ESZSL(), Setting(WORLD, standard), ["training"])


def test_different_names_on_both_sides_are_not_a_shared_photograph():
    alone = replace(WORLD, image_files=[f"{row}.jpg" for row in range(len(WORLD.labels))])
    assert "photographs" not in leak_cost.possible_leaks(alone, SPLIT)
    nameless = replace(WORLD, image_files=[""] * len(WORLD.labels))
    assert "photographs" not in leak_cost.possible_leaks(nameless, SPLIT)


def test_every_fit_is_reported():
    events = []
    leak_cost.costs(LinearV2S(), replace(SETTING, progress=lambda *event: events.append(event)))
    assert {event[2] for event in events} == {
        "LinearV2S, on clean folds",
        "LinearV2S, on folds with test images",
    }
    assert events[-1][0] == events[-1][1]


# --- Epochs ---------------------------------------------------------------------------------------

RATES = {"learning_rate": (3.0, 30.0), "epochs": (1, 3, 8)}


@pytest.mark.parametrize("choose", [True, False])
def test_stopping_on_the_test_set_changes_only_the_epochs(choose, monkeypatch):
    monkeypatch.setattr(ALE, "param_grid", RATES)
    (cost,) = leak_cost.costs(ALE(), SETTING, ["epochs"], choose=choose)
    assert cost.origin == ("validated" if choose else "given")
    searched = RATES if choose else {"epochs": RATES["epochs"]}
    chosen = protocol.select(ALE(), WORLD, SPLIT, grid=searched)
    assert cost.clean.params == ALE().get_params() | chosen.params
    assert cost.clean.gamma == chosen.gamma
    same(cost.clean, protocol.fit_and_score(ALE(**cost.clean.params), WORLD, SPLIT))
    assert cost.leaky.params | {"epochs": None} == cost.clean.params | {"epochs": None}
    best = 0.0
    for epochs in RATES["epochs"]:
        params = cost.clean.params | {"epochs": epochs}
        grid = {name: (params[name],) for name in searched}
        gamma = protocol.select(ALE(), WORLD, SPLIT, grid=grid).gamma
        scores = protocol.fit_and_score(ALE(**params), WORLD, SPLIT)
        best = max(best, scores.curve.at(gamma).harmonic)
    assert cost.leaky.scores.curve.at(cost.leaky.gamma).harmonic == pytest.approx(best)
    rows = {row["metric"]: row for row in cost.rows()}
    assert rows["calibrated_harmonic"]["difference"] >= 0


def test_a_method_without_epochs_is_refused():
    assert "epochs" in leak_cost.possible_leaks(WORLD, SPLIT)
    with pytest.raises(
        ParameterError, match="LinearV2S: expected a method with epochs in its grid"
    ):
        leak_cost.costs(LinearV2S(), SETTING, ["epochs"])
