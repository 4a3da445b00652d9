"""Simulated visitors of the app: the cost of a change, and a lesson with thirty students.

    python -m benchmarks.visitors load [--visitors 30] [--seconds 60]
    python -m benchmarks.visitors memory [--changes 1200]
    python -m benchmarks.visitors room [--visitors 30] [--rounds 3]

Visitors use Streamlit's protocol over WebSockets, on the same machine as the servers.

``load``: visitors repeatedly change one choice on the pages of :data:`VISITS`, one to three seconds
after the previous response. One run measures four situations: all visitors on one server; the same
during a job that maps two data sets; on two servers that share their data; and one visitor alone.
The report has the seconds that visitors wait, and the server's CPU seconds per change;
CPU seconds are reliable even on a busy machine. Shared results are computed in advance. With
two servers, each visitor stays on one, as behind a proxy with sticky sessions.

``memory``: visitors in turn make ``--changes`` changes in total, as many as in an hour with a
change every three seconds, and the server's memory is read every hundred changes.

``room``: the time for all students of a room to open it, vote, see the reveal and reach the next
step. As their browsers do, students check every two seconds whether the teacher has moved on. The
benchmark writes the teacher's moves in the same way as the teacher's page. The time of a move ends
when the last student has the new page.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count, cycle, islice
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple
from urllib.parse import urlencode

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.measuring import check
from benchmarks.serving import Server, cpu_seconds, resident, serving, settle


class Visit(NamedTuple):
    """A page with its address, the changed control, and the new value."""

    page: str
    query: dict[str, str]
    label: str = ""
    values: Sequence[str] = ()


VISITS = (
    Visit(
        "data",
        {"data_embeddings": "true", "dataset": "simulated-AWA1"},
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
#: Page on which :data:`COMPUTE` starts a long job.
MAP = Visit(
    "awa1_and_awa2",
    {
        "pair_first": "simulated-AWA1",
        "pair_second": "simulated-AWA2",
        "awa1_images": "all",
    },
)
#: Beginnings of the labels of the buttons that start and cancel the job.
COMPUTE, CANCEL = "Compute", "Cancel"
#: Maximum number of seconds to wait for a response of the server.
PATIENCE = 120
#: Final status of a whole run that was not interrupted.
WHOLE = ForwardMsg.FINISHED_SUCCESSFULLY
#: Final status of the run of a fragment.
PART = ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY


class Tab:
    """A simulated browser tab: its screen and the chosen values.

    Attributes
    ----------
    widgets : widgets with a choice, by label
    buttons : buttons, by label
    words : texts of the last whole run of the page
    followed : fragments that run at intervals
    fragments : for each widget, the fragment that runs when it changes; empty for the whole page
    finished, parts : numbers of finished runs of the whole page and of a fragment
    """

    def __init__(self, url: str, page: str, query: str, **connection: Any) -> None:
        self.url, self.page, self.query, self.hash = url, page, query, ""
        self.connection = connection
        self.widgets: dict[str, Any] = {}
        self.chosen: dict[str, str | list[str]] = {}
        self.buttons: dict[str, str] = {}
        self.words: list[str] = []
        self.followed: list[str] = []
        self.fragments: dict[str, str] = {}
        self.finished = self.parts = 0
        self._words: list[str] = []
        self._fragments: list[str] = []
        self._update = asyncio.Event()

    async def open(self) -> float:
        """Open the page as a browser does; return the seconds it took."""
        address = self.url.replace("http", "ws") + "/_stcore/stream"
        options = {"subprotocols": ["streamlit", "x"], "max_size": None, "origin": self.url}
        self.socket = await websockets.connect(address, **options, **self.connection)
        self.tasks = [asyncio.create_task(self._receive_all())]
        return await self.run()

    async def run(self, fragment: str = "") -> float:
        """Request a run of the page or of a fragment, and wait for its end."""
        began, before, parts = time.perf_counter(), self.finished, self.parts
        await self.request_run(fragment, by_itself=False)
        await self.wait_until(
            lambda: self.finished > before or (bool(fragment) and self.parts > parts)
        )
        return time.perf_counter() - began

    async def press(self, label: str) -> None:
        """Press the button with a label that starts with ``label``; wait for the run."""
        button = next(id_ for name, id_ in self.buttons.items() if name.startswith(label))
        before = self.finished
        self.buttons.clear()
        await self.request_run(pressed=button)
        await self.wait_until(lambda: self.finished > before)

    async def request_run(
        self, fragment: str = "", pressed: str = "", *, by_itself: bool = True
    ) -> None:
        """Request a run of the page or of a fragment, with the current choices."""
        request = BackMsg()
        script = request.rerun_script
        script.query_string, script.page_script_hash = self.query, self.hash
        script.page_name = "" if self.hash else self.page
        if fragment:
            script.fragment_id = fragment
            script.is_auto_rerun = by_itself
        self.fill(script.widget_states)
        if pressed:
            state = script.widget_states.widgets.add()
            state.id, state.trigger_value = pressed, True
        await self.socket.send(request.SerializeToString())

    def fill(self, states: Any) -> None:
        """Write the current choices into the states of widgets."""
        for name, value in self.chosen.items():
            state = states.widgets.add()
            state.id = name
            if isinstance(value, str):
                state.string_value = value
            else:
                state.string_array_value.data.extend(value)

    async def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait until ``condition`` holds for the screen."""
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"{self.url}: expected another screen; got {self.words[2:4]}.")
            for task in self.tasks:
                if task.done():
                    task.result()  # re-raises an exception of the task
            self._update.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._update.wait(), 1)

    async def close(self) -> None:
        """Close the tab."""
        for task in self.tasks:
            task.cancel()
        await self.socket.close()

    async def _receive_all(self) -> None:
        async for sent in self.socket:
            message = ForwardMsg()
            message.ParseFromString(sent)
            self.receive(message)
            self._update.set()

    def receive(self, message: ForwardMsg) -> None:
        """Update the tab from one message of the server."""
        match message.WhichOneof("type"):
            case "new_session":
                self._words, self._fragments = [], []
            case "navigation":
                self.hash = message.navigation.page_script_hash
            case "page_info_changed":
                self.query = message.page_info_changed.query_string
            case "auto_rerun":
                self._fragments.append(message.auto_rerun.fragment_id)
            case "script_finished" if message.script_finished == PART:
                self.parts += 1
            case "script_finished" if message.script_finished == WHOLE:
                self.words, self.followed = self._words, self._fragments
                self.finished += 1
            case "delta":
                self._read(message.delta.new_element, self._words, message.delta.fragment_id)

    def _read(self, element: Any, words: list[str], fragment: str) -> None:
        match element.WhichOneof("type"):
            case "exception":
                raise RuntimeError(f"{self.page}: {element.exception.type}")
            case "selectbox" | "button_group" as kind:
                widget = getattr(element, kind)
                before = self.widgets.get(widget.label)
                if before is not None and before.id != widget.id:
                    self.chosen.pop(before.id, None)  # the widget was replaced
                self.widgets[widget.label] = widget
                self.fragments[widget.id] = fragment
            case "button":
                self.buttons[element.button.label] = element.button.id
            case "heading" | "markdown" | "alert" as kind:
                words.append(getattr(element, kind).body)


