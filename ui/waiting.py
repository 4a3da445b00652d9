"""Waiting for a job on a page: progress, time left, a live picture, cancel and start again."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

import numpy as np
import streamlit as st

from ui import cache, known, missing, visitors
from ui.frame import BEGAN, WARNED, errors_as_sentences
from ui.guard import fragment
from ui.numbers import duration
from ui.text import plain
from zslcore import jobs
from zslcore.evaluation import Predictions
from zslcore.evaluation.protocol import AnsweredTest, ScoredTest
from zslcore.evaluation.running import predictions_of_run
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.jobs import Status, Work, run
from zslcore.storage import extras

__all__ = [
    "finished_or_made",
    "is_at_once",
    "is_quick",
    "leave",
    "predictions_of",
    "quick",
    "result_of",
    "results_of",
    "run_of",
    "scored_run_of",
    "wait_for",
]

#: Seconds from a page's beginning until it shows that it waits, and between two looks at a job.
PATIENCE, LOOK_EVERY = 1.5, 0.5
#: Seconds that it waits for a job at least, before it shows that it does.
AT_LEAST = 0.2
#: Where a session keeps the jobs that it has left.
LEFT = "left_jobs"

T = TypeVar("T")
Draw = Callable[[Mapping[str, np.ndarray]], None]


def is_quick(spec: RunSpec) -> bool:
    """Whether a run is done while one waits."""
    if known.is_known_by_results(spec.dataset):
        return False
    return run.is_quick(spec, cache.dataset(spec.dataset))


def is_at_once(spec: RunSpec) -> bool:
    """Whether a run is known, or done while one waits."""
    return known.known_run(spec) is not None or is_quick(spec)


def run_of(spec: RunSpec) -> tuple[RunResult, AnsweredTest]:
    """Return the result and the answers of a run.

    Stored predictions, ours or shipped, are there at once. Without an oracle, what is done while
    one waits is computed all the same; what takes long is waited for, see below.
    """
    found = known.known_run(spec)
    if found and (found.result.oracle is not None or not is_quick(spec)):
        return found.result, found.predictions.test
    return scored_run_of(spec)


def scored_run_of(spec: RunSpec) -> tuple[RunResult, ScoredTest]:
    """Return the result of a run with its score matrix, which has to be computed."""
    if is_quick(spec):
        return quick(spec)
    return result_of(run.ask(spec, cache.dataset(spec.dataset)))


def predictions_of(
    spec: RunSpec, result: RunResult, scores: AnsweredTest
) -> tuple[Callable[[], Predictions], bool]:
    """Return what makes the predictions of a run of :func:`run_of`; stored ones are read.

    Returns
    -------
    callable that returns Predictions, and whether they have the validation rows
    """
    found = known.known_run(spec)
    if found is not None:
        return lambda: found.predictions, bool(found.predictions.folds)
    assert isinstance(scores, ScoredTest)  # other answers are read from stored predictions
    folds = is_quick(spec)
    dataset = cache.dataset(spec.dataset)
    return partial(predictions_of_run, result, scores, dataset, folds=folds), folds


def quick(spec: RunSpec) -> tuple[RunResult, ScoredTest]:
    """Run a spec here and now, and say so where the result cannot be stored."""
    with st.spinner("Choosing on the folds, then fitting …", show_time=True):
        result, scores, unkept = cache.quick_run(spec)
    if unkept and not st.session_state.get(WARNED):
        st.session_state[WARNED] = True
        st.warning(
            f"These results are computed, but they cannot be stored. {plain(unkept)}",
            icon=":material/save:",
        )
    return result, scores


def finished_or_made(asked: Work, quick: bool, make: Callable[[], T], words: str) -> T:
    """Return the result of a finished work, ours or shipped; without one make it or wait for it.

    Parameters
    ----------
    asked : Work
    quick : whether it is made while one waits
    make : makes it here and now
    words : on what is made meanwhile
    """
    if not quick or jobs.finished(asked) is not None:
        found: T = result_of(asked)
        return found
    with st.spinner(words, show_time=True):
        return make()


def result_of(asked: Work, *, draw: Draw | None = None) -> Any:
    """Return the result of a work, as its kind reads it; parameters are those of ``wait_for``."""
    return cache.finished(asked.key, asked, wait_for(asked, draw=draw))


def results_of(asked: Sequence[Work]) -> list[Any]:
    """Return the results there are by now; the others are started, and one is waited for below.

    The page runs again with every result that comes.
    """
    for work in asked:
        if jobs.finished(work) is None and jobs.status(work.key) is None:
            jobs.submit(work, visitors.who())
    found, waiting = [], False
    for work in asked:
        folder = jobs.finished(work) if waiting else wait_for(work, stop=False)
        waiting = waiting or folder is None
        if folder is not None:
            found.append(cache.finished(work.key, work, folder))
    return found


@overload
def wait_for(asked: Work, *, draw: Draw | None = None, stop: Literal[True] = True) -> Path: ...


@overload
def wait_for(asked: Work, *, draw: Draw | None = None, stop: bool) -> Path | None: ...


def wait_for(asked: Work, *, draw: Draw | None = None, stop: bool = True) -> Path | None:
    """Return the folder with the result of a work, started unless it is under way.

    Until there is one, a panel stands here and the page ends; when there is, the page runs again.
    What ended without a result starts again only on request.

    Parameters
    ----------
    asked : Work
    draw : callable, optional
        Draws the preview that the work leaves from time to time.
    stop : bool, default=True
        Whether the page ends below the panel; otherwise it goes on, with None.

    Raises
    ------
    ZSLError
        When too many works wait already.
    """
    folder = jobs.finished(asked)
    status = jobs.status(asked.key)
    if folder is None and (status is None or status.state == "done"):
        jobs.submit(asked, visitors.who())
        jobs.wait(asked.key, _patience())
        folder = jobs.finished(asked)
    if folder is None:
        status = jobs.status(asked.key)
        active = status is not None and status.active
        fragment(_panel, run_every=LOOK_EVERY if active else None)(asked, draw, active)
        if stop:
            st.stop()
    return folder


def _patience() -> float:
    """Return for how many seconds more the page may show nothing."""
    gone = time.monotonic() - st.session_state.get(BEGAN, time.monotonic())
    return min(max(PATIENCE - gone, AT_LEAST), PATIENCE)


def _panel(asked: Work, draw: Draw | None, was_active: bool) -> None:
    """Show how the job stands; run the page again as soon as that is another panel, or none."""
    status = jobs.status(asked.key)
    if status is None or status.active != was_active:
        st.rerun()
    with st.container(border=True, key=f"job_{asked.key}"):
        st.markdown(f"**{plain(asked.title)}**")
        if status.active and asked.key in st.session_state.get(LEFT, ()):
            _show_left(asked, status)
        elif status.active:
            _show_progress(asked, status)
            _show_preview(status, draw)
        else:
            _show_end(asked, status)


def _show_progress(asked: Work, status: Status) -> None:
    share = min(status.done / status.total, 1.0) if status.total else 0.0
    beginning = f"Number {status.position} in the queue" if status.position else "Starting …"
    st.progress(share, text=plain(status.message or beginning))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(_time(status))
        st.space("stretch")
        if st.button("Cancel", icon=":material/close:", key=f"cancel_{asked.key}"):
            leave(asked.key)
            st.rerun()


def leave(key: str) -> None:
    """Let this visitor leave a job; the last one ends it."""
    jobs.cancel(key, visitors.who())
    st.session_state.setdefault(LEFT, set()).add(key)


def _join(asked: Work) -> None:
    """Let this visitor wait for a job, started unless it is under way."""
    st.session_state.setdefault(LEFT, set()).discard(asked.key)
    with errors_as_sentences():
        jobs.submit(asked, visitors.who())


def _show_left(asked: Work, status: Status) -> None:
    """Say that a job goes on for others, and offer to wait for it again."""
    st.info("You have left this job. Others still wait for it.", icon=":material/block:")
    if st.button("Join again", icon=":material/refresh:", key=f"again_{asked.key}"):
        _join(asked)
        st.rerun()


def _time(status: Status) -> str:
    left = "" if status.seconds_left is None else f", about {duration(status.seconds_left)} left"
    return f"{duration(status.seconds)} elapsed{left}. You can leave the page and come back."


def _show_preview(status: Status, draw: Draw | None) -> None:
    if draw is None or status.preview is None:
        return
    with suppress(OSError, ValueError), np.load(status.preview, allow_pickle=False) as arrays:
        draw(dict(arrays))


def _show_end(asked: Work, status: Status) -> None:
    """Say why there is no result, and offer to start again where that can help."""
    lack = missing.of_error(status.error)
    if lack is not None and extras.is_missing(lack.extra):
        missing.show(lack)
        return
    if status.state == "failed":
        st.error(plain(status.error), icon=":material/error:")
    else:
        st.info(f"Cancelled. {plain(status.error)}".strip(), icon=":material/block:")
    again = "Try again" if status.state == "failed" else "Start again"
    if st.button(again, icon=":material/refresh:", key=f"again_{asked.key}"):
        _join(asked)
        st.rerun()
