"""Class names in a text: one per line, or in a table's column, a dictionary or prompts.

A line is split only if all lines have the same structure. A column of numbers, of codes
(``Label_A_01``) or with repeated texts is not a column of names. Of several columns of texts, the
column in which ``count_recognised`` recognises the largest share of names is used; without
``count_recognised``, the first column is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from zslcore.datasets.class_json import MAX_LINES, dump_lines, read_json_lines
from zslcore.datasets.class_rows import (
    MAX_LINE,
    SPELLED_ID,
    are_all_numbers,
    are_codes,
    are_wordnet_ids,
    find_items,
    find_tables,
    may_be_names,
    rank_columns,
    split_lines,
    strip_quotes,
)
from zslcore.datasets.part_names import composition_columns, part_or_side
from zslcore.names import WORDNET_ID
from zslcore.texts import expect, refusal_of
from zslcore.untrusted.client import read_plain_value, read_value

#: Maximum size of a list in bytes; ImageNet-21K with synonyms has 0.7 MB.
MAX_BYTES = 2 << 20
#: Long sequences of spaces, underscores or digits, which are cut to their start: searches take
#: quadratic time on long sequences.
RUN = re.compile(r"([\s_]{16})[\s_]+|(\d{32})\d+")
#: End of the name of a sense in NLTK: ``chimpanzee.n.01``.
SENSE = re.compile(r"(?<=\w)\.[nv]\.\d\d\b")
#: Articles before a name in a prompt.
ARTICLES = frozenset({"a", "an", "the", "one"})
#: Pattern that marks the words before a name as a prompt, as in "a photo of a dog".
PICTURES = re.compile(
    r"^(this|there|it|here|i|we)\b|photo|picture|image|drawing|painting|sketch|rendering|video|itap",
    re.IGNORECASE,
)
#: Markup around a name: a link in Markdown, an element of XML.
MARKUP = re.compile(r"\[([^\[\]]+)\]\([^()\s]+\)|^\s*<(\w+)[^<>]*>([^<>]+)</\2>\s*$")
#: Signs of code, metrics or sentences.
NO_NAME = re.compile(
    r"`|[=<>!]=|://|\s--\w|\w\([\"']|:$|\d\.\d+\s.*\d\.\d|^(\S+\s+){3}.*\S\.$|^(\S+\s+){9}"
)


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
        value = read_plain_value(path, max_bytes=MAX_BYTES, max_items=20 * MAX_LINES)
    if value is not None:
        lines = read_json_lines(value) or dump_lines(value)
    if lines is None:
        lines = read_value(path, "lines", max_bytes=MAX_BYTES, max_items=MAX_LINES)
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
    cut_lines = [line.lstrip("\ufeff").rstrip()[:MAX_LINE] for line in split_lines(lines)]
    cut_lines = [MARKUP.sub(r"\1\3", RUN.sub(r"\1\2", line)) for line in cut_lines]
    cut_lines = [SPELLED_ID.sub(r"n\1\2", line) for line in cut_lines]
    without_senses = [SENSE.sub("", line) for line in cut_lines]
    if len({*without_senses}) == len({*cut_lines}):
        cut_lines = without_senses
    cut_lines = [line for line in cut_lines if line.strip() and not line.lstrip().startswith("#")]
    items = find_items(cut_lines)
    readings = [_finish(reading) for reading in _find_readings(items)]
    readings = [reading for reading in readings if reading.names]
    if not readings:  # all texts are codes
        return _finish(ClassList(tuple(map(strip_quotes, items))))
    if count_recognised is None:
        return readings[0]
    # max returns the first of several best readings.
    return max(readings, key=lambda reading: count_recognised(reading.names) / len(reading.names))


def _find_readings(lines: list[str]) -> Iterator[ClassList]:
    """Yield possible readings of the lines: the most structured first, whole lines last.

    Whole lines are not read as names if one field is a number or WordNet id in every line.
    """
    structured = False
    for table in find_tables(lines):
        columns = [table.column(k) for k in range(len(table.rows[0]))]
        if pair := composition_columns(table.titles):
            names = tuple(" ".join(row[k] for k in pair) for row in table.rows)
            yield ClassList(names, " and ".join(map(table.name_of, pair)))
            return
        ids = [k for k, values in enumerate(columns) if are_wordnet_ids(values)]
        named = [k for k in rank_columns(table) if k not in ids and may_be_names(columns[k])]
        for k in named:
            names = columns[k]
            if all(name.startswith("/") for name in names):
                names = shorten_paths(names)
            if ids:
                names = tuple(map(" ".join, zip(columns[ids[0]], names, strict=True)))
            yield ClassList(names, table.name_of(k))
        if ids and not named:
            yield ClassList(columns[ids[0]], table.name_of(ids[0]))
        structured |= bool(ids) or any(map(are_all_numbers, columns))
    if structured:
        return
    unquoted = [strip_quotes(line) for line in lines]
    if all("/" in line.strip("/") for line in unquoted):
        yield ClassList(shorten_paths(unquoted), "the last part of each path")
    unquoted = [line.rstrip("/") for line in unquoted]
    yield ClassList(tuple(unquoted))
    if len(unquoted) == 1 and len(words := unquoted[0].split()) > 1:
        yield ClassList(tuple(words), "the words of the line")
    if any("," in line for line in unquoted):
        firsts = tuple(line.split(",")[0].strip() for line in unquoted)
        if not are_codes(firsts):
            yield ClassList(firsts, "the first of the synonyms")


def shorten_paths(names: Sequence[str]) -> tuple[str, ...]:
    """Return the last part of each path, or, if these repeat, the words of the paths."""
    last = tuple(name.strip("/").rpartition("/")[2] for name in names)
    return last if len({*last}) == len({*names}) else join_paths(names)


def join_paths(names: Sequence[str]) -> tuple[str, ...]:
    """Return the words of each path.

    The first folders are left out if they are all equal, initials, or parts such as "train".
    """
    paths = [name.strip("/").split("/") for name in names]
    while min(map(len, paths), default=0) > 1 and (
        len(firsts := {path[0] for path in paths}) == 1
        or all(len(first) == 1 or part_or_side(first) for first in firsts)
    ):
        paths = [path[1:] for path in paths]
    return tuple(map(" ".join, paths))


def are_not_names(lines: Sequence[str]) -> bool:
    """Whether at least a quarter of the lines are code, metrics or sentences, not class names."""
    return 4 * sum(bool(NO_NAME.search(line)) for line in lines) >= max(1, len(lines))


def _finish(reading: ClassList) -> ClassList:
    """Return a reading with distinct names, without the prompt around them."""
    names, prompt = remove_prompt(reading.names)
    if prompt:
        within = f" in {reading.column}" if reading.column else ""
        reading = replace(reading, column=f"the prompt {prompt!r}{within}")
    if not any(map(WORDNET_ID.match, names)):
        firsts = [name.split(",")[0].strip() for name in names]  # as in "tench, Tinca tinca"
        if reading.column and all(firsts) and len(set(firsts)) == len(set(names)):
            names = firsts
    return replace(reading, names=tuple(dict.fromkeys(name for name in names if name)))


def remove_prompt(names: Sequence[str]) -> tuple[list[str], str]:
    """Remove the prompt that all names start and end with; return names and prompt."""
    words = [name.split() for name in names]
    start = _count_common_words([w[:-1] for w in words])
    prompt = " ".join(words[0][:start]) if words else ""
    named = [w[start:] for w in words]
    end = _count_common_words([w[:0:-1] for w in named])
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


def _count_common_words(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of leading words that all rows share; articles count as equal."""
    shortest = min(map(len, rows), default=0)
    for k in range(shortest):
        column = {"a" if row[k].lower() in ARTICLES else row[k].lower() for row in rows}
        if len(column) > 1:
            return k
    return shortest
