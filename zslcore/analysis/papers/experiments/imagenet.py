"""The nine ImageNet test sets: see :mod:`zslcore.analysis.large_scale`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from zslcore.analysis.large_scale import LargeScaleStudy, measure, printed
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
from zslcore.datasets.imagenet_simulated import SIMULATED_IMAGENET
from zslcore.evaluation.specs import revisions_of
from zslcore.large.ranks import Task
from zslcore.methods import METHODS, get_method


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
class ImagenetExperiment(Experiment):
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

    def pieces(self, request: Request) -> dict[str, Piece]:
        """Return one measurement a method, which serves all three table and figures."""
        (dataset,) = request.datasets
        return {method: _Sets(dataset, method).piece for method in request.methods}

    def table(self, request: Request) -> pd.DataFrame:
        """Return a row a method and set; the paper prints top-1 of ZSL, and draws the others."""
        (dataset,) = request.datasets
        there, rows = printed(), []
        for method in request.methods:
            for row in _Sets(dataset, method).rows or []:
                if row["task"] == self.task and row["k"] in self.ks:
                    is_printed = self.task == "zsl" and row["k"] == 1 and method in there.index
                    value = there.loc[method, row["set"]] if is_printed else None
                    where = {"dataset": dataset, "method": method, "at": row["set"]}
                    cell = f"top {row['k']}"
                    rows.append(cell_row(cell, [row["per_class"]], value, **where))
        return table_of(rows)
