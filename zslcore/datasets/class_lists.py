"""Class names in a text: one per line, or in a table's column, a dictionary or prompts.

A line is split only if all lines have the same structure. A column of numbers, of codes
(``Label_A_01``) or with repeated texts is not a column of names. Of several columns of texts, the
column in which ``count_recognised`` recognises the largest share of names is used; without
``count_recognised``, the first column is used.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

from zslcore.datasets.part_names import composition_columns, part_or_side, words_in
from zslcore.names import LETTER, WORDNET_ID, class_key, squeeze
from zslcore.texts import clean_text, expect, refusal_of
from zslcore.untrusted.client import read_plain_value, read_value
from zslcore.untrusted.readers.array_names import LABELS, PREDICTED, SCORE_VARIABLES, first_named

#: Limits in bytes, lines, and characters per line; ImageNet-21K with synonyms has 0.7 MB.
MAX_BYTES, MAX_LINES, MAX_LINE = 2 << 20, 50_000, 2000
#: Largest number of characters of a line from which a number before or after a name is removed.
MOST_LETTERS = 200
#: Long sequences of spaces, underscores or digits, which are cut to their start: searches take
#: quadratic time on long sequences.
RUN = re.compile(r"([\s_]{16})[\s_]+|(\d{32})\d+")

#: Other spellings of a WordNet id: ``N02481823``, ``02481823-n``.
SPELLED_ID = re.compile(r"\bN(\d{8})\b|\b(\d{8})-n\b")
#: End of the name of a sense in NLTK: ``chimpanzee.n.01``.
SENSE = re.compile(r"(?<=\w)\.[nv]\.\d\d\b")
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?", re.IGNORECASE)
#: A quoted part of a line.
PART = re.compile(r"\"((?:[^\"\\]|\\.|\"\")*)\"|'((?:[^'\\]|\\.)*)'(?=\s*(?:[,:;|\]})=]|$))")
#: Bullet or number at the start of a line of a list.
BULLET = re.compile(r"\s*(?:[-*\u2022\u2013]\s+|\(?\d+[.)]\s*(?=[^\d\s.)])|\[\d+\]\s*)")
#: The number of a class before or after its name: ``1 dog``, ``dog = 1``.
NUMBER_FIRST = re.compile(r"(\d+)[\s:=,)_-]+(.*[^\W\d_].*)")
NUMBER_LAST = re.compile(r"(.*[^\W\d_].*?)\s*[:=,\t]\s*(\d+)")
#: A number before or after a name that may belong to the name: ``1994 Audi``.
NUMBER_IN_NAME = re.compile(r"(\d{1,9})[ _-]+|[ _-]+(\d{1,9})")
NUMBER_AT_EDGE = re.compile(r"^\d{1,9}[\s_-]|[\s_-]\d{1,9}$")
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
#: Start and end of a list or dictionary in source code.
OPENS = re.compile(r"^\s*(?:[\"']?[A-Za-z_][\w.]*[\"']?\s*[:=]\s*)?[\[{(]")
CLOSES = re.compile(r"[\]})]\s*[,;]?\s*$")
#: Title of a list in source code, up to its bracket.
LIST = re.compile(r"\b([A-Za-z_]\w{0,80})[\"']?\s*[:=]\s*(?=[\[({])")
#: Words in a header line.
TITLES = frozenset(
    re.findall(
        r"\w+",
        "class classes classname classnames name names label labels labelname category categories "
        "id ids classid labelid categoryid index idx number no nr wnid wnids synset synsets "
        "wordnetid description text prompt prompts supercategory superclass split words word count "
        "images folder code target title attr attribute obj object",
    )
)
#: Titles of a column of names, the most likely first.
NAME_TITLES = (
    "classname",
    "name",
    "classnames",
    "names",
    "class",
    "labelname",
    "label",
    "category",
)
#: Titles of a list of names.
LIST_TITLES = frozenset({*NAME_TITLES, "classes", "labels", "categories", "id2label", "labelnames"})
#: Titles of a column of WordNet ids.
ID_TITLES = frozenset({"wnid", "wnids", "synset", "synsets", "wordnetid", "id", "ids"})
#: Largest depth and number of JSON objects that are searched for one list with a title.
MOST_LEVELS, MOST_OBJECTS = 5, 1000
#: Start of an item in a protobuf text, and pattern of its name.
PROTOBUF, ITEM_NAME = re.compile(r"\s*item\s*\{"), r"\b{}\s*:\s*(?:\"(.*?)\"|'(.*?)')"
ARTICLES = frozenset({"a", "an", "the", "one"})
#: Pattern that marks the words before a name as a prompt, as in "a photo of a dog".
PICTURES = re.compile(
    r"^(this|there|it|here|i|we)\b|photo|picture|image|drawing|painting|sketch|rendering|video|itap",
    re.IGNORECASE,
)
#: Titles of columns in a table with one row per image.
OF_IMAGES = frozenset(
    {"ytrue", "ypred", "true", "truth", "groundtruth", "gt", "pred", "predicted", "prediction"}
    | {"file", "filename", "path", "image", "score", "probability"}
)
#: A class table in which most columns are numbers has at most ``MOST_FIELDS`` columns. If a text in
#: a JSON object of lists has more than ``MOST_WORDS`` words, the texts describe the keys.
MOST_FIELDS, MOST_WORDS = 4, 3
#: Markup around a name: a link in Markdown, an element of XML.
MARKUP = re.compile(r"\[([^\[\]]+)\]\([^()\s]+\)|^\s*<(\w+)[^<>]*>([^<>]+)</\2>\s*$")
#: Signs of code, metrics or sentences.
NO_NAME = re.compile(
    r"`|[=<>!]=|://|\s--\w|\w\([\"']|:$|\d\.\d+\s.*\d\.\d|^(\S+\s+){3}.*\S\.$|^(\S+\s+){9}"
)
QUOTES = str.maketrans("\u201c\u201d\u2018\u2019", "\"\"''")


@dataclass(frozen=True, slots=True)
class ClassList:
    """Class names, and the part of the text they were read from.

    Attributes
    ----------
    names : as written; with the WordNet id in front if a table also has a column of ids
    column : source of the names, such as "column 2 of 2"; empty if each line is a name
    """

    names: tuple[str, ...]
    column: str = ""

    @property
    def read_as(self) -> str:
        """Sentence on the part of each line that was read; empty for whole lines."""
        return f"Names are read from {self.column}." if self.column else ""


CountRecognised = Callable[[Sequence[str]], int]


def read_class_list(
    path: Path,
    count_recognised: CountRecognised | None = None,
    value: Any = None,
    lines: Sequence[str] | None = None,
) -> ClassList:
    """Read the class names of a text file; see :func:`parse_class_list`.

    ``value`` is the value of a JSON or YAML, and ``lines`` are those of another text, if they were
    read before. Raises FileRefusedError for a file that is too large or has no names.
    """
    if value is None and lines is None:
        value = read_plain_value(path, max_bytes=MAX_BYTES, most=20 * MAX_LINES)
    if value is not None:
        lines = _lines_of_json(value) or _dumped(value)
    if lines is None:
        lines = read_value(path, "lines", max_bytes=MAX_BYTES, most=MAX_LINES)
    expect(len(lines) <= MAX_LINES, path, f"at most {MAX_LINES:,} classes", f"{len(lines):,}")
    class_list = parse_class_list(lines, count_recognised)
    if not class_list.names:
        raise refusal_of(path, "class names", "none")
    return class_list


def parse_class_list(
    lines: Sequence[str], count_recognised: CountRecognised | None = None
) -> ClassList:
    r"""Return the distinct class names of lines, in their order.

    Parameters
    ----------
    lines : lines of the file, unchanged
    count_recognised : function that counts the recognised names among its arguments; without it the
        first column of texts is used

    Examples
    --------
    >>> parse_class_list(["Label_A_01, dog", "Label_A_02, grey wolf"]).names
    ('dog', 'grey wolf')
    >>> parse_class_list(["a photo of a dog.", "a photo of an ox."])
    ClassList(names=('dog', 'ox'), column="the prompt 'a photo of a ...'")
    """
    cut_lines = [line.lstrip("\ufeff").rstrip()[:MAX_LINE] for line in _split_lines(lines)]
    cut_lines = [MARKUP.sub(r"\1\3", RUN.sub(r"\1\2", line)) for line in cut_lines]
    cut_lines = [SPELLED_ID.sub(r"n\1\2", line) for line in cut_lines]
    without_senses = [SENSE.sub("", line) for line in cut_lines]
    if len({*without_senses}) == len({*cut_lines}):
        cut_lines = without_senses
    cut_lines = [line for line in cut_lines if line.strip() and not line.lstrip().startswith("#")]
    items = _items(cut_lines)
    readings = [_finished(reading) for reading in _readings(items)]
    readings = [reading for reading in readings if reading.names]
    if not readings:  # all texts are codes
        return _finished(ClassList(tuple(map(_bare, items))))
    if count_recognised is None:
        return readings[0]
    # max returns the first of several best readings.
    return max(readings, key=lambda reading: count_recognised(reading.names) / len(reading.names))


def is_class_table(lines: Sequence[str], separator: str = ",") -> bool:
    """Whether a table has one class per line: its name, alone or with whole numbers or codes.

    A table of scores differs: it has decimal or repeated numbers, or more columns.
    """
    stripped = [line.strip() for line in _split_lines(lines)]
    fields = _commas(stripped) if separator == "," else [line.split(separator) for line in stripped]
    rows = [tuple(map(_bare, row)) for row in fields]
    if len(rows) < 2 or len({*map(len, rows)}) > 1:
        return False
    table = _titled(rows)
    if not OF_IMAGES.isdisjoint(map(squeeze, rows[0])):
        return False
    columns = [table.column(k) for k in range(len(rows[0]))]
    numbers = [values for values in columns if _are_numbers(values)]
    if len(columns) > max(MOST_FIELDS, 2 * len(columns) - 2 * len(numbers)):
        return False
    named = any(_are_names(column) or _are_ids(column) for column in columns)
    return named and all(
        len(set(values)) == len(values) and all(map(str.isdecimal, values)) for values in numbers
    )


def is_class_json(value: object) -> bool:
    """Whether a JSON value is a list of class names, each alone or with a number or an id.

    Records of classes, and names under a title such as "categories", are also lists of classes.
    """
    if isinstance(value, list | dict) and len(value) > MAX_LINES:
        return False
    if _lines_of_json(value) is not None:
        return True
    if isinstance(value, list):
        return bool(value) and all(isinstance(v, str) and v for v in value)
    if not isinstance(value, dict) or not value:
        return False
    named = all(
        isinstance(v, str) or (isinstance(v, list) and all(isinstance(w, str) for w in v))
        for v in value.values()
    )
    return named and all(key.isdecimal() or WORDNET_ID.fullmatch(key) for key in value)


def _lines_of_json(value: object) -> list[str] | None:
    """Return one line per class, from JSON with records of classes or names under a title."""
    if isinstance(value, dict):
        under = _under_titles(value)
        if len(under) != 1 or not isinstance(under[0], list | dict):
            return _described(value) or _as_table(value)
        if (lines := _lines_of_json(under[0])) is not None:
            return lines
        if isinstance(under[0], list):
            return under[0] if is_class_json(under[0]) else None
        return [f"{key}: {json.dumps(element)}" for key, element in under[0].items()]
    if not isinstance(value, list) or not value or not all(isinstance(v, dict) for v in value):
        return _as_table(value)
    titles = {squeeze(key): key for key in value[0]}
    columns = {title: [element.get(key) for element in value] for title, key in titles.items()}
    texts = [t for t, cells in columns.items() if all(isinstance(c, str) and c for c in cells)]
    named = next((title for title in NAME_TITLES if title in texts), None)
    if named is None and len(texts) == 1 and any(map(_counts_up, columns.values())):
        named = texts[0]
    names = [str(name) for name in columns[named]] if named is not None else []
    if len({*names}) < len(value) or not OF_IMAGES.isdisjoint(titles):
        return None
    ids = [str(record.get(titles.get("wnid", titles.get("id", "")), "")) for record in value]
    return [f"{i} {name}" for i, name in zip(ids, names, strict=True)] if _are_ids(ids) else names


def _under_titles(value: Mapping[str, Any]) -> list[Any]:
    """Return the lists or objects under a title of names in an object or in its inner objects."""
    level: list[Mapping[str, Any]] = [value]
    for _ in range(MOST_LEVELS):
        under = [
            element
            for record in level
            for key, element in record.items()
            if squeeze(key) in LIST_TITLES
        ]
        if any(isinstance(element, list | dict) for element in under) or len(level) > MOST_OBJECTS:
            nested = [element for element in under if isinstance(element, list | dict) and element]
            return (
                [record for k, record in enumerate(nested) if record not in nested[:k]]
                if nested
                else under
            )
        level = [
            element for record in level for element in record.values() if isinstance(element, dict)
        ]
    return []


def _counts_up(values: Sequence[Any]) -> bool:
    """Whether values are the whole numbers from 0 or 1, in order."""
    are_whole = all(type(number) is int for number in values)
    return are_whole and [number - values[0] for number in values] == [*range(len(values))]


def _described(value: dict[str, Any]) -> list[str] | None:
    """Return the classes of a JSON object: its keys if they are classes, or its values; else None.

    The keys are classes if each value is a text that contains its key, such as a prompt. If each
    value is a list of texts, the texts are classes by group if all are distinct and none has more
    than ``MOST_WORDS`` words; otherwise they describe the keys, which are the classes.
    """
    is_record = first_named(value, (*LABELS, *PREDICTED, *SCORE_VARIABLES)) or len(value) < 2
    if is_record or not OF_IMAGES.isdisjoint(map(squeeze, value)) or any(map(_is_code, value)):
        return None
    if all(isinstance(text, str) for text in value.values()):
        return [*value] if all(name in text for name, text in value.items()) else None
    groups = [group for group in value.values() if isinstance(group, list)]
    texts = [text for group in groups for text in group]
    if len(groups) < len(value) or not all(isinstance(text, str) and text for text in texts):
        return None
    are_classes = max(len(text.split()) for text in texts) <= MOST_WORDS if texts else False
    return texts if are_classes and len({*texts}) == len(texts) else [*value]


def _as_table(value: Any) -> list[str] | None:
    """Return one line per class, with tabs between its name, numbers and ids; else None.

    The JSON is a list of lists such as ``["n02510455", "giant panda"]``, or an object with one
    entry per class. One column has WordNet ids, or numbers the classes.
    """
    rows: list[list[str]] = []
    if isinstance(value, dict):
        rows = [[key, *_fields(entry)] for key, entry in value.items()]
    elif isinstance(value, list) and all(isinstance(entry, list) for entry in value):
        rows = [_fields(entry) for entry in value]
    if len(rows) < 2 or len({*map(len, rows)}) > 1 or len(rows[0]) < 2:
        return None
    columns = [*zip(*rows, strict=True)]
    counted = any(
        all(map(str.isdecimal, column)) and _counts_up([*map(int, column)]) for column in columns
    )
    lines = ["\t".join(row) for row in rows]
    is_coded = counted or any(map(_are_ids, columns))
    return lines if is_coded and is_class_table(lines, "\t") else None


def _fields(entry: Any) -> list[str]:
    """Return the whole numbers and texts of an entry, each on one line."""
    values = (
        entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else [entry]
    )
    return [" ".join(str(value).split()) for value in values if type(value) in (int, str)]


def are_not_names(lines: Sequence[str]) -> bool:
    """Whether at least a quarter of the lines are code, metrics or sentences, not class names."""
    return 4 * sum(bool(NO_NAME.search(line)) for line in lines) >= max(1, len(lines))


def _dumped(value: Any) -> list[str]:
    """Return JSON with each of its outermost entries on one line."""
    if isinstance(value, dict):
        entries = [f"{json.dumps(key)}: {json.dumps(element)}," for key, element in value.items()]
        return ["{", *entries, "}"]
    return ["[", *(f"{json.dumps(element)}," for element in value), "]"]


def _is_code(name: str) -> bool:
    return name.isdecimal() or bool(WORDNET_ID.fullmatch(name))


# --- Lines ----------------------------------------------------------------------------------------


def _split_lines(lines: Sequence[str]) -> list[str]:
    """Split at every line separator; csv.reader refuses separators within an item."""
    return [part for line in lines for part in line.splitlines()]


def _items(lines: list[str]) -> list[str]:
    """Return the items of a list or dictionary in code, else the lines without their title."""
    titles = LIST_TITLES | (ID_TITLES if _are_ids(lines[1:]) else set())
    if len(lines) > 1 and squeeze(lines[0]) in titles and not OPENS.match(lines[0]):
        lines = lines[1:]
    text = "\n".join(lines)
    if PROTOBUF.match(text):
        for field in ("display_name", "name"):
            if named := re.findall(ITEM_NAME.format(field), text):
                return [a or b for a, b in named]
    text = list_in_code(text) or text
    if OPENS.match(text) and CLOSES.search(text):
        body = CLOSES.sub("", OPENS.sub("", text, count=1))
        if _is_balanced(body):
            return _unbracketed([name for name in map(str.strip, _parts(body, ",\n")) if name])
    if (
        len(lines) == 1
        and len(records := re.findall(r"[(\[][^()\[\],]+,[^()\[\]]+[)\]]", text)) > 1
    ):
        return _unbracketed(records)
    stripped = [BULLET.sub("", line, count=1) for line in lines]
    if len(lines) > 1 and all(map(BULLET.match, lines)) and all(stripped):
        return stripped
    for separator in ",;" if len(lines) == 1 else "":  # as in "dog, cat, fox"
        if lines[0].count(separator) > 1:
            return [name for name in map(str.strip, _parts(lines[0], separator)) if name]
    ended = all(line.endswith((",", ";")) for line in lines[:-1] or lines)
    return _unbracketed([line.rstrip(",;") for line in lines] if ended else lines)


def list_in_code(text: str) -> str | None:
    """Return the list of classes in source code, such as ``classes = [...]``; None if not one."""
    lists: list[str] = []
    for match in LIST.finditer(text):
        if LIST_TITLES.isdisjoint((squeeze(match[1]), *words_in(match[1])[-1:])):
            continue
        depths = accumulate((sign in "[{(") - (sign in "]})") for sign in text[match.end() :])
        end = next((k for k, depth in enumerate(depths, 1) if depth == 0), None)
        if end is None or lists:
            return None
        lists.append(text[match.end() : match.end() + end])
    return lists[0] if lists else None


def _is_balanced(body: str) -> bool:
    """Whether brackets open before they close; False for ``0, dog), (1, cat``."""
    depth = 0
    for sign in body:
        depth += (sign in "[{(") - (sign in "]})")
        if depth < 0:
            return False
    return True


def _unbracketed(items: list[str]) -> list[str]:
    """Return items such as ``(0, 'dog')`` without their brackets, if all have brackets."""
    records = [re.fullmatch(r"[(\[](.*,.*)[)\]],?", item.strip()) for item in items]
    return [match[1] for match in records if match] if all(records) else items


def _parts(text: str, separators: str) -> Iterator[str]:
    """Split at separators outside quotation marks and brackets."""
    depth, start, at = 0, 0, 0
    while at < len(text):
        quoted = PART.match(text, at) if text[at] in "\"'" and _opens_quote(text, at) else None
        if quoted:
            at = quoted.end()
            continue
        depth += (text[at] in "[{(") - (text[at] in "]})")
        if text[at] in separators and depth <= 0:
            yield text[start:at]
            start = at + 1
        at += 1
    yield text[start:]


def _opens_quote(text: str, at: int) -> bool:
    """Whether a quotation mark starts a value, unlike the apostrophe in *carpenter's*."""
    while at and text[at - 1] == " ":
        at -= 1
    return not at or text[at - 1] in ",:;|=[{(\t\n"


def _bare(text: str) -> str:
    """Strip spaces and quotation marks from a value."""
    text = text.strip().translate(QUOTES)
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1].replace(2 * text[0], text[0]).replace("\\" + text[0], text[0])
    return clean_text(text, MAX_LINE)


