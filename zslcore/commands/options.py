"""What commands share: a line of progress, the name of a data set."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zslcore.datasets import ZSLDataset

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["named", "show_steps"]


def show_steps(done: float = 0, total: float = 0, message: str = "") -> None:
    """Rewrite one line on standard error, where somebody sees it; without a message clear it."""
    if sys.stderr.isatty():
        line = f"{done / total:4.0%}  {message}" if message and total else message
        sys.stderr.write(f"\r{line:100}\r" if message else f"{'':100}\r")
        sys.stderr.flush()


def named(dataset: ZSLDataset) -> str:
    """Return which data these are, and whether a camera took them."""
    return f"{dataset.name}{', simulated' if dataset.simulated else ''}, data {dataset.digest}"
