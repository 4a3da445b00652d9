"""Progress lines of work in other processes."""

import math
import threading
from dataclasses import replace
from math import nan

import pytest
from joblib import Parallel, delayed

from tests.worlds import linear_world
from zslcore.analysis.papers.experiments.experiment import TablePart
from zslcore.analysis.papers.experiments.reproducing import (
    EXPERIMENTS,
    expected_seconds,
    former_cells,
)
from zslcore.datasets import load
from zslcore.evaluation import runs
from zslcore.evaluation.specs import RunSpec
from zslcore.large import engine as module
from zslcore.large.engine import TaskReport, TasksStatus, follow_tasks
from zslcore.results.planning import RunPlan, first_specs
from zslcore.results.store import ResultStore

pytestmark = pytest.mark.usefixtures("own_data")


def _half(report):
    report(1, 2, "fit 1 of 2")


@pytest.mark.nightly
def test_progress_of_another_process_counts_within_its_part(own_data):
    with follow_tasks(
        dict.fromkeys(("one", "two", "three"), nan), lambda status: None
    ) as tasks_progress:
        Parallel(2)([delayed(_half)(tasks_progress.report_of("two")) for _ in range(2)])
        tasks_progress.finished("one")
        status = tasks_progress.status()
        assert (status.done, status.total) == (1, 3)
        assert status.share == pytest.approx(1.5 / 3)
        assert [*status.in_progress] == [("two", "fit 1 of 2")]
        tasks_progress.finished("two")
        assert tasks_progress.status().share == pytest.approx(2 / 3)
        assert not tasks_progress.status().in_progress
    assert not list(own_data.glob(".progress-*"))


def test_a_progress_line_is_written_during_a_part_without_reports(monkeypatch):
    monkeypatch.setattr(module, "LINE_EVERY", 0.01)
    shown, twice = [], threading.Event()

    def show(status):
        shown.append(str(status))
        if len(shown) == 2:
            twice.set()

    with follow_tasks({"slow": nan}, show):
        assert twice.wait(60)
    n = len(shown)
    assert shown[0].startswith("  0%  0 of 1 done, ")
    assert len(shown) == n  # the thread ends with the block


@pytest.mark.parametrize(
    ("seconds", "share", "in_progress", "line"),
    [
        (45.0, 0.0, [], "45 s."),
        (60.0, 0.5, [("SAE, PS", "")], "1 min 00 s, about 1 min 00 s left.  SAE, PS"),
        (60.0, 0.25, [("A", "fit"), ("B", "")], "1 min 00 s, about 3 min 00 s left.  A: fit; B"),
        (7800.0, 0.5, [], "2 h 10 min, about 2 h 10 min left."),
    ],
)
def test_the_line_has_the_share_and_an_estimate(seconds, share, in_progress, line):
    assert (
        str(TasksStatus(1, 4, share, seconds, in_progress)) == f"{share:4.0%}  1 of 4 done, {line}"
    )


def test_part_of_the_first_task_gives_no_estimate():
    of_several = TasksStatus(0, 24, 0.001, 80.0, [("ALE, PS", "fit 5 of 12")])
    assert str(of_several) == "  0%  0 of 24 done, 1 min 20 s.  ALE, PS: fit 5 of 12"
    assert TasksStatus(0, 1, 0.05, 80.0, []).seconds_left is None
    assert TasksStatus(0, 1, 0.5, 80.0, []).seconds_left == 80.0


def test_former_runs_give_an_estimate_before_the_first_task_is_done():
    tasks = {"quick": 10.0, "slow": 50.0, "unknown": nan}
    with follow_tasks(tasks, lambda status: None, at_once=2) as tasks_progress:
        assert tasks_progress.status().seconds_left == pytest.approx(50)
        begun = replace(tasks_progress.status(), seconds=0.0)
        assert str(begun) == "  0%  0 of 3 done, 0 s, about 50 s left."
        tasks_progress.finished("quick")
        assert tasks_progress.status().share == pytest.approx(10 / 90)


@pytest.mark.parametrize(("share", "left"), [(0.0, 50), (0.05, 47.5), (0.2, 160)])
def test_the_current_pace_replaces_the_estimate_from_former_runs(share, left):
    assert TasksStatus(0, 3, share, 40.0, [], 50.0).seconds_left == pytest.approx(left)


def test_an_expected_time_that_has_passed_gives_no_estimate():
    assert str(TasksStatus(0, 1, 0.0, 8.0, [], 0.03)) == "  0%  0 of 1 done, 8 s."


def test_a_table_weighs_its_methods_by_former_runs():
    (spec,) = first_specs(load("digits"), "PS", "ESZSL", ("zsl",), {}, "none")
    run = runs.run(spec, store=ResultStore()).result
    tasks = EXPERIMENTS["gbu:table3"].tasks(TablePart(("digits",), ("ESZSL", "DAP")))
    former = former_cells()
    assert expected_seconds(tasks["ESZSL, PS"], former) == run.seconds > 0
    assert math.isnan(expected_seconds(tasks["DAP, PS"], former))


def test_an_unwritable_progress_report_does_not_stop_the_computation(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    TaskReport(tmp_path / "file" / "0")(1, 2, "fit")


@pytest.mark.parametrize("method", ["ESZSL", "SJE"])
def test_the_runs_of_a_plan_report_a_share_that_grows_to_the_end(method):
    """Progress counts the grid points of a closed form and the epochs of other methods."""
    world, shown_text = linear_world(noise=1.0), []
    grid = {"gamma": (1.0,), "lam": (0.1, 1.0)} if method == "ESZSL" else {"margin": (1.0,)}
    params = {} if method == "ESZSL" else {"epochs": 2}
    specs = [
        RunSpec(world.name, "PS", method, params=params, grid=grid, select_for=task)
        for task in ("zsl", "gzsl")
    ]
    plan = RunPlan(specs, seeds=2)
    result = plan.complete_all(world, ResultStore(), lambda *event: shown_text.append(event))
    shares = [done / total for done, total, _ in shown_text]
    assert result == (2 if method == "ESZSL" else 4)
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.5
    assert shares[-1] == pytest.approx(1.0, abs=0.3)
    assert {total for _, total, _ in shown_text} == {2}
    assert any("fit" in message or "epoch" in message for *_, message in shown_text)
