"""Matches of test classes with the classes that a feature extractor was trained on.

A match is *strong*, on screen *certain*, if both classes have the same name or meaning, and both
lists have the same domain: things, activities or qualities (:mod:`zslcore.leakage.vocabularies`).
It is *weak*, on screen *related*, if the classes are related, so that a person has to decide.

The rules are general, without exceptions for any data set:

===============  ========  =====================================================================
rule             strength  holds when
===============  ========  =====================================================================
same name        strong    equal up to case, spacing, plural and inflection
synonym          strong    the commonest meanings (WordNet) that fit the two lists are the same
same words       strong    the same words in another order, in lists of actions
near sense       weak      the same word or meaning, but two meanings fit the data set (hen)
other sense      weak      the same word, perhaps in another, unrelated sense (mouse)
other name       weak      the first name of the entry is a synonym of the test class (rooster)
all words        weak      the entry has all words of a test class with several words
spelling         weak      equal up to a letter or an ending of a word not in WordNet
qualified        weak      another rule holds once a viewpoint (indoor, ...) is left out
kind             weak      the entry is a kind of the test class (WordNet)
broader          weak      the test class is a kind of the entry, at most two steps below
left out         weak      equal, but one name lacks the kind (Persian cat, bakery shop)
by its head      weak      WordNet has only the last words of the name; they mean the entry
rare word        weak      WordNet lacks the name; both names begin with the same rare word
contained        weak      one name contains the other
topic            weak      the entry is the topic of the class in WordNet (dribble: basketball)
shared word      weak      both names have the same rare word, perhaps in a compound
===============  ========  =====================================================================

A vocabulary with WordNet ids is compared by the hierarchy of WordNet, a vocabulary without ids
(actions) by words. The reliability of the rules was measured on labelled pairs, including pairs
from lists that were not used to develop the rules (:mod:`zslcore.leakage.reliability`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Literal

from rapidfuzz import process
from rapidfuzz.distance import OSA

from zslcore.leakage.vocabularies import (
    MIN_DOMAIN_NAMES,
    MIN_LIST_NAMES,
    VIEWPOINTS,
    Domains,
    Vocabulary,
    domain_of,
    domains,
    id_of,
    wordnet,
)
from zslcore.names import dictionary_form, squeeze

#: Words that do not identify a class: function words, words such as "person", and verbs such as
#: "playing" in "playing tennis".
EMPTY_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an the of on in with without or and to not out at for from by into "
        "something someone person people thing "
        "play do get make use perform go have take give",
    )
)
#: A word in more than this share of the pre-training names is not enough for a match.
COMMON_SHARE = 0.02
#: A category belongs to a data set if it has at least this share of the names.
CATEGORY_SHARE = 0.1
#: Categories of artifacts, locations and natural objects; data sets of places have at least two of
#: them.
PLACES = frozenset({"06", "15", "17"})
#: The kind of a data set includes at least this share of its names, and has at least this many
#: broader meanings in WordNet: birds have nine, artifacts four.
KIND_SHARE, KIND_DEPTH = 0.9, 6
#: Maximum number of vocabularies in the cache: those of the package, and a few uploaded
#: vocabularies.
MAX_INDEXES = 12


@dataclass(frozen=True, slots=True)
class Name:
    """Parsed name: its words, their base forms, and the base forms that identify the class.

    A name that is a WordNet id, as in ImageNet, has that ``synset`` and no words.
    """

    text: str
    words: tuple[str, ...]
    base: tuple[str, ...]
    content: tuple[str, ...]
    key: str
    synset: str = ""


def parse_name(text: str, parts: str) -> Name:
    """Parse a name; ``parts`` are the parts of speech of its words, "n" or "nv"."""
    if (synset := id_of(text)) in wordnet().synsets:
        return Name(text, (), (), (), "", synset)
    words = tuple(dictionary_form(text).split())
    base = tuple(wordnet().base(word, parts) for word in words)
    content = tuple(b for b in base if b not in EMPTY_WORDS) or base
    return Name(text, words, base, content, "".join(content))


def _variants(name: str) -> Iterator[str]:
    """Yield a name without its words in parentheses, then with them, except for "(not ...)"."""
    without_brackets = re.sub(r"\([^)]*\)", " ", name)
    yield without_brackets
    if without_brackets != name and "(not " not in name:
        yield name.replace("(", " ").replace(")", " ")


# --- The vocabulary, indexed ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Index:
    """Index of the numbered entries of a vocabulary by key, word, meaning and ancestor.

    ``by_stem`` indexes entries by their names without the last word.
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
        """Identifying words of every name, by entry."""
        return tuple(tuple(frozenset(name.content) for name in names) for names in self.names)

    @cached_property
    def position_of(self) -> dict[str, int]:
        """Position of each word in the order of first use."""
        return {word: k for k, word in enumerate(self.by_word)}

    @cached_property
    def sorted_words(self) -> tuple[str, ...]:
        """Words in alphabetical order, so that words with the same beginning are neighbours."""
        return tuple(sorted(self.by_word))

    @cached_property
    def by_first_sense(self) -> dict[str, list[str]]:
        """Words by their commonest meaning."""
        words_of = defaultdict(list)
        for word in self.by_word:
            for sense in wordnet().senses(word, "n")[:1]:
                words_of[sense].append(word)
        return words_of

    @cached_property
    def by_end(self) -> dict[str, list[str]]:
        """Words and their base forms, indexed by the first and by the last two letters."""
        names = (name for names in self.names for name in names)
        words_of = defaultdict(list)
        for word in sorted({word for name in names for word in (*name.words, *name.content)}):
            words_of[f"{word[:2]}-"].append(word)
            words_of[f"-{word[-2:]}"].append(word)
        return words_of

    @cached_property
    def domains(self) -> Domains:
        """Domain of the list as a whole."""
        return domains(entry.names[0] for entry in self.vocabulary.entries)

    def domains_of(self, i: int) -> Domains:
        """Return the domain of entry ``i`` in WordNet, or else of the list."""
        return domain_of(self.vocabulary.entries[i].synset) or self.domains

    def commonest_meanings(self, i: int) -> set[str]:
        """Return the synset of entry ``i``, or else the commonest meanings of its names."""
        if synset := self.vocabulary.entries[i].synset:
            return {synset}
        fitting = (
            [
                s
                for s in _senses([name], self.parts)
                if not self.domains or domain_of(s) & self.domains
            ]
            for name in self.names[i]
        )
        return {senses[0] for senses in fitting if senses}

    def is_common(self, word: str) -> bool:
        """Whether ``word`` is in too many names to be evidence."""
        return self.frequency[word] > max(2, COMMON_SHARE * len(self.names))


