"""Small simulated data for tests, with known properties."""

from dataclasses import replace

import numpy as np

from zslcore.datasets.base import ZSLDataset
from zslcore.datasets.imagenet import SETS, imagenet
from zslcore.evaluation.contract import linear_world
from zslcore.metrics.accuracy import ranks_of

__all__ = ["imagenet_world", "linear_world", "scored_again"]


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


def scored_again(part, F):
    """Replace the ZSL predictions of prediction rows, as by scores that depend on the candidates.

    ``F`` has the scores of the images of unseen classes among unseen classes.
    """
    of_unseen, unseen = ~part.seen[part.y], part.classes[~part.seen]
    zsl_class, zsl_rank = part.unseen_class.copy(), part.zsl_rank.copy()
    zsl_class[of_unseen] = unseen[F.argmax(axis=1)]
    zsl_rank[of_unseen] = ranks_of(F, np.searchsorted(unseen, part.labels[of_unseen]))
    return replace(part, zsl_class=zsl_class, zsl_rank=zsl_rank)
