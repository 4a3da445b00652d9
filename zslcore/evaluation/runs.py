"""Run a spec; the result, its provenance and its JSON form.

Running the same spec twice gives the same numbers; the app and ``zslcore run`` produce the same
:class:`RunResult` for the same :class:`RunSpec`. The spec therefore includes everything that could
change the numbers, such as the grid and the revisions of method and protocol.
"""

from __future__ import annotations

import json
import platform
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from typing import Any, Literal, Protocol

import numpy as np
import pandas as pd
import scipy
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from zslcore import version
from zslcore.datasets import ZSLDataset, load
from zslcore.evaluation import protocol, registry
from zslcore.evaluation.predicted_tests import Evaluation, FoldPredictions, ScoredTest, evaluate
from zslcore.evaluation.predictions import Predictions, Provenance
from zslcore.evaluation.specs import RunSpec
from zslcore.evaluation.verification import verify_predictions
from zslcore.exceptions import ParameterError
from zslcore.methods.base import ZSLEstimator, with_seed
from zslcore.methods.classifiers import seconds_saved
from zslcore.progress import Progress, silent
from zslcore.storage.records import Schema
from zslcore.texts import html_of_frame

Origin = Literal["validated", "given"]
#: Note in the source of predictions without stored validation rows.
WITHOUT_FOLDS = "Test rows alone: the validation rows of this run are not stored."


@dataclass(frozen=True, slots=True, repr=False)
class RunResult:
    """The metrics of one run and their provenance.

    Attributes
    ----------
    key : identifier in the store, the ``spec.key`` computed by the version that made the result
    spec : RunSpec, with the digest of the data
    params, params_origin : the parameters used, and their origin: "validated" (chosen on folds) or
        "given"
    gamma, gamma_origin : the calibration gamma used and its origin; None if not chosen
    fold_choices : the choice of each fold alone; empty if parameters were given
    evaluation : the metrics of the test set
    oracle : the best metrics when choosing on the test set; None if not computed
    class_names : name of each class in ``evaluation``, by class number
    simulated : whether the images are simulated
    source : source of the data
    seconds : wall time, including the time that cached classifiers saved
    created : ISO 8601, UTC
    environment : the machine and versions of libraries, since metrics can depend on them, and the
        digest of the package's source files, see :func:`zslcore.version.sources_digest`
    rule : rule for choosing parameters, see :func:`zslcore.evaluation.protocol.select`; None if
        parameters were given or the rule was not recorded
    """

    key: str
    spec: RunSpec
    params: dict[str, Any]
    params_origin: Origin
    gamma: float | None
    gamma_origin: Origin | None
    evaluation: Evaluation
    oracle: protocol.Oracle | None
    class_names: dict[int, str]
    simulated: bool
    source: str
    seconds: float
    created: str
    version: str
    commit: str
    environment: dict[str, str]
    fold_choices: tuple[protocol.FoldChoice, ...] = ()
    rule: protocol.Rule | None = None

    def __repr__(self) -> str:
        spec = self.spec
        metrics = repr(self.evaluation).removeprefix("<Evaluation: ").removesuffix(">")
        kind = " (simulated)" * self.simulated
        return f"<RunResult {spec.method} on {spec.dataset}{kind}, split {spec.split}: {metrics}>"

    def _repr_html_(self) -> str:
        """Show the metrics in a notebook."""
        return html_of_frame(repr(self), self.evaluation.to_frame(), rows=60)

    def to_frame(self) -> pd.DataFrame:
        """Return one tidy row, see :meth:`row`; join several results with ``pandas.concat``."""
        return pd.DataFrame([self.row()])

    @property
    def oracle_gap(self) -> dict[str, float]:
        """The gain of choosing on the test set.

        "zsl" is the gain in ZSL accuracy from choosing parameters, "harmonic" the gain in H from
        choosing parameters and gamma. With given parameters, only "gamma" is present: the gain in H
        from choosing gamma.
        """
        if self.oracle is None:
            return {}
        searched = self.params_origin != "given"
        gap = {"zsl": self.oracle.zsl - self.evaluation.zsl} if searched else {}
        if self.oracle.harmonic is not None and self.evaluation.calibrated is not None:
            more = self.oracle.harmonic - self.evaluation.calibrated.harmonic
            gap["harmonic" if searched else "gamma"] = more
        return gap

    def row(self) -> dict[str, Any]:
        """Return one tidy row: the spec, the metrics and their origin."""
        row = {"key": self.key, "dataset": self.spec.dataset, "simulated": self.simulated}
        row |= {name: getattr(self.spec, name) for name in ("split", "method", "select_for")}
        row |= {"params": json.dumps(self.params), "params_origin": self.params_origin}
        row |= {"rule": self.rule, "gamma": self.gamma, "gamma_origin": self.gamma_origin}
        row |= registry.values_of(self.evaluation)
        row |= {f"oracle_gap_{name}": gap for name, gap in self.oracle_gap.items()}
        row |= {name: getattr(self.spec, name) for name in ("features", "prototypes", "seed")}
        row |= {"seconds": self.seconds, "created": self.created, "digest": self.spec.digest}
        row |= {"version": self.version, "commit": self.commit}
        revisions = json.dumps(self.spec.revisions) if self.spec.revisions else ""
        return row | {"revisions": revisions, "sources": self.environment.get("sources", "")}

    def to_json(self) -> str:
        """Return the result as JSON with the version of its schema."""
        return SCHEMA.dump(self)

    @classmethod
    def from_json(cls, text: str) -> RunResult:
        """Read JSON of :meth:`to_json`; raises UnreadableError for any other text."""
        return SCHEMA.load(text)


