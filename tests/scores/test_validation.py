"""A gamma is called validated only if no test image and no unseen test class chose it."""

import json
from pathlib import Path

import numpy as np
import pytest

from zslcore.scores import ScoreFile, interpret, judge
from zslcore.scores.validation import choose_gamma_on, share_of_test_rows

REAL = Path(__file__).parents[3] / "shared" / "data" / "gzsl_scores"
RNG = np.random.default_rng(0)
C, UNSEEN, HELD = 20, np.arange(14, 20), np.arange(9, 14)
NAMES = tuple(f"class {k}" for k in range(C))


def draw_scores(y, columns=C, seed=0):
    """Random scores for images of these classes."""
    rng = np.random.default_rng(seed)
    return 2 * np.eye(columns)[y] + rng.normal(size=(len(y), columns))


Y = np.concatenate([np.repeat(np.arange(14), 10), np.repeat(UNSEEN, 40)])
F = draw_scores(Y)
ORDER = RNG.permutation(C)
SOFTMAX = np.exp(F) / np.exp(F).sum(axis=1, keepdims=True)


def matrix(scores=F, labels=Y, unseen=UNSEEN, names=(), name="val.npz"):
    result, request = interpret(ScoreFile(name, scores, labels, unseen, names), ["as-is"])
    assert result is not None, request
    return result


TEST = matrix(name="test.npz")
#: Changes of test scores that are then passed as validation scores.
DISGUISES = {
    "a half": (F[::2], Y[::2]),
    "rounding": (F + 1e-9, Y),
    "float16": (F.astype(np.float16), Y),
    "scaled": (3 * F + 2, Y),
    "rows in another order": (F[::-1], Y[::-1]),
    "softmax": (SOFTMAX, Y),
    "log softmax": (np.log(SOFTMAX), Y),
    "noise": (F + 0.01 * RNG.normal(size=F.shape), Y),
    "ruled out": (np.where(np.arange(C) == F.argmin(axis=1)[:, None], -np.inf, F), Y),
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_changed_test_scores_are_recognised_as_an_oracle(disguise):
    scores, labels = DISGUISES[disguise]
    choice = choose_gamma_on(TEST, matrix(scores, labels))
    assert choice.origin == "oracle"
    assert "6 of the 6 unseen test classes (14, 15, 16, 17 and 2 more)" in choice.note


@pytest.mark.parametrize("disguise", DISGUISES)
def test_test_rows_are_recognised_without_information_on_classes(disguise):
    """The validation scores are those of seen test images, with some classes called unseen."""
    scores, labels = DISGUISES[disguise]
    seen = np.isin(labels, np.arange(14))
    choice = choose_gamma_on(TEST, matrix(scores[seen], labels[seen], HELD))
    assert choice.origin == "oracle"
    assert "are rows of the test scores" in choice.note


@pytest.mark.parametrize("lowest", [lambda F: F.min(1) - 1, lambda F: -50 + F.std(1)])
def test_test_rows_are_recognised_under_masks_that_differ_by_row(lowest):
    seen = np.isin(Y, np.arange(14))
    masked = F[seen].copy()
    masked[:, UNSEEN] = lowest(F[seen])[:, None]
    choice = choose_gamma_on(TEST, matrix(masked, Y[seen], HELD))
    assert choice.origin == "oracle"
    other = draw_scores(np.repeat(np.arange(14), 15), seed=7)
    other[:, UNSEEN] = lowest(other)[:, None]
    assert (
        choose_gamma_on(TEST, matrix(other, np.repeat(np.arange(14), 15), HELD)).origin
        == "validated"
    )


def dense(labels, seed):
    """Scores of a model that are almost equal for images of a class."""
    rng = np.random.default_rng(seed)
    return 2 * np.eye(C)[labels] + 0.1 * rng.normal(size=(len(labels), C))


def test_test_rows_are_recognised_under_noise_and_other_images_are_not():
    """The test rows have a false list of unseen classes and resemble images of their class."""
    many = np.concatenate([np.repeat(np.arange(14), 40), np.repeat(UNSEEN, 40)])
    scores, seen = dense(many, 1), np.isin(many, np.arange(14))
    test = matrix(scores, many, name="test.npz")
    noise = np.random.default_rng(2).normal(size=scores.shape)
    noisy = scores + 0.1 * scores.std(axis=1, keepdims=True) * noise
    choice = choose_gamma_on(test, matrix(noisy[seen], many[seen], HELD))
    assert choice.origin == "oracle"
    assert "are rows of the test scores" in choice.note
    other_scores = matrix(dense(many[seen], 3), many[seen], HELD)
    assert share_of_test_rows(test, other_scores) == 0


def test_test_rows_are_recognised_with_columns_in_another_order():
    seen, place = np.isin(Y, np.arange(14)), np.argsort(ORDER)
    # Only classes that also have numbers of seen classes in the new order, so that the numbers
    # alone do not reveal the test rows.
    seen &= place[Y] < 14
    held_out = np.unique(place[Y[seen]])[:4]
    choice = choose_gamma_on(TEST, matrix(F[seen][:, ORDER], place[Y[seen]], held_out))
    assert choice.origin == "oracle"
    assert "are rows of the test scores" in choice.note


OTHER_Y = np.repeat(np.arange(14), 15)
OTHER = draw_scores(OTHER_Y, seed=7)
NARROW = draw_scores(OTHER_Y, 14, seed=8)
ONE_HOT = np.exp(60 * OTHER) / np.exp(60 * OTHER).sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("scores", "names"),
    [
        (OTHER, ()),
        (OTHER, NAMES),
        (OTHER.astype(np.float16), ()),
        (np.round(OTHER, 1), ()),
        (ONE_HOT.astype(np.float32), ()),
        (NARROW, NAMES[:14]),
    ],
)
def test_other_images_of_training_classes_validate_gamma(scores, names):
    test = matrix(names=NAMES if names else (), name="test.npz")
    choice = choose_gamma_on(test, matrix(scores, OTHER_Y, HELD, names))
    assert choice.origin == "validated"
    assert "has no images of unseen test classes according to its list of classes" in choice.note
    assert "strong added noise would not be recognised" in choice.note


