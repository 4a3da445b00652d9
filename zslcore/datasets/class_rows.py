"""Lines of class names as items, and as rows of cells."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from zslcore.datasets.part_names import words_in
from zslcore.names import LETTER, WORDNET_ID, squeeze
from zslcore.texts import clean_text, match_all

#: Other spellings of a WordNet id: ``N02481823``, ``02481823-n``.
SPELLED_ID = re.compile(r"\bN(\d{8})\b|\b(\d{8})-n\b")


NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?", re.IGNORECASE)
#: A quoted part of a line.
QUOTED_PART = re.compile(r"\"((?:[^\"\\]|\\.|\"\")*)\"|'((?:[^'\\]|\\.)*)'(?=\s*(?:[,:;|\]})=]|$))")
#: Bullet or number at the start of a line of a list.
BULLET = re.compile(r"\s*(?:[-*\u2022\u2013]\s+|\(?\d+[.)]\s*(?=[^\d\s.)])|\[\d+\]\s*)")
#: Start of a list or dictionary in source code.
OPENS = re.compile(r"^\s*(?:[\"']?[A-Za-z_][\w.]*[\"']?\s*[:=]\s*)?[\[{(]")
#: End of a list or dictionary in source code.
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
    *("classname", "name", "classnames", "names", "class", "labelname", "label", "category"),
)
#: Titles of a list of names.
LIST_TITLES = frozenset({*NAME_TITLES, "classes", "labels", "categories", "id2label", "labelnames"})
#: Titles of a column of WordNet ids.
ID_TITLES = frozenset({"wnid", "wnids", "synset", "synsets", "wordnetid", "id", "ids"})
#: Start of an item in a protobuf text.
PROTOBUF = re.compile(r"\s*item\s*\{")
#: Name of an item in a protobuf text.
ITEM_NAME = r"\b{}\s*:\s*(?:\"(.*?)\"|'(.*?)')"
#: Titles of columns in a table with one row per image.
IMAGE_COLUMN_TITLES = frozenset(
    {"ytrue", "ypred", "true", "truth", "groundtruth", "gt", "pred", "predicted", "prediction"}
    | {"file", "filename", "path", "image", "score", "probability"}
)
#: Maximum number of columns of a class table in which most columns are numbers.
MAX_FIELDS = 4
#: Curly quotation marks -> straight quotation marks.
QUOTES = str.maketrans("\u201c\u201d\u2018\u2019", "\"\"''")
#: Maximum number of characters of a line.
MAX_LINE = 2000
#: Name, and a number in brackets after it, such as a count of images.
NUMBER_IN_BRACKETS = r"(.*?[^\W\d_].*?)\s*[(\[](\d+)(?: [a-z]+)?[)\]]"
#: Name, and a number after a hyphen, such as the number of the line.
NUMBER_AFTER_HYPHEN = r"(.*?[^\W\d_].*?)\s*[-\u2013]\s*(\d+)"
#: Name with a number or WordNet id before or after it.
NUMBERS_AROUND = (
    r"(?:(?P<before>n\d{8}|\d+)[\s_]+(?:(?<=n\d{8}\s)\d+\s+)?)?"
    r"(?P<name>.*?[^\W\d_].*?)(?:[\s_]+(?P<after>n\d{8}|\d+))?"
)
#: Code of a class, and its name.
CODE_FIRST = r"([^\W\d]+?_?\d+)[\s_]+(?=[^\W\d_])(.+)"
#: Maximum number of characters of a line from which a number before or after a name is removed.
MAX_LETTERS = 200


def split_lines(lines: Sequence[str]) -> list[str]:
    """Split at every line separator; csv.reader refuses separators within an item."""
    return [part for line in lines for part in line.splitlines()]


def find_items(lines: list[str]) -> list[str]:
    """Return the items of a list or dictionary in code, else the lines without their title."""
    titles = LIST_TITLES | (ID_TITLES if are_wordnet_ids(lines[1:]) else set())
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
            return _strip_brackets(
                [name for name in map(str.strip, _split_outside(body, ",\n")) if name]
            )
    if (
        len(lines) == 1
        and len(records := re.findall(r"[(\[][^()\[\],]+,[^()\[\]]+[)\]]", text)) > 1
    ):
        return _strip_brackets(records)
    stripped = [BULLET.sub("", line, count=1) for line in lines]
    if len(lines) > 1 and all(map(BULLET.match, lines)) and all(stripped):
        return stripped
    for separator in ",;" if len(lines) == 1 else "":  # as in "dog, cat, fox"
        if lines[0].count(separator) > 1:
            return [name for name in map(str.strip, _split_outside(lines[0], separator)) if name]
    ended = all(line.endswith((",", ";")) for line in lines[:-1] or lines)
    return _strip_brackets([line.rstrip(",;") for line in lines] if ended else lines)


def list_in_code(text: str) -> str | None:
    """Return the only list of classes in source code, such as ``classes = [...]``; else None."""
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


def _strip_brackets(items: list[str]) -> list[str]:
    """Return items such as ``(0, 'dog')`` without their brackets, if all have brackets."""
    records = match_all(r"[(\[](.*,.*)[)\]],?", map(str.strip, items))
    return [match[1] for match in records] or items


def _split_outside(text: str, separators: str) -> Iterator[str]:
    """Split at separators outside quotation marks and brackets."""
    depth, start, at = 0, 0, 0
    while at < len(text):
        quoted = (
            QUOTED_PART.match(text, at) if text[at] in "\"'" and _opens_quote(text, at) else None
        )
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


def strip_quotes(text: str) -> str:
    """Strip spaces and quotation marks from a value."""
    text = text.strip().translate(QUOTES)
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1].replace(2 * text[0], text[0]).replace("\\" + text[0], text[0])
    return clean_text(text, MAX_LINE)


@dataclass(frozen=True, slots=True)
class ClassTable:
    """Rows of equal length, with the titles of the columns if there are any."""

    rows: tuple[tuple[str, ...], ...]
    titles: tuple[str, ...] = ()

    def column(self, k: int) -> tuple[str, ...]:
        """Return the cells of a column."""
        return tuple(row[k] for row in self.rows)

    def name_of(self, k: int) -> str:
        """Return the name of a column for a sentence."""
        n = len(self.rows[0])
        title = f" ({self.titles[k]!r})" if self.titles else ""
        return f"column {k + 1} of {n}{title}"


def find_tables(lines: list[str]) -> Iterator[ClassTable]:
    """Yield one table per separator that splits all lines into the same number of fields."""
    stripped = [line.strip() for line in lines]
    keyed = [_split_key(line) for line in stripped]
    if not are_all_numbers([strip_quotes(row[0]) for row in keyed]):
        keyed = []
    for rows in (
        _read_dictionaries(stripped),
        [line.split("\t") for line in lines],
        keyed,
        [_split_bars(line) for line in stripped if not re.fullmatch(r"[\s|:+-]+", line)],
        [list(_split_outside(line, ";")) for line in stripped],
        _split_commas(stripped),
        [_split_key(line) for line in stripped],
        [re.split(r"\s{2,}", line) for line in stripped],
        [_split_numbers(line) for line in stripped],
        _split_around_names(stripped),
    ):
        if rows and len(rows[0]) > 1 and len({*map(len, rows)}) == 1:
            yield _split_titles([tuple(map(strip_quotes, row)) for row in rows])


def _split_titles(cells: list[tuple[str, ...]]) -> ClassTable:
    """Return a table; its first row is used as titles if it looks like a header."""
    first, further_rows = cells[0], cells[1:]
    if not further_rows or not any(first):
        return ClassTable(tuple(cells))
    over_numbers = any(
        not NUMBER.fullmatch(cell) and are_all_numbers([row[k] for row in further_rows])
        for k, cell in enumerate(first)
    )
    if any(cell in {row[k] for row in further_rows} for k, cell in enumerate(first)):
        return ClassTable(tuple(cells))
    words = [squeeze(cell) for cell in first]
    titled = over_numbers or {*words} <= {*TITLES, ""} or not LIST_TITLES.isdisjoint(words)
    return ClassTable(tuple(further_rows), first) if titled else ClassTable(tuple(cells))


def rank_columns(table: ClassTable) -> list[int]:
    """Return column numbers; columns with a title for names come first."""
    titles = [squeeze(title) for title in table.titles]
    rank = {title: k for k, title in enumerate(NAME_TITLES)}
    columns = range(len(table.rows[0]))
    return sorted(columns, key=lambda k: rank.get(titles[k], len(rank)) if titles else 0)


def _read_dictionaries(lines: list[str]) -> list[list[str]]:
    """Read each line as a dictionary; return a row of keys, then one row of values per line.

    Return an empty list if a line is not a dictionary or if the keys of two lines differ.
    """
    inner = match_all(r"\{(.+)\}[,;]?", lines)
    pairs = [
        [_split_key(field.strip()) for field in _split_outside(match[1], ",")] for match in inner
    ]
    keys = {tuple(strip_quotes(pair[0]) for pair in record) for record in pairs}
    if len(keys) != 1:
        return []
    return [list(*keys), *([pair[-1] for pair in record] for record in pairs)]


def _split_key(line: str) -> list[str]:
    """Split a line of a dictionary at its first separator outside quotation marks."""
    quoted = QUOTED_PART.match(line)
    separator = re.compile(r"\s*(?:=>|->|:|=)\s*").search(line, quoted.end() if quoted else 0)
    if not separator:
        return [line]
    key, value = line[: separator.start()], line[separator.end() :].rstrip(",")
    if value.startswith("[") and value.endswith("]"):  # as in 0: ["n01440764", "tench"]
        return [key, *_split_outside(value[1:-1], ",")]
    return [key, value]


def _split_bars(line: str) -> list[str]:
    """Split a line at bars, as in a Markdown table."""
    return re.sub(r"^\s*\||\|\s*$", "", line).split("|") if "|" in line else [line]


def _split_commas(lines: list[str]) -> list[list[str]]:
    """Split lines at all commas, or only at the first or the last comma.

    They are split once if the numbers of fields differ, and the first or the last field of every
    line is a number or an id.
    """
    rows = [_split_comma_row(line) for line in lines]
    if len({*map(len, rows)}) == 1 or not rows:
        return rows
    firsts = [line.split(",", 1) for line in lines]
    lasts = [line.rsplit(",", 1) for line in lines]
    for side, pairs in ((0, firsts), (-1, lasts)):
        keys = [strip_quotes(pair[side]) for pair in pairs]
        if all(len(pair) == 2 for pair in pairs) and (
            are_all_numbers(keys) or are_wordnet_ids(keys)
        ):
            return pairs
    return rows


def _split_comma_row(line: str) -> list[str]:
    if '"' in line:
        return next(csv.reader([line.strip()], skipinitialspace=True), [])
    return list(_split_outside(line, ","))


def _split_numbers(line: str) -> list[str]:
    """Split a name from two or more numbers after it, such as its attributes."""
    *start, last = re.split(r"([\s,;]+)", line)
    name, numbers = line, [last]
    while len(start) > 1 and NUMBER.fullmatch(numbers[0]):
        name = name[: -len(start.pop() + numbers[0])]
        if len(numbers) > 1 and LETTER.search("".join(name.rsplit(None, 1)[-1:])):
            return [name, *numbers]
        numbers.insert(0, start.pop())
    return [line]


def _split_around_names(lines: list[str]) -> list[list[str]]:
    """Split off numbers or ids that every line has before or after its name.

    They are separated from the name by spaces or underscores. A number in brackets after the name,
    such as a count of images, and a line number after a hyphen are also split off.
    """
    if max(map(len, lines), default=0) > MAX_LETTERS:  # searches take quadratic time
        return []
    if bracketed := match_all(NUMBER_IN_BRACKETS, lines):
        return [[*match.groups()] for match in bracketed]
    hyphened = match_all(NUMBER_AFTER_HYPHEN, lines)
    if hyphened and are_row_numbers([int(match[2]) for match in hyphened]):
        return [[*match.groups()] for match in hyphened]
    matches = match_all(NUMBERS_AROUND, lines)
    coded = match_all(CODE_FIRST, lines) if matches else []
    if coded and are_codes([match[1] for match in coded]):  # class_0 dog
        return [[*match.groups()] for match in coded]
    # Numbers that repeat may be years or part of the names.
    before, after = (
        len({match[key] for match in matches} - {None}) == len(matches)
        for key in ("before", "after")
    )
    rows = []
    for match in matches:
        start = match.start("name") if before else 0
        end = match.end("name") if after else None
        edges = [match["before"]] * before, [match["after"]] * after
        rows.append([*edges[0], match.string[start:end], *edges[1]])
    return rows


def is_class_table(lines: Sequence[str], separator: str = ",") -> bool:
    """Whether a table has one class per line: its name, alone or with whole numbers or codes.

    A table of scores differs: it has decimal or repeated numbers, or more columns.
    """
    stripped = [line.strip() for line in split_lines(lines)]
    fields = (
        _split_commas(stripped)
        if separator == ","
        else [line.split(separator) for line in stripped]
    )
    rows = [tuple(map(strip_quotes, row)) for row in fields]
    if len(rows) < 2 or len({*map(len, rows)}) > 1:
        return False
    table = _split_titles(rows)
    if not IMAGE_COLUMN_TITLES.isdisjoint(map(squeeze, rows[0])):
        return False
    columns = [table.column(k) for k in range(len(rows[0]))]
    numbers = [values for values in columns if are_all_numbers(values)]
    if len(columns) > max(MAX_FIELDS, 2 * len(columns) - 2 * len(numbers)):
        return False
    named = any(may_be_names(column) or are_wordnet_ids(column) for column in columns)
    return named and all(
        len(set(values)) == len(values) and all(map(str.isdecimal, values)) for values in numbers
    )


def are_all_numbers(values: Sequence[str]) -> bool:
    """Whether all texts are numbers; a sign, decimals and an exponent are allowed."""
    return all(NUMBER.fullmatch(value) for value in values)


def are_wordnet_ids(values: Sequence[str]) -> bool:
    """Whether all texts are ids of WordNet."""
    return all(WORDNET_ID.fullmatch(value) for value in values)


def may_be_names(values: Sequence[str]) -> bool:
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


def are_row_numbers(numbers: Sequence[int]) -> bool:
    """Whether numbers are those of rows, from 0 or from 1, in any order."""
    n = len(numbers)
    return sorted(numbers) in ([*range(n)], [*range(1, n + 1)])
