"""Data sets by name: embedded, simulated, or imported from files.

``load`` knows every name in :func:`available`; each source is one file with one public reader.
"""

from __future__ import annotations

from zslcore.datasets import imported
from zslcore.datasets.base import Fold, Split, ZSLDataset
from zslcore.datasets.digits import read_digits
from zslcore.datasets.simulated import SIMULATED, simulate
from zslcore.datasets.table import read_table
from zslcore.datasets.xlsa17 import read_xlsa17
from zslcore.exceptions import closest_name

__all__ = [
    "Fold",
    "Split",
    "ZSLDataset",
    "available",
    "load",
    "read_digits",
    "read_table",
    "read_xlsa17",
    "simulate",
]


def available() -> tuple[str, ...]:
    """Names that :func:`load` accepts now: embedded first, then simulated, then imported."""
    return ("digits", *SIMULATED, *imported.names())


def load(name: str) -> ZSLDataset:
    """Return the data set called ``name``.

    Raises
    ------
    UnknownNameError
        For a name not in :func:`available`; names the nearest one.
    """
    if name == "digits":
        return read_digits()
    if name in SIMULATED:
        return simulate(name)
    if name in imported.names():
        return imported.open_dataset(name)
    raise closest_name("data set", name, available())
