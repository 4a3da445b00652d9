"""Check what a file of predictions claims against the data or the facts of its benchmark."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zslcore.datasets import ZSLDataset, load
from zslcore.datasets.facts import plain_name, row_facts
from zslcore.datasets.sandbox.client import DEFAULT_LIMITS, Limits
from zslcore.evaluation import Predictions, State, Truth, check_predictions, read_predictions
from zslcore.exceptions import FileRefusedError, ZSLError
from zslcore.leakage.known import known_splits, known_tests
from zslcore.texts import clean_text

#: What is said of predictions whose claims are right.
AGREES = "Verified: rows, labels and gamma agree with the data."


@dataclass(frozen=True, eq=False)
class CheckedPredictions:
    """Predictions and what could be verified of their claims.

    Attributes
    ----------
    name : of the file
    predictions : Predictions
    state : State.VERIFIED where rows, labels and gamma agree with the data, else State.STATED
    remarks : sentences on what was and what could not be verified
    reasons : sentences on claims that are wrong
    """

    name: str
    predictions: Predictions
    state: State
    remarks: tuple[str, ...]
    reasons: tuple[str, ...] = ()


def look_up(
    path: Path, *, limits: Limits = DEFAULT_LIMITS, load: Callable[[str], ZSLDataset] = load
) -> CheckedPredictions:
    """Read a file of predictions and look up what it claims, as far as the data are here.

    Parameters
    ----------
    path : the file
    limits : sizes and time that are allowed
    load : opens data by name; raises a ZSLError for what the file may not be checked with

    Raises
    ------
    FileRefusedError
        When it cannot be read. Claims that are wrong are among the reasons.
    """
    return _looked_up(read_predictions(path, limits=limits), path.name, load)


def _looked_up(
    predictions: Predictions, name: str, load: Callable[[str], ZSLDataset]
) -> CheckedPredictions:
    check = check_predictions(predictions, _truth(predictions, load))
    state = check.state or State.STATED
    good = (AGREES,) * (state is State.VERIFIED)
    remarks = good + check.unknown
    return CheckedPredictions(clean_text(name), predictions, state, remarks, check.reasons)


def read_checked(
    path: Path, *, limits: Limits = DEFAULT_LIMITS, load: Callable[[str], ZSLDataset] = load
) -> CheckedPredictions:
    """Read a file of predictions as :func:`look_up` does; refuse it where a claim is wrong.

    Parameters
    ----------
    path : the file
    limits : sizes and time that are allowed
    load : opens data by name; raises a ZSLError for what the file may not be checked with

    Raises
    ------
    FileRefusedError
        When it cannot be read, or a claim is wrong: which, what was expected, what was found.
    """
    return _accepted(look_up(path, limits=limits, load=load))


def checked(
    predictions: Predictions, name: str, *, load: Callable[[str], ZSLDataset] = load
) -> CheckedPredictions:
    """Check what predictions claim; parameters and refusals are those of :func:`read_checked`."""
    return _accepted(_looked_up(predictions, name, load))


def _accepted(found: CheckedPredictions) -> CheckedPredictions:
    if found.reasons:
        raise FileRefusedError(f"{found.name}, {found.reasons[0]}")
    return found


def _truth(predictions: Predictions, load: Callable[[str], ZSLDataset]) -> Truth | None:
    """Return what the data that predictions name know of themselves, or their benchmark's facts.

    Data of the same name and another content are other data.
    """
    claimed = predictions.provenance
    if claimed.digest:
        with suppress(ZSLError):
            dataset = load(claimed.dataset).required(claimed.digest)
            return Truth.of(dataset, dataset.split(claimed.split))
    return _facts(predictions)


def _facts(predictions: Predictions) -> Truth | None:
    """Return what the facts know of the benchmark and the split that predictions name."""
    benchmark, split = predictions.provenance.benchmark, predictions.provenance.split
    tests = {(k.benchmark, k.split): k for k in known_tests()}
    released = {(s.dataset, s.name.split()[0]): s for s in known_splits() if not s.superseded}
    key = benchmark, split.split()[0] if split else ""
    if key not in tests or key not in released:
        return None
    known, place = tests[key], {plain_name(n): c for c, n in enumerate(predictions.class_names)}
    order = np.array([place.get(plain_name(name), -1) for name in known.class_names])
    if (order < 0).any() or len(order) != len(predictions.class_names):
        return None  # classes of other names: nothing maps one to the other
    return Truth(
        name=f"{benchmark} {split}",
        labels=order[row_facts(benchmark).labels],
        class_names=predictions.class_names,
        unseen_classes=np.sort(order[known.unseen]),
        parts=released[key].parts,
    )
