r"""Gain of a transductive method from unlabelled test images.

A transductive method is compared with its inductive version on the same split. The parameters of
both methods are chosen on the same folds, with the validation images as unlabelled images. For ZSL,
the unlabelled images are those of unseen classes, with the unseen classes as candidates; for GZSL,
they are the whole test set, with all classes as candidates. Since the transductive method uses more
information, both methods are shown next to each other, but not ranked together.

References
----------
Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of the
good, the bad and the ugly", TPAMI 2019, section 6.3.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self

import pandas as pd
from sklearn.base import clone

from zslcore.analysis.study import Study, code_versions
from zslcore.evaluation.predicted_tests import ScoredTest, evaluate
from zslcore.evaluation.protocol import Setting, Task
from zslcore.evaluation.registry import values_of
from zslcore.exceptions import closest_name
from zslcore.features import FeatureScaling, Preprocessing, PrototypeScaling
from zslcore.methods import METHODS, TRANSDUCTIVE
from zslcore.methods.base import TransductiveEstimator, ZSLEstimator
from zslcore.metrics import mean_class_accuracy
from zslcore.progress import Progress
from zslcore.results.shipped import cached_dataset

Kind = Literal["inductive", "transductive"]


@dataclass(frozen=True, eq=False)
class MethodScores:
    """One of the two methods, with its scores for both tasks.

    Attributes
    ----------
    params : all parameters of the method, by task
    gamma : chosen on the folds for calibrated stacking; None if the split has no folds or no test
        images of seen classes
    zsl : scores of the images of unseen classes, with the unseen classes as candidates
    gzsl : scores of all test images, with all classes as candidates; None if the split has no test
        images of seen classes
    """

    name: str
    kind: Kind
    params: dict[Task, dict[str, Any]]
    origin: Literal["validated", "given"]
    gamma: float | None
    zsl: ScoredTest
    gzsl: ScoredTest | None

    @property
    def grid(self) -> Mapping[str, tuple[Any, ...]]:
        """Parameter grid of the method."""
        return (METHODS | TRANSDUCTIVE)[self.name].param_grid

    def row(self) -> dict[str, Any]:
        """Return the metrics of the method as one tidy row; fractions in [0, 1]."""
        F, y = self.zsl.unseen_part
        row: dict[str, Any] = {"method": self.name, "kind": self.kind, "params_origin": self.origin}
        row["zsl"] = mean_class_accuracy(y, F.argmax(axis=1))
        if self.gzsl is None:
            return row
        values = values_of(evaluate(self.gzsl, self.gamma or 0.0))
        return row | {**values, "zsl": row["zsl"], "gamma": self.gamma}


@dataclass(frozen=True, eq=False)
class Transduction:
    """Results of a transductive method and, if it exists, of its inductive version."""

    transductive: MethodScores
    inductive: MethodScores | None = None

    @property
    def contenders(self) -> tuple[MethodScores, ...]:
        """The methods with results, the inductive version first."""
        return tuple(filter(None, (self.inductive, self.transductive)))

    def table(self) -> pd.DataFrame:
        """Return one row per method, with the columns of :meth:`MethodScores.row`."""
        return pd.DataFrame([contender.row() for contender in self.contenders])


@dataclass(frozen=True)
class TransductionStudy(Study["Transduction"]):
    """Study that compares a transductive method with the inductive method that it extends.

    ``params`` are parameters of the transductive method that differ from its defaults, such as the
    base of propagation; with ``choose``, the parameters of both methods are chosen on the folds.
    """

    kind = "transduction"
    SMALL = 1 << 18

    dataset: str
    split: str
    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    choose: bool = True
    features: FeatureScaling = "l2"
    prototypes: PrototypeScaling = "l2"
    seed: int = 0
    digest: str = ""

    @property
    def estimator(self) -> TransductiveEstimator:
        """The unfitted transductive method."""
        if self.method not in TRANSDUCTIVE:
            raise closest_name("transductive method", self.method, TRANSDUCTIVE)
        return TRANSDUCTIVE[self.method](**self.params)

    @property
    def estimators(self) -> Iterable[ZSLEstimator]:
        """The transductive method and, if it exists, its inductive version."""
        return [m for m in (self.estimator, self.estimator.inductive()) if m is not None]

    @property
    def title(self) -> str:
        """Title on screen."""
        return f"{self.method} on {self.dataset}, split {self.split}"

    @property
    def arguments(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return {"spec": json.dumps(asdict(self), sort_keys=True)}

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any]) -> Self:
        """Return the study with these :attr:`arguments`."""
        return cls(**json.loads(arguments["spec"]))

    @property
    def code_versions(self) -> dict[str, Any]:
        """Revisions of protocol and methods, and the grids that are searched."""
        return {"grids": {}} | code_versions(*self.estimators, grids=self.choose)

    def compute(self, progress: Progress) -> Transduction:
        """Compare the two methods; see :func:`compare_with_inductive`."""
        progress(0, 0, f"Fitting {self.method}")
        dataset = cached_dataset(self.dataset).require_digest(self.digest)
        scaling = Preprocessing(self.features, self.prototypes)
        setting = Setting(dataset, dataset.split(self.split), scaling, self.seed, progress)
        return compare_with_inductive(self.estimator, setting, choose=self.choose)


def compare_with_inductive(
    method: TransductiveEstimator, setting: Setting, *, choose: bool = True
) -> Transduction:
    """Fit a transductive method and its inductive version, and score the test set with both.

    With ``choose``, parameters are chosen on the folds, first for the inductive version. Raises
    ZSLError if the split does not have the necessary rows or folds.
    """
    base = method.inductive()
    inductive = None if base is None else _contender(base, {}, "inductive", setting, choose)
    params = {} if inductive is None else inductive.params
    return Transduction(_contender(method, params, "transductive", setting, choose), inductive)


def _contender(
    method: ZSLEstimator,
    inductive: Mapping[Task, dict[str, Any]],
    kind: Kind,
    setting: Setting,
    choose: bool,
) -> MethodScores:
    """Choose, fit and score one method; ``inductive`` has parameters by task."""
    tasks: list[Task] = ["zsl", "gzsl"] if len(setting.split.test_seen) else ["zsl"]
    params, gamma, scored = {}, None, {}
    for task in tasks:
        model = method.with_inductive(inductive[task]) if inductive else method
        params[task] = model.get_params()
        if choose or (task == "gzsl" and setting.split.folds):
            message = f"{model.card.name}, {kind}, parameters for {task.upper()}"
            grid: dict[str, Any] | None = None if choose else {}
            selection = setting.select(model, task=task, grid=grid, message=message)
            params[task] |= selection.params
            gamma = selection.gamma if task == "gzsl" else None
        model = clone(model).set_params(**params[task])
        scored[task] = (
            setting.transduce(model, task) if kind == "transductive" else setting.score(model)
        )
    return MethodScores(
        name=method.card.name,
        kind=kind,
        params=params,
        origin="validated" if choose else "given",
        gamma=gamma,
        zsl=scored["zsl"],
        gzsl=scored.get("gzsl"),
    )
