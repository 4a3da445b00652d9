"""Static site generator: ``python -m tools.site FOLDER``.

Writes Play, the table of methods, the claims and one checked split as self-contained pages, from
the precomputed results of the package and with the components of the app. The landing page is Play
on the digits, followed by links to the other pages and the install line of the README.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from html import escape
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd
from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

from ui.components.playground import (
    PARTS,
    Chip,
    DatasetTile,
    Ghost,
    Instrument,
    Rail,
    Ruler,
    RunChoice,
)
from ui.playground import answers, rulers
from ui.playground.instrument import instrument_of
from ui.shell.numbers import in_points, percent
from ui.state.cache import dataset as open_dataset
from ui.state.controls import METHOD
from ui.state.waiting import PredictedRun
from ui.views.leakage.drop import ANSWERS
from zslcore.analysis.method_table import cells_of_runs, rank_methods
from zslcore.analysis.papers import claims as papers
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.interactive.one_file import WORD, as_bytes, element, html_page
from zslcore.leakage.render import read_report, reports_html
from zslcore.results.shipped import shipped_results
from zslcore.results.store import StoredRun
from zslcore.storage.files import FACTS
from zslcore.texts import listed
from zslcore.version import version

#: Lines of a script that are only comments; without them, more methods fit into a page.
COMMENT = re.compile(r"^\s*(?://[^\n]*|/\*(?:(?!\*/).)*\*/)\n", re.MULTILINE | re.DOTALL)
#: Letters in the font of the pages, besides ASCII.
LETTERS = "\u00a0§°±·½×àáäçèéíñóöøüŁłśγλμ–—‘’“”…\u202f←↑→↓−≈≤≥"
#: Page and title of each data set.
PLAYS = {
    "digits": ("index.html", "Digits"),
    "CUB-vgg_fc7": ("play-cub.html", "CUB birds, VGG"),
    "AWA1-lss": ("play-awa1.html", "AWA1, hand-crafted"),
}
PAGES = {
    "index.html": "Play",
    "table.html": "Table",
    "claims.html": "Claims",
    "check.html": "Is it clean?",
}
#: Pages with a λ ruler, by data set with features in the package.
LAMBDA = {"digits": "lambda.html"}
#: Maximum bytes of a page; methods that do not fit are left out.
MAX_BYTES = 500_000
ABOUT = "Zero-shot lab measures and checks models that recognise classes without training images."
#: Question that each page answers.
QUESTIONS = {
    "table.html": "Which method is best on real features? Parameters and γ are validated.",
    "claims.html": "Do the claims in four papers hold? Each is recomputed from printed tables.",
    "check.html": "Is the first release of the AWA2 split clean? It is still in circulation.",
}
#: Verdict on a claim -> heading of its claims, and words for their number.
VERDICTS = {
    "does not hold": ("✗ Does not hold", "do not hold"),
    "undecided": ("? Open", "are open"),
    "holds": ("✓ Holds", "hold"),
}
#: Unit of a judgment -> ends of its axis, start of its bars, and words for a number.
UNITS: Mapping[str, tuple[float, float, float, Callable[[float], str]]] = {
    "share": (0.0, 1.0, 0.0, lambda share: f"{percent(share)} of cases"),
    "points": (-0.45, 0.45, 0.0, in_points),
    "place": (1.0, 14.0, 1.0, "mean rank {:.1f}".format),
    "p": (0.0, 1.0, 0.0, "p = {:.2f}".format),
    "tau": (-1.0, 1.0, 0.0, "τ = {:.2f}".format),
}
#: Sentence on the ends of the axes in UNITS.
SCALES = (
    "Bars show the deciding number and, as a line, its 95 % interval. Ends of a bar's axis: 0 and "
    "100 % of cases; differences −45 and +45 points; mean rank 1 and 14; p 0 and 1; τ −1 and 1."
)
#: Width of the bar of a claim, in pixels.
BAR = 180
#: Headings of the metrics in the table, by name in a row of results.
METRICS = {
    "zsl": "ZSL",
    "calibrated_unseen": "u",
    "calibrated_seen": "s",
    "calibrated_harmonic": "H",
    "ausuc": "AUSUC",
}
STYLE = """
@font-face { font-family: lab; font-weight: 400 600; src: url(data:font/woff2;base64,FONT); }
/* Until the font is decoded, a local font at its width: no line wraps differently. */
@font-face { font-family: lab-wait; size-adjust: 93%; ascent-override: 107%; descent-override: 35%;
  src: local("Arial"), local("Helvetica Neue"), local("Helvetica"), local("Liberation Sans"),
  local("Roboto"); }
