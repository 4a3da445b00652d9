r"""Accuracies of many candidate sets from one pass over the test rows, without a score matrix.

The top-:math:`k` prediction for an image of class :math:`y` among the candidates :math:`T` is
correct if fewer than :math:`k` candidates rank before :math:`y`:

.. math::
    r_T(x) = \# \{ c \in T : F(x, c) > F(x, y) \;\text{or}\;
    F(x, c) = F(x, y), \, c < y \} < k,

where equal scores are ranked by column, as in ``argmax``. Candidate sets overlap: the nine sets in
the ImageNet experiments of the benchmark (Xian et al., TPAMI 2019) are unions of 21 *atoms*, groups
of classes that belong to the same sets; the seen classes are one more atom. The classes that rank
before the true class are counted once per atom, and the rank in a union is the sum over its atoms.
One pass over the images thus gives exact top-1 to top-20 accuracies for all sets, among their own
candidates (ZSL) and together with the seen classes (GZSL).

The exact seen-unseen curve of a set follows from the best seen and the best unseen class of each
image with their scores (:mod:`zslcore.metrics`).

At any time, only the scores of one block of rows are in memory.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Self

import joblib
import numpy as np

from zslcore.exceptions import DatasetError, ParameterError, require_known
from zslcore.features import Features, FeatureView, chunks
from zslcore.large.engine import HERE, Engine, chunks_of, compute_chunks
from zslcore.large.shards import Shards
from zslcore.methods.score_map import ScoreMap, Scorer
from zslcore.metrics import Average, CurveSteps, SeenUnseenCurve, compute_margins
from zslcore.progress import Progress, silent

#: Values of k of the top-k accuracies.
KS = (1, 2, 5, 10, 20)
#: Values in a block of scores: 32 MiB in single precision, enough for products at full speed.
BLOCK_VALUES = 1 << 23
#: Increased when the counts for the same rows and scores change.
REVISION = 1

Task = Literal["zsl", "gzsl"]


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """Groups of candidates that are in the same sets, and sets as unions of such atoms.

    ``of_class`` is the atom of each candidate, -1 for candidates in no set. ``in_set`` has shape
    (n_sets, n_atoms), True if the set includes the atom. ``seen`` is True for atoms of seen
    classes, False for atoms of unseen classes.
    """

    of_class: np.ndarray
    names: tuple[str, ...]
    in_set: np.ndarray
    seen: np.ndarray

    @classmethod
    def of(cls, sets: Mapping[str, np.ndarray], seen: np.ndarray) -> Self:
        """Group candidates into atoms; the sets are int or bool arrays of candidates.

        Raises ParameterError without sets, and for a set that is empty or has unknown candidates.
        """
        seen = np.asarray(seen)
        if seen.dtype != bool or seen.ndim != 1 or not sets:
            raise ParameterError(
                "Candidate sets: expected at least one, and one bool per candidate, true if it is "
                f"seen; got {len(sets)} sets and {seen.shape} of {seen.dtype}."
            )
        inside = np.array([_mask(name, members, len(seen)) for name, members in sets.items()])
        used = inside.any(axis=0) | seen
        columns, atom = np.unique(np.vstack([inside, seen])[:, used], axis=1, return_inverse=True)
        of_class = np.full(len(seen), -1)
        of_class[used] = atom.ravel()
        return cls(of_class, tuple(sets), columns[:-1], columns[-1])

    @property
    def n_atoms(self) -> int:
        """Number of atoms."""
        return len(self.seen)

    def with_seen(self) -> np.ndarray:
        """Return the atoms of each set for GZSL: its own atoms and those of the seen classes."""
        return self.in_set | self.seen


def _mask(name: str, members: np.ndarray, n: int) -> np.ndarray:
    members = np.asarray(members)
    if members.dtype == bool and members.shape == (n,):
        members = np.flatnonzero(members)
    are_numbers = members.ndim == 1 and members.size and members.dtype.kind in "iu"
    if not are_numbers or not 0 <= members.min() <= members.max() < n:
        raise ParameterError(
            f"Candidate set {name!r}: expected candidate numbers 0..{n - 1}, at least one; got "
            f"{members.shape} of {members.dtype}."
        )
    mask = np.zeros(n, bool)
    mask[members] = True
    return mask


@dataclass(frozen=True, slots=True, eq=False)
class Images:
    """Best classes of each image, from which predictions and exact curves follow.

    Attributes
    ----------
    rows : int array of shape (n,), row number of each image in the input
    y : int32 array of shape (n,), true classes
    best_seen : array of shape (n,), best score among seen classes
    best : array of shape (n, n_curves), best score among the unseen classes of each curve's set
    best_seen_class, best_class : int32 arrays of shape (n,) and (n, n_curves)
        Classes with these scores, the first in a tie; -1 if there is no such class.
    """

    rows: np.ndarray
    y: np.ndarray
    best_seen: np.ndarray
    best: np.ndarray
    best_seen_class: np.ndarray
    best_class: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Counts of one pass over some rows.

    ``classes`` are the classes with images, increasing, and ``totals`` their numbers of images.
    ``hits`` has shape (2, n_sets, n_ks, n_classes), with ZSL before GZSL: the number of images of a
    class for which this class is among the ``k`` best candidates of the set. It is 0 for classes
    that are not candidates of the set.
    """

    classes: np.ndarray
    totals: np.ndarray
    hits: np.ndarray
    images: Images


