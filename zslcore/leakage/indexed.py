"""Parsed class names, a vocabulary indexed by them, and a test class under comparison."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from zslcore.leakage.domains import DOMAIN_LEAST, DOMAIN_NAMES, Domains, domain_of, domains
from zslcore.leakage.vocabularies import Vocabulary
from zslcore.leakage.wordnet import id_of, readable, squeeze, wordnet

#: Words that carry no class: grammar, and verbs whose object is the action (playing tennis).
EMPTY_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an the of on in with without or and to not out at for from by into "
        "something someone person people thing "
        "play do get make use perform go have take give",
    )
)
#: A word in more than this share of the pre-training names tells nothing by itself.
COMMON_SHARE = 0.02
#: Share of a data set's names that makes a category one of its own.
CATEGORY_SHARE = 0.1
#: Artifacts, locations and natural objects: a list that has two of them is one of places.
PLACES = frozenset({"06", "15", "17"})
#: Share of a data set's names that are of one kind, and how far below the top that has to be: birds
#: are nine steps below, artifacts four.
KIND_SHARE, KIND_DEPTH = 0.9, 6
#: Most vocabularies in the cache: those of the package, and a few uploaded ones.
MOST_INDEXES = 12


@dataclass(frozen=True, slots=True)
class Name:
    """A parsed name: its words, their base forms, and the base forms that carry a class.

    A name by a WordNet id, as those of ImageNet are, has that ``synset`` and no words.
    """

    text: str
    words: tuple[str, ...]
    base: tuple[str, ...]
    content: tuple[str, ...]
    key: str
    synset: str = ""


def parse_name(text: str, parts: str) -> Name:
    """Parse a name; ``parts`` are the parts of speech its words may be, "n" or "nv"."""
    if (synset := id_of(text)) in wordnet().synsets:
        return Name(text, (), (), (), "", synset)
    words = tuple(readable(text).split())
    base = tuple(wordnet().base(word, parts) for word in words)
    content = tuple(b for b in base if b not in EMPTY_WORDS) or base
    return Name(text, words, base, content, "".join(content))


def _variants(name: str) -> Iterator[str]:
    """Yield a name without what stands in parentheses, and with it unless they contain "not"."""
    bare = re.sub(r"\([^)]*\)", " ", name)
    yield bare
    if bare != name and "(not " not in name:
        yield name.replace("(", " ").replace(")", " ")


# --- The vocabulary, indexed ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Index:
    """A vocabulary by key, by word, by meaning and by ancestor; entries are numbered.

    ``names`` holds, per entry, every parsed name; ``by_stem`` entries by a name without its
    last word.
    """

    vocabulary: Vocabulary
    parts: str
    names: tuple[tuple[Name, ...], ...]
    by_key: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    by_stem: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    by_word: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    by_synset: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    below: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    frequency: Counter[str] = field(default_factory=Counter)
    relatives: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def content(self) -> tuple[tuple[frozenset[str], ...], ...]:
        """Per entry, the words of every name that carry a class."""
        return tuple(tuple(frozenset(name.content) for name in names) for names in self.names)

    @cached_property
    def places(self) -> dict[str, int]:
        """Words in the order in which they come."""
        return {word: k for k, word in enumerate(self.by_word)}

    @cached_property
    def in_order(self) -> tuple[str, ...]:
        """Words by the alphabet, where those with one beginning stand together."""
        return tuple(sorted(self.by_word))

    @cached_property
    def by_first_sense(self) -> dict[str, list[str]]:
        """Words by what they mean most often."""
        found = defaultdict(list)
        for word in self.by_word:
            for sense in wordnet().senses(word, "n")[:1]:
                found[sense].append(word)
        return found

    @cached_property
    def by_end(self) -> dict[str, list[str]]:
        """Words as they are written, and their base forms, by two letters at either end."""
        names = (name for names in self.names for name in names)
        found = defaultdict(list)
        for word in sorted({word for name in names for word in (*name.words, *name.content)}):
            found[f"{word[:2]}-"].append(word)
            found[f"-{word[-2:]}"].append(word)
        return found

    @cached_property
    def domains(self) -> Domains:
        """What the list as a whole is about."""
        return domains(entry.names[0] for entry in self.vocabulary.entries)

    def domains_of(self, i: int) -> Domains:
        """Return what entry ``i`` is, by its place in WordNet, or else what the list is about."""
        return domain_of(self.vocabulary.entries[i].synset) or self.domains

    def common(self, word: str) -> bool:
        """Whether too many names have ``word`` for it to tell anything."""
        return self.frequency[word] > max(2, COMMON_SHARE * len(self.names))


@lru_cache(maxsize=MOST_INDEXES)
def index_of(vocabulary: Vocabulary) -> Index:
    """Return the index of a vocabulary."""
    parts = "n" if vocabulary.hierarchical else "nv"
    names = tuple(
        tuple(parse_name(v, parts) for name in entry.names for v in _variants(name))
        for entry in vocabulary.entries
    )
    index = Index(vocabulary, parts, names)
    for i, entry in enumerate(vocabulary.entries):
        words = {word for name in names[i] for word in name.content}
        index.frequency.update(words)
        for word in words:
            index.by_word[word].add(i)
        for name in names[i]:
            index.by_key[name.key].add(i)
            index.by_stem["".join(name.words[:-1])].add(i)
        for synset in [entry.synset] if entry.synset else _senses(names[i], parts):
            index.by_synset[synset].add(i)
        if entry.synset:
            for ancestor, steps in wordnet().ancestors(entry.synset):
                index.below[ancestor].append((steps, i))
    return index


def _senses(names: Iterable[Name], parts: str) -> tuple[str, ...]:
    """Meanings of names, as written or by their base forms, each form's commonest first."""
    forms = dict.fromkeys(form for name in names for form in ("".join(name.words), name.key))
    return tuple(dict.fromkeys(s for form in forms for s in wordnet().senses(form, parts)))


