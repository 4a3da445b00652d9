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

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from zslcore.analysis.study import Study, made_by
from zslcore.datasets import ZSLDataset, load
from zslcore.datasets.base import (
    require_unseen,
)
from zslcore.datasets.facts import published
from zslcore.datasets.imagenet import SETS, imagenet, imagenet_rows
from zslcore.evaluation.protocol import Problem, Setting
from zslcore.exceptions import DatasetError
from zslcore.features import Preprocessing
from zslcore.large.engine import HERE, Engine
from zslcore.large.ranks import RankCounts, Task, count_ranks
from zslcore.methods import get_method
from zslcore.methods.base import ZSLEstimator, with_seed
from zslcore.methods.score_map import ScoreMap
from zslcore.progress import Progress, part_of, silent
from zslcore.results.store import ResultStore, result_of


@dataclass(frozen=True, eq=False)
class LargeScale:
    """Accuracies of a method on the nine sets; ``validated`` if ``params`` are chosen on the fold.

    Attributes
    ----------
    counts : numbers of images with the true class among the k best, in each set
    rows : int array of shape (n_classes,)
        Row of each class in :func:`zslcore.datasets.imagenet.imagenet`; -1 for classes not in it.
    """

    params: Mapping[str, Any]
    validated: bool
    counts: RankCounts
    rows: np.ndarray

    def table(self) -> pd.DataFrame:
        """Return the accuracies by set, task and k; ``classes`` counts classes with test images."""
        return pd.DataFrame(
            self._row(name, task, k)
            for name in self.counts.names
            for task in ("zsl", "gzsl")
            for k in self.counts.ks
        )

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


def as_runs(rows: Iterable[Mapping[Any, Any]]) -> list[dict[str, Any]]:
    """Return the rows of :meth:`LargeScale.table` with the columns of a stored run."""
    return [
        {
            "tested": f"{row['set']}, {row['task'].upper()}, top {row['k']}",
            "zsl" if row["task"] == "zsl" else "plain_unseen": row["per_class"],
        }
        for row in rows
    ]


@dataclass(frozen=True)
class LargeScaleStudy(Study[LargeScale]):
    """Study of one method on ImageNet-21K; ``seed`` is for the method and the validation rows."""

    kind = "large_scale"
    #: 2: features and prototypes are scaled as in all runs.
    REVISION = 2

    dataset: str
    digest: str
    method: str
    seed: int = 0

    @property
    def title(self) -> str:
        """Title on screen."""
        return f"{self.method} on the ImageNet test sets, {self.dataset}"

    @property
    def made_by(self) -> dict[str, Any]:
        """Revision of the method, and the grid that is searched."""
        method = get_method(self.method)()
        return made_by(method) | {"grid": dict(method.param_grid)}

    @property
    def threads(self) -> int:
        """Number of threads for linear algebra."""
        return 2  # products of image blocks with 21,345 candidates are large

    def compute(self, progress: Progress) -> LargeScale:
        """Measure the accuracies, and also store them in the run store."""
        result = measure(self, load(self.dataset).require_digest(self.digest), progress)
        about = self.arguments | {
            "params": json.dumps(dict(result.params)),
            "params_origin": "validated" if result.validated else "given",
            "revisions": json.dumps(self.made_by["revisions"]),
        }
        store = ResultStore()
        with store.tolerated():
            rows = as_runs(result.table().to_dict("records"))
            store.put_result(result_of("large-scale", self.key, about, rows))
        return result


def measure(
    spec: LargeScaleStudy,
    dataset: ZSLDataset,
    progress: Progress = silent,
    *,
    engine: Engine = HERE,
) -> LargeScale:
    """Choose parameters, fit, and count the ranks on all nine sets.

    Class names of ``dataset`` must contain WordNet ids such as ``n01440764``.

    Raises
    ------
    DatasetError
        If no unseen class is in any of the nine sets.
    ParameterError
        For a method with a novelty detector: its predictions do not follow from the scores alone.
    """
    split, method = dataset.split(), get_method(spec.method)()
    rows = imagenet_rows(dataset.class_names)
    require_unseen(dataset, split)
    sets = _sets(dataset, rows)
    params = _chosen(dataset, method, spec.seed, progress) if split.folds else {}
    progress(1, 2, f"Fitting on {len(split.seen_classes):,} classes")
    test = np.concatenate([split.test_seen, split.test_unseen])
    everything = np.arange(dataset.n_classes)
    problem = Problem.of(dataset, Preprocessing(), split.trainval, test, everything)
    fitted = problem.fit(with_seed(method.set_params(**params), spec.seed))
    scorer = fitted.score_map(problem.candidates)
    scores = scorer.astype(np.float32) if isinstance(scorer, ScoreMap) else scorer
    counts = count_ranks(
        problem.X_test,
        problem.y_test,
        scores,
        sets,
        problem.seen,
        curves=["All"] if len(split.test_seen) else [],
        engine=engine,
        progress=part_of(progress, 1, 2),
    )
    return LargeScale(params, bool(split.folds), counts, rows)


def _chosen(
    dataset: ZSLDataset, method: ZSLEstimator, seed: int, progress: Progress
) -> dict[str, Any]:
    """Return the parameters chosen for ZSL on the folds."""
    setting = Setting(dataset, dataset.split(), seed=seed, progress=part_of(progress, 0, 2))
    message = "Parameters on the validation classes"
    return setting.select(method, task="zsl", with_gamma=False, message=message).params


def _sets(dataset: ZSLDataset, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Return the classes of each non-empty set, as classes of the data."""
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


def printed() -> pd.DataFrame:
    """Return the benchmark's table 5 as fractions, one row per method and one column per set."""
    table = published("imagenet_zsl_top1")
    wide = table.pivot_table(index="method", columns="split", values="top1_per_class", sort=False)
    return wide[list(SETS)]
