"""Maps as jobs: one data set, or two together, laid out in the plane."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zslcore.analysis.maps import METHOD_NAMES, EmbeddedMap, MapSettings, make_map, map_key
from zslcore.datasets import ZSLDataset, load
from zslcore.jobs.runner import MANIFEST, SHIPPED, shipped
from zslcore.jobs.work import Work

if TYPE_CHECKING:
    from zslcore.jobs.child import Report

__all__ = ["NAME", "REVISION", "ask", "do", "read"]

NAME = "map"
#: Counted up when the same arguments leave another result than before.
REVISION = 1
_FILE = "map.npz"


def ask(datasets: Sequence[ZSLDataset], settings: MapSettings) -> Work:
    """Return the work that maps one data set, or two together.

    The versions of libraries are part of its key. Only a map that comes with the package answers
    whatever is installed: it names the versions that made it.
    """
    work = _asked(datasets, settings, map_key(datasets, settings))
    if shipped(work.key) is None:
        digests = tuple(dataset.digest for dataset in datasets)
        if key := _shipped_maps().get((digests, settings.layout)):
            theirs = _asked(datasets, settings, key)
            return theirs if shipped(theirs.key) else work
    return work


def _asked(datasets: Sequence[ZSLDataset], settings: MapSettings, key: str) -> Work:
    names = [dataset.name for dataset in datasets]
    return Work(
        f"{METHOD_NAMES[settings.method]} of {' and '.join(names)}",
        NAME,
        {
            "datasets": names,
            "settings": settings.to_json(),
            "map": key,  # content of the data, versions of libraries
        },
        threads=settings.threads,
        made_by={"revision": REVISION},
    )


@cache
def _shipped_maps() -> dict[tuple[tuple[str, ...], str], str]:
    """Return the keys of the package's maps, by digests of the data and what lays them out."""
    found = {}
    for file in sorted(SHIPPED.glob(f"*/{_FILE}")):
        work = json.loads((file.parent / MANIFEST).read_text(encoding="utf-8"))["settings"]
        one = EmbeddedMap.load(file)
        found[one.digests, one.settings.layout] = str(work["arguments"]["map"])
    return found


def do(
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


def read(folder: Path, work: Work) -> EmbeddedMap:
    """Read what :func:`do` wrote."""
    return EmbeddedMap.load(folder / _FILE, work.arguments["map"])
