"""Folders of images by part and class, and links that leave a folder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from zslcore.datasets.part_names import PART_OF_NAME, SIDE_OF_ENGLISH, trains_and_tests
from zslcore.datasets.split_files.lists import PART_OF_SIDE
from zslcore.datasets.split_files.tables import entries_of_table
from zslcore.datasets.split_folders.tables import TABLES, read_titles_and_rows
from zslcore.datasets.split_images import split_of_images
from zslcore.datasets.split_lists import (
    IMAGE,
    MAX_VERSIONS,
    VERSION,
    Entries,
    SplitList,
    join_first_names,
    parent_folder,
)
from zslcore.texts import clean_text, expect, refusal_of

#: Tables of the images of a part, in the folder of the part.
METADATA = ("metadata.csv", "metadata.jsonl", "metadata.parquet")
#: Question on outer folders of classes in two parts.
GROUPS_QUESTION = "Folders in training and test are read as groups of classes, not as classes: {}."
#: Maximum number of images in a tree of folders.
MAX_IMAGES = 2_000_000
#: Maximum number of links to class folders; following a link takes a tenth of a millisecond.
MAX_LINKS = 10_000
#: Name of a folder between the folder of a part and those of its classes.
INNER_FOLDER = re.compile(rf"{VERSION.pattern}|(images?|imgs?|jpe?gs?|labels|masks)", re.IGNORECASE)
#: End of the name of the folder of a part.
PART_ENDING = re.compile(rf"[_ -]?classes$|[_ -]{VERSION.pattern}$", re.IGNORECASE)


def read_tree(folder: Path) -> SplitList | None:
    """Return the split of a folder with one subfolder per part and class; else None."""
    trees = _find_trees(folder)
    if not trees:
        class_folders = _read_class_folders(folder)
        return split_of_images(folder, class_folders) if class_folders else None
    return split_of_images(folder, _read_metadata(trees) or _read_trees(folder, trees))


def has_tree(folder: Path) -> bool:
    """Whether a folder has one subfolder per part, with one folder per class."""
    return bool(_find_trees(folder))


def _find_trees(folder: Path) -> dict[str, Path]:
    """Return the subfolders by part; a tree needs a training and a test part."""
    named = [(PART_ENDING.sub("", path.name), path) for path in _folders_in(folder)]
    if trees := choose_by_part(folder, named):
        return trees
    sides = [(SIDE_OF_ENGLISH.get(name.lower(), ""), path) for name, path in named]
    trees = choose_by_part(folder, [(PART_OF_SIDE.get(side, ""), path) for side, path in sides])
    have_images = all(any(files_by_class(tree, folder)) for tree in trees.values())
    return trees if have_images else {}


def choose_by_part(folder: Path, paths: Iterable[tuple[str, Path]]) -> dict[str, Path]:
    """Return paths by the part in their names; {} without a training and a test part."""
    named = [
        (PART_OF_NAME[name.lower()], path) for name, path in paths if name.lower() in PART_OF_NAME
    ]
    if not trains_and_tests(part for part, _ in named):
        return {}
    path_of_part: dict[str, Path] = {}
    for part, path in named:
        if path_of_part.setdefault(part, path) is not path:
            two_paths = f"{clean_text(path_of_part[part].name)} and {clean_text(path.name)}"
            raise refusal_of(folder, f"one list or folder of {part}", two_paths)
        refuse_link_out(path, folder)
    return path_of_part


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder in alphabetical order; [] for another path."""
    return sorted(os.listdir(folder)) if folder.is_dir() else []


def _folders_in(folder: Path) -> list[Path]:
    names = (name for name in names_in(folder) if not name.startswith("."))
    return [path for path in map(folder.joinpath, names) if path.is_dir()]


