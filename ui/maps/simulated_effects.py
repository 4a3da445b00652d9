"""Sentence on the effects of simulated data."""

from __future__ import annotations

from ui.shell.text import names_in_words
from zslcore.datasets import ZSLDataset
from zslcore.datasets.imagenet import planted_imagenet
from zslcore.datasets.simulated import planted_effects
from zslcore.datasets.simulated_actions import planted_action


def about_effects(*datasets: ZSLDataset) -> str:
    """Describe simulated data in one sentence; empty for other data."""
    effects: dict[str, bool] = {}
    real = "Class names, counts and splits"
    for name in (dataset.name for dataset in datasets if dataset.simulated):
        if (of_imagenet := planted_imagenet(name)) is not None:
            real = "Classes, hypernyms and test sets"
            rarity, bias = of_imagenet
            effects["classes with few images are harder"] = rarity
            effects["unseen classes resemble the nearest training class"] = bias
        elif (effect := planted_effects(name) or planted_action(name)) is not None:
            effects[f"classes in {effect.pretraining} are easier than others"] = effect.gain
            if effect.moved:
                effects[f"{names_in_words(effect.moved, 8)} are shifted relative to AWA1"] = True
            effects["images from one photograph are similar"] = bool(effect.photographs)
        else:
            return "These features come from a statistical model, not from images."
    if not effects:
        return ""
    words = ", and ".join(effect for effect, applies in effects.items() if applies)
    how = f"with an effect: {words}" if words else "without effect"
    return f"{real} are real; features are simulated {how}."
