"""Data sets by name: embedded, simulated, or imported from files.

``load`` accepts every name in :func:`available`; each source has one module with one public reader.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from zslcore.datasets.base import Fold, Split, ZSLDataset
from zslcore.exceptions import UnknownNameError, closest_name

if TYPE_CHECKING:
    from zslcore.datasets.digits import read_digits
    from zslcore.datasets.importing import import_dataset
    from zslcore.datasets.simulated import simulate
    from zslcore.datasets.table import read_table
    from zslcore.datasets.xlsa17 import read_xlsa17

__all__ = [
    "Fold",
    "Split",
    "ZSLDataset",
    "available",
    "class_names",
    "import_dataset",
    "load",
    "read_digits",
    "read_table",
    "read_xlsa17",
    "simulate",
]

_READERS = {
    "import_dataset": "importing",
    "read_digits": "digits",
    "read_table": "table",
    "read_xlsa17": "xlsa17",
    "simulate": "simulated",
}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a reader on first use: MAT and HDF5 support cost start-up time."""
        if name in _READERS:
            return getattr(import_module(f"{__name__}.{_READERS[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def available() -> tuple[str, ...]:
    """Return the names that :func:`load` accepts: embedded first, then simulated, then imported.

    The list omits simulated data without effect (``<name>-unplanted``), simulated actions with
    other extractors and prototypes, and simulated ImageNet, which most pages cannot score.
    """
    from zslcore.datasets import imports
    from zslcore.datasets.simulated import SIMULATED
    from zslcore.datasets.simulated_actions import ACTIONS

    return ("digits", *SIMULATED, *ACTIONS, *imports.names())


def class_names(name: str) -> tuple[str, ...]:
    """Return the classes of the data set called ``name``, without drawing simulated features."""
    from zslcore.datasets.simulated import SIMULATED, UNPLANTED, simulated_classes

    return simulated_classes(name) if name in (*SIMULATED, *UNPLANTED) else load(name).class_names


def load(name: str) -> ZSLDataset:
    """Return the data set called ``name``.

    An UnknownNameError names the archive with this data set, or the nearest available one.
    """
    from zslcore.datasets import imports
    from zslcore.datasets.digits import read_digits

    if name == "digits":
        return read_digits()
    from zslcore.datasets.simulated_names import simulated_makers

    if name in (simulations := simulated_makers()):
        return simulations[name](name)
    if name in imports.names():
        from zslcore.datasets.importing import open_dataset

        return open_dataset(name)
    from zslcore.datasets.download import archives

    for archive in archives().values():
        for dataset in archive.datasets:
            if name.lower() == dataset.lower():
                command = f"zslcore download {archive.name} --only {dataset}"
                raise UnknownNameError(f"Unknown data set {name!r}; '{command}' imports it.")
    raise closest_name("data set", name, dict.fromkeys((*available(), *simulations)))
