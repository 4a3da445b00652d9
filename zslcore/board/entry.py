"""JSON of one result on the board.

Files are untrusted: unknown fields, missing fields and contradictory values are refused, with one
sentence on each fault. Metrics at a gamma of unknown origin are also refused.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import AfterValidator, BeforeValidator
from pydantic_core import PydanticCustomError

from zslcore.datasets.facts import fact_sources
from zslcore.evaluation.predictions import GammaOrigin
from zslcore.exceptions import FileRefusedError
from zslcore.leakage.context import SPLIT_PARTS
from zslcore.metrics import harmonic_mean
from zslcore.texts import clean_text, leaves, read_fields, refusal_of, strict_json
from zslcore.untrusted.readers.json_files import count_values, parse_json
from zslcore.untrusted.worker import Refused

SCHEMA: Literal["zslcore-board/1"] = "zslcore-board/1"
#: Largest size of a file in bytes; a result with all accuracies of 717 classes takes 100 kB.
MAX_BYTES = 1 << 20
#: Maximum number of seeds of one result, and of characters of one text.
MAX_SEEDS = 10_000
MAX_TEXT = 500
#: Largest accepted difference between a mean and its recomputed value: metrics may be printed in
#: percent with one decimal.
ROUNDING = 1.5e-3
_STRICT: Mapping[str, Any] = {"extra": "forbid"}


def _expected(expectation: str, holds: Callable[[Any], object]) -> AfterValidator:
    """Return the constraint ``holds``, with the error "expected ...; got ..."."""

    def validate(value: Any) -> Any:
        if not holds(value):
            raise PydanticCustomError("expected", "expected {what}", {"what": expectation})
        return value

    return AfterValidator(validate)


Name = Annotated[str, _expected("a name", str.strip)]
Address = Annotated[
    str,
    _expected("an address that begins with https://", re.compile("$|https?://").match),
]
Fraction = Annotated[
    float, _expected("a fraction in [0, 1], not a percentage", lambda x: 0 <= x <= 1)
]
PartName = Annotated[str, _expected(", ".join(SPLIT_PARTS), SPLIT_PARTS.__contains__)]
Accuracies = Annotated[
    str, _expected("zsl, plain and at_gamma", {"zsl", "plain", "at_gamma"}.__contains__)
]
Stored = Annotated[
    str, _expected("<data>/<key>", re.compile(r"([A-Za-z0-9][\w+-]*/[0-9a-f]{16})?").fullmatch)
]
Scalar = bool | int | float | str | None
ParametersFrom = Annotated[
    Literal["validated", "given", "oracle", "not stated"],
    BeforeValidator(lambda origin: "not stated" if origin == "not told" else origin),  # older files
]


@dataclass(frozen=True, slots=True)
class Data:
    """The tested data set.

    Attributes
    ----------
    benchmark : AWA1, AWA2, CUB, SUN or aPY; empty for other data
    features : description of the features
    pretraining : names of the pre-training sets of the feature extractor, see
        :data:`zslcore.leakage.vocabularies.VOCABULARY_NAMES`; ``["none"]`` for none, empty if
        unknown
    simulated : whether the data are simulated
    digest : digest of the content, 16 hex digits, if known
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
    """Training and test images of a result.

    Attributes
    ----------
    parts : part -> digest of its rows, see :func:`zslcore.datasets.base.part_digest`
    counts : part -> number of images, for results without row numbers
    """

    __pydantic_config__: ClassVar[Any] = _STRICT
    name: str
    parts: Mapping[PartName, str] = field(default_factory=dict)
    counts: Mapping[PartName, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Gamma:
    """Number that calibrated stacking subtracts from the scores of seen classes, and its origin.

    Attributes
    ----------
    origin : "validated" (chosen on images other than the test images), "given" (choice not stated),
        "oracle" (chosen on the test images) or "none"
    """

    __pydantic_config__: ClassVar[Any] = _STRICT
    origin: GammaOrigin
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Parameters:
    """Choice of the parameters of the method.

    Attributes
    ----------
    chosen_for : task for which the parameters are chosen, "zsl" or "gzsl"
    grid : name -> searched values; a run of this package has these values in its spec
    """

    __pydantic_config__: ClassVar[Any] = _STRICT
    origin: ParametersFrom
    chosen_for: Literal["zsl", "gzsl", ""] = ""
    params: Mapping[str, Scalar] = field(default_factory=dict)
    grid: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StatedMetrics:
    """Accuracies as means over classes, fractions in [0, 1]; None if missing.

    ``zsl`` is the accuracy of unseen images among unseen classes; ``u_gamma``, ``s_gamma`` and
    ``H_gamma`` are values at gamma; ``ausuc`` is the area under the seen-unseen curve.
    """

    __pydantic_config__: ClassVar[Any] = _STRICT
    zsl: Fraction | None = None
    u: Fraction | None = None
    s: Fraction | None = None
    H: Fraction | None = None
    u_gamma: Fraction | None = None
    s_gamma: Fraction | None = None
    H_gamma: Fraction | None = None
    ausuc: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Seeds:
    """Standard deviations over ``n`` seeds; the metrics of the entry are from the first seed."""

    __pydantic_config__: ClassVar[Any] = _STRICT
    n: Annotated[int, _expected(f"1 to {MAX_SEEDS:,}", lambda n: 1 <= n <= MAX_SEEDS)] = 1
    zsl_std: Fraction | None = None
    H_gamma_std: Fraction | None = None


@dataclass(frozen=True, slots=True)
class BoardEntry:
    """One result on the board.

    Attributes
    ----------
    who : owner of the result
    link, code : addresses of a page on the result and of its code, https:// or http://
    unseen_classes : names of the unseen classes; may be empty for a split of a benchmark
    per_class : "zsl", "plain" (gamma = 0), "at_gamma" -> class -> accuracy, for intervals
    spec : specification of a run of this package
    provenance : sentence on the source of a result without ``spec``
    versions : versions of the software that computed the result
    created : day or moment, ISO 8601
    predictions : for a result of the package, its predictions file as ``<data>/<key>``; other
        results have their predictions next to the JSON
    """

    __pydantic_config__: ClassVar[Any] = _STRICT
    method: Name
    who: Name
    data: Data
    split: SplitMark
    gamma: Gamma
    parameters: Parameters
    figures: StatedMetrics
    seeds: Seeds = field(default_factory=Seeds)
    unseen_classes: tuple[str, ...] = ()
    per_class: Mapping[Accuracies, Mapping[str, Fraction]] = field(default_factory=dict)
    spec: Mapping[str, Any] | None = None
    provenance: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    created: str = ""
    link: Address = ""
    code: Address = ""
    predictions: Stored = ""
    schema: Literal["zslcore-board/1"] = SCHEMA

    def to_json(self) -> str:
        """Return the entry as JSON, always the same text; non-finite numbers become null."""
        values: dict[str, Any] = json.loads(strict_json(asdict(self)))
        for part in ("data", "split", "gamma", "parameters", "figures", "seeds"):
            values[part] = _filled(values[part])
        record = {"schema": values.pop("schema")} | _filled(values)
        return json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @property
    def used_test_set(self) -> bool:
        """Whether gamma or parameters were chosen on the test images: an upper bound."""
        return "oracle" in (self.gamma.origin, self.parameters.origin)


def read_entry(content: bytes, file: str) -> BoardEntry:
    """Read and check the JSON of one result.

    Raises FileRefusedError, naming the field and the expected and the actual value.
    """
    file = clean_text(file)
    if len(content) > MAX_BYTES:
        raise refusal_of(file, f"at most {MAX_BYTES:,} bytes", "more")
    try:
        values = parse_json(content)
        count_values(values)
    except Refused as refusal:
        raise FileRefusedError(f"{file}: {clean_text(refusal, MAX_TEXT)}.") from None
    except (ValueError, RecursionError):
        raise refusal_of(file, "JSON", "other text") from None
    if not isinstance(values, dict) or values.get("schema") != SCHEMA:
        raise FileRefusedError(f'{file}: expected an object with "schema": "{SCHEMA}".')
    gamma = values.get("gamma")
    origin = gamma.get("origin") if isinstance(gamma, dict) else None
    if origin not in (origins := get_args(GammaOrigin)):
        got = "nothing" if origin is None else clean_text(repr(origin), 60)
        how = f"the origin of gamma ({', '.join(origins)})"
        raise refusal_of(f"{file}, gamma.origin", how, got)
    return _checked(values, file)


def check_entry(entry: BoardEntry, file: str) -> None:
    """Refuse an entry with contradictory values, as in :func:`read_entry`."""
    _checked(asdict(entry), file)


def _checked(values: dict[str, Any], file: str) -> BoardEntry:
    try:
        if wrong := next(_invalid_values(values), None):
            raise FileRefusedError(f"{file}, {wrong}.")
        entry = read_fields(BoardEntry, values, file)
        if wrong := next(_contradictions(entry), None):
            raise FileRefusedError(f"{file}, {wrong}.")
    except RecursionError:
        raise refusal_of(file, "a result", "values that are nested too deeply") from None
    return entry


def _invalid_values(values: Any) -> Iterator[str]:
    """Yield the values and field names that are not allowed in a JSON of the board."""
    for path, value in leaves(values):
        if isinstance(value, float) and not math.isfinite(value):
            yield f"{clean_text(path, 80)}: expected a finite number; got {value}"
        elif isinstance(value, str) and (not value.isprintable() or len(value) > MAX_TEXT):
            limit = f"at most {MAX_TEXT} characters" if value.isprintable() else "printable text"
            yield f"{clean_text(path, 80)}: expected {limit}; got {clean_text(repr(value), 60)}"


def _filled(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in ("", (), [], {}, None)}


def _contradictions(entry: BoardEntry) -> Iterator[str]:
    """Yield contradictions between the values of an entry."""
    f, gamma, unseen = entry.figures, entry.gamma, set(entry.unseen_classes)
    if gamma.origin != "none" and gamma.value is None:
        yield f"gamma.value: expected the number that was {gamma.origin}; got none"
    if gamma.origin == "validated" and (entry.spec or {}).get("gamma") is not None:
        yield "gamma.origin: expected 'given', since the spec has a gamma; got 'validated'"
    if gamma.origin == "none" and (gamma.value, f.H_gamma) != (None, None):
        yield "gamma.origin: expected an origin, since there are metrics at gamma; got none"
    if not entry.spec and not entry.provenance:
        yield "provenance: expected the source of the metrics, or the spec that was run; got none"
    if entry.data.benchmark and entry.data.benchmark not in fact_sources():
        benchmarks = ", ".join(fact_sources())
        yield f"data.benchmark: expected {benchmarks} or nothing; got {entry.data.benchmark!r}"
    if not any(getattr(f, field.name) is not None for field in fields(f)):
        yield "figures: expected at least one; got none"
    if entry.seeds.n == 1 and (entry.seeds.zsl_std, entry.seeds.H_gamma_std) != (None, None):
        yield "seeds.n: expected more than one for deviations over seeds; got 1"
    for u, s, H in (("u", "s", "H"), ("u_gamma", "s_gamma", "H_gamma")):
        if None not in (values := [getattr(f, name) for name in (u, s, H)]):
            yield from _differs(
                f"figures.{H}",
                f"the harmonic mean of {u} and {s}",
                harmonic_mean(values[1], values[0]),
                values[2],
            )
    if not unseen and {*entry.per_class} - {"zsl"}:
        yield (
            "unseen_classes: expected the names of the unseen classes, to distinguish their "
            "accuracies from those of seen classes; got none"
        )
    if (of_class := entry.per_class.get("zsl")) and f.zsl is not None:
        mean = math.fsum(of_class.values()) / len(of_class)
        yield from _differs("figures.zsl", "the mean of its classes", mean, f.zsl)


def _differs(field: str, name: str, expected: float, got: float) -> Iterator[str]:
    if abs(expected - got) > ROUNDING:
        yield f"{field}: expected {name}, {expected:.4f}; got {got:.4f}"
