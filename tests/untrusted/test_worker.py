"""A function on hostile files runs confined and bounded, and ends with its caller."""

import os
import platform
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pandas as pd
import pytest

from tests.datasets.test_table import npz
from tests.untrusted import functions
from tests.waiting import is_gone, until
from zslcore.datasets import import_dataset
from zslcore.storage.artifacts import discard
from zslcore.untrusted import walls, worker
from zslcore.untrusted.client import read_columns
from zslcore.untrusted.worker import Refused, call, watch_calls

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="forks, limits and walls need Linux")


@pytest.fixture(params=["forked", "started"])
def run(request, tmp_path, monkeypatch):
    """Return a function that calls another in a worker, which is forked or started anew."""
    if request.param == "started":
        monkeypatch.setattr(worker, "_can_fork", lambda: False)
    elif not worker._can_fork():
        pytest.skip("processes are not forked here")

    def of(function, *args, memory=64 << 20, seconds=20, files=()):
        return call(function, *args, files=files, out=tmp_path, memory=memory, seconds=seconds)

    return of


@LINUX
def test_a_worker_can_read_only_its_file_and_its_folder(run, tmp_path_factory, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "x")
    mine, secret = tmp_path_factory.mktemp("a") / "mine", tmp_path_factory.mktemp("b") / "secret"
    for path in (mine, secret):
        path.write_text("x")
    seen = run(functions.looks_around, str(mine), str(secret), files=[mine])
    assert seen["mine"]
    assert seen["out"]
    assert not {"SECRET_TOKEN", "HOME"} & set(seen["environment"])
    assert len(seen["descriptors"]) == 3
    assert not any("socket" in place for place in seen["descriptors"])
    assert (seen["core"], seen["seconds"], seen["size"]) == (0, 20, (64 << 20) + (1 << 20))
    if not (active := walls.active_walls()):
        pytest.skip("this system has no walls")
    more = {"files": "links", "programs": "rights"}
    for wall in (*active, *(more[wall] for wall in active if wall in more)):
        assert not seen[wall], wall


@LINUX
@pytest.mark.skipif(set(walls.WALLS) > set(walls.active_walls()), reason="walls are missing")
def test_a_compromised_worker_is_confined(run, tmp_path_factory):
    secret = tmp_path_factory.mktemp("b") / "secret"
    secret.write_text("x")
    with suppress(OSError):  # a file system without attributes
        os.setxattr(secret, "user.kept", b"x")
    victim = subprocess.Popen(["sleep", "60"])
    try:
        reached = run(functions.reaches_for_others, victim.pid, str(secret))
        assert [name for name, did in reached.items() if did] == []
        assert victim.poll() is None
    finally:
        victim.kill()
        victim.wait()
    assert run(functions.starts_a_thread)


@LINUX
@pytest.mark.skipif(set(walls.WALLS) > set(walls.active_walls()), reason="walls are missing")
def test_the_system_call_filter_prevents_truncation_of_files(tmp_path):
    """Before Linux 6.2, Landlock does not prevent truncation."""
    code = (
        "import ctypes, os, sys\n"
        "from zslcore.untrusted import walls\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "libc.prctl(walls.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)\n"
        "assert walls._shut_calls(libc)\n"
        "os.truncate(sys.argv[1], 0)\n"
    )
    (tmp_path / "mine").write_text("x")
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "mine"], capture_output=True)
    assert b"PermissionError" in done.stderr
    assert (tmp_path / "mine").read_text() == "x"


@LINUX
@pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86-64 has a second set of calls")
def test_a_worker_cannot_use_32_bit_system_calls(run):
    if "programs" not in walls.active_walls():
        pytest.skip("this system filters no calls")
    with suppress(Refused):  # a kernel without these calls ends the worker
        assert run(functions.calls_with_32_bits) < 0


