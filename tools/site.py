"""A site without a server: ``python -m tools.site FOLDER``.

Play, the table of methods, the claims and one checked split, as pages that load nothing: built from
the results that come with the package and drawn by the components of the app.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

from ui.components import playground
from ui.components.playground import Chip, Choice, Instrument, Rail, Tile
from ui.playground import answers as playground_answers
from ui.playground import rulers as playground_rulers
from ui.state.cache import dataset as opened
from zslcore.analysis.papers import claims as papers
from zslcore.evaluation.runs import RunResult
from zslcore.interactive.one_file import SHARED, joined, page_of, styled
from zslcore.interactive.seen_unseen import Stop
from zslcore.leakage.cards import read_card, to_html
from zslcore.results.shipped import shipped_results
from zslcore.storage.files import FACTS
from zslcore.version import version

#: Data set -> its page and how a reader knows it.
PLAYS = {
    "digits": ("play.html", "Digits"),
    "CUB-vgg_fc7": ("play-cub.html", "CUB birds, VGG"),
    "AWA1-lss": ("play-awa1.html", "AWA1, hand-crafted"),
}
PAGES = {
    "play.html": "Play",
    "table.html": "Table",
    "claims.html": "Claims",
    "check.html": "Is it clean?",
}
#: Bytes of a page at most: methods are left out from the end of the list beyond them.
MOST = 500_000
#: Figures of the table: name in a result's row -> heading.
FIGURES = {
    "zsl": "ZSL",
    "calibrated_unseen": "u",
    "calibrated_seen": "s",
    "calibrated_harmonic": "H",
    "ausuc": "AUSUC",
}
STYLE = """
body { max-width: 80rem; }
nav { display: flex; flex-wrap: wrap; gap: 1.2rem; margin-bottom: 1rem; }
nav a, .link { color: var(--st-primary-color, inherit); }
nav a[aria-current] { color: inherit; font-weight: 600; }
.kinds, .rail > .heading button { display: none; }
"""
#: Of the table.
COLUMNS = """
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid var(--st-border-color); }
th:first-child, .group { text-align: left; } .group { padding-left: 2rem; }
td { font-variant-numeric: tabular-nums; } td.best { font-weight: 700; }
th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0;
  padding: 0; cursor: pointer; }
th[aria-sort=descending] button::after { content: " ↓"; }
th[aria-sort=ascending] button::after { content: " ↑"; }
"""
#: Of the claims.
CARDS = """
details { margin: .5rem 0; padding: .3rem .8rem; background: var(--st-secondary-background-color); }
summary { cursor: pointer; }
"""
#: Sorts the rows of a table by the column whose heading is pressed, numbers from the largest.
SORT = """
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  heads.forEach((head, k) => head.querySelector("button")?.addEventListener("click", () => {
    const down = head.ariaSort !== "descending";
    for (const each of heads) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = (row) => row.cells[k].dataset.value ?? row.cells[k].textContent;
    const order = (a, b) => isNaN(value(a)) || isNaN(value(b))
      ? value(b).localeCompare(value(a)) : value(b) - value(a);
    const rows = [...table.tBodies[0].rows].sort(order);
    table.tBodies[0].append(...(down ? rows : rows.reverse()));
  }));
}
"""
#: Draws the instrument of one method, and of another where the reader chooses it.
PLAY = """
const blob = async (text) => new Uint8Array(await new Response(new Blob([
  Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))]).stream()
  .pipeThrough(new DecompressionStream("deflate"))).arrayBuffer());
