"""UCF101 and HMDB51 as released by two groups, in folders of MATLAB files.

BiDiLEL [1]_ released these files for each data set and representation of its videos:

==================================  ==============================================================
``visual_representations/``         ``ucf101_c3d.mat``: ``feature.Data``, cells of matrices, one
                                    row per video, and ``allLabels``, 1-based
``semantic_representations/``       ``ucf101_semantics.mat``: ``attributes``, ``wordvector``, one
                                    row per class
``data_splits/``                    ``ucf101_zsl_splits_51_50.mat``: ``train_class_set`` and
                                    ``test_class_set``, one row per trial, 1 for its classes
==================================  ==============================================================

These files have no class names: the names are those of UCF101 or HMDB51 if the number of videos
agrees in each class, else unknown. I3D features [2]_ were released with the splits of 30 trials in
the xlsa17 layout:

==========================  ========================================================================
``i3d.mat``                 ``features`` D x N, ``labels`` N x 1, 1-based
``split_1/att_splits.mat``  ``att`` (word vectors), ``original_att`` (attributes, UCF101 only),
                            ``allclasses_names``, ``trainval_loc``, ``test_seen_loc`` ... 1-based
==========================  ========================================================================

References
----------
.. [1] Q. Wang, K. Chen, "Zero-shot visual recognition via bidirectional latent embedding", IJCV
   2017; its read-me file describes the layout.
.. [2] D. Mandal et al., "Out-of-distribution detection for generalized zero-shot action
   recognition", CVPR 2019; its program reads this layout.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from zslcore.datasets.base import SPLIT_PARTS, Split
from zslcore.datasets.facts import (
    ACTION_SETS,
    ActionFacts,
    RecognisedBenchmark,
    action_facts,
    recognise_actions,
)
from zslcore.datasets.imports import Recipe, import_name
from zslcore.datasets.release import MakeSplits, ParsedDataset, Release, rows_of_parts, with_folds
from zslcore.datasets.xlsa17 import read_split_arrays
from zslcore.exceptions import FileRefusedError, ParameterError, closest_name, require_known
from zslcore.texts import clean_text, expect
from zslcore.untrusted.client import Role, read_arrays

#: Increased when the same files are read as different data.
REVISION = 1
#: Folders of BiDiLEL's release, at its root or in ``data``.
VISUAL, SEMANTIC, SPLITS = ("visual_representations", "semantic_representations", "data_splits")
#: Name of a representation in the releases -> its pre-training sets.
TRAINED_ON: Mapping[str, tuple[str, ...]] = {
    "idt": ("none",),
    "c3d": ("sports-1m",),
    "googlenet": ("imagenet-1k",),
    "vgg19": ("imagenet-1k",),
    "i3d": ("imagenet-1k", "kinetics-400"),
}
#: Class embedding in this package -> its variables in the two releases.
EMBEDDINGS = {"word2vec": ("wordvector", "att"), "attributes": ("attributes", "original_att")}
#: Name of the folder of a trial.
TRIAL = re.compile(r"split_(\d{1,3})")
#: Maximum number of trials that are read.
MAX_TRIALS = 200


def can_read(path: Path) -> bool:
    """Whether a folder is laid out as one of the two releases."""
    return _bidilel(path) is not None or bool(_trials(path))


def find(
    folder: str | os.PathLike[str],
    features: str | None = None,
    splits: str | None = None,
    embedding: str = "word2vec",
    **unread: object,
) -> Release:
    """Find the files of a release in its folder or in the subfolder ``data``.

    ``features`` names the file of a representation if there are several. ``splits`` names a file of
    trials in BiDiLEL's release, by default the first. ``embedding`` is "word2vec" or "attributes".
    Raises a FileRefusedError for a missing file, or for several files without a choice, and an
    UnknownNameError for another embedding.
    """
    for option in unread:
        raise ParameterError(
            f"A released action folder takes features, splits and embedding; got {option}."
        )
    require_known("class embedding", embedding, EMBEDDINGS)
    folder = Path(folder).resolve()
    semantics: Path | None = None
    if (root := _bidilel(folder)) is None:
        mat_files = [path for path in _mats(folder) if path.name != "att_splits.mat"]
        file, trials = _choose_file(mat_files, features, folder), _trials(folder)
    else:
        file = _choose_file(_mats(root / VISUAL), features, root / VISUAL)
        key = file.stem.partition("_")[0]
        candidates = [p for p in _mats(root / SPLITS) if p.name.startswith(f"{key}_zsl_splits_")]
        named = candidates[0].name if candidates and splits is None else splits
        trials = (_choose_file(candidates, named, root / SPLITS),)
        semantics = _choose_file(_mats(root / SEMANTIC), f"{key}_semantics.mat", root / SEMANTIC)
    options = {"features": file.name, "embedding": embedding}
    options |= {"splits": trials[0].name} if semantics else {}
    sources = [file, *trials, *([semantics] if semantics else [])]
    name = file.stem if "_" in file.stem else f"{folder.name}-{file.stem}"
    name = name if embedding == "word2vec" else f"{name}-{embedding}"
    recipe = Recipe(str(folder), options, sources, REVISION)
    read = partial(_read, folder, file, trials, semantics, embedding)
    return Release(import_name(name), recipe, read)


def _bidilel(folder: Path) -> Path | None:
    for root in (folder, folder / "data"):
        if all((root / name).is_dir() for name in (VISUAL, SEMANTIC, SPLITS)):
            return root
    return None


def _trials(folder: Path) -> tuple[Path, ...]:
    """Return the split files in the order of their trials, also from folders ``*_semantics``."""
    file_of_trial: dict[int, Path] = {}
    inside = sorted(folder.glob("*_semantics")) if folder.is_dir() else []
    for root in [folder, *inside]:
        for path in root.glob("split_*/att_splits.mat"):
            if (number := TRIAL.fullmatch(path.parent.name)) is not None:
                file_of_trial.setdefault(int(number.group(1)), path)
    return tuple(file_of_trial[k] for k in sorted(file_of_trial)[:MAX_TRIALS])


def _mats(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.mat") if path.is_file())


def _choose_file(files: list[Path], name: str | None, folder: Path) -> Path:
    """Return the only file, or the file with the base name of ``name``."""
    if name is None and len(files) == 1:
        return files[0]
    names = [path.name for path in files]
    if name is None or not files:
        raise FileRefusedError(
            f"{clean_text(folder.name)}: expected a single .mat file, or a choice by features= "
            f"(--features) or splits= (--splits); found "
            f"{', '.join(map(clean_text, names[:8])) or 'none'}."
        )
    base_name = Path(name).name
    for path in files:
        if base_name in (path.name, path.stem):
            return path
    raise closest_name(f"file in {clean_text(folder.name)}", base_name, names)


# --- Reading --------------------------------------------------------------------------------------


def _read(
    folder: Path,
    file: Path,
    trials: tuple[Path, ...],
    semantics: Path | None,
    embedding: str,
    into: Path,
) -> ParsedDataset:
    """Read the features in the sandbox, then the classes and trials of the release."""
    matrix, variable = ("feature.Data", "allLabels") if semantics else ("features", "labels")
    roles: dict[str, Role] = {matrix: "rows" if semantics else "columns", variable: "numbers"}
    arrays = read_arrays(file, roles, into).arrays
    labels = arrays[variable]
    if semantics is None:
        prototypes, names, splits = _read_trials(trials, embedding)
    else:
        prototypes, names, splits = _read_bidilel(trials[0], semantics, embedding, labels)
    classes = semantics.name if semantics else _name_of_trial(trials[0])
    return ParsedDataset(
        features=arrays[matrix],
        labels=labels,
        prototypes=prototypes,
        class_names=names,
        splits=splits,
        labels_in=f"{clean_text(file.name)}, variable {variable!r}",
        classes_in=f"{clean_text(classes)}, {embedding}",
        source=f"{clean_text(file.name)} with {embedding} and the splits of "
        f"{clean_text(folder.name)}, as released.",
        usual_pretraining=TRAINED_ON.get(file.stem.rpartition("_")[2].lower(), ()),
    )


def _read_bidilel(
    trials: Path, semantics: Path, embedding: str, labels: np.ndarray
) -> tuple[np.ndarray, tuple[str, ...], MakeSplits]:
    variable = EMBEDDINGS[embedding][0]
    roles: dict[str, Role] = {"train_class_set": "rows", "test_class_set": "rows"}
    prototypes = read_arrays(semantics, {variable: "rows"}).arrays[variable]
    sets = read_arrays(trials, roles).arrays
    train, test = (_members(trials, key, sets[key], len(prototypes)) for key in roles)
    facts = _facts_of_counts(labels, len(prototypes))
    names = facts.class_names if facts else tuple(f"class {c + 1}" for c in range(len(prototypes)))
    return prototypes, names, partial(_class_splits, trials, train, test, facts)


def _class_splits(
    path: Path,
    train: Sequence[np.ndarray],
    test: Sequence[np.ndarray],
    facts: ActionFacts | None,
    labels: np.ndarray,
    benchmark: RecognisedBenchmark | None,
) -> list[Split]:
    """Return one split per trial, from its training and test classes."""
    splits = []
    for k, (seen, unseen) in enumerate(zip(train, test, strict=True), 1):
        shared = np.intersect1d(seen, unseen)
        disjoint = f"no class in both training and test of split {k}"
        expect(not len(shared), path, disjoint, len(shared))
        split = Split.from_rows(
            _name(k, unseen, facts),
            labels,
            trainval=np.flatnonzero(np.isin(labels, seen)),
            test_unseen=np.flatnonzero(np.isin(labels, unseen)),
            note=f"Random split {k} of {clean_text(path.name)}, as given",
        )
        splits.append(with_folds(split, labels, benchmark))
    return splits


def _name(number: int, unseen: np.ndarray, facts: ActionFacts | None) -> str:
    """Return "released 3" if the split equals released split 3, else "split 3"."""
    lists = () if facts is None else facts.released[number - 1 : number]
    same = any(np.array_equal(unseen, released) for released in lists)
    return f"{'released' if same else 'split'} {number}"


def _members(path: Path, variable: str, sets: np.ndarray, n_classes: int) -> list[np.ndarray]:
    where = f"{clean_text(path.name)}, variable {variable!r}"
    wrong = np.setdiff1d(sets, (0, 1))
    got = f"{sets.shape[1]} columns with {', '.join(f'{x:g}' for x in wrong[:3]) or '0 and 1'}"
    is_valid = sets.shape[1] == n_classes and not len(wrong)
    expect(is_valid, where, f"0 or 1 for each of {n_classes} classes", got)
    return [np.flatnonzero(row) for row in sets]


def _facts_of_counts(labels: np.ndarray, n_classes: int) -> ActionFacts | None:
    """Return the data set with these numbers of videos per class; labels start at 1."""
    clipped = np.clip(labels, 0, n_classes + 1)  # labels in a file may be any numbers
    counts = np.bincount(clipped, minlength=n_classes + 2)[1:-1]
    candidates = (action_facts(name) for name in ACTION_SETS)
    return next((facts for facts in candidates if np.array_equal(facts.videos, counts)), None)


def _read_trials(
    trials: Sequence[Path], embedding: str
) -> tuple[np.ndarray, tuple[str, ...], MakeSplits]:
    first: tuple[str, ...] = ()
    arrays_of_trial, prototypes = {}, np.empty((0, 0))
    for path in trials:
        arrays = arrays_of_trial[path] = read_split_arrays(path)
        names, S = _classes_of(path, arrays, EMBEDDINGS[embedding][1])
        if not first:
            first, prototypes = names, S
        classes = f"the classes of {_name_of_trial(trials[0])}"
        expect(names == first, _name_of_trial(path), classes, "other classes")
    return prototypes, first, partial(_trial_splits, arrays_of_trial, first)


def _name_of_trial(path: Path) -> str:
    return f"{clean_text(path.parent.name)}/{path.name}"


def _classes_of(
    path: Path, arrays: Mapping[str, np.ndarray], variable: str
) -> tuple[tuple[str, ...], np.ndarray]:
    for key in (variable, "allclasses_names"):
        variables = ", ".join(sorted(arrays)) or "no known variable"
        expect(key in arrays, _name_of_trial(path), f"the variable {key!r}", variables)
    names, S = tuple(map(str, arrays["allclasses_names"])), arrays[variable]
    expected = f"as many names as columns in {variable!r} ({len(S)})"
    expect(len(names) == len(S), _name_of_trial(path), expected, len(names))
    return names, S


def _trial_splits(
    trials: Mapping[Path, Mapping[str, np.ndarray]],
    names: tuple[str, ...],
    labels: np.ndarray,
    benchmark: RecognisedBenchmark | None,
) -> list[Split]:
    """Return one split per trial."""
    dataset, splits = recognise_actions(names), []
    facts = action_facts(dataset) if dataset else None
    for path, arrays in trials.items():
        trial, number = _name_of_trial(path), int(path.parent.name.rpartition("_")[2])
        rows = rows_of_parts(trial, arrays, SPLIT_PARTS, len(labels))
        has_rows = rows["trainval"].size and rows["test_unseen"].size
        expect(has_rows, trial, "rows in trainval_loc and test_unseen_loc", "none")
        name = _name(number, np.unique(labels[rows["test_unseen"]]), facts)
        note = f"Trial of {trial}, as given{_note_on_leak(arrays)}"
        split = Split.from_rows(name, labels, **rows, note=note)
        splits.append(with_folds(split, labels, benchmark))
    return splits


def _note_on_leak(arrays: Mapping[str, np.ndarray]) -> str:
    """Return a note on test_seen rows in the folds of a trial; such folds are not used."""
    fold_rows = [arrays[key] for key in ("train_loc", "val_loc") if key in arrays]
    tested = arrays.get("test_seen_loc", np.empty(0, np.int64))
    leaked = np.intersect1d(np.concatenate([*fold_rows, np.empty(0, np.int64)]), tested).size
    if not leaked:
        return ""
    return f", but without train_loc and val_loc, which contain {leaked:,} test_seen rows"
