"""All methods under one contract, with one file per paper.

``METHODS`` has the classes of inductive methods by name, ``TRANSDUCTIVE`` those of methods that are
also fitted on the test images. A table never has methods of both kinds. To add a method, write its
file, import the class here and list it in ``_INDUCTIVE`` or ``_TRANSDUCTIVE``, in the order of the
menus.
"""

# isort: skip_file
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from zslcore.methods.base import METHODS, TransductiveEstimator, ZSLEstimator
from zslcore.methods.base import get_method
from zslcore.methods.generative import GenerativeZSL

from zslcore.methods.linear_v2s import LinearV2S
from zslcore.methods.linear_s2v import LinearS2V
from zslcore.methods.eszsl import ESZSL
from zslcore.methods.sae import SAE
from zslcore.methods.devise import DEVISE
from zslcore.methods.ale import ALE
from zslcore.methods.sje import SJE
from zslcore.methods.latem import LATEM
from zslcore.methods.cmt import CMT, CMTStar
from zslcore.methods.dap import DAP
from zslcore.methods.iap import IAP
from zslcore.methods.conse import CONSE
from zslcore.methods.sse import SSE
from zslcore.methods.sync import SYNC
from zslcore.methods.gfzsl import GFZSL
from zslcore.methods.bidilel import BiDiLEL
from zslcore.methods.f_clswgan import FCLSWGAN
from zslcore.methods.cada_vae import CADAVAE
from zslcore.methods.ce_gzsl import CEGZSL
from zslcore.methods.prototype_cosine import PrototypeCosine
from zslcore.methods.propagation import Propagation
from zslcore.methods.dsrl import DSRL
from zslcore.methods.gfzsl_tran import GFZSLTran

_INDUCTIVE: tuple[type[ZSLEstimator], ...] = (
    LinearV2S,
    LinearS2V,
    ESZSL,
    SAE,
    DEVISE,
    ALE,
    SJE,
    LATEM,
    CMT,
    CMTStar,
    DAP,
    IAP,
    CONSE,
    SSE,
    SYNC,
    GFZSL,
    BiDiLEL,
    FCLSWGAN,
    CADAVAE,
    CEGZSL,
    PrototypeCosine,
)
_TRANSDUCTIVE: tuple[type[TransductiveEstimator], ...] = (Propagation, DSRL, GFZSLTran)
METHODS.update({method.card.name: method for method in _INDUCTIVE})
TRANSDUCTIVE = {method.card.name: method for method in _TRANSDUCTIVE}
#: Parameters of the variants that papers report under one name; the first is the default.
VARIANTS: Mapping[str, tuple[dict[str, Any], ...]] = {
    name: method.variants for name, method in METHODS.items() if method.variants
}

__all__ = ["METHODS", "TRANSDUCTIVE", "VARIANTS", "GenerativeZSL", "get_method", "markdown_table"]
__all__ += [method.__name__ for method in (*_INDUCTIVE, *_TRANSDUCTIVE)]


def markdown_table() -> str:
    """Return the tables of inductive and transductive methods in Markdown."""
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
