"""Folders with lists of images: one list for each part or class, or the lists of a data set."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets.part_names import (
    FEATURE_WORDS,
    SEEN,
    UNSEEN,
    VALIDATION,
    part_of_file,
    part_of_labels,
    trains_and_tests,
)
from zslcore.datasets.split_files.arrays import split_of_arrays
from zslcore.datasets.split_files.contents import (
    MAX_BYTES,
    MAX_HEAD,
    read_json,
    read_nonblank_lines,
)
from zslcore.datasets.split_folders.trees import choose_by_part, names_in
from zslcore.datasets.split_lists import (
    IMAGE_IN_LINE,
    SUFFIX,
    Entries,
    SplitList,
    are_class_paths,
    is_class_list,
    join_first_names,
    parent_folder,
    parse_image_lines,
)
from zslcore.texts import clean_text, expect, match_all, refusal_of
from zslcore.untrusted.client import look_into, read_head

#: Suffixes of lists of images.
IMAGE_LISTS = (".txt", ".lst", ".npy")
#: Name of the first of several lists of a part.
FIRST_LIST = re.compile(r"(train|val|test)(?:_?list(?:_?0?1)?|1)", re.IGNORECASE)
#: Line with a folder of frames, the number of frames, and a label.
FRAMES = re.compile(r"\S+/\S+(\s\d+){2}")
#: Image of Oxford-IIIT Pet: its class and a number, then numbers of class, species and breed.
PET = re.compile(r"((\S+)_\d+)(?: \d+){3}")
#: Name of a list of FGVC-Aircraft, with the number and the class of an image in each line.
AIRCRAFT = re.compile(r"images_variant_(train|val|trainval|test)\.txt", re.IGNORECASE)
#: Name of an example: its class, then a number.
NUMBERED = re.compile(rf"([A-Za-z][\w ]*?)_\d{{3,6}}(?:{SUFFIX})?", re.IGNORECASE)
#: Files of CloserLookFewShot by part.
FEW_SHOT = {"train": "base.json", "val": "val.json", "test_unseen": "novel.json"}
#: Files of CUB-200-2011.
CUB = ("images.txt", "image_class_labels.txt", "train_test_split.txt", "classes.txt")
#: Name of a list of HMDB51.
MARKED_LIST = re.compile(r"(.+)_test_split([0-9])", re.IGNORECASE)
#: Mark after an image of HMDB51 -> its part.
PART_OF_MARK = {"0": "", "1": "train", "2": "test"}
#: Pattern of a key in COCO annotations.
COCO = re.compile(r'"(images|annotations|categories)"\s*:\s*\[')
#: Words in the name of annotations of training images.
TRAINING_WORDS = SEEN | {"train", "training", "trainval"}
#: Example of a JSON of classes, for refusals.
CLASSES_BY_PART = '{"train": ["dog"], "test": ["fox"]}'
#: Question on unread files.
UNREAD = "Not read, and not checked: {}."


def read_image_lists(folder: Path) -> Entries | None:
    """Return the entries of one list of images for each part; None for lists of classes.

    Lists of UCF101 and HMDB51 are named trainlist01.txt to trainlist03.txt; the first is read. The
    part may also be one of the words of a name, as in ``kinetics400_train_list.txt``.
    """
    texts = [folder / name for name in names_in(folder) if name.lower().endswith(IMAGE_LISTS)]
    texts = [path for path in texts if path.is_file()]
    firsts = [(match[1], path) for path in texts if (match := FIRST_LIST.fullmatch(path.stem))]
    paths = choose_by_part(
        folder, [*((path.stem, path) for path in texts), *firsts]
    ) or choose_by_part(
        folder, ((part_of_file(path.stem), path) for path in texts if _begins_with_images(path))
    )
    lists = {
        part: _write_in_folders([line for line in read_nonblank_lines(path) if line[0] != "#"])
        for part, path in paths.items()
    }
    for part, path in paths.items():
        is_empty = not lists[part] and part != "val" and path.suffix != ".npy"
        expect(not is_empty, path, "a list of images or classes", "an empty list")
    lists = {part: lines for part, lines in lists.items() if lines or part != "val"}
    has_numbers = any(path.suffix == ".npy" and not lists.get(part) for part, path in paths.items())
    are_classes = all(map(is_class_list, lists.values())) or are_class_paths(
        [line for lines in lists.values() for line in lines]
    )
    if not lists or has_numbers or are_classes:
        return None
    entries = Entries(note=f"lists {', '.join(path.name for path in paths.values())}")
    for part, lines in lists.items():
        entries[part] = parse_image_lines(clean_text(paths[part].name), lines)
    return entries


def _begins_with_images(path: Path) -> bool:
    is_text = part_of_file(path.stem) and path.suffix.lower() != ".npy"
    head = read_head(path, MAX_HEAD) if is_text else []
    are_images = all(IMAGE_IN_LINE.match(line) or FRAMES.fullmatch(line) for line in head[:2])
    return bool(head) and (are_images or head != _write_in_folders(head))


def _write_in_folders(lines: list[str]) -> list[str]:
    """Put examples without folders, such as ``chair_0001``, into folders named after classes."""
    lines = [line[1:-1] if line[:1] == line[-1:] == '"' else line for line in lines]
    if pets := match_all(PET, lines):
        return [f"{match[2]}/{match[1]}.jpg" for match in pets]
    names = [match[1] for match in map(NUMBERED.fullmatch, lines) if match]
    are_numbered = len(names) == len(lines) and 2 < 2 * len({*names}) <= len(names)
    are_numbered = are_numbered and any("_0" in line for line in lines)  # unlike years and models
    return [f"{n}/{x}" for n, x in zip(names, lines, strict=True)] if are_numbered else lines


def read_few_shot(folder: Path, files: Mapping[str, Path]) -> Entries | None:
    """Return the entries of the lists of CloserLookFewShot."""
    paths = {part: files[name] for part, name in FEW_SHOT.items() if name in files}
    if not {"train", "test_unseen"} <= paths.keys():
        return None
    names = ", ".join(FEW_SHOT[part] for part in paths)
    return Entries(
        {part: _read_labelled_images(path) for part, path in paths.items()},
        note=f"{names}: base classes are seen, novel classes unseen",
    )


def _read_labelled_images(path: Path) -> list[tuple[str, str]]:
    value: Any = read_json(path)
    expected = "a JSON file with image_names and image_labels of equal length"
    fields = value if isinstance(value, dict) else {}
    images, labels, names = (
        fields.get(f"{name}s") for name in ("image_name", "image_label", "label_name")
    )
    if not isinstance(images, list) or not isinstance(labels, list):
        raise refusal_of(path, expected, "other JSON")
    expect(len(images) == len(labels), path, expected, f"{len(images)} and {len(labels)}")
    expect(all(isinstance(image, str) for image in images), path, "image names", "other values")
    name_of = dict(enumerate(names)) if isinstance(names, list) else {}
    classes = [name_of.get(label, label) if type(label) is int else label for label in labels]
    return [*zip(images, map(str, classes), strict=True)]


def read_cub(folder: Path, files: Mapping[str, Path]) -> Entries | None:
    """Return the entries of the lists of CUB-200-2011."""
    if not {CUB[0], CUB[2]} <= files.keys():
        return None
    images, labels, trains, classes = (
        dict(line.partition(" ")[::2] for line in read_nonblank_lines(files[name]))
        if name in files
        else {}
        for name in CUB
    )
    entries = Entries({"train": [], "test": []}, note="train_test_split.txt of CUB-200-2011")
    for number, image in images.items():
        name = classes.get(labels.get(number, ""), "") if classes else parent_folder(image)
        expected = f"a class and 0 or 1 for image {clean_text(number, 20)}"
        expect(name and trains.get(number) in ("0", "1"), folder, expected, "none")
        entries["train" if trains[number] == "1" else "test"].append((image, name))
    return entries


def read_aircraft(folder: Path, files: Mapping[str, Path]) -> Entries | None:
    """Return the entries of the lists of FGVC-Aircraft."""
    entries = Entries(note="images_variant lists of FGVC-Aircraft")
    for name, path in files.items():
        if match := AIRCRAFT.fullmatch(name):
            pairs = (line.partition(" ")[::2] for line in read_nonblank_lines(path))
            entries[match[1]] = [(f"{number}.jpg", variant) for number, variant in pairs]
    if "trainval" in entries:
        entries = entries.with_parts({part: entries[part] for part in ("trainval", "test")})
    return entries if trains_and_tests(entries) else None


def read_annotations(folder: Path, files: Mapping[str, Path]) -> Entries | None:
    """Return the entries of annotations in COCO's format; the names of files state the part."""
    paths: dict[str, list[Path]] = {}
    for path in files.values():
        head = read_head(path, MAX_HEAD, cut=True) if path.suffix.lower() == ".json" else [""]
        if "".join(head).lstrip()[:1] == "{" and any(map(COCO.search, head)):
            paths.setdefault(_find_part_of_annotations(path.stem), []).append(path)
    unread = paths.pop("", [])
    if not trains_and_tests(paths):
        return None
    names = {
        part: join_first_names([clean_text(path.name, 60) for path in of_part])
        for part, of_part in paths.items()
    }
    expect(len(paths["train"]) == 1, folder, "one file of training annotations", names["train"])
    return Entries(
        {
            part: [row for path in of_part for row in _read_objects(path)]
            for part, of_part in paths.items()
        },
        note=f"annotations of objects: {'; '.join(names.values())}",
        multi_class=True,
        questions=tuple(UNREAD.format(clean_text(path.name, 60)) for path in unread),
    )


