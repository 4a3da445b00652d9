"""Small worlds made for tests: what is in them is known because it was put there."""

import numpy as np

from zslcore.datasets.base import Split, ZSLDataset
from zslcore.datasets.imagenet import SETS, imagenet


def linear_world(
    n_seen=8,
    n_unseen=4,
    n_per_class=12,
    n_features=20,
    n_attributes=6,
    noise=0.3,
    seed=0,
    joint=False,
):
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
        class_names=[f"class {c}" for c in range(n_classes)],
        splits=[split],
        source="made for tests",
        simulated=True,
    )


def imagenet_world(n_seen=12, n_unseen=30, n_per_class=6, seed=0):
    """Make a linear world whose classes have the ids of ImageNet-21K, some from every test set.

    Every other set lends its classes in turn, so that sets have about as many; two classes more are
    called by no id and are in no set.
    """
    facts, rng = imagenet(), np.random.default_rng(seed)
    seen = rng.permutation(np.flatnonzero(facts.seen))[:n_seen]
    members = [iter(rng.permutation(np.flatnonzero(facts.sets[name]))) for name in SETS]
    unseen = list(dict.fromkeys(int(next(each)) for _ in range(n_unseen) for each in members))
    rows = [*seen, *unseen[:n_unseen]]
    names = [f"{facts.synsets[row]} {facts.names[row]}" for row in rows] + ["somewhat", "other"]
    world = linear_world(n_seen, n_unseen + 2, n_per_class, 40, 16, 1.5, seed)
    return ZSLDataset(
        name="ids",
        features=world.features,
        labels=world.labels,
        prototypes=world.prototypes,
        class_names=names,
        splits=list(world.splits.values()),
        source=world.source,
        simulated=True,
    )
