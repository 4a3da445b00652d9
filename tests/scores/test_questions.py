"""Unusual files raise a question, a remark or a refusal; normal files do not."""

from pathlib import Path

import numpy as np
import pytest

from zslcore.leakage.published import known_tests
from zslcore.scores import ScoreFile, interpret, judge

REAL = Path(__file__).parents[3] / "shared" / "data" / "gzsl_scores"
C, UNSEEN = 20, np.array([1, 4, 8, 11, 15, 18])
SEEN = np.setdiff1d(np.arange(C), UNSEEN)
#: As in benchmarks: all images of an unseen class, a fifth of a seen class.
Y = np.concatenate([np.repeat(SEEN, 12), np.repeat(UNSEEN, 60)])


def draw_scores(y=Y, hit=2.5, seed=0):
    """Scores of a fair model that slightly prefers seen classes."""
    rng = np.random.default_rng(seed)
    scores = hit * np.eye(C)[y] + rng.normal(size=(len(y), C))
    scores[:, SEEN] += 1.5
    return scores


F = draw_scores()
SHARP = np.exp(40 * (F - F.max(axis=1, keepdims=True)))
SHARP /= SHARP.sum(axis=1, keepdims=True)


def remove_classes(*classes):
    is_listed = ~np.isin(Y, classes)
    return {"scores": F[is_listed], "labels": Y[is_listed]}


def with_column(column, values):
    scores = F.copy()
    scores[:, column] = values
    return scores


def draw_biased_scores(y=Y):
    scores = draw_scores(y)
    scores[:, SEEN] += 20
    return scores


def draw_confused_scores(y):
    """Scores that predict every unseen class as one similar seen class."""
    scores = draw_scores(y)
    for k, c in enumerate(UNSEEN):
        scores[y == c, SEEN[k]] += 30
    return scores


EVEN = np.concatenate([np.flatnonzero(c == Y)[:12] for c in range(C)])
NOISE_Y = np.random.default_rng(5).integers(0, 50, 2000)
CLEAN = {
    "as it is": {},
    "float32": {"scores": F.astype(np.float32)},
    "float16": {"scores": F.astype(np.float16)},
    "softmax": {"scores": np.exp(F) / np.exp(F).sum(axis=1, keepdims=True)},
    "log softmax": {"scores": F - np.log(np.exp(F).sum(axis=1, keepdims=True))},
    "saturated softmax": {"scores": SHARP},
    "saturated softmax, float16": {"scores": SHARP.astype(np.float16)},
    "three decimals": {"scores": np.round(F, 3)},
    "large numbers": {"scores": 1e6 * F},
    "negative numbers": {"scores": F - 100},
    "a part": {"scores": F[::2], "labels": Y[::2]},
    "as many images of every class": {"scores": F[EVEN], "labels": Y[EVEN]},
    "sorted by nothing": {
        "scores": F[np.random.default_rng(1).permutation(len(F))],
        "labels": Y[np.random.default_rng(1).permutation(len(F))],
    },
    "a seen class without images": remove_classes(3),
    "two classes without images, the first among them": remove_classes(0, 3),
    "first class without images, ruled out": {
        "scores": with_column(0, -np.inf)[Y != 0],
        "labels": Y[Y != 0],
    },
    "first class without images, constant, never chosen": {
        "scores": with_column(0, -99.0)[Y != 0],
        "labels": Y[Y != 0],
    },
    "last class without images, constant, never chosen": {
        "scores": with_column(C - 1, -99.0)[Y != C - 1],
        "labels": Y[Y != C - 1],
    },
    "chance": {
        "scores": np.random.default_rng(2).normal(size=(2000, 50)),
        "labels": NOISE_Y,
        "unseen": np.arange(40, 50),
    },
    "chance, few images": {"scores": np.random.default_rng(3).normal(size=F.shape)},
    "biased to seen classes": {"scores": draw_biased_scores()},
    "biased to seen classes, hardly any seen images": {
        "scores": draw_confused_scores(Y[160:]),
        "labels": Y[160:],
    },
    "calibrated before": {"scores": F - 1.5 * np.isin(np.arange(C), SEEN)},
    "more unseen classes than seen": {"unseen": np.arange(5, C)},
}
SWAPPED = {"unseen": SEEN}
VARIED = np.random.default_rng(4).normal(size=(len(F), 1))
QUESTIONED = {
    "first column unused, varies": (
        "unused-column",
        {"scores": np.hstack([VARIED, F]), "labels": Y + 1, "unseen": UNSEEN + 1},
    ),
    "last column unused, varies": ("unused-last-column", {"scores": np.hstack([F, VARIED])}),
    "lists swapped": ("seen-listed", SWAPPED),
    "lists swapped, as marks": ("seen-listed", {"unseen": np.isin(np.arange(C), SEEN)}),
}
REMARKED = {
    "an unseen class without images": (
        "Without images: 1 of the 6 unseen classes (4)",
        remove_classes(4),
    ),
    "all rows twice": (
        f"{len(F)} of {2 * len(F):,} rows repeat another row",
        {"scores": np.vstack([F, F]), "labels": np.r_[Y, Y]},
    ),
    "some rows twice": (
        f"20 of {len(F) + 20} rows repeat another row",
        {"scores": np.vstack([F, F[:20]]), "labels": np.r_[Y, Y[:20]]},
    ),
}
MARKED = {
    "answers": np.eye(C)[F.argmax(axis=1)],
    "answers as distances": 1 - np.eye(C)[F.argmax(axis=1)],
    "all but one class ruled out": np.where(np.eye(C)[F.argmax(axis=1)] > 0, 1.0, -np.inf),
}


