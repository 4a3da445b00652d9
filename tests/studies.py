"""A small study of every kind, and how one is computed without a child."""

from tests.historic_results.make import IDS, tiny
from zslcore.analysis.actions import CONFIGURATIONS, ActionSpec, ActionStudy, simulated_sets
from zslcore.analysis.comparison import ComparisonSpec, ComparisonStudy
from zslcore.analysis.cross_dataset import CrossStudy
from zslcore.analysis.large_scale import LargeScaleStudy
from zslcore.analysis.maps import MapSettings, MapStudy
from zslcore.analysis.overlap import OverlapStudy
from zslcore.analysis.regularization import GridAnswersStudy
from zslcore.analysis.study import RunStudy
from zslcore.analysis.transduction import TransductionStudy
from zslcore.datasets import import_dataset, load
from zslcore.evaluation.specs import RunSpec


class Heard(list):
    """A report that keeps what it receives."""

    def __init__(self):
        super().__init__()
        self.pictures = []

    def __call__(self, *line):
        self.append(line)

    def preview(self, draw):
        self.pictures.append(draw()["coordinates"])


def computed(study, folder):
    """Return the result of a study as a child writes it and a page reads it, and the progress."""
    folder.mkdir(exist_ok=True)
    heard = Heard()
    type(study).work(folder, heard, **study.arguments)
    return study.read(folder), heard


def import_small():
    """Import the data sets of the small studies."""
    for data in (tiny("tiny", 0), tiny("tiny-other", 1), tiny("tiny-ids", 2, IDS)):
        import_dataset(data)


def small_study(kind):
    """Return a study that takes less than a second or two."""
    one, two = tiny("tiny", 0), tiny("tiny-other", 1)
    about = {"dataset": "tiny", "split": "PS", "digest": one.digest}
    layout = MapSettings("pca", n_components=3, n_samples=None, threads=1)
    comparison = ComparisonSpec({"tiny": one.digest}, ("PS",), ("LinearV2S", "LinearS2V"))
    propagated = {"base": "ESZSL", "k": 5}
    return {
        "run": lambda: RunStudy.of(RunSpec(method="ALE", params={"epochs": 2}, **about), one),
        "cross": lambda: CrossStudy.of(one, two, "PS", ["ESZSL", "LinearV2S"]),
        "map": lambda: MapStudy.of([one, two], layout),
        "overlap_study": lambda: OverlapStudy.of(
            [one, two], ["ESZSL", "LinearS2V"], [0, 2, 4, 6], 3
        ),
        "transduction": lambda: TransductionStudy(method="Propagation", params=propagated, **about),
        "compare": lambda: ComparisonStudy(comparison),
        "answers_along": lambda: GridAnswersStudy(RunSpec(method="SAE", **about)),
        "actions": small_actions,
        "large_scale": lambda: LargeScaleStudy(
            "tiny-ids", tiny("tiny-ids", 2, IDS).digest, "ESZSL"
        ),
    }[kind]()


def small_actions(n_draws=1, methods=("LinearS2V",)):
    """Return a study of HMDB51 with two extractors."""
    sets = simulated_sets(CONFIGURATIONS["OS4"], ["idt", "sports"])
    spec = ActionSpec("OS4", sets, tuple(methods), n_draws=n_draws)
    return ActionStudy.of(spec, {each.dataset: load(each.dataset) for each in sets})
