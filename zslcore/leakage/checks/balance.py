"""ZSL011: classes with so few test images that their accuracy means little."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from zslcore.leakage.context import TEST_PARTS, AuditContext
from zslcore.leakage.evidence import Evidence
from zslcore.leakage.report import Finding, Severity
from zslcore.metrics import accuracy_interval

__all__ = ["few_test_images"]


def few_test_images(context: AuditContext) -> Iterator[Finding]:
    """ZSL011: test classes with few images, and the interval that such an accuracy has."""
    labels, limit = context.known_labels, context.thresholds.images
    for part in TEST_PARTS:
        classes, counts = np.unique(labels[context.rows(part)], return_counts=True)
        few = counts < limit
        if not few.any():
            continue
        names = context.names(classes[few])
        width = {n: round(_width(n), 3) for n in np.unique(counts[few]).tolist()}
        table = [(name, n, width[int(n)]) for name, n in zip(names, counts[few], strict=True)]
        columns = ("class", "images", "width of the 95 % interval at half right")
        message = (
            f"Fewer than {limit} images in {part}: {few.sum()} of {len(classes)} classes "
            f"(smallest {counts.min()})."
        )
        advice = "Read the mean over classes, with an interval, not single classes."
        yield Finding(
            "ZSL011", Severity.WARN, message, advice, (Evidence.of("Classes", columns, table),),
            classes=names, figures={"classes": int(few.sum()), "smallest": int(counts.min())},
        )  # fmt: skip


def _width(n: int) -> float:
    """Width of the exact binomial interval when half of ``n`` images are right."""
    low, high = accuracy_interval(round(n / 2), n)
    return high - low
