"""Pre-training classes of feature extractors, and the part of WordNet that relates them.

Synonyms, kinds, topics and base forms are those of WordNet 3.0. The domain of a list of class names
(things, activities or qualities) decides the meaning of its names: a list of activities has no
class in common with a list of things. A single name can be ambiguous (a *swing* is a thing and an
activity); the unambiguous names of the list decide its domain.

References
----------
C. Fellbaum (ed.), "WordNet: an electronic lexical database", MIT Press 1998. Base forms follow
"morphy" of WordNet: a list of irregular forms, then a few endings, and only forms that are words.
"""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from os import PathLike
from pathlib import Path
from typing import Literal

from zslcore.datasets.facts import FINE_TUNED, unlisted_sets
from zslcore.exceptions import FileRefusedError, closest_name
from zslcore.names import dictionary_form, squeeze
from zslcore.storage.files import FACTS
from zslcore.texts import clean_text, refusal_of
from zslcore.untrusted.client import read_value

#: Name, file and source of the vocabularies that come with the package.
_INCLUDED = {
    "imagenet-1k": ("imagenet-1k.txt", "ImageNet-1K (ILSVRC 2012), 1,000 synsets"),
    "imagenet-21k": ("imagenet-21k.txt.gz", "ImageNet-21K (fall 2011 release), 21,843 synsets"),
    "kinetics-400": ("kinetics-400.txt", "Kinetics-400, 400 actions"),
    "kinetics-600": ("kinetics-600.txt", "Kinetics-600, 600 actions"),
    "kinetics-700": ("kinetics-700.txt", "Kinetics-700, 700 actions"),
    "sports-1m": ("sports-1m.txt", "Sports-1M, 487 sports"),
    "places-205": ("places-205.txt", "Places-205, 205 scenes"),
}
#: Vocabulary of an extractor without pre-training: listed, but empty.
NOTHING = "none"
#: Pre-training set of the features of most published results.
USUAL = "imagenet-1k"
VOCABULARY_NAMES = (*_INCLUDED, NOTHING)
#: Names that can be declared: vocabularies, sets without a list, and fine-tuning on images of the
#: data set.
PRETRAINING_NAMES = (*VOCABULARY_NAMES, *unlisted_sets(), *FINE_TUNED)

#: Maximum number of bytes of a user's list; ImageNet-21K with all its synonyms has 0.7 MB.
MAX_BYTES = 8 << 20
#: Maximum number of lines of a user's list; ImageNet-21K has 21,843.
MAX_ENTRIES = 50_000
#: Maximum number of characters of a line: a class with its synonyms.
MAX_LINE = 2000
#: Limits of a list: its names, and the characters of all its lines. They limit the time of a
#: comparison; ImageNet-21K has 40,742 names and 0.5 million characters.
MAX_NAMES, MAX_LETTERS = 100_000, 2_000_000


@dataclass(frozen=True, slots=True)
class Entry:
    """Pre-training class: its name and synonyms, and its WordNet id, if any."""

    names: tuple[str, ...]
    synset: str = ""

    def __str__(self) -> str:
        return ", ".join(self.names)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Classes of a pre-training set; ``listed`` is false if they are unknown."""

    name: str
    entries: tuple[Entry, ...]
    source: str = ""
    listed: bool = True

    @property
    def title(self) -> str:
        """Name in sentences: "ImageNet-1K" for "imagenet-1k", else the name."""
        title = re.split(r",| \(", self.source)[0]
        return title if title.casefold() == self.name else self.name

    @property
    def hierarchical(self) -> bool:
        """Whether classes have WordNet ids, by which related classes can be found."""
        return any(entry.synset for entry in self.entries)

    @classmethod
    def of(cls, name: str, lines: Iterable[str], source: str = "") -> Vocabulary:
        """Build a vocabulary from lines ``[wnid] name[, synonym ...]``; # starts a comment."""
        return cls(name, tuple(entry for entry in map(_entry, lines) if entry.names), source)


def _entry(line: str) -> Entry:
    match = re.match(r"\s*(?:(n\d{8})\s+)?(.*)", line.partition("#")[0])
    assert match is not None  # an empty text matches, too
    synset, text = match.groups()
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    return Entry(names, synset or "")