def read(scores=F, labels=Y, unseen=UNSEEN, fixes=()):
    return interpret(ScoreFile("own.npz", scores, labels, unseen), fixes)


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_file_has_no_question_and_no_remark(name):
    matrix, values = read(**CLEAN[name])
    assert values == ()
    assert matrix.remarks == ()


@pytest.mark.parametrize("name", QUESTIONED)
def test_a_question_on_a_file_is_resolved_by_its_answer(name):
    fix, odd = QUESTIONED[name]
    matrix, values = read(**odd)
    assert matrix is None
    assert [question.fix for question in values] == [fix]
    mended, _ = read(**odd, fixes=[fix])
    assert mended.digest == read()[0].digest
    assert read(**odd, fixes=["as-is"])[0] is not None  # the owner may know better


@pytest.mark.parametrize("name", REMARKED)
def test_an_unusual_file_has_its_remark(name):
    text, odd = REMARKED[name]
    matrix, _ = read(**odd, fixes=["as-is"])
    assert [text in remark for remark in matrix.remarks] == [True]


@pytest.mark.parametrize("name", MARKED)
def test_one_hot_rows_are_read_as_predicted_classes(name):
    matrix, values = read(MARKED[name])
    assert values == ()
    assert matrix.predicted_rows.limits == "predicted classes"
    expected, report = judge(read()[0]), judge(matrix)
    for average in ("", "_per_sample"):
        metric = f"plain_harmonic{average}"
        assert report.metrics[metric] == pytest.approx(expected.metrics[metric], abs=1e-12)
    assert report.metrics["ausuc"] is report.metrics["zsl"] is None
    assert any("read as predicted classes" in remark for remark in matrix.remarks)


def test_one_hot_scores_of_two_classes_raise_no_question():
    """With two classes, one-hot rows are complete scores."""
    matrix, values = read(np.eye(2)[Y % 2] + 0.1, Y % 2, [1])
    assert values == ()
    assert judge(matrix).evaluation.zsl == 1


@pytest.mark.parametrize("benchmark", ["AWA1", "CUB"])
@pytest.mark.parametrize("column", ["first", "last"])
@pytest.mark.parametrize("listed", [True, False])
def test_labels_of_a_known_test_set_reveal_an_unused_column(benchmark, column, listed):
    test_set = next(k for k in known_tests() if (k.benchmark, k.split) == (benchmark, "PS"))
    y, shift = np.repeat(np.arange(len(test_set.counts)), test_set.counts), column == "first"
    scores = np.random.default_rng(0).normal(size=(len(y), len(test_set.counts) + 1))
    unseen = np.flatnonzero(test_set.unseen) + shift if listed else None
    matrix, (question,) = read(scores, y + shift, unseen)
    assert matrix is None
    assert f"are those of {benchmark} PS" in question.sentence
    mended, _ = read(scores, y + shift, unseen, fixes=[question.fix])
    assert (mended.benchmark, mended.split) == (benchmark, "PS")
    np.testing.assert_array_equal(~mended.seen, test_set.unseen)


def test_swapped_lists_of_a_known_test_set_are_named():
    test_set = known_tests()[0]
    y = np.repeat(np.arange(len(test_set.counts)), test_set.counts)
    scores = np.random.default_rng(0).normal(size=(len(y), len(test_set.counts)))
    _, (question,) = read(scores, y, np.flatnonzero(~test_set.unseen))
    assert f"are the seen classes of {test_set.benchmark} {test_set.split}" in question.sentence


@pytest.mark.skipif(not REAL.is_dir(), reason="needs the real score files")
@pytest.mark.parametrize("name", ["AWA1_LAGO", "CUB_XianGAN"])
@pytest.mark.parametrize("listed", [True, False])
def test_real_scores_raise_no_question_whole_or_in_part(name, listed):
    with np.load(REAL / f"{name}.npz") as content:
        scores, y, unseen = content["scores"], content["y"].astype(int), content["unseen_classes"]
    matrix, values = read(scores, y, unseen if listed else None)
    assert values == () == matrix.remarks
    half = np.random.default_rng(0).permutation(len(y))[: len(y) // 2]
    matrix, values = read(scores[half], y[half], unseen)
    assert values == () == matrix.remarks
