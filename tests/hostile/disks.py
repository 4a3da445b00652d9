"""A disk that is full, then read-only: ``python -m tests.hostile.disks --count 100``.

On a small file system of its own a process keeps results, imports, takes in uploads, computes or
extracts features until there is no room; what it is told is done, it says on a pipe. Then, with the
disk full and once more read-only, what was acknowledged has to be there and everything that can be
seen has to be whole. Once there is room again the doctor has to find nothing. Mounting needs root.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.hostile.kills import (
    GOING,
    Say,
    imports_there,
    jobs_there,
    left_of,
    one_result,
    results_there,
    work_of,
    write_results,
)
from tests.hostile.kills import upload as upload_files
from tests.hostile.making import honest
from zslcore.datasets import import_dataset
from zslcore.exceptions import ZSLError
from zslcore.jobs import Runner, upkeep
from zslcore.results.store import ResultStore
from zslcore.storage.artifacts import TornError

__all__ = ["KINDS", "Filling", "disk", "fill", "filled", "read_only", "refused_here"]

#: Bytes of the file system, and most of them that are left to the work.
SIZE, LEFT = 8 << 20, 400_000
#: Files of the test beside what is kept.
BALLAST = "ballast"


@dataclass
class Filling:
    """What came of filling the disk with one kind of work.

    Attributes
    ----------
    kind : of work
    disks : how many were filled
    acknowledged : how often something was told to be done
    refused : how the work ended, each sentence once
    wrong : what should not have been, in sentences
    """

    kind: str
    disks: int = 0
    acknowledged: int = 0
    refused: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)


# --- A disk of one's own --------------------------------------------------------------------------


def refused_here() -> str:
    """Return why no file system can be mounted here, empty where one can."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            with disk(Path(folder)):
                return ""
        except (OSError, subprocess.CalledProcessError) as error:
            said = getattr(error, "stderr", "") or str(error)
            return f"no file system can be mounted: {said.strip()}"


