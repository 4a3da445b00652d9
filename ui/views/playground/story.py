"""What is zero-shot learning? The digits 7, 8 and 9, recognised from descriptions alone."""

from __future__ import annotations

import numpy as np
import streamlit as st

from ui import cache, site_map, takeaway, terms, waiting
from ui.figures import images as figures
from ui.figures.palette import SEEN
from ui.frame import Header, chart, errors_as_sentences
from ui.numbers import percent, points, three_digits
from ui.sections.answers import Story, show_wall
from zslcore.analysis import inventory, recognition
from zslcore.evaluation.specs import RunSpec

#: Title, what to look at, words of the link, its view and what it opens there.
PRESETS = (
    (
        "Seen classes win by default",
        "Change γ: unseen digits recover; seen ones pay.",
        "Calibrate the digits",
        "calibration",
        {"dataset": "digits", "method": "LinearS2V"},
    ),
    (
        "A fine-grained data set",
        "200 kinds of birds look almost the same. Which ones are confused?",
        "Evaluate on simulated CUB",
        "evaluate",
        {"dataset": "simulated-CUB", "method": "LinearS2V"},
    ),
    (
        "The right λ for the wrong question",
        "The best λ for ZSL is not the best one for GZSL. Compare three settings.",
        "Calibrate ESZSL on CUB",
        "calibration",
        {"dataset": "CUB-vgg_fc7", "method": "ESZSL"},
    ),
)
NAMES = """
| here | Le Cacheux | Xian | test images / candidate classes |
|:--|:--|:--|:--|
| ZSL | $A_{U \\to C_u}$ | acc | unseen / unseen |
| u | $A_{U \\to C}$ | ts | unseen / all |
| s | $A_{S \\to C}$ | tr | seen / all |
| H | $H$ | H | both / all |
"""


def show(header: Header) -> None:
    """Tell the story from the digits to the links into the other views."""
    story = _open(header)
    st.markdown(
        "A model was trained on images of the digits :blue[**● 0 to 6**]. "
        "It has never seen a :orange[**◆ 7, 8 or 9**]; it only has a written description of each, "
        "one line per stroke, hole and bow. Can it recognise them?"
    )
    left, right = st.columns([0.6, 0.4], gap="large")
    with left:
        _show_codes(story)
    with right:
        _show_three_answers(story)
        _show_method(story)
    st.header("How can it recognise a digit it has never seen?", anchor=False)
    show_wall(story)
    _show_names()
    _show_presets()


def _open(header: Header) -> Story:
    with errors_as_sentences():
        digits = cache.dataset("digits")
        header.mark(digits)
        split = digits.split("PS")
        spec = RunSpec(dataset="digits", split="PS", method="LinearS2V", digest=digits.digest)
        result, scores = waiting.run_of(spec)
        takeaway.commands(spec.command())
        recognised = recognition.recognise(digits, split, lam=result.params["lam"])
    return Story(digits, split, result, scores, recognised)


def _show_codes(story: Story) -> None:
    digits = story.digits
    chart(
        figures.class_codes(
            inventory.mean_images(digits),
            digits.prototypes,
            digits.class_names,
            digits.attribute_names,
            np.isin(np.arange(digits.n_classes), story.split.unseen_classes),
        ),
        alt="Ten digits, each as the mean of its images above its description of "
        f"{len(digits.attribute_names)} attributes; 0 to 6 are seen, 7 to 9 unseen.",
        key="overview_codes",
    )


def _show_three_answers(story: Story) -> None:
    found, n_unseen = story.result.evaluation, len(story.split.unseen_classes)
    assert found.plain is not None  # the digits test seen classes, too
    assert found.calibrated is not None
    st.header("One test, three sets of allowed answers", anchor=False)
    terms.metric(
        "Which of the three unseen digits is it?",
        percent(found.zsl),
        delta=f"chance: {percent(1 / n_unseen)}",
        delta_color="off",
        delta_arrow="off",
        help="Zero-shot learning (ZSL): only unseen classes may be answered. "
        "Mean accuracy per class.",
    )
    terms.metric(
        "Which of all ten digits is it?",
        percent(found.plain.unseen),
        delta=points(found.plain.unseen - found.zsl),
        delta_color="inverse",
        delta_arrow="down",
        help="Generalised zero-shot learning (GZSL): seen classes may be answered too, and they "
        "attract images of unseen ones.",
    )
    terms.metric(
        "All ten digits, calibrated",
        percent(found.calibrated.unseen),
        delta=f"{points(found.calibrated.unseen - found.plain.unseen)} unseen, "
        f"{points(found.calibrated.seen - found.plain.seen)} seen",
        delta_color="off",
        delta_arrow="off",
        help="Calibrated stacking: γ is subtracted from the score of every seen class. It was "
        "chosen on folds of the seen digits, never on a 7, 8 or 9.",
    )


def _show_method(story: Story) -> None:
    split, result = story.split, story.result
    st.markdown(
        "From the seen digits the model learns to map a description $s_c$ to an image, "
        "$\\hat x_c = W^\\top s_c$, and so predicts how every digit looks. Its answer is the "
        "nearest prediction:"
    )
    st.latex(
        r"\hat y = \arg\min_c \; \lVert x - \hat x_c \rVert^2"
        r" + \gamma \, [\textcolor{" + SEEN.color + r"}{c \in \mathcal{C}_s}]"
    )
    st.caption(
        f"{len(split.trainval):,} training images; {len(split.test_unseen):,} test images of "
        f"unseen digits and {len(split.test_seen):,} of seen ones. LinearS2V, "
        f"γ = {three_digits(result.gamma)} and λ = {three_digits(result.params['lam'])} chosen on "
        f"folds. {story.digits.source}"
    )


def _show_names() -> None:
    st.header("Notation", anchor=False)
    st.markdown(NAMES)
    st.caption(
        "The first three are means over classes: a class with many images counts no more than a "
        "class with few. H = 2su / (s + u) is high only when both are high. The names are those of "
        "the calibration paper (Le Cacheux et al. 2019) and of the benchmark paper (Xian et al. "
        "2019)."
    )


def _show_presets() -> None:
    st.header("Try this", anchor=False)
    for column, (title, text, label, view, query) in zip(st.columns(3), PRESETS, strict=True):
        with column.container(border=True, height="stretch"):
            st.markdown(f"**{title}**")
            st.markdown(text)
            site_map.link(view, label, query=query)
