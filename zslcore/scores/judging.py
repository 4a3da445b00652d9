"""Metrics of a score matrix, and the origin of its gamma."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from zslcore.evaluation.predicted_tests import (
    WITHOUT_CURVE,
    Evaluation,
    FoldPredictions,
    GammaOrigin,
    evaluate,
    origin_in_words,
)
from zslcore.evaluation.predictions import Predictions, Provenance
from zslcore.exceptions import DatasetError
from zslcore.metrics import OperatingPoint
from zslcore.metrics.significance import caution
from zslcore.numbers import percent
from zslcore.scores import protocols
from zslcore.scores.matrix import Scores
from zslcore.scores.predicted import PredictedScores
from zslcore.scores.protocols import WORDS, Words
from zslcore.scores.validation import choose_gamma_on
from zslcore.texts import expect, listed, strict_json
from zslcore.version import commit, version

if TYPE_CHECKING:
    import pandas as pd

    from zslcore.interactive.seen_unseen import CurveLine


#: Width of a line of text, in characters.
LETTERS = 100
#: Values of k of the top-k accuracies.
TOP = (1, 2, 5, 10)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreReport:
    """Metrics of scores, with the origin of gamma.

    Attributes
    ----------
    matrix : Scores
    gamma, origin : gamma of calibrated stacking, and how it was chosen; None without calibration
    evaluation : Evaluation at gamma; uncalibrated if gamma is None
    oracle : point with the largest H on these test images, an upper bound; None without a curve
    top_k : k -> accuracy of unseen images among unseen classes
    note : sentences on the choice of gamma
    checked : False if a gamma declared as validated could not be checked
    validation : scores on which gamma was chosen, one file per fold
    """

    matrix: Scores
    gamma: float | None
    origin: GammaOrigin | None
    evaluation: Evaluation
    oracle: OperatingPoint | None
    top_k: Mapping[int, float]
    note: str = ""
    checked: bool = True
    validation: tuple[Scores, ...] = ()

    @property
    def nbytes(self) -> int:
        """Memory of the predictions in bytes, without the scores."""
        m = self.matrix
        rows = m.predictions if isinstance(m, PredictedScores) else m.predicted_rows
        return rows.nbytes + sum(scores.predicted_rows.nbytes for scores in self.validation)

    @property
    def reportable_gamma(self) -> float | None:
        """Gamma; None without a gamma, or if it was chosen on test data."""
        return None if self.origin == "oracle" else self.gamma

    @property
    def how(self) -> str:
        """Origin of gamma in words."""
        return origin_in_words(self.origin, "" if self.checked else "the validation file")

    @cached_property
    def metrics(self) -> Mapping[str, float | None]:
        """Values of all metrics of the registry; None if the predictions do not determine one."""
        return protocols.metrics_of_test(self.matrix.predicted_rows, self.reportable_gamma)

    @cached_property
    def reasons(self) -> Mapping[str, str]:
        """Reasons for metrics that are None, see :func:`zslcore.scores.protocols.reasons_of`."""
        why = f"γ {self.gamma:.3g}, {self.how}" if self.gamma is not None else protocols.NO_GAMMA
        return protocols.reasons_of(self.matrix.predicted_rows, self.reportable_gamma, why)

    @cached_property
    def intervals(self) -> pd.DataFrame:
        """Intervals of the metrics, see :func:`zslcore.scores.protocols.intervals_of`."""
        names = [name for name, value in self.metrics.items() if value is not None]
        return protocols.intervals_of(self.matrix.predicted_rows, names, self.reportable_gamma)

    def table(
        self, words: Words = WORDS["seen-unseen"], *, with_intervals: bool = False
    ) -> pd.DataFrame:
        """Return the metrics by protocol, see :func:`.protocols.table_of_protocols`."""
        intervals = self.intervals if with_intervals else None
        return protocols.table_of_protocols(self.metrics, self.reasons, words, intervals)

    def line(self, look: str = "harmonic") -> CurveLine:
        """Return the curve and its gamma as a line of a figure."""
        from zslcore.interactive.seen_unseen import line_of

        m, gamma = self.matrix, self.reportable_gamma
        return line_of(m.name, m.predicted_rows.curve, look, gamma, gamma or 0.0, self.origin)

    def page(
        self,
        title: str = "",
        more_reports: Sequence[ScoreReport] = (),
        words: Words = WORDS["seen-unseen"],
    ) -> str:
        """Return the interactive curve, with the prediction of each test image, as one HTML file.

        ``title`` is by default the name of the file; the curves of up to four ``more_reports`` are
        drawn for comparison. Raises DatasetError without a curve, or for too many curves.
        """
        from zslcore.interactive.seen_unseen import GHOSTS, InteractiveCurve

        n, most = 1 + len(more_reports), 1 + len(GHOSTS)
        expect(n <= most, "curves", f"at most {most}", n)
        for report in (self, *more_reports):
            report.matrix.predicted_rows.require_curve(report.matrix.name)
        looks = zip([self, *more_reports], ["harmonic", *GHOSTS], strict=False)
        lines = [report.line(look) for report, look in looks]
        m = self.matrix
        test_set = f"{m.benchmark} {m.split}, " if m.benchmark else ""
        source = f"{test_set}{len(m.y):,} images, scores {m.digest}; zslcore {version()}."
        sides = words.seen, words.unseen
        interactive_curve = InteractiveCurve(
            lines,
            m.predicted_rows,
            m.class_names,
            choose=bool(more_reports),
            sends_value=False,
            sides=sides,
        )
        return interactive_curve.page(title=title or m.name, footnote=source)

    def __repr__(self) -> str:
        return f"<ScoreReport {self.matrix.name}: {self.headline}>"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per metric and average: protocol, line, average, value or reason."""
        return self.table()

    def _repr_html_(self) -> str | None:
        """Show the curve in a notebook, with a slider for gamma; None without a curve."""
        from zslcore.interactive.one_file import frame_page

        if not self.matrix.predicted_rows.has_curve:
            return None
        return frame_page(self.page(), self.matrix.name)

    def to_json(self, *, with_intervals: bool = False) -> str:
        """Return the report as JSON, with the fixes and remarks from reading the file."""
        m = self.matrix
        values = {"verdict": self.verdict} | self._identity() | self._metrics()
        if with_intervals:
            values["intervals"] = self.intervals.to_dict("index")
        return strict_json(values | {"remarks": list(m.remarks)})

    def _identity(self) -> dict[str, Any]:
        m = self.matrix
        return {
            "file": m.name,
            "digest": m.digest,
            "images": len(m.y),
            "classes": len(m.seen),
            "unseen_classes": [m.class_names[c] for c in (~m.seen).nonzero()[0]],
            "benchmark": m.benchmark,
            "split": m.split,
            "fixes": list(m.fixes),
            "version": version(),
            "commit": commit(),
        } | (m.provenance_fields if isinstance(m, PredictedScores) else {})

    def _metrics(self) -> dict[str, Any]:
        named = self.matrix.class_names
        metrics = asdict(self.evaluation)
        for metric in ("per_class_zsl", "per_class", "per_class_plain"):
            metrics[metric] = {named[c]: value for c, value in metrics[metric].items()}
        for name in ("plain", "calibrated", "plain_per_sample", "calibrated_per_sample"):
            if (point := getattr(self.evaluation, name)) is not None:
                metrics[name] |= {"harmonic": point.harmonic}
        detection = {name: self.metrics[name] for name in ("auroc", "fpr95")}
        oracle = self.oracle and asdict(self.oracle) | {"harmonic": self.oracle.harmonic}
        return {
            "gamma": self.gamma,
            "gamma_origin": self.origin,
            "gamma_note": self.note,
            "gamma_checked": self.checked if self.origin == "validated" else None,
            "evaluation": metrics,
            "oracle": oracle,
            "detection": detection if self.matrix.predicted_rows.has_curve else None,
            "metrics": dict(self.metrics),
            "top_k": {str(k): value for k, value in self.top_k.items()},
        }

    @property
    def caution(self) -> str:
        """Caution on intervals over few classes, or over classes with one image; else empty."""
        images = np.bincount(self.matrix.y, minlength=len(self.matrix.seen))
        return caution(self.matrix.seen[images > 0], images[images > 0])

    @property
    def verdict(self) -> Literal["leaks", "unknown", "clean"]:
        """Verdict on the file alone.

        It is "leaks" if gamma was chosen on test data, or if predictions make a wrong claim, and
        "unknown" for scores masked by side.
        """
        claims = self.matrix.reasons if isinstance(self.matrix, PredictedScores) else ()
        if self.origin == "oracle" or claims:
            return "leaks"
        return "unknown" if self.matrix.predicted_rows.limits == "sides given" else "clean"

    @property
    def headline(self) -> str:
        """The metrics in one sentence, each with its average and gamma."""
        e, f = self.evaluation, self.metrics
        if self.matrix.predicted_rows.limits == "sides given":
            h = f["separate_harmonic"]
            return (
                "Not comparable with GZSL: masked by the true side of each image. In separate "
                f"label spaces, unseen {percent(e.zsl)}, seen {percent(f['separate_seen'])}, "
                f"harmonic mean {percent(h)} (per class)."
            )
        point, sample, at = e.plain, e.plain_per_sample, "γ = 0"
        if self.reportable_gamma is not None and e.calibrated is not None:
            point, sample = e.calibrated, e.calibrated_per_sample
            at = f"γ = {self.reportable_gamma:.3g}, {self.how}"
        if point is None or sample is None:
            if np.isnan(e.zsl):
                return (
                    f"u {percent(f['plain_unseen'])} (per class): no image belongs to a seen class."
                )
            metric = "Accuracy" if not self.matrix.seen.any() else "ZSL accuracy"
            return (
                f"{metric} {percent(e.zsl)} (per class), {percent(e.zsl_per_sample)} (per image)."
            )
        return f"{point.in_words} (per class); {sample.in_words} (per image); {at}."

    def as_text(self, words: Words = WORDS["seen-unseen"], *, with_intervals: bool = False) -> str:
        """Format every protocol as lines of text, in percent, optionally with intervals."""
        m = self.matrix
        test_set = f"{m.benchmark} {m.split}, " if m.benchmark else ""
        sides = f"{m.seen.sum()} seen and {(~m.seen).sum()} unseen classes"
        lines = [
            f"{m.name}: {test_set}{len(m.y):,} images, {words.translate(sides)}, scores {m.digest}"
        ]
        lines += [f"read as: {', '.join(m.fixes)}"] if m.fixes else []
        lines += textwrap.wrap(words.translate(self.headline).replace("γ", "gamma"), LETTERS)
        top_k = ", ".join(f"top-{k} {percent(value)}" for k, value in self.top_k.items() if k > 1)
        lines += [words.translate(f"{top_k} per class, unseen among unseen")] if top_k else []
        chosen = f"{self.gamma:.3g}, {self.how}" if self.reportable_gamma is not None else ""
        bound = f"{self.oracle.gamma:.3g} per class" if self.oracle else ""
        lines += protocols.format_lines(
            self.table(words, with_intervals=with_intervals),
            words,
            {protocols.CHOSEN: chosen, protocols.ORACLE: bound},
        )
        limits = self.caution if with_intervals else ""
        notes = [words.translate(note) for note in (limits, self.note, *m.remarks) if note]
        notes = [note.replace("γ", "gamma") for note in notes]
        return "\n".join([*lines, *(f"note: {note}" for note in notes)])


