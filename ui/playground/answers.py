"""Predictions for the Playground, its data sets and its methods.

Predictions are stored, precomputed, read from a finished job, or computed if this takes a few
seconds. A button starts longer computations.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ui.components.playground import Chip, DatasetTile, Pending, Rail, RunChoice
from ui.intake import missing_extras
from ui.shell.numbers import duration, elapsed
from ui.shell.text import page_sentence
from ui.state import cache, controls, data_menu, waiting
from ui.state.controls import METHOD
from ui.state.waiting import PredictedRun
from zslcore import jobs
from zslcore.analysis.method_table import row_name
from zslcore.analysis.study import RunStudy, run_seconds
from zslcore.datasets import ZSLDataset
from zslcore.datasets.facts import class_facts, fact_sources, is_simulated_name, title
from zslcore.evaluation.predicted_tests import PredictedTest
from zslcore.evaluation.predictions import PredictedRows
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import DatasetError
from zslcore.jobs import Status
from zslcore.methods import METHODS
from zslcore.results.shipped import is_precomputed_only

#: Longest computation, in seconds, that starts without a button.
LIMIT_WITHOUT_BUTTON = 10.0


def is_computed(spec: RunSpec) -> bool:
    """Return whether the predictions of a run are available without computation."""
    return (
        spec.key in cache.quick_keys()
        or waiting.stored_run(spec) is not None
        or _finished(spec) is not None
    )


def available_run(spec: RunSpec) -> PredictedRun | None:
    """Return the predictions of a run; None if they need a job that has not finished."""
    if (stored := waiting.stored_run(spec)) is not None:
        return stored
    if waiting.is_quick(spec):
        computed = PredictedRun(*cache.quick_run(spec)[:2])
        cache.quick_keys().add(spec.key)
        return computed
    folder = _finished(spec)
    study = study_of(spec)
    return None if folder is None else PredictedRun(*cache.finished(study.key, study, folder))


def _finished(spec: RunSpec) -> Path | None:
    """Return the folder of a finished job with the predictions of a run; None without one."""
    if is_precomputed_only(spec.dataset):
        return None
    return jobs.finished(study_of(spec))


def preview(dataset: ZSLDataset, split: str) -> PredictedRun:
    """Return provisional predictions: one fit with default parameters."""
    defaults = METHODS[METHOD]().get_params()
    grid = {name: defaults[name] for name in METHODS[METHOD].param_grid}
    spec = replace(RunSpec.of(dataset, split, METHOD), params=grid, gamma=0.0)
    result, test, _ = cache.quick_run(spec)
    return PredictedRun(replace(result, gamma=None), test)


def other_runs_of(dataset: ZSLDataset, choice: RunChoice) -> dict[str, PredictedRun]:
    """Return the available predictions of methods other than the chosen one."""
    available = {}
    for method in methods_of(dataset, choice.split):
        spec = RunSpec.of(dataset, choice.split, method)
        if (
            method != choice.method
            and is_computed(spec)
            and (run := available_run(spec)) is not None
        ):
            available[method] = run
    return available


def compute_one(dataset: ZSLDataset, choice: RunChoice) -> bool:
    """Compute a quick method that lacks predictions; return whether one was computed.

    Together, these methods take at most :data:`LIMIT_WITHOUT_BUTTON` seconds, by estimate.
    """
    specs = (
        RunSpec.of(dataset, choice.split, method) for method in methods_of(dataset, choice.split)
    )
    for number, spec in enumerate(filter(waiting.is_quick, specs), 1):
        if number * run_seconds(dataset) > LIMIT_WITHOUT_BUTTON:
            break
        if not is_computed(spec):
            return available_run(spec) is not None
    return False


def duration_of(spec: RunSpec) -> str:
    """Return the duration of a run as text, estimated from earlier runs of its method."""
    dataset = cache.dataset(spec.dataset)
    if dataset.features.size <= RunStudy.SMALL:
        return "10 to 30 s"
    earlier = [
        run.result.seconds
        for run in cache.all_runs()[0]
        if (run.result.spec.method, run.result.spec.dataset) == (spec.method, spec.dataset)
        and run.result.spec.grid
    ]
    return f"about {duration(max(earlier))}" if earlier else "several minutes"


def study_of(spec: RunSpec) -> RunStudy:
    """Return the study that computes the predictions of a run."""
    return RunStudy.of(spec, cache.dataset(spec.dataset))


def applies(method: str, dataset: ZSLDataset, split: str) -> bool:
    """Return whether a method can be shown with the available features and prototypes."""
    if is_precomputed_only(dataset.name):
        return waiting.stored_run(RunSpec.of(dataset, split, method)) is not None
    if not METHODS[method].card.joint_space:
        return True
    return bool(dataset.features.shape[1] == dataset.prototypes.shape[1])


def methods_of(dataset: ZSLDataset, split: str) -> list[str]:
    """Return the methods that can be shown on a data set."""
    return [method for method in METHODS if applies(method, dataset, split)]


def dataset_rows(dataset: ZSLDataset, split: str, test: PredictedTest) -> np.ndarray:
    """Return the data set's row of each prediction, int array of shape (n_samples,).

    Raises DatasetError if the label of a row differs from the label stored with its prediction.
    """
    if isinstance(test, PredictedRows):
        rows = test.rows
    else:
        parts = dataset.split(split)
        rows = np.concatenate([parts.test_seen, parts.test_unseen])
    labels = test.classes[test.y]
    if len(rows) != len(labels) or (dataset.labels[rows] != labels).any():
        raise DatasetError(
            f"{dataset.name}, split {split!r}: expected predictions of {len(rows):,} test images; "
            "got predictions with the labels of other images."
        )
    return rows


# --- The rail -------------------------------------------------------------------------------------


def splits_of(dataset: ZSLDataset) -> list[str]:
    """Return the splits with seen and unseen test images; other splits have no curve."""
    return [name for name in dataset.splits if len(dataset.split(name).test_seen)]


def rail_of(dataset: ZSLDataset, chosen: RunChoice) -> Rail:
    """Return the choices for an open data set: data sets, splits and methods."""
    tiles = [_tile(name) for name in dict.fromkeys([*data_menu.offered(), chosen.dataset])]
    splits = splits_of(dataset)
    hidden, note = [name for name in dataset.splits if name not in splits], ""
    if hidden:
        which = (
            f"Splits {' and '.join(hidden)} have" if len(hidden) > 1 else f"Split {hidden[0]} has"
        )
        note = f"{which} no test images of seen classes"
    elif len(splits) == 1:
        note = f"Split {splits[0]}, the only split of this data set"
    families = controls.by_family(methods_of(dataset, chosen.split))
    return Rail(
        [tile for tile in tiles if tile.kind != "simulated"],
        [tile for tile in tiles if tile.kind == "simulated"],
        splits,
        {
            family: [_chip(RunSpec.of(dataset, chosen.split, name), family) for name in names]
            for family, names in families.items()
            if names
        },
        chosen,
        note,
    )


def _tile(name: str) -> DatasetTile:
    kind = "simulated" if is_simulated_name(name) else "real"
    if is_precomputed_only(name):
        kind = "precomputed"
    benchmark = name.removeprefix("simulated-").split("-")[0]
    if benchmark in fact_sources():
        n = len(class_facts(benchmark).classes)
    else:
        n = len(cache.names_of_classes(name))
    return DatasetTile(name, title(name).replace(" (simulated)", ""), n, kind)


def _chip(spec: RunSpec, family: str) -> Chip:
    at_once = waiting.is_quick(spec) or is_computed(spec)
    missing_extra = None if at_once else missing_extras.of_method(spec.method)
    words = row_name(spec.method, spec.params)
    title = f"{words}, {family}" + ", not run yet" * (not at_once)
    if missing_extra is None:
        return Chip(spec.method, words, at_once, title)
    return Chip(
        spec.method, words, at_once, f"{title}; needs {missing_extra.title}", missing_extra.title
    )


def pending(spec: RunSpec, status: Status | None, *, covers: bool) -> Pending:
    """Return the reason for missing predictions, and the button that computes them.

    ``covers`` is False if a curve of provisional predictions is shown; see :class:`Pending`.
    """
    takes = duration_of(spec)
    if covers:
        words = f"{spec.method} has not been run on {spec.dataset}."
        return job_state(spec.method, status, words, f"Run it ({takes})", covers)
    words = "Default parameters; no validated γ."
    return job_state(spec.method, status, words, f"Choose γ by validation ({takes})", covers)


def job_state(method: str, status: Status | None, words: str, button: str, covers: bool) -> Pending:
    """Return the state of a method's job; without a job, the state has ``words`` and ``button``."""
    if (missing_extra := missing_extras.of_method(method)) is not None:
        return Pending(missing_extra.sentence, "", covers, missing_extra.command)
    if status is not None and status.active:
        queue_position = f"Number {status.position} in the queue" if status.position else ""
        doing = queue_position or status.message or "Starting a process"
        return Pending(f"{doing}. {elapsed(status)}", "Cancel", covers)
    if (
        status is not None
        and status.state in ("failed", "interrupted")
        and not missing_extras.of_error(status.error)
    ):
        return Pending(page_sentence(status.error), waiting.restart_label(status), covers)
    return Pending(words, button, covers)
