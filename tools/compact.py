"""Predictions in fewer bytes: sorted rows, and margins of the fewest bits that change no figure."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from zslcore.evaluation import PredictedRows, Predictions, check_predictions
from zslcore.evaluation.protocol import Evaluation

#: Bits of a margin's fraction that are tried, of the test rows and of the validation rows.
TEST_BITS, FOLD_BITS = (24, 32, 40), (12, 16, 24)
#: By how much a figure may change.
SAME = 1e-10
REMARK = "Margins of test rows are rounded to {} bits, of validation rows to {}."


def compact(predictions: Predictions) -> Predictions:
    """Return predictions that give the same figures and take a fraction of the bytes.

    Every margin stays on its side of 0 and of gamma, so that no answer changes there; rounding
    keeps the order of the others, up to ties. What rounding would change stays as it is.
    """
    cuts = (0.0,) if predictions.gamma is None else (0.0, predictions.gamma)
    before, mended = predictions.evaluation, check_predictions(predictions).reasons
    found, used = predictions, ["53", "53"]
    for bits in TEST_BITS:
        tried = replace(found, test=_rounded(predictions.test, bits, cuts))
        if largest_difference(tried.evaluation, before) <= SAME:
            found, used[0] = tried, str(bits)
            break
    for bits in FOLD_BITS if found.folds else ():
        folds = tuple(_rounded(fold, bits, cuts) for fold in predictions.folds)
        tried = replace(found, folds=folds)
        if check_predictions(tried).reasons == mended:
            found, used[1] = tried, str(bits)
            break
    source = f"{found.provenance.source} {REMARK.format(*used)}".strip()
    return replace(found, provenance=replace(found.provenance, source=source))


def largest_difference(one: Evaluation, other: Evaluation) -> float:
    """Return the largest difference between figures of two evaluations; infinity for one missing.

    The largest is of ZSL, of all points, of AUSUC and of the accuracies of all classes.
    """
    return max(
        _difference(getattr(one, name), getattr(other, name))
        for name in (each.name for each in fields(Evaluation))
    )


def _difference(one: object, other: object) -> float:
    if one is None or other is None:
        return 0.0 if one is other else np.inf
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return np.inf
        return max((_difference(one[key], other[key]) for key in one), default=0.0)
    if isinstance(one, bool | int | float) and isinstance(other, bool | int | float):
        return 0.0 if one == other else abs(float(one) - float(other))
    names = ("unseen", "seen", "harmonic")
    return max(_difference(getattr(one, name), getattr(other, name)) for name in names)


def _rounded(part: PredictedRows, bits: int, cuts: tuple[float, ...]) -> PredictedRows:
    """Return rows by their number, with margins rounded to so many bits of their fraction."""
    rows = part.taken(np.argsort(part.rows, kind="stable"))
    fraction, exponent = np.frexp(rows.margin)
    margin = np.ldexp(np.round(fraction * 2.0**bits) / 2.0**bits, exponent)
    for cut in cuts:
        crossed = (rows.margin > cut) != (margin > cut)
        margin = np.where(crossed, rows.margin, margin)
    return replace(rows, margin=margin)
