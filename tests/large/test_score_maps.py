"""The score map of each method for given candidates gives the method's scores."""

import numpy as np
import pytest

from zslcore.evaluation.contract import MethodUnderTest
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.methods import METHODS, get_method
from zslcore.methods.score_map import ScoreMap

#: Methods with inner products as scores, in each of their variants.
MAPPED = [
    ("LinearV2S", {}),
    ("LinearV2S", {"similarity": "dot"}),
    ("LinearS2V", {}),
    ("ESZSL", {}),
    ("SAE", {}),
    ("SAE", {"direction": "V2S"}),
    ("SAE", {"rows": "unit"}),
    ("GFZSL", {"lam_variance": 1.0}),
    ("GFZSL", {"seen": "estimated"}),
    ("PrototypeCosine", {}),
    ("DEVISE", {"epochs": 1}),
    ("ALE", {"epochs": 1}),
    ("SJE", {"epochs": 1}),
    ("LATEM", {"epochs": 1}),
    ("SYNC", {"tol": 0.1}),
    ("CONSE", {"tol": 0.1, "T": 3}),
]


def fitted(name, params):
    problem = MethodUnderTest(METHODS[name]).problem
    model = get_method(name)(**params)
    return model.fit(problem.X, problem.y, problem.S), problem


@pytest.mark.parametrize(("name", "params"), MAPPED, ids=str)
def test_a_score_map_gives_the_scores(name, params):
    model, problem = fitted(name, params)
    F = model.decision_function(problem.X_test, problem.candidates)
    score_map = model.score_map(problem.candidates)
    assert isinstance(score_map, ScoreMap)
    np.testing.assert_allclose(
        score_map.scores(np.asarray(problem.X_test)), F, rtol=1e-9, atol=1e-9
    )
    single = score_map.astype(np.float32).scores(np.asarray(problem.X_test))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, F, rtol=0, atol=1e-4 * np.abs(F).max())
    some = [5, 1, 9]
    ours = score_map.of(np.array(some)).scores(np.asarray(problem.X_test))
    np.testing.assert_allclose(ours, F[:, some], rtol=1e-9, atol=1e-9)
    with pytest.raises(DatasetError, match="fitted on"):
        model.score_map(problem.candidates[:, :-1])


def test_methods_without_score_map_use_their_scores():
    model, problem = fitted("DAP", {})
    F = model.decision_function(problem.X_test, problem.candidates)
    np.testing.assert_array_equal(model.score_map(problem.candidates)(problem.X_test), F)


def test_a_method_with_a_novelty_detector_has_no_score_map():
    with pytest.raises(ParameterError, match="a novelty detector decides"):
        get_method("CMT*")().score_map(MethodUnderTest(METHODS["CMT*"]).problem.candidates)
