"""Instrument: choose data set, split and method, and move the ruler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from ui.components import playground
from ui.components.playground import Ghost, Instrument, Rail, Ruler, RunChoice
from ui.intake import import_dialog
from ui.playground import answers as playground_answers
from ui.playground import rulers as playground_rulers
from ui.playground.drawer import show_drawer
from ui.shell.folds import fold
from ui.shell.frame import Header
from ui.shell.guard import fragment
from ui.state import cache, controls, data_menu, waiting
from ui.state.waiting import PredictedRun
from ui.takeaway import downloads
from ui.takeaway.curves import offer_curves, released_value
from zslcore import jobs
from zslcore.analysis.study import Study
from zslcore.datasets import ZSLDataset
from zslcore.evaluation.predicted_tests import PredictedTest
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import DatasetError
from zslcore.interactive.seen_unseen import Stop
from zslcore.jobs import Status
from zslcore.methods import METHODS
from zslcore.results.shipped import is_precomputed_only

#: Name of gamma in the address, and key of the component that sets it.
GAMMA, KEY = "playground_gamma", "playground"
#: Parameter of the address for the kind of the ruler.
RULER = "playground_ruler"
#: Parameter of the address for the value of a ruler other than gamma.
VALUE = "playground_value"
#: Parameter of the address for the class to which the wall is restricted.
ONLY = "playground_class"
#: Session key: the ruler's stops as text.
STOPS = "playground_stops"
#: Session key: whether a choice has changed, so that the whole page has to run again.
CHOICE_CHANGED = "playground_moved"
#: Session key: whether the visitor wants to import files.
IMPORT_REQUESTED = "playground_import"
#: Key of the drawer below the instrument.
DRAWER = "playground_drawer"
#: Seconds between two updates of a job's state.
UPDATE_SECONDS = 1.0
#: Pixels kept free below the instrument, for the drawer; without a drawer, a negative number, since
#: the instrument may cover the margin of the page.
BELOW, ABOVE_END = 88, -24
#: Maximum number of pixel values sent to the browser.
MOST_PIXELS = 1 << 22


def show_instrument(header: Header, *, drawer: bool = False) -> None:
    """Show the instrument for the choice in the address; ``drawer`` adds the run's numbers."""
    for label, key, options in (
        ("Data set", "dataset", data_menu.openable()),
        ("Method", "method", METHODS),
    ):
        controls.report_unavailable(label, name := st.query_params.get(key), options)
        if name not in options:
            st.query_params.pop(key, None)
    choice = _chosen()
    dataset = cache.dataset(choice.dataset)
    header.cite(dataset)
    spec = RunSpec.of(dataset, choice.split, choice.method)
    downloads.record_commands(spec.command())
    status = _status(_offered_study(spec))
    active = status is not None and status.active
    fragment(_draw, run_every=UPDATE_SECONDS if active else None)(choice, active, drawer)


# --- Choice ---------------------------------------------------------------------------------------


def _chosen() -> RunChoice:
    """Return the choice in the address, completed by defaults."""
    name = _choice_of("dataset", data_menu.openable(), data_menu.first_real("digits"))
    dataset = cache.dataset(name)
    splits = playground_answers.splits_of(dataset)
    if not splits:
        raise DatasetError(
            f"{name}: expected a split with test images of seen and of unseen classes; got none."
        )
    split = _choice_of("split", splits, "PS" if "PS" in splits else splits[0])
    methods = playground_answers.methods_of(dataset, split)
    first = controls.METHOD if controls.METHOD in methods else methods[0]
    method = _choice_of("method", methods, first)
    return RunChoice(name, split, method)


def _choice_of(key: str, options: Sequence[str], default: str) -> str:
    """Return the choice in the address or, without it, on the previous page."""
    return next((name for name in controls.earlier_choices(key) if name in options), default)


def _gamma() -> float:
    """Return the gamma in the address, or 0 without a finite number."""
    try:
        gamma = float(st.query_params.get(GAMMA, 0.0))
    except ValueError:
        return 0.0
    return gamma if abs(gamma) < float("inf") else 0.0


def _kind() -> str:
    """Return the kind of the ruler in the address."""
    kind = st.query_params.get(RULER)
    return kind if kind in playground_rulers.KINDS else playground_rulers.KINDS[0]


def _store_action(name: str) -> None:
    """Store an action of the visitor before the page reruns."""
    value = getattr(st.session_state.get(KEY), name, None)
    if name == "gamma" and (gamma := released_value(KEY, "gamma")) is not None:
        st.query_params[GAMMA] = repr(gamma)
    elif name == "place" and (position := released_value(KEY, "place")) is not None:
        stops = st.session_state.get(STOPS, ())
        if 0 <= position < len(stops):
            st.query_params[VALUE] = stops[int(position)].replace("−", "-")  # a hyphen can be typed
    elif name == "ruler" and value in playground_rulers.KINDS:
        controls.write_address({RULER: value, VALUE: None})
        st.session_state[CHOICE_CHANGED] = True
    elif name == "choice" and isinstance(value, dict):
        _store_choice(value)
    elif name == "only" and isinstance(value, str):
        controls.write_address({ONLY: value})
    elif name == "import" and value:
        st.session_state[IMPORT_REQUESTED] = True
    elif name == "run" and value:
        _run_or_leave()


