"""Readers of folders that define a split by names of images or classes.

===============================  ===================================================================
``train.txt``, ``test.txt``      one image per line, as in ``grizzly/0001.jpg 3``: the label is
                                 after a space or comma; without a label, the folder of the image
                                 is its class; one list per part, in the same folder
``train/grizzly/0001.jpg``       one folder per part, one subfolder per class: torchvision's
                                 ``ImageFolder``
``base.json``, ``novel.json``    ``label_names``, ``image_names``, ``image_labels``; optionally
                                 ``val.json``: CloserLookFewShot [1]_, with disjoint classes
``train.csv``, ``test.csv``      a column of files and one of classes, optionally ``val.csv`` [2]_;
                                 also ``.tsv``, ``.parquet`` (also in shards), and
                                 records in ``.jsonl`` or ``.json``
``images.txt``                   with ``image_class_labels.txt``, ``train_test_split.txt`` and
                                 ``classes.txt``: CUB-200-2011 [3]_
``images_variant_train.txt``     with ``images_variant_test.txt``: FGVC-Aircraft
``instances_train_seen.json``    annotations of COCO, with ``instances_val_unseen.json``: images,
                                 annotations and categories; one row per image and class
``train_pairs.txt``              with ``test_pairs.txt``, optionally ``val_pairs.txt``: compositions
                                 of attribute and object, one per line [4]_
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
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from zslcore.datasets.class_lists import read_class_list
from zslcore.datasets.split_files import read_split_file
from zslcore.datasets.split_files.contents import MAX_BYTES, YAMLS
from zslcore.datasets.split_folders.class_files import (
    LISTS,
    name_class_list,
    read_class_files,
    read_pairs,
)
from zslcore.datasets.split_folders.images import (
    UNREAD,
    read_aircraft,
    read_annotations,
    read_cub,
    read_few_shot,
    read_image_lists,
    read_label_arrays,
    read_marked_lists,
)
from zslcore.datasets.split_folders.tables import read_part_tables
from zslcore.datasets.split_folders.trees import read_tree, refuse_link_out
from zslcore.datasets.split_images import split_of_images
from zslcore.datasets.split_lists import SplitList, join_first_names
from zslcore.datasets.split_parts import rows_of_mask
from zslcore.exceptions import FileRefusedError
from zslcore.storage.artifacts import scratch
from zslcore.storage.files import path_of
from zslcore.texts import clean_text, listed
from zslcore.untrusted.client import container_of, look_into, read_lines

#: Layouts of folders that are read, for the message of a refusal.
LAYOUTS = (
    "att_splits.mat with res101.mat; train.txt and test.txt (images, or classes); seen_classes.txt "
    "and unseen_classes.txt (or .npy); train and test folders of images; base.json and novel.json; "
    "train.csv and test.csv (or .jsonl); CUB_200_2011; CLASS_test_split1.txt; train_pairs.txt and "
    "test_pairs.txt; one JSON, CSV or YAML of a whole split"
)
#: Readers of images in a folder; the first that recognises the folder is used.
IMAGE_READERS = (
    read_few_shot,
    read_cub,
    read_aircraft,
    read_annotations,
    read_part_tables,
    read_marked_lists,
)
#: Maximum number of files in a folder of a split.
MAX_FILES = 200
#: Names of text files in the folder of a split that do not list a part.
NO_LIST = re.compile(
    r"(readme|licen[cs]e|notice|citation|changes|changelog|requirements|notes?|about|authors"
    r"|all_?classes|class(es)?(_?(ind|index|names?|labels?|list))?|labels?|attributes?|predicates?"
    r"|(train|val|test)_?list(_?[0-9]+)?|(train|val|test)?_?images?|image_class_labels)$",
    re.IGNORECASE,
)


def read_split_folder(folder: Path) -> SplitList | None:
    """Return the split by names in a folder; None for an unknown layout.

    Raises a FileRefusedError if a file of a known layout is damaged.
    """
    if (split_list := read_split_lists(folder)) is not None:
        return _ask_about_unread(folder, split_list)
    files = {path.name.lower(): path for path in _list_files(folder)}
    for read in IMAGE_READERS:
        if (entries := read(folder, files)) is not None:
            return split_of_images(folder, entries)
    if (split_list := read_pairs(folder, files)) is not None:
        return split_list
    if (split_list := read_class_files(folder, files)) is not None:
        return _ask_about_unread(folder, split_list)
    return read_label_arrays(folder, files)


def read_split_lists(folder: Path) -> SplitList | None:
    """Return the split of a folder with lists of images or one subfolder per part; else None.

    Raises a FileRefusedError for a list that is damaged or hostile, an image with two classes, or a
    link to a folder outside.
    """
    if (tree := read_tree(folder)) is not None:
        return tree
    entries = read_image_lists(folder)
    return None if entries is None else split_of_images(folder, entries)


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

    None for a single file, for files with the same name, and for large files.
    """
    names = {path.name for path in paths}
    is_large = sum(path.stat().st_size for path in paths) > MAX_BYTES
    if not 1 < len(paths) == len(names) or is_large:
        return None
    for path in paths:
        shutil.copyfile(path, folder / path.name)
    return read_split_folder(folder)


def _ask_about_unread(folder: Path, split_list: SplitList) -> SplitList:
    """Add a question on unread lists in the folder, which may belong to the split."""
    names = {*re.split(r"[,;]?\s+|;", split_list.note)}
    unread = [
        clean_text(path.name, 60)
        for path in _list_files(folder)
        if path.suffix.lower() in LISTS
        and path.suffix.lower() not in (".json", *YAMLS)
        and path.name not in names
        and not NO_LIST.match(path.stem)
        and not ((named := name_class_list(path)) and named.is_superseded)
    ]
    if not unread:
        return split_list
    text = UNREAD.format(join_first_names(unread, 6))
    return replace(split_list, questions=(*split_list.questions, text))


def refusal_of_folder(folder: Path) -> FileRefusedError:
    """Return the refusal of a folder of unknown layout; it lists content and known layouts."""
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    names = [f"{clean_text(path.name, 40)}{'/' if path.is_dir() else ''}" for path in paths]
    first_names = listed(names, 8)
    return FileRefusedError(
        f"{clean_text(folder)}: found {first_names or 'nothing'}, which is not a known layout of a "
        f"split; expected {LAYOUTS}. Rename the files, or give the path of one of them."
    )


def _list_files(folder: Path) -> list[Path]:
    """Return the visible files of a folder; [] for more than MAX_FILES.

    A link to a possible list outside the folder is refused.
    """
    with os.scandir(folder) as entries:
        seen = (entry for entry in entries if not entry.name.startswith("."))
        named = islice((entry.name for entry in seen if entry.is_file()), MAX_FILES + 1)
        files = [folder / name for name in sorted(named)]
    for path in files:
        if path.suffix.lower() in LISTS:
            refuse_link_out(path, folder)
    return files if len(files) <= MAX_FILES else []


def read_classes(words: Sequence[str], folder: Path) -> list[str]:
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
        return [str(int(c)) for c in rows_of_mask(array)]
    text = read_lines(path) if container == "text" else ()
    numbers = [word for line in text for word in re.split(r"[\s,;]+", line) if word]
    if numbers and all(map(str.isdecimal, numbers)):
        return numbers
    split = read_split_file(path)
    if split is not None and (unseen := split.sides.get("unseen")) is not None:
        return [split.class_names[c] for c in unseen]
    return list(read_class_list(path).names)
