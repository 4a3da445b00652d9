"""May a number be reported as zero-shot? The answer, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from zslcore.leakage.contamination.counting import (
    STATES,
    Cell,
    Extractor,
    Labels,
    State,
    TestSet,
    cell_of,
    pretraining_sets,
    printed_overlaps,
)
from zslcore.leakage.vocabularies import NOTHING
from zslcore.leakage.words import listed

#: How examples came, by what came with them.
WITH: Mapping[Labels, str] = {
    "classes": "with their labels",
    "captions": "with captions",
    "none": "without their labels",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether a number may be reported as zero-shot, by the worst of the cells it rests on.

    ``verdict`` is "Yes", "No", "Look first" or "Unknown".
    """

    state: State
    verdict: str
    sentence: str
    advice: str
    certain: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()


def answer(tested: TestSet, extractor: Extractor) -> Answer:
    """Judge whether a number on these classes with this extractor may be reported as zero-shot."""
    of_sets = [cell_of(tested, name) for name in extractor.pretraining]
    state = next(state for state in STATES if state in [cell.state for cell in of_sets])
    telling = [cell for cell in of_sets if cell.state == state]
    parts = [part for cell in telling for part in (cell.certain, cell.printed)]
    certain = _together(tested, parts)
    # What another set of the extractor may have is open, too, once one set has some for certain.
    possible = _together(tested, [cell.possible for cell in (of_sets if certain else telling)])
    possible = tuple(name for name in possible if name not in certain)
    if state == "overlap":
        sentences = _no(extractor, telling, certain, len(possible))
    else:
        say = {"unknown": _unknown, "possible": _look_first, "none": _yes}[state]
        sentences = say(extractor, telling, certain or possible)
    return Answer(state, *sentences, certain, possible)


def _together(tested: TestSet, parts: Iterable[tuple[str, ...] | None]) -> tuple[str, ...]:
    found = {name for part in parts for name in part or ()}
    return tuple(name for name in tested.classes if name in found)


# --- Sentences: of an extractor, the cells that decide and the classes in question ----------------

Sentences = tuple[str, str, str]


def _no(
    extractor: Extractor, of_sets: Sequence[Cell], names: Sequence[str], n_open: int
) -> Sentences:
    n, total = max(len(names), *(cell.n_certain for cell in of_sets)), of_sets[0].classes
    advice = "Test on other classes."
    if rest := total - n:
        others = "the other class" if rest == 1 else f"the other {rest:,}"
        first = f"Report the accuracy of {others} alongside the whole"
        if n_open:
            related = "1 related class" if n_open == 1 else f"{n_open:,} related classes"
            out = "that one, too" if rest == 1 else f"{related} among them"
            first += f", once you have decided whether to leave out {out}"
        advice = f"{first}; or test on other classes."
    return (
        "No",
        f"{_was(extractor)} trained on examples of {n:,} of the {_tested(total)}"
        f"{_named(names)}, {WITH[extractor.labels]}: they are in {_titles(of_sets)}"
        f"{_as_listed(of_sets, names)}.",
        advice,
    )


def _as_listed(of_sets: Sequence[Cell], names: Sequence[str]) -> str:
    """Return how many classes are certain by a paper's list alone, and whose list it is."""
    compared = {name for cell in of_sets for name in cell.certain or ()}
    n = sum(name not in compared for name in names)
    if not n:
        return ""
    papers = dict.fromkeys(cell.printed_in for cell in of_sets if cell.printed)
    by = f"as {listed(list(papers))} list"
    return f", {by}" if n == len(names) else f", {n:,} of them {by}"


def _unknown(extractor: Extractor, of_sets: Sequence[Cell], names: Sequence[str]) -> Sentences:
    pretraining = pretraining_sets()[of_sets[0].pretraining]
    why = "there is no list of its classes here"
    if pretraining.vocabulary:
        why = "its classes have not been compared with these"
    search = ""
    if extractor.labels == "captions":
        search = " Where you have its captions, or some, count those that name your classes."
    return (
        "Unknown",
        f"{_was(extractor)} trained on {pretraining.title}, and {why}.{_own_analysis(of_sets)}",
        "State this with the number, and compare it only with extractors of the same data."
        f"{search}",
    )


def _own_analysis(of_sets: Sequence[Cell]) -> str:
    """Return what the paper of a pre-training set says of its overlap with test sets."""
    rows = [row for cell in of_sets for row in printed_overlaps(cell.pretraining)]
    if not rows:
        return ""
    said = ", ".join(f"{row.share:.1%} on {row.dataset}" for row in rows if row.share)
    return f" Its paper finds copies of test images in it: {said} ({rows[0].source})."


def _look_first(extractor: Extractor, of_sets: Sequence[Cell], names: Sequence[str]) -> Sentences:
    n, total = max(len(names), *(cell.n_possible for cell in of_sets)), of_sets[0].classes
    return (
        "Look first",
        f"No test class is in {_titles(of_sets, 'or')} for certain, but {n:,} of the "
        f"{_tested(total)} {'is' if n == 1 else 'are'} related to one of its classes"
        f"{_named(names)}.",
        "Decide whether it is the same. If it is not, you may."
        if n == 1
        else "Decide for each of them whether it is the same. If none is, you may.",
    )


def _yes(extractor: Extractor, of_sets: Sequence[Cell], names: Sequence[str]) -> Sentences:
    if extractor.pretraining == (NOTHING,):
        return "Yes", "These features are made by hand: nothing was trained on any image.", ""
    by_word = [cell.printed_in for cell in of_sets if cell.certain is None]
    none = f"one of the {_tested(of_sets[0].classes)} is in {_titles(of_sets, 'or')}"
    if by_word:
        return "Yes", f"N{none}, as {by_word[0]} state; its list of classes is not here.", ""
    return "Yes", f"By name and by WordNet, n{none}.", ""


def _was(extractor: Extractor) -> str:
    """Return the extractor with its verb: one name may be of two networks."""
    return f"{extractor.name} {'were' if ' and ' in extractor.name else 'was'}"


def _tested(n: int) -> str:
    return f"{n:,} test {'class' if n == 1 else 'classes'}"


def _named(names: Sequence[str]) -> str:
    return f" ({listed(names)})" if names else ""


def _titles(of_sets: Sequence[Cell], word: str = "and") -> str:
    return f" {word} ".join(pretraining_sets()[cell.pretraining].title for cell in of_sets)