@pytest.mark.nightly
def test_a_worker_that_crashes_fails_or_times_out_refuses_the_file(run, monkeypatch):
    with pytest.raises(Refused, match="the file is damaged or hostile and crashed its reader"):
        run(functions.dies)
    with pytest.raises(Refused, match="expected a complete file"):
        run(functions.fails)
    monkeypatch.setattr(worker, "PATIENCE", 0.5)
    with pytest.raises(Refused, match="not read within 2 s because this machine is busy; try"):
        run(functions.leaves_pid, 60, seconds=4)


@LINUX
@pytest.mark.nightly
def test_the_time_limit_of_a_file_is_processor_time(run, monkeypatch):
    monkeypatch.setattr(worker, "PATIENCE", 1e6)
    with pytest.raises(Refused, match="took more than 1 s of CPU time, the limit for a file"):
        run(functions.computes, seconds=1)
    run(functions.sleeps, 2.5, seconds=1)


@LINUX
def test_the_memory_of_a_worker_is_limited(run):
    assert run(functions.eats, 200 << 20, memory=300 << 20) == 200 << 20
    for eater in ((functions.eats, 1500 << 20), (functions.eats_before_it_is_allowed,)):
        with pytest.raises(Refused, match="needs more memory"):
            run(*eater, memory=800 << 20)


@pytest.mark.parametrize(
    "text", ["", "[1]\n", "{\n", "\x00" * 50, "[" * 100_000, '{"share": "x"}\n']
)
def test_an_invalid_answer_of_a_worker_refuses_the_file(run, text):
    with pytest.raises(Refused, match="crashed its reader"):
        run(functions.writes, text)


@LINUX
def test_a_progress_callback_gets_shares_and_can_end_the_worker(run, tmp_path):
    shares = []

    def watcher(share):
        shares.append(share)
        if share == 0.25:
            raise GeneratorExit  # as when a visitor leaves a page

    with pytest.raises(GeneratorExit), watch_calls(watcher):
        run(functions.leaves_pid, 600)
    assert shares[-1] == 0.25
    until(lambda: is_gone(int((tmp_path / "pid").read_text().split()[0])))


@LINUX
@pytest.mark.parametrize("share", ["NaN", "-5", "2", "9" * 400, '"x"', "null"])
def test_an_invalid_share_is_not_shown(run, share):
    shares = []
    with pytest.raises(Refused), watch_calls(shares.append):
        run(functions.says_often, f'{{"share": {share}}}\n', 1, 0.3)
    assert set(shares) == {0.0}


def test_only_the_last_line_of_an_endless_answer_is_parsed(run, monkeypatch):
    parsed = []
    monkeypatch.setattr(
        worker.json, "loads", lambda text, real=worker.json.loads: parsed.append(0) or real(text)
    )
    with pytest.raises(Refused, match="crashed its reader"):
        run(functions.says_often, "{}\n", 1 << 20, 0)
    assert len(parsed) == 1
    with pytest.raises(Refused, match="crashed its reader"):  # exceeds the limit of an answer
        run(functions.writes, f'{{"done": "{"x" * worker.ANSWER}"}}\n')


