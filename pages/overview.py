"""What is zero-shot learning?"""

import numpy as np
import streamlit as st

from ui import cache, controls, takeaway, terms
from ui.figures import images as figures
from ui.figures.palette import SEEN
from ui.frame import chart, errors_as_sentences, open_page
from ui.numbers import percent, points, three_digits
from ui.sections.held_back import choose_gamma
from ui.waiting import quick
from zslcore.analysis import inventory, recognition
from zslcore.evaluation.specs import RunSpec

#: What may be answered, and the gamma that makes it so; None is one that the visitor drags, from
#: the one chosen on the folds on.
ANSWERS = {
    "unseen digits only": np.inf,
    "all ten digits": 0.0,
    "all ten, seen ones held back": None,
}
PER_CLASS = 16
#: Title, what to look at, and the address that shows it.
PRESETS = (
    (
        "Seen classes win by default",
        "Change γ: unseen digits come back, and seen ones are lost.",
        "Calibrate the digits",
        "pages/calibration.py",
        {"dataset": "digits", "method": "ESZSL"},
    ),
    (
        "A fine-grained data set",
        "200 kinds of birds look almost the same. Which ones are confused?",
        "Evaluate on simulated CUB",
        "pages/evaluate.py",
        {"dataset": "simulated-CUB", "method": "LinearS2V"},
    ),
    (
        "The right λ for the wrong question",
        "The best λ for ZSL is not the best one for GZSL. Compare three settings.",
        "Calibrate simulated AWA2",
        "pages/calibration.py",
        {"dataset": "simulated-AWA2", "method": "LinearS2V"},
    ),
)

header = open_page("Overview", "What is zero-shot learning?", icon=":material/school:")

with errors_as_sentences():
    digits = cache.dataset("digits")
    header.mark(digits)
    split = digits.split("PS")
    spec = RunSpec(dataset="digits", split="PS", method="LinearS2V", digest=digits.digest)
    result, scores = quick(spec)
    takeaway.commands(spec.command())
    recognised = recognition.recognise(digits, split, lam=result.params["lam"])
unseen = np.isin(np.arange(digits.n_classes), split.unseen_classes)
pixels = digits.images.shape[1:]

st.markdown(
    "A machine has practised the digits :blue[**● 0 to 6**] on pictures. "
    "Of :orange[**◆ 7, 8 and 9**] it has seen none: it has only been *told* what they look like, "
    "one line per stroke, hole and bow. Can it recognise them?"
)

told, asked = st.columns([0.6, 0.4], gap="large")
with told:
    chart(
        figures.class_codes(
            inventory.mean_images(digits),
            digits.prototypes,
            digits.class_names,
            digits.attribute_names,
            unseen,
        ),
        alt="Ten digits, each as the mean of its pictures above its description of "
        f"{len(digits.attribute_names)} attributes; 0 to 6 are seen, 7 to 9 unseen.",
        key="overview_codes",
    )
with asked:
    figures_of = result.evaluation
    st.header("The same unseen pictures, asked three ways", anchor=False)
    terms.metric(
        "Which of the three unseen digits is it?",
        percent(figures_of.zsl),
        delta=f"a guess is right in {percent(1 / unseen.sum())}",
        delta_color="off",
        delta_arrow="off",
        help="Zero-shot learning (ZSL): only unseen classes may be answered. "
        "Mean accuracy per class.",
    )
    terms.metric(
        "Which of all ten digits is it?",
        percent(figures_of.plain.unseen),
        delta=points(figures_of.plain.unseen - figures_of.zsl),
        delta_color="inverse",
        delta_arrow="down",
        help="Generalised zero-shot learning (GZSL): seen classes may be answered too, and they "
        "attract pictures of unseen ones.",
    )
    terms.metric(
        "All ten, seen digits held back",
        percent(figures_of.calibrated.unseen),
        delta=f"{points(figures_of.calibrated.unseen - figures_of.plain.unseen)}, "
        f"for {points(figures_of.calibrated.seen - figures_of.plain.seen)} on seen digits",
        delta_color="off",
        delta_arrow="off",
        help="Calibrated stacking: γ is subtracted from the score of every seen class. It was "
        "chosen on folds of the seen digits, never on a 7, 8 or 9.",
    )
    st.markdown(
        "From the seen digits the machine learns how a description $s_c$ turns into a picture, "
        "$\\hat x_c = W^\\top s_c$. In this way it imagines every digit. Its answer is the "
        "nearest one:"
    )
    st.latex(
        r"\hat y = \arg\min_c \; \lVert x - \hat x_c \rVert^2"
        r" + \gamma \, [\textcolor{" + SEEN.color + r"}{c \in \mathcal{C}_s}]"
    )
    st.caption(
        f"{len(split.trainval):,} pictures to practise on, {len(split.test_unseen):,} of unseen "
        f"and {len(split.test_seen):,} of seen digits to test. LinearS2V, "
        f"γ = {three_digits(result.gamma)} and λ = {three_digits(result.params['lam'])} chosen on "
        f"folds. {digits.source}"
    )

