"""Readers of folders that define a split by names of images or classes.

===============================  ===================================================================
``train.txt``, ``test.txt``      one image per line, as in ``grizzly/0001.jpg 3``: the label is
                                 after a space or comma; without a label, the folder of the image
                                 is its class; one list per part, in the same folder
``train/grizzly/0001.jpg``       one folder per part, one subfolder per class: torchvision's
                                 ``ImageFolder``
``base.json``, ``novel.json``    ``label_names``, ``image_names``, ``image_labels``; maybe
                                 ``val.json``: CloserLookFewShot [1]_, with disjoint classes
``train.csv``, ``test.csv``      a column of files and one of classes; maybe ``val.csv`` [2]_; also
                                 ``.tsv``, ``.parquet`` (also as ``train-00000-of-00002``), and
                                 records in ``.jsonl`` or ``.json``
``images.txt``                   with ``image_class_labels.txt``, ``train_test_split.txt`` and
                                 ``classes.txt``: CUB-200-2011 [3]_
``instances_train_seen.json``    annotations of COCO, with ``instances_val_unseen.json``: images,
                                 annotations and categories; one row per image and class
``train_pairs.txt``              with ``test_pairs.txt``, maybe ``val_pairs.txt``: compositions of
                                 attribute and object, one per line [4]_
``train/metadata.csv``           or ``.jsonl``, a table of images per part: Hugging Face's
                                 ``ImageFolder``
``clap_test_split1.txt``         one list per class, with 1 after images of training, 2 after images
                                 of the test and 0 after unused ones: HMDB51 [6]_
``stage_2_train.txt``            class lists, ``.txt`` or ``.npy``, with the side in their names:
                                 train, seen, base; test, unseen, novel; val [5]_; also
                                 ``train.txt``, ``test.txt`` without names of files
===============================  ===================================================================

References
----------
.. [1] W.-Y. Chen et al., "A closer look at few-shot classification", ICLR 2019.
.. [2] S. Ravi, H. Larochelle, "Optimization as a model for few-shot learning", ICLR 2017.
.. [3] C. Wah et al., "The Caltech-UCSD Birds-200-2011 dataset", Caltech CNS-TR-2011-001.
.. [4] S. Purushwalkam et al., "Task-driven modular networks for zero-shot compositional learning",
   ICCV 2019.
.. [5] O.-B. Mercea et al., "Audio-visual generalised zero-shot learning with cross-modal attention
   and language", CVPR 2022.
.. [6] H. Kuehne et al., "HMDB: a large video database for human motion recognition", ICCV 2011.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets.class_lists import (
    MOST_WORDS,
    TITLES,
    are_codes,
    is_class_json,
    names_of_lists,
    names_with_counts,
    parse_class_list,
    read_class_list,
)
from zslcore.datasets.part_names import (
    ABBREVIATIONS,
    CLASS_TITLES,
    IMAGE_TITLES,
    OF_FEATURES,
    PART_OF_NAME,
    PART_TITLES,
    SEEN,
    UNSEEN,
    VALIDATION,
    part_of_file,
    part_of_labels,
    part_of_name,
    part_or_side,
    side_of_stem,
    trains_and_tests,
)
from zslcore.datasets.split_files import read_split_file
from zslcore.datasets.split_files.arrays import split_of_arrays
from zslcore.datasets.split_files.columns import are_ids
from zslcore.datasets.split_files.contents import (
    MAX_BYTES,
    MAX_HEAD,
    MAX_ITEMS,
    read_json,
    read_nonblank_lines,
    read_table_rows,
)
from zslcore.datasets.split_files.json_parts import images_and_classes
from zslcore.datasets.split_files.json_tables import table_of_json
from zslcore.datasets.split_files.lists import NAMELESS, PART_OF_SIDE, rows_as_images
from zslcore.datasets.split_files.tables import entries_of_table
from zslcore.datasets.split_lists import (
    IMAGE,
    IMAGE_IN_LINE,
    MOST_LETTERS,
    SUFFIX,
    Entries,
    SplitList,
    are_class_paths,
    counted_names,
    images_in_lines,
    is_class_list,
    parent_folder,
    split_of_classes,
    split_of_images,
)
from zslcore.exceptions import FileRefusedError
from zslcore.names import LETTER, WORDNET_ID, class_key, squeeze
from zslcore.storage.artifacts import scratch
from zslcore.storage.files import path_of
from zslcore.texts import clean_text, expect, listed, refusal_of
from zslcore.untrusted.client import (
    container_of,
    look_into,
    read_head,
    read_lines,
    read_plain_value,
)

#: Layouts of folders that are read, for the message of a refusal.
LAYOUTS = (
    "att_splits.mat with res101.mat; train.txt and test.txt (images, or classes); seen_classes.txt "
    "and unseen_classes.txt (or .npy); train and test folders of images; base.json and novel.json; "
    "train.csv and test.csv (or .jsonl); CUB_200_2011; CLASS_test_split1.txt; train_pairs.txt and "
    "test_pairs.txt; one JSON, CSV or YAML of a whole split"
)
#: Words in the name of a list of seen classes.
TRAINED = SEEN | {"train", "training", "trainval"}
#: Words for the sides in the name of a list of classes, and for classes.
OF_SOURCE, OF_TARGET = frozenset({"source"}), frozenset({"target", "zero", "zsl"})
NAMES_CLASSES = re.compile(r"class|cls|wnid|synset|categor|prompt")
#: Name of a list of HMDB51, and its marks after the images.
MARKED_LIST = re.compile(r"(.+)_test_split([0-9])", re.IGNORECASE)
PART_OF_MARK = {"0": "", "1": "train", "2": "test"}
#: Tables of the images of a part, in the folder of the part.
METADATA = ("metadata.csv", "metadata.jsonl", "metadata.parquet")
#: Part that names a class list -> side.
SIDE_OF_PART = {"train": "seen", "trainval": "seen", "val": "val", "test": "unseen"}
#: Side or part that names a class list in another language -> side.
PART_TO_SIDE = {**SIDE_OF_PART, "seen": "seen", "unseen": "unseen", "test_unseen": "unseen"}
#: Largest number of files in a folder of a split.
MOST_FILES = 200
#: Names of text files in the folder of a split that do not list a part.
NO_LIST = re.compile(
    r"(readme|licen[cs]e|notice|citation|changes|changelog|requirements|notes?|about|authors"
    r"|all_?classes|class(es)?(_?(ind|index|names?|labels?|list))?|labels?|attributes?|predicates?"
    r"|(train|val|test)_?list(_?[0-9]+)?|(train|val|test)?_?images?|image_class_labels)$",
    re.IGNORECASE,
)
#: Line with a folder of frames, the number of frames, and a label; name of an example: its class,
#: then a number.
FRAMES = re.compile(r"\S+/\S+(\s\d+){2}")
NUMBERED = re.compile(rf"([A-Za-z][\w ]*?)_\d{{3,6}}(?:{SUFFIX})?", re.IGNORECASE)
#: Suffixes of files that may list a part of a split.
YAMLS = (".yaml", ".yml")
PICKLES = (".pkl", ".pickle")
LISTS = (".txt", ".lst", ".list", ".csv", ".tsv", ".npy", ".json", *YAMLS, *PICKLES)
IMAGE_LISTS = (".txt", ".lst", ".npy")
#: Suffixes of tables; ending of a file name if a table has several files.
JSON_TABLES = (".jsonl", ".ndjson", ".json")
TABLES = (".csv", ".tsv", ".parquet", *JSON_TABLES)
SHARD = re.compile(r"-\d{5}-of-\d{5}$")
#: Pattern of a key in COCO annotations, and an example of a JSON of classes for refusals.
COCO = re.compile(r'"(images|annotations|categories)"\s*:\s*\[')
CLASSES_BY_PART = '{"train": ["dog"], "test": ["fox"]}'
#: Question on unread files.
UNREAD = "Not read, and not checked: {}."
#: Question on a list of test classes that has all training classes and more.
OF_ALL = "{} has every training class, read as a seen test class of GZSL; or is this a leak?"
#: Name of the first of several lists of a part.
FIRST_LIST = re.compile(r"(train|val|test)_?list(?:_?0?1)?", re.IGNORECASE)
#: Largest number of images in a tree of folders, and of links to class folders; following a link
#: takes a tenth of a millisecond.
MAX_IMAGES, MAX_LINKS = 2_000_000, 10_000
CUB = ("images.txt", "image_class_labels.txt", "train_test_split.txt", "classes.txt")


def read_split_folder(folder: Path) -> SplitList | None:
    """Return the split by names in a folder; None for an unknown layout.

    Raises a FileRefusedError if a file of a known layout is damaged.
    """
    if (split_list := read_split_lists(folder)) is not None:
        return _with_unread(folder, split_list)
    file_of = {path.name.lower(): path for path in _files(folder)}
    for read in (
        *(_read_few_shot, _read_cub, _read_annotations, _read_tables, _read_pairs, _read_marks),
        *(_read_class_lists, _read_arrays),
    ):
        if (split_list := read(folder, file_of)) is not None:
            return _with_unread(folder, split_list) if read is _read_class_lists else split_list
    return None


def read_split_of_files(paths: Sequence[Path]) -> SplitList | None:
    """Return the split by names in one file, or in files that would make a folder of a split.

    None for other files. Raises a FileRefusedError for a file that the reader of one file or of a
    folder refuses.
    """
    for path in paths:
        if (split_list := read_split_file(path)) is not None:
            return split_list
    with scratch() as folder:
        return read_split_together(paths, folder)


def read_split_together(paths: Sequence[Path], folder: Path) -> SplitList | None:
    """Copy files into an empty folder, and return its split.

    None for one file, for files of one name, and for large files.
    """
    names = {path.name for path in paths}
    is_large = sum(path.stat().st_size for path in paths) > MAX_BYTES
    if not 1 < len(paths) == len(names) or is_large:
        return None
    for path in paths:
        shutil.copyfile(path, folder / path.name)
    return read_split_folder(folder)


def _with_unread(folder: Path, split_list: SplitList) -> SplitList:
    """Add a question on unread lists in the folder, which may belong to the split."""
    names = {*re.split(r"[,;]?\s+|;", split_list.note)}
    unread = [
        clean_text(path.name, 60)
        for path in _files(folder)
        if path.suffix.lower() in LISTS
        and path.suffix.lower() not in (".json", *YAMLS)
        and path.name not in names
        and not NO_LIST.match(path.stem)
        and not ((named := _named(path)) and named.is_superseded)
    ]
    if not unread:
        return split_list
    text = UNREAD.format(counted_names(unread, 6))
    return replace(split_list, questions=(*split_list.questions, text))


def refusal_of_folder(folder: Path) -> FileRefusedError:
    """Return the refusal of a folder of unknown layout; it lists content and known layouts."""
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    names = [f"{clean_text(path.name, 40)}{'/' if path.is_dir() else ''}" for path in paths]
    shown = listed(names, 8)
    return FileRefusedError(
        f"{clean_text(folder)}: found {shown or 'nothing'}, which is not a known layout of a "
        f"split; expected {LAYOUTS}. Rename the files, or give the path of one of them."
    )


def _files(folder: Path) -> list[Path]:
    """Return the visible files of a folder; [] for more than MOST_FILES.

    A link to a possible list outside the folder is refused.
    """
    with os.scandir(folder) as entries:
        seen = (entry for entry in entries if not entry.name.startswith("."))
        named = islice((entry.name for entry in seen if entry.is_file()), MOST_FILES + 1)
        files = [folder / name for name in sorted(named)]
    for path in files:
        if path.suffix.lower() in LISTS:
            refuse_link_out(path, folder)
    return files if len(files) <= MOST_FILES else []


# --- Lists and trees of images --------------------------------------------------------------------


def read_split_lists(folder: Path) -> SplitList | None:
    """Return the split of a folder with lists of images or one subfolder per part; else None.

    Raises a FileRefusedError for a list that is damaged or hostile, an image with two classes, or a
    link to a folder outside.
    """
    if (tree := read_tree(folder)) is not None:
        return tree
    lists = _lists(folder)
    return split_of_images(folder, _of_lists(lists)) if lists else None


def read_tree(folder: Path) -> SplitList | None:
    """Return the split of a folder with one subfolder per part and class; else None."""
    trees = _trees(folder)
    if not trees:
        turned = _of_class_folders(folder)
        return split_of_images(folder, turned) if turned else None
    return split_of_images(folder, _of_metadata(trees) or _of_trees(folder, trees))


def _of_class_folders(folder: Path) -> Entries | None:
    """Return the images below ``CLASS/train`` and ``CLASS/test``, as in ModelNet; else None."""
    entries = Entries(note="folders of parts below folders of classes")
    classes = [name for name in _names_in(folder) if (folder / name).is_dir()]
    for name in classes[:MAX_LINKS]:
        inner = [below for below in _names_in(folder / name) if below.lower() in PART_OF_NAME]
        for below in inner:
            tree = folder / name / below
            refuse_link_out(tree, folder)
            images = [file for file in _names_in(tree) if IMAGE.search(file)]
            of_part = entries.setdefault(PART_OF_NAME[below.lower()], [])
            of_part += [(f"{name}/{below}/{file}", name) for file in images]
        if not inner:
            return None
    return entries if trains_and_tests(p for p, images in entries.items() if images) else None


def holds_tree(folder: Path) -> bool:
    """Whether a folder has one subfolder per part, with one folder per class."""
    return bool(_trees(folder))


def _trees(folder: Path) -> dict[str, Path]:
    """Return the subfolders by part; a tree needs a training and a test part."""
    named = [
        (re.sub(r"[_ -]?classes$", "", name, flags=re.IGNORECASE), folder / name)
        for name in _names_in(folder)
        if (folder / name).is_dir()
    ]
    if trees := _by_part(folder, named):
        return trees
    sides = {**dict.fromkeys(SEEN, "train"), **dict.fromkeys(UNSEEN, "test_unseen")}
    trees = _by_part(folder, [(sides.get(name.lower(), ""), path) for name, path in named])
    have_images = all(any(files_by_class(tree, folder)) for tree in trees.values())
    return trees if have_images else {}


def _lists(folder: Path) -> dict[str, tuple[Path, list[str]]]:
    """Return the lists of images by part, with their lines; {} for lists of classes.

    Lists of UCF101 and HMDB51 are named trainlist01.txt to trainlist03.txt; the first is read. The
    part may also be one of the words of a name, as in ``kinetics400_train_list.txt``.
    """
    texts = [folder / name for name in _names_in(folder) if name.lower().endswith(IMAGE_LISTS)]
    texts = [path for path in texts if path.is_file()]
    firsts = [(match[1], path) for path in texts if (match := FIRST_LIST.fullmatch(path.stem))]
    paths = _by_part(folder, [*((path.stem, path) for path in texts), *firsts]) or _by_part(
        folder, ((part_of_file(path.stem), path) for path in texts if _begins_with_images(path))
    )
    lists = {
        part: (path, _in_folders([line for line in read_nonblank_lines(path) if line[0] != "#"]))
        for part, path in paths.items()
    }
    of_numbers = any(path.suffix == ".npy" and not lines for path, lines in lists.values())
    of_classes = all(is_class_list(lines) for _, lines in lists.values())
    of_classes |= are_class_paths([line for _, lines in lists.values() for line in lines])
    return {} if of_numbers or of_classes else lists


def _begins_with_images(path: Path) -> bool:
    is_text = part_of_file(path.stem) and path.suffix.lower() != ".npy"
    head = read_head(path, MAX_HEAD) if is_text else []
    are_images = all(IMAGE_IN_LINE.match(line) or FRAMES.fullmatch(line) for line in head[:2])
    return bool(head) and (are_images or head != _in_folders(head))


def _in_folders(lines: list[str]) -> list[str]:
    """Write examples without folders, such as ``chair_0001``, below their class."""
    lines = [line[1:-1] if line[:1] == line[-1:] == '"' else line for line in lines]
    matches = [NUMBERED.fullmatch(line) for line in lines]
    names = [match[1] for match in matches if match]
    are_numbered = len(names) == len(lines) and 2 < 2 * len({*names}) <= len(names)
    are_numbered = are_numbered and any("_0" in line for line in lines)  # unlike years and models
    return [f"{n}/{x}" for n, x in zip(names, lines, strict=True)] if are_numbered else lines


def _by_part(folder: Path, paths: Iterable[tuple[str, Path]]) -> dict[str, Path]:
    """Return paths by the part in their names; {} without a training and a test part."""
    path_of_part: dict[str, Path] = {}
    named = [
        (PART_OF_NAME[name.lower()], path) for name, path in paths if name.lower() in PART_OF_NAME
    ]
    if not trains_and_tests({part for part, _ in named}):
        return {}
    for part, path in named:
        if part in path_of_part:
            two_paths = f"{clean_text(path_of_part[part].name)} and {clean_text(path.name)}"
            raise refusal_of(folder, f"one list or folder of {part}", two_paths)
        refuse_link_out(path, folder)
        path_of_part[part] = path
    return path_of_part


def _names_in(folder: Path) -> list[str]:
    return sorted(os.listdir(folder)) if folder.is_dir() else []


def _of_lists(lists: Mapping[str, tuple[Path, list[str]]]) -> Entries:
    entries = Entries(note=f"lists {', '.join(path.name for path, _ in lists.values())}")
    for part, (path, lines) in lists.items():
        entries[part] = images_in_lines(clean_text(path.name), lines)
    return entries


def _of_trees(folder: Path, trees: Mapping[str, Path]) -> Entries:
    entries = Entries(note=f"folders {', '.join(t.name for t in trees.values())}", one_name=False)
    has_images = any(
        IMAGE.search(file)
        for tree in trees.values()
        for file, _ in islice(files_by_class(tree, folder), MAX_IMAGES)
    )
    for part, tree in trees.items():
        entries[part] = []
        for file, label in files_by_class(tree, folder):
            if not has_images or IMAGE.search(file):
                entries[part].append((f"{tree.name}/{file}", label))
                few = sum(map(len, entries.values())) <= MAX_IMAGES
                expect(few, folder, f"at most {MAX_IMAGES:,} images", "more")
    return entries


def _of_metadata(trees: Mapping[str, Path]) -> Entries | None:
    """Return the entries of one table of images in the folder of each part; else None."""
    entries = Entries(one_name=False)
    names = []
    for part, tree in trees.items():
        names_in = _names_in(tree)
        tables_in = [name for name in names_in if Path(name).suffix.lower() in TABLES]
        named = [name for name in METADATA if name in tables_in]
        if not named and (len(tables_in) != 1 or any((tree / name).is_dir() for name in names_in)):
            return None
        path = tree / (named or tables_in)[0]
        refuse_link_out(path, tree)
        read = entries_of_table(clean_text(path.name), *_titled(path), part="train")
        if read is None or not all(image for image, _ in read["train"]):
            return None
        entries[part] = [(f"{tree.name}/{image}", label) for image, label in read["train"]]
        names.append(f"{tree.name}/{path.name}")
    entries.note = f"tables {', '.join(names)}"
    return entries


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path is below a folder after all links are followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def refuse_link_out(path: Path, folder: Path) -> None:
    """Refuse a link to a file or folder outside ``folder``."""
    if path.is_symlink() and not is_inside(path, folder):
        kind = "folder" if path.is_dir() else "file"
        raise refusal_of(path, f"a {kind} below {clean_text(folder.name)}", "a link that leaves it")


def files_by_class(folder: Path, root: Path) -> Iterator[tuple[str, str]]:
    """Yield files with their class from a folder of class folders; paths start below ``folder``.

    Hidden files and folders are skipped; a class folder that links outside ``root`` is refused.
    """
    refuse_link_out(folder, root)
    links = 0
    for of_class in map(folder.joinpath, _names_in(folder)):
        if of_class.name.startswith(".") or not of_class.is_dir():
            continue
        links += of_class.is_symlink()
        expect(links <= MAX_LINKS, folder, f"at most {MAX_LINKS:,} links to folders", "more")
        refuse_link_out(of_class, root)
        for where, folders, files in os.walk(of_class, followlinks=False):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(files):
                if not name.startswith("."):
                    yield Path(where, name).relative_to(folder).as_posix(), of_class.name


# --- Images ---------------------------------------------------------------------------------------


def _read_few_shot(folder: Path, files: Mapping[str, Path]) -> SplitList | None:
    if not {"base.json", "novel.json"} <= files.keys():
        return None
    entries = Entries()
    for part, name in (("train", "base.json"), ("val", "val.json"), ("test_unseen", "novel.json")):
        if name in files:
            entries[part] = _labelled(files[name])
    names = ", ".join(name for name in ("base.json", "val.json", "novel.json") if name in files)
    entries.note = f"{names}: base classes are seen, novel classes unseen"
    return split_of_images(folder, entries)


def _labelled(path: Path) -> list[tuple[str, str]]:
    """Return image and class of each entry in a list of CloserLookFewShot."""
    value: Any = read_json(path)
    expected = "a JSON file with image_names and image_labels of equal length"
    fields = value if isinstance(value, dict) else {}
    images, labels, names = (
        fields.get(f"{n}s") for n in ("image_name", "image_label", "label_name")
    )
    if not isinstance(images, list) or not isinstance(labels, list):
        raise refusal_of(path, expected, "another JSON")
    expect(len(images) == len(labels), path, expected, f"{len(images)} and {len(labels)}")
    expect(all(isinstance(image, str) for image in images), path, "image names", "other values")
    return [(image, _class_of(label, names)) for image, label in zip(images, labels, strict=True)]


def _class_of(label: Any, names: Any) -> str:
    is_number = type(label) is int and isinstance(names, list) and 0 <= label < len(names)
    return str(names[label] if is_number else label)


def _read_tables(folder: Path, files: Mapping[str, Path]) -> SplitList | None:
    tables = _tables(files)
    if "val" in tables and not {"test", "test_seen", "test_unseen"} & tables.keys():
        tables["test"] = tables.pop("val")
    if not {"train", "test"} <= tables.keys() and not {"train", "test_unseen"} <= tables.keys():
        return None
    entries = Entries()
    for part, path in [(part, path) for part, paths in tables.items() for path in paths]:
        if (images := _listed_images(path)) is not None:
            entries.setdefault(part, []).extend(images)
            continue
        titles, rows = _titled(path)
        if images := _images_without_titles(clean_text(path.name), [titles, *rows]):
            entries.setdefault(part, []).extend(images)
            continue
        read = entries_of_table(clean_text(path.name), titles, rows or [titles], part="train")
        if read is None and (
            not part_of_name(SHARD.sub("", path.stem))
            or _named_as_part(path)
            or (not titles and path.suffix == ".json")
        ):
            return None  # the tables list classes, or are of another kind
        if read is None:
            raise refusal_of(
                path,
                f"a column of images ({IMAGE_TITLES[0]}) and one of classes ({CLASS_TITLES[0]})",
                clean_text(", ".join(titles), 80) or "none",
            )
        entries.setdefault(part, []).extend(read["train"] if rows else [])
    if not all(image for rows in entries.values() for image, _ in rows):
        # Images of a part may look like classes, if each of its classes has one image.
        joined = _of_joined_tables(tables) if entries.has_images else None
        named = joined or rows_as_images(entries)
        if named is None or named == entries:
            return None  # the tables list classes
        entries = named
        entries.questions = (NAMELESS,)
    entries.note = ", ".join(path.name for paths in tables.values() for path in paths)
    classes = {part: {label for _, label in rows} for part, rows in entries.items()}
    has_unseen_classes = (
        "test" in classes and "val" in classes and not classes["val"] & classes["train"]
    )
    shared = classes["test"] & classes["train"] if has_unseen_classes else set()
    if has_unseen_classes and 2 * len(shared) <= len(classes["test"]):
        # Validation classes, and most test classes, are held out, so the test part counts as
        # unseen.
        entries["test_unseen"] = entries.pop("test")
        entries.note += ": test classes are unseen"
    return split_of_images(folder, entries)


def _of_joined_tables(tables: Mapping[str, Sequence[Path]]) -> Entries | None:
    """Return the entries of tables with equal titles, read as one table with a column of parts."""
    read = [(part, *_titled(path)) for part, paths in tables.items() for path in paths]
    titles = [*read[0][1]]
    if any([*other] != titles for _, other, _ in read):
        return None
    rows = [[*row, part] for part, _, rows_of_part in read for row in rows_of_part]
    return entries_of_table("", [*titles, PART_TITLES[0]], rows)


def _tables(files: Mapping[str, Path]) -> dict[str, list[Path]]:
    """Return the tables by part; a file name is a part, or else a side, or else contains a part."""
    stems = {
        path: SHARD.sub("", path.stem) for path in files.values() if path.suffix.lower() in TABLES
    }
    for part_of in (part_of_name, part_or_side, part_of_file):
        tables: dict[str, list[Path]] = {}
        for path, stem in stems.items():
            if part := part_of(stem):
                tables.setdefault(PART_OF_SIDE.get(part, part), []).append(path)
        if trains_and_tests(tables):
            return tables
    return {}


def _listed_images(path: Path) -> list[tuple[str, str]] | None:
    """Return the images in a JSON with a class per image, images per class, or paths."""
    if path.suffix.lower() != ".json":
        return None
    value = read_json(path)
    read = images_and_classes(clean_text(path.name), value, of_classes=False)
    is_table = isinstance(value, list) and any(isinstance(element, dict) for element in value)
    if is_table or not read:
        return None
    return read if all(image for image, _ in read) or len({*read}) < len(read) else None


def _images_without_titles(file: str, rows: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """Return image and class of each row of a table without titles; [] for other tables.

    A single column has images and labels with spaces between them. In two columns, images are
    distinct ids or texts of several words, unlike class names in a list of classes and groups; and
    classes repeat. The class of the first row must also repeat, since a title would not.
    """
    if all(len(row) == 1 and IMAGE_IN_LINE.match(row[0]) for row in rows):
        return images_in_lines(file, [row[0] for row in rows])
    for image, label in ((0, 1), (1, 0)) if all(len(row) == 2 for row in rows) else ():
        images, labels = ([row[k].strip() for row in rows] for k in (image, label))
        are_texts = sum(len(text.split()) for text in images) > MOST_WORDS * len(images)
        are_images = len({*images}) == len(images) and (are_texts or are_ids(images))
        if are_images and 2 * len({*labels}) <= len(labels) and labels.count(labels[0]) > 1:
            return [*zip(images, labels, strict=True)]
    return []


def _titled(path: Path) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Return the titles and rows of a table, or of the records of a JSON."""
    if path.suffix.lower() in JSON_TABLES:
        value = read_json(path)
        inner = [*value.values()] if isinstance(value, dict) else [value]
        tables = [v for v in inner if isinstance(v, list) and v and isinstance(v[0], dict)]
        return table_of_json(tables[0] if len(tables) == 1 else value)
    titles, *rows = read_table_rows(path)
    return titles, rows


