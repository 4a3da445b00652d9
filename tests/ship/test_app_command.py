"""``zslcore app``: several servers behind one address, and what they share."""

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.hostile.making import honest
from tests.works import Work
from ui.state import cache
from zslcore import datasets
from zslcore.__main__ import main
from zslcore.commands.app import MOST_STARTS, PROXIES, PROXY, Servers
from zslcore.evaluation.runs import RunResult
from zslcore.exceptions import ZSLError
from zslcore.jobs import Runner
from zslcore.storage.artifacts import scratch

ROOT = Path(__file__).parents[2]
A_RUN = ROOT / "tests" / "historic_results" / "0.3.0" / "run.json"
FOREVER = "import time; time.sleep(600)"


def until(true, seconds=60):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


@pytest.mark.parametrize("proxy", PROXIES)
def test_every_server_stands_in_the_configuration_and_a_cookie_keeps_to_one(proxy):
    text = PROXIES[proxy]("127.0.0.1", 8501, range(8502, 8505))
    assert {f"127.0.0.1:{port}" for port in range(8502, 8505)} <= set(
        re.findall(r"127\.0\.0\.1:850[2-9]", text)
    )
    assert "zsl_server" in text
    assert text.count("{") == text.count("}")


def test_visitors_are_shared_out_evenly():
    text = PROXIES["nginx"]("127.0.0.1", 8501, range(8502, 8505))
    shares = [float(share) for share in re.findall(r"([\d.]+)% server", text)]
    assert shares == pytest.approx([100 / 3, 100 / 3], abs=0.01)  # the last has the rest
    assert "    * server_8504;" in text


@pytest.mark.parametrize(("named", "believed"), [(None, ""), ("10.0.0.0/8", "10.0.0.0/8")])
def test_the_server_believes_no_forwarded_address_but_of_a_named_proxy(
    named, believed, monkeypatch
):
    monkeypatch.setenv("ZSL_PUBLIC", "0")  # which the command changes for its server
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", named or "")
    if named is None:
        monkeypatch.delenv("FORWARDED_ALLOW_IPS")
    monkeypatch.setattr(os, "execv", lambda path, words: sys.exit(repr(os.environ[PROXY])))
    with pytest.raises(SystemExit, match=re.escape(repr(believed))):
        main(["app", "--classroom", "--address", "127.0.0.1"])


def test_the_server_watches_no_files(monkeypatch):
    monkeypatch.setattr(os, "execv", lambda path, words: sys.exit(" ".join(words)))
    with pytest.raises(SystemExit, match=r"--server\.fileWatcherType none"):
        main(["app"])


@pytest.mark.parametrize("port", ["99999", "0", "-1"])
def test_a_number_that_is_no_port_gets_one_sentence(port, monkeypatch, capsys):
    monkeypatch.setattr(os, "execv", lambda *_: pytest.fail("served"))
    assert main(["app", "--port", port]) == 2
    assert f"--port: expected 1 to 65535; got {port}" in capsys.readouterr().err


@pytest.mark.parametrize("many", ["0", "-3", "65"])
def test_a_number_of_servers_that_makes_no_sense_gets_one_sentence(many, capsys):
    assert main(["app", "--processes", many]) == 2
    assert f"--processes must be from 1 to 64; got {many}" in capsys.readouterr().err


def test_a_server_that_dies_starts_again_and_all_end_together(tmp_path, capsys):
    word = f"open({str(tmp_path / 'log')!r}, 'a').write('x')"
    dies = [sys.executable, "-c", f"{word}; raise SystemExit(3)"]
    stays = [sys.executable, "-c", FOREVER]
    servers = Servers([stays, dies], dict(os.environ))
    thread = threading.Thread(target=servers.serve, kwargs={"again": 0.05})
    thread.start()
    try:
        until(lambda: (tmp_path / "log").exists() and len((tmp_path / "log").read_text()) >= 2)
        assert servers.processes[0].poll() is None
    finally:
        servers.over.set()
        thread.join(60)
    assert all(process.poll() is not None for process in servers.processes)
    assert "server 2 ended with status 3; it starts again in 0.05 s" in capsys.readouterr().out


