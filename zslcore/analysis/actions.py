"""Experiments of the paper on fairer evaluation of action recognition: splits, methods, settings.

A configuration pairs a data set with the pre-training set of an extractor. Test classes are drawn
thirty times: half from the classes in the pre-training set (OUC), half from all other classes
(TUC). The gain is the relative difference of the accuracies on OUC and TUC; the gain with the
extractor's features is compared with the gain with baseline features, which are not pre-trained.
Earlier papers released 50 random splits, of which the paper uses 30: the first 30 have the share of
overlapping classes that the paper states, and are used here. Methods of the paper have the
parameters that it takes from the original papers; all other methods have their defaults.

References
----------
K. Huang, S. J. Delany, S. McKeever, "Fairer evaluation of zero shot action recognition in videos",
VISAPP 2021, tables 2 and 3, section 4.3. Q. Wang, K. Chen, "Zero-shot visual recognition via
bidirectional latent embedding", IJCV 2017 (the released splits).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from zslcore.analysis.overlap import Draw, draw_accuracies, fair_draws
from zslcore.analysis.study import RecordStudy, Rows
from zslcore.datasets import ZSLDataset
from zslcore.datasets.facts import action_facts, published_table, recognise_actions
from zslcore.datasets.simulated_actions import EXTRACTORS, action_name
from zslcore.evaluation import protocol
from zslcore.exceptions import DatasetError, ParameterError, require_known
from zslcore.methods import METHODS, get_method
from zslcore.methods.base import ZSLEstimator
from zslcore.progress import Progress
from zslcore.results.shipped import cached_dataset
from zslcore.storage.records import Schema

#: Number of draws in the paper.
DRAWS = 30
#: Methods that the paper also fits on the splits released by the authors of BiDiLEL.
ON_RELEASED = ("BiDiLEL",)

Semantics = Literal["attributes", "word2vec"]
Splits = Literal["controlled", "released"]

#: Columns of a study, with one row per draw, feature set, method and test class.
ACTION_COLUMNS = (
    "splits",
    "draw",
    "features",
    "semantics",
    "method",
    "class",
    "overlapping",
    "images",
    "accuracy",
)

#: Number of videos in a mini-batch of LATEM.
BATCH = 64
#: Methods of the paper with the parameters of its section 4.3. In the paper, a step of LATEM uses
#: one video and one random class; here it uses the mean over 64 videos at 64 times the learning
#: rate, so that each video has the same weight. The paper does not state the stopping rule of SYNC.
PAPER: Mapping[str, ZSLEstimator] = MappingProxyType(
    {
        "CONSE": get_method("CONSE")(C=0.1, T=5),
        "BiDiLEL": get_method("BiDiLEL")(alpha=10.0, k=10, n_components=150),
        "LATEM": get_method("LATEM")(
            learning_rate=0.1 * BATCH,
            epochs=150,
            n_matrices=10,
            violators="one",
            batch_size=BATCH,
        ),
        "SYNC ovo": get_method("SYNC")(lam=2.0**-10, sigma=1.0, loss="ovo", tol=1e-2),
        "SYNC struct": get_method("SYNC")(lam=2.0**-10, sigma=1.0, loss="struct", tol=1e-2),
    }
)


# --- Configurations and draws ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Configuration:
    """A data set, a pre-training set, and the numbers of classes in a draw."""

    name: str
    dataset: str
    pretraining: str
    n_train: int
    n_ouc: int
    n_tuc: int

    @property
    def overlapping(self) -> np.ndarray:
        """Whether each class is in the pre-training set, as the paper annotates it."""
        return action_facts(self.dataset).overlapping[self.pretraining]

    @property
    def semantics(self) -> tuple[Semantics, ...]:
        """Kinds of prototypes; HMDB51 has no published attributes."""
        kinds: tuple[Semantics, ...] = get_args(Semantics)
        return kinds if action_facts(self.dataset).attributes is not None else kinds[1:]


def _configurations() -> dict[str, Configuration]:
    return {
        row["configuration"]: Configuration(
            name=row["configuration"],
            dataset=row["dataset"],
            pretraining=row["pretraining"],
            n_train=int(row["train_classes"]),
            n_ouc=int(row["test_overlapping"]),
            n_tuc=int(row["test_non_overlapping"]),
        )
        for row in published_table("action_splits").to_dict("records")
    }


#: Configurations of the paper's table 2, by name.
CONFIGURATIONS: Mapping[str, Configuration] = MappingProxyType(_configurations())


def controlled_draws(
    configuration: Configuration, *, n_draws: int = DRAWS, seed: int = 0
) -> tuple[Draw, ...]:
    """Draw splits with the paper's numbers of training classes, OUC and TUC."""
    return fair_draws(
        configuration.overlapping,
        n_ouc=configuration.n_ouc,
        n_tuc=configuration.n_tuc,
        n_train=configuration.n_train,
        n_draws=n_draws,
        seed=seed,
    )


