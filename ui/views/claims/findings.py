"""What was found in released files and printed tables? Each finding with its command."""

from __future__ import annotations

from ui.frame import Header, errors_as_sentences
from ui.sections.published import show_findings

__all__ = ["show"]


def show(_: Header) -> None:
    """List the findings."""
    with errors_as_sentences():
        show_findings()
