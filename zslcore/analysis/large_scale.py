r"""Zero-shot learning with 21,000 classes: the nine ImageNet test sets of the benchmark.

Parameters are chosen on the released fold of training classes (750 to fit, 250 to validate), the
method is fitted on all 1,000, and one pass over the test images counts the rank of the true class
among the candidates of all nine sets, alone (ZSL) and together with the training classes (GZSL),
see :mod:`zslcore.large.ranks`. Accuracy is then read against what may make a set hard: how many
candidates there are, how many steps along the hypernym relation lie between a class and the nearest
training class, and how many images it has.

*Hierarchical precision* at :math:`k` asks for less than the right class. Steps between two classes
are counted over what both are kinds of. Let :math:`B_r(c)` be the candidates at most :math:`r`
steps from :math:`c`, and :math:`r_k` the smallest :math:`r` with :math:`|B_r(c)| \ge k`. Of the
:math:`k` best answers :math:`A_k(x)`, it counts those that are near:

.. math::
    \text{hp@}k = \frac{1}{n} \sum_i \frac{|A_k(x_i) \cap B_{r_k}(y_i)|}{k},

which for :math:`k = 1` is plain accuracy per image.

References
----------
Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of the
good, the bad and the ugly", TPAMI 2019, table 5, figures 5 and 6. A. Frome et al., "DeViSE: a deep
visual-semantic embedding model", NIPS 2013, for hierarchical precision.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from zslcore.analysis.study import Report, Study, made_by
from zslcore.datasets import ZSLDataset, load
from zslcore.datasets.facts import published
from zslcore.datasets.imagenet import SETS, imagenet, imagenet_rows
from zslcore.datasets.imagenet_simulated import populations
from zslcore.evaluation.protocol import Problem, Setting, require_unseen
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features.views import FeatureView, Preprocessing
from zslcore.large.engine import HERE, Engine
from zslcore.large.ranks import RankCounts, Task, count_ranks
from zslcore.methods import get_method
from zslcore.methods.base import ZSLEstimator, with_seed
from zslcore.methods.score_map import ScoreMap
from zslcore.results.result import result_of
from zslcore.results.store import ResultStore

#: Classes, spread over all, whose first test image hierarchical precision is counted on.
SAMPLE = 300
#: Steps that count as one group with all longer ways: few classes are farther.
FAR = 10
#: Limits of the groups of classes by their number of images.
POPULATIONS = (1, 2, 10, 100, 400, 700, 1000, 1300, 1600, 4000)

Progress = Callable[[float, float, str], None]


@dataclass(frozen=True, eq=False)
class Answers:
    """How one test image of every class is answered, without a score matrix.

    Attributes
    ----------
    classes : int array of shape (n,), increasing, the classes that have a test image
    embedded : array of shape (n, m) or (n, n_maps, m), the image as the method sees it
    codes : array of shape (n_classes, m), the candidates as the method sees them
    offset : array of shape (n_classes,) or (1,), added to the inner products
    """

    classes: np.ndarray
    embedded: np.ndarray
    codes: np.ndarray
    offset: np.ndarray

    def scores(self, which: np.ndarray) -> np.ndarray:
        """Return the scores of some of the images among all classes, (n_which, n_classes).

        Parameters
        ----------
        which : int array, places in ``classes``
        """
        scores: ScoreMap = ScoreMap(_as_it_is, (), self.codes, self.offset)
        return scores.scores(self.embedded[which])

    def best(self, which: np.ndarray, candidates: np.ndarray, k: int) -> np.ndarray:
        """Return the k best candidates of some images, best first, int (n_which, k).

        Parameters
        ----------
        which : int array, places in ``classes``
        candidates : int array of classes that may be answered
        k : how many, at most as many as there are candidates
        """
        k = min(k, len(candidates))
        F = self.scores(which)[:, candidates]
        first = np.argpartition(-F, k - 1, axis=1)[:, :k] if k < len(candidates) else None
        first = np.tile(np.arange(k), (len(F), 1)) if first is None else np.sort(first, axis=1)
        order = np.argsort(-np.take_along_axis(F, first, axis=1), axis=1, kind="stable")
        best: np.ndarray = candidates[np.take_along_axis(first, order, axis=1)]
        return best

    def place(self, cls: int) -> int | None:
        """Return where a class is in ``classes``; None where it has no test image."""
        at = int(np.searchsorted(self.classes, cls))
        return at if at < len(self.classes) and self.classes[at] == cls else None


def _as_it_is(block: np.ndarray) -> np.ndarray:
    return block


@dataclass(frozen=True, eq=False)
class LargeScale:
    """What one method reaches on the nine sets.

    Attributes
    ----------
    params : parameters, chosen on the fold, or the defaults where there is none
    validated : whether they were chosen
    counts : ranks of the true class in every set
    rows : int array of shape (n_classes,)
        Row of :func:`zslcore.datasets.imagenet.imagenet` of every class, -1 for any other class.
    answers : :class:`Answers`, None for a method whose scores are no inner products
    """

    params: Mapping[str, Any]
    validated: bool
    counts: RankCounts
    rows: np.ndarray
    answers: Answers | None

    @property
    def required_answers(self) -> Answers:
        """The answers to the images; raises where there are none."""
        if self.answers is None:
            raise ParameterError(
                "The scores of this method are no inner products, so no single answers are stored."
            )
        return self.answers

    def table(self) -> pd.DataFrame:
        """Return every accuracy of unseen images.

        Returns
        -------
        DataFrame with the columns set, task ("zsl", "gzsl"), k, candidates (with the training
        classes in GZSL), classes (that have test images), images, per_class, per_sample
        """
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

    def as_runs(self) -> list[dict[str, Any]]:
        """Return the rows of :meth:`table` in the columns of a run's row."""
        return [
            {
                "tested": f"{row['set']}, {row['task'].upper()}, top {row['k']}",
                "zsl" if row["task"] == "zsl" else "plain_unseen": row["per_class"],
            }
            for row in self.table().to_dict("records")
        ]

    def by_steps(self, k: int = 1, *, task: Task = "zsl") -> pd.DataFrame:
        """Return accuracy among all classes over the steps to the nearest training class.

        Returns
        -------
        DataFrame with the columns steps (``FAR`` stands for as many and more), classes, accuracy
        (mean of the classes), chance
        """
        classes, accuracy = self._unseen("All", k, task)
        steps = np.minimum(imagenet().steps[self.rows[classes]], FAR)
        return self._grouped(steps, accuracy, "steps", k, task)

    def by_population(
        self, k: int = 1, *, task: Task = "zsl", simulated: bool = False
    ) -> pd.DataFrame:
        """Return accuracy among all classes over their number of images.

        Parameters
        ----------
        k : number of answers per image; 1 for the usual accuracy
        task : "zsl" or "gzsl"
        simulated : whether to group by ImageNet's numbers of images that a stand-in simulates,
            not by the data's own

        Returns
        -------
        DataFrame with the columns least (the group's first number of images), classes, accuracy,
        chance
        """
        classes, accuracy = self._unseen("All", k, task)
        counts = self.counts
        images = counts.totals[np.searchsorted(counts.classes, classes)]
        if simulated:
            images = populations()[self.rows[classes]]
        group = np.searchsorted(POPULATIONS, images, side="right") - 1
        least = np.array(POPULATIONS)[group]
        return self._grouped(least, accuracy, "least", k, task)

    def _unseen(self, name: str, k: int, task: Task) -> tuple[np.ndarray, np.ndarray]:
        classes, accuracy = self.counts.per_class(name, k, task=task)
        unseen = ~self.counts.seen[classes]
        return classes[unseen], accuracy[unseen]

    def _grouped(
        self, by: np.ndarray, accuracy: np.ndarray, column: str, k: int, task: Task
    ) -> pd.DataFrame:
        table = pd.DataFrame({column: by, "accuracy": accuracy})
        grouped = table.groupby(column)["accuracy"].agg(classes="size", accuracy="mean")
        inside = self.counts.in_set[self.counts.names.index("All")].sum()
        n = int(inside + (self.counts.seen.sum() if task == "gzsl" else 0))
        return grouped.reset_index().assign(chance=k / n)