SCHEMA = Schema(RunResult, version=3)


@dataclass(frozen=True, eq=False)
class Run:
    """One method on one split: its result, and the scores from which its metrics are computed.

    Attributes
    ----------
    result : the record to store
    scores : scores of the test set
    validation : predictions on the folds from which gamma was chosen; empty if gamma was not chosen
    """

    result: RunResult
    scores: ScoredTest
    validation: tuple[FoldPredictions, ...]
    dataset: ZSLDataset

    @cached_property
    def predictions(self) -> Predictions:
        """The predictions for each test image, and for the validation rows if gamma was chosen.

        Raises a DatasetError for a test set without images, and for NaN scores.
        """
        split = self.dataset.split(self.result.spec.split)
        return Predictions.of_scores(
            self.scores,
            np.concatenate([split.test_seen, split.test_unseen]),
            self.dataset.class_names,
            validation=self.validation,
            provenance=self._provenance(),
        )

    def with_validation(self) -> Run:
        """Return the run with the validation rows on which its gamma was chosen.

        The method is fitted again on the folds, with the parameters of the run. Scores may differ
        in the last digit; if another gamma would then be chosen, the validation rows are left out.
        """
        if self.result.gamma_origin != "validated" or self.validation:
            return self
        spec = replace(self.result.spec, params=self.result.params)
        setting = spec.setting(self.dataset.require_digest(spec.digest))
        chosen = setting.select(spec.estimator, grid={})
        complete = replace(self, validation=chosen.validation)
        return self if verify_predictions(complete.predictions).reasons else complete

    def _provenance(self) -> Provenance:
        result, dataset = self.result, self.dataset
        spec, source = result.spec, dataset.source
        if result.gamma_origin == "validated" and not self.validation:
            source = f"{source} {WITHOUT_FOLDS}".strip()
        return Provenance.for_split(
            dataset,
            dataset.split(spec.split),
            method=spec.method,
            params=result.params,
            params_origin=result.params_origin,
            gamma=result.gamma,
            gamma_origin=result.gamma_origin or "none",
            seed=spec.seed,
            created=result.created,
            version=result.version,
            commit=result.commit,
            revisions=spec.revisions,
            spec=json.loads(spec.to_json()),
            source=source,
        )


class Store(Protocol):
    """Storage of runs, see :class:`zslcore.results.store.ResultStore`."""

    def get(self, key: str, /) -> RunResult | None:
        """Return the result with this key; None if there is none."""

    def put_run(self, run: Run, /) -> None:
        """Store the result of a run with its predictions."""

    def tolerated(self) -> AbstractContextManager[None]:
        """Return a context that suppresses errors of the store."""


