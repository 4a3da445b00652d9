"""The card of a check: a verdict in a word, a sentence, three figures, one picture, the findings.

As text, as JSON, as a paragraph for a review and as a page. Cards are made by
:mod:`zslcore.leakage.split_card`, :mod:`zslcore.scores.card` and :mod:`zslcore.board.card`.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from typing import Any

from zslcore.leakage import page
from zslcore.leakage.render import fields_of, finite
from zslcore.leakage.report import (
    STATUS,
    Finding,
    Mark,
    Verdict,
    counted,
    verdict_of,
    without_options,
)
from zslcore.texts import typed
from zslcore.version import version

#: The value of a figure that the files do not tell.
UNKNOWN = "unknown"
#: What the features of most published results were trained on.
USUAL = "imagenet-1k"
#: Version of the JSON of a card.
SCHEMA = "zslcore-card/2"
#: Letters of a digest that a review quotes, and most findings that it repeats.
DIGITS, MOST_REPEATED = 12, 2
#: Letters of a line.
LETTERS = 96


@dataclass(frozen=True, slots=True)
class Figure:
    """One of the three figures of a card: what is measured, its value, and what it rests on."""

    label: str
    value: str
    note: str = ""


#: Title of the finding on classes that an extractor was trained on.
KNOWN_CLASSES = "Test classes in the pre-training set"
#: Title of the finding on the rows that a model was trained on, and label of its figure.
TRAINING_ROWS, TRAINED_ON = "Training rows", "test images that were trained on"


def classes_known(value: str = "", note: str = "") -> Figure:
    """Return the figure of test classes in the pre-training set; unknown without a value."""
    why = "" if value else "the classes or the pre-training set are not known"
    return Figure(KNOWN_CLASSES.lower(), value or UNKNOWN, note or why)


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its length, how much of it is marked, and its value as it is read."""

    label: str
    whole: float
    marked: float
    value: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Bars from the top, or a seen-unseen curve with marked points; ``alt`` says what it shows.

    The curve is (unseen, seen) accuracies in [0, 1], a point (label, unseen, seen).
    """

    alt: str
    bars: tuple[Bar, ...] = ()
    curve: tuple[tuple[float, float], ...] = ()
    points: tuple[tuple[str, float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """The answer to "is it clean?".

    Attributes
    ----------
    kind : what is checked, in words
    files : (name, SHA-256) of each
    sentence : the reason of the verdict
    findings : worst first; their ``rows`` are the first ones, numbered as in the file
    read_as : (what, value), what was read
    """

    kind: str
    files: tuple[tuple[str, str], ...]
    sentence: str
    figures: tuple[Figure, Figure, Figure]
    findings: tuple[Finding, ...]
    picture: Picture | None = None
    read_as: tuple[tuple[str, str], ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The verdict on the files."""
        return verdict_of(self.findings)

    @property
    def word(self) -> str:
        """The verdict as a word on a page."""
        return self.verdict.capitalize()

    @property
    def status(self) -> int:
        """Exit status: 0 clean, 1 leaks, 2 broken, 3 unknown."""
        return STATUS[self.verdict]

    def marked(self, mark: Mark) -> list[Finding]:
        """Return the findings with a mark."""
        return [finding for finding in self.findings if finding.mark == mark]

    @property
    def command(self) -> str:
        """The command that repeats the check."""
        return " ".join(["zslcore check", *(name for name, _ in self.files)])

    def for_review(self) -> str:
        """Return the card as a paragraph of about 120 words, with the digests of the files."""
        files = " and ".join(f"{name} (SHA-256 {sha[:DIGITS]}…)" for name, sha in self.files)
        figures = "; ".join(
            f"{f.label}: {f.value}{f' ({f.note})' if f.note else ''}" for f in self.figures
        )
        found = [f for f in self.findings if f.mark in ("leak", "error", "warning") and f.advice]
        advice = " ".join(dict.fromkeys(f.advice for f in found[:MOST_REPEATED]))
        sentences = [f"I checked {files}.", f"Verdict: {self.word}.", self.sentence]
        sentences += [f"{figures[:1].upper()}{figures[1:]}.", advice]
        if titles := dict.fromkeys(
            f.title[0].lower() + f.title[1:] for f in self.marked("open")[:4]
        ):
            sentences.append(f"Not settled by these files: {'; '.join(titles)}.")
        sentences.append(f"To repeat: {self.command} (version {version()}).")
        return " ".join(part for part in sentences if part)

    def as_text(self) -> str:
        """Return the card as lines for a terminal."""
        lines = [f"{self.verdict.upper()}  {self.kind}: {', '.join(n for n, _ in self.files)}", ""]
        lines += [*textwrap.wrap(self.sentence, LETTERS), ""]
        width = max(len(f.label) for f in self.figures)
        for f in self.figures:
            lines.append(f"  {f.label:<{width}}  {f.value}{f'  ({f.note})' if f.note else ''}")
        for finding in self.findings:
            if finding.mark != "ok":
                lines += ["", f"{finding.mark.upper():<8} {finding.title}"]
                for text in (finding.sentence, finding.advice and f"What to do: {finding.advice}"):
                    lines += [f"{'':9}{line}" for line in textwrap.wrap(text, LETTERS - 9)]
        passed = len(self.marked("ok"))
        lines += ["", f"{counted(passed, 'check')} found nothing."] if passed else []
        return "\n".join(lines) + "\n"

    def to_json(self) -> str:
        """Return the card as JSON, with its version."""
        values = {
            "schema": SCHEMA,
            "version": version(),
            "kind": self.kind,
            "files": [{"name": name, "sha256": sha} for name, sha in self.files],
            "verdict": self.verdict,
            "sentence": self.sentence,
            "figures": [asdict(figure) for figure in self.figures],
            "findings": [fields_of(finding) for finding in self.findings],
            "picture": self.picture and asdict(self.picture),
            "read_as": dict(self.read_as),
        }
        return json.dumps(finite(values), indent=1, allow_nan=False)


