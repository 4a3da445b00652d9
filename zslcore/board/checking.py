"""A folder of results: every file is read, placed on its split, or refused in one sentence.

Whether test classes were among those that the feature extractor was trained on has three states,
and the third is never left out: *clean*, *overlapping*, *unknown*. What a result states of its
extractor is taken as stated; which of its test classes that set holds is looked up here, by the
same matching of names that the audit uses.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

from zslcore.board.entry import MAX_BYTES, BoardEntry, read_entry
from zslcore.board.recomputing import known_state, recomputed
from zslcore.datasets import load
from zslcore.datasets.facts import class_facts
from zslcore.datasets.simulated import SIMULATED
from zslcore.evaluation import State
from zslcore.exceptions import FileRefusedError, UnknownNameError
from zslcore.leakage.known import KnownSplit, known_splits
from zslcore.leakage.overlap import certain_and_possible
from zslcore.leakage.vocabularies import get_vocabulary
from zslcore.storage.files import FACTS
from zslcore.texts import clean_text

OverlapState = Literal["clean", "overlapping", "unknown"]
STATES: tuple[OverlapState, ...] = ("clean", "overlapping", "unknown")


@dataclass(frozen=True, slots=True)
class Contamination:
    """What is known of the overlap between test classes and pre-training classes.

    Attributes
    ----------
    state : "clean", "overlapping" or "unknown"
    classes : unseen classes that certainly are in the pre-training set
    related : number of others whose names are related, which only a person can decide
    why : one sentence
    """

    state: OverlapState
    classes: tuple[str, ...] = ()
    related: int = 0
    why: str = ""


def contamination_of(entry: BoardEntry) -> Contamination:
    """Return what is known of a result's overlap."""
    return overlap_of(unseen_classes_of(entry), entry.data.pretraining, entry.data.benchmark)


def overlap_of(
    names: Sequence[str], pretraining: Sequence[str], benchmark: str = ""
) -> Contamination:
    """Return how many unseen classes are among those that a feature extractor was trained on.

    Parameters
    ----------
    names : the unseen classes
    pretraining : sets of images, ("none",) for no training; empty where unknown
    benchmark : whose class names resolve ambiguous ones; empty for other data
    """
    if not pretraining:
        return Contamination(
            "unknown", why="The result does not state what the extractor was trained on."
        )
    unheard = [name for name in pretraining if not _is_listed(name)]
    if unheard:
        return Contamination("unknown", why=f"The classes of {unheard[0]} are not known.")
    if not names:
        return Contamination("unknown", why="The result does not name its unseen classes.")
    return _looked_up(tuple(names), tuple(pretraining), benchmark)


def _is_listed(name: str) -> bool:
    try:
        return get_vocabulary(name).listed
    except UnknownNameError:
        return False


def unseen_classes_of(entry: BoardEntry) -> tuple[str, ...]:
    """Return the unseen classes that a result names, or that its benchmark's split has."""
    if entry.unseen_classes or not entry.data.benchmark:
        return entry.unseen_classes
    column = {"PS": "ps", "SS": "ss"}.get(entry.split.name.split()[0] if entry.split.name else "")
    if column is None:
        return ()
    classes = class_facts(entry.data.benchmark).classes
    return tuple(classes["class"][classes[column] == "test"])


@cache
def _looked_up(
    names: tuple[str, ...], vocabularies: tuple[str, ...], benchmark: str
) -> Contamination:
    """Match class names; those of the whole benchmark resolve ambiguous ones."""
    all_names = tuple(class_facts(benchmark).classes["class"]) if benchmark else names
    sure, possible = certain_and_possible(names, map(get_vocabulary, vocabularies), all_names)
    related = len(possible)
    where = " and ".join(vocabularies)
    if sure:
        why = f"{len(sure)} of {len(names)} unseen classes are in {where}."
        return Contamination("overlapping", sure, related, why)
    undecided = f" {related} are related to some of its classes." if related else ""
    what = "The extractor was trained on no images." if vocabularies == ("none",) else (
        f"None of {len(names)} unseen classes is certainly in {where}.{undecided}"
    )  # fmt: skip
    return Contamination("clean", (), related, what)


#: Most files of a folder that are looked at.
MAX_FILES = 5_000

Kind = Literal["known", "v1", "v1 or 2.0", "by counts", "variant", "unknown"]