class Visitor(Tab):
    """A visitor who changes one choice of a page."""

    def __init__(self, url: str, number: int, visit: Visit | None = None) -> None:
        visit = visit or VISITS[number % len(VISITS)]
        super().__init__(url, visit.page, urlencode(visit.query))
        self.random = random.Random(number)  # noqa: S311 - no cryptography
        self.label, self.values = visit.label, visit.values

    async def change(self) -> float:
        """Change the choice; return the seconds until the response."""
        now = self.chosen.get(self.widgets[self.label].id)
        return await self._choose(self.random.choice([v for v in self.values if v != now]))

    async def try_all(self) -> None:
        """Choose each value once, to fill the caches."""
        for value in self.values:
            await self._choose(value)

    async def _choose(self, value: str) -> float:
        chosen = self.widgets[self.label].id
        self.chosen[chosen] = value
        return await self.run(self.fragments[chosen])


async def changes(
    urls: Sequence[str],
    visits: Sequence[Visit],
    seconds: float,
    on_start: Callable[[], None] = lambda: None,
) -> list[float]:
    """Run visitors that change choices for a while; return the seconds of each change.

    Parameters
    ----------
    urls : servers; visitors are distributed over them, and each stays on one
    visits : page and choice of each visitor
    seconds : duration of the visits
    on_start : called when all pages are open
    """
    visitors = [Visitor(urls[k % len(urls)], k, visit) for k, visit in enumerate(visits)]
    for visitor in visitors:
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

    return [t for took in await asyncio.gather(*map(stay, visitors)) for t in took]


