"""Score files are read in every format, questioned if they look wrong, and evaluated."""

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import savemat

from tests.worlds import linear_world
from zslcore.__main__ import main
from zslcore.datasets.facts import class_facts
from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.evaluation.protocol import evaluate, fit_and_score
from zslcore.exceptions import DatasetError, ZSLError
from zslcore.leakage.published import known_tests, recognise_test
from zslcore.methods import LinearS2V
from zslcore.scores import FIXES, ScoreFile, interpret, judge
from zslcore.scores.reading import read_scores

WORLD = linear_world(noise=0.8)
SPLIT = WORLD.split("PS")
FITTED = fit_and_score(LinearS2V(), WORLD, SPLIT)
#: Classes in an order that mixes seen and unseen ones.
ORDER = np.random.default_rng(0).permutation(len(FITTED.seen))
F, Y = FITTED.F[:, ORDER].astype(np.float64), np.argsort(ORDER)[FITTED.y]
SCORED = ScoredTest(F, Y, np.arange(len(ORDER)), FITTED.seen[ORDER])
UNSEEN = np.flatnonzero(~SCORED.seen)
NAMES = tuple(f"class {k}" for k in range(F.shape[1]))
EXPECTED = replace(evaluate(SCORED), calibrated=None, calibrated_per_sample=None, per_class={})
REAL = Path(__file__).parents[3] / "shared" / "data" / "gzsl_scores"


def read_as_matrix(scores=F, labels=Y, unseen=UNSEEN, names=NAMES, fixes=()):
    matrix, request = interpret(ScoreFile("own.npz", scores, labels, unseen, names), fixes)
    assert matrix is not None, request
    return matrix


def question_on(*fixes, scores=F, labels=Y, unseen=UNSEEN, names=()):
    matrix, questions = interpret(ScoreFile("own.npz", scores, labels, unseen, names), fixes)
    assert matrix is None
    (question,) = questions
    assert question.sentence.startswith("own.npz: ")
    assert question.sentence.endswith("?")
    return question


# --- Metrics --------------------------------------------------------------------------------------


def test_metrics_equal_the_protocol():
    report = judge(read_as_matrix(), gamma=0.02)
    assert report.evaluation == evaluate(SCORED, 0.02)
    assert report.origin == "given"
    assert report.oracle == SCORED.curve.best()
    assert report.top_k[1] == pytest.approx(EXPECTED.zsl)
    assert list(report.top_k.values()) == sorted(report.top_k.values())


def test_without_a_gamma_the_best_gamma_is_called_an_oracle():
    report = judge(read_as_matrix())
    assert report.gamma is None
    assert report.origin is None
    assert report.evaluation.calibrated is None
    assert not report.evaluation.per_class
    assert "an upper bound, not a result" in " ".join(report.as_text().split())


def held_back():
    """Scores of other images, with held-out classes that are seen in the test set."""
    rng = np.random.default_rng(1)
    y = rng.choice(np.flatnonzero(SCORED.seen), 200)
    scores = np.eye(F.shape[1])[y] + rng.normal(size=(200, F.shape[1]))
    return read_as_matrix(scores=scores, labels=y, unseen=np.flatnonzero(SCORED.seen)[:3])


def test_gamma_is_chosen_only_on_validation_scores():
    matrix, validation = read_as_matrix(), held_back()
    report = judge(matrix, validation=validation)
    assert report.origin == "validated"
    assert report.gamma == pytest.approx(validation.predicted_rows.curve.best().gamma)
    with pytest.raises(ZSLError, match="got the test scores themselves"):
        judge(matrix, validation=matrix)
    with pytest.raises(ZSLError, match="got both"):
        judge(matrix, gamma=1.0, validation=validation)
    with pytest.raises(ZSLError, match="expected a finite number"):
        judge(matrix, gamma=np.nan)
    of_unseen = np.isin(Y, UNSEEN)
    half = read_as_matrix(scores=F[of_unseen], labels=Y[of_unseen])
    with pytest.raises(ZSLError, match="none of seen classes"):
        judge(matrix, validation=half)


def test_images_of_one_side_have_no_curve():
    of_unseen = np.isin(Y, UNSEEN)
    report = judge(read_as_matrix(scores=F[of_unseen], labels=Y[of_unseen]))
    assert report.evaluation.ausuc is None
    assert report.oracle is None
    assert report.evaluation.zsl == pytest.approx(EXPECTED.zsl)
    assert "only ZSL accuracy can be computed" in report.as_text()
    with pytest.raises(ZSLError, match="expected images of unseen classes; got images of"):
        judge(read_as_matrix(scores=F[~of_unseen], labels=Y[~of_unseen]))


