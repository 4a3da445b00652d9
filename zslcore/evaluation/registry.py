"""Registry of the metrics in lists, tables and exports of results.

:func:`register_metric` adds a metric. A metric is computed from an evaluation, or from the
predictions for a test set, which are not stored with every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from zslcore.evaluation.bootstrap import BootstrapMetrics
    from zslcore.evaluation.predicted_tests import Evaluation
    from zslcore.metrics import Average, SeenUnseen


@dataclass(frozen=True, slots=True)
class ResultMetric:
    """A metric of a result.

    Attributes
    ----------
    name : column name in a row of results
    label : short label, such as "H at γ"
    of : function from an evaluation to the value; :func:`needs_predictions` if the evaluation does
        not determine it
    printed : heading in a paper, ``label`` by default
    unit : "fraction" for values in [0, 1] that are shown in percent, "" for plain numbers
    needs_gzsl : whether the metric needs test samples of seen classes
    shown : whether lists show the metric; exports have all metrics
    board : field in an entry of the board; empty if entries do not have the metric
    drawn : function from :class:`BootstrapMetrics` to one value per draw; None if there is none
    needs_fixed_scores : whether the metric needs predictions among seen classes alone, which are
        available only if scores do not depend on the candidates
    """

    name: str
    label: str
    of: Callable[[Evaluation], float | None]
    printed: str = ""
    unit: Literal["fraction", ""] = "fraction"
    needs_gzsl: bool = True
    larger_is_better: bool = True
    shown: bool = True
    board: str = ""
    drawn: Callable[[BootstrapMetrics], np.ndarray] | None = None
    needs_fixed_scores: bool = False

    @property
    def at_gamma(self) -> bool:
        """Whether the metric depends on the chosen gamma."""
        return self.name.startswith("calibrated_")


def needs_predictions(_: Evaluation) -> None:
    """Return None: the metric needs the predictions, not only their evaluation."""


def _from_evaluation(point: str, side: str) -> Callable[[Evaluation], float | None]:
    def of(evaluation: Evaluation) -> float | None:
        value: float | None = getattr(getattr(evaluation, point), side, None)
        return value

    return of


#: All metrics by name, in the order of columns of a table.
REGISTRY: dict[str, ResultMetric] = {}


def register_metric(metric: ResultMetric) -> ResultMetric:
    """Add a metric to the registry; raises a ValueError if the name is taken."""
    if metric.name in REGISTRY:
        raise ValueError(f"A metric {metric.name!r} is registered already; its name must be new.")
    REGISTRY[metric.name] = metric
    return metric


def metric_names(*, unit: str | None = None) -> tuple[str, ...]:
    """Return the names of the metrics that lists show, by default of any ``unit``."""
    return tuple(
        metric.name for metric in REGISTRY.values() if metric.shown and unit in (None, metric.unit)
    )


def headings(*, printed: bool = False) -> dict[str, str]:
    """Map the metrics that lists show to their labels, or to their headings in papers."""
    shown = (metric for metric in REGISTRY.values() if metric.shown)
    return {metric.name: (printed and metric.printed) or metric.label for metric in shown}


def on_board() -> dict[str, ResultMetric]:
    """Map the fields of an entry of the board to metrics."""
    return {metric.board: metric for metric in REGISTRY.values() if metric.board}


def values_of(evaluation: Evaluation) -> Mapping[str, Any]:
    """Return the metrics that need no predictions, by name; None for a missing value."""
    stored = (metric for metric in REGISTRY.values() if metric.of is not needs_predictions)
    return {metric.name: metric.of(evaluation) for metric in stored}


# --- The metrics ----------------------------------------------------------------------------------

#: Suffix of the names of metrics averaged over samples instead of classes.
PER_SAMPLE = "_per_sample"
#: Letters of the papers for the accuracies of each side, and for their harmonic mean.
LETTERS = {"unseen": "u", "seen": "s", "harmonic": "H"}


@dataclass(frozen=True, slots=True)
class _Point:
    """u, s and H at one gamma, or in separate label spaces (each side among its own classes).

    ``name`` is the prefix of metric names; ``label`` and ``board`` are suffixes of labels and of
    the fields of board entries; ``printed`` is the heading of H in a paper; ``stored`` is True if
    an evaluation has the point.
    """

    name: str
    label: str
    board: str
    sides: Callable[[BootstrapMetrics, Average], SeenUnseen]
    stored: bool = False
    printed: str = ""

    def metrics(self, average: Average) -> Iterator[ResultMetric]:
        """Yield the metrics of the point; only stored per-class metrics are in lists and boards."""
        end, suffix = ("", "") if average == "class" else (PER_SAMPLE, " per image")
        listed = self.stored and average == "class"
        for side, letter in LETTERS.items():
            if (self.name, side) == ("separate", "unseen"):
                continue  # u in separate label spaces is ZSL accuracy
            headed = side == "harmonic" and bool(self.printed)
            yield ResultMetric(
                f"{self.name}_{side}{end}",
                f"{letter}{self.label}{suffix}",
                _from_evaluation(f"{self.name}{end}", side) if self.stored else needs_predictions,
                printed=self.printed if headed else "",
                shown=listed and (headed or not self.label),
                board=f"{letter}{self.board}" if listed else "",
                drawn=_from_draws(self.sides, average, side),
                needs_fixed_scores=self.name == "separate",
            )


def _from_draws(
    sides: Callable[[BootstrapMetrics, Average], SeenUnseen], average: Average, side: str
) -> Callable[[BootstrapMetrics], np.ndarray]:
    def of(drawn: BootstrapMetrics) -> np.ndarray:
        values: np.ndarray = getattr(sides(drawn, average), side)
        return values

    return of


def _mean_class(evaluation: Evaluation) -> float | None:
    accuracies = evaluation.per_class_plain
    return float(np.mean(list(accuracies.values()))) if accuracies else None


_POINTS = (
    _Point("plain", "", "", lambda d, a: d.at(0.0, a), stored=True),
    _Point("calibrated", " at γ", "_gamma", lambda d, a: d.at(d.gamma, a), True, "H cal."),
    _Point("best", ", oracle γ", "", lambda d, a: d.best(a)),
    _Point("separate", ", separate label spaces", "", lambda d, a: d.separate(a)),
)
_LISTED = (
    ResultMetric(
        "zsl", "ZSL", lambda e: e.zsl, needs_gzsl=False, board="zsl", drawn=lambda d: d.zsl("class")
    ),
    *(metric for point in _POINTS for metric in point.metrics("class")),
    ResultMetric(
        "ausuc", "AUSUC", lambda e: e.ausuc, board="ausuc", drawn=lambda d: d.area("class")
    ),
)
_UNLISTED = (
    ResultMetric(
        "zsl_per_sample",
        "ZSL per image",
        lambda e: e.zsl_per_sample,
        needs_gzsl=False,
        drawn=lambda d: d.zsl("sample"),
    ),
    *(metric for point in _POINTS for metric in point.metrics("sample")),
    ResultMetric(
        "ausuc_per_sample", "AUSUC per image", needs_predictions, drawn=lambda d: d.area("sample")
    ),
    ResultMetric("accuracy", "accuracy", _mean_class, drawn=lambda d: d.accuracy("class")),
    ResultMetric(
        "accuracy_per_sample",
        "accuracy per image",
        needs_predictions,
        drawn=lambda d: d.accuracy("sample"),
    ),
    ResultMetric("macro_f1", "macro F1", needs_predictions, drawn=lambda d: d.macro_f1()),
    ResultMetric("auroc", "AUROC", needs_predictions, drawn=lambda d: d.auroc()),
    ResultMetric(
        "fpr95", "FPR95", needs_predictions, larger_is_better=False, drawn=lambda d: d.fpr95()
    ),
)
for _metric in (*_LISTED, *(replace(metric, shown=False) for metric in _UNLISTED)):
    register_metric(_metric)