def run(
    spec: RunSpec,
    dataset: ZSLDataset | None = None,
    *,
    store: Store | None = None,
    with_oracle: bool = True,
    progress: Progress = silent,
) -> Run:
    """Run a spec: choose missing parameters, fit on trainval, score the test set once.

    Parameters
    ----------
    dataset : the data set of ``spec``, loaded by name by default
    store : storage of results; for a stored result only the final fit is repeated, with the stored
        parameters and gamma
    with_oracle : whether to compute the oracle: a sweep over the grid on the test set, which takes
        as long as a fold; a stored result without an oracle is then computed again
    progress : callable(done, total, message), called after each epoch or, for a method without
        epochs, after each fit on the folds

    Raises
    ------
    ZSLError
        For unknown names, a split without folds if parameters must be chosen, or a digest that does
        not match the data.
    """
    spec, dataset = with_data(spec, dataset)
    if store is not None:
        stored = None
        with store.tolerated():
            stored = store.get(spec.key)
        if stored is not None and (stored.oracle is not None or not with_oracle):
            return refit(stored, dataset, progress=progress)
    start, saved = time.perf_counter(), seconds_saved()
    setting = spec.setting(dataset)
    steps = _Steps.of(spec, dataset, progress, with_oracle=with_oracle)
    method = with_seed(spec.estimator, spec.seed)
    method.on_epoch = steps.report_epoch
    chosen = choose(spec, method, dataset, steps.report_fit)
    scores = setting.score(clone(method).set_params(**chosen.params))
    oracle = setting.oracle(method, spec.grid) if with_oracle else None
    result = RunResult(
        key=spec.key,
        spec=spec,
        params=chosen.params,
        params_origin=chosen.params_origin,
        gamma=chosen.gamma,
        gamma_origin=chosen.gamma_origin,
        evaluation=evaluate(scores, chosen.gamma or 0.0),
        oracle=oracle,
        class_names={int(c): dataset.class_names[c] for c in scores.classes},
        simulated=dataset.simulated,
        source=dataset.source,
        seconds=time.perf_counter() - start + seconds_saved() - saved,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=version.version(),
        commit=version.commit(),
        environment=_environment(),
        fold_choices=chosen.fold_choices,
        rule=chosen.rule,
    )
    done = Run(result, scores, chosen.validation, dataset)
    if store is not None:
        with store.tolerated():
            store.put_run(done)
    return done


def refit(
    result: RunResult,
    dataset: ZSLDataset | None = None,
    *,
    progress: Progress = silent,
) -> Run:
    """Return the run of a stored result, fitted again with its stored parameters.

    Its metrics are computed from the new scores, so that metrics and scores agree to the last
    digit. Raises a ParameterError if the revision of the method or of the protocol has changed.
    """
    spec, dataset = with_data(result.spec, dataset)
    if spec.revisions != result.spec.revisions:
        raise ParameterError(
            f"{spec.method}: the result has revision {result.spec.revisions}, but this version has "
            f"{spec.revisions}; run it again."
        )
    spec = replace(spec, params=result.params)
    model = spec.estimator
    model.on_epoch = _Steps(model.planned_epochs([{}]), 0, progress).report_epoch
    scores = spec.setting(dataset).score(model)
    evaluation = evaluate(scores, result.gamma or 0.0)
    return Run(replace(result, evaluation=evaluation), scores, (), dataset)


def with_data(spec: RunSpec, dataset: ZSLDataset | None) -> tuple[RunSpec, ZSLDataset]:
    """Return the spec at the current revision with the digest of its data, and the data."""
    dataset = (load(spec.dataset) if dataset is None else dataset).require_digest(spec.digest)
    return replace(spec.at_current_revision, digest=dataset.digest), dataset


