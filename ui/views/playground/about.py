"""What is zero-shot learning? Six paragraphs that lead along the instrument."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from ui.playground import answers as playground_answers
from ui.playground import instrument
from ui.shell import site_map
from ui.shell.frame import Header, errors_as_sentences
from ui.shell.numbers import percent, three_digits
from ui.state import cache, controls

#: What the article is about; other choices of the instrument are the reader's own.
DIGITS = {"dataset": "digits", "split": "PS", "method": controls.METHOD}


def show(header: Header) -> None:
    """Show the article, and next to it the one instrument that its paragraphs set."""
    article, aside = st.columns([0.38, 0.62], gap="large")
    with article, errors_as_sentences():
        _write()
    with aside, st.container(key="about_instrument"):
        instrument.show_instrument(header)


def _write() -> None:
    digits = cache.dataset("digits")
    found = playground_answers.played(playground_answers.spec_of(digits, "PS", controls.METHOD))
    assert found is not None  # its results come with the package, and take a second without it
    gamma, curve = found.gamma or 0.0, found.test.curve
    plain, validated = curve.at(0.0), curve.at(gamma)
    st.markdown(
        "A model was trained on images of the digits :blue[**● 0 to 6**]. It has never seen a "
        ":orange[**◆ 7, 8 or 9**]: of each it has a description alone, one line per stroke, hole "
        "and bow. From the seen digits it learns how a description looks, and answers with the "
        "class whose look is nearest. Each paragraph sets the instrument; then move it yourself."
    )
    _step(
        "Seen classes win",
        f"May it answer any of ten digits, {percent(plain.seen)} of seen ones are right, but only "
        f"{percent(plain.unseen)} of unseen ones: known looks attract images. Open a grey 7 on the "
        "left half of the wall: as what was it taken?",
        "Set γ to 0",
        {},
    )
    _step(
        "One number holds them back",
        f"Subtract γ from every seen class's score. Folds of the seen digits choose "
        f"γ = {three_digits(gamma)}, without a look at a 7, 8 or 9; H, the harmonic mean of both "
        f"sides, goes from {percent(plain.harmonic)} to {percent(validated.harmonic)}. Move on "
        "past it: when does H fall?",
        f"Set γ to {three_digits(gamma)}",
        {instrument.GAMMA: repr(gamma)},
    )
    _step(
        "Another method, another curve",
        "A method is not a point but a curve: every γ is one of its answers, and the area below "
        "compares them all. Take ESZSL, then click grey curves. Which one lies above?",
        "Take ESZSL",
        {"method": "ESZSL"},
    )
    _step(
        "λ, for which question?",
        "λ is how strongly a method is regularized. Plain ZSL asks only about unseen classes, and "
        "the folds choose one λ for it; with seen classes as answers they choose another. Move "
        "from one to the other: which side pays?",
        "Move λ of SAE",
        {"method": "SAE", instrument.RULER: "lambda"},
    )
    _step(
        "Test images without labels",
        "A transductive method also gets the test images, though not their labels. That is an "
        "easier problem, so the two are never ranked together. Move from 0 images to all of them: "
        "what do they add?",
        "Use the test images",
        {instrument.RULER: "images"},
    )
    st.header("A split that leaks", anchor=False)
    st.markdown(
        "All of this counts only while no test image, and no unseen class, was trained on. Split "
        "files have held thousands of such rows. Drop one, and read what is left of its H."
    )
    site_map.link("drop", "Is it clean?")


def _step(title: str, text: str, button: str, choices: Mapping[str, str]) -> None:
    """Write a paragraph with the button that sets what it speaks of."""
    st.header(title, anchor=False)
    st.markdown(text)
    st.button(button, icon=":material/tune:", key=f"about_{title}", on_click=_set, args=(choices,))


def _set(choices: Mapping[str, str]) -> None:
    """Write the choices of a paragraph into the address, and take the others out of it."""
    instrument.forget(instrument.GAMMA, instrument.VALUE, instrument.RULER)
    for name, value in (DIGITS | dict(choices)).items():
        st.query_params[name] = value
        if name in DIGITS:
            st.session_state[name] = value