# --- Readings -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Table:
    """Rows of equal length, with the titles of the columns if there are any."""

    rows: tuple[tuple[str, ...], ...]
    titles: tuple[str, ...] = ()

    def column(self, k: int) -> tuple[str, ...]:
        return tuple(row[k] for row in self.rows)

    def name_of(self, k: int) -> str:
        """Return the name of a column for a sentence."""
        n = len(self.rows[0])
        title = f" ({self.titles[k]!r})" if self.titles else ""
        return f"column {k + 1} of {n}{title}"


def _readings(lines: list[str]) -> Iterator[ClassList]:
    """Yield possible readings of the lines: the most structured first, whole lines last.

    Whole lines are not read as names if one field is a number or WordNet id in every line.
    """
    structured = False
    for table in _tables(lines):
        columns = [table.column(k) for k in range(len(table.rows[0]))]
        if pair := composition_columns(table.titles):
            names = tuple(" ".join(row[k] for k in pair) for row in table.rows)
            yield ClassList(names, " and ".join(map(table.name_of, pair)))
            return
        ids = [k for k, values in enumerate(columns) if _are_ids(values)]
        named = [k for k in _ordered(table) if k not in ids and _are_names(columns[k])]
        for k in named:
            names = columns[k]
            if all(name.startswith("/") for name in names):
                names = _ends_of_paths(names)
            if ids:
                names = tuple(map(" ".join, zip(columns[ids[0]], names, strict=True)))
            yield ClassList(names, table.name_of(k))
        if ids and not named:
            yield ClassList(columns[ids[0]], table.name_of(ids[0]))
        structured |= bool(ids) or any(map(_are_numbers, columns))
    if structured:
        return
    unquoted = [_bare(line) for line in lines]
    if all("/" in line.strip("/") for line in unquoted):
        yield ClassList(_ends_of_paths(unquoted), "the last part of each path")
    unquoted = [line.rstrip("/") for line in unquoted]
    yield ClassList(tuple(unquoted))
    if len(unquoted) == 1 and len(words := unquoted[0].split()) > 1:
        yield ClassList(tuple(words), "the words of the line")
    if any("," in line for line in unquoted):
        firsts = tuple(line.split(",")[0].strip() for line in unquoted)
        if not are_codes(firsts):
            yield ClassList(firsts, "the first of the synonyms")


