"""What draws each simulated stand-in of real data, by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from zslcore.datasets.base import ZSLDataset
from zslcore.datasets.imagenet_simulated import SIMULATED_IMAGENET, simulate_imagenet
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
