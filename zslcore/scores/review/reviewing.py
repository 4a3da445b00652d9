"""Ask the audit, the contamination map and the protocols about one submission."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path

from zslcore.interactive.curves import interactive_curve
from zslcore.interactive.seen_unseen import SeenUnseen
from zslcore.leakage import contamination
from zslcore.leakage.cards import Figure, Point, Verdict, card_of_split
from zslcore.leakage.cards.card import (
    KNOWN_CLASSES,
    STATUS,
    VERDICT_OF,
    Mark,
    point_of,
    verdict_on,
    worst,
)
from zslcore.leakage.context import AuditContext, Provenance
from zslcore.leakage.engine import audit_context
from zslcore.leakage.loading import context_of, vocabulary_of
from zslcore.leakage.predicted import AGREES
from zslcore.leakage.published import published_as
from zslcore.leakage.report import AuditReport, Finding
from zslcore.leakage.vocabularies import VOCABULARY_NAMES, Vocabulary
from zslcore.scores.card import card_of_scores
from zslcore.scores.joined import FITS, Printed, points_on
from zslcore.scores.judging import ScoreReport
from zslcore.scores.protocols import NO_GAMMA
from zslcore.scores.review.stating import Review, Section
from zslcore.storage.artifacts import scratch, sha256
from zslcore.storage.files import path_of
from zslcore.texts import clean_text

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
        for each in fields(Provenance):
            value = getattr(self.provenance, each.name)
            option = "--prototypes-from" if each.name == "prototypes" else f"--{each.name}-on"
            words += [option, value] if value != "unknown" else []
        return words


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


def review(of: Submission, *, blind: bool = False) -> Review:
    """Return the review of a submission; ``blind`` leaves names of files and paths out.

    Raises a FileRefusedError, DatasetError or UnknownNameError when the split cannot be read, or
    the extractor is not in the map.
    """
    of = replace(of, blind=blind)
    with scratch() as folder:
        context = _context(of, folder)
        audited = None if context is None else audit_context(context)
        found = _found(of, context, audited, of.command(blind=blind))
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


def _found(
    of: Submission, context: AuditContext | None, audited: AuditReport | None, command: str
) -> Review:
    judged = list(_judged(of, context, audited, command))
    verdict = worst([each for _, each, _ in judged])
    sections = tuple(section for section, _, _ in judged)
    return Review(
        verdict=verdict,
        sentence=next(said for _, each, said in judged if each == verdict),
        figures=_figures(of, context, audited),
        sections=sections,
        table=None if of.report is None else of.report.table(with_intervals=True),
        caution="" if of.report is None else of.report.caution,
        gamma="" if of.report is None else _gamma(of.report).text,
        curve=_curve(of.report),
        files=tuple(
            (role, path.name, shown, sha256(of.found(role, path)))
            for role, shown, path in of.roles()
        ),
        command=command,
        status=STATUS[verdict],
    )


def _judged(
    of: Submission, context: AuditContext | None, audited: AuditReport | None, command: str
) -> Iterator[tuple[Section, Verdict, str]]:
    """Yield every section with its verdict and the sentence that gives the reason."""
    if context is not None and audited is not None:
        card = card_of_split(context, audited)
        yield Section(SPLIT, tuple(_of_split(of, audited))), card.verdict, card.sentence
    statements, verdict = _overlap(of, context, audited, command)
    reason = next(each.text for each in statements if VERDICT_OF[each.mark] == verdict)
    yield Section(OVERLAP, tuple(statements)), verdict, reason
    if of.report is not None:
        of_scores = _of_scores(of, context, audited, command)
        statements = [_gamma(of.report, of.score_command), *of_scores]
        verdict = worst([_of_result(each) for each in statements])
        first = next(each for each in statements if _of_result(each) == verdict)
        yield Section(RESULT, tuple(statements)), verdict, first.text


def _of_split(of: Submission, audited: AuditReport) -> Iterator[Point]:
    for each in audited.findings:
        if each.id not in _OF_PRETRAINING:
            point = _of_finding(each, audited, of)
            yield replace(point, text=_without(point.title, point.text))


def _of_finding(finding: Finding, audited: AuditReport, of: Submission) -> Point:
    return replace(point_of(finding, audited.titles[finding.id]), command=of.audit_command)


def _without(title: str, text: str) -> str:
    """Return a sentence without what its title, which stands in front of it, already says."""
    return text.replace(f": {title[:1].lower()}{title[1:]}.", ".")


# --- Pre-training ---------------------------------------------------------------------------------


def _overlap(
    of: Submission, context: AuditContext | None, audited: AuditReport | None, command: str
) -> tuple[list[Point], Verdict]:
    """Return the statements on the extractor and on lists of its classes, and their verdict."""
    extractor, title = of.declared.found, "Zero-shot with this extractor"
    statements = []
    if extractor is not None:
        statements.append(_of_extractor(extractor, title, _tested(of.report, context), command))
    if of.declared.pretraining or (extractor is None and of.declared.vocabularies):
        statements += _of_lists(of, audited, command)
    if not statements:
        text = "What the feature extractor was trained on is not stated."
        ask = "Ask the authors, and give its name with --extractor."
        statements.append(Point("open", title, text, ask, command=command))
    return statements, verdict_on(statements)


def _of_extractor(
    extractor: contamination.Extractor,
    title: str,
    tested: contamination.TestSet | None,
    command: str,
) -> Point:
    """State whether an extractor of the map knew the test classes."""
    if tested is None:
        text = f"The names of the test classes are not in the files: what {extractor.name} knew "
        return Point("open", title, f"{text}of them is unknown.", command=command)
    answer = contamination.answer(tested, extractor)
    words = ["zslcore", "contamination", "--on", str(tested), "--extractor", extractor.name]
    repeat = shlex.join(words) if tested in contamination.test_sets() else command
    text = f"{answer.verdict}. {answer.sentence}"
    return Point(_OVERLAP[answer.state], title, text, answer.advice, command=repeat)


def _of_lists(of: Submission, audited: AuditReport | None, command: str) -> Iterator[Point]:
    """State what lists of pre-training classes hold, of the split or else of the scores."""
    if audited is not None:
        yield from (_of_finding(each, audited, of) for each in audited.of("ZSL006"))
    elif of.report is not None:
        for point in card_of_scores(of.report, (), of.lists).points:
            if point.title == KNOWN_CLASSES:
                yield replace(point, command=command)


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


# --- Scores ---------------------------------------------------------------------------------------


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
        return Point("leak", title, report.note, advice, command=command)
    text = f"{report.gamma:.3g}, {report.how}"
    stated = report.origin == "validated" and report.checked
    advice = "" if stated else report.note if report.origin == "validated" else ask
    mark: Mark = "ok" if stated else "open"
    return Point(mark, title, f"Chosen gamma: {text}.", advice, command=command)


def _of_scores(
    of: Submission, context: AuditContext | None, audited: AuditReport | None, command: str
) -> Iterator[Point]:
    """Yield what a reader of the scores should know, and what is left of them without leaks."""
    report = of.report
    assert report is not None  # asked by the caller
    for remark in report.matrix.remarks:
        mark: Mark = "ok" if remark == AGREES else "warning"
        yield Point(mark, "The file of scores", remark, command=of.score_command)
    for point in points_on(report, context, audited, of.printed):
        yield replace(point, command=command)
    if of.split is None:
        yield Point(
            "open",
            "Images of the scores",
            "Which images the model was trained on cannot be read from scores.",
            "Ask the authors for the split file that they trained with.",
            command=command,
        )


def _of_result(statement: Point) -> Verdict:
    """Return what a statement on the scores makes of the result."""
    if statement.mark != "leak":
        return VERDICT_OF[statement.mark]
    contradicts = statement.title == FITS or statement.text.startswith("Not reproduced")
    return "Contradicted" if contradicts else "Oracle"


def _figures(
    of: Submission, context: AuditContext | None, audited: AuditReport | None
) -> tuple[Figure, ...]:
    """Return the figures of the split, of the pre-training and of the scores."""
    found: list[Figure] = []
    if context is not None and audited is not None:
        leaked, known, gained = card_of_split(context, audited).figures
        found += [leaked, known, *([gained] if gained.value.startswith("+") else [])]
    if of.report is not None:
        figures = card_of_scores(of.report, (), of.lists).figures
        found += figures[2:] if found else figures[1:]
    return tuple(found)


def _curve(report: ScoreReport | None) -> SeenUnseen | None:
    if report is None or not report.matrix.tested.has_curve:
        return None
    m = report.matrix
    return interactive_curve([report.line()], m.tested, m.class_names, tell=False)
