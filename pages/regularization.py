"""Why is the best lambda for ZSL wrong for GZSL?"""

import numpy as np
import streamlit as st

from ui import cache, cards, controls, tables, terms, waiting
from ui.figures.regularization import path_in_hand
from ui.frame import errors_as_sentences, open_page
from ui.interactive import let_go, take_path_in_hand
from ui.numbers import change, percent, points, three_digits
from ui.sections.bias_variance import show_parts
from ui.sections.three_settings import show_settings
from ui.text import GAP_OF_ALL

#: What the value is known by in the address, and the component by which it is moved.
VALUE, PATH = "regularization_value", "regularization_path"

header = open_page(
    "Regularization",
    "Why is the best λ for ZSL wrong for GZSL?",
    icon=":material/linear_scale:",
)

with errors_as_sentences():
    spec = controls.choose_regularization()
    dataset = cache.dataset(spec.dataset)
    header.mark(dataset)
    path = waiting.path_of(spec)

label = controls.symbol(spec.method, spec.parameter)
zsl, gzsl = path.for_zsl, path.for_gzsl
gain = path.calibrated_harmonic[gzsl] - path.calibrated_harmonic[zsl]
gap = path.best_harmonic[path.oracle_gzsl] - path.calibrated_harmonic[gzsl]


def pin() -> None:
    """Keep the value at which the visitor has let go, in as few digits as its place needs."""
    place = let_go(PATH, "place")
    if place is not None and 0 <= place < len(path.values):
        value = float(f"{path.values[int(place)]:.3g}")
        st.session_state[VALUE] = float(np.clip(value, path.values[0], path.values[-1]))


smaller = "smaller" if path.values[gzsl] < path.values[zsl] else "larger"
st.markdown(
    "ZSL judges unseen images among unseen classes only. GZSL also needs the seen classes, which "
    "lose accuracy with more regularization. "
    + (
        f"For {spec.method} here, the folds choose **the same {label}** for both."
        if path.difference == "same"
        else f"For {spec.method} here, the folds choose **a {smaller} {label} for GZSL**, that is "
        f"{path.difference} regularization."
    )
)
figure_slot = st.container()

with st.container(horizontal=True):
    terms.metric(f"{label} for ZSL", three_digits(path.values[zsl]), help="Chosen on the folds.")
    terms.metric(f"{label} for GZSL", three_digits(path.values[gzsl]), help="Chosen on the folds.")
    terms.metric(
        f"H, {label} for ZSL",
        percent(path.calibrated_harmonic[zsl]),
        help="With the γ that the folds chose for this value.",
    )
    terms.metric(
        f"H, {label} for GZSL",
        percent(path.calibrated_harmonic[gzsl]),
        **change(gain),
        help="With the γ that the folds chose for this value.",
    )
    terms.metric(
        "H, oracle",
        percent(path.best_harmonic[path.oracle_gzsl]),
        delta=f"{points(gap)}: {GAP_OF_ALL.lower()}",
        delta_color="off",
        delta_arrow="off",
        help=f"What choosing {label} and γ on the test set would add: a bound, never a result.",
    )
    pinned = st.number_input(
        f"Pin {label}",
        value=None,
        min_value=float(path.values[0]),
        max_value=float(path.values[-1]),
        format="%.3g",
        placeholder="for GZSL",
        key=VALUE,
        bind=controls.bind_number(VALUE),
        width=170,
        help="Where the slider stands; the nearest value of the path is taken. It is in the "
        "address of this page.",
    )

start = gzsl if pinned is None else int(np.argmin(np.abs(np.log(path.values / pinned))))
with figure_slot:
    take_path_in_hand(path_in_hand(path, label, start=start), key=PATH, on_change=pin)

parts_tab, table_tab, settings_tab, method_tab = terms.tabs(
    ["Bias and variance", "Figures", "Three settings", "Method"],
    key="regularization_tab",
    on_change="rerun",
)

if parts_tab.open:
    with parts_tab, errors_as_sentences():
        show_parts(spec, path, label)

if table_tab.open:
    with table_tab:
        table = path.table()
        tables.show(
            table,
            f"regularization_{spec.dataset}_{spec.method}_{spec.parameter}",
            labels={
                name: text
                for name, text in {
                    "value": label,
                    "chosen_for": "chosen for",
                    "zsl": "A_U→Cu",
                    "seen_alone": "A_S→Cs",
                    "unseen": "A_U→C",
                    "seen": "A_S→C",
                    "harmonic": "H",
                    "gamma": "γ",
                    "calibrated_harmonic": "H at γ",
                    "fold_zsl": "folds: A_U→Cu",
                    "fold_harmonic": "folds: H, best γ",
                    "mse_unseen": "MSE, unseen",
                    "mse_seen": "MSE, seen",
                }.items()
                if name in table
            },
            percent=[
                *("zsl", "seen_alone", "unseen", "seen", "harmonic", "calibrated_harmonic"),
                *("fold_zsl", "fold_harmonic"),
            ],
            significant=[n for n in ("value", "gamma", "mse_unseen", "mse_seen") if n in table],
        )

if settings_tab.open:
    with settings_tab, errors_as_sentences():
        show_settings(spec, dataset)

if method_tab.open:
    with method_tab:
        cards.show_card(spec.estimator.card)
        told = {n: v for n, v in path.params.items() if n in spec.estimator.param_grid}
        others = f" Other parameters ({path.origin}): {controls.in_words(spec.method, told)}."
        st.caption(f"{dataset.source} Data {spec.digest}, seed {spec.seed}." + others * bool(told))