def _read_class_folders(folder: Path) -> Entries | None:
    """Return the images below ``CLASS/train`` and ``CLASS/test``, as in ModelNet; else None."""
    entries = Entries(note="folders of parts below folders of classes")
    for of_class in _folders_in(folder)[:MAX_LINKS]:
        inner = [below for below in names_in(of_class) if below.lower() in PART_OF_NAME]
        for below in inner:
            tree = of_class / below
            refuse_link_out(tree, folder)
            images = [file for file in names_in(tree) if IMAGE.search(file)]
            of_part = entries.setdefault(PART_OF_NAME[below.lower()], [])
            of_part += [(f"{of_class.name}/{below}/{file}", of_class.name) for file in images]
        if not inner:
            return None
    return entries if trains_and_tests(p for p, images in entries.items() if images) else None


def _read_trees(folder: Path, trees: Mapping[str, Path]) -> Entries:
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
                is_few = sum(map(len, entries.values())) <= MAX_IMAGES
                expect(is_few, folder, f"at most {MAX_IMAGES:,} images", "more")
    return _read_inner_folders(entries)


def _read_inner_folders(entries: Entries) -> Entries:
    """Name classes after the inner folders if only outer ones, such as groups, are in two parts.

    Folders with digits in their names may be of videos or objects.
    """
    outer = {part: {*labels} for part, labels in entries.labels.items()}
    inner = {part: {parent_folder(image) for image, _ in pairs} for part, pairs in entries.items()}

    def find_shared(folders: Mapping[str, set[str]]) -> set[str]:
        trained, tested = (
            set().union(*(folders.get(part, ()) for part in parts))
            for parts in (("train", "trainval"), ("test", "test_unseen"))
        )
        return trained & tested

    names = set().union(*inner.values())
    if not find_shared(outer) or find_shared(inner) or any(map(str.isdigit, "".join(names))):
        return entries
    read = {
        part: [(image, parent_folder(image)) for image, _ in pairs]
        for part, pairs in entries.items()
    }
    renamed = entries.with_parts(read)
    renamed.questions += (GROUPS_QUESTION.format(join_first_names(sorted(find_shared(outer)))),)
    return renamed


def _read_metadata(trees: Mapping[str, Path]) -> Entries | None:
    """Return the entries of one table of images in the folder of each part; else None."""
    entries = Entries(one_name=False)
    names = []
    for part, tree in trees.items():
        in_tree = names_in(tree)
        tables = [name for name in in_tree if Path(name).suffix.lower() in TABLES]
        named = [name for name in METADATA if name in tables]
        if not named and (len(tables) != 1 or any((tree / name).is_dir() for name in in_tree)):
            return None
        path = tree / (named or tables)[0]
        refuse_link_out(path, tree)
        read = entries_of_table(clean_text(path.name), *read_titles_and_rows(path), part="train")
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


def _class_folders(folder: Path) -> list[Path]:
    """Return the folders of classes in the folder of a part, or below its folders of sizes.

    Raises a FileRefusedError for a folder such as "images" without class folders in it.
    """
    inner = _folders_in(folder)
    between = [INNER_FOLDER.fullmatch(path.name) for path in inner]
    if not 0 < len(inner) <= MAX_VERSIONS or not all(between):
        return inner
    below = [path for of_size in inner for path in _folders_in(of_size)]
    are_words = all(match[1] for match in between if match)
    where = f"{clean_text(folder.name)}/{clean_text(inner[0].name)}"
    expect(below or not are_words, where, "one folder per class", "files")
    return below or inner


def files_by_class(folder: Path, root: Path) -> Iterator[tuple[str, str]]:
    """Yield files with their class from a folder of class folders; paths start below ``folder``.

    Hidden files and folders are skipped; a class folder that links outside ``root`` is refused.
    """
    refuse_link_out(folder, root)
    links = 0
    for of_class in _class_folders(folder):
        links += of_class.is_symlink()
        expect(links <= MAX_LINKS, folder, f"at most {MAX_LINKS:,} links to folders", "more")
        refuse_link_out(of_class, root)
        for where, folders, files in os.walk(of_class, followlinks=False):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(files):
                if not name.startswith("."):
                    yield Path(where, name).relative_to(folder).as_posix(), of_class.name
