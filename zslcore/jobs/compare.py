"""The runs of a comparison that nobody has made yet, as one job, two at a time.

Finished runs are in the run store at once: a comparison that is stopped goes on where it stopped,
and a page can show what there is meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from joblib import delayed

from zslcore.analysis.comparison import Choice, ComparisonSpec, complete, missing
from zslcore.datasets import ZSLDataset, load
from zslcore.evaluation.specs import RunSpec, revisions_of
from zslcore.evaluation.store import RunStore
from zslcore.exceptions import ZSLError
from zslcore.jobs.work import Work
from zslcore.large.engine import Engine, parallel
from zslcore.methods import get_method

if TYPE_CHECKING:
    from zslcore.jobs.child import Report

__all__ = ["AT_A_TIME", "NAME", "REVISION", "ask", "do", "make", "read"]

NAME = "compare"
#: Counted up when the same arguments leave another result than before.
REVISION = 1
#: Runs that are made side by side, a thread each.
AT_A_TIME = 2


def ask(spec: ComparisonSpec, choices: Sequence[Choice] = (), attempt: int = 0) -> Work:
    """Return the work that makes the runs of a comparison.

    Parameters
    ----------
    spec : ComparisonSpec
    choices : what else belongs to every run, see :func:`zslcore.analysis.comparison.planned`
    attempt : counted up when runs were deleted since the last one
    """
    arguments = {"spec": asdict(spec), "choices": list(choices), "attempt": attempt}
    methods = [get_method(name)() for name in spec.methods]
    made_by = {
        "revision": REVISION,
        "revisions": revisions_of(*methods),
        "grids": {method.card.name: dict(method.param_grid) for method in methods},
    }
    title = f"{len(spec.methods)} methods on {', '.join(spec.datasets)}"
    return Work(title, NAME, arguments, made_by=made_by)


def do(
    folder: Path,
    report: Report,
    *,
    spec: dict,  # type: ignore[type-arg] # JSON of a ComparisonSpec
    choices: Sequence[Choice],
    attempt: int,
) -> None:
    """Make what is missing; a run that is refused is told, and stops no other."""
    report(0, 0, "Opening the data sets")
    asked = ComparisonSpec(**spec | {"splits": tuple(spec["splits"])})
    datasets = {name: _opened(name) for name in asked.datasets}
    todo = missing(asked, datasets, RunStore(), choices)
    _opened.cache_clear()
    refused = {}
    for done, (run, said) in enumerate(make(todo, choices), 1):
        if said:
            refused[run.key] = f"{run.method} on {run.dataset}, split {run.split}: {said}"
        report(done, len(todo), f"{run.method} on {run.dataset} is the last of {done} finished")
    (folder / "refused.json").write_text(json.dumps(refused), encoding="utf-8")


def make(
    todo: Sequence[RunSpec],
    choices: Sequence[Choice] = (),
    at_a_time: int = AT_A_TIME,
    dask: str = "",
) -> Iterator[tuple[RunSpec, str]]:
    """Make runs with what belongs to them, the quick ones first; they are kept in the run store.

    With the address of a Dask cluster its workers make them, who have to share this data folder.

    Yields
    ------
    RunSpec, str
        Every run as it ends, and why it was refused, if it was.
    """
    todo = sorted(todo, key=lambda run: run.estimator.iterative)
    n_jobs = min(at_a_time, len(todo) or 1)
    with parallel(Engine(dask=dask), n_jobs, "generator_unordered") as work:
        yield from work(delayed(_complete)(run, choices) for run in todo)


@lru_cache(maxsize=2)
def _opened(name: str) -> ZSLDataset:
    """Return a data set, read once in every process."""
    return load(name)


def _complete(run: RunSpec, choices: Sequence[Choice]) -> tuple[RunSpec, str]:
    """Make one run with what belongs to it; return why it was refused, if it was."""
    try:
        complete(run, _opened(run.dataset), RunStore(), choices)
    except ZSLError as error:
        return run, str(error)
    return run, ""


def read(folder: Path, work: Work) -> dict[str, str]:
    """Return why runs were refused, by the key of the run."""
    refused: dict[str, str] = json.loads((folder / "refused.json").read_text(encoding="utf-8"))
    return refused
