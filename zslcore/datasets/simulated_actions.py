r"""Simulated videos of UCF101 and HMDB51, with real classes and video counts.

Class names, numbers of videos, the attributes of UCF101 and the classes in each pre-training set
are facts (:mod:`zslcore.datasets.facts`). Features and word vectors are drawn at random, not
computed from videos. They follow the model of :mod:`zslcore.datasets.simulated`, with the same
symbols and one set of features for each of four extractors :math:`e`, of the kinds in [1]_:

.. math::
    v_{ec} &= \rho_{ec} z_c + \sqrt{1 - \rho_{ec}^2} \, q_c \\
    x_{ei} &= \max(0, M_e^\top v_{ec} + \omega_{ec} (M_e^\top u_i + \eta R_e^\top t_i + \sigma n_i))
    \\
    s_c &= P^\top (\sqrt{\alpha} \, z_c + \sqrt{1 - \alpha} \, h_c) && \text{word vector}

- :math:`z_c` is the part that attributes describe: on UCF101 the deviations of the 115 real
  attributes from their mean, projected by a standard normal :math:`Q` and scaled; on HMDB51, which
  has no published attributes, it is drawn. A word vector has 300 dimensions, with the share
  :math:`\alpha` of its variance from :math:`z_c` and the other share from :math:`h_c`, on which
  features do not depend, so that word vectors are worse prototypes;
- :math:`q_c`, the appearance that no prototype describes, is the same for all extractors;
- the clips of UCF101 are in the real number of groups, 25 per class; the clips of one group share
  :math:`\kappa` of the variance of :math:`u_i` and :math:`t_i`. The number of clips in a group is
  drawn, 4 to 7 as in the release. The groups of HMDB51 are unknown.

==============  ==============  ====================================================================
extractor       trained on      classes in the pre-training set
==============  ==============  ====================================================================
``idt``         nothing         none: hand-crafted trajectories, the baseline
``imagenet``    ImageNet-1K     none: a network for still images, trained on objects, not actions
``kinetics``    Kinetics-400    classes annotated in [1]_
``sports``      Sports-1M       classes annotated in [1]_
==============  ==============  ====================================================================

The gain of classes in the pre-training set is *planted*: they agree better with their attributes
(larger :math:`\rho`) and vary less (smaller :math:`\omega`). Data named ``-unplanted`` are without
effect: for every class, :math:`\rho` and :math:`\omega` are the mean of their two values.

Parameters were set such that the test accuracies of BiDiLEL are near the accuracies in table 4 of
[1]_; imitating published test accuracies requires this use of test data.

References
----------
.. [1] K. Huang, S. J. Delany, S. McKeever, "Fairer evaluation of zero shot action recognition in
   videos", VISAPP 2021.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from zslcore.datasets.base import Split, ZSLDataset, class_folds, hold_out
from zslcore.datasets.facts import GROUPS, ActionFacts, SimulatedName, action_facts
from zslcore.datasets.simulated import (
    PlantedEffects,
    World,
    draw_features,
    latent_appearance,
    latent_of_prototypes,
    round_values,
    unit_columns,
)
from zslcore.exceptions import ParameterError, require_known

#: Increased when the data of a name change.
REVISION = 1


@dataclass(frozen=True, slots=True)
class SimulatedExtractor:
    """Parameters of a simulated feature extractor; see the table of this module.

    ``key`` is its name in names of data sets, ``title`` its name on screen. ``pretraining`` is the
    vocabulary of its pre-training set, or "none"; ``listed_as`` names the pre-training set in the
    annotated lists, if any. ``rho`` is the agreement with attributes and ``omega`` the spread:
    first of classes outside the pre-training set, then of classes in it.
    """

    key: str
    title: str
    pretraining: str
    listed_as: str
    rho: tuple[float, float]
    omega: tuple[float, float]

    @property
    def unplanted(self) -> SimulatedExtractor:
        """The same extractor without an advantage of classes in the pre-training set."""
        rho, omega = (sum(pair) / 2 for pair in (self.rho, self.omega))
        return replace(self, rho=(rho, rho), omega=(omega, omega))

    def appearance(
        self, in_pretraining: np.ndarray, z: np.ndarray, q: np.ndarray, labels: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the spread of each class, the labels, and the latent appearance of each class."""
        rho, omega = (np.take(pair, in_pretraining.astype(int)) for pair in (self.rho, self.omega))
        return omega, labels, round_values(latent_appearance(z, q, rho[:, None]))


_ALL = (
    SimulatedExtractor("idt", "IDT, hand-crafted", "none", "", (0.86, 0.86), (1.0, 1.0)),
    SimulatedExtractor(
        "imagenet", "appearance network", "imagenet-1k", "", (0.88, 0.88), (0.9, 0.9)
    ),
    SimulatedExtractor(
        "kinetics",
        "video network, Kinetics-400",
        "kinetics-400",
        "Kinetics-400",
        (0.88, 0.95),
        (0.9, 0.7),
    ),
    SimulatedExtractor(
        "sports",
        "video network, Sports-1M",
        "sports-1m",
        "Sports-1M",
        (0.87, 0.94),
        (0.95, 0.75),
    ),
)
#: Extractors by their key, the baseline first.
EXTRACTORS = {extractor.key: extractor for extractor in _ALL}
#: Extractor of a data set without an extractor in its name.
USUAL = "kinetics"

