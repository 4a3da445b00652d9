"""One score file under every protocol: the figures side by side, what each asks, who uses it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ui import cache, controls, tables, terms
from ui.scores import Brought
from ui.text import plain
from zslcore.scores.paired import Pair, in_protocols
from zslcore.scores.protocols import PROTOCOLS, WORDS, Words

__all__ = ["choose_words", "show_differences", "show_protocols"]

#: Columns of a table -> their headings; intervals are in percent, or in points.
INTERVALS = {
    "low": "classes: from",
    "high": "classes: to",
    "low_images": "images: from",
    "high_images": "images: to",
}
#: p-values of differences -> their headings.
P_VALUES = {"p": "classes: p", "p_images": "images: p"}
_EXPLAINED = (
    "95 % intervals: of *classes* drawn again, as other classes would give, and of *images* drawn "
    "again within their class, as other images of these classes would give (bootstrap)."
)


def choose_words() -> Words:
    """Choose what the two sides are called."""
    said = "Names of the two sides: " + ", ".join(
        f"{name} in {each.field}" for name, each in WORDS.items()
    )
    name = controls.choose("Terms", list(WORDS), key="scores_words", width=220, help=said)
    terms.call_sides(WORDS[name])
    return WORDS[name]


def show_protocols(first: Brought, words: Words, name: str) -> None:
    """Show every figure with its protocol, and a sentence on each protocol.

    Parameters
    ----------
    first : scores that are judged
    words : of the reader
    name : of the file to take away
    """
    report = first.report
    with_intervals = st.toggle("95 % intervals", key="scores_intervals", bind="query-params")
    if with_intervals:
        with st.spinner("Drawing classes and images again …"):
            table = report.table(words, with_intervals=True)
        labels = {"protocol": "protocol", "line": "metric", "average": "average", "value": "value"}
        columns = ["value", *INTERVALS]
        tables.show(table, f"{name}_protocols", labels=labels | INTERVALS, percent=columns,
                    height="content")  # fmt: skip
        st.caption(f"{_EXPLAINED} {words.said(report.caution)}")
    else:
        table = report.table(words)
        averages = list(table["average"].unique())
        lines = pd.MultiIndex.from_frame(table[["protocol", "line"]].drop_duplicates())
        wide = table.pivot_table("value", ["protocol", "line"], "average", sort=False)
        wide = wide.reindex(index=lines, columns=averages).reset_index()
        labels = {"protocol": "protocol", "line": "metric"} | {a: a for a in averages}
        tables.show(wide, f"{name}_protocols", labels=labels, percent=averages, height="content")
    _show_reasons(table)
    _explain(words)


def _show_reasons(table: pd.DataFrame) -> None:
    """Say why a figure is missing."""
    without = table[table["reason"] != ""]
    for reason, rows in without.groupby("reason", sort=False):
        which = ", ".join(rows["protocol"].unique())
        st.caption(f":material/info: {which}: {plain(str(reason))}.")


def _explain(words: Words) -> None:
    st.markdown(
        "\n".join(
            f"- **{words.fill(p.name)}.** {words.fill(p.says)} *Used:* {words.fill(p.used)}."
            for p in PROTOCOLS
        )
    )


def show_differences(pair: Pair, digests: tuple[str, str], words: Words) -> None:
    """Show the difference of every figure that two files have, on the same draws.

    Parameters
    ----------
    pair : Pair
    digests : of both files
    words : of the reader
    """
    table = in_protocols(cache.score_differences(*digests, pair.gammas, pair), words)
    labels = {"protocol": "protocol", "line": "metric", "average": "average", "value": "difference"}
    tables.show(
        table,
        f"scores_differences_{digests[1]}",
        labels=labels | INTERVALS | P_VALUES,
        points=["value", *INTERVALS],
        significant=list(P_VALUES),
        height=380,
    )
    st.caption(
        f"{_EXPLAINED} Both files share the draws; the results differ where an interval excludes "
        f"0. p is two-sided, from the same draws: at least 0.002. {words.said(pair.caution)}"
    )
