"""Predictions for images of unseen digits at a gamma, and the details of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui import controls
from ui.figures import images as figures
from ui.frame import chart
from ui.sections.held_back import choose_gamma
from zslcore.analysis import recognition
from zslcore.analysis.recognition import Recognition
from zslcore.datasets import Split, ZSLDataset
from zslcore.evaluation.protocol import AnsweredTest
from zslcore.evaluation.runs import RunResult

__all__ = ["Story", "show_wall"]

#: What may be answered, and the gamma that makes it so; None is one that the visitor drags, from
#: the one chosen on the folds on.
ANSWERS = {
    "unseen digits only": np.inf,
    "all ten digits": 0.0,
    "all ten, calibrated": None,
}
PER_CLASS = 16


@dataclass(frozen=True, slots=True)
class Story:
    """A run on the digits, and how its method predicts every digit to look."""

    digits: ZSLDataset
    split: Split
    result: RunResult
    scores: AnsweredTest
    recognised: Recognition


def show_wall(story: Story) -> None:
    """Show the predictions for unseen images at a gamma, and the details of one."""
    choices = st.container(horizontal=True, vertical_alignment="bottom")
    curve_slot = st.container()
    with choices:
        gamma = _choose_gamma(story, curve_slot)
        zsl, gzsl, calibrated, wall = (
            recognition.sample(recognition.answers(story.recognised, g), PER_CLASS)
            for g in (np.inf, 0.0, story.result.gamma or 0.0, gamma)
        )
        picked = _choose_picture(len(wall), recognition.telling_example(zsl, gzsl, calibrated) + 1)
    images, names = story.digits.images, story.digits.class_names
    assert images is not None  # the digits are pictures
    chart(
        figures.answer_wall(images[wall["row"]] / 255, wall, names, picked - 1),
        alt=f"{len(wall)} images of unseen digits and the answer to each: {wall['right'].sum()} "
        f"are right, {wall['seen'].sum()} are taken for a seen digit.",
        key="overview_wall",
        on_select=_pick,
        selection_mode="points",
    )
    st.caption(
        f"Answers to {len(wall)} unseen images: {wall['right'].sum()} right (✓), :blue[●] "
        f"{wall['seen'].sum()} taken for a seen digit, :orange[◆] "
        f"{(~wall['seen'] & ~wall['right']).sum()} for another unseen one. Click an image "
        "for details."
    )
    _show_one(story, picked, wall.iloc[picked - 1], gamma)


def _choose_gamma(story: Story, curve_slot: DeltaGenerator) -> float:
    allowed = st.segmented_control(
        "Answers allowed",
        list(ANSWERS),
        default="all ten digits",
        required=True,
        key="overview_answers",
        wrap=True,
        bind="query-params",
    )
    gamma = ANSWERS[allowed]
    if gamma is not None:
        return gamma
    with curve_slot:
        return choose_gamma(story.result, story.scores, story.digits.class_names)


def _choose_picture(n: int, start: int) -> int:
    return st.number_input(
        "Image",
        1,
        n,
        start,
        key="overview_picture",
        bind=controls.bind_number("overview_picture"),
        width=200,
    )


def _pick() -> None:
    """Show the details of the image that was clicked."""
    clicked = st.session_state["overview_wall"].selection.points
    if clicked:
        st.session_state["overview_picture"] = clicked[0]["customdata"]


def _show_one(story: Story, picked: int, one: pd.Series, gamma: float) -> None:
    images, names = story.digits.images, story.digits.class_names
    assert images is not None  # the digits are pictures
    shown, distances = st.columns([0.2, 0.8], gap="medium", vertical_alignment="center")
    with shown:
        chart(
            figures.picture(images[one["row"]] / 255),
            alt=f"Image {picked}, a {names[one['class']]}.",
            key="overview_one",
        )
    with distances:
        _show_distances(story.recognised, (images.shape[1], images.shape[2]), names, one, gamma)
    st.caption(
        f"Image {picked} is a {names[one['class']]}; the answer {names[one['answer']]} is "
        f"{'right' if one['right'] else 'wrong'}. Bars: distance to the predicted look of "
        "every digit, drawn below. The shortest bar wins. The model has seen no image "
        "of ◆ 7, 8 and 9; it predicts them from their descriptions."
    )


def _show_distances(
    recognised: Recognition,
    pixels: tuple[int, int],
    names: Sequence[str],
    one: pd.Series,
    gamma: float,
) -> None:
    compared = recognition.candidates(recognised, one["row"], gamma)
    looks = recognition.pictures(recognised.looks[compared["position"]], pixels)
    chart(
        figures.nearest_looks(compared, looks, names, one["class"]),
        alt="Squared distance of the image to the predicted look of every class allowed, "
        f"nearest first: {', '.join(names[c] for c in compared['class'])}.",
        key="overview_looks",
    )
