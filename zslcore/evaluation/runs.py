"""The result of a run, its provenance and its JSON form.

The same spec run twice gives the same numbers; the app and ``zslcore run`` produce the
same :class:`RunResult` for the same :class:`RunSpec`. What could change them, the grid that is
searched and the revisions of method and protocol, is part of it.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from zslcore import version
from zslcore.datasets import ZSLDataset, load
from zslcore.evaluation import figures, protocol
from zslcore.evaluation.predictions import Predictions, Provenance
from zslcore.evaluation.protocol import FoldAnswers, ScoredTest
from zslcore.evaluation.specs import RunSpec
from zslcore.evaluation.verification import verify_predictions
from zslcore.exceptions import ParameterError
from zslcore.methods.base import ZSLEstimator, with_seed
from zslcore.methods.classifiers import seconds_saved
from zslcore.storage.records import Schema
from zslcore.texts import html_of_frame

Origin = Literal["validated", "given"]


@dataclass(frozen=True, slots=True, repr=False)
class RunResult:
    """The figures of one run and their provenance.

    Attributes
    ----------
    key : identifier in the store, ``spec.key`` of the version that made it
    spec : RunSpec, with the digest of the data
    params, params_origin : the parameters used, "validated" (chosen on folds) or "given"
    gamma, gamma_origin : the calibration gamma used, None where nothing could choose it
    fold_choices : what every fold alone would have chosen; empty where parameters were given
    evaluation : the figures of the test set
    oracle : what choosing on the test set would have reached, or None when not computed
    class_names : names of the classes in ``evaluation``, by class
    simulated : True when no camera was involved
    source : where the data come from
    seconds : wall time
    created : ISO 8601, UTC
    environment : versions of what else numbers can depend on, and the digest of the package's own
        files that make them, see :func:`zslcore.version.sources`
    rule : how the folds' scores chose, see :func:`zslcore.evaluation.protocol.select`; None where
        they chose no parameters, or it was not recorded
    """

    key: str
    spec: RunSpec
    params: dict[str, Any]
    params_origin: Origin
    gamma: float | None
    gamma_origin: Origin | None
    evaluation: protocol.Evaluation
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
        figures = repr(self.evaluation).removeprefix("<Evaluation: ").removesuffix(">")
        kind = " (simulated)" * self.simulated
        return f"<RunResult {spec.method} on {spec.dataset}{kind}, split {spec.split}: {figures}>"

    def _repr_html_(self) -> str:
        """Show the metrics in a notebook."""
        return html_of_frame(repr(self), self.evaluation.to_frame(), rows=60)

    def to_frame(self) -> pd.DataFrame:
        """Return one tidy row, see :meth:`row`; results stand below each other by ``concat``."""
        return pd.DataFrame([self.row()])

    @property
    def oracle_gap(self) -> dict[str, float]:
        """What choosing on the test set would have gained.

        In "zsl" and "harmonic" by parameters, the latter with gamma. Parameters that were given
        were compared with no others: then gamma alone, in "gamma", has a gap of H.
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
        """Return one tidy row: the spec, the figures and their origin."""
        row = {"key": self.key, "dataset": self.spec.dataset, "simulated": self.simulated}
        row |= {name: getattr(self.spec, name) for name in ("split", "method", "select_for")}
        row |= {"params": json.dumps(self.params), "params_origin": self.params_origin}
        row |= {"rule": self.rule, "gamma": self.gamma, "gamma_origin": self.gamma_origin}
        row |= figures.values_of(self.evaluation)
        row |= {f"oracle_gap_{name}": gap for name, gap in self.oracle_gap.items()}
        row |= {name: getattr(self.spec, name) for name in ("features", "prototypes", "seed")}
        row |= {"seconds": self.seconds, "created": self.created, "digest": self.spec.digest}
        row |= {"version": self.version, "commit": self.commit}
        revisions = json.dumps(self.spec.revisions) if self.spec.revisions else ""
        return row | {"revisions": revisions, "sources": self.environment.get("sources", "")}

    def to_json(self) -> str:
        """Return the result as JSON, under the version of its schema."""
        return SCHEMA.dump(self)

    @classmethod
    def from_json(cls, text: str) -> RunResult:
        """Read what :meth:`to_json` wrote; raises an UnreadableError for any other text."""
        return SCHEMA.load(text)


SCHEMA = Schema(RunResult, version=3)


