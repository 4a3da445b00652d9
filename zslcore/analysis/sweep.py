"""Many runs of many methods, which go on where they stopped.

A method is run for one or both tasks, its parameters chosen on the folds; a stochastic one with
several seeds: the first chooses parameters and gamma, the others are given what it chose. Finished
runs are kept in the run store, one by one, and what is there is not run again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from zslcore.datasets import ZSLDataset
from zslcore.datasets.features import FeatureScaling
from zslcore.evaluation.protocol import Oracle, Task
from zslcore.evaluation.runs import RunResult, execute
from zslcore.evaluation.specs import RunSpec
from zslcore.evaluation.store import RunStore
from zslcore.methods import METHODS, get_method
from zslcore.methods.variants import VARIANTS

__all__ = ["SEEDS", "finished", "first_specs", "is_finished", "other_seeds", "run_missing"]

#: Seeds of stochastic methods, as many as in the papers.
SEEDS = 5


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


def other_seeds(first: RunResult, seeds: int = SEEDS) -> Iterator[RunSpec]:
    """Yield the run with other seeds, and what the first has chosen, where seeds matter."""
    given = {name: value for name, value in first.params.items() if name != "random_state"}
    stochastic = get_method(first.spec.method).card.stochastic
    for seed in range(1, seeds if stochastic else 1):
        yield replace(first.spec, params=given, gamma=first.gamma, seed=seed)


def finished(spec: RunSpec, seeds: int, store: RunStore) -> Iterator[RunResult]:
    """Yield the kept results of a run: of the first seed, and of the others."""
    first = store.get(spec.key)
    if first is not None:
        yield first
        yield from filter(None, (store.get(other.key) for other in other_seeds(first, seeds)))


def is_finished(specs: Sequence[RunSpec], store: RunStore, seeds: int = SEEDS) -> bool:
    """Whether :func:`run_missing` would find nothing to run, oracles aside."""
    for spec in specs:
        first = store.get(spec.key)
        if first is None or any(store.get(s.key) is None for s in other_seeds(first, seeds)):
            return False
    return True


def run_missing(
    specs: Sequence[RunSpec],
    dataset: ZSLDataset,
    store: RunStore,
    *,
    seeds: int = SEEDS,
    with_oracle: bool = True,
) -> int:
    """Run what is not kept yet of some runs of one method, and of their other seeds.

    Parameters
    ----------
    specs : of :func:`first_specs`
    dataset : ZSLDataset
    store : RunStore
    seeds : of a stochastic method
    with_oracle : bool, default=True
        Sweep the grid on the test set too, of a method without seeds. What that reaches is the same
        for both tasks, and swept once.

    Returns
    -------
    int, how many runs there were to do
    """
    fitted = 0
    oracle: Oracle | None = None

    def kept(spec: RunSpec) -> RunResult:
        nonlocal fitted, oracle
        sweeps = with_oracle and oracle is None and not METHODS[spec.method].card.stochastic
        result = store.get(spec.key)
        if result is None or (sweeps and result.oracle is None):
            fitted += 1
            result = execute(spec, dataset, with_oracle=sweeps)
            result = replace(result, oracle=result.oracle or oracle)
            store.put(result)
        oracle = result.oracle
        return result

    for spec in specs:
        for other in other_seeds(kept(spec), seeds):
            kept(other)
    return fitted
