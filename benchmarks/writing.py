"""What benchmarks that write their findings to ``results/`` share.

A file of results says what made it so that it can be checked without history: by the release, the
revisions of method and protocol, and the digest of the package's sources. None names a commit:
it may be another one when it lands. Rows from before name theirs where it is in the history.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd

from zslcore.evaluation.specs import revisions_of
from zslcore.methods import METHODS, get_method
from zslcore.version import sources, version

RESULTS = Path(__file__).parent / "results"


def percent(value: float, sign: str = "") -> str:
    """Return a fraction in percent with one digit, nothing where there is none; never -0.0."""
    return "" if pd.isna(value) else f"{100 * value:{sign}z.1f}"


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def made_by() -> str:
    """Say what computes here, as a sentence ends with it."""
    return f"release {version()}, sources {sources()}"


def traced(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose rows say what made them; those that say it already are left alone.

    Returns
    -------
    DataFrame
        With the columns ``version`` (the release), ``commit`` (empty but in rows from before),
        ``revisions`` (JSON, empty without a method) and ``sources``.
    """
    if "sources" not in table:
        named = set(table.get("method", ())) & set(METHODS)
        made = {name: json.dumps(revisions_of(get_method(name)())) for name in named}
        own = table["method"].map(made).fillna("") if "method" in table else ""
        return table.assign(version=version(), commit="", revisions=own, sources=sources())
    said = table["sources"].fillna("") != ""
    table = table.fillna(dict.fromkeys(("version", "commit", "revisions", "sources"), ""))
    found = table["version"].str.extract(r"^(\d+(?:\.\d+)*?)(?:\.dev|\+|$)")[0]
    return table.assign(
        version=table["version"].where(~said, found),
        commit=table["commit"].where(~said, ""),
    )


def unnamed(table: pd.DataFrame | None) -> str:
    """Say how many rows name neither a commit nor sources, "" where all do."""
    if table is None or "sources" not in table:
        return ""
    named = (table[["commit", "sources"]].fillna("") != "").any(axis=1)
    count = f"{(~named).sum():,} of {len(table):,} rows"
    return "" if named.all() else f" {count} name neither commit nor sources of what made them."


def keep(name: str, text: str, table: pd.DataFrame | None = None) -> None:
    """Write ``results/<name>.md`` and, of a table, ``results/<name>.csv``, with what made them."""
    RESULTS.mkdir(exist_ok=True)
    text = f"{text.rstrip()}\n\nWritten by {made_by()}.{unnamed(table)}\n"
    (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")
    if table is not None:
        traced(table).to_csv(RESULTS / f"{name}.csv", index=False)
