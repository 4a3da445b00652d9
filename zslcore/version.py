"""The version of the package, and the commit and the sources it was made from.

The version is written here and read everywhere else. An installed package knows the commit that it
was built from; a checkout asks git, since files may have changed since the installation.

A commit identifies nothing where history was rewritten or is missing. :func:`sources_digest` is
computed from the files themselves: the same digest means the same figures from the same data.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame


__version__ = "0.3.0"

#: The files of the package that turn features into figures. Data have a digest of their own.
NUMBERS = (
    "features.py",
    "evaluation/protocol.py",
    "methods/*.py",
    "metrics/accuracy.py",
    "metrics/curve.py",
)

_ROOT = Path(__file__).parents[1]


def version() -> str:
    """Return the version, as in "0.3.0"."""
    return __version__


@cache
def commit() -> str:
    """Return the commit, as in "0123abc"; with "+changes" where files differ from it.

    Empty where neither git nor the build knows.
    """
    if (_ROOT / ".git").exists() and (_ROOT / "pyproject.toml").exists():
        return _git("describe", "--always", "--dirty=+changes", "--abbrev=9", "--exclude=*")
    try:
        from zslcore._commit import COMMIT  # written when the package is built
    except ImportError:
        return ""
    return COMMIT


@cache
def sources_digest(package: Path = Path(__file__).parent) -> str:
    """Return the digest of the files that make the figures, as in "0123456789abcdef".

    SHA-256 of the names and the texts of :data:`NUMBERS`, by name; 16 hex digits.
    """
    sha = hashlib.sha256()
    for path in sorted(path for pattern in NUMBERS for path in package.glob(pattern)):
        # Line ends are the checkout's own.
        text = path.read_bytes().replace(b"\r\n", b"\n")
        sha.update(f"{path.relative_to(package).as_posix()} {len(text)}\n".encode() + text)
    return sha.hexdigest()[:16]


def stamped(table: DataFrame) -> DataFrame:
    """Return a table with columns ``version`` and ``commit``, unless its rows have their own."""
    if "version" in table:
        return table
    return table.assign(version=version(), commit=commit())


def read_stamped(path: Path) -> DataFrame:
    """Read a CSV file of stamped rows; a commit such as 6e5907191 stays text, not a number."""
    import pandas as pd

    text = dict.fromkeys(("version", "commit", "revisions", "sources", "digest"), str)
    return pd.read_csv(path, dtype=text).fillna(dict.fromkeys(text, ""))


def _git(*words: str) -> str:
    """Return the output of git on the checkout, "" without git."""
    git = shutil.which("git")
    if git is None:
        return ""
    answer = subprocess.run(  # noqa: S603 - our own words
        [git, "-C", str(_ROOT), *words],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"GIT_OPTIONAL_LOCKS": "0"},
    )
    return answer.stdout.strip() if answer.returncode == 0 else ""
