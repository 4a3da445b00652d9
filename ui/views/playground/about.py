"""Article on zero-shot learning; each paragraph sets the choices of the instrument next to it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from urllib.parse import quote

import streamlit as st

from ui.components import window
from ui.figures.palette import UNSEEN
from ui.playground import answers as playground_answers
from ui.playground import instrument
from ui.shell import site_map
from ui.shell.frame import Header
from ui.shell.numbers import three_digits
from ui.state import cache, controls
from zslcore.evaluation.specs import RunSpec

ARTICLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
#: Digits without training images, and the line that each of the first attributes describes.
UNSEEN_DIGITS = (7, 8, 9)
SEGMENTS = ("M4 3h12", "M3 5v10", "M17 5v10", "M4 17h12", "M3 19v10", "M17 19v10", "M4 31h12")
#: Choices set by each paragraph, and written to the session for other pages.
DIGITS = {"dataset": "digits", "split": "PS", "method": controls.METHOD}


def show(header: Header) -> None:
    """Show the article next to the instrument; on a phone, the instrument before the steps."""
    with st.container(key="about_definition"):
        st.header(ARTICLE["definition"], anchor=False)
    if window.is_narrow():
        introduction, aside, steps = st.container(), st.container(), st.container()
    else:
        introduction, aside = st.columns([0.35, 0.65], gap="large")
        steps = introduction
    with introduction:
        _write_introduction()
    with aside, st.container(key="about_instrument"):
        instrument.show_instrument(header)
    with steps:
        _write_steps()


def _write_introduction() -> None:
    st.markdown(ARTICLE["introduction"])
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(_described(), width=110)
        st.markdown(ARTICLE["prediction"], width=228)


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


def _write_steps() -> None:
    """Write the steps with their buttons, and a last paragraph on leaks."""
    run = playground_answers.played(RunSpec.of(cache.dataset("digits"), "PS", controls.METHOD))
    assert run is not None  # precomputed, or quick to compute
    gamma = run.result.gamma or 0.0
    write = partial(str.format, gamma=three_digits(gamma), value=repr(gamma))
    for step in ARTICLE["step"]:
        st.header(step["title"], anchor=False)
        st.markdown(write(step["text"]))
        choices = {name: write(value) for name, value in step["choices"].items()}
        st.button(
            write(step["button"]),
            icon=":material/tune:",
            key=f"about_{step['title']}",
            on_click=_set,
            args=(choices,),
        )
    st.header("A split that leaks", anchor=False)
    st.markdown(ARTICLE["leaks"])
    site_map.link("drop", "Is it clean?")


def _set(choices: Mapping[str, str]) -> None:
    """Write the choices of a paragraph into the address, and remove earlier choices."""
    dropped = (instrument.GAMMA, instrument.VALUE, instrument.RULER, instrument.ONLY)
    written = dict.fromkeys(dropped, "") | DIGITS | dict(choices)
    controls.write_address(written)
    st.session_state.update({name: written[name] for name in DIGITS})