def _find_part_of_annotations(stem: str) -> str:
    """Return the part in the name of a file of annotations; "" for no part or two parts."""
    words = {*re.findall(r"[a-z]+", stem.lower())}
    if words & UNSEEN:
        return "" if "train" in words else "test_unseen"
    if words & (VALIDATION | {"test"}):
        return "test"
    return "train" if words & TRAINING_WORDS else ""


def _read_objects(path: Path) -> list[tuple[str, str]]:
    """Return image and class of each annotated object."""
    if (size := path.stat().st_size) > MAX_BYTES:
        expected = f"annotations of at most {MAX_BYTES:,} bytes"
        got = f"{size:,}; write the classes of each part as JSON, {CLASSES_BY_PART}"
        raise refusal_of(path, expected, got)
    value: Any = read_json(path)
    try:
        image_of = {record["id"]: str(record["file_name"]) for record in value["images"]}
        name_of = {record["id"]: str(record["name"]) for record in value["categories"]}
        pairs = {
            (record["image_id"], record["category_id"]): None for record in value["annotations"]
        }
    except (KeyError, TypeError) as error:
        expected = "images, annotations and categories with ids"
        raise refusal_of(path, expected, clean_text(str(error), 60)) from None
    for image, category in pairs:
        where = f"{image!r} and {category!r}"
        is_listed = image in image_of and category in name_of
        expect(is_listed, path, "an image and a category of every annotation", where)
    return [(image_of[image], name_of[category]) for image, category in pairs]


