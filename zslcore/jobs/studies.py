"""The list of studies, and the result of each: shipped, stored or computed."""

from __future__ import annotations

from typing import Any, TypeVar

from zslcore.analysis.comparison import ComparisonStudy as ComparisonStudy
from zslcore.analysis.cross_dataset import CrossStudy as CrossStudy
from zslcore.analysis.large_scale import LargeScaleStudy as LargeScaleStudy
from zslcore.analysis.maps import MapStudy as MapStudy
from zslcore.analysis.overlap import OverlapStudy as OverlapStudy
from zslcore.analysis.regularization import GridAnswersStudy as GridAnswersStudy
from zslcore.analysis.study import SILENT, Report, Study
from zslcore.analysis.study import RunStudy as RunStudy
from zslcore.analysis.transduction import TransductionStudy as TransductionStudy
from zslcore.jobs.runner import finished

R = TypeVar("R")

#: Every study that is imported above, by its kind.
STUDIES: dict[str, type[Study[Any]]] = {
    study.kind: study
    for study in list(vars().values())
    if isinstance(study, type) and issubclass(study, Study) and "kind" in vars(study)
}
#: What a child process computes; see :class:`zslcore.jobs.runner.Runner`.
FUNCTIONS = {kind: study.work for kind, study in STUDIES.items()}


def stored_result(study: Study[R]) -> R | None:
    """Return the result of a study, shipped or stored; None where there is none."""
    folder = finished(study)
    return None if folder is None else study.read(folder)


def result(study: Study[R], *, report: Report = SILENT) -> R:
    """Return the result of a study, shipped, stored or computed here."""
    found = stored_result(study)
    return study.compute(report) if found is None else found
