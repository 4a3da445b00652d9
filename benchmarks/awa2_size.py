"""Random data of AWA2's size, for benchmarks in which only the size matters."""

from __future__ import annotations

import numpy as np

N_TRAIN, N_TEST, N_FEATURES, N_ATTRIBUTES, N_SEEN, N_UNSEEN = 23_527, 13_795, 2_048, 85, 40, 10


def make(seed: int = 0):
    """Return X, y, S, X_test, y_test and the prototypes of all classes; float32 unit features."""
    rng = np.random.default_rng(seed)
    S = rng.random((N_SEEN + N_UNSEEN, N_ATTRIBUTES))
    W = rng.normal(size=(N_ATTRIBUTES, N_FEATURES)).astype(np.float32) / 9
    y = rng.integers(0, N_SEEN, N_TRAIN)
    y_test = rng.integers(0, N_SEEN + N_UNSEEN, N_TEST)

    def images(labels):
        X = rng.standard_normal((len(labels), N_FEATURES), dtype=np.float32)
        X += S[labels].astype(np.float32) @ W
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        return X

    return images(y), y, S[:N_SEEN], images(y_test), y_test, S