def test_saturated_scores_of_other_images_are_not_taken_for_test_images():
    sharp = matrix((np.exp(60 * F) / np.exp(60 * F).sum(axis=1, keepdims=True)).astype(np.float32))
    assert share_of_test_rows(sharp, matrix(ONE_HOT.astype(np.float32), OTHER_Y, HELD)) == 0


@pytest.mark.parametrize("columns", [3, 4, 5, 8])
def test_scores_with_few_columns_are_not_taken_for_test_rows_by_chance(columns):
    rng = np.random.default_rng(columns)
    y = rng.integers(0, columns, 4000)
    halves = [matrix(draw_scores(y[k::2], columns, k), y[k::2], [0]) for k in (0, 1)]
    assert share_of_test_rows(*halves) == 0


FORMS = {
    "normal": lambda scores: scores,
    "probabilities": lambda scores: np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True),
    "rounded": lambda scores: np.round(scores, 1),
    "float16": lambda scores: (3 * scores).astype(np.float16),
}


def few_in_common(test_rows, held_rows, shared, form, seed):
    """Test and validation scores of other images; a few columns have the same names."""
    rng = np.random.default_rng(seed)
    names = [tuple(f"both {k}" if k < shared else f"{s} {k}" for k in range(C)) for s in "ab"]
    y = [
        np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
        for n_classes, n in ((C, test_rows), (C - 1, held_rows))
    ]
    scores = [2 * np.eye(C)[item] + rng.normal(size=(len(item), C)) for item in y]
    test = matrix(FORMS[form](scores[0]), y[0], [C - 1], names[0], "test.npz")
    return test, matrix(FORMS[form](scores[1]), y[1], [0], names[1]), (scores, y, names)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rows", [(20, 20), (60, 60), (30, 200)])
@pytest.mark.parametrize("shared", [3, 4])
def test_few_common_rows_and_columns_do_not_accuse_other_images(shared, rows, form):
    """Three normalised columns are points on a circle, of which some are close by chance."""
    accused = [
        seed
        for seed in range(12)
        if share_of_test_rows(*few_in_common(*rows, shared, form, seed)[:2])
    ]
    assert not accused


@pytest.mark.parametrize("shared", [3, 4])
@pytest.mark.parametrize("rows", [20, 60])
def test_copies_of_test_rows_are_found_with_few_common_columns(rows, shared):
    test, _, (scores, y, names) = few_in_common(rows, 60, shared, "normal", 0)
    seen = y[0] < C - 1
    copies = matrix(3 * scores[0][seen] + 1, y[0][seen], [0], names[1])
    assert share_of_test_rows(test, copies) > 0.9


def test_an_outlier_does_not_turn_other_rows_into_test_rows():
    """An outlier is the nearest neighbour of every point outside the cloud of rows."""
    rng = np.random.default_rng(0)
    cloud, apart = rng.normal(size=(300, 6)), np.arange(6) * 50.0
    test = matrix(np.vstack([cloud, apart]), np.arange(301) % 6, [5])
    far = matrix(apart + rng.normal(size=(200, 6)), np.arange(200) % 5, [4])
    assert share_of_test_rows(test, far) == 0


