"""The xlsa17 layout: ``res101.mat`` and ``att_splits.mat`` in one folder per data set.

Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of the
good, the bad and the ugly", TPAMI 2019, published features and splits in this layout:

==================  =======  ==================================================================
``features``        D x N    one image per column
``labels``          N x 1    1-based columns of ``att``
``image_files``     N x 1    path of each image's photograph; may be missing
``att``             A x C    one class per column, usually of unit length
``allclasses_names``  C      in the order of ``att``
``trainval_loc``    n x 1    1-based image numbers; also ``test_seen_loc``, ``test_unseen_loc``
``train_loc``       n x 1    the first fold, with ``val_loc``; some copies lack both
==================  =======  ==================================================================

Files of a standard split have no ``test_seen_loc``. Class lists of three folds,
``trainclasses1..3.txt`` and ``valclasses1..3.txt``, are in the same folder or in
``proposed_split/``. Class lists of the standard split are in ``standard_split/``, as is its own
``att_splits.mat``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from zslcore.datasets.base import SPLIT_PARTS, Split, ZSLDataset
from zslcore.datasets.embeddings import read_class_embeddings
from zslcore.datasets.facts import RecognisedBenchmark, fact_sources
from zslcore.datasets.imports import Recipe, import_name
from zslcore.datasets.release import ParsedDataset, Release, rows_of_parts, with_folds
from zslcore.exceptions import FileRefusedError, ParameterError, require_known
from zslcore.texts import clean_text
from zslcore.untrusted.client import Role, Variables, read_arrays, read_lines

#: Increased when the same files give other splits or folds; since 2, the released standard splits
#: and folds are used. Earlier imports are unchanged until they are imported again.
REVISION = 2
FEATURES, SPLITS = "res101.mat", "att_splits.mat"
#: Variables with row numbers, named without ``_loc``: parts, then the first fold.
ROWS = (*SPLIT_PARTS, "train", "val")
#: Required variables of a split file; a standard split has no seen test images.
REQUIRED_VARIABLES = ("att", "allclasses_names", "trainval_loc", "test_unseen_loc")
#: Small variables of the layout; other variables in a file are ignored.
SMALL: dict[str, Role] = {
    **dict.fromkeys([f"{part}_loc" for part in ROWS], "numbers"),
    "labels": "numbers",
    "allclasses_names": "names",
    "att": "columns",
    "original_att": "columns",
}
LISTS = tuple(f"{part}classes{k}.txt" for k in (1, 2, 3) for part in ("train", "val"))
#: Class lists of a standard split; in the archive of AWA1, the first file is named
#: ``trainclasses.txt``.
STANDARD = ("trainvalclasses.txt", "trainclasses.txt", "testclasses.txt")
#: Maximum number of subfolders that are searched for data sets.
MAX_FOLDERS = 20
#: Subfolders of a data set with splits and their class lists.
STANDARD_FOLDERS = ("standard_split", "standard_split_release")
SPLIT_FOLDERS = (*STANDARD_FOLDERS, "proposed_split", "first_release")


def read_xlsa17(
    folder: str | os.PathLike[str],
    features: str = FEATURES,
    splits: str = SPLITS,
    *,
    name: str | None = None,
    prototypes: str | os.PathLike[str] | None = None,
    embedding: str | None = None,
    pretraining: Sequence[str] = (),
) -> ZSLDataset:
    """Read a data set in the xlsa17 layout, importing it on the first call.

    The first call reads the files in the sandbox and stores an import in the data folder. Later
    calls open the import while name, size and modification time of all source files are the same.
    ``load(name)`` also opens it.

    Parameters
    ----------
    folder : folder of the data set, or ``standard_split`` in it
    features, splits : names of the two files in ``folder``, MATLAB 5 or 7.3, or absolute paths;
        the split file may be in one of :data:`SPLIT_FOLDERS`, as in
        ``standard_split/att_splits.mat``
    name : name of the import; by default the name of the folder, followed by the stem of each file
        with another name than in the public archive: ``CUB``, ``CUB-vgg_fc7``,
        ``CUB-vgg_fc7-att_splits_v1``.
    prototypes : file of class embeddings that replace ``att``, in one of the formats of
        :mod:`zslcore.datasets.embeddings`; a path that does not exist is looked up in ``folder``
    embedding : name of one of several embeddings in this file, such as "word2vec"
    pretraining : names of the vocabularies that the features were trained on; ("none",) without
        pre-training

    Returns
    -------
    ZSLDataset
        The first split is read from the split file. Its name is "PS", or "PS v1" if the classes are
        a benchmark's and ``train_loc`` or ``val_loc`` holds rows of ``test_seen_loc``, as in the
        first release. Without seen test rows it is "SS", or "own" if the unseen classes differ from
        the benchmark's. "SS" is added to a proposed split if ``standard_split/`` lists it or the
        classes are a benchmark's (:mod:`zslcore.datasets.facts`); the benchmark's released folds
        are used if the file has no class lists. Row numbers are 0-based and sorted. Folds are
        restricted to rows of ``trainval_loc``, so that no test row can be used for validation.

    Raises
    ------
    FileRefusedError
        When a file is missing, damaged, hostile or not in this layout.
    UnknownNameError
        When a class list names a class that is missing in ``allclasses_names``.
    """
    release = find(folder, features, splits, prototypes=prototypes, embedding=embedding)
    return release.import_dataset(name, pretraining)


def can_read(path: Path) -> bool:
    """Whether a path may be a folder in this layout; :func:`find` reports missing files."""
    return not path.is_file()


def data_sets_in(folder: Path, depth: int = 2) -> list[Path]:
    """Return the folders of data sets below a folder such as the unzipped archive."""
    if not depth or not folder.is_dir() or _look_up(folder, SPLITS):
        return []
    below = [path for path in sorted(folder.iterdir()) if path.is_dir()]
    below = [path for path in below if path.name.lower() not in SPLIT_FOLDERS]
    folders = [path for path in below if _look_up(path, SPLITS)]
    if folders or len(below) > MAX_FOLDERS:
        return folders
    # The archive has its data sets in the subfolder "data".
    inside = [data_sets_in(path, depth - 1) for path in below]
    return [path for paths in inside for path in paths]


def find(
    folder: str | os.PathLike[str],
    features: str = FEATURES,
    splits: str = SPLITS,
    *,
    prototypes: str | os.PathLike[str] | None = None,
    embedding: str | None = None,
) -> Release:
    """Find the files of a data set; see :func:`read_xlsa17`."""
    if embedding is not None and prototypes is None:
        raise ParameterError(
            "embedding= (--embedding) names an embedding in a file of class embeddings; expected "
            "this file as prototypes= (--prototypes); got none."
        )
    layout = _Layout.find(Path(folder), features, splits)
    options: dict[str, str] = {
        "features": _relative_name(layout.folder, features),
        "splits": _relative_name(layout.folder, splits),
    }
    if prototypes is not None:
        prototypes_file = Path(prototypes)
        prototypes_file = (
            prototypes_file if prototypes_file.exists() else layout.folder / prototypes_file
        )
        layout = replace(layout, prototypes=prototypes_file.resolve(), embedding=embedding)
        options |= {"prototypes": str(prototypes_file.resolve())}
        options |= {"embedding": embedding} if embedding is not None else {}
    recipe = Recipe(str(layout.folder), options, layout.sources(), REVISION)
    return Release(layout.default_name(), recipe, partial(_read, layout))


def read_split_arrays(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """Read the small variables of a split or label file unchanged, for an audit.

    Row numbers and labels are int64 of shape (n,), **1-based and in file order**; ``att`` and
    ``original_att`` are float32 of shape (n_classes, n_attributes), and ``allclasses_names`` texts.
    Missing variables are left out, and values are not checked.
    """
    read = read_arrays(path, SMALL, required=())
    return read.arrays | {name: np.array(names) for name, names in read.names.items()}


@dataclass(frozen=True)
class _Layout:
    folder: Path
    features: Path
    splits: Path
    lists: dict[str, Path]
    standard: dict[str, Path]
    predicates: Path | None
    prototypes: Path | None = None
    embedding: str | None = None

    @classmethod
    def find(cls, folder: Path, features: str, splits: str) -> _Layout:
        folder = _look_up(folder.parent, folder.name) or folder
        if not folder.is_dir():
            raise FileRefusedError(
                f"{folder}: expected a folder with {features} and {splits}; found none."
            )
        folder = folder.resolve()
        features, splits = _relative_name(folder, features), _relative_name(folder, splits)
        if folder.name.lower() in SPLIT_FOLDERS and not _look_up(folder, features):
            folder, splits = folder.parent, f"{folder.name}/{splits}"
        splits_file = _find_required(folder, splits, "splits")
        lists_folder = splits_file.parent  # folder of the split's class lists
        if lists_folder == folder:
            lists_folder = _look_up(folder, "proposed_split") or folder
        folders = [path for name in STANDARD_FOLDERS if (path := _look_up(folder, name))]
        standard: dict[str, Path] = {}
        for path in folders:
            standard = _find_present(path, (*STANDARD, *LISTS)) | standard
        predicates = (_look_up(path, "predicates.txt") for path in [*folders, folder])
        return cls(
            folder=folder,
            features=_find_required(folder, features, "features"),
            splits=splits_file,
            lists=_find_present(lists_folder, LISTS),
            standard=standard,
            predicates=next(filter(None, predicates), None),
        )

    def sources(self) -> list[Path]:
        optional = [*self.lists.values(), *self.standard.values(), self.predicates, self.prototypes]
        return [self.features, self.splits, *filter(None, dict.fromkeys(optional))]

    def default_name(self) -> str:
        """Return a name from the folder and those files that are not named as in the archive.

        A benchmark is spelled as in its paper, although the public archive has aPY in the folder
        APY.
        """
        unusual = [self.features.stem] if self.features.name.lower() != FEATURES else []
        if self.splits.parent != self.folder:
            unusual.append(self.splits.parent.name)
        if self.splits.name.lower() != SPLITS:
            unusual.append(self.splits.stem)
        if self.prototypes is not None:
            unusual.append(self.embedding or self.prototypes.stem)
        spelled = {name.lower(): name for name in fact_sources()}
        name = spelled.get(self.folder.name.lower(), self.folder.name)
        return import_name("-".join([name, *unusual]))


def _look_up(folder: Path, name: str) -> Path | None:
    """Find ``name`` in ``folder``, as it is spelled or else ignoring case."""
    if (folder / name).exists():
        return folder / name
    if not folder.is_dir():
        return None
    return next((path for path in folder.iterdir() if path.name.lower() == name.lower()), None)


def _relative_name(folder: Path, name: str) -> str:
    """Return an absolute path relative to ``folder`` if it is inside, else unchanged."""
    path = Path(name)
    if not path.is_absolute():
        return name
    path = path.parent.resolve() / path.name  # do not resolve a link that is itself in the folder
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)


def _find_required(folder: Path, name: str, option: str) -> Path:
    if Path(name).is_absolute() and Path(name).is_file():
        return Path(name)
    where, _, file = name.rpartition("/")
    inside: Path | None = folder
    if where:
        inside = _look_up(folder, where) if where.lower() in SPLIT_FOLDERS else None
    path = _look_up(inside, file) if inside and Path(file).name == file else None
    if path is None:
        mat_files = ", ".join(sorted(clean_text(p.name) for p in folder.glob("*.mat"))[:8])
        raise FileRefusedError(
            f"{folder}: expected the {option} in {name!r}; found {mat_files or 'no .mat file'}; "
            f"say which file to read with {option}= (--{option})."
        )
    return path


def _find_present(folder: Path, names: tuple[str, ...]) -> dict[str, Path]:
    paths = ((name, _look_up(folder, name)) for name in names)
    return {name: path for name, path in paths if path}


def _read(layout: _Layout, into: Path) -> ParsedDataset:
    """Read all files of a data set; features are mapped from ``features.npy`` in ``into``."""
    roles: dict[str, Role] = {"features": "columns", "labels": "numbers"}
    images = read_arrays(layout.features, roles, into).arrays
    roles = {key: SMALL[key] for key in SMALL if key not in ("labels", "original_att")}
    tables = read_arrays(layout.splits, roles, required=REQUIRED_VARIABLES)
    prototypes, names = tables.arrays["att"], tables.names["allclasses_names"]
    dimensions: tuple[str, ...] = ()
    source = f"{layout.features.name} and {layout.splits.name} from {layout.folder.name}"
    if layout.prototypes is not None:
        embeddings = read_class_embeddings(layout.prototypes, layout.embedding, layout.standard)
        prototypes, dimensions = embeddings.of(names), embeddings.names
        of_embedding = f"{layout.embedding} of " if layout.embedding else ""
        source += f", class embeddings {of_embedding}{embeddings.file}"
    return ParsedDataset(
        features=images["features"],
        labels=images["labels"],
        prototypes=prototypes,
        class_names=names,
        splits=partial(_splits, layout, tables),
        labels_in=f"{layout.features.name}, variable 'labels'",
        classes_in=f"{layout.splits.name}, variables 'att' and 'allclasses_names'",
        source=f"{source}, imported from the xlsa17 layout.",
        attribute_names=dimensions or _attribute_names(layout.predicates, prototypes.shape[1]),
        image_files=_image_files(layout.features, len(images["labels"])),
    )


def _image_files(path: Path, n: int) -> tuple[str, ...]:
    """Return the photograph of each image; () if unreadable, since no metric depends on it."""
    try:
        read = read_arrays(path, {"image_files": "paths"}, required=())
    except FileRefusedError:
        return ()
    names = read.names.get("image_files", ())
    return names if len(names) == n else ()


def _splits(
    layout: _Layout, tables: Variables, labels: np.ndarray, benchmark: RecognisedBenchmark | None
) -> list[Split]:
    """Build the split in the file, and the standard split if known."""
    names, file = tables.names["allclasses_names"], layout.splits.name
    rows = rows_of_parts(file, tables.arrays, ROWS, len(labels))
    proposed = Split.from_rows("PS", labels, **{part: rows[part] for part in SPLIT_PARTS}, note="")
    standard: list[Split] = []
    if "test_seen_loc" not in tables.arrays:
        is_standard = benchmark is None or np.array_equal(
            proposed.unseen_classes, benchmark.test_classes("SS")
        )
        name, title = ("SS", "Standard split") if is_standard else ("own", "Split")
        note = f"{title} from {file}; no test rows of seen classes"
    else:
        standard = _standard_split(layout, names, labels, benchmark)
        name, note = "PS", f"Proposed split from {file}"
        leaked = np.isin(rows["test_seen"], np.concatenate([rows["train"], rows["val"]])).sum()
        if leaked:
            # Only benchmarks have a first release; the same fault in other data has no name.
            name = "PS v1" if benchmark else "PS"
            title = "First release of the proposed split, from" if benchmark else "Split from"
            note = (
                f"{title} {file}: its train_loc and val_loc hold {leaked:,} of "
                f"{len(rows['test_seen']):,} test_seen rows, which are left out here"
            )
    file_split, listed = (
        replace(proposed, name=name, note=note),
        folds_of_lists(layout.lists, names),
    )
    return [
        with_folds(file_split, labels, benchmark, listed, rows, ", trainval rows only"),
        *standard,
    ]


def folds_of_lists(lists: Mapping[str, Path], names: Sequence[str]) -> list[tuple[list[int], ...]]:
    """Return the training and validation classes of each fold for which both lists are given."""
    pairs = [(f"trainclasses{k}.txt", f"valclasses{k}.txt") for k in (1, 2, 3)]
    return [
        tuple(classes_of_list(lists[name], names) for name in pair)
        for pair in pairs
        if lists.keys() >= set(pair)
    ]


def classes_of_list(path: Path, names: Sequence[str]) -> list[int]:
    """Return the numbers of listed classes; UnknownNameError for a class not in ``names``."""
    number = {name: i for i, name in enumerate(names)}
    listed = read_lines(path)
    for name in listed:
        require_known(f"class in {path.name}", name, number)
    return [number[name] for name in listed]


def _standard_split(
    layout: _Layout,
    names: tuple[str, ...],
    labels: np.ndarray,
    benchmark: RecognisedBenchmark | None,
) -> list[Split]:
    """Build the standard split if known; all rows of its training classes are training rows."""
    train_list = next((name for name in STANDARD[:2] if name in layout.standard), None)
    listed = []
    if train_list and "testclasses.txt" in layout.standard:
        train, test = (
            np.array(classes_of_list(layout.standard[name], names), int)
            for name in (train_list, "testclasses.txt")
        )
        source = "the class lists in standard_split"
        listed = folds_of_lists(layout.standard, names)
    elif benchmark:
        test = benchmark.test_classes("SS")
        train = np.setdiff1d(np.arange(len(names)), test)
        source = "the benchmark's own class lists"
    else:
        return []
    trained = Split.from_rows(
        "SS",
        labels,
        trainval=np.flatnonzero(np.isin(labels, train)),
        test_unseen=np.flatnonzero(np.isin(labels, test)),
        note=f"Standard split from {source}; no test rows of seen classes",
    )
    return [with_folds(trained, labels, benchmark, listed)]


def _attribute_names(path: Path | None, n: int) -> tuple[str, ...]:
    """Return the names in ``predicates.txt`` (number, name); () unless one per attribute."""
    names = [line.split(maxsplit=1)[-1] for line in read_lines(path)] if path else []
    return tuple(names) if len(names) == n else ()
