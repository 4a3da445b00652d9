"""Folders with lists of classes; the name of each file states the side of its classes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from zslcore.datasets.class_json import is_class_json
from zslcore.datasets.class_lists import parse_class_list, read_class_list
from zslcore.datasets.class_numbers import names_of_lists, names_with_counts
from zslcore.datasets.class_rows import TITLES, are_codes
from zslcore.datasets.part_names import (
    ABBREVIATIONS,
    PART_OF_NAME,
    SEEN,
    UNSEEN,
    VALIDATION,
    part_of_name,
    side_of_stem,
)
from zslcore.datasets.split_files.contents import (
    MAX_BYTES,
    MAX_ITEMS,
    PICKLES,
    YAMLS,
    read_nonblank_lines,
)
from zslcore.datasets.split_files.json_parts import images_and_classes
from zslcore.datasets.split_lists import IMAGE, MAX_NAME_LETTERS, SplitList, is_class_list
from zslcore.datasets.split_numbering import split_of_classes
from zslcore.datasets.split_parts import rows_of_mask
from zslcore.names import LETTER, WORDNET_ID, class_key, squeeze
from zslcore.texts import clean_text, refusal_of
from zslcore.untrusted.client import look_into, read_plain_value

#: Words in the name of a list of seen classes.
SEEN_WORDS = SEEN | {"train", "training", "trainval"}
#: Words in the name of a list of classes that state a side only if no word is a part.
SIDE_OF_DOMAIN = {"source": "seen", **dict.fromkeys(("target", "zero", "zsl"), "unseen")}
#: Words for classes in the name of a list.
NAMES_CLASSES = re.compile(r"class|cls|wnid|synset|categor|prompt")
#: Part that names a class list -> side.
SIDE_OF_PART = {"train": "seen", "trainval": "seen", "val": "val", "test": "unseen"}
#: Side or part that names a class list in another language -> side.
SIDE_OF_SIDE = {**SIDE_OF_PART, "seen": "seen", "unseen": "unseen", "test_unseen": "unseen"}
#: Suffixes of files that may list classes by name.
CLASS_FILES = (".txt", ".csv", ".tsv", ".json", *YAMLS, *PICKLES)
#: Suffixes of files that may list a part of a split.
LISTS = (*CLASS_FILES, ".lst", ".list", ".npy")
#: Question on a list of test classes that has all training classes and more.
ALL_CLASSES_QUESTION = (
    "{} has every training class: these are read as seen test classes of GZSL; or a leak?"
)


@dataclass(frozen=True, slots=True)
class ClassFile:
    """Class list with the side, stage and fold in its file name; without a fold, ``fold`` is 0."""

    path: Path
    side: str
    stage: int = 0
    fold: int = 0

    @property
    def has_validation(self) -> bool:
        """Whether a list of seen classes includes validation classes, by its name."""
        stem = self.path.stem.lower()
        return "trainval" in stem or "train" not in stem

    @property
    def is_superseded(self) -> bool:
        """Whether the list may stay unread without a question: of seen classes, or with a stage."""
        return self.side != "unseen" or self.stage > 0

    @property
    def rank(self) -> tuple[int, bool, bool, int]:
        """Sort key; later stages, lists without a fold and trainval rank higher."""
        stem = self.path.stem.lower()
        return self.stage, not self.fold, "trainval" in stem, -len(stem)


Names = Mapping[ClassFile, tuple[str, ...] | None]


def read_class_files(folder: Path, files: Mapping[str, Path]) -> SplitList | None:
    """Read class lists by the side in their names; the last stage has the test classes.

    The lines of train.txt and test.txt could also be images without file extension, so the note
    says that no line is a file name.
    """
    named = [file for path in files.values() if (file := name_class_list(path))]
    remark = ""
    if not {"seen", "unseen"} <= {file.side for file in named}:
        named = [file for path in files.values() if (file := name_class_list_as_part(path))]
        remark = "; no line is a file name"
    ranked = sorted(named, key=lambda file: file.rank, reverse=True)
    seen, unseen = (
        next((f for f in ranked if f.side == side), None) for side in ("seen", "unseen")
    )
    if not seen or not unseen:
        return None
    lines = [_read_lines_or_items(file.path) for file in named]
    for file, names in zip(named, lines, strict=True):
        if file in (seen, unseen) and not names and file.path.suffix not in (".json", *PICKLES):
            raise refusal_of(file.path, f"a list of {file.side} classes", "an empty list")
    are_arrays = any(file.path.suffix.lower() == ".npy" for file in named)
    read = zip(named, lines if are_arrays else names_of_lists(lines), strict=True)
    lists = {file: _check_names(names) for file, names in read}
    if lists[seen] is None or lists[unseen] is None:
        return None
    questions = []
    if title := _find_shared_title(lists):
        lists = {file: names and names[1:] for file, names in lists.items()}
        text = f"{title!r} begins every list; it is read as the title of a column, not as a class."
        questions.append(text)
    trained, tested = ({class_key(name) for name in lists[file] or ()} for file in (seen, unseen))
    if "test" in unseen.path.stem.lower() and len(trained) > 1 and trained < tested:
        lists[unseen] = tuple(n for n in lists[unseen] or () if class_key(n) not in trained)
        questions.insert(0, ALL_CLASSES_QUESTION.format(clean_text(unseen.path.name, 60)))
    if not are_arrays and (counted := names_with_counts(lines)):
        text = f"The numbers are read as part of the names, although lists share {counted[0]!r}"
        questions.append(f"{text} with other numbers: are they counts of images?")
    split_list = _join_classes(folder, ranked, lists, remark)
    return replace(split_list, questions=(*split_list.questions, *questions))


def _join_classes(
    folder: Path, ranked: Sequence[ClassFile], lists: Names, remark: str
) -> SplitList:
    """Return the split of lists of seen, validation and unseen classes."""
    of_seen = [file for file in ranked if file.side == "seen"]
    of_val = [file for file in ranked if file.side == "val"]
    seen, unseen = of_seen[0], next(file for file in ranked if file.side == "unseen")
    folds = []
    for val in of_val:
        same_fold = [f for f in of_seen if (f.stage, f.fold) == (val.stage, val.fold)]
        train, held_out = lists[same_fold[0] if same_fold else seen], lists[val]
        if held_out and train:
            is_whole = not same_fold or same_fold[0].has_validation
            folds.append(([c for c in train if not is_whole or c not in held_out], held_out))
    trained = list(lists[seen] or [])
    if seen.fold and folds:  # without a list of all seen classes, join the lists of a fold
        trained += [name for name in folds[0][1] if name not in trained]
    read = ", ".join(file.path.name for file in (seen, *of_val, unseen))
    sides = {"seen": trained, "unseen": lists[unseen] or []}
    return split_of_classes(
        clean_text(folder.name), sides, f"lists of classes: {read}{remark}", folds
    )


def _find_shared_title(lists: Names) -> str:
    """Return the first name of all lists if it is the title of a column; else "".

    A title has words of titles, or is the only name that the lists, all tables, share.
    """
    are_tables = all(file.path.suffix.lower() in (".csv", ".tsv") for file in lists)
    firsts = {names[0] for names in lists.values() if names}
    shared = set.intersection(*({*names} for names in lists.values() if names))
    words = {squeeze(word) for first in firsts for word in re.split(r"[\s,;]+", first)}
    is_title = len(firsts) == 1 and (len(words & TITLES) > 1 or (are_tables and firsts == shared))
    return firsts.pop() if is_title else ""


def name_class_list(path: Path) -> ClassFile | None:
    """Return side, stage and fold from the name of a class list; None for other files."""
    stem = path.stem.lower()
    words = {word for word in re.split(r"[^a-z]+", stem) if word}
    words |= {word.removesuffix("classes").removesuffix("class") for word in words}
    words |= {ABBREVIATIONS.get(word) or PART_OF_NAME.get(word, "") for word in words}
    stage = next(iter(re.findall(r"stage_?(\d)", stem)), "")
    fold = next(iter(re.findall(r"(?:class(?:es)?|fold)_?(\d)$", stem)), "")
    names_classes = NAMES_CLASSES.search(stem)
    is_of_classes = names_classes or stage or words & (UNSEEN | SEEN)
    side = SIDE_OF_SIDE.get(side_of_stem(path.stem), "")
    if path.suffix.lower() not in LISTS or not (is_of_classes or side):
        return None
    if names_classes and words.isdisjoint(PART_OF_NAME):
        domains = [side for word, side in SIDE_OF_DOMAIN.items() if word in words]
        words |= {*domains[:1]}
    if side:
        pass
    elif words & VALIDATION:
        side = "" if "seen" in words else "val"
    elif words & UNSEEN or ("test" in words and "seen" not in words):
        side = "unseen"
    elif words & SEEN_WORDS and "test" not in words:
        side = "seen"
    return ClassFile(path, side, int(stage or 0), int(fold or 0)) if side else None


def name_class_list_as_part(path: Path) -> ClassFile | None:
    """Recognise a class list named after a part of a split; None for other lists."""
    is_text = path.suffix.lower() in CLASS_FILES
    side = SIDE_OF_PART.get(part_of_name(path.stem), "") if is_text else ""
    names: Sequence[str] = _read_lines_or_items(path) if side else []
    if path.suffix.lower() in (".csv", ".tsv"):
        names = parse_class_list(names).names
    is_list = is_class_list(names) and all(map(LETTER.search, names))
    are_images = are_codes(names) and not all(map(WORDNET_ID.fullmatch, names))
    return ClassFile(path, side) if is_list and not are_images else None


def _read_lines_or_items(path: Path) -> list[str]:
    """Return the lines of a text, or the names in an array, a JSON or a YAML; [] for other JSON."""
    suffix = path.suffix.lower()
    if suffix == ".npy":
        contents = look_into(path, ("NumPy array",))
        array = contents.arrays.get("array")
        if array is None or array.dtype.kind == "U":
            return list(contents.names("array"))
        return [f"class {c}" for c in rows_of_mask(contents.numbers("array"))]
    if suffix not in (".json", *YAMLS, *PICKLES):
        return read_nonblank_lines(path)
    value = read_plain_value(path, max_bytes=MAX_BYTES, max_items=MAX_ITEMS)
    pairs = images_and_classes(clean_text(path.name), value, of_classes=True)
    if pairs is None and is_class_json(value):
        return list(read_class_list(path, value=value).names)
    return [] if any(image for image, _ in pairs or []) else [name for _, name in pairs or []]


def _check_names(names: Sequence[str]) -> tuple[str, ...] | None:
    """Return the names of a class list; None if they are anything else."""
    is_list = (
        names and max(map(len, names)) <= MAX_NAME_LETTERS and not any(map(IMAGE.search, names))
    )
    return tuple(names) if is_list else None


def read_pairs(folder: Path, files: Mapping[str, Path]) -> SplitList | None:
    """Return the split of compositions in lists such as train_pairs.txt."""
    if not {"train_pairs.txt", "test_pairs.txt"} <= files.keys():
        return None
    train, val, test = (
        read_nonblank_lines(files[name]) if (name := f"{part}_pairs.txt") in files else []
        for part in ("train", "val", "test")
    )
    trained = {*train}
    new, shared = [pair for pair in test if pair not in trained], len(trained & {*test})
    note = "pairs of attribute and object, no images"
    if shared:
        note += f"; {shared} of {len(test)} test pairs are also training pairs, hence seen"
    folds = [(train, [pair for pair in val if pair not in trained])] if val else []
    return split_of_classes(clean_text(folder.name), {"seen": train, "unseen": new}, note, folds)
