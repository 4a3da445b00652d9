"""Which test classes were among the classes a feature extractor was trained on.

A match is *strong* when the two names say the same class, or when the pre-training class is a kind
of the test class and carries its name (``timber wolf`` for ``wolf``): labelled images of the test
class were seen. It is *weak* when the classes are related, so that a person has to decide.

The rules are general and know nothing of any data set:

===============  ========  =====================================================================
rule             strength  holds when
===============  ========  =====================================================================
same name        strong    equal after case, spacing, plural and inflection are taken away
synonym          strong    WordNet has one meaning with both names
same words       strong    all words of a name of two words or more are in the other, in any order
spelling         strong    equal but for one letter of a word that no dictionary has
kind, by name    strong    a kind of the test class (WordNet) whose name ends in the test class's
kind             weak      a kind of the test class under another name
broader          weak      the test class is a kind of it, at most two steps below
qualified        weak      equal after a word of viewpoint (indoor, outdoor ...) is dropped
other sense      weak      the same word, but its meaning is of a category the data set lacks
contained        weak      one name contains the other
topic            weak      WordNet says the one belongs to the other (a dribble to basketball)
shared word      weak      a word in common that few other names have, also inside a compound
===============  ========  =====================================================================

A vocabulary with places in WordNet is compared by the hierarchy; one without (actions) by words.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Literal

from rapidfuzz import process
from rapidfuzz.distance import OSA

from zslcore.leakage.vocabularies import Vocabulary
from zslcore.leakage.wordnet import squeeze, wordnet

__all__ = ["Match", "match_names", "readable"]

Strength = Literal["strong", "weak"]

#: Words that carry no class: grammar, and verbs whose object is the action (playing tennis).
EMPTY_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an the of on in with without or and to not out at for from by into "
        "something someone person people thing "
        "play do get make use perform go have take give",
    )
)
#: Words that tell from where a place was photographed rather than which place it is.
VIEWPOINTS = frozenset({"indoor", "outdoor", "interior", "exterior", "inside", "outside"})
#: A word in more than this share of the pre-training names tells nothing by itself.
COMMON_SHARE = 0.02
#: Share of a data set's names that makes a category one of its own.
DOMAIN_SHARE = 0.1
#: With fewer names than this nothing is known of what a data set is about.
DOMAIN_NAMES = 5
#: How far above a test class a pre-training class may lie to be worth a look.
BROADER_STEPS = 2
#: Most matches kept per test class and rule: the rest add no decision.
MOST = 10
#: Vocabularies that stay indexed: those of the package, and a few that visitors bring.
KEPT = 12


@dataclass(frozen=True, slots=True)
class Match:
    """A test class and a pre-training class that may be the same.

    Attributes
    ----------
    class_name : the test class, as the data set writes it
    vocabulary : name of the pre-training vocabulary
    entry : the pre-training class with its synonyms
    strength : "strong" or "weak"
    rule : see the table of :mod:`zslcore.leakage.matching`
    evidence : one sentence
    """

    class_name: str
    vocabulary: str
    entry: str
    strength: Strength
    rule: str
    evidence: str


@dataclass(frozen=True, slots=True)
class _Name:
    """A name taken apart: its words, their base forms, and the base forms that carry a class."""

    text: str
    words: tuple[str, ...]
    content: tuple[str, ...]
    key: str


def readable(name: str) -> str:
    """Write a class name as words: ``043.Yellow_bellied_Flycatcher``, ``HorseRace``, ``a+b``.

    Examples
    --------
    >>> readable("043.Yellow_bellied_Flycatcher"), readable("HorseRace"), readable("persian+cat")
    ('yellow bellied flycatcher', 'horse race', 'persian cat')
    """
    text = re.sub(r"^\s*\d+\s*[._ ]\s*", "", name)
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    text = re.sub(r"'s\b|'", "", text)
    return " ".join(re.findall(r"[a-z0-9]+", text))


def _take_apart(text: str, parts: str) -> _Name:
    words = tuple(readable(text).split())
    base = tuple(wordnet().base(word, parts) for word in words)
    content = tuple(b for b in base if b not in EMPTY_WORDS) or base
    return _Name(text, words, content, "".join(content))


def _variants(name: str) -> Iterator[str]:
    """Yield a name without what stands in parentheses, and with it unless it says "not"."""
    bare = re.sub(r"\([^)]*\)", " ", name)
    yield bare
    if bare != name and "(not " not in name:
        yield name.replace("(", " ").replace(")", " ")


# --- The vocabulary, indexed ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Index:
    """A vocabulary by key, by word, by meaning and by ancestor; entries are numbered.

    ``names`` holds, per entry, every name taken apart.
    """

    vocabulary: Vocabulary
    parts: str
    names: tuple[tuple[_Name, ...], ...]
    by_key: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
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

    def common(self, word: str) -> bool:
        """Whether too many names have ``word`` for it to tell anything."""
        return self.frequency[word] > max(2, COMMON_SHARE * len(self.names))


@lru_cache(maxsize=KEPT)
def _index(vocabulary: Vocabulary) -> _Index:
    parts = "n" if vocabulary.hierarchical else "nv"
    names = tuple(
        tuple(_take_apart(v, parts) for name in entry.names for v in _variants(name))
        for entry in vocabulary.entries
    )
    index = _Index(vocabulary, parts, names)
    for i, entry in enumerate(vocabulary.entries):
        words = {word for name in names[i] for word in name.content}
        index.frequency.update(words)
        for word in words:
            index.by_word[word].add(i)
        for name in names[i]:
            index.by_key[name.key].add(i)
        for synset in [entry.synset] if entry.synset else _senses(names[i], parts):
            index.by_synset[synset].add(i)
        if entry.synset:
            for ancestor, steps in wordnet().ancestors(entry.synset):
                index.below[ancestor].append((steps, i))
    return index


def _senses(names: Iterable[_Name], parts: str) -> set[str]:
    """Meanings of names, as written or by their base forms."""
    forms = {form for name in names for form in ("".join(name.words), name.key)}
    return {sense for form in forms for sense in wordnet().senses(form, parts)}


# --- One class under comparison -------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Query:
    """A test class, its meanings, and those of them that fit the other classes of the data set."""

    name: _Name
    senses: frozenset[str]
    fitting: frozenset[str]


def _domain(names: Iterable[str], parts: str) -> frozenset[str]:
    """Return what kinds of things a data set is about: animals, say.

    The categories that at least a tenth of its names belong to by their commonest meaning; empty,
    which judges nothing, for a handful of names.
    """
    first = [wordnet().senses("".join(readable(name).split()), parts)[:1] for name in set(names)]
    count = Counter(wordnet().synsets[sense].category for senses in first for sense in senses)
    if count.total() < DOMAIN_NAMES:
        return frozenset()
    return frozenset(c for c, n in count.items() if n >= DOMAIN_SHARE * count.total())


def _queries(names: Sequence[str], context: Sequence[str], parts: str) -> list[_Query]:
    domain = _domain([*context, *names], parts)
    queries = []
    for name in names:
        apart = _take_apart(name, parts)
        senses = frozenset(_senses([apart], parts))
        fitting = frozenset(s for s in senses if wordnet().synsets[s].category in domain)
        queries.append(_Query(apart, senses, fitting or senses))
    return queries


# --- Rules: a query and an index in, (entry, evidence) out ----------------------------------------

Hits = Iterator[tuple[int, str]]
Rule = Callable[[_Query, _Index], Hits]


def _fits(query: _Query, index: _Index, i: int) -> bool:
    """Whether entry ``i`` has a meaning that fits the data set."""
    synset = index.vocabulary.entries[i].synset
    return not synset or synset not in query.senses or synset in query.fitting


def _same_name(query: _Query, index: _Index) -> Hits:
    for i in sorted(index.by_key.get(query.name.key, ())):
        if _fits(query, index, i):
            yield i, "the same name"


def _other_sense(query: _Query, index: _Index) -> Hits:
    for i in sorted(index.by_key.get(query.name.key, ())):
        yield i, "the same word, in a sense that the data set's other classes do not have"


def _synonym(query: _Query, index: _Index) -> Hits:
    for sense in sorted(s for s in query.fitting if s[0] == "n"):
        for i in sorted(index.by_synset.get(sense, ())):
            yield i, f"one meaning in WordNet ({', '.join(wordnet().synsets[sense].lemmas)})"


def _same_words(query: _Query, index: _Index) -> Hits:
    mine = set(query.name.content)
    if len(mine) < 2:
        return
    for i in sorted(set.intersection(*(index.by_word.get(word, set()) for word in mine))):
        if any(mine <= theirs for theirs in index.content[i]):
            yield i, f"contains all of {', '.join(sorted(mine))}"


def _spelling(query: _Query, index: _Index) -> Hits:
    """One letter changed, left out, added or swapped, in a word no dictionary has."""
    words = list(query.name.content)
    for k, word in enumerate(words):
        if len(word) < 5 or word in index.by_word or wordnet().senses(word):
            continue
        near = _nearest(word, index)
        if near:
            base = wordnet().base(near, index.parts)
            key = "".join([*words[:k], base, *words[k + 1 :]])
            for i in sorted(index.by_key.get(key, ())):
                yield i, f"the same name but for the spelling of {word!r}"


def _nearest(word: str, index: _Index) -> str | None:
    """Return the first word by the alphabet that is one letter off.

    One letter cannot change both ends of a word of five letters or more: one end is as it was.
    """
    found = []
    for end in (f"{word[:2]}-", f"-{word[-2:]}"):
        near = process.extractOne(
            word, index.by_end.get(end, ()), scorer=OSA.distance, score_cutoff=1
        )
        if near:
            found.append((near[1], near[0]))
    return min(found)[1] if found else None


def _kinds(query: _Query, index: _Index) -> Iterator[tuple[int, str, bool]]:
    """Yield entries below the query's meanings, and whether they carry its name."""
    for sense in sorted(query.fitting):
        synset = wordnet().synsets[sense]
        heads = {squeeze(lemma) for lemma in synset.lemmas} | {query.name.key}
        for steps, i in sorted(index.below.get(sense, ())):
            named = any(name.content[-1] in heads for name in index.names[i])
            yield i, f"a kind of {synset.lemmas[0]}, {steps} below it in WordNet ({sense})", named