def _read_annotations(folder: Path, files: Mapping[str, Path]) -> SplitList | None:
    """Read annotations of objects in COCO's format, with the part in the names of the files."""
    paths: dict[str, list[Path]] = {}
    for path in files.values():
        if path.suffix.lower() != ".json":
            continue
        if any(map(COCO.search, read_head(path, MAX_HEAD, cut=True))):
            paths.setdefault(_part_of_annotations(path.stem), []).append(path)
    unread = paths.pop("", [])
    if not trains_and_tests(paths):
        return None
    names = {
        part: counted_names([clean_text(path.name, 60) for path in files_of_part])
        for part, files_of_part in paths.items()
    }
    expect(len(paths["train"]) == 1, folder, "one file of training annotations", names["train"])
    entries = Entries(
        {
            part: [row for path in files_of_part for row in _objects(path)]
            for part, files_of_part in paths.items()
        },
        note=f"annotations of objects: {'; '.join(names.values())}",
        several=True,
        questions=tuple(UNREAD.format(clean_text(path.name, 60)) for path in unread),
    )
    return split_of_images(folder, entries)


def _part_of_annotations(stem: str) -> str:
    """Return the part in the name of a file of annotations; "" for no part or two parts."""
    words = {*re.findall(r"[a-z]+", stem.lower())}
    if words & UNSEEN:
        return "" if "train" in words else "test_unseen"
    if words & (VALIDATION | {"test"}):
        return "test"
    return "train" if words & TRAINED else ""


