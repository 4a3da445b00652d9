"""Runs of a page, stored or computed, and the panel of a job: progress, cancel and restart."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from ui.intake import missing_extras
from ui.shell import visitors
from ui.shell.frame import BEGAN, WARNED
from ui.shell.guard import errors_as_sentences, fragment
from ui.shell.numbers import elapsed, share_done
from ui.shell.text import plain
from ui.state import cache
from zslcore import jobs
from zslcore.analysis.study import RunStudy, Study
from zslcore.evaluation.predicted_tests import PredictedTest, ScoredTest
from zslcore.evaluation.predictions import Predictions
from zslcore.evaluation.runs import Run, RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.jobs import Status
from zslcore.results.shipped import is_precomputed_only, plain_spec, shipped_predictions
from zslcore.results.store import ResultStore
from zslcore.storage import extras

#: Seconds from the start of a page to the panel of its job, and between updates of the panel.
PATIENCE, UPDATE_SECONDS = 1.5, 0.5
#: Minimum number of seconds to wait for a job before its panel is shown.
AT_LEAST = 0.2
#: Session key: keys of the jobs that the visitor has cancelled.
CANCELLED = "cancelled_jobs"

T = TypeVar("T")
Draw = Callable[[Mapping[str, np.ndarray]], None]


@dataclass(frozen=True, slots=True, eq=False)
class PredictedRun:
    """Result of a run with the predictions on its test set; ``stored`` are stored predictions."""

    result: RunResult
    test: PredictedTest
    stored: Predictions | None = None

    @property
    def origin(self) -> str:
        """Origin of gamma; "given" if none is recorded."""
        return self.result.gamma_origin or "given"


def stored_run(spec: RunSpec) -> PredictedRun | None:
    """Return a run with stored or precomputed predictions; None without any.

    A stored result is preferred to a precomputed result: the metrics are the same, and the stored
    result may have an oracle. If its predictions were deleted to save space, the precomputed
    predictions are used.
    """
    store = ResultStore()
    for key in dict.fromkeys((spec.key, plain_spec(spec).key)):
        result = predictions = None
        with store.tolerated():
            result = store.get(key)
            predictions = result and store.predictions(key)
        if predictions is None and store.with_shipped:
            predictions = shipped_predictions(key)
        if result and predictions:
            return PredictedRun(result, predictions.test, predictions)
    return None


def is_quick(spec: RunSpec) -> bool:
    """Return whether a run is quick enough to be computed without a job."""
    if is_precomputed_only(spec.dataset):
        return False
    return RunStudy(spec).is_quick(cache.dataset(spec.dataset))


def run_of(spec: RunSpec) -> PredictedRun:
    """Return the result and the predictions of a run.

    Stored or precomputed predictions are returned if they have an oracle or the run is slow.
    Otherwise the run is computed: at once if it is quick, else by a job (see :func:`wait_for`).
    """
    stored = stored_run(spec)
    if stored and (stored.result.oracle is not None or not is_quick(spec)):
        return stored
    return PredictedRun(*scored_run_of(spec), stored=stored.stored if stored else None)


def scored_run_of(spec: RunSpec) -> tuple[RunResult, ScoredTest]:
    """Compute a run and return its result with its score matrix."""
    if is_quick(spec):
        return run_quick(spec)
    return study_result(RunStudy.of(spec, cache.dataset(spec.dataset)))


def predictions_of(run: PredictedRun) -> tuple[Callable[[], Predictions], bool]:
    """Return a function for the predictions, and whether these will have validation rows."""
    if (stored := run.stored) is not None:
        return lambda: stored, bool(stored.folds)
    assert isinstance(run.test, ScoredTest)  # predictions without a score matrix are stored
    spec = run.result.spec
    folds, without_folds = (
        is_quick(spec),
        Run(run.result, run.test, (), cache.dataset(spec.dataset)),
    )
    return lambda: (without_folds.with_validation() if folds else without_folds).predictions, folds


def run_quick(spec: RunSpec) -> tuple[RunResult, ScoredTest]:
    """Run a spec in this process; show a warning if the result cannot be stored."""
    with st.spinner("Choosing parameters on the folds, then fitting …", show_time=True):
        result, scores, storage_error = cache.quick_run(spec)
    if storage_error and not st.session_state.get(WARNED):
        st.session_state[WARNED] = True
        st.warning(
            f"These results were computed but cannot be stored. {plain(storage_error)}",
            icon=":material/save:",
        )
    return result, scores


def study_result(study: Study[T], *, draw: Draw | None = None) -> T:
    """Return the result of a study; wait for its job if needed (see :func:`wait_for`)."""
    return cache.finished(study.key, study, wait_for(study, draw=draw))


def wait_for(study: Study[Any], *, draw: Draw | None = None) -> Path:
    """Return the folder with the result of a study; show its job and stop the page until then."""
    if (folder := show_job(study, draw=draw)) is None:
        st.stop()
    return folder


def show_job(study: Study[Any], *, draw: Draw | None = None) -> Path | None:
    """Return the folder with the result of a study; without one, show the panel of its job.

    The job is started if necessary, and the page runs again once it ends. A job that ended without
    a result starts again only on request. ``draw`` draws the previews that the job writes.
    """
    folder = jobs.finished(study)
    status = jobs.status(study.key)
    if folder is None and (status is None or status.state == "done"):
        submit(study)
        jobs.wait(study.key, _patience())
        folder = jobs.finished(study)
    if folder is None:
        status = jobs.status(study.key)
        active = status is not None and status.active
        fragment(_panel, run_every=UPDATE_SECONDS if active else None)(study, draw, active)
    return folder


def _patience() -> float:
    """Return the seconds left before the page has to show its panel."""
    elapsed = time.monotonic() - st.session_state.get(BEGAN, time.monotonic())
    return min(max(PATIENCE - elapsed, AT_LEAST), PATIENCE)


def _panel(study: Study[Any], draw: Draw | None, was_active: bool) -> None:
    """Show the state of a job; rerun the page when the job starts or ends."""
    status = jobs.status(study.key)
    if status is None or status.active != was_active:
        st.rerun()
    with st.container(border=True, key=f"job_{study.key}"):
        st.markdown(f"**{plain(study.title)}**")
        if status.active and study.key in st.session_state.get(CANCELLED, ()):
            _show_cancelled(study, status)
        elif status.active:
            _show_progress(study, status)
            _show_preview(status, draw)
        else:
            _show_end(study, status)


def _show_progress(study: Study[Any], status: Status) -> None:
    beginning = f"Number {status.position} in the queue" if status.position else "Starting …"
    st.progress(share_done(status), text=plain(status.message or beginning))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{elapsed(status)} You can leave the page and come back.")
        st.space("stretch")
        if st.button("Cancel", icon=":material/close:", key=f"cancel_{study.key}"):
            leave(study.key)
            st.rerun()


def leave(key: str) -> None:
    """Stop waiting for a job; the job ends when no visitor waits."""
    jobs.cancel(key, visitors.current())
    st.session_state.setdefault(CANCELLED, set()).add(key)


def _join(study: Study[Any]) -> None:
    """Wait for a job again; start it if necessary."""
    st.session_state.setdefault(CANCELLED, set()).discard(study.key)
    submit(study)


def offer_job(study: Study[Any], label: str, *, key: str, **options: Any) -> bool:
    """Show the job of a study, or a button that starts it; return whether the button is shown."""
    status = jobs.status(study.key)
    if status is not None and status.state != "done":
        show_job(study)
        return False
    if st.button(label, icon=":material/play_arrow:", key=key, **options):
        submit(study)
        st.rerun()
    return True


def submit(study: Study[Any]) -> None:
    """Start a job for this visitor or join it; a full queue stops the page with a sentence."""
    with errors_as_sentences():
        jobs.submit(study, visitors.current())


def _show_cancelled(study: Study[Any], status: Status) -> None:
    """State that the job continues for other visitors, and offer to wait for it again."""
    st.info(
        "You have left this job. Other visitors are still waiting for it.", icon=":material/block:"
    )
    if st.button("Join again", icon=":material/refresh:", key=f"again_{study.key}"):
        _join(study)
        st.rerun()


def _show_preview(status: Status, draw: Draw | None) -> None:
    if draw is None or status.preview is None:
        return
    with suppress(OSError, ValueError), np.load(status.preview, allow_pickle=False) as arrays:
        draw(dict(arrays))


def restart_label(status: Status) -> str:
    """Return the label of the button that starts a job without a result again."""
    return "Try again" if status.state == "failed" else "Start again"


def _show_end(study: Study[Any], status: Status) -> None:
    """State why the job has no result, and offer to start it again if that can help."""
    missing_extra = missing_extras.of_error(status.error)
    if missing_extra is not None and extras.is_missing(missing_extra.extra):
        missing_extras.show(missing_extra)
        return
    if status.state == "failed":
        st.error(plain(status.error), icon=":material/error:")
    elif status.state == "interrupted":
        st.warning(plain(status.error), icon=":material/restart_alt:")
    else:
        st.info(f"Cancelled. {plain(status.error)}".strip(), icon=":material/block:")
    if st.button(restart_label(status), icon=":material/refresh:", key=f"again_{study.key}"):
        _join(study)
        st.rerun()
