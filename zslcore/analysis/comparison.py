r"""Comparison of many methods on many data sets, from stored runs.

A comparison is a set of runs: every method on every split of every data set, with parameters chosen
on all folds together, and optionally with the parameters that each single fold would choose. An
*occasion* is a split of a data set with one choice of parameters. The metric is a mean over test
classes,

.. math::
    \frac{\sum_c w_c \, acc_c}{\sum_c w_c}

where :math:`w_c` is 1 (per class) or the number of test images (per sample). When test classes are
resampled, :math:`w_c` is multiplied by the number of times that the class is drawn.

References
----------
Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of the
good, the bad and the ugly", TPAMI 2019, figures 3, 4 and 7. Z. Akata, S. Reed, D. Walter, H. Lee,
B. Schiele, "Evaluation of output embeddings for fine-grained image classification", CVPR 2015,
section 4: attributes, word2vec, GloVe and WordNet on CUB.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from zslcore.analysis import ranking
from zslcore.analysis.metric_names import MEANS_OVER_CLASSES, METRICS, Metric
from zslcore.analysis.resampling import accuracies_of_sides, metric_of_class_draws
from zslcore.analysis.study import Study, code_versions
from zslcore.datasets import ZSLDataset, load
from zslcore.evaluation.protocol import Task
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import DatasetError, closest_name
from zslcore.features import FeatureScaling, PrototypeScaling
from zslcore.methods import get_method
from zslcore.metrics import Average
from zslcore.metrics.significance import class_draws, classes_of_sides, too_few
from zslcore.numbers import counted, percent
from zslcore.progress import Progress
from zslcore.results.planning import ChoiceRule, Results, RunPlan, specs_of_choice
from zslcore.results.store import ResultStore


@dataclass(frozen=True, slots=True)
class ComparisonSpec:
    """Specification of a comparison; ``datasets`` maps names to content digests."""

    datasets: Mapping[str, str]
    splits: tuple[str, ...]
    methods: tuple[str, ...]
    task: Task = "zsl"
    features: FeatureScaling = "l2"
    prototypes: PrototypeScaling = "l2"
    seed: int = 0

    def run(self, dataset: str, split: str, method: str) -> RunSpec:
        """Return the run of one method on one split, with parameters chosen on the folds."""
        return RunSpec(
            dataset=dataset,
            split=split,
            method=method,
            select_for=self.task,
            features=self.features,
            prototypes=self.prototypes,
            seed=self.seed,
            digest=self.datasets[dataset],
        )

    def runs_on(self, dataset: ZSLDataset) -> Iterator[RunSpec]:
        """Yield the runs on one data set, grouped by split."""
        for split in self.splits:
            if split in dataset.splits:
                for method in self.methods:
                    yield self.run(dataset.name, split, method)

    def plan(
        self, datasets: Mapping[str, ZSLDataset], choices: Collection[ChoiceRule] = ()
    ) -> RunPlan:
        """Return the plan of all runs and the runs derived from them; see :class:`RunPlan`."""
        runs = [run for dataset in datasets.values() for run in self.runs_on(dataset)]
        return RunPlan(runs, choices=choices)


@dataclass(frozen=True)
class ComparisonStudy(Study[dict[str, str]]):
    """Study that computes the missing runs of a comparison; it returns the refusals by run key.

    A finished run is stored at once, so that a cancelled study resumes; a refused run does not stop
    the study. After runs were deleted, a new ``attempt`` number starts the study again.
    """

    kind = "compare"

    spec: ComparisonSpec
    choices: Sequence[ChoiceRule] = ()
    attempt: int = 0

    @property
    def title(self) -> str:
        """Title on screen."""
        return f"{len(self.spec.methods)} methods on {', '.join(self.spec.datasets)}"

    @property
    def code_versions(self) -> dict[str, Any]:
        """Revisions of the methods, and the grids that are searched."""
        return code_versions(*(get_method(name)() for name in self.spec.methods), grids=True)

    def compute(self, progress: Progress) -> dict[str, str]:
        """Compute the missing runs, and return the refusals by run key."""
        plan = self.spec.plan({name: load(name) for name in self.spec.datasets}, self.choices)

        def report(done: float, todo: float, last: str) -> None:
            progress(done, todo, f"{counted(int(done), 'run')} finished, the last: {last}")

        return {
            run.key: f"{run.method} on {run.dataset}, split {run.split}: {refusal}"
            for run, refusal in plan.run(ResultStore(), progress=report)
        }


# --- Metrics --------------------------------------------------------------------------------------


def accuracies(result: RunResult, metric: Metric) -> tuple[dict[int, float], dict[int, float]]:
    """Return the class accuracies that a metric averages, of unseen and of seen classes."""
    e = result.evaluation
    generalized = e.per_class if metric.endswith("gamma") else e.per_class_plain
    of_task = e.per_class_zsl if metric == "zsl" else generalized
    return accuracies_of_sides(of_task, e.per_class_zsl, metric)


def metric_of_draws(
    result: RunResult, metric: Metric, weights: np.ndarray, classes: np.ndarray
) -> np.ndarray:
    """Return a metric per row of ``weights`` (draws, classes); NaN if no accuracies are stored."""
    unseen, seen = accuracies(result, metric)
    per_class = unseen | seen
    if not per_class or (metric[0] == "H" and not (unseen and seen)):
        return np.full(len(weights), np.nan)
    drawn = weights[:, np.searchsorted(classes, list(per_class))]
    with np.errstate(invalid="ignore"):
        return metric_of_class_draws(
            drawn, np.isin(list(per_class), list(seen)), np.array(list(per_class.values()))
        )


@dataclass(frozen=True, slots=True, eq=False)
class Occasions:
    """A metric of all methods on every occasion, as measured and with resampled test classes.

    ``names`` are triples (data set, split, choice), with "validated", "oracle" or a fold number as
    choice; ``metrics`` has shape (1 + n_draws, n_occasions, n_methods) and is NaN for missing runs;
    ``seconds`` has shape (n_occasions, n_methods). ``too_few`` has a clause for each data set and
    split with too few test classes for draws; their drawn values are NaN.
    """

    methods: tuple[str, ...]
    names: tuple[tuple[str, str, str], ...]
    metrics: np.ndarray
    seconds: np.ndarray
    too_few: tuple[str, ...] = ()

    @property
    def complete(self) -> Occasions:
        """Occasions with at least one result, and methods with a result on all of these."""
        has_metric = np.isfinite(self.metrics[0])
        occasions_, methods = has_metric.any(axis=1), has_metric[has_metric.any(axis=1)].all(axis=0)
        return Occasions(
            tuple(m for m, keep in zip(self.methods, methods, strict=True) if keep),
            tuple(n for n, keep in zip(self.names, occasions_, strict=True) if keep),
            self.metrics[:, occasions_][:, :, methods],
            self.seconds[occasions_][:, methods],
            self.too_few,
        )

    def table(self) -> pd.DataFrame:
        """Return one row per occasion and method, with value and seconds."""
        rows = [
            {
                "dataset": dataset,
                "split": split,
                "choice": choice,
                "method": method,
                "value": self.metrics[0, i, j],
                "seconds": self.seconds[i, j],
            }
            for i, (dataset, split, choice) in enumerate(self.names)
            for j, method in enumerate(self.methods)
        ]
        columns = ["dataset", "split", "choice", "method", "value", "seconds"]
        return pd.DataFrame(rows, columns=columns)


def occasions(
    spec: ComparisonSpec,
    datasets: Mapping[str, ZSLDataset],
    store: Results,
    metric: Metric,
    *,
    choice: ChoiceRule = "validated",
    average: Average = "class",
    n_draws: int = 0,
) -> Occasions:
    """Return a metric of all stored runs; all methods have the same draws of classes."""
    if metric not in MEANS_OVER_CLASSES:
        raise closest_name("metric", metric, MEANS_OVER_CLASSES)
    names: list[tuple[str, str, str]] = []
    blocks, times, unranked = [], [], []
    for dataset in datasets.values():
        for split in (name for name in spec.splits if name in dataset.splits):
            stored = [
                _stored(spec.run(dataset.name, split, m), store, choice) for m in spec.methods
            ]
            n = max(len(results) for results in stored)
            classes, weights, seen = _weights(dataset, split, average, n_draws)
            few = too_few(**classes_of_sides(seen, METRICS[metric]))
            if few and n_draws:
                unranked.append(f"{dataset.name}, split {split}: {few}")
            block = np.full((1 + n_draws, n, len(spec.methods)), np.nan)
            seconds = np.full((n, len(spec.methods)), np.nan)
            for j, results in enumerate(stored):
                for i, result in enumerate(results):
                    if result is not None:
                        block[:, i, j] = metric_of_draws(result, metric, weights, classes)
                        seconds[i, j] = result.seconds
            if few:
                block[1:] = np.nan
            numbers = [str(k) for k in range(n)] if choice == "folds" else [choice] * n
            names += [(dataset.name, split, number) for number in numbers]
            blocks.append(block)
            times.append(seconds)
    if not blocks:
        raise DatasetError(f"None of {', '.join(datasets)} has the split {', '.join(spec.splits)}.")
    return Occasions(
        spec.methods,
        tuple(names),
        np.concatenate(blocks, axis=1),
        np.concatenate(times),
        tuple(unranked),
    )


def _stored(spec: RunSpec, store: Results, choice: ChoiceRule) -> tuple[RunResult | None, ...]:
    """Return the stored results of a run under a choice: one result, or one per fold."""
    first = RunPlan([spec], choices=() if choice == "validated" else (choice,)).stored_first_run(
        spec, store
    )
    if choice == "validated":
        return (first,)
    return () if first is None else tuple(store.get(o.key) for o in specs_of_choice(first, choice))


def _weights(
    dataset: ZSLDataset, split: str, average: Average, n_draws: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the test classes of a split, their weights by draw, and the mask of seen classes."""
    parts = dataset.split(split)
    test = np.concatenate([parts.test_seen, parts.test_unseen])
    classes, images = np.unique(dataset.labels[test], return_counts=True)
    counts = images if average == "sample" else np.ones(len(classes))
    seen = np.isin(classes, parts.seen_classes)
    drawn = class_draws(seen, n_draws) if n_draws else np.ones((1, len(classes)))
    return classes, drawn * counts, seen


