"""All experiments, and the reasons why other tables and figures cannot be computed.

References
----------
gbu: Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of
the good, the bad and the ugly", TPAMI 2019. cal: Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From
classical to generalized zero-shot learning: a simple adaptation process", MMM 2019. fair: K. Huang,
S. J. Delany, S. McKeever, "Fairer evaluation of zero shot action recognition in videos", VISAPP
2021.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Literal, TypeVar

import numpy as np
import pandas as pd
from joblib import delayed

from zslcore.analysis.actions import DRAWS
from zslcore.analysis.bias_variance import CLASS_DRAWS, IMAGE_DRAWS
from zslcore.analysis.method_table import MethodResult as StoredCell
from zslcore.analysis.method_table import cells_of_runs, row_name
from zslcore.analysis.papers.experiments.actions import GainExperiment
from zslcore.analysis.papers.experiments.counts import (
    EXAMPLE,
    CountExperiment,
    count_configurations,
    count_parts,
    count_statistics,
    count_video_classes,
)
from zslcore.analysis.papers.experiments.experiment import COLUMNS, Experiment, TablePart, Task
from zslcore.analysis.papers.experiments.rows import (
    ERRORS,
    CrossExperiment,
    ImagenetExperiment,
    PathExperiment,
    TransductionExperiment,
)
from zslcore.analysis.papers.experiments.runs import (
    PrintedColumn,
    RanksExperiment,
    RunsExperiment,
    RunsTask,
)
from zslcore.analysis.regularization import VALIDATION
from zslcore.evaluation import plugins
from zslcore.exceptions import DatasetError, ParameterError, closest_name
from zslcore.features import FeatureScaling
from zslcore.large.engine import TaskReport, TasksStatus, follow_tasks, parallel
from zslcore.progress import part_of, silent
from zslcore.results.shipped import is_precomputed_only
from zslcore.results.store import ResultStore

R = TypeVar("R", bound=RunsExperiment)

_BY_SPLIT = tuple(PrintedColumn(split, split, "zsl", "zsl") for split in ("SS", "PS"))
_PLAIN = tuple(PrintedColumn(metric, "PS", "zsl", metric) for metric in ("u", "s", "H"))


def _benchmark_experiment(kind: type[R], *table: Any, **options: Any) -> R:
    """Return an experiment with the benchmark paper's variants instead of our defaults.

    SAE compares images and classes in the space of the prototypes, GFZSL estimates the Gaussians of
    seen classes from images, and features are not scaled.
    """
    params = {"SAE": {"direction": "V2S"}, "GFZSL": {"seen": "estimated"}}
    return kind(*table, **options, params=params, features="none")


EXPERIMENTS: Mapping[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        CountExperiment(
            "gbu:table1",
            "classes, attributes and images of a data set",
            count_statistics,
            at="quantity",
            feature_source="The paper counts the real images: 'zslcore download xlsa17' fetches "
            "their features.",
        ),
        _benchmark_experiment(
            RunsExperiment,
            "gbu:table3",
            "ZSL on the standard and on the proposed split",
            "GBU 3",
            _BY_SPLIT,
        ),
        _benchmark_experiment(
            RunsExperiment,
            "gbu:figure3",
            "ZSL with the parameters that each validation split chooses",
            "GBU 3",
            _BY_SPLIT,
            by_fold=True,
            metrics="Accuracy in percent, per class; each column with the parameters that one "
            "fold chooses.",
        ),
        _benchmark_experiment(
            RanksExperiment,
            "gbu:figure4",
            "methods ranked by ZSL over data sets and validation splits",
            "GBU 3",
            _BY_SPLIT,
            printed_ranks="zsl_mean_ranks",
        ),
        CrossExperiment("gbu:table4", "trained on AWA1 or AWA2, tested on either"),
        ImagenetExperiment("gbu:table5", "ZSL on the nine ImageNet test sets"),
        ImagenetExperiment(
            "gbu:figure5", "ZSL on the nine ImageNet test sets: top 1, 5 and 10", ks=(1, 5, 10)
        ),
        _benchmark_experiment(
            RunsExperiment, "gbu:table6", "GZSL without calibration: u, s and H", "GBU 6", _PLAIN
        ),
        ImagenetExperiment(
            "gbu:figure6",
            "GZSL on the nine ImageNet test sets: top 1, 5 and 10",
            "gzsl",
            (1, 5, 10),
        ),
        _benchmark_experiment(
            RanksExperiment,
            "gbu:figure7",
            "methods ranked by u, s and H over data sets",
            "GBU 6",
            _PLAIN,
            by_fold=False,
        ),
        TransductionExperiment(
            "gbu:figure8",
            "gain from unlabelled test images",
            {"DSRL": "DSRL", "GFZSL-tran": "GFZSL-tran", "ALE-tran": "Propagation"},
            {"ZSL": "zsl", "H": "plain_harmonic"},
            params={"ALE-tran": {"base": "ALE"}},
        ),
        PathExperiment("cal:figure1", "accuracies at every regularisation λ"),
        CountExperiment(
            "cal:figure2",
            "images for training, validation and test",
            count_parts,
            n_datasets=None,
            at="part",
            metrics="Counted on PS, or on the first split of other data, and on its first fold.",
            examples=(EXAMPLE,),
        ),
        PathExperiment(
            "cal:figure3",
            "error of predicted attributes at every λ, and its components",
            what="errors",
            cells=ERRORS,
            unit="number",
            metrics="Mean squared error of predicted attributes on test images (--on validation: "
            "of the first validation split, as in the paper), and its components, over "
            f"{CLASS_DRAWS} draws of training classes with {IMAGE_DRAWS} draws of their images "
            "each.",
        ),
        RunsExperiment(
            "cal:table1",
            "ZSL on the standard and on the proposed split, five seeds",
            "CAL 1",
            _BY_SPLIT,
        ),
        RunsExperiment(
            "cal:table2",
            "H without calibration, with it, and also with λ chosen for GZSL",
            "CAL 2",
            (
                PrintedColumn("H plain", "PS", "zsl", "H"),
                PrintedColumn("H calibrated", "PS", "zsl", "H at gamma"),
                PrintedColumn("H calibrated, for GZSL", "PS", "gzsl", "H at gamma"),
            ),
        ),
        RunsExperiment(
            "cal:table3",
            "both tasks with ten-crop features, per class and per image",
            "CAL 3",
            (
                PrintedColumn("ZSL per class", "PS", "zsl", "zsl"),
                PrintedColumn("ZSL per sample", "PS", "zsl", "zsl per sample"),
                PrintedColumn("H calibrated per class", "PS", "gzsl", "H at gamma"),
                PrintedColumn("H calibrated per sample", "PS", "gzsl", "H per sample"),
            ),
            feature_source="The paper uses features averaged over ten crops, which were not "
            "released: 'zslcore extract --crops 10' makes them from the images.",
        ),
        CountExperiment(
            "fair:table2",
            "classes of the controlled video splits",
            count_video_classes,
            n_datasets=0,
            at="configuration",
        ),
        CountExperiment(
            "fair:table3",
            "features and prototypes of each video experiment",
            count_configurations,
            n_datasets=0,
            at="configuration",
        ),
        *(
            GainExperiment(
                f"fair:figure{number}",
                f"gain from actions in the pre-training set, {name}",
                (name,),
            )
            for number, name in enumerate(("OS1", "OS2", "OS3", "OS4"), 2)
        ),
        GainExperiment(
            "fair:table4",
            "BiDiLEL on released and on controlled splits",
            ("OS2", "OS4"),
            by_split=True,
            at="features and prototypes",
            metrics="Accuracy in percent, per class, mean over {draws} released and over {draws} "
            "controlled splits; the difference with its 95 % interval over splits.",
        ),
    )
}

_DRAWING = "it is a diagram without numbers."
#: Reasons why other tables and figures cannot be computed.
NOT_COMPUTED: Mapping[str, str] = {
    "gbu:table2": "it uses the features of the methods' own papers, from their authors' pages.",
    "gbu:figure1": _DRAWING,
    "gbu:figure2": "it shows images per class and a map of features; the page AWA1 and AWA2 shows "
    "both.",
    "fair:table1": "it lists papers; 'zslcore contamination' lists classes in pre-training sets.",
    "fair:figure1": _DRAWING,
}


def get_experiment(name: str) -> Experiment:
    """Return the experiment called ``name``.

    Raises a DatasetError with the reason if the paper's table or figure cannot be computed, and an
    UnknownNameError for any other name.
    """
    if name in NOT_COMPUTED:
        raise DatasetError(f"{name} cannot be computed: {NOT_COMPUTED[name]}")
    if name not in EXPERIMENTS:
        raise closest_name("experiment", name, EXPERIMENTS)
    return EXPERIMENTS[name]


MeasuredOn = Literal["test", "validation"]


def configure_experiment(
    name: str,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    features: FeatureScaling | None = None,
    on: MeasuredOn = "test",
) -> Experiment:
    """Return an experiment with other parameters, features or test images.

    For the arguments see :func:`reproduce`.
    """
    experiment = get_experiment(name)
    for method in params or {}:
        if method not in (allowed := experiment.methods + experiment.further_methods):
            raise closest_name(f"method for {name}", method, allowed)
    experiment = experiment.with_params(params or {})
    if features and not experiment.can_scale:
        raise ParameterError(
            f"features: expected none, since {name} does not scale features; got {features}."
        )
    if on == "validation":
        if not isinstance(experiment, PathExperiment):
            paths = [
                name
                for name, experiment in EXPERIMENTS.items()
                if isinstance(experiment, PathExperiment)
            ]
            raise ParameterError(
                f"on: expected test for {name}; got validation, which only {' and '.join(paths)} "
                "support."
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
    benchmark: str | None = None,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    features: FeatureScaling | None = None,
    on: MeasuredOn = "test",
    on_done: Callable[[int, int, str, int], None] | None = None,
    on_status: Callable[[TasksStatus], None] | None = None,
) -> pd.DataFrame:
    """Run the unfinished part of an experiment, and compare the results with printed values.

    Raises ZSLError for unknown names, a wrong number of data sets, or data without required parts.

    Parameters
    ----------
    datasets : names for ``load``; by default the data sets of the experiment
    methods : by default the rows of the table; other methods have no printed values
    seeds : number of seeds of stochastic methods
    draws : number of draws of test classes, in studies of actions
    jobs : number of parallel tasks with one thread each, unless a Dask cluster is set
        (``ZSL_DASK``)
    benchmark : data set of the paper to compare with, by default recognised by classes
    params : row -> given parameters, which override the parameters of the paper's variant
    on : "test" or, for figures over λ, "validation": the first validation split, as in the
        calibration paper
    on_done : callable(done, total, task, runs), called in this process after each task
    on_status : callable(TasksStatus), called every few seconds from a thread

    Returns
    -------
    DataFrame
        One row per data set, row and cell of the printed table; see
        :data:`~zslcore.analysis.papers.experiments.experiment.COLUMNS`.
    """
    experiment = configure_experiment(name, params, features, on)
    rows = experiment.check_methods(methods)
    parts_datasets = experiment.parts(tuple(datasets) or experiment.datasets)
    parts = [TablePart(names, rows, seeds, draws, benchmark) for names in parts_datasets]
    tasks = {
        f"{name} on {', '.join(part.datasets)}" if len(parts) > 1 else name: of_name
        for part in parts
        if not any(map(is_precomputed_only, part.datasets))
        for name, of_name in experiment.tasks(part).items()
    }
    for done, (name, runs) in enumerate(run_tasks(tasks, jobs, on_status), 1):
        if on_done:
            on_done(done, len(tasks), name, runs)
    tables = [
        drop_printed_of_other_data(experiment.table(part), experiment, part) for part in parts
    ]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=[*COLUMNS])


def drop_printed_of_other_data(
    table: pd.DataFrame, experiment: Experiment, part: TablePart
) -> pd.DataFrame:
    """Remove printed values from rows on data that the paper does not use.

    A row that names none of the requested data sets depends on all of them.
    """
    other_data = [name for name in part.datasets if not experiment.is_of_paper(name, part)]
    rows = [
        any(name in str(row) for name in other_data)
        or (
            bool(other_data)
            and row not in experiment.examples
            and not any(name in str(row) for name in part.datasets)
        )
        for row in table["dataset"]
    ]
    is_other = np.array(rows, dtype=bool)
    columns = {name: table[name].mask(is_other) for name in ("printed", "difference")}
    return table.assign(**columns)


def run_tasks(
    tasks: Mapping[str, Sequence[Task]],
    jobs: int,
    on_status: Callable[[TasksStatus], None] | None,
) -> Iterator[tuple[str, int]]:
    """Complete all tasks; yield the name and the number of computed runs of each.

    Tasks with stored results come first.
    """
    todo = {
        name: of_name
        for name, of_name in tasks.items()
        if not all(task.is_stored() for task in of_name)
    }
    yield from ((name, 0) for name in tasks if name not in todo)
    if not todo:
        return
    with ExitStack() as stack:
        tasks_progress = None
        if on_status:
            former = former_cells()
            expected = {name: expected_seconds(of_name, former) for name, of_name in todo.items()}
            tasks_progress = stack.enter_context(follow_tasks(expected, on_status, jobs))
        processes = parallel(jobs, "generator_unordered", inner_max_num_threads=1)
        compute = stack.enter_context(processes)
        sources = plugins.plugin_sources(plugins.registered())
        calls = (
            delayed(_complete)(
                name, of_name, tasks_progress and tasks_progress.report_of(name), sources
            )
            for name, of_name in todo.items()
        )
        for name, runs in compute(calls):
            if tasks_progress:
                tasks_progress.finished(name)
            yield name, runs


def expected_seconds(tasks: Sequence[Task], former: Sequence[StoredCell]) -> float:
    """Estimate the seconds on one thread from stored runs; NaN unless all tasks are runs."""
    return math.fsum(
        task.expected_seconds(former) if isinstance(task, RunsTask) else math.nan for task in tasks
    )


def former_cells() -> list[StoredCell]:
    """Return the stored runs as cells, with row names that omit the scaling of features."""
    return [
        replace(cell, row=row_name(cell.source.result.spec.method, cell.source.result.params))
        for cell in cells_of_runs(ResultStore().stored())
    ]


def _complete(
    name: str, tasks: Sequence[Task], report: TaskReport | None, sources: Mapping[str, str]
) -> tuple[str, int]:
    plugins.restore(sources)
    progress = report or silent
    progress(0, 1, "")
    n = len(tasks)
    return name, sum(task.complete(part_of(progress, k, n)) for k, task in enumerate(tasks))
