r"""Metrics along a regulariser, with its best values for ZSL and for GZSL.

A method is fitted with increasing values of one regulariser, called :math:`\lambda` here. For each
value, the seen-unseen curve of the test set gives

- :math:`A_{U \to C_u}`, the accuracy of unseen images among unseen classes: the end of the curve
  for :math:`\gamma \to \infty`, and the metric of ZSL;
- :math:`A_{S \to C_s}`, the accuracy of seen images among seen classes: the other end of the curve;
- :math:`A_{U \to C}` and :math:`A_{S \to C}`, the accuracies among all classes, and their harmonic
  mean H, at :math:`\gamma = 0` and at the gamma chosen on the folds for this :math:`\lambda`.

Two values of :math:`\lambda` are marked, both chosen on the folds: for ZSL the value with the
highest :math:`A_{U \to C_u}`, for GZSL the value with the highest H at the best gamma of each fold.
Stronger regularisation costs accuracy on seen classes, which ZSL does not measure. For methods that
predict attributes, the path includes the mean squared error over N test images and A attributes:

.. math:: \mathrm{MSE} = \frac{1}{N A} \sum_n \lVert f(x_n) - s_{y_n} \rVert^2

References
----------
Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From classical to generalized zero-shot learning: a
simple adaptation process", MMM 2019, section 3.3, figures 1 and 3a.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import count
from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn.base import clone

from zslcore.analysis.study import SpecStudy
from zslcore.datasets import Split, ZSLDataset, load
from zslcore.datasets.base import SEEN_VALIDATION, hold_out
from zslcore.evaluation.predicted_tests import ScoredTest, best_common_gamma
from zslcore.evaluation.predictions import PredictedRows
from zslcore.evaluation.protocol import Problem, Selection, Setting
from zslcore.evaluation.specs import RunSpec, revisions_of
from zslcore.exceptions import DatasetError, ParameterError, closest_name
from zslcore.features import FeatureScaling, Preprocessing, PrototypeScaling
from zslcore.methods import METHODS, get_method
from zslcore.methods.base import Effect, ZSLEstimator, with_seed
from zslcore.metrics import harmonic_mean
from zslcore.progress import Progress, silent
from zslcore.results.shipped import cached_dataset

#: Default number of values of a path; paths of whole numbers can have fewer.
N_VALUES = 25
#: Minimum ratio of the largest to the smallest value of a path.
MIN_RANGE = 1e4


def regularized_methods() -> tuple[str, ...]:
    """Return the names of methods with a regulariser."""
    return tuple(name for name, method in METHODS.items() if method.regularizers)


def path_values(method: ZSLEstimator, parameter: str, n: int = N_VALUES) -> tuple[float, ...]:
    """Return the values of a path, evenly spaced on a logarithmic scale.

    The path covers the method's grid, widened to at least four decades. Numbers of epochs are
    whole, from 1 to the largest in the grid. Raises UnknownNameError if the parameter is not a
    regulariser, ParameterError for fewer than two values.
    """
    if parameter not in method.regularizers:
        raise closest_name(f"regularizer of {method.card.name}", parameter, method.regularizers)
    if n < 2:
        raise ParameterError(f"A path needs at least 2 values; got {n}.")
    grid = method.param_grid.get(parameter, (getattr(method, parameter),))
    low, high = min(grid), max(grid)
    if isinstance(low, int):
        return tuple(int(k) for k in np.unique(np.rint(np.geomspace(1, high, n))))
    widening = max(np.sqrt(MIN_RANGE * low / high), 1.0)
    # Rounded to twelve digits, so that values are the same on every processor.
    return tuple(float(f"{v:.12g}") for v in np.geomspace(low / widening, high * widening, n))


#: Name of the validation split in the figures of the calibration paper.
VALIDATION = "PS, first validation split"


def split_of(dataset: ZSLDataset, name: str, seed: int = 0) -> Split:
    """Return a split by name; for :data:`VALIDATION`, the first fold of PS as a split.

    The same fold is the only fold of this split, so that parameters are chosen on its test images,
    as in the paper.
    """
    if name != VALIDATION:
        return dataset.split(name)
    proposed = dataset.split("PS")
    if not proposed.folds:
        raise DatasetError(
            f"{dataset.name}, split 'PS': expected folds, for a validation split; got none."
        )
    fold = proposed.folds[0]
    train, held_out = hold_out(dataset.labels, fold.train, SEEN_VALIDATION, seed)
    rows = {"trainval": train, "test_seen": held_out, "test_unseen": fold.val}
    return Split.from_rows(name, dataset.labels, **rows, folds=[fold], note=f"Of {proposed.note}")


# --- The specification ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RegularizationSpec:
    """Specification of a path; :attr:`code_versions` has the revisions and grids it depends on.

    Parameters
    ----------
    parameter : the regulariser; by default the first of the method
    params : values of further parameters
    choose : whether the remaining parameters in the method's grid are chosen on the folds, for
        GZSL; otherwise they have their defaults
    """

    dataset: str
    split: str
    method: str
    parameter: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    choose: bool = True
    n_values: int = N_VALUES
    features: FeatureScaling = "l2"
    prototypes: PrototypeScaling = "l2"
    seed: int = 0
    digest: str = ""

    def __post_init__(self) -> None:
        regularizers = get_method(self.method).regularizers
        if not regularizers:
            raise ParameterError(
                f"{self.method}: expected a method with a regularizer; choose one of "
                f"{', '.join(regularized_methods())}."
            )
        if not self.parameter:
            object.__setattr__(self, "parameter", next(iter(regularizers)))
        object.__setattr__(self, "params", dict(sorted(self.params.items())))
        _ = self.values  # raises for invalid parameters

    @property
    def estimator(self) -> ZSLEstimator:
        """The unfitted method with the given parameters."""
        return get_method(self.method)(**self.params)

    @property
    def values(self) -> tuple[float, ...]:
        """Values of the regulariser."""
        return path_values(self.estimator, self.parameter, self.n_values)

    def to_json(self) -> str:
        """Return the spec as JSON, the same text for the same spec."""
        return json.dumps(asdict(self), sort_keys=True)

    @property
    def code_versions(self) -> dict[str, Any]:
        """Revisions of protocol and method, the grid, and the values of the regulariser."""
        grid = dict(self.estimator.param_grid) if self.choose else {}
        searched = {"grid": grid, "values": list(self.values)}
        return {"revisions": revisions_of(self.estimator)} | searched

    def setting(self, progress: Progress = silent) -> Setting:
        """Return the setting on the data set; refuse data with another digest."""
        dataset = cached_dataset(self.dataset).require_digest(self.digest)
        scaling = Preprocessing(self.features, self.prototypes)
        split = split_of(dataset, self.split, self.seed)
        return Setting(dataset, split, scaling, self.seed, progress)

    def follow(self, progress: Progress = silent) -> RegularizationPath:
        """Compute the path by :func:`follow`."""
        grid = self.estimator.param_grid if self.choose else ()
        choose = [name for name in grid if name not in self.params]
        setting = self.setting(progress)
        return follow(self.estimator, setting, self.parameter, self.values, choose=choose)


# --- Results --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RegularizationPath:
    """Metrics of a method along a path of its regulariser; fractions in [0, 1].

    Attributes
    ----------
    effect : effect of a larger value, "weaker" or "stronger" regularisation
    origin : "validated" if any of ``params`` was chosen on the folds, else "given"
    values : increasing values of the regulariser, of shape (n_values,) like all further arrays
    zsl, seen_alone : accuracy of unseen images among unseen classes, and of seen images among seen
        classes
    unseen, seen : accuracies among all classes, at gamma = 0
    gamma : gamma chosen on the folds for each value
    calibrated_unseen, calibrated_seen : accuracies among all classes, at ``gamma``
    best_harmonic : largest H over gamma *on the test set* (oracle)
    fold_zsl, fold_harmonic : metrics on the folds that chose the values, (n_folds, n_values)
    for_zsl, for_gzsl : positions of the values chosen on the folds for each task
    mse_unseen, mse_seen : arrays of shape (n_values,), or (0,) without predicted attributes
        Mean squared error of predicted attributes over attributes and test images.
    """

    method: str
    parameter: str
    effect: Effect
    params: dict[str, Any]
    origin: Literal["validated", "given"]
    values: np.ndarray
    zsl: np.ndarray
    seen_alone: np.ndarray
    unseen: np.ndarray
    seen: np.ndarray
    gamma: np.ndarray
    calibrated_unseen: np.ndarray
    calibrated_seen: np.ndarray
    best_harmonic: np.ndarray
    fold_zsl: np.ndarray
    fold_harmonic: np.ndarray
    for_zsl: int
    for_gzsl: int
    mse_unseen: np.ndarray
    mse_seen: np.ndarray

    def __post_init__(self) -> None:
        for item in fields(self):
            if isinstance(array := getattr(self, item.name), np.ndarray):
                array.setflags(write=False)

    @property
    def harmonic(self) -> np.ndarray:
        """H without calibration."""
        return harmonic_mean(self.seen, self.unseen)

    @property
    def calibrated_harmonic(self) -> np.ndarray:
        """H at the gamma chosen on the folds."""
        return harmonic_mean(self.calibrated_seen, self.calibrated_unseen)

    @property
    def difference(self) -> Literal["weaker", "same", "stronger"]:
        """Regularisation chosen on the folds for GZSL, compared with the choice for ZSL."""
        if self.for_gzsl == self.for_zsl:
            return "same"
        smaller = self.for_gzsl < self.for_zsl
        return "weaker" if smaller == (self.effect == "stronger") else "stronger"

    def table(self) -> pd.DataFrame:
        """Return the metrics of each value, and the tasks for which it was chosen."""
        chosen = np.full(len(self.values), "", dtype=object)
        for position, task in ((self.for_zsl, "ZSL"), (self.for_gzsl, "GZSL")):
            chosen[position] = " and ".join(filter(None, (chosen[position], task)))
        columns = {
            "value": self.values,
            "chosen_for": chosen,
            **{name: getattr(self, name) for name in _TEST_COLUMNS},
            "fold_zsl": self.fold_zsl.mean(axis=0),
            "fold_harmonic": self.fold_harmonic.mean(axis=0),
        }
        if len(self.mse_seen):
            columns |= {"mse_unseen": self.mse_unseen, "mse_seen": self.mse_seen}
        return pd.DataFrame(columns)


#: Columns of a path that are measured on the test set.
_TEST_COLUMNS = (
    *("zsl", "seen_alone", "unseen", "seen", "harmonic"),
    *("gamma", "calibrated_harmonic", "best_harmonic"),
)
#: Column of a path -> column of a stored run.
_METRICS = {
    "zsl": "zsl",
    "unseen": "plain_unseen",
    "seen": "plain_seen",
    "harmonic": "plain_harmonic",
    "calibrated_harmonic": "calibrated_harmonic",
    "gamma": "gamma",
}


def path_as_runs(
    spec: RegularizationSpec, rows: Iterable[Mapping[Any, Any]]
) -> list[dict[str, Any]]:
    """Return the rows of a path with the columns of a stored run."""
    return [
        {"params": json.dumps(dict(spec.params) | {spec.parameter: row["value"]})}
        | {target: row[source] for source, target in _METRICS.items() if source in row}
        for row in rows
    ]


# --- Computation ----------------------------------------------------------------------------------


def follow(
    method: ZSLEstimator,
    setting: Setting,
    parameter: str,
    values: Sequence[float],
    *,
    choose: Sequence[str] = (),
) -> RegularizationPath:
    """Fit and evaluate a method for each value of one regulariser.

    Parameters
    ----------
    method : estimator with all parameters that are neither chosen nor varied
    parameter : one of the method's ``regularizers``
    values : increasing values of the regulariser
    choose : other parameters to choose on the folds for GZSL, then fixed along the path

    Raises
    ------
    ZSLError
        If the split has no folds or no test images of seen classes, or a parameter is invalid.
    """
    if not len(setting.split.test_seen):
        raise DatasetError(
            f"{setting.dataset.name}, split {setting.split.name!r}: expected test images of seen "
            "classes, which GZSL needs; got none."
        )
    method = with_seed(method, setting.seed)
    chosen_grid = {
        name: grid_values for name, grid_values in method.param_grid.items() if name in choose
    }
    validated = bool(set(chosen_grid) - {parameter})
    if validated:
        grid = chosen_grid | {parameter: method.param_grid.get(parameter, values)}
        chosen = setting.select(method, grid=grid, message="The folds, for other parameters").params
        method = clone(method).set_params(**chosen)

    n, points = len(values), [{parameter: value} for value in values]
    zsl, gzsl, gamma = _choose_on_folds(method, setting, parameter, values)
    return RegularizationPath(
        method=method.card.name,
        parameter=parameter,
        effect=method.regularizers[parameter],
        params={name: v for name, v in method.get_params().items() if name != parameter},
        origin="validated" if validated else "given",
        values=np.array(values, dtype=float),
        gamma=gamma,
        fold_zsl=zsl.table["score"].to_numpy().reshape(-1, n),
        fold_harmonic=gzsl.table["score"].to_numpy().reshape(-1, n),
        for_zsl=list(values).index(zsl.params[parameter]),
        for_gzsl=list(values).index(gzsl.params[parameter]),
        **_test_metrics(setting.sweep(method, points, "The test set"), gamma),
        **_attribute_errors(method, setting.test, points),
    )


def _choose_on_folds(
    method: ZSLEstimator, setting: Setting, parameter: str, values: Sequence[float]
) -> tuple[Selection, Selection, np.ndarray]:
    """Return the choices of the folds for ZSL and for GZSL, and gamma for each value."""
    grid, message = {parameter: values}, "The folds, for ZSL"
    zsl = setting.select(method, task="zsl", grid=grid, with_gamma=False, message=message)
    gzsl = setting.select(method, grid=grid, message="The folds, for GZSL")
    return zsl, gzsl, np.array([best_common_gamma(curves) for curves in gzsl.curves])


def _test_metrics(tests: Iterable[ScoredTest], gamma: np.ndarray) -> dict[str, np.ndarray]:
    """Return the test metrics along the path, from the exact curve of each value."""
    rows = []
    for k, test in enumerate(tests):
        curve = test.curve
        plain, calibrated = curve.at(0.0), curve.at(gamma[k])
        rows.append(
            {
                "zsl": curve.unseen[-1],
                "seen_alone": curve.seen[0],
                "unseen": plain.unseen,
                "seen": plain.seen,
                "calibrated_unseen": calibrated.unseen,
                "calibrated_seen": calibrated.seen,
                "best_harmonic": curve.harmonic.max(),
            }
        )
    return {name: np.array([row[name] for row in rows], dtype=float) for name in rows[0]}


def _attribute_errors(
    method: ZSLEstimator, problem: Problem, points: Sequence[Mapping[str, Any]]
) -> dict[str, np.ndarray]:
    """Return the errors of predicted attributes along the path; empty if there are none."""
    if method.predicted_attributes == "no":
        return {"mse_unseen": np.empty(0), "mse_seen": np.empty(0)}
    true = problem.candidates[problem.y_test]
    of_seen = problem.seen[problem.y_test]
    predicted = problem.attributes(method, points)
    errors = np.array([((A - true) ** 2).mean(axis=1) for A in predicted])
    return {
        "mse_unseen": errors[:, ~of_seen].mean(axis=1),
        "mse_seen": errors[:, of_seen].mean(axis=1),
    }


# --- Predictions along the grid -------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class GridPredictions:
    """Predictions of a method for each value of one parameter, in increasing order.

    ``gamma`` and the position ``for_zsl`` are chosen on the folds. ``tests`` are predictions of the
    same test rows, seen classes first.
    """

    parameter: str
    values: np.ndarray
    gamma: np.ndarray
    for_zsl: int
    tests: tuple[PredictedRows, ...]

    @property
    def best(self) -> int:
        """Position of the largest H at ``gamma`` *on the test set*, an upper bound (oracle)."""
        pairs = zip(self.tests, self.gamma, strict=True)
        return int(np.argmax([test.curve.at(gamma).harmonic for test, gamma in pairs]))


def lambda_parameter(method: str) -> str | None:
    """Return the name of a method's lambda; None if it is not in the grid."""
    kind = get_method(method)
    return next(
        (p for p in kind.regularizers if p.startswith("lam") and p in kind.param_grid), None
    )