def as_text(compared: Occasions) -> str:
    """Return means and ranks as plain text, best mean rank first."""
    ranked = compared.complete
    unranked = [method for method in compared.methods if method not in ranked.methods]
    lines = [f"Not ranked, since a metric is missing: {', '.join(unranked)}"] if unranked else []
    if not ranked.methods or not ranked.names:
        return "\n".join([*lines, "No method has a result on every data set and split."])
    wide = max(12, *map(len, ranked.methods))
    if ranked.too_few:
        means = ranked.metrics[0].mean(axis=0)
        lines += [f"No ranking: {clause}." for clause in ranked.too_few]
        lines.append(f"{'method':{wide}} {'mean':>7}")
        for j in np.argsort(-means, kind="stable"):
            lines.append(f"{ranked.methods[j]:{wide}} {percent(means[j]):>7}")
        return "\n".join(lines)
    of_draws = ranking.ranking(ranked.metrics)
    lines.append(f"{'method':{wide}} {'mean':>7}  {'mean rank':>9}   95 % interval  first")
    for j in np.argsort(of_draws.mean_rank, kind="stable"):
        interval = f"{of_draws.low[j]:.1f} to {of_draws.high[j]:.1f}"
        lines.append(
            f"{ranked.methods[j]:{wide}} {percent(ranked.metrics[0, :, j].mean()):>7}  "
            f"{of_draws.mean_rank[j]:9.2f}   {interval:13}  {percent(of_draws.first[j], 0):>5}"
        )
    if len(ranked.names) > 1 and len(ranked.methods) > 2:
        test = ranking.friedman_test(ranked.metrics[0])
        lines.append(
            f"Friedman test over {test.occasions} occasions, p = {test.p:.3g}; critical difference "
            f"{test.critical_difference:.2f} (Nemenyi, 5 %)"
        )
    return "\n".join(lines)
