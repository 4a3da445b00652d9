"""Experiments on videos; see :mod:`zslcore.analysis.actions`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from zslcore.analysis.action_tables import accuracies_by_split, action_gains
from zslcore.analysis.actions import (
    CONFIGURATIONS,
    ON_RELEASED,
    PAPER,
    ActionFit,
    ActionSpec,
    Splits,
    baseline_of,
    feature_sets,
    paper_sets,
    stored_study,
    title_of,
)
from zslcore.analysis.papers.experiments.experiment import Experiment, TablePart, cell_row
from zslcore.datasets.facts import recognise_actions
from zslcore.results.shipped import cached_dataset

#: Kind of prototypes -> its name on screen.
KINDS = {"attributes": "attributes", "word2vec": "word vectors"}


@dataclass(frozen=True)
class GainExperiment(Experiment):
    """Overlap gain of each method minus the baseline's gain, in configurations "OS1" to "OS4".

    With ``by_split``, the cells are accuracies on splits of earlier papers and on controlled
    splits.
    """

    configurations: tuple[str, ...]
    by_split: bool = field(default=False, kw_only=True)
    feature_source: str = field(
        default="The paper uses IDT, C3D, I3D and 3D-ResNet features of the real videos, from the "
        "pages of the authors of BiDiLEL and of I3D for zero-shot actions: 'zslcore import "
        "--pretraining' reads such features.",
        kw_only=True,
    )
    n_datasets: int | None = field(default=None, kw_only=True)
    can_scale: bool = field(default=False, kw_only=True)
    at: str = field(default="prototypes", kw_only=True)
    metrics: str = field(
        default="OverlapGain minus that of the baseline, in percent, mean over {draws} draws "
        "of test classes with its 95 % interval over classes; parameters as the paper "
        "states them.",
        kw_only=True,
    )

    @property
    def methods(self) -> tuple[str, ...]:
        """Rows of the table: all methods of the paper, or its methods on released splits."""
        return ON_RELEASED if self.by_split else tuple(PAPER)

    @property
    def further_methods(self) -> tuple[str, ...]:
        """Methods that are not in the paper; empty for released splits."""
        return () if self.by_split else super().further_methods

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of simulated data sets for the paper's features."""
        return tuple(
            features.dataset
            for name in self.configurations
            for features in paper_sets(CONFIGURATIONS[name])
        )

    def method_of(self, row: str) -> str:
        """Return the method of a row."""
        return PAPER[row].card.name if row in PAPER else row

    def specs(self, part: TablePart) -> list[ActionSpec]:
        """Return one study per configuration, on the data sets with the configuration's classes."""
        splits: tuple[Splits, ...] = (
            ("controlled", "released") if self.by_split else ("controlled",)
        )
        of_classes: dict[str | None, list[str]] = {}
        for name in part.datasets:
            classes = recognise_actions(cached_dataset(name).class_names)
            of_classes.setdefault(classes, []).append(name)
        specs = []
        for configuration in map(CONFIGURATIONS.__getitem__, self.configurations):
            names = of_classes.get(configuration.dataset, [])
            if names or len(self.configurations) == 1:
                datasets = {n: cached_dataset(n) for n in names or of_classes[None]}
                spec = ActionSpec(
                    configuration.name,
                    feature_sets(configuration, datasets),
                    part.methods,
                    splits,
                    n_draws=part.draws,
                )
                specs.append(spec)
        return specs

    def tasks(self, part: TablePart) -> Mapping[str, Sequence[ActionFit]]:
        """Return all draws of each method and data set, by name."""
        return fits_by_name([fit for spec in self.specs(part) for fit in spec.fits()])

    def table_rows(self, part: TablePart) -> Iterator[dict[str, Any]]:
        """Yield one cell per method, kind of prototypes and features."""
        if self.by_split:
            yield from self._split_rows(part)
            return
        for spec in self.specs(part):
            baseline = baseline_of(spec.sets)
            study = stored_study(spec.fits())
            gains = action_gains(study, baseline, configuration=spec.configuration)
            for row in gains[gains["features"] != baseline].to_dict("records"):
                yield cell_row(
                    title_of(row["features"]),
                    [row["minus"]],
                    row["printed"],
                    dataset=spec.setting.dataset,
                    method=row["method"],
                    at=KINDS[row["semantics"]],
                    interval=(row["minus_low"], row["minus_high"]),
                )

    def _split_rows(self, part: TablePart) -> Iterator[dict[str, Any]]:
        """Yield accuracies on both kinds of splits with differences, by features and prototypes."""
        for spec in self.specs(part):
            study = stored_study(spec.fits())
            for row in accuracies_by_split(study, spec.configuration).to_dict("records"):
                cell = partial(
                    cell_row,
                    dataset=spec.setting.dataset,
                    method=spec.methods[0],
                    at=f"{title_of(row['features'])}; {KINDS[row['semantics']]}",
                )
                for kind in ("released", "controlled"):
                    yield cell(kind, [row[kind]], row[f"printed_{kind}"])
                printed = row["printed_controlled"] - row["printed_released"]
                interval = row["low"], row["high"]
                yield cell("difference", [row["difference"]], printed, interval=interval)


def fits_by_name(fits: Iterable[ActionFit]) -> dict[str, list[ActionFit]]:
    """Return the fits of a study by name: all draws of a method on one data set together."""
    named: dict[str, list[ActionFit]] = {}
    for fit in fits:
        named.setdefault(f"{fit.method} on {fit.set.dataset}", []).append(fit)
    return named
