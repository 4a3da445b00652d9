"""``zslcore app``: serve the app, by one process or by several behind one address.

Serve the app on this machine and open it in the browser.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module

from zslcore.exceptions import ParameterError, ZSLError
from zslcore.storage import settings
from zslcore.storage.extras import extra
from zslcore.storage.files import APP

PORT, LAST_PORT = 8501, 65_535
#: Seconds that a server gets to end, and before one that has ended starts again; this doubles.
GOING, AGAIN = 20.0, 2.0
#: A server that ends so often, each time within so many seconds, is not started again.
MOST_STARTS, AT_ONCE = 5, 60.0
PR_SET_PDEATHSIG = 1
#: Setting of the server: addresses of the proxies whose ``X-Forwarded-For`` counts. Without it the
#: server would believe everybody on this machine.
PROXY = "FORWARDED_ALLOW_IPS"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    option("--port", type=int, help=f"port to listen on ({PORT})")
    option("--address", help="address to serve (127.0.0.1: this machine alone)")
    option(
        "--classroom",
        action="store_true",
        help="serve the network of this machine, for the phones of a class: visitors are strangers "
        "to each other (ZSL_PUBLIC=1)",
    )
    option("--headless", action="store_true", help="open no browser")
    option(
        "--processes",
        type=int,
        default=None,
        help="servers behind a proxy, at the ports that follow (ZSL_PROCESSES, or 1)",
    )
    option("--proxy", choices=PROXIES, default="nginx", help="proxy to print the configuration of")


def run(args: argparse.Namespace) -> int:
    """Serve the app until it is interrupted."""
    with extra("app", "streamlit", "The app"):
        import_module("streamlit.version")
    _choose_address(args)
    if args.port is not None:
        _require_free(args.port, args.address)
    if args.processes is None:
        args.processes = settings.PROCESSES()
    if not 1 <= args.processes <= settings.MAX_PROCESSES:
        raise ParameterError(
            f"--processes must be from 1 to {settings.MAX_PROCESSES}; got {args.processes}."
        )
    if args.processes > 1:
        return _serve_several(args)
    os.environ.setdefault(PROXY, "")
    words = _words(args.address, args.port)
    words += ["--server.headless", "true"] if args.headless else []
    if os.name == "posix":  # who ends this process ends the server
        os.execv(words[0], words)  # noqa: S606 - our own interpreter, our own script
    return subprocess.call(words)  # noqa: S603


def _choose_address(args: argparse.Namespace) -> None:
    """Serve this machine alone, or its network in a classroom; refuse an unknown address."""
    if not args.classroom:
        args.address = args.address or "127.0.0.1"
        return
    os.environ["ZSL_PUBLIC"] = "1"
    args.address = args.address or own_address()
    print(f"Classroom: http://{args.address}:{args.port or PORT}/teach", flush=True)


def own_address() -> str:
    """Return the network's address of this machine; ParameterError without any."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as route, suppress(OSError):
        route.connect(("192.0.2.1", 9))  # sends nothing: it only chooses the way out
        found = str(route.getsockname()[0])
        if not found.startswith("127.") and found != "0.0.0.0":  # noqa: S104 - refused, not bound
            return found
    raise ParameterError(
        "--classroom: expected a network that this machine is in; found none. Name the address "
        "with --address."
    )


def _words(address: str, port: int | None) -> list[str]:
    words = [sys.executable, "-m", "streamlit", "run", str(APP), "--server.address", address]
    words += ["--server.fileWatcherType", "none"]  # an edited source counts after a restart
    return words + (["--server.port", str(port)] if port else [])


# --- Several behind a proxy -----------------------------------------------------------------------


def _serve_several(args: argparse.Namespace) -> int:
    first = (args.port or PORT) + 1
    ports = range(first, first + args.processes)
    for port in ports:
        _require_free(port)
    print(PROXIES[args.proxy](args.address, args.port or PORT, ports), flush=True)
    if sys.platform != "linux":
        print("# If this process is killed, its servers go on: end them by their process numbers.")
    words = [[*_words("127.0.0.1", port), "--server.headless", "true"] for port in ports]
    # One secret for all, or a form that one server has sent is refused by another.
    secret = os.environ.get("STREAMLIT_SERVER_COOKIE_SECRET") or secrets.token_hex(32)
    of_all = {"STREAMLIT_SERVER_COOKIE_SECRET": secret, PROXY: os.environ.get(PROXY, "127.0.0.1")}
    servers = Servers(words, os.environ | of_all)
    for wish in (signal.SIGINT, signal.SIGTERM):
        signal.signal(wish, lambda *_: servers.over.set())
    servers.serve()
    return 0


