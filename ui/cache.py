"""The only place where Streamlit remembers anything.

Keys are names, numbers and specs, never arrays: Streamlit hashes an array of 500,000 values or more
by sampling it, so that two different feature matrices can share a cache entry. What is large or
shared is a resource: one read-only object for all visitors, never copied.
"""

from __future__ import annotations

import streamlit as st

from zslcore import datasets
from zslcore.datasets import ZSLDataset

__all__ = ["dataset"]


@st.cache_resource(show_spinner="Opening the data set …", max_entries=8)
def dataset(name: str) -> ZSLDataset:
    """Return the data set called ``name``."""
    return datasets.load(name)
