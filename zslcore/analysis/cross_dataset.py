"""Train on one data set, test on another with the same classes.

Parameters and gamma are chosen on the folds of the *training* data set, since the other one is
unknown before the test; one fit is then scored on both test sets. The resulting table is tested in
:mod:`zslcore.analysis.cross_tests`.

References
----------
Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of the
good, the bad and the ugly", TPAMI 2019, section "Results on our proposed AWA2".
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from sklearn.base import clone

from zslcore import version
from zslcore.analysis.study import Report, Study, made_by
from zslcore.datasets import load
from zslcore.datasets.base import ZSLDataset
from zslcore.evaluation import protocol
from zslcore.evaluation.runs import Origin, choose
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import DatasetError
from zslcore.methods import METHODS, GenerativeZSL
from zslcore.methods.base import with_seed
from zslcore.results.result import result_of
from zslcore.results.store import ResultStore
from zslcore.storage.records import Schema, UnreadableError

Progress = Callable[[float, float, str], None]


# --- Fitting on one, scoring on both --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CrossAccuracy:
    """The figures of one fit on several test sets.

    Attributes
    ----------
    spec : RunSpec, whose data set is the one trained on, with its digest
    params, params_origin : the parameters used, "validated" (on the folds of that set) or "given"
    gamma, gamma_origin : the calibration gamma used, None where nothing could choose it
    evaluations : name of a test data set -> its figures
    seconds : wall time
    """

    spec: RunSpec
    params: dict[str, Any]
    params_origin: Origin
    gamma: float | None
    gamma_origin: Origin | None
    evaluations: dict[str, protocol.Evaluation]
    seconds: float
    version: str
    commit: str

    def rows(self) -> list[dict[str, Any]]:
        """Return one tidy row per test set; the first columns are those of the printed table."""
        return [self._row(name, figures) for name, figures in self.evaluations.items()]

    def _row(self, test: str, figures: protocol.Evaluation) -> dict[str, Any]:
        spec = self.spec
        row: dict[str, Any] = {"method": spec.method, "train_dataset": spec.dataset}
        row |= {"test_dataset": test}
        row |= {"top1_per_class": figures.zsl, "top1_per_sample": figures.zsl_per_sample}
        for name in ("plain", "calibrated"):
            for figure in ("unseen", "seen", "harmonic"):
                row[f"{name}_{figure}"] = getattr(getattr(figures, name), figure, None)
        row |= {"ausuc": figures.ausuc, "gamma": self.gamma, "gamma_origin": self.gamma_origin}
        row |= {"params": json.dumps(self.params), "params_origin": self.params_origin}
        row |= {name: getattr(spec, name) for name in ("split", "select_for", "seed")}
        return row | {"seconds": self.seconds, "version": self.version, "commit": self.commit}

    def about(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Return what was fitted, and one row of figures per test set, as a run's row has them."""
        spec, shared = self.spec, {"dataset": self.spec.dataset, "digest": self.spec.digest}
        names = ("method", "split", "select_for", "features", "prototypes", "seed")
        shared |= {name: getattr(spec, name) for name in names}
        names = ("gamma", "gamma_origin", "params_origin", "seconds", "version", "commit")
        shared |= {name: getattr(self, name) for name in names}
        shared |= {"params": json.dumps(self.params), "revisions": json.dumps(spec.revisions)}
        rows = []
        for row in self.rows():
            figures = {name: value for name, value in row.items() if name not in shared}
            for name in ("train_dataset", "test_dataset", "top1_per_class", "top1_per_sample"):
                del figures[name]
            figures["zsl"], figures["tested"] = row["top1_per_class"], row["test_dataset"]
            rows.append(figures)
        return shared, rows

    def to_json(self) -> str:
        """Return the result as JSON, under the version of its schema."""
        return SCHEMA.dump(self)

    @classmethod
    def from_json(cls, text: str) -> CrossAccuracy:
        """Read what :meth:`to_json` wrote; raises UnreadableError for any other text."""
        return SCHEMA.load(text)


SCHEMA = Schema(CrossAccuracy, version=3)


