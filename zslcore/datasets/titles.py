"""What names of data sets say: titles for screens and reports, and how a stand-in is made."""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass, replace
from typing import Self

#: Data that come with the package, or whose results do.
_TITLES = {
    "digits": "Digits",
    "CUB-vgg_fc7": "CUB birds, VGG",
    "AWA1-lss": "AWA1, hand-crafted",
    "AWA1-phog": "AWA1, hand-crafted (PHOG)",
}
#: Parts of names of stand-ins, in words.
_WORDS = {
    "untrained": "untrained features",
    "idt": "IDT features",
    "imagenet": "ImageNet-1K features",
    "sports": "Sports-1M features",
    "vectors": "word vectors",
    "full": "full size",
    "small": "small",
    "without-rarity": "classes equally hard",
    "without-bias": "no bias",
}
#: End of the name of a twin without planted effects.
WITHOUT_EFFECTS = "unplanted"
_NAME = re.compile(
    r"simulated-([^-]+)(?:-(untrained|idt|imagenet|sports))?(?:-(vectors))?(?:-(full|small))?"
    r"(?:-(without-rarity|without-bias|unplanted))?"
)


@dataclass(frozen=True, slots=True)
class StandIn:
    """What the name of a stand-in says, in this order: ``simulated-UCF101-idt-vectors-full``.

    ``extractor``, ``prototypes`` and ``size`` are empty for the usual ones of the ``dataset`` that
    it stands in for; ``without`` names the planted effect that it lacks, "unplanted" all.
    """

    dataset: str
    extractor: str = ""
    prototypes: str = ""
    size: str = ""
    without: str = ""

    def __str__(self) -> str:
        return "-".join(("simulated", *filter(None, astuple(self))))

    @classmethod
    def of(cls, name: str) -> Self:
        """Return what a name says; the ``dataset`` of a name of no stand-in is empty."""
        found = _NAME.fullmatch(name)
        return cls(*found.groups("")) if found else cls("")

    @property
    def unplanted(self) -> Self:
        """The twin without planted effects."""
        return replace(self, without=WITHOUT_EFFECTS)


def title(name: str) -> str:
    """Return the title of a data set; other names than those of this package are their own.

    Examples
    --------
    >>> title("simulated-UCF101-sports-full-unplanted")
    'UCF101-like, Sports-1M features, full size (simulated without effect)'
    """
    made = StandIn.of(name)
    if not made.dataset:
        return _TITLES.get(name, name)
    words = [_WORDS[part] for part in astuple(made)[1:] if part in _WORDS]
    how = "simulated without effect" if made.without == WITHOUT_EFFECTS else "simulated"
    return f"{', '.join([f'{made.dataset}-like', *words])} ({how})"


def is_simulated_name(name: str) -> bool:
    """Whether a name is of a stand-in of this package."""
    return StandIn.of(name).dataset != ""


def is_variant(name: str) -> bool:
    """Whether a stand-in is another size, other features or the twin of one with a shorter name."""
    made = StandIn.of(name)
    return made != StandIn(made.dataset)
