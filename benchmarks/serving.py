"""The app on a separate server, and flags of Chromium for tests in a browser."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

ROOT = Path(__file__).parents[1]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
]


def free_port() -> int:
    """Return the number of a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Server:
    """A running app: its address and process.

    Parameters
    ----------
    folder : folder for the log and the data
    script : Streamlit script to run from the checkout ``root``
    command : command that starts an installed app instead of ``script``, outside of a checkout
    environment : additional environment variables
    port : port of the server, by default a free one
    root : checkout that ``script`` imports from
    """

    def __init__(
        self,
        folder: Path,
        script: Path = ROOT / "app.py",
        command: Sequence[str] = (),
        environment: Mapping[str, str] = MappingProxyType({}),
        port: int | None = None,
        root: Path = ROOT,
    ) -> None:
        port = port or free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.log = (folder / "streamlit.log").open("w")
        environment = os.environ | {"ZSL_DATA": str(folder / "data")} | dict(environment)
        environment |= {
            "STREAMLIT_SERVER_HEADLESS": "true",
            "STREAMLIT_SERVER_ADDRESS": "127.0.0.1",
            "STREAMLIT_SERVER_PORT": str(port),
        }
        environment["PYTHONPATH"] = "" if command else str(root)
        self.process = subprocess.Popen(  # noqa: S603 - the caller's own command
            command or [sys.executable, "-m", "streamlit", "run", str(script)],
            cwd=folder if command else root,
            env=environment,
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )

    def wait(self, seconds: float = 180) -> None:
        """Wait until the server answers."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2):  # noqa: S310
                    return
            except OSError:
                time.sleep(0.1)
        log = Path(self.log.name).read_text(encoding="utf-8")[-2000:]
        raise TimeoutError(f"No answer from {self.url}: {log}")

    def stop(self) -> None:
        """End the server process, even if a visitor is still connected."""
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


@contextmanager
def serving(n: int = 1, **options: Any) -> Iterator[list[Server]]:
    """Serve an app with ``n`` processes that share their data; pass ``options`` to Server."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        shared = {"ZSL_DATA": str(Path(folder) / "data")} | options.pop("environment", {})
        servers = []
        for k in range(n):
            log_folder = Path(folder) / str(k)
            log_folder.mkdir()
            servers.append(Server(log_folder, environment=shared, **options))
            stack.callback(servers[-1].stop)
        for server in servers:
            server.wait()
        yield servers


def resident(pid: int) -> float:
    """Return the resident memory of a process, in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a process with its threads, without subprocesses."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def settle(pid: int, patience: float = 180) -> None:
    """Wait until a server without visitors has finished its preparations.

    Parameters
    ----------
    pid : process id of the server
    patience : maximum number of seconds to wait
    """
    end, spent = time.monotonic() + patience, -1.0
    while cpu_seconds(pid) - spent > 0.05 and time.monotonic() < end:
        spent = cpu_seconds(pid)
        time.sleep(4)  # preparations start two seconds after the last page run