def test_json_states_how_the_file_was_read():
    report = json.loads(judge(read_as_matrix(scores=-F, fixes=["distances"]), gamma=0.02).to_json())
    assert report["fixes"] == ["distances"]
    assert report["gamma_origin"] == "given"
    assert report["unseen_classes"] == [NAMES[c] for c in UNSEEN]
    assert report["evaluation"]["ausuc"] == pytest.approx(EXPECTED.ausuc)
    assert set(report["evaluation"]["per_class"]) <= set(NAMES)
    assert len(report["digest"]) == 16


# --- Questions ------------------------------------------------------------------------------------

MASK = ~SCORED.seen
SEEN_FIRST = np.concatenate([np.flatnonzero(~MASK), np.flatnonzero(MASK)])
UNSEEN_FIRST = np.concatenate([np.flatnonzero(MASK), np.flatnonzero(~MASK)])
PADDED = np.hstack([np.zeros((len(F), 1)), F])
PADDED_LAST = np.hstack([F, np.zeros((len(F), 1))])
ODD = {
    "transposed": {"scores": F.T},
    "labels-from-1": {"labels": Y + 1, "unseen": UNSEEN + 1},
    "unused-column": {"scores": PADDED, "labels": Y + 1, "unseen": UNSEEN + 1},
    "unused-last-column": {"scores": PADDED_LAST},
    "distances": {"scores": -F},
    "seen-first": {"scores": F[:, SEEN_FIRST]},
    "unseen-first": {"scores": F[:, UNSEEN_FIRST]},
}


def test_every_fix_has_its_case():
    elsewhere = {"seen-listed", "within-sides", "unnamed", "same-class", "all-unseen", "as-is"}
    assert {*ODD, *elsewhere} == set(FIXES)  # the others are in test_questions and test_kinds


@pytest.mark.parametrize("fix", ODD)
def test_suspicious_files_raise_a_question(fix):
    question = question_on(**ODD[fix])
    assert question.fix == fix
    matrix = read_as_matrix(**ODD[fix], names=(), fixes=[fix])
    assert matrix.digest == read_as_matrix(names=()).digest
    assert matrix.fixes == (fix,)
    assert judge(matrix).evaluation == EXPECTED


@pytest.mark.parametrize("fix", ["distances", "seen-first", "unseen-first"])
def test_the_fix_as_is_reads_a_suspicious_file_unchanged(fix):
    matrix = read_as_matrix(**ODD[fix], fixes=["as-is"])
    np.testing.assert_array_equal(matrix.F, ODD[fix]["scores"])


@pytest.mark.parametrize("fix", ["transposed", "labels-from-1"])
def test_answers_that_cannot_be_computed_leave_the_question_open(fix):
    assert question_on("as-is", **ODD[fix]).open


def test_two_faults_raise_two_questions():
    odd = {"scores": -F.T, "labels": Y + 1, "unseen": UNSEEN + 1}
    assert question_on(**odd).fix == "transposed"
    assert question_on("transposed", **odd).fix == "labels-from-1"
    assert question_on("transposed", "labels-from-1", **odd).fix == "distances"
    matrix = read_as_matrix(**odd, names=(), fixes=["transposed", "labels-from-1", "distances"])
    assert matrix.digest == read_as_matrix(names=()).digest


def test_a_correct_file_raises_no_question():
    assert interpret(ScoreFile("own.npz", F, Y, UNSEEN))[1] == ()
    rng = np.random.default_rng(0)
    bad = ScoreFile("bad.npz", rng.normal(size=F.shape), Y, UNSEEN)  # random scores
    assert interpret(bad)[1] == ()


@pytest.mark.parametrize("unseen", [MASK, MASK.astype(int), [NAMES[c] for c in UNSEEN]])
def test_unseen_classes_are_numbers_names_or_marks(unseen):
    np.testing.assert_array_equal(read_as_matrix(unseen=unseen).seen, SCORED.seen)


def test_marks_per_column_are_independent_of_label_numbers():
    matrix = read_as_matrix(labels=Y + 1, unseen=MASK, fixes=["labels-from-1"])
    assert matrix.digest == read_as_matrix().digest