async def one_after_the_other(url: str, n: int, pid: int) -> list[float]:
    """Make ``n`` changes, twelve per visitor; return the memory after every hundred changes."""
    changes, memory, numbers = 0, [], count()
    while changes < n:
        visitor = Visitor(url, next(numbers))
        await visitor.open()
        for _ in range(12):
            await visitor.change()
            changes += 1
            if changes % 100 == 0:
                await asyncio.sleep(3)  # a pause without requests
                memory.append(resident(pid))
                print(f"{changes} changes: {memory[-1]:.0f} MB")
        await visitor.close()
    return memory


# --- Load -----------------------------------------------------------------------------------------

#: Limits of the median and of the 95 % quantile in seconds, by situation; None: no limit.
GOALS = {
    "one server": (0.25, 0.8),
    "a map job meanwhile": (None, 1.0),
    "two servers": (None, 0.5),
}
#: Limit of the median seconds per change for a visitor alone.
ALONE = 0.05


class Measurements(NamedTuple):
    """Seconds per change, and CPU time and memory of the servers.

    Attributes
    ----------
    cost : CPU seconds of the servers per change
    memory : total resident memory of the servers afterwards, in MB
    """

    took: Sequence[float]
    cost: float
    memory: float

    @property
    def line(self) -> str:
        """Line to print: number of changes, median, 95 % quantile, cost and memory."""
        within = quantiles(self.took, n=20)[-1] if len(self.took) > 1 else self.took[0]
        return (
            f"{len(self.took)} changes, median {median(self.took):.3f} s, 95 % within "
            f"{within:.3f} s, server {self.cost:.3f} s each, {self.memory:.0f} MB"
        )


async def _measure(
    servers: Sequence[Server], visits: Sequence[Visit], seconds: float
) -> Measurements:
    urls = [server.url for server in servers]
    for url in urls:
        for visit in VISITS:
            first = Visitor(url, 0, visit)
            await first.open()
            await first.try_all()
            await first.close()
    for server in servers:
        await asyncio.to_thread(settle, server.process.pid)
    spent: list[float] = []

    def record_cpu_seconds() -> None:
        spent.append(sum(cpu_seconds(server.process.pid) for server in servers))

    took = await changes(urls, visits, seconds, on_start=record_cpu_seconds)
    record_cpu_seconds()
    memory = sum(resident(server.process.pid) for server in servers)
    return Measurements(took, (spent[1] - spent[0]) / max(len(took), 1), memory)


async def _with_map(server: Server, visits: Sequence[Visit], seconds: float) -> Measurements:
    job = Visitor(server.url, 0, MAP)
    await job.open()
    try:
        await job.press(COMPUTE)
        await job.wait_until(lambda: CANCEL in job.buttons)  # the job has started
        return await _measure([server], visits, seconds)
    finally:
        await job.close()


def _report(name: str, measured: Measurements) -> Measurements:
    print(f"{name}: {measured.line}", flush=True)
    return measured


def measure_now(visits: Sequence[Visit], seconds: float) -> dict[str, Measurements]:
    """Measure this checkout in each situation of :data:`GOALS`, and each visit alone."""
    results = {}
    with serving() as servers:
        for visit in VISITS:
            alone = asyncio.run(_measure(servers, [visit], seconds / 2))
            results[visit.page] = _report(f"one visitor, {visit.page}", alone)
        thirty = asyncio.run(_measure(servers, visits, seconds))
        results["one server"] = _report(f"{len(visits)} visitors, one server", thirty)
        with_map = asyncio.run(_with_map(servers[0], visits, seconds))
        results["a map job meanwhile"] = _report(f"{len(visits)} visitors, a map job", with_map)
    with serving(2) as servers:
        shared = asyncio.run(_measure(servers, visits, seconds))
        results["two servers"] = _report(f"{len(visits)} visitors, two servers", shared)
    return results


