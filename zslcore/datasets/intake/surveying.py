"""Survey of the arrays of files, each with its part, before the import."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from zslcore.datasets.intake.arrays import Array, contents_of
from zslcore.datasets.intake.joining import (
    divide_labels,
    folders_as_labels,
    join_arrays,
    join_classes,
)
from zslcore.datasets.intake.parts import (
    TITLES_OF_PARTS,
    count_classes,
    find_chosen_array,
    guess_parts,
    keys_of_classes,
)
from zslcore.datasets.part_names import PART_OF_NAME, part_or_side
from zslcore.datasets.split_folders import read_split_of_files
from zslcore.datasets.split_lists import SplitList
from zslcore.exceptions import FileRefusedError
from zslcore.names import class_key
from zslcore.texts import clean_text, listed


@dataclass(frozen=True, eq=False)
class Intake:
    """Arrays of files with their parts, before the import.

    ``arrays`` has all arrays, ``parts`` maps each part to its array, and ``unclear`` maps each part
    with several possible arrays to a sentence that names the arrays. ``split`` is the split that
    ``split_files`` list by names of images or classes.
    """

    arrays: tuple[Array, ...]
    parts: Mapping[str, Array]
    unclear: Mapping[str, str] = field(default_factory=dict)
    split: SplitList | None = None
    split_files: frozenset[Path] = frozenset()

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """Rows of a table: file and variable, content, and part in words, or why it has none."""
        used = {id(a): "split" for a in self.arrays if a.contents.path in self.split_files}
        used |= {id(array): TITLES_OF_PARTS[part] for part, array in self.parts.items()}
        rows = [(a.title, a.in_words, used.get(id(a), "not used")) for a in self.arrays]
        files = {id(a.contents): a.contents for a in self.arrays}.values()
        refused = [(file, name, why) for file in files for name, why in file.refused.items()]
        return rows + [
            (f"{file.name}:{clean_text(name, 60)}", clean_text(why, 200), "not read")
            for file, name, why in refused
        ]

    @property
    def sentence(self) -> str:
        """Summary in one line: "features 30 x 7; labels 0 to 4; ...; no split"."""
        words = []
        for part in ("features", "labels", "prototypes", "class_names"):
            if (array := self.parts.get(part)) is not None:
                shape, labels = array.shape, self.parts.get("labels")
                if part == "features" and labels is not None and shape[1] == labels.shape[0]:
                    shape = shape[::-1]  # MATLAB's layout has one image per column
                size = " x ".join(f"{n:,}" for n in shape)
                is_whole = part == "labels" and array.is_whole and array.values is not None
                if is_whole and array.values is not None and array.values.size:
                    size = f"{array.values.min()} to {array.values.max()}"
                words.append(f"{TITLES_OF_PARTS[part]} {size}")
            elif part in self.unclear:
                words.append(f"{TITLES_OF_PARTS[part]} to be chosen")
            elif part != "class_names":
                words.append(f"no {TITLES_OF_PARTS[part]}")
        return "; ".join([*words, "a split" if self.has_split else "no split"])

    @property
    def warning(self) -> str:
        """Sentence on classes of images that have no class embedding; "" if all have one."""
        labels, embeddings, names = (
            self.parts.get(part) for part in ("labels", "prototypes", "class_names")
        )
        if labels is None or labels.values is None or embeddings is None:
            return ""
        classes = np.unique(labels.values)
        if labels.is_text and names is not None and names.values is not None:
            keys = {class_key(str(name)) for name in names.values.ravel()}
            missing = [str(name) for name in classes if class_key(str(name)) not in keys]
            missing_names = listed([clean_text(name, 40) for name in missing], 4)
            return f"Classes without a class embedding: {missing_names}." if missing else ""
        few = labels.is_whole and max(embeddings.shape) < len(classes)
        return f"Images have {len(classes)} classes, and there are fewer embeddings." if few else ""

    @property
    def has_split(self) -> bool:
        """Whether an array defines training and test rows, or unseen classes."""
        parts = {"split", "unseen", "seen"} & self.parts.keys()
        return bool(self.split or parts or self.rows_of_parts())

    @property
    def class_names(self) -> tuple[str, ...]:
        """Class names, from an array of names or from text labels; () without them."""
        for part in ("class_names", "labels"):
            if part in self.parts and (array := self.parts[part]).is_text:
                return tuple(dict.fromkeys(array.names))
        return ()

    @property
    def n_classes(self) -> int:
        """Number of classes, from the class names or the labels; 0 without them."""
        return count_classes(self.parts)

    def rows_of_parts(self) -> dict[str, Array]:
        """Return the arrays of row numbers by part."""
        named = {part: self.parts[part] for part in PART_OF_NAME.values() if part in self.parts}
        trains = {"train", "trainval"} & named.keys()
        return named if trains and len(named) > len(trains) else {}


def survey(paths: Sequence[Path], choices: Mapping[str, str] | None = None) -> Intake:
    """Return the arrays of files, each with its part.

    ``choices`` maps a part of :data:`CHOICES` to "FILE" or "FILE:NAME". Raises a FileRefusedError
    for an unreadable file, and a ParameterError for a choice that names no array.
    """
    arrays = join_arrays([contents_of(path) for path in paths])
    chosen = {part: find_chosen_array(part, text, arrays) for part, text in (choices or {}).items()}
    unclear: dict[str, str] = {}
    parts = guess_parts(arrays, chosen, unclear)

    def lacks_labels() -> bool:
        return "labels" not in {*parts, *unclear}

    if lacks_labels() and (divided := divide_labels(parts.get("features"))):
        arrays = [*divided, *(array for array in arrays if array is not parts["features"])]
        parts = guess_parts(arrays, chosen, unclear)
    if lacks_labels() and (joined := join_classes(arrays, parts)):
        arrays = joined
        unclear.clear()
        parts = guess_parts(arrays, chosen, unclear)
    if lacks_labels() and (folders := folders_as_labels(arrays, parts)):
        arrays, parts = [*arrays, folders], {**parts, "labels": folders}
    return _with_split(Intake(tuple(arrays), parts, unclear))


def _with_split(intake: Intake) -> Intake:
    """Add the split that text files list by names, if no array defines one."""
    of_names = {part: rows for part, rows in intake.rows_of_parts().items() if rows.is_text}
    if intake.has_split and not of_names:
        return intake
    parts = {part: array for part, array in intake.parts.items() if part not in of_names}
    used = {array.contents.path for array in parts.values()}
    texts = [array for array in intake.arrays if array.contents.path not in used]
    files = dict.fromkeys(array.contents.path for array in texts if array.is_text)
    split = None
    with nullcontext() if of_names else suppress(FileRefusedError):
        split = read_split_of_files([*files])
    if split is None or not (split.files or split.sides):
        return replace(intake, parts={**intake.parts, **_listed_side(texts, intake.parts)})
    return replace(intake, parts=parts, split=split, split_files=frozenset(files))


def _listed_side(lists: Sequence[Array], parts: Mapping[str, Array]) -> dict[str, Array]:
    """Return the only list of some of the classes, by the side in its name; {} without one."""
    keys = keys_of_classes(parts)
    listed = [a for a in lists if a.is_among(keys) and 0 < a.shape[0] < len(keys)]
    side = part_or_side(listed[0].name_or_stem) if len(listed) == 1 else ""
    side = {"test": "unseen", "train": "seen", "trainval": "seen"}.get(side, side)
    return {side: listed[0]} if side in ("seen", "unseen") else {}


def add_prototypes(
    paths: Sequence[Path], choices: Mapping[str, str] | None, prototypes: str | Path
) -> tuple[list[Path], dict[str, str]]:
    """Add class embeddings, from the file or array ``prototypes``, to files and choices."""
    text, listed = str(prototypes), {str(path) for path in paths} | {path.name for path in paths}
    file = text if Path(text).is_file() else text.rpartition(":")[0]
    added = [Path(file)] if file not in listed and Path(file).is_file() else []
    chosen = {} if added and file == text else {"prototypes": text}
    return [*paths, *added], {**(choices or {}), **chosen}


def as_table(rows: Iterable[tuple[str, str, str]]) -> str:
    """Return the table of an intake as text, one line per array."""
    listed = [("array", "holds", "part"), *rows]
    widths = [max(len(row[k]) for row in listed) for k in (0, 1)]
    return "\n".join(
        f"  {name:{widths[0]}}  {holds:{widths[1]}}  {part}" for name, holds, part in listed
    )