def merged(parts: Sequence[Counts]) -> Counts:
    """Return the sum of counts, with images in the order of rows."""
    classes = np.unique(np.concatenate([counts.classes for counts in parts]))
    totals = np.zeros(len(classes), np.int64)
    hits = np.zeros((*parts[0].hits.shape[:3], len(classes)), np.int64)
    for counts in parts:
        at = np.searchsorted(classes, counts.classes)
        totals[at] += counts.totals
        hits[..., at] += counts.hits
    order = np.argsort(np.concatenate([counts.images.rows for counts in parts]), kind="stable")
    images = Images(
        *(
            np.concatenate([getattr(counts.images, name) for counts in parts])[order]
            for name in Images.__slots__
        )
    )
    return Counts(classes, totals, hits, images)


@dataclass(frozen=True, slots=True, eq=False)
class RankCounts(Counts):
    """Counts of true classes among the k best, and the accuracies that follow.

    Attributes
    ----------
    names : names of the candidate sets
    ks : values of k
    curves : names of the sets with a seen-unseen curve
    in_set : bool array of shape (n_sets, n_candidates), the candidates of each set
    seen : bool array of shape (n_candidates,)
    """

    names: tuple[str, ...]
    ks: tuple[int, ...]
    curves: tuple[str, ...]
    in_set: np.ndarray
    seen: np.ndarray

    def per_class(
        self, name: str, k: int = 1, *, task: Task = "zsl"
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the candidates of a set that have images, and their top-k accuracies.

        Both arrays have shape (n_counted,), and classes are increasing. The candidates are the
        classes of the set and, for the task "gzsl", the seen classes; the accuracies include the
        seen classes in this case.
        """
        counted, hits = self._counted(name, k, task)
        return self.classes[counted], hits[counted] / self.totals[counted]

    def accuracy(
        self,
        name: str,
        k: int = 1,
        *,
        task: Task = "zsl",
        side: Literal["unseen", "seen"] = "unseen",
        average: Average = "class",
    ) -> float:
        """Return a top-k accuracy as a fraction; NaN without images.

        The candidates are the classes of the set and, for the task "gzsl", the seen classes. The
        accuracy is over images of the set's unseen classes if ``side`` is "unseen", and over images
        of seen classes if it is "seen" (GZSL only). ``average`` is "class" (mean of per-class
        accuracies) or "sample".
        """
        counted, hits = self._counted(name, k, task)
        counted = counted & (self.seen[self.classes] == (side == "seen"))
        if average not in ("class", "sample"):
            raise ParameterError(f"average must be 'class' or 'sample'; got {average!r}.")
        if not counted.any():
            return float("nan")
        hits, totals = hits[counted], self.totals[counted]
        return float((hits / totals).mean() if average == "class" else hits.sum() / totals.sum())

    def curve(self, name: str, *, average: Average = "class") -> SeenUnseenCurve:
        """Return the exact seen-unseen curve of a set, equal to the curve of a full score matrix.

        Raises ZSLError without images of seen classes, or of unseen classes of the set.
        """
        require_known("seen-unseen curve", name, self.curves)
        i, images = self.curves.index(name), self.images
        of_seen = self.seen[images.y]
        counted = of_seen | self.in_set[self.names.index(name)][images.y]
        y, of_seen = images.y[counted], of_seen[counted]
        right = (
            np.where(of_seen, images.best_seen_class[counted], images.best_class[counted, i]) == y
        )
        a, b = images.best_seen[counted], images.best[counted, i]
        best = a.astype(np.float64), b.astype(np.float64)
        return CurveSteps.of(y, of_seen, right, *compute_margins(*best, a.dtype)).curve(average)

    def _counted(self, name: str, k: int, task: Task) -> tuple[np.ndarray, np.ndarray]:
        """Return the mask of ``classes`` that are candidates, and the hits of all classes."""
        require_known("candidate set", name, self.names)
        if k not in self.ks or task not in ("zsl", "gzsl"):
            raise ParameterError(
                f"Expected k of {', '.join(map(str, self.ks))} and the task 'zsl' or 'gzsl'; "
                f"got k = {k} and {task!r}."
            )
        i = self.names.index(name)
        counted = self.in_set[i][self.classes]
        if task == "gzsl":
            counted = counted | self.seen[self.classes]
        return counted, self.hits[int(task == "gzsl"), i, self.ks.index(k)]


def count_ranks(
    X: Features | Shards,
    y: np.ndarray,
    scorer: Scorer,
    sets: Mapping[str, np.ndarray],
    seen: np.ndarray,
    *,
    ks: Sequence[int] = KS,
    curves: Sequence[str] | None = None,
    engine: Engine = HERE,
    keep: Path | None = None,
    progress: Progress = silent,
) -> RankCounts:
    """Count how often the true class is among the k best, for all candidate sets at once.

    Parameters
    ----------
    X : test images of seen and unseen classes, of shape (n_samples, n_features)
    y : int array of shape (n_samples,), candidate numbers; images of unseen classes outside all
        sets are left out
    scorer : ScoreMap, or callable(block) -> scores of shape (n, n_candidates); for example the
        :meth:`zslcore.methods.base.ZSLEstimator.score_map` of a fitted method. The curve depends on
        its precision.
    sets : name -> candidates, int or bool array; sets may overlap
    seen : bool array of shape (n_candidates,), True for seen classes
    curves : names of the sets with a seen-unseen curve, by default all; in single or double
        precision, each set takes 8 or 12 bytes per image, and the seen classes 12 or 16
    keep : folder in which finished chunks of rows are stored; see :mod:`zslcore.large.engine`
    progress : callable(done, total, message), called after each chunk

    Raises
    ------
    ParameterError
        For invalid sets, values of k, or names of curves.
    DatasetError
        If a label is not a candidate, no image remains, or a score is NaN or plus infinity.
    """
    y = np.asarray(y)
    atoms = Atoms.of(sets, seen)
    ks, names = tuple(ks), atoms.names if curves is None else tuple(curves)
    _check(X, y, atoms, ks, names)
    view = X if isinstance(X, FeatureView) else FeatureView(X)
    rows = np.flatnonzero(atoms.of_class[y] >= 0)
    if not len(rows):
        raise DatasetError("No image belongs to a class that is seen or in a candidate set.")
    everything = len(rows) == len(y)
    plan = _Plan.of(scorer, atoms, ks, names)
    chunks = chunks_of(view if everything else view.rows(rows))
    by_row, digest = [y[rows].astype(np.int32)], "" if keep is None else plan.digest()
    done = compute_chunks(
        _count, chunks, by_row, plan, digest, engine=engine, keep=keep, progress=progress
    )
    counted = []
    for k, counts in done:
        images = replace(counts.images, rows=rows[chunks[k].positions])
        counted.append(replace(counts, images=images))
    total = merged(counted)
    in_set = np.zeros((len(atoms.names), len(atoms.of_class)), bool)
    used = atoms.of_class >= 0
    in_set[:, used] = atoms.in_set[:, atoms.of_class[used]]
    return RankCounts(
        **{name: getattr(total, name) for name in Counts.__slots__},
        names=atoms.names,
        ks=ks,
        curves=names,
        in_set=in_set,
        seen=np.asarray(seen),
    )


def _check(
    X: Features | Shards, y: np.ndarray, atoms: Atoms, ks: tuple[int, ...], curves: tuple[str, ...]
) -> None:
    n = len(atoms.of_class)
    if (
        y.shape != (len(X),)
        or y.dtype.kind not in "iu"
        or (y.size and not 0 <= y.min() <= y.max() < n)
    ):
        raise DatasetError(
            f"Labels must be one candidate number per row, 0..{n - 1}, for {len(X):,} rows; "
            f"got {y.shape} of {y.dtype}."
        )
    if not ks or min(ks) < 1:
        raise ParameterError(f"Depths k must be whole numbers of at least 1; got {ks}.")
    for name in curves:
        require_known("candidate set", name, atoms.names)


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """Candidates, atoms and sets of a count, the same for all rows.

    ``order`` is the candidate of each column; columns are grouped by atom, with increasing
    candidates. ``column_of`` is the inverse, of shape (n_candidates,). ``starts`` has the first
    column of each atom. A ``scorer`` that is a ScoreMap scores the columns; a callable scores all
    candidates.
    """

    scorer: Scorer
    atoms: Atoms
    ks: tuple[int, ...]
    curves: tuple[str, ...]
    order: np.ndarray
    column_of: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, scorer: Scorer, atoms: Atoms, ks: tuple[int, ...], curves: tuple[str, ...]) -> Self:
        of_class = atoms.of_class
        used = np.flatnonzero(of_class >= 0)
        order = used[np.argsort(of_class[used], kind="stable")]
        column_of = np.full(len(of_class), -1)
        column_of[order] = np.arange(len(order))
        starts = np.searchsorted(of_class[order], np.arange(atoms.n_atoms + 1))
        if isinstance(scorer, ScoreMap):
            scorer = scorer.of(order)
        return cls(scorer, atoms, ks, curves, order, column_of, starts)

    def digest(self) -> str:
        """Return the digest of all arrays of the plan."""
        try:
            return str(joblib.hash((REVISION, self), hash_name="sha1"))
        except (pickle.PicklingError, AttributeError) as error:
            raise ParameterError(
                "Scorer: expected a ScoreMap, or a function of a module, which workers can import; "
                f"got one that cannot be sent to them ({error})."
            ) from error

    def buffer(self, n: int) -> np.ndarray:
        """Return a buffer for scores of ``n`` rows, reused since new memory pages cost time."""
        dtype = self.scorer.dtype if isinstance(self.scorer, ScoreMap) else float
        return np.empty((n, len(self.order)), dtype)

    def scores(self, block: np.ndarray, buffer: np.ndarray) -> np.ndarray:
        if isinstance(self.scorer, ScoreMap):
            return self.scorer.scores(block, buffer)
        return np.asarray(self.scorer(block))[:, self.order]


@dataclass(frozen=True, slots=True, eq=False)
class _AtomCounts:
    """Counts and best scores per row of a block and per atom, in arrays of shape (n, n_atoms).

    ``n_before`` counts candidates that rank before the true class; ``best`` is the best score, and
    ``best_class`` the candidate with this score, the first in a tie.
    """

    n_before: np.ndarray
    best: np.ndarray
    best_class: np.ndarray


def _count(X: FeatureView, y: np.ndarray, plan: _Plan) -> Counts:
    n = max(1, BLOCK_VALUES // len(plan.order))
    buffer = plan.buffer(min(n, len(X)))
    blocks = [
        _count_before(plan.scores(block, buffer[: len(block)]), y[part], plan)
        for part, block in chunks(X, n)
    ]
    n_before, best, best_class = (
        np.concatenate([getattr(block, name) for block in blocks]) for name in _AtomCounts.__slots__
    )
    return _sum_hits(y, n_before, plan, _images(y, best, best_class, plan))


def _count_before(F: np.ndarray, y: np.ndarray, plan: _Plan) -> _AtomCounts:
    """Count the candidates of each atom that rank before the true class."""
    n, rows = len(F), np.arange(len(F))
    t = F[rows, plan.column_of[y]][:, None]
    n_before = np.empty((n, plan.atoms.n_atoms), np.int32)
    best, best_class = np.empty(n_before.shape, F.dtype), np.empty_like(n_before)
    for j, (start, end) in enumerate(zip(plan.starts, plan.starts[1:], strict=False)):
        of_atom = F[:, start:end]
        n_before[:, j] = _n_true(of_atom > t)
        k = of_atom.argmax(axis=1)
        best[:, j], best_class[:, j] = of_atom[rows, k], plan.order[start + k]
    if not (best < np.inf).all():
        raise DatasetError(
            "Scores must be numbers, or minus infinity for a class that is ruled out; got a "
            "missing value or plus infinity."
        )
    tied = np.flatnonzero(_n_true(t <= F) > n_before.sum(axis=1) + 1)
    i, column = np.nonzero(F[tied] == t[tied])
    before = plan.order[column] < y[tied[i]]
    np.add.at(n_before, (tied[i[before]], plan.atoms.of_class[plan.order[column[before]]]), 1)
    return _AtomCounts(n_before, best, best_class)


def _n_true(mask: np.ndarray) -> np.ndarray:
    """Return the number of True values per row; counting packed bits is three times as fast."""
    return np.bitwise_count(np.packbits(mask, axis=1)).sum(axis=1, dtype=np.int32)


def _sum_hits(y: np.ndarray, n_before: np.ndarray, plan: _Plan, images: Images) -> Counts:
    atoms, of_atom = plan.atoms, plan.atoms.of_class[y]
    classes, position, totals = np.unique(y, return_inverse=True, return_counts=True)
    hits = np.zeros((2, len(atoms.names), len(plan.ks), len(classes)), np.int64)
    for task, candidates in enumerate((atoms.in_set, atoms.with_seen())):
        ranks = n_before @ candidates.T.astype(np.int32)
        for i, inside in enumerate(candidates):
            counted = inside[of_atom]
            for depth, k in enumerate(plan.ks):
                of_hit = position[counted & (ranks[:, i] < k)]
                hits[task, i, depth] = np.bincount(of_hit, minlength=len(classes))
    return Counts(classes, totals, hits, images)


def _images(y: np.ndarray, best: np.ndarray, best_class: np.ndarray, plan: _Plan) -> Images:
    """Return the best seen class of each image, and the best unseen class for each curve."""
    atoms = plan.atoms
    sides = [atoms.in_set[atoms.names.index(name)] & ~atoms.seen for name in plan.curves]
    best_of_sides = [_best_of(best, best_class, side) for side in [atoms.seen, *sides]]
    values = np.column_stack([value for value, _ in best_of_sides])
    best_classes = np.column_stack([best_class for _, best_class in best_of_sides])
    rows = np.arange(len(y))
    return Images(rows, y, values[:, 0], values[:, 1:], best_classes[:, 0], best_classes[:, 1:])


def _best_of(
    best: np.ndarray, best_class: np.ndarray, among: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the best score among some atoms, and its candidate, the first in a tie."""
    if not among.any():
        return np.full(len(best), -np.inf, best.dtype), np.full(len(best), -1, np.int32)
    value = best[:, among].max(axis=1)
    last = np.iinfo(np.int32).max
    first = np.where(best[:, among] == value[:, None], best_class[:, among], last).min(axis=1)
    return value, first.astype(np.int32)
