"""Which test classes were among the classes a feature extractor was trained on.

A match is *strong*, on screen *certain*, when the two have the same name or the same meaning, and
both lists are about the same: things, activities or qualities (:mod:`zslcore.leakage.domains`). It
is *weak*, on screen *possible*, when the classes are related, so that a person has to decide.

The rules are general and know nothing of any data set:

===============  ========  =====================================================================
rule             strength  holds when
===============  ========  =====================================================================
same name        strong    equal after case, spacing, plural and inflection are taken away
synonym          strong    both have one meaning in WordNet, the commonest that fits the data set
same words       strong    the same words in another order, in lists of actions
other sense      weak      the same word or meaning, but perhaps not the one that is meant here
all words        weak      all words of a name of two words or more are in the other
spelling         weak      equal but for a letter or an ending of a word that no dictionary has
qualified        weak      equal after a word of viewpoint (indoor, outdoor ...) is dropped
kind             weak      a kind of the test class (WordNet)
broader          weak      the test class is a kind of it, at most two steps below
left out         weak      equal but that one name adds its kind (Persian, bakery shop)
by its head      weak      WordNet knows the last word of the name only, and that is the same
rare word        weak      WordNet knows no part of the name, and few names share the word
contained        weak      one name contains the other
topic            weak      WordNet lists the one as a topic of the other (a dribble to basketball)
shared word      weak      a word in common that few other names have, also inside a compound
===============  ========  =====================================================================

A vocabulary with places in WordNet is compared by the hierarchy; one without (actions) by words.
How often they are right on lists that none of them was made for is measured on labelled pairs:
:mod:`zslcore.leakage.contamination.reliability`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from zslcore.leakage.indexed import Index, Query, index_of, queries
from zslcore.leakage.rules import BY_HIERARCHY, BY_WORDS, CERTAIN, Rule
from zslcore.leakage.vocabularies import Vocabulary

Strength = Literal["strong", "weak"]

#: Most matches per test class and rule: the rest add no decision.
MOST = 10


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


def match_names(
    names: Sequence[str], vocabulary: Vocabulary, context: Sequence[str] = ()
) -> tuple[Match, ...]:
    """Compare class names with a pre-training vocabulary.

    Parameters
    ----------
    names : the test classes
    vocabulary : the classes the extractor was trained on
    context : all classes of the data set, which decide what ambiguous names mean (``seal``)

    Returns
    -------
    tuple of Match, in the order of ``names``, strong before weak
    """
    index = index_of(vocabulary)
    possible = BY_HIERARCHY if vocabulary.hierarchical else BY_WORDS
    rules: list[tuple[str, Rule, Strength]] = [(*rule, "strong") for rule in CERTAIN]
    rules += [(*rule, "weak") for rule in possible]
    read = queries(names, context, index.parts)
    return tuple(match for query in read for match in _matches(query, index, rules))


def _matches(
    query: Query, index: Index, rules: Iterable[tuple[str, Rule, Strength]]
) -> Iterator[Match]:
    taken: set[int] = set()
    for name, rule, strength in rules:
        n_found = 0
        for i, evidence in rule(query, index):
            if n_found == MOST:
                break
            if i not in taken:
                taken.add(i)
                n_found += 1
                entry = index.vocabulary.entries[i]
                yield Match(
                    query.name.text,
                    index.vocabulary.name,
                    str(entry),
                    strength,
                    name,
                    evidence,
                )
