"""Fair queueing of jobs, and cancellation of jobs that no page waits for."""

import os
import time
from contextlib import nullcontext, suppress

import pytest

from tests.jobs.test_runner import until, work
from zslcore.exceptions import ZSLError
from zslcore.jobs import Runner, Visitor
from zslcore.jobs import runner as engine
from zslcore.jobs.runner import FairQueue, most_waiting

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


def position(runner, asked, visitor):
    return runner.submit(asked, visitor).position


class Asked:
    def __init__(self, visitor):
        self.visitor = visitor


def test_turns_go_round_by_address_then_by_browser():
    turns, waiting = FairQueue(), [Asked(GREEDY) for _ in range(3)]
    waiting += [Asked(NEIGHBOUR), Asked(OTHER), Asked(OTHER)]
    turns.serve(GREEDY)
    order = [each.visitor for each in turns.order(waiting)]
    assert order == [OTHER, NEIGHBOUR, OTHER, GREEDY, GREEDY, GREEDY]


def test_who_was_served_is_forgotten_some_day(monkeypatch):
    monkeypatch.setattr(FairQueue, "MOST", 10)
    turns = FairQueue()
    for k in range(100):
        turns.serve(Visitor(str(k), ""))
    assert len(turns._served) <= 10


def test_fifty_jobs_of_one_visitor_delay_anothers_by_the_one_that_runs(busy):
    for n in range(49):
        refused = pytest.raises(ZSLError, match="of your jobs are waiting already")
        with refused if n >= engine.SHARE else nullcontext():
            busy.submit(work(to=1000 + n, seconds=600), GREEDY)
    assert position(busy, work(to=5, seconds=600), OTHER) == 1
    assert position(busy, work(to=6, seconds=600), NEIGHBOUR) == 2
    assert position(busy, work(to=7, seconds=600), OTHER) == 3


@pytest.mark.nightly
@pytest.mark.parametrize("other", [OTHER, NEIGHBOUR])
def test_whoever_comes_after_fifty_addresses_is_the_next_to_be_served(runner, tmp_path, other):
    log, gate = tmp_path / "log", tmp_path / "gate"

    def turn(name, **more):
        return work("take_turn", name=name, log=str(log), **more)

    runner.submit(turn("greedy 0", gate=str(gate)), GREEDY)
    until(log.exists)  # so that it runs first
    taken = 1
    for n in range(1, 50):
        with suppress(ZSLError):
            runner.submit(turn(f"greedy {n}"), GREEDY)
            taken += 1
    asked = turn("other")
    runner.submit(asked, other)
    gate.touch()
    until(lambda: not runner._threads and not runner._queue)
    served = log.read_text().split("\n")[:-1]
    assert served.index("other") == 1  # after one job of the fifty
    assert len(served) == taken + 1
    assert runner.finished(asked)


def test_who_has_most_waiting_gives_way_when_the_queue_is_full(busy, monkeypatch):
    monkeypatch.setattr(engine, "MAX_QUEUE", 3)
    works = [work(to=1000 + n, seconds=600) for n in range(3)]
    for each in works:
        busy.submit(each, GREEDY)
    assert position(busy, work(to=5, seconds=600), OTHER) == 1
    assert busy.status(works[-1].key).state == "cancelled"
    assert "the queue was full" in busy.status(works[-1].key).error
    with pytest.raises(ZSLError, match="3 other jobs are waiting"):
        busy.submit(work(to=6, seconds=600), OTHER)
    assert most_waiting([Asked(GREEDY), Asked(OTHER)], "c") is None


def test_cancel_is_leaving_and_the_last_one_out_ends_it(busy):
    ((asked, _),) = busy.of_visitor(GREEDY)
    busy.submit(asked, OTHER)
    assert busy.status(asked.key).visitors == 2
    busy.cancel(asked.key, GREEDY)
    assert busy.status(asked.key).state == "running"
    assert busy.of_visitor(GREEDY) == []
    busy.cancel(asked.key, NEIGHBOUR)  # only visitors who requested a job can cancel it
    assert busy.status(asked.key).state == "running"
    busy.cancel(asked.key, OTHER)
    assert busy.status(asked.key).state == "cancelled"


def test_a_job_that_nobody_looks_at_is_dropped(busy, monkeypatch):
    waiting, looked_at = work(to=5, seconds=600), work(to=6, seconds=600)
    for each in (waiting, looked_at):
        busy.submit(each, GREEDY)
    running = work(to=600, seconds=600)
    for each, age in ((waiting, 301), (looked_at, 299), (running, 1801)):
        busy._jobs[each.key].last_seen = time.monotonic() - age
    busy.of_visitor(OTHER)
    assert busy.status(waiting.key).state == "cancelled"
    assert "no page was open" in busy.status(running.key).error
    assert busy.status(looked_at.key).active


def test_browsers_of_one_address_have_a_share_together(tmp_path):
    waits = Runner("tests.jobs.functions", tmp_path / "jobs", parallel=0)
    for k in range(engine.SHARE_OF_ADDRESS):
        waits.submit(work(to=k), Visitor("a", str(k)))
    with pytest.raises(ZSLError, match=f"{engine.SHARE_OF_ADDRESS} of your jobs are waiting"):
        waits.submit(work(to=1000), Visitor("a", "new"))
    assert waits.submit(work(to=1000), OTHER).state == "queued"
    waits.close()


def test_what_is_just_done_stays_however_little_results_may_take(tmp_path):
    runner = Runner("tests.jobs.functions", tmp_path, max_bytes=10)
    for name, age in (("done", 100), ("older", 200), ("newer", 0)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(b"x" * 8)
        os.utime(tmp_path / name, (1e9 - age, 1e9 - age))
    runner._evict(keep=tmp_path / "done")
    assert {path.name for path in tmp_path.iterdir()} == {"done", "newer"}
