"""Training on one data set, and testing on another with the same classes.

Parameters and gamma are chosen on the folds of the *training* data set alone. One fit is then
scored on the test sets of both data sets.

References
----------
Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of the
good, the bad and the ugly", TPAMI 2019, section "Results on our proposed AWA2".
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from sklearn.base import clone

from zslcore import version
from zslcore.analysis.study import RecordStudy, Rows, Study, code_versions
from zslcore.datasets import load
from zslcore.datasets.base import ZSLDataset
from zslcore.datasets.facts import published_table
from zslcore.evaluation import protocol
from zslcore.evaluation.predicted_tests import Evaluation, evaluate
from zslcore.evaluation.registry import on_board
from zslcore.evaluation.runs import Origin, choose
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import DatasetError
from zslcore.methods import METHODS, GenerativeZSL
from zslcore.methods.base import with_seed
from zslcore.metrics.significance import PairedTest, paired_test
from zslcore.numbers import counted
from zslcore.progress import Progress, part_of, silent
from zslcore.results.shipped import cached_dataset
from zslcore.results.store import ResultStore
from zslcore.storage.records import Schema

# --- Fitting on one, scoring on both --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CrossAccuracy:
    """Metrics of one fit on several test sets.

    Attributes
    ----------
    spec : run on the training data set, with parameters and gamma chosen on its folds
    gamma, gamma_origin : None if gamma could not be chosen
    evaluations : name of a test data set -> its metrics
    """

    spec: RunSpec
    params: dict[str, Any]
    params_origin: Origin
    gamma: float | None
    gamma_origin: Origin | None
    evaluations: dict[str, Evaluation]
    seconds: float
    version: str
    commit: str

    def rows(self) -> list[dict[str, Any]]:
        """Return one tidy row per test set, with the columns of the printed table first."""
        shared = self.shared_columns
        last = ("gamma", "gamma_origin", "params", "params_origin", "split", "select_for", "seed")
        return [
            {
                "method": self.spec.method,
                "train_dataset": self.spec.dataset,
                "test_dataset": test,
                "top1_per_class": metrics.zsl,
                "top1_per_sample": metrics.zsl_per_sample,
                **_gzsl_metrics(metrics),
                **{name: shared[name] for name in (*last, "seconds", "version", "commit")},
            }
            for test, metrics in self.evaluations.items()
        ]

    @property
    def shared_columns(self) -> dict[str, Any]:
        """Columns with the same values for all test sets."""
        spec_fields = (
            "dataset",
            "digest",
            "method",
            "split",
            "select_for",
            "features",
            "prototypes",
        )
        own_fields = ("gamma", "gamma_origin", "params_origin", "seconds", "version", "commit")
        return {
            **{name: getattr(self.spec, name) for name in (*spec_fields, "seed")},
            **{name: getattr(self, name) for name in own_fields},
            "params": json.dumps(self.params),
            "revisions": json.dumps(self.spec.revisions),
        }


SCHEMA = Schema(CrossAccuracy, version=3)


@dataclass(frozen=True)
class CrossFit(RecordStudy[CrossAccuracy]):
    """Fit scored on several data sets; ``tests`` are their names and digests."""

    kind = "crossed"
    SCHEMA = SCHEMA

    spec: RunSpec
    tests: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, spec: RunSpec, tests: Sequence[ZSLDataset]) -> Self:
        """Return the study of a run with these data sets as test sets."""
        return cls(spec, tuple((test.name, test.digest) for test in tests))

    @property
    def key(self) -> str:
        """First 16 hex digits of the SHA-256 of the spec and test sets."""
        identity = [self.spec.to_json(), *sorted(f"{name} {digest}" for name, digest in self.tests)]
        return hashlib.sha256("\n".join(identity).encode()).hexdigest()[:16]

    def compute(self, progress: Progress) -> CrossAccuracy:
        """Fit on the training data set, and score every test set."""
        train = cached_dataset(self.spec.dataset)
        tests = [cached_dataset(name).require_digest(digest) for name, digest in self.tests]
        return cross_accuracy(self.spec, train, tests, progress=progress)

    def listed(self, result: CrossAccuracy) -> tuple[Mapping[str, Any], Rows]:
        """Return the columns of the fit and the metrics of each test set."""
        tests = result.evaluations.items()
        rows = [_gzsl_metrics(e) | {"zsl": e.zsl, "tested": test} for test, e in tests]
        return result.shared_columns, rows


def _gzsl_metrics(evaluation: Evaluation) -> dict[str, float | None]:
    """Return the GZSL metrics that board entries have, by name."""
    metrics = (metric for metric in on_board().values() if metric.needs_gzsl)
    return {metric.name: metric.of(evaluation) for metric in metrics}


def check_pair(train: ZSLDataset, test: ZSLDataset, split: str) -> None:
    """Raise DatasetError unless classes, sides of the split and number of features agree.

    Whether the features have the same meaning cannot be checked.
    """
    pair = f"{train.name} and {test.name}"
    train_names, test_names = set(train.class_names), set(test.class_names)
    if (
        train_names != test_names
        or len(train_names) != train.n_classes
        or len(test_names) != test.n_classes
    ):
        odd = ", ".join(sorted(train_names ^ test_names)[:3])
        raise DatasetError(
            f"{pair}: training on one and testing on the other needs the same class names, "
            f"each once; got {train.n_classes} and {test.n_classes} with "
            f"{len(train_names & test_names)} in common"
            + (f", not in both: {odd}." if odd else ".")
        )
    widths = train.features.shape[1], test.features.shape[1]
    if widths[0] != widths[1]:
        raise DatasetError(
            f"{pair}: training on one and testing on the other needs the same number of "
            f"features; got {widths[0]:,} and {widths[1]:,}."
        )
    a, b = train.split(split), test.split(split)
    for side in ("seen", "unseen"):
        names = [
            {data.class_names[c] for c in getattr(part, f"{side}_classes")}
            for data, part in ((train, a), (test, b))
        ]
        if names[0] != names[1]:
            raise DatasetError(
                f"{pair}, split {split!r}: expected the same {side} classes in both; got "
                f"{counted(len(names[0] ^ names[1]), 'class', 'classes')} in only one."
            )


def cross_accuracy(
    spec: RunSpec,
    train: ZSLDataset,
    tests: Sequence[ZSLDataset],
    *,
    progress: Progress = silent,
) -> CrossAccuracy:
    """Fit once on ``train`` and score every test set.

    The prototypes and all estimates, including the scaling of features, are from ``train``. Only
    the features and, for scoring, the labels of a test set are used.

    Parameters
    ----------
    tests : data sets with the classes, features and split of ``train``; may include ``train``
    progress : callable(done, total, message), called while parameters are chosen, the first of two
        steps. An exception from it ends the run.

    Raises
    ------
    DatasetError
        See :func:`check_pair`; also if ``spec`` is for other data.
    """
    start = time.perf_counter()
    if spec.dataset != train.name or spec.digest not in ("", train.digest):
        raise DatasetError(
            f"{spec.dataset}: expected data {spec.digest or 'of that name'}; got {train.name} with "
            f"{train.digest}."
        )
    for test in tests:
        check_pair(train, test, spec.split)
    spec, split = replace(spec.at_current_revision, digest=train.digest), train.split(spec.split)
    method = with_seed(spec.estimator, spec.seed)
    chosen = choose(spec, method, train, part_of(progress, 0, 2))
    training_problem = protocol.Problem.of_test(train, split, spec.preprocessing)
    fitted = training_problem.fit(clone(method).set_params(**chosen.params))
    evaluations, gamma = {}, 0.0 if chosen.gamma is None else chosen.gamma
    for test in tests:
        scores = _problem_on(training_problem, train, test, spec.split).scored(fitted)
        evaluations[test.name] = evaluate(scores, gamma)
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
    training_problem: protocol.Problem, train: ZSLDataset, test: ZSLDataset, split: str
) -> protocol.Problem:
    """Return the problem with the test rows of another data set, matching classes by name."""
    part = test.split(split)
    rows = np.concatenate([part.test_seen, part.test_unseen])
    number = {name: c for c, name in enumerate(train.class_names)}
    in_train = np.array([number[name] for name in test.class_names])
    return replace(
        training_problem,
        X_test=training_problem.X.of(test.features, rows),
        y_test=np.searchsorted(training_problem.classes, in_train[test.labels[rows]]),
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
    progress: Progress = silent,
    **options: Any,
) -> pd.DataFrame:
    """Train every method on each of two data sets, and test it on both.

    Parameters
    ----------
    methods : names; by default all inductive methods that can be fitted on both data sets, except
        for methods that generate features
    across : False to test each data set on itself only, for data sets with different features
    store : finished fits are read from it and stored in it
    progress : callable(done, total, message)
        Called after each fit, and with fractional ``done`` within a fit; ``total`` is the number of
        fits, two per method. An exception from it ends the call; finished fits stay in the store.
    **options : fields of :class:`RunSpec`; ``select_for`` is "zsl" by default, as in the printed
        table

    Returns
    -------
    DataFrame
        One row per method, training and test set, with the columns of :meth:`CrossAccuracy.rows`.

    Raises
    ------
    DatasetError
        See :func:`check_pair`.
    """
    if first.name == second.name:
        raise DatasetError(f"Expected two different data sets to compare; got {first.name} twice.")
    if across:
        check_pair(first, second, split)
    if methods is None:
        fitting = fitting_methods(first, second)
        methods = [name for name in fitting if not issubclass(METHODS[name], GenerativeZSL)]
    fits = list(cross_fits(first, second, methods, split=split, across=across, **options))
    rows = []
    for done, (fit, train, tests) in enumerate(fits):
        result = None if store is None else fit.stored(store)
        if result is None:
            part = part_of(progress, done, len(fits))
            result = cross_accuracy(fit.spec, train, tests, progress=part)
            if store is not None:
                fit.put(result, store)
        rows += result.rows()
        progress(done + 1, len(fits), f"{fit.spec.method} on {train.name}")
    return pd.DataFrame(rows)


def cross_fits(
    first: ZSLDataset,
    second: ZSLDataset,
    methods: Iterable[str],
    *,
    split: str = "PS",
    across: bool = True,
    **options: Any,
) -> Iterator[tuple[CrossFit, ZSLDataset, tuple[ZSLDataset, ...]]]:
    """Yield two fits per method, with their training and test sets; see :func:`cross_table`."""
    for name in methods:
        for train, other in ((first, second), (second, first)):
            fields = {"select_for": "zsl"} | options
            spec = RunSpec(train.name, split, name, digest=train.digest, **fields)
            tests = (train, other) if across else (train,)
            yield CrossFit.of(spec, tests), train, tests


@dataclass(frozen=True)
class CrossStudy(Study[pd.DataFrame]):
    """Study that trains methods on each of two data sets, and tests them on both."""

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
        """Return the study of two data sets."""
        digests, names = (first.digest, second.digest), tuple(sorted(methods))
        return cls(first.name, second.name, digests, split, names, across=across)

    @property
    def title(self) -> str:
        """Title on screen."""
        pair = f"{self.first} and {self.second}"
        return f"{len(self.methods)} methods on {pair}, split {self.split}"

    @property
    def code_versions(self) -> dict[str, Any]:
        """Revisions of the methods, and the grids that are searched."""
        return code_versions(*(METHODS[name]() for name in self.methods), grids=True)

    def compute(self, progress: Progress) -> pd.DataFrame:
        """Compute the missing fits, and return the table."""
        return cross_table(
            load(self.first),
            load(self.second),
            self.methods,
            split=self.split,
            select_for=self.select_for,
            across=self.across,
            store=ResultStore(),
            progress=progress,
        )


def fitting_methods(*datasets: ZSLDataset) -> list[str]:
    """Return the inductive methods that can be fitted on all given data sets."""
    joint = all(data.features.shape[1] == data.prototypes.shape[1] for data in datasets)
    return [name for name, method in METHODS.items() if joint or not method.card.joint_space]


# --- The printed table ----------------------------------------------------------------------------


#: Questions of the paired tests, with placeholders for the two data sets.
QUESTIONS = {
    "training set": "{0} instead of {1} for training, same test set:",
    "test set": "{0} instead of {1} for testing, same training set:",
    "larger": (
        "Change with a different training set minus change with a different test set, absolute:"
    ),
}


def printed_table() -> pd.DataFrame:
    """Return the benchmark paper's table of AWA1 and AWA2 on split PS, as fractions."""
    return published_table("cross_dataset_awa")


