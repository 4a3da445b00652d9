"""What did the papers claim, and does it hold? A tile per claim; each opens what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import pandas as pd
import streamlit as st

from ui import tables, takeaway
from ui.components.tile_wall import Tile
from ui.components.tile_wall import draw as draw_wall
from ui.figures.claims import Number, recomputed, tests_of
from ui.frame import Header, chart, errors_as_sentences
from ui.sections.claim_evidence import (
    BASES,
    Basis,
    evidence_on,
    judged_on,
    scope_of,
    state_of,
)
from ui.sections.published import link_to_page
from ui.text import plain
from zslcore.analysis.cross_tests import PRINTED_CLAIM, cross_tests
from zslcore.analysis.papers.claim_cells import cells_of
from zslcore.analysis.papers.claims import CLAIMS, PAPERS, Judgment

__all__ = ["show"]

#: What was found to be the strongest: a p-value that belongs to the other set.
STRONGEST = "gbu-cross-p"
WALL, OPEN = "claims_wall", "claims_open"
COLOURS: dict[str, Literal["green", "red", "gray"]] = {"yes": "green", "no": "red", "open": "gray"}
ICONS = {"yes": ":material/check:", "no": ":material/close:", "open": ":material/help:"}
CROSS_TABLE = "cross_dataset_awa"


def show(header: Header) -> None:
    """Show the wall of claims and the one that is open."""
    with errors_as_sentences():
        answer = st.container(key="claims_answer")
        answer.empty()  # what has nothing in it takes no place
        basis, papers = _choose()
        judged = judged_on(basis)
        with answer:
            _answer(basis, judged)
        chosen = _chosen()
        wall, opened = st.columns([0.58, 0.42], gap="medium")
        with wall:
            _draw_wall(judged, papers, chosen)
        with opened, st.container(height=620, border=True):
            _show_claim(chosen, basis, judged[chosen])


def _choose() -> tuple[Basis, list[str]]:
    """Choose what claims are judged on, and whose claims are shown."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        basis = st.segmented_control(
            "Judged on",
            list(BASES),
            default="printed",
            required=True,
            key="claims_basis",
            bind="query-params",
            help="; ".join(f"{name}: {words}" for name, words in BASES.items()) + ".",
        )
        papers = st.pills(
            "Papers",
            list(PAPERS),
            selection_mode="multi",
            default=list(PAPERS),
            key="claims_papers",
            bind="query-params",
            help="; ".join(f"{name}: {plain(paper)}" for name, paper in PAPERS.items()) + ".",
        )
        st.button(
            "Show the strongest finding",
            icon=":material/priority_high:",
            key="claims_strongest",
            on_click=_open,
            args=(STRONGEST,),
        )
    return basis, papers or list(PAPERS)


def _answer(basis: Basis, judged: Mapping[str, Judgment]) -> None:
    """Say how many claims hold, and what is the strongest finding."""
    states = [state_of(judgment) for judgment in judged.values()]
    yes, no, left = (states.count(state) for state in ("yes", "no", "open"))
    where = {
        "printed": "in the papers' own tables",
        "measured": "on our results for CUB and AWA1, as far as they reach,",
        "yours": "on your runs",
    }[basis]
    st.markdown(
        f"**Of {len(judged)} claims of three papers, {yes} hold {where}, {no} do not, and {left} "
        f"stay open.** {_strongest()}"
    )


def _strongest() -> str:
    """State the strongest finding, with the values that its table gives today."""
    table = evidence_on("printed").tables[CROSS_TABLE]
    p = {asked: test.p for asked, test in cross_tests(table).items()}
    return (
        f"The strongest finding: the printed p = {PRINTED_CLAIM.p} for another *training* set does "
        f"not follow from its table, which gives p = {p['training set']:.2g}; it is the value for "
        f"another *test* set (p = {p['test set']:.2g})."
    )


def _chosen() -> str:
    """Return the claim that is open: the one pressed, or that of the address."""
    asked = st.query_params.get(OPEN, STRONGEST)
    if asked not in CLAIMS:
        st.toast(f"The link asks for the claim “{plain(asked)}”, which is not available.")
        return STRONGEST
    return asked


