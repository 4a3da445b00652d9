"""Predictions judged like scores: compared in pairs, and checked against benchmark facts."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.worlds import linear_world
from zslcore.datasets.facts import class_facts, row_facts
from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.evaluation.predictions import Predictions, Provenance
from zslcore.evaluation.predictions_file import write_predictions
from zslcore.evaluation.protocol import fit_and_score
from zslcore.exceptions import DatasetError, FileRefusedError
from zslcore.leakage.published import known_tests
from zslcore.methods import ESZSL, LinearS2V
from zslcore.scores import Scores, interpret, judge
from zslcore.scores.judging import predictions_of_scores
from zslcore.scores.paired import compare_scores
from zslcore.scores.predicted import PredictedScores, read_predicted
from zslcore.scores.reading import read_scores
from zslcore.scores.sandboxed import ScoreRequest, judge_in_worker

WORLD = linear_world(noise=0.8)
SPLIT = WORLD.split("PS")
ROWS = np.concatenate([SPLIT.test_seen, SPLIT.test_unseen])
SCORES = [fit_and_score(method, WORLD, SPLIT) for method in (LinearS2V(), ESZSL())]


def predicted_scores(scores, rows=ROWS):
    predictions = Predictions.of_scores(scores, rows, WORLD.class_names)
    return PredictedScores.of("own.parquet", predictions)


def test_comparing_predictions_equals_comparing_scores_in_any_row_order():
    gammas = (0.01, 0.02)
    matrices = [Scores("own", s.F, s.y, s.seen, WORLD.class_names) for s in SCORES]
    expected = compare_scores(*matrices, gammas)
    order = np.random.default_rng(0).permutation(len(ROWS))
    s = SCORES[1]
    shuffled = predicted_scores(ScoredTest(s.F[order], s.y[order], s.classes, s.seen), ROWS[order])
    result = compare_scores(predicted_scores(SCORES[0]), shuffled, gammas)
    pd.testing.assert_frame_equal(result.classes, expected.classes)
    pd.testing.assert_frame_equal(result.differences, expected.differences)
    for name in ("agreement", "only_first", "only_second", "p"):
        assert getattr(result, name) == getattr(expected, name)
    assert result.only_first > 0


def test_the_digest_depends_on_predictions_margins_and_rows():
    s = SCORES[0]
    biased = ScoredTest(s.F + 1e-3 * s.seen, s.y.copy(), s.classes.copy(), s.seen.copy())
    variants = [
        predicted_scores(s),
        predicted_scores(s, ROWS[::-1].copy()),
        predicted_scores(biased),
    ]
    assert len({variant.digest for variant in [*variants, predicted_scores(SCORES[1])]}) == 4
    np.testing.assert_array_equal(*(v.predicted_rows.seen_class for v in variants[::2]))
    assert predicted_scores(SCORES[0]).digest == variants[0].digest


def test_predictions_of_other_rows_cannot_be_compared():
    with pytest.raises(DatasetError, match="the same rows; row .* is in only one of them"):
        compare_scores(predicted_scores(SCORES[0]), predicted_scores(SCORES[1], ROWS + 1))


@pytest.fixture
def awa(tmp_path):
    """Write predictions of AWA2's proposed split, as far as the facts determine its rows."""
    test_set = next(k for k in known_tests() if (k.benchmark, k.split) == ("AWA2", "SS"))
    labels = row_facts("AWA2").labels
    rows = np.flatnonzero(test_set.unseen[labels])
    F = np.random.default_rng(0).normal(size=(len(rows), 50))
    scores = ScoredTest(F, labels[rows], np.arange(50), ~test_set.unseen)
    text = Provenance(dataset="mine", benchmark="AWA2", split="SS")
    names = tuple(class_facts("AWA2").classes["class"])
    path = tmp_path / "awa.parquet"
    write_predictions(path, Predictions.of_scores(scores, rows, names, provenance=text))
    return path


def change_table(path, change):
    table = pd.read_parquet(path)
    out = change(table.drop(columns="zsl_rank"))
    out.attrs = table.attrs
    out.to_parquet(path)
    return path


