"""The rules by which two class names are compared: a test class and an index in, entries out.

Each yields numbers of entries and, for each, the evidence. The table of
:mod:`zslcore.leakage.matching` explains them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA

from zslcore.leakage.domains import VIEWPOINTS
from zslcore.leakage.indexed import Index, Query, lemmas_above, parse_name, reading
from zslcore.leakage.wordnet import squeeze, wordnet

Hits = Iterator[tuple[int, str]]
Rule = Callable[[Query, Index], Hits]

#: How far above a test class a pre-training class may lie to be worth a look.
BROADER_STEPS = 2
#: Most letters that may be missing at the end of a word no dictionary has, and fewest that stay.
CUT, STEM = 2, 6
#: A word of more names than this does not tell what a name is that WordNet does not know.
RARE = 3
#: What WordNet calls instrumentality: tools, containers, vehicles.
TOOL = "n03575240"


# --- Certain: the same name or the same meaning, of the same domain -------------------------------


def _clash(query: Query, index: Index, i: int) -> bool:
    """Whether the one is known to be a thing, say, and the other to be an activity."""
    there = index.domains_of(i)
    return bool(query.about.domains and there and not query.about.domains & there)


def _sure(query: Query, index: Index, i: int) -> bool:
    """Whether entry ``i`` has the meaning that the test class has among its data set's classes.

    That is the commonest of those that fit. Where several of one category fit (two animals called
    *hedgehog*), the entry has to be called so first, and no other one that is of the kind of all
    classes (two birds called *tree sparrow*). A place has its commonest meaning (a *plaza* is no
    shopping mall), which is no tool where a namesake is none (the *sandbox* of a foundry), and a
    form with a meaning of its own (*glasses*) has that one.
    """
    if _clash(query, index, i):
        return False
    synset = index.vocabulary.entries[i].synset
    if query.name.synset:
        return synset == query.name.synset
    if synset not in query.senses:
        known = synset in wordnet().synsets
        return not known or any(name.words == query.name.words for name in index.names[i])
    own = wordnet().senses("".join(query.name.words), index.parts)
    if synset not in query.fitting[:1] or (own and synset not in own):
        return False
    if query.about.is_of_places and own and synset != own[0]:
        return False
    category = wordnet().synsets[synset].category
    alike = [s for s in query.fitting if wordnet().synsets[s].category == category]
    first = index.names[i][0].key == query.name.key
    return len(alike) == 1 or (first and not any(_twin(query, synset, s) for s in alike[1:]))


def _twin(query: Query, synset: str, other: str) -> bool:
    """Whether another meaning is called so first, and fits all classes here no less."""
    if squeeze(wordnet().synsets[other].lemmas[0]) != query.name.key:
        return False
    no_place = query.about.is_of_places and _is_tool(synset) and not _is_tool(other)
    return no_place or query.about.is_of_kind(other)


def _is_tool(synset: str) -> bool:
    return TOOL in (above for above, _ in wordnet().ancestors(synset))


def _same_name(query: Query, index: Index) -> Hits:
    for i in sorted(index.by_key.get(query.name.key, ())):
        if _sure(query, index, i):
            yield i, "the same name"


def _synonym(query: Query, index: Index) -> Hits:
    for sense in [s for s in query.fitting if s[0] == "n"][:1]:
        for i in sorted(index.by_synset.get(sense, ())):
            if _sure(query, index, i):
                yield i, _one_meaning(sense)


def _one_meaning(sense: str) -> str:
    return f"one meaning in WordNet ({', '.join(wordnet().synsets[sense].lemmas)})"


def _same_words(query: Query, index: Index) -> Hits:
    """Find the same words in another order, in lists of actions; a boat house is no house boat."""
    mine = set(query.name.content)
    if len(mine) < 2 or index.vocabulary.hierarchical:
        return
    for i in sorted(set.intersection(*(index.by_word.get(word, set()) for word in mine))):
        if mine in index.content[i] and _sure(query, index, i):
            yield i, f"the same words: {', '.join(sorted(mine))}"


# --- Possible: a person has to decide -------------------------------------------------------------


def _other_sense(query: Query, index: Index) -> Hits:
    for i in sorted(index.by_key.get(query.name.key, ())):
        if _clash(query, index, i):
            here, there = ("/".join(sorted(d)) for d in (query.about.domains, index.domains_of(i)))
            yield i, f"the same word, but {there} there and {here} here"
        else:
            yield i, "the same word, perhaps in another sense than in this data set"
    for sense in query.fitting:
        for i in sorted(index.by_synset.get(sense, ())):
            if sense[0] == "n":
                yield i, _one_meaning(sense)


def _other_name(query: Query, index: Index) -> Hits:
    """Find another word for the class that an entry is called first: a rooster is a cock."""
    for sense in query.fitting if not query.name.synset else ():
        for lemma in wordnet().synsets[sense].lemmas if sense[0] == "n" else ():
            for i in sorted(index.by_key.get(squeeze(lemma), ())):
                first = index.names[i][0].key == squeeze(lemma)
                if first and not _clash(query, index, i):
                    yield i, f"another word for it in WordNet is {lemma!r}"


def _all_words(query: Query, index: Index) -> Hits:
    mine = set(query.name.content)
    if len(mine) < 2:
        return
    for i in sorted(set.intersection(*(index.by_word.get(word, set()) for word in mine))):
        if any(mine <= theirs for theirs in index.content[i]):
            yield i, f"contains all of {', '.join(sorted(mine))}"


def _spelling(query: Query, index: Index) -> Hits:
    """One letter changed, left out, added or swapped, or an ending, in a word no dictionary has."""
    words = list(query.name.content)
    for k, word in enumerate(words):
        if len(word) < 5 or word in index.by_word or _in_dictionary(word):
            continue
        near = _nearest(word, index) or _of_one_stem(word, index)
        if near:
            base = wordnet().base(near, index.parts)
            key = "".join([*words[:k], base, *words[k + 1 :]])
            for i in sorted(index.by_key.get(key, ())):
                if not _clash(query, index, i):
                    yield i, f"the same name but for the spelling of {word!r}"


def _in_dictionary(word: str) -> bool:
    """Whether a word, or a form that it is an inflection of, has a meaning."""
    return bool(wordnet().senses(word) or wordnet().senses(wordnet().base(word)))


def _nearest(word: str, index: Index) -> str | None:
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


def _of_one_stem(word: str, index: Index) -> str | None:
    """Return the word that ``word`` is without its ending, as *leonberg* is of *leonberger*."""
    stems = [word[:-k] for k in range(1, CUT + 1) if len(word) - k >= STEM]
    return next((stem for stem in stems if stem in index.by_word), None)


def _kind(query: Query, index: Index) -> Hits:
    """Entries below the query's meanings; those that carry its name first."""
    found = []
    for sense in query.fitting:
        synset = wordnet().synsets[sense]
        heads = {squeeze(lemma) for lemma in synset.lemmas} | {query.name.key}
        for steps, i in sorted(index.below.get(sense, ())):
            named = any(name.content[-1] in heads for name in index.names[i])
            evidence = f"a kind of {synset.lemmas[0]}, {steps} below it in WordNet ({sense})"
            found.append((not named, i, evidence))
    yield from ((i, evidence) for _, i, evidence in sorted(found, key=lambda each: each[0]))


