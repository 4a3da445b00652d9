"""Parallel computation over the rows of a matrix, on this machine or a Dask cluster, with progress.

The rows are cut into chunks: the parts of shards (:mod:`zslcore.large.shards`), or blocks of rows.
joblib computes the chunks in one process per processor or, if the setting ``ZSL_DASK`` has an
address, on a running Dask cluster. A chunk always runs on one thread, and chunks are merged in an
order that depends only on their content, so that results do not depend on the number of workers.

If a folder is given, ``joblib.Memory`` stores each finished chunk there at once, under the digest
of its rows and of the computation. A killed process resumes where it stopped, and if the rows of
one chunk change, only this chunk is computed again. Workers write to the folder; on a cluster,
folder and shards have to be on a shared file system.

If a worker of a cluster is lost, its chunks in progress are lost. On one machine, the loss of
one process loses all chunks in progress, since joblib restarts all processes.

Tasks in other processes report their progress through files (:func:`follow_tasks`): a thread of the
calling process reads them to show a line every :data:`LINE_EVERY` seconds. The weight of a task is
its expected time; a task without an estimate has the mean weight of the other tasks.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import fmean
from tempfile import mkdtemp
from typing import Any, TypeVar

import joblib
import numpy as np
from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError
from threadpoolctl import threadpool_limits

from zslcore.exceptions import ParameterError, ZSLError
from zslcore.features import Features, FeatureView
from zslcore.large.shards import ShardPart, Shards
from zslcore.numbers import counted
from zslcore.progress import Progress, silent
from zslcore.storage import settings
from zslcore.storage.extras import extra
from zslcore.storage.files import data_folder, open_atomically, reraise_write_errors

#: Rows per chunk of a matrix that is not in shards.
CHUNK_ROWS = 1 << 15
#: Attempts without a finished chunk before giving up.
PATIENCE = 3
#: Time limit for a reply of a cluster's scheduler.
DASK_TIMEOUT = "10s"

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Engine:
    """Workers for a computation.

    ``workers`` is the number of processes on this machine: by default one per processor; 1 computes
    in this process. If the setting ``ZSL_DASK`` names the scheduler of a cluster, the workers of
    the cluster are used instead.
    """

    workers: int | None = None

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise ParameterError(f"workers must be at least 1; got {self.workers}.")

    def at_a_time(self, n: int) -> int:
        """Return the number of ``n`` chunks that run at the same time on this machine."""
        return max(1, min(n, self.workers or len(os.sched_getaffinity(0))))


#: All processors of this machine.
HERE = Engine()


@contextmanager
def parallel(
    n_jobs: int, return_as: str, common: object = None, **options: Any
) -> Iterator[Parallel]:
    """Yield joblib's ``Parallel`` on this machine, or on the cluster of the setting ``ZSL_DASK``.

    ``n_jobs`` and ``options`` apply to processes on this machine. ``return_as`` is "list",
    "generator" or "generator_unordered". ``common`` is an argument of all calls, sent once to each
    worker of a cluster. Raises ZSLError if Dask is not installed, the scheduler does not answer, or
    the cluster is lost.
    """
    address = settings.DASK()
    if not address:
        # joblib reuses processes only for the same initializer and arguments: processes that were
        # started with other settings would use another data folder.
        begin: dict[str, Any] = {
            "initializer": settings.set_environment,
            "initargs": (settings.environment(),),
        }
        yield Parallel(n_jobs, return_as=return_as, **begin, **options)
        return
    with extra("dask", "distributed", "ZSL_DASK"):
        from distributed import Client
    try:
        client = Client(address, timeout=DASK_TIMEOUT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise ZSLError(
            f"ZSL_DASK: expected the address of a running scheduler; {address!r} does not answer "
            f"({type(error).__name__})."
        ) from error
    scatter = [] if common is None else [common]
    with (
        _losses_as_errors(address),
        client,
        parallel_config("dask", client=client, scatter=scatter),
    ):
        yield Parallel(-1, return_as=return_as)


@contextmanager
def _losses_as_errors(address: str) -> Iterator[None]:
    """Raise one ZSLError if the Dask cluster is lost, and silence the log of Dask."""
    from distributed.client import FutureCancelledError
    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker

    # After the connection is lost, Tornado logs errors in callbacks of Dask.
    logs = [logging.getLogger(name) for name in ("distributed.client", "tornado.application")]
    levels = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.CRITICAL)
    try:
        yield
    except (FutureCancelledError, KilledWorker, CommClosedError, TimeoutError) as error:
        raise ZSLError(
            f"ZSL_DASK: the scheduler at {address} or its workers were lost during the computation "
            f"({type(error).__name__}). Finished parts are kept; repeat the command to resume."
        ) from error
    finally:
        for log, level in zip(logs, levels, strict=True):
            log.setLevel(level)


@dataclass(frozen=True)
class Chunk:
    """Rows of a view that are in one part of the shards, or in one block.

    ``positions`` are the positions of the rows in the view; ``scaling`` is an empty view that
    scales rows in the same way. ``rows`` are row numbers in ``part`` or, for a matrix that is not
    in shards, in ``matrix``; None means all rows.
    """

    positions: slice | np.ndarray
    scaling: FeatureView
    part: ShardPart | None = None
    matrix: Any = field(default=None, repr=False)
    rows: np.ndarray | None = None

    def open(self) -> FeatureView:
        """Return the view of these rows."""
        matrix = self.matrix if self.part is None else self.part.features()
        return self.scaling.of(matrix, self.rows)

    @cached_property
    def digest(self) -> str:
        """Digest of the values of these rows and their scaling."""
        sha = hashlib.sha256(self.scaling.scaling_digest.encode())
        if self.part is not None:
            sha.update(self.part.digest.encode())
            if self.rows is not None:
                sha.update(self.rows.astype("<i8").tobytes())
        else:
            rows = self.matrix[:] if self.rows is None else self.matrix[self.rows]
            sha.update(f"{rows.shape} {rows.dtype.str}".encode())
            sha.update(np.ascontiguousarray(rows).tobytes())
        return sha.hexdigest()


def chunks_of(X: Features | Shards) -> list[Chunk]:
    """Cut a matrix or view into chunks: the parts of shards, or blocks of rows."""
    view = X if isinstance(X, FeatureView) else FeatureView(X)
    scaling, matrix, rows = view.of(np.empty((0, 0))), view.matrix, view.row_numbers
    if not isinstance(matrix, Shards):
        starts = range(0, len(view), CHUNK_ROWS)
        slices = [slice(start, min(start + CHUNK_ROWS, len(view))) for start in starts]
        if rows is None:
            return [Chunk(positions, scaling, matrix=matrix[positions]) for positions in slices]
        return [
            Chunk(positions, scaling, matrix=matrix, rows=rows[positions]) for positions in slices
        ]
    if rows is None:
        return [Chunk(slice(p.start, p.stop), scaling, part=p) for p in matrix.parts()]
    return list(_chunks_of_rows(matrix.parts(), rows, scaling))


def _chunks_of_rows(
    parts: Sequence[ShardPart], rows: np.ndarray, scaling: FeatureView
) -> Iterator[Chunk]:
    """Yield the chunks of selected rows of shards, in the order of parts."""
    in_order = len(rows) < 2 or bool((rows[1:] >= rows[:-1]).all())
    order = None if in_order else np.argsort(rows, kind="stable")
    sorted_rows = rows if order is None else rows[order]
    ends = np.searchsorted(sorted_rows, [part.stop for part in parts])
    for part, start, end in zip(parts, [0, *ends[:-1]], ends, strict=True):
        if end > start:
            positions = slice(int(start), int(end)) if order is None else order[start:end]
            rows_in_part = sorted_rows[start:end] - part.start
            yield Chunk(
                positions,
                scaling,
                part=part,
                rows=None if len(rows_in_part) == len(part) else rows_in_part,
            )


def compute_chunks(
    do: Callable[..., Result],
    chunks: Sequence[Chunk],
    by_row: Sequence[np.ndarray],
    common: Any,
    digest: str,
    *,
    engine: Engine = HERE,
    keep: Path | None = None,
    progress: Progress = silent,
) -> Iterator[tuple[int, Result]]:
    """Compute all chunks, and yield the position and result of each.

    Parameters
    ----------
    do : module-level function, called with the view of a chunk, the entries of every ``by_row``
        array for its rows, and ``common``
    by_row : arrays with one entry per row, such as labels
    common : argument that is the same for all chunks
    digest : digest of ``common`` and the revision of ``do``; empty if nothing is stored
    keep : folder in which finished chunks are stored and looked up
    progress : callable(done, total, message), called after each chunk
    """
    row_values = [tuple(array[chunk.positions] for array in by_row) for chunk in chunks]
    keys = [""] * len(chunks)
    if keep is not None or all(chunk.part is not None for chunk in chunks):
        keys = [joblib.hash((digest, p.digest, g)) for p, g in zip(chunks, row_values, strict=True)]
    order = sorted(range(len(chunks)), key=lambda k: keys[k])
    stored = joblib.Memory(keep, verbose=0).cache(
        _do, ignore=["do", "chunk", "row_values", "common"]
    )
    tasks = [(do, keys[k], chunks[k], row_values[k], common) for k in order]
    done = failures = 0
    while done < len(tasks):
        before = done
        try:
            for result in _parallel(stored, tasks[done:], engine):
                done += 1
                progress(done, len(tasks), f"Part {done} of {len(tasks)}")
                yield order[done - 1], result
        except TerminatedWorkerError:
            failures = failures + 1 if done == before else 0
            if failures >= PATIENCE:
                raise ZSLError(
                    f"Workers were killed {PATIENCE} times in a row without finishing a part "
                    f"({done} of {len(tasks)} are finished); is there enough memory for "
                    f"{counted(engine.at_a_time(len(tasks)), 'part')} at a time?"
                ) from None


def _do(
    do: Callable[..., Result],
    key: str,
    chunk: Chunk,
    row_values: tuple[np.ndarray, ...],
    common: Any,
) -> Result:
    """Compute one chunk on one thread; joblib stores the result by ``key``."""
    with threadpool_limits(1):
        return do(chunk.open(), *row_values, common)


def _parallel(
    stored: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], engine: Engine
) -> Iterator[Result]:
    """Compute tasks in parallel, and yield results in the order of tasks."""
    n_jobs = engine.at_a_time(len(tasks))
    # A matrix in memory would be copied to the workers, so it is processed here.
    in_memory = any(chunk.part is None for _, _, chunk, _, _ in tasks)
    if in_memory or (not settings.DASK() and n_jobs == 1):
        yield from (stored(*task) for task in tasks)
        return
    with parallel(n_jobs, "generator", tasks[0][-1]) as at_once:
        yield from at_once(delayed(stored)(*task) for task in tasks)


#: Seconds between lines of progress.
LINE_EVERY = 8.0
#: Minimum number of seconds between two reports of a task.
REPORT_EVERY = 1.0
#: Once this share of the computation is finished, the time left is estimated from the pace so far.
FEWEST_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class TasksStatus:
    """Progress of several tasks.

    ``done`` of ``total`` tasks are finished. ``share`` is the finished share of the computation,
    including the tasks in progress. ``in_progress`` lists these as (name, last message).
    ``expected`` is the expected time in seconds, None if no task has an estimate.
    """

    done: int
    total: int
    share: float
    seconds: float
    in_progress: Sequence[tuple[str, str]]
    expected: float | None = None

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds left, from the pace once a tenth is done, else from ``expected``.

        Without an expected time, the estimate is None until a task is done: costs of tasks can
        differ by an unknown factor, so the progress of the first task is not representative. An
        expected time that has passed is wrong, so it gives no estimate.
        """
        is_steady = self.expected is not None or self.total == 1
        if self.share and (self.share >= FEWEST_SHARE if is_steady else self.done):
            return self.seconds * (1 - self.share) / self.share
        is_late = self.expected is not None and self.seconds > self.expected
        return None if self.expected is None or is_late else self.expected * (1 - self.share)

    def __str__(self) -> str:
        """Return the line of progress."""
        now = "; ".join(
            f"{name}: {message}" if message else name for name, message in self.in_progress
        )
        time_left = "" if self.seconds_left is None else f", about {_time(self.seconds_left)} left"
        line = (
            f"{self.share:4.0%}  {self.done} of {self.total} done, {_time(self.seconds)}{time_left}"
        )
        return f"{line}.  {now}" if now else f"{line}."


