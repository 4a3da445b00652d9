"""Answers of a model to a test set, and the figures computed from them.

The protocol is in ``protocol`` and ``runs``; predictions, their file and their check in
``predictions``, ``files`` and ``checking``; figures under draws of classes or images in ``drawn``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = [
    "PredictedRows",
    "Predictions",
    "Provenance",
    "Reference",
    "State",
    "Verification",
    "is_predictions",
    "predictions_file",
    "read_predictions",
    "verify_predictions",
    "write_predictions",
]

if TYPE_CHECKING:
    from zslcore.evaluation.files import (
        is_predictions,
        predictions_file,
        read_predictions,
        write_predictions,
    )
    from zslcore.evaluation.predictions import PredictedRows, Predictions, Provenance
    from zslcore.evaluation.verification import Reference, State, Verification, verify_predictions
else:
    _NAMES = {
        "verification": ("Verification", "State", "Reference", "verify_predictions"),
        "files": ("is_predictions", "predictions_file", "read_predictions", "write_predictions"),
        "predictions": ("PredictedRows", "Predictions", "Provenance"),
    }

    def __getattr__(name: str) -> Any:
        """Import a public name on first use: fitting a method needs no predictions."""
        for module, names in _NAMES.items():
            if name in names:
                return getattr(import_module(f"{__name__}.{module}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
