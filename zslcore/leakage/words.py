"""Phrases shared by findings."""

from __future__ import annotations

from collections.abc import Sequence

#: How what a check needs is given, from Python and on the command line. A screen has controls in
#: their place, and puts their names where these stand.
HOW = {
    "labels": "labels=, --labels",
    "features": "features=, --features",
    "groups": "groups=, --groups",
    "vocabularies": "pretraining=, --pretraining",
    "accuracies": "runs= or accuracies=, --runs",
    "chosen": "provenance=, --hyperparameters-on and the like",
    "prototypes": "provenance=, --prototypes-from",
}

#: Most names that a sentence carries; the evidence has them all.
MOST_NAMES = 6


def how(what: str) -> str:
    """Return how something is given, in brackets: ``(labels=, --labels)``."""
    return f"({HOW[what]})"


def listed(names: Sequence[str]) -> str:
    """Join names: ``a, b and 7 more``."""
    shown = ", ".join(names[:MOST_NAMES])
    more = len(names) - MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def counted(n: int, one: str, many: str | None = None) -> str:
    """Count things: ``1 class``, ``3 classes``, ``1,764 rows``."""
    return f"{n:,} {one}" if n == 1 else f"{n:,} {many or one + 's'}"


def without_options(text: str) -> str:
    """Return a sentence without the options of Python and the command line that it names."""
    for what in HOW:
        text = text.replace(f" {how(what)}", "")
    return text
