"""Joint card of a split and the scores of its test images: H without leaking rows.

Scores are matched with rows of the split by the class of every image, for several orders of the
test rows: test_seen or test_unseen first, each as listed or sorted, and all rows sorted together.
Predictions contain their row numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from zslcore.exceptions import ParameterError
from zslcore.leakage.context import AuditContext
from zslcore.leakage.counts import leaking_rows
from zslcore.leakage.engine import audit_context
from zslcore.leakage.published import find_published_splits
from zslcore.leakage.report import (
    KNOWN_CLASSES,
    TRAINED_ON,
    TRAINING_ROWS,
    UNKNOWN,
    Finding,
    Mark,
    Report,
    ReportMetric,
    verdict_of,
    worst_first,
)
from zslcore.leakage.split_card import OF_TRAINED_CLASSES, card_of_split
from zslcore.metrics import BestClasses, harmonic_mean, mean_class_accuracy
from zslcore.names import positions_of
from zslcore.numbers import counted, percent
from zslcore.scores.explain import compare_readings, readings_of
from zslcore.scores.judging import ScoreReport
from zslcore.scores.matrix import Scores
from zslcore.scores.predicted import PredictedScores
from zslcore.scores.printed import LINES_OF_METRIC, PrintedMetric
from zslcore.scores.protocols import ORACLE

#: Kind of a joint card.
JOINT = "split and scores"
#: Titles of the findings on the match of scores and split, and on metrics without leaking rows.
MATCH_TITLE, WITHOUT_LEAKS_TITLE = "Scores and split", "Metrics without leaking images"


@dataclass(frozen=True, eq=False)
class ScoreMatch:
    """Match of scores with a split.

    ``state`` is "rows" if the row of every image is known, "counts" if only the numbers of images
    per class agree, "other" for scores of other images, and "open" if undecided. ``rows`` are
    0-based; ``classes`` has the class of every column, numbered as in the split.
    """

    state: str
    sentence: str
    rows: np.ndarray | None = None
    classes: np.ndarray | None = None


def match_scores(matrix: Scores, context: AuditContext) -> ScoreMatch:
    """Match scores with the test rows of a split."""
    labels = context.labels
    if labels is None:
        sentence = "The classes of the rows of the split are unknown: add its labels."
        return ScoreMatch("open", sentence)
    seen, unseen = (
        np.asarray(context.parts.get(part, ()), np.intp) for part in ("test_seen", "test_unseen")
    )
    seen, unseen = (rows[(rows >= 0) & (rows < len(labels))] for rows in (seen, unseen))
    if not matrix.seen[matrix.y].any():
        seen = seen[:0]
    tested = np.concatenate([seen, unseen])
    if len(matrix.y) == len(tested) and (match := _match_rows(matrix, context, seen, unseen)):
        return match
    n_classes = len(np.unique(labels[tested]))
    return ScoreMatch("other", _other_images(matrix, context, len(tested), n_classes))


def _match_rows(
    matrix: Scores, context: AuditContext, seen: np.ndarray, unseen: np.ndarray
) -> ScoreMatch | None:
    """Match scores with the same number of test rows: by row, by order, or by class counts."""
    assert context.labels is not None
    classes, labels, tested = _columns(matrix, context), context.labels, np.append(seen, unseen)
    y = matrix.y if classes is None else classes[matrix.y]
    numbered = _row_numbers(matrix, tested)
    orders = [tested, np.append(unseen, seen), np.sort(tested)]
    orders += [np.append(*map(np.sort, pair)) for pair in ((seen, unseen), (unseen, seen))]
    how = f"The classes of the {len(y):,} images are those of the test rows, in order."
    if numbered is not None:
        orders, how = [numbered], "The row numbers in the file are the test rows of the split."
    fitting = [order for order in orders if np.array_equal(labels[order], y)]
    if len({order.tobytes() for order in fitting}) == 1:
        return ScoreMatch("rows", how, fitting[0], classes)
    if fitting:
        how = "The classes of the images fit more than one order of the test rows."
        return ScoreMatch("counts", how, None, classes)
    if np.array_equal(np.sort(labels[tested]), np.sort(y)):
        how = (
            "Each class has as many images as in the test rows of the split, but the images are in "
            "a different order."
        )
        return ScoreMatch("counts", how, None, classes)
    of_split, of_scores = (np.sort(np.unique_counts(c).counts) for c in (labels[tested], y))
    if np.array_equal(of_split, of_scores):
        how = (
            "The numbers of images per class are those of the split, but the classes are numbered "
            "in a different order."
        )
        return ScoreMatch("open", how)
    return None


def _columns(matrix: Scores, context: AuditContext) -> np.ndarray | None:
    """Return the class of every column by its name; None if names do not determine it."""
    positions = positions_of(matrix.class_names, context.class_names)
    is_whole = (
        len(positions) and positions.min() >= 0 and len(np.unique(positions)) == len(positions)
    )
    return positions if is_whole else None


def _row_numbers(matrix: Scores, tested: np.ndarray) -> np.ndarray | None:
    """Return the row numbers of predictions if they are the ``tested`` rows; else None."""
    if not isinstance(matrix, PredictedScores):
        return None
    if matrix.predictions.provenance.rows != "benchmark":
        return None
    rows = matrix.predictions.test.rows
    return rows if np.array_equal(np.sort(rows), np.sort(tested)) else None


def _other_images(matrix: Scores, context: AuditContext, n: int, classes: int) -> str:
    benchmark = f"{matrix.benchmark} {matrix.split}".strip()
    published = find_published_splits(context)
    split = str(published[0]) if published else "this split"
    part = "images"
    if published and benchmark:
        part = "split" if matrix.benchmark == published[0].dataset else "data set"
    elif matrix.seen[matrix.y].any() and len(matrix.seen) != len(
        np.unique(context.required_labels)
    ):
        part = "data set"
    scored = counted(len(np.unique(matrix.y)), "class", "classes")
    return (
        f"The scores belong to {'other images' if part == 'images' else f'another {part}'}: they "
        f"cover {f'{benchmark}, ' if benchmark else ''}{len(matrix.y):,} images of {scored}; "
        f"{split} tests {n:,} images of {classes:,}."
    )


@dataclass(frozen=True, eq=False)
class CheckedFile:
    """Checked file with its card."""

    card: Report


@dataclass(frozen=True, eq=False)
class CheckedSplit(CheckedFile):
    """Checked split with its card."""

    context: AuditContext
    audited: Report

    @classmethod
    def of(cls, context: AuditContext, files: Sequence[tuple[str, str]]) -> CheckedSplit:
        """Audit a split; see :func:`zslcore.leakage.split_card.card_of_split`."""
        audited = audit_context(context)
        card = card_of_split(context, audited, files)
        return cls(card, replace(context, features=None), audited)


@dataclass(frozen=True, eq=False)
class CheckedScores(CheckedFile):
    """Checked score matrix or predictions with its card."""

    report: ScoreReport


def joint_cards(
    files: Sequence[CheckedFile], printed: Sequence[PrintedMetric] = ()
) -> list[Report]:
    """Return the joint card of the split and each file of scores, then the card of each file.

    Joint cards require exactly one split. Without a split, the cards of scores include the findings
    on ``printed``. Raises ParameterError for printed metrics without scores.
    """
    splits = [file for file in files if isinstance(file, CheckedSplit)]
    scores = [file for file in files if isinstance(file, CheckedScores)]
    if printed and not scores:
        raise ParameterError("Printed metrics: expected scores or predictions as well; got none.")
    if len(splits) == 1:
        joined = [joint_card(splits[0], scores_file, printed) for scores_file in scores]
        return [*joined, *(file.card for file in files)]
    return [
        add_printed_metrics(file, printed)
        if printed and isinstance(file, CheckedScores)
        else file.card
        for file in files
    ]


def add_printed_metrics(scores: CheckedScores, printed: Sequence[PrintedMetric]) -> Report:
    """Return the card of scores with the findings on printed metrics."""
    card, on_printed = scores.card, [*_findings_on_printed(printed, scores.report)]
    text = " ".join(_with_title(finding) for finding in on_printed)
    findings = worst_first((*on_printed, *card.findings))
    return replace(card, reason=f"{text} {card.sentence}", findings=findings)


def _with_title(finding: Finding) -> str:
    return f"{finding.title}: {finding.sentence[0].lower()}{finding.sentence[1:]}"


# --- The card -------------------------------------------------------------------------------------


def joint_card(
    checked_split: CheckedSplit,
    checked_scores: CheckedScores,
    printed: Sequence[PrintedMetric] = (),
) -> Report:
    """Return one card for a split, the scores of its test images and printed metrics."""
    split, scores, report = checked_split.card, checked_scores.card, checked_scores.report
    match = match_scores(report.matrix, checked_split.context)
    without = _metrics_without_leaks(match, report, checked_split.context, checked_split.audited)
    findings = [*_findings_on_printed(printed, report), *_findings_on_match(match, without)]
    findings += [
        replace(finding, title=f"{subject}: {finding.title}")
        for subject, card in (("split", split), ("scores", scores))
        for finding in card.findings
        if not (subject == "scores" and _is_replaced(finding, split, match))
    ]
    ordered = worst_first(findings)
    return replace(
        scores,
        subject=f"{split.subject} and {scores.subject}",
        findings=ordered,
        read_as={**scores.read_as, **split.read_as},
        kind=JOINT,
        files=tuple(dict.fromkeys((*split.files, *scores.files))),
        reason=_sentence(ordered, split, without),
        metrics=_metrics(split, without, report),
        picture=split.picture or scores.picture,
    )


def _is_replaced(finding: Finding, split: Report, match: ScoreMatch) -> bool:
    """Whether findings on the split replace this finding on the scores."""
    if finding.check == TRAINING_ROWS:
        return match.state in ("rows", "counts")
    return finding.check == KNOWN_CLASSES and any(f.check == "ZSL006" for f in split.findings)


@dataclass(frozen=True, slots=True)
class MetricsWithoutLeaks:
    """u, s and H at one gamma, with all test rows and without leaking rows.

    If the rows are unknown, ``clean`` is None and ``leaked`` is -1. The metric of a side without
    images is None. ``also_in_trainval`` is False if no leaking row is in trainval, only in other
    training lists.
    """

    leaked: int
    tested: int
    gamma_text: str
    also_in_trainval: bool
    all_rows: tuple[float | None, float | None, float | None]
    clean: tuple[float | None, float | None, float | None] | None


def _metrics_without_leaks(
    match: ScoreMatch, report: ScoreReport, context: AuditContext, audited: Report
) -> MetricsWithoutLeaks | None:
    if match.state in ("other", "open") or report.matrix.predicted_rows.limits == "sides given":
        return None
    best_classes, gamma = report.matrix.predicted_rows.best_classes, report.reportable_gamma or 0.0
    gamma_text = f"gamma {gamma:.3g}" if report.reportable_gamma is not None else "uncalibrated"
    all_images = np.ones(len(best_classes.y), bool)
    all_rows = _metrics_at(best_classes, all_images, gamma)
    if match.rows is None:
        return MetricsWithoutLeaks(-1, len(best_classes.y), gamma_text, True, all_rows, None)
    leaks = leaking_rows(context, audited)
    listed_twice = np.concatenate([*(f.rows for f in audited.of("ZSL003")), np.empty(0, int)])
    in_trainval = bool(np.isin(leaks, context.rows("trainval")).any())
    # Leaking rows that are not listed twice are copies; their originals may be in trainval.
    in_trainval |= not np.isin(leaks, listed_twice).all()
    leaked = np.isin(match.rows, leaks)
    clean = _metrics_at(best_classes, ~leaked, gamma)
    return MetricsWithoutLeaks(
        int(leaked.sum()), len(leaked), gamma_text, in_trainval, all_rows, clean
    )


def metrics_without_leaks(
    report: ScoreReport, context: AuditContext, audited: Report
) -> dict[str, float] | None:
    """Return u, s and H without the test images that a split trains on.

    Metrics are at the chosen gamma, or at 0; metrics of a side without images are left out. Returns
    None if the scores are not of the test rows, or if no row leaks.
    """
    without = _metrics_without_leaks(match_scores(report.matrix, context), report, context, audited)
    if without is None or without.clean is None or not without.leaked:
        return None
    named = zip("usH", without.clean, strict=True)
    return {name: value for name, value in named if value is not None}


def _metrics_at(
    best_classes: BestClasses, keep: np.ndarray, gamma: float
) -> tuple[float | None, float | None, float | None]:
    """Return u, s and H of the images ``keep``; None for a side without images."""
    part = BestClasses(
        best_classes.y[keep],
        best_classes.of_seen[keep],
        best_classes.seen_class[keep],
        best_classes.unseen_class[keep],
        best_classes.margin[keep],
        best_classes.resolution,
    )
    if part.of_seen.any() and not part.of_seen.all():
        at = part.margins().curve().at(gamma)
        return at.unseen, at.seen, harmonic_mean(at.seen, at.unseen)
    side: list[float | None] = [None, None]
    predicted = part.at(gamma)
    if len(part.y):
        side[int(part.of_seen[0])] = mean_class_accuracy(part.y, predicted)
    return side[0], side[1], None


def _metrics_text(metrics: tuple[float | None, float | None, float | None]) -> str:
    named = zip("usH", metrics, strict=True)
    values = ", ".join(f"{name} {percent(value)}" for name, value in named if value is not None)
    sides = zip(("unseen", "seen"), metrics, strict=False)
    empty = " or ".join(side for side, value in sides if value is None)
    undefined = f"without {empty} images, H is undefined" if empty else ""
    return "; ".join(filter(None, (values, undefined)))


def _findings_on_match(match: ScoreMatch, without: MetricsWithoutLeaks | None) -> Iterator[Finding]:
    title = MATCH_TITLE
    marks: Mapping[str, Mark] = {"rows": "ok", "counts": "open", "other": "error", "open": "open"}
    advice = {
        "other": "Ask the authors which split these scores belong to.",
        "counts": "Ask for predictions with row numbers, or for scores in the order of the split.",
        "open": "Add the labels of the split, or scores with named columns.",
        "rows": "",
    }[match.state]
    yield Finding(title, marks[match.state], match.sentence, advice)
    if without is None or without.clean is None:
        return
    title = WITHOUT_LEAKS_TITLE
    if not without.leaked:
        text = f"No scored image leaks: {_metrics_text(without.all_rows)}, {without.gamma_text}."
        yield Finding(title, "ok", text)
        return
    text = (
        f"With all {without.tested:,} images, {_metrics_text(without.all_rows)}, "
        f"{without.gamma_text}; without the "
        f"{without.leaked:,} that leak{'s' * (without.leaked == 1)}, "
        f"{_metrics_text(without.clean)}."
    )
    if not without.also_in_trainval:
        text += " A model trained on trainval alone was trained on none of these images."
    yield Finding(
        title, "warning", text, "Report both metrics, or train again without these images."
    )


def _findings_on_printed(
    printed: Sequence[PrintedMetric], report: ScoreReport
) -> Iterator[Finding]:
    """Yield a finding for every printed metric, with the protocol that reproduces it, if any."""
    table = report.table().dropna(subset=["value"])
    columns = (table[name].astype(str) for name in ("protocol", "line", "average"))
    rows = list(zip(*columns, table["value"].astype(float), strict=True))
    for number in printed:
        candidates = [
            (protocol, average, value)
            for start, meaning in LINES_OF_METRIC[number.name]
            for protocol, line, average, value in rows
            if protocol.startswith(start) and line == meaning
        ]
        reproduced = [row for row in candidates if number.matches(row[2])]
        fair = [row for row in reproduced if row[0] != ORACLE]
        title = f"Printed {number.name} {number.text}"
        if not reproduced:
            actual = f"; the scores give {percent(candidates[0][2])}" if candidates else ""
            text = f"Not reproduced by any protocol{actual}."
            nearest = next(iter(compare_readings(number, [*readings_of([report])])), None)
            if nearest is not None and nearest.explains:
                text = f"{text} This reading reproduces it: {nearest.name}."
            elif nearest is not None:
                text = f"{text} The nearest reading is {percent(nearest.value)}: {nearest.name}."
            advice = "Ask the authors which images were scored, and how."
            yield Finding(title, "error", text.replace("γ", "gamma"), advice)
        elif not fair:
            text = "Reproduced only with gamma chosen on the test images (oracle): an upper bound."
            advice = "Ask for gamma chosen on validation images."
            yield Finding(title, "leak", text, advice)
        else:
            by_class = [row for row in fair if row[1] == "per class"]
            protocol, average, _ = (by_class or fair)[0]
            text = f"Reproduced by {protocol.lower()}, {average}.".replace("γ", "gamma")
            advice = "" if by_class else "Ask for the metric per class, as is usual."
            yield Finding(title, "ok" if by_class else "warning", text, advice)


def _sentence(
    findings: Sequence[Finding], split: Report, without: MetricsWithoutLeaks | None
) -> str:
    on_printed = [f for f in findings if f.check.startswith("Printed ")]
    metrics = next((f.sentence for f in findings if f.check == WITHOUT_LEAKS_TITLE), "")
    on_match = next(f for f in findings if f.check == MATCH_TITLE)
    if on_match.mark == "error":
        return on_match.sentence
    main = metrics
    if without is not None and without.leaked > 0:
        main = (
            f"{without.leaked:,} of {without.tested:,} scored images "
            f"leak{'s' * (without.leaked == 1)}. {metrics}"
        )
    elif verdict_of(findings) != "clean":
        of_scores = [
            f
            for f in findings
            if f.mark in ("leak", "error", "open")
            and f not in on_printed
            and not f.title.startswith("split: ")
        ]
        why = split.sentence
        if split.verdict == "clean" and of_scores:
            why = of_scores[0].sentence
        main = f"{metrics} {why}".strip()
    return " ".join([*map(_with_title, on_printed), main])


def _metrics(
    split: Report, without: MetricsWithoutLeaks | None, report: ScoreReport
) -> tuple[ReportMetric, ReportMetric, ReportMetric]:
    if without is None:
        masked = report.matrix.predicted_rows.limits == "sides given"
        why = "masked by the true side, not GZSL" if masked else "not of this split"
        h = ReportMetric("H as scored", UNKNOWN, why)
        return split.metrics[0], h, ReportMetric("H without leaking images", UNKNOWN, why)
    with_all = without.all_rows[2] if without.all_rows[2] is not None else without.all_rows[0]
    name = "H" if without.all_rows[2] is not None else "ZSL"
    scored = UNKNOWN if with_all is None else percent(with_all)
    note = f"{without.gamma_text}, mean over classes"
    if without.clean is None:
        clean = ReportMetric(
            f"{name} without leaking images", UNKNOWN, "rows of the scores are unknown"
        )
        leaked = split.metrics[0]
    else:
        metric = without.clean[2] if name == "H" else without.clean[0]
        value = "none left" if metric is None else percent(metric)
        clean = ReportMetric(
            f"{name} without leaking images", value, f"{_metrics_text(without.clean)}"
        )
        denominator = f"of {without.tested:,} scored images"
        label = (
            split.metrics[0].label if split.metrics[0].label == OF_TRAINED_CLASSES else TRAINED_ON
        )
        leaked = ReportMetric(label, f"{without.leaked:,}", denominator)
    return leaked, ReportMetric(f"{name} as scored", scored, note), clean
