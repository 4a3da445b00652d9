"""Kills at random moments: ``python -m tests.hostile.kills --count 300``; prints a table.

A process writes results, imports, uploads or computes, says on a pipe whatever it has been told is
done, and is killed somewhere in the middle, again and again in the same data folder. After every
kill what was acknowledged has to be there, everything that can be seen has to be whole, and no
process of its may stay. In the end leftovers are swept, and the doctor has to find nothing.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from io import BytesIO
from pathlib import Path

from tests.hostile.making import honest
from tests.works import Work
from ui import uploads
from zslcore.analysis.study import is_intact
from zslcore.datasets import import_dataset, imports
from zslcore.evaluation.runs import RunResult, execute
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import ZSLError
from zslcore.jobs import Runner, upkeep
from zslcore.results.store import ResultStore
from zslcore.storage.artifacts import TornError, scratch

__all__ = [
    "KINDS",
    "Killing",
    "Say",
    "campaign",
    "imports_there",
    "jobs_there",
    "left_of",
    "one_result",
    "results_there",
    "work_of",
]

#: Seconds after which the processes of a killed one have to be gone.
GOING = 30.0
#: Share of kills that wait for the first word.
BEGUN = 0.7

Say = Callable[[str], None]


@dataclass
class Killing:
    """What came of killing one kind of work.

    Attributes
    ----------
    kind : of work
    longest : most seconds until a kill
    kills : how many there were
    acknowledged : what the killed had been told is done
    words : how often they had been told so
    wrong : what should not have been, in sentences
    """

    kind: str
    longest: float
    kills: int = 0
    words: int = 0
    acknowledged: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)


# --- What is killed -------------------------------------------------------------------------------


@cache
def one_result() -> RunResult:
    """Return a result of which others differ in their seeds."""
    return execute(RunSpec("digits", "PS", "ESZSL"), with_oracle=False)


def write_results(folder: Path, say: Say, start: int) -> None:
    """Put one result after the other into the run store."""
    store, result = ResultStore(), one_result()
    for n in range(10_000):
        spec = replace(result.spec, seed=10_000 * start + n)
        one = replace(result, spec=spec, key=spec.key)
        store.put(one)
        say(one.key)


def import_again(folder: Path, say: Say, start: int) -> None:
    """Import the same files under a few names, in the place of what was there."""
    for n in range(1000):
        name = f"mine{(start + n) % 4}"
        imports.remove(name)
        import_dataset(folder / "honest" / "mine.npz", name=name)
        say(name)


def upload(folder: Path, say: Say, start: int) -> None:
    """Take in what a visitor sends, and import it."""
    for n in range(1000):
        file = BytesIO((folder / "honest" / "mine.npz").read_bytes())
        file.name = "sent.npz"
        with scratch() as place:
            (path,) = uploads.put([file], place)
            name = f"sent{start}.{n}"
            import_dataset(path, name=name)
        say(name)


def compute(folder: Path, say: Say, start: int) -> None:
    """Let jobs run in child processes."""
    runner = Runner("tests.jobs.functions", parallel=2)
    works = [work_of(f"{start}.{n}") for n in range(50)]
    for work in works:
        runner.submit(work)
    while works:
        for work in [work for work in works if runner.finished(work)]:
            say(work.key)
            works.remove(work)
        time.sleep(0.01)


def work_of(name: str) -> Work:
    return Work(
        f"Counting {name}", "count", {"to": 10, "seconds": 0.2, "log": ""}, made_by={"n": name}
    )


# --- What has to be there -------------------------------------------------------------------------


def results_there() -> set[str]:
    """Return the keys of all results; each is read."""
    store = ResultStore()
    found = store.stored()
    if unreadable := store.unreadable(found):
        raise TornError(unreadable)
    return {each.result.key for each in found}


def imports_there() -> set[str]:
    """Return the names of all imports; each is opened and compared with its manifest."""
    return {name for name in imports.names() if imports.open_import(name).n_classes}


def jobs_there() -> set[str]:
    """Return the keys of all results of jobs; each is compared with its manifest."""
    folder = Path(os.environ["ZSL_DATA"]) / "jobs"
    keys = {path.name for path in folder.glob("*/") if path.name[0] != "."}
    if torn := [key for key in keys if not is_intact(folder / key)]:
        raise TornError(f"{torn[0]} is half visible")
    return keys


#: Kind -> what is killed, what has to be there afterwards, most seconds until the kill, and how
#: many kills in ten are of this kind.
KINDS = {
    "store": (write_results, results_there, 0.3, 3),
    "import": (import_again, imports_there, 2.0, 3),
    "upload": (upload, imports_there, 2.0, 2),
    "job": (compute, jobs_there, 2.0, 2),
}


def campaign(folder: Path, count: int, seed: int, seconds: float = math.inf) -> list[Killing]:
    """Kill ``count`` times in all, one kind of work after the other, or until time is up."""
    rng = random.Random(seed)
    import_dataset(honest(folder / "honest")["npz"], name="first")  # imports what all of them need
    ResultStore().put(one_result())
    found = {kind: Killing(kind, longest) for kind, (_, _, longest, _) in KINDS.items()}
    turns = [kind for kind, (_, _, _, share) in KINDS.items() for _ in range(share)]
    end = time.monotonic() + seconds
    for n in range(count):
        if time.monotonic() > end:
            break
        kind = turns[n * 7 % len(turns)]  # 7 has no divisor of the ten turns: each comes
        work, there, *_ = KINDS[kind]
        _kill_once(found[kind], lambda say, n=n, work=work: work(folder, say, n), rng)
        _look(found[kind], there, replaced=kind == "import")
    return list(found.values())


def _kill_once(found: Killing, work: Callable[[Say], None], rng: random.Random) -> None:
    """Let a process work and kill it; take note of what it has said."""
    heard, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(heard)
            os.setsid()
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            work(lambda word: os.write(told, f"{word}\n".encode()))
            status = 0
        except BaseException as error:  # noqa: BLE001 - told to who looks
            os.write(told, f"! {type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(status)
    os.close(told)
    if rng.random() < BEGUN:  # once it has done something; the others may still begin
        select.select([heard], [], [], GOING)
    time.sleep(rng.uniform(0, found.longest))
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with open(heard, encoding="utf-8") as said:  # up to the end of who died and its children
        words = said.read().splitlines()
    found.kills += 1
    done = [word for word in words if not word.startswith("!")]
    found.words += len(done)
    found.acknowledged |= set(done)
    found.wrong += [word for word in words if word.startswith("!")]
    if left := left_of(pid):
        found.wrong.append(f"kill {found.kills}: processes {left} are still there")


def left_of(session: int) -> list[int]:
    """Return the processes of a session that are still there after a while."""
    end = time.monotonic() + GOING
    while (left := _of_session(session)) and time.monotonic() < end:
        time.sleep(0.02)
    return left


def _of_session(session: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            after = path.read_text(errors="replace").rpartition(")")[2].split()
            if int(after[3]) == session and after[0] != "Z":
                found.append(int(path.parent.name))
    return found


def _look(found: Killing, there: Callable[[], set[str]], *, replaced: bool) -> None:
    """See that everything is whole, and what was acknowledged is there.

    What is replaced again and again may be between two versions when its process is killed, which
    removes the first: then it is gone whole.
    """
    try:
        keys = there()
    except (ZSLError, TornError, OSError) as error:
        found.wrong.append(f"kill {found.kills}: {type(error).__name__}: {error}")
        return
    lost = found.acknowledged - keys
    if lost and not (replaced and len(lost) == 1):
        found.wrong.append(f"kill {found.kills}: {len(lost)} acknowledged are lost, as {min(lost)}")
    if replaced:
        found.acknowledged -= lost


def main() -> int:
    """Kill as often as is asked for; return 1 where something was lost, torn or left behind."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after this time")
    args = parser.parse_args()
    write, wrong = sys.stdout.write, 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ZSL_DATA"] = str(Path(folder) / "data")
        write(f"{'killed':8} {'kills':>7} {'acknowledged':>13} {'wrong':>7}\n")
        for found in campaign(Path(folder), args.count, args.seed, 60 * args.minutes):
            write(f"{found.kind:8} {found.kills:7,} {found.words:13,} {len(found.wrong):7,}\n")
            for sentence in found.wrong[:3]:
                write(f"    {sentence}\n")
            wrong += len(found.wrong)
        write(f"{upkeep.sweep_leftovers():,} things swept\n")
        ill = [each for each in upkeep.examine() if not each.well and each.what != "room"]
        for each in ill:
            write(f"the doctor finds: {each.sentence}\n")
        write("the doctor finds nothing\n" if not ill else "")
    return int(bool(wrong or ill))


if __name__ == "__main__":
    sys.exit(main())
