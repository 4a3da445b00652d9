r"""Facts of ImageNet-21K without its images, and a simulated data set of its size.

``data/imagenet`` holds the facts: synsets, words, hypernyms and the nine test sets;
``data/README.md`` names the sources.

The simulated data have the real synsets, words and hypernym relation, the real 1,000 training
classes, divided into 750 + 250 for choosing parameters, and the real nine test sets. Numbers of
images per class are simulated: each list of the most or the least populated classes has the mean
printed in the paper, and the numbers are assigned to its classes at random. Prototypes and features
are drawn from the model of :mod:`zslcore.datasets.simulated`, with the position :math:`g_c` of the
class in the hypernym relation instead of a random group:

.. math::
    z_c &= \sqrt{\tau} \, Q^\top g_c + \sqrt{1 - \tau} \, b_c
        && \text{position in the hierarchy, and a random part} \\
    s_c &= P^\top z_c && \text{prototype} \\
    v_c &= \rho_c z_c + \sqrt{1 - \rho_c^2} \, q_c
        && \text{appearance, in part predicted by the prototype} \\
    w_c &= \sqrt{1 - \beta} \, v_c + \sqrt{\beta} \, v_{c'}
        && \text{appearance of an unseen class to the extractor} \\
    x_i &= \max(0, M^\top w_c + \omega_c (M^\top u_i + \eta R^\top t_i + \sigma n_i))
        && \text{features}

:math:`Q` has normal entries, scaled such that :math:`Q^\top g_c` has unit variance; the other
symbols are defined in :mod:`zslcore.datasets.simulated`. Two effects of real data are *planted*:

- *rarity*: the fewer images a class has, the less its prototype predicts its appearance and the
  more its images vary. A class with :math:`N_c` images has
  :math:`r_c = \min(1, \ln N_c / \ln 1756)`, which reaches 1 at the mean number of images of the 500
  most populated classes;
  :math:`\rho_c` and :math:`\omega_c` are linear in :math:`r_c`, from the values of a rare class to
  the values of a common class;
- the *bias towards seen classes*: the extractor was trained on the 1,000 training classes. Training
  classes agree with their prototypes and vary little (separate values of :math:`\rho`,
  :math:`\omega`), and an unseen class has the share :math:`\beta` of the appearance of the training
  class :math:`c'` with the nearest :math:`z`; for training classes, :math:`w_c = v_c`.

Data named ``-without-rarity`` or ``-without-bias`` leave out one effect, ``-unplanted`` both: then
:math:`\rho` and :math:`\omega` are equal for all classes and :math:`\beta = 0`. Effects found on
``-unplanted`` data are due to the hypernym relation and the number of candidates.

The simulated features are not from pictures, so they cannot rank methods on real images.

References
----------
Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of the
good, the bad and the ugly", TPAMI 2019, section 5.2, and the file of splits released with it.
A. Frome et al., "DeViSE: a deep visual-semantic embedding model", NIPS 2013: the origin of the
benchmark's lists of 2 and 3 hops.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from zslcore.datasets.base import Fold, Split, ZSLDataset, freeze
from zslcore.datasets.facts import SimulatedName, published_table
from zslcore.datasets.simulated import (
    draw_block,
    draw_mixing,
    latent_appearance,
    round_values,
    unit_columns,
)
from zslcore.exceptions import DatasetError, require_known
from zslcore.storage.files import FACTS

#: The nine test sets of the benchmark, in the order of its table 5: classes that the benchmark
#: lists as 2 or 3 hops from the training classes (2H, 3H), the most and the least populated classes
#: (M, L), and all test classes.
SETS = ("2H", "3H", "M500", "M1K", "M5K", "L500", "L1K", "L5K", "All")
#: Number of classes: 1,000 training classes, then 20,842 other classes, as in the release.
CLASSES = 21_842
#: Sizes of the original lists, before the benchmark left out classes without images: a list of size
#: n has the first n classes after the training classes.
LISTS = MappingProxyType({"2H": 1549, "3H": 7860, "All": 20_842})

_HOPS = {"2H": ("2H",), "3H": ("2H", "3H"), "All": ("2H", "3H", "far")}
_POPULATED = ("M500", "M1K", "M5K", "L500", "L1K", "L5K")


@dataclass(frozen=True, eq=False)
class ImageNet:
    """Synsets of ImageNet-21K and their hypernyms; arrays are read-only.

    Rows 0 to ``CLASSES`` - 1 are classes, in the order of the released split file (numbered from 1
    there); the other rows are hypernyms of these classes that are not classes themselves.

    Attributes
    ----------
    synsets : WordNet ids such as ``n01440764``, one per row
    words : all words of each synset, the usual word first
    parents : rows of the hypernyms of each synset
    hops : "train" or "val" for the training classes, "2H", "3H" or "far" for the test classes, ""
        for classes that the benchmark leaves out and for synsets that are not classes
    populated : "M500", "M1K", "M5K", "L500", "L1K", "L5K": the smallest list that has the class; ""
        for classes on no such list
    """

    synsets: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    parents: tuple[tuple[int, ...], ...]
    hops: np.ndarray
    populated: np.ndarray

    @cached_property
    def row(self) -> Mapping[str, int]:
        """Row of each synset id."""
        return MappingProxyType({synset: i for i, synset in enumerate(self.synsets)})

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The usual word of each row; several rows can have the same word."""
        return tuple(words[0] for words in self.words)

    @cached_property
    def seen(self) -> np.ndarray:
        """Mask of the training classes (2012 challenge), shape (``CLASSES``,)."""
        return freeze(np.isin(self.hops[:CLASSES], ("train", "val")))

    @cached_property
    def sets(self) -> Mapping[str, np.ndarray]:
        """Masks of the classes of each of the nine test sets, shape (``CLASSES``,)."""
        hops, populated = self.hops[:CLASSES], self.populated[:CLASSES]
        sets = {name: np.isin(hops, _HOPS[name]) for name in _HOPS}
        for side in ("M", "L"):
            nested = [name for name in _POPULATED if name[0] == side]
            sets |= {name: np.isin(populated, nested[: k + 1]) for k, name in enumerate(nested)}
        return MappingProxyType({name: freeze(sets[name]) for name in SETS})

    @cached_property
    def validation(self) -> np.ndarray:
        """Mask of the 250 training classes for choosing parameters, shape (``CLASSES``,).

        The paper's text says 200; the released file has 250.
        """
        return freeze(self.hops[:CLASSES] == "val")


