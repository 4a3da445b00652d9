"""A killed table resumes without computing finished cells again."""

import re
import signal
import subprocess
import sys

import pytest

from tests.datasets.files import write_folder
from zslcore.__main__ import main
from zslcore.results.store import ResultStore

COMMAND = [sys.executable, "-m", "zslcore", "reproduce", "gbu:table3", "--dataset", "AWA2"]
COMMAND += ["--jobs", "1", "--method", "ESZSL", "SAE", "DEVISE"]


def started():
    return subprocess.Popen(
        COMMAND,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        preexec_fn=interruptible,
    )


def interruptible():
    """Accept interrupts, which a shell disables in background processes."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.nightly
@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGKILL])
def test_a_killed_table_resumes(own_data, tmp_path, signal_number):
    assert main(["import", str(write_folder(tmp_path / "AWA2")), "--name", "AWA2"]) == 0
    with started() as first:
        done = next(line for line in first.stderr if re.match("1/[0-9]+ ", line))
        first.send_signal(signal_number)
    assert first.returncode
    task = re.fullmatch(r"1/[0-9]+  (.*): [0-9]+ runs?\n", done)[1]
    stored = {run.key: run.created for run in ResultStore().results()}
    assert stored
    again = subprocess.run(COMMAND, capture_output=True, text=True, check=True)
    assert f"{task}: already stored" in again.stderr
    left = re.findall("^[0-9]+/[0-9]+  .*: [0-9]+ runs?$", again.stderr, re.MULTILINE)
    assert left
    now = {run.key: run.created for run in ResultStore().results()}
    assert len(now) > len(stored)
    assert {key: now[key] for key in stored} == stored
    assert all(method in again.stdout for method in ("ESZSL", "SAE", "DEVISE"))