def check_pair(train: ZSLDataset, test: ZSLDataset, split: str) -> None:
    """Refuse data sets of which one cannot be tested with what was trained on the other.

    Of equally many features it cannot be seen that they mean the same: that is for the caller to
    know.

    Raises
    ------
    DatasetError
        When classes, the number of features, or the classes of the split differ.
    """
    pair = f"{train.name} and {test.name}"
    one, two = set(train.class_names), set(test.class_names)
    if one != two or len(one) != train.n_classes or len(two) != test.n_classes:
        odd = ", ".join(sorted(one ^ two)[:3])
        raise DatasetError(
            f"{pair}: training on one and testing on the other needs the same classes by name, "
            f"each once; got {train.n_classes} and {test.n_classes} with {len(one & two)} in common"
            + (f", not in both: {odd}." if odd else ".")
        )
    widths = train.features.shape[1], test.features.shape[1]
    if widths[0] != widths[1]:
        raise DatasetError(
            f"{pair}: training on one and testing on the other needs the same features; "
            f"got {widths[0]:,} and {widths[1]:,} of them."
        )
    a, b = train.split(split), test.split(split)
    for what in ("seen", "unseen"):
        names = [
            {data.class_names[c] for c in getattr(part, f"{what}_classes")}
            for data, part in ((train, a), (test, b))
        ]
        if names[0] != names[1]:
            raise DatasetError(
                f"{pair}, split {split!r}: the {what} classes must be the same in both; "
                f"{len(names[0] ^ names[1])} are in one only."
            )


def cross_accuracy(
    spec: RunSpec,
    train: ZSLDataset,
    tests: Sequence[ZSLDataset],
    *,
    on_progress: protocol.Progress | None = None,
) -> CrossAccuracy:
    """Fit once on ``train`` and score every test set.

    What ``spec`` does not give is chosen on the folds of ``train``, and everything that is learnt,
    deviations for scaling and prototypes included, is its own; of a test set only its features, and
    its labels to judge the answers, are used.

    Parameters
    ----------
    spec : RunSpec, whose data set is ``train``
    tests : data sets with the classes, features and split of ``train``, which may be among them
    on_progress : callable(done, total), optional
        Called after every fit-and-score of the selection. What it raises ends the work.

    Raises
    ------
    DatasetError
        When a test set does not go with ``train``, see :func:`check_pair`, or ``spec`` was made for
        other data.
    """
    start = time.perf_counter()
    if spec.dataset != train.name or spec.digest not in ("", train.digest):
        raise DatasetError(
            f"{spec.dataset}: the run asks for data {spec.digest or 'of that name'}; "
            f"got {train.name} with {train.digest}."
        )
    for test in tests:
        check_pair(train, test, spec.split)
    spec, split = replace(spec.present, digest=train.digest), train.split(spec.split)
    method = with_seed(spec.estimator, spec.seed)
    chosen = choose(spec, method, train, on_progress)
    own = protocol.Problem.of_test(train, split, spec.preprocessing)
    fitted = clone(method).set_params(**chosen.params).fit(own.X, own.y, own.S)
    evaluations, gamma = {}, 0.0 if chosen.gamma is None else chosen.gamma
    for test in tests:
        scores = _problem_on(own, train, test, spec.split).scored(fitted)
        evaluations[test.name] = protocol.evaluate(scores, gamma)
    return CrossAccuracy(
        spec=spec,
        params=chosen.params,
        params_origin=chosen.params_origin,
        gamma=chosen.gamma,
        gamma_origin=chosen.gamma_origin,
        evaluations=evaluations,
        seconds=time.perf_counter() - start,
        version=version.version(),
        commit=version.commit(),
    )


def _problem_on(
    own: protocol.Problem, train: ZSLDataset, test: ZSLDataset, split: str
) -> protocol.Problem:
    """Return the problem with the test rows of another data set, whose classes go by name."""
    part = test.split(split)
    rows = np.concatenate([part.test_seen, part.test_unseen])
    number = {name: c for c, name in enumerate(train.class_names)}
    in_train = np.array([number[name] for name in test.class_names])
    return replace(
        own,
        X_test=own.X.of(test.features, rows),
        y_test=np.searchsorted(own.classes, in_train[test.labels[rows]]),
    )


# --- The table ------------------------------------------------------------------------------------


