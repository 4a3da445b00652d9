"""One score file under every protocol: metrics, terms, reasons, intervals and pairs."""

import base64
import json
import re
import zlib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from tests.pages import head_of
from tests.worlds import linear_world, scored_again
from zslcore.__main__ import main
from zslcore.analysis.resampling import draws_of
from zslcore.evaluation.bootstrap import BootstrapMetrics
from zslcore.evaluation.predictions import Predictions, Provenance
from zslcore.evaluation.protocol import fit_and_score
from zslcore.evaluation.registry import REGISTRY, ResultMetric, needs_predictions, register_metric
from zslcore.exceptions import UnknownNameError
from zslcore.methods import ESZSL, LinearS2V
from zslcore.metrics.significance import fewest_classes, interval, p_of_draws
from zslcore.numbers import percent
from zslcore.scores import ScoreFile, Scores, interpret, judge
from zslcore.scores.judging import judge_predicted
from zslcore.scores.paired import compare_scores
from zslcore.scores.predicted import PredictedScores
from zslcore.scores.protocols import NO_GAMMA, PROTOCOLS, WORDS, words_of

WORLD = linear_world(noise=1.2, n_per_class=20)
SPLIT = WORLD.split("PS")
ROWS = np.concatenate([SPLIT.test_seen, SPLIT.test_unseen])
SCORES = [fit_and_score(method, WORLD, SPLIT) for method in (LinearS2V(), ESZSL())]
GAMMA = 0.01


def report_of(k=0, gamma=GAMMA):
    unseen = np.flatnonzero(~SCORES[k].seen)
    file = ScoreFile(f"own{k}.npz", SCORES[k].F, SCORES[k].y, unseen, WORLD.class_names)
    return judge(interpret(file, ["as-is"])[0], gamma=gamma)


def judge_predictions(**more):
    predictions = Predictions.of_scores(SCORES[0], ROWS, WORLD.class_names, **more)
    return judge_predicted(PredictedScores.of("own.parquet", predictions))


def rows_of(text, *words):
    """Return the lines that begin with these words, without the words."""
    lines = [line.split() for line in text.splitlines()]
    return [line[len(words) :] for line in lines if line[: len(words)] == [*words]]


def test_every_protocol_has_a_sentence_users_and_registered_metrics():
    named = [name for p in PROTOCOLS for line in p.lines for name in line.metrics.values()]
    assert len(named) == len(set(named))
    of_answers = {name for name, metric in REGISTRY.items() if metric.drawn is not None}
    assert set(named) == of_answers
    for protocol in PROTOCOLS:
        assert protocol.steps.endswith(".")
        assert protocol.users


def test_a_registered_metric_is_in_the_json_of_scores():
    register_metric(
        ResultMetric("half", "half", needs_predictions, shown=False, drawn=lambda d: d.auroc() / 2)
    )
    try:
        content = json.loads(report_of().to_json())["metrics"]
        assert content["half"] == content["auroc"] / 2
    finally:
        del REGISTRY["half"]


def test_text_and_json_have_the_metrics_of_the_score_matrix():
    report = report_of()
    text, metrics = report.as_text(), json.loads(report.to_json())["metrics"]
    once = BootstrapMetrics.once(report.matrix.predicted_rows, GAMMA)
    for name, value in metrics.items():
        assert value == pytest.approx(float(REGISTRY[name].drawn(once)[0]), abs=1e-12)
    pairs = ("separate", "plain", "calibrated", "best")
    expected = [
        " ".join(percent(metrics[f"{p}_harmonic{per}"]) for per in ("", "_per_sample")).split()
        for p in pairs
    ]
    assert rows_of(text, "H") == expected
    area = f"{percent(metrics['ausuc'])} {percent(metrics['ausuc_per_sample'])}".split()
    assert rows_of(text, "AUSUC") == [area]
    assert rows_of(text, "macro", "F1") == [percent(metrics["macro_f1"]).split()]
    assert "chosen gamma: 0.01, given; how it was chosen is not stated" in text
    assert max(len(line) for line in text.splitlines()) <= 100
    assert "γ" not in text


@pytest.mark.parametrize("name", WORDS)
def test_all_texts_use_the_chosen_names_of_the_sides(name):
    words = words_of(name)
    report = report_of()
    text = report.as_text(words, with_intervals=True)
    for field_words in WORDS.values():
        seen = field_words.seen
        message = f"{seen.capitalize()} images are scored among {seen} classes only"
        assert (message in text) == (field_words is words)
    plain = text.lower().replace("base-to-new", "")  # "base-to-new" is the name of a test
    assert sum(f"{field_words.unseen} " in plain for field_words in WORDS.values()) == 1
    assert "{" not in text
    columns = ["protocol", "line", "reason"]
    table = report.table(words)
    assert not table[columns].apply(lambda c: c.str.contains(r"[{}]")).any(axis=None)
    assert list(table["metric"]) == list(report.table()["metric"])


