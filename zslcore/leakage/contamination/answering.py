"""May a number be reported as zero-shot? The answer, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from zslcore.leakage.contamination.counting import (
    STATES,
    Cell,
    State,
    TestSet,
    cell_of,
)
from zslcore.leakage.contamination.facts import Extractor, Labels, pretraining_sets
from zslcore.leakage.vocabularies import NOTHING
from zslcore.leakage.words import listed

__all__ = ["Answer", "answer"]

#: How examples came, by what came with them.
WITH: Mapping[Labels, str] = {
    "classes": "with their labels",
    "captions": "with captions",
    "none": "without their labels",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether a number may be reported as zero-shot.

    Attributes
    ----------
    state : the worst of the cells it rests on
    verdict : "Yes", "No", "Look first" or "Nobody can tell"
    sentence : why
    advice : what to do; empty when there is nothing to do
    certain, possible : names of test classes
    """

    state: State
    verdict: str
    sentence: str
    advice: str
    certain: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()


def answer(tested: TestSet, extractor: Extractor) -> Answer:
    """Say whether a number on these classes with this extractor may be reported as zero-shot.

    Parameters
    ----------
    tested : a test set of the map, whose counts are kept, or one of your own, which is counted now
    extractor : Extractor
    """
    of_sets = [cell_of(tested, name) for name in extractor.pretraining]
    state = next(state for state in STATES if state in [cell.state for cell in of_sets])
    telling = [cell for cell in of_sets if cell.state == state]
    parts = [part for cell in telling for part in (cell.certain, cell.printed)]
    certain = _together(tested, parts)
    possible = _together(tested, [cell.possible for cell in telling])
    possible = tuple(name for name in possible if name not in certain)
    say = {"overlap": _no, "unknown": _unknown, "possible": _look_first, "none": _yes}[state]
    return Answer(state, *say(extractor, telling, certain or possible), certain, possible)


def _together(tested: TestSet, parts: Iterable[tuple[str, ...] | None]) -> tuple[str, ...]:
    found = {name for part in parts for name in part or ()}
    return tuple(name for name in tested.classes if name in found)


# --- Sentences: of an extractor, the cells that decide and the classes in question ----------------

Says = tuple[str, str, str]


def _no(extractor: Extractor, of_sets: Sequence[Cell], names: Sequence[str]) -> Says:
    n, total = max(len(names), *(cell.n_certain for cell in of_sets)), of_sets[0].classes
    advice = "Test on other classes."
    if rest := total - n:
        advice = (
            f"Report the accuracy of the other {rest:,} beside the whole, or test on other classes."
        )
    return (
        "No",
        f"{_was(extractor)} trained on examples of {n:,} of the {_tested(total)}"
        f"{_named(names)}, {WITH[extractor.labels]}: they are in {_titles(of_sets)}.",
        advice,
    )


def _unknown(extractor: Extractor, of_sets: Sequence[Cell], names: Sequence[str]) -> Says:
    pretraining = pretraining_sets()[of_sets[0].pretraining]
    why = "there is no list of its classes here"
    if pretraining.vocabulary:
        why = "nobody has compared its classes with these"
    return (
        "Nobody can tell",
        f"{_was(extractor)} trained on {pretraining.title}, and {why}.",
        "Say so beside the number, and compare it only with extractors of the same data.",
    )


def _look_first(extractor: Extractor, of_sets: Sequence[Cell], names: Sequence[str]) -> Says:
    n, total = max(len(names), *(cell.n_possible for cell in of_sets)), of_sets[0].classes
    return (
        "Look first",
        f"No test class is in {_titles(of_sets, 'or')} for certain, but {n:,} of the "
        f"{_tested(total)} {'is' if n == 1 else 'are'} related to one of its classes"
        f"{_named(names)}.",
        "Decide for each of them whether it is the same. If none is, you may.",
    )


def _yes(extractor: Extractor, of_sets: Sequence[Cell], names: Sequence[str]) -> Says:
    if extractor.pretraining == (NOTHING,):
        return "Yes", "These features are made by hand: nothing was trained on any image.", ""
    by_word = [cell.printed_in for cell in of_sets if cell.certain is None]
    said = f", as {by_word[0]} say; its list of classes is not here" if by_word else ""
    total = _tested(of_sets[0].classes)
    return "Yes", f"None of the {total} is in {_titles(of_sets, 'or')}{said}.", ""


def _was(extractor: Extractor) -> str:
    """Return the extractor with its verb: one name may be of two networks."""
    return f"{extractor.name} {'were' if ' and ' in extractor.name else 'was'}"


def _tested(n: int) -> str:
    return f"{n:,} test {'class' if n == 1 else 'classes'}"


def _named(names: Sequence[str]) -> str:
    return f" ({listed(names)})" if names else ""


def _titles(of_sets: Sequence[Cell], word: str = "and") -> str:
    return f" {word} ".join(pretraining_sets()[cell.pretraining].title for cell in of_sets)