@lru_cache(maxsize=MAX_INDEXES)
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
    """Return the meanings of names as written, then in base form, each the commonest first."""
    spellings = dict.fromkeys(form for name in names for form in ("".join(name.words), name.key))
    return tuple(dict.fromkeys(s for form in spellings for s in wordnet().senses(form, parts)))


# --- One class under comparison -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NameContext:
    """Common domain and categories of the names of a data set; empty where unknown.

    The categories are the categories of WordNet with at least a tenth of the names; the kind is the
    most specific meaning that includes most names, such as birds.
    """

    domains: Domains
    categories: frozenset[str]
    kind: str

    @property
    def is_of_places(self) -> bool:
        """Whether the names are names of places, such as scenes."""
        return len(self.categories & PLACES) > 1

    def is_of_kind(self, synset: str) -> bool:
        """Whether a meaning belongs to the kind of most names."""
        above = (ancestor for ancestor, _ in wordnet().ancestors(synset))
        return bool(self.kind) and self.kind in (synset, *above)

    def has(self, synset: str) -> bool:
        """Whether a meaning belongs to a category of the data set; true if none is known."""
        meaning = wordnet().synsets.get(synset)
        return not self.categories or (meaning is not None and meaning.category in self.categories)


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """Test class and its senses, commonest first; the ``fitting`` senses fit its data set."""

    name: Name
    senses: tuple[str, ...]
    fitting: tuple[str, ...]
    context: NameContext

    @property
    def has_fitting_sense(self) -> bool:
        """Whether a fitting sense is of the kind of the data set, or else in its categories."""
        fits = self.context.is_of_kind if self.context.kind else self.context.has
        return any(map(fits, self.fitting))


