"""Tables of counts: contents of data sets, and parts of the experiments on videos."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from zslcore.analysis.actions import (
    CONFIGURATIONS,
    ON_RELEASED,
    PAPER,
    controlled_draws,
    paper_sets,
)
from zslcore.analysis.dataset_summary import part_sizes, statistics
from zslcore.analysis.papers.experiments.experiment import Experiment, TablePart, Unit, cell_row
from zslcore.datasets import Split
from zslcore.datasets.facts import benchmark_of, published_table
from zslcore.results.shipped import cached_dataset


@dataclass(frozen=True)
class CountExperiment(Experiment):
    """Experiment that needs only counts, no runs; ``count`` yields the cells of a part."""

    count: Callable[[TablePart], Iterator[dict[str, Any]]]
    metrics: str = field(default="Counted here.", kw_only=True)
    feature_source: str = field(default="", kw_only=True)
    unit: Unit = field(default="number", kw_only=True)
    can_scale: bool = field(default=False, kw_only=True)

    @property
    def datasets(self) -> tuple[str, ...]:
        """Default data sets of the table; empty if only class lists are counted."""
        return () if self.n_datasets == 0 else ("digits",)

    def table_rows(self, part: TablePart) -> Iterator[dict[str, Any]]:
        """Yield the cells of counts."""
        return self.count(part)


def count_statistics(part: TablePart) -> Iterator[dict[str, Any]]:
    """Yield the statistics of a data set, next to the printed statistics of its benchmark."""
    (name,) = part.datasets
    dataset = cached_dataset(name)
    benchmark = benchmark_of(dataset)
    for row in statistics(dataset).to_dict("records"):
        yield cell_row(
            "here",
            [row["here"]],
            None if pd.isna(row["published"]) else float(row["published"]),
            dataset=f"{name}, {benchmark}" if benchmark not in (None, name) else name,
            at=", ".join(filter(None, (row["split"], row["quantity"]))),
        )


EXAMPLE = "20 classes of 10 images"
#: Part -> numbers of classes and images in the calibration paper's figure of a split, with 10
#: training, 5 validation and 5 test classes of 10 images each. In training and validation classes,
#: 2 images per class belong to "test, seen"; in training classes, 2 more to "seen validation".
EXAMPLE_SIZES = {
    "training": (10, 60),
    "seen validation": (10, 20),
    "validation": (5, 40),
    "test, seen": (15, 30),
    "test, unseen": (5, 50),
}


def example_split() -> tuple[np.ndarray, Split]:
    """Return labels and split of the example in the calibration paper's figure."""
    labels = np.repeat(np.arange(20), 10)
    return labels, Split.from_classes("PS", labels, range(15, 20), folds=[range(10, 15)])


def count_parts(part: TablePart) -> Iterator[dict[str, Any]]:
    """Yield the number of classes and of images of each part.

    The parts of the paper's figure come first, next to the printed numbers, then those of the data
    sets.
    """
    splits = {EXAMPLE: example_split()}
    for name in part.datasets:
        dataset = cached_dataset(name)
        first = next(iter(dataset.splits.values()))
        splits[name] = dataset.labels, dataset.splits.get("PS") or first
    for name, (labels, split) in splits.items():
        for row in part_sizes(labels, split).to_dict("records"):
            printed = EXAMPLE_SIZES[row["part"]] if name == EXAMPLE else (None, None)
            for cell, value in zip(("classes", "images"), printed, strict=True):
                yield cell_row(cell, [row[cell]], value, dataset=name, at=row["part"])


def count_video_classes(_: TablePart) -> Iterator[dict[str, Any]]:
    """Yield class counts of each controlled split: of its annotated list, and of one draw."""
    printed = published_table("action_splits").set_index("configuration")
    for name, configuration in CONFIGURATIONS.items():
        (draw,) = controlled_draws(configuration, n_draws=1)
        counts = {
            "classes": len(configuration.overlapping),
            "overlapping": int(configuration.overlapping.sum()),
            "non_overlapping": int((~configuration.overlapping).sum()),
            "train_classes": len(draw.train),
            "test_classes": len(draw.ouc) + len(draw.tuc),
            "test_overlapping": int(configuration.overlapping[draw.ouc].sum()),
            "test_non_overlapping": int((~configuration.overlapping[draw.tuc]).sum()),
        }
        at = f"{name}: {configuration.dataset}, {configuration.pretraining}"
        for column, n in counts.items():
            yield cell_row(column.replace("_", " "), [n], printed[column][name], at=at)


def count_configurations(_: TablePart) -> Iterator[dict[str, Any]]:
    """Yield the parts of experiments 1 to 4 (one configuration each) and 5 (two configurations)."""
    gains = published_table("overlap_gain_action")["method"].nunique()
    experiments = [([name], tuple(PAPER), gains) for name in CONFIGURATIONS]
    experiments.append((["OS2", "OS4"], ON_RELEASED, 1))
    features = published_table("action_splits").set_index("configuration")["features"]
    semantics = published_table("action_bidilel_splits").groupby("dataset")["semantics"].nunique()
    for number, (names, methods, printed) in enumerate(experiments, 1):
        for name in names:
            configuration = CONFIGURATIONS[name]
            sets = paper_sets(configuration)
            at = f"{number}: {name}, {configuration.dataset}, {configuration.pretraining}"
            n_printed = 1 + len(features[name].split(";"))  # the baseline, and each network
            n = len({action_set.features for action_set in sets})
            yield cell_row("kinds of features", [n], n_printed, at=at)
            n = len({action_set.semantics for action_set in sets})
            yield cell_row("kinds of prototypes", [n], semantics[configuration.dataset], at=at)
            yield cell_row("methods", [len(methods)], printed, at=at)
