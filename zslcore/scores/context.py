"""What is known around a score matrix: classes that the extractor knew, and printed figures."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd

from zslcore.datasets.base import ZSLDataset
from zslcore.datasets.facts import published
from zslcore.leakage.context import AuditContext
from zslcore.leakage.leaks import overlap_table
from zslcore.leakage.vocabularies import Vocabulary
from zslcore.metrics.gain import OverlapGain, overlap_gain
from zslcore.scores.judging import ScoreReport
from zslcore.scores.matrix import JudgedScores

CALIBRATED = {"no": "H", "yes": "H calibrated"}


def is_of(matrix: JudgedScores, dataset: ZSLDataset, split: str) -> bool:
    """Return whether scores are of a data set's test images, as far as their numbers tell.

    Column k is class k, as many images are of each class, and the same classes are unseen.

    Parameters
    ----------
    matrix : JudgedScores
    dataset : ZSLDataset
    split : name of one of its splits
    """
    of = dataset.split(split)
    seen, unseen = dataset.labels[of.test_seen], dataset.labels[of.test_unseen]
    n_classes = len(dataset.class_names)
    return are_test_images(matrix, seen, unseen, of.unseen_classes, n_classes)


def are_test_images(
    matrix: JudgedScores,
    seen: np.ndarray,
    unseen: np.ndarray,
    unseen_classes: np.ndarray,
    n_classes: int,
) -> bool:
    """Return whether scores have as many images of every class as the test sets of a split.

    Parameters
    ----------
    matrix : JudgedScores
    seen, unseen : int arrays, the classes of its test images of either kind
    unseen_classes : int array
    n_classes : of the data
    """
    if len(matrix.seen) != n_classes:
        return False
    tested = np.bincount(np.concatenate([seen, unseen]).astype(np.intp), minlength=n_classes)
    return bool(
        np.array_equal(np.flatnonzero(~matrix.seen), np.unique(unseen_classes))
        and np.array_equal(np.bincount(matrix.y, minlength=n_classes), tested)
    )


def unseen_among(matrix: JudgedScores, vocabulary: Vocabulary) -> pd.DataFrame:
    """Return every unseen class with its best match among the classes of an extractor.

    Parameters
    ----------
    matrix : JudgedScores whose columns have names
    vocabulary : what the feature extractor was trained on

    Returns
    -------
    DataFrame of :func:`zslcore.leakage.leaks.overlap_table`; ``number`` is the column
    """
    rows = np.flatnonzero(~matrix.seen[matrix.y])
    context = AuditContext(
        name=matrix.name,
        parts={"test_unseen": rows},
        labels=matrix.y,
        n_rows=len(matrix.y),
        class_names=matrix.class_names,
    )
    return overlap_table(context, vocabulary)


def gain_in(report: ScoreReport, overlapping: Collection[int]) -> OverlapGain | None:
    """Return what overlapping classes gain in ZSL accuracy; None where one kind is missing.

    Parameters
    ----------
    report : ScoreReport
    overlapping : columns of unseen classes that the extractor knew
    """
    accuracy: Mapping[int, float] = report.evaluation.per_class_zsl
    known = set(overlapping) & set(accuracy)
    if not 0 < len(known) < len(accuracy):
        return None
    images = np.bincount(report.matrix.y, minlength=len(report.matrix.seen))
    return overlap_gain(accuracy, known, images=dict(enumerate(images.tolist())))


def printed_figures(benchmark: str, split: str) -> pd.DataFrame:
    """Return what the papers printed for methods on a split.

    Parameters
    ----------
    benchmark, split : "AWA1" and "PS", for example

    Returns
    -------
    DataFrame, a row a method and paper: method, paper, zsl, u, s, H (gamma 0) and "H calibrated",
    fractions, NaN where nothing was printed. Of the calibration paper H is that of parameters
    chosen for ZSL, "H calibrated" that of parameters and gamma chosen for GZSL.
    """
    rows = published("zsl_top1")
    rows = rows[(rows["dataset"] == benchmark) & (rows["split"] == split)]
    found = rows.set_index("method")[["top1_per_class"]].set_axis(["zsl"], axis=1)
    if split == "PS":
        rows = published("gzsl_ps")
        rows = rows[rows["dataset"] == benchmark].set_index("method")
        names = {"unseen": "u", "seen": "s", "harmonic": "H"}
        found = found.join(rows[list(names)].rename(columns=names), how="outer")
    found = found.reset_index().assign(paper="Xian et al. 2019")
    second = _of_calibration_paper(benchmark) if split == "PS" else pd.DataFrame()
    columns = ["method", "paper", "zsl", "u", "s", "H", "H calibrated"]
    return pd.concat([found, second], ignore_index=True).reindex(columns=columns)


def _of_calibration_paper(benchmark: str) -> pd.DataFrame:
    rows = published("calibration_gzsl_harmonic")
    as_chosen = rows["lambda_selected_for"] == rows["calibrated"].map({"no": "zsl", "yes": "gzsl"})
    rows = rows[(rows["dataset"] == benchmark) & as_chosen]
    rows = rows.assign(calibrated=rows["calibrated"].map(CALIBRATED))
    wide = rows.pivot_table(index="method", columns="calibrated", values="harmonic", sort=False)
    return wide.reset_index().assign(paper="Le Cacheux et al. 2019")
