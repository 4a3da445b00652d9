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
    Rows,
    RowStudy,
    Tell,
    cell_row,
    key_of,
    opened,
    records,
    table_of,
)
from zslcore.analysis.transduction import TransductionStudy
from zslcore.datasets.facts import published
from zslcore.features.views import FeatureScaling
from zslcore.methods import METHODS
from zslcore.results.store import ResultStore


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
        return {name: self._study(dataset, name).piece for name in request.methods}

    def _study(self, dataset: str, row: str) -> _Contenders:
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
            for contender in self._study(dataset, name).rows or []:
                for title, figure in self.cells.items():
                    value = contender.get(figure)
                    values = [] if value is None else [value]
                    cell = f"{title}, {contender['kind']}"
                    rows.append(cell_row(cell, values, dataset=dataset, method=name))
        return table_of(rows)