def load(args: argparse.Namespace) -> None:
    """Print the seconds of changes in each situation; exit with 1 if a limit is exceeded."""
    measured = measure_now([*islice(cycle(VISITS), args.visitors)], args.seconds)
    reached = []
    for name, limits in GOALS.items():
        took = measured[name].took
        values = median(took), quantiles(took, n=20)[-1]
        for statistic, value, limit in zip(("median", "95 %"), values, limits, strict=True):
            if limit is not None:
                reached.append(check(f"{name}, {statistic}", value, "s", limit))
    for visit in VISITS:
        alone = median(measured[visit.page].took)
        reached.append(check(f"one visitor, {visit.page}, median", alone, "s", ALONE))
    if not all(reached):
        raise SystemExit(1)


def memory(args: argparse.Namespace) -> None:
    """Print the server's memory every hundred changes."""
    with serving() as (server,):
        measured = asyncio.run(one_after_the_other(server.url, args.changes, server.process.pid))
    grown = measured[-1] - measured[len(measured) // 4]
    check("memory gained over the last three quarters of the changes", grown, "MB", 20)


# --- Room -----------------------------------------------------------------------------------------

LESSON = "calibration"
#: Label of the widget with the answers.
GUESS = "Your prediction"
UPDATE_SECONDS = 2.0  # seconds, as in ui/lessons/stage.py


class Student(Tab):
    """A phone in the room, which checks regularly whether the teacher has moved on."""

    def __init__(self, url: str, room: str, **connection: Any) -> None:
        super().__init__(url, "teach", f"lesson={LESSON}&room={room}", **connection)

    async def open(self) -> float:
        """Open the link of the room, and start to check for moves of the teacher."""
        took = await super().open()
        self.tasks.append(asyncio.create_task(self._poll()))
        await self.wait_until(lambda: GUESS in self.widgets)
        return took

    async def vote(self, answer: int) -> None:
        """Choose an answer."""
        answers = self.widgets[GUESS]
        options = answers.options
        self.chosen[answers.id] = [options[answer % len(options)].content]
        await self.request_run()

    async def wait_for_text(self, words: str) -> None:
        """Wait until ``words`` are on the screen."""
        await self.wait_until(lambda: any(words in text for text in self.words))

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(UPDATE_SECONDS)
            for fragment in tuple(self.followed):
                await self.request_run(fragment)


async def lesson(url: str, room: str, n: int, rounds: int) -> dict[str, list[float]]:
    """Run votes, reveals and next steps of a room; return the seconds by event."""
    from ui.lessons.room import ROOMS

    students = [Student(url, room) for _ in range(n)]
    took: dict[str, list[float]] = {}

    async def timed(step: str, waits: Sequence[Any]) -> None:
        began = time.perf_counter()
        await asyncio.gather(*waits)
        took.setdefault(step, []).append(time.perf_counter() - began)

    ROOMS.show(room, (LESSON, 1, False))
    await timed("all students have opened the room", [s.open() for s in students])
    for step in range(1, rounds + 1):
        began, question = time.perf_counter(), f"{LESSON} {step}"
        await asyncio.gather(*(s.vote(k) for k, s in enumerate(students)))
        while (counted := ROOMS.counts(room, question).total()) < n:
            if time.perf_counter() - began > PATIENCE:
                raise TimeoutError(f"{question}: expected {n} votes; got {counted}.")
            await asyncio.sleep(0.05)
        took.setdefault("all votes of one moment are counted", []).append(
            time.perf_counter() - began
        )
        ROOMS.show(room, (LESSON, step, True))
        await timed("all see the reveal", [s.wait_for_text("What to notice") for s in students])
        ROOMS.show(room, (LESSON, step + 1, False))
        progress = f"{step + 1} of "
        await timed("all are at the next step", [s.wait_for_text(progress) for s in students])
    for student in students:
        await student.close()
    return took


def room(args: argparse.Namespace) -> None:
    """Print the seconds until each move of a lesson has reached all students."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ZSL_DATA"] = f"{folder}/data"
        server = Server(Path(folder))
        try:
            server.wait()
            from ui.lessons.room import ROOMS

            took = asyncio.run(lesson(server.url, ROOMS.open(), args.visitors, args.rounds))
        finally:
            server.stop()
    print(f"{args.visitors} students, {args.rounds} questions, every vote counted")
    for step, seconds in took.items():
        check(f"{step}, the slowest of {len(seconds)}", max(seconds), "s", 5.0)


PARTS = {"load": load, "memory": memory, "room": room}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--visitors", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--changes", type=int, default=1200)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    PARTS[args.part](args)


if __name__ == "__main__":
    main()
