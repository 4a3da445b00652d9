"""The list of studies, and the answer to each: shipped, stored or computed."""

from __future__ import annotations

from typing import Any, TypeVar

from zslcore.analysis.actions import ActionStudy
from zslcore.analysis.comparison import ComparisonStudy
from zslcore.analysis.cross_dataset import CrossStudy
from zslcore.analysis.large_scale import LargeScaleStudy
from zslcore.analysis.maps import MapStudy
from zslcore.analysis.overlap import OverlapStudy
from zslcore.analysis.regularization import GridAnswersStudy
from zslcore.analysis.study import SILENT, Report, RunStudy, Study
from zslcore.analysis.transduction import TransductionStudy
from zslcore.jobs.runner import finished

R = TypeVar("R")

_ALL: tuple[type[Study[Any]], ...] = (
    RunStudy,
    CrossStudy,
    MapStudy,
    OverlapStudy,
    TransductionStudy,
    ComparisonStudy,
    GridAnswersStudy,
    ActionStudy,
    LargeScaleStudy,
)
STUDIES = {study.kind: study for study in _ALL}
#: What a child process computes; see :class:`zslcore.jobs.runner.Runner`.
FUNCTIONS = {kind: study.work for kind, study in STUDIES.items()}


def result(study: Study[R], *, make: bool = True, report: Report = SILENT) -> R | None:
    """Return the result of a study, shipped, stored or, with ``make``, computed here, else None."""
    folder = finished(study)
    if folder is not None:
        return study.read(folder)
    return study.compute(report) if make else None