@cache
def get_vocabulary(name: str) -> Vocabulary:
    """Return a vocabulary of the package; the error for a misspelt name suggests the closest."""
    if name == NOTHING:
        return Vocabulary(NOTHING, (), "No images: raw pixels, or hand-crafted features")
    if name in FINE_TUNED:
        return Vocabulary(name, (), f"Fine-tuned on {FINE_TUNED[name]}")
    if name in unlisted_sets():
        return Vocabulary(name, (), f"{unlisted_sets()[name]}, without a list of classes", False)
    if name not in _INCLUDED:
        raise closest_name("pre-training vocabulary", name, PRETRAINING_NAMES)
    file, source = _INCLUDED[name]
    return Vocabulary.of(name, _lines(file), source)


def read_vocabulary(path: str | PathLike[str]) -> Vocabulary:
    """Read a user's list: one class per line, with commas between synonyms.

    Raises FileRefusedError for a missing or too large file, too many names, or no names.
    """
    path = Path(path)
    if not path.is_file():
        raise FileRefusedError(
            f"{clean_text(path.name)}: expected a list of pre-training classes; found no file."
        )
    lines = read_value(path, "lines", max_bytes=MAX_BYTES, max_items=MAX_ENTRIES)
    cleaned = [clean_text(line, MAX_LINE) for line in lines]
    names, letters = sum(line.count(",") + 1 for line in cleaned), sum(map(len, cleaned))
    if names > MAX_NAMES or letters > MAX_LETTERS:
        raise refusal_of(
            path,
            f"at most {MAX_NAMES:,} names with {MAX_LETTERS:,} characters in all",
            f"{names:,} with {letters:,}",
        )
    vocabulary = Vocabulary.of(clean_text(path.stem), cleaned, clean_text(path.name))
    if not vocabulary.entries:
        raise refusal_of(path, "one class per line", "none")
    return vocabulary


#: Ending of an inflected form, and ending of its base form (WordNet, morphy(7)).
NOUN_ENDINGS = (
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
    ("s", ""),
)
VERB_ENDINGS = (
    ("ies", "y"),
    ("es", "e"),
    ("es", ""),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
    ("s", ""),
)


def id_of(name: str) -> str:
    """Return the WordNet id at the start of a class name; "" without one.

    Examples
    --------
    >>> id_of("n02411705"), id_of("n02411705_sheep"), id_of("sheep")
    ('n02411705', 'n02411705', '')
    """
    match = re.match(r"\s*(n\d{8})(?!\d)", name)
    return match[1] if match else ""


#: Words that, followed by a number, do not name a class, as in *label 7*.
PLACEHOLDERS = frozenset({"class", "label", "category", "item", "type", "group", "cluster"})


def is_understood(name: str) -> bool:
    """Whether WordNet has a class name: its id, the whole name, or its last word.

    A name that ends in a number is a product or an item, which WordNet does not list.

    Examples
    --------
    >>> [is_understood(name) for name in ("brown pelican", "n02391049", "Label_A_01", "xyzzy")]
    [True, True, False, False]
    >>> is_understood("Jeep Wrangler SUV 2012")
    False
    """
    if (
        not id_of(name)
        and dictionary_form(name).split()[-1:]
        and dictionary_form(name).split()[-1].isdecimal()
    ):
        return False
    return _understood(name) > 0


def count_understood(names: Iterable[str]) -> int:
    """Return the sum over names of 2 if WordNet has the name, 1 if it has only the last word."""
    return sum(map(_understood, names))


def _understood(name: str) -> int:
    dictionary = wordnet()
    if synset := id_of(name):
        return 2 * (synset in dictionary.synsets)
    written = dictionary_form(name).split()
    words = [word for word in written if not word.isdecimal()]
    if words != written:
        words = [word for word in words if word not in PLACEHOLDERS and len(word) > 1]
    if not words:
        return 0
    if dictionary.senses("".join(words)) or dictionary.senses("".join(map(dictionary.base, words))):
        return 2
    return int(len(words[-1]) > 2 and bool(dictionary.senses(dictionary.base(words[-1]))))


@dataclass(frozen=True, slots=True)
class Synset:
    """Meaning with its words, and its rank among the meanings of each word (1: commonest).

    ``id`` is "n" or "v" and the offset in WordNet, as in ImageNet; ``category`` is the
    lexicographer file ("05" for animals), ``parents`` are the broader meanings, ``topics`` the
    subject areas.
    """

    id: str
    category: str
    parents: tuple[str, ...]
    topics: tuple[str, ...]
    lemmas: tuple[str, ...]
    ranks: tuple[int, ...]