def released_draws(configuration: Configuration, *, n_draws: int = DRAWS) -> tuple[Draw, ...]:
    """Return the first ``n_draws`` released splits; ParameterError if fewer were released."""
    released = action_facts(configuration.dataset).released
    if not 1 <= n_draws <= len(released):
        raise ParameterError(
            f"{configuration.dataset}: expected 1 to {len(released)} released splits; "
            f"got {n_draws}."
        )
    overlapping = configuration.overlapping
    return tuple(
        Draw(
            np.setdiff1d(np.arange(len(overlapping)), test),
            test[overlapping[test]],
            test[~overlapping[test]],
        )
        for test in released[:n_draws]
    )


# --- The specification ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FeatureSet:
    """Features with one kind of prototypes; ``features`` is the name without the kind."""

    features: str
    semantics: Semantics
    dataset: str
    digest: str = ""


def simulated_sets(
    configuration: Configuration,
    extractors: Sequence[str] = tuple(EXTRACTORS),
    *,
    planted: bool = True,
) -> tuple[FeatureSet, ...]:
    """Return the simulated sets: every extractor with every kind of prototypes."""
    return tuple(
        FeatureSet(
            key,
            semantics,
            action_name(
                configuration.dataset, key, vectors=semantics == "word2vec", planted=planted
            ),
        )
        for semantics in configuration.semantics
        for key in extractors
    )


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """Specification of a study: everything that its results depend on, except the code.

    ``methods`` are keys of :data:`PAPER`, or names of other methods, which get default parameters.
    Released splits are used with the methods of :data:`ON_RELEASED` only.
    """

    configuration: str
    sets: tuple[FeatureSet, ...]
    methods: tuple[str, ...]
    splits: tuple[Splits, ...] = ("controlled",)
    n_draws: int = DRAWS
    seed: int = 0

    def __post_init__(self) -> None:
        require_known("configuration", self.configuration, CONFIGURATIONS)
        for splits in self.splits:
            require_known("splits", splits, get_args(Splits))
        for method in self.methods:
            estimator_for(method)

    @property
    def setting(self) -> Configuration:
        """The configuration with this name."""
        return CONFIGURATIONS[self.configuration]

    def draws(self, splits: Splits) -> tuple[Draw, ...]:
        """Return the draws of one kind of splits."""
        if splits == "released":
            return released_draws(self.setting, n_draws=self.n_draws)
        return controlled_draws(self.setting, n_draws=self.n_draws, seed=self.seed)

    def fits(self) -> list[ActionFit]:
        """Return all fits of the study, grouped by data set."""
        return [
            ActionFit(action_set, method, splits, k, draw, self.seed)
            for action_set in self.sets
            for splits in self.splits
            for method in self.methods
            if splits == "controlled" or method in ON_RELEASED
            for k, draw in enumerate(self.draws(splits))
        ]


@cache
def estimator_for(method: str) -> ZSLEstimator:
    """Return a method with the paper's parameters, or its defaults if it is not in the paper."""
    require_known("method", method, (*PAPER, *METHODS))
    return PAPER[method] if method in PAPER else get_method(method)()


# --- One fit --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ActionAccuracies:
    """Result of a fit: (class, overlapping, videos, accuracy) per class, and CPU seconds."""

    rows: tuple[tuple[int, bool, int, float], ...]
    seconds: float


