"""The experiments on videos of the fairer evaluation: controlled splits, methods and settings.

A configuration pairs a data set with the pre-training set of an extractor. Its test classes are
drawn half from those that the pre-training set has (OUC), half from the others (TUC), thirty times;
every method is fitted with the features of the extractor and with those of a baseline that was
trained on nothing, and the gains are compared. In addition to these controlled splits there are the
random ones of earlier papers: the first 30 of the 50 that were released have the share of
overlapping classes that the paper states.

Validation stays inside the training classes: parameters are *as in the paper*, which took them from
the methods' own papers, or chosen on folds of each draw's training classes, or the defaults here.

References
----------
K. Huang, S. J. Delany, S. McKeever, "Fairer evaluation of zero shot action recognition in videos",
VISAPP 2021, tables 2 and 3, section 4.3. Q. Wang, K. Chen, "Zero-shot visual recognition via
bidirectional latent embedding", IJCV 2017 (the released splits).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
import pandas as pd

from zslcore.analysis.overlap import Draw, draw_accuracies, fair_draws, split_of_draw
from zslcore.datasets.action_facts import action_facts, recognise_actions
from zslcore.datasets.base import ZSLDataset
from zslcore.datasets.facts import published
from zslcore.datasets.simulated_actions import EXTRACTORS, action_name
from zslcore.evaluation import protocol
from zslcore.exceptions import DatasetError, ParameterError, closest_name
from zslcore.methods import METHODS, get_method
from zslcore.methods.base import ZSLEstimator

#: How many draws the paper makes.
DRAWS = 30
#: Methods that the paper fits on the released splits, too: those that had published them.
ON_RELEASED = ("BiDiLEL",)
#: Groups of training classes for choosing parameters.
N_FOLDS = 3

Semantics = Literal["attributes", "word2vec"]
Parameters = Literal["paper", "folds", "defaults"]
Splits = Literal["controlled", "released"]

#: Columns of a study, one row per draw, set of features, method and test class.
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

#: Videos of a mini-batch of LATEM.
BATCH = 64
#: Methods of the paper with the parameters that its section 4.3 states. LATEM's descent takes one
#: video and one drawn class a step there; here a step takes the mean over 64 videos, and is 64
#: times as long, so that a video counts as much. When SYNC's solver stops is ours.
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
    """A data set, a pre-training set, and how many classes of each kind are drawn.

    Attributes
    ----------
    name : "OS1" to "OS4"
    dataset : "UCF101" or "HMDB51"
    pretraining : "Kinetics-400" or "Sports-1M"
    n_train, n_ouc, n_tuc : classes of each draw
    """

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
        """The prototypes that there are: of HMDB51 no attributes were published."""
        both: tuple[Semantics, ...] = get_args(Semantics)
        return both if action_facts(self.dataset).attributes is not None else both[1:]


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
        for row in published("action_splits").to_dict("records")
    }


#: Configurations of the paper's table 2 by their names.
CONFIGURATIONS: Mapping[str, Configuration] = MappingProxyType(_configurations())


def controlled_draws(
    configuration: Configuration, *, n_draws: int = DRAWS, seed: int = 0
) -> tuple[Draw, ...]:
    """Return draws with the paper's numbers of training, overlapping and other test classes."""
    return fair_draws(
        configuration.overlapping,
        n_ouc=configuration.n_ouc,
        n_tuc=configuration.n_tuc,
        n_train=configuration.n_train,
        n_draws=n_draws,
        seed=seed,
    )


def released_draws(configuration: Configuration, *, n_draws: int = DRAWS) -> tuple[Draw, ...]:
    """Return the first of the random splits that earlier papers used, and have released.

    Raises
    ------
    ParameterError
        When more are requested than exist.
    """
    released = action_facts(configuration.dataset).released
    if not 1 <= n_draws <= len(released):
        raise ParameterError(
            f"{configuration.dataset}: expected 1 to {len(released)} released splits; "
            f"got {n_draws}."
        )
    known = configuration.overlapping
    return tuple(
        Draw(np.setdiff1d(np.arange(len(known)), test), test[known[test]], test[~known[test]])
        for test in released[:n_draws]
    )