def infer_context(names: Iterable[str], parts: str) -> NameContext:
    """Infer the domains of names; also their categories and kind if WordNet has at least five."""
    names = set(names)
    meanings = [wordnet().senses("".join(dictionary_form(name).split()), parts) for name in names]
    meanings = [senses for senses in meanings if senses]
    if len(meanings) < MIN_LIST_NAMES:
        return NameContext(domains(names), frozenset(), "")
    count = Counter(wordnet().synsets[senses[0]].category for senses in meanings)  # the commonest
    least = max(MIN_DOMAIN_NAMES, CATEGORY_SHARE * len(meanings))
    categories = frozenset(category for category, n in count.items() if n >= least)
    return NameContext(domains(names), categories, _kind_of(meanings))


def _kind_of(meanings: Sequence[Sequence[str]]) -> str:
    """Return the most specific meaning above most names; "" if it is too general."""
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
    """Return the test classes with the senses that fit the classes of their data set."""
    common = infer_context([*context, *names], parts)
    return [matching_query(parse_name(name, parts), parts, common) for name in names]


def matching_query(name: Name, parts: str, common: NameContext) -> Query:
    """Select the senses of a name that fit the data set's kind, else categories, else domains."""
    senses = (name.synset,) if name.synset else _senses([name], parts)
    in_domain = tuple(s for s in senses if not common.domains or domain_of(s) & common.domains)
    closer = tuple(s for s in in_domain if common.has(s))
    closest = tuple(s for s in closer if common.is_of_kind(s))
    return Query(name, senses, closest or closer or in_domain, common)


def lemmas_above(synset: str) -> frozenset[str]:
    """Return the words of all meanings above ``synset``, without spaces."""
    above = (wordnet().synsets.get(ancestor) for ancestor, _ in wordnet().ancestors(synset))
    return frozenset(squeeze(lemma) for ancestor in above if ancestor for lemma in ancestor.lemmas)


Hits = Iterator[tuple[int, str]]
Rule = Callable[[Query, Index], Hits]

#: A broader pre-training class is reported up to this many steps above a test class.
BROADER_STEPS = 2
#: From the end of a word not in WordNet, at most ``CUT`` letters are removed; at least ``STEM``
#: letters remain.
CUT, STEM = 2, 6
#: A name not in WordNet is matched by its first word if at most this many entries have the word.
MAX_RARE_ENTRIES = 3
#: Lexicographer files of WordNet.
ANIMAL, FOOD, PERSON, PLANT, SUBSTANCE = "05", "13", "18", "20", "27"
#: Instrumentality in WordNet: tools, containers, vehicles.
TOOL = "n03575240"


# --- Certain: the same name or the same meaning, of the same domain -------------------------------


def _differ_in_domain(query: Query, index: Index, i: int) -> bool:
    """Whether class and entry are known to differ in domain, such as thing and activity."""
    entry_domains = index.domains_of(i)
    return bool(
        query.context.domains and entry_domains and not query.context.domains & entry_domains
    )


