"""Small simulated data for tests, with known properties."""

import numpy as np

from zslcore.datasets.base import ZSLDataset
from zslcore.datasets.imagenet import SETS, imagenet
from zslcore.evaluation.contract import linear_world

__all__ = ["imagenet_world", "linear_world"]


def imagenet_world(n_seen=12, n_unseen=30, n_per_class=6, seed=0):
    """Make a linear world with classes named by ids of ImageNet-21K, some from every test set.

    The other sets add a class in turn, so that their sizes are similar; two further classes
    have no id and are in no set.
    """
    facts, rng = imagenet(), np.random.default_rng(seed)
    seen = rng.permutation(np.flatnonzero(facts.seen))[:n_seen]
    members = [iter(rng.permutation(np.flatnonzero(facts.sets[name]))) for name in SETS]
    unseen = list(dict.fromkeys(int(next(member)) for _ in range(n_unseen) for member in members))
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