@LINUX
def test_folders_that_a_worker_nests_without_end_are_removed(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(Refused, match="its reader wrote too much"):
        call(functions.nests, 3000, files=[], out=out, memory=64 << 20, seconds=20)
    discard(out)
    assert not out.exists()


@LINUX
def test_all_files_of_a_worker_together_are_limited(tmp_path):
    limited = {"files": [], "memory": 64 << 20, "seconds": 20, "written": 1 << 20}
    (tmp_path / "before").write_bytes(bytes(5 << 20))
    call(functions.fills, 2, 1 << 20, out=tmp_path, **limited)
    for n_files, size in ((5, 1 << 20), (worker.MAX_FILES, 0)):
        with pytest.raises(Refused, match="its reader wrote too much"):
            call(functions.fills, n_files, size, out=tmp_path, **limited)


def test_an_answer_of_many_parts_is_not_parsed(run, monkeypatch):
    assert run(functions.gives_lists, 50) == [[]] * 50
    monkeypatch.setattr(worker, "MAX_PARTS", 50)
    with pytest.raises(Refused, match="crashed its reader"):
        run(functions.gives_lists, 50)


def test_a_cancelled_import_leaves_nothing(own_data, tmp_path, monkeypatch):
    monkeypatch.setattr(worker, "CHECK_INTERVAL", 0.0)

    def leave(_):
        raise GeneratorExit

    with pytest.raises(GeneratorExit), watch_calls(leave):
        import_dataset(npz(tmp_path))
    assert not [path for path in (tmp_path / "data").rglob("*") if path.is_file()]


@LINUX
def test_one_server_forks_all_workers_and_another_takes_its_place(tmp_path):
    request = {"files": [], "out": tmp_path, "memory": 1 << 20, "seconds": 20}
    first = call(functions.parent, **request)
    assert first == call(functions.parent, **request) != os.getpid()
    os.kill(first, signal.SIGKILL)
    until(lambda: is_gone(first))
    assert call(functions.parent, **request) not in (first, os.getpid())


@LINUX
def test_the_server_preloads_the_modules_of_workers(tmp_path):
    worker.warm_up(functions.__name__, "there.is.none")
    request = {"files": [], "out": tmp_path, "memory": 1 << 20, "seconds": 20}
    imported_by, server = call(functions.who_imported, **request)
    assert imported_by == server


@LINUX
def test_a_file_type_loads_its_libraries_once(tmp_path):
    pd.DataFrame({"a": [1.0]}).to_parquet(tmp_path / "a.parquet")
    read_columns(tmp_path / "a.parquet", {"a": "values"}, ["a"])
    request = {"files": [], "out": tmp_path, "memory": 1 << 20, "seconds": 20}
    result = call(functions.names_of_modules, **request)
    assert {"pyarrow.parquet", "pandas"} <= set(result)


@LINUX
def test_a_call_is_refused_if_the_fork_server_ends_and_the_next_one_succeeds(tmp_path):
    request = {"files": [], "out": tmp_path, "memory": 1 << 20, "seconds": 20}

    def end_the_server(share):
        if share == 0.25:
            os.kill(int((tmp_path / "pid").read_text().split()[1]), signal.SIGKILL)

    with watch_calls(end_the_server), pytest.raises(Refused, match="or the reader was stopped"):
        call(functions.waits_once, **request)
    server = int((tmp_path / "pid").read_text().split()[1])
    assert call(functions.waits_once, **request) not in (server, os.getpid())


@LINUX
def test_simultaneous_calls_get_their_own_results(tmp_path):
    def one(k):
        folder = tmp_path / str(k)
        folder.mkdir()
        return call(functions.eats, k, files=[], out=folder, memory=1 << 20, seconds=20)

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(one, range(12))) == list(range(12))


@LINUX
def test_workers_end_with_their_caller(tmp_path):
    code = (
        "from pathlib import Path\n"
        "from tests.untrusted.functions import leaves_pid\n"
        "from zslcore.untrusted.worker import call\n"
        f"out = Path({str(tmp_path)!r})\n"
        "call(leaves_pid, 600, files=[], out=out, memory=1 << 20, seconds=600)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(worker.ROOT)}
    caller = subprocess.Popen([sys.executable, "-c", code], env=environment)
    pid = tmp_path / "pid"
    try:
        until(lambda: pid.exists() and len(pid.read_text().split()) == 2)
    finally:
        caller.kill()
        caller.wait()
    for worker_pid in map(int, pid.read_text().split()):
        until(lambda worker_pid=worker_pid: is_gone(worker_pid))


@LINUX
def test_only_modules_of_another_checkout_on_the_path_are_readable(tmp_path, monkeypatch):
    """An editable install puts its whole checkout on the path, including its git history."""
    checkout = tmp_path / "other"
    for folder in (".git", "package", "private"):
        (checkout / folder).mkdir(parents=True)
    (checkout / "package" / "__init__.py").touch()
    monkeypatch.setattr(sys, "path", [*sys.path, str(checkout)])
    allowed = walls._libraries()
    assert str(checkout / "package") in allowed
    assert not {str(checkout), str(checkout / ".git"), str(checkout / "private")} & {*allowed}
    assert str(walls.ROOT) not in allowed