def _has_same_meaning(query: Query, index: Index, i: int) -> bool:
    """Whether entry ``i`` has the meaning of the test class in its data set.

    The meaning of the test class is the commonest meaning of its name that fits the data set. Four
    conditions limit or extend this:

    - The meaning must also be the commonest meaning of an entry without a WordNet id. This is
      checked in :func:`_synonym`: *packing* also means *boxing*, but usually *boxing* is the sport.
    - If the test class is the first name of an entry, the entry may have another meaning that is
      hard to distinguish (*ox*, *robin*, *banana*).
    - If several meanings of one category fit (two animals called *hedgehog*), the test class must
      be the first name of the entry, and no other of these meanings may be of the kind of the data
      set (two birds called *tree sparrow*).
    - Names of places have their commonest meaning (a *plaza* is not a shopping mall), and do not
      mean a tool (the *sandbox* of a foundry) if another meaning is not a tool.

    If the name as written has meanings in WordNet (*glasses*), the meanings of its base form are
    excluded.
    """
    if _differ_in_domain(query, index, i):
        return False
    synset = index.vocabulary.entries[i].synset
    if query.name.synset:
        return synset == query.name.synset
    if synset not in query.senses:
        in_wordnet = synset in wordnet().synsets
        return not in_wordnet or any(name.words == query.name.words for name in index.names[i])
    senses_as_written = wordnet().senses("".join(query.name.words), index.parts)
    if not query.fitting or (senses_as_written and synset not in senses_as_written):
        return False
    if query.context.is_of_places and senses_as_written and synset != senses_as_written[0]:
        return False
    first = index.names[i][0].key == query.name.key
    common = query.fitting[0]
    if _are_plant_and_food(synset, common):
        return first
    if synset != common and not (first and synset in query.fitting and _are_alike(synset, common)):
        return False
    category = wordnet().synsets[synset].category
    rivals = [s for s in query.fitting if wordnet().synsets[s].category == category and s != synset]
    return not rivals or (first and not any(_is_rival(query, synset, s) for s in rivals))


def _are_alike(synset: str, other: str) -> bool:
    """Whether two meanings of a name are hard to distinguish.

    This holds for two animals, for an animal and its fur or a person named after it, and for living
    things with an ancestor near both.
    """
    category, of_other = (wordnet().synsets[s].category for s in (synset, other))
    are_animals = category == ANIMAL and of_other in (ANIMAL, PERSON, SUBSTANCE)
    return are_animals or _are_near(synset, other)


def _are_plant_and_food(synset: str, other: str) -> bool:
    return {wordnet().synsets[s].category for s in (synset, other)} == {PLANT, FOOD}


def _are_near(synset: str, other: str) -> bool:
    """Whether two living things have a common ancestor at most two steps above each of them."""
    near = [
        {s, *(a for a, steps in wordnet().ancestors(s) if steps <= BROADER_STEPS)}
        for s in (synset, other)
    ]
    living = wordnet().synsets[synset].category in (ANIMAL, PLANT)
    return living and not near[0].isdisjoint(near[1])


def _is_rival(query: Query, synset: str, other: str) -> bool:
    """Whether ``other`` also fits the data set and has the test class as its first name."""
    if squeeze(wordnet().synsets[other].lemmas[0]) != query.name.key:
        return False
    no_place = query.context.is_of_places and _is_tool(synset) and not _is_tool(other)
    return no_place or (query.context.is_of_kind(other) and not _are_near(synset, other))


def _is_tool(synset: str) -> bool:
    return TOOL in (above for above, _ in wordnet().ancestors(synset))


def _same_name(query: Query, index: Index) -> Hits:
    for i in sorted(index.by_key.get(query.name.key, ())):
        if _has_same_meaning(query, index, i):
            yield i, "the same name"


def _synonym(query: Query, index: Index) -> Hits:
    for sense in [s for s in query.fitting if s[0] == "n"][:1]:
        for i in sorted(index.by_synset.get(sense, ())):
            if sense in index.commonest_meanings(i) and _has_same_meaning(query, index, i):
                yield i, _one_meaning(sense)


def _one_meaning(sense: str) -> str:
    return f"one meaning in WordNet ({', '.join(wordnet().synsets[sense].lemmas)})"


def _same_words(query: Query, index: Index) -> Hits:
    """Match equal words in another order, only for actions: a boat house is not a house boat."""
    words = set(query.name.content)
    if len(words) < 2 or index.vocabulary.hierarchical:
        return
    for i in sorted(set.intersection(*(index.by_word.get(word, set()) for word in words))):
        if words in index.content[i] and _has_same_meaning(query, index, i):
            yield i, f"the same words: {', '.join(sorted(words))}"


# --- Possible: a person has to decide -------------------------------------------------------------


def _near_sense(query: Query, index: Index) -> Hits:
    """Match another meaning of the name that fits the data set.

    The commonest meaning of *hen* is the chicken; among birds, it can also mean any female bird.
    """
    for i in sorted(index.by_key.get(query.name.key, ())):
        synset = index.vocabulary.entries[i].synset
        fits = synset in query.fitting if synset else not _differ_in_domain(query, index, i)
        if fits:
            yield i, "the same name, in a sense that also fits this data set"
    for i, evidence in _by_meaning(query, index):
        if not _differ_in_domain(query, index, i):
            yield i, evidence


