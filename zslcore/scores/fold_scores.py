"""Training rows and scored rows of an external model, evaluated like a run of this package.

A run scores the test set once, and every validation fold to choose gamma. In each fold, a fifth of
the images of every training class is held out as seen validation images, see
:mod:`zslcore.evaluation.protocol`. If an external model is fitted to the same rows, and scores the
same rows among the same candidates, its gamma is chosen by the same rule, and its scores are
checked and stored like those of a run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets.base import SEEN_VALIDATION, Split, ZSLDataset, hold_out, require_unseen
from zslcore.evaluation.predicted_tests import FoldPredictions
from zslcore.evaluation.predictions import PredictedRows, Predictions, Provenance
from zslcore.exceptions import DatasetError
from zslcore.names import are_numbered_from_0, positions_of
from zslcore.scores.judging import ScoreReport, judge_predicted
from zslcore.scores.matrix import Scores
from zslcore.scores.predicted import check_predictions
from zslcore.storage.files import open_atomically, reraise_write_errors
from zslcore.texts import expect
from zslcore.version import commit, version


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Test set, or validation images of a fold; ``name`` is "test", "fold_1", "fold_2" ...

    ``train`` are the training rows, ``rows`` the rows to score, in the order of the scores.
    ``classes``, increasing, are the columns of the scores; ``seen`` marks the classes with training
    rows.
    """

    name: str
    train: np.ndarray
    rows: np.ndarray
    classes: np.ndarray
    seen: np.ndarray


def parts_to_score(dataset: ZSLDataset, split: Split, seed: int = 0) -> tuple[Part, ...]:
    """Return the rows and classes of the test set and every fold, as in a run with this seed.

    Raises SplitError if all test classes have training images.
    """
    require_unseen(dataset, split)
    labels, generalized = dataset.labels, bool(len(split.test_seen))
    test = np.concatenate([split.test_seen, split.test_unseen])
    classes = np.union1d(split.seen_classes, split.unseen_classes)
    parts = [_part("test", labels, split.trainval, test, classes)]
    for k, fold in enumerate(split.folds, 1):
        train, rows, classes = fold.train, fold.val, np.unique(labels[fold.val])
        if generalized:
            train, held_out = hold_out(labels, fold.train, SEEN_VALIDATION, seed)
            rows = np.concatenate([held_out, fold.val])
            classes = np.union1d(labels[train], labels[rows])
        parts.append(_part(f"fold_{k}", labels, train, rows, classes))
    return tuple(parts)


def _part(
    name: str, labels: np.ndarray, train: np.ndarray, rows: np.ndarray, classes: np.ndarray
) -> Part:
    return Part(name, train, rows, classes, np.isin(classes, labels[train]))


def arrays_of(
    dataset: ZSLDataset, split: Split, parts: Sequence[Part], seed: int = 0
) -> dict[str, np.ndarray]:
    """Return the arrays that :func:`write_parts` writes, by name.

    The arrays are ``class_names``, ``labels`` (the class of every row) and ``about`` (data, split,
    seed and digests as JSON). Every part (``test``, ``fold_1`` and so on) adds ``<part>_train``,
    ``<part>_rows``, ``<part>_classes`` and ``<part>_seen``, see :class:`Part`.
    """
    about: Mapping[str, Any] = {
        "schema": "zslcore-folds/1",
        "dataset": dataset.name,
        "digest": dataset.digest,
        "split": split.name,
        "parts": dict(split.digests),
        "folds": len(parts) - 1,
        "seed": seed,
        "version": version(),
    }
    arrays = {
        "about": np.array(json.dumps(about)),
        "class_names": np.array(dataset.class_names),
        "labels": dataset.labels,
    }
    for part in parts:
        for name in ("train", "rows", "classes", "seen"):
            arrays[f"{part.name}_{name}"] = getattr(part, name)
    return arrays


