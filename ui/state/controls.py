"""Groups of widgets that return a typed value; every choice is in the address of the page.

A widget's key is also its name in the address: short (dataset, split, method) where pages share the
choice, else beginning with the first word of its page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar, get_args

import streamlit as st

from ui.shell import terms
from ui.shell.numbers import three_digits
from ui.shell.text import plain
from zslcore.datasets import Split, ZSLDataset
from zslcore.evaluation import plugins
from zslcore.methods import METHODS
from zslcore.methods.base import Family

#: The method that every view begins with.
METHOD = "LinearS2V"
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


def choose_option(
    label: str, options: Sequence[Option], *, key: str, default: str | None = None, **more: Any
) -> Option:
    """Choose one of ``options``; another value in the address gets a message."""
    options = list(options)
    more["help"] = terms.tip(label, more.get("help"))
    in_address = st.query_params.get(key)
    if in_address is not None and in_address not in options:
        st.toast(
            f"The link asks for {label.lower()} “{plain(in_address)}”, which is not available."
        )
    index = next((k for k, option in enumerate(options) if option == default), 0)
    return st.selectbox(label, options, index=index, key=key, bind="query-params", **more)


def choose_split(dataset: ZSLDataset) -> Split:
    """Choose one of the data set's splits, the proposed one to begin with."""
    return dataset.split(choose_option("Split", list(dataset.splits), key="split", default="PS"))


def by_family(names: Iterable[str] = METHODS) -> dict[str, list[str]]:
    """Return names of methods by their family; those from outside by themselves, as the last."""
    families: dict[str, list[str]] = {family: [] for family in (*get_args(Family), YOURS)}
    for name in names:
        families[YOURS if name in plugins.registered() else METHODS[name].card.family].append(name)
    return families


def symbol(method: str, name: str) -> str:
    """Return how a parameter of a method is written on screen: in words, Greek letters as such.

    A method's own gamma gets the method's name: alone it is what calibrated stacking subtracts.
    """
    written = _WORDS | {"gamma": f"γ of {method}"}
    return " ".join(written.get(word, word) for word in name.removeprefix("n_").split("_"))


def params_in_words(method: str, params: Mapping[str, Any]) -> str:
    """Return the parameters of a method as they are written on screen."""
    return ", ".join(
        f"{symbol(method, name)} = {three_digits(value) if isinstance(value, float) else value}"
        for name, value in params.items()
    )


def bind_number(key: str) -> Literal["query-params"] | None:
    """Return how a number is bound to the address: not where Streamlit can make no number of it."""
    try:
        endless = not abs(float(st.query_params.get(key, ""))) < _MOST
    except ValueError:  # no number at all, which Streamlit sees by itself
        endless = False
    if not endless:
        return "query-params"
    del st.query_params[key]
    st.toast(f"The number that the link gives for {key} is too large.")
    return None
