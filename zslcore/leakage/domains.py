"""What a list of class names is about: things, activities or qualities.

A list of activities has no class in common with a list of things, whatever the words say: fencing
is no fence, and a striped texture is no stripe. One name alone tells little (a *swing* is both),
but the names of a list that can be read in one way only tell of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from zslcore.leakage.wordnet import NOUN_ENDINGS, readable, wordnet

Domain = Literal["thing", "activity", "quality"]
#: Empty where nothing is known.
Domains = frozenset[Domain]

#: Words that tell from where a place was photographed rather than which place it is.
VIEWPOINTS = frozenset({"indoor", "outdoor", "interior", "exterior", "inside", "outside"})
#: A list is about what this share, of the names of its commonest domain, can only be.
DOMAIN_SHARE = 0.25
#: And this many names at least: one name does not speak for itself.
DOMAIN_LEAST = 2
#: With fewer names than this nothing is known of what a list is about.
DOMAIN_NAMES = 5
#: Lexicographer files of WordNet by what their words name; relations, times and the like are none.
_OF_CATEGORY: dict[str, Domain] = {
    **dict.fromkeys(
        ("03", "05", "06", "08", "10", "13", "14", "15", "17", "18", "19", "20", "21", "27"),
        "thing",
    ),
    **dict.fromkeys(("04", "11", *map(str, range(29, 44))), "activity"),
    **dict.fromkeys(("07", "12", "25", "26"), "quality"),
}


def domain_of(synset: str) -> Domains:
    """Return what a meaning is, an empty set where that is not known."""
    found = wordnet().synsets.get(synset)
    domain = _OF_CATEGORY.get(found.category) if found else None
    return frozenset({domain} if domain else ())


def domains(names: Iterable[str]) -> Domains:
    """Return what a list of names is about.

    Parameters
    ----------
    names : at least five, else nothing is known

    Returns
    -------
    frozenset of "thing", "activity" and "quality": what most of the names can only be, and what a
    quarter as many can only be; empty where that is not known
    """
    readings = [found for name in set(names) if (found := _readings(name))]
    if len(readings) < DOMAIN_NAMES:
        return frozenset()
    only = Counter(reading for found in readings if len(found) == 1 for reading in found)
    least = max(DOMAIN_LEAST, DOMAIN_SHARE * max(only.values(), default=0))
    return frozenset(domain for domain, n in only.items() if n >= least)


def _readings(name: str) -> Domains:
    """Return all that a name can be: by itself, by its last noun, and by a verb it begins with."""
    words = [word for word in readable(name).split() if word not in VIEWPOINTS]
    if not words:
        return frozenset()
    whole = _of_nouns("".join(words))
    if whole and len(words) > 1:
        return whole
    if not _of_nouns(words[-1]) and _is_participle(words[-1]):
        return frozenset({"quality"})
    found = next((found for word in reversed(words) if (found := _of_nouns(word))), frozenset())
    return found | {"activity"} if _is_verb(words[0]) else found


def _of_nouns(word: str) -> Domains:
    forms = {word} | {word.removesuffix(a) + b for a, b in NOUN_ENDINGS if word.endswith(a)}
    senses = {sense for form in forms for sense in wordnet().senses(form, "n")}
    return frozenset().union(*map(domain_of, senses))


def _is_verb(word: str) -> bool:
    """Whether a word is a verb as it is written, or its -ing form."""
    known = wordnet()
    return bool(known.senses(word, "v")) or (
        word.endswith("ing") and bool(known.senses(known.base(word, "v"), "v"))
    )


def _is_participle(word: str) -> bool:
    known = wordnet()
    base = known.base(word, "v")
    return base != word and not word.endswith("ing") and bool(known.senses(base, "v"))