@dataclass(frozen=True, slots=True)
class SplitState:
    """Which split a result was tested on.

    Attributes
    ----------
    kind : "known" (its rows are a published split's), "v1" (a release that leaks), "v1 or 2.0" (its
        rows are those of both, and it does not say which), "by counts" (as many test images as a
        published split), "variant" (some parts are a published split's) or "unknown"
    why : one sentence
    """

    kind: Kind
    why: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A result that is on the board.

    Attributes
    ----------
    file : name of its file
    entry : its content
    split : SplitState
    contamination : Contamination
    state : "verified" where its figures were computed again from predictions, else "stated"
    """

    file: str
    entry: BoardEntry
    split: SplitState
    contamination: Contamination
    state: State = State.STATED


@dataclass(frozen=True, slots=True)
class Board:
    """A folder of results.

    Attributes
    ----------
    results : by name of the file
    refused : name of a file -> why it is not on the board
    digest : SHA-256 over names and contents of all files, 16 hex digits
    """

    results: tuple[Judged, ...]
    refused: Mapping[str, str]
    digest: str


def read_board(folder: Path, *, recompute: bool = False) -> Board:
    """Read and check every ``.json`` of a folder, by name.

    Parameters
    ----------
    folder : pathlib.Path
    recompute : bool, default=False
        Compute figures again where there are predictions; without it, only what comes with the
        package and has been checked is *verified*.

    Raises
    ------
    FileRefusedError
        When there is no such folder, or it holds too many files.
    """
    if not folder.is_dir():
        raise FileRefusedError(f"{clean_text(folder)}: expected a folder of results as JSON.")
    paths = sorted(path for path in folder.glob("*.json") if path.is_file())
    if len(paths) > MAX_FILES:
        raise FileRefusedError(
            f"{clean_text(folder)}: expected at most {MAX_FILES:,} results; got {len(paths):,}."
        )
    results: list[Judged] = []
    refused: dict[str, str] = {}
    first: dict[str, str] = {}
    sha = hashlib.sha256()
    for path in paths:
        name = clean_text(path.name)
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        same = hashlib.sha256(content).hexdigest()
        sha.update(f"{path.name}\n{same}\n".encode("utf-8", "surrogateescape"))
        try:
            if first.setdefault(same, name) != name:
                raise FileRefusedError(f"{name}: expected a result of its own; got {first[same]}.")
            found = judged(read_entry(content, name), name)
            state = (recomputed if recompute else known_state)(path, found.entry)
            results.append(replace(found, state=state))
        except FileRefusedError as error:
            refused[name] = str(error)
    return Board(tuple(results), refused, sha.hexdigest()[:16])


@cache
def packaged_board() -> Board:
    """Return the board that comes with the package, every file checked; its states are stored."""
    return read_board(FACTS / "board")


def judged(entry: BoardEntry, file: str) -> Judged:
    """Return a result with what its split and its extractor are known to be."""
    return Judged(file, entry, split_state(entry), contamination_of(entry))


def split_state(entry: BoardEntry) -> SplitState:
    """Return which split a result was tested on, identified by the digests of its parts."""
    given, called = entry.split.parts, entry.split.name
    published = [s for s in known_splits() if s.dataset == entry.data.benchmark]
    if not given:
        return _by_counts(entry, published)
    own = _own_parts(entry.data.name).get(called, {})
    if own and all(own.get(part) == digest for part, digest in given.items()):
        return SplitState("known", f"{called} of {entry.data.name}, which is shipped.")
    same = [s for s in published if all(s.parts.get(p) == d for p, d in given.items())]
    if same:
        return _published(same, called)
    partly = [(s, p) for s in published for p, d in given.items() if s.parts.get(p) == d]
    if partly:
        split, _ = partly[0]
        agree = [part for other, part in partly if other is split]
        why = f"Only {' and '.join(agree)} {'has' if len(agree) == 1 else 'have'} the rows of"
        return SplitState("variant", f"{why} {split}.")
    return SplitState("unknown", "Its rows are no published split's.")


def _published(same: list[KnownSplit], called: str) -> SplitState:
    """Distinguish releases that share all given rows by the result's name of its split."""
    old = [split for split in same if split.superseded]
    if not old:
        return SplitState("known", f"{same[0]}, by its rows.")
    if len(old) == len(same):
        return SplitState("v1", f"{old[0]}, by its rows. {old[0].superseded}")
    if "v1" in called.lower():
        return SplitState("v1", f"{old[0]}, by its rows and its name. {old[0].superseded}")
    named = [split for split in same if split.name == called]
    if named:
        return SplitState("known", f"{named[0]}, by its rows and its name.")
    names = " or ".join(split.name for split in same)
    return SplitState(
        "v1 or 2.0", f"{names}: they share these rows, and the result does not state which."
    )


def _by_counts(entry: BoardEntry, published: list[KnownSplit]) -> SplitState:
    counts = entry.split.counts
    same = [s for s in published if counts and all(s.counts.get(p) == n for p, n in counts.items())]
    if "v1" in entry.split.name.lower():
        return SplitState("v1", "It calls its split v1; the digests of its rows are not given.")
    if not same:
        return SplitState("unknown", "The digests of its rows are not given.")
    why = f"As many test images as {same[-1]}; the digests of its rows are not given."
    return SplitState("by counts", why)


@cache
def _own_parts(name: str) -> Mapping[str, Mapping[str, str]]:
    """Return the digests of the splits of shipped data, except those of full size."""
    if name != "digits" and (name not in SIMULATED or name.endswith("-full")):
        return {}
    return {split.name: split.digests for split in load(name).splits.values()}