@font-face { font-family: lab-wait-wide; size-adjust: 82%; ascent-override: 122%;
  descent-override: 40%; src: local("DejaVu Sans"), local("Verdana"); }
:root { --st-font: lab, lab-wait, lab-wait-wide, system-ui, sans-serif; }
body { max-width: none; margin: 0; padding: 0; font-size: 16px; line-height: 1.5; }
main { padding: 12px 24px 32px; max-width: 100rem; margin: auto; }
nav { display: flex; flex-wrap: wrap; gap: 4px 24px; align-items: center; min-height: 40px; }
nav { margin-bottom: 8px; border-bottom: 1px solid var(--st-border-color); padding-bottom: 8px; }
nav a { color: inherit; text-decoration: none; line-height: 32px; }
nav a:first-child { font-weight: 600; }
nav a:hover { text-decoration: underline; }
nav a[aria-current] { box-shadow: 0 2px var(--st-primary-color); font-weight: 600; }
nav a.own { margin-left: auto; padding: 0 16px; border: 1px solid var(--st-primary-color);
  border-radius: var(--st-base-radius); color: var(--st-primary-color); font-weight: 600; }
nav + h1 { font-size: 1.0625rem; line-height: 1.3; font-weight: 600; margin: 8px 0; opacity: 0.74; }
@media (min-width: 1000px) {
  h1:has(+ .about) { float: left; margin: 0 16px 0 0; line-height: 24px; } }
.about { line-height: 24px; margin: 0 0 8px; }
.answer { font-size: 1.375rem; line-height: 1.3; font-weight: 600; }
h2 { font-size: 1.25rem; font-weight: 600; margin: 32px 0 8px; }
p { margin: 8px 0; }
a { color: var(--st-primary-color); }
pre { padding: 12px 16px; overflow-x: auto; border-radius: var(--st-base-radius);
  background: var(--st-secondary-background-color); }
.cards { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); }
.cards > a { padding: 12px 16px; border: 1px solid var(--st-border-color); color: inherit;
  border-radius: var(--st-base-radius); text-decoration: none; }
.cards > a:hover { border-color: var(--st-primary-color); }
.cards strong { display: block; color: var(--st-primary-color); }
.one-ruler .wide .ruler { grid-template-columns: auto minmax(0, 1fr) auto; }
@media (max-width: 640px) {
  main { padding: 8px 16px 24px; } nav { gap: 4px 16px; }
}
.rail > .heading button, .kinds label:has([value=images]), .one-ruler .kinds { display: none; }
"""
#: Style of the table.
COLUMNS = """
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid var(--st-border-color); }
th:first-child, .group { text-align: left; } .group { padding-left: 2rem; }
td small { font-weight: 400; opacity: 0.74; white-space: nowrap; }
@media (max-width: 1000px) {
  table { font-size: .8125rem; } th, td { padding: .3rem .2rem; } td small { display: none; } }
td { font-variant-numeric: tabular-nums; } td.best { font-weight: 700; }
th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0;
  padding: 0; cursor: pointer; }
