"""Pairs of small data sets with the same classes, made for tests of maps."""

import numpy as np

from zslcore.datasets.base import Split, ZSLDataset


def blobs(n_per_class=(30, 30), shifted=(), n_features=12, seed=0, name="pair", shuffled=False):
    """Two samples of the same five blobs; in the second, the classes ``shifted`` are moved.

    With ``shuffled``, the second data set has its classes in another order.
    """
    rng = np.random.default_rng(seed)
    centres = 4 * rng.normal(size=(5, n_features))
    out = []
    for part, n in enumerate(n_per_class):
        y = np.repeat(np.arange(5), n)
        X = centres[y] + rng.normal(size=(len(y), n_features))
        if part:
            X[np.isin(y, shifted)] += 3 * np.eye(n_features)[0]
        order = np.arange(5)[::-1] if part and shuffled else np.arange(5)
        position = np.argsort(order)[y]
        out.append(
            ZSLDataset(
                name=f"{name} {part + 1}",
                features=X.astype(np.float32),
                labels=position,
                prototypes=np.abs(centres[order, :4]) + 0.1,
                class_names=[f"class {c}" for c in order],
                splits=[Split.from_classes("PS", position, unseen=[0, 4])],
                simulated=True,
            )
        )
    return tuple(out)
