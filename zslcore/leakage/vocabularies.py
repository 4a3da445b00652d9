"""The classes that a feature extractor was trained on."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from os import PathLike
from pathlib import Path

from zslcore.datasets.facts import FINE_TUNED, unlisted_sets
from zslcore.datasets.sandbox.client import read_value
from zslcore.exceptions import FileRefusedError, closest_name
from zslcore.storage.files import FACTS
from zslcore.texts import clean_text

#: Name, file and source of the vocabularies that come with the package.
_KNOWN = {
    "imagenet-1k": ("imagenet-1k.txt", "ImageNet-1K (ILSVRC 2012), 1,000 synsets"),
    "imagenet-21k": ("imagenet-21k.txt.gz", "ImageNet-21K (fall 2011 release), 21,843 synsets"),
    "kinetics-400": ("kinetics-400.txt", "Kinetics-400, 400 actions"),
    "kinetics-600": ("kinetics-600.txt", "Kinetics-600, 600 actions"),
    "kinetics-700": ("kinetics-700.txt", "Kinetics-700, 700 actions"),
    "sports-1m": ("sports-1m.txt", "Sports-1M, 487 sports"),
    "places-205": ("places-205.txt", "Places-205, 205 scenes"),
}
#: The vocabulary of an extractor that was trained on nothing: known, and empty.
NOTHING = "none"
VOCABULARY_NAMES = (*_KNOWN, NOTHING)
#: What can be declared: the vocabularies, sets without a list, and the fine-tuning on images of the
#: data themselves.
PRETRAINING_NAMES = (*VOCABULARY_NAMES, *unlisted_sets(), *FINE_TUNED)

#: Most bytes of a list of one's own; ImageNet-21K with all its synonyms has 0.7 MB.
MAX_BYTES = 8 << 20
#: Most lines of it; ImageNet-21K has 21,843.
MAX_ENTRIES = 50_000
#: Most characters of a line, a class with its synonyms.
MAX_LINE = 2000
#: Most names and characters of all lines, by which the time to compare them is bounded;
#: ImageNet-21K has 40,742 and 0.5 million.
MAX_NAMES, MAX_LETTERS = 100_000, 2_000_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One pre-training class: its name and synonyms, and its WordNet id where it has one."""

    names: tuple[str, ...]
    synset: str = ""

    def __str__(self) -> str:
        return ", ".join(self.names)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The classes of a pre-training set; ``listed`` says whether they are known."""

    name: str
    entries: tuple[Entry, ...]
    source: str = ""
    listed: bool = True

    @property
    def hierarchical(self) -> bool:
        """Whether its classes have places in WordNet, which then gives related ones."""
        return any(entry.synset for entry in self.entries)

    @classmethod
    def of(cls, name: str, lines: Iterable[str], source: str = "") -> Vocabulary:
        """Build a vocabulary from lines ``[wnid] name[, synonym ...]``; # starts a comment."""
        return cls(name, tuple(_entry(line) for line in lines if _entry(line).names), source)


def _entry(line: str) -> Entry:
    found = re.match(r"\s*(?:(n\d{8})\s+)?(.*)", line.partition("#")[0])
    assert found is not None  # every part of the pattern may be empty
    synset, text = found.groups()
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    return Entry(names, synset or "")


@cache
def get_vocabulary(name: str) -> Vocabulary:
    """Return a vocabulary that comes with the package; a misspelt name gets the nearest one."""
    if name == NOTHING:
        return Vocabulary(NOTHING, (), "No images: raw pixels, or features made by hand")
    if name in FINE_TUNED:
        return Vocabulary(name, (), f"Fine-tuned on {FINE_TUNED[name]}")
    if name in unlisted_sets():
        return Vocabulary(name, (), f"{unlisted_sets()[name]}, without a list of classes", False)
    if name not in _KNOWN:
        raise closest_name("pre-training vocabulary", name, PRETRAINING_NAMES)
    file, source = _KNOWN[name]
    data = (FACTS / "vocabularies" / file).read_bytes()
    text = (gzip.decompress(data) if file.endswith(".gz") else data).decode("utf-8")
    return Vocabulary.of(name, text.splitlines(), source)


def read_vocabulary(path: str | PathLike[str]) -> Vocabulary:
    """Read a list of one's own: one class per line, commas between synonyms.

    A FileRefusedError when the file is not there, too large, with too many names, or without one.
    """
    path = Path(path)
    if not path.is_file():
        raise FileRefusedError(f"{clean_text(path.name)}: no such list of pre-training classes.")
    lines = read_value(path, "lines", max_bytes=MAX_BYTES, most=MAX_ENTRIES)
    cleaned = [clean_text(line, MAX_LINE) for line in lines]
    names, letters = sum(line.count(",") + 1 for line in cleaned), sum(map(len, cleaned))
    if names > MAX_NAMES or letters > MAX_LETTERS:
        raise FileRefusedError(
            f"{clean_text(path.name)}: expected at most {MAX_NAMES:,} names with {MAX_LETTERS:,} "
            f"characters in all, got {names:,} with {letters:,}."
        )
    vocabulary = Vocabulary.of(clean_text(path.stem), cleaned, clean_text(path.name))
    if not vocabulary.entries:
        raise FileRefusedError(f"{clean_text(path.name)}: expected one class per line, got none.")
    return vocabulary
