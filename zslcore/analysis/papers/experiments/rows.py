"""Experiments whose results are stored as rows: paths, pairs of methods or data sets, ImageNet."""

from __future__ import annotations

import json
import time
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd

from zslcore.analysis import bias_variance
from zslcore.analysis.cross_dataset import cross_table
from zslcore.analysis.cross_tests import with_printed
from zslcore.analysis.large_scale import LargeScaleStudy, measure, printed
from zslcore.analysis.papers.experiments.experiment import (
    COLUMNS,
    Experiment,
    Piece,
    Request,
    Rows,
    RowStudy,
    Tell,
    Unit,
    cell_row,
    key_of,
    measured_cells,
    opened,
    records,
    table_of,
)
from zslcore.analysis.regularization import RegularizationSpec, as_runs, regularized
from zslcore.analysis.transduction import TransductionStudy
from zslcore.datasets.facts import published
from zslcore.datasets.imagenet_simulated import SIMULATED_IMAGENET
from zslcore.evaluation.specs import revisions_of
from zslcore.features.views import FeatureScaling
from zslcore.large.ranks import Task
from zslcore.methods import METHODS, get_method
from zslcore.results.store import ResultStore

What = Literal["accuracies", "errors"]
#: Columns of both figures: heading -> column of what is stored.
ACCURACIES = {
    "U->Cu": "zsl",
    "S->Cs": "seen_alone",
    "U->C": "unseen",
    "S->C": "seen",
    "H": "harmonic",
    "H calibrated": "calibrated_harmonic",
}
ERRORS = {
    f"{title}, {side}": f"{part}_{side}"
    for side in ("unseen", "seen")
    for title, part in (
        ("MSE", "error"),
        ("bias² and noise", "bias"),
        ("variance between classes", "between"),
        ("variance within", "within"),
    )
}


@dataclass(frozen=True, slots=True)
class RowsExperiment(Experiment):
    """An experiment on one data set, a stored study for each of its rows."""

    @abstractmethod
    def study(self, dataset: str, row: str) -> RowStudy:
        """Return the study of a row."""

    def pieces(self, request: Request) -> dict[str, Piece]:
        """Return one study a row."""
        (dataset,) = request.datasets
        return {row: self.study(dataset, row).piece for row in request.methods}


# --- Along a regulariser --------------------------------------------------------------------------


@dataclass(frozen=True)
class _Path(RowStudy):
    """What is measured along the regulariser of a method."""

    kind = "path"

    what: What
    spec: RegularizationSpec

    @property
    def key(self) -> str:
        """SHA-256 of the spec, revisions, grids and draws."""
        draws = [bias_variance.CLASS_DRAWS, bias_variance.IMAGE_DRAWS]
        return key_of(
            self.what, draws * (self.what == "errors"), self.spec.to_json(), self.spec.made_by
        )

    def measure(self, tell: Tell) -> tuple[Mapping[str, Any], Rows, Rows]:
        """Follow the path."""
        spec, began = self.spec, time.perf_counter()
        rows = _accuracies(spec, tell) if self.what == "accuracies" else _errors(spec, tell)
        names = ("dataset", "split", "method", "features", "prototypes", "seed", "digest")
        about = {name: getattr(spec, name) for name in names}
        return about | {"seconds": time.perf_counter() - began}, rows, as_runs(spec, rows)


@dataclass(frozen=True, slots=True)
class PathExperiment(RowsExperiment):
    """Accuracies along the regulariser of a method.

    Attributes
    ----------
    rows : method -> parameters that it is given
    split : "PS", or :data:`zslcore.analysis.regularization.VALIDATION`
    """

    rows: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    split: str = "PS"
    at: ClassVar[str] = "λ"
    what: ClassVar[What] = "accuracies"
    cells: ClassVar[Mapping[str, str]] = ACCURACIES
    figures: ClassVar[str] = (
        "Accuracy in percent, per class; * marks the λ that the folds choose, and what for; gamma "
        "chosen on the folds for every λ. Measured on the test set, with --on validation as in the "
        "paper on the first validation split, which is then the only fold."
    )

    @property
    def methods(self) -> tuple[str, ...]:
        """The paper's regularised linear model."""
        return ("LinearV2S",)

    @property
    def others(self) -> tuple[str, ...]:
        """Every other method with a regulariser."""
        return tuple(name for name in regularized() if name not in self.methods)

    def given(self, row: str) -> Mapping[str, Any]:
        """Return the parameters that a row is given."""
        return self.rows.get(row, {})

    def with_params(self, params: Mapping[str, Mapping[str, Any]]) -> Self:
        """Return the experiment with parameters given to rows."""
        return replace(self, rows={**self.rows, **params})

    def study(self, dataset: str, row: str) -> RowStudy:
        """Return the path of a method."""
        digest, params = opened(dataset).digest, self.given(row)
        spec = RegularizationSpec(
            dataset, self.split, row, params=params, features=self.features, digest=digest
        )
        return _Path(self.what, spec)

    def table(self, request: Request) -> pd.DataFrame:
        """Return a row a value of the regulariser; the paper has drawn these, and printed none."""
        (dataset,) = request.datasets
        rows = []
        for method in request.methods:
            path = self.study(dataset, method)
            key, points = path.key, path.rows
            if points is None:
                shipped = ({**each, "dataset": dataset} for each in measured_cells(key))
                rows += [{name: row[name] for name in COLUMNS if name in row} for row in shipped]
            for point in points or []:
                chosen = f" *{point['chosen_for']}" if point.get("chosen_for") else ""
                cell = partial(
                    cell_row,
                    dataset=dataset,
                    method=method,
                    at=f"{point['value']:.3g}{chosen}",
                    key=key,
                )
                rows += [
                    cell(title, [point[column]])
                    for title, column in self.cells.items()
                    if column in point
                ]
        return table_of(rows)


