"""A result of the board computed again, from the predictions that lie next to its JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from zslcore.board.entry import BoardEntry
from zslcore.datasets.base import part_digest
from zslcore.datasets.sandbox.client import clean_text
from zslcore.evaluation import Predictions, State
from zslcore.exceptions import FileRefusedError
from zslcore.leakage.truth import read_checked

__all__ = ["recomputed"]

#: Figures may be kept with six digits behind the point.
ROUNDING = 1e-6


def recomputed(path: Path, entry: BoardEntry) -> State:
    """Compute the figures of a result again and return how far it can be believed.

    Parameters
    ----------
    path : of the JSON, ``x.json``; its predictions are ``x.parquet`` in the same folder
    entry : what it says

    Returns
    -------
    State.VERIFIED, or State.STATED without predictions or where nothing is known to check them with

    Raises
    ------
    FileRefusedError
        When the predictions cannot be read, claim what is not so, or give other figures.
    """
    file = path.with_suffix(".parquet")
    if not file.is_file():
        return State.STATED
    predicted = read_checked(file)
    wrong = next(_differences(entry, predicted.predictions), None)
    if wrong:
        raise FileRefusedError(f"{clean_text(path.name)}, {wrong}.")
    return predicted.state


def _differences(entry: BoardEntry, predictions: Predictions) -> Iterator[str]:
    """Yield what the JSON says otherwise than its predictions."""
    said = predictions.provenance
    if (entry.gamma.origin, entry.gamma.value) != (said.gamma_origin, said.gamma):
        yield (
            f"gamma: expected that of its predictions, {said.gamma} ({said.gamma_origin}); got "
            f"{entry.gamma.value} ({entry.gamma.origin})"
        )
    test = predictions.test
    of_seen = test.seen[test.y]
    for part, rows in (("test_seen", test.rows[of_seen]), ("test_unseen", test.rows[~of_seen])):
        if part in entry.split.parts and part_digest(rows) != entry.split.parts[part]:
            yield f"split.parts.{part}: expected the rows of its predictions; got others"
    found = _figures(predictions)
    for name, value in asdict(entry.figures).items():
        if value is not None and (found[name] is None or abs(found[name] - value) > ROUNDING):
            expected = "none" if found[name] is None else f"{found[name]:.6f}"
            yield f"figures.{name}: expected {expected}, from its predictions; got {value:.6f}"


def _figures(predictions: Predictions) -> dict[str, float | None]:
    """Return every figure of the board, by its name there."""
    e = predictions.evaluation
    figures: dict[str, float | None] = {"zsl": e.zsl, "ausuc": e.ausuc}
    at_gamma = e.calibrated if predictions.gamma is not None else None
    for end, point in (("", e.plain), ("_gamma", at_gamma)):
        figures[f"u{end}"] = None if point is None else point.unseen
        figures[f"s{end}"] = None if point is None else point.seen
        figures[f"H{end}"] = None if point is None else point.harmonic
    return figures