def execute(
    spec: RunSpec,
    dataset: ZSLDataset | None = None,
    *,
    with_oracle: bool = True,
    on_progress: Callable[[int, int], None] | None = None,
    on_epoch: Callable[[int, float], None] | None = None,
) -> RunResult:
    """Run a spec: choose what is not given, fit on trainval, look at the test set once.

    Parameters
    ----------
    dataset : the data of that name, where it is open already
    with_oracle : also sweep the grid on the test set, for the oracle gap; costs as much as a fold
    on_progress : callable(done, total), called after every fit-and-score of the selection
    on_epoch : callable(epoch, loss), called after every epoch of methods that have epochs
        Whatever either of the two raises ends the run.

    Raises
    ------
    ZSLError
        For unknown names, a split without folds where something is to be chosen, or a digest that
        is not the data's.
    """
    return execute_in_full(
        spec, dataset, with_oracle=with_oracle, on_progress=on_progress, on_epoch=on_epoch
    ).result


def execute_with_scores(
    spec: RunSpec, dataset: ZSLDataset | None = None, **options: Any
) -> tuple[RunResult, protocol.ScoredTest]:
    """Run a spec as :func:`execute` does, and return the scores it has read its figures off."""
    done = execute_in_full(spec, dataset, **options)
    return done.result, done.scores


@dataclass(frozen=True, slots=True, eq=False)
class Execution:
    """The output of a run: the scores that its figures were read off, and answers on the folds.

    ``validation`` chose gamma; it is empty where nothing chose it.
    """

    result: RunResult
    scores: protocol.ScoredTest
    validation: tuple[protocol.FoldAnswers, ...]
    dataset: ZSLDataset


