"""The closed forms as in a textbook, and shared test data."""

import numpy as np

from zslcore.features import l2_rows


def training_data(n=60, n_features=9, n_attributes=5, n_classes=7, seed=0):
    """Return X, y, S and the prototypes of every sample; each class occurs."""
    rng = np.random.default_rng(seed)
    S = l2_rows(rng.random((n_classes, n_attributes)))
    y = rng.permutation(np.arange(n) % n_classes)
    X = S[y] @ rng.normal(size=(n_attributes, n_features)) + rng.normal(size=(n, n_features))
    return l2_rows(X), y, S, S[y]


def gradient(objective, W, step=1e-6):
    """Return central finite differences of ``objective`` at ``W``, entry by entry."""
    out = np.empty_like(W)
    for index in np.ndindex(*W.shape):
        h = np.zeros_like(W)
        h[index] = step
        out[index] = (objective(W + h) - objective(W - h)) / (2 * step)
    return out


def textbook_rows(A):
    """Return rows of unit length."""
    return A / np.sqrt((A**2).sum(axis=1, keepdims=True))


def squared(A):
    """Return the squared Frobenius norm."""
    return float((A**2).sum())


def relative_difference(A, B):
    """Return the largest difference of two arrays, relative to the largest entry."""
    return np.abs(A - B).max() / np.abs(B).max()