# --- Requests -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FeatureSet:
    """One set of features with one kind of prototypes.

    Attributes
    ----------
    features : what tables call the features; the same for both kinds of prototypes
    semantics : "attributes" or "word2vec"
    dataset, digest : name and content of the data set that has both
    """

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
    """Return the stand-ins with the features of these extractors and every kind of prototypes."""
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
    """The specification of a study: everything its figures depend on besides the code.

    Attributes
    ----------
    configuration : "OS1" to "OS4"
    sets : the features and prototypes
    methods : keys of :data:`PAPER`, or names of other methods, which have their defaults
    parameters : "paper", chosen on "folds" of every draw's training classes, or "defaults"
    splits : "controlled", with "released" ones or without; the latter for :data:`ON_RELEASED`
    n_draws : draws of the controlled splits, and released ones
    seed : of the draws, and of stochastic methods
    """

    configuration: str
    sets: tuple[FeatureSet, ...]
    methods: tuple[str, ...]
    parameters: Parameters = "paper"
    splits: tuple[Splits, ...] = ("controlled",)
    n_draws: int = DRAWS
    seed: int = 0

    def __post_init__(self) -> None:
        if self.configuration not in CONFIGURATIONS:
            raise closest_name("configuration", self.configuration, CONFIGURATIONS)
        for what, values, known in (
            ("parameters", (self.parameters,), get_args(Parameters)),
            ("splits", self.splits, get_args(Splits)),
        ):
            for value in values:
                if value not in known:
                    raise closest_name(what, value, known)
        for method in self.methods:
            entrant(method, self.parameters)

    @property
    def setting(self) -> Configuration:
        """The configuration itself."""
        return CONFIGURATIONS[self.configuration]

    def with_digests(self, digests: Mapping[str, str]) -> ActionSpec:
        """Return the same about data of these contents, by the names of data sets."""
        return replace(
            self, sets=tuple(replace(each, digest=digests[each.dataset]) for each in self.sets)
        )

    def draws(self, splits: Splits) -> tuple[Draw, ...]:
        """Return the draws of one kind of splits."""
        if splits == "released":
            return released_draws(self.setting, n_draws=self.n_draws)
        return controlled_draws(self.setting, n_draws=self.n_draws, seed=self.seed)

    def units(self) -> list[Unit]:
        """Return every fit of the study; those on the same data follow each other."""
        return [
            Unit(each, method, splits, k, draw, self.parameters, self.seed)
            for each in self.sets
            for splits in self.splits
            for method in self.methods
            if splits == "controlled" or method in ON_RELEASED
            for k, draw in enumerate(self.draws(splits))
        ]


@cache
def entrant(method: str, parameters: Parameters) -> ZSLEstimator:
    """Return a method as it enters a study.

    Parameters
    ----------
    method : key of :data:`PAPER`, or the name of any other method
    parameters : with "folds" and "defaults" only the loss of SYNC is that of the paper

    Raises
    ------
    UnknownNameError
        For any other name.
    """
    if method in PAPER and parameters == "paper":
        return PAPER[method]
    if method.startswith("SYNC "):
        return get_method("SYNC")(loss=method.removeprefix("SYNC "), tol=1e-2)
    if method not in (*METHODS, *PAPER):
        raise closest_name("method", method, (*PAPER, *METHODS))
    return get_method(method)()


# --- One fit --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """One fit: a method on one draw with one set of features.

    Attributes
    ----------
    set : the features and prototypes
    method : see :func:`entrant`
    splits, number : kind of the draw and its number, from 0
    draw : the classes
    parameters, seed : see :class:`ActionSpec`
    """

    set: FeatureSet
    method: str
    splits: Splits
    number: int
    draw: Draw
    parameters: Parameters
    seed: int

    @property
    def estimator(self) -> ZSLEstimator:
        """The method as it is fitted, or as parameters are chosen for it."""
        return entrant(self.method, self.parameters)

    @property
    def identity(self) -> dict[str, object]:
        """Everything that the result depends on, as JSON values."""
        method = self.estimator
        return {
            "digest": self.set.digest,
            "method": method.card.name,
            "revision": method.revision,
            "protocol": protocol.REVISION,
            "params": method.get_params(),
            "grid": dict(method.param_grid) if self.parameters == "folds" else {},
            "draw": {name: classes.tolist() for name, classes in asdict(self.draw).items()},
            "seed": self.seed,
        }


def class_rows(unit: Unit, dataset: ZSLDataset) -> list[tuple[int, bool, int, float]]:
    """Fit, and return (class, overlapping, videos, accuracy) of every test class.

    Parameters are chosen on folds of the draw's training classes where the unit requires it.

    Raises
    ------
    DatasetError
        When the data are of other classes.
    """
    require_classes(dataset, len(unit.draw.train) + len(unit.draw.ouc) + len(unit.draw.tuc))
    method, folds = unit.estimator, unit.parameters == "folds"
    split = split_of_draw(dataset, unit.draw, n_folds=N_FOLDS if folds else 0)
    setting = protocol.Setting(dataset, split, seed=unit.seed)
    if folds:
        chosen = setting.select(method, task="zsl", with_gamma=False)
        method = type(method)(**method.get_params() | chosen.params)
    return list(draw_accuracies(setting.score(method), unit.draw))


def require_classes(dataset: ZSLDataset, n_classes: int) -> None:
    """Refuse data whose classes are not those of a known data set of actions, in its order."""
    known = recognise_actions(dataset.class_names)
    if known is None or dataset.n_classes != n_classes:
        raise DatasetError(
            f"{dataset.name}: expected the {n_classes} classes of UCF101 or HMDB51 in the order of "
            f"the release; got {dataset.n_classes} classes of {known or 'other data'}."
        )


def study_table(units: Sequence[Unit], rows: Sequence[Sequence[Sequence[object]]]) -> pd.DataFrame:
    """Return the rows of every unit as one tidy table, see :data:`ACTION_COLUMNS`."""
    return pd.DataFrame(
        [
            (u.splits, u.number, u.set.features, u.set.semantics, u.method, *row)
            for u, of_unit in zip(units, rows, strict=True)
            for row in of_unit
        ],
        columns=list(ACTION_COLUMNS),
    )
