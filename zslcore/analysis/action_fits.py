"""Fits of the study of actions: every one is a result of its own, made once.

A study that is stopped goes on where it stopped, and a larger one takes over the fits of a smaller
one: a fit is stored under the key of what it depends on.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import pandas as pd
from joblib import Parallel, delayed

from zslcore.analysis.actions import ActionSpec, Unit, class_rows, entrant, study_table
from zslcore.analysis.study import Report, Study, made_by
from zslcore.datasets import ZSLDataset, load
from zslcore.results.planning import AT_A_TIME
from zslcore.results.result import Result, result_of
from zslcore.results.store import ResultStore
from zslcore.storage.records import Schema, UnreadableError

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


def make_fit(unit: Unit) -> ActionFit:
    """Fit a unit and store its result."""
    dataset = _opened(unit.set.dataset, unit.set.digest)
    began = time.process_time()
    rows = class_rows(unit, dataset)
    fit = ActionFit(tuple(rows), time.process_time() - began)
    ResultStore().put_result(_result(unit, fit))
    return fit


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


def stored_study(units: Sequence[Unit]) -> pd.DataFrame:
    """Return the table of those units whose fit is stored, see :func:`study_table`."""
    found = [(unit, fit) for unit in units if (fit := stored_fit(unit)) is not None]
    return study_table([unit for unit, _ in found], [fit.rows for _, fit in found])


@dataclass(frozen=True)
class ActionStudy(Study[pd.DataFrame]):
    """All fits of a spec, two at a time, as one table; finished fits are stored."""

    kind = "actions"

    spec: ActionSpec

    @classmethod
    def of(cls, spec: ActionSpec, datasets: Mapping[str, ZSLDataset]) -> Self:
        """Return the study of a spec on its open data sets, by name."""
        return cls(spec.with_digests({name: data.digest for name, data in datasets.items()}))

    @property
    def title(self) -> str:
        """Description on the screen."""
        spec = self.spec
        return f"{len(spec.methods)} methods, {spec.n_draws} draws of {spec.configuration}"

    @property
    def made_by(self) -> dict[str, Any]:
        """Revisions of the methods and, where they are searched, their grids."""
        spec = self.spec
        methods = {name: entrant(name, spec.parameters) for name in spec.methods}
        params = {name: method.get_params() for name, method in methods.items()}
        return made_by(*methods.values(), grids=spec.parameters == "folds") | {"params": params}

    def compute(self, report: Report) -> pd.DataFrame:
        """Compute the missing fits, then the table of all."""
        for each in self.spec.sets:
            load(each.dataset).required(each.digest)
        units = self.spec.units()
        found = {k: fit for k, unit in enumerate(units) if (fit := stored_fit(unit)) is not None}
        todo = [k for k in range(len(units)) if k not in found]
        work = Parallel(AT_A_TIME if len(todo) > FEW else 1, return_as="generator")
        for k, fit in zip(todo, work(delayed(make_fit)(units[k]) for k in todo), strict=True):
            found[k] = fit
            report(len(found), len(units), f"{units[k].method} on {units[k].set.dataset}")
        return study_table(units, [found[k].rows for k in range(len(units))])