def _ends_of_paths(names: Sequence[str]) -> tuple[str, ...]:
    """Return the last part of each path, or, if these repeat, the words of the paths."""
    last = tuple(name.strip("/").rpartition("/")[2] for name in names)
    return last if len({*last}) == len({*names}) else _words_of_paths(names)


def _words_of_paths(names: Sequence[str]) -> tuple[str, ...]:
    """Return the words of each path.

    The first folders are left out if they are all equal, initials, or parts such as "train".
    """
    paths = [name.strip("/").split("/") for name in names]
    while min(map(len, paths)) > 1 and (
        len(firsts := {path[0] for path in paths}) == 1
        or all(len(first) == 1 or part_or_side(first) for first in firsts)
    ):
        paths = [path[1:] for path in paths]
    return tuple(map(" ".join, paths))


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
        ends = iter(_ends_of_paths(lines))
        return [tuple(islice(ends, len(listed))) for listed in lists]
    of_paths = [all("/" in line.strip("/") for line in listed) for listed in lists]
    plain = {class_key(n) for k, of in enumerate(names) if not of_paths[k] for n in of}
    for k, listed in enumerate(lists):  # church/outdoor in one list, church_outdoor in another
        if of_paths[k] and plain.isdisjoint(map(class_key, names[k])):
            names[k] = _words_of_paths(listed)
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


