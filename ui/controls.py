"""Groups of widgets that return a typed value; every choice is in the address of the page.

A widget's key is also its name in the address. Choices that pages share have short keys (dataset,
split, method) and carry over from page to page; those of one page start with the page's name.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ui import cache
from zslcore.datasets import ZSLDataset, available
from zslcore.methods import METHODS

__all__ = ["choose", "choose_dataset", "choose_method", "choose_split"]


def choose(label: str, options: Sequence[str], *, key: str, default: str | None = None, **more):
    """Choose one of ``options``; an address that asks for something else is told so.

    Streamlit drops a value that is no option from the address without a word.
    """
    options = list(options)
    asked = st.query_params.get(key)
    if asked is not None and asked not in options:
        st.toast(f"The link asks for {label.lower()} “{asked}”, which is not here.")
    index = options.index(default) if default in options else 0
    return st.selectbox(label, options, index=index, key=key, bind="query-params", **more)


def choose_dataset() -> ZSLDataset:
    """Choose a data set among those that can be opened now, and open it."""
    return cache.dataset(choose("Data set", available(), key="dataset"))


def choose_split(dataset: ZSLDataset) -> str:
    """Choose one of the data set's splits, the proposed one to begin with."""
    return choose("Split", list(dataset.splits), key="split", default="PS")


def choose_method() -> str:
    """Choose a method by the name on its card."""
    return choose("Method", list(METHODS), key="method", default="LinearS2V")