#: Number of characters of an id.
ID = 9
#: A line of WordNet: the id and the words with their ranks, between other columns.
MEANING = re.compile(rf"^(.{{{ID}}}).*\t(.*)$", re.MULTILINE)
#: Translation of words that removes the characters that :func:`squeeze` removes.
SPACING = str.maketrans("", "", "'-./ ")


class _Synsets(dict[str, Synset]):
    """Meanings by id; a line of WordNet is parsed when its meaning is needed."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = {line.partition("\t")[0]: line for line in lines}

    def __missing__(self, synset: str) -> Synset:
        i, category, parents, topics, lemmas = self.lines[synset].split("\t")
        words, ranks = zip(*(lemma.rsplit("#", 1) for lemma in lemmas.split(", ")), strict=True)
        parent_ids, topic_ids = tuple(parents.split()), tuple(topics.split())
        self[synset] = Synset(i, category, parent_ids, topic_ids, words, tuple(map(int, ranks)))
        return self[synset]

    def __contains__(self, synset: object) -> bool:
        return synset in self.lines

    def __iter__(self) -> Iterator[str]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def get(self, synset: str) -> Synset | None:  # type: ignore[override]
        """Return a meaning, None for an unknown id."""
        return self[synset] if synset in self.lines else None


class WordNet:
    """Nouns and verbs of WordNet, indexed by meaning and by word."""

    def __init__(self, lines: Iterable[str], irregular: dict[str, tuple[str, ...]]) -> None:
        self.synsets = _Synsets(lines)
        self.irregular = irregular

    @cached_property
    def _by_word(self) -> dict[str, str]:
        """Ranks and ids of the meanings of each word, such as "1n02084071 2n10114209"."""
        meanings: dict[str, str] = {}
        # Read all lines in one call: this step takes most of the time for a small list.
        text = "\n".join(self.synsets.lines.values()).translate(SPACING).lower()
        for i, lemmas in MEANING.findall(text):
            for lemma in lemmas.split(","):
                word, _, rank = lemma.partition("#")
                meanings[word] = f"{meanings[word]} {rank}{i}" if word in meanings else rank + i
        return meanings

    def senses(self, phrase: str, parts: str = "nv") -> tuple[str, ...]:
        """Return the ids of the meanings of ``phrase``, the commonest first; spacing is ignored."""
        senses = self._senses(squeeze(phrase))
        return senses if parts == "nv" else tuple(i for i in senses if i[0] in parts)

    @lru_cache(maxsize=1 << 16)  # noqa: B019 - one instance lives as long as the process
    def _senses(self, word: str) -> tuple[str, ...]:
        ranks: dict[str, int] = {}
        for meaning in self._by_word.get(word, "").split():
            ranks.setdefault(meaning[-ID:], int(meaning[:-ID]))
        return tuple(sorted(ranks, key=ranks.__getitem__))

    @lru_cache(maxsize=1 << 16)  # noqa: B019 - one instance lives as long as the process
    def base(self, word: str, parts: str = "nv") -> str:
        """Return the shortest base form of ``word`` in WordNet: "bike" for bikes and biking."""
        # A verb is not an irregular plural: dive is not a form of diva.
        plain = not self.senses(word, "v")
        irregular = {f for f in self.irregular.get(word, ()) if plain and self.senses(f, parts)}
        bases = irregular or {word}
        for part, endings in (("n", NOUN_ENDINGS), ("v", VERB_ENDINGS)):
            if part in parts:
                candidates = (word.removesuffix(a) + b for a, b in endings if word.endswith(a))
                bases.update(f for f in candidates if len(f) > 1 and self.senses(f, part))
        return min(bases, key=lambda form: (len(form), form))

    def ancestors(self, synset: str) -> Iterator[tuple[str, int]]:
        """Yield the synsets above ``synset`` with their distance in steps, nearest first."""
        level, seen, steps = [synset], {synset}, 0
        while level:
            steps += 1
            above = {p: None for i in level if i in self.synsets for p in self.synsets[i].parents}
            level = [i for i in above if i not in seen]
            seen.update(level)
            yield from ((i, steps) for i in level)


@cache
def wordnet() -> WordNet:
    """Return WordNet, read once from ``data/vocabularies``."""
    pairs = (line.split("\t") for line in _lines("irregular.tsv.gz"))
    irregular = {form: tuple(bases.split(" ")) for form, bases in pairs}
    return WordNet(_lines("wordnet.tsv.gz"), irregular)


def _lines(name: str) -> list[str]:
    """Return the lines of a file of vocabularies, without lines that begin with "# "."""
    data = (FACTS / "vocabularies" / name).read_bytes()
    text = (gzip.decompress(data) if name.endswith(".gz") else data).decode("utf-8")
    return [line for line in text.splitlines() if not line.startswith("# ")]


Domain = Literal["thing", "activity", "quality"]
#: Domains of a name or of a list of names; empty if unknown.
Domains = frozenset[Domain]

#: Words on the viewpoint of a photograph, not on the place.
VIEWPOINTS = frozenset({"indoor", "outdoor", "interior", "exterior", "inside", "outside"})
#: A list has a domain if the number of unambiguous names in this domain is at least this share of
#: the number in the commonest domain.
DOMAIN_SHARE = 0.25
#: Minimum number of unambiguous names for a domain to count as part of a list: one name may be a
#: coincidence.
MIN_DOMAIN_NAMES = 2
#: Minimum number of names from which the domains of a list are inferred.
MIN_LIST_NAMES = 5
#: Lexicographer file of WordNet -> domain; files of relations or times have no domain.
_DOMAIN_OF_CATEGORY: dict[str, Domain] = {
    **dict.fromkeys(
        ("03", "05", "06", "08", "10", "13", "14", "15", "17", "18", "19", "20", "21", "27"),
        "thing",
    ),
    **dict.fromkeys(("04", "11", *map(str, range(29, 44))), "activity"),
    **dict.fromkeys(("07", "12", "25", "26"), "quality"),
}


def domain_of(synset: str) -> Domains:
    """Return the domain of a meaning as a set; empty if unknown."""
    meaning = wordnet().synsets.get(synset)
    domain = _DOMAIN_OF_CATEGORY.get(meaning.category) if meaning else None
    return frozenset({domain} if domain else ())


def domains(names: Iterable[str]) -> Domains:
    """Return the domains of a list from its unambiguous names; empty for fewer than five names."""
    readings = [reading for name in set(names) if (reading := _readings(name))]
    if len(readings) < MIN_LIST_NAMES:
        return frozenset()
    only = Counter(domain for reading in readings if len(reading) == 1 for domain in reading)
    least = max(MIN_DOMAIN_NAMES, DOMAIN_SHARE * max(only.values(), default=0))
    return frozenset(domain for domain, n in only.items() if n >= least)


def _readings(name: str) -> Domains:
    """Return the possible domains of a whole name, or else of its last noun and first verb."""
    words = [word for word in dictionary_form(name).split() if word not in VIEWPOINTS]
    if not words:
        return frozenset()
    of_whole_name = _domains_of_nouns("".join(words))
    if of_whole_name and len(words) > 1:
        return of_whole_name
    if not _domains_of_nouns(words[-1]) and _is_participle(words[-1]):
        return frozenset({"quality"})
    of_nouns = next(
        (of_nouns for word in reversed(words) if (of_nouns := _domains_of_nouns(word))), frozenset()
    )
    return of_nouns | {"activity"} if _is_verb(words[0]) else of_nouns


def _domains_of_nouns(word: str) -> Domains:
    candidates = {word} | {word.removesuffix(a) + b for a, b in NOUN_ENDINGS if word.endswith(a)}
    senses = {sense for form in candidates for sense in wordnet().senses(form, "n")}
    return frozenset().union(*map(domain_of, senses))


def _is_verb(word: str) -> bool:
    """Whether a word is a verb or the -ing form of a verb."""
    dictionary = wordnet()
    return bool(dictionary.senses(word, "v")) or (
        word.endswith("ing") and bool(dictionary.senses(dictionary.base(word, "v"), "v"))
    )


def _is_participle(word: str) -> bool:
    dictionary = wordnet()
    base = dictionary.base(word, "v")
    return base != word and not word.endswith("ing") and bool(dictionary.senses(base, "v"))
