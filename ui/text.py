"""Words that nobody vouches for, written so that they stay words."""

from __future__ import annotations

__all__ = ["plain"]

_MARKS = str.maketrans({mark: f"\\{mark}" for mark in r"\`*_{}[]()#+-.!|~$:<>"})


def plain(words: str) -> str:
    """Return words that may come from a file or an address so that markdown leaves them alone."""
    return words.translate(_MARKS)
