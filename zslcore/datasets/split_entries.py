"""Splits in a single file with one part per entry: JSON, tables, texts with headings.

============================  ======================================================================
``split_zhou_<name>.json``    ``train``, ``val`` and ``test``: lists of [image, label, class], in
                              CoOp [1]_ and the papers that follow it
``{"train": [...], ...}``     classes or images by part, also with keys such as ``train_classes``,
                              ``seen`` and ``unseen``; a part may map classes to their images
``[{"image": ...}, ...]``     records with a class, a part and maybe an image, as in a table; also
                              one record per line (``.jsonl``), or one list per column
``{"a.jpg": {"label": ...}}``  records by the name of an image or class, also below a title and
                              with a list of ``annotations`` (ActivityNet, Kinetics)
``image,label,split``         a table with a column of parts or of yes and no (``is_test``), or one
                              column of yes and no per part, a column of classes, and maybe a
                              column of images; also Parquet
``train: [...]``              YAML or TOML with values as in JSON; also lists saved by PyTorch
``row,part``                  a table of row numbers and parts, maybe with labels
``dog: train``                a part after each class or image, in JSON or text; the text may begin
                              with the number of lines and titles (DeepFashion); also one column
                              of classes per part, or a heading above the classes of each part
``./train/dog/a.jpg``         paths below folders of parts, as ``find`` or ``ls -R`` lists them
============================  ======================================================================

A JSON of CoOp has the same classes in training and test. The papers test "from base to new"
classes: the first half of the labels, rounded up, is base, the second half new. The JSON is read as
such a test: images of base classes are training or seen test images, and test images of new classes
are unseen test images. A JSON in this format with other test classes is a split by its parts.

Only a file with a training part and a test part is read as a split.

References
----------
.. [1] K. Zhou, J. Yang, C. C. Loy, Z. Liu, "Conditional prompt learning for vision-language
   models", CVPR 2022, section 4.1.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, dropwhile, groupby, islice
from pathlib import Path
from typing import Any, Literal

import numpy as np

from zslcore.datasets.class_lists import LIST_TITLES, are_not_names, without_prompt
from zslcore.datasets.open_world import n_base
from zslcore.datasets.part_names import (
    CHECKSUM_TITLES,
    CLASS_TITLES,
    FLAGS,
    IMAGE_TITLES,
    NO,
    OF_FEATURES,
    PART_TITLES,
    YES,
    composition_columns,
    is_title_of_classes,
    is_unlabelled,
    part_of_cell,
    part_of_labels,
    part_of_name,
    part_or_side,
    side_of_stem,
    trains_and_tests,
    words_in,
)
from zslcore.datasets.split_lists import (
    IMAGE,
    IMAGE_IN_LINE,
    MULTI,
    Entries,
    ImageRows,
    SplitList,
    counted_names,
    is_class_list,
    is_split_of_parts,
    parent_folder,
    split_of_entries,
    split_of_parts,
    taken,
    with_class_lists,
)
from zslcore.exceptions import FileRefusedError, closest_name
from zslcore.names import LETTER, WORDNET_ID, squeeze
from zslcore.texts import clean_text, expect, refusal_of
from zslcore.untrusted.client import (
    are_marks,
    container_of,
    look_into,
    read_head,
    read_plain_value,
    read_text_columns,
    read_value,
)
from zslcore.untrusted.readers.array_names import (
    COUNTERS,
    LABEL_VARIABLES,
    LABELS,
    PREDICTED,
    SCORE_VARIABLES,
    first_named,
    is_named,
)
from zslcore.untrusted.readers.csv_files import MAX_COLUMNS
from zslcore.untrusted.readers.json_files import JSON_LINES
from zslcore.untrusted.readers.text_rows import first_object

#: Maximum size of a file in bytes.
MAX_BYTES = 48 << 20
#: Bytes at the start of a file by which a table is recognised.
MAX_HEAD = 1 << 16
#: Maximum number of values in a file.
MAX_ITEMS = 4_000_000
JSON_ENDINGS = (".json", *JSON_LINES)
#: A line that is no row of a table: a comment, the separator that Excel writes above a table, and a
#: title above it, or a blank row, of which Excel writes all separators.
ABOVE_TABLE = re.compile(r"#|sep=|[^,;\t]*[,;\t]+$")
#: Separator of the cells of a table -> its kind.
KIND_OF_SEPARATOR: dict[str, Literal["CSV", "TSV", "CSV with semicolons"]] = {
    ",": "CSV",
    "\t": "TSV",
    ";": "CSV with semicolons",
}
#: Side -> part of its images.
PART_OF_SIDE = {"seen": "train", "unseen": "test_unseen"}
#: Question on parts that list no names of images.
NAMELESS = "Images have no names, so images in two parts cannot be detected."
#: A heading: ``train:`` or ``train =``, maybe followed by a list, ``[train]``, ``# train``,
#: ``== train ==``, ``$train`` (R); a number in brackets after the part is ignored.
HEADING = re.compile(  # with bounds, since repeated blanks would take quadratic time
    r"[\"']?(\w[\w -]{0,80}?)[\"']?\s{0,80}(?:\(\d[\w ]{0,80}\)\s{0,80})?[:=]\s*(.*)$"
    r"|[#\[=$]++\s*+(\w[\w -]{0,80}?)\s{0,80}(?:\(\d[\w ]{0,80}\)\s{0,80})?[\]=:]*+$"
)
#: Number of rows by which a table in a text is recognised, before all rows are read.
MOST_TRIED = 100_000
#: Smallest number of numbers in lists for which shared numbers are rows rather than settings.
FEWEST_ROWS = 20
#: Smallest share of distinct names in a column of images; pattern of a number after a name.
MOSTLY, NUMBER_SUFFIX = 0.8, re.compile(r"\d{1,9}$")
#: Smallest number of integer features per image of which equal ones show equal images.
FEWEST_INTEGERS = 16
#: Question on lists of images without labels.
NOT_COMPARED = (
    "Images without labels are not compared with test images: {}. For transductive training?"
)
#: Question on images of new classes in CoOp's format, of which only the test part is read.
IN_BOTH = (
    "Test images of new classes that train or val also list: {}. Only base classes are trained?"
)
#: Names of a list of records beside their description.
ROWS = ("rows", "examples", "samples", "records", "instances", "items")
#: End of the path of an example without a suffix: hexadecimal digits, or a number with zeros.
EXAMPLE_ID = re.compile(r"(?:[0-9a-f]{12,}|(?<!\d)0\d{2,5})$")
#: Smallest number of columns of 0 and 1 that are read as one column per class.
FEWEST_MARKS = 3
#: Titles of a column with the number of a split.
FOLD_TITLES = ("fold", "foldid", "splitid", "splitnumber", "trial", "repeat", "seed")
#: Suffixes of tables.
TABLES = (".csv", ".tsv", ".parquet")
#: Patterns of a comment after a value, and of a name in quotation marks.
COMMENT = re.compile(r"(?<=\S)\s+#.*")
QUOTED = re.compile(r"\"([^\"]+)\"|'([^']+)'")
#: Text that does not occur between the names of a list, apart from R's numbers of lines.
NOT_BETWEEN, LINE_NUMBER = re.compile(r"[^\W_]|[:=]"), re.compile(r"\[\d+\]")
TUPLES = re.compile(
    rf"[\[({{]*(?:\((?:{QUOTED.pattern}),\s*(?:{QUOTED.pattern})\)[,\s]*)+[\])}}]?,?"
)
#: Assignment of a list in a program: words of a declaration, the name, maybe its type, the list.
ASSIGNED = re.compile(
    r"(?:[A-Za-z_](?:\w|::|[<>\[\]]){0,40}+[\s*&]{1,4}+){0,4}[$@]?([A-Za-z_]\w{0,80})"
    r"(?:\[\w{0,9}\])?(?:\s{0,9}:\s{0,9}[\w.\[\], <>&;]{1,60})?\s{0,9}(?:<-|:?=)\s{0,9}&?"
    r"(?:new\s)?(?:(?:\[\])?[A-Za-z_][\w.:<>]{0,40}(?:\[\])?\s?)?([\[({].*)"
)
#: Values with names, such as ``dict(lr=1)`` or ``{lr: 1}``, which are no list.
SETTINGS = re.compile(r"\w{0,40}\s{0,9}[({]\s{0,9}[\"']?\w{1,40}[\"']?\s{0,9}[:=](?!=)")
#: Characters before a comment in a line of its own.
COMMENTS = ("#", "//", "%")
#: A checksum before a path, as ``md5sum`` writes it.
CHECKSUM = re.compile(r"([0-9a-f]{32,128})\s[ *]?(.+)", re.IGNORECASE)
#: A line of a table in Markdown below the titles.
RULE = re.compile(r"[\s|:+=~^-]+")
#: Largest number of rows of a table with one part per row.
MAX_PARTS = 16
#: Largest depth of nested objects that is searched for a split.
MOST_LEVELS = 3
#: Maximum number of objects that are searched for a split.
MOST_OBJECTS = 1 << 12
#: Maximum number of distinct sets of fields that are searched for the class of a record.
MOST_FIELDS = 1 << 10


def read_split_file(path: Path, name: str | None = None) -> SplitList | None:
    """Return the split in a JSON, YAML, TOML or PyTorch file, a table or a text; None without one.

    ``name`` chooses one of several splits of a file. Raises a FileRefusedError if a JSON is damaged
    or hostile, or a list in it is malformed.
    """
    value = read_plain_value(path, max_bytes=MAX_BYTES, most=MAX_ITEMS)
    if name is not None and (splits := splits_by_name(value)):
        if name not in splits:
            raise closest_name("split", name, splits)
        value = splits[name]
    split_list = None if value is None else split_of_json(path, value)
    if split_list is not None or path.suffix.lower() in JSON_ENDINGS:
        return split_list
    return read_split_table(path) if container_of(path) in ("text", "JSON", "Parquet") else None


def read_json(path: Path) -> Any:
    """Return the value of a JSON file."""
    return read_value(path, "JSON", max_bytes=MAX_BYTES, most=MAX_ITEMS)


def lines_of(path: Path) -> list[str]:
    """Return the nonblank lines of a text, or the texts of an ``.npy``, stripped."""
    if path.suffix.lower() == ".npy":
        array = look_into(path, ("NumPy array",)).arrays.get("array")
        lines = [] if array is None or array.dtype.kind != "U" else array.ravel().tolist()
    else:
        lines = read_value(path, "lines", max_bytes=MAX_BYTES, most=MAX_ITEMS)
    return [line.strip() for line in lines if line.strip()]


def splits_by_name(value: Any) -> dict[str, Any]:
    """Return the values of several splits by name, or by number from 1 in a list; else {}."""
    named = value if isinstance(value, dict) else {}
    if isinstance(value, list):
        named = {str(k): split for k, split in enumerate(value, 1)}
    are_splits = all(
        isinstance(split, dict) and trains_and_tests(map(part_or_side, map(str, split)))
        for split in named.values()
    )
    return named if are_splits and len(named) > 1 else {}


def split_of_json(path: Path, value: Any) -> SplitList | None:
    """Return the split of lists and objects in one of the formats above; None for other values.

    Raises a FileRefusedError if a list in it is malformed.
    """
    file = clean_text(path.name)
    if (entries := entries_of_json(file, value)) is not None:
        return split_of_entries(path, entries)
    if not isinstance(value, dict) or not is_split_of_parts(value, list):
        return None
    lists = {n: names for n, names in value.items() if part_of_name(n) and isinstance(names, list)}
    if _may_be_settings(value, lists):
        return None
    if any(isinstance(element, list) for names in lists.values() for element in names):
        return _of_items(path, value)
    named = first_named([name for name in value if name not in lists], LABEL_VARIABLES)
    labels = value.get(named) if named else None
    is_list = isinstance(labels, list) and all(type(label) is int for label in labels)
    y = np.array(labels, np.int64) if is_list and labels else None
    sides = {n: names for n, names in value.items() if part_or_side(n) in ("seen", "unseen")}
    classes = entries_of_json(file, sides, MOST_LEVELS)
    listed = None if classes is None else split_of_entries(path, classes)
    return with_class_lists(split_of_parts(file, lists, y), listed)


def _may_be_settings(value: Mapping[str, Any], lists: Mapping[str, Sequence[Any]]) -> bool:
    """Whether a few numbers in two parts may be settings, such as sizes, instead of rows."""
    named = any(words_in(name)[-1:] != [part_of_name(name)] for name in lists)
    if named or first_named(value, LABEL_VARIABLES) or sum(map(len, lists.values())) >= FEWEST_ROWS:
        return False
    parts: dict[str, set[int]] = {}
    for name, numbers in lists.items():
        if not all(type(number) is int for number in numbers):
            return False
        parts.setdefault(part_of_name(name), set()).update(numbers)
    return len(set().union(*parts.values())) < sum(map(len, parts.values()))


def read_split_table(path: Path, lines: Sequence[str] | None = None) -> SplitList | None:
    """Return the split of a table or text in one of the formats above; None for other formats.

    ``lines`` are the lines of a text, if they were read before. Raises a FileRefusedError if a row
    of a table of images has no part.
    """
    try:
        if path.suffix.lower() not in TABLES or _has_lines(path):
            stripped = None if lines is None else [*filter(None, map(str.strip, lines))]
            lines = _without_count(lines_of(path) if stripped is None else stripped)
            entries = _of_headings(lines) or _of_pairs(lines) or _of_rows(path, lines)
            entries = entries or _of_paths(lines)
            return split_of_entries(path, entries) if entries else None
        if path.suffix.lower() != ".parquet" and not _may_have_parts(path):
            return None
        rows = table_rows(path)
    except (FileRefusedError, csv.Error):
        return None
    if named := _of_first_cells(rows):
        return split_of_entries(path, named)
    titles = rows.pop(0)
    entries = entries_of_table(clean_text(path.name), titles, rows, take=True)
    if entries is None and all(len(row) == 2 for row in (titles, *rows)):
        entries = _of_names_and_parts([titles, *rows])
    del rows  # a million rows take more than 100 MB
    return None if entries is None else split_of_entries(path, entries)


def _of_rows(path: Path, lines: Sequence[str]) -> Entries | None:
    """Return the entries of a text with rows of equally many fields below titles.

    A table in Markdown may have other text above and below it.
    """
    blocks = [[*block] for is_row, block in groupby(lines, _is_in_bars) if is_row]
    lines = next((block for block in blocks if any(map(RULE.fullmatch, block))), lines)
    plain = [line.removeprefix("|").removesuffix("|") for line in lines if not RULE.fullmatch(line)]
    is_quoted = len(plain) > 1 and '"' in plain[0] + plain[-1]
    for separator in ("|", "\t", ";", ",", " "):
        if separator == " ":
            plain = [" ".join(line.split()) for line in plain]
        counts = {line.count(separator) for line in plain[1:]}  # first, cells take much memory
        n_titles = plain[0].count(separator) if plain else 0
        if separator != " " or counts != {n_titles + 1}:  # pandas has no title above the numbers
            counts.add(n_titles)
        if len(plain) > 1 and (len(counts) == 1 or is_quoted) and 0 < max(counts) < MAX_COLUMNS:
            objects: dict[str, str] = {}
            cells = (
                csv.reader(plain, delimiter=separator)
                if is_quoted
                else (line.split(separator) for line in plain)
            )
            table = (tuple(first_object(cell.strip(), objects) for cell in row) for row in cells)
            titles, *rows = islice(table, MOST_TRIED)
            if {*map(len, rows)} == {len(titles) + 1}:
                titles = ("", *titles)  # R has no title above the numbers of rows
            if not _may_be_entries(titles, rows):
                return None
            return entries_of_table(clean_text(path.name), titles, [*rows, *table])
    return None


def _is_in_bars(line: str) -> bool:
    return line.startswith("|")


def _without_count(lines: list[str]) -> list[str]:
    """Remove a first line with the number of lines, and the titles after it (DeepFashion)."""
    counted = len(lines) > 2 and lines[0] == str(len(lines) - 2)
    return lines[2:] if counted else lines


def table_rows(path: Path) -> list[tuple[str, ...]]:
    """Return the cells of each nonblank row of a table, without comments above it.

    A text without such rows gives [()].
    """
    if path.suffix.lower() == ".parquet":
        return read_text_columns(path, most=MAX_ITEMS)
    kind = KIND_OF_SEPARATOR.get(_separator_of(path)[0], "CSV")
    rows = read_value(path, kind, max_bytes=MAX_BYTES, most=MAX_ITEMS)
    filled = [row for row in rows if "".join(row).strip()]
    below = [*dropwhile(lambda row: ABOVE_TABLE.match("\t".join(row).rstrip(" ")), filled)]
    below = below or filled or [()]
    if len(below[0]) > 1:
        below = [row for row in below if len(row) > 1 or not row[0].startswith("#")]
        if all(row[-1:] == ("",) for row in below):
            # Excel and some programs end every row with separators.
            width = max(len([*dropwhile(lambda c: not c.strip(), row[::-1])]) for row in below)
            below = [row[:width] for row in below]
    return below


def _separator_of(path: Path) -> tuple[str, list[str]]:
    """Return the separator of a table's cells, and its first lines without lines above it."""
    head = read_head(path, MAX_HEAD)
    lines = [*dropwhile(ABOVE_TABLE.match, head)] or head
    first = lines[0] if lines else ""
    by_line = next((separator for separator in ",\t;| " if separator in first), ",")
    return "\t" if path.suffix.lower() == ".tsv" else by_line, lines