@dataclass(frozen=True)
class LargeScaleStudy(Study[LargeScale]):
    """A method on a data set whose classes are those of ImageNet-21K.

    Attributes
    ----------
    dataset, digest : the data and their content
    method : name
    seed : of methods that draw, and of which rows validate
    images : whether the answers to single images are stored, which take most of the bytes
    """

    kind = "large_scale"
    #: 2 scales features and prototypes as all runs do.
    REVISION = 2

    dataset: str
    digest: str
    method: str
    seed: int = 0
    images: bool = True

    @property
    def title(self) -> str:
        """Description on the screen."""
        return f"{self.method} on the ImageNet test sets, {self.dataset}"

    @property
    def arguments(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return {k: v for k, v in asdict(self).items() if k != "images" or not self.images}

    @property
    def made_by(self) -> dict[str, Any]:
        """Revisions of the methods and, where they are searched, their grids."""
        method = get_method(self.method)()
        return made_by(method) | {"grid": dict(method.param_grid)}

    @property
    def threads(self) -> int:
        """Threads of linear algebra."""
        return 2  # a block of images against 21,345 candidates is a long product

    def compute(self, report: Report) -> LargeScale:
        """Measure, and store the accuracies as a result, too."""
        found = measure(self, load(self.dataset).required(self.digest), report)
        about = replace(self, images=True).arguments | {
            "params": json.dumps(dict(found.params)),
            "params_origin": "validated" if found.validated else "given",
            "revisions": json.dumps(self.made_by["revisions"]),
        }
        key = replace(self, images=True).key
        ResultStore().try_put_result(result_of("large-scale", key, about, found.as_runs()))
        return found if self.images else replace(found, answers=None)


def measure(
    spec: LargeScaleStudy,
    dataset: ZSLDataset,
    on_progress: Progress = lambda *_: None,
    *,
    engine: Engine = HERE,
) -> LargeScale:
    """Choose parameters, fit, and count on all nine sets.

    Parameters
    ----------
    spec : LargeScaleStudy
    dataset : ZSLDataset, whose class names have ids such as ``n01440764``
    on_progress : callable(done, total, message)
    engine : where ranks are counted

    Raises
    ------
    DatasetError
        When no unseen class is in any of the nine sets.
    ParameterError
        For a method with a novelty detector, which decides what scores do not know.
    """
    split, method = dataset.split(), get_method(spec.method)()
    rows = imagenet_rows(dataset.class_names)
    require_unseen(dataset, split)
    sets = _sets(dataset, rows)
    params = _chosen(dataset, method, spec.seed, on_progress) if split.folds else {}
    on_progress(1, 2, f"Fitting on {len(split.seen_classes):,} classes")
    test = np.concatenate([split.test_seen, split.test_unseen])
    everything = np.arange(dataset.n_classes)
    problem = Problem.of(dataset, Preprocessing(), split.trainval, test, everything)
    fitted = with_seed(method.set_params(**params), spec.seed).fit(problem.X, problem.y, problem.S)
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
        on_done=lambda done, total: on_progress(
            total + done, 2 * total, f"Ranks of {len(test):,} images: part {done} of {total}"
        ),
    )
    answers = None
    if isinstance(scores, ScoreMap):
        answers = _answers(scores, problem.X_test, problem.y_test, problem.seen)
    return LargeScale(params, bool(split.folds), counts, rows, answers)