@contextmanager
def disk(folder: Path) -> Iterator[Path]:
    """Lend a small file system, mounted on ``folder``."""
    _run("mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder)
    try:
        yield folder
    finally:
        _run("umount", "--lazy", folder)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Let nobody write on a disk as long as the block takes."""
    end = time.monotonic() + GOING
    while True:
        try:
            _run("mount", "-o", "remount,ro", folder)
            break
        except subprocess.CalledProcessError:  # who was refused is still closing its files
            if time.monotonic() > end:
                raise
        time.sleep(0.05)
    try:
        yield
    finally:
        _run("mount", "-o", "remount,rw", folder)


def _run(*words: object) -> None:
    subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True)


def fill(folder: Path, left: int = 0) -> None:
    """Take all the room of a disk but for some bytes."""
    free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
    with (folder / BALLAST).open("ab") as file:
        file.write(bytes(max(0, free - left)))


# --- What fills it --------------------------------------------------------------------------------


def import_more(folder: Path, say: Say, start: int) -> None:
    """Import the same files under one name after the other."""
    for n in range(1000):
        import_dataset(folder / "honest" / "mine.npz", name=f"mine{start}.{n}")
        say(f"mine{start}.{n}")


def compute(folder: Path, say: Say, start: int) -> None:
    """Let jobs run in child processes, one after the other, until one fails.

    Where nothing can be written, results live as long as the server; so the jobs are few.
    """
    runner = Runner("tests.jobs.functions", parallel=1)
    try:
        for n in range(20):
            work = work_of(f"{start}.{n}")
            runner.submit(work)
            status = runner.wait(work.key, 120)
            if runner.finished(work) is None:
                raise ZSLError(status.error if status else "Nobody knows of the job.")
            say(work.key)
    finally:
        runner.close()


def extract_features(folder: Path, say: Say, start: int) -> None:
    """Extract the features of a few images, one archive after the other."""
    from tests.extraction.making import write_folder
    from tests.extraction.test_extracting import stub
    from zslcore.extraction.extracting import extract
    from zslcore.extraction.listing import images_of_folder

    images = images_of_folder(write_folder(folder / "images"))
    for n in range(1000):
        extract(images, stub(), _features() / f"f{start}.{n}.npz", batch=4)
        say(f"f{start}.{n}")


def _features() -> Path:
    folder = Path(os.environ["ZSL_DATA"]) / "features"
    folder.mkdir(exist_ok=True)
    return folder


def features_there() -> set[str]:
    """Return the names of all archives of features; each is read."""
    found = set()
    for path in (Path(os.environ["ZSL_DATA"]) / "features").glob("[!.]*.npz"):
        with np.load(path, allow_pickle=False) as archive:
            whole = {name: archive[name] for name in archive.files}
        if len(whole["features"]) != len(whole["labels"]):
            raise TornError(f"{path.name} is half visible")
        found.add(path.stem)
    return found


#: Kind -> what fills the disk, and what has to be there.
KINDS: dict[str, tuple[Callable[[Path, Say, int], None], Callable[[], set[str]]]] = {
    "store": (write_results, results_there),
    "import": (import_more, imports_there),
    "upload": (upload_files, imports_there),
    "job": (compute, jobs_there),
    "extraction": (extract_features, features_there),
}


def filled(kind: str, folder: Path, n: int, left: int, found: Filling) -> None:
    """Fill a new disk with one kind of work and take note of what was wrong.

    Parameters
    ----------
    kind : of work
    folder : with the honest files, and an empty folder ``disk``
    n : number of the round
    left : bytes that the work has
    found : where what came of it is written down
    """
    work, there = KINDS[kind]
    found.disks += 1
    with disk(folder / "disk") as place:
        os.environ["ZSL_DATA"] = str(place / "data")
        ResultStore().put(one_result())
        import_dataset(folder / "honest" / "mine.npz", name="first")
        fill(place, left // 8 if kind == "job" else left)
        done = _until_full(work, folder, n, found)
        found.acknowledged += len(done)
        _look(found, there, done, "full")
        with read_only(place):
            _look(found, there, done, "read-only")
            again = _until_full(work, folder, n + 1, found)
            if again and kind != "job":
                found.wrong.append(f"{sorted(again)[0]} was acknowledged on a read-only disk")
        (place / BALLAST).unlink()
        upkeep.sweep_leftovers()
        ill = [each for each in upkeep.examine() if not each.well and each.what != "room"]
        found.wrong += [f"the doctor finds: {each.sentence}" for each in ill]
        _look(found, there, done, "roomy again")


def _until_full(
    work: Callable[[Path, Say, int], None], folder: Path, n: int, found: Filling
) -> set[str]:
    """Let a process work until it is refused; return what it was told is done."""
    heard, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(heard)
        os.setsid()
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        try:
            work(folder, lambda word: os.write(told, f"{word}\n".encode()), n)
        except ZSLError as error:
            os.write(told, f"! {error}\n".encode())
        except BaseException as error:  # noqa: BLE001 - told to who looks
            os.write(told, f"!! {type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(0)
    os.close(told)
    with open(heard, encoding="utf-8") as said:
        words = said.read().splitlines()
    _, status = os.waitpid(pid, 0)
    if left := left_of(pid):
        found.wrong.append(f"processes {left} are still there")
    if status:
        found.wrong.append(f"the process ended with {status}")
    found.wrong += [word for word in words if word.startswith("!!")]
    found.refused |= {word[2:] for word in words if word.startswith("! ")}
    return {word for word in words if not word.startswith("!")}


def _look(found: Filling, there: Callable[[], set[str]], done: set[str], how: str) -> None:
    """See that everything on the disk is whole, and what was acknowledged is there."""
    try:
        lost = done - there()
    except (ZSLError, OSError, ValueError) as error:
        found.wrong.append(f"{how}: {type(error).__name__}: {error}")
        return
    if lost:
        found.wrong.append(f"{how}: {len(lost)} acknowledged are lost, as {min(lost)}")


def main() -> int:
    """Fill as many disks as are asked for; return 1 where something was lost, torn or untold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100, help="disks (100)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    write = sys.stdout.write
    if why := refused_here():
        write(f"{why}\n")
        return 1
    rng, found = random.Random(args.seed), {kind: Filling(kind) for kind in KINDS}
    with tempfile.TemporaryDirectory() as folder:
        honest(Path(folder) / "honest")
        (Path(folder) / "disk").mkdir()
        for n in range(args.count):
            kind = list(KINDS)[n % len(KINDS)]
            filled(kind, Path(folder), n, rng.randrange(LEFT), found[kind])
    write(f"{'filled':11} {'disks':>6} {'acknowledged':>13} {'wrong':>7}\n")
    for each in found.values():
        row = f"{each.disks:6,} {each.acknowledged:13,} {len(each.wrong):7,}"
        write(f"{each.kind:11} {row}\n")
        for sentence in list(dict.fromkeys(each.wrong))[:5]:
            write(f"    {sentence}\n")
    return int(any(each.wrong for each in found.values()))


if __name__ == "__main__":
    sys.exit(main())