def read_marked_lists(folder: Path, files: Mapping[str, Path]) -> Entries | None:
    """Return the entries of one list per class, with the part as a mark after each image."""
    lists = [(match, path) for path in files.values() if (match := MARKED_LIST.match(path.stem))]
    number = min((match[2] for match, _ in lists), default="")
    entries = Entries({"train": [], "test": []})
    for match, path in ((match, path) for match, path in lists if match[2] == number):
        for k, line in enumerate(read_nonblank_lines(path), 1):
            image, _, mark = line.rpartition(" ")
            where = f"{clean_text(path.name)}, line {k}"
            expect(image and mark in PART_OF_MARK, where, "an image and 0, 1 or 2", repr(line[:60]))
            if part := PART_OF_MARK[mark]:
                entries[part].append((image.strip(), match[1]))
    entries.note = f"lists of HMDB51, CLASS_test_split{number}.txt"
    return entries if all(entries.values()) else None


def read_label_arrays(folder: Path, files: Mapping[str, Path]) -> SplitList | None:
    """Return the split of one array of labels per part, such as ``y_train.npy``.

    There may also be one array of features per part.
    """
    arrays = {
        path.stem: look_into(path, ("NumPy array",)).arrays.get("array", np.empty(0))
        for path in files.values()
        if path.suffix.lower() == ".npy"
        and (part_of_labels(path.stem) or part_of_labels(path.stem, FEATURE_WORDS))
    }
    is_split = trains_and_tests(map(part_of_labels, arrays))
    return split_of_arrays(folder, arrays) if is_split else None
