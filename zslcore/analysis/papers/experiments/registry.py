"""Every table and figure that can be computed, and why the others cannot.

References
----------
gbu: Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of
the good, the bad and the ugly", TPAMI 2019. cal: Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From
classical to generalized zero-shot learning: a simple adaptation process", MMM 2019. fair: K. Huang,
S. J. Delany, S. McKeever, "Fairer evaluation of zero shot action recognition in videos", VISAPP
2021.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from zslcore.analysis.papers.experiments.actions import GainExperiment, SplitsExperiment
from zslcore.analysis.papers.experiments.counts import (
    ConfigurationsExperiment,
    PartsExperiment,
    StatisticsExperiment,
    VideoSplitsExperiment,
)
from zslcore.analysis.papers.experiments.experiment import Experiment
from zslcore.analysis.papers.experiments.rows import (
    CrossExperiment,
    ErrorExperiment,
    ImagenetExperiment,
    PathExperiment,
    TransductionExperiment,
)
from zslcore.analysis.papers.experiments.runs import (
    Cell,
    FoldsExperiment,
    RanksExperiment,
    RunsExperiment,
)
from zslcore.exceptions import DatasetError, closest_name

R = TypeVar("R", bound=RunsExperiment)

_BY_SPLIT = tuple(Cell(split, split, "zsl", "zsl") for split in ("SS", "PS"))
_PLAIN = tuple(Cell(figure, "PS", "zsl", figure) for figure in ("u", "s", "H"))


def _benchmark(kind: type[R], *table: Any, **options: Any) -> R:
    """Return runs as the benchmark paper made them, where the defaults here are others.

    SAE compares in the semantic space, GFZSL keeps the Gaussians estimated from images.
    """
    params = {"SAE": {"direction": "V2S"}, "GFZSL": {"seen": "estimated"}}
    return kind(*table, **options, params=params, features="none")


EXPERIMENTS: Mapping[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        StatisticsExperiment(
            "gbu:table1",
            "classes, attributes and images of a data set",
            lacks="The paper counts the real images: 'zslcore download xlsa17' fetches their "
            "features.",
        ),
        _benchmark(
            RunsExperiment,
            "gbu:table3",
            "ZSL on the standard and on the proposed split",
            "GBU 3",
            _BY_SPLIT,
        ),
        _benchmark(
            FoldsExperiment,
            "gbu:figure3",
            "ZSL with what each validation split chooses",
            "GBU 3",
            _BY_SPLIT,
        ),
        _benchmark(
            RanksExperiment,
            "gbu:figure4",
            "methods ranked by ZSL over data sets and validation splits",
            "GBU 3",
            _BY_SPLIT,
        ),
        CrossExperiment("gbu:table4", "trained on AWA1 or AWA2, tested on either"),
        ImagenetExperiment("gbu:table5", "ZSL on the nine ImageNet test sets"),
        ImagenetExperiment(
            "gbu:figure5", "ZSL on the nine ImageNet test sets: top 1, 5 and 10", ks=(1, 5, 10)
        ),
        _benchmark(
            RunsExperiment, "gbu:table6", "GZSL without calibration: u, s and H", "GBU 6", _PLAIN
        ),
        ImagenetExperiment(
            "gbu:figure6",
            "GZSL on the nine ImageNet test sets: top 1, 5 and 10",
            "gzsl",
            (1, 5, 10),
        ),
        _benchmark(
            RanksExperiment,
            "gbu:figure7",
            "methods ranked by u, s and H over data sets",
            "GBU 6",
            _PLAIN,
            by_fold=False,
        ),
        TransductionExperiment(
            "gbu:figure8",
            "what unlabelled test images add",
            {"DSRL": "DSRL", "GFZSL-tran": "GFZSL-tran", "ALE-tran": "Propagation"},
            {"ZSL": "zsl", "H": "plain_harmonic"},
            params={"ALE-tran": {"base": "ALE"}},
        ),
        PathExperiment("cal:figure1", "accuracies over the regularisation λ"),
        PartsExperiment("cal:figure2", "images that train, validate and test"),
        ErrorExperiment("cal:figure3", "error of predicted attributes over λ, and its parts"),
        RunsExperiment(
            "cal:table1",
            "ZSL on the standard and on the proposed split, five seeds",
            "CAL 1",
            _BY_SPLIT,
        ),
        RunsExperiment(
            "cal:table2",
            "H without calibration, with it, and with lambda chosen for GZSL too",
            "CAL 2",
            (
                Cell("H plain", "PS", "zsl", "H"),
                Cell("H calibrated", "PS", "zsl", "H at gamma"),
                Cell("H calibrated, for GZSL", "PS", "gzsl", "H at gamma"),
            ),
        ),
        RunsExperiment(
            "cal:table3",
            "both tasks with ten-crop features, per class and per sample",
            "CAL 3",
            (
                Cell("ZSL per class", "PS", "zsl", "zsl"),
                Cell("ZSL per sample", "PS", "zsl", "zsl per sample"),
                Cell("H calibrated per class", "PS", "gzsl", "H at gamma"),
                Cell("H calibrated per sample", "PS", "gzsl", "H per sample"),
            ),
            lacks="The paper's figures are of features averaged over ten crops, which were not "
            "released: 'zslcore extract --crops 10' makes them from the images.",
        ),
        VideoSplitsExperiment("fair:table2", "classes of the controlled splits of videos"),
        ConfigurationsExperiment("fair:table3", "what each experiment on videos pairs"),
        *(
            GainExperiment(f"fair:figure{number}", f"what known actions gain, {name}", (name,))
            for number, name in enumerate(("OS1", "OS2", "OS3", "OS4"), 2)
        ),
        SplitsExperiment(
            "fair:table4", "BiDiLEL on released and on controlled splits", ("OS2", "OS4")
        ),
    )
}

_DRAWING = "it is a drawing without figures."
#: Why other tables and figures cannot be computed.
NOT_COMPUTED: Mapping[str, str] = {
    "gbu:table2": "its features are those of the methods' own papers, which lie on their authors' "
    "pages.",
    "gbu:figure1": _DRAWING,
    "gbu:figure2": "it is a map of features: the page AWA1 and AWA2 draws it.",
    "fair:table1": "it lists papers: 'zslcore contamination' says what their extractors have seen.",
    "fair:figure1": _DRAWING,
}


def get_experiment(name: str) -> Experiment:
    """Return the experiment called ``name``.

    Raises DatasetError with the reason for one that cannot be computed, else UnknownNameError.
    """
    if name in NOT_COMPUTED:
        raise DatasetError(f"{name} cannot be computed: {NOT_COMPUTED[name]}")
    if name not in EXPERIMENTS:
        raise closest_name("experiment", name, EXPERIMENTS)
    return EXPERIMENTS[name]
