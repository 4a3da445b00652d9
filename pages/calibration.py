"""What does penalising seen classes trade?"""

from dataclasses import replace

import streamlit as st

from ui import cache, cards, controls, tables, waiting
from ui.figures.curve import Landmark, gamma_figure
from ui.figures.palette import HARMONIC, SEEN, UNSEEN
from ui.frame import chart, errors_as_sentences, open_page
from ui.numbers import delta, percent, points, three_digits
from ui.text import AUSUC, GAP_OF_GAMMA, GLOSSARY
from zslcore.analysis import calibration
from zslcore.datasets.benchmarks import benchmark_of

header = open_page(
    "Calibration", "What does penalising seen classes trade?", icon=":material/tune:"
)

with errors_as_sentences():
    spec = controls.choose_run()
    dataset = cache.dataset(spec.dataset)
    header.mark(dataset)
    run, scores = waiting.run_of(spec)
    curve, evaluation = scores.curve, run.evaluation

best = curve.best()
landmarks = [Landmark.plain(evaluation.plain), Landmark.oracle(best)]
if run.gamma is not None:
    landmarks.insert(1, Landmark.validated(evaluation.calibrated))
gammas = [landmark.point.gamma for landmark in landmarks]
limits = calibration.gamma_range(curve, gammas)

with st.container(horizontal=True, vertical_alignment="center"):
    st.markdown(
        rf"$\hat y = \arg\max_c \; F(x, c) - \gamma\,[c \in \mathcal{{C}}_s] \qquad "
        rf"\textcolor{{{HARMONIC.color}}}{{H}} = \dfrac{{2\,\textcolor{{{SEEN.color}}}{{s}}\,"
        rf"\textcolor{{{UNSEEN.color}}}{{u}}}}{{\textcolor{{{SEEN.color}}}{{s}} + "
        rf"\textcolor{{{UNSEEN.color}}}{{u}}}}$",
        width="content",
    )
    st.space("stretch")
    with st.popover(spec.method, icon=":material/info:", width="content"):
        cards.show(run)
    predict = st.toggle("Predict first", key="calibration_predict", bind="query-params")

if predict:
    with st.form("calibration_prediction"):
        st.markdown(
            f"Without calibration {spec.method} reaches s = {percent(evaluation.plain.seen)} and "
            f"u = {percent(evaluation.plain.unseen)}, hence H = "
            f"{percent(evaluation.plain.harmonic)}. Now one number γ may be subtracted from the "
            "scores of all seen classes. How high can H get?"
        )
        guess = st.slider("Prediction", 0, 100, 50, format="%d %%", key="calibration_guess")
        if st.form_submit_button("Reveal", icon=":material/visibility:"):
            st.session_state["calibration_revealed"] = spec.key
        if st.session_state.get("calibration_revealed") != spec.key:
            st.stop()
        st.markdown(
            f"Predicted {guess} %. The curve reaches **{percent(best.harmonic)}** at "
            f"γ = {three_digits(best.gamma)}, {points(best.harmonic - guess / 100)} away."
        )

figure_slot = st.container()

with st.container(horizontal=True):
    st.metric("H at γ = 0", percent(evaluation.plain.harmonic), help=GLOSSARY["H at γ = 0"])
    if run.gamma is not None:
        gain = evaluation.calibrated.harmonic - evaluation.plain.harmonic
        st.metric(
            f"H, {run.gamma_origin} γ",
            percent(evaluation.calibrated.harmonic),
            delta=delta(gain),
            help=GLOSSARY.get(f"H, {run.gamma_origin} γ"),
        )
        gap = best.harmonic - evaluation.calibrated.harmonic
        st.metric(
            "H, oracle γ",
            percent(best.harmonic),
            delta=f"{points(gap)}: {GAP_OF_GAMMA.lower()}",
            delta_color="off",
            delta_arrow="off",
            help=f"{GLOSSARY['H, oracle γ']} {GAP_OF_GAMMA}: {GLOSSARY[GAP_OF_GAMMA]}",
        )
    st.metric(AUSUC, percent(evaluation.ausuc), help=GLOSSARY[AUSUC])
    st.metric("ZSL accuracy", percent(evaluation.zsl), help=GLOSSARY["ZSL accuracy"])
    pinned = st.number_input(
        "Pin γ",
        value=None,
        step=(limits[1] - limits[0]) / 100,
        format="%.3g",
        placeholder="validated" if run.gamma is not None else "0",
        key="calibration_gamma",
        bind="query-params",
        width=170,
        help="Carries a γ into the table of classes and into the address of this page; "
        "the slider moves freely.",
    )
gamma = pinned if pinned is not None else run.gamma or 0.0

with figure_slot:
    chart(
        gamma_figure(
            curve,
            calibration.gamma_stops(curve, 200, [*gammas, gamma]),
            landmarks,
            start=gamma,
            limits=limits,
        ),
        f"Left, seen over unseen accuracy for every gamma; right, both and their harmonic mean "
        f"over gamma. Without calibration H is {percent(evaluation.plain.harmonic)}, at best "
        f"{percent(best.harmonic)} at gamma {three_digits(best.gamma)}.",
        key="calibration_figure",
    )

settings_tab, classes_tab, run_tab = st.tabs(
    ["Three settings", "Classes at γ", "Reproduce"], key="calibration_tab", on_change="rerun"
)

if settings_tab.open:
    with settings_tab, errors_as_sentences():
        for_zsl = waiting.run_of(replace(spec, select_for="zsl"))[0] if spec.grid else run
        settings = calibration.three_settings(for_zsl, run)
        benchmark = benchmark_of(dataset)
        settings = settings.merge(
            calibration.published_settings(spec.method, benchmark), how="left"
        )
        settings["parameters"] = [
            controls.in_words(spec.method, params) for params in settings["params"]
        ]
        papers = {
            "paper": f"H in the paper, {spec.method} on {benchmark}",
            "paper_average": f"H in the paper, mean of its methods on {benchmark}",
        }
        papers = {name: text for name, text in papers.items() if settings[name].notna().any()}
        tables.show(
            settings,
            f"three_settings_{spec.dataset}_{spec.method}",
            labels={
                "setting": "setting",
                "parameters": "parameters",
                "gamma": "γ",
                "unseen": "u",
                "seen": "s",
                "harmonic": "H",
                **papers,
            },
            percent=["unseen", "seen", "harmonic", *papers],
            significant=["gamma"],
        )
        if spec.grid:
            st.caption("The figures above are those of the last row: λ chosen for GZSL.")
        st.caption(
            "The settings of Le Cacheux, Le Borgne and Crucianu (2019), table 2."
            + (" The paper used ResNet-101 features; these are simulated." * dataset.simulated)
        )

if classes_tab.open:
    with classes_tab:
        table = calibration.per_class_table(
            scores, {"plain": 0.0, "at_gamma": gamma}, dataset.class_names
        )
        tables.show(
            table,
            f"classes_{spec.dataset}_{spec.method}",
            labels={
                "class": "class",
                "side": "side",
                "images": "test images",
                "plain": "accuracy at γ = 0",
                "at_gamma": f"accuracy at γ = {three_digits(gamma)}",
            },
            percent=["plain", "at_gamma"],
            height=420,
        )

if run_tab.open:
    with run_tab:
        st.code(
            replace(spec, gamma=pinned).command() if pinned is not None else spec.command(),
            language="bash",
        )
        st.caption(
            f"{dataset.source} Parameters {run.params_origin}, γ {run.gamma_origin or 'none'}; "
            f"data {spec.digest}, seed {spec.seed}, {run.seconds:.1f} s."
        )
