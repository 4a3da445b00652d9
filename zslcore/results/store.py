"""Store of results in SQLite: runs, and results of studies of five kinds.

The kinds of studies and the content of one result of each kind are:

=============== =================================================================================
``crossed``     one fit scored on several data sets, :mod:`zslcore.analysis.cross_dataset`
``transductive`` a transductive method and its inductive base, :mod:`zslcore.analysis.transduction`
``action``      one fit of the study of actions, :mod:`zslcore.analysis.actions`
``large-scale`` one method on the ImageNet test sets, :mod:`zslcore.analysis.large_scale`
``path``        metrics along a regulariser, :mod:`zslcore.analysis.regularization`
=============== =================================================================================

A run is stored as :class:`zslcore.evaluation.runs.RunResult`. Results of studies have the column
names of runs, so that one table can show both.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeVar

from zslcore.datasets import ZSLDataset
from zslcore.evaluation.predictions import Predictions
from zslcore.evaluation.predictions_file import predictions_bytes, read_packaged
from zslcore.evaluation.runs import Run, RunResult
from zslcore.exceptions import DatasetError, FileRefusedError, UnknownNameError, ZSLError
from zslcore.numbers import counted
from zslcore.results.database import (
    KEYS,
    PATIENCE,
    Row,
    back_up,
    connected,
    delete_from_backup,
    drop_oldest_predictions,
    is_damage,
    loss_in,
    prepare,
    rows_by_key,
)
from zslcore.results.shipped import (
    MOST_IN_MEMORY,
    shipped_predictions,
    shipped_result,
    shipped_results,
)
from zslcore.storage import settings
from zslcore.storage.artifacts import scratch
from zslcore.storage.files import data_folder
from zslcore.storage.records import Schema, UnreadableError
from zslcore.texts import listed
from zslcore.version import commit, version

RUN = "run"
#: Origin of results computed in this data folder.
HERE = "here"
#: Kinds of results: runs, then the kinds of studies above.
KINDS = (RUN, "crossed", "transductive", "action", "large-scale", "path")


@dataclass(frozen=True, slots=True)
class Result:
    """Stored result of a study, of one of :data:`KINDS`.

    ``key`` is a digest of everything that the metrics depend on. ``about`` has columns of
    :meth:`StoredRun.table`; ``rows`` are metrics as fractions in [0, 1], one mapping per test set,
    compared method or value. ``record`` is the full result for the study's module, None if it is
    stored with a job.
    """

    kind: str
    key: str
    created: str
    about: dict[str, Any]
    rows: tuple[dict[str, Any], ...]
    record: Any = field(default=None)

    @property
    def id(self) -> str:
        """Key of the result, which is its id."""
        return self.key

    def table(self) -> list[dict[str, Any]]:
        """Return one tidy row per mapping of ``rows``."""
        head = {"kind": self.kind, "id": self.key, "key": self.key, "origin": HERE}
        return [head | {"created": self.created} | self.about | row for row in self.rows]

    def to_json(self) -> str:
        """Return the result as JSON, with the version of its schema."""
        return SCHEMA.dump(self)

    @classmethod
    def from_json(cls, text: str) -> Result:
        """Read JSON of :meth:`to_json`; raise UnreadableError for other text."""
        return SCHEMA.load(text)


SCHEMA = Schema(Result, 1)


def result_of(
    kind: str,
    key: str,
    about: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    record: Any = None,
) -> Result:
    """Return a :class:`Result` with the current time and version."""
    program = {"version": version(), "commit": commit()}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Result(kind, key, now, program | dict(about), tuple(map(dict, rows)), record)


@dataclass(frozen=True, slots=True)
class StoredRun:
    """Result of a run with its origin: computed here, or precomputed in the package."""

    result: RunResult
    shipped: bool = False

    @property
    def id(self) -> str:
        """Key of the result, which is its id in the store."""
        return self.result.key

    @property
    def origin(self) -> str:
        """Origin of the result: "here" or "the package"."""
        return "the package" if self.shipped else HERE

    @property
    def created(self) -> str:
        """Moment of the run, ISO 8601 in UTC."""
        return self.result.created

    def table(self) -> list[dict[str, Any]]:
        """Return one tidy row: kind, id and origin, then :meth:`RunResult.row`."""
        head = {"kind": RUN, "id": self.id, "origin": self.origin}
        return [head | self.result.row()]

    def to_json(self) -> str:
        """Return the result as :meth:`RunResult.to_json` does."""
        return self.result.to_json()


class ResultStore:
    """Results in one SQLite file, one row per spec; a repeated run replaces its row.

    A change is one transaction, and waits for other writers, so that nothing is lost. SQLite's
    write-ahead log is not used, so that the file can be copied, and kept on a network drive with
    file locks. Rows that this version cannot read are skipped, and counted by :meth:`unreadable`.

    ``not_stored_because`` is the reason for the last failed write in :meth:`tolerated`, or empty;
    ``dropped`` is the number of older predictions deleted to free space (``ZSL_PREDICTIONS``).
    ``with_shipped`` adds precomputed results; it is True for the store in the data folder, unless
    ``ZSL_SHIPPED`` is 0.
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self.path = Path(path) if path else data_folder() / "runs.sqlite"
        self.with_shipped = path is None and settings.SHIPPED()
        self.not_stored_because = ""
        self.dropped = 0

    # --- Runs ---

    def put(self, result: RunResult, predictions: Predictions | None = None) -> None:
        """Store a result with its predictions, in place of the stored result with the same key.

        The oracle of the replaced result is kept if the new result has the same metrics but no
        oracle. The oldest predictions are deleted if all predictions take more than
        ``ZSL_PREDICTIONS``.
        """
        content = None if predictions is None else predictions_bytes(predictions)
        with self.writing() as db:
            rows = [row[-1:] for row in rows_by_key(db, "runs", result.key)]
            for former in _readable(rows if result.oracle is None else []):
                if former.evaluation == result.evaluation:
                    result = replace(result, oracle=former.oracle)
            values = (result.key, result.created, result.to_json())
            db.execute("INSERT OR REPLACE INTO runs VALUES (?, ?, ?)", values)
            if content is not None:
                stored = (result.key, result.created, content)
                db.execute("INSERT OR REPLACE INTO predictions VALUES (?, ?, ?)", stored)
                self.dropped += drop_oldest_predictions(db, settings.PREDICTIONS())

    def predictions(self, key: str) -> Predictions | None:
        """Return the predictions of the result with this key, stored or precomputed, else None."""
        stored_rows = self._select("runs", key)
        if not stored_rows:
            return shipped_predictions(key) if self.with_shipped else None
        created = stored_rows[0][-1]
        for content, of_run in self._select("predictions", key):
            if of_run == created:
                with suppress(FileRefusedError):
                    return _parsed_predictions(content)
        return None

    def get(self, key: str) -> RunResult | None:
        """Return the result of the spec with this key, stored or precomputed, else None."""
        stored = next(iter(_readable(self._select("runs", key))), None)
        return shipped_result(key) if stored is None and self.with_shipped else stored

    def put_run(self, run: Run) -> None:
        """Store the result of a run, with its predictions if they are available."""
        predictions = None
        with suppress(DatasetError):
            predictions = run.predictions
        self.put(run.result, predictions)

    @contextmanager
    def tolerated(self) -> Iterator[None]:
        """Continue after a failed write, with the reason in ``not_stored_because``."""
        try:
            yield
        except ZSLError as error:
            self.not_stored_because = str(error)

    def results(self) -> list[RunResult]:
        """Return the readable stored results, newest first, then precomputed results."""
        return [run.result for run in self.stored()]

    def _shipped(self, stored_keys: Collection[str]) -> list[RunResult]:
        """Return the precomputed results, except those with a key in ``stored_keys``."""
        precomputed = shipped_results() if self.with_shipped else []
        return [result for result in precomputed if result.key not in stored_keys]

    def runs_on(self, dataset: ZSLDataset, split: str) -> list[RunResult]:
        """Return the stored results on one split of a data set with this digest, oldest first."""
        return [
            result
            for result in reversed(self.results())
            if (result.spec.digest, result.spec.split) == (dataset.digest, split)
        ]

    # --- Results with their origin ---

    def stored(self) -> list[StoredRun]:
        """Return the readable results, newest first, with precomputed results last."""
        stored = list(_readable(self._select("runs")))
        of_package = self._shipped({result.key for result in stored})
        return [StoredRun(r) for r in stored] + [StoredRun(r, shipped=True) for r in of_package]

    def find(self, name: str) -> StoredRun:
        """Return the run with this id, or unique start of an id, else raise UnknownNameError."""
        try:
            return _entry_with_id(name, self.stored())
        except UnknownNameError:
            for result in self.study_results():
                if result.id == name:
                    raise UnknownNameError(
                        f"Expected a run; {name!r} is of kind {result.kind}."
                    ) from None
            raise

    def find_any(self, name: str) -> StoredRun | Result:
        """Return the run or study result with this id; see :meth:`find`."""
        results: list[StoredRun | Result] = [*self.stored(), *self.study_results()]
        return _entry_with_id(name, results)

    def unreadable(self, readable: Sequence[StoredRun] | None = None) -> str:
        """Return a sentence on the number of unreadable results; "" without such results."""
        stored = self.stored() if readable is None else readable
        readable_ids = {run.id for run in stored if not run.shipped}
        # Rows added since the reading do not count as unreadable.
        n = sum(
            row[0] not in readable_ids and not [*_readable([row[-1:]])]
            for row in self._rows("runs")
        )
        count = counted(n, "result was", "results were")
        return f"{count} written by another version or program and cannot be read." * (n > 0)

    def delete(self, id_: str) -> None:
        """Delete the result with this id; raise ZSLError for a precomputed result."""
        if not self._select("runs", id_) and any(r.key == id_ for r in self._shipped(())):
            raise ZSLError(f"{id_} comes with the package and cannot be deleted.")
        with self.writing("EXCLUSIVE") as db:  # excludes a concurrent backup
            for table, key in KEYS.items():
                db.execute(f"DELETE FROM {table} WHERE {key} = ?", (id_,))  # noqa: S608
            delete_from_backup(self.path, id_)

    # --- Results of studies ---

    def put_result(self, result: Result) -> None:
        """Store the result of a study."""
        values = (result.key, result.kind, "", result.created, result.to_json())
        with self.writing() as db:
            db.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)", values)

    def record(self, kind: str, key: str) -> str | None:
        """Return the record of a result of a study as JSON; None without a record."""
        for text, of_kind, *_ in self._select("results", key):
            with suppress(UnreadableError):
                if of_kind == kind:
                    return json.dumps(Result.from_json(text).record)
        return None

    def study_results(self, kinds: Collection[str] = KINDS) -> list[Result]:
        """Return the readable results of studies of these kinds, newest first."""
        results = []
        for text, kind, *_ in self._select("results"):
            with suppress(UnreadableError):
                if kind in kinds:
                    results.append(Result.from_json(text))
        return results

    def size_of_predictions(self) -> tuple[int, int]:
        """Return the number of runs with stored predictions, and the bytes of the predictions."""
        if not self.path.exists():
            return 0, 0
        with self._open("rw") as db:
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'predictions'").fetchone():
                return 0, 0
            query = "SELECT count(*), coalesce(sum(length(parquet)), 0) FROM predictions"
            n, size = db.execute(query).fetchone()
            return int(n), int(size)

    # --- The file ---

    def _select(self, table: str, key: str | None = None) -> list[Row]:
        """Return rows as (JSON or, for predictions, bytes; further columns; time of creation)."""
        return [(row[-1], *row[1:-1]) for row in self._rows(table, key)]

    def _rows(self, table: str, key: str | None = None) -> list[Row]:
        """Return rows as stored, without writing; [] without the file."""
        if not self.path.exists():
            self._refuse_loss(None)
            return []
        with self._open("rw") as db:  # SQLite first undoes changes of a killed writer
            db.execute("BEGIN")
            rows = rows_by_key(db, table, key)
            if not rows:
                self._refuse_loss(db)
            return rows

    def _refuse_loss(self, db: sqlite3.Connection | None) -> None:
        """Raise a ZSLError if the file has lost results that its backup has."""
        if loss := loss_in(db, self.path):
            raise ZSLError(
                f"{self.path}: expected a run store, but {loss}; `zslcore doctor --repair` "
                "restores them."
            )

    @contextmanager
    def writing(
        self, lock: Literal["IMMEDIATE", "EXCLUSIVE"] = "IMMEDIATE"
    ) -> Iterator[sqlite3.Connection]:
        """Open or create the file for one change; other writers wait until it is done.

        Raises ZSLError if the disk is full or read-only, another writer does not end, or the file
        has lost results that its backup has.
        """
        if not self.path.exists():
            self._refuse_loss(None)
        back_up(self.path)
        with ExitStack() as stack:
            db = self._begin(stack, lock)
            self._refuse_loss(db)
            prepare(db)
            yield db
            db.execute("COMMIT")

    def refusal(self) -> str:
        """Return a sentence on why the file cannot be written; "" if it can."""
        try:
            with self.writing():
                return ""
        except ZSLError as error:
            return str(error)

    def _begin(self, stack: ExitStack, lock: str) -> sqlite3.Connection:
        """Begin a change of the current file; start again if a repair replaces it."""
        for _ in range(TRIES):
            before = self._inode()
            with ExitStack() as attempt:
                db = attempt.enter_context(self._open("rwc"))
                db.execute(f"BEGIN {lock}")
                if before == self._inode():
                    stack.push(attempt.pop_all())
                    return db
        raise ZSLError(f"{self.path}: expected a run store; a repair replaced it at each attempt.")

    def _inode(self) -> int | None:
        """Return the inode of the file, which a repair replaces; None without a file."""
        try:
            return self.path.stat().st_ino
        except OSError:
            return None

    @contextmanager
    def _open(self, mode: Literal["rw", "rwc"]) -> Iterator[sqlite3.Connection]:
        """Open the file; turn any error into one sentence."""
        try:
            if mode == "rwc":
                self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(connected(self.path, PATIENCE, mode)) as db:
                yield db
        except (sqlite3.Error, OSError) as error:
            advice = "; `zslcore doctor --repair` sets it aside" if is_damage(error) else ""
            raise ZSLError(f"{self.path}: expected a run store; got: {error}{advice}.") from error