def _store_choice(choice: dict[str, object]) -> None:
    """Write a choice into the address and into the session for other pages."""
    for key, options in (("dataset", data_menu.openable()), ("split", None), ("method", METHODS)):
        value = choice.get(key)
        if not isinstance(value, str) or (options is not None and value not in options):
            continue
        controls.write_address({key: value})
        if value:
            st.session_state[key] = value
    controls.write_address({GAMMA: None, VALUE: None})  # a gamma holds for one method only
    st.session_state[CHOICE_CHANGED] = True


def _offered_study(spec: RunSpec) -> Study[Any] | None:
    """Return the study that the page offers to compute; None without features.

    It computes the run or, if the run is available or quick, the stops of the ruler.
    """
    if is_precomputed_only(spec.dataset):
        return None
    if not playground_answers.is_computed(spec) and not waiting.is_quick(spec):
        return playground_answers.study_of(spec)
    stops = playground_rulers.stops_of(_kind(), spec, playground_answers.available_run(spec))
    return playground_answers.study_of(spec) if stops.study is None or stops.quick else stops.study


def _status(study: Study[Any] | None) -> Status | None:
    return None if study is None else jobs.status(study.key)


def _run_or_leave() -> None:
    """Start the job of the choice; if it is running or queued, stop waiting for it."""
    choice = _chosen()
    spec = RunSpec.of(cache.dataset(choice.dataset), choice.split, choice.method)
    study = _offered_study(spec)
    status = _status(study)
    if study is None:
        return
    if status is not None and status.active:
        waiting.leave(study.key)
    else:
        waiting.submit(study)
    st.session_state[CHOICE_CHANGED] = True


# --- The instrument -------------------------------------------------------------------------------


def _draw(choice: RunChoice, was_active: bool, drawer: bool) -> None:
    """Draw the instrument, then compute another method for comparison."""
    if st.session_state.pop(IMPORT_REQUESTED, False):
        import_dialog.ask()
        st.rerun()
    dataset = cache.dataset(choice.dataset)
    spec = RunSpec.of(dataset, choice.split, choice.method)
    status = _status(_offered_study(spec))
    active = status is not None and status.active
    if st.session_state.pop(CHOICE_CHANGED, False) or active != was_active:
        st.rerun()
    run, kind = playground_answers.available_run(spec), _kind()
    other_runs = playground_answers.other_runs_of(dataset, choice)
    shown = run
    if shown is None and choice.method != controls.METHOD:
        shown = next(iter(other_runs.values()), None)
    shown = shown or playground_answers.preview(dataset, choice.split)
    stops, pending = playground_rulers.stops_of(kind, spec, run), None
    if run is None:
        pending = playground_answers.pending(spec, status, covers=choice.method != controls.METHOD)
    value = str(st.query_params.get(VALUE, ""))
    ruler = playground_rulers.ruler_of(
        kind, stops, shown, value, partial(playground_rulers.curve_of, choice.method, dataset)
    )
    st.session_state[STOPS] = [frame.words for frame in ruler.frames]
    if stops.study is not None and not ruler.frames:
        button = f"Compute it ({stops.duration})"
        pending = playground_answers.job_state(choice.method, status, "", button, covers=False)
    ghosts = [
        Ghost(method, run.test.curve) for method, run in other_runs.items() if run.test.generalized
    ]
    rail = playground_answers.rail_of(dataset, choice)
    drawn = replace(
        instrument_of(choice, dataset, shown, ruler, rail, ghosts, _gamma()),
        pending=pending,
        below=BELOW if drawer else ABOVE_END,
        only=st.query_params.get(ONLY, ""),
    )
    with st.container(key="playground_instrument"):
        playground.draw(drawn, key=KEY, on_change=_store_action)
        with st.container(key="playground_menu"):
            offer_curves(drawn.curves, KEY)
    if drawer and run is not None:
        show = partial(show_drawer, spec, dataset, _gamma())
        fold("Numbers and command", show, key=DRAWER)
    if playground_answers.compute_one(dataset, choice):
        st.rerun()


def instrument_of(
    choice: RunChoice,
    dataset: ZSLDataset,
    shown: PredictedRun,
    ruler: Ruler,
    rail: Rail,
    ghosts: Sequence[Ghost],
    gamma: float = 0.0,
) -> Instrument:
    """Return the instrument of a run at the reference of a ruler, by default at ``gamma``."""
    test = shown.test
    if ruler.frames:
        reference = ruler.frames[ruler.reference]
        test, curves = reference.predicted, reference.curves
    else:
        best = Stop("best on test (oracle)", test.curve.best().gamma, "oracle")
        curves = playground_rulers.curve_of(
            choice.method, dataset, test, shown.result.gamma, shown.origin, [best], gamma
        )
    names = [dataset.class_names[c] for c in test.classes]
    noun = ("digit", "digits") if choice.dataset == "digits" else ("class", "classes")
    pictures = _pictures(dataset, choice.split, test)
    return Instrument(curves, test, names, noun, rail, ghosts, pictures, ruler=ruler)


def _pictures(dataset: ZSLDataset, split: str, test: PredictedTest) -> np.ndarray | None:
    """Return the picture of each test image; None without pictures or if they are too large."""
    images = dataset.images
    if images is None or len(test.y) * images[0].size > MOST_PIXELS:
        return None
    return images[playground_answers.dataset_rows(dataset, split, test)]
