"""Experiments whose results are stored as rows: paths, pairs of methods or data sets, ImageNet."""

from __future__ import annotations

import json
import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from zslcore.analysis import bias_variance
from zslcore.analysis.cross_dataset import cross_table, with_printed
from zslcore.analysis.large_scale import LargeScaleStudy, measure, printed
from zslcore.analysis.papers.experiments.experiment import (
    COLUMNS,
    Experiment,
    Piece,
    Request,
    Rows,
    StoredRows,
    Tell,
    Unit,
    cell_row,
    measured_cells,
    open_dataset,
    to_records,
)
from zslcore.analysis.regularization import RegularizationSpec, as_runs, regularized
from zslcore.analysis.study import key_of
from zslcore.analysis.transduction import TransductionStudy
from zslcore.datasets.facts import published
from zslcore.datasets.imagenet import SIMULATED_IMAGENET
from zslcore.evaluation.specs import revisions_of
from zslcore.features import FeatureScaling
from zslcore.large.ranks import Task
from zslcore.methods import METHODS, get_method
from zslcore.results.store import ResultStore

#: Columns of both figures: heading -> column of the stored rows.
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
    def study(self, dataset: str, row: str) -> StoredRows:
        """Return the study of a row."""

    def pieces(self, request: Request) -> Mapping[str, Piece]:
        """Return one study a row."""
        (dataset,) = request.datasets
        return {row: self.study(dataset, row) for row in request.methods}


# --- Along a regulariser --------------------------------------------------------------------------

What = Literal["accuracies", "errors"]
#: How often is drawn again: part of the key.
_DRAWS = {"accuracies": [], "errors": [bias_variance.CLASS_DRAWS, bias_variance.IMAGE_DRAWS]}


@dataclass(frozen=True, slots=True)
class PathExperiment(RowsExperiment):
    """Accuracies along the regulariser of a method."""

    split: str = "PS"
    takes_params: ClassVar[bool] = True
    methods: ClassVar[tuple[str, ...]] = ("LinearV2S",)
    at: ClassVar[str] = "λ"
    what: ClassVar[What] = "accuracies"
    cells: ClassVar[Mapping[str, str]] = ACCURACIES
    figures: ClassVar[str] = (
        "Accuracy in percent, per class; * marks the λ that the folds choose, and what for; gamma "
        "chosen on the folds for every λ. Measured on the test set, with --on validation as in the "
        "paper on the first validation split, which is then the only fold."
    )

    @property
    def others(self) -> tuple[str, ...]:
        """Every other method with a regulariser."""
        return tuple(name for name in regularized() if name not in self.methods)

    def study(self, dataset: str, row: str) -> StoredRows:
        """Return the path of a method."""
        digest, params = open_dataset(dataset).digest, self.given(row)
        spec = RegularizationSpec(
            dataset, self.split, row, params=params, features=self.features, digest=digest
        )
        key = key_of([self.what, _DRAWS[self.what], spec.to_json(), spec.made_by])
        return StoredRows("path", key, partial(_follow, self.what, spec))

    def table_rows(self, request: Request) -> Iterator[dict[str, Any]]:
        """Yield the cells of every value; the paper has drawn these, and printed none."""
        (dataset,) = request.datasets
        for method in request.methods:
            study = self.study(dataset, method)
            points = study.rows
            if points is None:
                for row in measured_cells(study.key):
                    yield {name: row[name] for name in COLUMNS if name in row} | {
                        "dataset": dataset
                    }
            for point in points or []:
                chosen = f" *{point['chosen_for']}" if point.get("chosen_for") else ""
                at = f"{point['value']:.3g}{chosen}"
                for title, column in self.cells.items():
                    if column in point:
                        place = partial(cell_row, dataset=dataset, method=method, at=at)
                        yield place(title, [point[column]], key=study.key)


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


