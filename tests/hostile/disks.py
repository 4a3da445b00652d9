"""A small file system that a test fills or makes read-only; mounting needs root."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: Size of the file system in bytes.
SIZE = 8 << 20
#: Seconds after which a refused process has closed its files.
GOING = 30.0
#: File that fills the disk.
BALLAST = "ballast"


def refused_here() -> str:
    """Return why no file system can be mounted here; empty if one can."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            with disk(Path(folder)):
                return ""
        except (OSError, subprocess.CalledProcessError) as error:
            text = getattr(error, "stderr", "") or str(error)
            return f"no file system can be mounted: {text.strip()}"


@contextmanager
def disk(folder: Path) -> Iterator[Path]:
    """Mount a small file system on ``folder``, until the block ends."""
    _run("mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder)
    try:
        yield folder
    finally:
        _run("umount", "--lazy", folder)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Make a disk read-only until the block ends."""
    end = time.monotonic() + GOING
    while True:
        try:
            _run("mount", "-o", "remount,ro", folder)
            break
        except subprocess.CalledProcessError:  # a refused process is still closing its files
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
    """Fill a disk except for a few bytes."""
    free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
    with (folder / BALLAST).open("ab") as file:
        file.write(bytes(max(0, free - left)))