def cross_table(
    first: ZSLDataset,
    second: ZSLDataset,
    methods: Iterable[str] | None = None,
    *,
    split: str = "PS",
    across: bool = True,
    store: ResultStore | None = None,
    on_progress: Progress | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Train every method on each of two data sets and test it on both.

    Parameters
    ----------
    methods : names, by default all inductive methods that can be fitted on both
    across : False for data sets whose features differ: each is tested on itself only
    store : where finished fits are looked up and stored
    on_progress : callable(done, total, message), optional
        Called after every fit; ``total`` is two fits a method, parts of a fit are fractions. What
        it raises ends the work; the store keeps what was finished.
    **options
        Of :class:`RunSpec`: ``select_for`` ("zsl" by default, as the printed table has it),
        ``features``, ``prototypes``, ``seed``.

    Returns
    -------
    DataFrame
        One row per method, training and test set: ``method``, ``train_dataset``, ``test_dataset``,
        ``top1_per_class`` as the printed table has them, then the other figures of
        :meth:`CrossAccuracy.rows`. Four rows a method, two when not ``across``.

    Raises
    ------
    DatasetError
        When one cannot be tested with what was trained on the other; see :func:`check_pair`.
    """
    if first.name == second.name:
        raise DatasetError(f"{first.name}: two different data sets are needed to compare.")
    if across:
        check_pair(first, second, split)
    if methods is None:
        fitting = fitting_methods(first, second)
        methods = [name for name in fitting if not issubclass(METHODS[name], GenerativeZSL)]
    options = {"select_for": "zsl"} | options
    data = {True: (first, (first, second)), False: (second, (second, first))}
    work = [(name, is_first) for name in methods for is_first in (True, False)]
    rows = []
    for done, (name, is_first) in enumerate(work):
        train, tests = data[is_first]
        spec = RunSpec(train.name, split, name, digest=train.digest, **options)
        message = f"{name} on {train.name}"
        tick = _tick(on_progress, done, len(work), message)
        rows += _stored(spec, train, tests if across else tests[:1], store, tick).rows()
        if on_progress:
            on_progress(done + 1, len(work), message)
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class CrossStudy(Study[pd.DataFrame]):
    """Methods trained on each of two data sets and tested on both, see :func:`cross_table`.

    Finished fits are stored, so that a cancelled study resumes where it stopped.
    """

    kind = "cross"

    first: str
    second: str
    digests: tuple[str, str]
    split: str
    methods: tuple[str, ...]
    select_for: Literal["zsl", "gzsl"] = "zsl"
    across: bool = True

    @classmethod
    def of(
        cls,
        first: ZSLDataset,
        second: ZSLDataset,
        split: str,
        methods: Iterable[str],
        *,
        across: bool = True,
    ) -> Self:
        """Return the study of two open data sets."""
        digests, names = (first.digest, second.digest), tuple(sorted(methods))
        return cls(first.name, second.name, digests, split, names, across=across)

    @property
    def title(self) -> str:
        """Description on the screen."""
        pair = f"{self.first} and {self.second}"
        return f"{len(self.methods)} methods on {pair}, split {self.split}"

    @property
    def made_by(self) -> dict[str, Any]:
        """Revisions of the methods and, where they are searched, their grids."""
        return made_by(*(METHODS[name]() for name in self.methods), grids=True)

    def compute(self, report: Report) -> pd.DataFrame:
        """Make the table."""
        return cross_table(
            load(self.first),
            load(self.second),
            self.methods,
            split=self.split,
            select_for=self.select_for,
            across=self.across,
            store=ResultStore(),
            on_progress=report,
        )


def fitting_methods(*datasets: ZSLDataset) -> list[str]:
    """Return the inductive methods that can be fitted on every one of some data sets.

    Some want features and prototypes in one space.
    """
    joint = all(data.features.shape[1] == data.prototypes.shape[1] for data in datasets)
    return [name for name, method in METHODS.items() if joint or not method.card.joint_space]


def _stored(
    spec: RunSpec,
    train: ZSLDataset,
    tests: Sequence[ZSLDataset],
    store: ResultStore | None,
    on_progress: protocol.Progress | None,
) -> CrossAccuracy:
    """Return the stored result of a fit, or make and store it."""
    if store is None:
        return cross_accuracy(spec, train, tests, on_progress=on_progress)
    key = crossed_key(spec, tests)
    result = stored_crossed(store, key)
    if result is None:
        result = cross_accuracy(spec, train, tests, on_progress=on_progress)
        store.put_result(result_of("crossed", key, *result.about(), json.loads(result.to_json())))
    return result


def crossed_key(spec: RunSpec, tests: Sequence[ZSLDataset]) -> str:
    """Return the SHA-256 of a fit and its test sets, 16 hex digits."""
    of = [spec.to_json(), *sorted(f"{test.name} {test.digest}" for test in tests)]
    return hashlib.sha256("\n".join(of).encode()).hexdigest()[:16]


def stored_crossed(store: ResultStore, key: str) -> CrossAccuracy | None:
    """Return a stored result; None without one, or with one that cannot be read."""
    text = store.record("crossed", key)
    with suppress(UnreadableError):
        return None if text is None else CrossAccuracy.from_json(text)
    return None


def _tick(
    on_progress: Progress | None, before: int, total: int, message: str
) -> protocol.Progress | None:
    """Return what a selection calls: it is a part of one fit of ``total``."""
    if on_progress is None:
        return None
    return lambda done, of: on_progress(before + 0.99 * done / of, total, message)


# --- Images per class -----------------------------------------------------------------------------