@dataclass(frozen=True, slots=True)
class ErrorExperiment(PathExperiment):
    """The error of predicted attributes along the regulariser, and its parts."""

    what: ClassVar[What] = "errors"
    unit: ClassVar[Unit] = "number"
    cells: ClassVar[Mapping[str, str]] = ERRORS
    figures: ClassVar[str] = (
        "Mean squared error of predicted attributes on test images (--on validation: of the first "
        "validation split, as in the paper), and the parts it follows from, "
        f"over {bias_variance.CLASS_DRAWS} draws of training classes with "
        f"{bias_variance.IMAGE_DRAWS} draws of their images each."
    )

    @property
    def others(self) -> tuple[str, ...]:
        """Every other method that has a regulariser and predicts attributes."""
        of_paths = super(ErrorExperiment, self).others
        return tuple(n for n in of_paths if METHODS[n].predicted_attributes != "no")


def _accuracies(spec: RegularizationSpec, tell: Tell) -> list[dict[str, Any]]:
    path = spec.follow(opened(spec.dataset), tell)
    columns = ["value", "chosen_for", "gamma", *ACCURACIES.values()]
    return records(path.table()[columns])


def _errors(spec: RegularizationSpec, tell: Tell) -> list[dict[str, Any]]:
    found = bias_variance.of_spec(spec, opened(spec.dataset), tell)
    sides = {"unseen": found.unseen, "seen": found.seen}
    rows: list[dict[str, Any]] = [{"value": value} for value in spec.values]  # noqa: PD011 - of a path
    for side, parts in sides.items():
        for row, part in zip(rows, parts, strict=bool(parts)):
            row |= {f"{name}_{side}": value for name, value in asdict(part).items()}
    return [{name: v for name, v in row.items() if not np.isnan(v)} for row in rows]


