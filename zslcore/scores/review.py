"""Review of a submission: the card of its files, every metric with intervals, and the curve.

A review combines the audit, the contamination map and the protocols; one command repeats it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

from zslcore.interactive.one_file import element, script_of
from zslcore.interactive.seen_unseen import COMPONENT, InteractiveCurve
from zslcore.leakage import contamination
from zslcore.leakage.context import AuditContext, DeclaredProvenance
from zslcore.leakage.loading import context_of, vocabulary_of
from zslcore.leakage.published import find_published_splits
from zslcore.leakage.render import body_of, page, read_report, template, to_json
from zslcore.leakage.report import Finding, Mark, Report, worst_first
from zslcore.leakage.vocabularies import VOCABULARY_NAMES, Vocabulary
from zslcore.names import are_numbers
from zslcore.scores.card import card_of_scores
from zslcore.scores.joined import CheckedScores, CheckedSplit, joint_cards
from zslcore.scores.judging import ScoreReport
from zslcore.scores.printed import PrintedMetric
from zslcore.storage.artifacts import scratch
from zslcore.storage.files import path_of
from zslcore.texts import clean_text
from zslcore.untrusted.client import sha256_of_file

ZERO_SHOT = "Zero-shot with this extractor"
#: State of the contamination map -> mark.
_MARKS: Mapping[contamination.OverlapState, Mark] = {
    "overlap": "leak",
    "possible": "warning",
    "unknown": "open",
    "none": "ok",
}
#: Pattern of an absolute path (Windows or POSIX) within a sentence.
_PATH = re.compile(r"(?<![\w<])(?:[A-Za-z]:\\|/)(?:[\w.+~-]+[/\\])+[\w.+~-]*")
STYLE = """
thead th, tbody th.protocol { font-weight: 600; }
td { font-variant-numeric: tabular-nums; } td small { display: block; }
"""
AVERAGES = ("per class", "per image")


@dataclass(frozen=True, kw_only=True)
class Submission:
    """Submission for a review: a split, scores, or both.

    ``files`` are all files read, by their roles, which replace names in a blind review: "split",
    "labels" and "features" of the split, "scores", "validation_1" and so on. ``extractor`` is an
    extractor of the contamination map; otherwise ``pretraining`` has names of vocabularies, or of
    text files that list classes. ``command`` repeats the review.
    """

    files: Mapping[str, Path] = field(default_factory=dict)
    report: ScoreReport | None = None
    extractor: str = ""
    pretraining: tuple[str, ...] = ()
    provenance: DeclaredProvenance = field(default_factory=DeclaredProvenance)
    printed: tuple[PrintedMetric, ...] = ()
    command: str = ""

    @property
    def vocabularies(self) -> tuple[Vocabulary, ...]:
        """Class lists of the extractor's pre-training sets; sets without a list are left out."""
        extractor = contamination.find_extractor(self.extractor) if self.extractor else None
        listed = [n for n in (extractor.pretraining if extractor else ()) if n in VOCABULARY_NAMES]
        return tuple(map(vocabulary_of, (*listed, *self.pretraining)))


def review(submission: Submission, *, blind: bool = False) -> tuple[Report, ScoreReport | None]:
    """Return the report on a submission, and the report of its scores.

    ``blind`` replaces names of files and paths by roles. Raises FileRefusedError, DatasetError or
    UnknownNameError if the split cannot be read, or if the extractor is not in the map, and
    ParameterError for printed metrics without scores.
    """
    with scratch() as folder:
        split, scores = _check_split(submission, folder), _check_scores(submission)
        card = joint_cards([*filter(None, (split, scores))], submission.printed)[0]
        if submission.extractor:
            context = split.context if split else None
            card = _with_finding(card, _finding_on_extractor(submission, context))
    metrics = (*card.metrics, *(split.card.metrics[1:] if split and scores else ()))
    # No picture, since the page has the full curve.
    card = replace(card, metrics=metrics, picture=None, command=submission.command)
    return _blind(card, submission) if blind else (card, submission.report)


def _check_split(submission: Submission, folder: Path) -> CheckedSplit | None:
    if "split" not in submission.files:
        return None
    path = submission.files["split"]
    near = {role: file for role, file in submission.files.items() if role in ("labels", "features")}
    sources: dict[str, Any] = {role: path_of(file, path.parent) for role, file in near.items()}
    context = context_of(
        path,
        into=folder,
        vocabularies=submission.vocabularies,
        provenance=submission.provenance,
        **sources,
    )
    return CheckedSplit.of(context, _files(submission, "split", "labels", "features"))


def _check_scores(submission: Submission) -> CheckedScores | None:
    if submission.report is None:
        return None
    names = [role for role in submission.files if role not in ("split", "labels", "features")]
    card = card_of_scores(submission.report, _files(submission, *names), submission.vocabularies)
    return CheckedScores(card, submission.report)


