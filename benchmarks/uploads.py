"""Memory of one server while visitors upload files: ``python -m benchmarks.uploads``.

Each of ``--visitors`` opens *Is it clean?*, uploads a different score file of ``--megabytes``,
waits for the verdict, closes the tab and starts again. Visitors use Streamlit's protocol over
WebSockets. After :data:`WARM` minutes, in which caches fill, all visitors leave; then new visitors
come for ``--minutes``. The report has the server's memory every minute. Memory may grow by at most
5 % from the first rest to the second. A rest is a time without visitors, longer than the two
minutes for which Streamlit keeps a closed tab.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.measuring import check
from benchmarks.serving import resident, serving
from benchmarks.visitors import Tab

VERDICTS = ("Leaks", "Broken", "Unknown", "Clean")
CLASSES, UNSEEN = 50, 10
#: Minutes of the warm-up with visitors, and seconds of a rest without visitors.
WARM, REST = 3, 135


def scores_file(rng: np.random.Generator, megabytes: float) -> bytes:
    """Return an NPZ file of random scores that are highest for the true class of most images."""
    n = int(megabytes * 1e6 / 4 / CLASSES)
    y = rng.integers(CLASSES, size=n)
    scores = rng.normal(size=(n, CLASSES)).astype(np.float32)
    scores[np.arange(n), y] += 3
    file = io.BytesIO()
    np.savez(file, scores=scores, y=y, unseen_classes=np.arange(UNSEEN))
    return file.getvalue()


class Uploader(Tab):
    """A tab of *Is it clean?* with one uploaded file."""

    def __init__(self, url: str) -> None:
        super().__init__(url, "leakage", urlencode({"view": "drop"}))
        self.session = self.uploader = ""
        self.uploaded: Any = None
        self.urls: Any = None

    async def upload(self, data: bytes) -> None:
        """Upload a file as a browser does, and wait for the verdict."""
        request = BackMsg()
        request.file_urls_request.request_id = uuid4().hex
        request.file_urls_request.file_names.append("scores.npz")
        request.file_urls_request.session_id = self.session
        await self.socket.send(request.SerializeToString())
        await self.wait_until(lambda: self.urls is not None)
        await asyncio.to_thread(self._put, data)
        self.uploaded = ("scores.npz", len(data), self.urls)
        await self.run()
        await self.wait_until(lambda: any(word in text for text in self.words for word in VERDICTS))

    def _put(self, data: bytes) -> None:
        border = uuid4().hex
        head = 'Content-Disposition: form-data; name="file"; filename="scores.npz"'
        body = f"--{border}\r\n{head}\r\n\r\n".encode() + data + f"\r\n--{border}--\r\n".encode()
        request = urllib.request.Request(  # noqa: S310 - our own server
            self.url + self.urls.upload_url,
            body,
            {
                "Content-Type": f"multipart/form-data; boundary={border}",
                "Cookie": f"_streamlit_xsrf={border}",
                "X-Xsrftoken": border,
            },
            method="PUT",
        )
        with urllib.request.urlopen(request, timeout=120):  # noqa: S310 - the same
            pass

    def fill(self, states: Any) -> None:
        """Add the uploaded file to the states of widgets."""
        super().fill(states)
        if self.uploaded is not None:
            state = states.widgets.add()
            state.id = self.uploader
            info = state.file_uploader_state_value.uploaded_file_info.add()
            info.name, info.size, urls = self.uploaded
            info.file_id = urls.file_id
            info.file_urls.CopyFrom(urls)

    def receive(self, message: ForwardMsg) -> None:
        """Record the session, the uploader and the upload addresses from a message."""
        super().receive(message)
        match message.WhichOneof("type"):
            case "new_session":
                self.session = message.new_session.initialize.session_id
            case "file_urls_response":
                (self.urls,) = message.file_urls_response.file_urls
            case "delta":
                element = message.delta.new_element
                if element.WhichOneof("type") == "file_uploader" and not self.uploader:
                    self.uploader = element.file_uploader.id


async def visit(url: str, seed: int, megabytes: float, is_over: Callable[[], bool]) -> int:
    """Upload files in turn, each in a new tab; return their number."""
    rng, n = np.random.default_rng(seed), 0
    while not is_over():
        tab = Uploader(url)
        try:
            await tab.open()
            await tab.upload(await asyncio.to_thread(scores_file, rng, megabytes))
            n += 1
            await asyncio.sleep(rng.uniform(1, 5))
        finally:
            with suppress(OSError):
                await tab.close()
    return n


async def crowd(url: str, pid: int, minutes: int, seeds: range, megabytes: float) -> float:
    """Run one visitor per seed; return the server's memory in MB after a rest."""
    end = time.monotonic() + 60 * minutes
    visitors = [
        asyncio.create_task(visit(url, seed, megabytes, lambda: time.monotonic() > end))
        for seed in seeds
    ]
    for minute in range(minutes):
        await asyncio.sleep(60)
        print(f"minute {minute + 1}: {resident(pid):.0f} MB", flush=True)
    print(f"{sum(await asyncio.gather(*visitors))} uploads of {megabytes:g} MB")
    await asyncio.sleep(REST)
    tab = Tab(url, "data", "")  # a new tab makes the server forget closed tabs
    await tab.open()
    await tab.close()
    await asyncio.sleep(10)
    print(f"at rest: {resident(pid):.0f} MB", flush=True)
    return resident(pid)


def main() -> None:
    """Run visitors that upload files, and print the server's memory."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visitors", type=int, default=20)
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--megabytes", type=float, default=4)
    args = parser.parse_args()
    with serving() as (server,):
        before, after = (
            asyncio.run(crowd(server.url, server.process.pid, minutes, seeds, args.megabytes))
            for minutes, seeds in (
                (WARM, range(args.visitors)),
                (args.minutes, range(args.visitors, 2 * args.visitors)),
            )
        )
    if not check("growth from rest to rest", 100 * (after / before - 1), "%", 5):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
