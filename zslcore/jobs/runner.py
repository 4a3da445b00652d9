"""Job runner: a queue, worker processes, and stored results.

The key of a study (:mod:`zslcore.analysis.study`) is the name of its result folder. Identical
studies share one job, and its result is available even after a reload of the page or a restart of
the server. A worker (:mod:`zslcore.jobs.worker_main`) ends with the server. If a job fails, is
killed, cancelled or interrupted by a restart, its :class:`Status` has one sentence on the reason.
Starting Python with all libraries takes seconds, so a worker then waits for the next job.
"""

from __future__ import annotations

import atexit
import json
import os
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from zslcore.analysis.study import Study, is_intact, shipped_folder
from zslcore.evaluation import plugins
from zslcore.exceptions import ZSLError
from zslcore.jobs.worker import Worker
from zslcore.numbers import counted
from zslcore.storage import artifacts, settings
from zslcore.storage.files import data_folder, refusal

#: Maximum numbers of waiting jobs: in total, of one browser, and of one network address.
MAX_QUEUE, MAX_OF_BROWSER, MAX_OF_ADDRESS = 64, 12, 32
#: Seconds without a status request after which a waiting job is dropped; for a running job see
#: ``ZSL_JOB_PATIENCE``.
QUEUE_PATIENCE = 300.0
#: Maximum size in bytes of all results on disk; the least recently used results are deleted first.
MAX_BYTES = 2 << 30
#: Maximum number of ended jobs with a stored status.
MAX_ENDED = 100

PREVIEW, MARK = "preview.npz", ".job"
INTERRUPTED = "The server was restarted before this job was done."

# Name, size, modification time and inode number of every file in a folder.
Stamp = tuple[tuple[str, int, int, int], ...]
State = Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]


@dataclass(frozen=True, slots=True)
class Status:
    """Status of a job.

    Attributes
    ----------
    position : position in the queue, 1 for the next job; 0 unless queued
    done, total : progress; ``total`` is 0 while unknown
    seconds : seconds since the job started or, while it is queued, since it was submitted
    seconds_left : estimate from the progress; None without progress
    preview : ``.npz`` file with a preview of the result, if the study writes one
    error : one sentence on why there is no result; empty unless the job failed or was cancelled
    visitors : number of waiting visitors
    """

    state: State
    position: int = 0
    done: float = 0
    total: float = 0
    message: str = ""
    seconds: float = 0
    seconds_left: float | None = None
    preview: Path | None = None
    error: str = ""
    visitors: int = 0

    @property
    def active(self) -> bool:
        """Whether the job is queued or running."""
        return self.state in ("queued", "running")


# --- The queue ------------------------------------------------------------------------------------


class Visitor(NamedTuple):
    """Visitor with jobs: a network address, which a school class can share, and a browser."""

    address: str
    browser: str


#: Visitor in tests and programs, where visitors are not distinguished.
ANYONE = Visitor("", "")


class FairQueue:
    """Fair queue that records when each visitor was served.

    The next job comes from the network address that was served longest ago; at this address, from
    the browser served longest ago; of this browser, it is the oldest job. Fifty jobs of one visitor
    therefore delay the job of another visitor by one job.
    """

    #: Maximum number of visitors on record; visitors served longest ago are deleted first.
    MAX_VISITORS = 1000

    def __init__(self) -> None:
        self._turn = 0
        self._served: dict[str | Visitor, int] = {}

    def order(self, waiting: Sequence[_Job]) -> list[_Job]:
        """Return the queued jobs in the order in which they will start."""
        served, turn, left, ordered = dict(self._served), self._turn, list(waiting), []
        while left:
            job = min(left, key=lambda job: _last(served, job.visitor))
            left.remove(job)
            ordered.append(job)
            turn += 1
            served |= {job.visitor.address: turn, job.visitor: turn}
        return ordered

    def serve(self, visitor: Visitor) -> None:
        """Record that a job of ``visitor`` starts."""
        self._turn += 1
        self._served |= {visitor.address: self._turn, visitor: self._turn}
        if len(self._served) > self.MAX_VISITORS:
            latest = sorted(self._served.items(), key=lambda entry: entry[1])[
                -self.MAX_VISITORS // 2 :
            ]
            self._served = dict(latest)


def _last(served: dict[str | Visitor, int], visitor: Visitor) -> tuple[int, int]:
    return served.get(visitor.address, 0), served.get(visitor, 0)


