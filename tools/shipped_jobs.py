"""Write ``data/results/jobs`` again: the results of long work that pages open with.

    python -m tools.shipped_jobs

Every work is what a view, or a tab of it, asks for before a visitor has chosen anything. They take
some minutes; what is there already has the same key, and stays.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from zslcore import jobs
from zslcore.analysis.action_sets import USUAL_METHODS, usual_sets
from zslcore.analysis.actions import CONFIGURATIONS, DRAWS, ActionSpec
from zslcore.analysis.class_gains import METHODS as GAIN_METHODS
from zslcore.analysis.class_gains import WITHOUT
from zslcore.analysis.large_scale import LargeScaleSpec
from zslcore.analysis.maps import MapSettings
from zslcore.analysis.regularization import RegularizationSpec
from zslcore.analysis.transduction import TransductionSpec
from zslcore.datasets import ZSLDataset, load
from zslcore.datasets.action_facts import action_facts, recognise_actions
from zslcore.datasets.imagenet_simulated import SIMULATED_IMAGENET
from zslcore.jobs import (
    Work,
    actions,
    cross,
    draws,
    embed,
    follow,
    large_scale,
    take_apart,
    transduce,
)
from zslcore.jobs.runner import PREVIEW, SHIPPED, is_intact
from zslcore.leakage import AuditContext, get_vocabulary
from zslcore.leakage.leaks import overlap_table

#: Bytes that one result may take.
MOST = 5 << 18
CROSSED = ("LinearV2S", "LinearS2V", "ESZSL", "SAE", "GFZSL")
#: Closed forms of the lesson on AWA1 and AWA2.
TAUGHT = ("LinearV2S", "LinearS2V", "ESZSL")
#: Values of a regulariser at which errors are decomposed.
VALUES = 9
PAIR = ("simulated-AWA1", "simulated-AWA2")


def main() -> None:
    """Make and copy what is missing, and remove all others."""
    wanted = {work.key: work for work in shipped_works()}
    for key, work in wanted.items():
        if not is_intact(SHIPPED / key):
            shutil.rmtree(SHIPPED / key, ignore_errors=True)
            _copy(_made(work), SHIPPED / key)
    for old in SHIPPED.iterdir():
        if old.name not in wanted:
            shutil.rmtree(old)


def _made(work: Work) -> Path:
    """Return the folder of a finished work."""
    if jobs.finished(work) is None:
        jobs.submit(work)
        jobs.wait(work.key, 3600)
    folder = jobs.finished(work)
    if folder is None:
        raise RuntimeError(f"{work.title}: expected a result; got none.")
    return folder


def _copy(folder: Path, target: Path) -> None:
    size = sum(path.stat().st_size for path in folder.iterdir() if path.name != PREVIEW)
    sys.stderr.write(f"{folder.name}: {size:,} bytes\n")
    if size > MOST:
        raise RuntimeError(f"{folder.name}: expected at most {MOST:,} bytes; got {size:,}.")
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns(".*", PREVIEW))


def shipped_works() -> Iterator[Work]:
    """Yield the works whose results come with the package."""
    first, second = map(load, PAIR)
    for method in ("tsne", "umap"):
        yield embed.ask([first, second], MapSettings(method, n_samples=2000, threads=2))
    yield cross.ask(first, second, "PS", CROSSED)
    for pair in (PAIR, tuple(f"{name}-unplanted" for name in PAIR)):
        yield cross.ask(load(pair[0]), load(pair[1]), "PS", TAUGHT)
    yield from works_on_digits()
    for name, baseline in WITHOUT.items():
        data = load(name)
        yield draws.ask([data, load(baseline)], GAIN_METHODS, known_classes(data), DRAWS)
    yield study_of_actions()
    imagenet = load(SIMULATED_IMAGENET[0])
    spec = LargeScaleSpec(imagenet.name, imagenet.digest, "ESZSL")
    yield large_scale.ask(spec, images=False)


def works_on_digits() -> Iterator[Work]:
    """Yield a path with its bias and variance, and two transductive comparisons."""
    about = {"dataset": "digits", "split": "PS", "digest": load("digits").digest}
    variant = {"direction": "S2V", "rows": "learned"}
    path = RegularizationSpec(**about, method="SAE", parameter="lam", params=variant)
    yield follow.ask(path)
    given = RegularizationSpec(
        **about, method="SAE", parameter="lam", params=variant, choose=False, n_values=VALUES
    )
    yield take_apart.ask(given)
    for base in ("ESZSL", "LinearS2V"):
        yield transduce.ask(TransductionSpec(**about, method="Propagation", params={"base": base}))


def known_classes(dataset: ZSLDataset) -> list[int]:
    """Return the classes that the extractor of simulated data knows.

    Those of actions are as FAIR annotates them, others are certain to be in ImageNet-1K.
    """
    if (actions := recognise_actions(dataset.class_names)) is not None:
        return np.flatnonzero(action_facts(actions).overlapping["Kinetics-400"]).tolist()
    context = AuditContext.of_dataset(dataset, next(iter(dataset.splits.values())))
    table = overlap_table(context, get_vocabulary("imagenet-1k"), range(dataset.n_classes))
    return sorted(int(c) for c in table["number"][table["strength"] == "strong"])


def study_of_actions() -> Work:
    """Return the study of the first configuration, as the page opens with it."""
    name, configuration = next(iter(CONFIGURATIONS.items()))
    sets = usual_sets(configuration)
    spec = ActionSpec(name, sets, USUAL_METHODS, "paper", ("controlled",), DRAWS)
    datasets = {each.dataset: load(each.dataset) for each in sets}
    return actions.ask(spec, datasets)


if __name__ == "__main__":
    main()
