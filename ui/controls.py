"""Groups of widgets that return a typed value; every choice is in the address of the page.

A widget's key is also its name in the address. Choices that pages share have short keys (dataset,
split, method) and carry over from page to page; those of one page start with the first word of its
name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import streamlit as st

from ui import cache, known, terms, visitors
from ui.numbers import three_digits
from ui.text import plain
from zslcore.analysis.regularization import N_VALUES, RegularizationSpec
from zslcore.analysis.transduction import TransductionSpec
from zslcore.datasets import Split, ZSLDataset
from zslcore.evaluation import outside
from zslcore.evaluation.specs import RunSpec
from zslcore.features.views import Preprocessing
from zslcore.methods import METHODS, TRANSDUCTIVE, get_method
from zslcore.methods.base import Family, ZSLEstimator

__all__ = [
    "YOURS",
    "bind_number",
    "by_family",
    "choose",
    "choose_dataset",
    "choose_method",
    "choose_regularization",
    "choose_run",
    "choose_some",
    "choose_split",
    "choose_transduction",
    "in_words",
    "symbol",
]

#: On the digits, folds choose another regularizer of it for GZSL than for ZSL.
DIFFERING = "SAE"
#: Heading of the methods from outside that this machine has.
YOURS = "your methods"
#: Numbers in an address are smaller than this.
_MOST = 1e15
_WORDS = {
    "alpha": "α",
    "coding": "targets",
    "iter": "iterations",
    "lam": "λ",
    "mu": "μ",
    "rows": "rows of W",
    "seen": "seen classes",
    "sigma": "σ",
}

#: What :func:`choose` chooses among: texts, or those of a Literal.
Option = TypeVar("Option", bound=str)


def choose(
    label: str, options: Sequence[Option], *, key: str, default: str | None = None, **more: Any
) -> Option:
    """Choose one of ``options``; another value in the address gets a message.

    Streamlit drops a value that is no option from the address without a word.
    """
    options = list(options)
    more["help"] = terms.tip(label, more.get("help"))
    asked = st.query_params.get(key)
    if asked is not None and asked not in options:
        st.toast(f"The link asks for {label.lower()} “{plain(asked)}”, which is not available.")
    index = next((k for k, option in enumerate(options) if option == default), 0)
    return st.selectbox(label, options, index=index, key=key, bind="query-params", **more)


def choose_some(label: str, options: Sequence[str], *, key: str) -> list[str]:
    """Choose among ``options``; nothing chosen excludes nothing."""
    return st.multiselect(
        label, options, key=key, bind="query-params", placeholder="all", help=terms.tip(label)
    )


def choose_dataset() -> ZSLDataset:
    """Choose a data set among those that can be opened now, and open it.

    Data that are known by their results come last, with a mark.
    """
    marked = known.marked()
    known.settle("dataset")
    chosen = choose("Data set", [*visitors.available(), *marked], key="dataset")
    return cache.dataset(marked.get(chosen, chosen))


def choose_split(dataset: ZSLDataset) -> Split:
    """Choose one of the data set's splits, the proposed one to begin with."""
    return dataset.split(choose("Split", list(dataset.splits), key="split", default="PS"))


def choose_method(default: str = "ESZSL") -> str:
    """Choose a method by the name on its card, below the heading of its family.

    An address keeps what the menu says, so that names have to stay as they are: families are lines
    of their own, and who chooses one gets its first method.
    """
    first = {}
    options: list[str] = []
    for family, names in by_family().items():
        if names:
            heading = f"— {family} —"
            first[heading] = names[0]
            options += [heading, *names]

    def go_to_first() -> None:
        chosen = st.session_state["method"]
        st.session_state["method"] = first.get(chosen, chosen)

    chosen = choose("Method", options, key="method", default=default, on_change=go_to_first)
    return first.get(chosen, chosen)


def by_family(names: Iterable[str] = METHODS) -> dict[str, list[str]]:
    """Return names of methods by their family; those from outside by themselves, as the last."""
    found: dict[str, list[str]] = {family: [] for family in (*get_args(Family), YOURS)}
    for name in names:
        found[YOURS if name in outside.own() else METHODS[name].card.family].append(name)
    return found


def choose_run() -> RunSpec:
    """Choose everything that a run depends on, in one row of widgets.

    Parameters of the method's grid are validated, that is chosen on the folds, unless the visitor
    gives them; a split without folds leaves no other way.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dataset = choose_dataset()
        split = choose_split(dataset)
        method = choose_method()
        given = _choose_origin(split, "never on test classes")
        params = _choose_params(get_method(method), given=given)
        more = _choose_more()
    return RunSpec(
        dataset=dataset.name,
        split=split.name,
        method=method,
        params=params,
        digest=dataset.digest,
        **more,
    )


def choose_regularization() -> RegularizationSpec:
    """Choose a method and one of its regularisers, in one row of widgets.

    The other parameters of its grid are chosen on the folds or given; the regulariser is followed.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dataset = choose_dataset()
        split = choose_split(dataset)
        method = choose_method(default=DIFFERING)
        known = list(get_method(method).regularizers)
        parameter = _choose_regularizer(method, known) if known else ""
        given = _choose_origin(split, "for GZSL, never on test classes")
        params = _choose_params(get_method(method), given=given, but=parameter)
        points = choose(
            "Values of λ", ["13", "25", "49"], key="regularization_values", default=str(N_VALUES)
        )
        more = _choose_more()
    return RegularizationSpec(
        dataset=dataset.name,
        split=split.name,
        method=method,
        parameter=parameter,
        params=params,
        choose=not given,
        n_values=int(points),
        digest=dataset.digest,
        **more,
    )


