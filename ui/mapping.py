"""Maps as work for :mod:`ui.jobs`: what asks for one, makes it and reads it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ui.jobs import Work
from zslcore.analysis.embedding import METHOD_NAMES, EmbeddedMap, MapSettings, make_map, map_key
from zslcore.datasets import ZSLDataset, load

if TYPE_CHECKING:
    from ui.job_child import Report

__all__ = ["embed", "map_work", "read_map"]

_FILE = "map.npz"


def map_work(datasets: Sequence[ZSLDataset], settings: MapSettings) -> Work:
    """Return the work that maps one data set, or two together."""
    names = [dataset.name for dataset in datasets]
    return Work(
        f"{METHOD_NAMES[settings.method]} of {' and '.join(names)}",
        "map",
        {
            "datasets": names,
            "settings": settings.to_json(),
            "map": map_key(datasets, settings),  # content of the data, versions of libraries
        },
        threads=settings.threads,
    )


def embed(
    folder: Path,
    report: Report,
    *,
    datasets: Sequence[str],
    settings: str,
    map: str,  # noqa: A002 - the name of the argument in the work
) -> None:
    """Make a map; coordinates are shown as they move."""

    def tell(done: int, total: int, stage: str) -> None:
        report(done, total, f"{stage}: {done:,} of {total:,}" if total else stage, stage)

    report(0, 0, "Opening the data")
    made = make_map(
        [load(name) for name in datasets],
        MapSettings.from_json(settings),
        on_progress=tell,
        on_picture=lambda Y: report.preview(lambda: {"coordinates": Y.astype(np.float32)}),
    )
    made.save(folder / _FILE, map)


def read_map(folder: Path, key: str) -> EmbeddedMap:
    """Read what :func:`embed` wrote; ``key`` is the ``map`` of its arguments."""
    return EmbeddedMap.load(folder / _FILE, key)
