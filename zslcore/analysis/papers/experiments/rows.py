"""Experiments with results stored as rows: paths, pairs of methods or data sets, ImageNet."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from zslcore.analysis import bias_variance
from zslcore.analysis.cross_dataset import CrossFit, add_printed, cross_fits, cross_table
from zslcore.analysis.large_scale import LargeScaleStudy, printed_accuracies
from zslcore.analysis.papers.experiments.experiment import (
    COLUMNS,
    Experiment,
    TablePart,
    cell_row,
    measured_cells,
    to_records,
)
from zslcore.analysis.regularization import RegularizationSpec, path_as_runs, regularized_methods
from zslcore.analysis.study import RecordStudy, Rows, study_key
from zslcore.analysis.transduction import TransductionStudy
from zslcore.datasets.facts import published_table
from zslcore.datasets.imagenet import SIMULATED_IMAGENET
from zslcore.large.ranks import Task
from zslcore.methods import METHODS
from zslcore.progress import Progress
from zslcore.results.shipped import cached_dataset
from zslcore.results.store import ResultStore

#: Heading of a table along a regulariser -> column of the stored rows.
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


# --- Studies with a list of rows as result --------------------------------------------------------


@dataclass(frozen=True)
class PathRows(RecordStudy[Rows]):
    """Accuracies, or errors of predicted attributes, along a regulariser."""

    kind = "path"

    what: Literal["accuracies", "errors"]
    spec: RegularizationSpec

    @property
    def key(self) -> str:
        """First 16 hex digits of the SHA-256 of path, revisions and numbers of draws."""
        draws = [bias_variance.CLASS_DRAWS, bias_variance.IMAGE_DRAWS]
        draws = draws if self.what == "errors" else []
        return study_key([self.what, draws, self.spec.to_json(), self.spec.code_versions])

    def compute(self, progress: Progress) -> Rows:
        """Compute the path."""
        spec = self.spec
        if self.what == "accuracies":
            columns = ["value", "chosen_for", "gamma", *ACCURACIES.values()]
            return to_records(spec.follow(progress).table()[columns])
        parts = bias_variance.bias_variance(
            spec.estimator, spec.setting(progress), spec.parameter, spec.values
        )
        rows: list[dict[str, Any]] = [{"value": value} for value in spec.values]
        for side, errors in parts.items():
            for row, error in zip(rows, errors, strict=bool(errors)):
                row |= {f"{name}_{side}": value for name, value in asdict(error).items()}
        return [{name: v for name, v in row.items() if not np.isnan(v)} for row in rows]

    def listed(self, result: Rows) -> tuple[Mapping[str, Any], Rows]:
        """Return the columns of the path, and one row per value."""
        names = ("dataset", "split", "method", "features", "prototypes", "seed", "digest")
        columns = {name: getattr(self.spec, name) for name in names}
        return columns, path_as_runs(self.spec, result)


@dataclass(frozen=True)
class TransductionRows(RecordStudy[Rows]):
    """Metrics of a transductive method and its inductive version."""

    kind = "transductive"

    study: TransductionStudy

    @property
    def key(self) -> str:
        """First 16 hex digits of the SHA-256 of the comparison."""
        return study_key([self.study.arguments["spec"], self.study.code_versions])

    def compute(self, progress: Progress) -> Rows:
        """Compare the method with its inductive version."""
        return to_records(self.study.compute(progress).table())

    def listed(self, result: Rows) -> tuple[Mapping[str, Any], Rows]:
        """Return the columns of the comparison, and one row per method."""
        names = ("dataset", "split", "digest", "features", "prototypes", "seed")
        columns = {name: getattr(self.study, name) for name in names}
        columns["params"] = json.dumps(self.study.params)
        return columns, [
            {"contender" if name == "kind" else name: value for name, value in row.items()}
            for row in result
        ]


@dataclass(frozen=True)
class RowsExperiment(Experiment):
    """Experiment on one data set, with one study per row of its table."""

    @abstractmethod
    def study(self, dataset: str, row: str) -> RecordStudy[Rows]:
        """Return the study of a row."""

    def tasks(self, part: TablePart) -> Mapping[str, Sequence[RecordStudy[Rows]]]:
        """Return one study per row."""
        (dataset,) = part.datasets
        return {row: [self.study(dataset, row)] for row in part.methods}


# --- Along a regulariser --------------------------------------------------------------------------


@dataclass(frozen=True)
class PathExperiment(RowsExperiment):
    """Accuracies, or errors of predicted attributes, along the regulariser of a method."""

    split: str = "PS"
    takes_params: bool = field(default=True, kw_only=True)
    methods: ClassVar[tuple[str, ...]] = ("LinearV2S",)
    at: str = field(default="λ", kw_only=True)
    what: Literal["accuracies", "errors"] = field(default="accuracies", kw_only=True)
    cells: Mapping[str, str] = field(default_factory=lambda: ACCURACIES, kw_only=True)
    metrics: str = field(
        default="Accuracy in percent, per class; * marks the λ chosen on the folds, with its task; "
        "gamma is chosen on the folds for every λ. Measured on the test set; with --on "
        "validation on the first validation split, which is then the only fold, as in the "
        "paper.",
        kw_only=True,
    )

    @property
    def further_methods(self) -> tuple[str, ...]:
        """All other methods with a regulariser; for errors, methods that predict attributes."""
        return tuple(
            name
            for name in regularized_methods()
            if name not in self.methods
            and (self.what == "accuracies" or METHODS[name].predicted_attributes != "no")
        )

    def study(self, dataset: str, row: str) -> PathRows:
        """Return the path of a method."""
        digest, params = cached_dataset(dataset).digest, self.params_of(row)
        spec = RegularizationSpec(
            dataset, self.split, row, params=params, features=self.features, digest=digest
        )
        return PathRows(self.what, spec)

    def table_rows(self, part: TablePart) -> Iterator[dict[str, Any]]:
        """Yield the cells of each value; the paper plots them, without numbers."""
        (dataset,) = part.datasets
        for method in part.methods:
            study = self.study(dataset, method)
            points = study.stored()
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
                        row_of = partial(cell_row, dataset=dataset, method=method, at=at)
                        yield row_of(title, [point[column]], key=study.key)


# --- Two methods, two data sets -------------------------------------------------------------------


@dataclass(frozen=True)
class CrossExperiment(Experiment):
    """Training on one data set, test on another; see :mod:`zslcore.analysis.cross_dataset`."""

    n_datasets: int | None = field(default=2, kw_only=True)
    datasets: ClassVar[tuple[str, ...]] = ("simulated-AWA1", "simulated-AWA2")
    metrics: str = field(
        default="ZSL accuracy in percent, per class; parameters chosen on the folds of the "
        "training set; the first data set stands for AWA1, the second for AWA2.",
        kw_only=True,
    )

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of the printed table that this package has."""
        names = published_table("cross_dataset_awa")["method"].unique()
        return tuple(name for name in names if name in METHODS)

    def tasks(self, part: TablePart) -> Mapping[str, Sequence[CrossFit]]:
        """Return two fits per method."""
        first, second = map(cached_dataset, part.datasets)
        return {
            name: [fit for fit, *_ in cross_fits(first, second, [name], features=self.features)]
            for name in part.methods
        }

    def table_rows(self, part: TablePart) -> Iterator[dict[str, Any]]:
        """Yield the four cells of each method; the first data set is compared with AWA1."""
        first, second = map(cached_dataset, part.datasets)
        store, methods = ResultStore(), part.methods
        computed = cross_table(first, second, methods, store=store, features=self.features)
        compared = add_printed(computed, first.name, second.name)
        for row in compared[compared["method"].isin(methods)].to_dict("records"):
            yield cell_row(
                f"{row['trained']}:{row['tested']}",
                [row["here"]],
                row["published"],
                dataset=" and ".join(part.datasets),
                method=row["method"],
            )