@cache
def imagenet() -> ImageNet:
    """Return the facts of ``data/imagenet``, which are read once."""
    rows = list(_lines())
    position = {row[0]: i for i, row in enumerate(rows)}
    return ImageNet(
        synsets=tuple(position),
        words=tuple(tuple(row[4].split(", ")) for row in rows),
        parents=tuple(tuple(position[p] for p in row[1].split()) for row in rows),
        hops=freeze(np.array([row[2] for row in rows])),
        populated=freeze(np.array([row[3] for row in rows])),
    )


def _lines() -> Iterator[list[str]]:
    with gzip.open(FACTS / "imagenet" / "synsets.tsv.gz", "rt", encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                yield line.rstrip("\n").split("\t")


def imagenet_rows(class_names: Sequence[str]) -> np.ndarray:
    """Return the row in ImageNet-21K of each class of a data set.

    Names are WordNet ids, alone (``n01440764``) or with a name before or after (``n01440764
    tench``, ``n01440764.tar``, ``train/n01440764``). Rows are those of :func:`imagenet`, or -1 for
    a name without the id of a class.
    """
    facts = imagenet()
    ids = (re.search(r"(?<![A-Za-z0-9])n\d{8}(?!\d)", name) for name in class_names)
    rows = [facts.row.get(match.group(), -1) if match else -1 for match in ids]
    return np.array([row if row < CLASSES else -1 for row in rows], dtype=np.intp)


def have_imagenet_ids(class_names: Iterable[str]) -> bool:
    """Whether most class names have ids of ImageNet-21K, so that the nine sets apply."""
    rows = imagenet_rows(tuple(class_names))
    return len(rows) > 0 and float((rows >= 0).mean()) > 0.5


def challenge_split(labels: np.ndarray, class_names: Sequence[str]) -> Split:
    """Return the split "own", with the classes of the 2012 challenge as seen classes.

    A fifth of each training class is held out, drawn with seed 0. The only fold is the released
    fold, restricted to the classes of the data. Classes are recognised by the ids in their names
    (:func:`imagenet_rows`), which most classes should have (:func:`have_imagenet_ids`). Raises a
    DatasetError if there is no training class, or no other class.
    """
    facts, rows = imagenet(), imagenet_rows(class_names)
    seen, validates = (mask[rows] & (rows >= 0) for mask in (facts.seen, facts.validation))
    with_images = seen[np.unique(labels)]
    if not with_images.any() or with_images.all():
        raise DatasetError(
            "Classes of ImageNet: expected seen classes from the 2012 challenge and other classes "
            f"to test; got {int(with_images.sum())} and {int((~with_images).sum())} with images."
        )
    without_fold = Split.from_classes("own", labels, np.flatnonzero(~seen))
    fold = Fold.of_classes(labels, without_fold.trainval, validates)
    note = (
        "Classes of ImageNet's 2012 challenge are seen, a fifth of their rows held out; the fold "
        "is the released one."
    )
    return replace(
        without_fold, folds=(fold,) if len(fold.val) and len(fold.train) else (), note=note
    )


@cache
def class_positions() -> np.ndarray:
    r"""Return the positions of the classes of ImageNet-21K in the hypernym relation.

    The relation "is a kind of", without direction, is a graph of all synsets with adjacency
    :math:`A` and degrees :math:`d`. The first eigenvectors of its normalised Laplacian [1]_,

    .. math::
        L = I - D^{-1/2} A D^{-1/2}, \qquad L u_j = \mu_j u_j, \qquad
        0 = \mu_0 < \mu_1 \le \mu_2 \le \dots

    give synset :math:`c` the position :math:`g_c = (D^{-1/2} u_1, \dots, D^{-1/2} u_k)_c`, columns
    scaled to unit variance and rows to unit length [2]_. Near synsets have similar positions;
    leaves below the same synset have the same position. ``positions.tsv.gz`` holds positions as
    multiples of 1/127, since the last bits of eigenvectors differ between machines.

    Returns
    -------
    float64 array of shape (``CLASSES``, 48), read-only
        Rows follow :func:`imagenet`.

    References
    ----------
    .. [1] M. Belkin, P. Niyogi, "Laplacian eigenmaps for dimensionality reduction and data
       representation", Neural Computation 2003.
    .. [2] A. Y. Ng, M. I. Jordan, Y. Weiss, "On spectral clustering: analysis and an algorithm",
       NIPS 2001.
    """
    with gzip.open(FACTS / "imagenet" / "positions.tsv.gz", "rt", encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("#")]
    *rows, of_class = (np.fromstring(line, dtype=np.int32, sep="\t") for line in lines)
    return freeze(np.array(rows)[of_class] * (1 / 127))


#: Parameters, named as in the module's docstring. They were set such that LinearS2V and ESZSL have
#: test accuracies within the range of the benchmark's table 5.
K, R, TAU, RHO, OMEGA, ETA, SIGMA = 64, 40, 0.7, 0.55, 1.0, 1.0, 1.0
#: With planted effects: (rho, omega) of a rare class, of a common class, and of training classes.
RARE, COMMON, TRAINED = (0.1, 1.5), (0.45, 1.1), (0.9, 0.6)
#: Share of the nearest training class in the appearance of an unseen class.
BETA = 0.75
#: Smallest number of images of a common class.
MIN_COMMON_IMAGES = 1756
SEED = 21
#: Rows drawn at a time; each block has its own generator.
BLOCK = 1024
#: Increased when the content changes.
REVISION = 2
#: Largest size in bytes of features in memory; the full size has 116 GB.
MAX_BYTES = 4 << 30


@dataclass(frozen=True, slots=True)
class _Size:
    """Numbers of features and attributes, and sizes of classes.

    ``share`` and ``train_share`` are the shares of :func:`populations` that are drawn: of an unseen
    and of a training class. ``held_out`` is the number of test images per training class.
    """

    features: int
    attributes: int
    share: float
    train_share: float
    held_out: int


_SIZES = {
    "small": _Size(features=256, attributes=64, share=1e-3, train_share=0.02, held_out=2),
    "full": _Size(features=2048, attributes=500, share=1.0, train_share=1.0, held_out=50),
}
#: Last part of a name -> whether rarity and bias are planted.
_KINDS = {
    "": (True, True),
    "without-rarity": (False, True),
    "without-bias": (True, False),
    "unplanted": (False, False),
}
_ALL = [SimulatedName("ImageNet", size=size, without=kind) for kind in _KINDS for size in _SIZES]
_NAMES = {str(name): name for name in _ALL}
#: Names that :func:`simulate_imagenet` accepts; the first takes only seconds.
SIMULATED_IMAGENET = tuple(_NAMES)

#: Lists from the most to the least populated classes; "" is for classes between the lists.
_ORDER = ("M500", "M1K", "M5K", "", "L5K", "L1K", "L500")


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Plan of a simulated data set: its classes, with their training and test images.

    ``rows`` are the rows of the classes in :func:`zslcore.datasets.imagenet.imagenet`. Per class,
    ``trained``, ``held_out`` and ``tested`` are the numbers of training images, seen test images
    and unseen test images. ``features`` and ``attributes`` are numbers of columns; ``rarity`` and
    ``bias`` are True if planted.
    """

    rows: np.ndarray
    trained: np.ndarray
    held_out: np.ndarray
    tested: np.ndarray
    features: int
    attributes: int
    rarity: bool
    bias: bool

    @property
    def images(self) -> np.ndarray:
        """Number of images of each class, shape (n_classes,)."""
        images: np.ndarray = self.trained + self.held_out + self.tested
        return images

    @property
    def seen(self) -> np.ndarray:
        """Mask of the training classes, shape (n_classes,)."""
        seen: np.ndarray = self.trained > 0
        return seen

    def rho_and_omega(self) -> tuple[np.ndarray, np.ndarray]:
        """Return rho and omega of each class, shape (n_classes,) each."""
        r = round_values(
            np.minimum(1, np.log(populations()[self.rows]) / np.log(MIN_COMMON_IMAGES)), 16
        )
        of_classes = []
        for rare, common, trained, unplanted in zip(
            RARE, COMMON, TRAINED, (RHO, OMEGA), strict=True
        ):
            values = rare + (common - rare) * r if self.rarity else np.full(len(r), unplanted)
            of_classes.append(np.where(self.seen & self.bias, trained, values))
        return of_classes[0], of_classes[1]

    @property
    def nbytes(self) -> int:
        """Bytes of all features in float32."""
        return int(self.images.sum()) * self.features * 4


def candidate_rows() -> np.ndarray:
    """Return the rows of all candidate classes: 1,000 seen, then 20,345 unseen."""
    facts = imagenet()
    return np.concatenate([np.flatnonzero(facts.seen), np.flatnonzero(facts.sets["All"])])


@cache
def populations() -> np.ndarray:
    """Return simulated numbers of images per class, with the printed mean for each list.

    Within a list the numbers are evenly spaced around its mean, within half the distance to the
    nearest other mean, and assigned to classes at random. The mean of classes between the lists
    follows from the mean of all classes. Training classes have 1,281,167 images in total, at most
    1,300 each. The shape is (``CLASSES``,); classes that are never candidates have 0.
    """
    facts, rng = imagenet(), np.random.default_rng([SEED, 0])
    members = {name: facts.sets["All"] & (facts.populated[:CLASSES] == name) for name in _ORDER}
    means = _means({name: int(mask.sum()) for name, mask in members.items()})
    out = np.zeros(CLASSES, dtype=int)
    for name, mask in members.items():
        gaps = [abs(means[name] - mean) for other_name, mean in means.items() if other_name != name]
        half = min(*gaps, 2 * (means[name] - 1)) / 2
        out[mask] = rng.permutation(_spread_evenly(int(mask.sum()), means[name], half))
    # In the challenge, 895 classes have 1,300 images; the other 105 have 732 or more.
    remaining = 1_281_167 - 895 * 1300
    fewer = _spread_evenly(105, remaining / 105, 1300 - remaining / 105)
    fewer[0] += remaining - fewer.sum()
    out[facts.seen] = rng.permutation(np.concatenate([np.full(895, 1300), fewer]))
    out.setflags(write=False)
    return out


def _means(sizes: dict[str, int]) -> dict[str, float]:
    """Return the mean number of images per class, by list.

    Each mean is over the classes of a list that are on no smaller list; "" stands for the classes
    on no list.
    """
    printed = published_table("imagenet_splits").set_index("split")["images_per_class_mean"]
    means: dict[str, float] = {}
    for side in ("M", "L"):
        n, total = 0, 0.0
        for name in (f"{side}500", f"{side}1K", f"{side}5K"):
            n_all = n + sizes[name]
            means[name] = (printed[name] * n_all - total) / sizes[name]
            n, total = n_all, printed[name] * n_all
    listed = sum(means[name] * sizes[name] for name in means)
    means[""] = (printed["All"] * sum(sizes.values()) - listed) / sizes[""]
    return {name: means[name] for name in _ORDER}


def _spread_evenly(n: int, mean: float, half: float) -> np.ndarray:
    """Return ``n`` evenly spaced integers from ``mean + half`` down to ``mean - half``."""
    return np.maximum(1, np.rint(np.linspace(mean + half, mean - half, n)).astype(int))


def planted_imagenet(name: str) -> tuple[bool, bool] | None:
    """Return whether rarity and bias are planted in simulated ImageNet; None for other data."""
    return _KINDS[_NAMES[name].without] if name in _NAMES else None


def imagenet_plan(name: str = SIMULATED_IMAGENET[0]) -> Plan:
    """Return the plan of a simulated data set, without drawing features."""
    require_known("simulated data set", name, SIMULATED_IMAGENET)
    variant = _NAMES[name]
    size, (rarity, bias) = _SIZES[variant.size], _KINDS[variant.without]
    rows = candidate_rows()
    seen, n = imagenet().seen[rows], populations()[rows]
    scaled = np.rint(n * np.where(seen, size.train_share, size.share)).astype(int)
    return Plan(
        rows=rows,
        trained=np.where(seen, np.maximum(scaled, 1), 0),
        held_out=np.where(seen, size.held_out, 0),
        tested=np.where(seen, 0, np.maximum(scaled, 1)),
        features=size.features,
        attributes=size.attributes,
        rarity=rarity,
        bias=bias,
    )


def simulate_imagenet(
    name: str = SIMULATED_IMAGENET[0], features: Any = None, digest: str = ""
) -> ZSLDataset:
    """Return simulated ImageNet data; the same name always returns the same bits.

    Parameters
    ----------
    name : one of ``SIMULATED_IMAGENET``
        Small data have all 21,345 classes, with one or two test images each, and 256 features; the
        module's docstring describes the planted effects.
    features : matrix of shape (n_images, n_features), optional
        Features that were written before, such as shards by ``zslcore shards write NAME FOLDER``;
        by default they are drawn, which is possible for the small size only.
    digest : digest of ``features``, as stored with shards; computed by default

    Returns
    -------
    ZSLDataset
        Marked ``simulated``, with the split "21K". Rows of a class are consecutive, training rows
        first. Class names begin with the WordNet id. The fold is the released fold of 750 training
        and 250 validation classes.

    Raises
    ------
    DatasetError
        When ``features`` do not belong to this name, or the full size is requested without
        ``features``; :func:`simulated_blocks` yields it block by block.
    """
    plan = imagenet_plan(name)
    z, w, rng = _draw_appearances(plan)
    if features is None:
        if plan.nbytes > MAX_BYTES:
            raise DatasetError(
                f"{name}: its features take {plan.nbytes / 1e9:.0f} GB; expected at most "
                f"{MAX_BYTES / 1e9:.0f} GB in memory. Write them with "
                f"'zslcore shards write {name} FOLDER'."
            )
        features = np.concatenate([X for X, _ in _blocks(plan, w)])
    labels = np.repeat(np.arange(len(plan.rows)), plan.images)
    if features.shape != (len(labels), plan.features):
        raise DatasetError(
            f"{name}: expected features of shape ({len(labels)}, {plan.features}); "
            f"got {features.shape}."
        )
    first = next(_blocks(plan, w))[0][:1]
    if not np.allclose(np.asarray(features[:1], dtype=np.float32), first, rtol=0.01, atol=0.01):
        raise DatasetError(
            f"{name}: expected the features that 'zslcore shards write {name} FOLDER' "
            "writes with this version; got other features."
        )
    facts = imagenet()
    return ZSLDataset(
        name=name,
        features=features,
        labels=labels,
        prototypes=(z @ unit_columns(rng, K, plan.attributes)).astype(np.float32),
        class_names=tuple(f"{facts.synsets[row]} {facts.names[row]}" for row in plan.rows),
        splits={"21K": _split(plan, labels)},
        source="Simulated: synsets, hypernyms and test sets of ImageNet-21K, numbers from a model.",
        simulated=True,
        independent_prototypes=True,
        pretraining=("imagenet-1k",),
        revision=REVISION,
        known_digest=digest,
    )


def simulated_blocks(plan: Plan) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the images of a plan block by block, in the order of classes.

    A block has features, float32 of shape (n, n_features), and labels of shape (n,); n is at most
    ``BLOCK``.
    """
    return _blocks(plan, _draw_appearances(plan)[1])


def _blocks(plan: Plan, w: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    M, MR = draw_mixing(np.random.default_rng([SEED, 2, plan.features]), K, R, plan.features, ETA)
    ends, spread = np.cumsum(plan.images), plan.rho_and_omega()[1].astype(np.float32)
    for block, start in enumerate(range(0, int(ends[-1]), BLOCK)):
        rows = np.arange(start, min(start + BLOCK, ends[-1]))
        y = np.searchsorted(ends, rows, side="right")
        block_rng = np.random.default_rng([SEED, 3, plan.features, block])
        ut = block_rng.standard_normal((len(y), K + R), dtype=np.float32)
        mean = (w[y] @ M).astype(np.float32)
        yield draw_block(block_rng, ut, mean, spread[y], MR, SIGMA), y


def _draw_appearances(plan: Plan) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    """Return z and the latent appearance w, one row per class, and the random generator."""
    G = class_positions()[plan.rows]
    rng = np.random.default_rng([SEED, 1])
    Q = round_values(rng.standard_normal((G.shape[1], K)))
    b, q = rng.standard_normal((2, len(G), K))
    z = round_values(np.sqrt(TAU) * (round_values(G) @ Q) + np.sqrt(1 - TAU) * b)
    rho = plan.rho_and_omega()[0][:, None]
    w = round_values(latent_appearance(z, q, rho))
    if plan.bias:
        direction, unseen = round_values(z / np.linalg.norm(z, axis=1, keepdims=True)), ~plan.seen
        nearest = np.argmax(direction[unseen] @ direction[plan.seen].T, axis=1)
        nearest_seen = w[np.flatnonzero(plan.seen)[nearest]]
        w[unseen] = round_values(np.sqrt(1 - BETA) * w[unseen] + np.sqrt(BETA) * nearest_seen)
    return z, w, rng


def _split(plan: Plan, labels: np.ndarray) -> Split:
    """Return the benchmark's split of training and unseen classes, with the released fold."""
    first = np.cumsum(plan.images) - plan.images
    unseen = plan.tested[labels] > 0
    trains = ~unseen & (np.arange(len(labels)) - first[labels] < plan.trained[labels])
    trainval = np.flatnonzero(trains)
    return Split.from_rows(
        "21K",
        labels,
        trainval=trainval,
        test_seen=np.flatnonzero(~unseen & ~trains),
        test_unseen=np.flatnonzero(unseen),
        folds=[Fold.of_classes(labels, trainval, imagenet().validation[plan.rows])],
        note="Classes of the released ImageNet splits; images of a class are exchangeable.",
    )
