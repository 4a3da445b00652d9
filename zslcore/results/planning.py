"""Plans of runs: first runs, which choose parameters on the folds, and runs derived from them.

Derived runs repeat the chosen parameters with other seeds (of a stochastic method), or have the
parameters that are best on one fold or on the test set. An interrupted plan resumes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Literal, Protocol

from joblib import delayed

from zslcore.datasets import ZSLDataset
from zslcore.evaluation import plugins
from zslcore.evaluation.protocol import Task
from zslcore.evaluation.runs import RunResult, run
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import ZSLError
from zslcore.features import FeatureScaling
from zslcore.large.engine import parallel
from zslcore.methods import VARIANTS, get_method
from zslcore.methods.classifiers import shared_classifiers
from zslcore.progress import Progress, part_of, silent
from zslcore.results.shipped import cached_dataset
from zslcore.results.store import ResultStore

#: Origin of parameters: chosen on all folds, on a single fold, or on the test set.
ChoiceRule = Literal["validated", "folds", "oracle"]
#: Number of seeds of stochastic methods, as in the papers.
SEEDS = 5
#: Number of runs computed in parallel, with one thread each.
AT_A_TIME = 2


class Results(Protocol):
    """Results by key: a store, or a table read from a store."""

    def get(self, key: str, /) -> RunResult | None:
        """Return the result with this key; None without one."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """Runs and their derived runs (other seeds, fold choices, oracle).

    Attributes
    ----------
    seeds : number of seeds of a stochastic method; the first seed chooses parameters and gamma
    choices : values of :data:`ChoiceRule` other than "validated"
    """

    specs: Sequence[RunSpec]
    seeds: int = 1
    choices: Collection[ChoiceRule] = ()

    # --- Stored results ---

    def derived_specs(self, first: RunResult) -> Iterator[RunSpec]:
        """Yield the runs derived from a result."""
        yield from other_seeds(first, self.seeds)
        for choice in self.choices:
            yield from specs_of_choice(first, choice)

    def stored_first_run(self, spec: RunSpec, results: Results) -> RunResult | None:
        """Return the stored result of a run; None if missing or incomplete for the plan."""
        result = results.get(spec.at_current_revision.key)
        if result is None or ("oracle" in self.choices and result.oracle is None):
            return None
        lacks_folds = "folds" in self.choices and result.spec.grid and not result.fold_choices
        return None if lacks_folds else result

    def stored_runs(self, spec: RunSpec, results: Results) -> Iterator[RunResult]:
        """Yield the stored results of a run and of its derived runs."""
        if (first := self.stored_first_run(spec, results)) is not None:
            yield first
            yield from filter(None, (results.get(o.key) for o in self.derived_specs(first)))

    def results(self, results: Results) -> list[list[RunResult]]:
        """Return the results of :meth:`stored_runs` for each run of the plan."""
        return [list(self.stored_runs(spec, results)) for spec in self.specs]

    def missing(self, results: Results) -> list[RunSpec]:
        """Return the runs to compute next.

        These are the first runs without a result, and the missing derived runs of the first runs
        with a result.
        """
        todo = []
        for spec in self.specs:
            first = self.stored_first_run(spec, results)
            next_ = [spec] if first is None else self.derived_specs(first)
            todo += [
                planned for planned in next_ if planned is spec or results.get(planned.key) is None
            ]
        return todo

    def unfinished(self, results: Results) -> list[RunSpec]:
        """Return the first runs that have no result, or lack derived runs."""
        return [spec for spec in self.specs if replace(self, specs=[spec]).missing(results)]

    # --- Computing runs ---

    def complete(
        self,
        spec: RunSpec,
        dataset: ZSLDataset,
        store: ResultStore,
        progress: Progress = silent,
    ) -> int:
        """Compute the missing runs of a spec, including derived runs; return their number."""
        first, n_computed, n = self.stored_first_run(spec, store), 0, self._most_runs(spec, dataset)

        def compute(spec: RunSpec, position: int, *, with_oracle: bool = False) -> RunResult:
            part = part_of(progress, position, n)
            done = run(spec, dataset, with_oracle=with_oracle, progress=part)
            store.put_run(done)
            return done.result

        if first is None:
            first = compute(spec, 0, with_oracle="oracle" in self.choices)
            n_computed += 1
        for position, next_spec in enumerate(self.derived_specs(first), 1):
            if store.get(next_spec.key) is None:
                compute(next_spec, position)
                n_computed += 1
        return n_computed

    def _most_runs(self, spec: RunSpec, dataset: ZSLDataset) -> int:
        """Return the largest number of runs of a spec, including derived runs."""
        seeds = self.seeds if get_method(spec.method).card.stochastic else 1
        folds = len(dataset.split(spec.split).folds) if "folds" in self.choices else 0
        return seeds + folds + ("oracle" in self.choices)

    def complete_all(
        self, dataset: ZSLDataset, store: ResultStore, progress: Progress = silent
    ) -> int:
        """Compute all missing runs on one open data set in sequence; return their number."""
        with shared_classifiers():
            return sum(
                self.complete(spec, dataset, store, part_of(progress, k, len(self.specs)))
                for k, spec in enumerate(self.specs)
            )

    def run(
        self, results: Results, *, at_a_time: int = AT_A_TIME, progress: Progress = silent
    ) -> Iterator[tuple[RunSpec, str]]:
        """Compute all missing runs in parallel, fast methods first; store each when it ends.

        Methods that start with the same classifiers run in sequence in one process. Yields each
        failed run of the plan with its error. ``progress`` is called after each run of the plan.
        """
        todo, done = self.unfinished(results), count(1)
        groups: dict[tuple[str, str, str], list[RunSpec]] = {}
        for spec in sorted(todo, key=lambda spec: spec.estimator.iterative):
            group_key = spec.estimator.shared_classifier or spec.key
            groups.setdefault((spec.dataset, spec.split, group_key), []).append(spec)
        n_jobs = min(at_a_time, len(groups) or 1)
        with parallel(n_jobs, "generator_unordered") as compute:
            for outcomes in compute(
                delayed(_complete_group)(
                    replace(self, specs=specs), plugins.plugin_sources([specs[0].method])
                )
                for specs in groups.values()
            ):
                for spec, refusal in outcomes:
                    progress(next(done), len(todo), f"{spec.method} on {spec.dataset}")
                    if refusal:
                        yield spec, refusal


def _complete_group(plan: RunPlan, sources: Mapping[str, str]) -> list[tuple[RunSpec, str]]:
    """Compute the runs of a plan and derived runs; return each with its error, or ""."""
    with shared_classifiers():
        return [(spec, _complete_spec(plan, spec, sources)) for spec in plan.specs]


def _complete_spec(plan: RunPlan, spec: RunSpec, sources: Mapping[str, str]) -> str:
    """Compute one run of a plan and derived runs; return the error, or ""."""
    try:
        plugins.restore(sources)
        plan.complete(spec, cached_dataset(spec.dataset), ResultStore())
    except ZSLError as error:
        return str(error)
    return ""


# --- Runs derived from a result -------------------------------------------------------------------


def other_seeds(first: RunResult, seeds: int = SEEDS) -> Iterator[RunSpec]:
    """Yield the runs with other seeds and the same parameters, if the method is stochastic."""
    params = {name: value for name, value in first.params.items() if name != "random_state"}
    stochastic = get_method(first.spec.method).card.stochastic
    for seed in range(1, seeds if stochastic else 1):
        yield replace(first.spec, params=params, gamma=first.gamma, seed=seed)


def specs_of_choice(result: RunResult, choice: ChoiceRule) -> tuple[RunSpec, ...]:
    """Return the runs with the parameters chosen on each fold, or on the test set.

    For "validated" the tuple is empty: the result itself is that run. If parameters were chosen for
    ZSL, which has no gamma, gamma is chosen on all folds with these parameters.
    """
    spec = replace(result.spec, grid={})
    if choice == "folds":
        return tuple(
            replace(spec, params=result.params | fold.params, gamma=fold.gamma)
            for fold in result.fold_choices
        )
    if choice == "oracle" and result.oracle is not None:
        oracle, for_zsl = result.oracle, spec.select_for == "zsl" or result.oracle.gamma is None
        params = oracle.zsl_params if for_zsl else oracle.gzsl_params or {}
        gamma = None if for_zsl else oracle.gamma
        return (replace(spec, params=result.params | params, gamma=gamma),)
    return ()


# --- The first runs of a method -------------------------------------------------------------------


def first_specs(
    dataset: ZSLDataset,
    split: str,
    method: str,
    tasks: Sequence[Task],
    variant: Mapping[str, Any] | None = None,
    features: FeatureScaling = "l2",
) -> tuple[RunSpec, ...]:
    """Return one run per task that chooses parameters; ``variant`` is the first by default."""
    params = VARIANTS.get(method, ({},))[0] if variant is None else variant
    spec = RunSpec(
        dataset.name, split, method, params=params, features=features, digest=dataset.digest
    )
    return tuple(replace(spec, select_for=task) for task in tasks)