#: Dimensions of z and of a word vector, and the share of z in word vectors.
K, WORDS, ALPHA = 24, 300, 0.5
#: Share of the videos in the demo size.
DEMO = 0.15
#: Number of features in the demo size and in the full size.
D_DEMO, D_FULL = 160, 2048
#: Seeds of the data sets; other seeds would draw other data.
_SEEDS = {"UCF101": 101, "HMDB51": 51}
#: Smallest and largest number of clips in a group of the release.
CLIPS = (4, 7)
#: Share of each seen class held out for testing.
HELD_OUT = 0.2


def _all_names() -> Iterator[SimulatedName]:
    """Yield all simulated data sets; the only prototypes of HMDB51 are word vectors."""
    for dataset, extractor, prototypes, size in product(
        _SEEDS, EXTRACTORS, ("", "vectors"), ("", "full")
    ):
        if dataset == "UCF101" or not prototypes:
            usual = extractor == USUAL
            simulated_name = SimulatedName(dataset, "" if usual else extractor, prototypes, size)
            yield from (
                [simulated_name, simulated_name.unplanted]
                if EXTRACTORS[extractor].listed_as
                else [simulated_name]
            )


_NAMES = {str(simulated_name): simulated_name for simulated_name in _all_names()}
#: Names that :func:`simulate_action` accepts.
SIMULATED_ACTIONS = tuple(_NAMES)
#: Names shown in lists of data sets; other simulated actions are named by the pages that use them.
ACTIONS = ("simulated-UCF101", "simulated-HMDB51")


def action_name(dataset: str, extractor: str, *, vectors: bool, planted: bool = True) -> str:
    """Return the name of the simulated data with this extractor and these prototypes.

    ``vectors`` uses word vectors as prototypes instead of attributes; ``planted`` gives classes in
    the pre-training set an advantage, and is ignored for extractors without such classes.
    """
    require_known("extractor", extractor, EXTRACTORS)
    if not vectors and dataset != "UCF101":
        raise ParameterError(f"{dataset}: expected word vectors; its attributes are not published.")
    prototypes = "vectors" if vectors and dataset == "UCF101" else ""
    simulated_name = SimulatedName(dataset, "" if extractor == USUAL else extractor, prototypes)
    return str(
        simulated_name
        if planted or not EXTRACTORS[extractor].listed_as
        else simulated_name.unplanted
    )


def _extractor(simulated_name: SimulatedName) -> SimulatedExtractor:
    extractor = EXTRACTORS[simulated_name.extractor or USUAL]
    return extractor.unplanted if simulated_name.without else extractor


def planted_action(name: str) -> PlantedEffects | None:
    """Return the planted effects of the simulated actions of this name; None for other names."""
    if name not in _NAMES:
        return None
    simulated_name = _NAMES[name]
    extractor = _extractor(simulated_name)
    return PlantedEffects(
        extractor.rho,
        extractor.omega,
        moved=(),
        photographs=_kappa(simulated_name.dataset),
        pretraining=extractor.listed_as or "no pre-training set",
    )


def simulate_action(name: str, *, seed: int = 0) -> ZSLDataset:
    """Return simulated actions; the same name and seed always return the same bits.

    ``"simulated-UCF101"`` has features of a video network trained on Kinetics-400, and attributes
    as prototypes; ``-idt``, ``-imagenet`` and ``-sports`` select other extractors, ``-vectors``
    word vectors, ``-full`` all videos, and ``-unplanted`` no planted gain. The split is the first
    released split, "released 1"; whole groups of clips are held out as ``test_seen``, on HMDB51 a
    fifth of the videos. Another seed draws other data with the same classes.
    """
    require_known("simulated data set", name, SIMULATED_ACTIONS)
    simulated_name = _NAMES[name]
    facts, extractor = action_facts(simulated_name.dataset), _extractor(simulated_name)
    share, D = (1.0, D_FULL) if simulated_name.size else (DEMO, D_DEMO)
    videos = np.maximum(np.rint(share * facts.videos).astype(int), 5)
    labels = np.repeat(np.arange(len(videos)), videos)
    groups = clip_groups(facts, videos, seed)
    z, q, attributes, words = _classes(facts, seed)
    in_pretraining = (
        facts.overlapping[extractor.listed_as] if extractor.listed_as else np.zeros(len(z), bool)
    )
    clips = None if groups is None else np.unique(groups, return_inverse=True)[1]
    world = _world(simulated_name.dataset, extractor, seed)
    return ZSLDataset(
        name=name,
        features=draw_features(
            world,
            f"{simulated_name.dataset} {extractor.key}",
            *extractor.appearance(in_pretraining, z, q, labels),
            D,
            clips,
        ),
        labels=labels,
        prototypes=words if simulated_name.prototypes or attributes is None else attributes,
        class_names=facts.class_names,
        splits={"released 1": _released_split(facts, labels, groups)},
        source=f"Simulated: class names, numbers of videos and lists of {simulated_name.dataset}, "
        f"numbers from a model{', without effect' if simulated_name.without else ''}.",
        simulated=True,
        independent_prototypes=True,
        pretraining=(extractor.pretraining,),
        revision=REVISION,
        image_files=() if groups is None else tuple(groups.tolist()),
    )