def _kind_by_name(query: _Query, index: _Index) -> Hits:
    for i, evidence, named in _kinds(query, index):
        if named:
            yield i, evidence


def _kind(query: _Query, index: _Index) -> Hits:
    for i, evidence, _ in _kinds(query, index):
        yield i, evidence


def _broader(query: _Query, index: _Index) -> Hits:
    for sense in sorted(query.fitting):
        for ancestor, steps in wordnet().ancestors(sense):
            if steps > BROADER_STEPS:
                break
            for i in sorted(index.by_synset.get(ancestor, ())):
                yield i, f"the test class is a kind of it, {steps} below it in WordNet ({sense})"


def _qualified(query: _Query, index: _Index) -> Hits:
    kept = [word for word in query.name.words if word not in VIEWPOINTS]
    if kept and len(kept) < len(query.name.words):
        bare = _take_apart(" ".join(kept), index.parts)
        senses = frozenset(_senses([bare], index.parts))
        for rule in (_same_name, _synonym, _kind_by_name):
            for i, evidence in rule(_Query(bare, senses, senses), index):
                yield i, f"{evidence}, once the viewpoint is dropped"


def _contained(query: _Query, index: _Index) -> Hits:
    mine = set(query.name.content)
    near = set().union(*(index.by_word.get(word, set()) for word in mine))
    for i in sorted(near):
        for theirs in index.content[i]:
            if mine < theirs:
                yield i, "a narrower name: it adds " + ", ".join(sorted(theirs - mine))
            elif theirs < mine:
                yield i, "a broader name: it lacks " + ", ".join(sorted(mine - theirs))
    words = query.name.content
    for start in range(len(words)):
        for end in range(start + 1, len(words) + (start > 0)):
            for i in sorted(index.by_key.get("".join(words[start:end]), ())):
                yield i, "a broader name"


