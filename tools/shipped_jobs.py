"""Write ``data/results/jobs`` again: results of the studies that pages open with.

    python -m tools.shipped_jobs

The study over 30 draws of test classes, with the planted effect and without, and that of actions.
They take some minutes. Results of these studies of other revisions are removed.
"""

from __future__ import annotations

import shutil

from zslcore import jobs
from zslcore.analysis.action_sets import USUAL_METHODS, usual_sets
from zslcore.analysis.actions import CONFIGURATIONS, DRAWS, ActionSpec
from zslcore.datasets import ZSLDataset, load
from zslcore.jobs import Work, actions, draws
from zslcore.jobs.runner import SHIPPED, verified
from zslcore.leakage import AuditContext, get_vocabulary
from zslcore.leakage.leaks import overlap_table

METHODS = ("LinearS2V",)
#: Data sets of the study over draws: with the planted effect, and without.
STUDIED = ("simulated-AWA2", "simulated-AWA2-unplanted")


def main() -> None:
    """Make the results and copy them."""
    made = {}
    for work in shipped_works():
        jobs.submit(work)
        jobs.wait(work.key, 3600)
        folder = jobs.finished(work)
        if folder is None:
            raise RuntimeError(f"{work.title}: expected a result; got none.")
        made[work.key] = folder
    for old in SHIPPED.glob("*"):
        if old.name not in made and verified(old)["function"] in (draws.NAME, actions.NAME):
            shutil.rmtree(old)
    for key, folder in made.items():
        if folder != SHIPPED / key:
            shutil.copytree(folder, SHIPPED / key, dirs_exist_ok=True)


def shipped_works() -> list[Work]:
    """Return the works whose results come with the package."""
    baseline = load("simulated-AWA2-untrained")
    works = [
        draws.ask([data, baseline], METHODS, known_classes(data), DRAWS)
        for data in map(load, STUDIED)
    ]
    return [*works, study_of_actions()]


def known_classes(dataset: ZSLDataset) -> list[int]:
    """Return the classes of a data set that are certain to be in ImageNet-1K."""
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
