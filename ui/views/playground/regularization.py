"""Why is the best lambda for ZSL wrong for GZSL? Both accuracies along a parameter."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from ui import cache, cards, controls, tables, terms, waiting
from ui.figures.regularization import path_in_hand
from ui.frame import Header, errors_as_sentences
from ui.interactive import let_go, take_path_in_hand
from ui.numbers import change, percent, points, three_digits
from ui.sections.bias_variance import show_parts
from ui.sections.three_settings import show_settings
from ui.text import GAP_OF_ALL
from zslcore.analysis.regularization import RegularizationPath, RegularizationSpec
from zslcore.datasets import ZSLDataset

#: Name of the value in the address, and of the component that moves it.
VALUE, PATH = "regularization_value", "regularization_path"
#: Columns of the table; the first is the parameter, by its symbol.
LABELS = {
    "chosen_for": "tuned for",
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
}


def show(header: Header) -> None:
    """Choose a method and its parameter, and show the path."""
    with errors_as_sentences():
        spec = controls.choose_regularization()
        dataset = cache.dataset(spec.dataset)
        header.mark(dataset)
        path = waiting.path_of(spec)
    label = controls.symbol(spec.method, spec.parameter)
    _tell(spec, path, label)
    figure_slot = st.container()
    with st.container(horizontal=True):
        _show_metrics(path, label)
        pinned = _choose_value(path, label)
    nearest = path.for_gzsl
    if pinned is not None:
        nearest = int(np.argmin(np.abs(np.log(path.values / pinned))))
    with figure_slot:
        drawn = path_in_hand(path, label, start=nearest)
        take_path_in_hand(drawn, key=PATH, on_change=partial(_pin, path))
    _show_tabs(spec, dataset, path, label)


def _tell(spec: RegularizationSpec, path: RegularizationPath, label: str) -> None:
    smaller = "smaller" if path.values[path.for_gzsl] < path.values[path.for_zsl] else "larger"
    st.markdown(
        "ZSL judges unseen images among unseen classes only. GZSL also needs the seen classes, "
        "which lose accuracy with more regularization. "
        + (
            f"For {spec.method} here, the folds choose **the same {label}** for both."
            if path.difference == "same"
            else f"For {spec.method} here, the folds choose **a {smaller} {label} for GZSL**, "
            f"that is {path.difference} regularization."
        )
    )


def _show_metrics(path: RegularizationPath, label: str) -> None:
    zsl, gzsl, harmonic = path.for_zsl, path.for_gzsl, path.calibrated_harmonic
    best, with_gamma = path.best_harmonic[path.oracle_gzsl], "With the γ that the folds chose for "
    terms.metric(f"{label} for ZSL", three_digits(path.values[zsl]), help="Chosen on the folds.")
    terms.metric(f"{label} for GZSL", three_digits(path.values[gzsl]), help="Chosen on the folds.")
    terms.metric(f"H, {label} for ZSL", percent(harmonic[zsl]), help=f"{with_gamma}this value.")
    terms.metric(
        f"H, {label} for GZSL",
        percent(harmonic[gzsl]),
        **change(harmonic[gzsl] - harmonic[zsl]),
        help=f"{with_gamma}this value.",
    )
    terms.metric(
        "H, oracle",
        percent(best),
        delta=f"{points(best - harmonic[gzsl])}: {GAP_OF_ALL.lower()}",
        delta_color="off",
        delta_arrow="off",
        help=f"What choosing {label} and γ on the test set would add: a bound, never a result.",
    )


def _choose_value(path: RegularizationPath, label: str) -> float | None:
    return st.number_input(
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


def _pin(path: RegularizationPath) -> None:
    """Store the value at which the visitor has let go, in as few digits as its place needs."""
    place = let_go(PATH, "place")
    if place is not None and 0 <= place < len(path.values):
        value = float(f"{path.values[int(place)]:.3g}")
        st.session_state[VALUE] = float(np.clip(value, path.values[0], path.values[-1]))


def _show_tabs(
    spec: RegularizationSpec, dataset: ZSLDataset, path: RegularizationPath, label: str
) -> None:
    parts, table, settings, method = terms.tabs(
        ["Bias and variance", "Results", "Three settings", "Method"],
        key="regularization_tab",
        on_change="rerun",
    )
    if parts.open:
        with parts, errors_as_sentences():
            show_parts(spec, path, label)
    if table.open:
        with table:
            _show_table(spec, path, label)
    if settings.open:
        with settings, errors_as_sentences():
            show_settings(spec, dataset)
    if method.open:
        with method:
            _show_method(spec, dataset, path)


def _show_table(spec: RegularizationSpec, path: RegularizationPath, label: str) -> None:
    table = path.table()
    tables.show(
        table,
        f"regularization_{spec.dataset}_{spec.method}_{spec.parameter}",
        labels={n: text for n, text in ({"value": label} | LABELS).items() if n in table},
        percent=[
            *("zsl", "seen_alone", "unseen", "seen", "harmonic", "calibrated_harmonic"),
            *("fold_zsl", "fold_harmonic"),
        ],
        significant=[n for n in ("value", "gamma", "mse_unseen", "mse_seen") if n in table],
    )


def _show_method(spec: RegularizationSpec, dataset: ZSLDataset, path: RegularizationPath) -> None:
    cards.show_card(spec.estimator.card)
    given = {n: v for n, v in path.params.items() if n in spec.estimator.param_grid}
    others = f" Other parameters ({path.origin}): {controls.in_words(spec.method, given)}."
    st.caption(f"{dataset.source} Data {spec.digest}, seed {spec.seed}." + others * bool(given))
