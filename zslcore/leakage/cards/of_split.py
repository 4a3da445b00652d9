"""The card of a split: what the audit found, in the words of a verdict."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import pandas as pd

from zslcore.datasets.base import part_digest
from zslcore.datasets.titles import title
from zslcore.interactive.numbers import signed
from zslcore.leakage.cards.card import (
    KNOWN_CLASSES,
    MARK_OF,
    UNKNOWN,
    Card,
    Figure,
    Mark,
    Point,
    Verdict,
    classes_known,
    worst_first,
)
from zslcore.leakage.cards.picture import Bar, Picture
from zslcore.leakage.context import PARTS, UNREAD, AuditContext
from zslcore.leakage.known import published_as
from zslcore.leakage.leaks import BY_ROW, leaking_rows, leaks_by_part
from zslcore.leakage.overlap import certain_and_possible
from zslcore.leakage.report import AuditReport, Finding, Severity
from zslcore.leakage.vocabularies import Vocabulary
from zslcore.leakage.words import counted, listed, without_options
from zslcore.storage.files import FACTS

#: Checks of the split itself. The others ask how results on it were made and chosen.
OF_SPLIT = frozenset(
    ("ZSL001", "ZSL002", "ZSL003", "ZSL004", "ZSL005", "ZSL006", "ZSL010", "ZSL012")
)
WORDNET_ID = re.compile(r"n[0-9]{8}")
#: Rows of a finding that a card names.
MOST_ROWS = 5


def card_of_split(
    context: AuditContext,
    report: AuditReport,
    files: Sequence[tuple[str, str]] = (),
    *,
    assumed: bool = False,
) -> Card:
    """Return the card of a split.

    Parameters
    ----------
    context : the split
    report : of its audit
    files : (name, SHA-256) of the files that it was read from
    assumed : whether the pre-training set is an assumption instead of a declaration
    """
    verdict = _verdict(report)
    points = [_point(f, report.titles[f.id], context) for f in report.findings]
    return Card(
        kind="split" + (f" {report.split}" if report.split else ""),
        files=tuple(files),
        verdict=verdict,
        sentence=_sentence(report, verdict, assumed),
        figures=(
            _rows_leaked(context, report),
            _classes_known(context, report, assumed),
            _points_gained(context, report),
        ),
        points=worst_first(points),
        picture=_picture(context, report),
        read_as=_read_as(context, report, assumed),
    )


def card_of_classes(
    names: Sequence[str],
    files: Sequence[tuple[str, str]],
    vocabularies: Sequence[Vocabulary],
    *,
    assumed: bool = False,
) -> Card:
    """Return the card of a list of test classes without rows.

    Parameters
    ----------
    names : of the classes
    files : (name, SHA-256) of the file
    vocabularies : what the feature extractor was trained on
    assumed : whether that is an assumption
    """
    where = " and ".join(v.name for v in vocabularies)
    ids = sum(bool(WORDNET_ID.fullmatch(name)) for name in names)
    if 2 * ids > len(names):
        return _classes_card(files, None, len(names), where, assumed)
    known, _ = certain_and_possible(names, vocabularies, names)
    return _classes_card(files, sorted({*known}), len(names), where, assumed)


def _classes_card(
    files: Sequence[tuple[str, str]], known: list[str] | None, n: int, where: str, assumed: bool
) -> Card:
    """Return the card of ``n`` listed classes; ``known`` is None where they are no names."""
    if known is None:
        text = "The list has WordNet ids in place of names, which are not compared."
    elif known:
        count = f"{len(known)} of {counted(n, 'listed class', 'listed classes')}"
        text = f"{count} are in {where} ({listed(known)}): a leak if they are test classes."
    else:
        text = f"None of {counted(n, 'listed class', 'listed classes')} is certain in {where}."
    value = "" if known is None else f"{len(known)} of {n}"
    mark: Mark = "open" if known is None else "warning" if known else "ok"
    rows = "A list of classes has no rows of a split."
    return Card(
        "list of classes",
        tuple(files),
        "Questionable" if known else "Unknown",
        f"{text} {rows}",
        (
            Figure("rows leaked", UNKNOWN, "needs the split file"),
            classes_known(value, where + ", assumed" * assumed),
            Figure("points gained in H", UNKNOWN, "no result"),
        ),
        (
            Point(mark, KNOWN_CLASSES, text),
            Point("open", "Rows of the split", rows, "Check the split file, too."),
        ),
        read_as=(("extractor trained on", where + " (assumed)" * assumed),),
    )


def _verdict(report: AuditReport) -> Verdict:
    """Return the worst that holds of the split itself; what was not checked is unknown."""
    found = {f.severity for f in report.findings if f.id in OF_SPLIT}
    if Severity.FAIL in {f.severity for f in report.findings}:
        return "Leaks"
    if found & {Severity.DID_NOT_RUN, Severity.UNKNOWN}:
        return "Unknown"
    return "Questionable" if Severity.WARN in found else "Clean"


def _sentence(report: AuditReport, verdict: Verdict, assumed: bool) -> str:
    by = {s: [f for f in report.findings if f.severity is s and f.id in OF_SPLIT] for s in Severity}
    if verdict == "Leaks":
        worst = [f for f in report.findings if f.severity is Severity.FAIL]
        message = without_options(worst[0].message)
        if worst[0].id == "ZSL006" and assumed:
            message = f"For features of an extractor trained on ImageNet-1K: {message}"
        more = len(worst) - 1
        return f"{message} {counted(more, 'more leak')} below." if more else message
    if verdict == "Unknown":
        open_ = by[Severity.DID_NOT_RUN] + by[Severity.UNKNOWN]
        titles = ", ".join(dict.fromkeys(report.titles[f.id].lower() for f in open_))
        return f"No leak was found, but these could not be checked: {titles}."
    if verdict == "Questionable":
        return without_options(by[Severity.WARN][0].message)
    return "No row, image, photograph or class of the test is in the training data."


def _point(finding: Finding, title: str, context: AuditContext) -> Point:
    first = 0 if context.name.endswith(".json") else 1
    return Point(
        MARK_OF.get(finding.severity, "ok"),
        title,
        without_options(finding.message),
        without_options(finding.advice),
        tuple(int(row) + first for row in finding.rows[:MOST_ROWS]),
    )


def _rows_leaked(context: AuditContext, report: AuditReport) -> Figure:
    rows = leaking_rows(report)
    compared = context.features is not None
    note = f"of {context.n_rows:,} images" if context.n_rows else ""
    if not compared:
        note += f"{', ' if note else ''}by row number; images not compared"
    label = "rows to look at" if len(rows) and not _fails_by_row(report) else "rows leaked"
    return Figure(label, f"{len(rows):,}", note)


def _classes_known(context: AuditContext, report: AuditReport, assumed: bool) -> Figure:
    names = [vocabulary.name for vocabulary in context.vocabularies]
    findings = report.of("ZSL006")
    if not names or context.unseen_classes is None or any(
        f.severity in (Severity.DID_NOT_RUN, Severity.UNKNOWN) for f in findings
    ):  # fmt: skip
        return classes_known()
    known = {c for f in findings if f.severity is Severity.FAIL for c in f.classes}
    related = {c for f in findings if f.severity is Severity.WARN for c in f.classes} - known
    note = f"{', '.join(names)}{', assumed' if assumed else ''}"
    note += f"; {len(related)} more related" if related else ""
    return classes_known(f"{len(known)} of {len(context.unseen_classes)}", note)


def _points_gained(context: AuditContext, report: AuditReport) -> Figure:
    """Return the measured gain of the leak: of PS v1, on the real features shipped here."""
    label = "points gained in H"
    published = published_as(context)
    if published and all(split.superseded for split in published):
        gained = gained_by_first_release(published[0].dataset)
        low, high = gained.trained
        least, most = gained.chosen
        note = (
            f"if trained on train + val; on trainval, as all six released codes that were read do, "
            f"{signed(least)} to {signed(most)}. Six methods on {title(gained.measured_on)}"
        )
        if gained.stands_in:
            note += f"; none measured on {published[0].dataset}"
        return Figure(label, f"{signed(low)} to {signed(high)}", note)
    if not len(leaking_rows(report)):
        return Figure(label, "none known", "no row leaks")
    return Figure(label, UNKNOWN, "zslcore leak-cost measures it on an imported data set")


@dataclass(frozen=True, slots=True)
class Gained:
    """Least and most H that PS v1 gained over methods, in fractions.

    Attributes
    ----------
    trained : trained on train_loc + val_loc, which hold the test rows of the seen classes
    chosen : trained on trainval_loc, with parameters and gamma chosen on its folds
    measured_on : features
    stands_in : whether these are features of another benchmark
    """

    trained: tuple[float, float]
    chosen: tuple[float, float]
    measured_on: str
    stands_in: bool


@cache
def gained_by_first_release(dataset: str) -> Gained:
    """Return what PS v1 gained on a benchmark; CUB's figures where it was not measured."""
    table = pd.read_csv(FACTS / "measured" / "leak_cost.csv", comment="#")
    benchmark = table["dataset"].str.partition("-")[0]
    measured = dataset in set(benchmark)
    rows = table[benchmark == (dataset if measured else "CUB")]
    gains = dict(iter(rows.groupby("leak")["difference"]))
    trained, chosen = (
        (float(gains[leak].min()), float(gains[leak].max())) for leak in ("training", "selection")
    )
    return Gained(trained, chosen, str(rows["dataset"].iloc[0]), not measured)