def test_a_mark_for_every_column_moves_with_the_columns():
    padded = np.concatenate([[False], MASK])
    matrix = read_as_matrix(
        scores=PADDED, labels=Y + 1, unseen=padded, names=(), fixes=["unused-column"]
    )
    assert matrix.digest == read_as_matrix(names=()).digest


def test_columns_in_an_unknown_order_give_a_warning():
    mixed = F[:, np.random.default_rng(3).permutation(F.shape[1])]
    remarks = read_as_matrix(scores=mixed, fixes=["as-is"]).remarks
    (remark,) = (r for r in remarks if "another order of columns" in r)
    assert "check that column k is class k" in remark
    assert not any("order of columns" in remark for remark in read_as_matrix().remarks)


def test_twenty_thousand_classes_need_little_memory():
    """A confusion table would take 3.8 GB."""
    rng, n_classes = np.random.default_rng(0), 21_841
    y = np.repeat(rng.choice(n_classes, 20, replace=False), 10)
    scores = rng.normal(size=(200, n_classes)).astype(np.float32)
    scores[np.arange(200), (y + 1) % n_classes] = 9.0  # columns shifted by one
    tracemalloc.start()
    with pytest.raises(DatasetError, match="another order of columns"):
        read_as_matrix(scores=scores, labels=y, unseen=np.arange(5), names=())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12 * scores.nbytes


def test_a_softmax_for_each_side_is_reported():
    apart = np.exp(20 * F)
    for side in (MASK, ~MASK):
        apart[:, side] /= apart[:, side].sum(axis=1, keepdims=True)
    assert any("sum to 1 each" in remark for remark in read_as_matrix(scores=apart).remarks)
    together = np.exp(20 * F)
    together /= together.sum(axis=1, keepdims=True)
    assert not any("sum to 1 each" in remark for remark in read_as_matrix(scores=together).remarks)


REFUSED = {
    "a row for each": {"scores": F[:-1]},
    "expected a matrix": {"scores": F[0]},
    "got nan in row 2, column 1": {
        "scores": np.where(np.arange(F.size).reshape(F.shape) == 2 * F.shape[1] + 1, np.nan, F)
    },
    "got inf": {"scores": np.where(F.max() == F, np.inf, F)},
    "expected columns of the scores": {"labels": Y + 5},
    "unseen classes: expected columns": {"unseen": [99]},
    "got none": {"unseen": []},
    "expected class_names": {"labels": ["bird"] * len(Y), "names": ()},
    "No class in labels of own.npz": {"labels": ["bird"] * len(Y)},
}


@pytest.mark.parametrize("message", REFUSED)
def test_irreparable_files_are_refused_in_one_sentence(message):
    with pytest.raises(ZSLError) as refusal:
        read_as_matrix(**REFUSED[message])
    if "No class" not in message:
        assert message in str(refusal.value)
    assert str(refusal.value).count("\n") == 0


def test_an_unknown_fix_names_the_nearest():
    with pytest.raises(ZSLError, match="transposed"):
        interpret(ScoreFile("own.npz", F, Y, UNSEEN), ["transpose"])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["<f2", "<f4", "<f8"]), st.booleans())
def test_the_order_of_classes_and_images_changes_no_metric(seed, dtype, ruled_out):
    rng = np.random.default_rng(seed)
    columns, rows = rng.permutation(F.shape[1]), rng.permutation(len(F))
    scores = np.round(F.astype(dtype), 2)  # also with ties
    if ruled_out:
        scores[rng.random(F.shape) < 0.1] = -np.inf
    scores[:, 0] = np.where(np.isneginf(scores).all(axis=1), 0, scores[:, 0])
    before = read_as_matrix(scores=scores, fixes=["as-is"])
    place = np.argsort(columns)
    after = read_as_matrix(
        scores=scores[rows][:, columns],
        labels=place[Y[rows]],
        unseen=place[UNSEEN],
        names=tuple(NAMES[c] for c in columns),
        fixes=["as-is"],
    )
    reports = [judge(item) for item in (before, after)]
    # Of equal scores, the first column counts, so only scores without ties are compared exactly.
    top = np.sort(scores, axis=1)
    if not (top[:, -1] == top[:, -2]).any():
        assert reports[0].evaluation.plain == reports[1].evaluation.plain
    assert reports[0].matrix.seen.sum() == reports[1].matrix.seen.sum()


# --- Known test sets ------------------------------------------------------------------------------