def position_to_free(addresses: Sequence[str], address: str) -> int | None:
    """Return the position to free for ``address`` in a full list, or None.

    ``addresses`` are the network addresses of all entries, the oldest first. The position is that
    of the newest entry of the address with the most entries, which must be at least two more than
    those of ``address``; else None is returned.
    """
    count = Counter(addresses)
    fullest, n = count.most_common(1)[0]
    if n < count[address] + 2:
        return None
    return max(k for k, other in enumerate(addresses) if other == fullest)


@dataclass(eq=False)
class _Job:
    """One job; read and changed only under the runner's lock."""

    study: Study[Any]
    visitors: list[Visitor] = field(default_factory=list)
    last_seen: float = field(default_factory=time.monotonic)
    state: State = "queued"
    since: float = field(default_factory=time.monotonic)
    ended: float | None = None
    progress: dict[str, Any] = field(default_factory=dict)
    stage_since: float = 0
    share: float = 0
    worker: Worker | None = None
    folder: Path | None = None
    error: str = ""
    finished: threading.Event = field(default_factory=threading.Event)

    @property
    def visitor(self) -> Visitor:
        """The first of the waiting visitors."""
        return self.visitors[0] if self.visitors else ANYONE

    def is_forgotten(self) -> bool:
        """Return whether the last request for the status is too long ago."""
        patience = {"queued": QUEUE_PATIENCE, "running": 60.0 * settings.JOB_PATIENCE()}.get(
            self.state
        )
        return patience is not None and time.monotonic() - self.last_seen > patience

    def receive(self, line: dict[str, Any]) -> None:
        """Store a progress message of the worker."""
        share = line["done"] / line["total"] if line.get("total") else 0.0
        if share < self.share or not self.stage_since:
            self.stage_since = time.monotonic()  # a new stage starts at 0
        self.progress, self.share = line, share

    def seconds_left(self) -> float | None:
        done, total = self.progress.get("done", 0), self.progress.get("total", 0)
        if self.state != "running" or not 0 < done <= total:
            return None
        return (time.monotonic() - self.stage_since) * (total - done) / done

    def status(self, position: int) -> Status:
        preview = self.folder / PREVIEW if self.folder else None
        shown = {name: self.progress[name] for name in _SHOWN if name in self.progress}
        return Status(
            state=self.state,
            position=position,
            seconds=(self.ended or time.monotonic()) - self.since,
            seconds_left=self.seconds_left(),
            preview=preview if preview and preview.exists() else None,
            error=self.error,
            visitors=len(self.visitors),
            **shown,
        )


_SHOWN = ("done", "total", "message")


# --- The runner -----------------------------------------------------------------------------------


