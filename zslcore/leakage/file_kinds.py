"""Recognise files by their first bytes and the names and shapes of their variables.

No value is read, and a file is opened in :mod:`zslcore.datasets.sandbox.client`'s confined child.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from zslcore.datasets.sandbox.client import declared_in, read_lines, read_value
from zslcore.datasets.sandbox.formats import LABEL_VARIABLES, SCORE_VARIABLES
from zslcore.datasets.split_lists import is_split_json
from zslcore.evaluation import is_predictions
from zslcore.exceptions import FileRefusedError
from zslcore.leakage.context import PARTS
from zslcore.leakage.loading import SPLIT_SCHEMA
from zslcore.storage.artifacts import sha256
from zslcore.texts import clean_text

Kind = Literal["split", "scores", "predictions", "run", "entry", "features", "labels", "classes"]
#: Kind -> what it is, in words.
IN_WORDS: dict[Kind, str] = {
    "split": "split",
    "scores": "score matrix",
    "predictions": "predictions",
    "run": "result of a run",
    "entry": "result of the board",
    "features": "features",
    "labels": "labels",
    "classes": "list of classes",
}
#: Kinds that are answered by themselves, and those that belong to one of them.
MAIN: tuple[Kind, ...] = ("split", "predictions", "scores", "entry", "run", "classes")
WITH: dict[Kind, tuple[Kind, ...]] = {"split": ("features", "labels"), "scores": ("labels",)}
#: Endings that the drop zone takes; what a file is, its content tells.
ENDINGS = ("mat", "npz", "npy", "h5", "hdf5", "json", "parquet", "csv", "txt")
EXPECTED = (
    "a split (.mat, .npz, .json), a score matrix, predictions (.parquet), a result (.json), "
    "features, labels or a list of classes"
)
#: First bytes of a pickle: of protocols 2 to 5, and of older ones, which are texts.
PICKLES = (
    *(bytes([0x80, protocol]) for protocol in range(2, 6)),
    *(
        b"(dp",
        b"(lp",
        b"(tp",
        b"(ip",
        b"cposix\n",
        b"cos\n",
        b"cnumpy",
        b"c__builtin__",
        b"ccopy_reg",
    ),
)
#: Bytes that no text begins with.
CONTROLS = frozenset(range(32)) - set(b"\t\n\r\f\x1b")
ZIPPED, MAX_JSON, MAX_VALUES, MAX_LIST = b"PK\x03\x04", 32 << 20, 1 << 22, 1 << 20


@dataclass(frozen=True, slots=True)
class Dropped:
    """A file that is recognised, with the SHA-256 of its content in hex."""

    path: Path
    kind: Kind
    sha256: str

    @property
    def name(self) -> str:
        """Its name, cleaned."""
        return clean_text(self.path.name)


def recognise(path: Path) -> Dropped:
    """Return what a file is; a FileRefusedError says what was expected."""
    if not path.is_file():
        raise FileRefusedError(f"{clean_text(path.name)}: expected a file; found none.")
    with path.open("rb") as file:
        head = file.read(64)
    if not head:
        raise _refusal(path, "an empty file")
    if head.startswith(PICKLES):
        raise _refusal(path, "a pickle, which would run code and is not opened")
    return Dropped(path, _kind(path, head), sha256(path))


@dataclass(frozen=True, slots=True)
class Group:
    """A file that is checked, and those that belong to it."""

    main: Dropped
    others: tuple[Dropped, ...] = ()

    @property
    def named(self) -> list[tuple[str, str]]:
        """(name, SHA-256) of every file."""
        return [(each.name, each.sha256) for each in (self.main, *self.others)]


def grouped(files: Sequence[Dropped]) -> list[Group]:
    """Return every file that is to be checked with those that belong to it, each content once.

    Features belong to the split; labels to scores that have none of their own, else to the split.
    A FileRefusedError where there is none to be checked, or one that belongs to none or to several.
    """
    files = list({file.sha256: file for file in files}.values())
    mains = [file for file in files if file.kind in MAIN]
    if not mains:
        got = " and ".join(f"{file.name} ({IN_WORDS[file.kind]})" for file in files)
        raise FileRefusedError(
            f"Expected a split, a score matrix, predictions or a result; got {got} alone. Add the "
            "file that it belongs to."
        )
    others: dict[Dropped, list[Dropped]] = {main: [] for main in mains}
    for file in files:
        if file.kind not in MAIN:
            others[_owner(file, others)].append(file)
    return [Group(main, tuple(found)) for main, found in others.items()]


def _owner(file: Dropped, others: Mapping[Dropped, Sequence[Dropped]]) -> Dropped:
    """Return the file that features or labels belong to."""
    welcome = [main for main in others if file.kind in WITH.get(main.kind, ())]
    if file.kind == "labels" and len(welcome) > 1:
        without = [main for main in welcome if main.kind == "scores" and not _has_labels(main.path)]
        splits = [main for main in welcome if main.kind == "split"]
        welcome = [main for main in without if not others[main]] or splits
    free = [main for main in welcome if not others[main]]
    if len(free) == 1:
        return free[0]
    main = (free or welcome or list(others))[0]
    one = WITH.get(main.kind, ())
    also = f"with at most one file of {' or '.join(one)}" if one else "alone"
    many = f"one {IN_WORDS[main.kind]} that it belongs to; got {len(free)}"
    said = f"{IN_WORDS[main.kind]} {main.name} {also}; got {IN_WORDS[file.kind]}, too"
    raise FileRefusedError(f"{file.name}: expected {many if len(free) > 1 else said}.")


def _has_labels(path: Path) -> bool:
    """Whether a file of scores holds the class of every image."""
    with path.open("rb") as file:
        head = file.read(8)
    if head.startswith((b"MATLAB", b"\x89HDF", b"\x93NUMPY", ZIPPED)):
        return not {*declared_in(path)}.isdisjoint(LABEL_VARIABLES)
    return True  # a table has a column of them


def _refusal(path: Path, got: str) -> FileRefusedError:
    return FileRefusedError(f"{clean_text(path.name)}: expected {EXPECTED}; got {got}.")


def _kind(path: Path, head: bytes) -> Kind:
    if head.startswith(b"PAR1"):
        return "predictions" if is_predictions(path) else "scores"
    if head.startswith((b"MATLAB 5.0", b"\x89HDF", b"\x93NUMPY", ZIPPED)):
        return _kind_of_arrays(path)
    if CONTROLS & set(head):
        raise _refusal(path, f"a file that begins with {head[:8]!r}")
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        return _kind_of_json(path)
    return _kind_of_text(path)


def _kind_of_arrays(path: Path) -> Kind:
    """Recognise a file of arrays by its variables."""
    shapes = declared_in(path)
    names = set(shapes)
    if names == {"array"}:  # one array of NumPy
        axes = len(shapes["array"] or ())
        return "labels" if axes == 1 else "scores"
    if names & {f"{part}_loc" for part in PARTS}:
        return "split"
    if not names.isdisjoint(SCORE_VARIABLES):
        return "scores"
    if "features" in names:
        return "features"
    if not names.isdisjoint(LABEL_VARIABLES):
        return "labels"
    held = ", ".join(clean_text(name, 40) for name in list(shapes)[:6]) or "nothing readable"
    raise _refusal(path, f"a file that holds {held}")


def _kind_of_json(path: Path) -> Kind:
    """Recognise a JSON by its schema or its fields."""
    if path.stat().st_size > MAX_JSON:
        raise _refusal(path, f"JSON of {path.stat().st_size:,} bytes, more than {MAX_JSON:,}")
    value = read_value(path, "JSON", max_bytes=MAX_JSON, most=MAX_VALUES)
    if is_split_json(value):
        return "split"
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, dict):
        raise _refusal(path, "other JSON")
    schema = str(first.get("schema", ""))
    if schema == SPLIT_SCHEMA:
        return "split"
    if schema.startswith("zslcore-board/"):
        return "entry"
    if {"spec", "evaluation"} <= {*first}:
        return "run"
    got = f"the schema {clean_text(schema, 40)!r}" if schema else "JSON without a schema of ours"
    raise _refusal(path, got)


def _kind_of_text(path: Path) -> Kind:
    """Distinguish a table of scores from a list of labels or of classes."""
    if path.suffix.lower() == ".csv":
        return "scores"
    lines = read_lines(path, max_bytes=MAX_LIST)
    if not lines:
        raise _refusal(path, "a text without lines")
    if all(line.lstrip("-").isdigit() for line in lines):
        return "labels"
    if max(map(len, lines)) > MOST_LETTERS or len(set(lines)) < len(lines):
        raise _refusal(path, "a text that is no list of different names")
    return "classes"


#: Letters of the longest class name that a list may hold.
MOST_LETTERS = 120
