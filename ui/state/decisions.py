"""Decisions of a person about overlaps, shared by all pages and kept in the address.

The session keeps the decisions on all data sets. The address contains only the decisions on the
data set shown, with its name, so that they do not apply to a data set that is chosen later.
"""

from __future__ import annotations

import json
from typing import Literal

import pandas as pd
import streamlit as st

from ui.shell.text import plain
from ui.state import controls
from zslcore.leakage import Vocabulary
from zslcore.leakage.context import Decisions
from zslcore.leakage.matching import OVERLAP_WORDS

#: Name in the address; names in the session of the decisions and of the last value in the address.
ADDRESS, DECIDED, SEEN = "decisions", "decided", "decided_address"
CHOICES, NONE = ("confirmed", "rejected"), "open"

OfSubject = dict[str, dict[str, Literal["confirmed", "rejected"]]]


def decisions_on(subject: str) -> OfSubject:
    """Return vocabulary -> class -> "confirmed" or "rejected", and update the address."""
    decided = st.session_state.setdefault(DECIDED, {})
    in_address = st.query_params.get(ADDRESS)
    if in_address is not None and in_address != st.session_state.get(SEEN):
        decided |= _read(in_address)
    of_subject = decided.get(subject, {})
    _write(subject, of_subject)
    return of_subject


def _read(text: str) -> dict[str, OfSubject]:
    """Parse subject -> vocabulary -> class -> decision; malformed text gives an empty mapping."""
    try:
        return {
            str(subject): {
                str(vocabulary): {
                    str(name): decision
                    for name, decision in by_class.items()
                    if decision in CHOICES
                }
                for vocabulary, by_class in by_vocabulary.items()
            }
            for subject, by_vocabulary in json.loads(text).items()
        }
    except (ValueError, AttributeError, TypeError, RecursionError):
        return {}


def _write(subject: str, of_subject: OfSubject) -> None:
    """Put the decisions on ``subject`` into the address."""
    value = ""
    if any(of_subject.values()):
        value = json.dumps({subject: of_subject}, separators=(",", ":"), ensure_ascii=False)
    controls.write_address({ADDRESS: value})
    st.session_state[SEEN] = value


def edit(subject: str, vocabulary: Vocabulary, matches: pd.DataFrame, *, key: str) -> None:
    """Let a person confirm or reject the matches of an overlap table."""
    decided = decisions_on(subject).get(vocabulary.name, {})
    shown = matches[["class", "strength", "match", "evidence"]].assign(
        strength=matches["strength"].map(OVERLAP_WORDS),
        decision=[decided.get(name, NONE) for name in matches["class"]],
    )
    st.markdown(f"**{plain(vocabulary.title)}**, {len(vocabulary.entries):,} classes")
    st.data_editor(
        shown,
        key=key,
        hide_index=True,
        height="content" if len(shown) <= 12 else 440,
        disabled=["class", "strength", "match", "evidence"],
        column_config={
            "class": "test class",
            "strength": st.column_config.TextColumn(
                "certainty",
                help="certain: the same class; related: perhaps the same class; none: no match.",
            ),
            "match": "pre-training class",
            "decision": st.column_config.SelectboxColumn(
                "your decision", options=[NONE, *CHOICES], required=True
            ),
        },
        on_change=_take_in,
        args=(key, subject, vocabulary.name, list(shown["class"])),
    )


def _take_in(key: str, subject: str, vocabulary: str, classes: list[str]) -> None:
    """Store the edits of the table ``key`` as decisions."""
    of_subject = st.session_state[DECIDED].setdefault(subject, {})
    by_class = of_subject.setdefault(vocabulary, {})
    for row, changed in st.session_state[key]["edited_rows"].items():
        decision = changed.get("decision")
        if decision in CHOICES:
            by_class[classes[int(row)]] = decision
        elif decision:
            by_class.pop(classes[int(row)], None)


def as_toml(decisions: Decisions) -> str:
    """Write decisions as the file that ``zslcore check --decisions`` reads."""
    lines = []
    for vocabulary, by_class in decisions.items():
        if by_class:
            lines += [f"[{json.dumps(vocabulary)}]"]
            lines += [f'{json.dumps(name)} = "{decision}"' for name, decision in by_class.items()]
    return "\n".join([*lines, ""])
