"""Reader of YAML, with the types of JSON and without aliases and tags.

The events of a text are read one by one, since its nodes would take hundreds of bytes per value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import yaml

from zslcore.untrusted.readers.json_files import refuse_more, repeated_name
from zslcore.untrusted.readers.text_rows import copy_text_rows, text_in
from zslcore.untrusted.worker import Refused

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
#: Maximum number of names in mappings; a name with its value takes 200 bytes.
MAX_NAMES = 1 << 19
#: End of a name in a mapping.
NAME_END = re.compile(r":(?=\s)|(?<=[\"']):")
#: Plain scalars other than texts. Unlike in YAML 1.1, "no", "07", "1:30" and dates are texts, since
#: they may be names of classes.
WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
INTEGER = re.compile(r"[-+]?(0|[1-9]\d{0,14})")
REAL = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+)(e[-+]?\d+)?", re.IGNORECASE)
LEADING_ZERO = re.compile(r"[-+]?0\d+")


def read_value(path: str, kind: str, max_items: int, out: Path) -> Any:
    """Return the list or mapping of a YAML file; more than ``max_items`` values are refused."""
    copy_text_rows(path, "lines", max_items, out)
    text = text_in(out)
    n = sum(1 for _ in NAME_END.finditer(text))
    if n > MAX_NAMES:
        raise Refused(f"expected at most {MAX_NAMES:,} names; got {n:,}")
    try:
        value = parse_yaml(text)
    except (ValueError, RecursionError):
        raise Refused("expected YAML without aliases and tags; got other text") from None
    refuse_more(value, max_items)
    return value


def parse_yaml(text: str) -> Any:
    """Return the list or mapping of a YAML text.

    Raises a ValueError for other syntax, a scalar, several documents, an alias or a tag, and
    Refused for a repeated name.

    Examples
    --------
    >>> parse_yaml("{train: [{path: a.jpg, label: 1}], test: [b.jpg, 'c.jpg']}")
    {'train': [{'path': 'a.jpg', 'label': 1}], 'test': ['b.jpg', 'c.jpg']}
    """
    try:
        events = yaml.parse(text, Loader=LOADER)
        values = [_value(event, events) for event in events if isinstance(event, yaml.NodeEvent)]
    except yaml.YAMLError as error:
        raise ValueError(str(error).splitlines()[0]) from None
    if len(values) != 1 or not isinstance(values[0], dict | list):
        raise ValueError("expected one list or mapping")
    return values[0]


def _value(event: yaml.Event, events: Iterator[yaml.Event]) -> Any:
    """Return the value that begins with ``event``; its further events are taken from ``events``."""
    if isinstance(event, yaml.AliasEvent) or event.tag is not None:
        raise ValueError("expected values without aliases and tags")
    if isinstance(event, yaml.ScalarEvent):
        return event.value if event.style else _plain(event.value)
    inner = takewhile(
        lambda inner_event: not isinstance(inner_event, yaml.CollectionEndEvent), events
    )
    if isinstance(event, yaml.SequenceStartEvent):
        return [_value(inner_event, events) for inner_event in inner]
    values: dict[str, Any] = {}
    for key in inner:
        if (name := _name(key)) in values:
            raise repeated_name(name)
        values[name] = _value(next(events), events)
    return values


def _name(event: yaml.Event) -> str:
    if not isinstance(event, yaml.ScalarEvent):
        raise ValueError("expected a text as the name of a value")
    return str(event.value)


def _plain(text: str) -> bool | int | float | str | None:
    """Return the value of a scalar without quotation marks."""
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    if INTEGER.fullmatch(text):
        return int(text)
    return float(text) if REAL.fullmatch(text) and not LEADING_ZERO.fullmatch(text) else text
