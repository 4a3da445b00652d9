"""What draws each simulated stand-in of real data, by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from zslcore.datasets.base import ZSLDataset
from zslcore.datasets.facts import WITHOUT_EFFECTS
from zslcore.datasets.imagenet import SIMULATED_IMAGENET, simulate_imagenet
from zslcore.datasets.simulated import SIMULATED, UNPLANTED, simulate
from zslcore.datasets.simulated_actions import SIMULATED_ACTIONS, simulate_action


def stand_ins() -> dict[str, Callable[[str], ZSLDataset]]:
    """Return what draws each stand-in, by its name, whether ``available`` lists it or not."""
    makers: tuple[tuple[Iterable[str], Callable[[str], ZSLDataset]], ...] = (
        ((*SIMULATED, *UNPLANTED), simulate),
        (SIMULATED_ACTIONS, simulate_action),
        (SIMULATED_IMAGENET, simulate_imagenet),
    )
    return {name: make for names, make in makers for name in names}


def unplanted_twin(name: str) -> str | None:
    """Return the name of the same stand-in without planted effects, None where there is none."""
    twin = f"{name}-{WITHOUT_EFFECTS}"
    return twin if twin in stand_ins() else None