const pictures = PICTURES ? await blob(PICTURES) : new Uint8Array();
const whole = async ({ data, at }) => {
  const rest = await blob(data);
  if (at < 0) return rest;
  const all = new Uint8Array(rest.length + pictures.length);
  all.set(rest.subarray(0, at));
  all.set(pictures, at);
  all.set(rest.subarray(at), at + pictures.length);
  return all;
};
const root = document.getElementById("figure");
const setStateValue = async (name, value) => {
  if (name !== "choice") return;
  if (value.dataset && value.dataset !== DATASET) location.href = OTHERS[value.dataset];
  else if (value.method) show(value.method);
};
const show = async (method) => {
  location.replace(`#${encodeURIComponent(method)}`);
  draw({ data: await whole(METHODS[method]), parentElement: root, setStateValue });
};
const asked = decodeURIComponent(location.hash.slice(1));
show(asked in METHODS ? asked : Object.keys(METHODS)[0]);
"""


@dataclass(frozen=True, slots=True)
class Packed:
    """The instrument of one method: its bytes without the pictures, and where these belong."""

    data: str
    at: int


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the pages are written")
    folder = parser.parse_args(arguments).folder
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["ZSL_SHIPPED"] = "1"
    for name, page in pages():
        (folder / name).write_text(page, encoding="utf-8")
        print(f"{name}: {len(page.encode()):,} bytes")  # noqa: T201 - what the command did


def pages() -> Iterator[tuple[str, str]]:
    """Yield name and HTML of every page."""
    yield "index.html", _index()
    for dataset in PLAYS:
        yield PLAYS[dataset][0], play(dataset)
    runs = shipped_results()
    yield "table.html", table(runs)
    yield "claims.html", claims(runs)
    example = FACTS / "measured" / "example_card.json"
    card = to_html(read_card(example.read_bytes(), example.name))
    card = card.replace("</head>", f"<style>{STYLE}</style></head>", 1)
    yield "check.html", card.replace("<main>", f"{_links('check.html')}<main>", 1)


def _page(name: str, title: str, body: str, style: str = "", script: str = "") -> str:
    foot = (
        f"<p><small>Zero-shot lab {escape(version())}, from the results that come with it. "
        "Install it to run, calibrate and check your own.</small></p>"
    )
    body = f"{_links(name)}<h1>{escape(title)}</h1>{body}{foot}"
    return page_of(body, title=f"{title} - Zero-shot lab", style=style + STYLE, script=script)


def _links(here: str) -> str:
    links = (
        f'<a href="{name}"{" aria-current=page" * (name == here)}>{escape(title)}</a>'
        for name, title in {"index.html": "Zero-shot lab", **PAGES}.items()
    )
    return f"<nav>{''.join(links)}</nav>"


def _index() -> str:
    about = {
        "play.html": "Drag gamma along the exact seen-unseen curve and watch test images change "
        "sides: digits, CUB and AWA1.",
        "table.html": "Every method on real features, parameters and gamma chosen on validation "
        "classes.",
        "claims.html": "74 claims of four papers, recomputed from their own tables.",
        "check.html": "A split that is still in circulation, and what it leaks.",
    }
    rows = "".join(
        f'<p><a class="link" href="{name}">{escape(PAGES[name])}</a>: {escape(text)}</p>'
        for name, text in about.items()
    )
    lead = "<p>Measure, calibrate and audit zero-shot learning. These pages need no server.</p>"
    return _page("index.html", "Zero-shot lab", lead + rows)


# --- Play -----------------------------------------------------------------------------------------


def play(name: str) -> str:
    """Return the page of a data set: the default method, then the others from the best H down.

    Methods beyond :data:`MOST` bytes are left out.
    """
    file, title = PLAYS[name]
    methods = sorted(
        (
            m
            for m in playground_answers.methods_of(opened(name), "PS")
            if _harmonic(name, m) is not None
        ),
        key=lambda m: (m != playground_answers.METHOD, -(_harmonic(name, m) or 0.0)),
    )
    room, chosen = MOST - len(_play_page(name, file, title, {}, "").encode()), []
    for method in methods:
        one, pictures = _packed(name, method, methods)
        room -= len(one.data) + len(pictures) * (not chosen) + 100
        if room < 0:
            break
        chosen.append(method)
    packed = {method: _packed(name, method, chosen) for method in chosen}
    pictures = packed[chosen[0]][1]
    return _play_page(name, file, title, {m: one for m, (one, _) in packed.items()}, pictures)


def _harmonic(name: str, method: str) -> float | None:
    """Return H at the validated gamma; None without stored answers to seen and unseen images."""
    spec = playground_answers.spec_of(opened(name), "PS", method)
    shown = playground_answers.played(spec) if playground_answers.here(spec) else None
    if shown is None or shown.gamma is None or not shown.test.generalized:
        return None
    return float(shown.test.curve.at(shown.gamma).harmonic)


def _packed(name: str, method: str, methods: Sequence[str]) -> tuple[Packed, str]:
    """Return the instrument of a method without its pictures, and these."""
    drawn = _instrument(name, method, methods)
    data = drawn.packed(f"{name} {method}")
    if drawn.pictures is None:
        return Packed(_text(data), -1), ""
    pictures = drawn.pictures.tobytes()
    at = data.index(pictures)
    return Packed(_text(data[:at] + data[at + len(pictures) :]), at), _text(pictures)


def _text(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode()


def _instrument(name: str, method: str, methods: Sequence[str]) -> Instrument:
    dataset = opened(name)
    spec = playground_answers.spec_of(dataset, "PS", method)
    shown = playground_answers.played(spec)
    assert shown is not None
    best = Stop("best on test (oracle)", shown.test.curve.best().gamma, "oracle")
    curves = playground_rulers.curve_of(
        method, dataset, shown.test, shown.gamma, shown.origin, [best], 0.0
    )
    choice = Choice(name, "PS", method)
    return Instrument(
        curves,
        shown.test,
        [dataset.class_names[c] for c in shown.test.classes],
        ("digit", "digits") if name == "digits" else ("class", "classes"),
        _rail(choice, methods),
        pictures=None
        if dataset.images is None
        else dataset.images[playground_answers.rows_of(dataset, "PS", shown.test)],
    )


def _rail(chosen: Choice, methods: Sequence[str]) -> Rail:
    """Return what can be chosen on a page: the data sets of the site, methods with results."""
    whole = playground_answers.rail_of(opened(chosen.dataset), chosen)
    families: dict[str, Sequence[Chip]] = {}
    for family, chips in whole.families.items():
        if here := [chip for chip in chips if chip.name in methods]:
            families[family] = here
    tiles: list[Tile] = [replace(t, kind="real") for t in whole.tiles if t.key in PLAYS]
    return Rail(tiles, (), ("PS",), families, chosen)


def _play_page(name: str, file: str, title: str, found: Mapping[str, Packed], pictures: str) -> str:
    here = Path(playground.__file__).parent
    script = joined(here / "playground.js").replace(
        "export default function", "const draw = function", 1
    )
    values = {
        "PICTURES": pictures,
        "DATASET": name,
        "OTHERS": {each: page for each, (page, _) in PLAYS.items()},
        "METHODS": {m: {"data": one.data, "at": one.at} for m, one in found.items()},
    }
    constants = "".join(f"const {key} = {json.dumps(value)};\n" for key, value in values.items())
    css = styled(SHARED / "held.css", SHARED / "trade.css", here / "playground.css")
    body = f'<p>{escape(title)}, proposed split.</p><div id="figure">{playground.HTML}</div>'
    question = "What do you pay to recognise unseen classes?"
    return _page("play.html", question, body, css, f"{script}\n{constants}{PLAY}")


# --- Table, claims --------------------------------------------------------------------------------


def table(runs: Sequence[RunResult]) -> str:
    """Return the methods with their figures on every real data set, in percent."""
    columns = [(data, figure) for data in PLAYS for figure in FIGURES]
    cells: dict[str, dict[tuple[str, str], float]] = {}
    for run in runs:
        row = run.row()
        if row["dataset"] in PLAYS and row["split"] == "PS" and row["select_for"] == "gzsl":
            of_method = cells.setdefault(row["method"], {})
            of_method |= {(row["dataset"], f): row[f] for f in FIGURES if row[f] is not None}
    best = {c: max((r[c] for r in cells.values() if c in r), default=None) for c in columns}
    groups = "".join(
        f'<th class="group" colspan="{len(FIGURES)}">{escape(PLAYS[d][1])}</th>' for d in PLAYS
    )
    names = ["Method", *[heading for _ in PLAYS for heading in FIGURES.values()]]
    heads = "".join(f"<th><button>{escape(name)}</button></th>" for name in names)
    body = "".join(
        f"<tr><th scope=row>{escape(method)}</th>"
        + "".join(_cell(row.get(c), best[c]) for c in columns)
        + "</tr>"
        for method, row in sorted(cells.items())
    )
    words = (
        "<p>Percent, mean over classes, proposed split. Parameters and gamma are chosen on "
        "validation classes; u, s and H are at that gamma. The best of a column is bold; a heading "
        "sorts.</p>"
    )
    rows = f"<thead><tr><td></td>{groups}</tr><tr>{heads}</tr></thead><tbody>{body}</tbody>"
    frame = '<div class="wide" tabindex="0" role="group" aria-label="Methods and figures">'
    wide = f"{frame}<table>{rows}</table></div>"
    return _page(
        "table.html", "Which method is best on real features?", words + wide, COLUMNS, SORT
    )


def _cell(value: float | None, best: float | None) -> str:
    if value is None:
        return '<td data-value="-1">–</td>'
    mark = ' class="best"' * (value == best)
    return f'<td{mark} data-value="{value!r}">{100 * value:.1f}</td>'


def claims(runs: Sequence[RunResult]) -> str:
    """Return every claim with what its paper's own tables and runs on real features say of it."""
    records = papers.as_records(papers.judge_all(runs, ()))
    groups: dict[str, list[str]] = {"does not hold": [], "holds": [], "undecided": []}
    for claim in records:
        groups[claim["judgments"]["printed"]["verdict"]].append(_claim(claim))
    counts = ", ".join(f"{verdict} {len(found)}" for verdict, found in groups.items())
    lead = f"<p>{len(records)} claims, judged on the papers' own printed tables: {counts}.</p>"
    parts = "".join(
        f"<h2>{escape(verdict).capitalize()}</h2>{''.join(found)}"
        for verdict, found in groups.items()
    )
    return _page("claims.html", "What did the papers claim, and does it hold?", lead + parts, CARDS)


def _claim(claim: Mapping[str, Any]) -> str:
    printed, real = (claim["judgments"][body] for body in ("printed", "real"))
    measured = "" if real["verdict"] == "undecided" else f"<p>Measured: {escape(real['said'])}</p>"
    return (
        f"<details><summary>{escape(claim['statement'])}</summary>"
        f"<p>Printed: {escape(printed['said'])}</p>{measured}"
        f"<p><small>{escape(claim['paper'])}, section {escape(claim['section'])}. "
        f"{escape(claim['computed'])}</small></p></details>"
    )


if __name__ == "__main__":
    main()
