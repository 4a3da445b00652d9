"""Runs as studies, computed in this process."""

import numpy as np
import pytest
from sklearn.model_selection import ParameterGrid

from tests.studies import RecordedProgress, computed
from tests.worlds import linear_world
from zslcore.analysis.study import RunStudy
from zslcore.datasets import load
from zslcore.evaluation import runs
from zslcore.evaluation.specs import RunSpec
from zslcore.methods import METHODS
from zslcore.results.store import ResultStore

DIGITS = load("digits")
EPOCHS = [name for name, method in METHODS.items() if hasattr(method(), "epochs")]


pytestmark = pytest.mark.usefixtures("own_data")


def spec(method, **changes):
    return RunSpec("digits", "PS", method, digest=DIGITS.digest, **changes)


def run(folder, spec):
    """Return the result of a run's study, and its progress."""
    return computed(RunStudy.of(spec, DIGITS), folder)


@pytest.mark.nightly
def test_the_stored_result_equals_the_run(tmp_path):
    request = spec("CMT", params={"epochs": 2, "random_state": 0})
    (result, scores), _ = run(tmp_path / "job", request)
    assert result.evaluation == runs.run(request, DIGITS, with_oracle=False).result.evaluation
    assert result.oracle is None
    assert (scores.F.shape, scores.y.shape) == ((785, 10), (785,))
    assert ResultStore().get(request.key) == result


@pytest.mark.parametrize("method", EPOCHS)
def test_planned_epochs_are_those_of_a_grid(method):
    world, epochs = linear_world(), []
    model = METHODS[method]()
    model.on_epoch = lambda epoch, loss: epochs.append(epoch)
    for grid in ([{}], ParameterGrid({"epochs": [3, 1], "batch_size": [32, 64]})):
        epochs.clear()
        split = world.split("PS")
        rows = split.trainval
        y = np.searchsorted(split.seen_classes, world.labels[rows])
        S = world.prototypes[split.seen_classes]
        list(model.fit_grid(world.features[rows], y, S, grid))
        planned = model.planned_epochs(grid)
        assert epochs == [epoch for n in planned for epoch in range(1, n + 1)]


@pytest.mark.nightly
@pytest.mark.parametrize(("method", "select_for"), [("ALE", "gzsl"), ("CMT", "zsl")])
def test_progress_counts_every_epoch_and_ends_at_100_percent(tmp_path, method, select_for):
    _, run_result = run(tmp_path / "job", spec(method, select_for=select_for))
    done, total, last = (list(column) for column in zip(*run_result[1:], strict=True))
    assert done == sorted(done)
    assert len(set(total)) == 1
    assert total[0] / 2 < done[-1] <= total[0]  # the choice may need fewer runs than planned
    assert "Choosing parameters on the folds, training 1 of" in run_result[1][2]
    assert last[-1].startswith("Fitting on all training classes, epoch")
    trainings = sum("epoch 1:" in message for message in last)
    assert f"training {trainings - 1} of {trainings - 1}, " in " ".join(last)


@pytest.mark.parametrize("select_for", ["gzsl", "zsl"])
def test_progress_includes_a_sweep_of_the_test_set(select_for):
    world, shown_text = linear_world(), RecordedProgress()
    spec = RunSpec(world.name, "PS", "CMT", params={"epochs": 2}, select_for=select_for)
    runs.run(spec, world, progress=shown_text)
    done, total, message = shown_text[-1]
    assert done == total
    assert message.startswith("Sweeping the grid on the test set, epoch 2:")
    whats = [message.split(",")[0] for _, _, message in shown_text]
    assert list(dict.fromkeys(whats)) == [
        "Choosing parameters on the folds",
        "Fitting on all training classes",
        "Sweeping the grid on the test set",
    ]


@pytest.mark.nightly
def test_a_stored_run_repeats_only_its_final_fit(tmp_path):
    request = spec("CMT")
    (first, scores), _ = run(tmp_path / "first", request)
    (second, same), text = run(tmp_path / "second", request)
    assert {message.split(",")[0] for _, _, message in text[1:]} == {
        "Fitting on all training classes"
    }
    assert second == first
    np.testing.assert_array_equal(same.F, scores.F)


def test_methods_without_epochs_count_fits(tmp_path):
    _, run_result = run(tmp_path / "job", spec("IAP"))
    assert run_result[1] == (1, 10, "Choosing parameters on the folds, fit 1 of 9")
    assert run_result[-1] == (9, 10, "Fitting on all training classes")


@pytest.mark.nightly
def test_only_closed_forms_on_small_data_are_quick():
    quick = {name for name in METHODS if RunStudy(spec(name)).is_quick(DIGITS)}
    assert quick == {*("LinearV2S", "LinearS2V", "ESZSL", "SAE", "GFZSL", "PrototypeCosine")}
    assert not RunStudy(spec("ESZSL")).is_quick(load("simulated-CUB-full"))
