"""The nine ImageNet test sets: see :mod:`zslcore.analysis.large_scale`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import pandas as pd

from zslcore.analysis.large_scale import LargeScaleStudy, measure, printed
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
from zslcore.datasets.imagenet_simulated import SIMULATED_IMAGENET
from zslcore.evaluation.specs import revisions_of
from zslcore.large.ranks import Task
from zslcore.methods import METHODS, get_method

__all__ = ["ImagenetExperiment"]


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
        return {
            method: Piece(
                partial(_measure, dataset, method),
                lambda method=method: _rows(dataset, method) is not None,  # type: ignore[misc]
            )
            for method in request.methods
        }

    def table(self, request: Request) -> pd.DataFrame:
        """Return a row a method and set; the paper prints top-1 of ZSL, and draws the others."""
        (dataset,) = request.datasets
        there, rows = printed(), []
        for method in request.methods:
            for row in _rows(dataset, method) or []:
                if row["task"] == self.task and row["k"] in self.ks:
                    is_printed = self.task == "zsl" and row["k"] == 1 and method in there.index
                    value = there.loc[method, row["set"]] if is_printed else None
                    where = {"dataset": dataset, "method": method, "at": row["set"]}
                    cell = f"top {row['k']}"
                    rows.append(cell_row(cell, [row["per_class"]], value, **where))
        return table_of(rows)


def _key(dataset: str, method: str) -> str:
    model = get_method(method)()
    grid = {name: list(values) for name, values in model.param_grid.items()}
    return key_of("large-scale", opened(dataset).digest, method, revisions_of(model), grid)


def _rows(dataset: str, method: str) -> list[dict[str, Any]] | None:
    return stored_rows("large-scale", _key(dataset, method))


def _measure(dataset: str, method: str, tell: Tell) -> int:
    data = opened(dataset)
    spec = LargeScaleStudy(dataset, data.digest, method)
    found = measure(spec, data, tell)
    rows = [{str(name): v for name, v in row.items()} for row in found.table().to_dict("records")]
    return keep_rows("large-scale", _key(dataset, method), spec.arguments, rows, found.as_runs())