def on_card(finding: Finding, start: int = 0, most_rows: int = 0) -> Finding:
    """Return a finding of an audit as a card has it: without options and evidence, and few rows.

    ``start`` is the number of the first row in the file.
    """
    rows = tuple(row + start for row in finding.rows[:most_rows])
    text, advice = without_options(finding.sentence), without_options(finding.advice)
    return replace(finding, sentence=text, advice=advice, rows=rows, evidence=())


def read_card(content: bytes, file: str) -> Card:
    """Read what :meth:`Card.to_json` wrote; ``file`` is its name, for sentences."""
    values = json.loads(content)
    values["files"] = [(each["name"], each["sha256"]) for each in values["files"]]
    values["read_as"] = tuple(values["read_as"].items())
    if values["schema"] == "zslcore-card/1":
        values["findings"] = [_finding_of_point(values["verdict"], p) for p in values["points"]]
    for name in ("schema", "version", "verdict", "points"):
        values.pop(name, None)
    return typed(Card, values, file)


def _finding_of_point(verdict: str, point: Mapping[str, Any]) -> dict[str, Any]:
    """Return a finding of the first version of cards, whose open ones decided by their verdict."""
    return {
        "check": point["title"],
        "mark": point["mark"],
        "sentence": point["text"],
        "advice": point["advice"],
        "rows": point["rows"],
        "decides": point["mark"] != "open" or verdict == "Unknown",
    }


def percent(fraction: float) -> str:
    """Return a fraction in [0, 1] in percent, with one decimal."""
    return f"{100 * fraction:.1f} %"


# --- As a page ------------------------------------------------------------------------------------

#: Width of the picture, height of a bar with its gap, and where bars begin.
WIDTH, STEP, LEFT, RIGHT = 640, 34, 150, 90
SIDE = 240
PLAIN, MARKED, CURVE = "#0072B2", "#B04A84", "#B65000"
HEADINGS: dict[Mark, str] = {
    "leak": "What leaks",
    "error": "What is broken",
    "open": "What is open",
    "warning": "What to look at",
}


def to_html(*cards: Card) -> str:
    """Return cards as one standalone page; every text from outside is escaped."""
    first = cards[0]
    return page.page(f"{first.word}: {_names(first)}", "<hr>".join(map(body_of, cards)))


def _names(card: Card) -> str:
    return ", ".join(name for name, _ in card.files)