th[aria-sort=descending] button::after { content: " ↓"; }
th[aria-sort=ascending] button::after { content: " ↑"; }
"""
#: Style of the claims.
CARDS = """
:root { --holds: #007E5C; --broken: #A8283B; --open: #585d63; }
@media (prefers-color-scheme: dark) {
  :root { --holds: #33B893; --broken: #F2545F; --open: #A3A3A3; } }
.holds { --verdict: var(--holds); } .does-not-hold { --verdict: var(--broken); }
.undecided { --verdict: var(--open); }
.counts { display: flex; gap: 4px; margin: 16px 0; }
.counts a { padding: 4px; white-space: nowrap; text-align: center; font-weight: 600;
  text-decoration: none; color: var(--verdict); border-bottom: 3px solid;
  min-width: 2.5rem; box-sizing: border-box;
  background: color-mix(in srgb, var(--verdict) 8%, transparent); }
section h2 { color: var(--verdict); margin-top: 24px; }
details { border-bottom: 1px solid var(--st-border-color); padding: 4px 0; }
summary { cursor: pointer; display: flex; flex-wrap: wrap; gap: 0 16px; align-items: center; }
summary::before { content: "▸"; width: 12px; } [open] > summary::before { content: "▾"; }
summary > span { flex: 1 1 240px; }
summary svg { color: var(--verdict); width: 100%; height: 20px; }
.picture { display: grid; grid-template-columns: 180px minmax(0, 200px); gap: 12px;
  align-items: center; font-variant-numeric: tabular-nums;
  color: var(--verdict); margin-left: 28px; }
"""
#: Sorts the rows of a table by the clicked column, numbers from the largest.
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
#: Draws the instrument of one method, and of another one when it is selected.
PLAY = """
const blob = async (text) => new Uint8Array(await new Response(new Blob([
  Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))]).stream()
  .pipeThrough(new DecompressionStream("deflate"))).arrayBuffer());
const shared = SHARED ? await blob(SHARED) : new Uint8Array();
const whole = async ({ data, at }) => {
  const rest = await blob(data);
  if (at < 0) return rest;
  const all = new Uint8Array(rest.length + shared.length);
  all.set(rest.subarray(0, at));
  all.set(shared, at);
  all.set(rest.subarray(at), at + shared.length);
  return all;
};
const root = document.getElementById("figure");
let method = "";
const setStateValue = async (name, value) => {
  if (name === "ruler") location.href = `${RULERS[value]}#${encodeURIComponent(method)}`;
  else if (name !== "choice") return;
  else if (value.dataset && value.dataset !== DATASET) location.href = OTHERS[value.dataset];
  else if (value.method) show(value.method);
};
const show = async (name) => {
  method = name;
  history.replaceState(null, "", `#${encodeURIComponent(name)}`);
  draw({ data: await whole(METHODS[name]), parentElement: root, setStateValue });
};
root.classList.toggle("one-ruler", !RULERS.lambda);
const hash = decodeURIComponent(location.hash.slice(1));
show(hash in METHODS ? hash : Object.keys(METHODS)[0]);
"""


@dataclass(frozen=True, slots=True)
class Packed:
    """Instrument of one method: its own bytes, and their offset in the page."""

    data: str
    at: int


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="output folder")
    folder = parser.parse_args(arguments).folder
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["ZSL_SHIPPED"] = "1"
    for name, page in pages():
        (folder / name).write_text(page, encoding="utf-8")
        print(f"{name}: {len(page.encode()):,} bytes")  # noqa: T201 - what the command did


def pages() -> Iterator[tuple[str, str]]:
    """Yield name and HTML of each page."""
    for dataset in PLAYS:
        yield PLAYS[dataset][0], play(dataset, "gamma")
    for dataset, name in LAMBDA.items():
        yield name, play(dataset, "lambda")
    runs = shipped_results()
    yield "table.html", table(runs)
    yield "claims.html", claims(runs)
    question = escape(QUESTIONS["check.html"])
    example = FACTS / "measured" / "example_card.json"
    report = read_report(example.read_bytes(), example.name)
    card = reports_html(report)
    # The heading of the page is the question, as on the other pages.
    card = card.replace(
        f'<h1 class="{report.verdict}">{report.word}</h1>',
        f'<p class="answer {report.verdict}">'
        f"{escape(f'{ANSWERS[report.verdict]} {report.sentence}')}</p>",
        1,
    )
    card = card.replace(f'<p class="lead">{escape(report.sentence)}</p>', "", 1)
    card = card.replace("</head>", f"<style>{_style()}</style></head>", 1)
    heading = f"<main>{_links('check.html')}<h1>{question}</h1>"
    yield "check.html", card.replace("<main>", heading, 1)


def _page(
    name: str, title: str, body: str, style: str = "", script: str = "", below: str = ""
) -> str:
    foot = f"<p><small>Zero-shot lab {escape(version())}, precomputed results.</small></p>"
    body = f"{_links(name)}<h1>{escape(title)}</h1>{body}{below}{foot}"
    return html_page(body, title=f"{title} - Zero-shot lab", style=style + _style(), script=script)


@cache
def _style() -> str:
    """Return the style of all pages, with the font of the app."""
    return STYLE.replace("FONT", base64.b64encode(_font()).decode(), 1)


def _font() -> bytes:
    """Return Streamlit's font in the weights and with the letters of the pages."""
    folder = Path(str(files("streamlit"))) / "static" / "static" / "media"
    (path,) = folder.glob("SourceSansVF-Upright*.woff2")
    font = TTFont(path)
    subsetter = subset.Subsetter(subset.Options(hinting=False, layout_features=["kern", "tnum"]))
    subsetter.populate(unicodes=[*range(0x20, 0x7F), *map(ord, LETTERS)])
    subsetter.subset(font)
    font = instancer.instantiateVariableFont(font, {"wght": (400, 600)})
    font.flavor = "woff2"
    font.save(file := BytesIO())
    return file.getvalue()


def _links(current: str) -> str:
    pages = (
        f'<a href="{name}"{" aria-current=page" if name == current else ""}>{escape(title)}</a>'
        for name, title in PAGES.items()
    )
    own_link = '<a class="own" href="index.html#own">Open your own</a>'
    return f'<nav><a href="index.html">Zero-shot lab</a>{"".join(pages)}{own_link}</nav>'


def _below() -> str:
    """Return the links to the other pages and the install lines of the README."""
    cards = "".join(
        f'<a href="{name}"><strong>{escape(PAGES[name])}</strong>{escape(question)}</a>'
        for name, question in QUESTIONS.items()
    )
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    install = readme.split("<!-- app -->")[1].split("```sh\n")[1].split("```")[0]
    return (
        f'<h2>More</h2><div class="cards">{cards}</div><h2 id="own">Open your own</h2>'
        "<p>Import features or scores, check a split, run a method. With Python 3.11 or newer, "
        f"in a clone of the repository:</p><pre tabindex=0>{escape(install)}</pre>"
    )


# --- Play -----------------------------------------------------------------------------------------


def play(name: str, kind: str) -> str:
    """Return the page of a data set with a ruler for γ or λ.

    The default method comes first, then the other methods by H, with all their curves in grey. A
    method that would make the page larger than :data:`MAX_BYTES` is left out.
    """
    methods = sorted(
        (m for m in answers.methods_of(open_dataset(name), "PS") if _harmonic(name, m) is not None),
        key=lambda m: (m != METHOD, -(_harmonic(name, m) or 0.0)),
    )
    rulers_of = {m: _ruler(name, m, kind) for m in methods}
    page, chosen = "", list[str]()
    for method in methods:
        if kind == "gamma" or rulers_of[method].frames:
            larger = _play_page(name, kind, {m: rulers_of[m] for m in [*chosen, method]})
            if len(larger.encode()) <= MAX_BYTES:
                page, chosen = larger, [*chosen, method]
    return page


def _run_of(name: str, method: str) -> PredictedRun:
    run = answers.available_run(RunSpec.of(open_dataset(name), "PS", method))
    assert run is not None
    return run


def _harmonic(name: str, method: str) -> float | None:
    """Return H at the validated gamma; None without predictions for seen and unseen images."""
    spec = RunSpec.of(open_dataset(name), "PS", method)
    shown = answers.available_run(spec) if answers.is_computed(spec) else None
    if shown is None or shown.result.gamma is None or not shown.test.generalized:
        return None
    return float(shown.test.curve.at(shown.result.gamma).harmonic)


def _packed(drawn: Instrument) -> tuple[Packed, str]:
    """Return an instrument without grey curves and pictures, and separately both as text."""
    blocks = [as_bytes(axis, "<f4") for ghost in drawn.ghosts for axis in ghost.points()]
    if drawn.pictures is not None:
        blocks.append(drawn.pictures.tobytes())
    shared = b""
    for block in blocks:
        shared += bytes(-len(shared) % WORD) + block
    data = drawn.packed("play")
    at = data.index(shared)
    return Packed(_text(data[:at] + data[at + len(shared) :]), at), _text(shared)


def _text(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode()


def _ruler(name: str, method: str, kind: str) -> Ruler:
    """Return the ruler for γ or λ; without stops if the method has no λ."""
    if kind == "gamma":
        return Ruler()
    dataset, run = open_dataset(name), _run_of(name, method)
    spec = RunSpec.of(dataset, "PS", method)
    draw = partial(rulers.curve_of, method, dataset)
    return rulers.ruler_of(kind, rulers.stops_of(kind, spec, run), run, "", draw)


def _rail(chosen: RunChoice, methods: Sequence[str]) -> Rail:
    """Return the menus of a page: the data sets of the site, methods with results."""
    rail = answers.rail_of(open_dataset(chosen.dataset), chosen)
    families: dict[str, Sequence[Chip]] = {}
    for family, chips in rail.families.items():
        if available := [chip for chip in chips if chip.name in methods]:
            families[family] = available
    tiles: list[DatasetTile] = [replace(t, kind="real") for t in rail.tiles if t.key in PLAYS]
    return Rail(tiles, (), ("PS",), families, chosen)


def _play_page(name: str, kind: str, methods: Mapping[str, Ruler]) -> str:
    ghosts = [Ghost(method, _run_of(name, method).test.curve) for method in methods]
    packs = {}
    for method, ruler in methods.items():
        choice, shown = RunChoice(name, "PS", method), _run_of(name, method)
        rail = _rail(choice, list(methods))
        drawn = instrument_of(choice, open_dataset(name), shown, ruler, rail, ghosts)
        packs[method] = _packed(replace(drawn, below=16))  # its last line is above the fold
    pages = {"gamma": PLAYS[name][0], "lambda": LAMBDA.get(name)}
    values = {
        "SHARED": next(shared for _, shared in packs.values()),
        "DATASET": name,
        "OTHERS": {address: page for address, (page, _) in PLAYS.items()},
        "RULERS": pages,
        "METHODS": {method: asdict(packed) for method, (packed, _) in packs.items()},
    }
    constants = "".join(f"const {key} = {json.dumps(value)};\n" for key, value in values.items())
    body = f"<p class=about>{escape(ABOUT)}</p>{element(PARTS)}"
    return _page(
        "index.html",
        "What does it cost to recognise unseen classes?",
        body,
        PARTS.css,
        f"{COMMENT.sub('', PARTS.script)}\n{constants}{PLAY}",
        _below(),
    )


# --- Table, claims --------------------------------------------------------------------------------


def table(runs: Sequence[RunResult]) -> str:
    """Return the table of methods with their metrics on each real data set, in percent."""
    columns = [(data, figure) for data in PLAYS for figure in METRICS]
    cells: dict[str, dict[tuple[str, str], float]] = {}
    stored = []
    for run in runs:
        row = run.row()
        if row["dataset"] in PLAYS and row["split"] == "PS" and row["select_for"] == "gzsl":
            of_method = cells.setdefault(row["method"], {})
            of_method |= {(row["dataset"], f): row[f] for f in METRICS if row[f] is not None}
            stored.append(StoredRun(run, shipped=True))
    results = cells_of_runs(stored)
    ranks = {d: rank_methods([r for r in results if r.data == d], "H at gamma") for d in PLAYS}
    for of_data in ranks.values():
        of_data.index = of_data.index.str.replace(r" \(.*", "", regex=True)  # without variants
    harmonic = "calibrated_harmonic"
    first = next(iter(PLAYS)), harmonic
    best = {c: max((r[c] for r in cells.values() if c in r), default=None) for c in columns}
    groups = "".join(
        f'<th class="group" colspan="{len(METRICS)}">{escape(PLAYS[d][1])}</th>' for d in PLAYS
    )
    names = ["Method", *[heading for _ in PLAYS for heading in METRICS.values()]]
    heads = "".join(f"<th><button>{escape(name)}</button></th>" for name in names)
    body = "".join(
        f"<tr><th scope=row>{escape(method)}</th>"
        + "".join(
            _cell(row.get(c), best[c], ranks[c[0]].loc[method] if c[1] == harmonic else None)
            for c in columns
        )
        + "</tr>"
        for method, row in sorted(cells.items(), key=lambda item: (-item[1].get(first, 0), item[0]))
    )
    winners = [
        f"{of_data['value'].idxmax()} ({percent(of_data['value'].max())}) on {PLAYS[d][1]}"
        for d, of_data in ranks.items()
    ]
    *close, last = (str(of_data["top"].sum() - 1) for of_data in ranks.values())
    close_words = f"{', '.join(close)} and {last} others are not significantly worse (95 %)"
    words = (
        f"<p class=answer>Highest H: {escape(listed(winners))}; {close_words}.</p>"
        "<p>Percent, mean over classes, proposed split. Parameters and γ are chosen on "
        "validation classes; u, s and H are at that γ. The best value of a column is bold; "
        "H has its 95 % interval over classes, and an asterisk if it is significantly worse than "
        "the best (paired). Click a heading to sort.</p>"
    )
    rows = f"<thead><tr><td></td>{groups}</tr><tr>{heads}</tr></thead><tbody>{body}</tbody>"
    frame = '<div class="wide" tabindex="0" role="group" aria-label="Methods and metrics">'
    wide = f"{frame}<table>{rows}</table></div>"
    return _page(
        "table.html", "Which method is best on real features?", words + wide, COLUMNS, SORT
    )


def _cell(value: float | None, best: float | None, rank: pd.Series | None = None) -> str:
    """Return a cell with a value, and with its interval and an asterisk from its ``rank``."""
    if value is None:
        return '<td data-value="-1">–</td>'
    mark, ends = ' class="best"' * (value == best), ""
    if rank is not None:
        low, high = (f"{100 * rank[end]:.0f}" for end in ("low", "high"))
        ends = "*" * bool(rank["first"] > 1) + f"<small> {low}–{high}</small>"
    return f'<td{mark} data-value="{value!r}">{100 * value:.1f}{ends}</td>'


def claims(runs: Sequence[RunResult]) -> str:
    """Return all claims with the verdicts from the tables of their papers and from real runs."""
    records = papers.as_records(papers.judge_all(runs, ()))
    groups: dict[str, list[str]] = {verdict: [] for verdict in VERDICTS}
    for claim in records:
        groups[claim["judgments"]["printed"]["verdict"]].append(_claim(claim))
    counts = ", ".join(f"{len(groups[verdict])} {VERDICTS[verdict][1]}" for verdict in VERDICTS)
    lead = f"{len(records)} claims, judged on the papers' own printed tables: {counts}."
    links = "".join(
        f'<a class={_slug(verdict)} style="flex:{len(claims)}" href="#{_slug(verdict)}" '
        f'aria-label="{len(claims)} {VERDICTS[verdict][1]}">{VERDICTS[verdict][0][0]} '
        f"{len(claims)}</a>"
        for verdict, claims in groups.items()
    )
    parts = "".join(
        f"<section class={_slug(verdict)} id={_slug(verdict)}><h2>{VERDICTS[verdict][0]}</h2>"
        f"{''.join(claims)}</section>"
        for verdict, claims in groups.items()
    )
    sources = "; ".join(f"{name}: {escape(title)}" for name, title in papers.PAPERS.items())
    return _page(
        "claims.html",
        "What did the papers claim, and does it hold?",
        f"<p class=answer>{lead}</p><div class=counts>{links}</div>"
        f"<p>{SCALES} Open a claim for more.</p><p><small>{sources}.</small></p>"
        f"{parts}",
        CARDS,
    )


def _slug(verdict: str) -> str:
    return verdict.replace(" ", "-")


def _claim(claim: Mapping[str, Any]) -> str:
    printed, real = (claim["judgments"][body] for body in ("printed", "real"))
    decided = real["verdict"] != "undecided"
    measured = f"<p>Measured: {escape(real['sentence'])}</p>" if decided else ""
    return (
        f"<details><summary><span>{escape(claim['statement'])} "
        f"<small>{escape(claim['paper'])}</small></span>{_bar(printed)}</summary>"
        f"<p>Printed: {escape(printed['sentence'])}</p>{measured}"
        f"<p><small>{escape(claim['paper'])}, section {escape(claim['section'])}. "
        f"{escape(claim['computed'])}</small></p></details>"
    )


def _bar(judgment: Mapping[str, Any]) -> str:
    """Return the number of a judgment as a bar with its interval, or nothing without a number."""
    number, low, high = (judgment[name] for name in ("number", "low", "high"))
    if number is None:
        return ""
    least, most, start, write = UNITS[judgment["unit"]]

    def pixel(value: float) -> float:
        return round(BAR * (min(max(value, least), most) - least) / (most - least), 1)

    ends = sorted((pixel(start), pixel(number)))
    parts = [
        f'<path d="M0 19.5H{BAR}" stroke="currentColor" opacity=".3"/>',
        f'<rect x="{ends[0]}" y="4" width="{max(ends[1] - ends[0], 2)}" height="12" '
        'fill="currentColor" opacity=".55"/>',
        f'<path d="M{pixel(start)} 1V19" stroke="currentColor"/>',
    ]
    if low is not None and high is not None:
        whisker = f"M{pixel(low)} 10H{pixel(high)}M{pixel(low)} 6v8M{pixel(high)} 6v8"
        parts.append(f'<path d="{whisker}" stroke="currentColor" stroke-width="2"/>')
    drawing = f'<svg viewBox="0 0 {BAR} 20" aria-hidden=true>{"".join(parts)}</svg>'
    return f"<span class=picture>{drawing}{escape(judgment['comparison'] or write(number))}</span>"


if __name__ == "__main__":
    main()
