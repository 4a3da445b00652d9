"""Lesson on calibration: why seen classes win, gamma, and the metrics that papers print."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ui.figures.accuracy import class_bars, confusion_map
from ui.figures.curve import curve_with_points
from ui.figures.lesson import accuracy_by_share, shares
from ui.figures.palette import HARMONIC, NEUTRAL, ORACLE, SEEN, UNSEEN, VALIDATED, Mark
from ui.figures.vocabulary import Chart
from ui.lessons.step import Control, Ranges, Step, StepView, WordAnswers, read_lesson
from ui.shell.numbers import in_points, percent
from ui.state import cache, waiting
from zslcore.analysis import confusion
from zslcore.datasets.base import hold_out
from zslcore.datasets.facts import title
from zslcore.evaluation import protocol
from zslcore.evaluation.predicted_tests import PredictedTest
from zslcore.evaluation.predictions import PredictedRows
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.methods import get_method
from zslcore.metrics.curve import OperatingPoint
from zslcore.scores.protocols import metrics_of_test

METHODS = ("LinearS2V", "ESZSL", "SAE")
DATA = ("digits", "simulated-AWA1", "simulated-AWA2")
FIFTHS = Ranges((0.2, 0.4, 0.6, 0.8), lambda share: f"{share:.0%}".replace("%", " %"))
POINTS = Ranges((0.01, 0.03, 0.1), lambda gap: f"{100 * gap:.0f} point{'s' * (gap > 0.01)}")
FACTORS = Ranges((1.1, 1.5, 2.0, 3.0), lambda factor: f"{factor:g} times")
DIRECTIONS = WordAnswers(("it rises", "it stays the same", "it falls"))
#: Option -> factor of the validated gamma.
STOPS = {"as validated": 1.0, "γ = 0": 0.0, "a quarter": 0.25, "half of it": 0.5, "twice that": 2.0}
#: Option -> share of the training images that is kept; the question is about the first option.
KEPT = {"10 %": 0.1, "20 %": 0.2, "30 %": 0.3, "50 %": 0.5, "70 %": 0.7, "100 %": 1.0}
#: Metric that papers print -> its name in the registry.
NUMBERS = {
    "H, separate label spaces": "separate_harmonic",
    "H, joint label space": "plain_harmonic",
    "H, calibrated": "calibrated_harmonic",
    "area, every γ": "ausuc_per_sample",
    "AUROC": "auroc",
    "overall accuracy at γ = 0": "accuracy_per_sample",
}
LOOKS: dict[str, Mark] = dict.fromkeys(NUMBERS, HARMONIC) | {
    "H, calibrated": VALIDATED,
    "AUROC": NEUTRAL,
    "overall accuracy at γ = 0": NEUTRAL,
}


def validated_run(method: str, data: str = DATA[0]) -> tuple[RunResult, PredictedTest]:
    """Return a run with parameters and gamma chosen on the folds."""
    run = waiting.run_of(RunSpec.of(cache.dataset(data), "PS", method))
    return run.result, run.test


def _plain_and_calibrated(run: RunResult) -> tuple[OperatingPoint, OperatingPoint]:
    """Return the accuracies of a run at gamma = 0 and at its chosen gamma."""
    plain, calibrated = run.evaluation.plain, run.evaluation.calibrated
    assert plain is not None
    assert calibrated is not None
    return plain, calibrated


def _zsl(method: str) -> StepView:
    run, scores = validated_run(method)
    zsl, chance = run.evaluation.zsl, 1 / (~scores.seen).sum()
    figure = shares({method: zsl, "guessing": chance}, [UNSEEN, HARMONIC])
    facts = {"zsl": zsl, "chance": chance, "times": zsl / chance}
    return StepView(figure, FIFTHS.of(zsl), facts)


def _gzsl(method: str) -> StepView:
    run, _ = validated_run(method)
    zsl, unseen = run.evaluation.zsl, _plain_and_calibrated(run)[0].unseen
    figure = shares({"among unseen classes": zsl, "among all classes": unseen}, [UNSEEN, UNSEEN])
    facts = {"zsl": zsl, "unseen": unseen, "change": unseen - zsl}
    return StepView(figure, FIFTHS.of(unseen), facts)


def _wrong_sides(method: str) -> StepView:
    _, scores = validated_run(method)
    unseen = ~scores.seen[scores.y]
    share = float(scores.seen[scores.predicted(0.0)[unseen]].mean())
    matrix = confusion.confusion(scores, 0.0, cache.dataset(DATA[0]).class_names)
    return StepView(
        confusion_map(matrix, int(scores.seen.sum())), FIFTHS.of(share), {"share": share}
    )


def _harmonic(method: str) -> StepView:
    plain, _ = _plain_and_calibrated(validated_run(method)[0])
    values = {"seen s": plain.seen, "unseen u": plain.unseen, "H": plain.harmonic}
    figure = shares(values, [SEEN, UNSEEN, HARMONIC])
    facts = {"s": plain.seen, "u": plain.unseen, "H": plain.harmonic}
    facts["mean"] = (plain.seen + plain.unseen) / 2
    return StepView(figure, FIFTHS.of(plain.harmonic), facts)


def _harmonic_context() -> str:
    plain, _ = _plain_and_calibrated(validated_run(METHODS[0])[0])
    return (
        f"Without calibration, with all classes allowed, {METHODS[0]} recognises "
        f"{percent(plain.seen)} of seen images and {percent(plain.unseen)} of unseen ones."
    )


def _metrics(method: str) -> dict[str, float]:
    """Return all metrics of a run."""
    run, scores = validated_run(method)
    return {name: value or 0.0 for name, value in metrics_of_test(scores, run.gamma).items()}


def _separate(method: str) -> StepView:
    f = _metrics(method)
    separate, joint = f["separate_harmonic"], f["plain_harmonic"]
    values = {
        "seen among seen": f["separate_seen"],
        "unseen among unseen": f["zsl"],
        "H, separate label spaces": separate,
        "H, joint label space": joint,
    }
    figure = shares(values, [SEEN, UNSEEN, HARMONIC, HARMONIC])
    facts = {"separate": separate, "one": joint, "change": joint - separate}
    return StepView(figure, FIFTHS.of(separate), facts)


def _gamma(stop: str) -> StepView:
    run, scores = validated_run(METHODS[0])
    gamma = STOPS[stop] * (run.gamma or 0.0)
    classes = confusion.per_class_table(
        scores, {"plain": 0.0, "calibrated": gamma}, cache.dataset(DATA[0]).class_names
    )
    at, plain = scores.curve.at(gamma), scores.curve.at(0.0)
    end = scores.curve.at(run.gamma or 0.0).seen
    answer = DIRECTIONS.labels[1 + int(np.sign(round(plain.seen - end, 12)))]
    changes = {"unseen": at.unseen - plain.unseen, "seen": at.seen - plain.seen}
    return StepView(class_bars(classes), answer, {"gamma": gamma} | changes)


def _visible_curve(test: PredictedTest) -> tuple[np.ndarray, np.ndarray]:
    """Return unseen and seen accuracy along the curve, without points that no screen can show."""
    curve = test.curve.thinned(800)
    return curve.unseen, curve.seen


def _best(method: str) -> StepView:
    run, scores = validated_run(method)
    best, plain = scores.curve.best(), _plain_and_calibrated(run)[0]
    points = (
        ("γ = 0", plain.unseen, plain.seen, replace(HARMONIC, symbol="circle-open")),
        ("best γ", best.unseen, best.seen, ORACLE),
    )
    words = f"{method}, AUSUC {percent(scores.curve.ausuc)}"
    figure = curve_with_points(*_visible_curve(scores), points, height=430, name=words)
    facts = {"best": best.harmonic, "gamma": best.gamma, "plain": plain.harmonic}
    return StepView(figure, FIFTHS.of(best.harmonic), facts)


def _chosen(method: str) -> StepView:
    run, scores = validated_run(method)
    plain, calibrated = _plain_and_calibrated(run)
    validated, best = calibrated.harmonic, scores.curve.best().harmonic
    values = {"γ = 0": plain.harmonic, "validated γ": validated, "oracle γ": best}
    facts = {"validated": validated, "best": best, "gap": best - validated}
    figure = shares(values, [HARMONIC, VALIDATED, ORACLE])
    return StepView(figure, POINTS.of(best - validated), facts)


def _number(name: str, method: str) -> StepView:
    """Show the metrics of the earlier steps, and ``name``, the metric of this step."""
    f, names = _metrics(method), list(NUMBERS)
    values = {metric: f[NUMBERS[metric]] for metric in names[: names.index(name) + 1]}
    facts = {"area": f["ausuc_per_sample"], "auroc": f["auroc"]}
    figure = shares(values, [LOOKS[metric] for metric in values])
    return StepView(figure, FIFTHS.of(values[name]), facts)


def _changes_without_images(method: str) -> StepView:
    run, scores = validated_run(method)
    before, after = (metrics_of_test(test, run.gamma) for test in (scores, _fewer_seen(scores)))
    change = {
        name: abs((after[metric] or 0.0) - (before[metric] or 0.0))
        for name, metric in NUMBERS.items()
    }
    others, largest = sorted(change.values())[-2:]
    most = next(name for name, value in change.items() if value == largest)
    sizes = "; ".join(
        f"{name}: {in_points(value).removeprefix('+')}" for name, value in change.items()
    )
    figure = shares(change, [LOOKS[name] for name in change], differences=True)
    return StepView(
        figure, most, {"sizes": sizes, "most": most, "largest": largest, "others": others}
    )


def _fewer_seen(test: PredictedTest) -> PredictedTest:
    """Return the test set without every second image of seen classes."""
    of_seen = test.best_classes.of_seen
    kept_rows = np.flatnonzero(~of_seen | (np.cumsum(of_seen) % 2 == 0))
    return PredictedRows.of_scores(test, np.arange(len(of_seen))).select(kept_rows)


def _other_data(data: str) -> StepView:
    plain, calibrated = _plain_and_calibrated(validated_run("LinearS2V", data)[0])
    factor = calibrated.harmonic / plain.harmonic
    values = {"H at γ = 0": plain.harmonic, "H, validated γ": calibrated.harmonic}
    kind = " These features are simulated." if cache.dataset(data).simulated else ""
    figure = shares(values, [HARMONIC, VALIDATED])
    return StepView(
        figure, FACTORS.of(factor), {"factor": factor, "kind": kind, "data": title(data)}
    )


def _fewer_images(share_name: str) -> StepView:
    """Fit on shares of the training images, with the parameters and gamma of the full split."""
    run, _ = validated_run("LinearS2V")
    dataset = cache.dataset(DATA[0])
    split, accuracies, images = dataset.split("PS"), {}, {}
    for name, share in KEPT.items():
        rows, _ = hold_out(dataset.labels, split.trainval, 1 - share, seed=0)
        model = get_method("LinearS2V")(**run.params)
        scores = protocol.fit_and_score(
            model, dataset, replace(split, trainval=rows), preprocessing=run.spec.preprocessing
        )
        point = scores.curve.at(run.gamma or 0.0)
        accuracies[share], images[name] = (point.seen, point.unseen, point.harmonic), len(rows)
    first, chosen, full = (accuracies[KEPT[name]][2] for name in ("10 %", share_name, "100 %"))
    facts: dict[str, float] = {"images": images[share_name], "all": images["100 %"]}
    facts |= {"H": chosen, "whole": full, "lost": full - chosen}
    return StepView(accuracy_by_share(accuracies, KEPT[share_name]), POINTS.of(full - first), facts)


def _cover() -> Chart:
    """Draw the curve of the first method, with numbers at the ends of its axes only."""
    run, test = validated_run(METHODS[0])
    plain, _ = _plain_and_calibrated(run)
    point = ("γ = 0", plain.unseen, plain.seen, replace(HARMONIC, symbol="circle-open"))
    curve = curve_with_points(*_visible_curve(test), [point], height=430)
    ends = {f"{x}axis": curve.axis(x) | {"tickvals": [0, 1]} for x in "xy"}
    return Chart(curve.traces, curve.layout | ends)


_BY_METHOD = Control("Method", METHODS)


def _digits(
    answers: Ranges | WordAnswers,
    compute: Callable[[str], StepView],
    control: Control = _BY_METHOD,
    context: Callable[[], str] = lambda: "",
) -> Step:
    return Step(answers, control, compute, DATA[:1], context)


CALIBRATION = read_lesson(
    "calibration",
    {
        "zsl": _digits(FIFTHS, _zsl),
        "gzsl": _digits(FIFTHS, _gzsl),
        "where": _digits(FIFTHS, _wrong_sides),
        "harmonic": _digits(FIFTHS, _harmonic, context=_harmonic_context),
        "separate": _digits(FIFTHS, _separate),
        "gamma": _digits(DIRECTIONS, _gamma, Control("γ", tuple(STOPS))),
        "best": _digits(FIFTHS, _best),
        "chosen": _digits(POINTS, _chosen),
        "area": _digits(FIFTHS, lambda method: _number("area, every γ", method)),
        "auroc": _digits(FIFTHS, lambda method: _number("AUROC", method)),
        "moved": _digits(WordAnswers(tuple(NUMBERS)), _changes_without_images),
        "fewer": _digits(
            POINTS, _fewer_images, Control("Training images kept", tuple(KEPT), slider=True)
        ),
        "elsewhere": Step(FACTORS, Control("Data set", DATA[1:] + DATA[:1]), _other_data, DATA[1:]),
    },
    cover=_cover,
    command=lambda: (
        f"{validated_run(METHODS[0])[0].spec.command()} --predictions own.parquet\n"
        "zslcore score own.parquet\n" + validated_run("LinearS2V", DATA[1])[0].spec.command()
    ),
)
