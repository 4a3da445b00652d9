"""Wall of tiles: buttons that show a state and open details."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from zslcore.interactive.one_file import Parts

_PARTS = Parts.of(Path(__file__).parent, '<div class="wall"></div>')
_mount = st.components.v2.component("zsl_tile_wall", **asdict(_PARTS))


@dataclass(frozen=True, slots=True)
class Tile:
    """Tile of a group; ``id`` is sent when the tile is pressed.

    The bar of the group ``also_in``, if any, counts the tile as well.
    """

    id: str
    group: str
    state: Literal["yes", "no", "open", "finding"]
    word: str
    text: str
    also_in: str = ""


def draw(
    tiles: Sequence[Tile],
    chosen: str,
    counts: Mapping[str, int],
    *,
    key: str,
    on_change: Callable[[], None] = lambda: None,
) -> Any:
    """Draw a bar of ``counts`` by state, then rows of tiles; the tile with id ``chosen`` is open.

    ``st.session_state[key].tile`` is the id of the tile pressed last; ``on_change`` is called
    before the next run.
    """
    data = {"tiles": [asdict(tile) for tile in tiles], "chosen": chosen, "counts": counts}
    return _mount(key=key, data=data, on_tile_change=on_change)
