"""Tables that count: what is in the data sets, and what the experiments on videos consist of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from zslcore.analysis.actions import (
    CONFIGURATIONS,
    ON_RELEASED,
    PAPER,
    controlled_draws,
    paper_sets,
)
from zslcore.analysis.inventory import part_sizes, statistics
from zslcore.analysis.papers.experiments.experiment import (
    Experiment,
    Request,
    Unit,
    cell_row,
    open_dataset,
)
from zslcore.datasets import Split
from zslcore.datasets.facts import benchmark_of, published


@dataclass(frozen=True, slots=True)
class CountExperiment(Experiment):
    """Counts, which take no runs."""

    lacks: str = field(default="", kw_only=True)
    unit: ClassVar[Unit] = "number"
    scales: ClassVar[bool] = False
    figures: ClassVar[str] = "Counted here."


@dataclass(frozen=True, slots=True)
class StatisticsExperiment(CountExperiment):
    """The contents of a data set, see :func:`zslcore.analysis.inventory.statistics`."""

    at: ClassVar[str] = "quantity"

    def table_rows(self, request: Request) -> Iterator[dict[str, Any]]:
        """Yield a row a quantity, with the printed one of the benchmark."""
        (name,) = request.datasets
        dataset = open_dataset(name)
        benchmark = benchmark_of(dataset)
        for row in statistics(dataset).to_dict("records"):
            yield cell_row(
                "here",
                [row["here"]],
                None if pd.isna(row["published"]) else float(row["published"]),
                dataset=f"{name}, {benchmark}" if benchmark not in (None, name) else name,
                at=", ".join(filter(None, (row["split"], row["quantity"]))),
            )


DRAWING = "20 classes of 10 images"
#: The calibration paper's drawing: 20 classes of 10 images, of which five are for testing, five for
#: validation; a fifth of every other class is a seen test image, as many of training classes are
#: seen validation. Part -> classes, images.
DRAWN = {
    "training": (10, 60),
    "seen validation": (10, 20),
    "validation": (5, 40),
    "test, seen": (15, 30),
    "test, unseen": (5, 50),
}


def drawn_split() -> tuple[np.ndarray, Split]:
    """Return labels and split of the example that the calibration paper draws."""
    labels = np.repeat(np.arange(20), 10)
    return labels, Split.from_classes("PS", labels, range(15, 20), folds=[range(10, 15)])


@dataclass(frozen=True, slots=True)
class PartsExperiment(CountExperiment):
    """The parts of a run's data, see :func:`zslcore.analysis.inventory.part_sizes`."""

    n_datasets: ClassVar[int | None] = None
    at: ClassVar[str] = "part"
    figures: ClassVar[str] = "Counted here: PS, or the first split of other data; the first fold."
    examples: ClassVar[tuple[str, ...]] = (DRAWING,)

    def table_rows(self, request: Request) -> Iterator[dict[str, Any]]:
        """Yield two cells a part of the example, with the drawn ones, then of the data sets."""
        of = {DRAWING: drawn_split()}
        for name in request.datasets:
            splits = open_dataset(name).splits
            of[name] = open_dataset(name).labels, splits.get("PS") or next(iter(splits.values()))
        for name, (labels, split) in of.items():
            for row in part_sizes(labels, split).to_dict("records"):
                printed = DRAWN[row["part"]] if name == DRAWING else (None, None)
                for cell, there in zip(("classes", "images"), printed, strict=True):
                    yield cell_row(cell, [row[cell]], there, dataset=name, at=row["part"])


@dataclass(frozen=True, slots=True)
class VideoCountExperiment(CountExperiment):
    """Counts of the annotated classes of actions; no data set is opened."""

    n_datasets: ClassVar[int | None] = 0
    at: ClassVar[str] = "configuration"
    datasets: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True)
class VideoSplitsExperiment(VideoCountExperiment):
    """Classes of the controlled splits, counted from the annotated lists and the first draw."""

    def table_rows(self, request: Request) -> Iterator[dict[str, Any]]:
        """Yield the cells of every configuration."""
        printed = published("action_splits").set_index("configuration")
        for name, each in CONFIGURATIONS.items():
            (draw,) = controlled_draws(each, n_draws=1)
            counted = {
                "classes": len(each.overlapping),
                "overlapping": int(each.overlapping.sum()),
                "non_overlapping": int((~each.overlapping).sum()),
                "train_classes": len(draw.train),
                "test_classes": len(draw.ouc) + len(draw.tuc),
                "test_overlapping": int(each.overlapping[draw.ouc].sum()),
                "test_non_overlapping": int((~each.overlapping[draw.tuc]).sum()),
            }
            at = f"{name}: {each.dataset}, {each.pretraining}"
            for column, n in counted.items():
                yield cell_row(column.replace("_", " "), [n], printed[column][name], at=at)


@dataclass(frozen=True, slots=True)
class ConfigurationsExperiment(VideoCountExperiment):
    """The parts of each experiment on videos, counted from what a study here would make."""

    def table_rows(self, request: Request) -> Iterator[dict[str, Any]]:
        """Yield the cells of experiments 1 to 4, each on one configuration, and of 5, on two."""
        gains = published("overlap_gain_action")["method"].nunique()
        experiments = [([name], tuple(PAPER), gains) for name in CONFIGURATIONS]
        experiments.append((["OS2", "OS4"], ON_RELEASED, 1))
        features = published("action_splits").set_index("configuration")["features"]
        semantics = published("action_bidilel_splits").groupby("dataset")["semantics"].nunique()
        for number, (names, methods, printed) in enumerate(experiments, 1):
            for name in names:
                each = CONFIGURATIONS[name]
                sets = paper_sets(each)
                at = f"{number}: {name}, {each.dataset}, {each.pretraining}"
                there = 1 + len(features[name].split(";"))  # the baseline, and networks
                n = len({one.features for one in sets})
                yield cell_row("kinds of features", [n], there, at=at)
                n = len({one.semantics for one in sets})
                yield cell_row("kinds of prototypes", [n], semantics[each.dataset], at=at)
                yield cell_row("methods", [len(methods)], printed, at=at)