def test_facts_of_a_benchmark_check_rows_and_labels_without_its_files(awa, printed):
    report = json.loads(printed("score", awa, "--json"))
    assert (report["benchmark"], report["split"]) == ("AWA2", "SS")
    assert report["remarks"] == ["Verified: rows, labels and γ agree with the data."]


@pytest.mark.nightly
def test_facts_of_a_benchmark_refuse_a_label_and_a_row(awa):
    def other_label(table):
        unseen = sorted(set(table["label"]))
        table.loc[0, "label"] = next(c for c in unseen if c != table.loc[0, "label"])
        return table

    content = awa.read_bytes()
    with pytest.raises(FileRefusedError, match=r"awa.parquet, test, label: expected"):
        read_predicted(change_table(awa, other_label))
    awa.write_bytes(content)
    with pytest.raises(FileRefusedError, match="test_unseen: expected the rows of AWA2 SS; got o"):
        read_predicted(change_table(awa, lambda table: table.iloc[1:]))


def test_predictions_with_other_class_names_are_not_checked_by_facts(awa):
    table = pd.read_parquet(awa)
    table.attrs["class_names"] = [f"class {k}" for k in range(50)]
    table.to_parquet(awa)
    assert "cannot be checked" in read_predicted(awa).remarks[0]


@pytest.mark.nightly
def test_predictions_written_from_scores_have_their_metrics(tmp_path):
    """The validation rows have classes outside the test set."""
    s, rng = SCORES[0], np.random.default_rng(0)
    names = np.array(WORLD.class_names)
    requests = []
    for name, F, y, unseen in (
        ("own", s.F, s.y, np.flatnonzero(~s.seen)),
        ("val", *_validation(rng), [0, 1]),
    ):
        path = tmp_path / f"{name}.npz"
        classes = names if name == "own" else names[np.flatnonzero(s.seen)]
        np.savez(path, scores=F, y=y, unseen_classes=unseen, class_names=classes)
        requests.append(ScoreRequest(path, fixes=("as-is",)))
    apart = judge_in_worker(*requests, memory=1 << 30, origin="in a test")
    matrices = [interpret(read_scores(item.path), ["as-is"])[0] for item in requests]
    direct = judge(matrices[0], validation=matrices[1])
    assert apart.origin == direct.origin == "validated"
    of_test, *of_folds = (item.predicted_rows.nbytes for item in (apart.matrix, *apart.validation))
    assert apart.nbytes == of_test + sum(of_folds) > of_test
    first, other = (predictions_of_scores(report) for report in (apart, direct))
    assert len(first.folds) == len(other.folds) == 1
    for a, b in zip((first.test, *first.folds), (other.test, *other.folds), strict=True):
        for column in ("labels", "seen_class", "unseen_class", "margin", "zsl_class", "zsl_rank"):
            np.testing.assert_array_equal(getattr(a, column), getattr(b, column))
    assert (first.class_names, first.provenance) == (other.class_names, other.provenance)
    assert first.chosen_gamma == first.gamma


def _validation(rng):
    n = int(SCORES[0].seen.sum())
    y = rng.integers(n, size=200)
    return np.eye(n)[y] + rng.normal(size=(200, n)), y


def test_classes_that_are_not_candidates_do_not_shift_class_numbers():
    s = SCORES[0]
    shifted = ScoredTest(s.F.copy(), s.y.copy(), s.classes + 1, s.seen.copy())
    names = ("none", *WORLD.class_names)
    predictions = PredictedScores.of("own.parquet", Predictions.of_scores(shifted, ROWS, names))
    report = judge(predictions)
    assert list(report.evaluation.per_class_zsl) == np.flatnonzero(~s.seen).tolist()
    expected = judge(Scores("own", s.F, s.y, s.seen, WORLD.class_names))
    per_class = [json.loads(item.to_json())["evaluation"] for item in (report, expected)]
    assert per_class[0] == per_class[1]