def _choose_regularizer(method: str, known: Sequence[str]) -> str:
    """Choose a regulariser where a method has several."""
    if len(known) == 1:
        return known[0]
    written = {symbol(method, name): name for name in known}
    return written[choose("Along", list(written), key="regularization_parameter", width=150)]


def choose_transduction() -> TransductionSpec:
    """Choose a data set, a split and a transductive method, in one row of widgets."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dataset = choose_dataset()
        split = choose_split(dataset)
        method = choose("Transductive method", list(TRANSDUCTIVE), key="transductive_method")
        params = {}
        if TRANSDUCTIVE[method].takes_base:
            help_text = "The method whose scores are passed along the graph of the test images."
            bases = list(METHODS)
            params["base"] = choose(
                "Base", bases, key="transductive_base", default="ESZSL", help=help_text
            )
        given = _choose_origin(split, "where validation images are used as unlabelled images")
        params |= _choose_params(TRANSDUCTIVE[method], given=given)
        more = _choose_more()
    return TransductionSpec(
        dataset=dataset.name,
        split=split.name,
        method=method,
        params=params,
        choose=not given,
        digest=dataset.digest,
        **more,
    )


def symbol(method: str, name: str) -> str:
    """Return how a parameter of a method is written on screen: in words, Greek letters as such.

    A weight of its own that a method calls gamma gets the method's name: gamma alone is what
    calibrated stacking subtracts.
    """
    written = _WORDS | {"gamma": f"γ of {method}"}
    return " ".join(written.get(word, word) for word in name.removeprefix("n_").split("_"))


def in_words(method: str, params: Mapping[str, Any]) -> str:
    """Return the parameters of a method as they are written on screen."""
    return ", ".join(
        f"{symbol(method, name)} = {three_digits(value) if isinstance(value, float) else value}"
        for name, value in params.items()
    )


def _choose_origin(split: Split, validated: str) -> bool:
    """Choose whether parameters are given or validated; without folds they can only be given."""
    origins = ["validated", "given"] if split.folds else ["given"]
    folds = "chosen on the folds inside the training classes"
    help_text = f"Validated: {folds}, {validated}. Given: set by hand."
    return choose("Parameters", origins, key="parameters", help=help_text) == "given"


def bind_number(key: str) -> Literal["query-params"] | None:
    """Return how a number is bound to the address: not while what stands there has no end.

    Streamlit cannot make a whole number of one, or of some thousand digits; it is taken out.

    Parameters
    ----------
    key : of the number, and what it is called in the address
    """
    try:
        endless = not abs(float(st.query_params.get(key, ""))) < _MOST
    except ValueError:  # no number at all, which Streamlit sees by itself
        endless = False
    if not endless:
        return "query-params"
    del st.query_params[key]
    st.toast(f"The number that the link gives for {key} is too large.")
    return None


def _choose_more() -> dict[str, Any]:
    """Choose what is seldom changed: how the data are scaled, and the seed."""
    with st.popover("Scaling and seed", icon=":material/more_horiz:"):
        more = {
            what: choose(f"{what.title()} are scaled to", get_args(hint), key=what, default="l2")
            for what, hint in get_type_hints(Preprocessing).items()
        }
        more["seed"] = st.number_input("Seed", 0, 9999, 0, key="seed", bind=bind_number("seed"))
    return more


def _choose_params(method: type[ZSLEstimator], *, given: bool, but: str = "") -> dict[str, Any]:
    """Choose among variants always, and among the grid's values when these are given.

    Nothing is asked of the parameter ``but``.
    """
    name, defaults = method.card.name, method().get_params()
    hints = get_type_hints(method.__init__)
    params = {}
    for param, default in defaults.items():
        key, label = f"{name}_{param}", symbol(name, param)
        if param == "device":
            continue  # where the server computes is not for its visitors to say
        if get_origin(hints.get(param)) is Literal:
            options = get_args(hints[param])
            params[param] = choose(
                label if label[0] > "z" else label[0].upper() + label[1:],  # not Greek letters
                options,
                key=key,
                default=default,
                width=114,
            )
        elif given and param in method.param_grid and param != but:
            params[param] = _slide(label, method.param_grid[param], default, key)
    return params


def _slide(label: str, grid: Sequence[float], default: float, key: str) -> float:
    """Slide over the grid's values, from the one nearest to the default."""
    return st.select_slider(
        label,
        grid,
        value=min(grid, key=lambda value: abs(value - default)),
        format_func=three_digits,
        key=key,
        bind="query-params",
        width=110,
        help=terms.tip(label),
    )
