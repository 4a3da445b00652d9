"""Reading whatever it is, and what came of it."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from tests.hostile.predictions import judged_predictions
from tests.hostile.scores import judged
from zslcore.commands.findings import read_decisions
from zslcore.datasets.table import read_table
from zslcore.exceptions import ZSLError
from zslcore.leakage.loading import context_of
from zslcore.leakage.vocabularies import read_vocabulary

__all__ = ["Outcome", "is_a_sentence", "tried"]

#: Exceptions and Python words that no sentence has.
PYTHON = ("Error(", "Error:", "Exception", "Traceback", "object at 0x")
LONGEST_SENTENCE = 6000


@dataclass(frozen=True)
class Outcome:
    """What came of one file.

    Attributes
    ----------
    kind : of the file
    verdict : "accepted", "refused" or "broken", where what was said is no sentence
    said : the sentence, or the traceback
    seconds : that it took
    """

    kind: str
    verdict: str
    said: str
    seconds: float


def tried(kind: str, path: Path, honest: dict[str, Path], into: Path) -> Outcome:
    """Read a file as the package would, beside honest ones."""
    start = monotonic()
    try:
        _read(kind, path, honest, into)
        verdict, said = "accepted", ""
    except ZSLError as error:
        said = str(error)
        verdict = "refused" if is_a_sentence(said) else "broken"
    except Exception:  # noqa: BLE001 - this is what is looked for
        verdict, said = "broken", traceback.format_exc()
    return Outcome(kind, verdict, said, monotonic() - start)


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
