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
from zslcore.evaluation.protocol import Task
from zslcore.exceptions import DatasetError, closest_name
from zslcore.metrics import Average

_BY_SPLIT = tuple(
    Cell(split, split, "zsl", "zsl", "top1_per_class", {"split": split}) for split in ("SS", "PS")
)
_PLAIN = tuple(
    Cell(letter, "PS", "zsl", f"plain_{name}", name)
    for letter, name in (("u", "unseen"), ("s", "seen"), ("H", "harmonic"))
)


def _calibrated(title: str, task: Task, figure: str, calibrated: str) -> Cell:
    where = {"calibrated": calibrated, "lambda_selected_for": task}
    return Cell(title, "PS", task, figure, "harmonic", where)


def _of_crops(title: str, task: Task, figure: str, column: str, average: Average) -> Cell:
    return Cell(
        f"{title} per {average}", "PS", task, figure, f"{column}_per_{average}", average=average
    )


#: What the benchmark paper ran where the defaults here are others: SAE compares in the semantic
#: space, GFZSL keeps the Gaussians of seen classes that were estimated from their images.
_OF_BENCHMARK_PAPER = {"SAE": {"direction": "V2S"}, "GFZSL": {"seen": "estimated"}}
_RESNET = (
    "The paper's figures are of ResNet-101 features of the real images: 'zslcore download xlsa17' "
    "fetches them."
)
_CROPS = (
    "The paper's figures are of features averaged over ten crops, which were not released: "
    "'zslcore extract --crops 10' makes them from the images."
)
_IMAGENET = (
    "The paper's figures are of ResNet-101 features of 14 million images and of word vectors that "
    "the paper's authors have on their page; features of your own lie in shards: 'zslcore "
    "large-scale --shards FOLDER --prototypes FILE'."
)
_VIDEOS = (
    "The paper's figures are of IDT, C3D, I3D and 3D-ResNet features of the real videos, which the "
    "authors of BiDiLEL and of I3D for zero-shot actions have on their pages: 'zslcore import "
    "--pretraining' reads such features."
)

EXPERIMENTS: Mapping[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        StatisticsExperiment(
            "gbu:table1",
            "classes, attributes and images of a data set",
            lacks="The paper counts the real images: 'zslcore download xlsa17' fetches their "
            "features.",
        ),
        RunsExperiment(
            "gbu:table3",
            "ZSL on the standard and on the proposed split",
            "zsl_top1",
            _BY_SPLIT,
            _OF_BENCHMARK_PAPER,
            features="none",
            lacks=_RESNET,
        ),
        FoldsExperiment(
            "gbu:figure3",
            "ZSL with what each validation split chooses",
            "zsl_top1",
            _BY_SPLIT,
            _OF_BENCHMARK_PAPER,
            features="none",
            lacks=_RESNET,
        ),
        RanksExperiment(
            "gbu:figure4",
            "methods ranked by ZSL over data sets and validation splits",
            "zsl_top1",
            _BY_SPLIT,
            _OF_BENCHMARK_PAPER,
            features="none",
            lacks=_RESNET,
        ),
        CrossExperiment("gbu:table4", "trained on AWA1 or AWA2, tested on either", lacks=_RESNET),
        ImagenetExperiment("gbu:table5", "ZSL on the nine ImageNet test sets", lacks=_IMAGENET),
        ImagenetExperiment(
            "gbu:figure5",
            "ZSL on the nine ImageNet test sets: top 1, 5 and 10",
            ks=(1, 5, 10),
            lacks=_IMAGENET,
        ),
        RunsExperiment(
            "gbu:table6",
            "GZSL without calibration: u, s and H",
            "gzsl_ps",
            _PLAIN,
            _OF_BENCHMARK_PAPER,
            features="none",
            lacks=_RESNET,
        ),
        ImagenetExperiment(
            "gbu:figure6",
            "GZSL on the nine ImageNet test sets: top 1, 5 and 10",
            "gzsl",
            (1, 5, 10),
            lacks=_IMAGENET,
        ),
        RanksExperiment(
            "gbu:figure7",
            "methods ranked by u, s and H over data sets",
            "gzsl_ps",
            _PLAIN,
            _OF_BENCHMARK_PAPER,
            by_fold=False,
            features="none",
            lacks=_RESNET,
        ),
        TransductionExperiment(
            "gbu:figure8",
            "what unlabelled test images add",
            {
                "DSRL": ("DSRL", {}),
                "GFZSL-tran": ("GFZSL-tran", {}),
                "ALE-tran": ("Propagation", {"base": "ALE"}),
            },
            {"ZSL": "zsl", "H": "plain_harmonic"},
            lacks=_RESNET,
        ),
        PathExperiment("cal:figure1", "accuracies over the regularisation λ", lacks=_RESNET),
        PartsExperiment("cal:figure2", "images that train, validate and test"),
        ErrorExperiment(
            "cal:figure3", "error of predicted attributes over λ, and its parts", lacks=_RESNET
        ),
        RunsExperiment(
            "cal:table1",
            "ZSL on the standard and on the proposed split, five seeds",
            "calibration_zsl_top1",
            _BY_SPLIT,
            lacks=_RESNET,
        ),
        RunsExperiment(
            "cal:table2",
            "H without calibration, with it, and with lambda chosen for GZSL too",
            "calibration_gzsl_harmonic",
            (
                _calibrated("H plain", "zsl", "plain_harmonic", "no"),
                _calibrated("H calibrated", "zsl", "calibrated_harmonic", "yes"),
                _calibrated("H calibrated, for GZSL", "gzsl", "calibrated_harmonic", "yes"),
            ),
            lacks=_RESNET,
        ),
        RunsExperiment(
            "cal:table3",
            "both tasks with ten-crop features, per class and per sample",
            "calibration_10crop",
            (
                _of_crops("ZSL", "zsl", "zsl", "zsl", "class"),
                _of_crops("ZSL", "zsl", "zsl", "zsl", "sample"),
                _of_crops("H calibrated", "gzsl", "calibrated_harmonic", "harmonic", "class"),
                _of_crops("H calibrated", "gzsl", "calibrated_harmonic", "harmonic", "sample"),
            ),
            lacks=_CROPS,
        ),
        VideoSplitsExperiment("fair:table2", "classes of the controlled splits of videos"),
        ConfigurationsExperiment("fair:table3", "what each experiment on videos pairs"),
        *(
            GainExperiment(
                f"fair:figure{number}",
                f"what known actions gain, {name}",
                (name,),
                lacks=_VIDEOS,
            )
            for number, name in enumerate(("OS1", "OS2", "OS3", "OS4"), 2)
        ),
        SplitsExperiment(
            "fair:table4",
            "BiDiLEL on released and on controlled splits",
            ("OS2", "OS4"),
            lacks=_VIDEOS,
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

    Raises DatasetError for a table or figure that cannot be computed, with the reason;
    UnknownNameError for another name; names the nearest one.
    """
    if name in NOT_COMPUTED:
        raise DatasetError(f"{name} cannot be computed: {NOT_COMPUTED[name]}")
    if name not in EXPERIMENTS:
        raise closest_name("experiment", name, EXPERIMENTS)
    return EXPERIMENTS[name]
