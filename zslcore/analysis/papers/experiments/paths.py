"""Figures over a regulariser: accuracies, the error of attributes, and its parts."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd

from zslcore.analysis import bias_variance
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
from zslcore.methods import METHODS

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
class PathExperiment(Experiment):
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

    def _path(self, dataset: str, method: str) -> _Path:
        digest, params = opened(dataset).digest, self.given(method)
        spec = RegularizationSpec(
            dataset, self.split, method, params=params, features=self.features, digest=digest
        )
        return _Path(self.what, spec)

    def pieces(self, request: Request) -> dict[str, Piece]:
        """Return one path a method."""
        (dataset,) = request.datasets
        return {method: self._path(dataset, method).piece for method in request.methods}

    def table(self, request: Request) -> pd.DataFrame:
        """Return a row a value of the regulariser; the paper has drawn these, and printed none."""
        (dataset,) = request.datasets
        rows = []
        for method in request.methods:
            path = self._path(dataset, method)
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
