"""The review of a submission: split, pre-training and scores in one report, verdict first.

Audit, contamination map and protocols are asked; each statement has the command that repeats it.
The report as one page is written by :mod:`zslcore.scores.review_page`.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import pandas as pd

from zslcore.interactive.seen_unseen import SeenUnseen, interactive_curve
from zslcore.leakage import contamination
from zslcore.leakage.cards import (
    KNOWN_CLASSES,
    STATUS,
    Card,
    Figure,
    Mark,
    Point,
    Verdict,
    point_of,
    verdict_on,
    worst,
    worst_first,
)
from zslcore.leakage.context import AuditContext, Provenance
from zslcore.leakage.engine import audit_context
from zslcore.leakage.loading import context_of, vocabulary_of
from zslcore.leakage.published import AGREES, published_as
from zslcore.leakage.report import AuditReport, Finding
from zslcore.leakage.split_card import card_of_split
from zslcore.leakage.vocabularies import VOCABULARY_NAMES, Vocabulary
from zslcore.scores.card import card_of_scores
from zslcore.scores.joined import Printed, points_on
from zslcore.scores.judging import ScoreReport
from zslcore.scores.protocols import NO_GAMMA
from zslcore.storage.artifacts import scratch, sha256
from zslcore.storage.files import path_of
from zslcore.texts import clean_text

WIDTH, INDENT = 96, 8

#: The word of every mark in a review.
MARK_WORDS: Mapping[Mark, str] = {
    "leak": "leak",
    "warning": "note",
    "open": "open",
    "ok": "passed",
}
#: An absolute path of any system, as it may stand in a sentence.
_PATH = re.compile(r"(?<![\w<])(?:[A-Za-z]:\\|/)(?:[\w.+~-]+[/\\])+[\w.+~-]*")
#: State of the contamination map -> mark.
_OVERLAP: Mapping[contamination.State, Mark] = {
    "overlap": "leak",
    "possible": "warning",
    "unknown": "open",
    "none": "ok",
}
#: Checks of the audit that are about the pre-training.
_OF_PRETRAINING = ("ZSL006", "ZSL007")
SPLIT, OVERLAP, RESULT = "Audit of the split", "Overlap with the pre-training", "Result"
ZERO_SHOT = "Zero-shot with this extractor"

# --- The report -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Section:
    """Points on one question; each has the command that repeats it."""

    title: str
    statements: tuple[Point, ...]

    def of(self, *marks: Mark) -> tuple[Point, ...]:
        """Return the statements with these marks, worst first."""
        return worst_first(each for each in self.statements if each.mark in marks)


@dataclass(frozen=True, slots=True, eq=False)
class Review:
    """What a reviewer reads of a submission.

    ``verdict`` is the worst of split, pre-training and scores, ``sentence`` its reason. ``table``
    has every protocol, see :func:`zslcore.scores.protocols.side_by_side`; ``caution`` says what
    intervals cover over few classes, ``gamma`` what is known of gamma. ``files`` are (role, name,
    name in a blind review, SHA-256). ``status`` of the command line: 0 clean or questionable, 1 a
    leak, 3 unknown.
    """

    verdict: Verdict
    sentence: str
    figures: tuple[Figure, ...]
    sections: tuple[Section, ...]
    table: pd.DataFrame | None
    caution: str
    gamma: str
    curve: SeenUnseen | None
    files: tuple[tuple[str, str, str, str], ...]
    command: str
    blind: bool = False
    status: int = field(default=0)

    @property
    def commands(self) -> tuple[str, ...]:
        """Every command of the review, that of itself first."""
        said = [each.command for section in self.sections for each in section.statements]
        return tuple(dict.fromkeys([self.command, *said]))

    @property
    def not_stated(self) -> tuple[Point, ...]:
        """What the files leave open, in all sections."""
        return tuple(each for section in self.sections for each in section.of("open"))

    def without(self, names: Mapping[str, str]) -> Review:
        """Return the review with names and paths replaced by their roles, in every text."""

        def said(text: str) -> str:
            return scrubbed(text, names)

        curve = self.curve and replace(
            self.curve,
            alt=said(self.curve.alt),
            lines=[replace(line, name=said(line.name)) for line in self.curve.lines],
        )
        return replace(
            self,
            sentence=said(self.sentence),
            figures=tuple(Figure(f.label, said(f.value), said(f.note)) for f in self.figures),
            sections=tuple(
                Section(one.title, tuple(_scrubbed(each, names) for each in one.statements))
                for one in self.sections
            ),
            gamma=said(self.gamma),
            curve=curve,
            files=tuple((role, shown, shown, sha) for role, _, shown, sha in self.files),
            command=said(self.command),
            blind=True,
        )


def _scrubbed(point: Point, names: Mapping[str, str]) -> Point:
    return replace(
        point,
        title=scrubbed(point.title, names),
        text=scrubbed(point.text, names),
        advice=scrubbed(point.advice, names),
        command=scrubbed(point.command, names),
    )


def scrubbed(text: str, names: Mapping[str, str]) -> str:
    """Return a text with names replaced by their roles, and without any path that is left.

    Examples
    --------
    >>> scrubbed("/home/ann/x.npz: a file of /data/ann/run 7.", {"/home/ann/x.npz": "scores.npz"})
    'scores.npz: a file of (path) 7.'
    """
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, names[name])
    return _PATH.sub("(path)", text)


# --- What is reviewed -----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What the authors state of their result; empty or "unknown" where they do not.

    ``extractor`` is one of the contamination map, whatever its case and hyphens; ``pretraining``
    names classes or text files that an extractor of their own was trained on.
    """

    extractor: str = ""
    pretraining: tuple[str, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)

    @cached_property
    def found(self) -> contamination.Extractor | None:
        """The extractor in the map; None where none is named."""
        return contamination.find_extractor(self.extractor) if self.extractor else None

    @property
    def vocabularies(self) -> tuple[str, ...]:
        """Lists of classes that the extractor was trained on, as far as there are lists."""
        there = [n for n in (self.found.pretraining if self.found else ()) if n in VOCABULARY_NAMES]
        return (*there, *self.pretraining)

    def options(self) -> list[str]:
        """Return the options of the audit that state it."""
        words = [word for name in self.vocabularies for word in ("--pretraining", name)]
        return words + self.provenance.options()


