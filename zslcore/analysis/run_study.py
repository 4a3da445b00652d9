"""Runs as studies: one method on one split, chosen on the folds, scored on the test set once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from zslcore.analysis.study import Report, Study
from zslcore.datasets import ZSLDataset, load
from zslcore.evaluation.protocol import ScoredTest
from zslcore.evaluation.runs import Progress, RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.methods.base import ZSLEstimator
from zslcore.results.store import ResultStore

#: Multiplications a second, as the slowest closed form makes them with its grid on the folds.
SPEED = 6e8


R = TypeVar("R")


@dataclass(frozen=True)
class SpecStudy(Study[R]):
    """A study of the method and split of a spec."""

    spec: RunSpec

    @property
    def arguments(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return {"spec": self.spec.to_json()}

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any]) -> Self:
        """Return the study with these :attr:`arguments`."""
        return cls(RunSpec.from_json(arguments["spec"]))

    @property
    def estimators(self) -> Iterable[ZSLEstimator]:
        """The methods that are fitted."""
        return (self.spec.estimator,)


@dataclass(frozen=True)
class RunStudy(SpecStudy[tuple[RunResult, ScoredTest]]):
    """The run of a spec; choices that the run store has are not repeated.

    Closed forms sweep their grid on the test set, too, for the oracle.
    """

    kind = "run"
    #: Above, a second thread gains more than it costs, and a run takes more than a second or two.
    SMALL, COMPRESSED = 1 << 22, False

    threads: int = 1

    @classmethod
    def of(cls, spec: RunSpec, dataset: ZSLDataset) -> Self:
        """Return the study of a spec on its data set."""
        return cls(spec, 1 if dataset.features.size <= cls.SMALL else 2)

    @property
    def title(self) -> str:
        """Description on the screen."""
        return f"{self.spec.method} on {self.spec.dataset}, split {self.spec.split}"

    def compute(self, report: Report) -> tuple[RunResult, ScoredTest]:
        """Run the spec, or fit again what the run store has of it."""
        spec, store = self.spec, ResultStore()
        dataset, sweeps = load(spec.dataset), not spec.estimator.iterative
        known = None
        with store.tolerated():
            known = store.get(spec.key)
        progress = Progress(spec, dataset, report, with_oracle=sweeps, known=known)
        return store.run(
            spec,
            dataset,
            with_oracle=sweeps,
            on_progress=progress.on_fit,
            on_epoch=progress.on_epoch,
        )


def seconds(dataset: ZSLDataset) -> float:
    """Return an upper estimate of the seconds of a closed form with its grid on one thread."""
    n, d = dataset.features.shape
    return float(0.2 + n * d * (sum(dataset.prototypes.shape) + 100) / SPEED)
