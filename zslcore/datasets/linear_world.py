"""A small world in which every method can be fitted in milliseconds: for laws and for tests."""

from __future__ import annotations

import numpy as np

from zslcore.datasets.base import Split, ZSLDataset


def linear_world(
    n_seen: int = 8,
    n_unseen: int = 4,
    n_per_class: int = 12,
    n_features: int = 20,
    n_attributes: int = 6,
    noise: float = 0.3,
    seed: int = 0,
    joint: bool = False,
) -> ZSLDataset:
    """Make classes whose mean features are linear in their prototypes, plus noise.

    The last ``n_unseen`` classes are unseen; two folds hold out two seen classes each. In a
    ``joint`` world features lie in the space of the prototypes, around them.
    """
    rng = np.random.default_rng(seed)
    n_classes = n_seen + n_unseen
    S = rng.random((n_classes, n_attributes))
    W = rng.normal(size=(n_attributes, n_features))
    y = np.repeat(np.arange(n_classes), n_per_class)
    if joint:
        W = np.eye(n_attributes, n_features)
    X = S[y] @ W + noise * rng.normal(size=(len(y), n_features))
    order = rng.permutation(len(y))
    split = Split.from_classes(
        "PS", y[order], unseen=np.arange(n_seen, n_classes), folds=[[0, 1], [2, 3]]
    )
    return ZSLDataset(
        name="linear world",
        features=X[order].astype(np.float32),
        labels=y[order],
        prototypes=S,
        class_names=tuple(f"class {c}" for c in range(n_classes)),
        splits={"PS": split},
        source="made for tests",
        simulated=True,
    )