@dataclass(frozen=True, slots=True)
class ChosenParameters:
    """Parameters and gamma of a run, and their origin.

    If parameters were chosen on the folds, ``fold_choices`` has the choice of each fold alone and
    ``rule`` the rule; ``validation`` has the predictions from which gamma was chosen. Without a
    choice, these fields are None or empty.
    """

    params: dict[str, Any]
    params_origin: Origin
    gamma: float | None
    gamma_origin: Origin | None
    fold_choices: tuple[protocol.FoldChoice, ...] = ()
    rule: protocol.Rule | None = None
    validation: tuple[FoldPredictions, ...] = ()


def choose(
    spec: RunSpec,
    method: ZSLEstimator,
    dataset: ZSLDataset,
    progress: Progress = silent,
) -> ChosenParameters:
    """Choose on the folds the parameters and gamma that the spec leaves open."""
    params, split = method.get_params(), dataset.split(spec.split)
    generalized = bool(len(split.test_seen))
    wants_gamma = generalized and bool(split.folds) and spec.gamma is None
    choice = ChosenParameters(params, "given", spec.gamma, None if spec.gamma is None else "given")
    if not spec.grid and not wants_gamma:
        return choice
    chosen = spec.setting(dataset, progress).select(
        method,
        task=spec.select_for if spec.grid and generalized else "gzsl" if wants_gamma else "zsl",
        grid=spec.grid,
        with_gamma=wants_gamma,
        message=f"{spec.method} on {spec.dataset}",
    )
    choice = replace(choice, params=params | chosen.params)
    if spec.grid:
        choice = replace(
            choice, params_origin="validated", rule=chosen.rule, fold_choices=chosen.of_folds
        )
    if wants_gamma:
        choice = replace(
            choice,
            gamma=chosen.gamma,
            gamma_origin="validated",
            validation=chosen.validation,
        )
    return choice


def _environment() -> dict[str, str]:
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "torch": _torch(),
        "machine": platform.machine(),
        "sources": version.sources_digest(),
    }


def _torch() -> str:
    """Return the version of torch from its metadata, since importing it takes seconds."""
    try:
        return installed("torch")
    except PackageNotFoundError:
        return ""


@dataclass(slots=True)
class _Steps:
    """Progress of one run, counted in epochs if the method has epochs, else in fits.

    ``epochs`` has the maximum number of epochs of each planned training, in the order of
    :func:`run`; the first ``n_on_folds`` trainings are on the folds.
    """

    epochs: tuple[int, ...]
    n_on_folds: int
    progress: Progress
    training: int = 0

    @classmethod
    def of(
        cls, spec: RunSpec, dataset: ZSLDataset, progress: Progress, *, with_oracle: bool
    ) -> _Steps:
        """Plan the trainings of a run and, if ``with_oracle``, of the sweep on the test set."""
        split = dataset.split(spec.split)
        epochs_of_params = spec.estimator.planned_epochs(ParameterGrid(spec.grid))
        longest = epochs_of_params and (max(epochs_of_params),)
        generalized = bool(len(split.test_seen))
        on_folds = epochs_of_params
        if spec.grid and generalized and spec.select_for == "zsl":
            on_folds += longest  # one more training at the chosen point, to choose gamma
        chooses = spec.grid or (generalized and spec.gamma is None)
        on_folds *= len(split.folds) if chooses else 0
        return cls(
            on_folds + longest + (epochs_of_params if with_oracle else ()), len(on_folds), progress
        )

    def report_epoch(self, epoch: int, loss: float) -> None:
        """Report an epoch; epoch 1 is the first of the next training."""
        self.training += epoch == 1
        done = sum(self.epochs[: self.training - 1]) + epoch
        message = "Sweeping the grid on the test set"
        if self.training <= self.n_on_folds:
            message = (
                f"Choosing parameters on the folds, training {self.training} of {self.n_on_folds}"
            )
        elif self.training == self.n_on_folds + 1:
            message = "Fitting on all training classes"
        self.progress(done, sum(self.epochs), f"{message}, epoch {epoch}: loss {loss:.3g}")

    def report_fit(self, done: float, total: float, _: str) -> None:
        """Report a fit of a method without epochs."""
        if self.epochs:
            return
        message = "Fitting on all training classes"
        if done < total:
            message = f"Choosing parameters on the folds, fit {done} of {total}"
        self.progress(done, total + 1, message)
