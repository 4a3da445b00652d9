"""Search untrusted regular expressions in a process with limits.

Some patterns need longer than the age of the world for a name of thirty letters, and while Python
searches, nothing else of its process runs. So a pattern is searched in a process of its own, with
limits on time and memory, which costs some hundredths of a second.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from zslcore.exceptions import ParameterError
from zslcore.texts import clean_text

CHILD = Path(__file__).with_name("patterns_child.py")
MAX_PATTERN = 200
#: Processor seconds for all names together; an honest pattern takes a hundredth of one.
SECONDS = 2


def first_groups(names: Sequence[str], pattern: str, *, seconds: int = SECONDS) -> list[str | None]:
    """Return what the first group of ``pattern`` is in each name, None where it is not found.

    Parameters
    ----------
    names : texts
    pattern : regular expression of Python, at most 200 letters, with at least one group
    seconds : processor time for all of them together

    Raises
    ------
    ParameterError
        When it is no regular expression, has no group, takes too long, or is found in no name.
    """
    shown = f"Pattern {clean_text(pattern)!r}"
    if len(pattern) > MAX_PATTERN:
        raise ParameterError(
            f"{shown}: expected at most {MAX_PATTERN} letters, got {len(pattern)}."
        )
    answer = _searched({"names": list(names), "pattern": pattern, "seconds": seconds})
    if answer is None:
        raise ParameterError(
            f"{shown}: takes more than {seconds} s for {len(names):,} names; use a simpler one."
        )
    if refused := answer.get("refused"):
        raise ParameterError(f"{shown}: {clean_text(refused)}.")
    found: list[str | None] = answer["found"]
    if not any(found):
        example = f", the first of which is {clean_text(names[0])!r}" if names else ""
        raise ParameterError(f"{shown}: its first group is found in none of the names{example}.")
    return found


def _searched(request: dict[str, object]) -> dict[str, list[str | None]] | None:
    """Let the child search; None when it gave no answer in time."""
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter, our own file
            [sys.executable, "-I", "-S", "-W", "ignore", str(CHILD)],
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=10 + 5 * int(str(request["seconds"])),
            check=False,
        )
        answer: dict[str, list[str | None]] = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        return None
    return answer