def four_cells(table: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Return the printed table, or the result of :func:`cross_table`, with one row per method.

    Columns are (training set, test set): (first, first), (first, second), (second, second),
    (second, first); cells are NaN if ``table`` has no such row.
    """
    sets = ["train_dataset", "test_dataset"]
    cells = [(first, first), (first, second), (second, second), (second, first)]
    wide = table.pivot_table("top1_per_class", "method", sets, sort=False)
    return wide.reindex(columns=cells).reindex(table["method"].unique())


def add_printed(table: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Add the printed ZSL accuracies of AWA1 and AWA2 to a table of ``first`` and ``second``.

    Returns
    -------
    DataFrame
        One row per method, training and test set, printed methods first; ``published`` and
        ``deviation`` (here - published) are NaN for accuracies that are not printed.
    """
    printed = four_cells(printed_table(), "AWA1", "AWA2")
    computed = four_cells(table, first, second).set_axis(printed.columns, axis=1)
    rows = [
        (method, *cell, computed[cell].get(method), printed[cell].get(method))
        for method in dict.fromkeys([*printed.index, *computed.index])
        for cell in printed.columns
    ]
    both = pd.DataFrame(rows, columns=["method", "trained", "tested", "here", "published"])
    both[["here", "published"]] = both[["here", "published"]].astype(float)
    return both.assign(deviation=both["here"] - both["published"])


# --- Tests of the table ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PrintedClaim:
    """A printed p-value, and the pairs on which the paper bases it.

    ``question`` is the key of ``QUESTIONS`` that matches the paper's description of its pairs.
    """

    question: str
    pairs: int
    p: float
    decimals: int
    source: str


PRINTED_CLAIM = PrintedClaim(
    question="training set",
    pairs=24,
    p=0.007,
    decimals=3,
    source="Xian et al., TPAMI 2019, “Results on our proposed AWA2”: paired t-test, 12 methods, "
    "pairs with the same test set (columns 1 and 4, 2 and 3 of the table).",
)


def paired_differences(table: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Return the two differences of each method for each question.

    On two data sets 1 and 2, a method has four accuracies :math:`a_{train:test}`. The questions
    compare

    - the two *training* sets, on the same test set:
      :math:`a_{1:1} - a_{2:1}` and :math:`a_{1:2} - a_{2:2}`;
    - the two *test* sets, after the same training:
      :math:`a_{1:1} - a_{1:2}` and :math:`a_{2:1} - a_{2:2}`;
    - the sizes of both effects on a crossed result (trained on one data set, tested on the other):
      the absolute change with another training set minus the absolute change with another test set:
      :math:`|a_{1:2} - a_{2:2}| - |a_{1:2} - a_{1:1}|` and
      :math:`|a_{2:1} - a_{1:1}| - |a_{2:1} - a_{2:2}|`.

    Methods without all four accuracies are left out; methods with the same four accuracies count
    once (CMT* and CMT have equal ZSL accuracies). ``pair`` names the common set, or the crossed
    result.
    """
    cells = four_cells(table, first, second).dropna().drop_duplicates()
    a11, a12, a22, a21 = (cells[column] for column in cells)
    pairs = {
        ("training set", f"tested on {first}"): a11 - a21,
        ("training set", f"tested on {second}"): a12 - a22,
        ("test set", f"trained on {first}"): a11 - a12,
        ("test set", f"trained on {second}"): a21 - a22,
        ("larger", f"from {first}:{second}"): (a12 - a22).abs() - (a12 - a11).abs(),
        ("larger", f"from {second}:{first}"): (a21 - a11).abs() - (a21 - a22).abs(),
    }
    parts = [
        pd.DataFrame(
            {"question": question, "method": x.index, "pair": pair, "difference": x.to_numpy()}
        )
        for (question, pair), x in pairs.items()
    ]
    return pd.concat(parts, ignore_index=True)


def cross_tests(
    table: pd.DataFrame, first: str = "AWA2", second: str = "AWA1"
) -> dict[str, PairedTest]:
    """Test the effects of the training set and of the test set over methods.

    As in the paper, the two pairs of a method are separate observations, though not independent (24
    pairs of 12 methods). Raises DatasetError if fewer than two methods have all four accuracies.
    """
    x = paired_differences(table, first, second)
    if x["method"].nunique() < 2:
        raise DatasetError(
            f"{first} and {second}: paired tests need two methods with all four accuracies; "
            f"got {x['method'].nunique()}."
        )
    differences = {
        question: x["difference"][x["question"] == question].to_numpy() for question in QUESTIONS
    }
    return {
        question: paired_test(text.format(first, second), differences[question])
        for question, text in QUESTIONS.items()
    }


def explain_claim(tests: Mapping[str, PairedTest]) -> str:
    """Explain whether the printed p-value follows from its table, or answers another question."""
    claim = PRINTED_CLAIM
    test = tests[claim.question]
    if round(test.p, claim.decimals) == claim.p:
        return f"The printed p = {claim.p:g} follows from the printed table."
    matching = [key for key, test in tests.items() if round(test.p, claim.decimals) == claim.p]
    text = (
        f"The printed p = {claim.p:g} for the {claim.question} does not follow from the printed "
        f"table: its {test.pairs} pairs give p = {test.p:.2g}."
    )
    if matching:
        text += (
            " It matches, to the last digit, the value that the same table gives for the "
            f"{matching[0]} (p = {tests[matching[0]].p:.2g})."
        )
    return text
