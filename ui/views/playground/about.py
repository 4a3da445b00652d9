"""Article on zero-shot learning; each paragraph sets the choices of the instrument next to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

import streamlit as st

from ui.components import window
from ui.figures.palette import UNSEEN
from ui.playground import answers as playground_answers
from ui.playground import instrument
from ui.shell import site_map
from ui.shell.frame import Header, errors_as_sentences
from ui.shell.numbers import three_digits
from ui.state import cache, controls

#: Title, text, button and choices of a paragraph.
Step = tuple[str, str, str, Mapping[str, str]]
#: Digits without training images, and the line that each of the first attributes describes.
UNSEEN_DIGITS = (7, 8, 9)
SEGMENTS = ("M4 3h12", "M3 5v10", "M17 5v10", "M4 17h12", "M3 19v10", "M17 19v10", "M4 31h12")
#: Choices set by each paragraph, and written to the session for other pages.
DIGITS = {"dataset": "digits", "split": "PS", "method": controls.METHOD}


def show(header: Header) -> None:
    """Show the article next to the instrument; on a phone, the instrument before the steps."""
    if window.is_narrow():
        introduction, aside, steps = st.container(), st.container(), st.container()
    else:
        introduction, aside = st.columns([0.35, 0.65], gap="large")
        steps = introduction
    with introduction:
        _write_introduction()
    with aside, st.container(key="about_instrument"):
        instrument.show_instrument(header)
    with steps, errors_as_sentences():
        _write_steps(_steps())


def _write_introduction() -> None:
    st.markdown(
        "**Zero-shot learning uses descriptions to recognise classes that have no training "
        "images.**\n\n"
        "This model was trained on images of :blue[**●\u00a00\u00a0to\u00a06**]. For "
        ":orange[**◆\u00a07,\u00a08\u00a0and\u00a09**] it has only descriptions of 31 values "
        "each; these lines show seven of them:"
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(_described(), width=110)
        words = (
            "From each description it predicts an image; a test image is assigned to the class of "
            "the nearest prediction."
        )
        st.markdown(words, width=228)


def _described() -> str:
    """Return the seven lines in the descriptions of the unseen digits as a picture in HTML."""
    prototypes = cache.dataset("digits").prototypes[list(UNSEEN_DIGITS)]
    lines = "".join(
        f'<path d="{path}" transform="translate({40 * k} 0)" stroke-opacity="{0.1 + 0.9 * value}"/>'
        for k, values in enumerate(prototypes)
        for path, value in zip(SEGMENTS, values, strict=False)
    )
    look = f'fill="none" stroke="{UNSEEN.color}" stroke-width="3"'
    drawn = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 34" {look}>{lines}</svg>'
    address = f"data:image/svg+xml,{quote(drawn)}"
    return f'<img alt="The lines of 7, 8 and 9" width="110" src="{address}">'


def _steps() -> Sequence[Step]:
    """Return title, text, button and choices of each step."""
    digits = cache.dataset("digits")
    run = playground_answers.played(playground_answers.spec_of(digits, "PS", controls.METHOD))
    assert run is not None  # precomputed, or quick to compute
    gamma = run.gamma or 0.0
    return (
        (
            "Seen classes win",
            "With all ten digits allowed, images drift to familiar digits. Click a grey 9 left "
            "of the dividing line: what was it mistaken for?",
            "Show only the 9s",
            {instrument.ONLY: "9"},
        ),
        (
            "One number holds them back",
            "γ is subtracted from the scores of all seen classes. Cross-validation on seen digits "
            f"alone chooses {three_digits(gamma)}. Move further right: when does H fall?",
            f"Set γ to {three_digits(gamma)}",
            {instrument.GAMMA: repr(gamma)},
        ),
        (
            "Another method, another curve",
            "A method is a curve, not a point: each γ is one point on it, and the area under the "
            "curve compares methods across all γ. Choose ESZSL, then click a grey curve. Which "
            "curve is higher?",
            "Choose ESZSL",
            {"method": "ESZSL"},
        ),
        (
            "One λ does not suit both tasks",
            "λ sets how strongly a method is regularised. Validation chooses one λ if only unseen "
            "classes are allowed, and another if seen classes are allowed too. Move from one to "
            "the other: which side loses?",
            "Vary λ for SAE",
            {"method": "SAE", instrument.RULER: "lambda"},
        ),
        (
            "Test images without labels",
            "A transductive method also uses the test images, without their labels. That is an "
            "easier task, so transductive methods have a ranking of their own. Move from 0 images "
            "to all of them: how much do they add?",
            "Use the test images",
            {instrument.RULER: "images"},
        ),
    )


def _write_steps(steps: Sequence[Step]) -> None:
    """Write steps, and a last paragraph on leaks."""
    for step in steps:
        _write_step(*step)
    st.header("A split that leaks", anchor=False)
    st.markdown(
        "None of this holds if the model was trained on test images or on unseen classes. Some "
        "released split files list thousands of test images for training. Upload a split file "
        "together with your scores to see H without these images."
    )
    site_map.link("drop", "Is it clean?")


def _write_step(title: str, text: str, button: str, choices: Mapping[str, str]) -> None:
    """Write a paragraph with the button that sets its choices."""
    st.header(title, anchor=False)
    st.markdown(text)
    st.button(button, icon=":material/tune:", key=f"about_{title}", on_click=_set, args=(choices,))


def _set(choices: Mapping[str, str]) -> None:
    """Write the choices of a paragraph into the address, and remove earlier choices."""
    drop = (instrument.GAMMA, instrument.VALUE, instrument.RULER, instrument.ONLY)
    instrument.drop_from_address(*drop)
    for name, value in (DIGITS | dict(choices)).items():
        st.query_params[name] = value
        if name in DIGITS:
            st.session_state[name] = value
