"""Thirty visitors at once: how long a change takes, and what it costs the server.

    python -m benchmarks.load [--visitors 30] [--seconds 60] [--before c24ede8]

Visitors change one choice again and again, one to three seconds after the last answer, on four
pages: Evaluate, Calibration, Data and splits, Leakage review. In one run: thirty visitors at one
server; with a job on the map of two data sets; at two servers that share their data; one visitor
alone; and thirty at a server of an earlier commit. The report has the seconds that visitors
wait and the server's processor seconds for each change, which hold on a busy machine, too.

Shared results are computed before the clock starts, on both sides. Visitors
share the machine with the servers. Each visitor of two servers stays with one, as behind a proxy
that remembers where it has sent whom.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import cycle, islice
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

from benchmarks.serving import ROOT, Server
from benchmarks.timing import check
from benchmarks.visiting import (
    MAP,
    VISITS,
    Visit,
    Visitor,
    changes,
    processor_seconds,
    resident,
    settle,
)

#: Situation -> limits of the median and of what 95 % stay within, in seconds; None: no goal.
GOALS = {
    "one server": (0.25, 0.8),
    "a map job meanwhile": (None, 1.0),
    "two servers": (None, 0.5),
}
#: Seconds that a visitor alone may wait for a change, in the median.
ALONE = 0.05


class Measured(NamedTuple):
    """How long changes took, in seconds, and what the servers needed.

    Attributes
    ----------
    cost : processor seconds of the servers for each change
    memory : resident memory of the servers together afterwards, in MB
    """

    took: Sequence[float]
    cost: float
    memory: float

    @property
    def line(self) -> str:
        """What is printed: the number of changes, median, 95 %, cost and memory."""
        within = quantiles(self.took, n=20)[-1] if len(self.took) > 1 else self.took[0]
        return (
            f"{len(self.took)} changes, median {median(self.took):.3f} s, 95 % within "
            f"{within:.3f} s, server {self.cost:.3f} s each, {self.memory:.0f} MB"
        )


@contextmanager
def serving(n: int = 1, root: Path = ROOT) -> Iterator[list[Server]]:
    """Serve the app of a checkout with ``n`` processes that share their data."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        servers = []
        for k in range(n):
            own = Path(folder) / str(k)
            own.mkdir()
            shared = {"ZSL_DATA": str(Path(folder) / "data")}
            servers.append(Server(own, root / "app.py", environment=shared, root=root))
            stack.callback(servers[-1].stop)
        for server in servers:
            server.wait()
        yield servers


@contextmanager
def checkout(commit: str) -> Iterator[Path]:
    """Put an earlier commit into a folder."""
    git = shutil.which("git") or "git"
    packed = subprocess.run(  # noqa: S603 - the caller's own commit
        [git, "archive", "--format=tar", commit], cwd=ROOT, check=True, capture_output=True
    ).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(packed)) as files:
            files.extractall(folder, filter="data")
        yield Path(folder)


async def _measure(servers: Sequence[Server], visits: Sequence[Visit], seconds: float) -> Measured:
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

    def spend() -> None:
        spent.append(sum(processor_seconds(server.process.pid) for server in servers))

    took = await changes(urls, visits, seconds, on_start=spend)
    spend()
    memory = sum(resident(server.process.pid) for server in servers)
    return Measured(took, (spent[1] - spent[0]) / max(len(took), 1), memory)


async def _with_map(server: Server, visits: Sequence[Visit], seconds: float) -> Measured:
    job = Visitor(server.url, 0, MAP)
    await job.open()
    try:
        return await _measure([server], visits, seconds)
    finally:
        await job.close()


def _told(name: str, measured: Measured) -> Measured:
    print(f"{name}: {measured.line}", flush=True)
    return measured


def measure_now(visits: Sequence[Visit], seconds: float) -> dict[str, Measured]:
    """Measure this checkout in every situation of :data:`GOALS`, and each visit alone."""
    found = {}
    with serving() as servers:
        for visit in VISITS:
            alone = asyncio.run(_measure(servers, [visit], seconds / 2))
            found[visit.page] = _told(f"one visitor, {visit.page}", alone)
        thirty = asyncio.run(_measure(servers, visits, seconds))
        found["one server"] = _told(f"{len(visits)} visitors, one server", thirty)
        with_map = asyncio.run(_with_map(servers[0], visits, seconds))
        found["a map job meanwhile"] = _told(f"{len(visits)} visitors, a map job", with_map)
    with serving(2) as servers:
        shared = asyncio.run(_measure(servers, visits, seconds))
        found["two servers"] = _told(f"{len(visits)} visitors, two servers", shared)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visitors", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--before", default="c24ede8", help="an earlier commit; empty for none")
    args = parser.parse_args()
    visits = [*islice(cycle(VISITS), args.visitors)]
    found = measure_now(visits, args.seconds)
    if args.before:
        with checkout(args.before) as root, serving(root=root) as servers:
            before = asyncio.run(_measure(servers, visits, args.seconds))
        _told(f"{args.visitors} visitors, {args.before}", before)
        times = median(before.took) / median(found["one server"].took)
        print(f"the median is {times:.1f}x shorter than that of {args.before}")
    for name, limits in GOALS.items():
        measured = median(found[name].took), quantiles(found[name].took, n=20)[-1]
        for what, value, limit in zip(("median", "95 %"), measured, limits, strict=True):
            if limit is not None:
                check(f"{name}, {what}", value, "s", limit)
    for visit in VISITS:
        check(f"one visitor, {visit.page}, median", median(found[visit.page].took), "s", ALONE)


if __name__ == "__main__":
    main()
