"""How were published results chosen? What released codes do, line by line."""

from __future__ import annotations

from ui.frame import Header, errors_as_sentences
from ui.sections.released_code import show_census

__all__ = ["show"]


def show(_: Header) -> None:
    """Count and list how released codes choose."""
    with errors_as_sentences():
        show_census()
