"""Compute the unfinished part of an experiment, here or on a cluster, and return its table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from joblib import delayed

from zslcore.analysis.actions import DRAWS
from zslcore.analysis.method_table import Cell, cells_of_runs, row_name
from zslcore.analysis.papers.experiments.experiment import (
    COLUMNS,
    Experiment,
    Piece,
    Request,
    open_dataset,
    silent,
)
from zslcore.analysis.papers.experiments.registry import EXPERIMENTS, get_experiment
from zslcore.analysis.papers.experiments.rows import PathExperiment
from zslcore.analysis.regularization import VALIDATION
from zslcore.evaluation import outside
from zslcore.exceptions import ParameterError, closest_name
from zslcore.features.views import FeatureScaling
from zslcore.large.engine import Engine, PieceReport, Standing, following, parallel
from zslcore.results.results_only import is_known_by_results
from zslcore.results.store import ResultStore

MeasuredOn = Literal["test", "validation"]


def configured_experiment(
    name: str,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    features: FeatureScaling | None = None,
    on: MeasuredOn = "test",
) -> Experiment:
    """Return an experiment with other parameters, features or images; see :func:`reproduce`."""
    experiment = get_experiment(name)
    for method in params or {}:
        if method not in (allowed := experiment.methods + experiment.others):
            raise closest_name(f"method for {name}", method, allowed)
    experiment = experiment.with_params(params or {})
    if features and not experiment.scales:
        raise ParameterError(f"{name} scales no features; got {features}.")
    if on == "validation":
        if not isinstance(experiment, PathExperiment):
            paths = [each for each, one in EXPERIMENTS.items() if isinstance(one, PathExperiment)]
            raise ParameterError(
                f"{name} is measured on test images; {' and '.join(paths)} alone also on the first "
                "validation split."
            )
        experiment = replace(experiment, split=VALIDATION)
    return replace(experiment, features=features or experiment.features)


def reproduce(
    name: str,
    datasets: Sequence[str] = (),
    methods: Sequence[str] = (),
    *,
    seeds: int = 5,
    draws: int = DRAWS,
    jobs: int = 2,
    dask: str = "",
    benchmark: str | None = None,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    features: FeatureScaling | None = None,
    on: MeasuredOn = "test",
    on_done: Callable[[int, int, str, int], None] | None = None,
    on_standing: Callable[[Standing], None] | None = None,
) -> pd.DataFrame:
    """Run the unfinished part of an experiment, and compare it with the printed figures.

    Raises ZSLError for unknown names, another number of data sets, or data that lack something
    required.

    Parameters
    ----------
    datasets : names that ``load`` knows; those of the experiment by default
    methods : by default the rows of its table; others have no printed figure
    seeds : of stochastic methods
    draws : of test classes, in the studies of actions
    jobs : pieces at a time, one thread each
    dask : address of a Dask cluster whose workers share this data folder, in place of processes
    benchmark : data set of the paper to compare with, by default that of the data set
    params : row -> parameters that it is given, over those of the paper's variant
    on : "test" or, for figures over λ, the first "validation" split, as in the calibration paper
    on_done : callable(done, total, what, runs), after every piece, in this process
    on_standing : callable(Standing), every few seconds, from a thread

    Returns
    -------
    DataFrame
        One row per data set, row and cell of the printed table, see
        :data:`~zslcore.analysis.papers.experiments.experiment.COLUMNS`.
    """
    experiment = configured_experiment(name, params, features, on)
    rows = experiment.checked_methods(methods)
    parts = experiment.parts(tuple(datasets) or experiment.datasets)
    requests = [Request(part, rows, seeds, draws, benchmark) for part in parts]
    pieces = {
        f"{what} on {', '.join(each.datasets)}" if len(requests) > 1 else what: piece
        for each in requests
        if not any(map(is_known_by_results, each.datasets))
        for what, piece in experiment.pieces(each).items()
    }
    for done, (what, runs) in enumerate(run_pieces(pieces, jobs, dask, on_standing), 1):
        if on_done:
            on_done(done, len(pieces), what, runs)
    tables = [_without_false_differences(experiment.table(each), each) for each in requests]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=[*COLUMNS])


def _without_false_differences(table: pd.DataFrame, request: Request) -> pd.DataFrame:
    """Return a table without differences between simulated data and print."""
    simulated = [name for name in request.datasets if open_dataset(name).simulated]
    of_these = [any(name in str(row) for name in simulated) for row in table["dataset"]]
    return table.assign(difference=table["difference"].mask(np.array(of_these, dtype=bool)))


def run_pieces(
    pieces: Mapping[str, Piece],
    jobs: int,
    dask: str,
    on_standing: Callable[[Standing], None] | None,
) -> Iterator[tuple[str, int]]:
    """Run every piece, and yield its name and number of runs; stored pieces come first."""
    todo = {what: piece for what, piece in pieces.items() if not piece.is_stored()}
    yield from ((what, 0) for what in pieces if what not in todo)
    if not todo:
        return
    with ExitStack() as stack:
        follows = None
        if on_standing:
            former = former_cells()
            expected = {what: piece.expected_seconds(former) for what, piece in todo.items()}
            follows = stack.enter_context(following(expected, on_standing, jobs))
        there = parallel(Engine(dask=dask), jobs, "generator_unordered", inner_max_num_threads=1)
        work = stack.enter_context(there)
        places = outside.places(outside.own())
        calls = (
            delayed(_run_piece)(what, piece, follows and follows.report_of(what), places)
            for what, piece in todo.items()
        )
        for what, runs in work(calls):
            if follows:
                follows.finished(what)
            yield what, runs


def former_cells() -> list[Cell]:
    """Return the stored runs, those with scaled features in the row of their method."""
    return [
        replace(cell, row=row_name(cell.source.result.spec.method, cell.source.result.params))
        for cell in cells_of_runs(ResultStore().stored())
    ]


def _run_piece(
    what: str, piece: Piece, report: PieceReport | None, places: Mapping[str, str]
) -> tuple[str, int]:
    outside.restore(places)
    if report:
        report(0, 1, "")
    return what, piece.run(report or silent)
