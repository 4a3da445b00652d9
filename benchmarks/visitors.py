"""Visitors at the app: how long a change takes, and what the server's memory does meanwhile.

    python -m benchmarks.visitors [--visitors 1 8 30] [--seconds 60] [--changes 1200]

Visitors speak Streamlit's protocol over WebSockets, each on one of four pages, and change one
choice again and again, one to three seconds after the last answer. The same is done with a
server without ``ui/idle.py`` and with Streamlit's own setting, which collects garbage after every
run of a page; the ratio of the two is what counts. Then one visitor after the other makes
``--changes`` changes, what an hour brings with a change every three seconds, and the server's
memory is read every hundred.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from statistics import median, quantiles

from benchmarks.serving import ROOT, Server
from benchmarks.timing import check, report
from benchmarks.visiting import VISITS, changes, one_after_the_other

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
            took, visits = {}, [*islice(cycle(VISITS), visitors)]
            for name, server in (("ours", ours), ("plain", plain)):
                took[name] = asyncio.run(changes([server.url], visits, args.seconds))
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
