"""Wall of claims, findings and released code bases, with the evidence for each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import pandas as pd
import streamlit as st

from ui.components.tile_wall import Tile
from ui.components.tile_wall import draw as draw_wall
from ui.figures.claims import UNITS, Number, claim_numbers
from ui.figures.cross import CROSS_LABELS
from ui.shell.frame import Header, chart, place_answer
from ui.shell.text import plain
from ui.state import cache, controls
from ui.takeaway import downloads, tables
from zslcore.analysis.cross_dataset import PRINTED_CLAIM, cross_tests
from zslcore.analysis.papers.claims import CLAIMS, FINDINGS, PAPERS, PaperFinding, add_own_results
from zslcore.analysis.papers.claims.evidence import Body
from zslcore.analysis.papers.claims.judging import Judgment
from zslcore.analysis.papers.experiments.reproducing import EXPERIMENTS
from zslcore.datasets.facts import published_table
from zslcore.leakage import released_codes

#: Tile that is open first: a p-value printed for the wrong choice of pairs.
STRONGEST = "gbu-cross-p"
#: Tile of the large study, which only a command runs.
LARGE = "large-scale"
WALL, OPEN = "claims_wall", "claims_open"
CROSS_TABLE = "cross_dataset_awa"

Basis = Literal["printed", "measured", "yours"]
#: Basis of judgment -> description, words after "12 hold" in the summary, and body of evidence.
BASES: Mapping[Basis, tuple[str, str, Body]] = {
    "printed": ("the papers' own tables", "in the papers' own tables", "printed"),
    "measured": (
        "runs and board results on real features",
        "on our results, which cover only CUB",
        "real",
    ),
    "yours": ("runs in this data folder, on real features", "on your runs", "yours"),
}
State = Literal["yes", "no", "open", "finding"]
STATES: Mapping[str, State] = {
    "holds": "yes",
    "holds here": "yes",
    "does not hold": "no",
    "fails here": "no",
}
#: States in the order of tiles.
ORDER: tuple[State, ...] = ("no", "finding", "open", "yes")
#: State -> colour of its badge.
COLORS: Mapping[State, Literal["green", "red", "gray"]] = {
    "yes": "green",
    "no": "red",
    "open": "gray",
}
#: Heading of the claims that do not hold, from all papers.
FAILED = "Claims that do not hold"
WHERE = {"data": "in released files", "tables": "in printed tables", "runs": "in our runs"}
#: Choice of the epoch in released code -> mark and text of its tile.
EPOCHS: Mapping[str, tuple[State, str]] = {
    "test": ("no", "epoch on test images"),
    "validation": ("yes", "epoch on validation classes"),
    "last": ("yes", "last epoch"),
    "none": ("yes", "no epochs"),
    "each": ("open", "every epoch printed"),
    "not stated": ("open", "epoch not stated"),
}
BOUND = (
    "A result with the epoch chosen on test images is an upper bound (oracle): no other epoch of "
    "that run is better. A row describes the code at one commit on the date it was read; a paper "
    "may print results of another version. Authors can correct or answer a row with the issue form "
    "“A row on released code” or a pull request to data/protocols.csv."
)


def show(_: Header) -> None:
    """Show the filtered wall, and the evidence for the open tile."""
    answer = place_answer()
    with st.container(horizontal=True, vertical_alignment="bottom", key="claims_top"):
        basis = controls.choose_segment(
            "Judged on",
            BASES,
            key="claims_basis",
            help="; ".join(f"{name}: {words[0]}" for name, words in BASES.items()) + ".",
        )
        words = st.text_input(
            "Find",
            key="claims_find",
            bind="query-params",
            width=320,
            placeholder="open, Huang, p = 0.007, released code",
        )
    judged = cache.judged_on(BASES[basis][2])
    counts = Counter(map(_state_of, judged.values()))
    tip = f"SS, PS: standard and proposed split. {released_codes.headline()}"
    headings = [FAILED, *PAPERS.values(), "Findings", "Released code"]
    tiles = sorted(
        _tiles(judged),
        key=lambda tile: (
            headings.index(tile.group),
            tile.id != STRONGEST,
            ORDER.index(tile.state),
        ),
    )
    shown = [
        tile
        for tile in tiles
        if words.strip().lower() in f"{tile.group} {tile.word} {tile.text}".lower()
    ]
    opened = _opened({tile.id for tile in tiles}, [tile.id for tile in shown])
    strongest_is_first = basis == "printed" and bool(shown) and shown[0].id == STRONGEST
    answer.say(*_in_words(basis, counts, strongest_is_first=strongest_is_first), tip=tip)
    left, right = st.columns([0.58, 0.42], gap="medium")
    with left:
        states = Counter(tile.state for tile in shown if tile.id in CLAIMS)
        bar = {str(state): states[state] for state in ORDER}
        draw_wall(shown, opened, bar, key=WALL, on_change=_open_pressed)
        if not shown:
            st.caption("No claim, finding or code contains these words.")
    if not opened:
        return
    with right, st.container(border=True, key="claims_evidence"):
        if opened in CLAIMS:
            _show_claim(opened, basis, judged[opened])
        elif opened == LARGE:
            _show_large_scale()
        elif opened in released_codes.codes():
            _show_code(opened)
        else:
            _show_finding(next(finding for finding in FINDINGS if finding.id == opened))


def _in_words(basis: Basis, counts: Counter[State], *, strongest_is_first: bool) -> tuple[str, str]:
    """Return the number of claims that hold, the meaning of "open", and the strongest finding."""
    strongest = (
        f" Strongest finding (first below): the p = {PRINTED_CLAIM.p} printed for the training set "
        "matches the value for the test set."
    )
    return (
        f"Of {counts.total()} claims in four papers, {counts['yes']} hold {BASES[basis][1]}, "
        f"{counts['no']} do not, and {counts['open']} are open.",
        f"Open: undecided by {BASES[basis][0]}.{strongest * strongest_is_first}",
    )


def _state_of(judgment: Judgment) -> State:
    """Return the state of a judgment: "yes", "no" or "open"."""
    return STATES.get(judgment.verdict, "open")


def _word_of(judgment: Judgment) -> str:
    """Return the verdict as text for a tile."""
    if judgment.verdict == "not comparable":
        return judgment.verdict
    return "open" if _state_of(judgment) == "open" else judgment.verdict


def _tiles(judged: Mapping[str, Judgment]) -> Iterator[Tile]:
    """Yield all tiles: claims by paper, the large study, findings, released code bases."""
    for id_, claim in CLAIMS.items():
        state, word, paper = _state_of(judged[id_]), _word_of(judged[id_]), PAPERS[claim.paper]
        if state == "no":
            short = f"{paper.split(',')[0]} {paper[-4:]}"
            yield Tile(id_, FAILED, state, f"{word}, {short}", claim.statement, paper)
        else:
            yield Tile(id_, paper, state, word, claim.statement)
    yield Tile(
        LARGE,
        "Findings",
        "open",
        "needs a command",
        "Large scale: accuracy on up to 20,345 ImageNet classes, next to the printed table.",
    )
    for finding in FINDINGS:
        yield Tile(finding.id, "Findings", "finding", WHERE[finding.where], finding.sentence)
    for code in released_codes.codes():
        choices = {row.choice: row for row in released_codes.choices_of(code)}
        state, word = EPOCHS[choices["epoch"].how]
        yield Tile(code, "Released code", state, word, f"{code}: {choices['epoch'].paper}")


def _opened(tiles: set[str], shown: Sequence[str]) -> str:
    """Return the tile named in the address, or else the strongest finding, if it is ``shown``.

    If a search hides that tile, return the first shown tile; empty if no tile is shown.
    """
    named = st.query_params.get(OPEN, STRONGEST)
    controls.report_unavailable("the tile", named, tiles)
    opened = named if named in tiles else STRONGEST
    return opened if opened in shown else next(iter(shown), "")


def _open_pressed() -> None:
    """Put the name of the pressed tile into the address."""
    if pressed := getattr(st.session_state.get(WALL), "tile", None):
        st.query_params[OPEN] = pressed


# --- Evidence for a tile --------------------------------------------------------------------------


def _show_claim(id_: str, basis: Basis, judgment: Judgment) -> None:
    """Show the verdicts on a claim, its number, its cells (printed and ours), and the commands."""
    claim, evidence = CLAIMS[id_], cache.claim_evidence()
    with st.container(horizontal=True, gap="small"):
        for one_basis in dict.fromkeys([basis, *BASES]):
            words, _, body = BASES[one_basis]
            judged = judgment if one_basis == basis else claim.judge(evidence[body])
            state = _state_of(judged)
            scope = f", measured on {judged.where}" if judged.where and state != "open" else ""
            tip = plain(f"{words.capitalize()}. {judged.sentence}")
            st.badge(
                f"{one_basis}: {plain(_word_of(judged) + scope)}", help=tip, color=COLORS[state]
            )
    st.markdown(f"**{plain(claim.statement)}**")
    section = claim.section if claim.section[:1].isalpha() else f"section {claim.section}"
    _show_number(id_, basis, judgment)
    st.markdown(plain(f"{judgment.sentence} {judgment.scope}".strip()))
    st.caption(f"{plain(PAPERS[claim.paper])}, {plain(section)}. Computed: {plain(claim.computed)}")
    _show_cells(id_, basis)
    names = [_experiment_of(table) for table in claim.tables]
    commands = [f"zslcore reproduce {name}" for name in names if name in EXPERIMENTS]
    downloads.show_command("\n".join([f"zslcore claims --id {id_}", *commands]))


def _experiment_of(table: str) -> str:
    """Return the ``reproduce`` name of a printed table such as "GBU 3" or "GBU figure 4"."""
    paper, *kind, number = table.split(" ")
    return f"{paper.lower()}:{kind[0] if kind else 'table'}{number}"


def _show_number(id_: str, basis: Basis, judgment: Judgment) -> None:
    """Draw the deciding number with its interval."""
    read = judgment.cells.tables
    if CROSS_TABLE in read and judgment.unit == "p":
        numbers = [
            Number(
                CROSS_LABELS[question], test.mean_difference, *test.interval, f"p = {test.p:.2g}"
            )
            for question, test in cross_tests(read[CROSS_TABLE]).items()
            if question in CROSS_LABELS
        ]
        unit = "AWA2 minus AWA1"
    elif judgment.ranks:
        numbers = [
            Number(f"{method} (claimed)" if rank == judgment.number else method, rank)
            for method, rank in judgment.ranks.items()
        ]
        unit = judgment.unit
    elif judgment.number is not None:
        numbers = [Number(basis, judgment.number, judgment.low, judgment.high)]
        unit = judgment.unit
    else:
        return
    title, scale = UNITS.get(unit, ("", 1.0))
    values = "; ".join(f"{n.name}: {scale * n.value:.3g}" for n in numbers)
    chart(
        claim_numbers(numbers, unit),
        f"{CLAIMS[id_].statement} {values}" + f" ({title})" * bool(title),
        key="claims_number",
    )


def _show_cells(id_: str, basis: Basis) -> None:
    """List the printed cells of a claim next to our cells; without printed cells, our runs."""
    body: Body = "yours" if basis == "yours" else "real"
    printed = cache.judged_on("printed")[id_].cells
    wide = add_own_results(id_, printed, cache.claim_evidence()[body])
    if wide.empty:
        wide = CLAIMS[id_].judge(cache.claim_evidence()[body]).cells.wide()
    if len(wide):
        _show_shares(wide.reset_index(), f"claim_{id_}")
    for name, table in printed.tables.items():
        _show_shares(table, f"claim_{id_}_{name}")
    if wide.empty and not printed.tables:
        st.caption("No cell is available: the numbers that this claim needs are missing.")


def _show_shares(table: pd.DataFrame, name: str) -> None:
    """Show a table with fractions in percent."""
    floats = [column for column in table.columns if table[column].dtype.kind == "f"]
    shares = [column for column in floats if table[column].abs().max() <= 1]
    labels = {column: _heading_of(str(column)) for column in table.columns}
    st.caption(f"{len(table):,} row{'s' * (len(table) != 1)}")
    tables.show(table, name, labels=labels, percent=shares, height=8 * tables.ROW + 2)


def _heading_of(column: str) -> str:
    words = column.replace("_", " ").replace("top1", "top-1")
    return words.replace("train dataset", "training set").replace("test dataset", "test set")


def _show_large_scale() -> None:
    """Show the printed table of the study on ImageNet, and the command for our results."""
    st.badge("open: needs a command", color=COLORS["open"])
    st.markdown("**What happens at 20,345 classes?**")
    st.markdown(
        "The benchmark paper trains on 1,000 classes of ImageNet and tests on sets of other "
        "classes: up to 2 or 3 hops away in WordNet, the most or the least populated, or all. The "
        "features are not in the package; the command reads them from a folder, or simulates "
        "them for a trial, and prints our results next to this table."
    )
    table = published_table("imagenet_zsl_top1")
    wide = table.pivot_table("top1_per_class", "method", "split", sort=False).reset_index()
    _show_shares(wide, "large_scale")
    downloads.show_command("zslcore reproduce gbu:table5")


def _show_code(code: str) -> None:
    """Show the choices that a released code base makes, each with a link to its lines."""
    rows = released_codes.choices_of(code)
    state, word = EPOCHS[next(row.how for row in rows if row.choice == "epoch")]
    st.badge(word, color=COLORS[state])
    st.markdown(f"**{plain(code)}**, {plain(rows[0].paper)}")
    for row in rows:
        statement = plain(row.says.replace("`", ""))
        st.markdown(f"**{row.choice.capitalize()}:** {plain(row.meaning)} · [lines]({row.url})")
        st.caption(
            f"{statement}. Read on {row.read}."
            + f" Authors: {plain(row.answer)}" * bool(row.answer)
        )
    st.caption(BOUND)
    downloads.show_command(f"zslcore protocols {code}")


def _show_finding(finding: PaperFinding) -> None:
    """Show a finding, the printed cells of its claims, and its commands."""
    st.badge(WHERE[finding.where], color=COLORS["open"])
    st.markdown(f"**{plain(finding.sentence)}**")
    for id_ in re.findall(r"\S+", finding.command.partition("--id ")[2]):
        st.caption(plain(CLAIMS[id_].statement))
        _show_cells(id_, "printed")
    st.caption(
        "A test recomputes each number. FOLDER is the unpacked archive of the benchmark; other "
        "commands need no file."
    )
    downloads.show_command(finding.command)