def _topic(query: _Query, index: _Index) -> Hits:
    for sense in sorted(query.senses):
        for topic in wordnet().synsets[sense].topics:
            for i in sorted(index.by_synset.get(topic, ())):
                yield i, f"WordNet counts it to {wordnet().synsets[topic].lemmas[0]}"


def _shared_word(query: _Query, index: _Index) -> Hits:
    for word in query.name.content:
        for other in _relatives(word, index):
            if not index.common(other):
                for i in sorted(index.by_word[other]):
                    yield i, f"both speak of {word!r}" + (f" ({other})" if other != word else "")


def _relatives(word: str, index: _Index) -> tuple[str, ...]:
    """Words of the index with a common meaning of ``word``, or compounds that begin with it."""
    if word not in index.relatives:
        found = {
            other for sense in wordnet().senses(word, "n")[:2] for other in _meaning(sense, index)
        }
        if len(word) > 2:
            found |= set(_compounds(word, index))
        found.discard(word)
        itself = [word] if word in index.by_word else []
        index.relatives[word] = (*itself, *sorted(found, key=index.places.__getitem__))
    return index.relatives[word]


def _meaning(sense: str, index: _Index) -> Sequence[str]:
    return index.by_first_sense.get(sense, ())


def _compounds(word: str, index: _Index) -> Iterator[str]:
    """Yield words that begin with ``word`` and go on with another one."""
    for k in range(bisect_left(index.in_order, word), len(index.in_order)):
        other = index.in_order[k]
        if not other.startswith(word):
            break
        if len(other) - len(word) > 3 and wordnet().senses(other[len(word) :]):
            yield other