def execute_in_full(
    spec: RunSpec,
    dataset: ZSLDataset | None = None,
    *,
    with_oracle: bool = True,
    on_progress: Callable[[int, int], None] | None = None,
    on_epoch: Callable[[int, float], None] | None = None,
) -> Execution:
    """Run a spec as :func:`execute` does, and return its full output."""
    start, saved = time.perf_counter(), seconds_saved()
    spec, dataset = with_data(spec, dataset)
    setting = spec.setting(dataset)
    method = with_seed(spec.estimator, spec.seed)
    method.on_epoch = on_epoch
    chosen = choose(spec, method, dataset, on_progress)
    scores = setting.score(clone(method).set_params(**chosen.params))
    peek = setting.oracle(method, spec.grid) if with_oracle else None
    result = RunResult(
        key=spec.key,
        spec=spec,
        params=chosen.params,
        params_origin=chosen.params_origin,
        gamma=chosen.gamma,
        gamma_origin=chosen.gamma_origin,
        evaluation=protocol.evaluate(scores, 0.0 if chosen.gamma is None else chosen.gamma),
        oracle=peek,
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
    return Execution(result, scores, chosen.validation, dataset)


def fit_again(
    result: RunResult,
    dataset: ZSLDataset | None = None,
    *,
    on_epoch: Callable[[int, float], None] | None = None,
) -> tuple[RunResult, protocol.ScoredTest]:
    """Return a known result with its scores: fitted with what it chose, nothing chosen again.

    Its figures are read off these very scores, so that the two agree to the last digit. Raises a
    ParameterError when method or protocol give other numbers since.
    """
    spec, dataset = with_data(result.spec, dataset)
    if spec.revisions != result.spec.revisions:
        raise ParameterError(
            f"{spec.method}: the result was made by revision {result.spec.revisions}, this is "
            f"{spec.revisions}; run it again."
        )
    model = replace(spec, params=result.params).estimator
    model.on_epoch = on_epoch
    scores = spec.setting(dataset).score(model)
    gamma = 0.0 if result.gamma is None else result.gamma
    return replace(result, evaluation=protocol.evaluate(scores, gamma)), scores


def answer_folds(spec: RunSpec, dataset: ZSLDataset) -> protocol.Selection:
    """Fit the method of ``spec`` on the folds, with the parameters of ``spec`` alone."""
    return spec.setting(dataset).select(spec.estimator, grid={})


def with_data(spec: RunSpec, dataset: ZSLDataset | None) -> tuple[RunSpec, ZSLDataset]:
    """Return the spec as it would be run now, with its data's digest, and these data."""
    dataset = (load(spec.dataset) if dataset is None else dataset).required(spec.digest)
    return replace(spec.present, digest=dataset.digest), dataset


@dataclass(frozen=True, slots=True)
class Choice:
    """Parameters and gamma of a run, and their origin.

    ``fold_choices`` is what every fold alone would have chosen and ``rule`` how their scores chose,
    where they chose parameters; ``validation`` are the answers that chose gamma. What nothing chose
    is None or empty.
    """

    params: dict[str, Any]
    params_origin: Origin
    gamma: float | None
    gamma_origin: Origin | None
    fold_choices: tuple[protocol.FoldChoice, ...] = ()
    rule: protocol.Rule | None = None
    validation: tuple[protocol.FoldAnswers, ...] = ()


def choose(
    spec: RunSpec,
    method: ZSLEstimator,
    dataset: ZSLDataset,
    on_progress: protocol.Progress | None = None,
) -> Choice:
    """Choose what is not given, and nothing else, on the folds."""
    params, split = method.get_params(), dataset.split(spec.split)
    generalized = bool(len(split.test_seen))
    wants_gamma = generalized and bool(split.folds) and spec.gamma is None
    choice = Choice(params, "given", spec.gamma, None if spec.gamma is None else "given")
    if not spec.grid and not wants_gamma:
        return choice
    chosen = spec.setting(dataset, protocol.report_counts(on_progress)).select(
        method,
        task=spec.select_for if spec.grid and generalized else "gzsl" if wants_gamma else "zsl",
        grid=spec.grid,
        with_gamma=wants_gamma,
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
        "sources": version.sources(),
    }


def _torch() -> str:
    """Return the version of torch from its installation, since importing it takes seconds."""
    try:
        return installed("torch")
    except PackageNotFoundError:
        return ""


#: Note in the source of a file whose validation rows are not stored.
WITHOUT_FOLDS = "Test rows alone: the validation rows of this run are not stored."


def execute_with_predictions(
    spec: RunSpec, dataset: ZSLDataset | None = None, **options: Any
) -> tuple[RunResult, Predictions]:
    """Run a spec and return its predictions, with the validation rows of folds that chose gamma.

    Nothing is fitted for them but what a run fits anyway; ``options`` are those of :func:`execute`.
    """
    done = execute_in_full(spec, dataset, **options)
    return done.result, predictions_of(done)


def predictions_of(done: Execution) -> Predictions:
    """Return what a run has answered, with where it comes from."""
    split = done.dataset.split(done.result.spec.split)
    return Predictions.of_scores(
        done.scores,
        np.concatenate([split.test_seen, split.test_unseen]),
        done.dataset.class_names,
        validation=done.validation,
        provenance=_provenance(done),
    )


def predictions_of_run(
    result: RunResult, scores: ScoredTest, dataset: ZSLDataset, *, folds: bool
) -> Predictions:
    """Return the predictions of a known result from its scores.

    With ``folds`` it is fitted on the folds again, with the result's own parameters, for the
    validation rows that chose gamma; without, the source of a file notes that they are missing.
    """
    validated = result.gamma_origin == "validated"
    validation: tuple[FoldAnswers, ...] = ()
    if folds and validated:
        spec = replace(result.spec, params=result.params)
        validation = answer_folds(spec, dataset.required(spec.digest)).validation
    found = predictions_of(Execution(result, scores, validation, dataset))
    # Fitted again, scores may differ in the last digit; a gamma is not to be accused for that.
    if not validated or (validation and not verify_predictions(found).reasons):
        return found
    provenance = found.provenance
    source = f"{provenance.source} {WITHOUT_FOLDS}".strip()
    return replace(found, folds=(), provenance=replace(provenance, source=source))


def _provenance(done: Execution) -> Provenance:
    result, dataset = done.result, done.dataset
    spec = result.spec
    return Provenance.on(
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
        source=dataset.source,
    )


class Progress:
    """Turns the calls of a run into how far it is; epochs are counted where there are any.

    ``report`` is called with done, total and a message; ``with_oracle`` says whether the grid is
    swept on the test set too. The choice of the stored result ``known`` is not made again.
    """

    def __init__(
        self,
        spec: RunSpec,
        dataset: ZSLDataset,
        report: Callable[[float, float, str], None],
        *,
        with_oracle: bool = False,
        known: RunResult | None = None,
    ) -> None:
        split = dataset.split(spec.split)
        each = spec.estimator.planned_epochs(ParameterGrid(spec.grid))
        longest = each and (max(each),)
        generalized = bool(len(split.test_seen))
        chooses = known is None and (spec.grid or (generalized and spec.gamma is None))
        of_fold = each
        if spec.grid and generalized and spec.select_for == "zsl":
            of_fold += longest  # the chosen point once more, for gamma
        on_folds = (len(split.folds) if chooses else 0) * of_fold
        #: Epochs of every training to come, at most, in the order of :func:`execute_with_scores`.
        self.plan = on_folds + longest + (each if with_oracle else ())
        self.choosing, self.training, self.report = len(on_folds), 0, report

    def on_epoch(self, epoch: int, loss: float) -> None:
        """Report an epoch; the first of a training begins the next one."""
        self.training += epoch == 1
        done = sum(self.plan[: self.training - 1]) + epoch
        what = "Sweeping the grid on the test set"
        if self.training <= self.choosing:
            what = f"Choosing on the folds, training {self.training} of {self.choosing}"
        elif self.training == self.choosing + 1:
            what = "Fitting on all training classes"
        self.report(done, sum(self.plan), f"{what}, epoch {epoch}: loss {loss:.3g}")

    def on_fit(self, done: int, total: int) -> None:
        """Report a fit of the selection, for methods without epochs."""
        if self.plan:
            return
        what = "Fitting on all training classes"
        if done < total:
            what = f"Choosing on the folds, fit {done} of {total}"
        self.report(done, total + 1, what)
