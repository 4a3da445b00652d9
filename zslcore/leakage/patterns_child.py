"""Search a pattern in names, alone in a process that may be ended; imports nothing of this package.

The answer to a JSON request on standard input is JSON: ``found``, the first group in each name or
null, or ``refused``, the end of a sentence.
"""

from __future__ import annotations

import json
import re
import sys

if sys.platform != "win32":  # there, only the parent's time limit holds
    import resource


MEMORY = 1 << 30


def answer(names: list[str], pattern: str) -> dict[str, object]:
    """Return what is found, or why it is not looked for."""
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return {"refused": f"expected a regular expression, {error}"}
    if not compiled.groups:
        return {"refused": "expected a group in round brackets, as in (.*)_aug[0-9]+"}
    matches = (compiled.search(name) for name in names)
    return {"found": [match and match.group(1) for match in matches]}


def limit(which: str, value: int) -> None:
    """Limit a resource of this process where the system knows it."""
    if sys.platform == "win32":
        return
    try:
        resource.setrlimit(getattr(resource, which), (value, value))
    except (ValueError, OSError):
        return  # macOS knows no limit on address space


if __name__ == "__main__":
    request = json.load(sys.stdin)
    limit("RLIMIT_CPU", request["seconds"])
    limit("RLIMIT_AS", MEMORY)
    limit("RLIMIT_CORE", 0)
    json.dump(answer(request["names"], request["pattern"]), sys.stdout)
