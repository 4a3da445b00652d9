"""Evaluation of score files in a worker process, which returns the best classes per image.

A score file of some megabytes may hold gigabytes of scores. The worker returns
:class:`zslcore.evaluation.predictions.PredictedRows`, from which every metric is computed again in
the calling process: no metric is taken from the worker.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from zslcore.evaluation.predicted_tests import WITHOUT_CURVE, GammaOrigin
from zslcore.evaluation.predictions import PredictedRows
from zslcore.exceptions import DatasetError, DoubtfulScoresError, FileRefusedError, ZSLError
from zslcore.scores.interpretation import interpret
from zslcore.scores.judging import ScoreReport, judge, report_of
from zslcore.scores.matrix import Scores
from zslcore.scores.questions import FIXES, Question
from zslcore.scores.reading import read_scores
from zslcore.storage.artifacts import scratch
from zslcore.texts import clean_text
from zslcore.untrusted import client, worker
from zslcore.untrusted.client import DEFAULT_LIMITS, Limits

#: Memory for reading and evaluating a file, as a multiple of its declared bytes.
COPIES = 3
#: Type of each array in the folder of the worker.
COLUMNS = {
    "labels": "<i4",
    "seen": "|b1",
    "seen_class": "<i4",
    "unseen_class": "<i4",
    "margin": "<f8",
    "zsl_rank": "<i4",
}
#: Prefix of the names of arrays of validation scores.
VALIDATION_PREFIX = "validation_"


@dataclass(frozen=True)
class ScoreRequest:
    """Score file with its labels, unseen classes (None if the file has them) and fixes.

    ``unseen_scores`` is the file of unseen columns, if ``path`` has only seen columns.
    """

    path: Path
    labels: Path | None = None
    unseen: tuple[str, ...] | None = None
    fixes: tuple[str, ...] = ()
    unseen_scores: Path | None = None

    @property
    def files(self) -> list[Path]:
        """Files to read."""
        further_files = self.labels, self.unseen_scores
        return [self.path, *(path for path in further_files if path is not None)]

    def to_values(self) -> dict[str, Any]:
        """Return the fields as values for JSON, with paths as texts."""
        return {
            name: str(value.resolve()) if isinstance(value, Path) else value
            for name, value in asdict(self).items()
        }


@dataclass(frozen=True)
class OpenQuestion:
    """Open question about the test or the validation scores."""

    question: Question
    of_validation: bool


def memory_for(files: list[Path]) -> int:
    """Return the maximum memory in bytes for reading and evaluating the files, by their sizes."""
    return COPIES * sum(DEFAULT_LIMITS.budget(path.stat().st_size) for path in files)


def preload_scores() -> None:
    """Preload the imports of the worker, so that the first score file does not wait for them."""
    worker.warm_up(__name__)


def judge_in_worker(
    request: ScoreRequest, validation: ScoreRequest | None = None, *, memory: int, origin: str
) -> ScoreReport | OpenQuestion:
    """Evaluate a score file in a worker process with at most ``memory`` bytes.

    ``origin`` ends the error message "needs more than the 1,000 bytes ..." with the source of the
    limit, such as "that a visitor may take (ZSL_MEMORY_A_VISITOR)". Raises FileRefusedError.
    """
    files = request.files + ([] if validation is None else validation.files)
    size = sum(path.stat().st_size for path in files)
    with scratch() as folder:
        values = {
            "test": request.to_values(),
            "validation": None if validation is None else validation.to_values(),
            "origin": origin,
        }
        seconds = 10 + COPIES * DEFAULT_LIMITS.seconds(size)  # 10 s for the start
        answer = client.read_confined(
            judge_in_folder, values, files, folder, memory=memory, seconds=seconds, origin=origin
        )
        return _read_answer(folder, answer, clean_text(request.path.name), memory)


# --- In the worker --------------------------------------------------------------------------------


def judge_in_folder(arguments: Mapping[str, Any], memory: int, into: Path) -> dict[str, Any]:
    """Read and evaluate the files; return and write the result for :func:`judge_in_worker`."""
    limits = Limits(declared_bytes=memory // COPIES, origin=arguments["origin"])
    try:
        return _judge(arguments, into, limits)
    except ZSLError as error:
        return {"refused": str(error)}


def _judge(arguments: Mapping[str, Any], into: Path, limits: Limits) -> dict[str, Any]:
    chosen_on, matrices = arguments["validation"], []
    for source in (arguments["test"], chosen_on):
        if source is not None:
            file = read_scores(
                Path(source["path"]),
                unseen=source["unseen"],
                limits=limits,
                **{
                    name: source[name] and Path(source[name])
                    for name in ("labels", "unseen_scores")
                },
            )
            try:
                matrix, questions = interpret(file, source["fixes"])
            except DoubtfulScoresError as error:
                matrix, questions = None, (Question("as-is", str(error), open=True),)
            if matrix is None:
                return {"question": asdict(questions[0]), "of_validation": source is chosen_on}
            matrices.append(matrix)
    matrix, *validation = matrices
    report = judge(matrix, validation=validation)
    return _write_predictions(matrix, into) | {
        "gamma": report.gamma,
        "origin": report.origin,
        "note": report.note,
        "checked": report.checked,
        "validation": _write_predictions(validation[0], into, VALIDATION_PREFIX)
        if validation
        else None,
    }


def _write_predictions(matrix: Scores, into: Path, prefix: str = "") -> dict[str, Any]:
    """Write the predictions of a matrix as arrays, and return its interpretation."""
    for name, kind in COLUMNS.items():
        array = getattr(matrix.predicted_rows, name)
        if array is None:  # only zsl_rank, for files without scores of all classes
            array = np.full(len(matrix.predicted_rows.labels), -1)
        array = array.astype(kind, copy=False)
        np.save(into / f"{prefix}{name}.npy", array, allow_pickle=False)
    names = ("name", "class_names", "fixes", "remarks", "benchmark", "split", "digest")
    values = {name: getattr(matrix, name) for name in names}
    return values | {
        "resolution": matrix.predicted_rows.resolution,
        "limits": matrix.predicted_rows.limits,
    }


# --- Outside the worker ---------------------------------------------------------------------------


def _read_answer(folder: Path, answer: Any, file: str, memory: int) -> ScoreReport | OpenQuestion:
    """Validate the output of the worker, which a malicious file may control."""
    try:
        if "refused" in answer:
            raise FileRefusedError(clean_text(answer["refused"], 800))
        if "question" in answer:
            fields = answer["question"]
            if fields["fix"] not in FIXES:
                raise _bad_answer(file)
            question = Question(
                fields["fix"], clean_text(fields["sentence"], 800), bool(fields["open"])
            )
            return OpenQuestion(question, bool(answer["of_validation"]))
        return _read_report(folder, answer, file, memory)
    except FileRefusedError:
        raise
    except (ArithmeticError, AttributeError, DatasetError, KeyError, TypeError, ValueError):
        raise _bad_answer(file) from None


def _bad_answer(file: str) -> FileRefusedError:
    return FileRefusedError(f"{file}: its reader returned an invalid result.")


def _read_report(folder: Path, answer: dict[str, Any], file: str, memory: int) -> ScoreReport:
    gamma, origin, of_validation = answer["gamma"], answer["origin"], answer["validation"]
    if gamma is not None and (not math.isfinite(gamma) or origin not in get_args(GammaOrigin)):
        raise _bad_answer(file)
    report = report_of(
        _read_predictions(folder, answer, file, memory),
        gamma,
        origin if gamma is not None else None,
        clean_text(answer["note"], 800),
        bool(answer["checked"]),
    )
    if of_validation is None:
        return report
    validation = _read_predictions(folder, of_validation, file, memory, VALIDATION_PREFIX)
    return replace(report, validation=(validation,))


def _read_predictions(
    folder: Path, answer: dict[str, Any], file: str, memory: int, prefix: str = ""
) -> Scores:
    """Return the predictions of a matrix; :class:`PredictedRows` refuses invalid values."""
    columns: dict[str, Any] = {
        name: _read_array(folder / f"{prefix}{name}.npy", kind, file)
        for name, kind in COLUMNS.items()
    }
    if sum(array.nbytes for array in columns.values()) > memory:
        raise _bad_answer(file)
    columns = {name: np.array(array) for name, array in columns.items()}
    names = tuple(clean_text(name) for name in answer["class_names"])
    if len(names) != len(columns["seen"]) or not set(answer["fixes"]) <= set(FIXES):
        raise _bad_answer(file)
    if answer["limits"] not in ("", *WITHOUT_CURVE):
        raise _bad_answer(file)
    tested = PredictedRows(
        rows=np.arange(len(columns["labels"]), dtype=np.int32),
        classes=np.arange(len(names)),
        resolution=float(answer["resolution"]),
        limits=answer["limits"],
        **columns,
    )
    return Scores.of_best(
        file,
        tested,
        names,
        clean_text(answer["digest"], 16),
        fixes=tuple(answer["fixes"]),
        remarks=tuple(clean_text(remark, 800) for remark in answer["remarks"]),
        benchmark=clean_text(answer["benchmark"]),
        split=clean_text(answer["split"]),
    )


def _read_array(path: Path, kind: str, file: str) -> np.ndarray:
    """Return a memory map of a one-dimensional array; refuse an invalid file."""
    try:
        array = client.open_array(path)
    except (OSError, ValueError):
        raise _bad_answer(file) from None
    if array.ndim != 1 or array.dtype != np.dtype(kind):
        raise _bad_answer(file)
    return array
