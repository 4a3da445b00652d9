"""Write ``data/results/jobs`` again: the results of long work that pages open with.

    python -m tools.shipped_jobs

Every study is what a view, or a tab of it, asks for before a visitor has chosen anything. They take
some minutes; what is there already has the same key, and stays.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from zslcore import jobs
from zslcore.analysis.actions import (
    CONFIGURATIONS,
    DRAWS,
    USUAL_METHODS,
    ActionSpec,
    ActionStudy,
    usual_sets,
)
from zslcore.analysis.cross_dataset import CrossStudy
from zslcore.analysis.maps import MapSettings, MapStudy
from zslcore.analysis.overlap import GAIN_METHODS, UNTRAINED, OverlapStudy
from zslcore.analysis.study import SHIPPED, Study, is_intact
from zslcore.analysis.transduction import TransductionStudy
from zslcore.datasets import ZSLDataset, load
from zslcore.datasets.facts import action_facts, recognise_actions
from zslcore.jobs.runner import PREVIEW
from zslcore.leakage import AuditContext, get_vocabulary
from zslcore.leakage.counts import overlap_table

#: Bytes that one result may take.
MOST = 5 << 18
CROSSED = ("LinearV2S", "LinearS2V", "ESZSL", "SAE", "GFZSL")
#: Closed forms of the lesson on AWA1 and AWA2.
TAUGHT = ("LinearV2S", "LinearS2V", "ESZSL")
PAIR = ("simulated-AWA1", "simulated-AWA2")


def main() -> None:
    """Make and copy what is missing, and remove all others."""
    wanted = {study.key: study for study in shipped_studies()}
    for key, study in wanted.items():
        if not is_intact(SHIPPED / key):
            shutil.rmtree(SHIPPED / key, ignore_errors=True)
            _copy(_made(study), SHIPPED / key)
    for old in SHIPPED.iterdir():
        if old.name not in wanted:
            shutil.rmtree(old)


def _made(study: Study[Any]) -> Path:
    """Return the folder of a finished study."""
    if jobs.finished(study) is None:
        jobs.submit(study)
        jobs.wait(study.key, 3600)
    folder = jobs.finished(study)
    if folder is None:
        raise RuntimeError(f"{study.title}: expected a result; got none.")
    return folder


def _copy(folder: Path, target: Path) -> None:
    size = sum(path.stat().st_size for path in folder.iterdir() if path.name != PREVIEW)
    sys.stderr.write(f"{folder.name}: {size:,} bytes\n")
    if size > MOST:
        raise RuntimeError(f"{folder.name}: expected at most {MOST:,} bytes; got {size:,}.")
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns(".*", PREVIEW))


def shipped_studies() -> Iterator[Study[Any]]:
    """Yield the studies whose results come with the package."""
    first, second = map(load, PAIR)
    for method in ("tsne", "umap"):
        yield MapStudy.of([first, second], MapSettings(method, n_samples=2000, threads=2))
    yield CrossStudy.of(first, second, "PS", CROSSED)
    for pair in (PAIR, tuple(f"{name}-unplanted" for name in PAIR)):
        yield CrossStudy.of(load(pair[0]), load(pair[1]), "PS", TAUGHT)
    digest = load("digits").digest
    for base in ("ESZSL", "LinearS2V"):
        yield TransductionStudy("digits", "PS", "Propagation", {"base": base}, digest=digest)
    for name, baseline in UNTRAINED.items():
        data = load(name)
        yield OverlapStudy.of([data, load(baseline)], GAIN_METHODS, known_classes(data), DRAWS)
    yield study_of_actions()


def known_classes(dataset: ZSLDataset) -> list[int]:
    """Return the classes that the extractor of simulated data knows.

    Those of actions are as FAIR annotates them, others are certain to be in ImageNet-1K.
    """
    if (actions := recognise_actions(dataset.class_names)) is not None:
        return np.flatnonzero(action_facts(actions).overlapping["Kinetics-400"]).tolist()
    context = AuditContext.of_dataset(dataset, next(iter(dataset.splits.values())))
    table = overlap_table(context, get_vocabulary("imagenet-1k"), range(dataset.n_classes))
    return sorted(int(c) for c in table["number"][table["strength"] == "strong"])


def study_of_actions() -> ActionStudy:
    """Return the study of the first configuration, as the page opens with it."""
    name, configuration = next(iter(CONFIGURATIONS.items()))
    sets = usual_sets(configuration)
    spec = ActionSpec(name, sets, USUAL_METHODS, "paper", ("controlled",), DRAWS)
    datasets = {each.dataset: load(each.dataset) for each in sets}
    return ActionStudy.of(spec, datasets)


if __name__ == "__main__":
    main()
