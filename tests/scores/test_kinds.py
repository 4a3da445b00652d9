"""Kinds of score files: masked, renumbered, misnamed, and predicted classes only."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from tests.writing import write_file
from zslcore.__main__ import main
from zslcore.exceptions import FileRefusedError, ZSLError
from zslcore.metrics import harmonic_mean, mean_class_accuracy, sample_accuracy
from zslcore.numbers import signed
from zslcore.scores import ScoreFile, interpret, judge
from zslcore.scores.given_sides import find_ruled_out_sides
from zslcore.scores.judging import predictions_of_scores
from zslcore.scores.paired import compare_scores, design_of
from zslcore.scores.reading import read_scores

C, UNSEEN = 20, np.array([1, 4, 8, 11, 15, 18])
SEEN = np.setdiff1d(np.arange(C), UNSEEN)
MASK = np.isin(np.arange(C), UNSEEN)
Y = np.concatenate([np.repeat(SEEN, 12), np.repeat(UNSEEN, 40)])
OF_UNSEEN = MASK[Y]


def draw_scores(y=Y, hit=2.5, seed=0):
    rng = np.random.default_rng(seed)
    F = hit * np.eye(C)[y] + rng.normal(size=(len(y), C))
    F[:, SEEN] += 1.0
    return F


F = draw_scores()
NAMES = tuple(f"class number {k}" for k in range(C))


def read(scores=F, labels=Y, unseen=UNSEEN, names=(), fixes=()):
    return interpret(ScoreFile("own.npz", scores, labels, unseen, names), fixes)


def mask_scores(value, sides=("seen",), F=F):
    """Rule out seen classes for unseen images, or the other way round, or both."""
    result = F.astype(float).copy()
    if "seen" in sides:
        result[np.ix_(OF_UNSEEN, ~MASK)] = value
    if "unseen" in sides:
        result[np.ix_(~OF_UNSEEN, MASK)] = value
    return result


def apply_softmax(F):
    e = np.exp(F - F.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


# --- Masked by the true side ----------------------------------------------------------------------

SIDES = [("seen",), ("unseen",), ("seen", "unseen")]
MASKS = {
    "minus infinity": lambda sides: mask_scores(-np.inf, sides),
    "minus a billion": lambda sides: mask_scores(-1e9, sides),
    "minus a hundred": lambda sides: mask_scores(-100.0, sides),
    "zero among positive scores": lambda sides: mask_scores(0.0, sides, F + 50),
    "zero among scores of both signs": lambda sides: mask_scores(0.0, sides),
    "missing": lambda sides: mask_scores(np.nan, sides),
    "softmax of a mask": lambda sides: apply_softmax(mask_scores(-np.inf, sides)),
    "a billion taken off": lambda sides: F - 1e9 * (mask_scores(-np.inf, sides) == -np.inf),
    "float32": lambda sides: mask_scores(-1e9, sides).astype(np.float32),
    "sharp softmax": lambda sides: apply_softmax(9 * mask_scores(-np.inf, sides)).astype("f4"),
}


@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("name", MASKS)
def test_scores_masked_by_the_true_side_are_reported_as_not_gzsl(name, sides):
    matrix, values = read(MASKS[name](sides))
    assert values == ()
    report = judge(matrix)
    assert report.evaluation.plain is None
    assert report.metrics["plain_harmonic"] is report.metrics["auroc"] is None
    assert report.metrics["ausuc"] is None
    whole = judge(read()[0]).metrics
    assert report.metrics["zsl"] == pytest.approx(whole["zsl"], abs=1e-12)
    assert report.metrics["separate_harmonic"] == pytest.approx(whole["separate_harmonic"])
    text = report.as_text()
    assert "Not comparable with GZSL" in text
    assert "at gamma = 0" not in text
    with pytest.raises(ZSLError, match="gamma changes nothing here"):
        judge(matrix, gamma=0.1)


def mask_by_detector(share):
    """Mask by a detector that is right for a share of the images."""
    right = np.random.default_rng(0).random(len(Y)) < share
    rows = np.where(right, OF_UNSEEN, ~OF_UNSEEN)
    result = F.copy()
    result[np.ix_(rows, ~MASK)] = -np.inf
    return result


NOT_GIVEN = {
    "normal": F,
    "seen columns ruled out everywhere": np.where(MASK, F, -1e9),
    "one seen column ruled out everywhere": np.where(np.arange(C) == 3, -np.inf, F),
    "a detector that is right in 97 %": mask_by_detector(0.97),
    "biased to unseen classes": F + 100 * MASK,
    "biased to seen classes": F - 100 * MASK,
    "saturated softmax": apply_softmax(60 * draw_scores(hit=9)).astype("f2"),
    "a model that is always right": apply_softmax(60 * draw_scores(hit=40)).astype("f4"),
}


@pytest.mark.parametrize("name", NOT_GIVEN)
def test_other_scores_are_not_called_masked(name):
    assert find_ruled_out_sides(NOT_GIVEN[name], Y, ~MASK) == ()


def test_two_columns_per_side_are_not_called_masked():
    """Two classes may by chance both have lower scores than all classes of the other side."""
    y = np.repeat(np.arange(4), 30)
    rng = np.random.default_rng(0)
    own = 5.0 * ((np.arange(4) >= 2) == (y >= 2)[:, None])
    assert find_ruled_out_sides(own + rng.random((120, 4)), y, np.array([1, 1, 0, 0], bool)) == ()


def test_other_missing_scores_are_refused():
    odd = F.copy()
    odd[5, 3] = np.nan
    with pytest.raises(ZSLError, match="got nan in row 5, column 3"):
        read(odd)


def test_masked_validation_scores_choose_no_gamma():
    y = np.repeat(SEEN, 20)
    scores = draw_scores(y, seed=5)
    held_out = SEEN[:4]
    of_held = np.isin(y, held_out)
    scores[np.ix_(of_held, ~np.isin(np.arange(C), held_out))] = -np.inf
    validation, _ = read(scores, y, held_out)
    with pytest.raises(ZSLError, match="validation scores of every image among all classes"):
        judge(read()[0], validation=validation)


# --- Labels counted within a side -----------------------------------------------------------------

PLACE = np.empty(C, dtype=int)
PLACE[SEEN], PLACE[UNSEEN] = np.arange(len(SEEN)), np.arange(len(UNSEEN))
ORDER = np.random.default_rng(3).permutation(len(Y))
BLOCKS = np.concatenate(
    [np.random.default_rng(4).permutation(np.flatnonzero(side)) for side in (~OF_UNSEEN, OF_UNSEEN)]
)
BY_CLASS = np.argsort(Y, kind="stable")
ROWS = {
    "sorted by class": BY_CLASS,
    "seen, then unseen, sorted": np.arange(len(Y)),
    "unseen, then seen": np.roll(np.arange(len(Y)), int(OF_UNSEEN.sum())),
    "seen, then unseen, shuffled": BLOCKS,
    "unseen alone": np.flatnonzero(OF_UNSEEN),
}


def renumber_labels(rows, which, first):
    y = Y[rows]
    counted = PLACE[y] + first
    return counted if which == "both" else np.where(MASK[y] == (which == "unseen"), counted, y)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("which", ["unseen", "seen", "both"])
@pytest.mark.parametrize("rows", ROWS)
def test_labels_within_a_side_raise_a_question_with_two_readings(rows, which, first):
    rows = ROWS[rows]
    labels = renumber_labels(rows, which, first)
    matrix, values = read(F[rows], labels)
    if (labels == Y[rows]).all():  # there are no images of the renumbered side
        assert values == ()
        return
    assert matrix is None
    assert [question.fix for question in values] == ["within-sides"]
    right = judge(read(F[rows], Y[rows])[0]).evaluation
    u = right.plain.unseen if right.plain else mean_class_accuracy(Y[rows], F[rows].argmax(axis=1))
    text = float(re.findall(r"u ([0-9.]+) %", values[0].sentence)[1])
    assert text == pytest.approx(100 * u, abs=1)  # a row at a border may be misassigned
    mended, _ = read(F[rows], labels, fixes=["within-sides"])
    assert (mended.y == Y[rows]).mean() > 0.99
    assert any("Labels were renumbered" in remark for remark in mended.remarks)
    assert read(F[rows], labels, fixes=["as-is"])[0] is not None or which == "unseen alone"


def test_seen_classes_counted_first_are_recognised():
    labels = np.argsort(np.concatenate([SEEN, UNSEEN]))[Y]
    _, values = read(F, labels)
    assert [question.fix for question in values] == ["within-sides"]
    mended, _ = read(F, labels, fixes=["within-sides"])
    np.testing.assert_array_equal(mended.y, Y)


def test_labels_of_mixed_rows_raise_a_question():
    labels = renumber_labels(ORDER, "unseen", 0)
    _, values = read(F[ORDER], labels)
    assert [question.fix for question in values] == ["within-sides"]
    assert "mixed" in values[0].sentence
    with pytest.raises(ZSLError, match="do not show which images belong to unseen"):
        read(F[ORDER], labels, fixes=["within-sides"])


RIGHT = {
    "as they are": (F, Y),
    "chance": (np.random.default_rng(0).normal(size=F.shape), Y),
    "biased to seen classes": (F - 30 * MASK, Y),
    "some unseen classes without images": (F[~np.isin(Y, UNSEEN[3:])], Y[~np.isin(Y, UNSEEN[3:])]),
    "low classes alone": (F[Y < 6], Y[Y < 6]),
    "weak": (draw_scores(hit=0.8), Y),
    "weak, some unseen classes without images": (draw_scores(hit=0.8)[Y < 12], Y[Y < 12]),
}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("mixed", [False, True])
def test_labels_that_are_column_numbers_raise_no_question(name, mixed):
    scores, labels = RIGHT[name]
    order = np.random.default_rng(9).permutation(len(labels)) if mixed else slice(None)
    assert read(scores[order], labels[order])[1] == ()


@pytest.mark.parametrize("name", ["AWA1_LAGO", "CUB_XianGAN"])
def test_real_scores_with_labels_within_a_side(shared, name):
    with np.load(shared / "data" / "gzsl_scores" / f"{name}.npz") as content:
        scores, y, unseen = content["scores"], content["y"].astype(int), content["unseen_classes"]
    place = np.searchsorted(np.sort(unseen), y)
    labels = np.where(np.isin(y, unseen), place, y)
    _, values = read(scores, labels, unseen)
    assert [question.fix for question in values] == ["within-sides"]
    mended, _ = read(scores, labels, unseen, fixes=["within-sides"])
    assert (mended.y == y).mean() > 0.99
    masked = scores.copy()
    masked[np.ix_(np.isin(y, unseen), ~np.isin(np.arange(scores.shape[1]), unseen))] = -1e9
    assert judge(read(masked, y, unseen)[0]).evaluation.plain is None


# --- Names and columns ----------------------------------------------------------------------------


def test_a_wrong_number_of_class_names_raises_a_question():
    names = (*NAMES[:7], f"{NAMES[7]},{NAMES[8]}", *NAMES[9:])
    matrix, values = read(names=names)
    assert matrix is None
    assert values[0].open
    assert "19 class names for 20 columns" in values[0].sentence
    assert "may be two names" in values[0].sentence
    assert read(names=names, fixes=["unnamed"])[0].digest == read()[0].digest


TWICE = (*NAMES[:4], "missile", *NAMES[5:8], "missile", *NAMES[9:])


def test_columns_that_share_a_name_are_distinguished_by_number():
    matrix, (question,) = read(names=TWICE)
    assert matrix is None
    assert not question.open
    assert "columns 4, 8 share the name 'missile'" in question.sentence
    matrix, values = read(names=TWICE, fixes=["as-is"])
    assert values == ()
    assert matrix.class_names[4] == "missile (column 4)"
    assert matrix.class_names[8] == "missile (column 8)"
    assert any("share their name" in remark for remark in matrix.remarks)
    assert matrix.digest == read()[0].digest


@pytest.mark.parametrize("part", ["labels", "unseen"])
def test_a_shared_name_identifies_no_column(part):
    arguments = {"labels": Y, "unseen": UNSEEN} | {
        part: [TWICE[k] for k in (Y if part == "labels" else UNSEEN)]
    }
    matrix, values = read(names=TWICE, **arguments)
    assert matrix is None
    assert values[0].open
    assert "columns 4, 8 share the name 'missile'" in values[0].sentence


@pytest.mark.parametrize("numbered", [False, True])
def test_columns_of_one_name_may_be_one_class(numbered):
    names, labels = (*NAMES, NAMES[4]), [NAMES[k] for k in Y]
    wide = np.column_stack([F, F[:, 4] + np.random.default_rng(0).normal(size=len(F))])
    unseen = [NAMES[k] for k in UNSEEN]
    if numbered:
        labels, unseen = np.where(Y == 4, C, Y), UNSEEN
    assert read(wide, labels, unseen, names)[1][0].fix == "same-class"
    merged, _ = read(wide, labels, unseen, names, ["same-class"])
    np.testing.assert_array_equal(merged.F[:, 4], np.maximum(wide[:, 4], wide[:, -1]))
    np.testing.assert_array_equal(merged.y, Y)


def test_two_columns_with_spellings_of_one_name_raise_a_question():
    names = (*NAMES[:-1], "Class_Number_3")
    matrix, values = read(names=names)
    assert matrix is None
    assert values[0].fix == "same-class"
    assert not values[0].open
    assert "columns 3, 19 are called 'class number 3' and 'Class_Number_3'" in values[0].sentence
    assert read(names=names, fixes=["as-is"])[0].digest == read()[0].digest
    merged, _ = read(names=names, fixes=["same-class"])
    np.testing.assert_array_equal(merged.F[:, 3], np.maximum(F[:, 3], F[:, 19]))
    assert merged.class_names == NAMES[:-1]


def test_labels_may_be_spelt_differently_from_class_names():
    labels = [NAMES[k].title().replace(" ", "_") for k in Y]
    assert read(labels=labels, names=NAMES)[0].digest == read()[0].digest


# --- Pure zero-shot -------------------------------------------------------------------------------


COUNTS = pd.DataFrame(np.histogram2d(Y, F.argmax(1), bins=C)[0].astype(int), NAMES, NAMES)
ROWS_OF_CLASSES = {
    "counts": COUNTS,
    "shares of rows": COUNTS.div(COUNTS.sum(axis=1), axis=0),
    "percent of columns": (100 * COUNTS / COUNTS.sum()).round(1),
    "similarities": COUNTS.corr(),
    "means": pd.DataFrame(F, columns=NAMES).groupby(np.array(NAMES)[Y]).mean(),
}


@pytest.mark.parametrize(  # counts below the title "label" are read, see tests.verdicts
    ("name", "index"),
    [
        (name, i)
        for name in ROWS_OF_CLASSES
        for i in (True, False)
        if (name, i) != ("counts", False)
    ],
)
def test_a_confusion_matrix_is_refused_as_scores(tmp_path, name, index):
    """Read as scores, it would give nearly 100 %."""
    table = ROWS_OF_CLASSES[name]
    table = table if index else table.assign(label=table.index)
    table.to_csv(tmp_path / "own.csv", index=index)
    file = read_scores(tmp_path / "own.csv", unseen=[NAMES[k] for k in UNSEEN])
    with pytest.raises(ZSLError, match="one row for each of 20 classes, as in a confusion matrix"):
        interpret(file)
    assert interpret(file, ["as-is"])[0] is not None


@pytest.mark.parametrize("form", ["prob_{}", "score: {}", "decimal commas"])
def test_a_table_of_another_program_gives_the_same_numbers(tmp_path, form):
    table, path = (
        pd.DataFrame(F, columns=NAMES).assign(label=np.array(NAMES)[Y]),
        tmp_path / "s.csv",
    )
    unseen = [NAMES[c] for c in UNSEEN]
    table.to_csv(path, index=False)
    expected = judge(interpret(read_scores(path, unseen=unseen))[0]).metrics
    if form == "decimal commas":
        table.to_csv(path, index=False, sep=";", decimal=",")
    else:
        table.rename(columns={name: form.format(name) for name in NAMES}).to_csv(path, index=False)
    scores, _ = interpret(read_scores(path, unseen=unseen))
    assert judge(scores).metrics["plain_harmonic"] == expected["plain_harmonic"]
    assert scores.class_names == NAMES
    assert bool(scores.remarks) == (form != "decimal commas")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("form", ["{}", "prob_class_{}", "score {}"])
def test_numbered_columns_are_matched_by_number(tmp_path, kind, first, form):
    """Columns may be sorted as text, with class 10 after class 1."""
    table = pd.DataFrame(np.float32(F), columns=[form.format(k + first) for k in range(C)])
    table = table[sorted(table)].assign(label=Y + first, video_id=np.arange(len(Y)) % 7)
    path = tmp_path / f"own.{kind}"
    (table.to_csv if kind == "csv" else table.to_parquet)(path, index=False)
    matrix, request = interpret(read_scores(path, unseen=[str(c + first) for c in UNSEEN]))
    assert request == ()
    np.testing.assert_allclose(matrix.F, np.float32(F), rtol=1e-6)
    np.testing.assert_array_equal(matrix.y, Y)
    np.testing.assert_array_equal(matrix.seen, ~MASK)


def test_numbered_columns_may_be_some_classes_of_a_larger_set(tmp_path):
    table = pd.DataFrame(F[OF_UNSEEN][:, UNSEEN[::-1]], columns=UNSEEN[::-1] + 100)
    table.assign(label=Y[OF_UNSEEN] + 100).to_csv(tmp_path / "own.csv", index=False)
    report = judge(interpret(read_scores(tmp_path / "own.csv", unseen=["all"]))[0])
    assert report.metrics["zsl"] == pytest.approx(judge(read()[0]).metrics["zsl"])
    assert report.matrix.class_names == tuple(map(str, UNSEEN + 100))


def test_named_unseen_classes_are_unaffected_by_labels_counted_from_1():
    arguments = {"labels": Y + 1, "unseen": [NAMES[k] for k in UNSEEN], "names": NAMES}
    _, (question,) = read(**arguments)
    assert question.fix == "labels-from-1"
    assert read(**arguments, fixes=["labels-from-1"])[0].digest == read()[0].digest


@pytest.mark.parametrize(
    "form", ["csv", "numbers", "parquet", "text", "other folder", "no suffix", "of a number"]
)
def test_labels_of_another_file_follow_the_names_of_the_images(tmp_path, form):
    images = np.arange(len(Y)) if form == "numbers" else [f"a/{k}.jpg" for k in range(len(Y))]
    table, labels = pd.DataFrame(np.float32(F), columns=NAMES).assign(id=images), tmp_path / "y.csv"
    path = tmp_path / ("own.parquet" if form == "parquet" else "own.csv")
    (table.to_parquet if form == "parquet" else table.to_csv)(path, index=False)
    rows = pd.DataFrame({"id": images, "label": np.array(NAMES)[Y]})[::-1]
    if form == "other folder":
        rows["id"] = rows["id"].str.replace("a/", "b/c/")
    elif form == "no suffix":
        rows["id"] = rows["id"].str.replace("a/(.*).jpg", r"\1.PNG", regex=True)
    elif form == "of a number":
        rows["id"] = rows["id"].str.replace("a/(.*).jpg", r"000\1", regex=True)
    more = rows[:1].assign(id=len(Y) if form == "numbers" else "a/more.jpg")

    def written(rows):
        rows.to_csv(labels, index=False, header=form != "text")
        return read_scores(path, labels=labels, unseen=[NAMES[k] for k in UNSEEN])

    for item in (rows, pd.concat([rows, more])):
        np.testing.assert_array_equal(interpret(written(item))[0].y, Y)
    with pytest.raises(ZSLError, match=r"every image of own\..*; got none called '(0|.*0\.jpg)'"):
        written(rows[:-1])
    if form == "csv":
        with pytest.raises(ZSLError, match=r"y.csv, id: expected the image names of own.csv"):
            written(rows.assign(id=[f"picture {k}" for k in range(len(Y))]))


def test_a_class_listed_as_seen_and_as_unseen_is_refused(tmp_path):
    lists = {"numbers": (SEEN, UNSEEN), "marks": (~MASK, MASK)}
    lists["names"] = tuple(np.array(NAMES)[numbers] for numbers in lists["numbers"])
    for kind, (seen, unseen) in lists.items():
        file = {"scores": F, "y": Y, "class_names": NAMES, "seen_classes": seen}
        np.savez(tmp_path / "own.npz", **file, unseen_classes=unseen)
        assert interpret(read_scores(tmp_path / "own.npz"))[0].seen.sum() == len(SEEN), kind
        both = unseen | (np.arange(C) == 0) if kind == "marks" else np.append(unseen, seen[0])
        with pytest.raises(ZSLError, match="expected every class on one side; got 1 among"):
            read_scores(write_file(tmp_path / "own.npz", {**file, "unseen_classes": both}))


def test_two_further_columns_with_the_largest_values_are_refused(tmp_path):
    """A single such column at the end raises a question."""
    table = pd.DataFrame(F, columns=NAMES).assign(label=np.array(NAMES)[Y])
    table = table.assign(latency=np.linspace(50, 60.5, len(Y)), area=F[:, 0] ** 2)
    file = read_scores(write_file(tmp_path / "own.csv", table), unseen=[NAMES[k] for k in UNSEEN])
    with pytest.raises(ZSLError, match=r"100.0 % .* \('latency', 'area'\)"):
        interpret(file)
    assert interpret(file, ["as-is"])[0] is not None
    of_unseen = ScoreFile("own.csv", F[OF_UNSEEN], Y[OF_UNSEEN], UNSEEN)
    assert interpret(of_unseen)[0] is not None  # images of unseen classes only


def test_a_common_prefix_of_class_names_is_kept(tmp_path):
    names = [f"bird {name}" for name in NAMES]
    table = pd.DataFrame(F, columns=names).assign(label=np.array(names)[Y])
    assert [*read_scores(write_file(tmp_path / "s.csv", table)).class_names] == names


@pytest.mark.parametrize("images", [slice(None), ~OF_UNSEEN, OF_UNSEEN])
def test_predicted_classes_without_seen_classes_have_an_accuracy(tmp_path, capsys, images):
    labels, predicted = Y[images], F.argmax(1)[images]
    table = pd.DataFrame({"label": labels, "predicted": predicted})
    table.to_csv(tmp_path / "p.csv", index=False)
    report = judge(interpret(read_scores(tmp_path / "p.csv", unseen=("all",)))[0])
    assert report.evaluation.zsl == pytest.approx(mean_class_accuracy(labels, predicted))
    assert report.evaluation.plain is None
    assert main(["check", str(tmp_path / "p.csv"), "--unseen", "all"]) == 3  # unknown classes
    out = capsys.readouterr().out
    assert f"ZSL accuracy {100 * report.evaluation.zsl:.1f} %" in out
    assert "more than one way" not in out


def test_predicted_classes_of_unseen_images_alone_have_u(tmp_path):
    table = pd.DataFrame({"label": Y[OF_UNSEEN], "predicted": F.argmax(1)[OF_UNSEEN]})
    table.to_csv(tmp_path / "p.csv", index=False)
    unseen = [str(c) for c in UNSEEN]
    report = judge(interpret(read_scores(tmp_path / "p.csv", unseen=unseen))[0])
    u = mean_class_accuracy(Y[OF_UNSEEN], F.argmax(1)[OF_UNSEEN])
    assert report.metrics["plain_unseen"] == pytest.approx(u)
    assert f"u {100 * u:.1f} % (per class): no image belongs to a seen class" in report.headline


@pytest.mark.parametrize("how", ["all", "fix"])
def test_all_classes_may_be_unseen(how):
    arguments = {"unseen": ["all"]} if how == "all" else {"unseen": None, "fixes": ["all-unseen"]}
    report = judge(read(**arguments)[0])
    answers = F.argmax(axis=1)
    assert report.evaluation.zsl == pytest.approx(mean_class_accuracy(Y, answers))
    assert report.evaluation.zsl_per_sample == pytest.approx(sample_accuracy(Y, answers))
    text = report.as_text()
    assert f"Accuracy {100 * mean_class_accuracy(Y, answers):.1f} % (per class)" in text
    assert text.count("-\n") <= 3


def test_missing_unseen_classes_raise_a_question():
    matrix, (question,) = read(unseen=None)
    assert matrix is None
    assert question.open
    assert "--unseen all" in question.sentence


# --- Predicted classes ----------------------------------------------------------------------------

PREDICTED = F.argmax(axis=1)


def expected_figures():
    u, s = (mean_class_accuracy(Y[rows], PREDICTED[rows]) for rows in (OF_UNSEEN, ~OF_UNSEEN))
    a, b = (sample_accuracy(Y[rows], PREDICTED[rows]) for rows in (OF_UNSEEN, ~OF_UNSEEN))
    return {
        "plain_unseen": u,
        "plain_seen": s,
        "plain_harmonic": harmonic_mean(s, u),
        "plain_unseen_per_sample": a,
        "plain_seen_per_sample": b,
        "plain_harmonic_per_sample": harmonic_mean(b, a),
    }


def check_predicted(report):
    for name, value in expected_figures().items():
        assert report.metrics[name] == pytest.approx(value, abs=1e-12), name
    for name in ("zsl", "ausuc", "best_harmonic", "separate_harmonic", "auroc", "fpr95"):
        assert report.metrics[name] is None, name
    assert report.oracle is None
    text = report.as_text()
    assert f"u {100 * expected_figures()['plain_unseen']:.1f} %" in text
    assert "need the scores of every class" in text
    assert np.isfinite(report.intervals.to_numpy()).all()
    assert json.loads(report.to_json())["evaluation"]["zsl"] is None


HEADERS = [
    *(("y_true", "y_pred"), ("label", "prediction"), ("gt", "pred"), ("Target", "Predicted")),
    *(("true_label", "predicted_label"), ("actual", "predicted"), ("class", "top1")),
    ("truth", "response"),
]


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("extra", [False, True])
def test_a_table_of_true_and_predicted_classes(tmp_path, header, named, extra):
    columns = [[NAMES[k] for k in item] if named else item for item in (Y, PREDICTED)]
    table = pd.DataFrame(dict(zip(header, columns, strict=True)))
    if extra:
        table["confidence"] = np.random.default_rng(0).random(len(Y))
        table.insert(0, "filename", [f"{k}.jpg" for k in range(len(Y))])
    table.to_csv(tmp_path / "pred.csv", index=extra)
    unseen = [NAMES[k] if named else str(k) for k in UNSEEN]
    matrix, request = interpret(read_scores(tmp_path / "pred.csv", unseen=unseen))
    assert request == ()
    check_predicted(judge(matrix))
    assert any("'confidence'" in remark for remark in matrix.remarks) == extra


ARRAYS = {
    "npz": lambda path: np.savez(path, y_true=Y, y_pred=PREDICTED, unseen_classes=UNSEEN),
    "other names.npz": lambda path: np.savez(path, labels=Y, predictions=PREDICTED, unseen=UNSEEN),
    "names.npz": lambda path: np.savez(
        path,
        y=np.array(NAMES)[Y],
        pred=np.array(NAMES)[PREDICTED],
        unseen_classes=np.array(NAMES)[UNSEEN],
    ),
    "numbers with names.npz": lambda path: np.savez(
        path, y=Y, pred=PREDICTED, unseen=UNSEEN, class_names=np.array(NAMES)
    ),
    "mat": lambda path: savemat(path, {"y_true": Y, "y_pred": PREDICTED, "unseen": UNSEEN}),
    "parquet": lambda path: pd.DataFrame({"y_true": Y, "y_pred": PREDICTED}).to_parquet(path),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_true_and_predicted_classes(tmp_path, name):
    path = tmp_path / f"own.{name}"
    ARRAYS[name](path)
    unseen = list(map(str, UNSEEN)) if name == "parquet" else None
    matrix, request = interpret(read_scores(path, unseen=unseen))
    assert request == ()
    check_predicted(judge(matrix))


@pytest.mark.parametrize("labels", [np.eye(C)[Y], np.eye(C, dtype="u1")[Y], Y.astype(str)])
def test_labels_may_be_one_hot_rows_or_numbers_as_text(tmp_path, labels):
    parts = {"scores": F, "unseen_classes": UNSEEN}
    for names in ({}, {"class_names": np.array(NAMES)}):
        np.savez(tmp_path / "own.npz", y=labels, **parts, **names)
        matrix, _ = interpret(read_scores(tmp_path / "own.npz"))
        np.testing.assert_array_equal(matrix.y, Y)
    with pytest.raises(ZSLError, match="variable 'y': expected one label per image, or one 1"):
        read_scores(write_file(tmp_path / "own.npz", {"y": np.eye(C)[Y] + np.eye(C)[0], **parts}))


def test_columns_named_by_digits_are_matched_by_name():
    names = tuple(map(str, np.arange(C)[::-1]))
    matrix, _ = read(scores=F[:, ::-1], labels=Y.astype(str), names=names, unseen=UNSEEN)
    np.testing.assert_array_equal(matrix.y, C - 1 - Y)


@pytest.mark.parametrize("word", ["", "unknown", "N/A"])
def test_an_image_without_a_predicted_class_is_refused(word):
    labels, unseen = np.array(NAMES)[Y], np.array(NAMES)[UNSEEN]
    predicted = np.array(NAMES)[PREDICTED]
    predicted[::10] = word
    file = ScoreFile("p.csv", None, labels, unseen, predicted=predicted)
    with pytest.raises(ZSLError, match=f"class for every image; got '{word}' for 41 of 408"):
        interpret(file)
    named = np.where(labels == NAMES[0], "unknown", labels)  # "unknown" now names a class
    again = np.where(predicted == word, "unknown", predicted)
    assert interpret(ScoreFile("p.csv", None, named, unseen, predicted=again))[0] is not None


@pytest.mark.parametrize("sign", [";", "\t"])
def test_a_table_may_have_another_delimiter(tmp_path, sign):
    table = pd.DataFrame(F, columns=[f"c, {k}" for k in range(C)])
    table.insert(0, "label", [f"c, {k}" for k in Y])
    result = []
    for item in (",", sign):
        path = tmp_path / ("own.tsv" if item == "\t" else "own.csv")
        table.to_csv(path, index=False, sep=item)
        unseen = [f"c, {k}" for k in UNSEEN]
        result.append(interpret(read_scores(path, unseen=unseen))[0].digest)
    assert result[0] == result[1]


def test_an_array_of_predicted_classes_with_labels(tmp_path):
    np.save(tmp_path / "pred.npy", PREDICTED)
    np.save(tmp_path / "y.npy", Y)
    file = read_scores(tmp_path / "pred.npy", labels=tmp_path / "y.npy", unseen=[*map(str, UNSEEN)])
    check_predicted(judge(interpret(file)[0]))


@pytest.mark.parametrize(("y", "answers"), [(0, 1), (1, 0)])
def test_predicted_classes_counted_in_another_way_are_refused(y, answers):
    file = ScoreFile("p.csv", None, Y + y, UNSEEN, predicted=PREDICTED + answers)
    with pytest.raises(ZSLError, match="are right as numbered, and .* counted from 0") as refusal:
        interpret(file)
    first, second = ("labels", "predicted classes")[:: answers - y]
    assert f"if {first} are counted from 0 and {second} from 1" in str(refusal.value)
    assert interpret(file, ["as-is"])[0] is not None


@pytest.mark.parametrize("answer", range(C))
def test_predictions_of_a_single_class_are_not_called_miscounted(answer):
    y = np.r_[Y, np.full(9 * len(Y), (answer - 1) % C)]
    file = ScoreFile("p.csv", None, y, UNSEEN, predicted=np.full(len(y), answer))
    assert interpret(file)[0] is not None


@pytest.mark.parametrize("share", [0.0, 0.1])
def test_poor_predictions_are_not_called_miscounted(share):
    rng = np.random.default_rng(4)
    poor = np.where(rng.random(len(Y)) < share, Y, rng.integers(C, size=len(Y)))
    assert interpret(ScoreFile("p.csv", None, Y, UNSEEN, predicted=poor))[0] is not None


def test_predicted_classes_of_other_names_are_refused():
    file = ScoreFile(
        "p.csv",
        None,
        np.array(NAMES)[Y],
        np.array(NAMES)[UNSEEN],
        predicted=np.array([f"a photo of a {NAMES[k]}" for k in PREDICTED]),
    )
    with pytest.raises(ZSLError, match="such as 'class number 0' and predicted classes such as 'a"):
        interpret(file)
    assert interpret(file, ["as-is"])[0] is not None
    all_seen = SEEN[F[OF_UNSEEN][:, SEEN].argmax(axis=1)]
    file = ScoreFile("p.csv", None, Y[OF_UNSEEN], UNSEEN, predicted=all_seen)
    assert interpret(file)[0] is not None


def test_labels_in_place_of_predictions_are_reported():
    question = "does the file contain labels instead of predictions?"
    for predicted, expected in ((Y, True), (PREDICTED, False)):
        matrix, _ = interpret(ScoreFile("p.csv", None, Y, UNSEEN, predicted=predicted))
        assert any(question in remark for remark in matrix.remarks) == expected


@pytest.mark.parametrize(
    "titles",
    [
        ["True Label", "Predicted Label"],
        ["true-label", "predicted-label"],
        ["yTrue", "yPred"],
        ["GT_class", "pred_class"],
        ["y_test", "pred_1", "score_1", "pred_2", "score_2"],
        ["label", "top1", "top2"],
        ["gt", "top1_pred", "top2_pred", "prob_1", "prob_2"],
    ],
)
@pytest.mark.parametrize("named", [False, True])
def test_column_titles_of_other_programs_are_recognised(tmp_path, titles, named):
    best = np.argsort(-F, axis=1)[:, :2]
    ranked = iter(best.T)
    columns = [F.max(1) if t.startswith(("score", "prob")) else None for t in titles]
    columns = [next(ranked) if c is None and k else c for k, c in enumerate(columns)]
    columns[0] = Y
    if named:
        columns = [np.array(NAMES)[c] if c.dtype.kind == "i" else c for c in columns]
    table = pd.DataFrame(dict(zip(titles, columns, strict=True)))
    table.to_csv(tmp_path / "own.csv", index=False)
    unseen = [NAMES[k] if named else str(k) for k in UNSEEN]
    report = judge(interpret(read_scores(tmp_path / "own.csv", unseen=unseen))[0])
    assert report.matrix.predicted_rows.limits == "predicted classes"
    expected = expected_figures()["plain_harmonic"]
    assert report.metrics["plain_harmonic"] == pytest.approx(expected)


def test_names_and_numbers_mixed_are_refused(tmp_path):
    table = pd.DataFrame({"y_true": [NAMES[k] for k in Y], "y_pred": PREDICTED})
    file = read_scores(write_file(tmp_path / "pred.csv", table), unseen=[NAMES[k] for k in UNSEEN])
    with pytest.raises(ZSLError, match="all as names or all as numbers"):
        interpret(file)


# --- Refused files --------------------------------------------------------------------------------


def of_runs(columns):
    """Three shuffled copies of the images; their common H would be that of the mean run."""
    run = pd.DataFrame(columns).assign(label=Y)
    return pd.concat([run.sample(frac=1, random_state=seed).assign(seed=seed) for seed in range(3)])


def of_pairs(images):
    """One row per image and class: without scores, one in C "predictions" would be right."""
    columns = {"id": np.repeat(images, C), "label": np.repeat([NAMES[k] for k in Y], C)}
    return pd.DataFrame(columns | {"class": np.tile(NAMES, len(Y))})


RUNS, PAIRS = "the same 408 labels for each of 3 values of 'seed'", f"got {C} for each 'id'"
NO_LABELS = "got scores alone"
SIDES = {"scores_seen": F[:9, SEEN], "scores_unseen": F[:, UNSEEN], "y": Y}
EMBEDDINGS = pd.DataFrame({"class": NAMES[:4], "fur": [0.5, 1, 0, 0], "tail": [1, 0, 0.5, 1]})
REFUSED = {
    "no titles": ("pred.csv", "0,0\n1,1\n0,1\n", "expected column names"),
    "titles alone": ("pred.csv", "y_true,y_pred\n", "expected a table with"),
    "a short line": ("own.csv", "label,a,b\n0,1,2\n1,2\n", "line 3: expected 3 fields; got 2"),
    "lines of words": ("p.txt", "a.jpg cat dog\n", "as .csv with the titles label and predicted"),
    "runs with scores": ("own.csv", of_runs(dict(zip(NAMES, F.T, strict=True))), RUNS),
    "runs with predictions": ("own.csv", of_runs({"pred": F.argmax(axis=1)}), RUNS),
    "pairs of numbered images": ("own.csv", of_pairs(np.arange(len(Y))), PAIRS),
    "pairs of images": ("own.csv", of_pairs([f"{k}.jpg" for k in range(len(Y))]), PAIRS),
    "class embeddings": ("own.csv", EMBEDDINGS, "one row per class and no column"),
    "whole scores": ("own.npy", np.eye(C)[Y], NO_LABELS),
    "a constant column": ("own.npy", np.insert(F[:, 1:], 0, 0.0, axis=1), NO_LABELS),
    "columns of different images": ("own.npz", SIDES, "got 9 and 408 rows"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_without_one_row_per_image_is_refused_with_the_reason(tmp_path, name):
    file, content, message = REFUSED[name]
    with pytest.raises(FileRefusedError, match=re.escape(message)):
        read_scores(write_file(tmp_path / file, content), unseen=["1"])


def test_a_single_number_is_refused_as_a_list_of_unseen_classes(tmp_path):
    np.savez(tmp_path / "own.npz", scores=F, y=Y, unseen_classes=np.array(6))
    with pytest.raises(ZSLError, match="column of whole numbers; got a single value"):
        read_scores(tmp_path / "own.npz")


# --- Texts without titles -------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "txt", "dat", "out", ""])
@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
@pytest.mark.parametrize("comment", ["", "scores of the third run"])
def test_a_matrix_without_titles_is_read_in_a_text_of_any_ending(
    tmp_path, ending, separator, comment
):
    path = tmp_path / f"scores.{ending}".rstrip(".")
    np.savetxt(path, F, fmt="%.6f", delimiter=separator, header=comment)
    np.savetxt(tmp_path / "y.lst", Y, fmt="%d")
    file = read_scores(path, labels=tmp_path / "y.lst", unseen=[*map(str, UNSEEN)])
    assert np.allclose(file.scores, F, atol=1e-5)
    assert judge(interpret(file)[0]).metrics == judge(read(np.float32(F.round(6)))[0]).metrics


def test_a_matrix_without_titles_may_have_decimal_commas(tmp_path):
    lines = [";".join(f"{value:.6f}".replace(".", ",") for value in row) for row in F]
    (tmp_path / "scores.csv").write_text("\n".join(lines))
    np.save(tmp_path / "y.npy", Y)
    file = read_scores(tmp_path / "scores.csv", labels=tmp_path / "y.npy", unseen=["1"])
    assert np.allclose(file.scores, F, atol=1e-5)


@pytest.mark.parametrize("name", ["scores.txt", "scores.csv", "scores.npy"])
@pytest.mark.parametrize("position", [0, C])
@pytest.mark.parametrize("with_file", [False, True])
def test_labels_may_be_the_first_or_last_column_of_a_matrix(tmp_path, name, position, with_file):
    both = np.insert(F, position, Y, axis=1)
    path, labels = tmp_path / name, tmp_path / "y.npy"
    np.save(path, both) if name.endswith("npy") else np.savetxt(path, both, delimiter=",")
    np.save(labels, Y)
    file = read_scores(path, labels=labels if with_file else None, unseen=["1"])
    assert np.array_equal(file.labels, Y)
    assert np.allclose(file.scores, F, atol=1e-5)
    assert "read as the labels" in " ".join(file.remarks)


@pytest.mark.parametrize("separator", [",", " "])
@pytest.mark.parametrize("first", ["{}", "images/{}.jpg"])
@pytest.mark.parametrize("with_labels", [False, True])
def test_a_first_column_that_names_or_numbers_images_is_no_class(
    tmp_path, separator, first, with_labels
):
    rows = [[first.format(k), *map("{:.6f}".format, row)] for k, row in enumerate(F)]
    if with_labels:
        rows = [[*row, str(label)] for row, label in zip(rows, Y, strict=True)]
    (tmp_path / "scores.csv").write_text("\n".join(map(separator.join, rows)))
    np.save(tmp_path / "y.npy", Y)
    file = read_scores(tmp_path / "scores.csv", labels=tmp_path / "y.npy", unseen=["1"])
    assert np.allclose(file.scores, F, atol=1e-5)


@pytest.mark.parametrize("separator", [",", " ", "\t"])
@pytest.mark.parametrize("ending", ["csv", "txt"])
def test_titles_may_be_a_comment_as_numpy_writes_them(tmp_path, ending, separator):
    path, predicted = tmp_path / f"pred.{ending}", F.argmax(axis=1)
    titles = f"y_true{separator}y_pred"
    np.savetxt(path, np.c_[Y, predicted], fmt="%d", delimiter=separator, header=titles)
    if ending == "csv" and separator == " ":
        path = path.rename(tmp_path / "pred.dat")
    file = read_scores(path, unseen=["1"])
    assert np.array_equal(file.predicted, predicted)
    assert np.array_equal(file.labels, Y)


# --- Text columns ---------------------------------------------------------------------------------


FURTHER = {
    **{
        name: ({name: 1.5}, f"Column '{name}': left out")
        for name in ("max_prob", "correct", "unseen", "fold")
    },
    "numbers of images": ({"id": np.arange(len(Y))}, "Column 'id': left out"),
    "whole numbers next to fractions": ({"frame": Y * 50}, "Column 'frame': left out"),
    "texts": (
        {"filename": [f"image {k}.jpg" for k in range(len(Y))], "source": "camera"},
        "Columns 'filename', 'source': left out",
    ),
    "predicted classes": ({"pred": [NAMES[k] for k in F.argmax(axis=1)]}, "the scores are used"),
    "times": ({"when": pd.Timestamp("2026-01-01")}, "Column 'when': left out"),
}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("name", FURTHER)
def test_columns_next_to_scores_are_left_out_with_a_remark(tmp_path, kind, name):
    further, remark = FURTHER[name]
    table = pd.DataFrame(np.float32(F), columns=NAMES)
    table = table.assign(label=[NAMES[k] for k in Y], **further)
    path = tmp_path / f"own.{kind}"
    (table.to_csv if kind == "csv" else table.to_parquet)(path, index=False)
    matrix, request = interpret(read_scores(path, unseen=[NAMES[k] for k in UNSEEN]))
    assert request == ()
    assert matrix.class_names == NAMES
    np.testing.assert_allclose(matrix.F, np.float32(F), rtol=1e-6)
    np.testing.assert_array_equal(matrix.y, Y)
    assert remark in " ".join(matrix.remarks)


@pytest.mark.parametrize("title", ["y_true", "target"])
def test_a_second_column_of_true_classes_must_agree(tmp_path, title):
    table = pd.DataFrame(F, columns=NAMES).assign(label=[NAMES[k] for k in Y])
    path = tmp_path / "own.csv"
    table.assign(**{title: Y}).to_csv(path, index=False)
    np.testing.assert_array_equal(interpret(read_scores(path, unseen=[NAMES[1]]))[0].y, Y)
    table.assign(**{title: np.roll(Y, 1)}).to_csv(path, index=False)
    with pytest.raises(FileRefusedError, match=f"got 'label' and '{title}', which differ"):
        read_scores(path, unseen=[NAMES[1]])


@pytest.mark.parametrize("title", ["y_true", "target"])
def test_a_second_array_of_true_classes_must_agree(tmp_path, title):
    path = tmp_path / "own.npz"
    np.savez(path, scores=F, label=Y, unseen=UNSEEN, **{title: Y})
    np.testing.assert_array_equal(interpret(read_scores(path))[0].y, Y)
    np.savez(path, scores=F, label=Y, unseen=UNSEEN, **{title: np.roll(Y, 1)})
    with pytest.raises(FileRefusedError, match="which differ"):
        read_scores(path)


def test_a_class_may_be_named_like_a_column_of_labels(tmp_path):
    names = ["seal", "confidence", *NAMES[2:]]
    table = pd.DataFrame(np.float32(F), columns=names).assign(label=[names[k] for k in Y])
    table.to_csv(tmp_path / "own.csv", index=False)
    matrix, _ = interpret(read_scores(tmp_path / "own.csv", unseen=[names[k] for k in UNSEEN]))
    assert matrix.class_names == tuple(names)


# --- Files of labels and of unseen classes --------------------------------------------------------


@pytest.mark.parametrize("form", ["index", "title", "image and class", "no title", "floats"])
def test_the_label_column_of_a_table_is_read(tmp_path, form):
    np.save(tmp_path / "own.npy", F)
    images = [f"{k}.jpg" for k in range(len(Y))]
    path = tmp_path / ("y.txt" if form == "floats" else "y.csv")
    if form == "index":
        pd.Series(Y).to_csv(path)
    elif form == "title":
        pd.DataFrame({"Label": Y}).to_csv(path, index=False, sep=";")
    elif form == "image and class":
        pd.DataFrame({"image": images, "class": Y}).to_csv(path, index=False)
    elif form == "no title":
        pd.DataFrame({"image": images, "class": Y}).to_csv(path, index=False, header=False)
    else:
        np.savetxt(path, Y)
    matrix, _ = interpret(
        read_scores(tmp_path / "own.npy", labels=path, unseen=[*map(str, UNSEEN)])
    )
    np.testing.assert_array_equal(matrix.y, Y)


def test_several_columns_of_labels_raise_a_question(tmp_path):
    np.save(tmp_path / "own.npy", F)
    pd.DataFrame({"coarse": Y // 3, "fine": Y}).to_csv(tmp_path / "y.csv", index=False)
    with pytest.raises(ZSLError, match="one column of labels, called label; got coarse, fine"):
        read_scores(tmp_path / "own.npy", labels=tmp_path / "y.csv", unseen=["1"])


def test_labels_with_commas_in_names_stay_whole(tmp_path):
    names = [f"{name}, a kind" for name in NAMES]
    np.savez(tmp_path / "own.npz", scores=F, class_names=np.array(names))
    (tmp_path / "y.txt").write_text("\n".join(names[k] for k in Y))
    unseen = [names[k] for k in UNSEEN]
    file = read_scores(tmp_path / "own.npz", labels=tmp_path / "y.txt", unseen=unseen)
    np.testing.assert_array_equal(interpret(file)[0].y, Y)


@pytest.mark.parametrize(
    "form", [*["comma", "json", "numbers", "npy", "mask", "names", "csv", "split"]]
)
def test_unseen_classes_are_read_from_any_file(tmp_path, form, printed, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez("own.npz", scores=F, y=Y, class_names=np.array(NAMES))
    names, numbers = [NAMES[k] for k in UNSEEN], [*map(int, UNSEEN)]
    texts = {
        "comma": ", ".join(map(str, numbers)),
        "json": json.dumps(names),
        "numbers": json.dumps(numbers),
        "split": json.dumps({"seen": [NAMES[k] for k in SEEN], "unseen": names}),
        "csv": "class,split\n"
        + "".join(f"{name},{'unseen' if name in names else 'seen'}\n" for name in NAMES),
    }
    endings = {"comma": "txt", "csv": "csv"}
    arrays = {"npy": UNSEEN, "mask": np.isin(np.arange(C), UNSEEN), "names": np.array(names)}
    if form in texts:
        Path(f"u.{endings.get(form, 'json')}").write_text(texts[form])
    else:
        np.save("u.npy", arrays[form])
    (file,) = Path().glob("u.*")
    as_file = printed("score", "own.npz", "--unseen", file)
    assert printed("score", "own.npz", "--unseen", *map(str, UNSEEN)) == as_file


def test_minus_infinity_and_missing_scores_of_a_table(tmp_path):
    for value in (-np.inf, np.nan):
        table = pd.DataFrame(mask_scores(value), columns=NAMES)
        table.insert(0, "label", Y)
        table.to_csv(tmp_path / "own.csv", index=False)
        result = interpret(read_scores(tmp_path / "own.csv", unseen=[NAMES[k] for k in UNSEEN]))
        assert result[0].sides_given


# --- Example files --------------------------------------------------------------------------------

CASES = {
    "F1_unseen_renumbered": (["scores.npz"], 3, "u 0.0 %, s 72.1 %, H 0.0 %"),
    "G1_masked_by_true_side": (["scores.npz"], 3, "Not comparable with GZSL"),
    "H1_duplicate_name_csv": (["scores.csv", "--unseen", "missile"], 3, "share the name 'missile'"),
    "H2_one_name_short": (["scores.npz"], 3, "5 class names for 6 columns"),
    "I1_true_and_predicted": (["pred.csv", "--unseen", "2", "5", "9"], 0, "H 68.7 % (per class)"),
    "M1_file_name_column": (
        ["s.csv", "--unseen", "otter", "seal", "dolphin"],
        0,
        "Column 'filename': left out",
    ),
    "O1_no_seen_class": (["clip.npz"], 3, "--unseen all"),
    "P2_validation_masked": (["test.npz", "--validation", "val.npz"], 1, "this is an oracle"),
}


@pytest.mark.parametrize("case", CASES)
def test_reported_files_are_read_or_questioned(shared, case, capsys, monkeypatch):
    words, status, text = CASES[case]
    folder: Path = shared / "data" / "cases" / case
    monkeypatch.chdir(folder)
    assert main(["score", *words]) == status
    assert text in capsys.readouterr().out


# --- Two files, for seen and unseen classes -------------------------------------------------------


@pytest.mark.parametrize("listed", [True, False])
def test_seen_and_unseen_columns_may_be_two_files(tmp_path, listed):
    order = np.concatenate([SEEN, UNSEEN])
    file = read_scores(
        write_file(tmp_path / "seen.npy", F[:, SEEN]),
        labels=write_file(tmp_path / "y.npy", Y if listed else np.argsort(order)[Y]),
        unseen=[*map(str, UNSEEN)] if listed else None,
        unseen_scores=write_file(tmp_path / "unseen.npy", F[:, UNSEEN]),
    )
    matrix, request = interpret(file)
    assert request == ()
    np.testing.assert_array_equal(matrix.F, F if listed else F[:, order])
    assert judge(matrix).evaluation.ausuc == judge(read()[0]).evaluation.ausuc


def test_labels_may_be_in_the_file_of_unseen_columns(tmp_path):
    np.savez(tmp_path / "seen.npz", scores=F[:, SEEN])
    np.savez(tmp_path / "unseen.npz", scores=F[:, UNSEEN], y=Y, unseen_classes=UNSEEN)
    file = read_scores(tmp_path / "seen.npz", unseen_scores=tmp_path / "unseen.npz")
    np.testing.assert_array_equal(interpret(file)[0].F, F)


def test_seen_and_unseen_columns_may_be_two_arrays_of_a_file(tmp_path):
    np.savez(
        tmp_path / "own.npz", scores_seen=F[:, SEEN], scores_unseen=F[:, UNSEEN], y=Y, unseen=UNSEEN
    )
    np.testing.assert_array_equal(interpret(read_scores(tmp_path / "own.npz"))[0].F, F)


@pytest.mark.parametrize("form", ["files", "arrays"])
@pytest.mark.parametrize("listed", [True, False])
def test_images_of_seen_and_unseen_classes_may_be_in_two_files(tmp_path, form, listed):
    sides = {"seen": ~OF_UNSEEN, "unseen": OF_UNSEEN}
    unseen = {"unseen_classes": UNSEEN} if listed else {}
    if form == "files":
        for side, rows in sides.items():
            np.savez(tmp_path / f"{side}.npz", scores=F[rows], y=Y[rows], **unseen)
        file = read_scores(tmp_path / "seen.npz", unseen_scores=tmp_path / "unseen.npz")
    else:
        scores = {f"test_{side}_scores": F[rows] for side, rows in sides.items()}
        labels = {f"test_{side}_labels": Y[rows] for side, rows in sides.items()}
        file = read_scores(write_file(tmp_path / "own.npz", {**scores, **labels, **unseen}))
    order = np.argsort(OF_UNSEEN, kind="stable")
    assert interpret(file)[0].digest == read(F[order], Y[order])[0].digest


def test_tables_of_seen_and_unseen_columns_are_joined_by_image_name(tmp_path):
    table = pd.DataFrame(F, columns=NAMES).assign(image=[f"{k}.jpg" for k in range(len(Y))])
    names = [[NAMES[k] for k in side] for side in (SEEN, UNSEEN)]
    seen, unseen = (table[["image", *side]] for side in names)
    seen.assign(label=np.array(NAMES)[Y]).to_csv(tmp_path / "seen.csv", index=False)
    unseen[::-1].to_csv(tmp_path / "unseen.csv", index=False)
    path = tmp_path / "seen.csv"
    file = read_scores(path, unseen_scores=tmp_path / "unseen.csv", unseen=names[1])
    assert judge(interpret(file)[0]).metrics == pytest.approx(judge(read()[0]).metrics)


def test_predicted_classes_may_be_in_a_file_per_side(tmp_path):
    seen, unseen = tmp_path / "seen.csv", tmp_path / "unseen.csv"
    seen.write_text("label,predicted\ndog,dog\ncat,otter\n")
    unseen.write_text("label,predicted\notter,otter\notter,dog\n")
    file = read_scores(seen, unseen_scores=unseen)
    assert file.unseen.tolist() == ["otter"]
    assert file.labels.tolist() == ["dog", "cat", "otter", "otter"]
    assert file.predicted.tolist() == ["dog", "otter", "otter", "dog"]
    with pytest.raises(FileRefusedError, match="images of different classes; got images of cat"):
        read_scores(seen, unseen_scores=seen)
    np.savez(tmp_path / "scores.npz", scores=np.eye(2), y=[0, 1])
    with pytest.raises(FileRefusedError, match="expected the predicted classes, as in seen.csv"):
        read_scores(seen, unseen_scores=tmp_path / "scores.npz")
    with pytest.raises(FileRefusedError, match="expected the scores of unseen classes, as in"):
        read_scores(tmp_path / "scores.npz", unseen_scores=unseen)


# --- Comparison -----------------------------------------------------------------------------------


def test_a_comparison_begins_with_one_sentence():
    first = judge(read()[0]).matrix
    noise = np.random.default_rng(1).normal(size=F.shape)
    near, far = (read(F + scale * noise)[0] for scale in (0.05, 3.0))
    pair = compare_scores(first, near)
    row = pair.differences.loc["plain_harmonic"]
    least = design_of(pair, "plain_harmonic").detectable()
    assert pair.headline.startswith("No significant difference: H ")
    assert f"{signed(row['low'])} to {signed(row['high'])} over classes" in pair.headline
    assert f"only differences of at least {100 * least:.1f} points" in pair.headline
    assert pair.as_text().startswith("No significant difference")
    assert compare_scores(far, first).headline.startswith("own.npz is significantly better: H ")


# --- Predicted classes with the same faults -------------------------------------------------------


def interpret_classes(answers=PREDICTED, labels=Y, fixes=()):
    return interpret(ScoreFile("own.csv", None, labels, UNSEEN, (), answers), fixes)


def test_predicted_classes_that_never_change_sides_are_not_gzsl():
    weak = draw_scores(hit=1.0)
    sides = [np.where(side[None, :], weak, -np.inf).argmax(axis=1) for side in (~MASK, MASK)]
    report = judge(interpret_classes(np.where(OF_UNSEEN, sides[1], sides[0]))[0])
    assert report.verdict == "unknown"
    assert report.evaluation.plain is None
    assert "Not comparable with GZSL" in report.as_text()
    expected = judge(read(weak)[0]).metrics
    for name in ("zsl", "separate_seen", "separate_harmonic"):
        assert report.metrics[name] == pytest.approx(expected[name], abs=1e-12)


@pytest.mark.parametrize("answers", [PREDICTED, Y, draw_scores(hit=1.0).argmax(axis=1)])
def test_other_predicted_classes_are_gzsl(answers):
    report = judge(interpret_classes(answers)[0])
    assert report.verdict == "clean"
    assert report.evaluation.plain is not None


@pytest.mark.parametrize("which", ["unseen", "both"])
def test_predicted_classes_with_labels_within_a_side(which):
    labels = renumber_labels(np.arange(len(Y)), which, 0)
    matrix, (question,) = interpret_classes(labels=labels)
    assert matrix is None
    assert question.fix == "within-sides"
    mended, _ = interpret_classes(labels=labels, fixes=["within-sides"])
    assert (mended.y == Y).mean() > 0.99


def test_a_card_of_predicted_classes(tmp_path, capsys):
    np.savez(tmp_path / "own.npz", y_true=Y, y_pred=PREDICTED, unseen_classes=UNSEEN)
    assert main(["check", str(tmp_path / "own.npz")]) == 3
    assert f"H {100 * expected_figures()['plain_harmonic']:.1f} %" in capsys.readouterr().out


def test_the_card_of_masked_scores_states_that_they_are_not_comparable(tmp_path, printed):
    np.savez(tmp_path / "own.npz", scores=mask_scores(-1e9), y=Y, unseen_classes=UNSEEN)
    out = printed("check", tmp_path / "own.npz", status=3)
    assert "Not comparable with GZSL" in out
    assert "Masked by the true side" in out
    assert "AUSUC" not in out


def test_predicted_classes_cannot_be_written_as_a_predictions_file(tmp_path):
    for matrix in (interpret_classes()[0], read(mask_scores(-1e9))[0]):
        with pytest.raises(ZSLError, match="expected scores of every image among all classes"):
            predictions_of_scores(judge(matrix))


def test_masked_scores_with_their_split_are_not_called_other_images(shared, tmp_path, capsys):
    data = shared / "data"
    with np.load(data / "gzsl_scores" / "CUB_XianGAN.npz") as content:
        scores, y, unseen = (
            content["scores"].copy(),
            content["y"].astype(int),
            content["unseen_classes"],
        )
    columns = np.isin(np.arange(scores.shape[1]), unseen)
    scores[np.ix_(columns[y], ~columns)] = -1e9
    np.savez(tmp_path / "own.npz", scores=scores, y=y, unseen_classes=unseen)
    split = data / "xlsa17" / "CUB" / "att_splits.mat"
    main(["check", str(split), str(tmp_path / "own.npz"), "--json"])
    card, *_ = json.loads(capsys.readouterr().out)
    assert card["verdict"] == "unknown"
    assert {f["mark"] for f in card["findings"]} <= {"open", "warning", "ok"}
    assert sum("Masked by the true side" in f["check"] for f in card["findings"]) == 1
    assert "masked by the true side, not GZSL" in str(card["metrics"])


def test_scores_in_parquet_may_be_one_list_per_image(tmp_path):
    pd.DataFrame({"label": Y, "scores": F.tolist()}).to_parquet(tmp_path / "own.parquet")
    matrix, _ = interpret(read_scores(tmp_path / "own.parquet", unseen=[*map(str, UNSEEN)]))
    np.testing.assert_array_equal(matrix.F, F)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_row_per_image_and_class_is_one_score(tmp_path, kind):
    rows = [
        {"image": f"{i}.jpg", "class": name, "score": score, "label": NAMES[label]}
        for i, (scores, label) in enumerate(zip(F, Y, strict=True))
        for name, score in zip(NAMES, scores.tolist(), strict=True)
    ]
    path = tmp_path / f"own.{kind}"
    table = pd.DataFrame(rows)
    (table.to_csv if kind == "csv" else table.to_parquet)(path, index=False)
    matrix, _ = interpret(read_scores(path, unseen=[NAMES[k] for k in UNSEEN]))
    np.testing.assert_allclose(matrix.F, F, rtol=1e-6)
