"""Claims judged on printed tables, on measured results and on own runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ui import cache
from zslcore.analysis.papers.claims import Body, Evidence, Judgment, printed_evidence

__all__ = ["BASES", "Basis", "State", "evidence_on", "judged_on", "scope_of", "state_of"]

Basis = Literal["printed", "measured", "yours"]
#: What a claim is judged on -> in words.
BASES: Mapping[Basis, str] = {
    "printed": "the papers' own tables",
    "measured": "runs and results of the board on real features",
    "yours": "runs in this data folder, on real features",
}
BODY: Mapping[Basis, Body] = {"printed": "printed", "measured": "real", "yours": "yours"}
State = Literal["yes", "no", "open"]
STATES: Mapping[str, State] = {
    "holds": "yes",
    "holds here": "yes",
    "does not hold": "no",
    "fails here": "no",
}


def state_of(judgment: Judgment) -> State:
    """Return whether a claim holds, does not, or stays open; where it was measured is its scope."""
    return STATES.get(judgment.verdict, "open")


def scope_of(judgment: Judgment) -> str:
    """Return the verdict as a tile has it, with the part of the claim that was measured."""
    words = "open" if state_of(judgment) == "open" else judgment.verdict
    return f"{words} ({judgment.where})" if judgment.where and words != "open" else words


def judged_on(basis: Basis) -> Mapping[str, Judgment]:
    """Return every claim's judgment on a basis; the runs are judged only where one asks for it."""
    return cache.judged_on(BODY[basis])


def evidence_on(basis: Basis) -> Evidence:
    """Return the figures that claims are judged on."""
    return printed_evidence() if basis == "printed" else cache.evidence()[BODY[basis]]
