"""An epoch of DEVISE, ALE and SJE, against a loop over images as in public code.

    python -m benchmarks.sgd_epoch

Random data of the size of CUB (7,057 x 4,096 training rows, 312 attributes, 150 classes) and of
AWA2. For each image, the plain loop computes scores, violators and one outer product. Its
time on ``PLAIN_IMAGES`` images is scaled up to all images. No such loop is faster: most public code
adds one outer product per violator, which for DEVISE is a hundred times slower.

To show that our methods and the plain loop minimise the same loss, an epoch of each runs on
``SMALL`` images with the same start, the same order and one image per step, and their losses are
compared.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.measuring import report, seconds
from zslcore.features import l2_rows
from zslcore.methods import ALE, DEVISE, SJE

#: Training rows, features, attributes, seen classes.
SIZES = {"CUB": (7_057, 4_096, 312, 150), "AWA2": (23_527, 2_048, 85, 40)}
PLAIN_IMAGES = 200
REPEATS = 3
SMALL = 300


def make(n: int, n_features: int, n_attributes: int, n_classes: int, seed: int = 0):
    """Return X (float32, unit rows), y and S (unit rows)."""
    rng = np.random.default_rng(seed)
    S = l2_rows(rng.random((n_classes, n_attributes)))
    W = rng.normal(size=(n_attributes, n_features)).astype(np.float32)
    y = rng.integers(0, n_classes, n)
    X = rng.standard_normal((n, n_features), dtype=np.float32)
    X += S[y].astype(np.float32) @ W
    return X / np.linalg.norm(X, axis=1, keepdims=True), y, S


def plain_epoch(name: str, X, y, S, V, rate: float, order) -> float:
    """Run one epoch in place on ``V``, image by image; return the mean loss."""
    total = 0.0
    for n in order:
        x, true_class = X[n], y[n]
        F = (x @ V) @ S.T
        H = 1 + F - F[true_class]
        H[true_class] = 0
        violators = np.flatnonzero(H > 0)
        if not len(violators):
            continue
        if name == "SJE":
            violators = violators[[H[violators].argmax()]]
        weight = np.mean(1 / np.arange(1, len(violators) + 1)) if name == "ALE" else 1.0
        total += weight * H[violators].sum()
        V -= V.dtype.type(rate * weight) * np.outer(
            x, S[violators].sum(axis=0) - len(violators) * S[true_class]
        )
    return total / len(order)


def compare_losses(method, X, y, S) -> None:
    """Print the mean loss of an epoch with one image per step, ours and that of the plain loop."""
    X, y = X[:SMALL].astype(float), y[:SMALL]
    losses = []
    model = method(learning_rate=0.1, batch_size=1, epochs=1)
    model.on_epoch = lambda _, loss: losses.append(loss)
    model.fit(X, y, S)
    rng = np.random.default_rng(model.random_state)
    V = rng.normal(size=(X.shape[1], S.shape[1])) / np.sqrt(X.shape[1])
    plain = plain_epoch(method.card.name, X, y, S, V, 0.1, rng.permutation(SMALL))
    print(f"  mean loss of an epoch on {SMALL} images: {losses[0]:.6g}, plain {plain:.6g}")


def epoch_seconds(method, X, y, S) -> float:
    """Return the time of an epoch, from the difference between 16 epochs and one."""
    one_epoch, sixteen_epochs = (
        seconds(lambda e=e: method(epochs=e).fit(X, y, S), REPEATS) for e in (1, 16)
    )
    return (sixteen_epochs - one_epoch) / 15


def compare(size: str, method, X, y, S) -> None:
    rng = np.random.default_rng(0)
    V = (rng.normal(size=(X.shape[1], S.shape[1])) / np.sqrt(X.shape[1])).astype(np.float32)
    sample = rng.permutation(len(X))[:PLAIN_IMAGES]
    name, S32 = method.card.name, S.astype(np.float32)
    plain = seconds(lambda: plain_epoch(name, X, y, S32, V, 0.01, sample), REPEATS)
    ours = epoch_seconds(method, X, y, S)
    report(f"{size} size, {name}, one epoch", ours, plain * len(X) / PLAIN_IMAGES, 20)
    compare_losses(method, X, y, S)


def main() -> None:
    for size, shape in SIZES.items():
        X, y, S = make(*shape)
        DEVISE(epochs=1).fit(X[:64], y[:64], S)  # imports PyTorch
        for method in (DEVISE, ALE, SJE):
            compare(size, method, X, y, S)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    main()