def judge(
    matrix: Scores,
    *,
    gamma: float | None = None,
    origin: GammaOrigin = "given",
    validation: Scores | Sequence[Scores] | None = None,
) -> ScoreReport:
    """Return the metrics of a score matrix, at ``gamma`` or at a gamma chosen on ``validation``.

    ``origin`` of ``gamma`` is "given" or "validated". ``validation`` are scores of seen and unseen
    validation images, one matrix per fold; the gamma with the largest mean H over the folds is
    chosen. Its origin is "oracle" if a validation image is a test image or of an unseen test class,
    see :func:`zslcore.scores.validation.choose_gamma_on`. Raises DatasetError if both ``gamma`` and
    ``validation`` are given, if validation scores have no curve, or if they are the test scores.
    """
    files = (validation,) if isinstance(validation, Scores) else tuple(validation or ())
    if gamma is not None and files:
        raise DatasetError("gamma is either given or chosen on validation scores; got both.")
    expect(gamma is None or math.isfinite(gamma), "gamma", "a finite number", gamma)
    if matrix.predicted_rows.limits and (gamma is not None or files):
        raise DatasetError(
            f"{matrix.name}: gamma changes nothing here: "
            f"{WITHOUT_CURVE[matrix.predicted_rows.limits]}."
        )
    note, checked = "", True
    if files:
        got = "predictions, which contain their own validation rows"
        has_scores = matrix.matrix is not None
        expect(has_scores, matrix.name, "a score matrix, as for the validation scores", got)
        have_scores = all(file.matrix is not None for file in files)
        expected = "scores of every class, from which gamma is chosen"
        expect(have_scores, "Validation scores", expected, "predicted classes")
        choice = choose_gamma_on(matrix, *files)
        gamma, origin, note, checked = choice.gamma, choice.origin, choice.note, choice.checked
    names = [matrix.class_names[c] if matrix.class_names else str(c) for c in np.unique(matrix.y)]
    has_unseen, got = not matrix.seen[matrix.y].all(), f"images of {listed(names)} only"
    expect(has_unseen, matrix.name, "images of unseen classes", got)
    report = report_of(matrix, gamma, origin if gamma is not None else None, note, checked)
    return replace(report, validation=files)


