"""Entries of lists: names in quotation marks, names with parts, lists by part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import count

from zslcore.datasets.class_lists import are_not_names, remove_prompt
from zslcore.datasets.part_names import part_of_name, part_or_side, trains_and_tests
from zslcore.datasets.split_lists import IMAGE, IMAGE_IN_LINE, Entries, is_class_list, parent_folder
from zslcore.names import LETTER

#: Side -> part of its images.
PART_OF_SIDE = {"seen": "train", "unseen": "test_unseen"}
#: Question on parts that list no names of images.
NAMELESS = "Images have no names, so images in two parts cannot be detected."
#: A name in quotation marks.
QUOTED = re.compile(r"\"([^\"]+)\"|'([^']+)'")
#: Text that does not occur between the names of a list.
NOT_SEPARATOR = re.compile(r"[^\W_]|[:=]")
#: Number of the first name of a line, as R prints it.
LINE_NUMBER = re.compile(r"\[\d+\]")
#: End of the path of an example without a suffix: hexadecimal digits, or a number with zeros.
EXAMPLE_ID = re.compile(r"(?:[0-9a-f]{12,}|(?<!\d)0\d{2,5})$")


def rows_as_images(entries: Entries) -> Entries | None:
    """Name entries by row numbers if a part repeats a class: its entries are then images.

    Return None for repeated classes by side: images of seen classes may be training or test images.
    """
    are_named = all(image for pairs in entries.values() for image, _ in pairs)
    if are_named or all(len(pairs) == len({*pairs}) for pairs in entries.values()):
        return entries
    if not {"seen", "unseen"}.isdisjoint(entries):
        return None
    numbers = count(1)
    return Entries(
        {
            part: [(image or f"row {next(numbers)}", label) for image, label in pairs]
            for part, pairs in entries.items()
        }
    )


def quoted_names(line: str) -> list[str]:
    """Return the names in quotation marks of a line; [] if it has other names, numbers or pairs."""
    is_list = not NOT_SEPARATOR.search(LINE_NUMBER.sub("", QUOTED.sub("", line)))
    return [a or b for a, b in QUOTED.findall(line)] if is_list else []


def pair_names_with_parts(pairs: Iterable[Sequence[str]]) -> Entries | None:
    """Return the entries of (name, part) or (part, name) pairs; None for other pairs.

    The pairs are read once per order, so they cannot be an iterator.
    """
    for name, place in ((0, 1), (1, 0)):
        entries = Entries()
        for first, last in pairs:
            pair = first.strip(), last.strip()
            labelled = IMAGE_IN_LINE.match(pair[name])
            image = labelled[1] if labelled else ""
            label = (labelled[2] or parent_folder(image)) if labelled else pair[name]
            if not (part := part_or_side(pair[place])):
                break
            entries.setdefault(part, []).append((image, label))
        else:
            if not trains_and_tests(entries):
                continue
            labels = [label for pairs_of_part in entries.values() for _, label in pairs_of_part]
            return rows_as_images(entries) if all(map(LETTER.search, labels)) else None
    return None


def merge_lists(lists: Mapping[str, list[tuple[str, str]] | None]) -> Entries | None:
    """Return the entries of lists by the name of their part; None if a list is None.

    None also if some lists have images and others have classes.
    """
    entries = Entries()
    for name, pairs in lists.items():
        if pairs is None:
            return None
        entries.setdefault(part_or_side(name), []).extend(pairs)
    if len({bool(image) for pairs in entries.values() for image, _ in pairs}) != 1:
        return None
    has_sides = not {"seen", "unseen"}.isdisjoint(entries)
    return entries if has_sides else rows_as_images(entries)


def read_lists(lists: Mapping[str, Sequence[str]]) -> Entries | None:
    """Return the entries of lists of names by the name of their part."""
    return merge_lists(
        {name: pair_names(names, of_classes=lists_classes(name)) for name, names in lists.items()}
    )


def lists_classes(name: str) -> bool:
    """Whether the name of a list states that it has classes, as in ``train_classes``, ``seen``."""
    return part_or_side(name) in ("seen", "unseen") or not part_of_name(name)


def pair_names(names: Sequence[str], *, of_classes: bool) -> list[tuple[str, str]] | None:
    """Return the (image, class) pairs of a list, or None if it lists neither images nor classes.

    Images are in folders of their classes; for a list of classes, the images are empty.
    """
    are_ids_in_folders = not of_classes and all(map(EXAMPLE_ID.search, names))
    are_images = are_ids_in_folders or all(map(IMAGE.search, names))
    if are_images and all(map(parent_folder, names)):
        return [(image, parent_folder(image)) for image in names]
    names, _ = remove_prompt(names)
    if are_not_names(names):
        return None
    if not of_classes and not (is_class_list(names) and all(map(LETTER.search, names))):
        return None  # names without letters may be row numbers
    return [("", name) for name in names]
