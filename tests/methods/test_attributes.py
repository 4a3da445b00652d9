"""DAP and IAP, from one paper."""

import numpy as np
import pytest
from scipy.special import expit, softmax

from tests.methods.plain import training_data
from zslcore.methods import DAP, IAP

X, Y, S, _ = training_data()
UNSEEN = training_data(seed=1)[2][:3]
AUGMENTED = np.column_stack([X, np.ones(len(X))])


def printed_score(p, S_seen, candidates, threshold):
    """The paper's product of ratios, in loops over images, attributes and classes."""
    seen, classes = S_seen > threshold, candidates > threshold
    out = []
    for a in classes:
        total = 0.0
        for m, has in enumerate(a):
            prior = seen[:, m].mean()
            prior = 0.5 if prior in (0, 1) else prior
            total += np.log(p[m] if has else 1 - p[m]) - np.log(prior if has else 1 - prior)
        out.append(total)
    return out


def binary_world(seed=0, n=40, n_attributes=8):
    """Distinct attribute signatures, and images with exactly the attributes of their class."""
    rng = np.random.default_rng(seed)
    A = np.unique(rng.integers(0, 2, (30, n_attributes)), axis=0)
    A = rng.permutation(A).astype(float)
    seen, unseen = A[:-5], A[-5:]
    y = np.arange(n) % len(seen)
    return 2 * seen[y] - 1, y, seen, unseen


@pytest.mark.parametrize("threshold", ["attribute", "overall"])
def test_dap_is_the_printed_product(threshold):
    prototypes = S.copy()
    prototypes[:, 0] = 1 + S[:, 0] / 100  # above the overall mean, not above its own
    model = DAP(threshold=threshold).fit(X, Y, prototypes)
    level = prototypes.mean(axis=0 if threshold == "attribute" else None)
    F = model.decision_function(X[:5], UNSEEN)
    for x, row in zip(AUGMENTED[:5], F, strict=True):
        p = expit(x @ model.W_)
        np.testing.assert_allclose(row, printed_score(p, prototypes, UNSEEN, level))


def test_iap_is_the_printed_product_of_expected_attributes():
    model = IAP().fit(X, Y, S)
    level = S.mean(axis=0)
    F = model.decision_function(X[:5], UNSEEN)
    for x, row in zip(AUGMENTED[:5], F, strict=True):
        p = softmax(x @ model.W_) @ (level < S)
        np.testing.assert_allclose(row, printed_score(p, S, UNSEEN, level), rtol=1e-6)


def test_perfectly_predicted_attributes_give_the_right_class():
    X, y, seen, unseen = binary_world()
    model = DAP(C=1e3).fit(X, y, seen)
    np.testing.assert_array_equal(
        model.predict(2 * unseen - 1, np.vstack([seen, unseen])), len(seen) + np.arange(len(unseen))
    )


def test_with_a_certain_posterior_iap_predicts_the_attributes_of_the_class():
    X, y, seen, unseen = binary_world()
    model = IAP(C=1e6).fit(X, y, seen)
    predicted = model.predict(X, np.vstack([unseen, seen]))
    np.testing.assert_array_equal(predicted, len(unseen) + y)


@pytest.mark.parametrize("method", [DAP, IAP])
def test_attributes_equal_on_seen_classes_have_no_effect(method):
    prototypes = np.column_stack([S, np.ones(len(S))])
    scores = method().fit(X, Y, prototypes).decision_function(X, prototypes)
    assert np.isfinite(scores).all()
