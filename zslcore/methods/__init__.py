"""Every method under one contract; one paper, one file.

``METHODS`` maps the name of an inductive method to its class, ``TRANSDUCTIVE`` that of a method
fitted on the test images as well; the two never share a table. Adding one: write the file, import
the class here, where the menus list it.
"""

# isort: skip_file
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from zslcore.methods.base import METHODS as METHODS, TransductiveEstimator, ZSLEstimator
from zslcore.methods.base import get_method as get_method
from zslcore.methods.generative import GenerativeZSL as GenerativeZSL

from zslcore.methods.linear_v2s import LinearV2S as LinearV2S
from zslcore.methods.linear_s2v import LinearS2V as LinearS2V
from zslcore.methods.eszsl import ESZSL as ESZSL
from zslcore.methods.sae import SAE as SAE
from zslcore.methods.devise import DEVISE as DEVISE
from zslcore.methods.ale import ALE as ALE
from zslcore.methods.sje import SJE as SJE
from zslcore.methods.latem import LATEM as LATEM
from zslcore.methods.cmt import CMT as CMT, CMTStar as CMTStar
from zslcore.methods.dap import DAP as DAP
from zslcore.methods.iap import IAP as IAP
from zslcore.methods.conse import CONSE as CONSE
from zslcore.methods.sse import SSE as SSE
from zslcore.methods.sync import SYNC as SYNC
from zslcore.methods.gfzsl import GFZSL as GFZSL
from zslcore.methods.bidilel import BiDiLEL as BiDiLEL
from zslcore.methods.f_clswgan import FCLSWGAN as FCLSWGAN
from zslcore.methods.cada_vae import CADAVAE as CADAVAE
from zslcore.methods.ce_gzsl import CEGZSL as CEGZSL
from zslcore.methods.prototype_cosine import PrototypeCosine as PrototypeCosine
from zslcore.methods.propagation import Propagation as Propagation
from zslcore.methods.dsrl import DSRL as DSRL
from zslcore.methods.gfzsl_tran import GFZSLTran as GFZSLTran

_ALL: dict[str, type[ZSLEstimator]] = {
    each.card.name: each
    for each in list(vars().values())
    if isinstance(each, type) and issubclass(each, ZSLEstimator) and "card" in vars(each)
}
TRANSDUCTIVE = {
    name: each for name, each in _ALL.items() if issubclass(each, TransductiveEstimator)
}
METHODS.update({name: each for name, each in _ALL.items() if name not in TRANSDUCTIVE})
#: Variants that the papers report under one name; the first is what is meant by it.
VARIANTS: Mapping[str, tuple[dict[str, Any], ...]] = {
    name: method.variants for name, method in METHODS.items() if method.variants
}

__all__ = [
    *(each.__name__ for each in _ALL.values()),
    *("METHODS", "TRANSDUCTIVE", "VARIANTS", "GenerativeZSL", "get_method", "markdown_table"),
]


def markdown_table() -> str:
    """Return the tables of inductive and of transductive methods in Markdown, a row a card."""
    return (
        f"{_rows(METHODS.values())}\n\nTransductive methods are fitted with `unlabeled=` and "
        "`candidates=` and reported separately (`zslcore.methods.TRANSDUCTIVE`).\n\n"
        f"{_rows(TRANSDUCTIVE.values())}"
    )


def _rows(methods: Iterable[type[ZSLEstimator]]) -> str:
    rows = ["| method | family | what it does | paper |", "|---|---|---|---|"]
    for card in (method.card for method in methods):
        paper = f"[{card.authors} {card.year}]({card.url})"
        rows.append(f"| {card.name} | {card.family} | {card.idea} | {paper} |")
    return "\n".join(rows)
