"""Tables on screen in percent, with downloads in fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from ui.shell import terms
from ui.takeaway import downloads
from ui.takeaway.exports import TableFormat
from zslcore.numbers import with_sign

#: Height of a row on screen, in pixels.
ROW = 35
#: Background of a marked row, on light and dark pages.
TINT = "rgba(128, 128, 128, 0.2)"


def show(
    table: pd.DataFrame,
    name: str,
    *,
    labels: Mapping[str, str] | None = None,
    percent: Sequence[str] = (),
    points: Sequence[str] = (),
    significant: Sequence[str] = (),
    counts: Sequence[str] = (),
    links: Sequence[str] = (),
    widths: Mapping[str, int] | None = None,
    marked: int | None = None,
    height: int | str = "auto",
    **options: Any,
) -> None:
    """Show columns of a tidy table, and offer the table for download.

    Accuracies in ``table`` are fractions. Columns without an entry in ``labels`` are in the CSV
    only; without ``labels``, all columns are shown by their names. A heading that is a term of the
    glossary shows its entry as help. Columns in ``percent`` (fractions) and ``points`` (their
    differences) are shown with one decimal, columns in ``significant`` with three digits,
    columns in ``counts`` with thousands separators. Addresses in ``links`` are shown as "open".
    ``widths`` are in pixels. The row with number ``marked`` is tinted.
    """
    labels = labels or {str(column): str(column) for column in table}
    shown = table[list(labels)].copy()
    for column in shown.select_dtypes("bool"):
        shown[column] = np.where(shown[column], "yes", "no")
    for column in (*percent, *points):
        shown[column] = 100 * shown[column].astype(float)
    if isinstance(height, int):  # half a row shows that more follow
        fits = ROW * (len(shown) + 1) <= height
        height = "content" if fits else ROW * (height // ROW) + ROW // 2
    tips = {column: terms.tip(label) for column, label in labels.items()}
    widths = widths or {}
    config = {
        c: st.column_config.Column(label, help=tips[c], width=widths.get(c))
        for c, label in labels.items()
    }
    for columns, text in ((percent, "%.1f %%"), (significant, "%.3g")):
        config |= {
            c: st.column_config.NumberColumn(labels[c], format=text, help=tips[c]) for c in columns
        }
    for c in links:
        config[c] = st.column_config.LinkColumn(
            labels[c], display_text="open", width=widths.get(c), help=tips[c]
        )
    options = {"height": height, "hide_index": True, "placeholder": "–"} | options
    is_styled = bool(points or counts) or marked is not None
    data = _styled(shown, points, counts) if is_styled else shown
    if marked is not None and isinstance(data, Styler):
        data.set_properties(pd.IndexSlice[shown.index[[marked]], :], **{"background-color": TINT})
    st.dataframe(data, column_config=config, **options)
    downloads.offer_table(table, name, TableFormat(labels, percent, points, significant))


def _styled(table: pd.DataFrame, points: Sequence[str], counts: Sequence[str]) -> Styler:
    """Style a table: differences with a true minus sign, counts with thousands separators.

    The format of a column in Streamlit writes a hyphen, signs a difference that rounds to zero, and
    separates thousands as the browser's language does.
    """
    floats = [column for column in table if table[column].dtype.kind == "f"]
    texts: dict[Any, Any] = dict.fromkeys(floats, "{:.4g}".format)
    texts |= dict.fromkeys(points, with_sign) | dict.fromkeys(counts, "{:,}".format)
    return table.style.format(texts, na_rep="–")