@dataclass(frozen=True, kw_only=True)
class Submission:
    """The files of a submission; None where only scores, or only a split, are reviewed.

    ``labels`` and ``features`` are of the split's images, where they do not lie next to it;
    ``stated`` are further files by what they hold, as "labels of the scores"; ``scores`` and
    ``validation`` are the files of ``report``, read with ``score_options`` of ``zslcore score``;
    ``blind`` numbers the lists of pre-training classes.
    """

    split: Path | None = None
    labels: Path | None = None
    features: Path | None = None
    report: ScoreReport | None = None
    scores: Path | None = None
    validation: tuple[Path, ...] = ()
    score_options: tuple[str, ...] = ()
    stated: tuple[tuple[str, Path], ...] = ()
    declared: Declared = field(default_factory=Declared)
    printed: tuple[Printed, ...] = ()
    blind: bool = False

    @property
    def lists(self) -> tuple[Vocabulary, ...]:
        """The lists of classes that the extractor was trained on."""
        own = {str(path): role for role, path in self.stated}
        lists = ((vocabulary_of(name), own.get(name, "")) for name in self.declared.vocabularies)
        return tuple(replace(v, name=role) if self.blind and role else v for v, role in lists)

    def roles(self) -> Iterator[tuple[str, str, Path]]:
        """Yield the role of every file, the name that it has in a blind review, and its path."""
        for role in ("split", "labels", "features", "scores"):
            if (path := getattr(self, role)) is not None:
                yield role, f"{role}{path.suffix.lower()}", path
        for k, path in enumerate(self.validation, 1):
            yield f"validation {k}", f"validation_{k}{path.suffix.lower()}", path
        for role, path in self.stated:
            yield role, f"{role.replace(' ', '_')}{path.suffix.lower()}", path

    def found(self, role: str, path: Path) -> Path:
        """Return where a file lies: labels and features also next to the split."""
        near = role in ("labels", "features") and self.split is not None
        return path_of(path, self.split.parent) if near and self.split else path

    def names(self) -> dict[str, str]:
        """Return what a blind review replaces -> what stands there instead."""
        found = {}
        for _, shown, path in self.roles():
            for text in (str(path), str(path.absolute()), str(path.resolve()), path.name):
                found[text] = shown
                found[clean_text(text)] = shown
                found[shlex.quote(text)] = shown
        return found

    # --- Commands that repeat what is stated ------------------------------------------------------

    @property
    def audit_command(self) -> str:
        """The command that prints the findings of the split."""
        words = ["zslcore", "check", str(self.split), "--format", "text"]
        for option in ("labels", "features"):
            if (path := getattr(self, option)) is not None:
                words += [f"--{option}", str(path)]
        return shlex.join([*words, *self.declared.options()])

    @property
    def score_command(self) -> str:
        """The command that prints the figures."""
        words = ["zslcore", "score", str(self.scores), *self.score_options]
        if self.validation:
            words += ["--validation", *map(str, self.validation)]
        return shlex.join([*words, "--intervals"])

    def command(self, *, blind: bool) -> str:
        """Return the command that repeats the review."""
        words = ["zslcore", "review"]
        for option in ("split", "labels", "features", "scores"):
            if (path := getattr(self, option)) is not None:
                words += [f"--{'split-' * (option == 'labels')}{option}", str(path)]
        words += list(self.score_options)
        words += ["--validation", *map(str, self.validation)] if self.validation else []
        said = self.declared
        words += ["--extractor", said.extractor] if said.extractor else []
        printed = ", ".join(f"{each.name} {each.text}" for each in self.printed)
        words += ["--printed", printed] if printed else []
        own = replace(said, extractor="").options()
        return shlex.join([*words, *own, *(["--blind"] if blind else [])])