@dataclass(frozen=True, eq=False)
class ActionFit(RecordStudy[ActionAccuracies]):
    """Fit of one method on one feature set and one draw; ``number`` counts draws from 0."""

    kind = "action"
    SCHEMA = Schema(ActionAccuracies, 1)

    set: FeatureSet
    method: str
    splits: Splits
    number: int
    draw: Draw
    seed: int

    @property
    def estimator(self) -> ZSLEstimator:
        """The method with the parameters of this study."""
        return estimator_for(self.method)

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that the result depends on."""
        method = self.estimator
        return {
            "digest": self.set.digest,
            "method": method.card.name,
            "revision": method.revision,
            "protocol": protocol.REVISION,
            "params": method.get_params(),
            "grid": {},
            "draw": {name: classes.tolist() for name, classes in asdict(self.draw).items()},
            "seed": self.seed,
            **method.revisions_among({k: (v,) for k, v in method.get_params().items()}),
        }

    def compute(self, progress: Progress) -> ActionAccuracies:
        """Fit, and return the accuracy of every test class."""
        progress(0, 1, f"{self.splits} draw {self.number + 1}")
        dataset = cached_dataset(self.set.dataset).require_digest(self.set.digest)
        start = time.process_time()
        rows = class_rows(self, dataset)
        return ActionAccuracies(tuple(rows), time.process_time() - start)

    def listed(self, result: ActionAccuracies) -> tuple[Mapping[str, Any], Rows]:
        """Return the columns of the fit and its mean accuracy over test classes."""
        accuracies = [accuracy for *_, accuracy in result.rows]
        columns = {
            "dataset": self.set.dataset,
            "digest": self.set.digest,
            "method": self.method,
            "split": f"{self.splits}, draw {self.number + 1}",
            "seed": self.seed,
            "seconds": result.seconds,
        }
        return columns, [{"zsl": sum(accuracies) / len(accuracies)}]


def class_rows(fit: ActionFit, dataset: ZSLDataset) -> list[tuple[int, bool, int, float]]:
    """Fit, and return (class, overlapping, videos, accuracy) of every test class.

    Raises DatasetError if the data do not have the classes of the release.
    """
    require_classes(dataset, len(fit.draw.train) + len(fit.draw.ouc) + len(fit.draw.tuc))
    return draw_accuracies(fit.estimator, dataset, fit.draw, fit.seed)


def require_classes(dataset: ZSLDataset, n_classes: int) -> None:
    """Refuse data without the classes of UCF101 or HMDB51 in the order of the release."""
    classes = recognise_actions(dataset.class_names)
    if classes is None or dataset.n_classes != n_classes:
        raise DatasetError(
            f"{dataset.name}: expected the {n_classes} classes of UCF101 or HMDB51 in the order of "
            f"the release; got {dataset.n_classes} classes of {classes or 'other data'}."
        )


def study_table(
    fits: Sequence[ActionFit], rows: Sequence[Sequence[Sequence[object]]]
) -> pd.DataFrame:
    """Return the rows of all fits as one tidy table with :data:`ACTION_COLUMNS`."""
    return pd.DataFrame(
        [
            (fit.splits, fit.number, fit.set.features, fit.set.semantics, fit.method, *row)
            for fit, rows_of_fit in zip(fits, rows, strict=True)
            for row in rows_of_fit
        ],
        columns=list(ACTION_COLUMNS),
    )


# --- The data sets of a study ---------------------------------------------------------------------

#: Name of features without pre-training in the table of a study.
BASELINE = "idt"
#: Pre-training set -> name in study tables of features pre-trained on this set alone.
_TITLES = {extractor.pretraining: extractor.key for extractor in EXTRACTORS.values()}


def title_of(features: str) -> str:
    """Return the title of features on screen; for imported features, their name."""
    return EXTRACTORS[features].title if features in EXTRACTORS else features


def semantics_of(dataset: ZSLDataset) -> Semantics:
    """Return the kind of prototypes: attributes if all values are 0 or 1, else word vectors."""
    return "attributes" if set(dataset.prototypes.ravel().tolist()) <= {0, 1} else "word2vec"


def paper_sets(configuration: Configuration) -> tuple[FeatureSet, ...]:
    """Return simulated features: the baseline, and those pre-trained on the configuration's set."""
    pretrained = [
        key
        for key, extractor in EXTRACTORS.items()
        if extractor.listed_as == configuration.pretraining
    ]
    return simulated_sets(configuration, (BASELINE, *pretrained))


def feature_sets(
    configuration: Configuration, datasets: Mapping[str, ZSLDataset]
) -> tuple[FeatureSet, ...]:
    """Return one feature set per data set, named by its pre-training.

    Data sets with the same pre-training and kind of prototypes keep their own names. Raises a
    DatasetError for data with other classes, or if no features are the baseline or pre-trained.
    """
    for name, data in datasets.items():
        if recognise_actions(data.class_names) != configuration.dataset:
            raise DatasetError(
                f"{configuration.name}: expected data with the classes of "
                f"{configuration.dataset}; {name} has other classes."
            )
    title_of = {name: _title_of_set(data) for name, data in datasets.items()}
    counts = Counter((title_of[name], semantics_of(data)) for name, data in datasets.items())
    sets = tuple(
        FeatureSet(
            title_of[name] if counts[title_of[name], semantics_of(data)] == 1 else name,
            semantics_of(data),
            name,
            data.digest,
        )
        for name, data in datasets.items()
    )
    baseline = baseline_of(sets)
    if all(action_set.features == baseline for action_set in sets):
        raise DatasetError(
            f"{configuration.name}: expected pre-trained features in addition to the baseline; got "
            f"{', '.join(datasets)}."
        )
    return sets


def _title_of_set(data: ZSLDataset) -> str:
    last = data.pretraining[-1] if data.pretraining else data.name  # the last pre-training set
    return _TITLES.get(last, data.name)


def baseline_of(sets: Sequence[FeatureSet]) -> str:
    """Return the name of features without pre-training; DatasetError if there are none."""
    if not any(action_set.features == BASELINE for action_set in sets):
        raise DatasetError(
            "Expected one data set of features without pre-training, as the baseline; "
            "'zslcore import --pretraining none' declares it. Got "
            f"{', '.join(action_set.dataset for action_set in sets) or 'none'}."
        )
    return BASELINE


def stored_study(fits: Sequence[ActionFit]) -> pd.DataFrame:
    """Return the table of the stored fits, see :func:`study_table`."""
    stored = [(fit, result) for fit in fits if (result := fit.stored()) is not None]
    return study_table([fit for fit, _ in stored], [result.rows for _, result in stored])
