"""The only place where Streamlit remembers anything.

Keys are names, numbers and specs, never arrays: Streamlit hashes an array of 500,000 values or more
by sampling it, so that two different feature matrices can share a cache entry. What is large or
shared is a resource: one read-only object for all visitors, never copied. A spec carries the digest
of its data, so that an answer never outlives them.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from zslcore import datasets, protocol
from zslcore.datasets import ZSLDataset
from zslcore.protocol import ScoredTest
from zslcore.runs import RunResult, RunSpec, execute

__all__ = ["dataset", "result", "scores"]

_BY_SPEC = {RunSpec: RunSpec.to_json}


@st.cache_resource(show_spinner="Opening the data set …", max_entries=8)
def dataset(name: str) -> ZSLDataset:
    """Return the data set called ``name``."""
    return datasets.load(name)


@st.cache_resource(show_spinner=False, max_entries=256, hash_funcs=_BY_SPEC)
def result(spec: RunSpec) -> RunResult:
    """Return the result of ``spec``: chosen on the folds, fitted, looked at the test set once."""
    return execute(spec, dataset(spec.dataset))


@st.cache_resource(show_spinner=False, max_entries=32, hash_funcs=_BY_SPEC)
def scores(spec: RunSpec) -> ScoredTest:
    """Return the scores of the test set behind :func:`result` of the same spec."""
    return _fitted_scores(replace(spec, params=result(spec).params, gamma=None, select_for="gzsl"))


@st.cache_resource(show_spinner=False, max_entries=32, hash_funcs=_BY_SPEC)
def _fitted_scores(spec: RunSpec) -> ScoredTest:
    """Return the test scores of a spec whose parameters are all given."""
    data = dataset(spec.dataset)
    return protocol.fit_and_score(
        spec.estimator,
        data,
        data.split(spec.split),
        preprocessing=spec.preprocessing,
        seed=spec.seed,
    )
