"""The experiments on videos: see :mod:`zslcore.analysis.actions`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import pandas as pd

from zslcore.analysis.action_tables import action_gains, compared_splits
from zslcore.analysis.actions import (
    CONFIGURATIONS,
    ON_RELEASED,
    PAPER,
    ActionSpec,
    FeatureSet,
    Splits,
    Unit,
    baseline_of,
    feature_sets,
    make_fit,
    paper_sets,
    stored_fit,
    stored_study,
    title_of,
)
from zslcore.analysis.papers.experiments.experiment import (
    Experiment,
    Piece,
    Request,
    Tell,
    cell_row,
    opened,
    table_of,
)
from zslcore.datasets.action_facts import recognise_actions

#: What the screen calls prototypes.
KINDS = {"attributes": "attributes", "word2vec": "word vectors"}


@dataclass(frozen=True, slots=True)
class GainExperiment(Experiment):
    """OverlapGain of every method minus that of the baseline, on controlled splits.

    Attributes
    ----------
    configurations : "OS1" to "OS4"
    splits : kinds of splits that are drawn
    """

    configurations: tuple[str, ...]
    splits: tuple[Splits, ...] = ("controlled",)
    n_datasets: ClassVar[int | None] = None
    scales: ClassVar[bool] = False
    at: ClassVar[str] = "prototypes"
    figures: ClassVar[str] = (
        "OverlapGain minus that of the baseline, in percent, mean over {draws} draws of test "
        "classes with its 95 % interval over classes; parameters as the paper states them."
    )

    @property
    def datasets(self) -> tuple[str, ...]:
        """The stand-ins of the paper's features."""
        return tuple(
            each.dataset
            for name in self.configurations
            for each in paper_sets(CONFIGURATIONS[name])
        )

    @property
    def methods(self) -> tuple[str, ...]:
        """The five methods of the paper."""
        return tuple(PAPER)

    def method_of(self, row: str) -> str:
        """Return the name of the method that a row is of."""
        return PAPER[row].card.name if row in PAPER else row

    def specs(self, request: Request) -> list[ActionSpec]:
        """Return the study of every configuration, on those data sets that have its classes."""
        of_classes: dict[str | None, list[str]] = {}
        for name in request.datasets:
            of_classes.setdefault(recognise_actions(opened(name).class_names), []).append(name)
        found = []
        for configuration in map(CONFIGURATIONS.__getitem__, self.configurations):
            names = of_classes.get(configuration.dataset, [])
            if names or len(self.configurations) == 1:
                sets = feature_sets(
                    configuration, {n: opened(n) for n in names or of_classes[None]}
                )
                found.append(self._spec(configuration.name, sets, request))
        return found

    def _spec(self, name: str, sets: Sequence[FeatureSet], request: Request) -> ActionSpec:
        return ActionSpec(
            name, tuple(sets), request.methods, "paper", self.splits, n_draws=request.draws
        )

    def pieces(self, request: Request) -> dict[str, Piece]:
        """Return all draws of a method with one kind of features and prototypes."""
        return study_pieces([unit for spec in self.specs(request) for unit in spec.units()])

    def table(self, request: Request) -> pd.DataFrame:
        """Return a row a method and kind of prototypes, a column for each kind of features."""
        rows = []
        for spec in self.specs(request):
            baseline = baseline_of(spec.sets)
            study = stored_study(spec.units())
            gains = action_gains(study, baseline, configuration=spec.configuration)
            above = gains[gains["features"] != baseline]
            rows += [_gain_row(spec, row) for row in above.to_dict("records")]
        return table_of(rows)


def study_pieces(units: Sequence[Unit]) -> dict[str, Piece]:
    """Return the fits of a study: all draws of a method with one kind of features, by name."""
    parts: dict[str, list[Unit]] = {}
    for unit in units:
        parts.setdefault(f"{unit.method} on {unit.set.dataset}", []).append(unit)
    return {
        what: Piece(partial(_fit, of_piece), partial(_are_fitted, of_piece))
        for what, of_piece in parts.items()
    }


def _gain_row(spec: ActionSpec, row: dict[Any, Any]) -> dict[str, Any]:
    return cell_row(
        title_of(row["features"]),
        [row["minus"]],
        row["printed"],
        dataset=spec.setting.dataset,
        method=row["method"],
        at=KINDS[row["semantics"]],
        interval=(row["minus_low"], row["minus_high"]),
    )


def _fit(units: Sequence[Unit], tell: Tell) -> int:
    made = 0
    for done, unit in enumerate(units):
        tell(done, len(units), f"draw {done + 1} of {len(units)}")
        if stored_fit(unit) is None:
            make_fit(unit)
            made += 1
    return made


def _are_fitted(units: Sequence[Unit]) -> bool:
    return all(stored_fit(unit) is not None for unit in units)


@dataclass(frozen=True, slots=True)
class SplitsExperiment(GainExperiment):
    """Accuracy on the splits of earlier papers and on the controlled ones."""

    splits: tuple[Splits, ...] = ("controlled", "released")
    at: ClassVar[str] = "features and prototypes"
    figures: ClassVar[str] = (
        "Accuracy in percent, per class, mean over {draws} released and over {draws} controlled "
        "splits; the difference with its 95 % interval over splits."
    )

    @property
    def methods(self) -> tuple[str, ...]:
        """The one whose splits were released."""
        return ON_RELEASED

    @property
    def others(self) -> tuple[str, ...]:
        """None: no other method has released splits."""
        return ()

    def table(self, request: Request) -> pd.DataFrame:
        """Return a row for each kind of features and prototypes."""
        rows = []
        for spec in self.specs(request):
            study = stored_study(spec.units())
            for row in compared_splits(study, spec.configuration).to_dict("records"):
                cell = partial(
                    cell_row,
                    dataset=spec.setting.dataset,
                    method=spec.methods[0],
                    at=f"{title_of(row['features'])}; {KINDS[row['semantics']]}",
                )
                rows += [
                    cell(kind, [row[kind]], row[f"printed_{kind}"])
                    for kind in ("released", "controlled")
                ]
                printed = row["printed_controlled"] - row["printed_released"]
                interval = row["low"], row["high"]
                rows.append(cell("difference", [row["difference"]], printed, interval=interval))
        return table_of(rows)
