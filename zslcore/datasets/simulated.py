r"""Simulated AWA1, AWA2, CUB, SUN and aPY, with real classes and image counts.

Class names, images per class, and the class lists of the standard split (SS), the proposed split
(PS) and their folds are facts from ``data/classes``. The attributes of AWA1 and AWA2 are also from
this folder. Features, and the prototypes of CUB, SUN and aPY, are drawn from the model below. They
are not from pictures, so they cannot rank methods on real images; they show the phenomena of the
real benchmarks, which cannot be shipped.

For class :math:`c` of group :math:`g(c)` and for its image :math:`i`:

.. math::
    z_c &= \sqrt{\tau} \, a_{g(c)} + \sqrt{1 - \tau} \, b_c
        && \text{part that attributes describe} \\
    s_c &= \min(1, \max(0, 0.2 + 0.3 \, P^\top z_c))
        && \text{prototype} \\
    v_c &= \rho_c z_c + \sqrt{1 - \rho_c^2} \, q_c + \delta_c d_c
        && \text{attribute part, idiosyncrasy and move} \\
    x_i &= \max(0, M^\top v_c + \omega_c (M^\top u_i + \eta R^\top t_i + \sigma n_i))
        && \text{features}

- :math:`a, b, d, q, u` are standard normal in :math:`k` dimensions, :math:`t` in :math:`r` and
  :math:`n` in the number of features; :math:`P, M, R` are normal with columns of unit length,
  exactly for P and on average for M and R;
- on AWA the prototypes :math:`s` are real, and :math:`z = (s - \bar s) \, Q` with :math:`Q`
  standard normal, scaled such that :math:`z` has mean square 1;
- attributes are correlated, since they outnumber the :math:`k` dimensions of :math:`z`;
- images vary by :math:`u` in the dimensions in which classes differ, by :math:`t` in a few other
  directions (pose, light), and by :math:`n` in all directions; about half of the features are zero,
  as after a ReLU;
- classes *in the pre-training set*, ImageNet-1K, agree better with their attributes (larger
  :math:`\rho_c`) and vary less (smaller :math:`\omega_c`): this makes SS easier than PS;
- AWA1 and AWA2 differ in their images, and in five classes with :math:`\delta_c > 0` in AWA2;
- images of aPY are boxes, often several from one photograph (:func:`draw_photographs`): boxes
  :math:`i` of photograph :math:`f` share a part of their variation,
  :math:`u_i = \sqrt{\kappa} \, u_f + \sqrt{1 - \kappa} \, u'_i`, and :math:`t_i` likewise;
- *untrained* features simulate an extractor without pre-training: they are worse, and no class has
  an advantage. They are the baseline, like hand-crafted features on real data.

Three effects are *planted*: the gain of classes in the pre-training set, the different appearance
of five classes in AWA2, and the variation shared by boxes of one photograph. Data named
``-unplanted`` are without effect: :math:`\rho` and :math:`\omega` are the mean of their two values
for every class, and :math:`\delta` and :math:`\kappa` are 0.

Parameters were set such that the test accuracy of LinearS2V, averaged over ten to fourteen seeds,
is near the papers' values; the seed was then chosen such that SS and PS differ by about as much as
in the papers. Imitating published test accuracies requires this use of test data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from zslcore.datasets.base import Fold, Split, ZSLDataset
from zslcore.datasets.facts import (
    ClassFacts,
    SimulatedName,
    benchmark_classes,
    class_attributes,
    class_facts,
)
from zslcore.exceptions import require_known

if TYPE_CHECKING:
    import pandas as pd

#: Increased when splits or folds change: 2 has the released standard splits and their folds.
REVISION = 2


@dataclass(frozen=True, slots=True)
class World:
    """Parameters of the model for one benchmark, named as in the module's docstring.

    ``rho`` and ``omega`` have two values: first for classes outside the pre-training set, then for
    classes in it. ``demo`` is the number of images in the demo size, divided by the real number of
    images. ``tau`` is not used with real prototypes. ``delta`` applies to the classes in ``moved``.
    """

    k: int
    rho: tuple[float, float]
    omega: tuple[float, float]
    demo: float
    seed: int
    tau: float = 0.0
    delta: float = 0.0
    moved: tuple[str, ...] = ()
    r: int = 40
    eta: float = 1.0
    sigma: float = 1.0
    kappa: float = 0.0


_AWA1 = World(k=26, rho=(0.8, 0.95), omega=(1.1, 0.75), demo=0.1, seed=14)
_WORLDS = {
    "AWA1": _AWA1,
    "AWA2": replace(_AWA1, delta=1.0, moved=("collie", "elephant", "giraffe", "seal", "zebra")),
    "CUB": World(k=20, tau=0.7, rho=(0.75, 0.85), omega=(0.8, 0.65), demo=0.3, seed=7),
    "SUN": World(k=24, tau=0.5, rho=(0.75, 0.80), omega=(1.0, 0.90), demo=0.5, seed=3),
    "aPY": World(k=12, tau=0.4, rho=(0.70, 0.70), omega=(0.8, 0.70), demo=0.2, seed=5, kappa=0.7),
}

#: Number of features by size; the full size has as many as ResNet-101's last pooling layer.
_N_FEATURES = {"": 512, "full": 2048}

_DEMO = [SimulatedName(name) for name in _WORLDS]
_UNTRAINED = [SimulatedName(name, extractor="untrained") for name in ("AWA1", "AWA2")]
_FULL = [SimulatedName(name, size="full") for name in _WORLDS]
#: Names that :func:`simulate` accepts: demo sizes, untrained features, full sizes.
SIMULATED = tuple(map(str, (*_DEMO, *_UNTRAINED, *_FULL)))
#: Names of the data without effect; see the module's docstring.
UNPLANTED = tuple(str(name.unplanted) for name in (*_DEMO, *_FULL))
_NAMES = {name: SimulatedName.of(name) for name in (*SIMULATED, *UNPLANTED)}


@dataclass(frozen=True, slots=True)
class PlantedEffects:
    """Planted effects of a simulated data set.

    ``rho`` is the agreement with attributes and ``omega`` the spread, each with two values: first
    for classes outside ``pretraining``, then for classes in it. Without a planted gain, the two
    values are equal. Classes in ``moved`` do not look the same in AWA1 and AWA2; boxes of one
    photograph share ``photographs`` of their variance.
    """

    rho: tuple[float, float]
    omega: tuple[float, float]
    moved: tuple[str, ...]
    photographs: float
    pretraining: str = "ImageNet-1K"

    @property
    def gain(self) -> bool:
        """Whether classes in the pre-training set have an advantage."""
        return self.rho[0] != self.rho[1] or self.omega[0] != self.omega[1]


def planted_effects(name: str) -> PlantedEffects | None:
    """Return the planted effects of the simulated data of this name; None for other names."""
    if name not in _NAMES:
        return None
    world = _world(_NAMES[name])
    return PlantedEffects(world.rho, world.omega, world.moved, world.kappa)


def simulated_classes(name: str) -> tuple[str, ...]:
    """Return the classes of simulated data, which are the benchmark's classes."""
    return benchmark_classes(_NAMES[name].dataset)