def _chosen(
    dataset: ZSLDataset, method: ZSLEstimator, seed: int, on_progress: Progress
) -> dict[str, Any]:
    """Return the parameters that the folds choose for ZSL."""

    def tell(done: int, total: int, _: str) -> None:
        what = f"Parameters on the validation classes: {done} of {total}"
        on_progress(done, 2 * total, what)

    setting = Setting(dataset, dataset.split(), seed=seed, tell=tell)
    return setting.select(method, task="zsl", with_gamma=False).params


def _sets(dataset: ZSLDataset, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Return the classes of these data that are in each set, for sets that have any."""
    facts, unseen = imagenet(), dataset.split().unseen_classes
    known = unseen[rows[unseen] >= 0]
    found = {name: known[facts.sets[name][rows[known]]] for name in SETS}
    found = {name: classes for name, classes in found.items() if len(classes)}
    if "All" not in found:
        raise DatasetError(
            f"{dataset.name}: expected unseen classes whose names have an id of ImageNet-21K, such "
            f"as n01440764; none of the {len(unseen)} is in a test set of the benchmark."
        )
    return found


def _answers(scores: ScoreMap, X: FeatureView, y: np.ndarray, seen: np.ndarray) -> Answers:
    """Return the first test image of every unseen class as the method sees it."""
    classes, first = np.unique(y, return_index=True)
    first, classes = first[~seen[classes]], classes[~seen[classes]]
    block = np.asarray(X.rows(first)).astype(scores.dtype, copy=False)
    return Answers(classes, scores.embed(block, *scores.weights), scores.codes, scores.offset)


# --- Along the hierarchy --------------------------------------------------------------------------


def hierarchical_precision(result: LargeScale, sample: int = SAMPLE) -> pd.DataFrame:
    """Return the hierarchical precision in every set, see the module's docstring.

    Parameters
    ----------
    result : LargeScale, with ``answers``
    sample : classes of a set, spread evenly, whose first test image is answered

    Returns
    -------
    DataFrame with the columns set, k, hp, flat (the right class is among the first k), images

    Raises
    ------
    ParameterError
        When no answers are stored.
    """
    answers, counts, rows, found = result.required_answers, result.counts, result.rows, []
    for name, inside in zip(counts.names, counts.in_set, strict=True):
        candidates = np.flatnonzero(inside)
        tested = np.flatnonzero(inside[answers.classes])
        which = tested[np.unique(np.linspace(0, len(tested) - 1, sample).astype(int))]
        best = answers.best(which, candidates, max(counts.ks))
        place = np.searchsorted(candidates, best)
        steps = _steps(rows[answers.classes[which]], rows[candidates])
        for k in (k for k in counts.ks if k <= len(candidates)):
            limit = np.partition(steps, k - 1, axis=1)[:, k - 1 : k]
            of_answers = np.take_along_axis(steps, place[:, :k], axis=1)
            right = (best[:, :k] == answers.classes[which][:, None]).any(axis=1)
            hp, flat = float((of_answers <= limit).mean()), float(right.mean())
            found.append({"set": name, "k": k, "hp": hp, "flat": flat, "images": len(which)})
    return pd.DataFrame(found)


def _steps(centers: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Return the steps from each class to each candidate over what both are kinds of."""
    up, down = imagenet().heights(centers), imagenet().heights(candidates).tocsc()
    steps = np.full((len(centers), len(candidates)), np.iinfo(np.int16).max, dtype=np.int16)
    for row, of_row in enumerate(steps):
        for at in range(up.indptr[row], up.indptr[row + 1]):
            below = slice(*down.indptr[up.indices[at] : up.indices[at] + 2])
            under = down.indices[below]
            of_row[under] = np.minimum(of_row[under], up.data[at] + down.data[below] - 2)
    return steps


def nearest_answers(
    result: LargeScale, row: int, k: int = 10, *, task: Task = "zsl"
) -> pd.DataFrame:
    """Return the answers to the first test image of a class, along the hypernym tree.

    Parameters
    ----------
    result : LargeScale, with ``answers``
    row : of the class in :func:`zslcore.datasets.imagenet.imagenet`
    k : answers
    task : "zsl" (all unseen classes) or "gzsl" (training classes, too)

    Returns
    -------
    DataFrame with the columns rank, synset, class, seen, steps (along the relation to the right
    class), common (what both are kinds of), depth (steps from there to the top); empty where the
    class has no test image

    Raises
    ------
    ParameterError
        When no answers are stored.
    """
    answers, counts, facts = result.required_answers, result.counts, imagenet()
    columns = ["rank", "synset", "class", "seen", "steps", "common", "depth"]
    own = np.flatnonzero(result.rows == row)
    place = answers.place(int(own[0])) if len(own) else None
    if place is None:
        return pd.DataFrame(columns=columns)
    inside = counts.in_set[counts.names.index("All")]
    candidates = np.flatnonzero(inside | counts.seen if task == "gzsl" else inside)
    found = []
    for rank, cls in enumerate(answers.best(np.array([place]), candidates, k)[0], 1):
        other = int(result.rows[cls])
        common, steps = facts.meeting(row, other)
        depth = max(facts.ancestors(common).values())
        named = (facts.synsets[other], facts.names[other], bool(counts.seen[cls]))
        found.append((rank, *named, steps, facts.names[common], depth))
    return pd.DataFrame(found, columns=columns)


def printed() -> pd.DataFrame:
    """Return the benchmark's table 5, a method a row and a set a column, fractions."""
    table = published("imagenet_zsl_top1")
    wide = table.pivot_table(index="method", columns="split", values="top1_per_class", sort=False)
    return wide[list(SETS)]
