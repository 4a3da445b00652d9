"""Entries of a text: lists below headings, names with parts, rows, paths."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, groupby, islice

from zslcore.datasets.class_rows import LIST_TITLES
from zslcore.datasets.part_names import part_or_side, trains_and_tests
from zslcore.datasets.split_files.columns import may_be_entries
from zslcore.datasets.split_files.lists import (
    PART_OF_SIDE,
    QUOTED,
    pair_names_with_parts,
    quoted_names,
    read_lists,
)
from zslcore.datasets.split_files.tables import entries_of_table
from zslcore.datasets.split_lists import IMAGE, Entries
from zslcore.names import LETTER, squeeze
from zslcore.untrusted.readers.csv_files import MAX_COLUMNS
from zslcore.untrusted.readers.text_rows import first_object

#: A heading: ``train:`` or ``train =``, optionally with a list after it; ``[train]``, ``# train``,
#: ``== train ==`` or ``$train`` (R). A number in brackets after the part is ignored.
HEADING = re.compile(  # with bounds, since repeated blanks would take quadratic time
    r"[\"']?(\w[\w -]{0,80}?)[\"']?\s{0,80}(?:\(\d[\w ]{0,80}\)\s{0,80})?[:=]\s*(.*)$"
    r"|[#\[=$]++\s*+(\w[\w -]{0,80}?)\s{0,80}(?:\(\d[\w ]{0,80}\)\s{0,80})?[\]=:]*+$"
)
#: Maximum number of rows by which a table in a text is recognised, before all rows are read.
MAX_HEAD_ROWS = 100_000
#: Minimum share of lines that are paths, in a text with paths.
MIN_PATH_SHARE = 0.8
#: A comment after a value.
COMMENT = re.compile(r"(?<=\S)\s+#.*")
#: A list of pairs of names in quotation marks, as of compositions in Python.
TUPLES = re.compile(
    rf"[\[({{]*(?:\((?:{QUOTED.pattern}),\s*(?:{QUOTED.pattern})\)[,\s]*)+[\])}}]?,?"
)
#: Assignment of a list in a program: optional words of a declaration, the name, an optional type,
#: and the list.
ASSIGNMENT = re.compile(
    r"(?:[A-Za-z_](?:\w|::|[<>\[\]]){0,40}+[\s*&]{1,4}+){0,4}[$@]?([A-Za-z_]\w{0,80})"
    r"(?:\[\w{0,9}\])?(?:\s{0,9}:\s{0,9}[\w.\[\], <>&;]{1,60})?\s{0,9}(?:<-|:?=)\s{0,9}&?"
    r"(?:new\s)?(?:(?:\[\])?[A-Za-z_][\w.:<>]{0,40}(?:\[\])?\s?)?([\[({].*)"
)
#: Values with names, such as ``dict(lr=1)`` or ``{lr: 1}``, which are not a list of names.
SETTINGS = re.compile(r"\w{0,40}\s{0,9}[({]\s{0,9}[\"']?\w{1,40}[\"']?\s{0,9}[:=](?!=)")
#: Characters before a comment in a line of its own.
COMMENTS = ("#", "//", "%")
#: Title of a column in ARFF.
ATTRIBUTE = re.compile(r"@attribute\s+(['\"]?)(.+?)\1\s", re.IGNORECASE)
#: A checksum before a path, as ``md5sum`` writes it.
CHECKSUM = re.compile(r"([0-9a-f]{32,128})\s[ *]?(.+)", re.IGNORECASE)
#: A line of a table in Markdown below the titles.
RULE = re.compile(r"[\s|:+=~^-]+")


def entries_of_text(file: str, lines: list[str]) -> Entries | None:
    """Return the entries of the nonblank lines of a text; None for other texts."""
    if lines and lines[0].lower().startswith("@relation"):
        return entries_of_table(file, *_table_of_arff(lines))
    if len(lines) > 2 and lines[0] == str(len(lines) - 2):
        lines = lines[2:]  # below the number of lines and titles (DeepFashion)
    return (
        _read_lists_below_headings(lines)
        or _read_names_and_parts(lines)
        or _read_text_table(file, lines)
        or _read_paths(lines)
    )


def _read_lists_below_headings(lines: Sequence[str]) -> Entries | None:
    """Return the entries of text, YAML or Python in which a part is the heading of each list."""
    lists: dict[str, list[str]] = {}
    items: list[str] | None = None
    plain = _find_plain_headings(lines)
    for line in lines:
        uncommented = COMMENT.sub("", line.strip()).replace("**", "")  # bold in Markdown
        if assigned := ASSIGNMENT.fullmatch(uncommented):
            uncommented = f"{assigned[1]} = {assigned[2]}"
        heading = HEADING.fullmatch(uncommented)
        name = (heading[1] or heading[3]) if heading else line if line in plain else ""
        within_title = within = (heading[2] or "") if heading else ""
        within = within if within.strip("[({") else ""
        is_short = "," in within or len(within.split()) <= 3 or quoted_names(within)
        if part_or_side(name) and SETTINGS.match(within):
            items = None
        elif part_or_side(name) and is_short and (not within or LETTER.search(within)):
            items = lists.setdefault(name, [])
            items += _split_names(within, inline=True)
        elif uncommented.startswith("##"):  # another heading of Markdown
            items = None
        elif (
            items is not None and not uncommented.startswith(COMMENTS) and not RULE.fullmatch(line)
        ):
            is_titled = "," in within_title and squeeze(name) in LIST_TITLES  # as in INI
            items += _split_names(within_title if is_titled else uncommented, inline=is_titled)
    return read_lists(lists) if trains_and_tests(map(part_or_side, lists)) else None


def _find_plain_headings(lines: Sequence[str]) -> set[str]:
    """Return the lines that are headings: each is only the name of a part or a side.

    Since a class may have such a name, these lines are headings only if the first line of the text
    is one of them, no name occurs twice, and they are either all parts or all sides.
    """
    headings = [line for line in lines if part_or_side(line)]
    parts = {*map(part_or_side, headings)}
    mixed = len(parts) < len(headings) or 0 < len(parts & {"seen", "unseen"}) < len(parts)
    begins = bool(lines) and bool(part_or_side(lines[0]))
    return {*headings} if begins and not mixed and trains_and_tests(parts) else set()


def _split_names(line: str, *, inline: bool = False) -> list[str]:
    """Return the names in a line: in quotation marks, after a bullet, or the line as a whole.

    A line after a heading, ``inline``, may have names between commas, also in brackets.
    """
    if TUPLES.fullmatch(line):  # compositions in Python
        return [" ".join(a or b for a, b in QUOTED.findall(pair)) for pair in line.split(")")[:-1]]
    if names := quoted_names(line):
        return names
    names = line.strip("[]").split(",") if inline else [re.sub(r"^[-*]\s+", "", line)]
    return [bare for name in names if (bare := name.strip(" \"',")) and bare.strip("[](){}")]


def _read_names_and_parts(lines: Sequence[str]) -> Entries | None:
    """Return the entries of lines with a name and a part, split at tab, comma, colon or space."""
    for separator in ("\t", ",", ":", None):
        counts = {line.count(separator) for line in lines} if separator else {1}
        if len(counts) == 1 and max(counts) > 1:
            continue  # the lines are a table of more columns
        if not all(len(line.rsplit(separator, 1)) == 2 for line in lines):
            continue
        if entries := pair_names_with_parts(_DividedLines(lines, separator)):
            return entries
    return None


@dataclass(frozen=True)
class _DividedLines(Iterable[Sequence[str]]):
    """Lines that are divided at the last separator when they are read."""

    lines: Sequence[str]
    separator: str | None

    def __iter__(self) -> Iterator[Sequence[str]]:
        return (line.rsplit(self.separator, 1) for line in self.lines)


def _read_text_table(file: str, lines: Sequence[str]) -> Entries | None:
    """Return the entries of a text with titles, and rows with the same number of fields.

    A table in Markdown may have other text above and below it.
    """
    blocks = [[*block] for is_row, block in groupby(lines, lambda line: line[:1] == "|") if is_row]
    lines = next((block for block in blocks if any(map(RULE.fullmatch, block))), lines)
    plain = [line.removeprefix("|").removesuffix("|") for line in lines if not RULE.fullmatch(line)]
    is_quoted = len(plain) > 1 and '"' in plain[0] + plain[-1]
    for separator in ("|", "\t", ";", ",", " "):
        if separator == " ":
            plain = [" ".join(line.split()) for line in plain]
        # Counted before the lines are split, since cells take much memory.
        counts = {line.count(separator) for line in plain[1:]}
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
            titles, *rows = islice(table, MAX_HEAD_ROWS)
            if {*map(len, rows)} == {len(titles) + 1}:
                titles = ("", *titles)  # R has no title above the numbers of rows
            if not may_be_entries(titles, rows):
                return None
            return entries_of_table(file, titles, [*rows, *table])
    return None


def _table_of_arff(lines: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Return the titles and rows of a text in ARFF, the format of Weka."""
    titles = [match[2] for line in lines if (match := ATTRIBUTE.match(line))]
    below = dropwhile(lambda line: line.lower() != "@data", lines)
    plain = [line for line in islice(below, 1, None) if line[0] != "%"]
    return titles, [*csv.reader(plain, quotechar="'", skipinitialspace=True)]