def _require_free(port: int, address: str = "127.0.0.1") -> None:
    """Refuse a port that is none, or that another process listens on."""
    if not 1 <= port <= LAST_PORT:
        raise ParameterError(f"--port: expected 1 to {LAST_PORT}; got {port}.")
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as tried:
        if os.name == "posix":  # what has just been closed there is free
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((address, port))
        except OSError as error:
            raise ParameterError(
                f"--port: expected a free port on {address}; got port {port}: {error}."
            ) from None


def _ends_with(parent: int) -> Callable[[], None] | None:
    """Return what a server does first, so that it ends when the process ``parent`` does."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)  # loaded here: little is safe between fork and exec

    def ask() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:  # it ended before the call
            os._exit(1)

    return ask


class Servers:
    """Processes that are started again when they end, and ended together by ``over``."""

    def __init__(self, words: Sequence[Sequence[str]], environment: dict[str, str]) -> None:
        self.words, self.environment = words, environment
        self.over = threading.Event()
        self.processes: list[subprocess.Popen[bytes]] = []

    def serve(self, again: float = AGAIN) -> None:
        """Return when ``over`` is set; what ends before starts again, later each time.

        Raises ZSLError when a server has ended :data:`MOST_STARTS` times, each time soon after its
        start.
        """
        failures = [0] * len(self.words)
        due = [0.0] * len(self.words)
        try:
            self.processes = [self._start(words) for words in self.words]
            began = [time.monotonic()] * len(self.words)
            while not self.over.wait(again):
                now = time.monotonic()
                for k, words in enumerate(self.words):
                    if (status := self.processes[k].poll()) is None:
                        continue
                    if not due[k]:
                        failures[k] = failures[k] + 1 if now - began[k] < AT_ONCE else 1
                        due[k] = now + self._pause(k, status, failures[k], again)
                    elif now >= due[k]:
                        self.processes[k], began[k], due[k] = self._start(words), now, 0.0
        finally:
            self._end()

    def _pause(self, k: int, status: int, failures: int, again: float) -> float:
        """Return the seconds before server ``k`` starts again."""
        if failures >= MOST_STARTS:
            raise ZSLError(
                f"Server {k + 1} ended {failures} times in a row within {AT_ONCE:.0f} s of its "
                f"start, the last time with status {status}; all servers are ended. Its own "
                "message is above."
            )
        seconds = again * 2 ** (failures - 1)
        print(f"server {k + 1} ended with status {status}; it starts again in {seconds:.3g} s")
        sys.stdout.flush()
        return seconds

    def _start(self, words: Sequence[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - our own command
            words,
            env=self.environment,
            preexec_fn=_ends_with(os.getpid()),
        )

    def _end(self) -> None:
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            with suppress(subprocess.TimeoutExpired):
                process.wait(GOING)
            process.kill()
            process.wait()


def _for_nginx(address: str, port: int, ports: Sequence[int]) -> str:
    """Return what goes into the block ``http`` of nginx."""
    share = 100 / len(ports)
    drawn = "\n".join(f"    {share:.2f}% server_{p};" for p in ports[:-1])
    servers = "\n".join(f"upstream server_{p} {{ server 127.0.0.1:{p}; }}" for p in ports)
    known = "\n".join(f"    server_{p} server_{p};" for p in ports)
    return f"""\
# zslcore behind nginx: put this into the block http {{ }}, and set ZSL_PUBLIC=1 for strangers
{servers}
split_clients $request_id $zsl_drawn {{
{drawn}
    * server_{ports[-1]};
}}
map $cookie_zsl_server $zsl_server {{
    default $zsl_drawn;
{known}
}}
map $http_upgrade $zsl_connection {{ default upgrade; "" close; }}
server {{
    listen {address}:{port};
    client_max_body_size 400m;
    location / {{
        add_header Set-Cookie "zsl_server=$zsl_server; Path=/; HttpOnly; SameSite=Lax" always;
        proxy_pass http://$zsl_server;
        proxy_http_version 1.1;
        proxy_set_header Host $http_host;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection $zsl_connection;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_read_timeout 1d;
    }}
}}"""


def _for_caddy(address: str, port: int, ports: Sequence[int]) -> str:
    """Return a Caddyfile."""
    servers = " ".join(f"127.0.0.1:{p}" for p in ports)
    return f"""\
# zslcore behind Caddy: a Caddyfile; set ZSL_PUBLIC=1 for strangers
http://:{port} {{
    bind {address}
    request_body {{
        max_size 400MB
    }}
    reverse_proxy {servers} {{
        lb_policy cookie zsl_server
        lb_try_duration 5s
    }}
}}"""


#: Proxy -> what writes its configuration for an address, a port and the ports of the servers.
PROXIES = {"nginx": _for_nginx, "caddy": _for_caddy}
