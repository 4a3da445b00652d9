"""Evaluation of a score matrix: metrics, the interactive curve, classes, and a comparison."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from ui import tables, takeaway, terms
from ui.frame import errors_as_sentences
from ui.guard import fragment
from ui.interactive import let_go, take_in_hand
from ui.numbers import percent, three_digits
from ui.scores import Brought
from ui.sections import at_gamma
from ui.sections.needs import show_needs
from ui.sections.protocols import choose_words, show_differences, show_protocols
from ui.sections.split_of_scores import show_split_of
from ui.text import plain
from zslcore.evaluation import State
from zslcore.evaluation.protocol import origin_in_words
from zslcore.interactive.curves import GHOSTS, interactive_curve, line_of
from zslcore.scores import FIXES
from zslcore.scores.paired import beside
from zslcore.scores.predicted import PredictedScores, predictions_of_scores
from zslcore.scores.protocols import Words

__all__ = ["TABS", "show_scores"]

TABS = ("Every protocol", "Compare")
GAMMA, CURVE = "scores_gamma", "scores_curve"
#: State of predictions -> colour and icon of its badge.
STATES: dict[State, tuple[Literal["green", "gray"], str]] = {
    State.VERIFIED: ("green", ":material/verified:"),
    State.STATED: ("gray", ":material/help:"),
}


@fragment
def show_scores(first: Brought, others: list[Brought]) -> None:
    """Show a score matrix; everything follows the gamma at which its curve is let go.

    Parameters
    ----------
    first : the one shown
    others : more of them, of the same images or not
    """
    matrix, zsl = first.matrix, first.report.evaluation.zsl
    words = choose_words()
    _show_identity(first, words)
    if isinstance(matrix, PredictedScores):
        _show_state(matrix)
    if not matrix.tested.generalized:
        terms.metric("ZSL accuracy", percent(zsl))
        _show_remarks(first, words)
        _show_tabs(first, others, None, words)
        return
    slot = st.container(key="scores_slot")
    gamma = at_gamma.show_figures(
        matrix.tested, zsl, first.gamma, first.report.origin, of=matrix.digest, key=GAMMA
    )
    _show_remarks(first, words)
    lines = [
        line_of(
            *(each.matrix.name, each.matrix.tested.curve, look, each.gamma, at),
            each.report.origin,
        )
        for each, look, at in zip(
            [first, *others],
            ["harmonic", *GHOSTS],
            [gamma, *(o.gamma or 0.0 for o in others)],
            strict=False,
        )
        if each.matrix.tested.generalized
    ]
    with slot:
        take_in_hand(
            interactive_curve(
                lines, matrix.tested, matrix.class_names, sides=(words.seen, words.unseen)
            ),
            key=CURVE,
            on_change=_remember,
        )
    _show_tabs(first, others, gamma, words)


def _show_state(matrix: PredictedScores) -> None:
    """Report the reliability of predictions, and what no panel can show of them."""
    colour, icon = STATES[matrix.state]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.badge(matrix.state, icon=icon, color=colour)
        st.caption(plain(" ".join(matrix.remarks)), width="content")
    if matrix.tested.zsl_ranks is None:
        st.caption("Top-k accuracy is unknown: the file has no zsl_rank of every unseen image.")


def _remember() -> None:
    """Take the gamma at which the visitor has let go."""
    if (gamma := let_go(CURVE, "gamma")) is not None:
        st.session_state[GAMMA] = gamma


def _show_identity(first: Brought, words: Words) -> None:
    """Say what the scores were understood as."""
    m = first.matrix
    parts = [
        f"{len(m.y):,} images",
        f"{int(m.seen.sum())} {words.seen} and {int((~m.seen).sum())} {words.unseen} classes",
        f"{'predictions' if isinstance(m, PredictedScores) else 'scores'} {m.digest}",
    ]
    if m.benchmark:
        parts.insert(
            0,
            f"by the number of images of every class, the test set of {m.benchmark}, "
            f"split {m.split}",
        )
    if done := [words.said(FIXES[fix]) for fix in m.fixes if fix != "as-is"]:
        parts.append(f"read so: {', '.join(done)}")
    st.caption(f"{plain(m.name)}: {'; '.join(parts)}.")


def _show_remarks(first: Brought, words: Words) -> None:
    """Say what a reader of these figures should know."""
    report = first.report
    if report.origin == "oracle":
        st.warning(plain(words.said(report.note)), icon=":material/visibility_off:")
    elif report.note:
        st.caption(f":material/info: {plain(words.said(report.note))}")
    if report.origin is None and first.matrix.tested.generalized:
        st.caption(
            ":material/info: No validated γ. A γ that is read off the test images "
            "is an oracle: a bound, not a result. Add validation scores to choose one."
        )
    if report.origin == "given":
        st.caption(f":material/info: γ: {origin_in_words('given')}.")
    for remark in () if isinstance(first.matrix, PredictedScores) else first.matrix.remarks:
        st.caption(f":material/info: {plain(words.said(remark))}")


def _show_tabs(first: Brought, others: list[Brought], gamma: float | None, words: Words) -> None:
    """Show every protocol, the comparison with other files, and what repeats it."""
    m = first.matrix
    name = "scores_" + "".join(c if c.isalnum() else "_" for c in m.name)
    shows = {
        "Every protocol": lambda: show_protocols(first, words, name),
        "Compare": lambda: _show_pair(first, others, gamma, words),
    }
    opened = terms.tabs(TABS, key="scores_tab", on_change="rerun")
    for tab, named in zip(opened, TABS, strict=True):
        if tab.open:
            with tab, errors_as_sentences():
                shows[named]()
    show_split_of(m)
    with st.expander("Command and predictions", icon=":material/terminal:"):
        _show_reproduce(first, name)


def _show_reproduce(first: Brought, name: str) -> None:
    """Show the command, and offer the predictions that lie in a score matrix."""
    takeaway.show_command(first.command)
    if not isinstance(first.matrix, PredictedScores):
        takeaway.offer_predictions(
            lambda: predictions_of_scores(first.report), name.removeprefix("scores_")
        )


def _show_pair(first: Brought, others: list[Brought], gamma: float | None, words: Words) -> None:
    """Compare with the other matrices, each at the gamma that was chosen for it."""
    if not others:
        st.info("Bring a second file of scores of the same images.", icon=":material/info:")
    for other in others:
        pair = beside(first.matrix, other.matrix, (gamma or None, other.gamma))
        st.markdown(f"**{plain(other.matrix.name)} less {plain(first.matrix.name)}**, in points")
        show_differences(pair, (first.matrix.digest, other.matrix.digest), words)
        st.caption(
            f"Both answer alike for {percent(pair.agreement)} of the images. {pair.only_second:,} "
            f"images are right in the second alone, {pair.only_first:,} in the first alone "
            f"(McNemar, p = {three_digits(pair.p)})."
        )
        for test in pair.class_tests:
            st.caption(plain(words.fill(test.sentence)))
        tables.show(
            pair.classes,
            f"scores_pair_{other.matrix.digest}",
            labels={
                "class": "class",
                "seen": words.seen,
                "images": "test images",
                "first": "first",
                "second": "second",
                "difference": "difference",
            },
            percent=["first", "second"],
            points=["difference"],
            height=380,
        )
    if others:
        st.markdown("**What a difference needs**")
        pair = beside(first.matrix, others[0].matrix, (gamma or None, others[0].gamma))
        show_needs(pair, others[0].matrix.digest)