def _read_paths(lines: Sequence[str]) -> Entries | None:
    """Return the entries of paths below folders of parts, as ``find`` or ``ls -R`` lists them."""
    folder, paths = "", []
    listed = [CHECKSUM.match(line) for line in lines]
    for line, match in zip(lines, listed, strict=True):
        path = match[2] if match else line
        if path.endswith(":"):
            folder = path.removesuffix(":") + "/"
        elif IMAGE.search(path):
            paths.append((folder + path).replace("\\", "/").removeprefix("./").split("/"))
    if not paths or len(paths) < MIN_PATH_SHARE * sum(not line.endswith(":") for line in lines):
        return None
    checksums = [match[1] for match in listed if match]
    for level in range(min(map(len, paths)) - 2):  # the last two are the class and the image
        named = [part_or_side(path[level]) for path in paths]
        parts = [PART_OF_SIDE.get(part, part) for part in named]
        if all(parts) and trains_and_tests({*parts}):
            rows = [["/".join(path[level:]), path[level + 1]] for path in paths]
            of_file = checksums if len(checksums) == len(rows) else [""] * len(rows)
            table = [[*row, *cells] for row, *cells in zip(rows, parts, of_file, strict=True)]
            entries = entries_of_table("", ("path", "class", "split", "checksum"), table)
            if entries is not None:
                entries.note, entries.one_name = "paths below folders of parts", False
            return entries
    return None
