"""Predictions of a model for a test set, and the metrics computed from them.

The protocol is in ``protocol`` and ``runs``. Predictions, their file and their verification are in
``predictions``, ``predictions_file`` and ``verification``, resampled metrics in ``bootstrap``.
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
    "predictions_bytes",
    "read_predictions",
    "verify_predictions",
    "write_predictions",
]

if TYPE_CHECKING:
    from zslcore.evaluation.predictions import PredictedRows, Predictions, Provenance
    from zslcore.evaluation.predictions_file import (
        is_predictions,
        predictions_bytes,
        read_predictions,
        write_predictions,
    )
    from zslcore.evaluation.verification import Reference, State, Verification, verify_predictions
else:
    _NAMES = {
        "verification": ("Verification", "State", "Reference", "verify_predictions"),
        "predictions_file": (
            "is_predictions",
            "predictions_bytes",
            "read_predictions",
            "write_predictions",
        ),
        "predictions": ("PredictedRows", "Predictions", "Provenance"),
    }

    def __getattr__(name: str) -> Any:
        """Import a public name on first use; a fit then imports no code for predictions."""
        for module, names in _NAMES.items():
            if name in names:
                return getattr(import_module(f"{__name__}.{module}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