st.header("How is a digit recognised that was never shown?", anchor=False)


def pick() -> None:
    """Look closer at the picture that was clicked."""
    clicked = st.session_state["overview_wall"].selection.points
    if clicked:
        st.session_state["overview_picture"] = clicked[0]["customdata"]


choices, curve_slot = st.container(horizontal=True, vertical_alignment="bottom"), st.container()
with choices:
    allowed = st.segmented_control(
        "Answers allowed",
        list(ANSWERS),
        default="all ten digits",
        required=True,
        key="overview_answers",
        wrap=True,
        bind="query-params",
    )
    with curve_slot:
        gamma = ANSWERS[allowed]
        if gamma is None:
            gamma = choose_gamma(result, scores, digits.class_names)
    zsl, gzsl, calibrated, wall = (
        recognition.sample(recognition.answers(recognised, g), PER_CLASS)
        for g in (np.inf, 0.0, result.gamma, gamma)
    )
    picked = st.number_input(
        "Look closer at picture",
        1,
        len(wall),
        recognition.telling_example(zsl, gzsl, calibrated) + 1,
        key="overview_picture",
        bind=controls.bind_number("overview_picture"),
        width=200,
    )
chart(
    figures.answer_wall(digits.images[wall["row"]] / 255, wall, digits.class_names, picked - 1),
    alt=f"{len(wall)} pictures of unseen digits and the answer to each: {wall['right'].sum()} are "
    f"right, {wall['seen'].sum()} are taken for a seen digit.",
    key="overview_wall",
    on_select=pick,
    selection_mode="points",
)
st.caption(
    f"Answers to {len(wall)} unseen pictures: {wall['right'].sum()} right (✓), :blue[●] "
    f"{wall['seen'].sum()} taken for a seen digit, :orange[◆] "
    f"{(~wall['seen'] & ~wall['right']).sum()} for another unseen one. Click a picture to look "
    "closer."
)

one = wall.iloc[picked - 1]
compared = recognition.candidates(recognised, one["row"], gamma)
shown, distances = st.columns([0.2, 0.8], gap="medium", vertical_alignment="center")
with shown:
    chart(
        figures.picture(digits.images[one["row"]] / 255),
        alt=f"Picture {picked}, a {digits.class_names[one['class']]}.",
        key="overview_one",
    )
with distances:
    chart(
        figures.nearest_looks(
            compared,
            recognition.pictures(recognised.looks[compared["position"]], pixels),
            digits.class_names,
            one["class"],
        ),
        alt="Squared distance of the picture to the predicted look of every class allowed, "
        f"nearest first: {', '.join(digits.class_names[c] for c in compared['class'])}.",
        key="overview_looks",
    )
verdict = "right" if one["right"] else "wrong"
st.caption(
    f"Picture {picked} is a {digits.class_names[one['class']]}; the answer "
    f"{digits.class_names[one['answer']]} is {verdict}. Bars: distance to what the machine "
    "imagines for every digit, drawn below. The shortest bar wins. The machine has seen no picture "
    "of ◆ 7, 8 and 9. It imagines them from their descriptions."
)

st.header("One accuracy, three names", anchor=False)
st.markdown(
    """
| here | Le Cacheux | Xian | pictures of, answers among |
|:--|:--|:--|:--|
| ZSL | $A_{U \\to C_u}$ | acc | unseen, unseen |
| u | $A_{U \\to C}$ | ts | unseen, all |
| s | $A_{S \\to C}$ | tr | seen, all |
| H | $H$ | H | both, all |
"""
)
st.caption(
    "The first three are means over classes: a class with many pictures counts no more than a "
    "class with few. H = 2su / (s + u) is high only when both are high. The names are those of the "
    "calibration paper (Le Cacheux et al. 2019) and of the benchmark paper (Xian et al. 2019)."
)

st.header("Try this", anchor=False)
for column, (title, text, label, page, query) in zip(st.columns(3), PRESETS, strict=True):
    with column.container(border=True, height="stretch"):
        st.markdown(f"**{title}**")
        st.markdown(text)
        st.page_link(page, label=label, query_params=query)
