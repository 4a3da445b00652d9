"""Choice of two data sets with the same classes."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from ui.intake import import_dialog
from ui.shell.frame import Header
from ui.state import cache, controls, data_menu
from zslcore.datasets import ZSLDataset, class_names, imports
from zslcore.datasets.simulated import SIMULATED

NOTHING = "nothing else"
AWA = ("AWA1", "AWA2")
#: Suffix of the names of simulated data without planted effects.
UNPLANTED = "-unplanted"


@dataclass(frozen=True, slots=True)
class PairCandidate:
    """Properties that decide which data sets can be compared."""

    name: str
    classes: frozenset[str]
    benchmark: str | None
    width: int
    simulated: bool


def choose_pair(header: Header) -> tuple[tuple[ZSLDataset, ...], str]:
    """Choose one data set, or two that can be compared, and a split that they share.

    The default is an imported AWA1 with an imported AWA2, else the simulated pair.
    """
    sides = st.container(), st.container()
    import_dialog.offer()
    offered = [_candidate_of(name) for name in data_menu.offered(results_only=False, effects=True)]
    default = _default(offered)
    with sides[0]:
        first = data_menu.choose_name(
            "Data set",
            [candidate.name for candidate in offered],
            key="pair_first",
            default=default[0],
            on_change=_forget_second,
        )
    partners = _partners(_candidate_of(first), offered)
    options = [*partners, NOTHING]
    usual = default[1] if first == default[0] else options[0]
    with sides[1]:
        second = data_menu.choose_name("Compared with", options, key="pair_second", default=usual)
    names = (first,) if second == NOTHING else (first, second)
    datasets = tuple(cache.dataset(name) for name in names)
    splits = [name for name in datasets[0].splits if all(name in d.splits for d in datasets)]
    split = controls.choose_option("Split", splits, key="split", default="PS")
    header.cite(*datasets)
    return datasets, split


def _forget_second() -> None:
    """Reset the second data set, which may have other classes than the new first data set."""
    st.session_state.pop("pair_second", None)
    st.query_params.pop("pair_second", None)


def _candidate_of(name: str) -> PairCandidate:
    if name in imports.names():
        classes, of, width, simulated = cache.facts_of_import(name, imports.version_token(name))
        return PairCandidate(name, frozenset(classes), of, width, simulated)
    if (planted := name.removesuffix(UNPLANTED)) in SIMULATED:
        benchmark = name.removeprefix("simulated-").partition("-")[0]
        width = 2048 if planted.endswith("-full") else 512
        return PairCandidate(
            name, frozenset(class_names(planted)), benchmark, width, simulated=True
        )
    # No other data set has the classes of digits or of simulated actions.
    return PairCandidate(name, frozenset([name]), None, 0, simulated=name.startswith("simulated"))


def _partners(first: PairCandidate, offered: list[PairCandidate]) -> list[str]:
    """Return the data sets with the same classes as ``first``, the most similar one first."""
    partners = [
        candidate
        for candidate in offered
        if candidate.classes == first.classes and candidate != first
    ]
    kind = _kind(first)
    partners.sort(
        key=lambda candidate: (
            candidate.simulated != first.simulated,
            candidate.width != first.width,
            candidate.benchmark == first.benchmark,
            _kind(candidate) != kind,
        )
    )
    return [partner.name for partner in partners]


def _kind(candidate: PairCandidate) -> str:
    """Return the suffix of a name after its benchmark, such as "-full"."""
    return candidate.name.partition(candidate.benchmark or candidate.name)[2]


def _default(offered: list[PairCandidate]) -> tuple[str, str]:
    """Return an imported AWA1 and AWA2 with equally wide features, else the simulated pair."""
    real = [candidate for candidate in offered if not candidate.simulated]
    awa1, awa2 = ([candidate for candidate in real if candidate.benchmark == name] for name in AWA)
    pairs = [(a.name, b.name) for a in awa1 for b in awa2 if a.width == b.width]
    return pairs[0] if pairs else ("simulated-AWA1", "simulated-AWA2")
