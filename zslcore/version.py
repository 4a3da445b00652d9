"""Which version of the package computes here, and the commit it was made from.

An installed package was told when it was built. A checkout asks git, since its files may have
changed since anybody installed anything: tags ``v1.2.3`` name releases, what comes after one is on
its way to the next, ``1.2.4.dev7+g0123abc``.

A commit says nothing where history was rewritten or is not there. :func:`sources` is checked on the
files themselves: who has the same digest computes the same figures from the same data.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["NUMBERS", "commit", "read_stamped", "release", "sources", "stamped", "version"]

#: The files of the package that turn features into figures. Data have a digest of their own.
NUMBERS = (
    "datasets/checks.py",
    "datasets/features.py",
    "evaluation/protocol.py",
    "methods/*.py",
    "metrics/accuracy.py",
    "metrics/curve.py",
    "metrics/thresholds.py",
)

_ROOT = Path(__file__).parents[1]
_DESCRIBED = re.compile(
    r"(?:v(?P<tag>[\d.]+)-(?P<since>\d+)-g)?(?P<commit>[0-9a-f]+)(?P<dirty>-dirty)?"
)
UNKNOWN = "0+unknown"


def version() -> str:
    """Return the version, as in "0.2.0" or "0.2.1.dev7+g0123abc"."""
    return _found()[0]


def commit() -> str:
    """Return the commit, as in "0123abc"; with "+changes" where files differ from it."""
    return _found()[1]


def release() -> str:
    """Return the release that this version is, or is on its way to, as in "0.2.1"."""
    found = re.match(r"\d+(\.\d+)*", version())
    assert found is not None  # every version begins with a number
    return found.group()


@cache
def sources(package: Path = Path(__file__).parent) -> str:
    """Return the digest of the files that make the figures, as in "0123456789abcdef".

    SHA-256 of the names and the texts of :data:`NUMBERS`, by name; 16 hex digits.

    Parameters
    ----------
    package : folder of the package, this one by default
    """
    sha = hashlib.sha256()
    for path in sorted(path for pattern in NUMBERS for path in package.glob(pattern)):
        # Line ends are the checkout's own.
        text = path.read_bytes().replace(b"\r\n", b"\n")
        sha.update(f"{path.relative_to(package).as_posix()} {len(text)}\n".encode() + text)
    return sha.hexdigest()[:16]


def stamped(table: DataFrame) -> DataFrame:
    """Return a table with columns ``version`` and ``commit``, unless its rows tell their own."""
    if "version" in table:
        return table
    return table.assign(version=version(), commit=commit())


def read_stamped(path: Path) -> DataFrame:
    """Read a CSV file whose rows tell what made them: text, as 6e5907191 may look a number."""
    import pandas as pd

    text = dict.fromkeys(("version", "commit", "revisions", "sources", "digest"), str)
    return pd.read_csv(path, dtype=text).fillna(dict.fromkeys(text, ""))


@cache
def _found() -> tuple[str, str]:
    """Ask git in a checkout, else what the build has left; ("0+unknown", "") without either."""
    if (_ROOT / ".git").exists() and (_ROOT / "pyproject.toml").exists():
        return _of_checkout() or (UNKNOWN, "")
    try:
        from zslcore._version import commit_id  # written when the package is built
        from zslcore._version import version as built
    except ImportError:
        return UNKNOWN, ""
    return built, (commit_id or "").removeprefix("g")


def _of_checkout() -> tuple[str, str] | None:
    words = _git(
        *("describe", "--tags", "--long", "--dirty", "--always", "--abbrev=9", "--match", "v[0-9]*")
    )
    found = _DESCRIBED.fullmatch(words)
    if not found:
        return None
    tag, since, commit, dirty = found.group("tag", "since", "commit", "dirty")
    made_from = commit + ("+changes" if dirty else "")
    if tag is None:  # no release yet
        return f"0.1.dev{_git('rev-list', '--count', 'HEAD')}+g{commit}", made_from
    if since == "0" and not dirty:
        return tag, made_from
    before, _, last = tag.rpartition(".")
    return f"{before}.{int(last) + 1}.dev{since}+g{commit}", made_from


def _git(*words: str) -> str:
    """Return what git says of the checkout, nothing where there is no git."""
    git = shutil.which("git")
    if git is None:
        return ""
    asked = subprocess.run(  # noqa: S603 - our own words
        [git, "-C", str(_ROOT), *words],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"GIT_OPTIONAL_LOCKS": "0"},
    )
    return asked.stdout.strip() if asked.returncode == 0 else ""