def _objects(path: Path) -> list[tuple[str, str]]:
    """Return image and class of each annotated object."""
    if (size := path.stat().st_size) > MAX_BYTES:
        raise refusal_of(
            path,
            f"annotations of at most {MAX_BYTES:,} bytes",
            f"{size:,}; write the classes of each part as JSON, {CLASSES_BY_PART}",
        )
    value: Any = read_json(path)
    expected = "images, annotations and categories with ids"
    try:
        image_of = {record["id"]: str(record["file_name"]) for record in value["images"]}
        name_of = {record["id"]: str(record["name"]) for record in value["categories"]}
        pairs = {
            (record["image_id"], record["category_id"]): None for record in value["annotations"]
        }
    except (KeyError, TypeError) as error:
        raise refusal_of(path, expected, clean_text(str(error), 60)) from None
    for image, category in pairs:
        where = f"{image!r} and {category!r}"
        is_listed = image in image_of and category in name_of
        expect(is_listed, path, "an image and a category of every annotation", where)
    return [(image_of[image], name_of[category]) for image, category in pairs]


def _read_arrays(folder: Path, files: Mapping[str, Path]) -> SplitList | None:
    """Read one array of labels per part, such as ``y_train.npy``, and maybe one of features."""
    arrays = {
        path.stem: look_into(path, ("NumPy array",)).arrays.get("array", np.empty(0))
        for path in files.values()
        if path.suffix.lower() == ".npy"
        and (part_of_labels(path.stem) or part_of_labels(path.stem, OF_FEATURES))
    }
    is_split = trains_and_tests(map(part_of_labels, arrays))
    return split_of_arrays(folder, arrays) if is_split else None


