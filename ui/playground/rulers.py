"""Rulers of the Playground: gamma, lambda, or number of unlabelled test images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ui.components.playground import Frame, NamedStop, Ruler
from ui.figures import palette
from ui.figures.palette import look_of
from ui.shell.numbers import three_digits
from ui.state import cache
from ui.state.waiting import PredictedRun
from zslcore import jobs
from zslcore.analysis.regularization import GridPredictions, GridPredictionsStudy, lambda_parameter
from zslcore.analysis.study import RunStudy
from zslcore.analysis.transduction import Transduction, TransductionStudy
from zslcore.datasets import ZSLDataset
from zslcore.datasets.facts import title
from zslcore.evaluation.predicted_tests import PredictedTest
from zslcore.evaluation.specs import RunSpec
from zslcore.interactive.seen_unseen import LOOKS, CurveLine, InteractiveCurve, Stop, gamma_range
from zslcore.methods import TRANSDUCTIVE
from zslcore.methods.base import TransductiveEstimator
from zslcore.results.shipped import is_precomputed_only

#: Kinds of rulers, by name in the address; the first is the default.
KINDS = ("gamma", "lambda", "images")
#: Colours of axis titles and of wrongly predicted images.
AXIS, OFF = look_of(palette.WORDS), look_of(palette.NEUTRAL)
#: Function that returns the curve of predictions, with a gamma marked.
DrawCurve = Callable[[PredictedTest, float | None], InteractiveCurve]


@dataclass(frozen=True, slots=True)
class RulerStops:
    """Study that computes the stops of a ruler; ``note`` describes them, or says why none exist."""

    study: GridPredictionsStudy | TransductionStudy | None = None
    quick: bool = False
    duration: str = ""
    note: str = ""

    def answers(self) -> GridPredictions | Transduction | None:
        """Return the predictions at the stops; None if they need a job that has not finished."""
        if self.study is None:
            return None
        if (folder := jobs.finished(self.study)) is not None:
            answers: GridPredictions | Transduction = cache.finished(
                self.study.key, self.study, folder
            )
            return answers
        return cache.computed(self.study.key, self.study) if self.quick else None


def stops_of(kind: str, spec: RunSpec, run: PredictedRun | None) -> RulerStops:
    """Return the study for a ruler, one of :data:`KINDS`, or the reason why it has no stops."""
    if kind == "gamma":
        return RulerStops()
    if run is None:
        return RulerStops(note=f"Run {spec.method} first.")
    if is_precomputed_only(spec.dataset):
        note = (
            f"Only precomputed results of {title(spec.dataset)} are available; import its features."
        )
        return RulerStops(note=note)
    return _lambda_stops(spec, run) if kind == "lambda" else _image_stops(spec)


def _lambda_stops(spec: RunSpec, run: PredictedRun) -> RulerStops:
    parameter = lambda_parameter(spec.method)
    if parameter is None:
        return RulerStops(note=f"{spec.method} has no λ.")
    fixed_params = {name: value for name, value in run.result.params.items() if name != parameter}
    without_lambda = replace(spec, params=fixed_params, grid=None, revisions={})
    dataset = cache.dataset(spec.dataset)
    duration = "about a minute" if RunStudy(without_lambda).is_quick(dataset) else "several minutes"
    note = f"{spec.method} is fitted at each λ of its grid, also on the folds."
    study = GridPredictionsStudy(without_lambda)
    return RulerStops(study, study.is_quick(dataset), duration, note)


def _image_stops(spec: RunSpec) -> RulerStops:
    method = next((n for n, m in TRANSDUCTIVE.items() if _extends(m, spec.method)), "Propagation")
    params = {"base": spec.method} if TRANSDUCTIVE[method].takes_base else {}
    study = TransductionStudy(spec.dataset, spec.split, method, params, digest=spec.digest)
    duration = "several minutes"
    if study.is_quick(cache.dataset(spec.dataset)):
        duration = "about 10 s"
    note = f"{method} also trains {spec.method} on the test images, without their labels."
    return RulerStops(study, duration=duration, note=note)


def _extends(transductive: type[TransductiveEstimator], method: str) -> bool:
    """Return whether a transductive method extends ``method`` and no other inductive method."""
    inductive = None if transductive.takes_base else transductive().inductive()
    return inductive is not None and inductive.card.name == method


def ruler_of(
    kind: str, stops: RulerStops, run: PredictedRun, value: str, draw_curve: DrawCurve
) -> Ruler:
    """Return the ruler at the value in the address, by default at the value of the run."""
    answers = stops.answers()
    if isinstance(answers, GridPredictions):
        reference = int(abs(answers.values - run.result.params[answers.parameter]).argmin())
        words = map(three_digits, answers.values)
        stops_in_order = zip(words, answers.tests, answers.gamma, strict=True)
        frames = [
            Frame(word, draw_curve(test, gamma), test) for word, test, gamma in stops_in_order
        ]
        named = [
            NamedStop(run.origin, reference, "validated"),
            NamedStop("tuned for ZSL", answers.for_zsl, "folds"),
            NamedStop("best on test (oracle)", answers.best, "oracle"),
        ]
        return _at(value, Ruler(kind, "λ {}", "lambda {}", frames, named, reference, reference))
    if isinstance(answers, Transduction):
        frames = [
            Frame(f"{len(c.gzsl.y):,}" if k else "0", draw_curve(c.gzsl, c.gamma), c.gzsl)
            for k, c in enumerate(answers.contenders)
            if c.gzsl is not None
        ]
        looks = ("plain", "validated")
        named = [NamedStop(c.name, k, looks[k]) for k, c in enumerate(answers.contenders)]
        name = "{} unlabelled test images"
        return _at(value, Ruler(kind, name, name, frames, named))
    return Ruler(kind, note=stops.note)


def _at(value: str, ruler: Ruler) -> Ruler:
    """Return the ruler with the stop of ``value`` as its start; unchanged without such a stop."""
    number = _number(value)
    indices = [k for k, frame in enumerate(ruler.frames) if _number(frame.words) == number]
    return replace(ruler, start=indices[0]) if indices else ruler


def _number(words: str) -> float | None:
    """Parse a number from the screen or from an address, in which + may have become a space."""
    plain = words.strip().replace("−", "-").replace(" ", "+").replace(",", "")
    try:
        return float(plain)
    except ValueError:
        return None


def curve_of(
    method: str,
    dataset: ZSLDataset,
    test: PredictedTest,
    gamma: float | None,
    origin: str = "validated",
    more: Sequence[Stop] = (),
    start: float | None = None,
) -> InteractiveCurve:
    """Return a curve with its images, at ``start`` or, by default, at ``gamma``."""
    stops = [Stop("uncalibrated", 0.0, "plain")]
    if gamma is not None:
        stops.append(Stop(origin, gamma, "validated"))
    stops += more
    limits = gamma_range(test.curve, [stop.gamma for stop in stops])
    start = float(np.clip(gamma or 0.0 if start is None else start, *limits))
    line = CurveLine(method, test.curve, "harmonic", stops, limits, start)
    looks = {**LOOKS, "axis": AXIS, "off": OFF}
    return InteractiveCurve([line], test, dataset.class_names, looks=looks)
