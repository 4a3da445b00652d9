"""Tables: as frames, as LaTeX with booktabs, and as CSV that is safe in spreadsheets.

pandas is imported late, since its import takes longer than many commands.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

#: Characters that LaTeX's text fonts lack.
_SIGNS = {
    "γ": r"$\gamma$",
    "λ": r"$\lambda$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "θ": r"$\theta$",
    "μ": r"$\mu$",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "φ": r"$\phi$",
    "ω": r"$\omega$",
    "Δ": r"$\Delta$",
    "→": r"$\to$",
    "−": r"$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "≈": r"$\approx$",
    "≠": r"$\neq$",
    "²": r"$^2$",
    "³": r"$^3$",
    "·": r"$\cdot$",
    "●": r"$\bullet$",
    "∞": r"$\infty$",
    "✓": r"$\surd$",
    "–": "--",
    "—": "---",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "…": r"\dots{}",
    "\u00a0": "~",
    "\u2007": r"\phantom{0}",  # as wide as a digit
    "\u2009": r"\,",
    "\u202f": r"\,",
    "\n": " ",
}
#: Special characters of LaTeX; a bracket at the start of a row would be an option of ``\\``.
_SPECIAL = {mark: f"\\{mark}" for mark in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",
    "]": "{]}",
}
_ESCAPES = str.maketrans(_SIGNS | _SPECIAL)


def frame(
    rows: Any, columns: list[str] | None = None, *, index: list[str] | None = None
) -> pd.DataFrame:
    """Return a DataFrame of rows, or of columns by name; pandas is imported on the first call."""
    import pandas as pd

    return pd.DataFrame(rows, columns=columns, index=index)


def in_latex(text: str) -> str:
    r"""Escape the special characters of LaTeX in a text.

    Examples
    --------
    >>> print(in_latex("γ of a_b: 50 %"))
    $\gamma$ of a\_b: 50 \%
    """
    return text.translate(_ESCAPES)


def latex_table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str,
    label: str = "",
    numeric: Sequence[bool] = (),
    best: Sequence[Sequence[bool]] | np.ndarray | None = None,
) -> str:
    """Write a table with its caption; cells are escaped as plain text.

    ``numeric`` columns are right-aligned, ``best`` cells bold. Raises ValueError for a row with
    more or fewer cells than headings.
    """
    cells = [[in_latex(cell) for cell in row] for row in rows]
    if best is not None:
        cells = [
            [rf"\textbf{{{cell}}}" if strong else cell for cell, strong in zip(*pair, strict=True)]
            for pair in zip(cells, best, strict=True)
        ]
    for row in cells:
        if row and row[0].startswith("*"):  # LaTeX would read it as part of the preceding row end
            row[0] = "{}" + row[0]
    content = np.array(cells, dtype=object).reshape(len(cells), len(headings))
    text: str = (
        frame(content, [in_latex(heading) for heading in headings])
        .style.hide(axis="index")
        .to_latex(
            column_format="".join(
                "r" if right else "l" for right in numeric or [False] * len(headings)
            ),
            position_float="centering",
            hrules=True,
            label=label or None,
            caption=in_latex(caption),
        )
    )
    return text


def best_in_groups(
    values: pd.DataFrame,
    groups: pd.DataFrame,
    *,
    among: Sequence[bool] | np.ndarray | pd.Series,
    smallest: Sequence[str] = (),
) -> pd.DataFrame:
    """Mark the best values of each group, including ties; a group of equal values has none.

    Rows that agree in all columns of ``groups`` are one group. Only rows in ``among`` can be best:
    leave out upper bounds. ``values`` are rounded as printed, with NaN for missing values.
    """
    group = groups.groupby(list(groups), dropna=False, sort=False).ngroup().to_numpy()
    signs = [-1.0 if column in smallest else 1.0 for column in values]
    is_compared = np.asarray(among, dtype=bool)[:, None] & values.notna()
    value = (values.astype(float) * signs).where(is_compared)
    of_group = value.groupby(group)
    best = of_group.transform("max")
    return (value == best) & (of_group.transform("min") < best)


#: Characters that a spreadsheet may read as the start of a formula.
BEGINNINGS = ("=", "+", "-", "@", "\t", "\n")


def harmless_csv(table: pd.DataFrame, **options: Any) -> str:
    """Return a table as CSV, with ``options`` of ``to_csv``; see :func:`harmless` for its cells."""
    from pandas.api.types import is_numeric_dtype

    quoted = table.rename(columns=harmless)
    for column, kind in enumerate(quoted.dtypes):
        if not is_numeric_dtype(kind):
            quoted.isetitem(column, list(map(harmless, quoted.iloc[:, column])))
    if not is_numeric_dtype(quoted.index.dtype):
        quoted.index = quoted.index.map(harmless)
    text: str = quoted.to_csv(**options)
    return text


def as_plain_value(value: Any) -> Any:
    """Return a mapping as JSON, and any other collection as values joined by semicolons.

    Examples
    --------
    >>> as_plain_value({"lam": 0.1}), as_plain_value((0.25, 0.5)), as_plain_value("otter")
    ('{"lam": 0.1}', '0.25; 0.5', 'otter')
    """
    if isinstance(value, Mapping):
        return json.dumps(dict(value), default=str)
    if isinstance(value, Collection | np.ndarray) and not isinstance(value, str | bytes):
        return "; ".join(map(str, value))
    return value


def harmless(value: Any) -> Any:
    """Prefix an apostrophe to a text that starts like a formula and is not a number.

    Examples
    --------
    >>> harmless("=1+1"), harmless("-0.5"), harmless("otter"), harmless(-0.5)
    ("'=1+1", '-0.5', 'otter', -0.5)
    """
    value = as_plain_value(value)
    if not isinstance(value, str):
        return value
    value = value.replace("\r", "\n")  # to_csv does not quote a carriage return
    if not value.startswith(BEGINNINGS):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value
