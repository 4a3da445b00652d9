"""Class names: readable forms, and keys that identify spellings of the same class."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

#: Number in front of a name: ``017.``, or with leading zeros as in ``017_``.
NUMBER_IN_FRONT = re.compile(r"^\s*(?:\d+\.(?=\s*\D)|0\d*[\s_-]+(?=\D))\s*")
#: Separators between words of a name; a plus at the end, as in ``C++``, is part of the name.
BETWEEN_WORDS = re.compile(r"_|(?<=\w)\+(?=\w)")
#: Accents of Latin letters; in other scripts, these marks make another letter.
ACCENTS = re.compile(r"(?<=[A-Za-z])[\u0300-\u036f]+")
#: A letter of any script.
LETTER = re.compile(r"[^\W\d_]")
#: Id of a class in WordNet.
WORDNET_ID = re.compile(r"n\d{8}")
#: Characters that differ between spellings of a name; points between digits, signs in front of a
#: number and signs at the end are part of the name, as in ``1.5``, ``-5`` and ``A-``.
IGNORED = re.compile(
    r"[\s'’‘`´]+|(?<!\d)[.,]+|[.,]+(?!\d)|(?<=[^\W_])[-‐-―]+(?=.)|(?<![^\W_])[-‐-―]+(?=\D)"
)


def spaced_name(name: str) -> str:
    """Return a class name with spaces, without a leading number.

    Examples
    --------
    >>> spaced_name("002.Laysan_Albatross"), spaced_name("blue+whale")
    ('Laysan Albatross', 'blue whale')
    """
    return " ".join(BETWEEN_WORDS.sub(" ", NUMBER_IN_FRONT.sub("", name)).split())


@lru_cache(maxsize=1 << 16)
def class_key(name: str) -> str:
    """Return a key of a class name, without case, accents, blanks, hyphens and leading number.

    Examples
    --------
    >>> {class_key(name) for name in ("Baseball Pitch", "BaseballPitch", "017.baseball_pitch ")}
    {'baseballpitch'}
    >>> class_key("C"), class_key("C++"), class_key("Café")
    ('c', 'c++', 'cafe')
    """
    text = ACCENTS.sub("", unicodedata.normalize("NFKD", spaced_name(name)).casefold())
    return IGNORED.sub("", text) or name.strip()


def class_keys(names: Sequence[str]) -> tuple[str, ...]:
    """Return one key per class; if different names share a key, each of them is its own key.

    Examples
    --------
    >>> class_keys(["grizzly+bear", "1.a", "2.a"])
    ('grizzlybear', '1.a', '2.a')
    """
    spellings: dict[str, set[str]] = {}
    for name in names:
        spellings.setdefault(class_key(name), set()).add(name)
    return tuple(
        key if len(spellings[key]) == 1 else name
        for name, key in zip(names, map(class_key, names), strict=True)
    )


def positions_of(names: Iterable[str], among: Sequence[str]) -> np.ndarray:
    """Return the position in ``among`` of each of ``names``, matched by key; -1 if missing.

    Examples
    --------
    >>> positions_of(["blue+whale", "yak"], ["bat", "Blue Whale"]).tolist()
    [1, -1]
    """
    position_of = {class_key(name): k for k, name in enumerate(among)}
    return np.array([position_of.get(class_key(name), -1) for name in names], dtype=np.intp)


def are_numbered_from_0(names: Sequence[str]) -> bool:
    """Return whether the names are "0", "1", "2" and so on."""
    return all(name == str(k) for k, name in enumerate(names))


def are_numbers(names: Sequence[str]) -> bool:
    """Return whether all names are numbers, which do not identify a class."""
    return all(name.lstrip("-").isdigit() for name in names)


def shared_spellings(names: Sequence[str]) -> dict[str, list[int]]:
    """Return the positions of names that are spellings of the same class, by key.

    Names that differ only in a leading number are different classes.

    Examples
    --------
    >>> shared_spellings(["grizzly bear", "zebra", "Grizzly_Bear", "1.a", "2.a"])
    {'grizzlybear': [0, 2]}
    """
    positions_of_key: dict[str, list[int]] = {}
    for position, name in enumerate(names):
        key = name if NUMBER_IN_FRONT.match(name) else class_key(name)
        positions_of_key.setdefault(key, []).append(position)
    return {key: positions for key, positions in positions_of_key.items() if len(positions) > 1}


def readable_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return readable class names; if two would become equal, all names are unchanged.

    Examples
    --------
    >>> readable_names(["grizzly+bear", "002.Laysan_Albatross"])
    ('grizzly bear', 'Laysan Albatross')
    >>> readable_names(["1.a", "2.a"])
    ('1.a', '2.a')
    """
    spaced = tuple(map(spaced_name, names))
    return spaced if all(spaced) and max(Counter(spaced).values(), default=1) == 1 else tuple(names)


def squeeze(text: str) -> str:
    """Return the letters and digits of ``text`` in lower case: ``T'ai chi`` becomes ``taichi``."""
    return re.sub(r"[\W_]+", "", text.lower())


def dictionary_form(name: str) -> str:
    """Return a class name like a dictionary entry: lower-case words without accents.

    Examples
    --------
    >>> dictionary_form("043.Yellow_bellied_Flycatcher"), dictionary_form("HorseRace")
    ('yellow bellied flycatcher', 'horse race')
    """
    text = re.sub(r"^\s*\d+\s*[._ ]\s*", "", name)
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    text = re.sub(r"'s\b|'", "", text)
    return " ".join(re.findall(r"[a-z0-9]+", text))