def _world(simulated_name: SimulatedName) -> World:
    world = _WORLDS[simulated_name.dataset]
    if simulated_name.extractor:
        # Without pre-training, no class has an advantage.
        return replace(world, rho=(0.6, 0.6), omega=(1.3, 1.3), moved=())
    if simulated_name.without:
        rho, omega = (sum(pair) / 2 for pair in (world.rho, world.omega))
        return replace(world, rho=(rho, rho), omega=(omega, omega), moved=(), kappa=0.0)
    return world


def simulate(name: str) -> ZSLDataset:
    """Return simulated data for a benchmark; the same name always returns the same bits.

    ``name`` is one of ``SIMULATED`` or ``UNPLANTED``: ``"simulated-AWA2"`` is the demo size, a few
    thousand images of 512 features, in the proportions of the real classes;
    ``"simulated-AWA2-full"`` has the real number of images and 2,048 features,
    ``"simulated-AWA2-untrained"`` features without pre-training, ``"simulated-AWA2-unplanted"`` no
    planted effects. The data set is marked ``simulated`` and has the splits PS and SS; SS has no
    seen test images.
    """
    require_known("simulated data set", name, _NAMES)
    simulated_name = _NAMES[name]
    benchmark, world = simulated_name.dataset, _world(simulated_name)
    facts = class_facts(benchmark)
    images, test_seen = _counts(facts.classes, share=1.0 if simulated_name.size else world.demo)
    labels = np.repeat(np.arange(len(images)), images)
    proposed = _proposed_split(facts, labels, images, test_seen)
    photographs = None
    if benchmark == "aPY":
        rng = np.random.default_rng([world.seed, 3, len(labels)])
        is_apascal = _has_value(facts, "ss", "train")[labels]
        photographs = draw_photographs(labels, is_apascal, proposed, rng)
    attributes = class_attributes(benchmark)
    prototypes, v = _draw_classes(world, facts, attributes)
    return ZSLDataset(
        name=name,
        features=draw_features(
            world,
            benchmark,
            np.take(world.omega, _in_imagenet(facts)),
            labels,
            v,
            _N_FEATURES[simulated_name.size],
            photographs,
        ),
        labels=labels,
        prototypes=prototypes,
        class_names=tuple(facts.classes["class"]),
        attribute_names=() if attributes is None else tuple(attributes.columns),
        splits={"PS": proposed, "SS": _standard_split(facts, labels)},
        source=f"Simulated: class names, counts and splits of {benchmark}, numbers from a "
        f"model{', without effect' if simulated_name.without else ''}.",
        simulated=True,
        independent_prototypes=True,
        pretraining=("none",) if simulated_name.extractor else ("imagenet-1k",),
        revision=REVISION,
        image_files=() if photographs is None else tuple(f"{p:06d}.jpg" for p in photographs),
    )


