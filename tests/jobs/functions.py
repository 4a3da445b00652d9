"""Functions of jobs for the tests of the runner: ``Runner("tests.jobs.functions", folder)``."""

import os
import signal
import subprocess
import sys
import time

import numpy as np

from zslcore.exceptions import DatasetError
from zslcore.storage.extras import extra


def count(folder, report, to=3, seconds=0.0, log=""):
    for i in range(1, to + 1):
        time.sleep(seconds / to)
        report(i, to, f"step {i}")
        report.preview(lambda i=i: {"i": np.array(i)})
    if log:
        with open(log, "a") as file:
            file.write("once\n")
    sys.stdout.write("a library prints into the middle of a line")
    sys.stdout.flush()
    (folder / "count.txt").write_text(str(to))


def until_told(folder, report, go):
    """Report half of the progress with a preview, and wait for the file ``go``."""
    report(1, 2, "step 1")
    report.preview(lambda: {"i": np.array(1)})
    while not os.path.exists(go):
        time.sleep(0.02)
    (folder / "count.txt").write_text("2")


def with_child(folder, report, pid_file):
    """Start a child process that keeps every inherited pipe open, and wait."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with open(pid_file, "w") as file:
        file.write(f"{os.getpid()} {child.pid}")
    report(1, 2, "both there")
    child.wait()


def refuse(folder, report, once=""):
    """Fail; with the path ``once``, fail the first time and then take long."""
    if once and os.path.exists(once):
        time.sleep(600)
    if once:
        open(once, "x").close()
    raise DatasetError("digits: there are none.")


def lack(folder, report):
    """Fail like a method with an optional dependency that is not installed."""
    with extra("torch", "torch", "A *method*"):
        raise ModuleNotFoundError(name="torch")


def break_down(folder, report):
    (folder / "half.txt").write_text("half a result")
    raise RuntimeError("secret of the house")


def kill_itself(folder, report, signal_number=int(signal.SIGKILL)):
    os.kill(os.getpid(), signal_number)


def leave(folder, report):
    os._exit(3)


def threads(folder, report):
    import torch
    from threadpoolctl import threadpool_info

    most = max([pool["num_threads"] for pool in threadpool_info()])
    (folder / "threads.txt").write_text(f"{most} {torch.get_num_threads()}")


def whoami(folder, report, n=0):
    (folder / "pid.txt").write_text(str(os.getpid()))


def take_turn(folder, report, name="", log="", gate=""):
    """Write a name into the log when its turn comes, and wait until the gate is open."""
    with open(log, "a") as file:
        file.write(f"{name}\n")
    while gate and not os.path.exists(gate):
        time.sleep(0.01)
    (folder / "name.txt").write_text(name)


FUNCTIONS = {
    function.__name__: function
    for function in (
        count,
        until_told,
        with_child,
        refuse,
        lack,
        break_down,
        kill_itself,
        leave,
        threads,
        whoami,
        take_turn,
    )
}
