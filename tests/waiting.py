"""Wait for states of other threads and processes."""

import time
from pathlib import Path


def until(condition, seconds=180):
    """Wait until ``condition()`` holds; the limit of minutes allows for a busy machine."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


def is_gone(pid):
    """Return whether a process has ended, even if its parent has not yet noticed."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True
