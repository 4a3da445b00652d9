"""The choice of two data sets with the same classes, on both views of the page AWA1 and AWA2."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from ui.intake import import_dialog
from ui.maps import simulated_effects
from ui.shell.frame import Header, errors_as_sentences
from ui.state import cache, controls, data_menu
from zslcore.datasets import ZSLDataset, class_names, imports
from zslcore.datasets.simulated import SIMULATED

NOTHING = "nothing else"
AWA = ("AWA1", "AWA2")
#: End of the names of simulated data without planted effects.
UNPLANTED = "-unplanted"


@dataclass(frozen=True, slots=True)
class Offered:
    """What decides whether a data set is offered beside another one."""

    name: str
    classes: frozenset[str]
    benchmark: str | None
    width: int
    simulated: bool


def choose_pair(header: Header) -> tuple[tuple[ZSLDataset, ...], str]:
    """Choose one data set or two that can be compared, and a split that both have.

    An imported AWA1 with an imported AWA2 is the default; simulated ones stand in and say so.
    """
    with (
        st.container(horizontal=True, vertical_alignment="bottom", key="pair_choices"),
        errors_as_sentences(),
    ):
        sides = st.container(), st.container()
        variants = data_menu.lists_variants()
        import_dialog.offer()
        there = [
            _offered(name)
            for name in data_menu.offered(results_only=False, effects=True, variants=variants)
        ]
        default = _default(there)
        with sides[0]:
            first = data_menu.choose_name(
                "Data set",
                [each.name for each in there],
                key="pair_first",
                default=default[0],
                on_change=_forget_second,
            )
        partners = _partners(_offered(first), there)
        options = [*partners, NOTHING]
        usual = default[1] if first == default[0] else options[0]
        with sides[1]:
            second = data_menu.choose_name(
                "Compared with", options, key="pair_second", default=usual
            )
        names = (first,) if second == NOTHING else (first, second)
        datasets = tuple(cache.dataset(name) for name in names)
        splits = [name for name in datasets[0].splits if all(name in d.splits for d in datasets)]
        split = controls.choose("Split", splits, key="split", default="PS")
        header.mark(*sorted(datasets, key=lambda data: not data.simulated))
    return datasets, split


def show_what_is_simulated(datasets: tuple[ZSLDataset, ...]) -> None:
    """Say what of the chosen data is simulated, and the command that brings the real ones."""
    if any(data.simulated for data in datasets):
        st.caption(
            f"{simulated_effects.about_shift(*datasets)} `zslcore download xlsa17` replaces them "
            "by the real AWA1 and AWA2.".strip()
        )


def _forget_second() -> None:
    """Let the other side be chosen anew: the new first one may not be compared with it."""
    st.session_state.pop("pair_second", None)
    st.query_params.pop("pair_second", None)


def _offered(name: str) -> Offered:
    if name in imports.names():
        classes, of, width, simulated = cache.facts_of_import(name, imports.stamp(name))
        return Offered(name, frozenset(classes), of, width, simulated)
    if (planted := name.removesuffix(UNPLANTED)) in SIMULATED:
        benchmark = name.removeprefix("simulated-").partition("-")[0]
        width = 2048 if planted.endswith("-full") else 512
        return Offered(name, frozenset(class_names(planted)), benchmark, width, simulated=True)
    # Digits and the stand-ins for videos share their classes with nothing else.
    return Offered(name, frozenset([name]), None, 0, simulated=name.startswith("simulated"))


def _partners(first: Offered, there: list[Offered]) -> list[str]:
    """Return what has the classes of ``first``, the likeliest other side first."""
    alike = [each for each in there if each.classes == first.classes and each != first]
    kind = _kind(first)
    alike.sort(
        key=lambda each: (
            each.simulated != first.simulated,
            each.width != first.width,
            each.benchmark == first.benchmark,
            _kind(each) != kind,
        )
    )
    return [each.name for each in alike]


def _kind(offered: Offered) -> str:
    """Return what follows the benchmark in a name, as in ``simulated-AWA1-full``."""
    return offered.name.partition(offered.benchmark or offered.name)[2]


def _default(there: list[Offered]) -> tuple[str, str]:
    """Return an imported AWA1 and AWA2 in one space, or the stand-ins for them."""
    real = [each for each in there if not each.simulated]
    one, two = ([each for each in real if each.benchmark == name] for name in AWA)
    pairs = [(a.name, b.name) for a in one for b in two if a.width == b.width]
    return pairs[0] if pairs else ("simulated-AWA1", "simulated-AWA2")
