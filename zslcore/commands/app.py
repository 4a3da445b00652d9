"""Serve the app on this machine and open it in the browser.

Example::

    zslcore app --port 8600
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
from contextlib import suppress
from importlib import import_module

from zslcore.commands.command import command, option
from zslcore.exceptions import ParameterError
from zslcore.storage.extras import extra
from zslcore.storage.files import APP

PORT, LAST_PORT = 8501, 65_535
#: Environment variable of the server: addresses of proxies with a trusted header
#: ``X-Forwarded-For``. If it is not set, the server trusts every process on this machine.
PROXY = "FORWARDED_ALLOW_IPS"


@command(
    option("--port N", f"port to listen on ({PORT})", type=int),
    option("--address ADDRESS", "address to serve (127.0.0.1: this machine only)"),
    option(
        "--classroom",
        "serve the app on the local network, for students' phones; visitors do not see each "
        "other's data (ZSL_PUBLIC=1)",
    ),
    option("--headless", "do not open a browser"),
)
def run(args: argparse.Namespace) -> int:
    """Serve the app until it is interrupted."""
    with extra("app", "streamlit", "The app"):
        import_module("streamlit.version")
    _choose_address(args)
    if args.port is not None:
        _require_free(args.port, args.address)
    os.environ.setdefault(PROXY, "")
    words = [sys.executable, "-m", "streamlit", "run", str(APP), "--server.address", args.address]
    words += ["--server.fileWatcherType", "none"]  # source edits take effect after a restart
    words += ["--server.port", str(args.port)] if args.port else []
    words += ["--server.headless", "true"] if args.headless else []
    if os.name == "posix":  # this process becomes the server, so that signals stop it
        os.execv(words[0], words)  # noqa: S606 - our own interpreter, our own script
    return subprocess.call(words)  # noqa: S603


def _choose_address(args: argparse.Namespace) -> None:
    """Serve this machine only, or its network in a classroom; refuse an unknown address."""
    if not args.classroom:
        args.address = args.address or "127.0.0.1"
        return
    os.environ["ZSL_PUBLIC"] = "1"
    args.address = args.address or own_address()
    print(f"Classroom: http://{args.address}:{args.port or PORT}/teach", flush=True)


def own_address() -> str:
    """Return the address of this machine in its network; raise ParameterError without one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as route, suppress(OSError):
        route.connect(("192.0.2.1", 9))  # sends no packet: only selects the network interface
        address = str(route.getsockname()[0])
        if not address.startswith("127.") and address != "0.0.0.0":  # noqa: S104 - not bound
            return address
    raise ParameterError(
        "--classroom: expected a machine on a network; found no network. State the address with "
        "--address."
    )


def _require_free(port: int, address: str = "127.0.0.1") -> None:
    """Refuse an invalid port number, or a port in use."""
    if not 1 <= port <= LAST_PORT:
        raise ParameterError(f"--port: expected 1 to {LAST_PORT}; got {port}.")
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as tried:
        if os.name == "posix":  # a port that was just closed is free
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((address, port))
        except OSError as error:
            raise ParameterError(
                f"--port: expected a free port on {address}; got port {port}: {error}."
            ) from None