def _tables(lines: list[str]) -> Iterator[_Table]:
    """Yield one table per separator that splits all lines into the same number of fields."""
    stripped = [line.strip() for line in lines]
    keyed = [_pair(line) for line in stripped]
    if not _are_numbers([_bare(row[0]) for row in keyed]):
        keyed = []
    for rows in (
        _records(stripped),
        [line.split("\t") for line in lines],
        keyed,
        [_piped(line) for line in stripped if not re.fullmatch(r"[\s|:+-]+", line)],
        [list(_parts(line, ";")) for line in stripped],
        _commas(stripped),
        [_pair(line) for line in stripped],
        [re.split(r"\s{2,}", line) for line in stripped],
        [_numbered(line) for line in stripped],
        _around_names(stripped),
    ):
        cells = [tuple(map(_bare, row)) for row in rows]
        if cells and len(cells[0]) > 1 and len({*map(len, cells)}) == 1:
            yield _titled(cells)


def _around_names(lines: list[str]) -> list[list[str]]:
    """Split off numbers or ids that every line has before or after its name.

    They are separated from the name by spaces or underscores. A number in brackets after the name,
    such as a count of images, and a line number after a hyphen are also split off.
    """
    if max(map(len, lines), default=0) > MOST_LETTERS:  # searches take quadratic time
        return []
    counts = r"(.*?[^\W\d_].*?)\s*[(\[](\d+)(?: [a-z]+)?[)\]]"
    bracketed = [re.fullmatch(counts, line) for line in lines]
    if all(bracketed):
        return [[match[1], match[2]] for match in bracketed if match]
    hyphens = [re.fullmatch(r"(.*?[^\W\d_].*?)\s*[-\u2013]\s*(\d+)", line) for line in lines]
    numbers = sorted(int(match[2]) for match in hyphens if match)
    if numbers in (list(range(len(lines))), list(range(1, len(lines) + 1))):
        return [[match[1], match[2]] for match in hyphens if match]
    before = r"(?:(?P<a>n\d{8}|\d+)[\s_]+(?:(?<=n\d{8}\s)\d+\s+)?)?"
    edges = rf"{before}(?P<name>.*?[^\W\d_].*?)(?:[\s_]+(?P<b>n\d{{8}}|\d+))?"
    matches = [re.fullmatch(edges, line) for line in lines]
    if not all(matches):
        return []
    codes = [re.match(r"([^\W\d]+?_?\d+)[\s_]+(?=[^\W\d_])(.+)", line) for line in lines]
    if all(codes) and are_codes([match[1] for match in codes if match]):  # class_0 dog
        return [[match[1], match[2]] for match in codes if match]
    rows = [[match[key] or "" for key in ("a", "name", "b")] for match in matches if match]
    filled = [k for k in (0, 2) if all(row[k] for row in rows)]
    # Numbers that repeat may be years or part of the names.
    filled = [k for k in filled if len({row[k] for row in rows}) == len(rows)]
    for match, row in zip(matches, rows, strict=True):
        start = match.start("name") if match and 0 in filled else 0
        end = match.end("name") if match and 2 in filled else None
        row[1] = match.string[start:end] if match else ""
    return [[row[k] for k in sorted([*filled, 1])] for row in rows]


