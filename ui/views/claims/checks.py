"""Do the printed tables agree with themselves and each other? Every rule, with the arithmetic."""

from __future__ import annotations

from ui.frame import Header, errors_as_sentences
from ui.sections.published import show_lint

__all__ = ["show"]


def show(_: Header) -> None:
    """List the rules and what breaks them."""
    with errors_as_sentences():
        show_lint()