def predict_along_grid(
    spec: RunSpec, dataset: ZSLDataset, progress: Progress = silent
) -> GridPredictions:
    """Predict the test set for every value of the only parameter in a spec's grid.

    Raises ZSLError if the grid does not have exactly one parameter, or if the split has no folds or
    no test rows.
    """
    dataset = dataset.require_digest(spec.digest)
    grid = spec.grid or {}
    if len(grid) != 1:
        raise ParameterError(
            f"{spec.method}: expected one parameter in the grid; got {', '.join(grid) or 'none'}."
        )
    ((parameter, grid_values),) = grid.items()
    values = sorted(grid_values)
    split, method, done = dataset.split(spec.split), spec.estimator, count(1)
    total = len(values) * (2 * len(split.folds) + 1)

    def report(*_: object) -> None:
        progress(next(done), total, "Predicting at each value")

    setting = spec.setting(dataset, report)
    zsl, _, gamma = _choose_on_folds(method, setting, parameter, values)
    rows = np.concatenate([split.test_seen, split.test_unseen])
    points = [{parameter: value} for value in values]
    return GridPredictions(
        parameter,
        np.array(values, dtype=float),
        gamma,
        values.index(zsl.params[parameter]),
        tuple(PredictedRows.of_scores(test, rows) for test in setting.sweep(method, points)),
    )


@dataclass(frozen=True)
class GridPredictionsStudy(SpecStudy[GridPredictions]):
    """Study of the predictions along the grid of a spec; see :func:`predict_along_grid`."""

    kind = "answers_along"
    SMALL = 1 << 18

    @property
    def title(self) -> str:
        """Title on screen."""
        spec = self.spec
        return f"{spec.method} along {', '.join(spec.grid or ())} on {spec.dataset}, {spec.split}"

    def compute(self, progress: Progress) -> GridPredictions:
        """Fit with each value of the grid, on the folds and for the test set."""
        return predict_along_grid(self.spec, load(self.spec.dataset), progress)
