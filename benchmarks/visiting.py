"""Visitors of the app, as far as its server can tell: they speak Streamlit's protocol."""

from __future__ import annotations

import asyncio
import os
import random
import re
import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg


class Visit(NamedTuple):
    """A page, its address, the choice that is changed there, and what to."""

    page: str
    query: dict[str, str]
    label: str = ""
    values: Sequence[str] = ()


_METHODS = ("ESZSL", "LinearV2S", "LinearS2V", "SAE")
VISITS = (
    Visit(
        "data",
        {"data_tab": "Attributes", "dataset": "simulated-AWA1"},
        "Order of classes",
        ("as in the file", "by name", "similar together"),
    ),
    Visit(
        "leakage",
        {
            "view": "drop",
            "leakage_source": "a data set",
            "dataset": "simulated-AWA2",
            "split": "SS",
        },
        "Split",
        ("SS", "PS"),
    ),
)
#: What starts a long job, by its address alone.
MAP = Visit(
    "awa1_and_awa2",
    {
        "pair_first": "simulated-AWA1",
        "pair_second": "simulated-AWA2",
        "awa1_images": "all",
    },
)
#: Seconds after which an answer is not waited for any more.
PATIENCE = 120
#: How a run ends that the page has not left for another.
WHOLE = ForwardMsg.FINISHED_SUCCESSFULLY


class Visitor:
    """One browser tab, as far as the server can tell."""

    def __init__(self, url: str, number: int, visit: Visit | None = None) -> None:
        self.url, self.random = url, random.Random(number)  # noqa: S311 - whom to imitate
        visit = visit or VISITS[number % len(VISITS)]
        self.page, self.label, self.values = visit.page, visit.label, visit.values
        self.query, self.hash = urlencode(visit.query), ""
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

    async def try_all(self) -> None:
        """Change to every value once, so that what is computed once has been computed."""
        for value in self.values:
            self.chosen[self._widget] = value
            await self._run()

    async def close(self) -> None:
        """Close the tab."""
        await self.socket.close()

    @property
    def _widget(self) -> str:
        return self.widgets[self.label]

    async def _run(self) -> float:
        """Ask for a run of the page and wait for its end, by way of any that it starts itself."""
        ask = BackMsg()
        ask.rerun_script.query_string, ask.rerun_script.page_script_hash = self.query, self.hash
        ask.rerun_script.page_name = "" if self.hash else self.page
        for name, value in self.chosen.items():
            state = ask.rerun_script.widget_states.widgets.add()
            state.id, state.string_value = name, value
        began, running = time.perf_counter(), False
        await self.socket.send(ask.SerializeToString())
        while True:
            said = ForwardMsg()
            said.ParseFromString(await asyncio.wait_for(self.socket.recv(), PATIENCE))
            kind = said.WhichOneof("type")
            running |= kind == "new_session"
            self._hear(said)
            if running and kind == "script_finished" and said.script_finished == WHOLE:
                return time.perf_counter() - began

    def _hear(self, said: ForwardMsg) -> None:
        element: Any = said.delta.new_element
        if said.WhichOneof("type") == "navigation":
            self.hash = said.navigation.page_script_hash
        if said.WhichOneof("type") == "page_info_changed":
            self.query = said.page_info_changed.query_string
        if element.WhichOneof("type") == "selectbox":
            self.widgets[element.selectbox.label] = element.selectbox.id
        if element.WhichOneof("type") == "exception":
            raise RuntimeError(f"{self.page}: {element.exception.type}")


async def changes(
    urls: Sequence[str],
    visits: Sequence[Visit],
    seconds: float,
    on_start: Callable[[], None] = lambda: None,
) -> list[float]:
    """Let visitors change things for a while, all pages once opened; return how long they took.

    Parameters
    ----------
    urls : servers, among which visitors are shared out; each stays with one
    visits : what each visitor looks at
    seconds : for how long they stay
    on_start : called when all pages are open
    """
    everybody = [Visitor(urls[k % len(urls)], k, visit) for k, visit in enumerate(visits)]
    for visitor in everybody:
        await visitor.open()
    on_start()
    end = time.monotonic() + seconds

    async def stay(visitor: Visitor) -> list[float]:
        took = []
        while time.monotonic() < end:
            await asyncio.sleep(visitor.random.uniform(1, 3))
            took.append(await visitor.change())
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
                await asyncio.sleep(3)  # a moment without a request
                memory.append(resident(pid))
                print(f"{made} changes: {memory[-1]:.0f} MB")
        await visitor.close()
    return memory


def resident(pid: int) -> float:
    """Return the resident memory of a process, in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def processor_seconds(pid: int) -> float:
    """Return the processor time of a process and its threads, in seconds; not of its children."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def settle(pid: int, patience: float = 180) -> None:
    """Wait until a server has done what it prepares while no page is open.

    Parameters
    ----------
    pid : of the server, without visitors
    patience : seconds after which it is taken as it is
    """
    end, spent = time.monotonic() + patience, -1.0
    while processor_seconds(pid) - spent > 0.05 and time.monotonic() < end:
        spent = processor_seconds(pid)
        time.sleep(4)  # it begins after two seconds without a run
