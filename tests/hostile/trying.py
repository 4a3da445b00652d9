"""Read any file, and classify the outcome."""

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

#: Exceptions and words of Python that must not be in a sentence.
PYTHON = ("Error(", "Error:", "Exception", "Traceback", "object at 0x")
LONGEST_SENTENCE = 6000


def tried(kind: str, path: Path, honest: dict[str, Path], into: Path) -> tuple[str, str]:
    """Read a file as the package does, in a folder of valid files.

    Returns "accepted", "refused", or "broken" if the message is not a sentence,
    together with the message or the traceback.
    """
    try:
        _read(kind, path, honest, into)
    except ZSLError as error:
        return "refused" if is_a_sentence(str(error)) else "broken", str(error)
    except Exception:  # noqa: BLE001 - any other exception is a failure
        return "broken", traceback.format_exc()
    return "accepted", ""


def is_a_sentence(message: str) -> bool:
    """Return whether a message is fit for visitors: one line, a full stop, no words of Python."""
    ended = message.endswith((".", "?")) and "\n" not in message and len(message) < LONGEST_SENTENCE
    return ended and not any(word in message for word in PYTHON)


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
