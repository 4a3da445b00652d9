"""Readings of scores that may explain a printed number.

The same scores give many numbers: at gamma 0, or at a gamma chosen on validation or test images;
per class or per image; with ties decided for either side; among all classes or within a side; of
one run, or of the mean or best of several runs. Papers print all of these as H, u, s or ZSL
accuracy. Every reading is computed; it explains a printed number if its value rounds to the printed
digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

from zslcore.evaluation.registry import PER_SAMPLE
from zslcore.metrics import Average, harmonic_mean, mean_class_accuracy, sample_accuracy
from zslcore.numbers import percent, signed
from zslcore.scores.judging import ScoreReport
from zslcore.scores.numbering import metrics_of_classes
from zslcore.scores.printed import PrintedMetric
from zslcore.storage.files import FACTS, read_csv_frame
from zslcore.texts import expect, strict_json

#: How a reading may be reported: without comment, only with its name, or not as a result.
Standing = Literal["usual", "name it", "oracle"]
AVERAGES: tuple[tuple[str, Average, str], ...] = (
    ("per class", "class", ""),
    ("per image", "sample", PER_SAMPLE),
)
#: Maximum number of readings listed in a text for one printed number.
MAX_READINGS = 12


@dataclass(frozen=True, slots=True)
class ScoreReading:
    """Reading of scores; ``metrics`` are fractions by name: H, u, s, ZSL and AUSUC."""

    name: str
    metrics: Mapping[str, float]
    standing: Standing = "usual"


@dataclass(frozen=True, slots=True)
class ComparedReading:
    """Value of a reading for one printed number, and whether it rounds to the printed digits."""

    name: str
    value: float
    points: float
    explains: bool
    standing: Standing


@dataclass(frozen=True, eq=False)
class Explanation:
    """Readings of each printed number, nearest first, and readings that explain all numbers."""

    printed: tuple[PrintedMetric, ...]
    comparisons: tuple[tuple[ComparedReading, ...], ...]
    common_readings: tuple[str, ...]
    other_causes: tuple[str, ...]

    @property
    def is_explained(self) -> bool:
        """Whether every printed number is explained by some reading."""
        return all(any(reading.explains for reading in readings) for readings in self.comparisons)

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence per printed number, and one on all numbers together if there are several."""
        sentences = [_sentence(*pair) for pair in zip(self.printed, self.comparisons, strict=True)]
        if len(self.printed) > 1:
            if self.common_readings:
                sentences.append(f"All numbers together: {'; or '.join(self.common_readings)}.")
            else:
                sentences.append("No single reading gives all numbers.")
        return tuple(sentences)

    def as_text(self) -> str:
        """Return the sentences, the readings by distance, and other causes, as lines of text."""
        lines = [*self.sentences]
        for printed, comparisons in zip(self.printed, self.comparisons, strict=True):
            lines += ["", f"Readings of {printed.name} {printed.text}, the nearest first"]
            for reading in comparisons[:MAX_READINGS]:
                mark = "=" if reading.explains else " "
                lines.append(
                    f"  {mark} {percent(reading.value):>7}  {signed(reading.points / 100):>6} "
                    f"points  {reading.name}"
                )
        lines += ["", "Causes that scores cannot show"]
        return "\n".join([*lines, *(f"  {text}" for text in self.other_causes)]).replace(
            "γ", "gamma"
        )

    def to_json(self) -> str:
        """Return the explanation as JSON; values are fractions, distances are points."""
        values = {
            "explained": self.is_explained,
            "sentences": self.sentences,
            "together": self.common_readings,
            "printed": [
                {
                    "metric": printed.name,
                    "printed": printed.text,
                    "readings": [{"reading": r.name} | _remove_name(r) for r in comparisons],
                }
                for printed, comparisons in zip(self.printed, self.comparisons, strict=True)
            ],
            "beyond": self.other_causes,
        }
        return strict_json(values)


def _remove_name(reading: ComparedReading) -> dict[str, Any]:
    return {name: value for name, value in asdict(reading).items() if name != "name"}


def explain(
    reports: Sequence[ScoreReport],
    printed: Sequence[PrintedMetric],
    without_leaks: Mapping[str, float] | None = None,
    *,
    first_release: bool = False,
) -> Explanation:
    """Compare printed numbers with every reading of the scores.

    Parameters
    ----------
    reports : one report, or reports of several runs or checkpoints on the same test set
    printed : at least one number
    without_leaks : u, s and H without the test images that a split file trains on
    first_release : whether the given split file is version 1 of the proposed split

    Raises
    ------
    DatasetError
        If the reports are of different test sets.
    """
    first = reports[0].matrix
    for other in (report.matrix for report in reports[1:]):
        is_same = np.array_equal(np.sort(first.y), np.sort(other.y))
        got = f"{len(first.y):,} and {len(other.y):,} images with different labels"
        expected = "runs or checkpoints on the same test images"
        expect(is_same, f"{first.name} and {other.name}", expected, got)
    readings = [*readings_of(reports)]
    if without_leaks:
        description = "γ = 0, per class, without the test images that the split trains on"
        readings.append(ScoreReading(description, without_leaks, "name it"))
    comparisons = tuple(compare_readings(number, readings) for number in printed)
    common = tuple(
        reading.name
        for reading in readings
        if all(p.name in reading.metrics and p.matches(reading.metrics[p.name]) for p in printed)
    )
    return Explanation(
        tuple(printed), comparisons, common, (*_other_causes(reports, first_release=first_release),)
    )