# --- Drawing --------------------------------------------------------------------------------------


def _draw_classes(
    world: World, facts: ClassFacts, attributes: pd.DataFrame | None
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([world.seed, 0])
    if attributes is None:
        S, z, q = _draw_prototypes(world, facts, rng)
    else:
        S = attributes.fillna(attributes.mean()).to_numpy()
        z = latent_of_prototypes(S, world.k, rng)
        q = rng.standard_normal(z.shape)
    v = latent_appearance(z, q, np.take(world.rho, _in_imagenet(facts))[:, None])
    if world.moved:
        d = np.random.default_rng([world.seed, 5]).standard_normal(v.shape)
        v += world.delta * facts.classes["class"].isin(world.moved).to_numpy()[:, None] * d
    return S, round_values(v)


def _draw_prototypes(
    world: World, facts: ClassFacts, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw prototypes S, the part z of the appearance that they describe, and the other part q."""
    C, k = len(facts.classes), world.k
    group = _groups(facts.classes["group"], rng)
    a = rng.standard_normal((C, k))
    b, q = rng.standard_normal((2, C, k))
    z = round_values(np.sqrt(world.tau) * a[group] + np.sqrt(1 - world.tau) * b)
    P = unit_columns(rng, k, facts.attributes)
    return np.clip(0.2 + 0.3 * (z @ P), 0, 1), z, q


def unit_columns(rng: np.random.Generator, k: int, n: int) -> np.ndarray:
    """Draw a normal matrix of shape (k, n) with columns of unit length, rounded."""
    P = rng.standard_normal((k, n))
    return round_values(P / np.sqrt((P**2).sum(axis=0)))


def latent_of_prototypes(S: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """Return z of real prototypes S: deviations from their mean, projected to k dimensions."""
    S = round_values(S)
    Q = round_values(rng.standard_normal((S.shape[1], k)))
    z = (S - round_values(S.mean(axis=0))) @ Q
    return round_values(z / np.sqrt((z**2).mean()))


def latent_appearance(z: np.ndarray, q: np.ndarray, rho: np.ndarray) -> np.ndarray:
    """Return the latent appearance: ``rho`` times z, plus an independent part from q."""
    return np.asarray(rho * z + np.sqrt(1 - rho**2) * q)


def draw_features(
    world: World,
    name: str,
    omega: np.ndarray,
    labels: np.ndarray,
    v: np.ndarray,
    D: int,
    photographs: np.ndarray | None,
) -> np.ndarray:
    """Return the float32 features X, drawn block by block to limit memory.

    ``omega`` has shape (n_classes,), the rounded ``v`` has shape (n_classes, k), and
    ``photographs`` is None or has shape (n_samples,). The random numbers depend on ``name``.
    """
    M, MR = draw_mixing(np.random.default_rng([world.seed, 1, D]), world.k, world.r, D, world.eta)
    mean = (v @ M).astype(np.float32)
    omega = omega.astype(np.float32)

    images = np.random.default_rng([world.seed, 2, D, *name.encode()])
    shared = _draw_shared(world, photographs, world.k + world.r)
    X = np.empty((len(labels), D), dtype=np.float32)
    for start in range(0, len(X), 1024):
        y = labels[start : start + 1024]
        ut = images.standard_normal((len(y), world.k + world.r), dtype=np.float32)
        if shared is not None:
            weight, common = np.float32(np.sqrt(1 - world.kappa)), shared[start : start + 1024]
            ut = weight * ut + common
        X[start : start + 1024] = draw_block(images, ut, mean[y], omega[y], MR, world.sigma)
    return X


def draw_mixing(
    rng: np.random.Generator, k: int, r: int, D: int, eta: float
) -> tuple[np.ndarray, np.ndarray]:
    r"""Return M, of shape (k, D), and M stacked on :math:`\eta R`, float32, shape (k + r, D)."""
    M = round_values(rng.standard_normal((k, D)) / np.sqrt(k))
    R = round_values(rng.standard_normal((r, D)) * eta / np.sqrt(r))
    return M, np.concatenate([M, R]).astype(np.float32)


def draw_block(
    rng: np.random.Generator,
    ut: np.ndarray,
    mean: np.ndarray,
    omega: np.ndarray,
    MR: np.ndarray,
    sigma: float,
) -> np.ndarray:
    r"""Return the features of some images, with symbols as in the module's docstring.

    ``rng`` draws the noise n. The arrays are float32. ``ut`` has u and t side by side, in shape
    (n_images, k + r); ``mean`` has the mean of each image's class, in shape (n_images, D);
    ``omega`` has the shape (n_images,); ``MR`` has M stacked on :math:`\eta R`, in shape (k + r,
    D).
    """
    x = rng.standard_normal(mean.shape, dtype=np.float32)
    x *= sigma
    x += round_values(ut, bits=5) @ MR
    x *= omega[:, None]
    x += mean
    return np.maximum(x, 0, out=x)


def _draw_shared(world: World, photographs: np.ndarray | None, n: int) -> np.ndarray | None:
    if photographs is None or not world.kappa:
        return None
    rng = np.random.default_rng([world.seed, 4, len(photographs)])
    ut = rng.standard_normal((photographs.max() + 1, n), dtype=np.float32)
    return np.float32(np.sqrt(world.kappa)) * ut[photographs]


def _groups(names: pd.Series, rng: np.random.Generator) -> np.ndarray:
    """Return the group of each class; without group names, draw groups of about a dozen."""
    if names.any():
        return names.factorize()[0]
    return rng.integers(len(names) // 12, size=len(names))


def _in_imagenet(facts: ClassFacts) -> np.ndarray:
    """Return 1 for each class in ImageNet-1K, 0 for other classes."""
    return (facts.classes["imagenet1k"] != "").to_numpy(dtype=np.intp)


def round_values(values: np.ndarray, bits: int = 8) -> np.ndarray:
    """Round to multiples of ``2**-bits``.

    Products of such factors, and their sums in any order, are exact: the data set is the same with
    every BLAS and any number of threads.
    """
    return np.rint(values * 2.0**bits) / 2.0**bits


# --- Counts and splits ----------------------------------------------------------------------------


def _counts(classes: pd.DataFrame, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of images and of held-out images per class, scaled by ``share``."""
    real, held_out = classes["images"].to_numpy(), classes["test_seen"].to_numpy()
    images = np.maximum(np.rint(share * real).astype(int), 5)
    test_seen = np.maximum(np.rint(images * held_out / real).astype(int), held_out > 0)
    return images, test_seen


def _proposed_split(
    facts: ClassFacts, labels: np.ndarray, images: np.ndarray, test_seen: np.ndarray
) -> Split:
    """Return PS; images of a class are exchangeable, so its last images are held out."""
    from_end = np.cumsum(images)[labels] - np.arange(len(labels))
    is_unseen = _has_value(facts, "ps", "test")[labels]
    is_held_out = ~is_unseen & (from_end <= test_seen[labels])
    trainval = np.flatnonzero(~is_unseen & ~is_held_out)
    return Split.from_rows(
        "PS",
        labels,
        trainval=trainval,
        test_seen=np.flatnonzero(is_held_out),
        test_unseen=np.flatnonzero(is_unseen),
        folds=_folds(facts, labels, trainval, "fold"),
        note=facts.notes["ps"],
    )


def _standard_split(facts: ClassFacts, labels: np.ndarray) -> Split:
    """Return SS, in which every image of a training class is a training image."""
    is_test = _has_value(facts, "ss", "test")
    trainval = np.flatnonzero(~is_test[labels])
    return Split.from_rows(
        "SS",
        labels,
        trainval=trainval,
        test_unseen=np.flatnonzero(is_test[labels]),
        folds=_folds(facts, labels, trainval, "ss_fold"),
        note=facts.notes["ss"],
    )


def _folds(facts: ClassFacts, labels: np.ndarray, trainval: np.ndarray, prefix: str) -> list[Fold]:
    validates = (_has_value(facts, f"{prefix}{k}", "val") for k in (1, 2, 3))
    return [Fold.of_classes(labels, trainval, classes) for classes in validates]


def _has_value(facts: ClassFacts, column: str, value: str) -> np.ndarray:
    return (facts.classes[column] == value).to_numpy()


# --- Photographs ----------------------------------------------------------------------------------

# Images of aPY are boxes around objects, 15,339 boxes from 6,577 photographs. The proposed split is
# drawn by boxes, so some photographs are in both training and test. The simulated data have the
# same share of images in such photographs; images are assigned to photographs at random.


@dataclass(frozen=True, slots=True)
class _Source:
    """One of the two collections of aPY, counted from the names of its image files.

    All fields are counts in the Proposed Split 2.0; no photograph is in both collections.
    ``trainval`` counts the training boxes and their photographs. ``shared_seen`` has three counts
    of boxes of test_seen: all boxes, boxes from a photograph with a training box, and boxes from a
    photograph with a training box of the same class; ``shared_unseen`` has the first two counts for
    test_unseen. ``unshared`` counts the test boxes from photographs without a training box, and
    these photographs.
    """

    trainval: tuple[int, int]
    shared_seen: tuple[int, int, int]
    shared_unseen: tuple[int, int]
    unshared: tuple[int, int]


#: Training classes of the standard split are from aPascal, its test classes from aYahoo.
_SOURCES = {
    "aPascal": _Source((4544, 2451), (1135, 728, 587), (7016, 2885), (4538, 1889)),
    "aYahoo": _Source((1388, 1150), (348, 89, 89), (908, 0), (1167, 1087)),
}


def draw_photographs(
    labels: np.ndarray, is_apascal: np.ndarray, split: Split, rng: np.random.Generator
) -> np.ndarray:
    """Draw the photograph of each image, so that training and test share photographs as in aPY.

    ``is_apascal`` is True for images of aPascal; ``split`` is the proposed split. Photographs are
    numbered from 0 in the order of the images.
    """
    photograph = np.full(len(labels), -1)
    for facts, inside in zip(_SOURCES.values(), (is_apascal, ~is_apascal), strict=True):
        draw = _Drawing(labels, photograph, rng)
        trainval, seen, unseen = (
            rng.permutation(part[inside[part]])
            for part in (split.trainval, split.test_seen, split.test_unseen)
        )
        boxes, n_shared, n_same = facts.shared_seen
        same = n_same / n_shared
        draw.spread(trainval, facts.trainval[1] / facts.trainval[0], same)
        shared_seen = round(len(seen) * n_shared / boxes)
        shared_unseen = round(len(unseen) * facts.shared_unseen[1] / facts.shared_unseen[0])
        draw.join(seen[:shared_seen], trainval, same)
        draw.join(unseen[:shared_unseen], trainval, same)
        unshared = rng.permutation(np.concatenate([seen[shared_seen:], unseen[shared_unseen:]]))
        draw.spread(unshared, facts.unshared[1] / facts.unshared[0], same)
    _, first, number = np.unique(photograph, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number]


@dataclass(frozen=True, eq=False)
class _Drawing:
    """Assignment of images to photographs; ``photograph`` is -1 for unassigned images."""

    labels: np.ndarray
    photograph: np.ndarray
    rng: np.random.Generator

    def spread(self, rows: np.ndarray, share: float, same: float) -> None:
        """Assign a ``share`` of ``rows`` to new photographs; then let the other rows join them."""
        n = round(share * len(rows))
        self.photograph[rows[:n]] = rows[:n]  # a photograph has the number of its first image
        self.join(rows[n:], rows[:n], same)

    def join(self, rows: np.ndarray, assigned: np.ndarray, same: float) -> None:
        """Assign each row to the photograph of one of the rows ``assigned``.

        With probability ``same``, this is a row of the same class, if there is one.
        """
        if not len(rows):
            return
        chosen = self.rng.choice(assigned, size=len(rows))
        keeps = self.rng.random(len(rows)) < same
        for c in np.unique(self.labels[rows]):
            same_class = assigned[self.labels[assigned] == c]
            is_replaced = keeps & (self.labels[rows] == c)
            if len(same_class):
                chosen[is_replaced] = self.rng.choice(same_class, size=is_replaced.sum())
        self.photograph[rows] = self.photograph[chosen]
