"""Names of the metrics in printed values, in the table of methods, and in comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Metric = Literal["H at gamma", "zsl", "AUSUC", "u at gamma", "s at gamma", "H", "u", "s"]
#: Metric -> its name in :mod:`zslcore.evaluation.registry`, which is also its column in tables of
#: runs.
METRICS: Mapping[Metric, str] = {
    "H at gamma": "calibrated_harmonic",
    "zsl": "zsl",
    "AUSUC": "ausuc",
    "u at gamma": "calibrated_unseen",
    "s at gamma": "calibrated_seen",
    "H": "plain_harmonic",
    "u": "plain_unseen",
    "s": "plain_seen",
}
#: Metrics that are means over classes.
MEANS_OVER_CLASSES: tuple[Metric, ...] = tuple(name for name in METRICS if name != "AUSUC")