@dataclass(frozen=True)
class TransductionExperiment(RowsExperiment):
    """Comparison of transductive methods with their inductive versions on split PS.

    ``method_names`` maps names in the paper to methods, ``cells`` maps headings to columns of the
    stored rows.
    """

    method_names: Mapping[str, str]
    cells: Mapping[str, str]
    takes_params: bool = field(default=True, kw_only=True)
    #: Inductive methods have no rows of their own.
    further_methods: ClassVar[tuple[str, ...]] = ()
    metrics: str = field(
        default="Accuracy in percent, per class, no calibration; parameters chosen on the folds.",
        kw_only=True,
    )

    @property
    def methods(self) -> tuple[str, ...]:
        """Transductive methods of the figure."""
        return tuple(self.method_names)

    def method_of(self, row: str) -> str:
        """Return the method of a row."""
        return self.method_names[row]

    def study(self, dataset: str, row: str) -> TransductionRows:
        """Return the study that compares a method with its inductive version."""
        study = TransductionStudy(
            dataset,
            "PS",
            self.method_names[row],
            self.params_of(row),
            features=self.features,
            digest=cached_dataset(dataset).digest,
        )
        return TransductionRows(study)

    def table_rows(self, part: TablePart) -> Iterator[dict[str, Any]]:
        """Yield the metrics of a method and its inductive version, which the paper only plots."""
        (dataset,) = part.datasets
        for name in part.methods:
            for row in self.study(dataset, name).stored() or []:
                for title, column in self.cells.items():
                    values = [] if row.get(column) is None else [row[column]]
                    yield cell_row(f"{title}, {row['kind']}", values, dataset=dataset, method=name)


