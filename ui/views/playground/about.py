"""Article on zero-shot learning in steps; each sets the choices of the instrument below it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote

import streamlit as st

from ui.components import window
from ui.figures.palette import UNSEEN
from ui.playground import answers as playground_answers
from ui.playground import instrument
from ui.sections.audit import show_picture_and_metrics
from ui.shell import site_map
from ui.shell.frame import Header
from ui.shell.numbers import three_digits
from ui.state import cache, controls
from zslcore.evaluation.specs import RunSpec
from zslcore.leakage.render import read_report
from zslcore.storage.files import FACTS

#: Card of a split file that leaks, shown by the last step.
EXAMPLE = FACTS / "measured" / "example_card.json"
ARTICLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
#: Digits without training images, and the line that each of the first attributes describes.
UNSEEN_DIGITS = (7, 8, 9)
SEGMENTS = ("M4 3h12", "M3 5v10", "M17 5v10", "M4 17h12", "M3 19v10", "M17 19v10", "M4 31h12")
#: Choices set by each step, and written to the session for other pages.
DIGITS = {"dataset": "digits", "split": "PS", "method": controls.METHOD}
#: Key of the chosen step.
STEP = "about_step"


def show(header: Header) -> None:
    """Show one step of the article above the instrument."""
    with st.container(key="about_definition"):
        headline = st.empty()
    with st.container(key="about_text", gap="small"):
        step = _choose_step()
        headline.header(step["headline"], anchor=False)
        _show_text(step)
    if step.get("view"):
        show_picture_and_metrics(read_report(EXAMPLE.read_bytes(), EXAMPLE.name), "about_example")
        return
    with st.container(key="about_instrument"):
        instrument.show_instrument(header)


def _choose_step() -> dict[str, Any]:
    """Choose a step of the article, and return it."""
    steps, is_narrow = ARTICLE["step"], window.is_narrow()
    chosen = st.segmented_control(
        "Step",
        range(len(steps)),
        format_func=lambda k: str(k + 1) if is_narrow else steps[k]["title"],
        key=STEP,
        default=0,
        required=True,
        on_change=_store_step,
        label_visibility="collapsed",
    )
    return dict(steps[chosen])


def _show_text(step: dict[str, Any]) -> None:
    """Show the text of a step next to its picture or link."""
    with st.container(horizontal=True, vertical_alignment="center", key="about_words"):
        if step["title"] == ARTICLE["step"][0]["title"]:
            st.html(_draw_descriptions(), width=110)
        st.markdown(_fill_in(step["text"]), width="stretch")
        if step.get("view"):
            site_map.link(step["view"], step["link"])


def _draw_descriptions() -> str:
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


def _fill_in(text: str) -> str:
    """Return a text of the article with the validated gamma."""
    run = playground_answers.available_run(
        RunSpec.of(cache.dataset("digits"), "PS", controls.METHOD)
    )
    assert run is not None  # precomputed, or quick to compute
    gamma = run.result.gamma or 0.0
    return text.format(gamma=three_digits(gamma), value=repr(gamma))


def _store_step() -> None:
    """Write the choices of the step into the address, and remove earlier choices."""
    step = ARTICLE["step"][st.session_state[STEP]]
    dropped = (instrument.GAMMA, instrument.VALUE, instrument.RULER, instrument.ONLY)
    choices = {name: _fill_in(value) for name, value in step.get("choices", {}).items()}
    written = dict.fromkeys(dropped, "") | DIGITS | choices
    controls.write_address(written)
    st.session_state.update({name: written[name] for name in DIGITS})