def _read_cub(folder: Path, files: Mapping[str, Path]) -> SplitList | None:
    if not {CUB[0], CUB[2]} <= files.keys():
        return None
    images, labels, trains, classes = (
        dict(_numbered(files[name])) if name in files else {} for name in CUB
    )
    entries = Entries({"train": [], "test": []}, note="train_test_split.txt of CUB-200-2011")
    for number, image in images.items():
        name = classes.get(labels.get(number, ""), "") if classes else parent_folder(image)
        expect(
            name and trains.get(number) in ("0", "1"),
            folder,
            f"a class and 0 or 1 for image {clean_text(number, 20)}",
            "none",
        )
        entries["train" if trains[number] == "1" else "test"].append((image, name))
    return split_of_images(folder, entries)


def _numbered(path: Path) -> list[tuple[str, str]]:
    """Return number and text of each line."""
    return [(a, b) for a, _, b in (line.partition(" ") for line in read_nonblank_lines(path))]


# --- Classes --------------------------------------------------------------------------------------


def _read_marks(folder: Path, files: Mapping[str, Path]) -> SplitList | None:
    """Read one list per class, in which a mark after each image is its part."""
    lists = [(match, path) for path in files.values() if (match := MARKED_LIST.match(path.stem))]
    number = min((match[2] for match, _ in lists), default="")
    entries = Entries({"train": [], "test": []})
    for match, path in lists:
        if match[2] != number:
            continue
        for k, line in enumerate(read_nonblank_lines(path), 1):
            image, _, mark = line.rpartition(" ")
            where = f"{clean_text(path.name)}, line {k}"
            expect(image and mark in PART_OF_MARK, where, "an image and 0, 1 or 2", repr(line[:60]))
            if part := PART_OF_MARK[mark]:
                entries[part].append((image.strip(), match[1]))
    entries.note = f"lists of HMDB51, CLASS_test_split{number}.txt"
    return split_of_images(folder, entries) if entries["train"] and entries["test"] else None


