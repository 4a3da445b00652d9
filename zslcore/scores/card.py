"""Card of a score matrix or of predictions: metrics and findings.

A score matrix does not show the training rows, so its card is never "Clean". Predictions name their
data and split; if both are available, rows, labels and gamma are compared with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from zslcore.datasets import ZSLDataset, load
from zslcore.datasets.imports import pretraining_of
from zslcore.evaluation.verification import State
from zslcore.exceptions import ZSLError
from zslcore.leakage.contamination import metric_of_trained_classes
from zslcore.leakage.counts import find_trained_classes, leaking_rows
from zslcore.leakage.engine import audit_context
from zslcore.leakage.loading import context_of
from zslcore.leakage.report import (
    KNOWN_CLASSES,
    TRAINED_ON,
    TRAINING_ROWS,
    UNKNOWN,
    Finding,
    Picture,
    Report,
    ReportMetric,
    trained_classes,
    without_options,
    worst_first,
)
from zslcore.leakage.vocabularies import USUAL, VOCABULARY_NAMES, Vocabulary, get_vocabulary
from zslcore.names import are_numbers
from zslcore.numbers import counted, percent
from zslcore.scores.judging import ScoreReport, judge_predicted
from zslcore.scores.matrix import Scores
from zslcore.scores.predicted import PredictedScores

#: Number of points of a curve in the picture.
CURVE_POINTS = 160
#: Title of the finding on the choice of gamma.
GAMMA = "Choice of γ"
VERSIONS = (
    "Version 1 and version 2.0 of the proposed split have the same test images; a model that was "
    "trained on train_loc and val_loc of version 1 had every test image of the seen classes in "
    "training."
)
#: Title of the finding on scores masked by the true side of each image, and its advice.
MASKED = "Masked by the true side"
SIDES_ADVICE = "Score every image among all classes for GZSL."


def card_of_scores(
    report: ScoreReport,
    files: Sequence[tuple[str, str]],
    vocabularies: Sequence[Vocabulary] = (),
    *,
    assumed: bool = False,
    leaked: int | None = None,
) -> Report:
    """Return the card of a score matrix or of predictions.

    ``files`` are pairs of a name and a SHA-256; ``assumed`` is True if the pre-training
    ``vocabularies`` were not declared; ``leaked`` is the number of leaking rows of the split that
    predictions name, or None if the split is not available.
    """
    on_rows, rows = _finding_on_rows(leaked, report.matrix.split)
    on_classes, classes = _finding_on_classes(report.matrix, vocabularies, assumed)
    findings = _findings(report, on_rows, on_classes)
    predicted = isinstance(report.matrix, PredictedScores)
    return Report(
        subject=report.matrix.name,
        split="",
        findings=findings,
        read_as=_read_as(report, vocabularies, assumed),
        kind="predictions" if predicted else "score matrix",
        files=tuple(files),
        reason=_sentence(report, findings[0]),
        metrics=(rows, classes, _headline_metric(report)),
        picture=_picture(report),
    )


def card_of_predictions(
    predicted: PredictedScores,
    files: Sequence[tuple[str, str]],
    vocabularies: Sequence[Vocabulary] = (),
    *,
    load: Callable[[str], ZSLDataset] = load,
) -> Report:
    """Return the card of predictions, with the leaking rows of the split that they name.

    By default, ``vocabularies`` are the pre-training sets that the data set declares. ``load``
    opens a data set by its name; if it raises a ZSLError, the card is made without the data.
    """
    leaked, declared = _leaks_in_data(predicted, load)
    assumed = not vocabularies and not declared
    trained_on = vocabularies or [get_vocabulary(name) for name in declared or (USUAL,)]
    return card_of_scores(
        judge_predicted(predicted), files, trained_on, assumed=assumed, leaked=leaked
    )


def _leaks_in_data(
    predicted: PredictedScores, load: Callable[[str], ZSLDataset]
) -> tuple[int | None, tuple[str, ...]]:
    """Return the number of leaking rows of the named split, and the declared pre-training sets.

    They are None and () if the data that the predictions name are not available.
    """
    provenance = predicted.predictions.provenance
    if not provenance.digest:
        return None, ()
    with suppress(ZSLError):
        dataset = load(provenance.dataset).require_digest(provenance.digest)
        context = context_of(dataset, split=provenance.split)
        rows = leaking_rows(context, audit_context(replace(context, features=None)))
        return len(rows), tuple(n for n in pretraining_of(dataset) if n in VOCABULARY_NAMES)
    return None, ()


def card_of_question(name: str, question: str, files: Sequence[tuple[str, str]]) -> Report:
    """Return the card of scores that cannot be evaluated until a question is answered."""
    none = ReportMetric("H", UNKNOWN, "not computed")
    advice = "Answer this question under Scores, or with --unseen or --fix."
    return Report(
        subject=name,
        split="",
        findings=(Finding("Meaning of the file", "open", question, advice),),
        kind="score matrix",
        files=tuple(files),
        reason=f"{name} can be read in more than one way: {question.removeprefix(f'{name}: ')}",
        metrics=(
            ReportMetric(TRAINED_ON, UNKNOWN),
            ReportMetric(KNOWN_CLASSES.lower(), UNKNOWN),
            none,
        ),
    )


def _sentence(report: ScoreReport, worst: Finding) -> str:
    test_set = (
        f" on {report.matrix.benchmark} {report.matrix.split}" if report.matrix.benchmark else ""
    )
    if worst.mark in ("leak", "error"):
        return worst.sentence
    if report.matrix.predicted_rows.limits == "sides given":
        return report.headline
    metric = _headline_metric(report)
    reached = f"{metric.label} {metric.value}{test_set} ({metric.note})"
    if worst.mark == "open":
        return f"{reached}; {worst.sentence[0].lower() + worst.sentence[1:]}"
    agreed = "rows, labels and γ agree with the data"
    return f"{reached}; {agreed}, and no test class is in the pre-training set."


def _findings(report: ScoreReport, *data_findings: Finding) -> tuple[Finding, ...]:
    """Return the findings on data, claims and gamma, worst first."""
    matrix = report.matrix
    predicted = matrix if isinstance(matrix, PredictedScores) else None
    reasons = predicted.reasons if predicted else ()
    findings = [Finding("A statement in the file", "error", reason) for reason in reasons]
    if matrix.predicted_rows.limits == "sides given":
        findings.append(Finding(MASKED, "open", report.headline, SIDES_ADVICE))
    if report.origin == "oracle":
        text = "γ was chosen on the test images: H at this γ is an upper bound (oracle)."
        findings.append(Finding(GAMMA, "leak", text, "Choose γ on validation images."))
    findings += data_findings
    if report.gamma is None and report.evaluation.plain is not None:
        text = "No γ is stated: H is uncalibrated."
        findings.append(Finding(GAMMA, "ok", text))
    elif report.origin == "given" or not report.checked:
        text = "How γ was chosen is unknown."
        findings.append(Finding(GAMMA, "open", text, "Add validation scores."))
    verified = predicted is not None and predicted.state is State.VERIFIED
    remarks = () if verified else [text for text in matrix.remarks if not text.startswith(MASKED)]
    findings += [Finding("Content of the file", "warning", text) for text in remarks]
    if predicted and not verified and not reasons:
        text = "Some rows and labels could not be compared with the data."
        findings.append(Finding("Rows and labels", "open", text))
    return worst_first(findings)


def _finding_on_rows(leaked: int | None, split: str) -> tuple[Finding, ReportMetric]:
    """Return the finding on training rows, and its metric on the card."""
    title, label = TRAINING_ROWS, TRAINED_ON
    if leaked is None:
        text = "This file does not show which images the model was trained on."
        advice = "Check the split file of its training."
        advice += f" {VERSIONS}" if split == "PS" else ""
        metric = ReportMetric(label, UNKNOWN, "scores do not show the training rows")
        return Finding(title, "open", text, advice), metric
    metric = ReportMetric(label, f"{leaked:,}", "of the split named in the file")
    if leaked:
        text = (
            f"{counted(leaked, 'test row')} of the split {'leaks' if leaked == 1 else 'leak'}: "
            f"{'it or its class is' if leaked == 1 else 'they or their classes are'} in training."
        )
        return Finding(title, "leak", text, "Use a split without these rows."), metric
    return Finding(title, "ok", "No row of the split is in both training and test."), metric


def _finding_on_classes(
    matrix: Scores, vocabularies: Sequence[Vocabulary], assumed: bool
) -> tuple[Finding, ReportMetric]:
    """Return the finding on unseen classes in the pre-training set, and its metric on the card."""
    named = not are_numbers(matrix.class_names)
    untrained = bool(vocabularies) and not any(v.entries for v in vocabularies)
    if not vocabularies or not (named or untrained):
        text = "The file does not name its classes, or the pre-training set is unknown."
        return Finding(KNOWN_CLASSES, "open", text), trained_classes()
    names = [matrix.class_names[c] for c in np.unique(matrix.y[~matrix.seen[matrix.y]])]
    finding = find_trained_classes(names, vocabularies, matrix.class_names, is_assumed=assumed)
    finding = replace(finding, advice=without_options(finding.advice))
    sets = [vocabulary.name for vocabulary in vocabularies]
    return finding, metric_of_trained_classes(finding, sets, is_assumed=assumed)


def _headline_metric(report: ScoreReport) -> ReportMetric:
    """Return H and AUSUC, or the main metric of scores that do not determine H."""
    e = report.evaluation
    if report.matrix.predicted_rows.limits == "sides given":
        separate = percent(report.metrics["separate_harmonic"] or 0.0)
        return ReportMetric(
            "H in separate label spaces",
            separate,
            "not H of GZSL: the true side of each image was given",
        )
    if report.matrix.predicted_rows.limits and e.plain is None and report.matrix.seen.any():
        unseen = percent(report.metrics["plain_unseen"] or 0.0)
        return ReportMetric(
            "u", unseen, "from predicted classes, without seen images; mean over classes"
        )
    if e.plain is None:
        return ReportMetric(
            "ZSL accuracy", percent(e.zsl), "unseen images alone, mean over classes"
        )
    if report.reportable_gamma is not None and e.calibrated is not None:
        h, how = e.calibrated.harmonic, f"gamma {report.reportable_gamma:.3g}, {report.how}"
    else:
        h, how = e.plain.harmonic, "uncalibrated"
    if report.matrix.predicted_rows.limits:
        return ReportMetric(
            "H", percent(h), "from predicted classes, so gamma is 0; mean over classes"
        )
    ausuc = UNKNOWN if e.ausuc is None else percent(e.ausuc)
    return ReportMetric("H", f"{percent(h)}, AUSUC {ausuc}", f"{how}, mean over classes")


def _picture(report: ScoreReport) -> Picture | None:
    if report.evaluation.plain is None or not report.matrix.predicted_rows.has_curve:
        return None
    curve, plain = report.matrix.predicted_rows.curve.thinned(CURVE_POINTS), report.evaluation.plain
    points = [(f"uncalibrated, H {percent(plain.harmonic)}", plain.unseen, plain.seen)]
    at = report.evaluation.calibrated
    if report.reportable_gamma is not None and at is not None:
        points.append((f"{report.origin}, H {percent(at.harmonic)}", at.unseen, at.seen))
    pairs = zip(curve.unseen.tolist(), curve.seen.tolist(), strict=True)
    alt = (
        f"Seen accuracy against unseen accuracy for every gamma; {'; '.join(p[0] for p in points)}."
    )
    return Picture(alt, curve=tuple(pairs), points=tuple(points))


def _read_as(
    report: ScoreReport, vocabularies: Sequence[Vocabulary], assumed: bool
) -> dict[str, str]:
    m = report.matrix
    names = ", ".join(v.title for v in vocabularies) or "not declared"
    return {
        "images, classes": f"{len(m.y):,}, {counted(len(m.seen), 'class', 'classes')}",
        "test images of": f"{m.benchmark} {m.split}".strip() or "no published split",
        "extractor trained on": f"{names} (assumed)" if assumed else names,
        "scores, digest": m.digest,
    }
