"""A room of thirty: how long opening, votes, the reveal and the next step take for all of them.

    python -m benchmarks.room [--students 30] [--rounds 3]

Students speak Streamlit's protocol over WebSockets, and look every two seconds whether the teacher
has moved on, as their browsers do. The teacher's moves are written as the teacher's page writes
them. A move counts as seen when the last student has the page of it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.serving import Server
from benchmarks.timing import check

LESSON = "calibration"
LOOK_EVERY = 2.0  # seconds, of ui/lessons/stage.py
PATIENCE = 60.0


class Student:
    """A telephone in the room: what it has on its screen, and what it chose."""

    def __init__(self, url: str, room: str, **connection: Any) -> None:
        self.connection = connection
        self.url, self.query = url, f"lesson={LESSON}&room={room}"
        self.page, self.pills, self.chosen = "", "", -1
        self.followed: list[str] = []
        self.words: list[str] = []
        self.fresh: list[str] = []
        self.labels: list[str] = []
        self.finished = 0

    async def open(self) -> None:
        """Open the link of the room, and look after it from here on."""
        address = self.url.replace("http", "ws") + "/_stcore/stream"
        self.socket = await websockets.connect(
            address,
            subprotocols=["streamlit", "x"],
            max_size=None,
            origin=self.url,
            **self.connection,
        )
        self.tasks = [asyncio.create_task(self._hear()), asyncio.create_task(self._look())]
        await self._ask()
        await self.sees(lambda: self.finished > 0 and bool(self.pills))

    async def vote(self, answer: int) -> None:
        """Choose an answer."""
        self.chosen = answer
        await self._ask()

    async def sees(self, true: Callable[[], bool]) -> None:
        """Wait until something is on the screen."""
        end = time.monotonic() + PATIENCE
        while not true():
            if time.monotonic() > end:
                raise TimeoutError(f"{self.url}: expected another screen, got {self.words[2:4]}.")
            for task in self.tasks:
                if task.done():
                    task.result()  # raises what ended it
            await asyncio.sleep(0.01)

    async def reads_soon(self, words: str) -> None:
        """Wait until some words are on the screen."""
        await self.sees(lambda: any(words in text for text in self.words))

    async def close(self) -> None:
        """Leave the room."""
        for task in self.tasks:
            task.cancel()
        await self.socket.close()

    async def _ask(self, fragment: str = "") -> None:
        ask = BackMsg()
        ask.rerun_script.query_string, ask.rerun_script.page_script_hash = self.query, self.page
        ask.rerun_script.page_name = "" if self.page else "teach"
        if fragment:
            ask.rerun_script.fragment_id, ask.rerun_script.is_auto_rerun = fragment, True
        if self.chosen >= 0:
            state = ask.rerun_script.widget_states.widgets.add()
            state.id = self.pills
            state.string_array_value.data.append(self.labels[self.chosen])
        await self.socket.send(ask.SerializeToString())

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            for fragment in tuple(self.followed):
                await self._ask(fragment)

    async def _hear(self) -> None:
        fragments: list[str] = []
        async for message in self.socket:
            said = ForwardMsg()
            said.ParseFromString(message)
            kind = said.WhichOneof("type")
            if kind == "new_session":
                self.fresh, fragments = [], []
            elif kind == "navigation":
                self.page = said.navigation.page_script_hash
            elif kind == "auto_rerun":
                fragments.append(said.auto_rerun.fragment_id)
            elif (
                kind == "script_finished"
                and said.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
            ):
                self.words, self.followed = self.fresh, fragments  # not so after a part of the page
                self.finished += 1
            elif kind == "delta":
                self._read(said.delta.new_element)

    def _read(self, element: Any) -> None:
        match element.WhichOneof("type"):
            case "exception":
                raise RuntimeError(f"teach: {element.exception.type}")
            case "button_group" if element.button_group.label == "Guess first":
                if self.pills != element.button_group.id:
                    self.chosen = -1  # another question
                self.pills = element.button_group.id
                self.labels = [option.content for option in element.button_group.options]
            case "heading" | "markdown" | "alert" as kind:
                self.fresh.append(getattr(element, kind).body)


async def lesson(url: str, room: str, n: int, rounds: int) -> dict[str, list[float]]:
    """Let a room answer, see the reveal and move on; return seconds by what was waited for."""
    from ui.lessons.room import ROOMS

    students = [Student(url, room) for _ in range(n)]
    took: dict[str, list[float]] = {}

    async def timed(what: str, waits: Sequence[Any]) -> None:
        began = time.perf_counter()
        await asyncio.gather(*waits)
        took.setdefault(what, []).append(time.perf_counter() - began)

    ROOMS.show(room, (LESSON, 1, False))
    await timed("all students have opened the room", [s.open() for s in students])
    for step in range(1, rounds + 1):
        began, question = time.perf_counter(), f"{LESSON} {step}"
        await asyncio.gather(*(s.vote(k % len(s.labels)) for k, s in enumerate(students)))
        while (counted := ROOMS.counts(room, question).total()) < n:
            if time.perf_counter() - began > PATIENCE:
                raise TimeoutError(f"{question}: expected {n} votes, got {counted}.")
            await asyncio.sleep(0.05)
        took.setdefault("all votes of one moment are counted", []).append(
            time.perf_counter() - began
        )
        ROOMS.show(room, (LESSON, step, True))
        await timed("all see the reveal", [s.reads_soon("What to notice") for s in students])
        ROOMS.show(room, (LESSON, step + 1, False))
        there = f"{step + 1} of "
        await timed("all are at the next step", [s.reads_soon(there) for s in students])
    for student in students:
        await student.close()
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ZSL_DATA"] = f"{folder}/data"
        server = Server(Path(folder))
        try:
            server.wait()
            from ui.lessons.room import ROOMS

            took = asyncio.run(lesson(server.url, ROOMS.open(), args.students, args.rounds))
        finally:
            server.stop()
    print(f"{args.students} students, {args.rounds} questions, every vote counted")
    for what, seconds in took.items():
        check(f"{what}, the slowest of {len(seconds)}", max(seconds), "s", 5.0)


if __name__ == "__main__":
    main()
