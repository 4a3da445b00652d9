"""Tables as LaTeX for the package booktabs: one renderer for every table of the package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

#: Signs that LaTeX's fonts for text lack.
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
#: Signs that are commands; a bracket at the beginning of a row would be an option of ``\\``.
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


def in_latex(text: str) -> str:
    r"""Return a text with every sign of LaTeX escaped.

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
    """Write a table with its caption; whatever the cells hold is text.

    ``numeric`` columns are aligned at the right, ``best`` cells bold. A row with more or fewer
    cells than headings raises ValueError.
    """
    aligned = numeric or [False] * len(headings)
    cells = [[in_latex(cell) for cell in row] for row in rows]
    bold = [[False] * len(headings)] * len(cells) if best is None else best
    body = [
        _line(
            rf"\textbf{{{cell}}}" if strong else cell
            for cell, strong, _ in zip(row, marks, headings, strict=True)
        )
        for row, marks in zip(cells, bold, strict=True)
    ]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{in_latex(caption)}}}",
            *([rf"\label{{{label}}}"] if label else []),
            rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in aligned)}}}",
            r"\toprule",
            _line(map(in_latex, headings)),
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _line(cells: Iterable[str]) -> str:
    """Return a row; the end of the row before would take a star at its beginning for its own."""
    row = " & ".join(cells) + r" \\"
    return "{}" + row if row.startswith("*") else row


def best_in_groups(
    values: pd.DataFrame,
    groups: pd.DataFrame,
    *,
    among: Sequence[bool] | np.ndarray | pd.Series,
    smallest: Sequence[str] = (),
) -> pd.DataFrame:
    """Return which values are the best of their group; ties are all best.

    Rows that agree in all columns of ``groups`` are one group; only rows ``among`` may be best: a
    bound is no result. Values are rounded as they are printed, NaN where there is none. A group
    whose values are all equal has no best one.
    """
    group = groups.groupby(list(groups), dropna=False, sort=False).ngroup().to_numpy()
    signs = [-1.0 if column in smallest else 1.0 for column in values]
    meant = np.asarray(among, dtype=bool)[:, None] & values.notna()
    value = (values.astype(float) * signs).where(meant)
    of_group = value.groupby(group)
    best = of_group.transform("max")
    return (value == best) & (of_group.transform("min") < best)