def test_names_of_the_sides_do_not_change_file_names():
    text = "Seen and unseen.npz: an unseen image of a seen class, unseen_classes, Unseen."
    assert WORDS["known-unknown"].translate(text) == (
        "Known and unseen.npz: an unknown image of a known class, unseen_classes, Unknown."
    )
    assert WORDS["base-new"].translate("An unseen one") == "A new one"
    assert WORDS["seen-unseen"].translate(text) == text


def test_the_page_of_a_curve_uses_the_chosen_names_of_the_sides():
    page = report_of().page(words=WORDS["base-new"])
    (data,) = re.findall(r'atob\("([^"]+)"\)', page)
    assert head_of(zlib.decompress(base64.b64decode(data)))["sides"] == ["base", "new"]


def test_unknown_names_of_the_sides_are_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'base-new'"):
        words_of("base-novel")
    assert main(["score", "none.npz", "--words", "x"]) == 2


# --- Metrics that do not follow from a file -------------------------------------------------------


def missing(report):
    table = report.table()
    return dict(table.loc[table["value"].isna(), ["metric", "reason"]].to_numpy())


def test_metrics_without_a_gamma_are_a_dash_with_the_reason():
    report = report_of(gamma=None)
    names = [f"calibrated_{side}" for side in ("seen", "unseen", "harmonic")]
    expected = [*names, *(f"{name}_per_sample" for name in names)]
    assert missing(report) == dict.fromkeys(expected, NO_GAMMA)
    text = report.as_text()
    assert "No gamma was chosen; the choice needs scores" in text
    assert "Not computed: Joint label space, chosen gamma" in text
    assert len(rows_of(text, "H")) == 3
    assert json.loads(report.to_json())["metrics"]["calibrated_harmonic"] is None


def test_predictions_give_every_metric_of_their_scores():
    text = Provenance(gamma=GAMMA, gamma_origin="given")
    result, expected = judge_predictions(provenance=text), report_of()
    assert result.metrics == pytest.approx(expected.metrics, abs=1e-12)
    assert missing(result) == {}
    pd.testing.assert_frame_equal(result.intervals, expected.intervals)


def test_predictions_with_candidate_dependent_scores_have_no_seen_among_seen():
    predictions = Predictions.of_scores(SCORES[0], ROWS, WORLD.class_names)
    test = scored_again(predictions.test, -SCORES[0].unseen_part[0])
    result = judge_predicted(PredictedScores.of("own.parquet", replace(predictions, test=test)))
    expected = {
        f"separate_{side}{end}" for side in ("seen", "harmonic") for end in ("", "_per_sample")
    }
    got = {name for name, reason in missing(result).items() if "depend on the candidates" in reason}
    assert got == expected
    assert result.metrics["zsl"] == pytest.approx(result.evaluation.zsl, abs=1e-12)


def test_scores_of_only_unseen_images_have_only_zsl():
    s = SCORES[0]
    rows = ~s.seen[s.y]
    matrix = Scores("own.npz", s.F[rows], s.y[rows], s.seen, WORLD.class_names)
    report = judge(matrix)
    measured = [name for name, value in report.metrics.items() if value is not None]
    assert measured == [name for name in report.metrics if not REGISTRY[name].needs_gzsl]
    assert measured == ["zsl", "zsl_per_sample"]
    assert "No image belongs to a seen class." in report.as_text(with_intervals=True)


# --- Intervals and pairs --------------------------------------------------------------------------


def test_intervals_are_printed_and_in_the_json():
    report = report_of()
    result = report.intervals.loc["plain_harmonic"]
    text = report.as_text(with_intervals=True)
    value = report.metrics["plain_harmonic"]
    cell = (
        f"{percent(value)} ({100 * result['low']:.1f} to {100 * result['high']:.1f}; "
        f"{100 * result['low_images']:.1f} to {100 * result['high_images']:.1f})"
    )
    assert cell in text
    n = int((~report.matrix.seen).sum())
    assert f"and {n} unseen classes, 95 % intervals and p use Student's t" in text
    assert "Student's" not in report.as_text()
    for end, over in (("", "classes"), ("_images", "images")):
        draws = draws_of(report.matrix.predicted_rows, ["plain_harmonic"], over=over)[
            "plain_harmonic"
        ]
        few = fewest_classes(report.matrix.seen) if over == "classes" else None
        low, high = np.clip(interval(draws, classes=few), 0, 1)
        assert (result[f"low{end}"], result[f"high{end}"]) == pytest.approx((low, high))
    stored = json.loads(report.to_json(with_intervals=True))["intervals"]
    assert stored["plain_harmonic"] == pytest.approx(result.to_dict())
    assert set(stored) == {name for name, value in report.metrics.items() if value is not None}
    assert "intervals" not in json.loads(report.to_json())
    assert result["low"] < value < result["high"]