# --- One class under comparison -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class About:
    """What the names of a data set have in common; what is not known is empty, and judges nothing.

    Attributes
    ----------
    domains : things, activities or qualities
    categories : WordNet's, such as animals, that at least a tenth of the names belong to
    kind : the closest meaning that most names are kinds of, such as birds
    """

    domains: Domains
    categories: frozenset[str]
    kind: str

    @property
    def is_of_places(self) -> bool:
        """Whether the names are those of places, such as scenes."""
        return len(self.categories & PLACES) > 1

    def is_of_kind(self, synset: str) -> bool:
        """Whether a meaning is of the kind that most names are of."""
        above = (ancestor for ancestor, _ in wordnet().ancestors(synset))
        return bool(self.kind) and self.kind in (synset, *above)

    def has(self, synset: str) -> bool:
        """Whether a meaning is of a category that the data set has."""
        found = wordnet().synsets.get(synset)
        return not self.categories or (found is not None and found.category in self.categories)


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """A test class and what it may mean.

    Attributes
    ----------
    name : Name
    senses : its meanings, the commonest first
    fitting : those of them that fit the other classes of the data set
    about : what these have in common
    """

    name: Name
    senses: tuple[str, ...]
    fitting: tuple[str, ...]
    about: About

    @property
    def placed(self) -> bool:
        """Whether WordNet knows the name as what the data set is about: its kind, or categories."""
        here = self.about.is_of_kind if self.about.kind else self.about.has
        return any(map(here, self.fitting))


def about(names: Iterable[str], parts: str) -> About:
    """Say what names have in common; nothing for a handful."""
    names = set(names)
    meanings = [wordnet().senses("".join(readable(name).split()), parts) for name in names]
    meanings = [senses for senses in meanings if senses]
    if len(meanings) < DOMAIN_NAMES:
        return About(domains(names), frozenset(), "")
    count = Counter(wordnet().synsets[senses[0]].category for senses in meanings)  # the commonest
    least = max(DOMAIN_LEAST, CATEGORY_SHARE * len(meanings))
    categories = frozenset(category for category, n in count.items() if n >= least)
    return About(domains(names), categories, _kind_of(meanings))


def _kind_of(meanings: Sequence[Sequence[str]]) -> str:
    """Return the closest meaning above most names in any sense; "" where it is too general."""
    above = Counter(
        ancestor
        for senses in meanings
        for ancestor in {a for sense in senses for a, _ in wordnet().ancestors(sense)}
    )
    most = [ancestor for ancestor, n in above.items() if n >= KIND_SHARE * len(meanings)]
    depth = {ancestor: sum(1 for _ in wordnet().ancestors(ancestor)) for ancestor in most}
    closest = max(sorted(most), key=depth.__getitem__, default="")
    return closest if depth.get(closest, 0) >= KIND_DEPTH else ""


def queries(names: Sequence[str], context: Sequence[str], parts: str) -> list[Query]:
    """Return the test classes as the other classes of the data set let one read them."""
    common = about([*context, *names], parts)
    return [reading(parse_name(name, parts), parts, common) for name in names]


def reading(name: Name, parts: str, common: About) -> Query:
    """Read a name: senses of the data set's kind, or else categories, or else domains."""
    senses = (name.synset,) if name.synset else _senses([name], parts)
    here = tuple(s for s in senses if not common.domains or domain_of(s) & common.domains)
    closer = tuple(s for s in here if common.has(s))
    closest = tuple(s for s in closer if common.is_of_kind(s))
    return Query(name, senses, closest or closer or here, common)


def lemmas_above(synset: str) -> frozenset[str]:
    """Return the squeezed words of all that a meaning is a kind of."""
    above = (wordnet().synsets.get(ancestor) for ancestor, _ in wordnet().ancestors(synset))
    return frozenset(squeeze(lemma) for found in above if found for lemma in found.lemmas)
