"""A small study of every kind, computed without a worker process."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.historic_results.make import tiny
from zslcore.analysis.actions import CONFIGURATIONS, ActionSpec, feature_sets, simulated_sets
from zslcore.analysis.comparison import ComparisonSpec, ComparisonStudy
from zslcore.analysis.cross_dataset import CrossStudy
from zslcore.analysis.maps.layout import MapSettings
from zslcore.analysis.maps.map import MapStudy
from zslcore.analysis.overlap import OverlapStudy
from zslcore.analysis.regularization import GridPredictionsStudy
from zslcore.analysis.study import RunStudy, SpecStudy, Study
from zslcore.analysis.transduction import TransductionStudy
from zslcore.datasets import import_dataset, load
from zslcore.evaluation.specs import RunSpec
from zslcore.jobs.studies import STUDIES


class RecordedProgress(list):
    """A progress report that stores its calls."""

    def __init__(self):
        super().__init__()
        self.pictures = []

    def __call__(self, *line):
        self.append(line)

    def preview(self, draw):
        self.pictures.append(draw()["coordinates"])


def computed(study, folder):
    """Return the result of a study as written by a worker and read by a page, and the progress."""
    folder.mkdir(exist_ok=True)
    events = RecordedProgress()
    type(study).compute_into(folder, events, **study.arguments)
    return study.read(folder), events


def import_small():
    """Import the data sets of the small studies."""
    for data in (ONE, TWO):
        import_dataset(data)


def small_actions(n_draws=1):
    """Return the specification of a study of HMDB51 with two extractors."""
    configuration = CONFIGURATIONS["OS4"]
    names = [
        simulated_set.dataset for simulated_set in simulated_sets(configuration, ["idt", "sports"])
    ]
    sets = feature_sets(configuration, {name: load(name) for name in names})
    return ActionSpec("OS4", sets, ("LinearS2V",), n_draws=n_draws)


def small_study(kind):
    """Return a study that takes less than a second or two."""
    return SMALL[kind].make()


ONE, TWO = tiny("tiny", 0), tiny("tiny-other", 1)
ABOUT = {"dataset": "tiny", "split": "PS", "digest": ONE.digest}
LAYOUT = MapSettings("pca", n_components=3, n_samples=None, threads=1)
PROPAGATED = {"base": "ESZSL", "k": 5}


@dataclass(frozen=True)
class Small:
    """A small study, its methods, and another grid of the first method if its key has one."""

    make: Callable[[], Study]
    methods: Sequence[str]
    grid: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


#: The small study of every kind; a study of one spec needs no entry.
SMALL = {
    "run": Small(
        lambda: RunStudy.of(RunSpec(method="ALE", params={"epochs": 2}, **ABOUT), ONE),
        ["ALE"],
        {"epochs": (7,)},
    ),
    "cross": Small(
        lambda: CrossStudy.of(ONE, TWO, "PS", ["ESZSL", "LinearV2S"]),
        ["ESZSL", "LinearV2S"],
        {"lam": (7.0,)},
    ),
    "map": Small(lambda: MapStudy.of([ONE, TWO], LAYOUT), []),
    "overlap_study": Small(
        lambda: OverlapStudy.of([ONE, TWO], ["ESZSL", "LinearS2V"], [0, 2, 4, 6], 3),
        ["ESZSL", "LinearS2V"],
    ),
    "transduction": Small(
        lambda: TransductionStudy(method="Propagation", params=PROPAGATED, **ABOUT),
        ["ESZSL", "Propagation"],
        {"lam": (7.0,)},
    ),
    "compare": Small(
        lambda: ComparisonStudy(
            ComparisonSpec({"tiny": ONE.digest}, ("PS",), ("LinearV2S", "LinearS2V"))
        ),
        ["LinearV2S", "LinearS2V"],
        {"lam": (7.0,)},
    ),
    "answers_along": Small(
        lambda: GridPredictionsStudy(RunSpec(method="SAE", **ABOUT)), ["SAE"], {"lam": (7.0,)}
    ),
}
SMALL |= {
    kind: Small(lambda study=study: study(RunSpec(method="ESZSL", **ABOUT)), ["ESZSL"])
    for kind, study in STUDIES.items()
    if kind not in SMALL and issubclass(study, SpecStudy)
}