def _files(submission: Submission, *roles: str) -> list[tuple[str, str]]:
    near = submission.files["split"].parent if "split" in submission.files else Path()
    return [
        (submission.files[role].name, sha256_of_file(path_of(submission.files[role], near)))
        for role in roles
        if role in submission.files
    ]


def _with_finding(card: Report, finding: Finding) -> Report:
    with_finding = replace(card, findings=worst_first((finding, *card.findings)))
    changed = with_finding.verdict != card.verdict
    return replace(with_finding, reason=finding.sentence) if changed else with_finding


def _finding_on_extractor(submission: Submission, context: AuditContext | None) -> Finding:
    """Return the finding on whether an extractor of the map was trained on the test classes."""
    extractor, tested = (
        contamination.find_extractor(submission.extractor),
        _test_classes(submission.report, context),
    )
    if tested is None:
        text = (
            f"The files do not name the test classes: whether {extractor.name} was trained on them "
        )
        return Finding(ZERO_SHOT, "open", f"{text}is unknown.")
    answer = contamination.answer(tested, extractor)
    text = f"{answer.verdict}. {answer.sentence}"
    return Finding(ZERO_SHOT, _MARKS[answer.state], text, answer.advice)


def _test_classes(
    report: ScoreReport | None, context: AuditContext | None
) -> contamination.TestSet | None:
    """Return the test classes, from the recognised benchmark or by their names."""
    if context is not None and (published := find_published_splits(context)):
        split = "SS" if published[0].name.startswith("SS") else "PS"
        return contamination.find_test_set(f"{published[0].dataset}, {split}")
    if report is not None and report.matrix.benchmark:
        return contamination.find_test_set(f"{report.matrix.benchmark}, {report.matrix.split}")
    names: Sequence[str] = ()
    if context is not None and context.class_names and context.unseen_classes is not None:
        names = [context.class_names[c] for c in context.unseen_classes]
    elif report is not None:
        m = report.matrix
        names = [name for name, seen in zip(m.class_names, m.seen, strict=True) if not seen]
    is_named = names and not are_numbers(names)
    return contamination.own_test_set("the test set", names) if is_named else None


# --- Blind ----------------------------------------------------------------------------------------


def scrub_names(text: str, names: Mapping[str, str]) -> str:
    """Replace names in a text by their roles, and remove all other paths.

    Examples
    --------
    >>> scrub_names("/home/ann/x.npz: from /data/ann/run 7", {"/home/ann/x.npz": "scores.npz"})
    'scores.npz: from (path) 7'
    """
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, names[name])
    return _PATH.sub("(path)", text)


def _blind(card: Report, submission: Submission) -> tuple[Report, ScoreReport | None]:
    names = {}
    for role, path in submission.files.items():
        new_name = f"{role}{path.suffix.lower()}"
        for name in (str(path), str(path.absolute()), str(path.resolve()), path.name):
            names[name] = names[json.dumps(name)[1:-1]] = names[clean_text(name)] = new_name
        if role.startswith("pretraining"):
            names[clean_text(path.stem)] = role  # a class list has the name of its file
    report = submission.report
    if report is not None:
        new_name = names.get(report.matrix.name, "scores")
        report = replace(report, matrix=replace(report.matrix, name=new_name))
    return read_report(scrub_names(to_json(card), names).encode(), "card"), report


# --- As a page ------------------------------------------------------------------------------------


def review_html(card: Report, report: ScoreReport | None) -> str:
    """Return a review as a standalone page; all text from input is escaped."""
    curve = None
    if report is not None and report.matrix.predicted_rows.has_curve:
        m = report.matrix
        curve = InteractiveCurve(
            [report.line()], m.predicted_rows, m.class_names, sends_value=False
        )
    body = [body_of(card), "" if report is None else _metrics(report)]
    if curve:
        body.append(f"<h2>Curve</h2><p>{escape(curve.alt)}</p>{element(COMPONENT)}")
    return page(
        f"Review: {card.word}",
        "\n".join(body),
        style=STYLE + (COMPONENT.css if curve else ""),
        script=script_of(COMPONENT, curve.packed()) if curve else "",
    )


def _metrics(report: ScoreReport) -> str:
    """Return a table of every metric with its intervals, in percent, by protocol."""
    protocols = []
    for protocol, rows in report.table(with_intervals=True).groupby("protocol", sort=False):
        with_values = rows.dropna(subset=["value"])
        reason = "" if len(with_values) else rows["reason"].iloc[0]
        lines: dict[str, dict[str, Any]] = (
            {line: {} for line in rows["line"]} if len(with_values) else {}
        )
        for row in with_values.to_dict("records"):
            lines[row["line"]].setdefault(row["average"], row)
        protocols.append((protocol, lines, reason))
    return template(Path(__file__).with_name("metrics.html")).render(
        protocols=protocols, averages=AVERAGES, caution=report.caution
    )
