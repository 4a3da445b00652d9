"""Scores of an outside model on test and fold rows: judged like a run, complete on the board."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from zslcore.__main__ import main
from zslcore.board.table import COLUMNS
from zslcore.datasets import load
from zslcore.evaluation.predictions_file import read_predictions
from zslcore.evaluation.protocol import select
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.features import Preprocessing
from zslcore.methods import ESZSL
from zslcore.scores.fold_scores import parts_to_score

DATA = "simulated-aPY"
PARAMS = {"gamma": 1.0, "lam": 1.0}


@pytest.fixture(autouse=True)
def _own_world(own_data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def scored_elsewhere(folds="folds.npz", name=DATA, names=True):
    """Score the rows in ``folds`` with a model; return the words that name the score files."""
    data, z = load(name), np.load(folds, allow_pickle=False)
    scaled = Preprocessing("l2", "l2")
    X, S = scaled.of_features(data.features, np.arange(1)), scaled.of_prototypes(data.prototypes)
    parts = [key.removesuffix("_rows") for key in z if key.endswith("_rows")]
    for part in parts:
        train, rows, classes, seen = (
            z[f"{part}_{item}"] for item in ("train", "rows", "classes", "seen")
        )
        y, y_train = (
            np.searchsorted(c, z["labels"][r]) for c, r in ((classes, rows), (classes[seen], train))
        )
        F = ESZSL(**PARAMS).fit(X.rows(train), y_train, S[classes[seen]])
        arrays = {"scores": F.decision_function(X.rows(rows), S[classes]), "y": y}
        more = {"class_names": z["class_names"][classes]} if names else {}
        np.savez(part, unseen_classes=np.flatnonzero(~seen), **arrays, **more)
    return ["test.npz", "--validation", *(f"{part}.npz" for part in sorted(parts[1:]))]


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """A folder with the scores of a model, and the arguments that name them."""
    folder = tmp_path_factory.mktemp("elsewhere")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["folds", DATA]) == 0
        return folder, scored_elsewhere()


@pytest.fixture
def files(elsewhere, tmp_path):
    """Copy the score files into the folder of this test; return the words that name them."""
    folder, words = elsewhere
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    return words


def read(printed, *words):
    return json.loads(printed(*words))


def test_fold_rows_equal_the_rows_on_which_a_run_chooses():
    data = load(DATA)
    split = data.split("PS")
    test, *folds = parts_to_score(data, split, seed=3)
    np.testing.assert_array_equal(test.rows, np.r_[split.test_seen, split.test_unseen])
    np.testing.assert_array_equal(test.train, split.trainval)
    chosen = select(ESZSL(**PARAMS), data, split, grid={}, seed=3).validation
    assert len(folds) == len(chosen) == 3
    for part, answers in zip(folds, chosen, strict=True):
        np.testing.assert_array_equal(part.rows, answers.rows)
        np.testing.assert_array_equal(part.classes, answers.classes)
        np.testing.assert_array_equal(part.seen, answers.seen)
        assert not np.intersect1d(part.train, part.rows).size
        assert not np.intersect1d(part.rows, test.rows).size


def test_folds_of_a_split_without_seen_test_images_have_only_unseen_candidates():
    data = load(DATA)
    test, *folds = parts_to_score(data, data.split("SS"))
    assert not test.seen[np.searchsorted(test.classes, data.labels[test.rows])].any()
    assert not any(fold.seen.any() for fold in folds)


def test_the_file_of_rows_names_data_split_and_seed(printed):
    assert "written to f.npz" in printed("folds", DATA, "--seed", "2", "--output", "f.npz")
    z = np.load("f.npz", allow_pickle=False)
    about, data = json.loads(str(z["about"])), load(DATA)
    assert (about["dataset"], about["digest"], about["split"]) == (DATA, data.digest, "PS")
    assert (about["seed"], about["folds"]) == (2, 3)
    assert tuple(z["class_names"]) == data.class_names
    np.testing.assert_array_equal(z["labels"], data.labels)
    assert main(["folds", DATA, "--split", "PX"]) == 2


@pytest.mark.nightly
@pytest.mark.parametrize("names", [True, False])
def test_gamma_and_metrics_equal_a_run_of_this_package(capsys, printed, names):
    assert main(["folds", DATA]) == 0
    files = scored_elsewhere(names=names)
    capsys.readouterr()
    theirs = read(
        printed, "score", *files, "--data", DATA, "--predictions", "own.parquet", "--json"
    )
    ours = run(RunSpec(DATA, "PS", "ESZSL", PARAMS), with_oracle=False).result
    assert theirs["gamma_origin"] == "validated"
    assert theirs["gamma"] == pytest.approx(ours.gamma, rel=1e-6)
    for name in ("zsl", "ausuc"):
        assert theirs["evaluation"][name] == pytest.approx(getattr(ours.evaluation, name), abs=1e-9)
    result = theirs["evaluation"]["calibrated"]["harmonic"]
    assert result == pytest.approx(ours.evaluation.calibrated.harmonic, abs=1e-9)
    assert "Verified: rows, labels and γ agree with the data." in theirs["remarks"]
    predictions = read_predictions("own.parquet")
    assert len(predictions.folds) == 3
    assert predictions.provenance.digest == load(DATA).digest
    assert predictions.chosen_gamma == theirs["gamma"]
    assert "Verified" in printed("score", "own.parquet")


def test_without_the_data_gamma_is_the_same_but_only_stated(printed, files):
    theirs = read(printed, "score", *files, "--predictions", "own.parquet", "--json")
    ours = run(RunSpec(DATA, "PS", "ESZSL", PARAMS), with_oracle=False).result
    assert theirs["gamma"] == pytest.approx(ours.gamma, rel=1e-6)
    predictions = read_predictions("own.parquet")
    assert (len(predictions.folds), predictions.provenance.rows) == (3, "file")
    assert predictions.chosen_gamma == theirs["gamma"]
    assert "fold_1.npz, fold_2.npz, fold_3.npz, where the mean H" in theirs["gamma_note"]
    alone = read(printed, "score", *files[:3], "--json")
    assert alone["gamma"] != theirs["gamma"]


def test_one_file_of_test_images_among_the_folds_makes_gamma_an_oracle(capsys, printed, files):
    test = dict(np.load("test.npz"))
    np.savez("fold_2.npz", **test | {"scores": 2 * test["scores"] + 1})
    capsys.readouterr()
    theirs = json.loads(printed("score", *files, "--json", status=1))
    assert theirs["gamma_origin"] == "oracle"
    assert "fold_2.npz" in theirs["gamma_note"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: {"scores": f["scores"][1:], "y": f["y"][1:]}, "expected scores of the"),
        (lambda f: {"scores": f["scores"][::-1], "y": f["y"][::-1]}, "in the order of test_rows"),
        (lambda f: {"unseen_classes": f["unseen_classes"][1:]}, "unseen classes, those without"),
        (lambda f: {"class_names": np.char.add(f["class_names"], "x")}, "expected a column for"),
    ],
    ids=["images", "order", "unseen", "names"],
)
@pytest.mark.usefixtures("files")
def test_scores_of_other_rows_are_refused(printed, change, words):
    test = dict(np.load("test.npz"))
    np.savez("test.npz", **test | change(test))
    assert words in printed("score", "test.npz", "--fix", "as-is", "--data", DATA, status=2)


def test_too_few_validation_files_are_refused(printed, files):
    assert "expected 3 validation files, one per fold" in printed(
        "score", *files[:-1], "--data", DATA, status=2
    )


# --- Board ----------------------------------------------------------------------------------------

SUBMISSION = [
    *("--who", "Ada", "--method", "Hers", "--provenance", "Her own model.", "--link"),
    *("https://example.org", "--code", "https://example.org/code", "--pretraining", "imagenet-1k"),
    *("--features", "drawn", "--parameters-from", "validated", "--chosen-for", "gzsl"),
    *("--param", "gamma=1.0", "--param", "lam=1.0", "--grid", "gamma=1.0,10.0"),
]


@pytest.mark.nightly
def test_a_board_entry_from_scores_has_every_field_of_our_entries(capsys, printed, tmp_path, files):
    assert main(["score", *files, "--data", DATA, "--predictions", "own.parquet"]) == 0
    (tmp_path / "board").mkdir()
    words = ["board", "board", "--add"]
    assert main([*words, "own.parquet", *SUBMISSION, "--seeds", "own.parquet"]) == 0
    assert main(["run", "--dataset", DATA, "--method", "ESZSL", "--grid", "gamma=1.0,10.0"]) == 0
    capsys.readouterr()
    ours = read(printed, "runs", "list", "--own", "--json")[0]["id"]
    described = ["--link", "https://example.org", "--code", "https://example.org/code"]
    described += ["--pretraining", "imagenet-1k"]
    assert main([*words, ours, "--who", "Us", *described, "--output", "board.csv"]) == 0
    table = pd.read_csv("board.csv").set_index("who")
    theirs, ours = table.loc["Ada"], table.loc["Us"]
    missing = [name for name in COLUMNS[2:] if pd.notna(ours[name]) and pd.isna(theirs[name])]
    assert missing == []
    same = ("data", "split", "split_state", "contamination", "params_origin", "chosen_for", "grid")
    assert json.loads(theirs["grid"]) == {"gamma": [1.0, 10.0]}
    for name in (*same, "gamma_origin", "code"):
        if name != "grid":
            assert theirs[name] == ours[name], name
    assert theirs["state"] == "verified"
    assert theirs["split_state"] == "published"
    assert (theirs["seeds"], theirs["zsl_std"]) == (2, 0.0)
    assert pd.notna(theirs["H_gamma_low"])


def test_parameters_chosen_on_test_images_make_an_oracle(printed, tmp_path, files):
    (tmp_path / "scores.json").write_text(json.dumps(read(printed, "score", *files, "--json")))
    (tmp_path / "board").mkdir()
    submission = ["--who", "Ada", "--method", "Hers", "--provenance", "Hers."]
    words = ["board", "board", "--add", "scores.json", *submission]
    assert main([*words, "--parameters-from", "oracle"]) == 0
    (file,) = (tmp_path / "board").glob("*.json")
    assert json.loads(file.read_text())["parameters"] == {"origin": "oracle"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--grid", "a=1,2"], "--grid: expected --parameters-from as well"),
        (["--parameters-from", "given", "--grid", "a"], "--grid: expected NAME=VALUE,VALUE"),
        (["--code", "javascript:x"], "code: expected an address that begins with https://"),
    ],
)
def test_ambiguous_fold_scores_are_refused(printed, tmp_path, words, message):
    rng = np.random.default_rng(0)
    y = np.arange(80) % 8
    np.savez("s.npz", scores=np.eye(8)[y] + rng.normal(size=(80, 8)), y=y, unseen_classes=[6, 7])
    (tmp_path / "s.json").write_text(json.dumps(read(printed, "score", "s.npz", "--json")))
    (tmp_path / "board").mkdir()
    submission = ["--who", "Ada", "--method", "Hers", "--provenance", "Hers."]
    assert message in printed("board", "board", "--add", "s.json", *submission, *words, status=2)
    assert not list((tmp_path / "board").iterdir())


def test_parameters_from_is_refused_for_a_stored_run(capsys, printed, tmp_path):
    assert main(["run", "--method", "ESZSL", "--param", "gamma=1", "--param", "lam=1"]) == 0
    capsys.readouterr()
    key = read(printed, "runs", "list", "--own", "--json")[0]["id"]
    (tmp_path / "board").mkdir()
    words = ["board", "board", "--add", key, "--who", "Us"]
    assert "--parameters-from: expected scores or predictions" in printed(
        *words, "--parameters-from", "validated", status=2
    )
