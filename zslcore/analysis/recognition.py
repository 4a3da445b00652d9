r"""How an image of a class that was never trained on gets its answer, step by step.

LinearS2V predicts what every class looks like, :math:`\hat x_c = W^\top s_c`, seen or not, and
answers with the nearest: :math:`\arg\min_c \lVert x - \hat x_c \rVert^2 + \gamma \, [c \in
\mathcal{C}_s]`. One number, :math:`\gamma`, moves between the settings:

==============  ===================================================================
:math:`\gamma`  what it is
==============  ===================================================================
0               generalised zero-shot learning: all classes compete as they are
positive        calibrated stacking: seen classes are held back
infinite        zero-shot learning: seen classes are out, whatever their scores
==============  ===================================================================
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from zslcore.datasets.base import Split, ZSLDataset
from zslcore.evaluation.protocol import Problem, ScoredTest
from zslcore.exceptions import ParameterError
from zslcore.features.views import Preprocessing
from zslcore.methods import LinearS2V


@dataclass(frozen=True, slots=True, eq=False)
class Recognition:
    """A fitted LinearS2V and what it makes of the test images.

    Attributes
    ----------
    scores : ScoredTest, minus squared distances
    rows : int array of shape (n_samples,), row of every test image in the data set
    looks : array of shape (n_candidates, n_features), predicted features of every class, in the
        scale of the scaled features
    """

    scores: ScoredTest
    rows: np.ndarray
    looks: np.ndarray


def recognise(
    dataset: ZSLDataset,
    split: Split,
    *,
    lam: float,
    preprocessing: Preprocessing = Preprocessing(),  # noqa: B008 - frozen
) -> Recognition:
    """Fit LinearS2V on trainval, predict the look of every class and score the test images."""
    rows = np.concatenate([split.test_seen, split.test_unseen])
    classes = np.union1d(split.seen_classes, split.unseen_classes)
    problem = Problem.of(dataset, preprocessing, split.trainval, rows, classes)
    method = LinearS2V(lam=lam).fit(problem.X, problem.y, problem.S)
    F = method.decision_function(problem.X_test, problem.candidates)
    scores = ScoredTest(F, problem.y_test, problem.classes, problem.seen)
    return Recognition(scores, rows, problem.candidates @ method.W_)


def answers(recognition: Recognition, gamma: float) -> pd.DataFrame:
    """Answer every test image of an unseen class at ``gamma``, which may be infinite.

    Returns
    -------
    DataFrame
        One row per image: ``row``, ``class``, ``answer`` (rows of prototypes), ``right``, ``seen``
        (whether the answer is a seen class).
    """
    scores = recognition.scores
    predicted = scores.predicted(gamma)
    table = pd.DataFrame(
        {
            "row": recognition.rows,
            "class": scores.classes[scores.y],
            "answer": scores.classes[predicted],
            "right": predicted == scores.y,
            "seen": scores.seen[predicted],
        }
    )
    return table[~scores.seen[scores.y]].reset_index(drop=True)


def sample(table: pd.DataFrame, per_class: int, seed: int = 0) -> pd.DataFrame:
    """Draw ``per_class`` rows of every class, the same for every gamma, in order of rows."""
    rng = np.random.default_rng(seed)
    drawn = [
        group.iloc[np.sort(rng.permutation(len(group))[:per_class])]
        for _, group in table.groupby("class", sort=True)
    ]
    return pd.concat(drawn, ignore_index=True)


def telling_example(zsl: pd.DataFrame, gzsl: pd.DataFrame, calibrated: pd.DataFrame) -> int:
    """Return the position of the image that tells most, the first of equals.

    That is one which is right while only unseen classes may answer, lost to a seen class when all
    may, and right again when seen classes are held back; failing that, one that is just lost.

    Parameters
    ----------
    zsl, gzsl, calibrated : answers to the same images at gamma infinite, 0 and in between
    """
    lost = (zsl["right"] & gzsl["seen"]).to_numpy()
    return int(np.argmax(lost + 1 * (lost & calibrated["right"].to_numpy())))


def pictures(features: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Return features that are pixels as pictures, darkest pixel 1, nothing below 0.

    Parameters
    ----------
    features : array of shape (n, height * width)
    shape : (height, width)
    """
    ink = np.maximum(features, 0)
    brightest = ink.max(axis=1, keepdims=True)
    return (ink / np.where(brightest > 0, brightest, 1)).reshape(-1, *shape)


def candidates(recognition: Recognition, row: int, gamma: float) -> pd.DataFrame:
    """Compare one test image with the predicted look of every class.

    Returns
    -------
    DataFrame
        One row per candidate, nearest first after ``gamma``: ``class`` (row of prototypes),
        ``seen``, ``distance`` (squared), ``held_back`` (gamma for seen classes, else 0), ``total``,
        ``position`` (row of ``looks``).

    Raises
    ------
    ParameterError
        When ``row`` is not a test image.
    """
    place = np.flatnonzero(recognition.rows == row)
    if not len(place):
        raise ParameterError(f"Image {row} is not a test image of this split.")
    scores = recognition.scores
    held_back = np.where(scores.seen, gamma, 0.0)
    table = pd.DataFrame(
        {
            "class": scores.classes,
            "seen": scores.seen,
            "distance": -scores.F[place[0]],
            "held_back": held_back,
            "total": held_back - scores.F[place[0]],
            "position": np.arange(len(scores.classes)),
        }
    )
    return table.sort_values(["total", "seen"], kind="stable", ignore_index=True)