class Runner:
    """Runner of studies in worker processes, a few at a time, with stored results.

    Parameters
    ----------
    module : importable module with the dict ``FUNCTIONS``, kind of study -> function; functions are
        called with a folder, progress and keyword arguments
    folder : folder of results; by default ``jobs`` in the data folder
    parallel : number of parallel jobs; by default ``ZSL_JOBS``
    max_bytes : maximum size in bytes of all results on disk
    """

    def __init__(
        self,
        module: str = "zslcore.jobs.studies",
        folder: Path | None = None,
        *,
        parallel: int | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.module, self._folder = module, folder
        self._parallel, self.max_bytes = parallel, max_bytes
        self._lock = threading.RLock()
        self._jobs: dict[str, _Job] = {}
        self._queue: list[_Job] = []
        self._fair_queue = FairQueue()
        self._threads: set[threading.Thread] = set()
        self._spare: Worker | None = None
        self._verified: dict[Path, Stamp] = {}
        self._temporary_folder: tempfile.TemporaryDirectory[str] | None = None
        self._closing = False

    @property
    def parallel(self) -> int:
        """Number of parallel jobs; each uses as many threads as its study requests."""
        return settings.JOBS() if self._parallel is None else self._parallel

    @property
    def folder(self) -> Path:
        """Folder of results; a temporary folder if the data folder is read-only."""
        if self._folder is not None:
            return self._folder
        folder = data_folder() / "jobs"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            writable = os.access(folder, os.W_OK)
        except OSError:
            writable = False
        if writable:
            return folder
        if self._temporary_folder is None:
            self._temporary_folder = tempfile.TemporaryDirectory(prefix="zsl-jobs-")
        return Path(self._temporary_folder.name)

    def submit(self, study: Study[Any], visitor: Visitor = ANYONE) -> Status:
        """Submit a study; identical studies share one job.

        Raises ZSLError if too many jobs are waiting, in total or of this visitor.
        """
        with self._lock:
            self._drop_forgotten()
            job = self._jobs.get(study.key)
            if job is None or job.state not in ("queued", "running"):
                self._make_room(study, visitor)
                self._drop_ended()
                job = self._jobs[study.key] = _Job(study)
                self._queue.append(job)
                with suppress(OSError):
                    self.folder.mkdir(parents=True, exist_ok=True)
                    artifacts.write_owner(self._mark(study.key))
            if visitor not in job.visitors:
                job.visitors.append(visitor)
            self._start_next()
            return self._status(job)

    def status(self, key: str) -> Status | None:
        """Return the status of the job with this key, or None, and mark the job as watched.

        A job that was active when an earlier server ended is "interrupted".
        """
        with self._lock:
            if (job := self._jobs.get(key)) is not None:
                return self._status(job)
        if artifacts.has_died(self._mark(key)):
            return Status("interrupted", error=INTERRUPTED)
        return None

    def _mark(self, key: str) -> Path:
        """Return the path of the file that names the server of an active job."""
        return self.folder / f".{key}{MARK}"

    def jobs_of_visitor(self, visitor: Visitor) -> list[tuple[Study[Any], Status]]:
        """Return the studies for which a visitor waits, with their status, oldest first."""
        with self._lock:
            self._drop_forgotten()
            jobs = [job for job in self._jobs.values() if visitor in job.visitors]
            return [(job.study, self._status(job)) for job in jobs if job.ended is None]

    def _status(self, job: _Job) -> Status:
        job.last_seen = time.monotonic()
        order = self._fair_queue.order(self._queue) if job in self._queue else []
        return job.status(order.index(job) + 1 if order else 0)

    def _make_room(self, study: Study[Any], visitor: Visitor) -> None:
        """Refuse a job of a visitor with many waiting jobs; drop another job from a full queue."""
        at_address = [job for job in self._queue if job.visitor.address == visitor.address]
        own_jobs = [job for job in at_address if job.visitor == visitor]
        if visitor != ANYONE and (
            len(own_jobs) >= MAX_OF_BROWSER or len(at_address) >= MAX_OF_ADDRESS
        ):
            n_waiting = len(own_jobs) if len(own_jobs) >= MAX_OF_BROWSER else len(at_address)
            raise ZSLError(
                f"{study.title}: {n_waiting} of your jobs are waiting already; cancel one, or try "
                "again when one is done."
            )
        if len(self._queue) >= MAX_QUEUE:
            addresses = [job.visitor.address for job in self._queue]
            position = position_to_free(addresses, visitor.address)
            if position is None:
                raise ZSLError(
                    f"{study.title}: {counted(MAX_QUEUE, 'other job is', 'other jobs are')} "
                    "waiting already; try again later."
                )
            dropped = self._queue.pop(position)
            self._end(dropped, "cancelled", "Other jobs were waiting, and the queue was full.")

    def _drop_forgotten(self) -> None:
        for job in [job for job in self._jobs.values() if job.is_forgotten()]:
            self._stop(job, "Cancelled: no page was open for a while.")

    def wait(self, key: str, seconds: float) -> Status | None:
        """Return the status when the job has ended, or after ``seconds``."""
        with self._lock:
            job = self._jobs.get(key)
        if job is not None:
            job.finished.wait(seconds)
        return self.status(key)

    def cancel(self, key: str, visitor: Visitor | None = None) -> None:
        """Remove a visitor from a job; end it if no visitor remains, or if ``visitor`` is None."""
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.state not in ("queued", "running"):
                return
            if visitor in job.visitors:
                job.visitors.remove(visitor)
            if visitor is None or not job.visitors:
                self._stop(job)

    def _stop(self, job: _Job, why: str = "") -> None:
        if job in self._queue:
            self._queue.remove(job)
        self._end(job, "cancelled", why)
        if job.worker is not None:
            job.worker.kill()

    def finished(self, study: Study[Any]) -> Path | None:
        """Return the verified folder with the result of a study, stored or precomputed, or None.

        A corrupt folder is deleted; the study is then computed again.
        """
        folder = self.folder / study.key
        if not folder.is_dir():
            return shipped_folder(study.key)
        stamp = _stamp(folder)
        if self._verified.get(folder) != stamp:
            if not is_intact(folder):
                artifacts.discard(folder)
                return None
            self._verified[folder] = stamp
        with suppress(OSError):
            os.utime(folder)  # mark as recently used
        return folder

    def close(self) -> None:
        """End all jobs and the spare worker, and wait for their end.

        The next server reports active jobs as interrupted.
        """
        with self._lock:
            self._closing = True
            for job in self._jobs.values():
                self.cancel(job.study.key)
            threads = list(self._threads)
        for thread in threads:
            thread.join()
        with self._lock:
            spare, self._spare = self._spare, None
        if spare is not None:
            spare.end()
        if self._temporary_folder is not None:
            self._temporary_folder.cleanup()
            self._temporary_folder = None
        self._closing = False

    # --- In the background ------------------------------------------------------------------------

    def _start_next(self) -> None:
        """Start queued jobs while fewer than ``parallel`` are running."""
        while self._queue and len(self._threads) < self.parallel:
            job = self._fair_queue.order(self._queue)[0]
            self._queue.remove(job)
            self._fair_queue.serve(job.visitor)
            job.state, job.since = "running", time.monotonic()
            thread = threading.Thread(target=self._run, args=(job,), daemon=True)
            self._threads.add(thread)
            thread.start()

    def _run(self, job: _Job) -> None:
        """Run one job in a worker process, and store its result."""
        error = "The job could not be started."
        try:
            error = self._in_worker(job)
        except OSError as refused:  # disk full, no permission, or no new process
            error = str(refusal(refused, "The job folder"))
        finally:
            with self._lock:
                if job.state == "running":
                    self._end(job, "failed" if error else "done", error)
            self._evict(keep=self.folder / job.study.key)
            with self._lock:
                self._threads.discard(threading.current_thread())
                self._start_next()

    def _in_worker(self, job: _Job) -> str:
        """Compute in a worker process; return an error sentence, or "" if there is a result."""
        folder = artifacts.draft(self.folder, f".{job.study.key}.")
        message = job.study.identity | {
            "folder": str(folder),
            "into": str(self.folder / job.study.key),
            "data": str(data_folder()),
            "methods": plugins.plugin_sources(json.dumps(job.study.identity)),
        }

        def on_message(line: dict[str, Any]) -> None:
            with self._lock:
                job.receive(line)

        sentence, begun = "", False
        try:
            while not begun:  # a spare worker may have died while idle
                worker, new = self._worker(job.study.threads)
                try:
                    with self._lock:
                        job.worker, job.folder = worker, folder
                        if job.state == "cancelled":
                            worker.kill()
                    sentence = worker.do(message, on_message)
                    begun = worker.began or new or job.state == "cancelled"
                finally:
                    self._dismiss(job, worker)
        finally:
            artifacts.discard(folder)
        return sentence

    def _end(self, job: _Job, state: State, error: str = "") -> None:
        job.state, job.error, job.ended = state, error, time.monotonic()
        if not self._closing:
            with suppress(OSError):
                self._mark(job.study.key).unlink(missing_ok=True)
        job.finished.set()

    def _worker(self, threads: int) -> tuple[Worker, bool]:
        """Return a worker, the spare one if its threads match, and whether it is new."""
        with self._lock:
            spare, self._spare = self._spare, None
        if spare is not None:
            if spare.alive and spare.threads == threads:
                return spare, False
            spare.end()
        return Worker(self.module, threads), True

    def _dismiss(self, job: _Job, worker: Worker) -> None:
        """Keep the worker of an ended job as the spare worker, or end it."""
        with self._lock:
            job.worker = job.folder = None
            stands_by = worker.stays and job.state == "running" and self._spare is None
            if stands_by:
                self._spare = worker
        if not stands_by:
            worker.end()

    def _drop_ended(self) -> None:
        ended = [key for key, job in self._jobs.items() if job.ended is not None]
        for key in ended[:-MAX_ENDED]:
            del self._jobs[key]

    def _evict(self, keep: Path) -> None:
        """Evict old results and orphaned drafts."""
        total = 0
        with suppress(OSError):  # another server may delete the same files
            artifacts.sweep(self.folder.glob(".*/"))
            for mark in self.folder.glob(f".*{MARK}"):
                old = time.time() - mark.stat().st_mtime > artifacts.ABANDONED
                if old and artifacts.has_died(mark) is not False:
                    mark.unlink()
            folders = [path for path in self.folder.iterdir() if not path.name.startswith(".")]
            for path in sorted(folders, key=lambda path: -path.stat().st_mtime):
                total += sum(file.stat().st_size for file in path.iterdir())
                if total > self.max_bytes and path != keep:
                    artifacts.discard(path)


def _stamp(folder: Path) -> Stamp:
    """Return sizes and times of files; a folder with an equal stamp is not verified again."""
    with suppress(OSError):
        stats = sorted((path.name, path.stat()) for path in folder.iterdir())
        return tuple((name, stat.st_size, stat.st_mtime_ns, stat.st_ino) for name, stat in stats)
    return ()


#: The runner of this server; its methods are the functions of this module.
_RUNNER = Runner()
submit, status, wait = _RUNNER.submit, _RUNNER.status, _RUNNER.wait
cancel, finished, close = _RUNNER.cancel, _RUNNER.finished, _RUNNER.close
jobs_of_visitor = _RUNNER.jobs_of_visitor
atexit.register(close)