# --- Building it ----------------------------------------------------------------------------------


def review(of: Submission, *, blind: bool = False) -> Review:
    """Return the review of a submission; ``blind`` leaves names of files and paths out.

    Raises a FileRefusedError, DatasetError or UnknownNameError when the split cannot be read, or
    the extractor is not in the map.
    """
    of = replace(of, blind=blind)
    with scratch() as folder:
        found = _Reviewer(of, _context(of, folder), of.command(blind=blind)).review()
    return found.without(of.names()) if blind else found


def _context(of: Submission, folder: Path) -> AuditContext | None:
    if of.split is None:
        return None
    return context_of(
        of.split,
        into=folder,
        labels=None if of.labels is None else of.found("labels", of.labels),
        features=None if of.features is None else of.found("features", of.features),
        vocabularies=of.lists,
        provenance=of.declared.provenance,
    )


@dataclass(frozen=True, eq=False)
class _Reviewer:
    """A submission, its split as it was read, and the command that repeats the review."""

    of: Submission
    context: AuditContext | None
    command: str

    @cached_property
    def audited(self) -> AuditReport | None:
        """The audit of the split."""
        return None if self.context is None else audit_context(self.context)

    @cached_property
    def split_card(self) -> Card | None:
        """The card of the split."""
        if self.context is None or self.audited is None:
            return None
        return card_of_split(self.context, self.audited)

    @cached_property
    def score_card(self) -> Card | None:
        """The card of the scores."""
        report = self.of.report
        return None if report is None else card_of_scores(report, (), self.of.lists)

    def review(self) -> Review:
        """Return the report; its verdict is the worst of its sections."""
        of, judged = self.of, list(self._sections())
        verdict = worst([each for _, each, _ in judged])
        report = of.report
        return Review(
            verdict=verdict,
            sentence=next(reason for _, each, reason in judged if each == verdict),
            figures=tuple(self._figures()),
            sections=tuple(section for section, _, _ in judged),
            table=None if report is None else report.table(with_intervals=True),
            caution="" if report is None else report.caution,
            gamma="" if report is None else _gamma(report).text,
            curve=_curve(report),
            files=tuple(
                (role, path.name, shown, sha256(of.found(role, path)))
                for role, shown, path in of.roles()
            ),
            command=self.command,
            status=STATUS[verdict],
        )

    def _sections(self) -> Iterator[tuple[Section, Verdict, str]]:
        """Yield every section with its verdict and the sentence that gives the reason."""
        card, report = self.split_card, self.of.report
        if card is not None:
            yield Section(SPLIT, tuple(self._of_split())), card.verdict, card.sentence
        found = {OVERLAP: list(self._of_pretraining()) or [self._not_stated()]}
        if report is not None:
            gamma = _gamma(report, self.of.score_command)
            found[RESULT] = [gamma, *self._of_scores(report)]
        for title, statements in found.items():
            verdict = verdict_on(statements)
            reason = next(each.text for each in statements if each.verdict == verdict)
            yield Section(title, tuple(statements)), verdict, reason

    def _figures(self) -> Iterator[Figure]:
        """Yield the figures of the split, of the pre-training and of the scores."""
        split, scores = self.split_card, self.score_card
        if split is not None:
            leaked, known, gained = split.figures
            yield from (leaked, known, *([gained] if gained.value.startswith("+") else []))
        if scores is not None:
            yield from scores.figures[1 if split is None else 2 :]

    # --- Split and pre-training -------------------------------------------------------------------

    def _of_split(self) -> Iterator[Point]:
        for each in self.audited.findings if self.audited else ():
            if each.id not in _OF_PRETRAINING:
                point = self._of_finding(each)
                # The title, which stands in front of the sentence, is not said again.
                title = f": {point.title[:1].lower()}{point.title[1:]}."
                yield replace(point, text=point.text.replace(title, "."))

    def _of_finding(self, finding: Finding) -> Point:
        assert self.audited is not None  # which the finding is of
        point = point_of(finding, self.audited.titles[finding.id])
        return replace(point, command=self.of.audit_command)

    def _of_pretraining(self) -> Iterator[Point]:
        """Yield the statements on the extractor and on lists of its classes."""
        declared = self.of.declared
        if declared.found is not None:
            yield self._of_extractor(declared.found)
        if declared.pretraining or (declared.found is None and declared.vocabularies):
            yield from self._of_lists()

    def _not_stated(self) -> Point:
        text = "What the feature extractor was trained on is not stated."
        ask = "Ask the authors, and give its name with --extractor."
        return Point("open", ZERO_SHOT, text, ask, command=self.command)

    def _of_extractor(self, extractor: contamination.Extractor) -> Point:
        """State whether an extractor of the map knew the test classes."""
        tested, command = _tested(self.of.report, self.context), self.command
        if tested is None:
            text = f"The names of the test classes are not in the files: what {extractor.name} "
            return Point("open", ZERO_SHOT, f"{text}knew of them is unknown.", command=command)
        answer = contamination.answer(tested, extractor)
        if tested in contamination.test_sets():
            words = ["contamination", "--on", str(tested), "--extractor", extractor.name]
            command = shlex.join(["zslcore", *words])
        text = f"{answer.verdict}. {answer.sentence}"
        return Point(_OVERLAP[answer.state], ZERO_SHOT, text, answer.advice, command=command)

    def _of_lists(self) -> Iterator[Point]:
        """State what lists of pre-training classes hold, of the split or else of the scores."""
        if self.audited is not None:
            yield from map(self._of_finding, self.audited.of("ZSL006"))
        elif self.score_card is not None:
            for point in self.score_card.points:
                if point.title == KNOWN_CLASSES:
                    yield replace(point, command=self.command)

    # --- Scores -----------------------------------------------------------------------------------

    def _of_scores(self, report: ScoreReport) -> Iterator[Point]:
        """Yield what a reader of the scores should know, and their figures without leaks."""
        for remark in report.matrix.remarks:
            mark: Mark = "ok" if remark == AGREES else "warning"
            yield Point(mark, "The file of scores", remark, command=self.of.score_command)
        for point in points_on(report, self.context, self.audited, self.of.printed):
            yield replace(point, command=self.command)
        if self.of.split is None:
            yield Point(
                "open",
                "Images of the scores",
                "Which images the model was trained on cannot be read from scores.",
                "Ask the authors for the split file that they trained with.",
                command=self.command,
            )