# --- Two methods, two data sets -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CrossExperiment(Experiment):
    """Trained on one data set, tested on another: see :mod:`zslcore.analysis.cross_dataset`."""

    n_datasets: ClassVar[int | None] = 2
    figures: ClassVar[str] = (
        "ZSL accuracy in percent, per class; parameters chosen on the folds of the training set; "
        "the first data set stands for AWA1, the second for AWA2."
    )

    @property
    def datasets(self) -> tuple[str, ...]:
        """The stand-ins of both."""
        return ("simulated-AWA1", "simulated-AWA2")

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of the printed table that there are here."""
        names = published("cross_dataset_awa")["method"].unique()
        return tuple(name for name in names if name in METHODS)

    def pieces(self, request: Request) -> dict[str, Piece]:
        """Return two fits a method."""
        one, other = request.datasets
        return {
            method: Piece(partial(_cross, one, other, method, self.features), lambda: False)
            for method in request.methods
        }

    def table(self, request: Request) -> pd.DataFrame:
        """Return the four cells of every method; the first data set stands for AWA1."""
        first, second = map(opened, request.datasets)
        store, methods = ResultStore(), request.methods
        here = cross_table(first, second, methods, store=store, features=self.features)
        compared = with_printed(here, first.name, second.name)
        return table_of(
            [
                cell_row(
                    f"{row['trained']}:{row['tested']}",
                    [row["here"]],
                    row["published"],
                    dataset=" and ".join(request.datasets),
                    method=row["method"],
                )
                for row in compared[compared["method"].isin(methods)].to_dict("records")
            ]
        )


def _cross(one: str, other: str, method: str, features: FeatureScaling, tell: Tell) -> int:
    first, second = opened(one), opened(other)
    store = ResultStore()
    before = len(store.others(["crossed"]))
    cross_table(first, second, [method], store=store, features=features, on_progress=tell)
    return len(store.others(["crossed"])) - before


@dataclass(frozen=True)
class _Contenders(RowStudy):
    """A transductive method and its inductive version."""

    kind = "transductive"

    study: TransductionStudy

    @property
    def key(self) -> str:
        """SHA-256 of the spec, revisions and grids."""
        return key_of(self.study.arguments["spec"], self.study.made_by)

    def measure(self, tell: Tell) -> tuple[Mapping[str, Any], Rows, Rows]:
        """Fit both."""
        names = ("dataset", "split", "digest", "features", "prototypes", "seed")
        about = {name: getattr(self.study, name) for name in names}
        table = self.study.compare(opened(self.study.dataset), tell).table()
        shown = records(table.rename(columns={"kind": "contender"}))
        return about | {"params": json.dumps(self.study.params)}, records(table), shown


@dataclass(frozen=True, slots=True)
class TransductionExperiment(RowsExperiment):
    """A transductive method compared with its inductive version, split PS.

    Attributes
    ----------
    rows : name in the paper -> (method, its parameters)
    cells : heading -> column of :meth:`zslcore.analysis.transduction.Contender.row`
    """

    rows: Mapping[str, tuple[str, Mapping[str, Any]]]
    cells: Mapping[str, str]
    figures: ClassVar[str] = (
        "Accuracy in percent, per class, no calibration; parameters chosen on the folds."
    )

    @property
    def methods(self) -> tuple[str, ...]:
        """The transductive methods of the figure."""
        return tuple(self.rows)

    def method_of(self, row: str) -> str:
        """Return the name of the method that a row is of."""
        return self.rows[row][0]

    def given(self, row: str) -> Mapping[str, Any]:
        """Return the parameters that a row is given."""
        return self.rows[row][1]

    def with_params(self, params: Mapping[str, Mapping[str, Any]]) -> Self:
        """Return the experiment with parameters given to rows."""
        rows = {
            name: (self.rows[name][0], {**self.rows[name][1], **given})
            for name, given in params.items()
        }
        return replace(self, rows={**self.rows, **rows})

    @property
    def others(self) -> tuple[str, ...]:
        """None; there is no published row for inductive methods."""
        return ()

    def study(self, dataset: str, row: str) -> RowStudy:
        """Return the comparison of both contenders."""
        method, params = self.rows[row]
        digest = opened(dataset).digest
        return _Contenders(
            TransductionStudy(dataset, "PS", method, params, features=self.features, digest=digest)
        )

    def table(self, request: Request) -> pd.DataFrame:
        """Return the figures of both contenders; the paper has drawn them, and printed none."""
        (dataset,) = request.datasets
        rows = []
        for name in request.methods:
            for contender in self.study(dataset, name).rows or []:
                for title, figure in self.cells.items():
                    value = contender.get(figure)
                    values = [] if value is None else [value]
                    cell = f"{title}, {contender['kind']}"
                    rows.append(cell_row(cell, values, dataset=dataset, method=name))
        return table_of(rows)


# --- The nine ImageNet test sets ------------------------------------------------------------------


@dataclass(frozen=True)
class _Sets(RowStudy):
    """A method on the nine sets."""

    kind = "large-scale"

    dataset: str
    method: str

    @property
    def key(self) -> str:
        """SHA-256 of the data, the method and its grid."""
        model = get_method(self.method)()
        grid = {name: list(values) for name, values in model.param_grid.items()}
        digest = opened(self.dataset).digest
        return key_of(self.kind, digest, self.method, revisions_of(model), grid)

    def measure(self, tell: Tell) -> tuple[Mapping[str, Any], Rows, Rows]:
        """Choose parameters on the fold, and count."""
        data = opened(self.dataset)
        spec = LargeScaleStudy(self.dataset, data.digest, self.method)
        found = measure(spec, data, tell)
        return spec.arguments, records(found.table()), found.as_runs()


@dataclass(frozen=True, slots=True)
class ImagenetExperiment(RowsExperiment):
    """Accuracy on the nine sets, a row a set.

    Attributes
    ----------
    task : "zsl" or "gzsl", where the 1,000 training classes are candidates, too
    ks : the true class among so many best answers
    """

    task: Task = "zsl"
    ks: tuple[int, ...] = (1,)
    scales: ClassVar[bool] = False
    at: ClassVar[str] = "set"
    figures: ClassVar[str] = (
        "Share of images, per class and in percent, whose class is among the k best answers; "
        "parameters chosen on the released fold."
    )

    @property
    def datasets(self) -> tuple[str, ...]:
        """The small stand-in."""
        return SIMULATED_IMAGENET[:1]

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of the printed table that there are here."""
        return tuple(name for name in printed().index if name in METHODS)

    def study(self, dataset: str, row: str) -> RowStudy:
        """Return the measurement of a method, which serves the table and both figures."""
        return _Sets(dataset, row)

    def table(self, request: Request) -> pd.DataFrame:
        """Return a row a method and set; the paper prints top-1 of ZSL, and draws the others."""
        (dataset,) = request.datasets
        there, rows = printed(), []
        for method in request.methods:
            for row in self.study(dataset, method).rows or []:
                if row["task"] == self.task and row["k"] in self.ks:
                    is_printed = self.task == "zsl" and row["k"] == 1 and method in there.index
                    value = there.loc[method, row["set"]] if is_printed else None
                    where = {"dataset": dataset, "method": method, "at": row["set"]}
                    cell = f"top {row['k']}"
                    rows.append(cell_row(cell, [row["per_class"]], value, **where))
        return table_of(rows)