@lru_cache(maxsize=MOST_IN_MEMORY)
def _parsed_predictions(content: bytes) -> Predictions:
    """Return the predictions in the bytes of a file, cached for repeated runs of a page."""
    with scratch() as folder:
        path = folder / "predictions.parquet"
        path.write_bytes(content)
        return read_packaged(path)


Entry = TypeVar("Entry", StoredRun, Result, StoredRun | Result)


def _entry_with_id(name: str, among: Sequence[Entry]) -> Entry:
    """Return the entry with this id or unique start of an id."""
    by_id = {entry.id: entry for entry in among}
    begin = [id_ for id_ in by_id if id_.startswith(name)] if name else []
    if name in by_id:
        return by_id[name]
    if len(begin) == 1:
        return by_id[begin[0]]
    if begin:
        keys = listed(begin, 4)
        raise UnknownNameError(
            f"{len(begin)} keys begin with {name!r}: {keys}. Enter more characters."
        )
    raise UnknownNameError(f"No run is stored under {name!r}; `zslcore runs` lists them.")


#: Largest number of attempts at a change while repairs replace the file.
TRIES = 10


def _readable(rows: Iterable[Row]) -> Iterator[RunResult]:
    """Yield the results that this version can read."""
    for text, *_ in rows:
        with suppress(UnreadableError):
            yield RunResult.from_json(text)
