"""Commands give the same output on a Dask cluster that shares the data folder."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from functools import partial

import pytest
from joblib import delayed

from zslcore.__main__ import main
from zslcore.exceptions import ZSLError
from zslcore.large.engine import parallel


@pytest.fixture
def printed(tmp_path, monkeypatch, capsys):
    """Return the output of a command, in a separate data folder."""

    def run(*words, dask=""):
        monkeypatch.setenv("ZSL_DATA", str(tmp_path / str(len(list(tmp_path.iterdir())))))
        monkeypatch.setenv("ZSL_DASK", dask)
        assert main(list(words)) == 0
        return json.loads(capsys.readouterr().out)

    return run


def test_compare(printed, dask):
    words = ["compare", "--method", "LinearS2V", "ESZSL", "--json"]
    here, on_cluster = printed(*words, "--jobs", "1"), printed(*words, dask=dask)
    for row in [*here, *on_cluster]:
        del row["seconds"]
    assert here == on_cluster


def test_reproduce(printed, dask):
    words = ["reproduce", "gbu:table3", "--method", "ESZSL", "--seeds", "1", "--json"]
    assert printed(*words, "--jobs", "1") == printed(*words, dask=dask)


# --- A cluster that ends during the computation ---------------------------------------------------


@contextmanager
def process(*words):
    """A Dask process, killed at the end of the block."""
    command = [sys.executable, "-m", *map(str, words)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet) as result:
        try:
            yield result
        finally:
            result.kill()


@pytest.fixture
def cluster(tmp_path):
    """Scheduler and two workers, each a process: (address, pid of the scheduler)."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    file = tmp_path / "scheduler.json"
    options = ("--no-dashboard", "--scheduler-file", file)
    scheduler = ("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", 0, "--no-show")
    worker = ("distributed.cli.dask_worker", "--nthreads", 1, "--no-nanny")
    with (
        process(*scheduler, *options) as main_one,
        process(*worker, *options),
        process(*worker, *options),
    ):
        for _ in range(600):
            if file.exists() and file.stat().st_size:
                break
            time.sleep(0.1)
        address = json.loads(file.read_text(encoding="utf-8"))["address"]
        with distributed.Client(address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        yield address, main_one.pid


def done_or_killed(number, pid, marker):
    """Kill a process, by default this one, but only the first time; then continue counting."""
    if number == 2:
        try:
            marker.open("x").close()
        except FileExistsError:
            return number
        os.kill(pid or os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.nightly
def test_a_killed_dask_worker_does_not_change_the_result(cluster, tmp_path, monkeypatch):
    address, _ = cluster
    monkeypatch.setenv("ZSL_DASK", address)
    call = partial(done_or_killed, pid=0, marker=tmp_path / "marker")
    with parallel(1, "list") as work:
        assert work(delayed(call)(number) for number in range(6)) == list(range(6))
    assert (tmp_path / "marker").exists()


@pytest.mark.nightly
def test_a_killed_scheduler_is_reported_in_one_sentence(cluster, tmp_path, monkeypatch, caplog):
    address, pid = cluster
    monkeypatch.setattr("zslcore.large.engine.DASK_TIMEOUT", "2s")
    monkeypatch.setenv("ZSL_DASK", address)
    call = partial(done_or_killed, pid=pid, marker=tmp_path / "marker")
    with (
        pytest.raises(
            ZSLError, match="ZSL_DASK: the scheduler at tcp.* lost during the computation"
        ),
        parallel(1, "list") as work,
    ):
        work(delayed(call)(number) for number in range(6))
    assert not [record for record in caplog.records if record.exc_info]
