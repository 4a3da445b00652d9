"""The JSON of one result on the board.

A file is untrusted. It is read by its types, an unknown field is refused
like one that is missing, and what contradicts itself is refused in one sentence. How gamma was
found has to be stated: a figure with a gamma of unknown origin is no result.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar, Literal

from zslcore.datasets.facts import fact_sources
from zslcore.exceptions import FileRefusedError
from zslcore.leakage.context import PARTS
from zslcore.metrics import harmonic_mean
from zslcore.texts import clean_text, typed

__all__ = [
    "MAX_BYTES",
    "SCHEMA",
    "BoardEntry",
    "Data",
    "Figures",
    "Gamma",
    "Parameters",
    "Seeds",
    "SplitMark",
    "check_entry",
    "read_entry",
]

#: The schema, the first field of every file.
SCHEMA: Literal["zslcore-board/1"] = "zslcore-board/1"
#: A result with every accuracy of 717 classes takes 100 kB.
MAX_BYTES = 1 << 20
#: Most letters of one text.
MAX_TEXT = 500
#: By how much figures that were printed with one decimal of a percent may miss their means.
ROUNDING = 1.5e-3
#: Which of the package's predictions a result names.
PREDICTIONS = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+-]*/[0-9a-f]{16}")
_STRICT: Mapping[str, Any] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class Data:
    """What was tested on.

    Attributes
    ----------
    name : as its owner calls it
    benchmark : AWA1, AWA2, CUB, SUN or aPY; empty for any other data
    features : what the images were turned into, in words
    pretraining : names of the sets the feature extractor was trained on, see
        :data:`zslcore.leakage.vocabularies.VOCABULARY_NAMES`; ``["none"]`` for none, empty where
        it is unknown
    simulated : whether no camera was involved
    digest : of the content, 16 hex digits, where it is known
    """

    __pydantic_config__: ClassVar[Any] = _STRICT
    name: str
    benchmark: str = ""
    features: str = ""
    pretraining: tuple[str, ...] = ()
    simulated: bool = False
    digest: str = ""


@dataclass(frozen=True, slots=True)
class SplitMark:
    """Which images were trained and tested on.

    Attributes
    ----------
    name : "PS 2.0", "SS", "own" ...
    parts : part -> digest of its rows, see :func:`zslcore.datasets.base.part_digest`
    counts : part -> number of its images, for results without row numbers
    """

    __pydantic_config__: ClassVar[Any] = _STRICT
    name: str
    parts: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Gamma:
    """What calibrated stacking took from the scores of seen classes, and how it was found.

    Attributes
    ----------
    origin : "validated" (on other images than the test images), "given" (how is not stated),
        "oracle" (on the test images) or "none"
    value : None where there is none
    """

    __pydantic_config__: ClassVar[Any] = _STRICT
    origin: Literal["validated", "given", "oracle", "none"]
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Parameters:
    """How the parameters of the method were chosen.

    Attributes
    ----------
    origin : "validated", "given", "oracle" or "not told"
    chosen_for : what validation looked at
    params : name -> value
    grid : name -> values that were searched; of a run of this package its spec has them
    """

    __pydantic_config__: ClassVar[Any] = _STRICT
    origin: Literal["validated", "given", "oracle", "not told"]
    chosen_for: Literal["zsl", "gzsl", ""] = ""
    params: Mapping[str, bool | int | float | str | None] = field(default_factory=dict)
    grid: Mapping[str, tuple[bool | int | float | str | None, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Figures:
    """Accuracies, means over classes, fractions in [0, 1]; None where there is none.

    Attributes
    ----------
    zsl : of unseen images among unseen classes
    u, s, H : among all classes, without calibration
    u_gamma, s_gamma, H_gamma : among all classes, at gamma
    ausuc : area under the seen-unseen curve
    """

    __pydantic_config__: ClassVar[Any] = _STRICT
    zsl: float | None = None
    u: float | None = None
    s: float | None = None
    H: float | None = None
    u_gamma: float | None = None
    s_gamma: float | None = None
    H_gamma: float | None = None
    ausuc: float | None = None


@dataclass(frozen=True, slots=True)
class Seeds:
    """How much a stochastic method's figures vary; the figures are those of the first seed.

    Attributes
    ----------
    n : number of seeds
    zsl_std, H_gamma_std : standard deviations over them
    """

    __pydantic_config__: ClassVar[Any] = _STRICT
    n: int = 1
    zsl_std: float | None = None
    H_gamma_std: float | None = None


@dataclass(frozen=True, slots=True)
class BoardEntry:
    """One result on the board.

    Attributes
    ----------
    method : its name
    who : whose result it is
    link, code : pages about it and of its code, addresses that begin with https:// or http://
    data, split, gamma, parameters, figures, seeds
    unseen_classes : their names; may be empty for a benchmark's own split
    per_class : "zsl", "plain" (gamma = 0), "at_gamma" -> class -> accuracy, for intervals
    spec : what was run, where it was run by this package
    provenance : where the figures come from, in a sentence, where it was not
    versions : of what computed it
    created : day or moment, ISO 8601
    predictions : of a result that comes with the package, which of its files of predictions
        verifies it, ``<data>/<key>``; those of any other lie next to its JSON
    schema : what kind of file this is
    """

    __pydantic_config__: ClassVar[Any] = _STRICT
    method: str
    who: str
    data: Data
    split: SplitMark
    gamma: Gamma
    parameters: Parameters
    figures: Figures
    seeds: Seeds = field(default_factory=Seeds)
    unseen_classes: tuple[str, ...] = ()
    per_class: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    spec: Mapping[str, Any] | None = None
    provenance: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    created: str = ""
    link: str = ""
    code: str = ""
    predictions: str = ""
    schema: Literal["zslcore-board/1"] = SCHEMA

    def to_json(self) -> str:
        """Return the entry as JSON, the same text for the same entry.

        Numbers that are not finite are null; no entry that was read or checked has any.
        """
        values = _finite(asdict(self))
        record = {"schema": values.pop("schema")} | {
            name: value for name, value in values.items() if value not in ("", (), {}, None)
        }
        for name in ("data", "split", "gamma", "parameters", "figures", "seeds"):
            record[name] = {
                key: value for key, value in record[name].items() if value not in ("", (), {}, None)
            }
        return json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @property
    def peeked(self) -> bool:
        """Whether anything was chosen on the test images: then it is a bound, and no result."""
        return "oracle" in (self.gamma.origin, self.parameters.origin)


def read_entry(content: bytes, file: str) -> BoardEntry:
    """Read and check the JSON of one result.

    Parameters
    ----------
    content : the file
    file : its name, for sentences

    Raises
    ------
    FileRefusedError
        In one sentence: which field, what was expected, what came.
    """
    file = clean_text(file)
    if len(content) > MAX_BYTES:
        raise FileRefusedError(
            f"{file}: expected at most {MAX_BYTES:,} bytes; got {len(content):,}."
        )
    try:
        values = json.loads(content)
    except (ValueError, RecursionError):
        raise FileRefusedError(f"{file}: expected JSON; got other text.") from None
    if not isinstance(values, dict) or values.get("schema") != SCHEMA:
        raise FileRefusedError(f'{file}: expected an object with "schema": "{SCHEMA}".')
    _require_origin(values, file)
    entry = typed(BoardEntry, values, file)
    check_entry(entry, file)
    return entry


def check_entry(entry: BoardEntry, file: str) -> None:
    """Refuse an entry whose values contradict each other.

    Raises
    ------
    FileRefusedError
        In one sentence: which field, what was expected, what came.
    """
    try:
        wrong = next(_contradictions(entry), None)
    except RecursionError:
        raise FileRefusedError(f"{file}: expected a result; got values without end.") from None
    if wrong:
        raise FileRefusedError(f"{file}, {wrong}.")


def _require_origin(values: dict[str, Any], file: str) -> None:
    """Refuse a result that does not say how its gamma was found."""
    gamma = values.get("gamma")
    origin = gamma.get("origin") if isinstance(gamma, dict) else None
    known = ("validated", "given", "oracle", "none")
    if origin not in known:
        got = clean_text(repr(origin), 60) if origin is not None else "nothing"
        raise FileRefusedError(
            f"{file}, gamma.origin: expected how gamma was found ({', '.join(known)}); got {got}."
        )


# --- What cannot be so, whatever was run ----------------------------------------------------------


def _contradictions(entry: BoardEntry) -> Iterator[str]:
    yield from _of_texts(entry)
    yield from _of_gamma(entry)
    yield from _of_fractions(entry)
    if not entry.spec and not entry.provenance:
        yield "provenance: expected where the figures come from, or the spec that was run; got none"
    if entry.data.benchmark and entry.data.benchmark not in fact_sources():
        known = ", ".join(fact_sources())
        yield f"data.benchmark: expected {known} or nothing; got {entry.data.benchmark!r}"
    for name in (*entry.split.parts, *entry.split.counts):
        if name not in PARTS:
            yield f"split.parts: expected {', '.join(PARTS)}; got {name!r}"
    yield from _of_numbers(entry)


def _of_texts(entry: BoardEntry) -> Iterator[str]:
    for name, text in _leaves(asdict(entry), ""):
        if isinstance(text, str) and (not text.isprintable() or len(text) > MAX_TEXT):
            what = "printable text" if not text.isprintable() else f"at most {MAX_TEXT} letters"
            yield f"{clean_text(name, 80)}: expected {what}; got {clean_text(repr(text), 60)}"
    for name in ("method", "who"):
        if not getattr(entry, name).strip():
            yield f"{name}: expected a name; got none"
    if entry.predictions and not PREDICTIONS.fullmatch(entry.predictions):
        yield f"predictions: expected <data>/<key>; got {entry.predictions[:60]!r}"
    for name in ("link", "code"):
        address = getattr(entry, name)
        if address and not address.startswith(("https://", "http://")):
            yield f"{name}: expected an address that begins with https://; got {address[:60]!r}"


def _of_numbers(entry: BoardEntry) -> Iterator[str]:
    for name, number in _leaves(asdict(entry), ""):
        if isinstance(number, float) and not math.isfinite(number):
            yield f"{clean_text(name, 80)}: expected a finite number; got {number}"


def _leaves(values: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Yield every value with its place, and every name as a value of its own."""
    if isinstance(values, dict):
        for key, value in values.items():
            here = f"{place}.{key}".lstrip(".")
            yield here, str(key)
            yield from _leaves(value, here)
    elif isinstance(values, list | tuple):
        for value in values:
            yield from _leaves(value, place)
    else:
        yield place, values