#: Strongest first; the first that holds for a pair is its match.
_STRONG = (
    ("same name", _same_name),
    ("synonym", _synonym),
    ("same words", _same_words),
    ("spelling", _spelling),
    ("kind, by name", _kind_by_name),
)
_BY_HIERARCHY = (
    ("other sense", _other_sense),
    ("qualified", _qualified),
    ("kind", _kind),
    ("broader", _broader),
)
_BY_WORDS = (
    ("contained", _contained),
    ("topic", _topic),
    ("shared word", _shared_word),
)


def match_names(
    names: Sequence[str], vocabulary: Vocabulary, context: Sequence[str] = ()
) -> tuple[Match, ...]:
    """Compare class names with a pre-training vocabulary.

    Parameters
    ----------
    names : the test classes
    vocabulary : the classes the extractor was trained on
    context : all classes of the data set, which tell what ambiguous names mean (``seal``)

    Returns
    -------
    tuple of Match, in the order of ``names``, strong before weak
    """
    index = _index(vocabulary)
    weak = _BY_HIERARCHY if vocabulary.hierarchical else _BY_WORDS
    rules: list[tuple[str, Rule, Strength]] = [(*rule, "strong") for rule in _STRONG]
    rules += [(*rule, "weak") for rule in weak]
    queries = _queries(names, context, index.parts)
    return tuple(match for query in queries for match in _matches(query, index, rules))


def _matches(
    query: _Query, index: _Index, rules: Iterable[tuple[str, Rule, Strength]]
) -> Iterator[Match]:
    taken: set[int] = set()
    for name, rule, strength in rules:
        kept = 0
        for i, evidence in rule(query, index):
            if kept == MOST:
                break
            if i not in taken:
                taken.add(i)
                kept += 1
                entry = index.vocabulary.entries[i]
                yield Match(
                    query.name.text,
                    index.vocabulary.name,
                    str(entry),
                    strength,
                    name,
                    evidence,
                )