def write_parts(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write the arrays atomically to an ``.npz`` file that can be read without pickle.

    Raises ZSLError if the file cannot be written.
    """
    with reraise_write_errors(path.name), open_atomically(path) as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def match_folds(
    report: ScoreReport, dataset: ZSLDataset, split: Split, seed: int = 0
) -> ScoreReport:
    """Match scores with the rows of ``zslcore folds`` for this seed; return their report.

    Rows and labels are compared with the data, so that predictions made from the report can be
    *verified*. The report has one validation file per fold, or none. Raises a DatasetError with the
    expected and the actual content if images, labels or candidates differ.
    """
    test, *folds = parts_to_score(dataset, split, seed)
    n, where = len(report.validation), f"{dataset.name}, split {split.name}"
    expected = f"{len(folds)} validation files, one per fold, in the order of the folds"
    expect(n in (0, len(folds)), where, expected, n)
    predictions = Predictions(
        _renumber(report.matrix, test, _columns(report.matrix, test, dataset)),
        dataset.class_names,
        tuple(_folds(report.validation, folds, dataset)),
        _provenance(report, dataset, split, seed),
    )
    predicted = check_predictions(predictions, report.matrix.name, load=lambda _: dataset)
    remarks = *report.matrix.remarks, *predicted.remarks
    report_of_predictions = judge_predicted(replace(predicted, remarks=remarks))
    # A validated gamma drops the note of ``report``: it may state that the classes of validation
    # rows are uncertain, but here they are known.
    return (
        report_of_predictions
        if report.origin == "validated"
        else replace(report_of_predictions, note=report.note)
    )


def _columns(matrix: Scores, part: Part, dataset: ZSLDataset) -> np.ndarray:
    """Return the class of every column; refuse scores of other images or candidates."""
    where, n = matrix.name, len(part.classes)
    expected, got = f"scores of the {len(part.rows):,} rows {part.name}_rows", f"{len(matrix.y):,}"
    expect(len(matrix.y) == len(part.rows), where, expected, f"{got} images")
    columns = part.classes
    if not are_numbered_from_0(matrix.class_names):
        columns = positions_of(matrix.class_names, dataset.class_names)
    are_candidates = len(matrix.seen) == n and np.array_equal(np.sort(columns), part.classes)
    expected = f"a column for each of the {n} candidates {part.name}_classes, by name or in their"
    expect(are_candidates, where, f"{expected} order", f"{len(matrix.seen)} columns")
    wrong = np.flatnonzero(columns[matrix.y] != dataset.labels[part.rows])
    if len(wrong):
        names, k = dataset.class_names, wrong[0]
        raise DatasetError(
            f"{where}: expected the images in the order of {part.name}_rows; image {k} is labelled "
            f"{names[columns[matrix.y[k]]]!r}, row {part.rows[k]} belongs to "
            f"{names[dataset.labels[part.rows[k]]]!r}."
        )
    seen = part.seen[np.searchsorted(part.classes, columns)]
    n_expected, n_unseen = int((~part.seen).sum()), int((~matrix.seen).sum())
    expected = f"{n_expected} unseen classes, those without {part.name}_seen"
    got = f"{n_unseen}" if n_unseen != n_expected else "other classes"
    expect(np.array_equal(seen, matrix.seen), where, expected, got)
    return columns


def _renumber(matrix: Scores, part: Part, columns: np.ndarray) -> PredictedRows:
    """Return the predictions with the class numbers and rows of the data set."""
    rows = PredictedRows.of_scores(matrix.predicted_rows, part.rows)

    def classes_of(columns_of_matrix: np.ndarray | None) -> np.ndarray:
        assert columns_of_matrix is not None  # never None for score files
        return np.where(columns_of_matrix < 0, -1, columns[columns_of_matrix])

    return replace(
        rows,
        labels=columns[rows.labels],
        seen_class=classes_of(rows.seen_class),
        unseen_class=classes_of(rows.unseen_class),
        zsl_class=classes_of(rows.zsl_class),
        classes=part.classes,
        seen=part.seen,
    )


def _folds(
    validation: Sequence[Scores], folds: Sequence[Part], dataset: ZSLDataset
) -> list[PredictedRows]:
    predictions = []
    for k, (matrix, part) in enumerate(zip(validation, folds, strict=False), 1):
        columns = _columns(matrix, part, dataset)
        fold_predictions = FoldPredictions(
            part.rows, columns, matrix.seen, matrix.predicted_rows.best_classes
        )
        predictions.append(PredictedRows.of_fold(fold_predictions, k))
    return predictions


def _provenance(report: ScoreReport, dataset: ZSLDataset, split: Split, seed: int) -> Provenance:
    return Provenance.for_split(
        dataset,
        split,
        gamma=report.gamma,
        gamma_origin=report.origin or "none",
        seed=seed,
        version=version(),
        commit=commit(),
        source=f"Scores {report.matrix.digest} of {report.matrix.name}.",
    )
