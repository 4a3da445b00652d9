r"""What a comparison of two files could find: the power of a study, read off a pilot.

A pilot is any two files of the same test set; the differences of its images give the deviations
between and within classes that :mod:`zslcore.metrics.power` needs. For H at the accuracies u and s
of a file, an image of an unseen class counts with :math:`\partial H / \partial u = 2 s^2 / (s +
u)^2` and one of a seen class with :math:`2 u^2 / (s + u)^2`, those of each file: H is linear in its
neighbourhood.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from zslcore.evaluation.drawn import Drawn
from zslcore.evaluation.figures import FIGURES
from zslcore.evaluation.protocol import AnsweredTest
from zslcore.metrics.bootstrap import Over
from zslcore.metrics.power import ALPHA, POWER, Design, stratum_of
from zslcore.scores.paired import Pair

#: The figures of a study by their point: means over classes, and H.
POINTS = ("separate", "plain", "calibrated")


def needs(
    pair: Pair, difference: float = 0.01, power: float = POWER, alpha: float = ALPHA
) -> pd.DataFrame:
    """Return what every figure of a comparison needs to find a difference, a row a figure.

    The index is its registered name, columns are those of :func:`needs_of`. ``pair`` is the pilot,
    ``difference`` a fraction, ``power`` the probability to find it, ``alpha`` the level of the
    two-sided test.
    """
    rows = {
        name: needs_of(design, difference, power, alpha) | {"disagreement": disagreement}
        for name, design, disagreement in designs_of(pair)
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def needs_of(
    design: Design, difference: float = 0.01, power: float = POWER, alpha: float = ALPHA
) -> dict[str, Any]:
    """Return what a design finds and what it needs.

    Returns
    -------
    dict
        ``classes`` and ``images`` a class, as they are, a text for two sides;
        ``between``, the deviation between classes of one side; ``finds_images`` and
        ``finds_classes``, the smallest difference that is found over other images of these classes
        and over other classes; ``images_needed``, a class, over other images;
        ``classes_needed``, with as many images as today; ``images_needed_classes``, a class, over
        other classes. NaN, or an empty text, where no number is enough
    """
    found: dict[str, Any] = {
        "classes": " + ".join(f"{round(s.classes):,}" for s in design.strata),
        "images": " + ".join(f"{s.images:,.1f}" for s in design.strata),
        "between": design.strata[0].between if len(design.strata) == 1 else np.nan,
    }
    over: Over
    for over in ("images", "classes"):
        found[f"finds_{over}"] = design.detectable(over, power, alpha)
    enough = [design.images_needed(difference, o, power, alpha) for o in ("images", "classes")]
    classes = design.classes_needed(difference, "classes", power, alpha)
    found["images_needed"], found["images_needed_classes"] = (
        np.nan if n is None else float(n) for n in enough
    )
    found["classes_needed"] = "" if classes is None else " + ".join(f"{n:,}" for n in classes)
    return found


def designs_of(pair: Pair) -> Iterator[tuple[str, Design, float]]:
    """Yield the figures that a pilot has a design for, their designs, and their disagreement.

    Disagreement is the share of images, mean over classes, that one file alone answers rightly; NaN
    for H.
    """
    generalized = pair.tests[0].generalized
    for point in POINTS if generalized else POINTS[:1]:
        if point == "calibrated" and None in pair.gammas:
            continue
        right = [_right(test, point, gamma or 0.0) for test, gamma in _files(pair)]
        sides = {"unseen": ~_of_seen(pair.tests[0]), "seen": _of_seen(pair.tests[0])}
        for side, of in sides.items():
            if of.any():
                yield _of_side(pair, f"{point}_{side}", right, of)
        if generalized:
            yield _of_harmonic(pair, f"{point}_harmonic", right, sides)


def _files(pair: Pair) -> Iterator[tuple[AnsweredTest, float | None]]:
    yield from zip(pair.tests, pair.gammas, strict=True)


def _of_seen(test: AnsweredTest) -> np.ndarray:
    of_seen: np.ndarray = test.seen[test.y]
    return of_seen


def _right(test: AnsweredTest, point: str, gamma: float) -> np.ndarray:
    """Return whether every image is answered rightly at a point."""
    if point == "separate":
        return Drawn.once(test).right_in_separate
    return test.predicted(gamma if point == "calibrated" else 0.0) == test.y


def _of_side(
    pair: Pair, name: str, right: list[np.ndarray], of: np.ndarray
) -> tuple[str, Design, float]:
    y = pair.tests[0].y[of]
    first, second = (r[of].astype(float) for r in right)
    stratum = stratum_of(second - first, y)
    differing = np.bincount(y, first != second) / np.maximum(np.bincount(y), 1)
    disagreement = float(differing[np.unique(y)].mean())
    return "zsl" if name == "separate_unseen" else name, Design((stratum,)), disagreement


def _of_harmonic(
    pair: Pair, name: str, right: list[np.ndarray], sides: dict[str, np.ndarray]
) -> tuple[str, Design, float]:
    y = pair.tests[0].y
    values = {side: np.zeros(int(of.sum())) for side, of in sides.items()}
    for sign, r in zip((-1, 1), right, strict=True):
        u, s = (_mean(r[of], y[of]) for of in sides.values())
        total = (s + u) ** 2 or 1.0
        for side, other in (("unseen", s), ("seen", u)):
            values[side] += sign * 2 * other**2 / total * r[sides[side]]
    strata = tuple(stratum_of(values[side], y[of]) for side, of in sides.items())
    return name, Design(strata), float("nan")


def _mean(right: np.ndarray, y: np.ndarray) -> float:
    """Return the mean over classes."""
    images = np.bincount(y)
    return float((np.bincount(y, right)[images > 0] / images[images > 0]).mean())


# --- As text --------------------------------------------------------------------------------------


def as_text(
    table: pd.DataFrame, difference: float, power: float = POWER, alpha: float = ALPHA
) -> str:
    """Return the table of :func:`needs` as lines to read, in points."""
    unit = "point" if difference == 0.01 else "points"
    lines = [
        f"To find a difference of {100 * difference:g} {unit} with {100 * power:g}% power "
        f"(two-sided test at {100 * alpha:g}%), means per class",
        f"{'':<26}{'classes':>12}{'images':>14}{'differ':>8}{'tau':>6}"
        f"{'finds, same':>13}{'other':>7}{'needs images':>14}{'or classes':>16}",
    ]
    for name, row in table.iterrows():
        label = FIGURES[str(name)].label if name in FIGURES else str(name)
        images = "-" if np.isnan(row["images_needed"]) else f"{row['images_needed']:,.0f}"
        lines.append(
            f"  {label.replace('γ', 'gamma'):<24}{row['classes']:>12}{row['images']:>14}"
            f"{_points(row['disagreement']):>8}{_points(row['between']):>6}"
            f"{_points(row['finds_images']):>13}{_points(row['finds_classes']):>7}"
            f"{images:>14}{row['classes_needed'] or '-':>16}"
        )
    return "\n".join([*lines, *EXPLAINED])


EXPLAINED = (
    "  differ: images that one file alone answers rightly, %. tau: deviation of the difference",
    "  between classes, points. finds: the smallest difference found, for other images of the same",
    "  classes and for other classes. needs: images a class for the same classes, or classes (with",
    "  as many images a class as here) where the statement is about other classes, too. -: none.",
)


def _points(value: float) -> str:
    return "-" if np.isnan(value) else f"{100 * value:.1f}"
