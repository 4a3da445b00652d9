"""What a model answers to a test set: the form from which every figure follows.

============ =====================================================================================
hold         :mod:`zslcore.evaluation.predictions`: two classes and a margin an image
read, write  :mod:`zslcore.evaluation.files`: one Parquet file, read in the sandbox
check        :mod:`zslcore.evaluation.checking`: rows, labels and gamma against what is known
detect       :mod:`zslcore.evaluation.detection`: seen against unseen by the margin
============ =====================================================================================
"""

from zslcore.evaluation.checking import Check, State, Truth, check_predictions
from zslcore.evaluation.detection import Detection, detection
from zslcore.evaluation.files import (
    is_predictions,
    predictions_file,
    read_predictions,
    write_predictions,
)
from zslcore.evaluation.predictions import PredictedRows, Predictions, Provenance

__all__ = [
    "Check",
    "Detection",
    "PredictedRows",
    "Predictions",
    "Provenance",
    "State",
    "Truth",
    "check_predictions",
    "detection",
    "is_predictions",
    "predictions_file",
    "read_predictions",
    "write_predictions",
]
