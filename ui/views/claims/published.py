"""What did the papers report? Every printed table, with ours alongside."""

from __future__ import annotations

from ui.frame import Header, errors_as_sentences
from ui.sections.published import show_tables

__all__ = ["show"]


def show(header: Header) -> None:
    """Show the tables."""
    with errors_as_sentences():
        show_tables(header)