def _follow(
    what: What, spec: RegularizationSpec, tell: Tell
) -> tuple[Mapping[str, Any], Rows, Rows]:
    began = time.perf_counter()
    rows = _accuracies(spec, tell) if what == "accuracies" else _errors(spec, tell)
    names = ("dataset", "split", "method", "features", "prototypes", "seed", "digest")
    about = {name: getattr(spec, name) for name in names}
    return about | {"seconds": time.perf_counter() - began}, rows, as_runs(spec, rows)


def _accuracies(spec: RegularizationSpec, tell: Tell) -> list[dict[str, Any]]:
    path = spec.follow(open_dataset(spec.dataset), tell)
    columns = ["value", "chosen_for", "gamma", *ACCURACIES.values()]
    return to_records(path.table()[columns])


def _errors(spec: RegularizationSpec, tell: Tell) -> list[dict[str, Any]]:
    found = bias_variance.of_spec(spec, open_dataset(spec.dataset), tell)
    sides = {"unseen": found.unseen, "seen": found.seen}
    rows: list[dict[str, Any]] = [{"value": value} for value in spec.values]
    for side, parts in sides.items():
        for row, part in zip(rows, parts, strict=bool(parts)):
            row |= {f"{name}_{side}": value for name, value in asdict(part).items()}
    return [{name: v for name, v in row.items() if not np.isnan(v)} for row in rows]