def _tested(
    report: ScoreReport | None, context: AuditContext | None
) -> contamination.TestSet | None:
    """Return the test classes, of the benchmark that is recognised or by their names."""
    published = published_as(context) if context is not None else ()
    if published:
        split = "SS" if published[0].name.startswith("SS") else "PS"
        return contamination.find_test_set(f"{published[0].dataset}, {split}")
    if report is not None and report.matrix.benchmark:
        return contamination.find_test_set(f"{report.matrix.benchmark}, {report.matrix.split}")
    names = _unseen_names(report, context)
    return contamination.own_test_set("the test set", names) if names else None


def _unseen_names(report: ScoreReport | None, context: AuditContext | None) -> list[str]:
    if context is not None and context.class_names and context.unseen_classes is not None:
        return [context.class_names[c] for c in context.unseen_classes]
    if report is None:
        return []
    m = report.matrix
    names = [name for name, seen in zip(m.class_names, m.seen, strict=True) if not seen]
    return [] if all(name.lstrip("-").isdigit() for name in names) else names


def _gamma(report: ScoreReport, command: str = "") -> Point:
    """State which gamma counts and how it was found."""
    title, ask = "Gamma", "Ask the authors for scores of validation images and classes."
    if not report.matrix.tested.generalized:
        text = "There are no images of seen classes: ZSL accuracy needs no gamma."
        return Point("ok", title, text, command=command)
    if report.gamma is None:
        return Point("open", title, f"{NO_GAMMA}.".replace("γ", "gamma"), ask, command=command)
    if report.origin == "oracle":
        advice = "Read H at this gamma as a bound; ask for gamma chosen on validation images."
        return Point("leak", title, report.note, advice, command=command, means="Oracle")
    text = f"{report.gamma:.3g}, {report.how}"
    stated = report.origin == "validated" and report.checked
    advice = "" if stated else report.note if report.origin == "validated" else ask
    mark: Mark = "ok" if stated else "open"
    return Point(mark, title, f"Chosen gamma: {text}.", advice, command=command)