def small_world(
    facts: ActionFacts,
    extractor: SimulatedExtractor,
    in_pretraining: np.ndarray,
    *,
    videos: int = 10,
    n_features: int = 64,
    seed: int = 0,
) -> ZSLDataset:
    """Return small data to test a study on: classes ``in_pretraining`` have an advantage.

    Data sets with the same seed share their classes, for any extractor.
    """
    z, q, attributes, words = _classes(facts, seed)
    labels = np.repeat(np.arange(len(z)), videos)
    world = _world(facts.dataset, extractor, seed)
    appearance = extractor.appearance(in_pretraining, z, q, labels)
    return ZSLDataset(
        name=f"small {facts.dataset}, {extractor.key}",
        features=draw_features(world, extractor.key, *appearance, n_features, None),
        labels=labels,
        prototypes=words if attributes is None else attributes,
        class_names=facts.class_names,
        simulated=True,
        independent_prototypes=True,
    )


# --- Drawing --------------------------------------------------------------------------------------


def _kappa(dataset: str) -> float:
    return 0.5 if dataset == "UCF101" else 0.0


def _world(dataset: str, extractor: SimulatedExtractor, seed: int) -> World:
    position = list(EXTRACTORS).index(extractor.key)
    return World(
        k=K,
        rho=extractor.rho,
        omega=extractor.omega,
        demo=DEMO,
        seed=_SEEDS[dataset] + 1000 * position + 10_000 * seed,
        kappa=_kappa(dataset),
    )


def _classes(
    facts: ActionFacts, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray]:
    """Return z, q, attributes (None for HMDB51) and word vectors, one row per class."""
    rng = np.random.default_rng([_SEEDS[facts.dataset], 0, seed])
    C = len(facts.class_names)
    normal, q, h = rng.standard_normal((3, C, K))
    z = (
        round_values(normal)
        if facts.attributes is None
        else latent_of_prototypes(facts.attributes, K, rng)
    )
    P = unit_columns(rng, K, WORDS)
    return z, q, facts.attributes, round_values(np.sqrt(ALPHA) * z + np.sqrt(1 - ALPHA) * h) @ P


def clip_groups(facts: ActionFacts, videos: Sequence[int], seed: int = 0) -> np.ndarray | None:
    """Return the name of each video's group, in the order of classes; None for HMDB51.

    ``videos`` is the number of videos of each class; fewer videos make smaller groups. The number
    of clips in each group is drawn.
    """
    if facts.dataset != "UCF101":
        return None
    rng = np.random.default_rng([_SEEDS[facts.dataset], 5, seed])
    names = []
    for name, n_videos in zip(facts.class_names, videos, strict=True):
        sizes = np.full(GROUPS, n_videos // GROUPS)
        sizes[rng.permutation(GROUPS)[: n_videos % GROUPS]] += 1
        for _ in range(GROUPS):  # move clips between groups, within CLIPS
            smaller, larger = rng.integers(GROUPS, size=2)
            if sizes[smaller] > CLIPS[0] and CLIPS[0] <= sizes[larger] < CLIPS[1]:
                sizes[smaller] -= 1
                sizes[larger] += 1
        names += [f"v_{name}_g{g + 1:02d}" for g in np.repeat(np.arange(GROUPS), sizes)]
    return np.array(names)


def _released_split(facts: ActionFacts, labels: np.ndarray, groups: np.ndarray | None) -> Split:
    """Return the first released split, with whole groups of clips held out."""
    unseen = facts.released[0]
    rows = np.flatnonzero(~np.isin(labels, unseen))
    if groups is None:
        trainval, test_seen = hold_out(labels, rows, HELD_OUT, seed=0)
    else:
        held_out = np.array([int(name[-2:]) > GROUPS * (1 - HELD_OUT) for name in groups[rows]])
        trainval, test_seen = rows[~held_out], rows[held_out]
    return Split.from_rows(
        "released 1",
        labels,
        trainval=trainval,
        test_seen=test_seen,
        test_unseen=np.flatnonzero(np.isin(labels, unseen)),
        folds=class_folds(labels, trainval),
        note="First of the 50 released random splits; a fifth of "
        + ("the groups" if groups is not None else "the videos")
        + " of each seen class is held out. Folds are thirds of the classes, seed 0.",
    )