def test_a_server_that_ends_at_once_every_time_ends_all_with_one_sentence(tmp_path, capsys):
    log = tmp_path / "log"
    word = f"open({str(log)!r}, 'a').write('x')"
    dies = [sys.executable, "-S", "-c", f"{word}; raise SystemExit(3)"]
    servers = Servers([[sys.executable, "-c", FOREVER], dies], dict(os.environ))
    with pytest.raises(ZSLError, match="Server 2 ended 5 times in a row .* with status 3"):
        servers.serve(again=0.01)
    assert len(log.read_text()) == MOST_STARTS
    assert all(process.poll() is not None for process in servers.processes)
    pauses = re.findall(r"again in ([\d.]+) s", capsys.readouterr().out)
    assert list(map(float, pauses)) == [0.01, 0.02, 0.04, 0.08]


def test_a_taken_port_gets_one_sentence_and_a_status(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for words in (["--processes", "2", "--port", str(port - 2)], ["--port", str(port)]):
            assert main(["app", *words]) == 2
            said = capsys.readouterr()
            assert f"--port: expected a free port on 127.0.0.1; got port {port}" in said.err
            assert not said.out


KILLED = """
import os, sys
from zslcore.commands.app import Servers
word = "import os, time; open(%r + str(os.getpid()), 'w'); time.sleep(600)"
Servers([[sys.executable, "-c", word]] * 2, dict(os.environ)).serve()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs signals at the death of a parent")
def test_servers_end_when_what_started_them_is_killed(tmp_path):
    supervisor = subprocess.Popen(
        [sys.executable, "-c", KILLED % f"{tmp_path}/"], env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    until(lambda: len(list(tmp_path.iterdir())) == 2)
    supervisor.kill()
    supervisor.wait()
    for path in tmp_path.iterdir():
        until(lambda pid=path.name: not _runs(pid))


def _runs(pid):
    """Whether a process runs; one that has ended may wait until somebody looks."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


OTHER = """
import json, sys
from pathlib import Path
from zslcore.datasets import import_dataset
from zslcore.jobs.upkeep import sweep_leftovers
from tests.works import Work
from zslcore.jobs import Runner
from zslcore.evaluation.runs import RunResult
from zslcore.results.store import ResultStore

if __name__ == "__main__":
    runner = Runner("tests.jobs.functions", parallel=1)
    work = Work("Counting", "count", {"to": 3})
    runner.submit(work)
    imported = import_dataset(Path(sys.argv[1]))
    ResultStore().put(RunResult.from_json(Path(sys.argv[2]).read_text()))
    state = runner.wait(work.key, 100).state
    print(json.dumps({"job": state, "digest": imported.digest, "swept": sweep_leftovers()}))
    runner.close()
"""


def test_two_processes_share_runs_jobs_and_imports(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "data"))
    runner, work = Runner("tests.jobs.functions"), Work("Counting", "count", {"to": 3})
    assert runner.finished(work) is None
    assert not cache.all_runs()[0]
    assert "brought" not in datasets.available()
    brought = honest(tmp_path)["npz"].rename(tmp_path / "brought.npz")
    with scratch() as folder:  # what this process reads meanwhile is not swept by another
        (folder / "mine").write_text("still read")
        said = subprocess.run(
            [sys.executable, "-c", OTHER, str(brought), str(A_RUN)],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            check=True,
            timeout=300,
        )
        assert (folder / "mine").exists()
    other = json.loads(said.stdout.splitlines()[-1])
    assert (other["job"], other["swept"]) == ("done", 0)
    assert (runner.finished(work) / "count.txt").read_text() == "3"
    assert [each.result for each in cache.all_runs()[0]] == [RunResult.from_json(A_RUN.read_text())]
    assert cache.dataset("brought").digest == other["digest"]
    assert "brought" in datasets.available()