# --- The nine ImageNet test sets ------------------------------------------------------------------


@dataclass(frozen=True)
class ImagenetExperiment(RowsExperiment):
    """Top-k accuracy on the nine sets, for each k in ``ks``, with one row per set."""

    task: Task = "zsl"
    ks: tuple[int, ...] = (1,)
    feature_source: str = field(
        default="The paper uses ResNet-101 features of 14 million images, and word vectors from "
        "the authors' page. For your own features in shards, use 'zslcore large-scale --shards "
        "FOLDER --prototypes FILE'.",
        kw_only=True,
    )
    datasets: ClassVar[tuple[str, ...]] = SIMULATED_IMAGENET[:1]
    can_scale: bool = field(default=False, kw_only=True)
    at: str = field(default="set", kw_only=True)
    metrics: str = field(
        default="Share of images, per class and in percent, with the true class among the k "
        "best predictions; parameters chosen on the released fold.",
        kw_only=True,
    )

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of the printed table that this package has."""
        return tuple(name for name in printed_accuracies().index if name in METHODS)

    def is_of_paper(self, name: str, part: TablePart) -> bool:
        """Return whether the images are real; the digits do not count as data of the paper."""
        return name != "digits" and not cached_dataset(name).simulated

    def study(self, dataset: str, row: str) -> LargeScaleStudy:
        """Return the study of a method, common to the table and both figures."""
        return LargeScaleStudy(dataset, cached_dataset(dataset).digest, row)

    def table_rows(self, part: TablePart) -> Iterator[dict[str, Any]]:
        """Yield the cells of methods and sets; the paper prints only top-1 of ZSL as numbers."""
        (dataset,) = part.datasets
        table = printed_accuracies()
        for method in part.methods:
            for row in self.study(dataset, method).stored() or []:
                if row["task"] == self.task and row["k"] in self.ks:
                    is_printed = self.task == "zsl" and row["k"] == 1 and method in table.index
                    value: Any = table.loc[method, row["set"]] if is_printed else None
                    where = {"dataset": dataset, "method": method, "at": row["set"]}
                    yield cell_row(f"top {row['k']}", [row["per_class"]], value, **where)
