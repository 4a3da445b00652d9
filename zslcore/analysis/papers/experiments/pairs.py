"""Tables over two data sets, and figures with images without labels."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import pandas as pd

from zslcore.analysis.cross_dataset import cross_table
from zslcore.analysis.cross_tests import with_printed
from zslcore.analysis.papers.experiments.experiment import (
    Experiment,
    Piece,
    Request,
    Tell,
    cell_row,
    keep_rows,
    key_of,
    opened,
    stored_rows,
    table_of,
)
from zslcore.analysis.transduction import TransductionStudy
from zslcore.datasets.facts import published
from zslcore.features.views import FeatureScaling
from zslcore.methods import METHODS
from zslcore.results.store import ResultStore

__all__ = ["CrossExperiment", "TransductionExperiment"]


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


@dataclass(frozen=True, slots=True)
class TransductionExperiment(Experiment):
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

    def pieces(self, request: Request) -> dict[str, Piece]:
        """Return one comparison a method."""
        (dataset,) = request.datasets
        arguments = {name: (dataset, *self.rows[name], self.features) for name in request.methods}
        return {
            name: Piece(partial(_compare, *what), partial(_is_compared, *what))
            for name, what in arguments.items()
        }

    def table(self, request: Request) -> pd.DataFrame:
        """Return the figures of both contenders; the paper has drawn them, and printed none."""
        (dataset,) = request.datasets
        rows = []
        for name in request.methods:
            spec = spec_of(dataset, *self.rows[name], self.features)
            for contender in stored_rows("transductive", _key(spec)) or []:
                for title, figure in self.cells.items():
                    value = contender.get(figure)
                    values = [] if value is None else [value]
                    cell = f"{title}, {contender['kind']}"
                    rows.append(cell_row(cell, values, dataset=dataset, method=name))
        return table_of(rows)


def spec_of(
    dataset: str, method: str, params: Mapping[str, Any], features: FeatureScaling
) -> TransductionStudy:
    """Return the specification of a comparison."""
    digest = opened(dataset).digest
    return TransductionStudy(dataset, "PS", method, params, features=features, digest=digest)


def _compare(
    dataset: str, method: str, params: Mapping[str, Any], features: FeatureScaling, tell: Tell
) -> int:
    spec = spec_of(dataset, method, params, features)
    rows = spec.compare(opened(dataset), tell).table().to_dict("records")
    shown = [
        {("contender" if name == "kind" else str(name)): value for name, value in row.items()}
        for row in rows
    ]
    records = [{str(name): value for name, value in row.items()} for row in rows]
    return keep_rows("transductive", _key(spec), _about(spec), records, shown)


def _about(spec: TransductionStudy) -> dict[str, Any]:
    names = ("dataset", "split", "digest", "features", "prototypes", "seed")
    return {name: getattr(spec, name) for name in names} | {"params": json.dumps(spec.params)}


def _is_compared(
    dataset: str, method: str, params: Mapping[str, Any], features: FeatureScaling
) -> bool:
    spec = spec_of(dataset, method, params, features)
    return stored_rows("transductive", _key(spec)) is not None


def _key(spec: TransductionStudy) -> str:
    return key_of(spec.arguments["spec"], spec.made_by)
