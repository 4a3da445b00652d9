"""Tables on screen, each with its download: percent to read, fractions to compute with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from zslcore.version import stamped

__all__ = ["download", "show"]


def show(
    table: pd.DataFrame,
    name: str,
    *,
    labels: Mapping[str, str],
    percent: Sequence[str] = (),
    points: Sequence[str] = (),
    significant: Sequence[str] = (),
    height: int | str = "auto",
    with_csv: bool = True,
    **options: Any,
) -> None:
    """Show columns of a tidy table and offer the whole of it as CSV.

    Parameters
    ----------
    table : DataFrame, accuracies as fractions
    name : what the file is called, without its ending
    labels : column -> heading; columns without one are in the download only
    percent : columns shown as percent with one decimal
    points : differences of fractions, shown in percentage points with their sign
    significant : columns shown with three significant digits
    height : of the table on screen, as for ``st.dataframe``
    with_csv : whether the CSV is offered below
    **options : of ``st.dataframe``, as what happens when rows are selected
    """
    shown = table[list(labels)].copy()
    for column in (*percent, *points):
        shown[column] = 100 * shown[column].astype(float)
    config = {column: st.column_config.Column(label) for column, label in labels.items()}
    for columns, text in ((percent, "%.1f %%"), (points, "%+.1f"), (significant, "%.3g")):
        config |= {c: st.column_config.NumberColumn(labels[c], format=text) for c in columns}
    options = {"height": height, "hide_index": True, "placeholder": "–"} | options
    st.dataframe(shown, column_config=config, **options)
    if with_csv:
        download(table, name)


def download(table: pd.DataFrame, name: str, *, index: bool = False) -> None:
    """Offer a table as CSV, with what made it; accuracies stay fractions."""
    st.download_button(
        "CSV",
        stamped(table).to_csv(index=index),
        file_name=f"{name}.csv",
        mime="text/csv",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        key=f"download_{name}",
        help="Accuracies in the file are fractions.",
    )
