"""The field's own layout: ``res101.mat`` and ``att_splits.mat`` in one folder per data set.

Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of the
good, the bad and the ugly", TPAMI 2019, published its features and splits so:

==================  =======  ============================================================
``features``        D x N    one image per column
``labels``          N x 1    1-based columns of ``att``
``att``             A x C    one class per column, usually of unit length
``allclasses_names``  C      in the order of ``att``
``trainval_loc``    n x 1    1-based images, as ``test_seen_loc`` and ``test_unseen_loc``
``train_loc``       n x 1    the first fold, as ``val_loc``; some copies have neither
==================  =======  ============================================================

Beside them lie lists of class names, here or in ``proposed_split/``: ``trainclasses1..3.txt`` and
``valclasses1..3.txt`` for three folds; AWA1 also has a ``standard_split/``.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zslcore.datasets import imports
from zslcore.datasets.base import Fold, Split, ZSLDataset
from zslcore.datasets.door import Role, Variables, clean_text, read_arrays, read_lines
from zslcore.datasets.facts import standard_test_classes
from zslcore.datasets.folds import class_folds
from zslcore.exceptions import FileRefusedError, closest_name

__all__ = ["read_split_arrays", "read_xlsa17"]

FEATURES, SPLITS = "res101.mat", "att_splits.mat"
PARTS = ("trainval_loc", "test_seen_loc", "test_unseen_loc")
FOLD_PARTS = ("train_loc", "val_loc")
#: Every variable of the layout that is small; anything else in a file is ignored.
SMALL: dict[str, Role] = {
    **dict.fromkeys((*PARTS, *FOLD_PARTS, "labels"), "numbers"),
    "allclasses_names": "names",
    "att": "columns",
    "original_att": "columns",
}
LISTS = tuple(f"{part}classes{k}.txt" for k in (1, 2, 3) for part in ("train", "val"))
STANDARD = ("trainclasses.txt", "testclasses.txt")


def read_xlsa17(
    folder: str | os.PathLike[str],
    features: str = FEATURES,
    splits: str = SPLITS,
    *,
    name: str | None = None,
) -> ZSLDataset:
    """Read a data set in the field's layout, importing it on the first call.

    The first call reads the files through :mod:`zslcore.datasets.door` and keeps read-only maps in
    the data folder; later calls open those, as long as name, size and modification time of every
    source are the same. The data set can then also be had by ``load(name)``.

    Parameters
    ----------
    folder : path of the data set's folder
    features, splits : names of the two files in it, MATLAB 5 or 7.3
    name : str, optional
        Name of the import. By default the folder's, followed by the stem of every file that is not
        called as in the public archive: ``CUB``, ``CUB-vgg_fc7``, ``CUB-vgg_fc7-att_splits_v1``.

    Returns
    -------
    ZSLDataset
        Its splits are "PS", or "PS v1" when ``train_loc`` and ``val_loc`` hold rows of
        ``test_seen_loc`` as in the first release, and "SS" where ``standard_split/`` lists it or
        the classes are those of AWA, CUB or aPY.
        Row numbers are 0-based and sorted. Folds keep rows of ``trainval_loc`` only, whatever
        their lists say, so that no test row can be validated on.

    Raises
    ------
    FileRefusedError
        When a file is missing, damaged, hostile or not in this layout.
    UnknownNameError
        When a class list names a class that ``allclasses_names`` does not have.
    """
    layout = _Layout.find(Path(folder), features, splits)
    name = name or layout.default_name()
    recipe = imports.Recipe(
        path=str(layout.folder),
        options={"features": features, "splits": splits},
        sources=layout.sources(),
    )
    return imports.keep(name, recipe, lambda into: _read(layout, name, into))


def read_split_arrays(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """Read the small variables of a split or label file as they are stored, for an audit.

    Parameters
    ----------
    path : a ``.mat`` file of the layout, or an HDF5 or NumPy archive with the same names

    Returns
    -------
    dict
        Those of ``trainval_loc``, ``test_seen_loc``, ``test_unseen_loc``, ``train_loc``,
        ``val_loc`` and ``labels`` that are there, as int64 arrays of shape (n,), **1-based and in
        file order**; ``att`` and ``original_att`` as float32 of shape (n_classes, n_attributes);
        ``allclasses_names`` as an array of texts. Nothing is judged.
    """
    with tempfile.TemporaryDirectory() as folder:
        read = read_arrays(path, SMALL, Path(folder), required=())
        texts = {name: np.array(names) for name, names in read.names.items()}
        return {name: np.array(values) for name, values in read.arrays.items()} | texts


@dataclass(frozen=True)
class _Layout:
    """Where the files of one data set lie."""

    folder: Path
    features: Path
    splits: Path
    lists: dict[str, Path]
    standard: dict[str, Path]
    predicates: Path | None

    @classmethod
    def find(cls, folder: Path, features: str, splits: str) -> _Layout:
        folder = _look_up(folder.parent, folder.name) or folder
        if not folder.is_dir():
            raise FileRefusedError(f"{folder}: expected a folder with {features} and {splits}.")
        folder = folder.resolve()
        proposed = _look_up(folder, "proposed_split") or folder
        standard = _look_up(folder, "standard_split")
        return cls(
            folder=folder,
            features=_required(folder, features, "features"),
            splits=_required(folder, splits, "splits"),
            lists=_present(proposed, LISTS),
            standard=_present(standard, STANDARD) if standard else {},
            predicates=_look_up(standard or folder, "predicates.txt"),
        )

    def sources(self) -> list[Path]:
        """Return every file that the data set is read from."""
        optional = [*self.lists.values(), *self.standard.values(), self.predicates]
        return [self.features, self.splits, *filter(None, optional)]

    def default_name(self) -> str:
        """Name the data set after its folder and whatever is unusual about its files."""
        unusual = [
            path.stem
            for path, usual in ((self.features, FEATURES), (self.splits, SPLITS))
            if path.name.lower() != usual
        ]
        return imports.import_name("-".join([self.folder.name, *unusual]))


def _look_up(folder: Path, name: str) -> Path | None:
    """Find ``name`` in ``folder``, in any case of letters if not as it is written."""
    if (folder / name).exists():
        return folder / name
    if not folder.is_dir():
        return None
    return next((path for path in folder.iterdir() if path.name.lower() == name.lower()), None)


def _required(folder: Path, name: str, what: str) -> Path:
    path = _look_up(folder, name) if Path(name).name == name else None
    if path is None:
        there = ", ".join(sorted(clean_text(p.name) for p in folder.glob("*.mat"))[:8])
        raise FileRefusedError(
            f"{folder}: expected the {what} in {name!r}, found {there or 'no .mat file'}; "
            f"say which file to read with {what}= (--{what})."
        )
    return path


def _present(folder: Path, names: tuple[str, ...]) -> dict[str, Path]:
    found = ((name, _look_up(folder, name)) for name in names)
    return {name: path for name, path in found if path}


def _read(layout: _Layout, name: str, into: Path) -> ZSLDataset:
    """Read every file of a data set; ``features.npy`` stays in ``into`` as a map."""
    wanted: dict[str, Role] = {"features": "columns", "labels": "numbers"}
    images = read_arrays(layout.features, wanted, into).arrays
    required = ("att", "allclasses_names", *PARTS)
    with tempfile.TemporaryDirectory() as folder:
        wanted = {key: SMALL[key] for key in (*required, *FOLD_PARTS)}
        tables = read_arrays(layout.splits, wanted, Path(folder), required=required)
        tables.arrays["att"] = np.array(tables.arrays["att"])  # its map ends with the folder
    labels = _labels(layout, images, tables)
    prototypes, names = tables.arrays["att"], tables.names["allclasses_names"]
    return ZSLDataset(
        name=name,
        features=images["features"],
        labels=labels,
        prototypes=prototypes,
        class_names=names,
        attribute_names=_attribute_names(layout.predicates, prototypes.shape[1]),
        splits=[
            _proposed_split(layout, tables, labels),
            *_standard_split(layout, names, labels),
        ],
        source=f"{layout.features.name} and {layout.splits.name} from {layout.folder.name}, "
        f"imported from the xlsa17 layout.",
    )


def _labels(layout: _Layout, images: dict[str, np.ndarray], tables: Variables) -> np.ndarray:
    """Return 0-based labels after comparing every size with every other."""
    labels, (n, _) = images["labels"], images["features"].shape
    n_classes, n_names = len(tables.arrays["att"]), len(tables.names["allclasses_names"])
    if len(labels) != n:
        raise FileRefusedError(
            f"{layout.features.name}: expected features of D x {len(labels)}, one column per "
            f"label, got {images['features'].shape[1]} x {n}."
        )
    if n_names != n_classes:
        raise FileRefusedError(
            f"{layout.splits.name}: expected as many names in allclasses_names as columns in att "
            f"({n_classes}), got {n_names}."
        )
    _require_range(layout.features, "labels", labels, n_classes, "columns of att")
    return labels - 1


def _require_range(path: Path, variable: str, values: np.ndarray, n: int, what: str) -> None:
    """Refuse 1-based numbers outside 1..n."""
    outside = values[(values < 1) | (values > n)]
    if outside.size:
        hint = "; are they 0-based?" if outside.max() == 0 else ""
        raise FileRefusedError(
            f"{path.name}, variable {variable!r}: expected numbers 1..{n} ({what}), "
            f"got {outside[0]} ({outside.size} outside){hint}."
        )


def _rows(layout: _Layout, tables: Variables, n: int) -> dict[str, np.ndarray]:
    """Return 0-based, sorted rows of every part; parts that are missing are empty."""
    rows = {}
    for part in (*PARTS, *FOLD_PARTS):
        values = tables.arrays.get(part, np.empty(0, np.int64))
        _require_range(layout.splits, part, values, n, "images")
        rows[part.removesuffix("_loc")] = np.sort(values) - 1
    return rows


def _proposed_split(layout: _Layout, tables: Variables, labels: np.ndarray) -> Split:
    """Build the split that the file holds, with folds that keep to its trainval rows."""
    rows = _rows(layout, tables, len(labels))
    leaked = np.isin(rows["test_seen"], np.concatenate([rows["train"], rows["val"]])).sum()
    folds, origin = _folds(layout, tables.names["allclasses_names"], labels, rows)
    note = f"Proposed split from {layout.splits.name}; folds from {origin}, trainval rows only."
    if leaked:
        note = (
            f"First release of the proposed split, from {layout.splits.name}: its train_loc and "
            f"val_loc hold {leaked:,} of {len(rows['test_seen']):,} test_seen rows, which are left "
            f"out here; folds from {origin}, trainval rows only."
        )
    return Split.from_rows(
        "PS v1" if leaked else "PS",
        labels,
        trainval=rows["trainval"],
        test_seen=rows["test_seen"],
        test_unseen=rows["test_unseen"],
        folds=folds,
        note=note,
    )


def _folds(
    layout: _Layout, names: tuple[str, ...], labels: np.ndarray, rows: dict[str, np.ndarray]
) -> tuple[list[Fold], str]:
    """Build folds from class lists, else from train_loc and val_loc, else from thirds of classes.

    Whatever the source, a fold keeps rows of trainval only: lists and early files reach further.
    """
    trainval, lists = rows["trainval"], layout.lists
    pairs = [(f"trainclasses{k}.txt", f"valclasses{k}.txt") for k in (1, 2, 3)]
    folds = [
        Fold(*(trainval[np.isin(labels[trainval], _listed(lists[name], names))] for name in pair))
        for pair in pairs
        if lists.keys() >= set(pair)
    ]
    if folds:
        return folds, f"{len(folds)} pairs of class lists"
    if len(rows["train"]) and len(rows["val"]):
        parts = (trainval[np.isin(trainval, rows[part])] for part in ("train", "val"))
        return [Fold(*parts)], "train_loc and val_loc"
    return class_folds(labels, trainval), "thirds of the classes drawn with seed 0"


def _listed(path: Path, names: tuple[str, ...]) -> list[int]:
    """Return the class numbers that a list of class names means."""
    number = {name: i for i, name in enumerate(names)}
    listed = read_lines(path)
    for name in listed:
        if name not in number:
            raise closest_name(f"class in {path.name}", name, names)
    return [number[name] for name in listed]


def _standard_split(layout: _Layout, names: tuple[str, ...], labels: np.ndarray) -> list[Split]:
    """Build the standard split, if it is known: all rows of its training classes, none tested."""
    if len(layout.standard) == len(STANDARD):
        train, test = (np.array(_listed(layout.standard[name], names), int) for name in STANDARD)
        source = "the class lists in standard_split"
    else:
        test = np.array(standard_test_classes(names), int)
        train = np.setdiff1d(np.arange(len(names)), test)
        source = "the benchmark's own class lists"
    if not len(test):
        return []
    trainval = np.flatnonzero(np.isin(labels, train))
    split = Split.from_rows(
        "SS",
        labels,
        trainval=trainval,
        test_seen=[],
        test_unseen=np.flatnonzero(np.isin(labels, test)),
        folds=class_folds(labels, trainval),
        note=f"Standard split from {source}; no seen test rows; folds are thirds of the classes "
        "drawn with seed 0.",
    )
    return [split]


def _attribute_names(path: Path | None, n: int) -> tuple[str, ...]:
    """Return the names in ``predicates.txt`` (number, name) if they are as many as attributes."""
    names = [line.split(maxsplit=1)[-1] for line in read_lines(path)] if path else []
    return tuple(names) if len(names) == n else ()