def readings_of(reports: Sequence[ScoreReport]) -> Iterator[ScoreReading]:
    """Yield every reading of one or several files of scores."""
    has_several = len(reports) > 1
    readings_of_files = [[*_readings_of_one(report)] for report in reports]
    for report, readings in zip(reports, readings_of_files, strict=True):
        for reading in readings:
            start = f"{report.matrix.name}: " if has_several else ""
            kind: Standing = reading.standing
            if has_several and kind == "usual":
                kind = "name it"
            yield ScoreReading(f"{start}{reading.name}", reading.metrics, kind)
    if has_several:
        yield from _readings_of_several(readings_of_files)


def _readings_of_one(report: ScoreReport) -> Iterator[ScoreReading]:
    metrics, test = report.metrics, report.matrix.predicted_rows
    for average, kind, suffix in AVERAGES:
        usual: Standing = "usual" if average == "per class" else "name it"
        at_zero = _select_point(metrics, "plain", suffix)
        ausuc = metrics.get(f"ausuc{suffix}")
        if at_zero:
            yield ScoreReading(f"γ = 0, {average}", at_zero, usual)
            mean = {"H": (at_zero["u"] + at_zero["s"]) / 2}
            yield ScoreReading(f"mean of u and s instead of H, γ = 0, {average}", mean, "name it")
        if ausuc is not None:
            yield ScoreReading(f"area under the curve, {average}", {"AUSUC": ausuc}, usual)
        calibrated = _select_point(metrics, "calibrated", suffix)
        if calibrated:
            yield ScoreReading(f"γ {report.how}, {average}", calibrated, usual)
        if test.has_curve:
            best = test.curve_of(kind).best()
            values = {"u": best.unseen, "s": best.seen, "H": best.harmonic}
            yield ScoreReading(f"best γ on the test images (oracle), {average}", values, "oracle")
            other = test.curve_of("sample" if kind == "class" else "class").best().gamma
            point = test.curve_of(kind).at(other)
            values = {"u": point.unseen, "s": point.seen, "H": point.harmonic}
            unit = "image" if kind == "class" else "class"
            description = f"γ with the best H per {unit} on the test images (oracle), {average}"
            if (point.unseen, point.seen) != (best.unseen, best.seen):
                yield ScoreReading(description, values, "oracle")
        within = _select_point(metrics, "separate", suffix, {"unseen": f"zsl{suffix}"})
        if within:
            description = f"among the classes of each side (u is ZSL accuracy), {average}"
            yield ScoreReading(description, within | {"ZSL": within["u"]}, "name it")
        elif (zsl := metrics.get(f"zsl{suffix}")) is not None:
            description = f"among unseen classes alone (ZSL accuracy), {average}"
            yield ScoreReading(description, {"ZSL": zsl, "u": zsl}, usual)
        accuracy = metrics.get(f"accuracy{suffix}")
        if accuracy is not None:
            description = f"accuracy of all test images together, γ = 0, {average}"
            yield ScoreReading(description, {"H": accuracy}, "name it")
    for k, value in report.top_k.items():
        if k > 1:
            yield ScoreReading(
                f"top-{k} among unseen classes, per class", {"ZSL": value}, "name it"
            )
    yield from _readings_of_ties(report)


def _select_point(
    metrics: Mapping[str, float | None],
    point: str,
    suffix: str,
    other: Mapping[str, str] | None = None,
) -> dict[str, float]:
    """Return u, s and H of a point; empty if one of them is missing."""
    names = {"u": "unseen", "s": "seen", "H": "harmonic"}
    values = {
        letter: metrics.get((other or {}).get(side, f"{point}_{side}{suffix}"))
        for letter, side in names.items()
    }
    return {k: v for k, v in values.items() if v is not None} if None not in values.values() else {}


def _readings_of_ties(report: ScoreReport) -> Iterator[ScoreReading]:
    """Yield readings with ties between sides decided for the seen class or the first column."""
    test = report.matrix.predicted_rows
    if not test.has_curve:
        return
    best_classes = test.best_classes
    tied = np.abs(best_classes.margin) <= best_classes.resolution
    if not tied.any():
        return
    predicted = best_classes.at(0.0)
    first = np.minimum(best_classes.seen_class, best_classes.unseen_class)
    for how, decided in (("for the first column", first), ("for seen", best_classes.seen_class)):
        classes = np.where(tied, decided, predicted)
        for average, accuracy in (
            ("per class", mean_class_accuracy),
            ("per image", sample_accuracy),
        ):
            values = metrics_of_classes(best_classes.y, best_classes.of_seen, classes, accuracy)
            yield ScoreReading(f"γ = 0, ties decided {how}, {average}", values, "name it")


