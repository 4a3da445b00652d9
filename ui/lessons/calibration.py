"""The lesson on calibration: why seen classes win, what gamma does, and who may choose it."""

from __future__ import annotations

import numpy as np

from ui import cache, waiting
from ui.figures.accuracy import class_bars, confusion_map
from ui.figures.curves import several_curves
from ui.figures.lesson import shares
from ui.figures.palette import HARMONIC, ORACLE, SEEN, UNSEEN, VALIDATED
from ui.lessons.step import Control, Lesson, Ranges, Step, View, Words
from ui.numbers import percent, points, three_digits
from zslcore.analysis import calibration, mistakes
from zslcore.evaluation.protocol import AnsweredTest
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.metrics.curve import OperatingPoint

__all__ = ["CALIBRATION"]

METHODS = ("ESZSL", "LinearS2V", "SAE")
DATA = ("digits", "simulated-AWA1", "simulated-AWA2")
FIFTHS = Ranges((0.2, 0.4, 0.6, 0.8), lambda share: f"{share:.0%}".replace("%", " %"))
POINTS = Ranges((0.01, 0.03, 0.1), lambda gap: f"{100 * gap:.0f} points")
FACTORS = Ranges((1.1, 1.5, 2.0, 3.0), lambda factor: f"{factor:g} times")
DIRECTIONS = Words(("it rises", "it stays as it is", "it falls"))


def run_of(method: str, data: str = DATA[0]) -> tuple[RunResult, AnsweredTest]:
    """Return a run with everything chosen on the folds."""
    dataset = cache.dataset(data)
    spec = RunSpec(dataset=data, split="PS", method=method, digest=dataset.digest)
    return waiting.run_of(spec)


def _both_of(run: RunResult) -> tuple[OperatingPoint, OperatingPoint]:
    """Return accuracies at gamma = 0 and at the chosen one; lessons test both sides."""
    plain, calibrated = run.evaluation.plain, run.evaluation.calibrated
    assert plain is not None
    assert calibrated is not None
    return plain, calibrated


def _zsl(method: str) -> View:
    run, scores = run_of(method)
    chance = 1 / (~scores.seen).sum()
    values = {method: run.evaluation.zsl, "guessing": chance}
    return View(
        shares(values, [UNSEEN, HARMONIC]),
        f"{method} recognises {percent(values[method])} of the images of unseen digits; guessing "
        f"would give {percent(chance)}.",
        f"{method} has seen no image of these classes, and is right {values[method] / chance:.1f} "
        "times as often as a guess.",
        FIFTHS.of(values[method]),
    )


def _gzsl(method: str) -> View:
    run, _ = run_of(method)
    zsl, (plain, _) = run.evaluation.zsl, _both_of(run)
    return View(
        shares({"among unseen classes": zsl, "among all classes": plain.unseen}, [UNSEEN, UNSEEN]),
        f"{method} recognises {percent(zsl)} of unseen images among unseen classes and "
        f"{percent(plain.unseen)} among all.",
        f"The images and the scores are the same. More answers are allowed, and "
        f"{points(plain.unseen - zsl)} follow from that alone.",
        FIFTHS.of(plain.unseen),
    )


def _attracted(scores: AnsweredTest, gamma: float) -> float:
    """Return the share of unseen images that are answered with a seen class."""
    unseen = ~scores.seen[scores.y]
    return float(scores.seen[scores.predicted(gamma)[unseen]].mean())


def _where(method: str) -> View:
    _, scores = run_of(method)
    share = _attracted(scores, 0.0)
    matrix = mistakes.confusion(scores, 0.0, cache.dataset(DATA[0]).class_names)
    return View(
        confusion_map(matrix, int(scores.seen.sum())),
        f"Share of each digit's images answered with each digit, without calibration; "
        f"{percent(share)} of unseen images are answered with a seen digit.",
        f"Look at the rows of unseen digits: {percent(share)} of their images are to the left of "
        "the dashed line, where the seen digits are.",
        FIFTHS.of(share),
    )


def _harmonic(method: str) -> View:
    plain, _ = _both_of(run_of(method)[0])
    values = {"seen s": plain.seen, "unseen u": plain.unseen, "H": plain.harmonic}
    return View(
        shares(values, [SEEN, UNSEEN, HARMONIC]),
        ", ".join(f"{name} is {percent(value)}" for name, value in values.items()) + ".",
        f"The plain average would be {percent((plain.seen + plain.unseen) / 2)}. H is near the "
        "smaller of the two: who fails on one side fails.",
        FIFTHS.of(plain.harmonic),
    )


def _harmonic_context() -> str:
    plain, _ = _both_of(run_of(METHODS[0])[0])
    return (
        f"Without calibration {METHODS[0]} is right on {percent(plain.seen)} of seen images and on "
        f"{percent(plain.unseen)} of unseen ones, among all classes."
    )


#: Places on the way from no calibration to where every answer is an unseen class.
STOPS = {"as validated": 1.0, "γ = 0": 0.0, "a quarter": 0.25, "half of it": 0.5, "twice that": 2.0}