def _by_meaning(query: Query, index: Index) -> Hits:
    for sense in query.fitting:
        for i in sorted(index.by_synset.get(sense, ())):
            if sense[0] == "n":
                yield i, _one_meaning(sense)


def _other_sense(query: Query, index: Index) -> Hits:
    for i in sorted(index.by_key.get(query.name.key, ())):
        if _differ_in_domain(query, index, i):
            own_domains, entry_domains = (
                "/".join(sorted(d)) for d in (query.context.domains, index.domains_of(i))
            )
            difference = (
                f"of {entry_domains} in the pre-training set, of {own_domains} in this data set"
            )
            yield i, f"the same word, but {difference}"
        else:
            yield i, "the same word, perhaps in another sense than in this data set"
    yield from _by_meaning(query, index)


def _other_name(query: Query, index: Index) -> Hits:
    """Match entries with a synonym of the class as first name: a rooster is a cock."""
    for sense in query.fitting if not query.name.synset else ():
        for lemma in wordnet().synsets[sense].lemmas if sense[0] == "n" else ():
            for i in sorted(index.by_key.get(squeeze(lemma), ())):
                first = index.names[i][0].key == squeeze(lemma)
                if first and not _differ_in_domain(query, index, i):
                    yield i, f"another word for it in WordNet is {lemma!r}"


def _all_words(query: Query, index: Index) -> Hits:
    words = set(query.name.content)
    if len(words) < 2:
        return
    for i in sorted(set.intersection(*(index.by_word.get(word, set()) for word in words))):
        if any(words <= entry_words for entry_words in index.content[i]):
            yield i, f"contains all words: {', '.join(sorted(words))}"


def _spelling(query: Query, index: Index) -> Hits:
    """Match names that differ in one letter, or in the ending, of a word that is not in WordNet."""
    words = list(query.name.content)
    for k, word in enumerate(words):
        if len(word) < 5 or word in index.by_word or _in_dictionary(word):
            continue
        near = _nearest(word, index) or _find_stem(word, index)
        if near:
            base = wordnet().base(near, index.parts)
            key = "".join([*words[:k], base, *words[k + 1 :]])
            for i in sorted(index.by_key.get(key, ())):
                if not _differ_in_domain(query, index, i):
                    yield i, f"the same name except for the spelling of {word!r}"


def _in_dictionary(word: str) -> bool:
    """Whether WordNet has a meaning of a word or of its base form."""
    return bool(wordnet().senses(word) or wordnet().senses(wordnet().base(word)))


def _nearest(word: str, index: Index) -> str | None:
    """Return a word that differs in at most one letter, with the same first or last two letters."""
    neighbours = []
    for end in (f"{word[:2]}-", f"-{word[-2:]}"):
        near = process.extractOne(
            word, index.by_end.get(end, ()), scorer=OSA.distance, score_cutoff=1
        )
        if near:
            neighbours.append((near[1], near[0]))
    return min(neighbours)[1] if neighbours else None


def _find_stem(word: str, index: Index) -> str | None:
    """Return the word of the index that ``word`` extends, as *leonberger* does *leonberg*."""
    stems = [word[:-k] for k in range(1, CUT + 1) if len(word) - k >= STEM]
    return next((stem for stem in stems if stem in index.by_word), None)


def _kind(query: Query, index: Index) -> Hits:
    """Match entries below the meanings of the class, beginning with those that end in its name."""
    kinds = []
    for sense in query.fitting:
        synset = wordnet().synsets[sense]
        heads = {squeeze(lemma) for lemma in synset.lemmas} | {query.name.key}
        for steps, i in sorted(index.below.get(sense, ())):
            named = any(name.content[-1] in heads for name in index.names[i])
            evidence = f"a kind of {synset.lemmas[0]}, at distance {steps} in WordNet ({sense})"
            kinds.append((not named, i, evidence))
    yield from ((i, evidence) for _, i, evidence in sorted(kinds, key=lambda kind: kind[0]))