def body_of(card: Card, more: Sequence[Figure] = (), command: str = "") -> str:
    """Return what a page shows of a card, with ``more`` figures and another ``command``."""
    passed = "; ".join(finding.title for finding in card.marked("ok"))
    read = [*((name, f"SHA-256 {sha}") for name, sha in card.files), *card.read_as]
    repeat = f'<p class="note">To repeat: {escape(command or card.command)}</p>'
    return "".join(
        (
            page.verdict_of(card.word, card.sentence, f"{card.kind} {_names(card)}"),
            page.key((f.label, f.value, f.note) for f in (*card.figures, *more)),
            to_svg(card.picture) if card.picture and not more else "",
            *(
                page.section(
                    heading, page.listed(_shown(f) for f in card.findings if f.mark == mark)
                )
                for mark, heading in HEADINGS.items()
            ),
            page.section("What found nothing", f"<p>{escape(passed)}.</p>" if passed else ""),
            page.section("What was read", page.table(read), repeat),
        )
    )


def _shown(finding: Finding) -> str:
    rows = ", ".join(f"{row:,}" for row in finding.rows)
    first = f' <span class="note">First rows: {rows}.</span>' if rows else ""
    return page.said(finding.title, finding.sentence, finding.advice) + first


# --- The picture as SVG ---------------------------------------------------------------------------


def to_svg(picture: Picture) -> str:
    """Return the picture as SVG; its letters have the colour of the text around it."""
    drawn, width, height = _curve(picture) if picture.curve else _bars(picture.bars)
    alt = escape(picture.alt, quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{alt}" width="100%" style="max-width:{width}px" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="currentColor">{drawn}</svg>'
    )


def _bars(bars: tuple[Bar, ...]) -> tuple[str, int, int]:
    room = WIDTH - LEFT - RIGHT
    scale = room / max(1e-12, *(bar.whole for bar in bars))
    parts = []
    for k, bar in enumerate(bars):
        y, whole, marked = 6 + k * STEP, bar.whole * scale, bar.marked * scale
        parts.append(
            f'<text x="{LEFT - 10}" y="{y + 16}" text-anchor="end">{escape(bar.label)}</text>'
            f'<rect x="{LEFT}" y="{y}" width="{whole:.1f}" height="22" rx="2" fill="{PLAIN}" '
            f'opacity="0.75"/>'
            f'<rect x="{LEFT}" y="{y}" width="{marked:.1f}" height="22" rx="2" fill="{MARKED}"/>'
            f'<text x="{LEFT + whole + 8:.1f}" y="{y + 16}">{escape(bar.value)}</text>'
        )
    return "".join(parts), WIDTH, 10 + STEP * len(bars)


def _curve(picture: Picture) -> tuple[str, int, int]:
    left, top = 60, 12

    def at(u: float, s: float) -> tuple[float, float]:
        return left + u * SIDE, top + (1 - s) * SIDE

    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in picture.curve))
    parts = [
        f'<rect x="{left}" y="{top}" width="{SIDE}" height="{SIDE}" fill="none" '
        f'stroke="currentColor" opacity="0.3"/>',
        f'<polyline points="{line}" fill="none" stroke="{CURVE}" stroke-width="2.5"/>',
        f'<text x="{left + SIDE / 2}" y="{top + SIDE + 34}" text-anchor="middle">unseen accuracy'
        "</text>",
        f'<text x="14" y="{top + SIDE / 2}" text-anchor="middle" '
        f'transform="rotate(-90 14 {top + SIDE / 2})">seen accuracy</text>',
    ]
    for k in (0, 0.5, 1):
        x, y = at(k, k)
        parts.append(f'<text x="{x}" y="{top + SIDE + 16}" text-anchor="middle">{k:.0%}</text>')
        parts.append(f'<text x="{left - 6}" y="{y + 4}" text-anchor="end">{k:.0%}</text>')
    for n, (label, u, s) in enumerate(picture.points):
        x, y = at(u, s)
        row = top + 24 + 26 * n
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{PLAIN if n else MARKED}" '
            f'stroke="currentColor"/><circle cx="{left + SIDE + 28}" cy="{row - 4}" r="5" '
            f'fill="{PLAIN if n else MARKED}" stroke="currentColor"/>'
            f'<text x="{left + SIDE + 40}" y="{row}">{escape(label)}</text>'
        )
    return "".join(parts), WIDTH, top + SIDE + 44
