"""Play: the instrument, and a drawer with its metrics."""

from __future__ import annotations

from ui.playground.instrument import show_instrument
from ui.shell.frame import Header


def show(header: Header) -> None:
    """Show the instrument for the choice in the address, with numbers and command below."""
    show_instrument(header, drawer=True)
