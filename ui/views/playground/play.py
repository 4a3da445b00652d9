"""What do you pay to recognise unseen classes? The instrument, and the drawer of its numbers."""

from __future__ import annotations

from ui.frame import Header
from ui.sections.instrument import show_instrument


def show(header: Header) -> None:
    """Show the instrument that the address sets, with its numbers and command below."""
    show_instrument(header, drawer=True)
