"""What benchmarks that write their findings to ``results/`` share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd

from zslcore.version import commit, stamped, version

__all__ = ["RESULTS", "keep", "markdown_table", "percent"]

RESULTS = Path(__file__).parent / "results"


def percent(value: float, sign: str = "") -> str:
    """Return a fraction in percent with one digit, nothing where there is none."""
    return "" if pd.isna(value) else f"{100 * value:{sign}.1f}"


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def keep(name: str, text: str, table: pd.DataFrame | None = None) -> None:
    """Write ``results/<name>.md`` and, of a table, ``results/<name>.csv``, with what made them."""
    RESULTS.mkdir(exist_ok=True)
    text = f"{text.rstrip()}\n\nWritten by version {version()}, commit {commit() or 'unknown'}.\n"
    (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")
    if table is not None:
        stamped(table).to_csv(RESULTS / f"{name}.csv", index=False)
