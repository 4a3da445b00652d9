"""What a pilot of two files says of a study, and the command."""

import json

import numpy as np
import pytest

from tests.scores.test_protocols import GAMMA, SCORES, report_of
from zslcore.__main__ import main
from zslcore.evaluation.bootstrap import BootstrapMetrics
from zslcore.metrics.significance import image_draws
from zslcore.scores.paired import compare_scores, designs_of, needs


@pytest.fixture(scope="module")
def pair():
    return compare_scores(report_of(0).matrix, report_of(1).matrix, (GAMMA, GAMMA))


def test_every_figure_has_the_deviations_of_its_images(pair):
    table = needs(pair)
    assert list(table.index) == [
        *("zsl", "separate_seen", "separate_harmonic"),
        *("plain_unseen", "plain_seen", "plain_harmonic"),
        *("calibrated_unseen", "calibrated_seen", "calibrated_harmonic"),
    ]
    y, unseen = SCORES[0].y, ~SCORES[0].seen[SCORES[0].y]
    right = [scores.predicted(GAMMA) == y for scores in SCORES]
    differ = (right[0] != right[1])[unseen]
    expected = np.mean([differ[y[unseen] == c].mean() for c in np.unique(y[unseen])])
    assert table.loc["calibrated_unseen", "disagreement"] == pytest.approx(expected)
    assert table["between"].isna().tolist() == [name.endswith("harmonic") for name in table.index]
    without = needs(compare_scores(report_of(0).matrix, report_of(1).matrix))
    assert list(without.index) == list(table.index[:6])


def test_errors_over_images_are_those_of_the_bootstrap(pair):
    """2,000 draws; their deviation has a standard error of 1.6 %, the tolerance is five of them.

    H bends within the spread of so few images, so its tolerance is a tenth.
    """
    draws = [[], []]
    for counts in image_draws(SCORES[0].y, 2000, 7):
        for k, scores in enumerate(SCORES):
            drawn = BootstrapMetrics(scores, counts, GAMMA)
            at, apart = drawn.at(GAMMA, "class"), drawn.separate("class")
            draws[k].append([at.unseen, at.seen, at.harmonic, apart.unseen])
    first, second = (np.concatenate(each, axis=1) for each in draws)
    names = ["calibrated_unseen", "calibrated_seen", "calibrated_harmonic", "zsl"]
    spread = dict(zip(names, (second - first).std(axis=1), strict=True))
    errors = {name: design.error("images") for name, design, _ in designs_of(pair)}
    for name in names:
        bound = 0.1 if name.endswith("harmonic") else 0.08
        assert errors[name] == pytest.approx(spread[name], rel=bound), name


@pytest.mark.nightly
def test_the_command_reads_a_pilot(pair, tmp_path, capsys):
    files = []
    for k, scores in enumerate(SCORES):
        unseen = np.flatnonzero(~scores.seen)
        files.append(str(tmp_path / f"{k}.npz"))
        np.savez(files[-1], scores=scores.F, y=scores.y, unseen_classes=unseen)
    gammas = ["--gamma", str(GAMMA), str(GAMMA)]
    assert main(["power", *files, "--fix", "as-is", *gammas, "--json"]) == 0
    rows = {row["figure"]: row for row in json.loads(capsys.readouterr().out)}
    expected = needs(pair)
    assert list(rows) == list(expected.index)
    zsl = expected.loc["zsl"]
    assert rows["zsl"]["images_needed"] == zsl["images_needed"]
    assert rows["zsl"]["classes_needed"] == zsl["classes_needed"]
    assert main(["power", *files, "--fix", "as-is", "--difference", "2.5"]) == 0
    text = capsys.readouterr().out
    assert "find a difference of 2.5 points with 80% power" in text
    (line,) = [line for line in text.splitlines() if line.startswith("  ZSL ")]
    plain = needs(compare_scores(report_of(0).matrix, report_of(1).matrix), 0.025)
    assert f"{plain.loc['zsl', 'images_needed']:,.0f}" in line.split()


def test_the_command_plans_without_a_pilot(capsys):
    stated = ["--classes", "50", "--images", "60", "--disagreement", "20", "--spread", "5"]
    assert main(["power", *stated]) == 0
    (line,) = [t for t in capsys.readouterr().out.splitlines() if "mean over classes" in t]
    assert line.split()[3:] == ["50", "60.0", "20.0", "5.0", "2.3", "3.1", "310", "457"]


def test_shares_are_printed_as_they_were_given(capsys):
    stated = ["--classes", "2", "--images", "30", "--disagreement", "20", "--spread", "10"]
    assert main(["power", *stated]) == 0
    text = capsys.readouterr().out
    assert "a difference of 1 point with 80% power (two-sided test at 5%)" in text
    (line,) = [t for t in text.splitlines() if "mean over classes" in t]
    assert line.split()[8] == "-"  # no difference between two classes' means is found
    assert main(["power", *stated, "--power", "99.9", "--alpha", "0.5"]) == 0
    assert "with 99.9% power (two-sided test at 0.5%)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("power", "got no --classes"),
        ("power a.npz", "expected two FILEs, or none; got 1"),
        ("power a.npz b.npz --spread 3", "--spread: expected no FILEs"),
        ("power --classes 5 --images 5 --disagreement 9 --spread 90", "cannot be"),
    ],
)
def test_what_is_missing_is_one_sentence(words, said, capsys):
    assert main(words.split()) == 2
    assert said in capsys.readouterr().err