def test_published_test_sets_are_distinct():
    lists = [tuple(test_set.counts) for test_set in known_tests()]
    assert len(set(lists)) == len(lists) == 10


@pytest.mark.parametrize("test_set", known_tests(), ids=lambda k: f"{k.benchmark} {k.split}")
def test_labels_identify_the_split_and_its_unseen_classes(test_set):
    y = np.repeat(np.arange(len(test_set.counts)), test_set.counts)
    result = recognise_test(np.random.default_rng(0).permutation(y), len(test_set.counts))
    assert (result.benchmark, result.split) == (test_set.benchmark, test_set.split)
    role = class_facts(test_set.benchmark).classes[test_set.split.lower()]
    np.testing.assert_array_equal(result.unseen, role == "test")
    assert (
        recognise_test(y[:-1], len(test_set.counts)) is None
    )  # one image fewer is another test set
    scores = np.random.default_rng(1).random((len(y), len(test_set.counts)), dtype=np.float32)
    scores[np.arange(len(y)), y] += 1
    matrix, _ = interpret(ScoreFile("labels.npz", scores, y))
    assert (matrix.benchmark, matrix.split) == (test_set.benchmark, test_set.split)


def test_other_unseen_classes_are_another_split():
    test_set = known_tests()[0]
    y = np.repeat(np.arange(len(test_set.counts)), test_set.counts)
    F = np.random.default_rng(0).normal(size=(len(y), len(test_set.counts)))
    other_unseen = np.flatnonzero(~test_set.unseen)[:3]
    matrix = read_as_matrix(
        scores=F, labels=y, unseen=other_unseen, names=test_set.class_names, fixes=["as-is"]
    )
    assert matrix.benchmark == matrix.split == ""
    np.testing.assert_array_equal(np.flatnonzero(~matrix.seen), other_unseen)


# --- Files ----------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    """The same scores in every format."""
    names = np.array(NAMES)
    whole = {"scores": F, "y": Y, "unseen_classes": UNSEEN}
    np.savez(tmp_path / "a.npz", **whole, class_names=names)
    np.save(tmp_path / "a.npy", F)
    (tmp_path / "labels.txt").write_text("\n".join(map(str, Y)))
    (tmp_path / "names.txt").write_text("\n".join(NAMES[c] for c in UNSEEN))
    table = pd.DataFrame(F, columns=list(NAMES)).assign(label=[NAMES[c] for c in Y])
    table.to_csv(tmp_path / "a.csv")
    table.to_parquet(tmp_path / "a.parquet")
    savemat(tmp_path / "a.mat", {"logits": F, "labels": Y[:, None], "unseen": UNSEEN[:, None]})
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, array in whole.items():
            file[name] = array
    return tmp_path


@pytest.mark.parametrize("ending", ["npz", "npy", "csv", "parquet", "mat", "h5"])
def test_every_file_format_gives_the_same_scores(files, ending):
    labels = files / "labels.txt" if ending == "npy" else None
    unseen = {"npy": list(map(str, UNSEEN)), "csv": files / "names.txt"}.get(ending)
    unseen = files / "names.txt" if ending == "parquet" else unseen
    matrix, _ = interpret(read_scores(files / f"a.{ending}", labels=labels, unseen=unseen))
    tolerance = 1e-6 if ending == "csv" else 0  # numbers in a text are read as float32
    np.testing.assert_allclose(matrix.F, F, rtol=tolerance, atol=tolerance)
    assert judge(matrix).evaluation.ausuc == pytest.approx(EXPECTED.ausuc, abs=1e-3)
    if ending not in ("csv",):
        assert matrix.digest == read_as_matrix().digest


def test_files_without_scores_are_refused_in_one_sentence(files):
    (files / "junk.npz").write_bytes(b"PK\x03\x04" + bytes(50))
    (files / "cut.npy").write_bytes((files / "a.npy").read_bytes()[:500])
    np.savez(files / "none.npz", features=F)
    np.savez(files / "pickle.npz", scores=np.array([{}]), y=Y)
    for name in ("junk.npz", "cut.npy", "none.npz", "pickle.npz", "missing.npz"):
        with pytest.raises(ZSLError) as refusal:
            interpret(read_scores(files / name, labels=files / "labels.txt"))
        assert name in str(refusal.value)
        assert "Error" not in str(refusal.value)
    with pytest.raises(ZSLError, match="got scores alone"):
        read_scores(files / "a.npy")