def _open(id_: str) -> None:
    """Open a claim, which the address then names."""
    st.query_params[OPEN] = id_


def _draw_wall(judged: Mapping[str, Judgment], papers: list[str], chosen: str) -> None:
    shown = [
        Tile(
            id_,
            f"{claim.paper}, {PAPERS[claim.paper].rpartition(', ')[0]}",
            state_of(judged[id_]),
            scope_of(judged[id_]),
            claim.statement,
        )
        for id_, claim in CLAIMS.items()
        if claim.paper in papers
    ]

    def pick() -> None:
        pressed = getattr(st.session_state.get(WALL), "tile", None)
        if pressed in CLAIMS:
            _open(pressed)

    draw_wall(shown, chosen, key=WALL, on_change=pick)


# --- One claim ------------------------------------------------------------------------------------


def _show_claim(id_: str, basis: Basis, judgment: Judgment) -> None:
    """Show a claim: what it states, the test computed again, the cells, and how to repeat it."""
    claim = CLAIMS[id_]
    with st.container(horizontal=True, gap="small"):
        for each in dict.fromkeys([basis, *BASES]):
            found = judgment if each == basis else claim.judged(evidence_on(each))
            state = state_of(found)
            st.badge(
                f"{each}: {plain(scope_of(found))}",
                color=COLOURS[state],
                icon=ICONS[state],
                help=plain(f"{BASES[each].capitalize()}. {found.said}"),
            )
    st.markdown(f"**{plain(claim.statement)}**")
    place = claim.section if claim.section[:1].isalpha() else f"section {claim.section}"
    st.caption(f"{plain(PAPERS[claim.paper])}, {plain(place)}. Computed: {plain(claim.computed)}")
    st.markdown(plain(f"{judgment.said} {judgment.scope}".strip()))
    _show_test(id_, basis, judgment)
    _show_cells(id_, basis)
    takeaway.show_command(f"zslcore claims --id {id_}")
    link_to_page(id_)


def _show_test(id_: str, basis: Basis, judgment: Judgment) -> None:
    """Draw the number that decides with its interval, on every basis that has one."""
    read = cells_of(id_, evidence_on(basis))
    if CROSS_TABLE in read.tables and judgment.unit == "p":
        tests, unit = _crossed(read.tables[CROSS_TABLE]), "points"
    else:
        judgments = [(name, judged_on(name)[id_]) for name in BASES if name == basis]
        tests, unit = tests_of(judgments, judgment.unit), judgment.unit
    if tests:
        chart(
            recomputed(tests, unit),
            f"{CLAIMS[id_].statement} " + "; ".join(f"{t.name}: {t.value:.3g}" for t in tests),
            key="claims_test",
        )


def _crossed(table: pd.DataFrame) -> list[Number]:
    """Return what another training set and what another test set change, with their p."""
    found = cross_tests(table)
    return [
        Number(f"another {asked}", test.mean_difference, *test.interval, f"p = {test.p:.2g}")
        for asked, test in found.items()
        if asked != "larger"
    ]


def _show_cells(id_: str, basis: Basis) -> None:
    """List the cells that the verdict rests on."""
    read = cells_of(id_, evidence_on(basis))
    wide = read.wide()
    if len(wide):
        wide = wide.reset_index()
        labels = {"method": "method"} | {c: c for c in wide.columns[1:]}
        shares = [c for c in wide.columns[1:] if wide[c].abs().max() <= 1]
        tables.show(wide, f"claim_{id_}", labels=labels, percent=shares, height=300)
    for name, table in read.tables.items():
        shares = [
            c for c in table.columns if table[c].dtype.kind == "f" and table[c].abs().max() <= 1
        ]
        labels = {c: c.replace("_", " ") for c in map(str, table.columns)}
        tables.show(table, f"claim_{id_}_{name}", labels=labels, percent=shares, height=300)
    if not len(wide) and not read.tables:
        st.caption("No cell is read: what the claim needs is not there.")
