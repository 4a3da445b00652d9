"""Menus of data sets, in the order real, precomputed, simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from ui.intake import import_dialog
from ui.shell import terms, visitors
from ui.state import cache, controls
from zslcore.datasets import ZSLDataset, imports
from zslcore.datasets.facts import is_simulated_name, is_variant, title
from zslcore.datasets.simulated import UNPLANTED
from zslcore.datasets.simulated_actions import SIMULATED_ACTIONS
from zslcore.datasets.simulated_names import name_without_effects
from zslcore.results.shipped import is_precomputed_only, precomputed_digests

#: Real data sets with which a view opens; the first that is imported is chosen.
FIRST = ("AWA2", "CUB", "SUN", "AWA1", "aPY", "APY")
#: Suffix in menus of data sets without features.
_RESULTS_ONLY = " · precomputed"


def precomputed_datasets() -> tuple[str, ...]:
    """Return the data sets that have precomputed results, but are not imported."""
    return tuple(name for name in precomputed_digests() if is_precomputed_only(name))


def offered(
    *, results_only: bool = True, effects: bool = False, variants: bool = False
) -> list[str]:
    """Return the data sets of a menu in their order.

    With ``effects``, each simulated data set is followed by its version without planted effects, if
    any; with ``variants``, simulated data of other sizes and features are also listed.
    """
    names = [n for n in visitors.available_datasets() if variants or not is_variant(n)]
    if effects:
        pairs = ((n, name_without_effects(n)) for n in names)
        names = [name for pair in pairs for name in pair if name]
    return _ordered([*names, *(precomputed_datasets() if results_only else ())])


def openable() -> tuple[str, ...]:
    """Return every data set that this visitor can open, listed or not."""
    return (
        *visitors.available_datasets(),
        *UNPLANTED,
        *SIMULATED_ACTIONS,
        *precomputed_datasets(),
    )


def _ordered(names: Iterable[str]) -> list[str]:
    """Return data sets in the order of menus: real, precomputed, simulated."""
    return sorted(names, key=lambda name: (_kind(name), _sort_key(name)))


def first_real(otherwise: str) -> str:
    """Return the real benchmark with which views open; ``otherwise`` if none is imported."""
    first = next(iter(_ordered(visitors.available_datasets())))
    return first if first in FIRST else otherwise


def first_import(otherwise: str) -> str:
    """Return the first imported data set of the menus; ``otherwise`` if none is imported."""
    first = next(iter(_ordered(visitors.available_datasets())))
    return first if first in imports.names() else otherwise


def choose_dataset() -> ZSLDataset:
    """Choose one of the data sets that can be shown now, and open it."""
    slot = st.container(width=320)
    import_dialog.offer()
    with slot:
        return cache.dataset(choose_name("Data set", offered(variants=True)))


def choose_name(
    label: str, names: Sequence[str], *, key: str = "dataset", default: str = "", **more: Any
) -> str:
    """Choose a data set by its title; the menu also offers the data set named in the address.

    A ``default`` that is not among ``names`` is replaced by the first of them.
    """
    menu, default = f"{key}_menu", default if default in names else names[0]
    options, chosen = list(names), next(iter(controls.earlier_choices(key)), None)
    if chosen not in options and chosen in openable():
        options.append(chosen)
    controls.report_unavailable(label, chosen, options)
    st.session_state[menu] = chosen if chosen in options else default
    name = st.selectbox(
        label,
        options,
        format_func=_menu_title,
        key=menu,
        on_change=partial(_store_choice, key, more.pop("on_change", None)),
        help=terms.tip(label),
        **more,
    )
    st.session_state[key] = name
    if name != default or key in st.query_params:
        st.query_params[key] = name
    return str(name)


def chosen_dataset() -> str | None:
    """Return the data set chosen in the address or, without it, on the previous page."""
    return next(iter(controls.earlier_choices("dataset")), None)


def _store_choice(key: str, then: Callable[[], None] | None) -> None:
    """Write the choice of a menu into the address and the session."""
    st.query_params[key] = st.session_state[key] = st.session_state[f"{key}_menu"]
    if then is not None:
        then()


def _menu_title(name: str) -> str:
    return f"{title(name)}{_RESULTS_ONLY * is_precomputed_only(name)}"


def _kind(name: str) -> int:
    """Return 0 for real data, 1 for results without features, 2 for simulated data."""
    if is_precomputed_only(name):
        return 1
    return 2 * (is_simulated_name(name) or imports.is_simulated(name))


def _sort_key(name: str) -> tuple[bool, int]:
    """Return the sort key among data of one kind: benchmarks, other imports, then digits."""
    return name == "digits", FIRST.index(name) if name in FIRST else len(FIRST)