def _broader(query: Query, index: Index) -> Hits:
    for sense in query.fitting:
        for ancestor, steps in wordnet().ancestors(sense):
            if steps > BROADER_STEPS:
                break
            for i in sorted(index.by_synset.get(ancestor, ())):
                yield i, f"the test class is a kind of it, {steps} below it in WordNet ({sense})"


def _qualified(query: Query, index: Index) -> Hits:
    words = [word for word in query.name.words if word not in VIEWPOINTS]
    if words and len(words) < len(query.name.words):
        bare = reading(parse_name(" ".join(words), index.parts), index.parts, query.about)
        for rule in (_same_name, _synonym, _other_sense, _other_name, _kind, _left_out):
            for i, evidence in rule(bare, index):
                yield i, f"{evidence}, once the viewpoint is dropped"


def _left_out(query: Query, index: Index) -> Hits:
    """Find names of which one leaves out what it is a kind of: Persian (cat), bakery (shop)."""
    if query.placed or not query.name.words:
        return
    for i in sorted(index.by_stem.get("".join(query.name.words), ())):
        synset = index.vocabulary.entries[i].synset
        alike = query.about.is_of_kind(synset) or not query.fitting
        if alike and any(_says_its_kind(query, index, i, n.base[-1:]) for n in index.names[i]):
            yield i, "the same name, with what it is a kind of added"
    bare = "".join(query.name.content[:-1])
    for i in sorted(index.by_key.get(bare, ())) if bare else ():
        if _says_its_kind(query, index, i, query.name.base[-1:]):
            yield i, "the same name, with what it is a kind of left out"


