"""Reading whatever it is, and what came of it."""

from __future__ import annotations

import traceback
from pathlib import Path

from tests.hostile.predictions import judged_predictions
from tests.hostile.scores import judged
from zslcore.commands.findings import read_decisions
from zslcore.datasets.table import read_table
from zslcore.exceptions import ZSLError
from zslcore.leakage.loading import context_of
from zslcore.leakage.vocabularies import read_vocabulary

#: Exceptions and Python words that no sentence has.
PYTHON = ("Error(", "Error:", "Exception", "Traceback", "object at 0x")
LONGEST_SENTENCE = 6000


def tried(kind: str, path: Path, honest: dict[str, Path], into: Path) -> tuple[str, str]:
    """Read a file as the package would, beside honest ones.

    Returns "accepted", "refused", or "broken" where what was said is no sentence; and what was
    said: the sentence, or the traceback.
    """
    try:
        _read(kind, path, honest, into)
    except ZSLError as error:
        return "refused" if is_a_sentence(str(error)) else "broken", str(error)
    except Exception:  # noqa: BLE001 - this is what is looked for
        return "broken", traceback.format_exc()
    return "accepted", ""


def is_a_sentence(said: str) -> bool:
    """Return whether this is what a visitor may read: one line, ended, with no word of Python."""
    ended = said.endswith((".", "?")) and "\n" not in said and len(said) < LONGEST_SENTENCE
    return ended and not any(word in said for word in PYTHON)


def _read(kind: str, path: Path, honest: dict[str, Path], into: Path) -> None:
    if kind.startswith("scores "):
        judged(kind, path, honest)
    elif kind == "predictions":
        judged_predictions(path)
    elif kind in ("mat", "hdf5", "split"):
        context_of(path, into=into)
    elif kind == "npz":
        read_table(path)
    elif kind == "csv":
        read_table(path, prototypes=honest["prototypes"])
    elif kind == "prototypes":
        read_table(honest["csv"], prototypes=path)
    elif kind == "toml":
        read_decisions(path)
    else:
        read_vocabulary(path)
