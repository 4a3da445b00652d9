"""Groups of widgets that return a typed value; every choice is in the address of the page.

A widget's key is also its name in the address. It is short (dataset, split, method) if pages share
the choice, else it begins with the name of its page.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, TypeVar, get_args

import streamlit as st

from ui.shell import terms
from ui.shell.numbers import three_digits
from ui.shell.text import plain
from zslcore.analysis.method_table import row_name
from zslcore.datasets import Split, ZSLDataset
from zslcore.evaluation import plugins
from zslcore.leakage.contamination import titles_of_sets
from zslcore.leakage.vocabularies import VOCABULARY_NAMES
from zslcore.methods import METHODS
from zslcore.methods.base import Family

#: Default method of all views.
METHOD = "LinearS2V"
#: Heading of the methods from plugins on this machine.
YOURS = "your methods"
#: Upper bound on numbers in an address.
_MOST = 1e15
_WORDS = {
    "alpha": "α",
    "coding": "targets",
    "iter": "iterations",
    "lam": "λ",
    "mu": "μ",
    "rows": "rows of W",
    "seen": "seen classes",
    "semi_supervised": "unseen classes placed together",
    "sigma": "σ",
}

#: Type of the options of :func:`choose_option`: texts, or the values of a Literal.
Option = TypeVar("Option", bound=str)


def choose_option(
    label: str, options: Sequence[Option], *, key: str, default: str | None = None, **more: Any
) -> Option:
    """Choose one of ``options``; report any other value in the address."""
    options = list(options)
    more["help"] = terms.tip(label, more.get("help"))
    report_unavailable(label, st.query_params.get(key), options)
    index = next((k for k, option in enumerate(options) if option == default), 0)
    return st.selectbox(label, options, index=index, key=key, bind="query-params", **more)


def choose_corpus(*, key: str, default: str = "", **more: Any) -> str:
    """Choose a pre-training set with a list of classes by its title; return its name.

    A ``default`` that is not the name of such a set is the first option, and is returned if chosen.
    """
    titles = {titles_of_sets([name]): name for name in VOCABULARY_NAMES}
    if default and default not in VOCABULARY_NAMES:
        titles = {default: default} | titles
    if (name := st.query_params.get(key)) in VOCABULARY_NAMES:  # from earlier versions
        st.session_state[key] = st.query_params[key] = titles_of_sets([name])
    usual = next((title for title, name in titles.items() if name == default), None)
    options = list(titles)
    return titles[choose_option("Extractor trained on", options, key=key, default=usual, **more)]


def choose_method(names: Sequence[str], *, key: str, **more: Any) -> str:
    """Choose a method by its title in tables, by default the first; return its name."""
    titles = {row_name(name, {}): name for name in names}
    for title, name in titles.items():
        if st.query_params.get(key) == name != title:  # from earlier versions
            st.session_state[key] = st.query_params[key] = title
    return titles[choose_option("Method", list(titles), key=key, **more)]


def report_unavailable(label: str, chosen: str | None, options: Collection[str]) -> None:
    """Report a choice in a link that is not among the options."""
    if chosen is not None and chosen not in options:
        st.toast(f"The link asks for {label.lower()} “{plain(chosen)}”, which is not available.")


def write_address(choices: Mapping[str, str | None]) -> None:
    """Write choices into the address; remove those that are empty."""
    for name, value in choices.items():
        if value:
            st.query_params[name] = value
        else:
            st.query_params.pop(name, None)


def earlier_choices(key: str) -> list[str]:
    """Return the choice in the address, and the choice on the previous page, if any."""
    choices = st.query_params.get(key), st.session_state.get(key)
    return [choice for choice in choices if isinstance(choice, str)]


def choose_split(dataset: ZSLDataset) -> Split:
    """Choose a split, by default the proposed split; a single split offers no choice."""
    names = list(dataset.splits)
    if len(names) == 1:
        report_unavailable("Split", st.query_params.get("split"), names)
        return dataset.split(names[0])
    return dataset.split(choose_option("Split", names, key="split", default="PS", width=160))


def by_family(names: Iterable[str] = METHODS) -> dict[str, list[str]]:
    """Return names of methods by family; methods from plugins are the last group."""
    families: dict[str, list[str]] = {family: [] for family in (*get_args(Family), YOURS)}
    for name in names:
        families[YOURS if name in plugins.registered() else METHODS[name].card.family].append(name)
    return families


def symbol(method: str, name: str) -> str:
    """Return the name of a method's parameter on screen, such as λ for ``lam``.

    A parameter gamma gets the method's name, since γ alone is the number that calibrated stacking
    subtracts.
    """
    written = _WORDS | {"gamma": f"γ of {method}"}
    words = [name] if name in written else name.removeprefix("n_").split("_")
    return " ".join(written.get(word, word) for word in words)


def params_in_words(method: str, params: Mapping[str, Any]) -> str:
    """Return the parameters of a method as text on screen."""
    return ", ".join(
        f"{symbol(method, name)} = {three_digits(value) if isinstance(value, float) else value}"
        for name, value in params.items()
    )


def choose_number(label: str, least: int, most: int, default: int, *, key: str, **more: Any) -> int:
    """Choose a whole number; report a number in the address that is too large for Streamlit."""
    bind: Literal["query-params"] | None = "query-params"
    with suppress(ValueError):  # Streamlit itself handles text that is not a number
        if not abs(float(st.query_params.get(key, ""))) < _MOST:
            bind = None
            del st.query_params[key]
            st.toast(f"The link's number for {key} is too large.")
    return st.number_input(label, least, most, default, key=key, bind=bind, **more)


def choose_segment(
    label: str, options: Iterable[Option], *, key: str, default: Option | None = None, **more: Any
) -> Option:
    """Choose one of a few ``options``, all in view; by default the first."""
    options = list(options)
    first = default or options[0]
    return st.segmented_control(
        label, options, default=first, required=True, key=key, bind="query-params", **more
    )
