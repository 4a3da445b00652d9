"""Classes with two names in a split: a WordNet id and a word, a plural, a synonym."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from itertools import combinations

import numpy as np

from zslcore.datasets.split_lists import SplitList, join_first_names
from zslcore.leakage.vocabularies import id_of, wordnet
from zslcore.names import class_key
from zslcore.texts import clean_text

#: A name with a text in brackets at its end.
BRACKETS = re.compile(r"([^()]+)\(([^()]+)\)\s*")

#: Signs and letters -> letters that are written in their place.
WRITTEN_OUT = {"&amp;": " and ", "&": " and ", "%20": " "} | {
    letter: f"{unicodedata.normalize('NFD', letter)[0]}e" for letter in "äöüÄÖÜ"
}


def unify_class_names(listed: SplitList) -> SplitList:
    """Merge classes named by a WordNet id with classes named by its words; ask about similar names.

    Examples
    --------
    >>> from zslcore.datasets.split_numbering import split_of_classes
    >>> sides = {"seen": ["n02481823", "n02128385"], "unseen": ["chimpanzee", "zebra"]}
    >>> unify_class_names(split_of_classes("split", sides)).class_names
    ('chimpanzee', 'n02128385', 'zebra')
    """
    return _ask_about_similar_names(_merge_ids(listed))


def _merge_ids(listed: SplitList) -> SplitList:
    names = listed.class_names
    ids = {c: id_of(name) for c, name in enumerate(names) if id_of(name) == name.strip()}
    if not ids or len(ids) == len(names):
        return listed
    class_of_name = [c for c in range(len(names)) if c not in ids]
    class_of_key = {class_key(names[c]): c for c in class_of_name}
    synsets = wordnet().synsets
    merge_into = {}
    for c, i in ids.items():
        keys = [class_key(lemma) for lemma in synsets[i].lemmas] if i in synsets else []
        if (
            duplicate := next((class_of_key[k] for k in keys if k in class_of_key), None)
        ) is not None:
            merge_into[c] = duplicate
    if not merge_into:
        example = " and ".join(clean_text(names[c], 40) for c in (min(ids), class_of_name[0]))
        question = f"Some classes have WordNet ids and some have names, such as {example}."
        return replace(listed, questions=(*listed.questions, question))
    pairs = [
        f"{clean_text(names[c], 40)}, {clean_text(names[o], 60)}" for c, o in merge_into.items()
    ]
    return _merge(
        listed, merge_into, f"; one class by WordNet id and by name: {join_first_names(pairs)}"
    )


def _merge(listed: SplitList, merge_into: dict[int, int], remark: str) -> SplitList:
    """Replace each key of ``merge_into`` by its value; renumber the other classes in order."""
    target = np.arange(len(listed.class_names))
    for c, kept_class in merge_into.items():
        target[c] = kept_class
    kept_classes, number = np.unique(target, return_inverse=True)
    order = sorted(range(len(kept_classes)), key=lambda k: int(np.flatnonzero(number == k)[0]))
    rank = np.argsort(order)[number]
    return replace(
        listed,
        class_names=tuple(listed.class_names[kept_classes[k]] for k in order),
        labels=rank[listed.labels] if listed.labels.size else listed.labels,
        sides={side: np.unique(rank[classes]) for side, classes in listed.sides.items()},
        folds=tuple((np.unique(rank[train]), np.unique(rank[val])) for train, val in listed.folds),
        note=listed.note + remark,
    )


def _ask_about_similar_names(listed: SplitList) -> SplitList:
    """Ask whether a seen and an unseen class are the same.

    Two classes may be the same if one name is the plural of the other, another spelling of it, one
    of its synonyms between commas, or its text outside or within brackets; also if both names are
    lists of synonyms that begin with the same one.
    """
    keys = [class_key(name) for name in listed.class_names]
    class_of = {key: c for c, key in enumerate(keys)}
    pairs = [
        (class_of[other], c)
        for c, (key, name) in enumerate(zip(keys, listed.class_names, strict=True))
        for other in (f"{key}s", f"{key}es", *map(class_key, _other_spellings(name)))
        if len(key) > 2 and class_of.get(other, c) != c
    ]
    firsts: dict[str, list[int]] = {}
    for c, name in enumerate(listed.class_names):
        if "," in name:
            firsts.setdefault(class_key(name.split(",")[0]), []).append(c)
    pairs += [pair for classes in firsts.values() for pair in combinations(classes, 2)]
    if not pairs:
        return listed
    seen, unseen = _classes_of_sides(listed)
    similar_pairs = [
        " and ".join(clean_text(listed.class_names[c], 60) for c in pair)
        for pair in sorted({tuple(sorted(pair)) for pair in pairs})
        if {*pair} & seen and {*pair} & unseen
    ]
    if not similar_pairs:
        return listed
    question = f"A seen and an unseen class may be the same: {join_first_names(similar_pairs)}."
    return replace(listed, questions=(*listed.questions, question))


def _other_spellings(name: str) -> list[str]:
    """Return synonyms between commas, texts outside and within brackets, and other spellings.

    >>> _other_spellings("church/outdoor"), _other_spellings("bear, grizzly")
    (['church outdoor'], ['bear', ' grizzly', 'grizzly bear'])
    """
    words = name.split(",") if "," in name else []
    spellings = [*words, " ".join(map(str.strip, reversed(words)))]
    if bracketed := BRACKETS.fullmatch(name):
        spellings += bracketed.groups()
    if "/" in name:
        spellings.append(name.replace("/", " "))
    if any(sign in name for sign in WRITTEN_OUT):
        spellings.append(re.sub("|".join(WRITTEN_OUT), lambda m: WRITTEN_OUT[m[0]], name))
    return [text for text in spellings if text.strip()]


def _classes_of_sides(listed: SplitList) -> tuple[set[int], set[int]]:
    """Return the classes of training and the classes of the unseen test part."""
    if listed.sides:
        sides = [
            [listed.sides[side]] if side in listed.sides else [] for side in ("seen", "unseen")
        ]
    else:
        sides = [
            [listed.labels[listed.parts[part]] for part in parts if part in listed.parts]
            for parts in (("trainval", "train"), ("test_unseen",))
        ]
    seen, unseen = ({c for classes in of_side for c in classes.tolist()} for of_side in sides)
    return seen, unseen