def _gamma(stop: str) -> View:
    run, scores = run_of(METHODS[0])
    gamma = STOPS[stop] * (run.gamma or 0.0)
    classes = calibration.per_class_table(
        scores, {"plain": 0.0, "calibrated": gamma}, cache.dataset(DATA[0]).class_names
    )
    at, plain = scores.curve.at(gamma), scores.curve.at(0.0)
    end = scores.curve.at(run.gamma or 0.0).seen
    fell = DIRECTIONS.labels[1 + int(np.sign(round(plain.seen - end, 12)))]
    return View(
        class_bars(classes),
        f"Accuracy of every digit at γ = {three_digits(gamma)}, and without calibration.",
        f"At γ = {three_digits(gamma)} unseen digits have {points(at.unseen - plain.unseen)} and "
        f"seen digits {points(at.seen - plain.seen)} against γ = 0.",
        fell,
    )


def _best(method: str) -> View:
    run, scores = run_of(method)
    best = scores.curve.best()
    return View(
        several_curves({method: (scores.curve, best.gamma)}, [HARMONIC]),
        f"Seen over unseen accuracy of {method} for every γ; H is highest at "
        f"{percent(best.harmonic)}.",
        f"Every point is one γ. H is {percent(_both_of(run)[0].harmonic)} at γ = 0 and "
        f"{percent(best.harmonic)} at γ = {three_digits(best.gamma)}. Nothing is trained again.",
        FIFTHS.of(best.harmonic),
    )


def _chosen(method: str) -> View:
    run, scores = run_of(method)
    plain, calibrated = _both_of(run)
    validated, best = calibrated.harmonic, scores.curve.best().harmonic
    return View(
        shares(
            {"γ = 0": plain.harmonic, "validated γ": validated, "oracle γ": best},
            [HARMONIC, VALIDATED, ORACLE],
        ),
        f"H is {percent(validated)} with the validated γ and {percent(best)} with the oracle γ.",
        f"The oracle γ is chosen on the test set and has {points(best - validated)} more: a bound, "
        "never a result. The validated γ never saw a test class.",
        POINTS.of(best - validated),
    )


def _elsewhere(data: str) -> View:
    run, _ = run_of("LinearS2V", data)
    plain, calibrated = _both_of(run)
    factor = calibrated.harmonic / plain.harmonic
    kind = "These features are simulated." if cache.dataset(data).simulated else ""
    return View(
        shares(
            {"H at γ = 0": plain.harmonic, "H, validated γ": calibrated.harmonic},
            [HARMONIC, VALIDATED],
        ),
        f"H of LinearS2V on {data} without calibration and with the validated γ.",
        f"On {data} calibration makes H {factor:.2f} times as large. {kind}".strip(),
        FACTORS.of(factor),
    )


_BY_METHOD = Control("Method", METHODS)

CALIBRATION = Lesson(
    name="calibration",
    title="Calibration: why seen classes win, and how one number fixes it",
    about="From zero-shot learning among unseen classes to one γ that is chosen honestly.",
    minutes=20,
    steps=(
        Step(
            "Recognise a class never seen",
            "A method has read a description of every digit, and has seen images of some digits "
            "only. Test images show the other digits, and only these may be answered. How often is "
            "it right?",
            FIFTHS,
            _BY_METHOD,
            _zsl,
            DATA[:1],
        ),
        Step(
            "Now all digits may be answered",
            "The same images, the same scores, but seen digits may be answered, too. How often is "
            "it right on unseen digits now?",
            FIFTHS,
            _BY_METHOD,
            _gzsl,
            DATA[:1],
        ),
        Step(
            "Where do the images go?",
            "How many of the images of unseen digits are answered with a seen digit?",
            FIFTHS,
            _BY_METHOD,
            _where,
            DATA[:1],
        ),
        Step(
            "One number for both sides",
            "H is the harmonic mean of both accuracies, H = 2su / (s + u). How high is it?",
            FIFTHS,
            _BY_METHOD,
            _harmonic,
            DATA[:1],
            context=_harmonic_context,
        ),
        Step(
            "Hold the seen classes back",
            "A number γ is subtracted from the scores of all seen classes. As γ grows, what "
            "happens to the accuracy of seen digits?",
            DIRECTIONS,
            Control("γ", tuple(STOPS)),
            _gamma,
            DATA[:1],
        ),
        Step(
            "How high can H get?",
            "Try every γ there is. How high is the highest H?",
            FIFTHS,
            _BY_METHOD,
            _best,
            DATA[:1],
        ),
        Step(
            "Who may choose γ?",
            "The test set must not choose γ. It is tuned on classes that are held out of the "
            "training classes. How much H does that honesty cost, against the best γ of the test "
            "set?",
            POINTS,
            _BY_METHOD,
            _chosen,
            DATA[:1],
        ),
        Step(
            "Does it hold elsewhere?",
            "Other data sets, the method LinearS2V, γ validated. How much larger does calibration "
            "make H on the first of them?",
            FACTORS,
            Control("Data set", DATA[1:] + DATA[:1]),
            _elsewhere,
            DATA[1:],
        ),
    ),
    command=lambda: run_of("LinearS2V", DATA[1])[0].spec.command(),
)
