"""Profile of the function calls in the script thread after each change of a choice.

    python -m benchmarks.changes [--changes 15]

One visitor changes the choice on each of ``visitors.VISITS``; a server under cProfile counts the
calls in each run of the page or of one of its fragments. The number of calls does not depend on the
load of the machine; the profiler makes the CPU seconds two to three times as long.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import os
import pstats
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.serving import ROOT, Server
from benchmarks.visitors import VISITS, Visit, Visitor

#: Number of functions listed per page.
LISTED = 15


def serve(profile: str) -> None:
    """Serve the app; write a profile of the runs between two SIGUSR1 signals."""
    os.chdir(ROOT)  # Streamlit reads its settings from the working folder on import
    from streamlit.runtime.scriptrunner.script_runner import ScriptRunner  # noqa: TID251 - it is measured
    from streamlit.web.cli import main  # noqa: TID251 - the same

    profiles: list[cProfile.Profile] = []
    run: Any = ScriptRunner._run_script
    counting = False

    def run_under_profile(self: ScriptRunner, data: Any) -> Any:
        if not counting:
            return run(self, data)
        profiles.append(cProfile.Profile(time.thread_time))
        return profiles[-1].runcall(run, self, data)

    def toggle(*_: object) -> None:
        nonlocal counting
        counting = not counting
        if not counting and profiles:
            pstats.Stats(*profiles).dump_stats(profile)

    setattr(ScriptRunner, "_run_script", run_under_profile)  # noqa: B010 - of another library
    signal.signal(signal.SIGUSR1, toggle)
    sys.argv = ["streamlit", "run", str(ROOT / "app.py")]
    main()


async def change(server: Server, visit: Visit, n: int) -> None:
    """Change the choice of a page ``n`` times under the profiler."""
    visitor = Visitor(server.url, 0, visit)
    await visitor.open()
    await visitor.try_all()
    server.process.send_signal(signal.SIGUSR1)
    for _ in range(n):
        await visitor.change()
    server.process.send_signal(signal.SIGUSR1)
    await visitor.run()
    await visitor.close()


def measure(visit: Visit, n: int) -> None:
    """Print the calls per change on one page, and the functions with the most time."""
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile"
        start = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from benchmarks import changes; "
        command = [sys.executable, "-c", f"{start}changes.serve({str(profile)!r})"]
        server = Server(Path(folder), command=command)
        try:
            server.wait()
            asyncio.run(change(server, visit, n))
        finally:
            server.stop()
        profiled: Any = pstats.Stats(str(profile))
    print(f"{visit.page}: {profiled.total_calls / n:,.0f} calls per change")
    by_time = profiled.sort_stats("cumulative")
    by_time.print_stats(r"/(ui|zslcore)/", LISTED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--changes", type=int, default=15)
    args = parser.parse_args()
    for visit in VISITS:
        measure(visit, args.changes)


if __name__ == "__main__":
    main()
