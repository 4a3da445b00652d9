"""Where the audit's facts are kept."""

from pathlib import Path

__all__ = ["DATA", "VOCABULARIES"]

DATA = Path(__file__).parents[2] / "data"
VOCABULARIES = DATA / "vocabularies"
