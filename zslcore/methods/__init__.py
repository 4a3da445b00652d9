"""Every method under one contract; one paper, one file.

``METHODS`` maps the name of a method to its class. Adding one: write the file, name the class
in ``_ALL``; a test fails while a file is missing here.
"""

from __future__ import annotations

from zslcore.base import ZSLEstimator
from zslcore.exceptions import closest_name
from zslcore.methods.bidilel import BiDiLEL
from zslcore.methods.conse import CONSE
from zslcore.methods.dap import DAP
from zslcore.methods.eszsl import ESZSL
from zslcore.methods.gfzsl import GFZSL
from zslcore.methods.iap import IAP
from zslcore.methods.linear_s2v import LinearS2V
from zslcore.methods.linear_v2s import LinearV2S
from zslcore.methods.prototype_cosine import PrototypeCosine
from zslcore.methods.sae import SAE
from zslcore.methods.sse import SSE
from zslcore.methods.sync import SYNC

__all__ = [
    "CONSE",
    "DAP",
    "ESZSL",
    "GFZSL",
    "IAP",
    "METHODS",
    "SAE",
    "SSE",
    "SYNC",
    "BiDiLEL",
    "LinearS2V",
    "LinearV2S",
    "PrototypeCosine",
    "get_method",
]

_ALL: tuple[type[ZSLEstimator], ...] = (
    LinearV2S,
    LinearS2V,
    ESZSL,
    SAE,
    DAP,
    IAP,
    CONSE,
    SSE,
    SYNC,
    GFZSL,
    BiDiLEL,
    PrototypeCosine,
)

METHODS: dict[str, type[ZSLEstimator]] = {method.card.name: method for method in _ALL}


def get_method(name: str) -> type[ZSLEstimator]:
    """Return the class of the method called ``name``; a misspelt name gets the nearest one."""
    if name not in METHODS:
        raise closest_name("method", name, METHODS)
    return METHODS[name]
