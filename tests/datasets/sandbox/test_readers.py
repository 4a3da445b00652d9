"""Readers of files from outside are forked from one process; each has its limits and nothing else.

What the door itself promises is in test_door.py and test_outside.py, which go through them, too.
"""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from zslcore.datasets.sandbox import client, readers
from zslcore.datasets.sandbox.client import read_arrays

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="readers are forked on Linux")

ASK = {"seconds": 20, "budget": 1 << 20}


@pytest.fixture
def child(tmp_path, monkeypatch):
    """Return what makes a script the door's child, and gives what it printed and how it ended."""

    def run(script, **request):
        path = tmp_path / "child.py"
        path.write_text(script)
        monkeypatch.setattr(client, "CHILD", path)
        return client._run_child(ASK | request)

    yield run
    readers._close()


def until_gone(pid):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return
        except (FileNotFoundError, ProcessLookupError):
            return
        time.sleep(0.01)
    pytest.fail(f"process {pid} is still there")


PARENT = "import os; print('{\"parent\": %d}' % os.getppid())"


def test_one_process_forks_all_readers_and_another_takes_its_place(child):
    ((first,), _), ((second,), _) = child(PARENT), client._run_child(ASK)
    assert first == second != {"parent": os.getpid()}
    os.kill(first["parent"], signal.SIGKILL)
    until_gone(first["parent"])
    (third,), code = client._run_child(ASK)
    assert code == 0
    assert third not in (first, {"parent": os.getpid()})


def test_a_file_is_read_though_the_keeper_dies_over_it(tmp_path, child):
    once = tmp_path / "once"
    (said,), code = child(
        "import json, os, pathlib, signal\n"
        f"once = pathlib.Path({str(once)!r})\n"
        "if not once.exists():\n"
        "    once.touch()\n"
        "    os.kill(os.getppid(), signal.SIGKILL)\n"
        "    signal.pause()\n"
        "print(json.dumps({'parent': os.getppid()}))\n"
    )
    assert (said, code) == ({"parent": os.getpid()}, 0)  # started by this process, then


def test_a_reader_holds_no_descriptor_of_another(child):
    script = (
        "import json, os, sys\n"
        "held = {f: os.readlink(f'/proc/self/fd/{f}') for f in os.listdir('/proc/self/fd') "
        "if os.path.exists(f'/proc/self/fd/{f}')}\n"
        "print(json.dumps(held))\n"
    )
    (held,), _ = child(script)
    assert set(held) == {"0", "1", "2"}
    assert not any("socket" in place for place in held.values())


@pytest.mark.parametrize("end", ["sys.exit(3)", "os.kill(os.getpid(), 11)", "raise ValueError"])
def test_how_a_reader_ends_is_told(child, end):
    _, code = child(f"import os, sys\n{end}")
    assert code == (-11 if "kill" in end else 3 if "exit" in end else 1)


def test_a_forked_reader_has_the_walls_and_limits_of_a_started_one(tmp_path, child):
    secret = tmp_path / "secret"
    secret.write_text("x")
    script = (
        "import json, resource, socket, sys\n"
        "from zslcore.datasets.sandbox import child as door_child\n"
        "request = json.load(sys.stdin)\n"
        "door_child.limit_everything(request['budget'], request['seconds'])\n"
        "walls = door_child.shut([request['path']], [request['out']])\n"
        "def goes(what):\n"
        "    try:\n"
        "        what()\n"
        "    except OSError:\n"
        "        return False\n"
        "    return True\n"
        "print(json.dumps({'walls': walls, 'network': goes(socket.socket),\n"
        f"    'files': goes(lambda: open({str(secret)!r})),\n"
        "    'programs': goes(lambda: __import__('os').execv('/bin/true', ['true'])),\n"
        "    'core': resource.getrlimit(resource.RLIMIT_CORE)[0],\n"
        "    'seconds': resource.getrlimit(resource.RLIMIT_CPU)[0]}))\n"
    )
    mine = tmp_path / "mine"
    mine.write_text("x")
    out = tmp_path / "out"
    out.mkdir()
    (answer,), code = child(script, path=str(mine), out=str(out))
    assert (code, answer["core"], answer["seconds"]) == (0, 0, 20)
    for wall in answer["walls"]:
        assert not answer[wall], wall


def test_many_at_once_get_each_their_own_file(tmp_path):
    def read(k):
        folder = tmp_path / str(k)
        folder.mkdir()
        np.savez(folder / "mine.npz", labels=np.arange(k + 1))
        return read_arrays(folder / "mine.npz", {"labels": "numbers"}, folder).arrays["labels"]

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(read, range(12)))
    assert [len(labels) for labels in found] == list(range(1, 13))


def test_readers_end_with_the_server(tmp_path):
    sleeper, pid = tmp_path / "sleeper.py", tmp_path / "pid"
    sleeper.write_text(
        "import os, pathlib, time\n"
        f"pathlib.Path({str(pid)!r}).write_text(f'{{os.getpid()}} {{os.getppid()}}')\n"
        "time.sleep(600)\n"
    )
    server = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from pathlib import Path; from zslcore.datasets.sandbox import client as door\n"
            f"door.CHILD = Path({str(sleeper)!r})\n"
            f"door._run_child({json.dumps(ASK)})\n",
        ],
        env=os.environ | {"PYTHONPATH": str(client.ROOT)},
    )
    try:
        end = time.monotonic() + 60
        while not (pid.exists() and len(pid.read_text().split()) == 2):
            assert time.monotonic() < end, "no reader"
            time.sleep(0.02)
    finally:
        server.kill()
        server.wait()
    for each in pid.read_text().split():
        until_gone(int(each))


def test_where_nothing_can_be_forked_readers_are_started(child, monkeypatch):
    monkeypatch.setattr(readers.sys, "platform", "darwin")
    (said,), code = child(PARENT)
    assert (said, code) == ({"parent": os.getpid()}, 0)


def test_a_reader_of_parquet_starts_no_more_threads_than_it_needs():
    """Each reserves memory under the reader's limit: with eight, one file in a hundred failed."""
    code = (
        "from zslcore.datasets.sandbox.columns import spare_memory; spare_memory();"
        "import pyarrow; print(pyarrow.io_thread_count(), pyarrow.cpu_count(),"
        "pyarrow.default_memory_pool().backend_name)"
    )
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "1", "system"]
