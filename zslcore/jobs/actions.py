"""The study of actions as one job, two fits at a time; finished fits are stored.

A study that is stopped goes on where it stopped, and a larger one takes over the fits of a smaller
one: every fit is a result of its own, under the key of what it depends on.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from joblib import Parallel, delayed

from zslcore.analysis import actions
from zslcore.analysis.actions import ActionSpec, Unit
from zslcore.datasets import ZSLDataset, load
from zslcore.evaluation.specs import revisions_of
from zslcore.jobs.work import Work
from zslcore.results.planning import AT_A_TIME
from zslcore.results.result import Result, result_of
from zslcore.results.store import ResultStore
from zslcore.storage.records import Schema, UnreadableError

if TYPE_CHECKING:
    from zslcore.jobs.child import Report

__all__ = [
    "NAME",
    "REVISION",
    "ActionFit",
    "ask",
    "do",
    "key_of_unit",
    "read",
    "stored_fit",
]

NAME = "actions"
#: Counted up when the same arguments leave another result than before.
REVISION = 1
#: So few fits are done before another process has begun.
FEW = 60


@dataclass(frozen=True, slots=True)
class ActionFit:
    """What is stored of one fit.

    Attributes
    ----------
    rows : (class, overlapping, videos, accuracy) of every test class
    seconds : of processor time that it took
    """

    rows: tuple[tuple[int, bool, int, float], ...]
    seconds: float


SCHEMA = Schema(ActionFit, 1)


def ask(spec: ActionSpec, datasets: Mapping[str, ZSLDataset]) -> Work:
    """Return the work that makes a study.

    Parameters
    ----------
    spec : ActionSpec
    datasets : every data set of the spec by its name
    """
    spec = spec.with_digests({name: data.digest for name, data in datasets.items()})
    methods = {name: actions.entrant(name, spec.parameters) for name in spec.methods}
    made_by: dict[str, Any] = {
        "revision": REVISION,
        "revisions": revisions_of(*methods.values()),
        "params": {name: method.get_params() for name, method in methods.items()},
    }
    if spec.parameters == "folds":
        made_by["grids"] = {name: dict(method.param_grid) for name, method in methods.items()}
    title = f"{len(methods)} methods, {spec.n_draws} draws of {spec.configuration}"
    return Work(title, NAME, {"spec": asdict(spec)}, made_by=made_by)


def do(folder: Path, report: Report, *, spec: dict[str, Any]) -> None:
    """Make what is missing, two fits at a time, then the table of all."""
    report(0, 0, "Opening the data sets")
    asked = ActionSpec.from_values(spec)
    for each in asked.sets:
        load(each.dataset).required(each.digest)
    units = asked.units()
    found = {
        place: fit for place, unit in enumerate(units) if (fit := stored_fit(unit)) is not None
    }
    todo = [place for place in range(len(units)) if place not in found]
    at_a_time = AT_A_TIME if len(todo) > FEW else 1
    work = Parallel(at_a_time, return_as="generator_unordered")
    for place, fit in work(delayed(_made)(place, units[place]) for place in todo):
        found[place] = fit
        unit = units[place]
        report(len(found), len(units), f"{unit.method} on {unit.set.dataset}")
    rows = [found[place].rows for place in range(len(units))]
    actions.study_table(units, rows).to_csv(folder / "study.csv", index=False)


def read(folder: Path, work: Work) -> pd.DataFrame:
    """Read what :func:`do` wrote; columns are :data:`zslcore.analysis.actions.ACTION_COLUMNS`."""
    return pd.read_csv(folder / "study.csv", keep_default_na=False)


# --- Stored fits ---------------------------------------------------------------------------


def key_of_unit(unit: Unit) -> str:
    """Return the SHA-256 of everything that a fit depends on, 16 hex digits."""
    text = json.dumps(unit.identity, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def stored_fit(unit: Unit) -> ActionFit | None:
    """Return a fit that was made before; None without one, or with one that cannot be read."""
    text = ResultStore().record("action", key_of_unit(unit))
    with suppress(UnreadableError):
        return None if text is None else SCHEMA.load(text)
    return None


@lru_cache(maxsize=2)
def _opened(name: str, digest: str) -> ZSLDataset:
    """Return a data set, read once in every process."""
    return load(name).required(digest)


def _made(place: int, unit: Unit) -> tuple[int, ActionFit]:
    """Fit a unit and store its result."""
    dataset = _opened(unit.set.dataset, unit.set.digest)
    began = time.process_time()
    rows = actions.class_rows(unit, dataset)
    fit = ActionFit(tuple(rows), time.process_time() - began)
    ResultStore().put_result(_result(unit, fit))
    return place, fit


def _result(unit: Unit, fit: ActionFit) -> Result:
    about = {
        "dataset": unit.set.dataset,
        "digest": unit.set.digest,
        "method": unit.method,
        "split": f"{unit.splits}, draw {unit.number + 1}",
        "seed": unit.seed,
        "seconds": fit.seconds,
    }
    accuracies = [accuracy for *_, accuracy in fit.rows]
    figures = {"zsl": sum(accuracies) / len(accuracies)}
    record = json.loads(SCHEMA.dump(fit))
    return result_of("action", key_of_unit(unit), about, [figures], record)
