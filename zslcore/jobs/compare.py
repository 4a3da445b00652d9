"""The missing runs of a comparison as one job, two at a time.

Finished runs are in the store at once: a comparison that is stopped goes on where it stopped, and a
page can show what there is meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from zslcore.analysis.comparison import ComparisonSpec
from zslcore.datasets import load
from zslcore.evaluation.specs import revisions_of
from zslcore.jobs.work import Work
from zslcore.methods import get_method
from zslcore.results.planning import Choice
from zslcore.results.store import ResultStore

if TYPE_CHECKING:
    from zslcore.jobs.child import Report

__all__ = ["NAME", "REVISION", "ask", "do", "read"]

NAME = "compare"
#: Counted up when the same arguments leave another result than before.
REVISION = 1


def ask(spec: ComparisonSpec, choices: Sequence[Choice] = (), attempt: int = 0) -> Work:
    """Return the work that makes the runs of a comparison.

    Parameters
    ----------
    spec : ComparisonSpec
    choices : what else belongs to every run, see :func:`zslcore.results.planning.planned`
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
    """Make what is missing; a refused run is reported and stops no other."""
    report(0, 0, "Opening the data sets")
    asked = ComparisonSpec(**spec | {"splits": tuple(spec["splits"])})
    plan = asked.plan({name: load(name) for name in asked.datasets}, choices)
    store, refused = ResultStore(), {}
    todo = len(plan.unfinished(store))
    for done, (run, refusal) in enumerate(plan.run(store), 1):
        if refusal:
            refused[run.key] = f"{run.method} on {run.dataset}, split {run.split}: {refusal}"
        report(done, todo, f"{run.method} on {run.dataset} is the last of {done} finished")
    (folder / "refused.json").write_text(json.dumps(refused), encoding="utf-8")


def read(folder: Path, work: Work) -> dict[str, str]:
    """Return why runs were refused, by the key of the run."""
    refused: dict[str, str] = json.loads((folder / "refused.json").read_text(encoding="utf-8"))
    return refused
