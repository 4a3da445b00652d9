"""Images and classes of one part in JSON."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from zslcore.datasets.split_files.columns import are_ids
from zslcore.datasets.split_files.json_tables import read_json_table, to_cell
from zslcore.datasets.split_files.lists import lists_classes, merge_lists, pair_names
from zslcore.datasets.split_lists import IMAGE, Entries
from zslcore.names import LETTER, WORDNET_ID
from zslcore.untrusted.readers.array_names import LABEL_VARIABLES, first_named

#: Names of a list of records beside their description.
ROWS = ("rows", "examples", "samples", "records", "instances", "items")


def images_and_classes(file: str, listed: Any, *, of_classes: bool) -> list[tuple[str, str]] | None:
    """Return the (image, class) pairs of a part in JSON: images, records, or images by class.

    For a list of classes, the images are empty.
    """
    if isinstance(listed, list) and any(isinstance(element, dict) for element in listed):
        records = read_json_table(file, listed, part="train")
        return records["train"] if records else None
    if isinstance(listed, list) and listed and all(isinstance(element, list) for element in listed):
        pairs = [tuple(map(to_cell, element)) for element in listed]
        if not all(len(pair) == 2 and all(pair) and LETTER.search(pair[0]) for pair in pairs):
            return None
        firsts, lasts = zip(*pairs, strict=True)
        are_images = are_ids(firsts) or any(map(IMAGE.search, (*firsts, *lasts)))
        repeats = len({*firsts}) <= len({*lasts}) or len({*firsts}) < len(pairs)
        if of_classes and not are_images and repeats:
            return [("", " ".join(pair)) for pair in pairs]  # compositions
        turned = all(map(IMAGE.search, lasts))
        return [(last, first) if turned else (first, last) for first, last in pairs]
    if isinstance(listed, dict):
        values = [*listed.values()]
        tables = [of for name, of in listed.items() if name in ROWS and isinstance(of, list)]
        if len(tables) == 1:  # rows beside their description (Hugging Face)
            return images_and_classes(file, tables[0], of_classes=of_classes)
        if _are_records_by_class(values):
            return [("", str(name)) for name, records in listed.items() for _ in records]
        if names := _find_names_beside_ids(values):  # {"0": ["n02510455", "giant panda"]}
            listed = names
        elif values and all(isinstance(element, list) for element in values):
            if table := read_json_table(file, listed, part="train"):
                return table["train"]
            names = [name for element in values for name in element]
            numbered = any(map(str.isdigit, "".join(map(str, names))))
            if any(IMAGE.search(str(name)) for name in names) or (numbered and not of_classes):
                return pair_images_with_classes(listed)
            listed = names  # the values are classes by level
        elif values and all(type(element) is int for element in values):  # {"dog": 0}
            listed = [*listed]
        elif values and all(str(key).isdecimal() for key in listed):  # {"0": "dog"}
            listed = values
        elif values and all(isinstance(element, str) for element in values):
            if len({*values}) < len(values) or all(map(IMAGE.search, listed)):  # {"a.jpg": "dog"}
                return [*listed.items()]
            listed = [*listed]  # the keys are classes, the values descriptions
    if not isinstance(listed, list) or not all(isinstance(element, str) for element in listed):
        return None
    return pair_names(listed, of_classes=of_classes)


def _are_records_by_class(values: Sequence[Any]) -> bool:
    """Whether values are lists of records or triples of one form, such as sentences by relation."""
    if len(values) < 2 or not all(isinstance(of, list) and of for of in values):
        return False
    forms = {
        (*sorted(record),) if isinstance(record, dict) else len(record)
        for records in values
        for record in records
        if isinstance(record, dict | list)
    }
    are_records = all(
        isinstance(record, dict)
        or (isinstance(record, list) and any(isinstance(t, str) for t in record))
        for records in values
        for record in records
    )
    return are_records and len(forms) == 1 and forms != {2}


def _find_names_beside_ids(values: Sequence[Any]) -> list[str]:
    """Return the names of classes in pairs of a WordNet id and a name; [] for other values."""
    are_pairs = all(isinstance(pair, list) and len(pair) == 2 for pair in values)
    pairs = [[*map(str, pair)] for pair in values] if are_pairs else []
    are_coded = all(WORDNET_ID.fullmatch(code) for code, _ in pairs)
    return [name for _, name in pairs] if are_coded else []


def pair_images_with_classes(listed: Mapping[str, Any]) -> list[tuple[str, str]] | None:
    """Return (image, class) pairs of a mapping from classes to images; None for other values."""
    pairs = [(image, str(label)) for label, images in listed.items() for image in images]
    if not all(isinstance(image, str) and image for image, _ in pairs):
        return None
    of_images = {label: any(map(IMAGE.search, images)) for label, images in listed.items()}
    # One list has images, the other their classes.
    is_table = len(listed) == 2 and len({*of_images.values()}) == 2
    return None if is_table else pairs


def name_numbers(listed: Any) -> Any:
    """Return names of classes given by distinct numbers, in a list or in lists by level."""
    if isinstance(listed, dict):
        return {key: name_numbers(element) for key, element in listed.items()}
    are_numbers = isinstance(listed, list) and all(type(element) is int for element in listed)
    are_numbers = are_numbers and len({*listed}) == len(listed)
    return [f"class {c}" for c in listed] if are_numbers else listed


def read_json_lists(
    file: str, lists: Mapping[str, Any], names: Collection[str] = ()
) -> Entries | None:
    """Return the entries of a mapping from each part to a list or to images by class.

    ``names`` are all names in the file. If they include labels, numbers are rows, not classes.
    """
    pairs = {}
    for name, values in lists.items():
        of_classes = lists_classes(name)
        if of_classes and names and ("class" in name or not first_named(names, LABEL_VARIABLES)):
            values = name_numbers(values)
        pairs[name] = images_and_classes(file, values, of_classes=of_classes)
        if pairs[name] is None:
            return None
    return merge_lists(pairs)
