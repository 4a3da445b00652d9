"""Functions that draw the simulated data sets, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from zslcore.datasets.base import ZSLDataset
from zslcore.datasets.facts import WITHOUT_EFFECTS
from zslcore.datasets.imagenet import SIMULATED_IMAGENET, simulate_imagenet
from zslcore.datasets.simulated import SIMULATED, UNPLANTED, simulate
from zslcore.datasets.simulated_actions import SIMULATED_ACTIONS, simulate_action


def simulated_makers() -> dict[str, Callable[[str], ZSLDataset]]:
    """Map the name of each simulated data set to the function that draws it."""
    makers: tuple[tuple[Iterable[str], Callable[[str], ZSLDataset]], ...] = (
        ((*SIMULATED, *UNPLANTED), simulate),
        (SIMULATED_ACTIONS, simulate_action),
        (SIMULATED_IMAGENET, simulate_imagenet),
    )
    return {name: make for names, make in makers for name in names}


def name_without_effects(name: str) -> str | None:
    """Return the name of the same simulated data without effect; None if no such data exist."""
    unplanted = f"{name}-{WITHOUT_EFFECTS}"
    return unplanted if unplanted in simulated_makers() else None
