"""The board as one HTML page that loads nothing from elsewhere; a click on a heading sorts it."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import pandas as pd

from zslcore.board.checking import Board
from zslcore.board.table import HEADINGS, PERCENT, rank_in_words, table_of, texts_of
from zslcore.leakage import page

STYLE = """
body { max-width: none; font-size: 15px; } thead th { white-space: nowrap; }
td:last-child { overflow-wrap: normal; }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
small { white-space: nowrap; opacity: .8; }
th button { all: unset; cursor: pointer; font-weight: 600; }
th button:focus-visible { outline: 2px solid #0072b2; }
th[aria-sort=ascending] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
td.unknown, .variant, .or { color: var(--look); } .bound { font-style: italic; }
"""
SCRIPT = """
const head = [...document.querySelectorAll("th")], body = document.querySelector("tbody");
head.forEach((th, k) => th.querySelector("button").addEventListener("click", () => {
  const up = th.getAttribute("aria-sort") === "descending" ? 1 : -1;
  const number = th.dataset.kind === "n", sign = number ? up : -up;
  const value = tr => tr.cells[k].dataset.v;
  const rows = [...body.rows].sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === "" || y === "") return (x === "") - (y === "");
    return sign * (number ? x - y : x.localeCompare(y, "en"));
  });
  head.forEach(other => other.removeAttribute("aria-sort"));
  th.setAttribute("aria-sort", up > 0 === number ? "ascending" : "descending");
  body.append(...rows);
}));
"""
#: Columns whose interval stands below the figure.
INTERVALS = ("zsl", "H_gamma")


def to_html(
    board: Board, title: str = "Board of results", curves: Mapping[str, str] | None = None
) -> str:
    """Return a standalone page; every text from outside is escaped, and no other is a link.

    ``curves`` maps the file of a result to the address of the page of its curve.
    """
    table = table_of(board.results)
    head = "".join(_heading(column) for column in HEADINGS)
    rows = zip(table.iterrows(), texts_of(table).to_dict("records"), strict=True)
    body = "\n".join(_line(row, texts, curves or {}) for (_, row), texts in rows)
    n = len(table)
    summary = f"{n} result{'s' if n != 1 else ''}, files {board.digest}."
    return page.page(
        title,
        f"<h1>{escape(title)}</h1><p>{escape(summary)} {escape(EXPLAINED)}</p>",
        '<div class="scroll" tabindex="0" role="region" aria-label="Results">'
        f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>",
        page.section("Not on the board", page.listed(map(escape, board.refused.values()))),
        style=STYLE,
        script=SCRIPT,
    )


EXPLAINED = (
    "Accuracies are means over classes, in percent; below them stand 95 % intervals over classes, "
    "where a result has the accuracy of every class, and the places it can have among results on "
    "the same test classes, from the same draws of classes. Overlap: whether unseen classes were "
    "among those that the feature extractor was trained on; unknown means that it is not stated. "
    "A gamma or parameters called oracle were chosen on the test images: a bound, not a result. "
    "Stated by the submitter: the result has no spec that would repeat the choice, so it cannot "
    "be checked. State: verified where the figures were computed again from predictions, else "
    "stated."
)


def _heading(column: str) -> str:
    kind = ' data-kind="n"' if column in PERCENT else ""
    return f'<th scope="col"{kind}><button>{escape(HEADINGS[column])}</button></th>'


def _line(row: pd.Series, texts: Mapping[Any, str], curves: Mapping[str, str]) -> str:
    bound = ' class="bound"' if "oracle" in (row["gamma_origin"], row["params_origin"]) else ""
    link = curves.get(row["file"], "")
    cells = [
        _number(row, column, link if column == "ausuc" else "")
        if column in PERCENT
        else _cell(row, column, str(texts[column]))
        for column in HEADINGS
    ]
    return f"<tr{bound}>{''.join(cells)}</tr>"


def _cell(row: pd.Series, column: str, text: str) -> str:
    shown, kind = escape(text), ""
    if column in ("contamination", "split_state", "state"):
        kind = f' class="{escape(text.replace("v1 or 2.0", "or"))}"'
    if column == "method" and row["link"]:
        shown = f'<a href="{escape(row["link"])}" rel="noopener nofollow">{shown}</a>'
    if column == "data" and row["features"]:
        shown += f"<br><small>{escape(_short(row['features']))}</small>"
    return f'<td data-v="{escape(text)}"{kind}>{shown}</td>'


def _short(text: str, letters: int = 60) -> str:
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def _number(row: pd.Series, column: str, link: str) -> str:
    value: Any = row[column]
    if pd.isna(value):
        return '<td class="n" data-v="">–</td>'
    shown = f"{100 * value:.1f}"
    if column in INTERVALS and pd.notna(row[f"{column}_low"]):
        low, high = 100 * row[f"{column}_low"], 100 * row[f"{column}_high"]
        rank = rank_in_words(row, column)
        place = f"<br>rank {rank}" if rank else ""
        shown += f"<br><small>{low:.1f} to {high:.1f}{place}</small>"
    if link:
        said = escape(f"curve of {row['method']} on {row['data']}", quote=True)
        shown += f'<br><small><a href="{escape(link)}" aria-label="{said}">curve</a></small>'
    return f'<td class="n" data-v="{value:.6f}">{shown}</td>'