def report_of(
    matrix: Scores,
    gamma: float | None,
    origin: GammaOrigin | None,
    note: str = "",
    checked: bool = True,
) -> ScoreReport:
    """Return the report of scores at ``gamma``, or at 0 if ``gamma`` is None."""
    tested = matrix.predicted_rows
    n_unseen = int((~tested.seen).sum())
    evaluation = evaluate(tested, gamma or 0.0)
    if gamma is None:
        evaluation = replace(evaluation, calibrated=None, calibrated_per_sample=None, per_class={})
    return ScoreReport(
        matrix=matrix,
        gamma=gamma,
        origin=origin,
        evaluation=evaluation,
        oracle=tested.curve.best() if tested.has_curve else None,
        top_k={k: top for k in TOP if k < n_unseen and (top := tested.zsl_top(k)) is not None},
        note=note,
        checked=checked,
    )


def judge_predicted(predicted: PredictedScores) -> ScoreReport:
    """Return the report of predictions at the gamma of their file, or at 0 if it is an oracle."""
    provenance = predicted.predictions.provenance
    if provenance.gamma_origin in ("validated", "given"):
        return judge(predicted, gamma=provenance.gamma, origin=provenance.gamma_origin)
    return judge(predicted)


def predictions_of_scores(report: ScoreReport) -> Predictions:
    """Convert a report to predictions, with the row numbers of the score file."""
    matrix, validation = report.matrix, report.validation
    if isinstance(matrix, PredictedScores):
        return matrix.predictions
    if matrix.predicted_rows.limits:
        raise DatasetError(
            f"{matrix.name}: expected scores of every image among all classes, from which "
            f"predictions are made; {WITHOUT_CURVE[matrix.predicted_rows.limits]}."
        )
    names, folds = matrix.class_names, []
    for scores in validation:
        # A fold may have columns of classes that have no test column.
        names += tuple(name for name in scores.class_names if name not in names)
        classes = np.array([names.index(name) for name in scores.class_names])
        rows, best_classes = np.arange(len(scores.y)), scores.predicted_rows.best_classes
        folds.append(FoldPredictions(rows, classes, scores.seen, best_classes))
    return Predictions.of_scores(
        matrix.predicted_rows,
        np.arange(len(matrix.y)),
        names,
        validation=folds,
        provenance=Provenance(
            dataset=matrix.name,
            benchmark=matrix.benchmark,
            split=matrix.split,
            rows="file",
            gamma=report.gamma,
            gamma_origin=report.origin or "none",
            version=version(),
            commit=commit(),
            source=f"Scores {matrix.digest} of {matrix.name}.",
        ),
    )