def _broader(query: Query, index: Index) -> Hits:
    for sense in query.fitting:
        for ancestor, steps in wordnet().ancestors(sense):
            if steps > BROADER_STEPS:
                break
            for i in sorted(index.by_synset.get(ancestor, ())):
                yield (
                    i,
                    f"the test class is a kind of it, at distance {steps} in WordNet ({sense})",
                )


def _qualified(query: Query, index: Index) -> Hits:
    words = [word for word in query.name.words if word not in VIEWPOINTS]
    if words and len(words) < len(query.name.words):
        unqualified = matching_query(
            parse_name(" ".join(words), index.parts), index.parts, query.context
        )
        for rule in (_same_name, _synonym, *_POSSIBLE_RULES[:3], _kind, _left_out):
            for i, evidence in rule(unqualified, index):
                yield i, f"{evidence}, without the word for the viewpoint"


def _left_out(query: Query, index: Index) -> Hits:
    """Match names if one of them leaves out the kind: Persian (cat), bakery (shop)."""
    if query.has_fitting_sense or not query.name.words:
        return
    for i in sorted(index.by_stem.get("".join(query.name.words), ())):
        synset = index.vocabulary.entries[i].synset
        is_same_kind = query.context.is_of_kind(synset) or not query.fitting
        if is_same_kind and any(
            _says_its_kind(query, index, i, n.base[-1:]) for n in index.names[i]
        ):
            yield i, "the same name, with its kind added"
    without_kind = "".join(query.name.content[:-1])
    for i in sorted(index.by_key.get(without_kind, ())) if without_kind else ():
        if _says_its_kind(query, index, i, query.name.base[-1:]):
            yield i, "the same name, with its kind left out"


def _says_its_kind(query: Query, index: Index, i: int, last: Sequence[str]) -> bool:
    synset = index.vocabulary.entries[i].synset
    fits = bool(synset) and not _differ_in_domain(query, index, i) and query.context.has(synset)
    return fits and bool(set(last) & lemmas_above(synset))


def _by_its_head(query: Query, index: Index) -> Hits:
    """Match a name not in WordNet by its longest ending that is in WordNet: brown *pelican*."""
    words = [word for word in query.name.words if not word.isdecimal() and word not in VIEWPOINTS]
    if query.has_fitting_sense:
        return
    for k in range(1, len(words)):
        end = parse_name(" ".join(words[k:]), index.parts)
        senses = matching_query(end, index.parts, query.context).fitting
        if sense := next((s for s in senses if query.context.has(s)), None):
            for i in sorted(index.by_synset.get(sense, ())):
                yield i, f"its name shows that it is a kind of {wordnet().synsets[sense].lemmas[0]}"
            return


def _rare_word(query: Query, index: Index) -> Hits:
    """Match a first word that few names have, if all classes are of one kind."""
    if query.has_fitting_sense or len(query.name.words) < 2 or not query.context.kind:
        return
    first = query.name.base[0]
    entries = index.by_word.get(first, set())
    for i in sorted(entries) if len(entries) <= MAX_RARE_ENTRIES else ():
        is_same_kind = query.context.is_of_kind(index.vocabulary.entries[i].synset)
        if is_same_kind and any(name.base[0] == first for name in index.names[i]):
            yield i, f"both begin with {first!r} and are of the same kind"


def _contained(query: Query, index: Index) -> Hits:
    query_words = set(query.name.content)
    near = set().union(*(index.by_word.get(word, set()) for word in query_words))
    for i in sorted(near):
        for entry_words in index.content[i]:
            if query_words < entry_words:
                yield i, "a narrower name: it adds " + ", ".join(sorted(entry_words - query_words))
            elif entry_words < query_words:
                yield i, "a broader name: it lacks " + ", ".join(sorted(query_words - entry_words))
    words = query.name.content
    for start in range(len(words)):
        for end in range(start + 1, len(words) + (start > 0)):
            for i in sorted(index.by_key.get("".join(words[start:end]), ())):
                yield i, "a broader name"