def _has_lines(path: Path) -> bool:
    """Whether bars or spaces separate the columns of a table."""
    return path.suffix.lower() != ".parquet" and _separator_of(path)[0] in "| "


def _of_first_cells(rows: Sequence[Sequence[str]]) -> Entries | None:
    """Return the entries of rows with a part before its classes; None for other rows."""
    named = {row[0]: [name for name in row[1:] if name.strip()] for row in rows[:MAX_PARTS]}
    is_list = 1 < len(named) == len(rows) and all(map(part_or_side, named))
    return _of_lists("", named) if is_list and trains_and_tests(map(part_or_side, named)) else None


def _may_have_parts(path: Path) -> bool:
    """Whether the first lines of a table may be entries with a part; True for unreadable lines."""
    separator, lines = _separator_of(path)
    head = "\n".join(lines)
    if not lines or head.count('"') % 2 or "\0" in head:
        return True
    titles, *rows = csv.reader(lines, delimiter=separator)
    return part_or_side(titles[0]) != "" or _may_be_entries(titles, rows)


def _may_be_entries(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first rows of a table may be entries with a part."""
    if len(titles) == 2 and any(map(part_or_side, titles)):
        return True
    if _are_parts(titles) or _marks(titles, rows):
        return True
    image, label, _, where = _find_columns(titles, rows)
    is_entry = label is not None or image is not None or composition_columns(titles) != ()
    return where is not None and is_entry


def _are_parts(titles: Sequence[str]) -> bool:
    """Whether every column of a table is named after a part."""
    return all(map(part_or_side, titles)) and trains_and_tests(map(part_or_side, titles))


def _marks(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[int, str]:
    """Return the part of each column named after a part; {} unless these columns have yes or no."""
    parts = {k: part for k, title in enumerate(titles) if (part := part_or_side(title))}
    cells = (row[k].strip().lower() for row in rows if len(row) == len(titles) for k in parts)
    is_table = len(parts) < len(titles) and trains_and_tests(parts.values())
    return parts if is_table and all(cell in YES | NO for cell in cells) else {}


def _divide_test(entries: Entries) -> None:
    """Divide the test part, which may have seen compositions, by the training compositions."""
    trained = {label for name in ("train", "trainval") for _, label in entries.get(name, ())}
    for entry in entries.pop("test", []):
        side = "test_seen" if entry[1] in trained else "test_unseen"
        entries.setdefault(side, []).append(entry)


def _with_parts(
    titles: Sequence[str], rows: Sequence[Sequence[str]], marks: Mapping[int, str]
) -> tuple[list[str], list[list[str]]]:
    """Return a table with a column of parts instead of one column of yes and no per part."""
    kept_columns = [k for k in range(len(titles)) if k not in marks]
    marked = [
        [*(row[k] for k in kept_columns), part]
        for row in rows
        for k, part in marks.items()
        if len(row) == len(titles) and row[k].strip().lower() in YES
    ]
    return [*(titles[k] for k in kept_columns), PART_TITLES[0]], marked


def _find_columns(
    titles: Sequence[str], rows: Sequence[Sequence[str]] = (), *, of_one_part: bool = False
) -> tuple[int | None, ...]:
    """Return the columns of images, of classes and of parts; last, the column that shows the part.

    Columns are recognised by title, or else by cells: parts are words such as "train"; images have
    suffixes of image files or, if classes repeat, distinct texts; classes are the remaining texts.
    The last column is the column of parts or, without one, a column of flags such as yes and no. A
    table ``of_one_part`` has no column of parts; its classes have a title.
    """
    words = [*map(squeeze, titles)]
    image, label, place, flag = (
        next((words.index(word) for t in named for word in (t, f"{t}s") if word in words), None)
        for named in (IMAGE_TITLES, CLASS_TITLES, PART_TITLES, FLAGS)
    )
    if label is None:
        label = next((k for k, title in enumerate(titles) if is_named(title, LABELS)), None)
    complete_rows = [row for row in rows if len(row) == len(titles)]
    cells = (
        [[row[k].strip() for row in complete_rows] for k in range(len(titles))]
        if complete_rows
        else []
    )
    if place is None and (flag is None or (cells and _are_part_names(cells[flag]))):
        of_parts = [k for k, column in enumerate(cells) if k != label and _are_part_names(column)]
        place = of_parts[0] if len(of_parts) == 1 else None
    where = flag if place is None else place
    if label is None and not (
        cells and image is not None and all(map(parent_folder, cells[image]))
    ):
        named = [k for k, title in enumerate(titles) if is_title_of_classes(title)]
        label = named[0] if len(named) == 1 and named[0] not in (image, where) else None
    if (where is not None or (of_one_part and label is not None)) and cells:
        free = [k for k in range(len(titles)) if k not in (image, label, where)]
        texts = [k for k in free if all(map(LETTER.search, cells[k]))]
        if image is None:
            image = next((k for k in texts if all(map(IMAGE.search, cells[k]))), None)
        texts = [k for k in texts if k != image]
        different = [k for k in texts if len({*cells[k]}) == len(cells[k])]
        if label is None:
            ids = [] if image is not None else [k for k in different if are_ids(cells[k])]
            named = texts if len(texts) == 1 else [k for k in texts if k not in different]
            # If one column has distinct texts and another has repeated texts, the distinct ones may
            # be classes, and the repeated ones groups of classes.
            is_clear = len(texts) == 1 or image is not None or len(different) == len(ids) == 1
            label = named[0] if len(named) == 1 and is_clear else None
        # If one column has templates, the column of labels has sentences.
        elif image is None and words[label] != "template":
            classes = [k for k in texts if words[k] in CLASS_TITLES and k in different]
            label = classes[0] if classes and label not in classes else label
        if image is None and (label is None or len({*cells[label]}) < len(cells[label])):
            named = [k for k in different if label not in (None, k)]
            candidates = [k for k in texts if label not in (None, k)]
            candidates += [k for k in free if k != label and is_named(titles[k], COUNTERS)]
            no_cells = [""] * len(complete_rows)
            parts, labels = (no_cells if k is None else cells[k] for k in (where, label))
            keys = [k for k in candidates if _are_keys(cells[k], parts, labels)]
            image = next(iter([*named, *keys]), None)
    return image, label, place, where


def _are_keys(column: Sequence[str], parts: Sequence[str], labels: Sequence[str]) -> bool:
    """Whether cells may name images: they are single words, and few of them repeat.

    Cells are no names if their numbers only count the rows of each part, or if most repeated cells
    have different ``labels``.
    """
    are_words = not any(" " in cell for cell in column)
    if not are_words or len({*column}) < MOSTLY * len(column):
        return False
    times = Counter(column)
    classes = Counter(key for key, _ in {*zip(column, labels, strict=True)} if times[key] > 1)
    if 2 * sum(n > 1 for n in classes.values()) > len(classes):
        return False
    numbers: dict[str, list[int]] = {}
    for cell, part in zip(column, parts, strict=True):
        match = NUMBER_SUFFIX.search(cell)
        numbers.setdefault(part, []).append(int(match[0]) if match else -1)
    return not all(
        sorted(numbers_of_part)
        in ([*range(len(numbers_of_part))], [*range(1, len(numbers_of_part) + 1)])
        for numbers_of_part in numbers.values()
    )


def are_ids(column: Sequence[str]) -> bool:
    """Whether texts are ids, such as of videos: no spaces, mostly with digits, and no synsets."""
    are_single_words = all(len(text) > 5 and " " not in text for text in column)
    n_ids = sum(any(map(str.isdigit, text)) and not WORDNET_ID.fullmatch(text) for text in column)
    return are_single_words and 2 * n_ids >= len(column)


def _are_part_names(column: Sequence[str]) -> bool:
    """Whether all cells of a column name a part, among them a training and a test part."""
    parts = [part_of_cell("", cell) for cell in {*column}]
    return all(parts) and trains_and_tests(parts)


def entries_of_json(file: str, value: Any, level: int = 0) -> Entries | None:
    """Return the entries of JSON with images or classes by part; None for other JSON.

    An object with more than MAX_COLUMNS names maps images or classes, not parts.
    Raises a FileRefusedError for a record of an image without a part.
    """
    if isinstance(value, list):
        splits = splits_by_name(value) if level == 0 else {}
        if not splits:
            return _of_table(file, value)
        value = splits
    if not isinstance(value, dict) or not value:
        return None
    if len(value) > MAX_COLUMNS:
        return _of_many(file, value)
    lists = [str(name) for name, inner_value in value.items() if isinstance(inner_value, list)]
    if first_named(lists, (*SCORE_VARIABLES, *PREDICTED)):
        return None
    if (entries := _of_labels(value)) is not None:
        return entries
    for key, inner_value in value.items():
        if (
            isinstance(inner_value, dict)
            and {*inner_value} == {"seen", "unseen"}
            and part_of_name(str(key))
        ):
            value = {k: element for k, element in value.items() if k != key}
            value |= {f"{key}_{side}": element for side, element in inner_value.items()}
    parts = {str(key): part for key in value if (part := part_or_side(str(key)))}
    if not parts and level == 0:
        parts = {str(key): side for key in value if (side := side_of_stem(str(key)))}
        value = {parts.get(key, key): inner_value for key, inner_value in value.items()}
        parts = {side: side for side in parts.values()}
    if trains_and_tests(parts.values()):
        entries = _of_lists(file, {key: value[key] for key in parts}, {*value})
        if entries is not None and (others := [*filter(is_unlabelled, map(str, value))]):
            entries.questions = (NOT_COMPARED.format(counted_names(others)),)
        one_each = entries is not None and all(
            [*map(bool, pairs)] == [True] for pairs in entries.values()
        )
        # Inner objects with one name per part are settings.
        return None if level and one_each else entries
    for texts in (value, _merged(value)):
        if _are_texts(texts):
            return _of_names_and_parts(texts.items())
    if (table := _of_table(file, value)) is not None:
        return table
    inner = [element for element in value.values() if isinstance(element, dict | list)]
    if len(inner) == len(value):
        for read_mapping in (_by_class, _by_name):
            if (entries := read_mapping(file, value)) is not None:
                return entries
    if level == MOST_LEVELS or len(inner) > MOST_OBJECTS:
        return None
    read = [entries for element in inner if (entries := entries_of_json(file, element, level + 1))]
    of_classes = [entries for entries in read if not entries.has_images]
    if len(read) == 2 and len(of_classes) == 1:  # one object lists classes, the other images
        (entries,) = (part for part in read if part.has_images)
        entries.classes = of_classes[0]
        return entries
    if level == 0 and 1 < len(read) == len(value):
        names = counted_names([clean_text(str(key), 40) for key in value])
        advice = "name one of them with --split"
        raise refusal_of(file, "one split per file", f"{len(read)} ({names}); {advice}")
    return read[0] if len(read) == 1 else None


def _of_many(file: str, value: Mapping[str, Any]) -> Entries | None:
    """Return the entries of an object that maps many images or classes to parts or records."""
    for record in (value, _merged(value)):
        if _are_texts(record):
            return _of_names_and_parts(record.items())
    return _by_class(file, value) or _by_name(file, value)


def _are_texts(value: Mapping[str, Any]) -> bool:
    return bool(value) and all(isinstance(text, str) for text in value.values())


def _merged(value: Mapping[str, Any]) -> dict[str, Any]:
    """Merge objects of texts, such as classes by group; {} for other values or a repeated name."""
    if not all(isinstance(group, dict) and _are_texts(group) for group in value.values()):
        return {}
    merged = {name: text for group in value.values() for name, text in group.items()}
    return merged if len(merged) == sum(map(len, value.values())) else {}


def entries_of_table(
    file: str,
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    part: str = "",
    *,
    take: bool = False,
) -> Entries | None:
    """Return the entries of a table by the titles of its columns; None for any other table.

    If ``part`` is given, all rows belong to it. With ``take``, rows of images are removed from the
    list. Raises a FileRefusedError for a row of an image without a part.
    """
    if not rows or first_named(titles, PREDICTED):
        return None
    pair = composition_columns(titles)
    if pair:
        for k, row in enumerate(rows, 1):
            expect(len(row) == len(titles), file, f"{len(titles)} fields in row {k}", len(row))
        titles, rows = [*titles, "class"], [[*row, " ".join(row[k] for k in pair)] for row in rows]
    if not part and (marks := _marks(titles, rows)):
        titles, rows = _with_parts(titles, rows, marks)
    if _are_parts(titles):
        columns = zip(*(row for row in rows if len(row) == len(titles)), strict=True)
        named = ([cell for cell in column if cell.strip()] for column in columns)
        return _of_lists(file, dict(zip(titles, named, strict=True)))
    image, label, place, where = _find_columns(titles, rows, of_one_part=bool(part))
    if (image is None and label is None) or (where is None and not part):
        return None
    if label is None and (complete := [row for row in rows if len(row) == len(titles)]):
        folders = {parent_folder(row[image or 0]) for row in complete}
        if len(folders) == 1 and (
            classes := _marked_classes(file, titles, complete, (image, where))
        ):
            label, titles = len(titles), [*titles, "class"]
            rows = [[*row, name] for row, name in zip(complete, classes, strict=True)]
        elif "" in folders and not all(row[image or 0].isdecimal() for row in complete):
            return None  # the images have neither classes nor row numbers
    words = [*map(squeeze, titles)]
    if image is not None and place is None and "unseen" in FLAGS.get(words[where or 0], ()):
        return None  # seen images may be training or test images
    # The first line is not a title.
    has_parts = where is not None and (place is not None or words[where] not in FLAGS)
    if where is not None and has_parts and part_or_side(titles[where]):
        rows = [titles, *rows]
        titles = [*titles[:where], "", *titles[where + 1 :]]
    if where is not None:
        _refuse_folds(file, titles, rows, where)
    is_taken = take and image is not None  # rows of classes may be read in another format
    lines = taken(rows) if is_taken and isinstance(rows, list) else rows
    entries = _entries_of_rows(file, titles, lines, (image, label, where), part)
    if part or entries is None:
        return entries
    if pair:
        _divide_test(entries)
    if trains_and_tests(entries):
        return rows_as_images(entries)
    expect(image is None, file, "rows of a training and a test part", ", ".join(entries))
    return None


def _entries_of_rows(
    file: str,
    titles: Sequence[str],
    rows: Iterable[Sequence[str]],
    columns: tuple[int | None, int | None, int | None],
    part: str,
) -> Entries | None:
    """Return the entries of rows by the columns of the image, the class and the part.

    None if a row of a class has no part; raises a FileRefusedError if a row of an image has none.
    """
    image, label, where = columns
    words = [*map(squeeze, titles)]
    entries = Entries()
    checksum = next((k for k, word in enumerate(words) if word in CHECKSUM_TITLES), None)
    for k, row in enumerate(rows, 1):
        expect(len(row) == len(titles), file, f"{len(titles)} fields in row {k}", len(row))
        name = part or part_of_cell(words[where or 0], row[where or 0])
        if image is not None and not name and is_unlabelled(row[where or 0]):
            entries.questions = (NOT_COMPARED.format(row[where or 0]),)
            continue
        if image is None and not name:
            return None
        if image is not None and (not name or name in ("seen", "unseen")):
            title, cell = titles[where or 0], clean_text(row[where or 0], 40) or "none"
            parts = "train, val, test, test_seen, test_unseen or trainval"
            raise refusal_of(file, f"{parts} in the column {title!r}, row {k}", cell)
        file_name = "" if image is None else row[image].strip()
        label_of_row = parent_folder(file_name) if label is None else row[label].strip()
        if checksum is not None and row[checksum].strip():
            entries.checksums[file_name] = row[checksum].strip()
        # A table with one row per part may list its classes in one cell.
        is_list = image is None and label_of_row[:1] == "["
        labels = (is_list and _quoted_names(label_of_row)) or [label_of_row]
        entries.setdefault(name, []).extend((file_name, of_row) for of_row in labels)
    return entries


def _refuse_folds(
    file: str, titles: Sequence[str], rows: Sequence[Sequence[str]], where: int
) -> None:
    """Refuse a table of several splits: most rows differ only in part and fold from others."""
    fold = next((k for k, title in enumerate(titles) if squeeze(title) in FOLD_TITLES), None)
    if fold is None or fold == where:
        return
    parts: dict[tuple[str, ...], dict[str, set[str]]] = {}
    for row in rows:
        if len(row) == len(titles):
            entry = tuple(cell for k, cell in enumerate(row) if k not in (fold, where))
            parts.setdefault(entry, {}).setdefault(row[fold], set()).add(row[where])
    folds = sorted({name for of_entry in parts.values() for name in of_entry})
    n_moved = sum(len(set().union(*of_entry.values())) > 1 for of_entry in parts.values())
    if n_moved and 2 * sum(len(of_entry) > 1 for of_entry in parts.values()) >= len(parts):
        got = f"{len(folds)} in the column {clean_text(titles[fold], 40)!r}"
        advice = f"write one file for each, such as the rows of {clean_text(folds[0], 40)!r}"
        raise refusal_of(file, "one split per file", f"{got}; {advice}")


def _marked_classes(
    file: str, titles: Sequence[str], rows: Sequence[Sequence[str]], used: Collection[int | None]
) -> list[str]:
    """Return the class of each row in a table with one column of 0 and 1, or -1 and 1, per class.

    Returns [] without such columns. Raises a FileRefusedError for a row with several classes.
    """
    marks = [
        k
        for k in range(len(titles))
        if k not in used and {row[k].strip().removesuffix(".0") for row in rows} <= {"0", "1", "-1"}
    ]
    if len(marks) < FEWEST_MARKS:
        return []
    classes = [[titles[k] for k in marks if float(row[k]) == 1] for row in rows]
    for number, of_one in enumerate(classes, 1):
        if len(of_one) != 1:
            names = clean_text(", ".join(of_one), 60) or "none"
            raise refusal_of(f"{file}, row {number}", "one class per image", f"{names}; {MULTI}")
    return [of_one[0] for of_one in classes]


def rows_as_images(entries: Entries) -> Entries | None:
    """Name entries by row numbers if a part repeats a class, since its entries then are images.

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


def _of_lists(file: str, lists: Mapping[str, Any], names: Collection[str] = ()) -> Entries | None:
    """Return the entries of a mapping from each part to a list or to images by class.

    ``names`` are all names in the file. If they include labels, numbers are rows, not classes.
    """
    entries = Entries()
    for key, listed in lists.items():
        part = part_or_side(key)
        of_classes = part in ("seen", "unseen") or not part_of_name(key)
        if of_classes and names and ("class" in key or not first_named(names, LABEL_VARIABLES)):
            listed = _named_by_number(listed)
        read = images_and_classes(file, listed, of_classes=of_classes)
        if read is None:
            return None
        entries.setdefault(part, []).extend(read)
    of_images = {bool(image) for pairs in entries.values() for image, _ in pairs}
    if len(of_images) != 1:
        return None
    has_sides = not {"seen", "unseen"}.isdisjoint(entries)
    return entries if has_sides else rows_as_images(entries)


def _of_labels(value: Mapping[str, Any]) -> Entries | None:
    """Return the entries of one list of labels per part, such as ``y_train``; else None."""
    entries = Entries()
    for name, labels in value.items():
        part = part_of_labels(str(name))
        if part and isinstance(labels, list):
            if not all(isinstance(label, int | str) for label in labels):
                return None
            names = [label if isinstance(label, str) else f"class {label}" for label in labels]
            entries[part] = [(f"{part} {k}", label) for k, label in enumerate(names, 1)]
    repeated = any(
        len({*column}) < len(column) for column in ([c for _, c in e] for e in entries.values())
    )
    entries.questions = (NAMELESS,)
    return entries if repeated and trains_and_tests(entries) else None


def split_of_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> SplitList | None:
    """Return the split of arrays with the classes or labels of each part; None for other arrays.

    The labels of a part may be one-hot, with one row per image.
    """
    arrays = {
        name: array.argmax(1)
        if part_of_labels(name) and are_marks(array) and (array.sum(1) == 1).all()
        else array
        for name, array in arrays.items()
    }
    lists = {
        name: array.ravel()
        for name, array in arrays.items()
        if array.dtype.kind in "iuU" and array.size == max(array.shape, default=0)
    }
    # Numbers are parts only by the name of their array. As Python objects they take eight times the
    # memory, so only arrays with a part become lists.
    has_parts = any(array.dtype.kind == "U" or _names_parts(name) for name, array in lists.items())
    if not has_parts or sum(array.size for array in lists.values()) > MAX_ITEMS:
        return None
    values: dict[str, Any] = {}
    for name, array in lists.items():  # "train.image" is the column "image" of the table "train"
        outer, _, inner = name.partition(".")
        of_part = inner and part_or_side(outer) and outer not in lists
        columns = values.setdefault(outer, {}) if of_part else values
        columns[inner if of_part else name] = array.tolist()
    entries = entries_of_json(clean_text(path.name), values, MOST_LEVELS)
    if entries is None:
        return None
    features = _features_of(entries, arrays)
    if features is not None:  # equal images are found by their features
        entries.questions = tuple(q for q in entries.questions if q != NAMELESS)
    split = split_of_entries(path, entries)
    is_whole = features is not None and len(split.files) == len(features)
    return replace(split, features=features) if is_whole else split


def _features_of(entries: Entries, arrays: Mapping[str, np.ndarray]) -> np.ndarray | None:
    """Return the features of all entries from one matrix per part, such as ``X_train``.

    None if a part has no such matrix, or one of another size.
    """
    matrices = {
        part: array.reshape(len(array), -1)
        for name, array in arrays.items()
        if array.ndim > 1 and array.size and array.dtype.kind in "biuf"
        if array.dtype.kind == "f" or array[0].size >= FEWEST_INTEGERS
        if (part := part_of_labels(name, OF_FEATURES))
    }
    listed = [(matrices.get(part, np.empty((0, 0))), pairs) for part, pairs in entries.items()]
    is_whole = all(len(matrix) == len(pairs) for matrix, pairs in listed)
    if not is_whole or len({matrix.shape[1] for matrix, _ in listed}) > 1:
        return None
    features: np.ndarray = np.concatenate([matrix for matrix, _ in listed]).astype(np.float32)
    return features if np.isfinite(features).all() else None


def _names_parts(name: str) -> bool:
    """Whether a name of an array or a column is that of a part or of a column of parts."""
    name = name.partition(".")[0]
    word = squeeze(name)
    is_title = word in FLAGS or word.removesuffix("s") in (*PART_TITLES, *FLAGS)
    return is_title or bool(part_or_side(name) or part_of_labels(name))


def _named_by_number(listed: Any) -> Any:
    """Return names of classes given by distinct numbers, in a list or in lists by level."""
    if isinstance(listed, dict):
        return {key: _named_by_number(element) for key, element in listed.items()}
    are_numbers = isinstance(listed, list) and all(type(element) is int for element in listed)
    are_numbers = are_numbers and len({*listed}) == len(listed)
    return [f"class {c}" for c in listed] if are_numbers else listed


def images_and_classes(file: str, listed: Any, *, of_classes: bool) -> list[tuple[str, str]] | None:
    """Return the (image, class) pairs of a part in JSON: images, records, or images by class.

    For a list of classes, the images are empty.
    """
    if isinstance(listed, list) and any(isinstance(element, dict) for element in listed):
        records = _of_table(file, listed, part="train")
        return records["train"] if records else None
    if isinstance(listed, list) and listed and all(isinstance(element, list) for element in listed):
        pairs = [tuple(map(_cell, element)) for element in listed]
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
        if names := _named_by_id(values):  # {"0": ["n02510455", "giant panda"]}
            listed = names
        elif values and all(isinstance(element, list) for element in values):
            if table := _of_table(file, listed, part="train"):
                return table["train"]
            names = [name for element in values for name in element]
            numbered = any(map(str.isdigit, "".join(map(str, names))))
            if any(IMAGE.search(str(name)) for name in names) or (numbered and not of_classes):
                return _of_folders(listed)
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
    folders = [*map(parent_folder, listed)]
    are_ids_in_folders = not of_classes and all(map(EXAMPLE_ID.search, listed))
    if all(folders) and (are_ids_in_folders or all(map(IMAGE.search, listed))):
        return [(image, parent_folder(image)) for image in listed]
    listed, _ = without_prompt(listed)
    if are_not_names(listed):
        return None
    if not of_classes and not (is_class_list(listed) and all(map(LETTER.search, listed))):
        return None  # names without letters may be row numbers
    return [("", name) for name in listed]


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


def _named_by_id(values: Sequence[Any]) -> list[str]:
    """Return the names of classes in pairs of a WordNet id and a name; [] for other values."""
    are_pairs = all(isinstance(pair, list) and len(pair) == 2 for pair in values)
    pairs = [[*map(str, pair)] for pair in values] if are_pairs else []
    are_coded = all(WORDNET_ID.fullmatch(code) for code, _ in pairs)
    return [name for _, name in pairs] if are_coded else []


def _of_folders(listed: Mapping[str, Any]) -> list[tuple[str, str]] | None:
    """Return (image, class) pairs of a mapping from classes to images; None for other values."""
    pairs = [(image, str(label)) for label, images in listed.items() for image in images]
    if not all(isinstance(image, str) and image for image, _ in pairs):
        return None
    of_images = {label: any(map(IMAGE.search, images)) for label, images in listed.items()}
    # One list has images, the other their classes.
    is_table = len(listed) == 2 and len({*of_images.values()}) == 2
    return None if is_table else pairs


def _by_class(file: str, value: Mapping[str, Any]) -> Entries | None:
    """Return the entries of a mapping from each class to its images by part, else None."""
    entries = Entries()
    for label, of_parts in value.items():
        if not isinstance(of_parts, dict):
            return None
        for key, images in of_parts.items():
            part = part_of_name(str(key))
            if not part or not isinstance(images, list):
                return None
            pairs = _of_folders({label: images})
            if pairs is None or not all(IMAGE.search(image) for image, _ in pairs):
                return None
            entries.setdefault(part, []).extend(pairs)
    return entries if trains_and_tests(entries) else None


def _by_name(file: str, value: Mapping[str, Any]) -> Entries | None:
    """Return the entries of a mapping from names of images or classes to records, else None.

    An inner record adds its fields to the record around it; each item in a list of inner records,
    such as ``annotations``, becomes a record. A question reports images without a class, which are
    not read.
    """
    if not all(
        isinstance(element, dict) and _has_few_fields(element) for element in value.values()
    ):
        return None
    records = [(name, flat) for name, record in value.items() for flat in _flat(record)]
    fields = islice(dict.fromkeys(tuple(flat) for _, flat in records), MOST_FIELDS)
    titles = next(([*element] for element in fields if _find_columns(element)[1] is not None), None)
    is_image = titles is not None
    titles = titles or ([*records[0][1]] if records else [])
    image, label, _, where = _find_columns(titles)
    if where is None:
        return None
    chosen = [titles[k] for k in (image, label, where) if k is not None]
    rows = {
        (name, *(_cell(flat[title]) for title in chosen)): None
        for name, flat in records
        if {*chosen} <= {*flat}
    }
    key_title = [] if is_image and image is not None else ["image" if is_image else "class"]
    entries = entries_of_table(file, key_title + chosen, [[*row][not key_title :] for row in rows])
    if entries is not None and is_image:
        entries.several = True
        if n := len(value) - len({name for name, *_ in rows}):
            entries.questions = (
                f"Images without a class: {n:,}. They are neither read nor checked.",
            )
    return entries


def _has_few_fields(record: Mapping[str, Any]) -> bool:
    """Whether a record, with its inner records, has no more fields than a table has columns."""
    inner = (len(field) for field in record.values() if isinstance(field, dict))
    return len(record) <= MAX_COLUMNS and len(record) + sum(inner) <= MAX_COLUMNS


def _flat(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Merge inner records into a record; return one record per item of a list of inner records."""
    merged = _with_inner_fields(record)
    plain = {
        key: element for key, element in merged.items() if isinstance(element, str | int | float)
    }
    lists = [element for element in merged.values() if isinstance(element, list) and element]
    several = [element for element in lists if all(isinstance(inner, dict) for inner in element)]
    return [{**inner, **plain} for inner in several[0]] if several else [plain]


def _with_inner_fields(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Add the fields of inner records to a record, except inner records that repeat a name."""
    inner = [fields for fields in record.values() if isinstance(fields, dict)]
    times = Counter(key for fields in (*inner, record) for key in fields)
    distinct = [fields for fields in inner if all(times[key] == 1 for key in fields)]
    return {key: element for fields in (*distinct, record) for key, element in fields.items()}


def _of_table(file: str, value: Any, part: str = "") -> Entries | None:
    """Return the entries of records, or of a table with one list or mapping per column."""
    titles, first = table_of_json(value, most=1)
    if part:
        may_be_read = _are_parts(titles) or {*_find_columns(titles)[:2]} != {None}
    else:  # a column of parts has a title, or a part in every row
        cells = (cell for row in first for cell in row)
        may_be_read = any(map(_names_parts, titles)) or any(map(part_or_side, cells))
    return entries_of_table(file, *table_of_json(value), part) if may_be_read else None


def table_of_json(value: Any, most: int | None = None) -> tuple[list[str], list[list[str]]]:
    """Return titles and the first ``most`` rows of cells; [], [] for a value that is not a table.

    A table is a list of records, of which the common fields are read; or a mapping from each column
    to a list, or to a mapping by row; or lists of columns and of data, as written by pandas; or a
    list of rows.
    """
    titles, rows = _columns_and_rows(value, most)
    if not isinstance(titles, list) or not isinstance(rows, list) or len(titles) > MAX_COLUMNS:
        return [], []
    if not all(isinstance(row, list | tuple) and len(row) == len(titles) for row in rows):
        return [], []
    return [str(title) for title in titles], [[*map(_cell, row)] for row in rows]


def _columns_and_rows(value: Any, most: int | None) -> tuple[Any, Any]:
    if isinstance(value, list) and value and all(isinstance(element, dict) for element in value):
        records = [_with_inner_fields(element) for element in value]
        titles = [name for name in records[0] if all(name in element for element in records)]
        return titles, [[element[name] for name in titles] for element in records[:most]]
    if isinstance(value, list) and value and all(isinstance(element, list) for element in value):
        return value[0], value[1:][:most]
    if not isinstance(value, dict):
        return None, None
    if "columns" in value and "data" in value:  # pandas with orient="split"
        rows = value["data"]
        return value["columns"], rows[:most] if isinstance(rows, list) else rows
    columns = [*value.values()]
    if (
        not all(isinstance(element, dict | list) for element in columns)
        or len({*map(len, columns)}) > 1
    ):
        return None, None
    cells = (element.values() if isinstance(element, dict) else element for element in columns)
    return [*value], [*islice(zip(*cells, strict=True), most)]


def _cell(value: Any) -> str:
    """Return a value as a cell; a list with one value becomes this value."""
    if isinstance(value, list) and all(
        isinstance(element, str | int) for element in value[:MAX_COLUMNS]
    ):
        return _cell(value[0]) if len(value) == 1 else str(value) if value else ""
    return value if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""


def _of_names_and_parts(pairs: Iterable[Sequence[str]]) -> Entries | None:
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


def _of_pairs(lines: Sequence[str]) -> Entries | None:
    """Return the entries of lines with a name and a part, split at tab, comma, colon or space."""
    for separator in ("\t", ",", ":", None):
        counts = {line.count(separator) for line in lines} if separator else {1}
        if len(counts) == 1 and max(counts) > 1:
            continue  # the lines are a table of more columns
        if not all(len(line.rsplit(separator, 1)) == 2 for line in lines):
            continue
        if entries := _of_names_and_parts(_Pairs(lines, separator)):
            return entries
    return None


@dataclass(frozen=True)
class _Pairs(Iterable[Sequence[str]]):
    """Lines that are divided at the last separator when they are read."""

    lines: Sequence[str]
    separator: str | None

    def __iter__(self) -> Iterator[Sequence[str]]:
        return (line.rsplit(self.separator, 1) for line in self.lines)


def _of_paths(lines: Sequence[str]) -> Entries | None:
    """Return the entries of paths below folders of parts, as ``find`` or ``ls -R`` lists them."""
    folder, paths = "", []
    listed = [CHECKSUM.match(line) for line in lines]
    for line, match in zip(lines, listed, strict=True):
        path = match[2] if match else line
        if path.endswith(":"):
            folder = path.removesuffix(":") + "/"
        elif IMAGE.search(path):
            paths.append((folder + path).replace("\\", "/").removeprefix("./").split("/"))
    if not paths or len(paths) < MOSTLY * sum(not line.endswith(":") for line in lines):
        return None
    checksums = [match[1] for match in listed if match]
    for level in range(min(map(len, paths)) - 2):  # the last two are the class and the image
        named = [part_or_side(path[level]) for path in paths]
        parts = [PART_OF_SIDE.get(part, part) for part in named]
        if all(parts) and trains_and_tests({*parts}):
            rows = [["/".join(path[level:]), path[level + 1]] for path in paths]
            of_file = checksums if len(checksums) == len(rows) else [""] * len(rows)
            table = [[*row, *of] for row, *of in zip(rows, parts, of_file, strict=True)]
            entries = entries_of_table("", ("path", "class", "split", "checksum"), table)
            if entries is not None:
                entries.note, entries.one_name = "paths below folders of parts", False
            return entries
    return None


def _of_headings(lines: Sequence[str]) -> Entries | None:
    """Return the entries of text, YAML or Python in which a part is the heading of each list."""
    lists: dict[str, list[str]] = {}
    items: list[str] | None = None
    plain = _plain_headings(lines)
    for line in lines:
        uncommented = COMMENT.sub("", line.strip()).replace("**", "")  # bold in Markdown
        if assigned := ASSIGNED.fullmatch(uncommented):
            uncommented = f"{assigned[1]} = {assigned[2]}"
        heading = HEADING.fullmatch(uncommented)
        name = (heading[1] or heading[3]) if heading else line if line in plain else ""
        within_title = within = (heading[2] or "") if heading else ""
        within = within if within.strip("[({") else ""
        is_short = "," in within or len(within.split()) <= 3 or _quoted_names(within)
        if part_or_side(name) and SETTINGS.match(within):
            items = None
        elif part_or_side(name) and is_short and (not within or LETTER.search(within)):
            items = lists.setdefault(name, [])
            items += _items_of(within, inline=True)
        elif uncommented.startswith("##"):  # another heading of Markdown
            items = None
        elif (
            items is not None and not uncommented.startswith(COMMENTS) and not RULE.fullmatch(line)
        ):
            is_titled = "," in within_title and squeeze(name) in LIST_TITLES  # as in INI
            items += _items_of(within_title if is_titled else uncommented, inline=is_titled)
    return _of_lists("", lists) if trains_and_tests(map(part_or_side, lists)) else None


def _items_of(line: str, *, inline: bool = False) -> list[str]:
    """Return the names in a line: in quotation marks, after a bullet, or the line as a whole.

    A line after a heading, ``inline``, may have names between commas, maybe in brackets.
    """
    if TUPLES.fullmatch(line):  # compositions in Python
        return [" ".join(a or b for a, b in QUOTED.findall(pair)) for pair in line.split(")")[:-1]]
    if names := _quoted_names(line):
        return names
    names = line.strip("[]").split(",") if inline else [re.sub(r"^[-*]\s+", "", line)]
    return [bare for name in names if (bare := name.strip(" \"',")) and bare.strip("[](){}")]


def _quoted_names(line: str) -> list[str]:
    """Return the names in quotation marks of a line; [] if it has other names, numbers or pairs."""
    is_list = not NOT_BETWEEN.search(LINE_NUMBER.sub("", QUOTED.sub("", line)))
    return [a or b for a, b in QUOTED.findall(line)] if is_list else []


def _plain_headings(lines: Sequence[str]) -> set[str]:
    """Return the lines that are headings: each is only the name of a part or a side.

    Since a class may have such a name, these lines are headings only if the first line of the text
    is one of them, no name occurs twice, and they are either all parts or all sides.
    """
    headings = [line for line in lines if part_or_side(line)]
    parts = {*map(part_or_side, headings)}
    mixed = len(parts) < len(headings) or 0 < len(parts & {"seen", "unseen"}) < len(parts)
    begins = bool(lines) and bool(part_or_side(lines[0]))
    return {*headings} if begins and not mixed and trains_and_tests(parts) else set()


def _of_items(path: Path, value: Mapping[str, Any]) -> SplitList:
    """Return the split of a JSON in CoOp's format.

    The split is from base to new classes if every test class is also a training class; otherwise
    it is a split by its parts.
    """
    file = clean_text(path.name)
    rows = ImageRows(file)
    entries = Entries()
    names: dict[int, str] = {}
    listed: dict[str, list[tuple[int, int]]] = {}
    for part in ("train", "val", "test"):
        listed[part] = []
        items = value.get(part, [])
        expect(isinstance(items, list), f"{file}, {part}", "a list of images", type(items).__name__)
        for position, record in enumerate(items):
            image, label, name = _item(file, part, position, record)
            if names.setdefault(label, name) != name:
                two_names = f"{clean_text(names[label], 60)} and {clean_text(name, 60)}"
                raise refusal_of(f"{file}, {part}", f"one name for label {label}", two_names)
            listed[part].append((rows.add(image, str(label)), label))
            entries.setdefault(part, []).append((image, name))
    trained, tested = ({label for _, label in listed[part]} for part in ("train", "test"))
    if not tested <= trained:
        return split_of_entries(path, entries)
    numbers = sorted(names)
    base = frozenset(numbers[: n_base(len(numbers))])
    of_test = {row for row, label in listed["test"] if label not in base}
    n_both = sum(row in of_test for row, _ in listed["train"] + listed["val"])
    questions = (IN_BOTH.format(n_both),) if n_both else ()
    parts = {
        "trainval": _rows_of(listed["train"] + listed["val"], base),
        "test_seen": _rows_of(listed["test"], base),
        "test_unseen": _rows_of(listed["test"], frozenset(numbers) - base),
    }
    place_of = {str(number): c for c, number in enumerate(numbers)}
    return SplitList(
        file,
        rows.files,
        np.array([place_of[label] for label in rows.labels], np.int64),
        tuple(names[number] for number in numbers),
        parts,
        note=f"from base to new: the first {len(base)} of {len(numbers)} labels are seen, the "
        "others are unseen",
        questions=questions,
    )


def _item(file: str, part: str, position: int, record: Any) -> tuple[str, int, str]:
    where = f"{file}, {part}, item {position + 1}"
    is_triple = isinstance(record, list) and len(record) == 3
    if not is_triple or not isinstance(record[0], str) or not isinstance(record[2], str):
        raise refusal_of(where, "[image, label, class]", clean_text(repr(record), 60))
    label = record[1]
    if type(label) is not int or not 0 <= label < MAX_ITEMS:
        raise refusal_of(where, "a label from 0", clean_text(repr(label), 40))
    return record[0], label, clean_text(record[2])


def _rows_of(items: Iterable[tuple[int, int]], classes: frozenset[int]) -> np.ndarray:
    return np.array([row for row, label in items if label in classes], dtype=np.int64)
