"""Article on zero-shot learning; each paragraph sets the choices of the instrument next to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from ui.components import window
from ui.playground import answers as playground_answers
from ui.playground import instrument
from ui.shell import site_map
from ui.shell.frame import Header, errors_as_sentences
from ui.shell.numbers import percent, three_digits
from ui.state import cache, controls

#: Title, text, button and choices of a paragraph.
Step = tuple[str, str, str, Mapping[str, str]]
#: Choices set by each paragraph, and written to the session for other pages.
DIGITS = {"dataset": "digits", "split": "PS", "method": controls.METHOD}


def show(header: Header) -> None:
    """Show the article next to the instrument; on a phone, the instrument before the steps."""
    if window.is_narrow():
        _write_introduction()
        _show_instrument(header)
        with errors_as_sentences():
            _write_steps(_steps())
        return
    article, aside = st.columns([0.38, 0.62], gap="large")
    with article, errors_as_sentences():
        _write_introduction()
        _write_steps(_steps())
    with aside:
        _show_instrument(header)


def _show_instrument(header: Header) -> None:
    with st.container(key="about_instrument"):
        instrument.show_instrument(header)


def _write_introduction() -> None:
    st.markdown(
        "**Zero-shot learning recognises classes of which it has no training image, from a "
        "description.**\n\nThis model was trained on images of the digits :blue[**● 0 to 6**]. Of "
        ":orange[**◆ 7, 8 and 9**] it has only a written description: strokes, holes, bows. From "
        "the seen digits it learns to predict an image from a description, and picks the class "
        "with the closest predicted image. Each button sets the instrument; then move it yourself."
    )


def _steps() -> Sequence[Step]:
    """Return title, text, button and choices of each step, with metrics on digits."""
    digits = cache.dataset("digits")
    run = playground_answers.played(playground_answers.spec_of(digits, "PS", controls.METHOD))
    assert run is not None  # precomputed, or quick to compute
    gamma, curve = run.gamma or 0.0, run.test.curve
    plain, validated = curve.at(0.0), curve.at(gamma)
    return (
        (
            "Seen classes win",
            f"If all ten digits are allowed, {percent(plain.seen)} of seen digits are recognised, "
            f"but only {percent(plain.unseen)} of unseen digits: images drift to familiar classes. "
            "Open a grey 7 on the left half of the wall: which digit was it mistaken for?",
            "Set γ to 0",
            {},
        ),
        (
            "One number holds them back",
            "γ is subtracted from the scores of all seen classes. Cross-validation on seen digits "
            f"chooses γ = {three_digits(gamma)}; no 7, 8 or 9 is used. H, the harmonic mean of "
            f"both accuracies, rises from {percent(plain.harmonic)} to "
            f"{percent(validated.harmonic)}. Move further right: when does H fall?",
            f"Set γ to {three_digits(gamma)}",
            {instrument.GAMMA: repr(gamma)},
        ),
        (
            "Another method, another curve",
            "A method is a curve, not a point: each γ is one point of it, and the area under the "
            "curve compares methods at all γ. Choose ESZSL, then click grey curves. Which curve is "
            "higher?",
            "Choose ESZSL",
            {"method": "ESZSL"},
        ),
        (
            "One λ does not suit both tasks",
            "λ sets how strongly a method is regularized. Validation chooses one λ if only unseen "
            "classes are allowed, and another if seen classes are allowed too. Move from one to "
            "the other: which side loses?",
            "Move λ of SAE",
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
        "None of this holds if the model was trained on test images or on unseen classes. Released "
        "split files have contained thousands of such rows. Upload one together with your scores "
        "to see H without them."
    )
    site_map.link("drop", "Is it clean?")


def _write_step(title: str, text: str, button: str, choices: Mapping[str, str]) -> None:
    """Write a paragraph with the button that sets its choices."""
    st.header(title, anchor=False)
    st.markdown(text.replace(" %", "\u00a0%").replace(" = ", "\u00a0=\u00a0"))
    st.button(button, icon=":material/tune:", key=f"about_{title}", on_click=_set, args=(choices,))


def _set(choices: Mapping[str, str]) -> None:
    """Write the choices of a paragraph into the address, and remove earlier choices."""
    instrument.drop_from_address(instrument.GAMMA, instrument.VALUE, instrument.RULER)
    for name, value in (DIGITS | dict(choices)).items():
        st.query_params[name] = value
        if name in DIGITS:
            st.session_state[name] = value