def _readings_of_several(
    readings_of_files: Sequence[Sequence[ScoreReading]],
) -> Iterator[ScoreReading]:
    """Yield the means over files, the H of the means, and the best file on the test images."""
    common = [
        r.name
        for r in readings_of_files[0]
        if all(r.name in {o.name for o in f} for f in readings_of_files)
    ]
    n = len(readings_of_files)
    for name in common:
        same = [next(r for r in readings if r.name == name) for readings in readings_of_files]
        means = {k: float(np.mean([r.metrics[k] for r in same])) for k in same[0].metrics}
        yield ScoreReading(f"mean over {n} files, {name}", means, same[0].standing)
        if {"u", "s", "H"} <= {*means} and not name.startswith("mean of"):
            value = float(harmonic_mean(means["s"], means["u"]))
            yield ScoreReading(
                f"H of the mean u and s of {n} files, {name}", {"H": value}, "name it"
            )
        for metric in means:
            best = max(same, key=lambda r, metric=metric: r.metrics[metric])  # type: ignore[misc]
            text = f"the best of {n} files by {metric} on the test images (oracle), {name}"
            yield ScoreReading(text, best.metrics, "oracle")


def compare_readings(
    printed: PrintedMetric, readings: Sequence[ScoreReading]
) -> tuple[ComparedReading, ...]:
    """Compare a printed number with the readings of its metric; return them, nearest first."""
    comparisons: dict[str, ComparedReading] = {}
    for reading in readings:
        value = reading.metrics.get(printed.name)
        if value is not None and reading.name not in comparisons:
            points = 100 * value - float(printed.text)
            explains = printed.matches(value)
            comparisons[reading.name] = ComparedReading(
                reading.name, value, points, explains, reading.standing
            )
    order = ("usual", "name it", "oracle")
    return tuple(
        sorted(
            comparisons.values(), key=lambda d: (round(abs(d.points), 6), order.index(d.standing))
        )
    )


def _sentence(printed: PrintedMetric, comparisons: Sequence[ComparedReading]) -> str:
    number = f"{printed.name} {printed.text}"
    fit = [reading for reading in comparisons if reading.explains]
    if not comparisons:
        return f"{number}: these scores have no such metric."
    if not fit:
        nearest = comparisons[0]
        return (
            f"None of {len(comparisons)} readings explains {number}; the nearest is "
            f"{percent(nearest.value)} ({nearest.name}), {abs(nearest.points):.1f} points away."
        )
    if len(fit) == 1:
        return f"One reading explains {number}: {fit[0].name}."
    names = "; ".join(reading.name for reading in fit)
    return f"{len(fit)} readings explain {number}, all with the same digits: {names}."


# --- Causes that scores cannot show ---------------------------------------------------------------


def _other_causes(reports: Sequence[ScoreReport], *, first_release: bool) -> Iterator[str]:
    """Yield causes that scores cannot show, with their effect as measured on CUB."""
    benchmark = next((r.matrix.benchmark for r in reports if r.matrix.benchmark), "")
    trained = _range("leak_cost.csv", "difference", "leak", "training")
    selected = _range("leak_cost.csv", "difference", "leak", "selection")
    version = "The given split is version 1. " if first_release else ""
    yield (
        f"Split: {version}Versions 1 and 2.0 of the proposed split test the same images, so "
        "scores give the same number under both. Training the model on train and val of version "
        f"1 moves H on CUB by {trained} points; choosing parameters on its folds, by {selected}."
    )
    epochs = _range("epoch_choice.csv", "over_folds")
    yield (
        f"Epochs: choosing them on test images instead of the folds moves H on CUB by {epochs} "
        "points (pass the checkpoints as several files to see the effect on your scores)."
    )
    scaling = _range("differences.csv", "points", "cause", "scaling")
    yield f"Scaling of features: it moves a printed metric on CUB by {scaling} points."
    yield (
        "Features, fine-tuning and seeds: their effect does not show in scores and was not "
        "measured on CUB."
    )
    if benchmark and benchmark != "CUB":
        yield f"These effects were measured on CUB; on {benchmark} they may differ."


@cache
def _range(file: str, column: str, where: str = "", value: str = "") -> str:
    """Return the smallest and the largest change measured on CUB, in points."""
    table = read_csv_frame(FACTS / "measured" / file, comment="#")
    name = "dataset" if "dataset" in table else "data"
    rows = table[table[name].str.startswith("CUB")]
    rows = rows[rows[where] == value] if where else rows
    return f"{signed(rows[column].min())} to {signed(rows[column].max())}"