def test_classes_are_compared_by_name_not_number():
    # The names are spelled differently and in another order. The twelfth is an unseen test class;
    # the third has no images.
    names = tuple(f"Class_{(k + 3) % 15}" for k in range(15))
    y = np.repeat(np.delete(np.arange(15), 2), 10)
    test, validation = matrix(names=NAMES), matrix(draw_scores(y, 15), y, [10, 11], names)
    choice = choose_gamma_on(test, validation)
    assert choice.origin == "oracle"
    assert "1 of the 6 unseen test classes (class 14)" in choice.note


def test_unseen_test_classes_without_validation_images_make_no_oracle():
    """Unseen test classes may be candidates in validation, without images."""
    choice = choose_gamma_on(TEST, matrix(OTHER, OTHER_Y, np.r_[HELD, UNSEEN]))
    assert choice.origin == "validated"


def test_incomparable_scores_are_reported():
    choice = choose_gamma_on(TEST, matrix(NARROW, OTHER_Y, HELD))
    assert choice.origin == "validated"
    numbered = "its 14 columns and the 20 of the test scores have numbers instead of names"
    assert numbered in choice.note
    others = matrix(NARROW, OTHER_Y, HELD, tuple(f"other {k}" for k in range(14)))
    assert "have no names in common" in choose_gamma_on(matrix(names=NAMES), others).note
    report = judge(TEST, validation=matrix(NARROW, OTHER_Y, HELD))
    assert (
        f"chosen gamma: {report.gamma:.3g}, validated, as stated by the validation file"
        in report.as_text()
    )
    assert json.loads(report.to_json())["gamma_checked"] is False


def test_an_oracle_is_called_an_upper_bound_in_every_output():
    report = judge(TEST, validation=matrix(F[::2], Y[::2]))
    text, values = report.as_text(), json.loads(report.to_json())
    assert report.origin == values["gamma_origin"] == "oracle"
    assert values["gamma"] == report.gamma
    assert "this is an oracle" in values["gamma_note"]
    assert "chosen gamma: " not in text
    assert f"gamma {report.gamma:.3g}, oracle; an upper bound, not a result" in text
    assert report.reportable_gamma is None
    assert report.metrics["calibrated_harmonic"] is None
    assert report.metrics["calibrated_harmonic_per_sample"] is None
    assert report.reasons["calibrated_harmonic"].endswith("oracle; an upper bound, not a result")


def test_json_without_a_gamma_has_no_calibrated_metric():
    values = json.loads(judge(TEST).to_json())
    assert values["gamma"] is values["gamma_origin"] is None
    assert values["evaluation"]["calibrated"] is None
    assert values["evaluation"]["calibrated_per_sample"] is None
    assert values["evaluation"]["per_class"] == {}


@pytest.mark.nightly
@pytest.mark.skipif(not REAL.is_dir(), reason="needs the real score files")
@pytest.mark.parametrize("name", ["AWA1_LAGO", "CUB_XianGAN"])
def test_real_test_rows_with_a_tenth_of_noise_are_found_and_other_images_are_not(name):
    with np.load(REAL / f"{name}.npz") as content:
        scores, y, unseen = (
            content["scores"].astype(float),
            content["y"].astype(int),
            content["unseen_classes"],
        )
    rng = np.random.default_rng(4)
    rows = rng.permutation(np.flatnonzero(~np.isin(y, unseen)))
    some, false_list = rows[: len(rows) // 3], rng.permutation(np.unique(y[rows]))[:10]
    noise = 0.1 * scores.std(axis=1, keepdims=True) * rng.normal(size=scores.shape)
    noisy = matrix((scores + noise)[some], y[some], false_list)
    assert share_of_test_rows(matrix(scores, y, unseen), noisy) > 0
    rest = np.setdiff1d(np.arange(len(y)), some)
    other_scores = matrix(scores[some], y[some], false_list)
    assert share_of_test_rows(matrix(scores[rest], y[rest], unseen), other_scores) == 0


@pytest.mark.nightly
@pytest.mark.skipif(not REAL.is_dir(), reason="needs the real score files")
@pytest.mark.parametrize("name", ["AWA1_LAGO", "CUB_XianGAN"])
def test_half_of_the_real_test_images_cannot_validate_gamma(name, tmp_path, printed):
    with np.load(REAL / f"{name}.npz") as content:
        arrays = dict(content)
    arrays |= {"scores": arrays["scores"][::2], "y": arrays["y"][::2]}
    np.savez(tmp_path / "val.npz", **arrays)
    words = ["score", str(REAL / f"{name}.npz"), "--validation", str(tmp_path / "val.npz")]
    output = printed(*words, status=1)
    assert "oracle; an upper bound, not a result" in output
    assert "validated)" not in output
    assert json.loads(printed(*words, "--json", status=1))["gamma_origin"] == "oracle"