def _time(seconds: float) -> str:
    """Return a time as "45 s", "3 min 05 s" or "2 h 10 min"."""
    n_seconds = round(seconds)
    if n_seconds < 60:
        return f"{n_seconds} s"
    minutes, seconds_left = divmod(n_seconds, 60)
    if minutes < 60:
        return f"{minutes} min {seconds_left:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


class TaskReport:
    """Progress callback of a task that can run in another process; cheap enough for every step."""

    def __init__(self, path: Path) -> None:
        self.path, self._next = path, 0.0

    def __call__(self, done: float, total: float, message: str = "") -> None:
        """Report progress, at most once per interval."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + REPORT_EVERY
        share = min(max(done / total, 0.0), 1.0) if total else 0.0
        with suppress(OSError), open_atomically(self.path) as file:  # progress is optional
            file.write(json.dumps({"share": share, "message": message}).encode())


class TasksProgress:
    """Progress of several tasks; see :func:`follow_tasks`."""

    def __init__(
        self,
        folder: Path,
        tasks: Mapping[str, float],
        show: Callable[[TasksStatus], None],
        at_once: int,
    ) -> None:
        self._folder, self._show = folder, show
        self._file_names = {name: str(k) for k, name in enumerate(tasks)}
        timed = [seconds for seconds in tasks.values() if seconds > 0]
        mean_seconds = fmean(timed) if timed else 1.0
        self._weight = {name: s if s > 0 else mean_seconds for name, s in tasks.items()}
        self._total = sum(self._weight.values())
        self._expected = max(self._total / at_once, *self._weight.values()) if timed else None
        self._done: set[str] = set()
        self._began = time.monotonic()

    def report_of(self, name: str) -> TaskReport:
        """Return the progress callback of the task with this name."""
        return TaskReport(self._folder / self._file_names[name])

    def finished(self, name: str) -> None:
        """Mark a task as finished."""
        self._done.add(name)

    def status(self) -> TasksStatus:
        """Return the progress of all tasks."""
        in_progress, done = [], sum(self._weight[name] for name in self._done)
        for name, file_name in self._file_names.items():
            with suppress(OSError, ValueError):
                if name not in self._done:
                    entry = json.loads((self._folder / file_name).read_bytes())
                    in_progress.append((name, str(entry["message"])))
                    done += float(entry["share"]) * self._weight[name]
        share = done / self._total if self._total else 1.0
        seconds = time.monotonic() - self._began
        n_done, n = len(self._done), len(self._file_names)
        return TasksStatus(n_done, n, share, seconds, in_progress, self._expected)

    def watch(self, ended: threading.Event) -> None:
        """Show the progress until the computation has ended."""
        while not ended.wait(LINE_EVERY):
            self._show(self.status())


@contextmanager
def follow_tasks(
    tasks: Mapping[str, float], show: Callable[[TasksStatus], None], at_once: int = 1
) -> Iterator[TasksProgress]:
    """Show the progress of tasks every :data:`LINE_EVERY` seconds.

    ``tasks`` maps names to expected seconds, NaN if unknown; ``show`` is called from a thread with
    a :class:`TasksStatus`.
    """
    data_folder().mkdir(parents=True, exist_ok=True)
    with reraise_write_errors("the progress of the computation"):
        folder = Path(mkdtemp(prefix=".progress-", dir=data_folder()))
    tasks_progress, ended = TasksProgress(folder, tasks, show, at_once), threading.Event()
    thread = threading.Thread(target=tasks_progress.watch, args=(ended,), daemon=True)
    thread.start()
    try:
        yield tasks_progress
    finally:
        ended.set()
        thread.join()
        shutil.rmtree(folder, ignore_errors=True)
