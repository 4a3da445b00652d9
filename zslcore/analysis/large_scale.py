r"""Zero-shot learning with 21,000 classes: the nine ImageNet test sets of the benchmark.

Parameters are chosen on the released fold of training classes (750 to fit, 250 to validate), and
the method is fitted on all 1,000. One pass over the test images then counts the ranks of the true
class among the candidates of each set, without (ZSL) and with the training classes (GZSL); see
:mod:`zslcore.large.ranks`.

References
----------
Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of the
good, the bad and the ugly", TPAMI 2019, table 5, figures 5 and 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from zslcore.analysis.study import RecordStudy, Rows, study_key
from zslcore.datasets import ZSLDataset
from zslcore.datasets.base import require_unseen
from zslcore.datasets.facts import published_table
from zslcore.datasets.imagenet import SETS, imagenet, imagenet_rows
from zslcore.evaluation.protocol import Problem, Setting
from zslcore.evaluation.specs import revisions_of
from zslcore.exceptions import DatasetError
from zslcore.features import Preprocessing
from zslcore.large.ranks import RankCounts, Task, count_ranks
from zslcore.methods import get_method
from zslcore.methods.base import ZSLEstimator, with_seed
from zslcore.methods.score_map import ScoreMap
from zslcore.progress import Progress, part_of, silent
from zslcore.results.shipped import cached_dataset


@dataclass(frozen=True, eq=False)
class LargeScale:
    """Accuracies of a method on the nine sets; ``validated`` if ``params`` are chosen on the fold.

    Attributes
    ----------
    counts : numbers of images with the true class among the k best, in each set
    rows_in_facts : int array of shape (n_classes,)
        Row of each class in :func:`zslcore.datasets.imagenet.imagenet`; -1 for classes not in it.
    """

    params: Mapping[str, Any]
    validated: bool
    counts: RankCounts
    rows_in_facts: np.ndarray

    def rows(self) -> list[dict[str, Any]]:
        """Return the accuracies by set, task and k; ``classes`` counts classes with test images."""
        tasks: tuple[Task, ...] = ("zsl", "gzsl")
        keys = product(self.counts.names, tasks, self.counts.ks)
        return [self._row(name, task, k) for name, task, k in keys]

    def table(self) -> pd.DataFrame:
        """Return :meth:`rows` as a table."""
        return pd.DataFrame(self.rows())

    def _row(self, name: str, task: Task, k: int) -> dict[str, Any]:
        counts = self.counts
        inside = counts.in_set[counts.names.index(name)]
        tested = inside[counts.classes]
        return {
            "set": name,
            "task": task,
            "k": k,
            "candidates": int(inside.sum() + (counts.seen.sum() if task == "gzsl" else 0)),
            "classes": int(tested.sum()),
            "images": int(counts.totals[tested].sum()),
            "per_class": counts.accuracy(name, k, task=task),
            "per_sample": counts.accuracy(name, k, task=task, average="sample"),
        }


@dataclass(frozen=True)
class LargeScaleStudy(RecordStudy[Rows]):
    """Accuracies of a method on the nine sets, with one row per set, task and k."""

    kind = "large-scale"

    dataset: str
    digest: str
    method: str

    @property
    def key(self) -> str:
        """First 16 hex digits of the SHA-256 of data, method, revisions and grid."""
        model = get_method(self.method)()
        grid = {name: list(values) for name, values in model.param_grid.items()}
        return study_key([self.kind, self.digest, self.method, revisions_of(model), grid])

    def compute(self, progress: Progress) -> Rows:
        """Measure the accuracies on all sets."""
        dataset = cached_dataset(self.dataset).require_digest(self.digest)
        return measure(self.method, dataset, progress=progress).rows()

    def listed(self, result: Rows) -> tuple[Mapping[str, Any], Rows]:
        """Return the arguments of the study, and its rows under the metric names of stored runs."""
        rows = [
            {
                "tested": f"{row['set']}, {row['task'].upper()}, top {row['k']}",
                "zsl" if row["task"] == "zsl" else "plain_unseen": row["per_class"],
            }
            for row in result
        ]
        return self.arguments | {"seed": 0}, rows


def measure(
    name: str, dataset: ZSLDataset, seed: int = 0, *, progress: Progress = silent
) -> LargeScale:
    """Choose parameters of a method, fit, and count the ranks on all nine sets.

    Class names of ``dataset`` must contain WordNet ids such as ``n01440764``; ``seed`` is for the
    method and the validation rows.

    Raises
    ------
    DatasetError
        If no unseen class is in any of the nine sets.
    ParameterError
        For a method with a novelty detector: its predictions do not follow from the scores alone.
    """
    split, method = dataset.split(), get_method(name)()
    rows = imagenet_rows(dataset.class_names)
    require_unseen(dataset, split)
    sets = _class_sets(dataset, rows)
    params = _choose_parameters(dataset, method, seed, progress) if split.folds else {}
    progress(1, 2, f"Fitting on {len(split.seen_classes):,} classes")
    test = np.concatenate([split.test_seen, split.test_unseen])
    everything = np.arange(dataset.n_classes)
    problem = Problem.of(dataset, Preprocessing(), split.trainval, test, everything)
    fitted = problem.fit(with_seed(method.set_params(**params), seed))
    scorer = fitted.score_map(problem.candidates)
    scores = scorer.astype(np.float32) if isinstance(scorer, ScoreMap) else scorer
    counts = count_ranks(
        problem.X_test,
        problem.y_test,
        scores,
        sets,
        problem.seen,
        curves=["All"] if len(split.test_seen) else [],
        progress=part_of(progress, 1, 2),
    )
    return LargeScale(params, bool(split.folds), counts, rows)


def _choose_parameters(
    dataset: ZSLDataset, method: ZSLEstimator, seed: int, progress: Progress
) -> dict[str, Any]:
    """Return the parameters chosen for ZSL on the folds."""
    setting = Setting(dataset, dataset.split(), seed=seed, progress=part_of(progress, 0, 2))
    message = "Parameters on the validation classes"
    return setting.select(method, task="zsl", with_gamma=False, message=message).params


def _class_sets(dataset: ZSLDataset, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Return the class numbers of each non-empty set."""
    facts, unseen = imagenet(), dataset.split().unseen_classes
    with_id = unseen[rows[unseen] >= 0]
    sets = {name: with_id[facts.sets[name][rows[with_id]]] for name in SETS}
    sets = {name: classes for name, classes in sets.items() if len(classes)}
    if "All" not in sets:
        raise DatasetError(
            f"{dataset.name}: expected unseen classes with an id of ImageNet-21K in their names, "
            f"such as n01440764; none of the {len(unseen)} classes is in a test set of the "
            "benchmark."
        )
    return sets


def printed_accuracies() -> pd.DataFrame:
    """Return the benchmark's table 5 as fractions, one row per method and one column per set."""
    table = published_table("imagenet_zsl_top1")
    wide = table.pivot_table(index="method", columns="split", values="top1_per_class", sort=False)
    return wide[list(SETS)]