def without_numbers(lists: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return lists of class names without the number of each class before or after its name.

    The lists stay unchanged if a name has no number, if a list repeats a number, if two names of a
    list differ only by their numbers, or if numbers belong to names; see
    :func:`have_numbers_in_names`.

    Examples
    --------
    >>> without_numbers([["dog = 0", "bat = 1"], ["ox = 0"]])
    [['dog', 'bat'], ['ox']]
    """
    if any(len(text) > MOST_LETTERS for listed in lists for text in listed):
        return [[*listed] for listed in lists]  # searches take quadratic time
    for pattern, number, name in ((NUMBER_FIRST, 1, 2), (NUMBER_LAST, 2, 1)):
        matches = [[pattern.fullmatch(text) for text in listed] for listed in lists]
        if not all(match for listed in matches for match in listed):
            continue
        bare = [[match[name] for match in listed if match] for listed in matches]
        numbers = [[match[number] for match in listed if match] for listed in matches]
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
    """Return the names in several lists if their numbers may be counts of images, not years.

    Examples
    --------
    >>> names_with_counts([["dog 120", "cat 80"], ["cat 10"]])
    ['cat']
    >>> names_with_counts([["Audi 2011", "BMW 2007"], ["Audi 2012"]])
    []
    """
    names = [parse_class_list(listed).names for listed in lists]
    years = [line for listed in lists for line in listed if YEAR.search(line)]
    if years or not have_numbers_in_names(lists, names):
        return []
    times = Counter(name for listed in names for name in {*listed})
    return [name for name, n in times.items() if n > 1]


def _numbered(line: str) -> list[str]:
    """Split a name from two or more numbers after it, such as its attributes."""
    *start, last = re.split(r"([\s,;]+)", line)
    name, numbers = line, [last]
    while len(start) > 1 and NUMBER.fullmatch(numbers[0]):
        name = name[: -len(start.pop() + numbers[0])]
        if len(numbers) > 1 and LETTER.search("".join(name.rsplit(None, 1)[-1:])):
            return [name, *numbers]
        numbers.insert(0, start.pop())
    return [line]


def _records(lines: list[str]) -> list[list[str]]:
    """Read each line as a dictionary; return a row of keys, then one row of values per line.

    Return an empty list if a line is not a dictionary or if the keys of two lines differ.
    """
    inner = [re.fullmatch(r"\{(.+)\}[,;]?", line) for line in lines]
    if not all(inner):
        return []
    pairs = [[_pair(field.strip()) for field in _parts(match[1], ",")] for match in inner if match]
    keys = {tuple(_bare(pair[0]) for pair in record) for record in pairs}
    if len(keys) > 1:
        return []
    return [list(*keys), *([pair[-1] for pair in record] for record in pairs)]


def _piped(line: str) -> list[str]:
    """Split a line at bars, as in a Markdown table."""
    return re.sub(r"^\s*\||\|\s*$", "", line).split("|") if "|" in line else [line]


def _commas(lines: list[str]) -> list[list[str]]:
    """Split lines at all commas, or only at the first or the last comma.

    They are split once if the numbers of fields differ, and the first or the last field of every
    line is a number or an id.
    """
    rows = [_comma_row(line) for line in lines]
    if len({*map(len, rows)}) == 1 or not rows:
        return rows
    firsts, lasts = (
        [line.split(",", 1) for line in lines],
        [line.rsplit(",", 1) for line in lines],
    )
    for side, pairs in ((0, firsts), (-1, lasts)):
        keys = [_bare(pair[side]) for pair in pairs]
        if all(len(pair) == 2 for pair in pairs) and (_are_numbers(keys) or _are_ids(keys)):
            return pairs
    return rows


def _comma_row(line: str) -> list[str]:
    if '"' in line:
        return next(csv.reader([line.strip()], skipinitialspace=True), [])
    return list(_parts(line, ","))


def _pair(line: str) -> list[str]:
    """Split a line of a dictionary at its first separator outside quotation marks."""
    quoted = PART.match(line)
    separator = re.compile(r"\s*(?:=>|->|:|=)\s*").search(line, quoted.end() if quoted else 0)
    if not separator:
        return [line]
    key, value = line[: separator.start()], line[separator.end() :].rstrip(",")
    if value.startswith("[") and value.endswith("]"):  # as in 0: ["n01440764", "tench"]
        return [key, *_parts(value[1:-1], ",")]
    return [key, value]


def _titled(cells: list[tuple[str, ...]]) -> _Table:
    """Return a table; its first row is used as titles if it looks like a header."""
    first, further_rows = cells[0], cells[1:]
    if not further_rows or not any(first):
        return _Table(tuple(cells))
    over_numbers = any(
        not NUMBER.fullmatch(cell) and _are_numbers([row[k] for row in further_rows])
        for k, cell in enumerate(first)
    )
    if any(cell in {row[k] for row in further_rows} for k, cell in enumerate(first)):
        return _Table(tuple(cells))
    words = [squeeze(cell) for cell in first]
    titled = over_numbers or {*words} <= {*TITLES, ""} or not LIST_TITLES.isdisjoint(words)
    return _Table(tuple(further_rows), first) if titled else _Table(tuple(cells))


def _ordered(table: _Table) -> list[int]:
    """Return column numbers; columns with a title for names come first."""
    titles = [squeeze(title) for title in table.titles]
    rank = {title: k for k, title in enumerate(NAME_TITLES)}
    columns = range(len(table.rows[0]))
    return sorted(columns, key=lambda k: rank.get(titles[k], len(rank)) if titles else 0)


def _are_numbers(values: Sequence[str]) -> bool:
    return all(NUMBER.fullmatch(value) for value in values)


def _are_ids(values: Sequence[str]) -> bool:
    return all(WORDNET_ID.fullmatch(value) for value in values)


def _are_names(values: Sequence[str]) -> bool:
    """Whether texts may be class names: distinct, with letters, and not numbered codes."""
    if len(set(values)) < len(values) or not all(LETTER.search(v) for v in values):
        return False
    return not are_codes(values)


def are_codes(values: Sequence[str]) -> bool:
    """Whether texts differ only by numbers: ``Label_A_01``, ``class 7``."""
    if len(values) < 2:
        return False
    letters = {re.sub(r"\d+", "", value) for value in values}
    return len(letters) == 1 and all(any(c.isdigit() for c in value) for value in values)


# --- Names ----------------------------------------------------------------------------------------


def _finished(reading: ClassList) -> ClassList:
    """Return a reading with distinct names, without the prompt around them."""
    names, prompt = without_prompt(reading.names)
    if prompt:
        within = f" in {reading.column}" if reading.column else ""
        reading = replace(reading, column=f"the prompt {prompt!r}{within}")
    if not any(map(WORDNET_ID.match, names)):
        firsts = [name.split(",")[0].strip() for name in names]  # as in "tench, Tinca tinca"
        if reading.column and all(firsts) and len(set(firsts)) == len(set(names)):
            names = firsts
    return replace(reading, names=tuple(dict.fromkeys(name for name in names if name)))


def without_prompt(names: Sequence[str]) -> tuple[list[str], str]:
    """Remove the prompt that all names start and end with; return names and prompt."""
    words = [name.split() for name in names]
    start = _common([w[:-1] for w in words])
    prompt = " ".join(words[0][:start]) if words else ""
    named = [w[start:] for w in words]
    end = _common([w[:0:-1] for w in named])
    suffix = " ".join(named[0][len(named[0]) - end :]) if end else ""
    if not PICTURES.search(prompt):
        return list(names), ""
    if len(names) == 1:  # one name shares all words with itself
        match = re.search(r"\bof\s+(?:an?\s+|the\s+)?(.+?)[.!]?$", names[0], re.IGNORECASE)
        return ([match[1]], names[0][: match.start(1)] + "...") if match else (list(names), "")
    cut = [" ".join(w[: len(w) - end]) for w in named]
    cut = [re.sub(r"^(?:an?|the)\s+", "", name, flags=re.IGNORECASE) for name in cut]
    cut = [name.rstrip(".,!;") for name in cut]
    return cut, f"{prompt} ...{' ' + suffix if suffix else ''}"


def _common(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of leading words that all rows share; articles count as equal."""
    shortest = min(map(len, rows), default=0)
    for k in range(shortest):
        column = {"a" if row[k].lower() in ARTICLES else row[k].lower() for row in rows}
        if len(column) > 1:
            return k
    return shortest