def _picture(context: AuditContext, report: AuditReport) -> Picture | None:
    table = leaks_by_part(context, report)
    if table.empty:
        return None
    columns = (table["part"], table["rows"].tolist(), table["leaking"].tolist())
    what = "leak" if _fails_by_row(report) else "to look at"
    bars = [
        Bar(str(part), rows, marked, f"{marked:,} of {rows:,} {what}" if marked else f"{rows:,}")
        for part, rows, marked in zip(*columns, strict=True)
    ]
    alt = f"Rows of every part of the split; {len(leaking_rows(report)):,} {what}."
    return Picture(alt, tuple(bars))


def _fails_by_row(report: AuditReport) -> bool:
    return any(f.id in BY_ROW and f.severity is Severity.FAIL for f in report.findings)


def _read_as(
    context: AuditContext, report: AuditReport, assumed: bool
) -> tuple[tuple[str, str], ...]:
    published = " or ".join(map(str, published_as(context))) or "none that is known"
    names = ", ".join(v.name for v in context.vocabularies) or "not declared"
    values = {
        "published split": published,
        "extractor trained on": f"{names}{' (assumed)' if assumed else ''}",
        "class of every image": _source(context),
        "features": "compared" if context.features is not None else "not given",
        "checked with": f"zslcore {report.provenance.get('zslcore', '')}",
        "checked on": str(report.provenance.get("created", "")),
    }
    if "read as" in context.facts:
        values["rows"] = str(context.facts["read as"])
    others = [*context.other_lists, *filter(None, [context.facts.get(UNREAD)])]
    if others:
        values["in the file, no part of the split"] = ", ".join(others)
    parts = {
        f"{part} rows, digest": part_digest(context.parts[part])
        for part in PARTS
        if part in context.parts
    }
    return tuple((values | parts).items())


def _source(context: AuditContext) -> str:
    if context.labels is None:
        return "not known"
    return str(context.facts.get("labels", context.facts.get("answered from facts", "given")))
