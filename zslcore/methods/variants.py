"""Variants that the papers report under one name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["VARIANTS"]


#: Variants that the papers report under one name; the first is what is meant by it.
VARIANTS: Mapping[str, tuple[dict[str, Any], ...]] = {
    "SAE": ({"direction": "S2V"}, {"direction": "V2S"}),
    "SYNC": ({"loss": "ovo"}, {"loss": "cs"}, {"loss": "struct"}),
    "CMT*": ({"detector": "gaussian"}, {"detector": "loop"}),
}