def _says_its_kind(query: Query, index: Index, i: int, last: Sequence[str]) -> bool:
    synset = index.vocabulary.entries[i].synset
    fits = bool(synset) and not _clash(query, index, i) and query.about.has(synset)
    return fits and bool(set(last) & lemmas_above(synset))


def _by_its_head(query: Query, index: Index) -> Hits:
    """Read a name that WordNet does not know by the end that it does: a brown pelican."""
    words = [word for word in query.name.words if not word.isdecimal() and word not in VIEWPOINTS]
    if query.placed:
        return
    for k in range(1, len(words)):
        end = parse_name(" ".join(words[k:]), index.parts)
        senses = reading(end, index.parts, query.about).fitting
        if sense := next((s for s in senses if query.about.has(s)), None):
            for i in sorted(index.by_synset.get(sense, ())):
                yield i, f"its name shows that it is a kind of {wordnet().synsets[sense].lemmas[0]}"
            return


def _rare_word(query: Query, index: Index) -> Hits:
    """Find a first word that few names have, where all is of one kind."""
    if query.placed or len(query.name.words) < 2 or not query.about.kind:
        return
    first = query.name.base[0]
    entries = index.by_word.get(first, set())
    for i in sorted(entries) if len(entries) <= RARE else ():
        alike = query.about.is_of_kind(index.vocabulary.entries[i].synset)
        if alike and any(name.base[0] == first for name in index.names[i]):
            yield i, f"both begin with {first!r}, and are of one kind"


def _contained(query: Query, index: Index) -> Hits:
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


def _topic(query: Query, index: Index) -> Hits:
    for sense in sorted(query.senses):
        for topic in wordnet().synsets[sense].topics:
            for i in sorted(index.by_synset.get(topic, ())):
                yield i, f"WordNet counts it to {wordnet().synsets[topic].lemmas[0]}"


def _shared_word(query: Query, index: Index) -> Hits:
    for word in query.name.content:
        for other in _relatives(word, index):
            if not index.common(other):
                for i in sorted(index.by_word[other]):
                    yield i, f"both speak of {word!r}" + (f" ({other})" if other != word else "")


def _relatives(word: str, index: Index) -> tuple[str, ...]:
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


def _meaning(sense: str, index: Index) -> Sequence[str]:
    return index.by_first_sense.get(sense, ())


def _compounds(word: str, index: Index) -> Iterator[str]:
    """Yield words that begin with ``word`` and go on with another one."""
    for k in range(bisect_left(index.in_order, word), len(index.in_order)):
        other = index.in_order[k]
        if not other.startswith(word):
            break
        if len(other) - len(word) > 3 and wordnet().senses(other[len(word) :]):
            yield other


#: The first that holds for a pair is its match.
CERTAIN: tuple[tuple[str, Rule], ...] = (
    ("same name", _same_name),
    ("synonym", _synonym),
    ("same words", _same_words),
)
_POSSIBLE: tuple[tuple[str, Rule], ...] = (
    ("other sense", _other_sense),
    ("other name", _other_name),
    ("all words", _all_words),
    ("spelling", _spelling),
    ("qualified", _qualified),
)
BY_HIERARCHY = (
    *_POSSIBLE,
    ("kind", _kind),
    ("broader", _broader),
    ("left out", _left_out),
    ("by its head", _by_its_head),
    ("rare word", _rare_word),
)
BY_WORDS = (
    *_POSSIBLE,
    ("contained", _contained),
    ("topic", _topic),
    ("shared word", _shared_word),
)
