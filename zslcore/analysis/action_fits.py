"""Fits of the study of actions: every one is a result of its own, made once.

A study that is stopped goes on where it stopped, and a larger one takes over the fits of a smaller
one: a fit is stored under the key of what it depends on.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from zslcore.analysis.actions import Unit, class_rows, study_table
from zslcore.datasets import ZSLDataset, load
from zslcore.results.result import Result, result_of
from zslcore.results.store import ResultStore
from zslcore.storage.records import Schema, UnreadableError

__all__ = ["ActionFit", "key_of_unit", "make_fit", "stored_fit", "stored_study"]


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
