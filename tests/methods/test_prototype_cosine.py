import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from tests.methods.plain import training_data
from zslcore.exceptions import DatasetError
from zslcore.methods import PrototypeCosine

X, Y, _, _ = training_data()
S = training_data(n_attributes=X.shape[1], seed=1)[2]


def test_the_score_is_the_cosine_divided_by_the_temperature():
    scores = PrototypeCosine(temperature=0.5).fit(X, Y, S).decision_function(3 * X, 7 * S)
    np.testing.assert_allclose(scores, cosine_similarity(X, S) / 0.5)


def test_prototype_cosine_learns_nothing():
    few = PrototypeCosine().fit(X[:1], Y[:1], S).decision_function(X, S)
    np.testing.assert_array_equal(few, PrototypeCosine().fit(X, Y, S).decision_function(X, S))


def test_spaces_of_different_width_are_refused():
    with pytest.raises(DatasetError, match="one space; got 9 features and 5 attributes"):
        PrototypeCosine().fit(X, Y, S[:, :5])
