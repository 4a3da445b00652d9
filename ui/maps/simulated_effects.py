"""What was put into simulated data on purpose, said in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from ui.shell.numbers import three_digits
from zslcore.datasets import ZSLDataset
from zslcore.datasets.imagenet import planted_imagenet
from zslcore.datasets.simulated import Planted, planted
from zslcore.datasets.simulated_actions import planted_action

NOTHING = "These data are simulated, and no effect is planted in them: "


def about(dataset: ZSLDataset) -> str:
    """Say in one sentence what simulated data are made of."""
    if (of_imagenet := planted_imagenet(dataset.name)) is not None:
        rarity, bias = of_imagenet
        return _made_of(
            "Classes, hypernyms and test sets are real",
            [
                *["classes with few images are harder"] * rarity,
                *["unseen classes look like the nearest training class"] * bias,
            ],
        )
    what = _planted(dataset.name)
    if what is None:
        return "No camera was involved: these numbers come from a model."
    effects = [
        words
        for there, words in (
            (what.gain, f"classes of {what.pretraining} are made easier than others"),
            (what.moved, "five classes are shown differently from AWA1"),
            (what.photographs, "images of one photograph are made alike"),
        )
        if there
    ]
    return _made_of("Class names, counts and splits are real", effects)


def _made_of(real: str, effects: Sequence[str]) -> str:
    return f"{real}, features come from a model" + (
        f", in which {' and '.join(effects)} on purpose." if effects else "."
    )


def about_gain(dataset: ZSLDataset) -> str:
    """Say whether a gain of overlapping classes was planted; nothing about other data."""
    what = _planted(dataset.name)
    if what is None:
        return ""
    if not what.gain:
        return NOTHING + "a gain that you see here is chance, or classes that are easier anyway."
    rho, omega = (_words(pair) for pair in (what.rho, what.omega))
    return (
        "These data are simulated, and the gain is planted: classes of "
        f"{what.pretraining} agree better with their attributes (ρ = {rho}) and vary less "
        f"(ω = {omega})."
    )


def about_shift(*datasets: ZSLDataset) -> str:
    """Name the classes that were moved between two simulated sets; nothing about other data."""
    found = [what for each in datasets if (what := _planted(each.name))]
    if not found or len(found) < len(datasets):
        return ""
    moved = max((what.moved for what in found), key=len)
    if not moved:
        return NOTHING + "a difference that you see here is chance."
    return (
        "These data are simulated, and one of them shows "
        f"{', '.join(moved[:-1])} and {moved[-1]} differently on purpose."
    )


def about_photographs(dataset: ZSLDataset) -> str:
    """Say whether images of one photograph were made alike; nothing about data without them."""
    what = _planted(dataset.name)
    if what is None or not dataset.image_files:
        return ""
    if not what.photographs:
        return NOTHING + "images of one photograph have its name in common, and nothing else."
    return (
        "These data are simulated, and the photographs are planted: images of one photograph share "
        f"{what.photographs:.0%} of the variance of their pose and looks."
    )


def _planted(name: str) -> Planted | None:
    return planted(name) or planted_action(name)


def _words(pair: tuple[float, float]) -> str:
    """Write the value of known classes next to that of the others."""
    unknown, known = map(three_digits, pair)
    return f"{known} instead of {unknown}"
