import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import cosine_similarity

from tests.methods.plain import training_data
from zslcore.methods import CONSE

X, Y, S, _ = training_data()
CANDIDATES = np.vstack([S, training_data(seed=1)[2]])


def posterior(C):
    """Return scikit-learn's result, with the constant feature and its penalty."""
    augmented = np.column_stack([X, np.ones(len(X))])
    model = LogisticRegression(C=C, fit_intercept=False, tol=1e-10, max_iter=5000)
    return model.fit(augmented, Y).predict_proba(augmented)


def fitted(**params):
    return CONSE(tol=1e-10, **params).fit(X, Y, S)


def test_with_one_class_conse_predicts_the_prototype_nearest_to_the_predicted_class():
    predicted = posterior(5.0).argmax(axis=1)
    nearest = cosine_similarity(S[predicted], CANDIDATES).argmax(axis=1)
    np.testing.assert_array_equal(fitted(T=1, C=5.0).predict(X, CANDIDATES), nearest)


@pytest.mark.parametrize("T", [1, 3, 7, 50])
def test_scores_equal_a_loop_over_images(T):
    F = fitted(T=T, C=5.0).decision_function(X, CANDIDATES)
    for p, row in zip(posterior(5.0), F, strict=True):
        top = np.argsort(p)[::-1][:T]
        f = p[top] @ S[top] / p[top].sum()
        np.testing.assert_allclose(row, cosine_similarity([f], CANDIDATES)[0], atol=1e-6)
