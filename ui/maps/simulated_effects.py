"""Sentences on the effects of simulated data."""

from __future__ import annotations

from collections.abc import Sequence

from ui.shell.numbers import three_digits
from zslcore.datasets import ZSLDataset
from zslcore.datasets.imagenet import planted_imagenet
from zslcore.datasets.simulated import Planted, planted
from zslcore.datasets.simulated_actions import planted_action

NOTHING = "These data are simulated without effect: "


def about_effects(dataset: ZSLDataset) -> str:
    """Describe simulated data in one sentence."""
    if (of_imagenet := planted_imagenet(dataset.name)) is not None:
        rarity, bias = of_imagenet
        return _made_of(
            "Classes, hypernyms and test sets are real",
            [
                *["classes with few images are harder"] * rarity,
                *["unseen classes resemble the nearest training class"] * bias,
            ],
        )
    effect = _planted(dataset.name)
    if effect is None:
        return "These features come from a statistical model, not from images."
    effects = [
        words
        for applies, words in (
            (effect.gain, f"classes in {effect.pretraining} are easier than others"),
            (effect.moved, "five classes are shifted relative to AWA1"),
            (effect.photographs, "images from one photograph are similar"),
        )
        if applies
    ]
    return _made_of("Class names, counts and splits are real", effects)


def _made_of(real: str, effects: Sequence[str]) -> str:
    return f"{real}; features come from a model" + (
        f" with a simulated effect: {' and '.join(effects)}." if effects else " without effect."
    )


def about_gain(dataset: ZSLDataset) -> str:
    """Describe the simulated gain of overlapping classes; empty for other data."""
    effect = _planted(dataset.name)
    if effect is None:
        return ""
    if not effect.gain:
        return NOTHING + "any gain here is due to chance or to easier classes."
    rho, omega = (_words(pair) for pair in (effect.rho, effect.omega))
    return (
        "The data and the gain are simulated: classes in "
        f"{effect.pretraining} fit their attributes better (ρ = {rho}) and vary less "
        f"(ω = {omega})."
    )


def about_shift(*datasets: ZSLDataset) -> str:
    """Name the classes shifted between two simulated sets; empty for other data."""
    effects = [effect for dataset in datasets if (effect := _planted(dataset.name))]
    if not effects or len(effects) < len(datasets):
        return ""
    moved = max((effect.moved for effect in effects), key=len)
    if not moved:
        return NOTHING + "any difference here is due to chance."
    return (
        f"The data are simulated, including a shift of {', '.join(moved[:-1])} and {moved[-1]} "
        "between the two data sets."
    )


def about_photographs(dataset: ZSLDataset) -> str:
    """Describe the simulated similarity of images of one photograph; empty for other data."""
    effect = _planted(dataset.name)
    if effect is None or not dataset.image_files:
        return ""
    if not effect.photographs:
        return NOTHING + "images from one photograph share only its name."
    return (
        f"The data are simulated: images from one photograph share {effect.photographs:.0%} of the "
        "variance of pose and appearance."
    )


def _planted(name: str) -> Planted | None:
    return planted(name) or planted_action(name)


def _words(pair: tuple[float, float]) -> str:
    """Return the value for classes in the pre-training set, then the value for other classes."""
    others, inside = map(three_digits, pair)
    return f"{inside} instead of {others}"
