"""UCF101 and HMDB51 as two groups released them: folders of MATLAB files, read unchanged.

BiDiLEL [1]_ released, for a data set and a representation of its videos:

==================================  ==============================================================
``visual_representations/``         ``ucf101_c3d.mat``: ``feature.Data``, cells of matrices with a
                                    row a video, and ``allLabels``, 1-based
``semantic_representations/``       ``ucf101_semantics.mat``: ``attributes`` and ``wordvector``, a
                                    row a class
``data_splits/``                    ``ucf101_zsl_splits_51_50.mat``: ``train_class_set`` and
                                    ``test_class_set``, a row a trial, 1 for each of its classes
==================================  ==============================================================

The names of the classes are in none of them: they are known where every class has as many videos as
that of the data set. I3D features [2]_ came with the splits of 30 trials in the xlsa17 layout:

==========================  ========================================================================
``i3d.mat``                 ``features`` D x N, ``labels`` N x 1, 1-based
``split_1/att_splits.mat``  ``att`` (word vectors), ``original_att`` (attributes, of UCF101 alone),
                            ``allclasses_names``, ``trainval_loc``, ``test_seen_loc`` ... 1-based
==========================  ========================================================================

References
----------
.. [1] Q. Wang, K. Chen, "Zero-shot visual recognition via bidirectional latent embedding", IJCV
   2017; its read-me file describes the layout.
.. [2] D. Mandal et al., "Out-of-distribution detection for generalized zero-shot action
   recognition", CVPR 2019; its program reads them so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zslcore.datasets.action_facts import (
    ACTION_SETS,
    ActionFacts,
    action_facts,
    recognise_actions,
)
from zslcore.datasets.base import Split, ZSLDataset, class_folds
from zslcore.datasets.sandbox.client import Role, read_arrays
from zslcore.datasets.xlsa17 import read_split_arrays
from zslcore.exceptions import FileRefusedError, closest_name
from zslcore.storage import artifacts
from zslcore.texts import clean_text, expect, expect_range

#: Counted up when the same files give other data.
REVISION = 1
#: Folders of BiDiLEL's release, which may lie in ``data``.
VISUAL, SEMANTIC, SPLITS = ("visual_representations", "semantic_representations", "data_splits")
#: What the release calls a representation -> what it was trained on.
TRAINED_ON: Mapping[str, tuple[str, ...]] = {
    "idt": ("none",),
    "c3d": ("sports-1m",),
    "googlenet": ("imagenet-1k",),
    "vgg19": ("imagenet-1k",),
    "i3d": ("imagenet-1k", "kinetics-400"),
}
#: What either release calls its class embeddings, by what this package calls them.
EMBEDDINGS = {"word2vec": ("wordvector", "att"), "attributes": ("attributes", "original_att")}
#: Folder of a trial, and most of them.
TRIAL, MOST_TRIALS = re.compile(r"split_(\d{1,3})"), 200


@dataclass(frozen=True, slots=True)
class ActionArchive:
    """Paths of the files of a release.

    ``features`` is the file of one representation of the videos, ``splits`` are those of the
    trials, in their order; ``semantics`` has class embeddings, where they have a file of their own.
    """

    folder: Path
    features: Path
    splits: tuple[Path, ...]
    semantics: Path | None = None

    @property
    def representation(self) -> str:
        """What the release calls the features: "c3d" of ``ucf101_c3d.mat``."""
        return self.features.stem.rpartition("_")[2].lower()

    @property
    def name(self) -> str:
        """A name for the data set: ``ucf101_c3d``, or ``ucf101-i3d`` of the folder ``ucf101``."""
        stem = self.features.stem
        return stem if "_" in stem else f"{self.folder.name}-{stem}"

    def sources(self) -> list[Path]:
        """Return every file that is read."""
        return [self.features, *self.splits, *([self.semantics] if self.semantics else [])]


def holds_action_archive(folder: Path) -> bool:
    """Whether a folder is laid out as one of the two releases."""
    return _bidilel(folder) is not None or bool(_trials(folder))


def find_action_archive(
    folder: str | os.PathLike[str], features: str | None = None, splits: str | None = None
) -> ActionArchive:
    """Find the files of a release in its folder, or in the ``data`` in it.

    ``features`` names a representation's file, where there are several; ``splits`` a file of trials
    of BiDiLEL's release, by default the first. Raises a FileRefusedError for a missing file, or for
    several of which none is named.
    """
    folder = Path(folder).resolve()
    if (root := _bidilel(folder)) is None:
        here = [path for path in _mats(folder) if path.name != "att_splits.mat"]
        return ActionArchive(folder, _chosen(here, features, folder), _trials(folder))
    file = _chosen(_mats(root / VISUAL), features, root / VISUAL)
    key = file.stem.partition("_")[0]
    trials = [p for p in _mats(root / SPLITS) if p.name.startswith(f"{key}_zsl_splits_")]
    named = trials[0].name if trials and splits is None else splits
    return ActionArchive(
        folder, file, (_chosen(trials, named, root / SPLITS),),
        _chosen(_mats(root / SEMANTIC), f"{key}_semantics.mat", root / SEMANTIC),
    )  # fmt: skip


def _bidilel(folder: Path) -> Path | None:
    for root in (folder, folder / "data"):
        if all((root / name).is_dir() for name in (VISUAL, SEMANTIC, SPLITS)):
            return root
    return None


def _trials(folder: Path) -> tuple[Path, ...]:
    """Return the split files of the trials, in their order, here or in one folder of semantics."""
    found: dict[int, Path] = {}
    inside = sorted(folder.glob("*_semantics")) if folder.is_dir() else []
    for root in [folder, *inside]:
        for path in root.glob("split_*/att_splits.mat"):
            if (number := TRIAL.fullmatch(path.parent.name)) is not None:
                found.setdefault(int(number.group(1)), path)
    return tuple(found[k] for k in sorted(found)[:MOST_TRIALS])


def _mats(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.mat") if path.is_file())


def _chosen(there: list[Path], name: str | None, folder: Path) -> Path:
    """Return the one file, or that of this name; paths count by their last part."""
    if name is None and len(there) == 1:
        return there[0]
    names = [path.name for path in there]
    if name is None or not there:
        raise FileRefusedError(
            f"{clean_text(folder.name)}: expected one .mat file, or its name with features= "
            f"(--features) or splits= (--splits); found "
            f"{', '.join(map(clean_text, names[:8])) or 'none'}."
        )
    wanted = Path(name).name
    for path in there:
        if wanted in (path.name, path.stem):
            return path
    raise closest_name(f"file in {clean_text(folder.name)}", wanted, names)


# --- Reading --------------------------------------------------------------------------------------


def read_action_archive(
    archive: ActionArchive,
    *,
    embedding: str = "word2vec",
    pretraining: Sequence[str] = (),
    name: str | None = None,
    into: Path | None = None,
) -> ZSLDataset:
    """Read a release; :func:`zslcore.datasets.importing.import_dataset` stores it.

    Parameters
    ----------
    embedding : class embeddings, "word2vec" or "attributes"
    pretraining : what the features were trained on; by default what the representation is known for
    name : by default that of the archive
    into : folder for the features; they are read into memory otherwise

    Raises
    ------
    FileRefusedError
        When a file is damaged, hostile or not of this form.
    UnknownNameError
        For an embedding that is none of the two.
    """
    if embedding not in EMBEDDINGS:
        raise closest_name("class embedding", embedding, EMBEDDINGS)
    read = _read_trials if archive.semantics is None else _read_bidilel
    with artifacts.scratch() as folder:
        features, labels = _features(archive, into or folder)
        features = features if into else np.array(features)
    prototypes, names, splits = read(archive, embedding, labels)
    return ZSLDataset(
        name=name or archive.name,
        features=features,
        labels=labels,
        prototypes=prototypes,
        class_names=names,
        splits=splits,
        source=f"{clean_text(archive.features.name)} with {embedding} and "
        f"{len(splits)} splits from {clean_text(archive.folder.name)}, as released.",
        revision=REVISION,
        pretraining=tuple(pretraining) or TRAINED_ON.get(archive.representation, ()),
    )


def _features(archive: ActionArchive, into: Path) -> tuple[np.ndarray, np.ndarray]:
    path, bidilel = archive.features, archive.semantics is not None
    matrix, number = ("feature.Data", "allLabels") if bidilel else ("features", "labels")
    wanted: dict[str, Role] = {matrix: "rows" if bidilel else "columns", number: "numbers"}
    arrays = read_arrays(path, wanted, into).arrays
    features, labels = arrays[matrix], arrays[number]
    got = f"{len(labels)} labels and {len(features)} rows of features"
    expect(len(features) == len(labels), path, "one label per video", got)
    return features, labels - 1


def _read_bidilel(
    archive: ActionArchive, embedding: str, labels: np.ndarray
) -> tuple[np.ndarray, tuple[str, ...], list[Split]]:
    semantics, trials = archive.semantics, archive.splits[0]
    assert semantics is not None  # of BiDiLEL's release there is one
    variable = EMBEDDINGS[embedding][0]
    roles: dict[str, Role] = {"train_class_set": "rows", "test_class_set": "rows"}
    with artifacts.scratch() as folder:
        prototypes = np.array(read_arrays(semantics, {variable: "rows"}, folder).arrays[variable])
        sets = read_arrays(trials, roles, folder).arrays
        train, test = (_members(trials, key, sets[key], len(prototypes)) for key in roles)
    _require_labels(archive.features, labels, len(prototypes))
    facts = _facts_of_counts(labels, len(prototypes))
    names = facts.class_names if facts else tuple(f"class {c + 1}" for c in range(len(prototypes)))
    return prototypes, names, _class_splits(trials, train, test, labels, facts)


def _class_splits(
    path: Path,
    train: Sequence[np.ndarray],
    test: Sequence[np.ndarray],
    labels: np.ndarray,
    facts: ActionFacts | None,
) -> list[Split]:
    """Return the splits that go by classes; those of the release are called so."""
    found = []
    for k, (seen, unseen) in enumerate(zip(train, test, strict=True), 1):
        shared = np.intersect1d(seen, unseen)
        disjoint = f"split {k} to test other classes than it trains on"
        expect(not len(shared), path, disjoint, f"{len(shared)} of both")
        known = () if facts is None else facts.released[k - 1 : k]
        same = any(np.array_equal(np.sort(unseen), each) for each in known)
        trainval = np.flatnonzero(np.isin(labels, seen))
        found.append(
            Split.from_rows(
                f"released {k}" if same else f"split {k}",
                labels,
                trainval=trainval,
                test_unseen=np.flatnonzero(np.isin(labels, unseen)),
                folds=class_folds(labels, trainval),
                note=f"Random split {k} of {clean_text(path.name)}, as given; folds are thirds of "
                "the classes, seed 0.",
            )
        )
    return found


def _members(path: Path, variable: str, sets: np.ndarray, n_classes: int) -> list[np.ndarray]:
    where, others = f"{clean_text(path.name)}, variable {variable!r}", np.setdiff1d(sets, (0, 1))
    got = f"{sets.shape[1]} columns with {', '.join(f'{x:g}' for x in others[:3]) or '0 and 1'}"
    plain = sets.shape[1] == n_classes and not len(others)
    expect(plain, where, f"0 or 1 for each of {n_classes} classes", got)
    return [np.flatnonzero(row) for row in sets]


def _require_labels(path: Path, labels: np.ndarray, n_classes: int) -> None:
    where = f"{clean_text(path.name)}, labels"
    expect_range(where, labels + 1, n_classes, "one class embedding each")


def _facts_of_counts(labels: np.ndarray, n_classes: int) -> ActionFacts | None:
    """Return the data set whose classes have as many videos as these, in its order."""
    counts = np.bincount(labels, minlength=n_classes)
    known = (action_facts(name) for name in ACTION_SETS)
    return next((facts for facts in known if np.array_equal(facts.videos, counts)), None)


def _read_trials(
    archive: ActionArchive, embedding: str, labels: np.ndarray
) -> tuple[np.ndarray, tuple[str, ...], list[Split]]:
    variable = EMBEDDINGS[embedding][1]
    first: tuple[str, ...] = ()
    splits, prototypes = [], np.empty((0, 0))
    for path in archive.splits:
        arrays = read_split_arrays(path)
        names, S = _classes_of(path, arrays, variable)
        if not first:
            first, prototypes = names, S
            _require_labels(archive.features, labels, len(S))
        classes = f"the classes of {_of_trial(archive.splits[0])}"
        expect(names == first, _of_trial(path), classes, "others")
        splits.append(_trial(path, arrays, labels, first))
    return prototypes, first, splits


def _of_trial(path: Path) -> str:
    return f"{clean_text(path.parent.name)}/{path.name}"


def _classes_of(
    path: Path, arrays: Mapping[str, np.ndarray], variable: str
) -> tuple[tuple[str, ...], np.ndarray]:
    for key in (variable, "allclasses_names"):
        held = ", ".join(sorted(arrays)) or "none that is known"
        expect(key in arrays, _of_trial(path), f"the variable {key!r}", held)
    names, S = tuple(map(str, arrays["allclasses_names"])), arrays[variable]
    a_column = f"as many names as columns in {variable!r} ({len(S)})"
    expect(len(names) == len(S), _of_trial(path), a_column, len(names))
    return names, S


def _trial(
    path: Path, arrays: Mapping[str, np.ndarray], labels: np.ndarray, names: tuple[str, ...]
) -> Split:
    """Return the split of one trial, its folds thirds of the training classes."""
    rows: dict[str, np.ndarray] = {}
    for part in ("trainval", "test_seen", "test_unseen"):
        numbers = arrays.get(f"{part}_loc", np.empty(0, np.int64))
        expect_range(f"{_of_trial(path)}, variable '{part}_loc'", numbers, len(labels))
        rows[part] = numbers - 1
    both = rows["trainval"].size and rows["test_unseen"].size
    expect(both, _of_trial(path), "rows in trainval_loc and test_unseen_loc", "none")
    return Split.from_rows(
        _name_of_trial(path, np.unique(labels[rows["test_unseen"]]), names),
        labels,
        **{part: np.sort(values) for part, values in rows.items()},
        folds=class_folds(labels, rows["trainval"]),
        note=f"Trial of {_of_trial(path)}, as given{_leak(arrays)}; folds are thirds of the "
        "classes, seed 0.",
    )


def _name_of_trial(path: Path, unseen: np.ndarray, names: tuple[str, ...]) -> str:
    """Return "released 3" for the third split in circulation, else "split 3"."""
    number = int(path.parent.name.rpartition("_")[2])
    known = recognise_actions(names)
    released = action_facts(known).released[number - 1 : number] if known else ()
    same = any(np.array_equal(unseen, each) for each in released)
    return f"{'released' if same else 'split'} {number}"


def _leak(arrays: Mapping[str, np.ndarray]) -> str:
    """Say how many seen test rows the folds of a trial hold, which are not read."""
    held = [arrays[key] for key in ("train_loc", "val_loc") if key in arrays]
    tested = arrays.get("test_seen_loc", np.empty(0, np.int64))
    leaked = np.intersect1d(np.concatenate([*held, np.empty(0, np.int64)]), tested).size
    return f", train_loc and val_loc aside, which hold {leaked:,} test_seen rows" if leaked else ""
