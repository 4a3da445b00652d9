"""List of studies, and access to their results: precomputed, stored or computed."""

from __future__ import annotations

from typing import Any, TypeVar

from zslcore.analysis.comparison import ComparisonStudy
from zslcore.analysis.cross_dataset import CrossStudy
from zslcore.analysis.maps.map import MapStudy
from zslcore.analysis.overlap import OverlapStudy
from zslcore.analysis.regularization import GridPredictionsStudy
from zslcore.analysis.study import RunStudy, Study
from zslcore.analysis.transduction import TransductionStudy
from zslcore.jobs.runner import finished
from zslcore.progress import Progress, silent

R = TypeVar("R")

#: Kind -> study, for all studies that worker processes compute.
STUDIES: dict[str, type[Study[Any]]] = {
    study.kind: study
    for study in (
        ComparisonStudy,
        CrossStudy,
        GridPredictionsStudy,
        MapStudy,
        OverlapStudy,
        RunStudy,
        TransductionStudy,
    )
}
#: Functions of worker processes by kind; see :class:`zslcore.jobs.runner.Runner`.
FUNCTIONS = {kind: study.compute_into for kind, study in STUDIES.items()}


def stored_result(study: Study[R]) -> R | None:
    """Return the precomputed or stored result of a study; None if there is none."""
    folder = finished(study)
    return None if folder is None else study.read(folder)


def result(study: Study[R], *, progress: Progress = silent) -> R:
    """Return the result of a study: precomputed, stored, or computed in this process."""
    stored = stored_result(study)
    return study.compute(progress) if stored is None else stored
