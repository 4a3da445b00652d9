"""The quiz of planted faults: predict what is wrong with a split, then let the audit answer."""

from __future__ import annotations

import streamlit as st

from ui import cache
from ui.figures import leakage as figures
from ui.frame import chart
from ui.text import plain
from zslcore.leakage import AuditContext, Severity, leaks, quiz

__all__ = ["show_quiz"]


#: Question -> the first guess of this visit and whether it was right; it alone counts.
_FIRST = "quiz_first"


def show_quiz() -> None:
    """Ask what is wrong with a planted split; the answer stands below once there is a guess."""
    st.caption("Each split of the digits has at most one fault. Predict the verdict of the audit.")
    question = st.segmented_control(
        "Question",
        list(quiz.QUESTIONS),
        default="1",
        required=True,
        key="leakage_question",
        bind="query-params",
    )
    planted, clues, answer = cache.quiz_question(question)
    left, right = st.columns([0.56, 0.44], gap="medium")
    with left:
        guess = _take_guess(question, clues)
        if guess is not None:
            st.session_state.setdefault(_FIRST, {}).setdefault(question, guess == answer.right)
            _show_answer(guess, answer)
        _show_score()
    with right:
        _show_drawing(question, planted, None if guess is None else answer)


def _take_guess(question: str, clues: list[tuple[str, str]]) -> str | None:
    """Show visible facts of a split; return the guess once the audit is asked about it."""
    lines = [f"| {what} | {plain(value)} |" for what, value in clues]
    st.markdown("\n".join(["| visible facts | |", "|---|---|", *lines]))
    with st.form(f"leakage_quiz_{question}"):
        guess = st.radio("What is wrong?", list(quiz.ANSWERS), index=None, key=f"quiz_{question}")
        asked = st.form_submit_button("Ask the audit", icon=":material/policy:")
    if asked and guess is None:
        st.info("Guess first.", icon=":material/arrow_upward:")
    return guess if asked else None


def _show_answer(guess: str, answer: quiz.Answer) -> None:
    """Say whether the guess was right, and explain it in the words of the audit."""
    if guess == answer.right:
        st.success(f"**Right:** {answer.right}.", icon=":material/check:")
    else:
        st.warning(f"**Not quite.** The audit says: {answer.right}.", icon=":material/close:")
    failed = [f for f in answer.report.findings if f.severity is Severity.FAIL]
    for finding in failed:
        st.markdown(f"**{finding.id}** {plain(finding.message)} {plain(finding.advice)}")
    if not failed:
        passed = [f.id for f in answer.report.findings if f.severity is Severity.PASS]
        st.markdown(f"These checks looked and found nothing: {', '.join(passed)}.")


def _show_score() -> None:
    """Say how many first guesses were right, and lead to the next question."""
    first: dict[str, bool] = st.session_state.get(_FIRST, {})
    if not first:
        return
    st.markdown(f"**Score: {sum(first.values())} of {len(first)}.** Your first guesses count.")
    still = [question for question in quiz.QUESTIONS if question not in first]
    label = "Next question" if still else "Start again"
    st.button(
        label,
        icon=":material/arrow_forward:" if still else ":material/replay:",
        on_click=_go_on,
        args=(still[:1],),
        key="quiz_next",
    )


def _go_on(questions: list[str]) -> None:
    """Go to a question; without one forget all guesses of this visit and begin again."""
    if not questions:
        for key in (_FIRST, *(f"quiz_{question}" for question in quiz.QUESTIONS)):
            st.session_state.pop(key, None)
    st.session_state["leakage_question"] = questions[0] if questions else next(iter(quiz.QUESTIONS))


def _show_drawing(question: str, planted: AuditContext, answer: quiz.Answer | None) -> None:
    """Draw a planted split, with its leaks once the answer is known."""
    table = leaks.leaks_by_class(planted, None if answer is None else answer.report)
    if answer is None:  # a mark of its own would give the class away
        table["role"] = table["role"].replace("both", "unseen")
    chart(
        figures.leaks_by_class(table),
        f"Images of {len(table)} digits by where they are in the split of question {question}.",
        key="leakage_quiz_chart",
    )