def test_zslcore_score_asks_accepts_an_answer_and_prints_metrics(files, capsys, printed):
    np.savez(files / "far.npz", scores=-F, y=Y, unseen_classes=UNSEEN)
    output = printed("score", files / "far.npz", status=3)
    assert output.startswith("UNKNOWN  far.npz")
    assert "are these distances? If so: --fix distances; if not: --fix as-is." in output
    words = ["score", str(files / "far.npz"), "--fix", "distances", "--gamma", "0.02"]
    assert main(words) == 0
    output = "chosen gamma: 0.02, given; how it was chosen is not stated"
    assert output in capsys.readouterr().out
    report = json.loads(printed(*words, "--json"))
    assert report["evaluation"]["calibrated"]["harmonic"] == pytest.approx(
        evaluate(SCORED, 0.02).calibrated.harmonic
    )


def test_validation_scores_have_separate_labels_and_unseen_classes(tmp_path, printed):
    """Validation scores have other images and other held-out classes."""
    rng = np.random.default_rng(0)
    held_out = np.flatnonzero(SCORED.seen)[:3]
    y = rng.integers(0, F.shape[1], 200)
    scores = np.eye(F.shape[1])[y] + rng.normal(size=(200, F.shape[1]))
    validation = read_as_matrix(scores=scores, labels=y, unseen=held_out)
    for name, array in {"test": F, "val": scores}.items():
        np.save(tmp_path / f"{name}.npy", array)
    for name, words in {"test": Y, "val": y, "unseen": UNSEEN, "held": held_out}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(map(str, words)))
    at = {name: str(tmp_path / name) for name in ("test.npy", "val.npy", "test.txt", "val.txt")}
    words = ["score", at["test.npy"], "--labels", at["test.txt"], "--json", "--unseen"]
    words += [str(tmp_path / "unseen.txt"), "--validation", at["val.npy"]]
    words += ["--validation-labels", at["val.txt"]]
    content = json.loads(printed(*words, "--validation-unseen", tmp_path / "held.txt", status=1))
    assert content["gamma"] == validation.predicted_rows.curve.best().gamma
    assert "val.npy: the unseen classes are not stated" in printed(*words, status=3)


def test_validation_scores_in_another_layout_have_separate_answers(tmp_path, capsys, printed):
    noisy = F + 1e-3 * np.random.default_rng(0).normal(size=F.shape)
    for name, scores in {"test": -F, "val": noisy}.items():
        np.savez(tmp_path / f"{name}.npz", scores=scores, y=Y, unseen_classes=UNSEEN)
    words = ["score", str(tmp_path / "test.npz"), "--fix", "distances", "--json"]
    words += ["--validation", str(tmp_path / "val.npz")]
    content = json.loads(printed(*words, "--validation-fix", "as-is", status=1))
    assert content["gamma"] == read_as_matrix(scores=noisy).predicted_rows.curve.best().gamma
    assert main(words) == 1  # without their own answer, they are read like the test scores
    assert json.loads(capsys.readouterr().out)["gamma"] != content["gamma"]


@pytest.mark.skipif(not REAL.is_dir(), reason="needs the real score files")
@pytest.mark.parametrize(
    ("name", "split", "metrics", "ausuc"),
    [
        ("AWA1_LAGO", "AWA1", (21.8, 73.6, 33.7), 43.41),
        ("CUB_XianGAN", "CUB", (45.1, 55.5, 49.8), 34.48),
    ],
)
def test_real_scores_have_their_published_metrics(name, split, metrics, ausuc, printed):
    report = json.loads(printed("score", REAL / f"{name}.npz", "--json"))
    plain = report["evaluation"]["plain"]
    result = [round(100 * plain[k], 1) for k in ("unseen", "seen", "harmonic")]
    assert tuple(result) == metrics
    assert round(100 * report["evaluation"]["ausuc"], 2) == pytest.approx(ausuc, abs=0.02)
    assert (report["benchmark"], report["split"]) == (split, "PS")


def test_a_report_has_a_one_line_text_and_a_data_frame():
    report = judge(read_as_matrix())
    assert repr(report) == f"<ScoreReport {report.matrix.name}: {report.headline}>"
    table = report.to_frame()
    result = table.loc[table["metric"] == "plain_harmonic", "value"]
    assert result.iloc[0] == pytest.approx(report.evaluation.plain.harmonic)
