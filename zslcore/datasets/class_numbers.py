"""Class names of several lists, and the numbers, senses and ids next to them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from zslcore.datasets.class_lists import SENSE, join_paths, parse_class_list, shorten_paths
from zslcore.datasets.class_rows import MAX_LETTERS, NUMBER
from zslcore.names import class_key, squeeze
from zslcore.texts import match_all

#: The number of a class before its name: ``1 dog``.
NUMBER_FIRST = re.compile(r"(\d+)[\s:=,)_-]+(.*[^\W\d_].*)")
#: The number of a class after its name: ``dog = 1``.
NUMBER_LAST = re.compile(r"(.*[^\W\d_].*?)\s*[:=,\t]\s*(\d+)")
#: A number before or after a name that may belong to the name: ``1994 Audi``.
NUMBER_IN_NAME = re.compile(r"(\d{1,9})[ _-]+|[ _-]+(\d{1,9})")
#: A number at the start or end of a name.
NUMBER_AT_EDGE = re.compile(r"^\d{1,9}[\s_-]|[\s_-]\d{1,9}$")
#: A year.
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def names_of_lists(lists: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the class names of several lists of lines, which are read in the same way.

    Additions to a name are numbers such as years, senses in WordNet, folders, and other fields of a
    table. They are part of the names if a name in one list differs from a name in another only by
    its addition. WordNet ids are left out if only some lists have them.

    Examples
    --------
    >>> names_of_lists([["/a/abbey", "/c/church/indoor"], ["/c/church/outdoor", "/d/door/indoor"]])
    [('abbey', 'church indoor'), ('church outdoor', 'door indoor')]
    """
    lines = [line for listed in lists for line in listed]
    readings = [parse_class_list(listed) for listed in lists]
    names = [reading.names for reading in readings]
    n_fields = {tuple(map(line.count, ",\t;")) for line in lines}
    columns_differ = len({reading.column for reading in readings}) > 1 and len(n_fields) == 1
    if (columns_differ and n_fields != {(0, 0, 0)}) or _share_first_words(lists, names):
        cells = [[re.split(r"[,;\t]\s*", line) for line in listed] for listed in lists]
        return [
            tuple(", ".join(cell for cell in row if not NUMBER.fullmatch(cell)) for row in rows)
            for rows in cells
        ]
    if have_numbers_in_names(lists, names):
        return [tuple(listed) for listed in lists]
    with_ids = [all(re.match(r"n\d{8} ", name) for name in listed) for listed in names]
    if any(with_ids) and not all(with_ids):
        return [
            tuple(name.partition(" ")[2] for name in listed) if has_ids else listed
            for listed, has_ids in zip(names, with_ids, strict=True)
        ]
    if lines and all("/" in line.strip("/") for line in lines):
        ends = iter(shorten_paths(lines))
        return [tuple(islice(ends, len(listed))) for listed in lists]
    of_paths = [all("/" in line.strip("/") for line in listed) for listed in lists]
    plain = {class_key(n) for k, listed in enumerate(names) if not of_paths[k] for n in listed}
    for k, listed in enumerate(lists):  # church/outdoor in one list, church_outdoor in another
        if of_paths[k] and plain.isdisjoint(map(class_key, names[k])):
            names[k] = join_paths(listed)
    return names


def _share_first_words(lists: Sequence[Sequence[str]], names: Sequence[Sequence[str]]) -> bool:
    """Whether one name is followed by different words in the lists, as in ``crane, machine``."""
    lines_of_name: dict[str, set[str]] = {}
    for listed, names_of_list in zip(lists, names, strict=True):
        if len(listed) == len(names_of_list):
            for line, name in zip(listed, names_of_list, strict=True):
                if re.match(r"\s*[,;]\s*[^\W\d_]", line.partition(name)[2]):
                    lines_of_name.setdefault(name, set()).add(squeeze(line))
    return any(len(of_name) > 1 for of_name in lines_of_name.values())


def remove_numbers(lists: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return lists of class names without the number of each class before or after its name.

    The lists stay unchanged if a name has no number, if a list repeats a number, if two names of a
    list differ only by their numbers, or if numbers belong to names; see
    :func:`have_numbers_in_names`.

    Examples
    --------
    >>> remove_numbers([["dog = 0", "bat = 1"], ["ox = 0"]])
    [['dog', 'bat'], ['ox']]
    """
    if any(len(text) > MAX_LETTERS for listed in lists for text in listed):
        return [[*listed] for listed in lists]  # searches take quadratic time
    for pattern, number, name in ((NUMBER_FIRST, 1, 2), (NUMBER_LAST, 2, 1)):
        matches = [match_all(pattern, listed) for listed in lists]
        if [*map(len, matches)] != [*map(len, lists)]:
            continue
        bare = [[match[name] for match in listed] for listed in matches]
        numbers = [[match[number] for match in listed] for listed in matches]
        are_distinct = all(len({*column}) == len(column) for column in (*bare, *numbers))
        if are_distinct and not have_numbers_in_names(lists, bare):
            return bare
    return [[*listed] for listed in lists]


def have_numbers_in_names(lists: Sequence[Sequence[str]], names: Sequence[Sequence[str]]) -> bool:
    """Whether numbers or senses removed from ``lists`` belong to ``names``, such as years of cars.

    Senses belong to names if a name has several senses. Numbers belong to names if one is larger
    than the number of lines and if, in addition, a name has several numbers or still has a number
    at its start or end. Numbers after a comma or tab, or in brackets, are ignored, since they may
    be numbers of images.

    Examples
    --------
    >>> have_numbers_in_names([["Audi 1994"], ["Audi 2012"]], [["Audi"], ["Audi"]])
    True
    """
    numbers_of_name: dict[str, set[int]] = {}
    senses_of_name: dict[str, set[str]] = {}
    for lines_and_names in zip(lists, names, strict=True):
        for line, name in zip(*lines_and_names, strict=False):
            senses_of_name.setdefault(name, set()).update(SENSE.findall(line))
            if match := NUMBER_IN_NAME.fullmatch(line.replace(name, "", 1)):
                numbers_of_name.setdefault(name, set()).add(int(match[1] or match[2]))
    numbers = [number for of_name in numbers_of_name.values() for number in of_name]
    if any(len(senses) > 1 for senses in senses_of_name.values()):
        return True
    if not numbers or max(numbers) <= sum(map(len, lists)):
        return False
    differ = len(numbers) > len(numbers_of_name)
    return differ or any(NUMBER_AT_EDGE.search(name) for listed in names for name in listed)


def names_with_counts(lists: Sequence[Sequence[str]]) -> list[str]:
    """Return names that several lists have, if the numbers may be counts of images, not years.

    Examples
    --------
    >>> names_with_counts([["dog 120", "cat 80"], ["cat 10", "dog 30"]])
    ['dog', 'cat']
    >>> names_with_counts([["Audi 2011", "BMW 2007"], ["Audi 2012"]])
    []
    """
    names = [parse_class_list(listed).names for listed in lists]
    years = [line for listed in lists for line in listed if YEAR.search(line)]
    if years or not have_numbers_in_names(lists, names):
        return []
    times = Counter(name for listed in names for name in dict.fromkeys(listed))
    return [name for name, n in times.items() if n > 1]
