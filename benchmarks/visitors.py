"""Visitors at the app: how long a change takes, and what the server's memory does meanwhile.

    python -m benchmarks.visitors [--visitors 1 8 30] [--seconds 60] [--changes 1200]

Visitors speak Streamlit's protocol over WebSockets, each on one of four pages, and change one
choice again and again, one to three seconds after the last answer. The same is done beside a
server without ``ui/idle.py`` and with Streamlit's own setting, which collects garbage after every
run of a page; the ratio of the two is what counts. Then one visitor after the other makes
``--changes`` changes, what an hour brings with a change every three seconds, and the server's
memory is read every hundred.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlencode

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.serving import ROOT, Server
from benchmarks.timing import check, report

#: Page, its address, the choice that is changed and what to.
VISITS = (
    ("evaluate", {"dataset": "digits"}, "Method", ("ESZSL", "LinearV2S", "LinearS2V", "SAE")),
    ("calibration", {"dataset": "digits"}, "Method", ("ESZSL", "LinearV2S", "LinearS2V", "SAE")),
    (
        "data_and_splits",
        {"data_tab": "Attributes", "dataset": "simulated-AWA1"},
        "Order of classes",
        ("as in the file", "by name", "similar together"),
    ),
    ("leakage_review", {"dataset": "simulated-AWA2", "split": "SS"}, "Split", ("SS", "PS")),
)
#: Starts the app as Streamlit would by itself: it collects after every run, and ``ui/idle.py``
#: neither does so in quiet moments nor freezes what was imported.
PLAIN = f"""
import os, sys
os.chdir({str(ROOT)!r})
sys.path.insert(0, {str(ROOT)!r})
from ui import idle
idle._TIDIER.quiet = 1e6
from streamlit.web import cli
cli.main(["run", "app.py", "--runner.postScriptGC=true"])
"""
#: Seconds after which an answer is not waited for any more.
PATIENCE = 120


class Visitor:
    """One browser tab, as far as the server can tell."""

    def __init__(self, url: str, number: int) -> None:
        self.url, self.random = url, random.Random(number)  # noqa: S311 - whom to imitate
        self.page, query, self.label, self.values = VISITS[number % len(VISITS)]
        self.query = urlencode(query)
        self.widgets: dict[str, str] = {}
        self.chosen: dict[str, str] = {}

    async def open(self) -> float:
        """Open the page; return how long it took, in seconds."""
        address = self.url.replace("http", "ws") + "/_stcore/stream"
        self.socket = await websockets.connect(
            address, subprotocols=["streamlit", "x"], max_size=None, origin=self.url
        )
        return await self._run()

    async def change(self) -> float:
        """Change the choice; return how long the answer took, in seconds."""
        others = [value for value in self.values if value != self.chosen.get(self._widget)]
        self.chosen[self._widget] = self.random.choice(others)
        return await self._run()

    async def close(self) -> None:
        """Close the tab."""
        await self.socket.close()

    @property
    def _widget(self) -> str:
        return self.widgets[self.label]

    async def _run(self) -> float:
        """Ask for a run of the page and wait for its end."""
        ask = BackMsg()
        ask.rerun_script.query_string, ask.rerun_script.page_name = self.query, self.page
        for name, value in self.chosen.items():
            state = ask.rerun_script.widget_states.widgets.add()
            state.id, state.string_value = name, value
        began, running = time.perf_counter(), False
        await self.socket.send(ask.SerializeToString())
        while True:
            said = ForwardMsg()
            said.ParseFromString(await asyncio.wait_for(self.socket.recv(), PATIENCE))
            running |= said.WhichOneof("type") == "new_session"
            self._hear(said)
            if running and said.WhichOneof("type") == "script_finished":
                return time.perf_counter() - began

    def _hear(self, said: ForwardMsg) -> None:
        element: Any = said.delta.new_element
        if element.WhichOneof("type") == "selectbox":
            self.widgets[element.selectbox.label] = element.selectbox.id
        if element.WhichOneof("type") == "exception":
            raise RuntimeError(f"{self.page}: {element.exception.type}")


async def changes(url: str, visitors: int, seconds: float) -> list[float]:
    """Let visitors change things for a while, all pages once opened; return how long they took."""
    everybody = [Visitor(url, number) for number in range(visitors)]
    for visitor in everybody:
        await visitor.open()
    end = time.monotonic() + seconds

    async def stay(visitor: Visitor) -> list[float]:
        took = []
        while time.monotonic() < end:
            took.append(await visitor.change())
            await asyncio.sleep(visitor.random.uniform(1, 3))
        await visitor.close()
        return took

    return [t for took in await asyncio.gather(*map(stay, everybody)) for t in took]


async def one_after_the_other(url: str, n: int, pid: int) -> list[float]:
    """Let visitors make ``n`` changes, twelve each; return the server's memory every hundred."""
    made, memory, numbers = 0, [], count()
    while made < n:
        visitor = Visitor(url, next(numbers))
        await visitor.open()
        for _ in range(12):
            await visitor.change()
            made += 1
            if made % 100 == 0:
                await asyncio.sleep(3)  # a moment in which nobody waits
                memory.append(resident(pid))
                print(f"{made} changes: {memory[-1]:.0f} MB")
        await visitor.close()
    return memory


def resident(pid: int) -> float:
    """Return the resident memory of a process, in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


@contextmanager
def serving(*, plain: bool) -> Iterator[Server]:
    """Serve the app, or do so as Streamlit would by itself."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), command=[sys.executable, "-c", PLAIN] if plain else [])
        try:
            server.wait()
            yield server
        finally:
            server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visitors", type=int, nargs="+", default=[1, 8, 30])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--changes", type=int, default=1200)
    args = parser.parse_args()
    with serving(plain=False) as ours, serving(plain=True) as plain:
        for visitors in args.visitors:
            took = {}
            for name, server in (("ours", ours), ("plain", plain)):
                took[name] = asyncio.run(changes(server.url, visitors, args.seconds))
                middle, most = median(took[name]), quantiles(took[name], n=20)[-1]
                print(
                    f"{visitors} visitors, {name}: {len(took[name])} changes, median "
                    f"{middle:.2f} s, 95 % within {most:.2f} s"
                )
            report(f"a change, {visitors} visitors", *(median(t) for t in took.values()), goal=2)
    if args.changes:
        with serving(plain=False) as server:
            memory = asyncio.run(one_after_the_other(server.url, args.changes, server.process.pid))
        grown = memory[-1] - memory[len(memory) // 4]
        check("memory gained over the last three quarters of the changes", grown, "MB", 20)


if __name__ == "__main__":
    main()
