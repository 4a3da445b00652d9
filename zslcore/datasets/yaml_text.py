"""Mappings, lists and scalars of a YAML text, without tags, anchors, and texts of several lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

#: Largest depth of nested mappings and lists.
MAX_DEPTH = 12
#: A comment, a key with its value, and the start of YAML that is not read.
COMMENT = re.compile(r"(?:^|\s)#.*$")
KEY = re.compile(r"(\"[^\"]*\"|'[^']*'|[^\s\"'\[{#&*!|>%@`][^#]*?)\s*:(?:\s+(.*))?$")
NOT_READ = re.compile(r"[&*!|>%@`]|---\s*\S")
INTEGER, REAL = re.compile(r"[-+]?\d{1,15}"), re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+)(e[-+]?\d+)?")
WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


class _Line(NamedTuple):
    indent: int
    text: str


class _NotReadError(Exception):
    """The text uses YAML syntax that is not read."""


def parse_yaml(lines: Sequence[str]) -> Any:
    """Return the value of a YAML text; None for other syntax.

    Examples
    --------
    >>> parse_yaml(["train:", "- {path: a.jpg, label: 1}", "test: [b.jpg, 'c.jpg']"])
    {'train': [{'path': 'a.jpg', 'label': 1}], 'test': ['b.jpg', 'c.jpg']}
    """
    held = [_Line(len(line) - len(line.lstrip(" ")), _without_comment(line)) for line in lines]
    held = [line for line in held if line.text and line.text not in ("---", "...")]
    try:
        if held and held[0].text[0] in "[{":
            text, end = _joined(held, 1, held[0].text)
            value = _value(text)
        else:
            value, end = _block(held, 0, 0)
    except _NotReadError:
        return None
    return value if end == len(held) and isinstance(value, dict | list) else None


def _without_comment(line: str) -> str:
    text = line.strip()
    return text if "'" in text or '"' in text else COMMENT.sub("", text).strip()


def _block(lines: Sequence[_Line], at: int, depth: int) -> tuple[Any, int]:
    """Return the list or mapping that begins in line ``at``, and the line after it."""
    if at >= len(lines) or depth > MAX_DEPTH or lines[at].text.startswith("\t"):
        raise _NotReadError
    indent = lines[at].indent
    if _is_item(lines[at].text):
        return _list(lines, at, indent, depth)
    return _mapping(lines, at, indent, depth)


def _is_item(text: str) -> bool:
    return text == "-" or text.startswith("- ")


def _list(lines: Sequence[_Line], at: int, indent: int, depth: int) -> tuple[list[Any], int]:
    items = []
    while at < len(lines) and lines[at].indent == indent and _is_item(lines[at].text):
        text = lines[at].text[1:].strip()
        if not text:
            item, at = _block(lines, at + 1, depth + 1)
        elif KEY.fullmatch(text) or _is_item(text):
            inner = lines[at].indent + len(lines[at].text) - len(text)
            end = at + 1
            while end < len(lines) and lines[end].indent > indent:
                end += 1
            item, read = _block([_Line(inner, text), *lines[at + 1 : end]], 0, depth + 1)
            if read != end - at:
                raise _NotReadError
            at = end
        else:
            text, at = _joined(lines, at + 1, text)
            item = _value(text)
        items.append(item)
    return items, at


def _joined(lines: Sequence[_Line], at: int, text: str) -> tuple[str, int]:
    """Join a text with the lines from ``at`` up to its last bracket; return the next line, too."""
    if text[0] in "[{":
        parts, opened = [text], _depth(text)
        while opened > 0:
            if at == len(lines):
                raise _NotReadError
            parts.append(lines[at].text)
            opened += _depth(lines[at].text)
            at += 1
        text = " ".join(parts)
    return text, at


def _depth(text: str) -> int:
    """Return the number of brackets that a text opens and does not close."""
    return sum(text.count(sign) for sign in "[{") - sum(text.count(sign) for sign in "]}")


def _mapping(
    lines: Sequence[_Line], at: int, indent: int, depth: int
) -> tuple[dict[str, Any], int]:
    values: dict[str, Any] = {}
    while at < len(lines) and lines[at].indent == indent and not _is_item(lines[at].text):
        match = KEY.fullmatch(lines[at].text)
        if not match:
            raise _NotReadError
        key, text = match[1].strip("\"'"), (match[2] or "").strip()
        at += 1
        if key in values:
            raise _NotReadError
        if text:
            text, at = _joined(lines, at, text)
            values[key] = _value(text)
            continue
        deeper = at < len(lines) and (
            lines[at].indent > indent or (lines[at].indent == indent and _is_item(lines[at].text))
        )
        values[key], at = _block(lines, at, depth + 1) if deeper else (None, at)
    return values, at


def _value(text: str) -> Any:
    """Return a scalar, or a list or mapping in brackets."""
    if text[0] in "[{":
        value, end = _bracketed(text, 0, 0)
        if text[end:].strip():
            raise _NotReadError
        return value
    if NOT_READ.match(text):
        raise _NotReadError
    return _scalar(text)


def _scalar(text: str) -> Any:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1].replace("''", "'") if text[0] == "'" else text[1:-1]
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    if INTEGER.fullmatch(text):
        return int(text)
    return float(text) if REAL.fullmatch(text.lower()) else text


SPACES = re.compile(r"\s*")
#: Absent value, as after the last comma.
EMPTY = object()
#: A value in brackets, up to its separator.
TOKEN = re.compile(r"\s*(\"[^\"\\]*\"|'(?:[^']|'')*'|[^\[\]{},:]*(?::(?!\s|$)[^\[\]{},:]*)*)\s*")


def _bracketed(text: str, at: int, depth: int) -> tuple[Any, int]:
    """Return the list or mapping that begins at a position of a text, and the position after it."""
    if depth > MAX_DEPTH:
        raise _NotReadError
    is_list = text[at] == "["
    closing = "]" if is_list else "}"
    items: list[Any] = []
    pairs: dict[str, Any] = {}
    while True:
        item, at = _element(text, at + 1, depth)
        if not is_list and text[at : at + 1] == ":":
            value, at = _element(text, at + 1, depth)
            pairs[str(item)] = None if value is EMPTY else value
        elif item is not EMPTY:
            items.append(item)
        if text[at : at + 1] == closing:
            break
        if text[at : at + 1] != ",":
            raise _NotReadError
    if not is_list and items:
        raise _NotReadError
    return (items if is_list else pairs), at + 1


def _element(text: str, at: int, depth: int) -> tuple[Any, int]:
    """Return the value at a position of a text, and the position after it and its spaces."""
    at = _after_spaces(text, at)
    if text[at : at + 1] in ("[", "{"):
        value, end = _bracketed(text, at, depth + 1)
        return value, _after_spaces(text, end)
    match = TOKEN.match(text, at)
    if match is None:
        raise _NotReadError
    return _scalar(match[1]) if match[1].strip() else EMPTY, match.end()


def _after_spaces(text: str, at: int) -> int:
    match = SPACES.match(text, at)
    return match.end() if match else at
