"""The runner with real worker processes; their functions are in tests/jobs/functions.py."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.waiting import is_gone, until
from tests.works import Work
from zslcore.analysis.study import MANIFEST, is_intact
from zslcore.exceptions import ZSLError
from zslcore.jobs import Runner
from zslcore.jobs import runner as engine
from zslcore.jobs.runner import MAX_BYTES
from zslcore.jobs.worker import Worker
from zslcore.jobs.worker_main import JOBS_EACH, run_job

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def one_runner():
    """One runner for all tests, because a worker takes long to import its modules."""
    runner = Runner("tests.jobs.functions", parallel=1)
    yield runner
    runner.close()


@pytest.fixture
def runner(one_runner, tmp_path):
    one_runner._folder = tmp_path / "jobs"
    yield one_runner
    for key in list(one_runner._jobs):
        one_runner.cancel(key)
    until(lambda: not one_runner._threads)
    one_runner._jobs.clear()
    one_runner.max_bytes = MAX_BYTES


def work(function="count", **arguments):
    return Work("A test", function, arguments, threads=1)


def do(runner, job, seconds=180):
    runner.submit(job)
    return runner.wait(job.key, seconds)


def test_key_contains_everything_that_changes_the_result():
    request = work(to=3)
    assert request.key == replace(request, title="Another").key
    changed = [work(to=4), work("refuse", to=3), replace(request, threads=2)]
    assert len({job.key for job in [request, *changed]}) == 4
    with pytest.raises(TypeError):
        _ = work(to=np.zeros(3)).key


def test_result_is_complete_with_its_manifest(runner):
    request, start = work(to=2), time.monotonic()
    assert runner.status(request.key) is runner.finished(request) is None
    assert do(runner, request).state == "done"
    folder = runner.finished(request)
    assert folder == runner.folder / request.key
    assert (folder / "count.txt").read_text() == "2"
    manifest = json.loads((folder / MANIFEST).read_text())
    assert manifest["settings"] == request.identity
    assert (
        set(manifest["files"]) == {"count.txt"} == {p.name for p in folder.iterdir()} - {MANIFEST}
    )
    assert 0 <= manifest["seconds"] <= time.monotonic() - start
    assert list(runner.folder.glob(".*")) == []


def test_result_outlives_the_server(runner):
    request = work(to=2)
    do(runner, request)
    after_restart = Runner("tests.jobs.functions", runner.folder)
    assert after_restart.finished(request) == runner.folder / request.key
    assert after_restart.status(request.key) is None


def test_progress_has_an_estimate_and_a_preview(runner, tmp_path):
    request = work("until_told", go=str(tmp_path / "go"))
    runner.submit(request)
    until(lambda: runner.status(request.key).preview and runner.status(request.key).done)
    status = runner.status(request.key)
    assert (status.state, status.total) == ("running", 2)
    assert status.message == f"step {status.done:.0f}"
    assert 0 < status.seconds_left < 180
    with np.load(status.preview, allow_pickle=False) as picture:
        assert picture["i"] == 1
    (tmp_path / "go").touch()
    assert runner.wait(request.key, 180).state == "done"


def test_equal_requests_share_one_job(runner, tmp_path):
    request = work(seconds=0.3, log=str(tmp_path / "log"))
    runner.submit(request)
    runner.submit(replace(request, title="The same from somebody else"))
    assert runner.wait(request.key, 180).state == "done"
    assert (tmp_path / "log").read_text() == "once\n"


@pytest.mark.nightly
def test_a_queued_job_has_a_position_and_can_be_cancelled(runner):
    first, *waiting = (work(to=n, seconds=600) for n in (600, 601, 602, 603))
    for job in (first, *waiting):
        runner.submit(job)
    assert [runner.status(job.key).position for job in (first, *waiting)] == [0, 1, 2, 3]
    runner.cancel(waiting[0].key)
    assert runner.status(waiting[0].key).state == "cancelled"
    assert [runner.status(job.key).position for job in waiting[1:]] == [1, 2]
    runner.cancel(first.key)
    until(lambda: runner.status(waiting[1].key).state == "running")
    assert runner.status(waiting[2].key).position == 1


def test_cancel_ends_the_process_its_children_and_its_files(runner, tmp_path):
    request = work("with_child", pid_file=str(tmp_path / "pids"))
    runner.submit(request)
    until(lambda: runner.status(request.key).message == "both there")
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert not any(map(is_gone, pids))
    runner.cancel(request.key)
    assert runner.status(request.key).state == "cancelled"
    until(lambda: all(map(is_gone, pids)))
    until(lambda: list(runner.folder.iterdir()) == [])


@pytest.mark.nightly
def test_a_cancelled_job_can_be_requested_again(runner, tmp_path):
    request = work("until_told", go=str(tmp_path / "go"))
    runner.submit(request)
    runner.cancel(request.key)
    assert runner.submit(request).active
    (tmp_path / "go").touch()
    assert runner.wait(request.key, 180).state == "done"
    assert runner.finished(request)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("job", "sentence"),
    [
        (work("refuse"), "digits: there are none."),
        (work("break_down"), "The computation failed (RuntimeError); see the log of the server."),
        (work("kill_itself"), "The computation was killed, most likely because memory ran out."),
        (work("kill_itself", signal_number=int(signal.SIGSEGV)), "crashed (Segmentation fault)."),
        (work("leave"), "The computation ended without a result (exit status 3)."),
    ],
)
def test_a_failed_job_has_one_sentence_and_leaves_nothing(runner, job, sentence):
    status = do(runner, job)
    assert status.state == "failed"
    assert sentence in status.error
    assert runner.finished(job) is None
    until(lambda: list(runner.folder.iterdir()) == [])


@pytest.mark.nightly
def test_a_worker_killed_from_outside_ends_its_job(runner, tmp_path):
    request = work("with_child", pid_file=str(tmp_path / "pids"))
    runner.submit(request)
    until(lambda: runner.status(request.key).message == "both there")
    child, grandchild = (int(pid) for pid in (tmp_path / "pids").read_text().split())
    os.kill(child, signal.SIGKILL)
    assert "killed" in runner.wait(request.key, 180).error
    until(lambda: is_gone(grandchild))


@pytest.mark.nightly
def test_workers_and_their_children_end_with_the_server(tmp_path):
    request = 'Work("A test", "with_child", {"pid_file": sys.argv[1]})'
    server = (
        "import os, sys, time; from pathlib import Path; from tests.works import Work; "
        "from zslcore.jobs import Runner; "
        f"runner = Runner('tests.jobs.functions', Path(sys.argv[2])); work = {request}; "
        "runner.submit(work)\n"
        "while runner.status(work.key).message != 'both there': time.sleep(0.01)\n"
        "os._exit(0)"
    )
    words = [sys.executable, "-c", server, str(tmp_path / "pids"), str(tmp_path / "jobs")]
    subprocess.run(words, cwd=ROOT, check=True, timeout=180)
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    until(lambda: all(map(is_gone, pids)))
    (mark,) = (tmp_path / "jobs").iterdir()
    next_server = Runner("tests.jobs.functions", tmp_path / "jobs")
    assert next_server.status(mark.stem[1:]).state == "interrupted"


def test_a_job_that_a_restart_has_ended_is_interrupted_until_it_is_submitted_again(tmp_path):
    servers = [Runner("tests.jobs.functions", tmp_path, parallel=0) for _ in range(2)]
    request = work()
    servers[0].submit(request)
    assert servers[1].status(request.key) is None  # the other server runs the job
    servers[0].close()
    (mark,) = tmp_path.iterdir()
    mark.write_text(mark.read_text().replace(f'"pid": {os.getpid()}', f'"pid": {2**22 + 1}'))
    status = servers[1].status(request.key)
    assert (status.state, status.active) == ("interrupted", False)
    assert status.error == "The server was restarted before this job was done."
    assert servers[1].submit(request).state == "queued"
    servers[1].cancel(request.key)
    assert servers[1].status(request.key).state == "cancelled"
    assert list(tmp_path.iterdir()) == []


def test_marks_of_abandoned_jobs_are_removed_after_a_day(tmp_path):
    runner = Runner("tests.jobs.functions", tmp_path, parallel=0)
    old, new = tmp_path / ".old.job", tmp_path / ".new.job"
    for mark in (old, new):
        mark.write_text("{}")
    os.utime(old, (1, 1))
    runner._evict(keep=tmp_path / "x")
    assert list(tmp_path.iterdir()) == [new]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(28, "No space left on device"), "The result: .* no space left on device"),
        (OSError(30, "Read-only file system"), "The result: .* read-only file system"),
        (OSError("5 requested and 0 written"), "The result: .* no space left on device"),
        (OSError("Unable to open file"), r"The computation failed \(OSError\)"),
        (PermissionError(13, "Permission denied"), r"The computation failed \(PermissionError\)"),
    ],
)
def test_a_job_names_a_full_disk(tmp_path, monkeypatch, error, sentence):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))  # restored after the job sets it

    def fail(folder, report):
        raise error

    request = {"folder": tmp_path, "into": tmp_path, "data": str(tmp_path), "methods": {}}
    line = run_job(fail, request | {"arguments": {}}, lambda line: None)
    assert re.match(sentence, line["error"])


@pytest.mark.nightly
@pytest.mark.parametrize("harm", ["change", "cut", "remove", "add", "no manifest", "other work"])
def test_a_result_that_contradicts_its_manifest_is_computed_again(runner, harm):
    request = work(to=2)
    do(runner, request)
    folder = runner.finished(request)
    file, manifest = folder / "count.txt", folder / MANIFEST
    harms = {
        "change": lambda: file.write_text("3"),
        "cut": lambda: file.write_text(""),
        "remove": file.unlink,
        "add": lambda: (folder / "more.txt").write_text("more"),
        "no manifest": manifest.unlink,
        "other work": lambda: manifest.write_text(
            manifest.read_text().replace('"to": 2', '"to": 3')
        ),
    }
    assert is_intact(folder)
    harms[harm]()
    assert runner.finished(request) is None
    assert not folder.exists()
    do(runner, request)
    assert (runner.finished(request) / "count.txt").read_text() == "2"


def in_process(runner, **arguments):
    """Run a job and return the process that computed it."""
    request = work("whoami", **arguments)
    assert do(runner, request).state == "done"
    return int((runner.finished(request) / "pid.txt").read_text())


@pytest.mark.nightly
def test_a_worker_is_reused_for_the_next_job_until_it_dies(runner):
    first = in_process(runner, n=1)
    assert in_process(runner, n=2) == first
    os.kill(first, signal.SIGKILL)
    until(lambda: is_gone(first))
    assert in_process(runner, n=3) != first


@pytest.mark.nightly
def test_a_worker_that_died_between_jobs_is_replaced(runner, monkeypatch):
    first = in_process(runner, n=1)
    os.kill(first, signal.SIGKILL)
    monkeypatch.setattr(Worker, "alive", property(lambda child: True))
    request = work("whoami", n=2)
    runner.submit(request)
    until(lambda: is_gone(first))
    monkeypatch.undo()
    assert runner.wait(request.key, 180).state == "done"


@pytest.mark.nightly
def test_a_worker_survives_a_refusal_but_not_a_failure(runner):
    first = in_process(runner, n=1)
    do(runner, work("refuse"))
    assert in_process(runner, n=2) == first
    do(runner, work("break_down"))
    until(lambda: is_gone(first))
    assert in_process(runner, n=3) != first


@pytest.mark.nightly
def test_a_worker_is_replaced_after_some_jobs(runner):
    processes = [in_process(runner, n=n) for n in range(2 * JOBS_EACH + 1)]
    changes = [n for n in range(1, len(processes)) if processes[n] != processes[n - 1]]
    assert [after - before for before, after in pairwise(changes)][:1] == [JOBS_EACH]


@pytest.mark.nightly
def test_closing_leaves_no_process(tmp_path):
    runner = Runner("tests.jobs.functions", tmp_path / "jobs")
    request = work("with_child", pid_file=str(tmp_path / "pids"))
    do(runner, work(to=1))
    runner.submit(request)
    until(lambda: runner.status(request.key).message == "both there")
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    runner.close()
    until(lambda: all(map(is_gone, pids)))
    assert runner._spare is None
    assert runner._threads == set()


@pytest.mark.nightly
def test_closing_ends_the_idle_worker(tmp_path):
    runner = Runner("tests.jobs.functions", tmp_path / "jobs")
    process = in_process(runner)
    runner.close()
    assert is_gone(process)


@pytest.mark.nightly
def test_the_number_of_threads_is_as_requested(runner):
    for n in (1, 2):
        request = Work("A test", "threads", {}, threads=n)
        do(runner, request)
        of_blas, of_torch = map(int, (runner.finished(request) / "threads.txt").read_text().split())
        assert of_blas <= n
        assert of_torch == n


@pytest.mark.nightly
def test_least_recently_used_results_are_dropped_first(runner):
    works = [work(to=n) for n in (1, 2, 3)]
    for age, item in enumerate(works[:2]):
        do(runner, item)
        os.utime(runner.folder / item.key, (age, age))
    assert runner.finished(works[0])  # this result was requested again
    size = sum(file.stat().st_size for file in runner.folder.glob("*/*"))
    runner.max_bytes = 5 * size // 4
    do(runner, works[2])
    until(lambda: not runner._threads)
    assert [runner.finished(work) is not None for work in works] == [True, False, True]


def test_two_jobs_run_side_by_side_by_option(tmp_path):
    runner = Runner("tests.jobs.functions", tmp_path / "jobs", parallel=2)
    try:
        works = [work(to=n, seconds=600) for n in (600, 601, 602)]
        states = [runner.submit(work).state for work in works]
        assert states == ["running", "running", "queued"]
    finally:
        runner.close()


def test_jobs_beyond_the_limit_are_refused(runner, monkeypatch):
    monkeypatch.setattr(engine, "MAX_QUEUE", 1)
    for n in (600, 601):
        runner.submit(work(to=n, seconds=600))
    with pytest.raises(ZSLError, match="1 other job is waiting"):
        runner.submit(work(to=602))