def _topic(query: Query, index: Index) -> Hits:
    for sense in sorted(query.senses):
        for topic in wordnet().synsets[sense].topics:
            for i in sorted(index.by_synset.get(topic, ())):
                yield i, f"WordNet gives it the topic {wordnet().synsets[topic].lemmas[0]}"


def _shared_word(query: Query, index: Index) -> Hits:
    for word in query.name.content:
        for relative in _relatives(word, index):
            if not index.is_common(relative):
                for i in sorted(index.by_word[relative]):
                    yield (
                        i,
                        f"both contain {word!r}" + (f" ({relative})" if relative != word else ""),
                    )


def _relatives(word: str, index: Index) -> tuple[str, ...]:
    """Return words of the index with a meaning of ``word``, and compounds that begin with it."""
    if word not in index.relatives:
        senses = wordnet().senses(word, "n")[:2]
        relatives = {
            relative for sense in senses for relative in index.by_first_sense.get(sense, ())
        }
        if len(word) > 2:
            relatives |= set(_compounds(word, index))
        relatives.discard(word)
        itself = [word] if word in index.by_word else []
        index.relatives[word] = (*itself, *sorted(relatives, key=index.position_of.__getitem__))
    return index.relatives[word]


def _compounds(word: str, index: Index) -> Iterator[str]:
    """Yield compounds of ``word`` and a second word."""
    for k in range(bisect_left(index.sorted_words, word), len(index.sorted_words)):
        candidate = index.sorted_words[k]
        if not candidate.startswith(word):
            break
        if len(candidate) - len(word) > 3 and wordnet().senses(candidate[len(word) :]):
            yield candidate


#: The first rule that holds for a pair gives the match; the name of a function names its rule.
CERTAIN_RULES: tuple[Rule, ...] = (_same_name, _synonym, _same_words)
_POSSIBLE_RULES: tuple[Rule, ...] = (
    *(_near_sense, _other_sense, _other_name),
    *(_all_words, _spelling, _qualified),
)
RULES_BY_HIERARCHY = (*_POSSIBLE_RULES, _kind, _broader, _left_out, _by_its_head, _rare_word)
RULES_BY_WORDS = (*_POSSIBLE_RULES, _contained, _topic, _shared_word)


Strength = Literal["strong", "weak"]
#: Strength of a match, or "none" if no rule matches -> word on screen.
OVERLAP_WORDS = {"strong": "certain", "weak": "related", "none": "none"}

#: Maximum number of matches per test class and rule; more would not change a decision.
MAX_MATCHES = 10


@dataclass(frozen=True, slots=True)
class Match:
    """Match of a test class with an ``entry`` of a vocabulary: its name and synonyms."""

    class_name: str
    vocabulary: str
    entry: str
    strength: Strength
    rule: str
    evidence: str


def match_names(
    names: Sequence[str], vocabulary: Vocabulary, context: Sequence[str] = ()
) -> tuple[Match, ...]:
    """Compare names of test classes with a pre-training vocabulary; strong matches come first.

    ``context`` are all classes of the data set, which decide the meaning of ambiguous names
    (``seal``).
    """
    index = index_of(vocabulary)
    possible = RULES_BY_HIERARCHY if vocabulary.hierarchical else RULES_BY_WORDS
    rules: list[tuple[Rule, Strength]] = [(rule, "strong") for rule in CERTAIN_RULES]
    rules += [(rule, "weak") for rule in possible]
    read = queries(names, context, index.parts)
    return tuple(match for query in read for match in _matches(query, index, rules))


def _matches(query: Query, index: Index, rules: Iterable[tuple[Rule, Strength]]) -> Iterator[Match]:
    used: set[int] = set()
    for rule, strength in rules:
        name, n_matches = rule.__name__.strip("_").replace("_", " "), 0
        for i, evidence in rule(query, index):
            if n_matches == MAX_MATCHES:
                break
            if i not in used:
                used.add(i)
                n_matches += 1
                vocabulary, entry = index.vocabulary.name, str(index.vocabulary.entries[i])
                yield Match(query.name.text, vocabulary, entry, strength, name, evidence)