def test_a_pair_has_the_difference_of_every_metric_on_the_same_draws():
    reports = [report_of(k) for k in (0, 1)]
    pair = compare_scores(reports[0].matrix, reports[1].matrix, (GAMMA, GAMMA))
    result, ends = pair.differences, ["low", "high", "low_images", "high_images"]
    assert list(result.index) == list(reports[0].metrics)
    for name, row in result.iterrows():
        first, second = (report.metrics[name] for report in reports)
        assert row["difference"] == pytest.approx(second - first, abs=1e-12)
        if not name.startswith("best"):  # the best H is biased upwards
            assert row["low"] <= row["difference"] <= row["high"], name
            assert row["low_images"] <= row["difference"] <= row["high_images"], name
    same = compare_scores(reports[0].matrix, reports[0].matrix, (GAMMA, GAMMA)).differences
    assert (same[["difference", *ends]] == 0).all(axis=None)
    assert (same[["p", "p_images"]] == 1).all(axis=None)
    assert (
        not compare_scores(*(r.matrix for r in reports))
        .differences.index.str.contains("calibrated")
        .any()
    )


def test_p_is_small_if_the_interval_excludes_zero():
    pair = compare_scores(*(report_of(k).matrix for k in (0, 1)), (GAMMA, GAMMA))
    result = pair.differences
    for end in ("", "_images"):
        outside = (result[f"low{end}"] > 0) | (result[f"high{end}"] < 0)
        sure = (result[f"p{end}"] - 0.05).abs() > 2 / 1001  # a single draw may cross the limit
        assert ((result[f"p{end}"] < 0.05) == outside)[sure].all()
    draws = np.array([0.5, *np.linspace(-1, 9, 11)])
    # The draws -1 and 0 are not positive.
    assert p_of_draws(draws) == pytest.approx(2 * (1 + 2) / 12)
    assert p_of_draws(-draws) == p_of_draws(draws)
    seen, unseen = pair.class_tests
    unseen_classes = pair.classes[~pair.classes["seen"]]
    expected = ttest_rel(unseen_classes["second"], unseen_classes["first"])
    assert (unseen.t, unseen.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert (seen.pairs, unseen.pairs) == (int(pair.classes["seen"].sum()), len(unseen_classes))
    narrow = f"With {seen.pairs} seen and {unseen.pairs} unseen classes, 95 % intervals"
    assert narrow in " ".join(pair.as_text().split())
    assert f"Unseen classes: {100 * unseen.mean_difference:+.1f} points" in pair.as_text().replace(
        "−", "-"
    )


def test_shared_difficulty_cancels_in_differences():
    near = SCORES[0].F + 0.02 * np.random.default_rng(0).normal(size=SCORES[0].F.shape)
    first = report_of(gamma=None)
    second = Scores("near.npz", near, SCORES[0].y, SCORES[0].seen, WORLD.class_names)
    for end in ("", "_images"):
        alone = first.intervals.loc["separate_harmonic"]
        both = compare_scores(first.matrix, second).differences.loc["separate_harmonic"]
        assert both["difference"] != 0
        width = alone[f"high{end}"] - alone[f"low{end}"]
        assert 0 < both[f"high{end}"] - both[f"low{end}"] < width


def test_scores_compared_with_themselves_are_json_without_nan():
    same = compare_scores(report_of(0).matrix, report_of(0).matrix)
    content = json.loads(same.to_json(), parse_constant=pytest.fail)
    assert any(None in test.values() for test in content["class_tests"])
    assert "contain the same scores" in content["headline"]
    assert "nan" not in same.as_text()
    other = compare_scores(report_of(0).matrix, report_of(1).matrix)
    assert "contain the same scores" not in other.headline


def test_the_command_compares_files_of_the_same_images(tmp_path, capsys, printed):
    for k, scores in enumerate(SCORES):
        unseen = np.flatnonzero(~scores.seen)
        np.savez(tmp_path / f"{k}.npz", scores=scores.F, y=scores.y, unseen_classes=unseen)
    files = [str(tmp_path / f"{k}.npz") for k in (0, 1)]
    text = printed("score", *files, "--fix", "as-is", "--compare", "--words", "base-new")
    assert "1.npz minus 0.npz, points (95 % intervals over classes; over images)" in text
    pair = compare_scores(report_of(0).matrix, report_of(1).matrix)
    difference = 100 * pair.differences.loc["separate_harmonic", "difference"]
    (line,) = [w for w in rows_of(text, "Separate", "label", "spaces,", "H") if w[1] == "class"]
    assert line[2] == f"{difference:+.1f}"
    *both, compared = json.loads(
        printed("score", *files, "--fix", "as-is", "--compare", "--json", "--intervals")
    )
    assert [item["file"] for item in both] == ["0.npz", "1.npz"]
    assert compared["differences"]["separate_harmonic"]["difference"] == pytest.approx(
        difference / 100
    )
    assert "expected at least two FILEs; got one" in printed(
        "score", files[0], "--fix", "as-is", "--compare", status=2
    )
