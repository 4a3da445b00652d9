"""Titles of data sets for screens and reports, and which names are variants of another one."""

from __future__ import annotations

import re

_SIMULATED = "simulated-"
#: Data that come with the package, or whose results do.
_TITLES = {
    "digits": "Digits",
    "CUB-vgg_fc7": "CUB birds, VGG",
    "AWA1-lss": "AWA1, hand-crafted",
    "AWA1-phog": "AWA1, hand-crafted (PHOG)",
}
#: Ends of names of stand-ins, in words.
_VARIANTS = {
    "full": "full size",
    "small": "small",
    "untrained": "untrained features",
    "idt": "IDT features",
    "imagenet": "ImageNet-1K features",
    "sports": "Sports-1M features",
    "vectors": "word vectors",
    "without-rarity": "classes equally hard",
    "without-bias": "no bias",
}
_VARIANT = re.compile("|".join(f"-({end})" for end in _VARIANTS))
_UNPLANTED = "-unplanted"


def title(name: str) -> str:
    """Return the title of a data set; other names than those of this package are their own.

    Examples
    --------
    >>> title("simulated-UCF101-sports-full-unplanted")
    'UCF101-like, Sports-1M features, full size (simulated without effect)'
    """
    if not is_simulated_name(name):
        return _TITLES.get(name, name)
    benchmark, dash, ends = name.removeprefix(_SIMULATED).partition("-")
    words = [_VARIANTS[each[0].lstrip("-")] for each in _VARIANT.finditer(dash + ends)]
    how = "simulated without effect" if name.endswith(_UNPLANTED) else "simulated"
    return f"{', '.join([f'{benchmark}-like', *words])} ({how})"


def is_simulated_name(name: str) -> bool:
    """Whether a name is of a stand-in of this package."""
    return name.startswith(_SIMULATED)


def is_variant(name: str) -> bool:
    """Whether a stand-in is another size, other features or the twin of one with a shorter name."""
    return is_simulated_name(name) and "-" in name.removeprefix(_SIMULATED)