# --- Two methods, two data sets -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CrossExperiment(Experiment):
    """Trained on one data set, tested on another: see :mod:`zslcore.analysis.cross_dataset`."""

    n_datasets: ClassVar[int | None] = 2
    datasets: ClassVar[tuple[str, ...]] = ("simulated-AWA1", "simulated-AWA2")
    figures: ClassVar[str] = (
        "ZSL accuracy in percent, per class; parameters chosen on the folds of the training set; "
        "the first data set stands for AWA1, the second for AWA2."
    )

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of the printed table that exist here."""
        names = published("cross_dataset_awa")["method"].unique()
        return tuple(name for name in names if name in METHODS)

    def pieces(self, request: Request) -> Mapping[str, Piece]:
        """Return two fits a method."""
        one, other = request.datasets
        return {name: CrossPiece(one, other, name, self.features) for name in request.methods}

    def table_rows(self, request: Request) -> Iterator[dict[str, Any]]:
        """Yield the four cells of every method; the first data set stands for AWA1."""
        first, second = map(open_dataset, request.datasets)
        store, methods = ResultStore(), request.methods
        here = cross_table(first, second, methods, store=store, features=self.features)
        compared = with_printed(here, first.name, second.name)
        for row in compared[compared["method"].isin(methods)].to_dict("records"):
            yield cell_row(
                f"{row['trained']}:{row['tested']}",
                [row["here"]],
                row["published"],
                dataset=" and ".join(request.datasets),
                method=row["method"],
            )


@dataclass(frozen=True)
class CrossPiece(Piece):
    """The fits of a method on two data sets; those that are stored take no time."""

    first: str
    second: str
    method: str
    features: FeatureScaling

    def run(self, tell: Tell) -> int:
        """Fit on each, and test on both."""
        first, second = open_dataset(self.first), open_dataset(self.second)
        store = ResultStore()
        before = len(store.others(["crossed"]))
        cross_table(
            first, second, [self.method], store=store, features=self.features, on_progress=tell
        )
        return len(store.others(["crossed"])) - before

    def is_stored(self) -> bool:
        """Return False: to find out takes the same as to run."""
        return False


@dataclass(frozen=True, slots=True)
class TransductionExperiment(RowsExperiment):
    """A transductive method compared with its inductive version, split PS.

    ``named`` is name in the paper -> method, ``cells`` heading -> column of :meth:`Contender.row`.
    """

    named: Mapping[str, str]
    cells: Mapping[str, str]
    takes_params: ClassVar[bool] = True
    #: No method without unlabelled images has a row.
    others: ClassVar[tuple[str, ...]] = ()
    figures: ClassVar[str] = (
        "Accuracy in percent, per class, no calibration; parameters chosen on the folds."
    )

    @property
    def methods(self) -> tuple[str, ...]:
        """The transductive methods of the figure."""
        return tuple(self.named)

    def method_of(self, row: str) -> str:
        """Return the method of a row."""
        return self.named[row]

    def study(self, dataset: str, row: str) -> StoredRows:
        """Return the comparison of both contenders."""
        study = TransductionStudy(
            dataset,
            "PS",
            self.named[row],
            self.given(row),
            features=self.features,
            digest=open_dataset(dataset).digest,
        )
        key = key_of([study.arguments["spec"], study.made_by])
        return StoredRows("transductive", key, partial(_compare, study))

    def table_rows(self, request: Request) -> Iterator[dict[str, Any]]:
        """Yield the figures of both contenders; the paper has drawn them, and printed none."""
        (dataset,) = request.datasets
        for name in request.methods:
            for contender in self.study(dataset, name).rows or []:
                for title, figure in self.cells.items():
                    value = contender.get(figure)
                    values = [] if value is None else [value]
                    cell = f"{title}, {contender['kind']}"
                    yield cell_row(cell, values, dataset=dataset, method=name)


def _compare(study: TransductionStudy, tell: Tell) -> tuple[Mapping[str, Any], Rows, Rows]:
    names = ("dataset", "split", "digest", "features", "prototypes", "seed")
    about = {name: getattr(study, name) for name in names}
    table = study.compare(open_dataset(study.dataset), tell).table()
    shown = to_records(table.rename(columns={"kind": "contender"}))
    return about | {"params": json.dumps(study.params)}, to_records(table), shown


# --- The nine ImageNet test sets ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ImagenetExperiment(RowsExperiment):
    """Accuracy on the nine sets, a row a set; the true class is among the ``ks`` best answers."""

    task: Task = "zsl"
    ks: tuple[int, ...] = (1,)
    lacks: str = field(
        default="The paper's figures are of ResNet-101 features of 14 million images and of word "
        "vectors that the paper's authors have on their page; features of your own lie in shards: "
        "'zslcore large-scale --shards FOLDER --prototypes FILE'.",
        kw_only=True,
    )
    datasets: ClassVar[tuple[str, ...]] = SIMULATED_IMAGENET[:1]
    scales: ClassVar[bool] = False
    at: ClassVar[str] = "set"
    figures: ClassVar[str] = (
        "Share of images, per class and in percent, whose class is among the k best answers; "
        "parameters chosen on the released fold."
    )

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of the printed table that exist here."""
        return tuple(name for name in printed().index if name in METHODS)

    def is_of_paper(self, name: str, request: Request) -> bool:
        """Return whether features are of images of other data than the digits."""
        return name != "digits" and not open_dataset(name).simulated

    def study(self, dataset: str, row: str) -> StoredRows:
        """Return the measurement of a method, which serves the table and both figures."""
        study = LargeScaleStudy(dataset, open_dataset(dataset).digest, row)
        model = get_method(row)()
        grid = {name: list(values) for name, values in model.param_grid.items()}
        key = key_of(["large-scale", study.digest, row, revisions_of(model), grid])
        return StoredRows("large-scale", key, partial(_measure_sets, study))

    def table_rows(self, request: Request) -> Iterator[dict[str, Any]]:
        """Yield the cells of a method and set; the paper prints top-1 of ZSL, draws the others."""
        (dataset,) = request.datasets
        there = printed()
        for method in request.methods:
            for row in self.study(dataset, method).rows or []:
                if row["task"] == self.task and row["k"] in self.ks:
                    is_printed = self.task == "zsl" and row["k"] == 1 and method in there.index
                    value = there.loc[method, row["set"]] if is_printed else None
                    where = {"dataset": dataset, "method": method, "at": row["set"]}
                    yield cell_row(f"top {row['k']}", [row["per_class"]], value, **where)


def _measure_sets(study: LargeScaleStudy, tell: Tell) -> tuple[Mapping[str, Any], Rows, Rows]:
    found = measure(study, open_dataset(study.dataset), tell)
    return study.arguments, to_records(found.table()), found.as_runs()
