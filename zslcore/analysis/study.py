"""Studies: long computations with everything that their results depend on.

A study is a frozen dataclass in the module of its analysis. Its fields are its arguments, and
``compute`` returns the result; the base class adds key, files and worker processes. Studies are
listed in :mod:`zslcore.jobs.studies`::

    @dataclass(frozen=True)
    class Means(Study[pd.DataFrame]):
        kind = "means"
        dataset: str
        digest: str

        title = property(lambda self: f"Class means of {self.dataset}")

        def compute(self, progress: Progress) -> pd.DataFrame:
            return class_means(load(self.dataset).require_digest(self.digest))
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar, get_type_hints

from zslcore.datasets import ZSLDataset
from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.evaluation.runs import RunResult, run
from zslcore.evaluation.specs import RunSpec, revisions_of
from zslcore.methods.base import ZSLEstimator
from zslcore.progress import Progress, silent
from zslcore.results.store import ResultStore, result_of
from zslcore.storage import artifacts, records, settings
from zslcore.storage.files import FACTS

#: Precomputed results, one folder each, written by ``tools.shipped studies``.
SHIPPED = FACTS / "results" / "jobs"
MANIFEST = "manifest.json"
#: Increased when the file format of results changes; results in other formats are computed again.
FORMAT = 2

R = TypeVar("R")


@dataclass(frozen=True)
class Study(Generic[R]):
    """Base class of studies; subclasses add fields, ``kind``, ``title`` and ``compute``.

    Attributes
    ----------
    kind : name of the kind of study, unique and part of the key
    REVISION : increased when the result for the same arguments changes
    SMALL : largest number of feature values at which a page waits for closed forms
    COMPRESSED : whether the arrays of the result are stored compressed
    """

    kind: ClassVar[str]
    REVISION: ClassVar[int] = 1
    SMALL: ClassVar[int] = 0
    COMPRESSED: ClassVar[bool] = True

    @property
    def title(self) -> str:
        """Title on screen; not part of the key."""
        raise NotImplementedError

    def compute(self, progress: Progress) -> R:
        """Return the result; :meth:`read` relies on the annotated return type."""
        raise NotImplementedError

    @property
    def arguments(self) -> dict[str, Any]:
        """Fields as JSON values: names, numbers, specs and digests, but not arrays."""
        return asdict(self)

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any]) -> Self:
        """Return the study with these :attr:`arguments`."""
        return records.typed(arguments, cls)

    @property
    def code_versions(self) -> dict[str, Any]:
        """Revisions of methods and searched grids; part of the key, but not arguments."""
        return {}

    @property
    def threads(self) -> int:
        """Threads for linear algebra; part of the key, since the order of sums changes digits."""
        return 1

    @property
    def identity(self) -> dict[str, Any]:
        """Everything on which the result depends."""
        return {
            "function": self.kind,
            "arguments": self.arguments,
            "threads": self.threads,
            "made_by": {"revision": self.REVISION} | self.code_versions,
        }

    @property
    def key(self) -> str:
        """First 16 hex digits of the SHA-256 of :attr:`identity`."""
        return study_key(self.identity)

    @property
    def estimators(self) -> Iterable[ZSLEstimator]:
        """The methods that are fitted."""
        return ()

    def is_quick(self, dataset: ZSLDataset) -> bool:
        """Return whether all methods are closed forms and the data are small."""
        iterative = any(method.iterative for method in self.estimators)
        return not iterative and dataset.features.size <= self.SMALL

    @classmethod
    def compute_into(cls, folder: Path, progress: Progress, **arguments: Any) -> None:
        """Compute the result for these arguments, and write it into an empty folder."""
        progress(0, 0, "Loading the data set and the method")
        result = cls.from_arguments(arguments).compute(progress)
        records.save(folder, result, compressed=cls.COMPRESSED)

    def read(self, folder: Path) -> R:
        """Return the result written by :meth:`compute_into`."""
        return records.load_record(folder, get_type_hints(type(self).compute)["return"])


def code_versions(*methods: ZSLEstimator, grids: bool = False) -> dict[str, Any]:
    """Return the revisions of methods and, if ``grids``, their parameter grids."""
    identity: dict[str, Any] = {"revisions": revisions_of(*methods)}
    if grids:
        identity["grids"] = {method.card.name: dict(method.param_grid) for method in methods}
    return identity


def study_key(content: object) -> str:
    """Return the first 16 hex digits of the SHA-256 of a study's identity."""
    text = json.dumps(content, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# --- Results in the run store ---------------------------------------------------------------------


Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class RecordStudy(Study[R]):
    """Study with its result stored in the run store, and shown in lists of results.

    ``kind`` is one of :data:`zslcore.results.store.KINDS`. ``SCHEMA`` reads and writes the result;
    without a schema, the result is a list of rows with JSON values.
    """

    SCHEMA: ClassVar[records.Schema[Any] | None] = None

    def listed(self, result: R) -> tuple[Mapping[str, Any], Rows]:
        """Return the columns that all rows of a result share, and the rows, for lists."""
        raise NotImplementedError

    def stored(self, store: ResultStore | None = None) -> R | None:
        """Return the stored result; None if it is missing or unreadable."""
        text = (store or ResultStore()).record(self.kind, self.key)
        if text is None:
            return None
        try:
            read: Any = self.SCHEMA.load(text) if self.SCHEMA else _read_rows(text)
        except records.UnreadableError:
            return None
        result: R = read
        return result

    def put(
        self, result: R, store: ResultStore | None = None, *, seconds: float | None = None
    ) -> None:
        """Store a result and, if known, the seconds of its computation."""
        record: Any = result
        if self.SCHEMA is not None:
            record = json.loads(self.SCHEMA.dump(record))
        columns, rows = self.listed(result)
        columns = ({} if seconds is None else {"seconds": seconds}) | dict(columns)
        entry = result_of(self.kind, self.key, columns, rows, record)
        (store or ResultStore()).put_result(entry)

    def is_stored(self) -> bool:
        """Return whether a readable result is stored."""
        return self.stored() is not None

    def complete(self, progress: Progress = silent) -> int:
        """Compute and store a missing result; return 1 if it was computed, else 0."""
        if self.is_stored():
            return 0
        start = time.perf_counter()
        result = self.compute(progress)
        self.put(result, seconds=time.perf_counter() - start)
        return 1


def _read_rows(text: str) -> list[dict[str, Any]]:
    """Read the rows of a record; raise UnreadableError for other JSON."""
    try:
        return [dict(row) for row in json.loads(text)]
    except (ValueError, TypeError) as error:
        raise records.UnreadableError("Rows: expected a list of mappings.") from error


# --- Results on disk ------------------------------------------------------------------------------


def verified(folder: Path) -> dict[str, Any]:
    """Verify a result folder, and return the identity of its study.

    Raises CorruptFolderError if files differ from the manifest, or the manifest from the folder
    name.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        artifacts.verify(folder, manifest["files"], MANIFEST)
        identity: dict[str, Any] = manifest["settings"]
        intact = study_key(identity) == folder.name and manifest["format"] == FORMAT
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise artifacts.CorruptFolderError(
            f"its manifest cannot be read ({type(error).__name__})"
        ) from error
    if not intact:
        raise artifacts.CorruptFolderError("its manifest is for a different study or format")
    return identity


def is_intact(folder: Path) -> bool:
    """Return whether a result folder is complete and unchanged."""
    try:
        verified(folder)
    except artifacts.CorruptFolderError:
        return False
    return True


def shipped_folder(key: str) -> Path | None:
    """Return the verified folder of a precomputed result, or None."""
    folder = SHIPPED / key
    return folder if settings.SHIPPED() and folder.is_dir() and is_intact(folder) else None


# --- Runs as studies ------------------------------------------------------------------------------


#: Multiplications per second of the slowest closed form, with its grid on the folds.
SPEED = 6e8


@dataclass(frozen=True)
class SpecStudy(Study[R]):
    """Study with a run spec as its argument."""

    spec: RunSpec

    @property
    def arguments(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return {"spec": self.spec.to_json()}

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any]) -> Self:
        """Return the study with these :attr:`arguments`."""
        return cls(RunSpec.from_json(arguments["spec"]))

    @property
    def estimators(self) -> Iterable[ZSLEstimator]:
        """The methods that are fitted."""
        return (self.spec.estimator,)


@dataclass(frozen=True)
class RunStudy(SpecStudy[tuple[RunResult, ScoredTest]]):
    """Study of one run; closed forms also sweep their grid on the test set (oracle)."""

    kind = "run"
    #: With more feature values than this, two threads are faster than one.
    SMALL, COMPRESSED = 1 << 22, False

    threads: int = 1

    @classmethod
    def of(cls, spec: RunSpec, dataset: ZSLDataset) -> Self:
        """Return the study of a spec, with the number of threads for the size of its data."""
        return cls(spec, 1 if dataset.features.size <= cls.SMALL else 2)

    @property
    def title(self) -> str:
        """Title on screen."""
        return f"{self.spec.method} on {self.spec.dataset}, split {self.spec.split}"

    def compute(self, progress: Progress) -> tuple[RunResult, ScoredTest]:
        """Run the spec; if its result is stored, only fit again to get the scores."""
        sweeps = not self.spec.estimator.iterative
        done = run(self.spec, store=ResultStore(), with_oracle=sweeps, progress=progress)
        return done.result, done.scores


def run_seconds(dataset: ZSLDataset) -> float:
    """Return an upper bound on the seconds that a closed form with its grid takes on one thread."""
    n, d = dataset.features.shape
    return float(0.2 + n * d * (sum(dataset.prototypes.shape) + 100) / SPEED)