def _read_pairs(folder: Path, files: Mapping[str, Path]) -> SplitList | None:
    if not {"train_pairs.txt", "test_pairs.txt"} <= files.keys():
        return None
    train, test = (read_nonblank_lines(files[f"{part}_pairs.txt"]) for part in ("train", "test"))
    val = read_nonblank_lines(files["val_pairs.txt"]) if "val_pairs.txt" in files else []
    trained = {*train}
    new, shared = [pair for pair in test if pair not in trained], len(trained & {*test})
    note = "pairs of attribute and object, no images"
    if shared:
        note += f"; {shared} of {len(test)} test pairs are also training pairs, hence seen"
    folds = [(train, [pair for pair in val if pair not in trained])] if val else []
    return split_of_classes(clean_text(folder.name), {"seen": train, "unseen": new}, note, folds)


@dataclass(frozen=True, slots=True)
class _Named:
    """Class list with the side, stage and fold in its file name; without a fold, ``fold`` is 0."""

    path: Path
    side: str
    stage: int = 0
    fold: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether a list of seen classes includes validation classes, by its name."""
        stem = self.path.stem.lower()
        return "trainval" in stem or "train" not in stem

    @property
    def is_superseded(self) -> bool:
        """Whether a list with a stage or with seen classes may stay unread without a question."""
        return self.side != "unseen" or self.stage > 0

    @property
    def rank(self) -> tuple[int, bool, bool, int]:
        """Sort key; later stages, lists without a fold and trainval rank higher."""
        stem = self.path.stem.lower()
        return self.stage, not self.fold, "trainval" in stem, -len(stem)


def _read_class_lists(folder: Path, files: Mapping[str, Path]) -> SplitList | None:
    """Read class lists by the side in their names; the last stage has the test classes.

    The lines of train.txt and test.txt could also be images without file extension, so the note
    says that no line is a file name.
    """
    named = [class_list for path in files.values() if (class_list := _named(path))]
    remark = ""
    if not {"seen", "unseen"} <= {named_list.side for named_list in named}:
        named = [named_list for path in files.values() if (named_list := _named_as_part(path))]
        remark = "; no line is a file name"
    of_side = {
        side: sorted((n for n in named if n.side == side), key=lambda n: n.rank, reverse=True)
        for side in ("seen", "val", "unseen")
    }
    if not of_side["seen"] or not of_side["unseen"]:
        return None
    lines = [_lines_or_items(named_list.path) for named_list in named]
    are_arrays = any(named_list.path.suffix.lower() == ".npy" for named_list in named)
    names_of = lines if are_arrays else names_of_lists(lines)
    lists = {n: _class_names(names) for n, names in zip(named, names_of, strict=True)}
    seen, unseen = of_side["seen"][0], of_side["unseen"][0]
    if lists[seen] is None or lists[unseen] is None:
        return None
    title = _shared_title(lists)
    if title:
        lists = {named_list: names and names[1:] for named_list, names in lists.items()}
    questions = []
    keys = [{class_key(name) for name in lists[n] or ()} for n in (seen, unseen)]
    if "test" in unseen.path.stem.lower() and len(keys[0]) > 1 and keys[0] < keys[1]:
        lists[unseen] = tuple(n for n in lists[unseen] or () if class_key(n) not in keys[0])
        questions.append(OF_ALL.format(clean_text(unseen.path.name, 60)))
    folds = []
    for val in of_side["val"]:
        same_fold = [n for n in of_side["seen"] if (n.stage, n.fold) == (val.stage, val.fold)]
        train, held_out = lists[same_fold[0] if same_fold else seen], lists[val]
        if held_out and train:
            # A list of seen classes includes validation classes; a list of training classes does
            # not.
            is_whole = not same_fold or same_fold[0].is_whole
            folds.append(([c for c in train if not is_whole or c not in held_out], held_out))
    trained = list(lists[seen] or [])
    if seen.fold and folds:  # without a list of all seen classes, join the lists of a fold
        trained += [name for name in folds[0][1] if name not in trained]
    read = ", ".join(n.path.name for n in (seen, *of_side["val"], unseen))
    sides = {"seen": trained, "unseen": lists[unseen] or []}
    note = f"lists of classes: {read}{remark}"
    split_list = split_of_classes(clean_text(folder.name), sides, note, folds)
    if title:
        text = f"{title!r} begins every list; it is read as the title of a column, not as a class."
        questions.append(text)
    if not are_arrays and (counted := names_with_counts(lines)):
        text = f"The numbers are read as part of the names, although lists share {counted[0]!r}"
        questions.append(f"{text} with other numbers: are they counts of images?")
    return replace(split_list, questions=(*split_list.questions, *questions))


def _shared_title(lists: Mapping[_Named, tuple[str, ...] | None]) -> str:
    """Return the first name of all lists if it is the title of a column; else "".

    A title has words of titles, or is the only name that the lists, all tables, share.
    """
    are_tables = all(named_list.path.suffix.lower() in (".csv", ".tsv") for named_list in lists)
    firsts = {names[0] for names in lists.values() if names}
    shared = set.intersection(*({*names} for names in lists.values() if names))
    words = {squeeze(word) for first in firsts for word in re.split(r"[\s,;]+", first)}
    is_title = len(firsts) == 1 and (len(words & TITLES) > 1 or (are_tables and firsts == shared))
    return firsts.pop() if is_title else ""


def _named(path: Path) -> _Named | None:
    """Return side, stage and fold from the name of a class list; None for other files."""
    stem = path.stem.lower()
    words = {word for word in re.split(r"[^a-z]+", stem) if word}
    words |= {word.removesuffix("classes").removesuffix("class") for word in words}
    words |= {ABBREVIATIONS.get(word) or PART_OF_NAME.get(word, "") for word in words}
    stage = next(iter(re.findall(r"stage_?(\d)", stem)), "")
    fold = next(iter(re.findall(r"(?:class(?:es)?|fold)_?(\d)$", stem)), "")
    names_classes = NAMES_CLASSES.search(stem)
    is_of_classes = names_classes or stage or words & (UNSEEN | SEEN)
    side = PART_TO_SIDE.get(side_of_stem(path.stem), "")
    if path.suffix.lower() not in LISTS or not (is_of_classes or side):
        return None
    if names_classes and words.isdisjoint(PART_OF_NAME):
        words |= {"seen"} if words & OF_SOURCE else {"unseen"} if words & OF_TARGET else set()
    if side:
        pass
    elif words & VALIDATION:
        side = "" if "seen" in words else "val"
    elif words & UNSEEN or ("test" in words and "seen" not in words):
        side = "unseen"
    elif words & TRAINED and "test" not in words:
        side = "seen"
    return _Named(path, side, int(stage or 0), int(fold or 0)) if side else None


def _named_as_part(path: Path) -> _Named | None:
    """Recognise a class list named after a part of a split; None for other lists."""
    is_text = path.suffix.lower() in (".txt", ".json", ".csv", ".tsv", *YAMLS, *PICKLES)
    side = SIDE_OF_PART.get(part_of_name(path.stem), "") if is_text else ""
    names: Sequence[str] = _lines_or_items(path) if side else []
    if path.suffix.lower() in (".csv", ".tsv"):
        names = parse_class_list(names).names
    is_list = is_class_list(names) and all(map(LETTER.search, names))
    are_images = are_codes(names) and not all(map(WORDNET_ID.fullmatch, names))
    return _Named(path, side) if is_list and not are_images else None


def _lines_or_items(path: Path) -> list[str]:
    """Return the lines of a text, or the names in an array, a JSON or a YAML; [] for other JSON."""
    suffix = path.suffix.lower()
    if suffix == ".npy":
        contents = look_into(path, ("NumPy array",))
        array = contents.arrays.get("array")
        if array is None or array.dtype.kind == "U":
            return list(contents.names("array"))
        numbers = contents.numbers("array")
        is_mask = len(numbers) > 2 and np.isin(numbers, (0, 1)).all()
        return [f"class {c}" for c in (np.flatnonzero(numbers) if is_mask else numbers)]
    if suffix not in (".json", *YAMLS, *PICKLES):
        return read_nonblank_lines(path)
    value = read_plain_value(path, max_bytes=MAX_BYTES, most=MAX_ITEMS)
    pairs = images_and_classes(clean_text(path.name), value, of_classes=True)
    if pairs is None and is_class_json(value):
        return list(read_class_list(path, value=value).names)
    return [] if any(image for image, _ in pairs or []) else [name for _, name in pairs or []]


def _class_names(names: Sequence[str]) -> tuple[str, ...] | None:
    """Return the names of a class list; None if they are anything else."""
    is_list = names and max(map(len, names)) <= MOST_LETTERS and not any(map(IMAGE.search, names))
    return tuple(names) if is_list else None


def listed_classes(words: Sequence[str], folder: Path) -> list[str]:
    """Return the classes given to a command: names, numbers, or a file of unseen classes.

    The file is a list for :func:`zslcore.datasets.class_lists.read_class_list`, an ``.npy`` with
    names, numbers or a mask of all classes, or a split by classes. Raises FileRefusedError for any
    other file.
    """
    if len(words) != 1 or not (path := path_of(words[0], folder)).is_file():
        return list(words)
    container = container_of(path)
    if container == "NumPy array":
        array = look_into(path).arrays.get("array")
        if array is None or array.ndim != 1:
            raise FileRefusedError(f"{clean_text(path.name)}: expected one list of classes.")
        if array.dtype.kind == "U":
            return [clean_text(name) for name in array]
        is_mask = len(array) > 2 and np.isin(array, (0, 1)).all()
        return [str(int(c)) for c in (np.flatnonzero(array) if is_mask else array)]
    text = read_lines(path) if container == "text" else ()
    numbers = [word for line in text for word in re.split(r"[\s,;]+", line) if word]
    if numbers and all(map(str.isdecimal, numbers)):
        return numbers
    split = read_split_file(path)
    if split is not None and (unseen := split.sides.get("unseen")) is not None:
        return [split.class_names[c] for c in unseen]
    return list(read_class_list(path).names)
