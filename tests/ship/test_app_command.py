"""``zslcore app``, and servers that share a data folder."""

import json
import os
import re
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.hostile.making import honest
from tests.works import Work
from ui.state import cache
from zslcore import datasets
from zslcore.__main__ import main
from zslcore.commands.app import PROXY
from zslcore.evaluation.runs import RunResult
from zslcore.jobs import Runner
from zslcore.storage.artifacts import scratch

ROOT = Path(__file__).parents[2]
A_RUN = ROOT / "tests" / "historic_results" / "0.3.0" / "run.json"


@pytest.mark.parametrize(("named", "believed"), [(None, ""), ("10.0.0.0/8", "10.0.0.0/8")])
def test_the_server_trusts_addresses_only_from_a_named_proxy(named, believed, monkeypatch):
    monkeypatch.setenv("ZSL_PUBLIC", "0")  # restored after the command sets it
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", named or "")
    if named is None:
        monkeypatch.delenv("FORWARDED_ALLOW_IPS")
    monkeypatch.setattr(os, "execv", lambda path, words: sys.exit(repr(os.environ[PROXY])))
    with pytest.raises(SystemExit, match=re.escape(repr(believed))):
        main(["app", "--classroom", "--address", "127.0.0.1"])


def test_the_server_watches_no_files(monkeypatch):
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["server"]["fileWatcherType"] == "none"  # for `streamlit run app.py`
    monkeypatch.setattr(os, "execv", lambda path, words: sys.exit(" ".join(words)))
    with pytest.raises(SystemExit, match=r"--server\.fileWatcherType none"):
        main(["app"])


@pytest.mark.parametrize("port", ["99999", "0", "-1"])
def test_an_invalid_port_is_refused_in_one_sentence(port, monkeypatch, printed):
    monkeypatch.setattr(os, "execv", lambda *_: pytest.fail("served"))
    assert f"--port: expected 1 to 65535; got {port}" in printed("app", "--port", port, status=2)


def test_a_port_in_use_is_refused_in_one_sentence_with_exit_status(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["app", "--port", str(port)]) == 2
        output = capsys.readouterr()
        assert f"--port: expected a free port on 127.0.0.1; got port {port}" in output.err
        assert not output.out


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
    state = runner.wait(work.key, 280).state
    print(json.dumps({"job": state, "digest": imported.digest, "swept": sweep_leftovers()}))
    runner.close()
"""


def test_two_processes_share_runs_jobs_and_imports(own_data, tmp_path):
    runner, work = Runner("tests.jobs.functions"), Work("Counting", "count", {"to": 3})
    assert runner.finished(work) is None
    assert not cache.all_runs()[0]
    assert "brought" not in datasets.available()
    brought = honest(tmp_path)["npz"].rename(tmp_path / "brought.npz")
    with scratch() as folder:  # another process does not delete files that this process reads
        (folder / "mine").write_text("still read")
        run_result = subprocess.run(
            [sys.executable, "-c", OTHER, str(brought), str(A_RUN)],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            check=True,
            timeout=300,
        )
        assert (folder / "mine").exists()
    other = json.loads(run_result.stdout.splitlines()[-1])
    assert (other["job"], other["swept"]) == ("done", 0)
    assert (runner.finished(work) / "count.txt").read_text() == "3"
    assert [all_run.result for all_run in cache.all_runs()[0]] == [
        RunResult.from_json(A_RUN.read_text())
    ]
    assert cache.dataset("brought").digest == other["digest"]
    assert "brought" in datasets.available()
