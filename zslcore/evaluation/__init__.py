"""Answers of a model to a test set, and the figures computed from them.

The protocol is in ``protocol`` and ``runs``; predictions, their file and their check in
``predictions``, ``files`` and ``checking``; figures under draws of classes or images in ``drawn``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = [
    "Check",
    "Detection",
    "PredictedRows",
    "Predictions",
    "Provenance",
    "State",
    "Truth",
    "check_predictions",
    "is_predictions",
    "predictions_file",
    "read_predictions",
    "write_predictions",
]

if TYPE_CHECKING:
    from zslcore.evaluation.checking import Check, State, Truth, check_predictions
    from zslcore.evaluation.drawn import Detection
    from zslcore.evaluation.files import (
        is_predictions,
        predictions_file,
        read_predictions,
        write_predictions,
    )
    from zslcore.evaluation.predictions import PredictedRows, Predictions, Provenance
else:
    _MODULES = {
        "Check": "zslcore.evaluation.checking",
        "Detection": "zslcore.evaluation.drawn",
        "PredictedRows": "zslcore.evaluation.predictions",
        "Predictions": "zslcore.evaluation.predictions",
        "Provenance": "zslcore.evaluation.predictions",
        "State": "zslcore.evaluation.checking",
        "Truth": "zslcore.evaluation.checking",
        "check_predictions": "zslcore.evaluation.checking",
        "is_predictions": "zslcore.evaluation.files",
        "predictions_file": "zslcore.evaluation.files",
        "read_predictions": "zslcore.evaluation.files",
        "write_predictions": "zslcore.evaluation.files",
    }

    def __getattr__(name: str) -> Any:
        """Import a public name on first use: fitting a method needs no predictions."""
        if name in _MODULES:
            return getattr(import_module(_MODULES[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