def _finite(values: Any) -> Any:
    """Return values as JSON can hold them: null for numbers that are not finite."""
    if isinstance(values, dict):
        return {key: _finite(value) for key, value in values.items()}
    if isinstance(values, list | tuple):
        return type(values)(map(_finite, values))
    return None if isinstance(values, float) and not math.isfinite(values) else values


def _of_gamma(entry: BoardEntry) -> Iterator[str]:
    gamma, at_gamma = entry.gamma, entry.figures.H_gamma
    if gamma.origin != "none" and (gamma.value is None or not math.isfinite(gamma.value)):
        yield f"gamma.value: expected the number that was {gamma.origin}; got {gamma.value}"
    if gamma.origin == "validated" and (entry.spec or {}).get("gamma") is not None:
        yield "gamma.origin: expected given, as the spec gives gamma; got validated"
    if gamma.origin == "none" and (gamma.value is not None or at_gamma is not None):
        yield "gamma.origin: expected how gamma was found, as there are figures at gamma; got none"


def _of_fractions(entry: BoardEntry) -> Iterator[str]:
    f = entry.figures
    named = [(f"figures.{each.name}", getattr(f, each.name)) for each in fields(f)]
    named += [
        (f"per_class.{figure}.{name}", value)
        for figure, of_class in entry.per_class.items()
        for name, value in of_class.items()
    ]
    for name, value in named:
        if value is not None and not 0 <= value <= 1:
            hint = "; is that percent?" if 1 < value <= 100 else ""
            yield f"{clean_text(name, 80)}: expected a fraction in [0, 1]; got {value:g}{hint}"
    if all(value is None for name, value in named[: len(fields(f))]):
        yield "figures: expected at least one; got none"
    for u, s, H in (("u", "s", "H"), ("u_gamma", "s_gamma", "H_gamma")):
        yield from _of_harmonic(entry, u, s, H)
    yield from _of_classes(entry)


