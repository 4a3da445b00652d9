"""A printed number is explained by the reading that gives it, if its digits are sufficient."""

import json
import re

import numpy as np
import pytest

from tests.scores.test_kinds import UNSEEN, F, Y
from zslcore.__main__ import main
from zslcore.exceptions import DatasetError
from zslcore.metrics import harmonic_mean
from zslcore.scores import ScoreFile, interpret, judge
from zslcore.scores.explain import explain, readings_of
from zslcore.scores.printed import read_printed


def report_of(scores=F, name="own.npz", **more):
    # Classes of unequal size.
    rows = np.concatenate([np.arange(0, len(Y), 2), np.flatnonzero(Y < 6)])
    matrix, request = interpret(ScoreFile(name, scores[rows], Y[rows], UNSEEN), ["as-is"])
    assert request == ()
    return judge(matrix, **more)


REPORT = report_of()
FIGURES = REPORT.metrics
BEST = REPORT.matrix.predicted_rows.curve.best()
KINDS = {
    "γ = 0, per class": {"H": FIGURES["plain_harmonic"], "u": FIGURES["plain_unseen"]},
    "γ = 0, per image": {"H": FIGURES["plain_harmonic_per_sample"]},
    "best γ on the test images (oracle), per class": {"H": BEST.harmonic, "s": BEST.seen},
    "among the classes of each side (u is ZSL accuracy), per class": {
        "H": FIGURES["separate_harmonic"],
        "u": FIGURES["zsl"],
        "ZSL": FIGURES["zsl"],
    },
    "mean of u and s instead of H, γ = 0, per class": {
        "H": (FIGURES["plain_unseen"] + FIGURES["plain_seen"]) / 2
    },
    "area under the curve, per class": {"AUSUC": FIGURES["ausuc"]},
}


@pytest.mark.parametrize("message", KINDS)
def test_each_reading_is_named_for_the_numbers_that_it_gives(message):
    printed = read_printed(", ".join(f"{k} {100 * v:.4f}" for k, v in KINDS[message].items()))
    explanation = explain([REPORT], printed)
    assert explanation.is_explained
    assert message in explanation.common_readings
    for number, comparisons in zip(printed, explanation.comparisons, strict=True):
        assert re.search(f"explains? {number.name} {number.text}", " ".join(explanation.sentences))
        assert comparisons[0].explains
        assert [d.points for d in comparisons] == sorted((d.points for d in comparisons), key=abs)


def test_a_given_gamma_is_named_as_a_reading():
    report = report_of(gamma=0.3)
    at = report.evaluation.calibrated.harmonic
    explanation = explain([report], read_printed(f"H {100 * at:.4f}"))
    assert any("given" in d.name for d in explanation.comparisons[0] if d.explains)


def test_a_number_without_a_matching_reading_is_unexplained():
    explanation = explain([REPORT], read_printed("H 3.14"))
    assert not explanation.is_explained
    assert explanation.sentences[0].startswith("None of")
    assert "the nearest is" in explanation.sentences[0]


def test_readings_with_equal_digits_are_all_named():
    h = 100 * FIGURES["plain_harmonic"]
    explanation = explain([REPORT], read_printed(f"H {round(h)}"))
    within = [d for d in explanation.comparisons[0] if abs(d.points) <= 0.5]
    assert sum(d.explains for d in explanation.comparisons[0]) == len(within)


def test_numbers_of_two_readings_are_not_explained_by_one():
    text = f"u {100 * FIGURES['plain_unseen']:.4f}, s {100 * BEST.seen:.4f}"
    explanation = explain([REPORT], read_printed(text))
    assert explanation.is_explained
    assert explanation.common_readings == ()
    assert "No single reading gives all numbers." in explanation.sentences


def test_several_files_are_runs_or_checkpoints():
    noise = np.random.default_rng(2).normal(size=F.shape)
    reports = [REPORT, report_of(F + noise, "second.npz"), report_of(F - noise, "third.npz")]
    h, u, s = (
        [r.metrics[f"plain_{side}"] for r in reports] for side in ("harmonic", "unseen", "seen")
    )
    of_means = float(harmonic_mean(np.mean(s), np.mean(u)))
    for value, message in (
        (np.mean(h), "mean over 3 files, γ = 0, per class"),
        (of_means, "H of the mean u and s of 3 files, γ = 0, per class"),
        (max(h), "the best of 3 files by H on the test images (oracle), γ = 0, per class"),
    ):
        explanation = explain(reports, read_printed(f"H {100 * value:.4f}"))
        assert message in [d.name for d in explanation.comparisons[0] if d.explains]
    assert all(
        reading.standing != "usual" or "mean over" in reading.name
        for reading in readings_of(reports)
    )


def test_files_of_two_test_sets_are_refused_as_runs_of_one_model():
    part = judge(interpret(ScoreFile("part.npz", F[:-9], Y[:-9], UNSEEN))[0])
    with pytest.raises(
        DatasetError, match=f"own.npz and part.npz: .* got {len(REPORT.matrix.y)} and"
    ):
        explain([report_of(), part], read_printed("H 50"))


def test_ties_broken_by_file_order_are_a_reading():
    report = report_of(np.round(F))
    readings = {r.name: r.metrics for r in readings_of([report])}
    assert any(
        "ties decided for the first column" in event
        and metrics["H"] != readings["γ = 0, per class"]["H"]
        for event, metrics in readings.items()
    )


def test_predicted_classes_have_readings_only_at_gamma_0():
    rows = np.arange(0, len(Y), 2)
    file = ScoreFile("p", None, Y[rows], UNSEEN, (), F[rows].argmax(axis=1))
    report = judge(interpret(file)[0])
    explanation = explain([report], read_printed(f"H {100 * report.evaluation.plain.harmonic:.3f}"))
    assert explanation.is_explained
    assert not any("best on the test" in d.name for d in explanation.comparisons[0])


# --- Real scores ----------------------------------------------------------------------------------


def run(shared, capsys, printed, *more):
    path = shared / "data" / "gzsl_scores" / "CUB_XianGAN.npz"
    status = main(["explain", str(path), *map(str, more), "--printed", printed, "--json"])
    return status, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("printed", "output"),
    [
        ("H 49.8, u 45.1, s 55.5", "γ = 0, per class"),
        ("H 49.3, s 54.4", "γ = 0, per image"),
        ("H 50.2, u 47.4", "best γ on the test images (oracle), per class"),
        ("AUSUC 34.5", "area under the curve, per class"),
    ],
)
def test_readings_of_xiangan_on_cub(shared, capsys, printed, output):
    status, run_result = run(shared, capsys, printed)
    assert status == 0
    assert run_result["together"] == [output]


def test_xiangan_on_cub_with_another_number(shared, capsys):
    split = shared / "data" / "xlsa17" / "CUB" / "att_splits_v1.mat"
    status, run_result = run(shared, capsys, "H 58.1", split)
    assert status == 3
    assert run_result["sentences"][0].startswith("None of")
    assert "The given split is version 1" in run_result["beyond"][0]
    assert "+1.7 to +6.4 points" in run_result["beyond"][0]


def test_unusable_files_are_refused(tmp_path, capsys, printed):
    np.savez(tmp_path / "own.npz", scores=F, y=Y, unseen_classes=UNSEEN)
    assert "expected u, s, H, ZSL, AUSUC" in printed(
        "explain", str(tmp_path / "own.npz"), "--printed", "Q 12", status=2
    )
    assert main(["explain", str(tmp_path / "own.npz"), "--printed", "H 49.9"]) in (0, 3)
    assert "Causes that scores cannot show" in capsys.readouterr().out
