"""Fair queueing of jobs, and cancellation of jobs that no page waits for."""

import os
import time
from contextlib import nullcontext, suppress

import pytest

from tests.jobs.test_runner import work
from tests.waiting import until
from zslcore.exceptions import ZSLError
from zslcore.jobs import Runner, Visitor
from zslcore.jobs import runner as engine
from zslcore.jobs.runner import FairQueue, position_to_free

GREEDY, OTHER, NEIGHBOUR = Visitor("a", "1"), Visitor("b", "1"), Visitor("a", "2")


@pytest.fixture
def runner(tmp_path):
    """A runner with a running job that lasts until the end of the test."""
    runner = Runner("tests.jobs.functions", tmp_path / "jobs")
    yield runner
    runner.close()


@pytest.fixture
def busy(runner):
    runner.submit(work(to=600, seconds=600), GREEDY)
    return runner


def position(runner, job, visitor):
    return runner.submit(job, visitor).position


class Waiting:
    def __init__(self, visitor):
        self.visitor = visitor


def test_the_queue_alternates_between_addresses_and_then_browsers():
    turns, waiting = FairQueue(), [Waiting(GREEDY) for _ in range(3)]
    waiting += [Waiting(NEIGHBOUR), Waiting(OTHER), Waiting(OTHER)]
    turns.serve(GREEDY)
    order = [item.visitor for item in turns.order(waiting)]
    assert order == [OTHER, NEIGHBOUR, OTHER, GREEDY, GREEDY, GREEDY]


def test_old_visitors_are_forgotten_by_the_queue(monkeypatch):
    monkeypatch.setattr(FairQueue, "MAX_VISITORS", 10)
    turns = FairQueue()
    for k in range(100):
        turns.serve(Visitor(str(k), ""))
    assert len(turns._served) <= 10


def test_fifty_jobs_of_one_visitor_delay_another_visitor_by_one_job(busy):
    for n in range(49):
        refused = pytest.raises(ZSLError, match="of your jobs are waiting already")
        with refused if n >= engine.MAX_OF_BROWSER else nullcontext():
            busy.submit(work(to=1000 + n, seconds=600), GREEDY)
    assert position(busy, work(to=5, seconds=600), OTHER) == 1
    assert position(busy, work(to=6, seconds=600), NEIGHBOUR) == 2
    assert position(busy, work(to=7, seconds=600), OTHER) == 3


@pytest.mark.nightly
@pytest.mark.parametrize("other", [OTHER, NEIGHBOUR])
def test_a_new_address_is_served_before_fifty_others(runner, tmp_path, other):
    log, gate = tmp_path / "log", tmp_path / "gate"

    def turn(name, **more):
        return work("take_turn", name=name, log=str(log), **more)

    runner.submit(turn("greedy 0", gate=str(gate)), GREEDY)
    until(log.exists)  # the first job has started
    taken = 1
    for n in range(1, 50):
        with suppress(ZSLError):
            runner.submit(turn(f"greedy {n}"), GREEDY)
            taken += 1
    request = turn("other")
    runner.submit(request, other)
    gate.touch()
    until(lambda: not runner._threads and not runner._queue)
    served = log.read_text().split("\n")[:-1]
    assert served.index("other") == 1  # only one job of the greedy visitor comes first
    assert len(served) == taken + 1
    assert runner.finished(request)


def test_a_full_queue_drops_jobs_of_the_visitor_with_most(busy, monkeypatch):
    monkeypatch.setattr(engine, "MAX_QUEUE", 3)
    works = [work(to=1000 + n, seconds=600) for n in range(3)]
    for job in works:
        busy.submit(job, GREEDY)
    assert position(busy, work(to=5, seconds=600), OTHER) == 1
    assert busy.status(works[-1].key).state == "cancelled"
    assert "the queue was full" in busy.status(works[-1].key).error
    with pytest.raises(ZSLError, match="3 other jobs are waiting"):
        busy.submit(work(to=6, seconds=600), OTHER)
    assert position_to_free(["a", "b"], "c") is None


def test_a_job_ends_when_its_last_visitor_leaves_it(busy):
    ((request, _),) = busy.jobs_of_visitor(GREEDY)
    busy.submit(request, OTHER)
    assert busy.status(request.key).visitors == 2
    busy.cancel(request.key, GREEDY)
    assert busy.status(request.key).state == "running"
    assert busy.jobs_of_visitor(GREEDY) == []
    busy.cancel(request.key, NEIGHBOUR)  # only visitors who requested a job can cancel it
    assert busy.status(request.key).state == "running"
    busy.cancel(request.key, OTHER)
    assert busy.status(request.key).state == "cancelled"


def test_a_job_without_an_open_page_is_dropped(busy, monkeypatch):
    waiting, looked_at = work(to=5, seconds=600), work(to=6, seconds=600)
    for job in (waiting, looked_at):
        busy.submit(job, GREEDY)
    running = work(to=600, seconds=600)
    for item, age in ((waiting, 301), (looked_at, 299), (running, 1801)):
        busy._jobs[item.key].last_seen = time.monotonic() - age
    busy.jobs_of_visitor(OTHER)
    assert busy.status(waiting.key).state == "cancelled"
    assert "no page was open" in busy.status(running.key).error
    assert busy.status(looked_at.key).active


def test_browsers_at_one_address_share_a_limit(tmp_path):
    waits = Runner("tests.jobs.functions", tmp_path / "jobs", parallel=0)
    for k in range(engine.MAX_OF_ADDRESS):
        waits.submit(work(to=k), Visitor("a", str(k)))
    with pytest.raises(ZSLError, match=f"{engine.MAX_OF_ADDRESS} of your jobs are waiting"):
        waits.submit(work(to=1000), Visitor("a", "new"))
    assert waits.submit(work(to=1000), OTHER).state == "queued"
    waits.close()


def test_the_latest_result_is_kept_at_any_limit(tmp_path):
    runner = Runner("tests.jobs.functions", tmp_path, max_bytes=10)
    for name, age in (("done", 100), ("older", 200), ("newer", 0)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(b"x" * 8)
        os.utime(tmp_path / name, (1e9 - age, 1e9 - age))
    runner._evict(keep=tmp_path / "done")
    assert {path.name for path in tmp_path.iterdir()} == {"done", "newer"}