def _of_harmonic(entry: BoardEntry, u: str, s: str, H: str) -> Iterator[str]:
    unseen, seen, got = (getattr(entry.figures, name) for name in (u, s, H))
    if None not in (unseen, seen, got):
        expected = harmonic_mean(seen, unseen)
        if abs(expected - got) > ROUNDING:
            yield f"figures.{H}: expected the harmonic mean of {u} and {s}, {expected:.4f}; " \
                f"got {got:.4f}"  # fmt: skip


def _of_classes(entry: BoardEntry) -> Iterator[str]:
    unseen = set(entry.unseen_classes)
    for figure in entry.per_class:
        if figure not in ("zsl", "plain", "at_gamma"):
            yield f"per_class: expected zsl, plain and at_gamma; got {clean_text(figure, 40)!r}"
        elif figure != "zsl" and not unseen:
            yield "unseen_classes: expected the names of the unseen classes, as there are " \
                "accuracies of classes of both sides; got none"  # fmt: skip
    of_class = entry.per_class.get("zsl", {})
    if of_class and entry.figures.zsl is not None:
        mean = math.fsum(of_class.values()) / len(of_class)
        if abs(mean - entry.figures.zsl) > ROUNDING:
            yield f"figures.zsl: expected the mean of its classes, {mean:.4f}; " \
                f"got {entry.figures.zsl:.4f}"  # fmt: skip