def _curve(report: ScoreReport | None) -> SeenUnseen | None:
    if report is None or not report.matrix.tested.has_curve:
        return None
    m = report.matrix
    return interactive_curve([report.line()], m.tested, m.class_names, tell=False)


# --- As text --------------------------------------------------------------------------------------


def to_text(review: Review) -> str:
    """Return a review as lines; figures are those of the command ``zslcore score``."""
    lines = [review.verdict.upper(), "", *textwrap.wrap(review.sentence, WIDTH), ""]
    for figure in review.figures:
        note = f"  ({figure.note})" if figure.note else ""
        lines.append(f"  {figure.label}: {figure.value}{note}")
    for section in review.sections:
        lines += ["", section.title]
        for point in section.of("leak", "warning", "open", "ok"):
            lines += _lines(point)
    lines += ["", "What was read"]
    lines += [f"  {role}: {name}, SHA-256 {sha}" for role, name, _, sha in review.files]
    lines += ["", "Commands that repeat it", *(f"  {line}" for line in review.commands)]
    return "\n".join(lines) + "\n"


def _lines(point: Point) -> list[str]:
    first, rest = f"{MARK_WORDS[point.mark].upper():<{INDENT}}", " " * INDENT
    said = f"{point.title}. {point.text}"
    found = textwrap.wrap(said, WIDTH, initial_indent=first, subsequent_indent=rest)
    if point.advice:
        said = f"-> {point.advice}"
        found += textwrap.wrap(said, WIDTH, initial_indent=rest, subsequent_indent=rest)
    return found
