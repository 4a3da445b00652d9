"""The runs of a method for one or both tasks, in the variants of the papers.

Parameters are chosen on the folds. :class:`zslcore.results.planning.Plan` runs them, a stochastic
method with several seeds: the first chooses parameters and gamma, the others are given its choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from zslcore.datasets import ZSLDataset
from zslcore.evaluation.protocol import Task
from zslcore.evaluation.specs import RunSpec
from zslcore.features.views import FeatureScaling
from zslcore.methods import VARIANTS


def first_specs(
    dataset: ZSLDataset,
    split: str,
    method: str,
    tasks: Sequence[Task],
    variant: Mapping[str, Any] | None = None,
    features: FeatureScaling = "l2",
) -> tuple[RunSpec, ...]:
    """Return the runs that choose parameters, one a task.

    Parameters
    ----------
    dataset : ZSLDataset
    split, method : names
    tasks : what parameters are chosen for
    variant : parameters that are given; by default the first of ``VARIANTS``
    features : how features are scaled
    """
    params = VARIANTS.get(method, ({},))[0] if variant is None else variant
    one = RunSpec(
        dataset.name, split, method, params=params, features=features, digest=dataset.digest
    )
    return tuple(replace(one, select_for=task) for task in tasks)
