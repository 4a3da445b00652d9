"""Scores, labels and unseen classes in one file each."""

import json
from itertools import permutations

import numpy as np
import pytest

from zslcore.__main__ import main
from zslcore.scores.companions import FilesOfModels, files_of_models

NAMES = ("ant", "bee", "cat", "dog", "eel", "fox")
Y = np.repeat(np.arange(6), 5)
F = np.random.default_rng(0).normal(size=(30, 6)) + 2 * np.eye(6)[Y]


def as_lines(values):
    return "".join(f"{value}\n" for value in values)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("scores.npy", F)
    np.savetxt("scores.csv", F, delimiter=",")
    np.savez("scores.npz", S=F, y=Y)
    np.savetxt("y_pred.txt", F.argmax(axis=1), fmt="%d")
    np.save("y.npy", Y)
    np.savetxt("y.txt", Y, fmt="%d")
    (tmp_path / "files.txt").write_text(as_lines(f"{k}.jpg {c}" for k, c in enumerate(Y)))
    rows = ["image,label", *(f"{k},{c}" for k, c in enumerate(Y))]
    (tmp_path / "labels.csv").write_text(as_lines(rows))
    (tmp_path / "unseen.txt").write_text(as_lines([4, 5]))
    (tmp_path / "names.txt").write_text(as_lines(NAMES[4:]))
    return tmp_path


@pytest.mark.parametrize("labels", ["y.npy", "y.txt", "files.txt", "labels.csv"])
@pytest.mark.parametrize("scores", ["scores.npy", "scores.csv", "y_pred.txt"])
def test_labels_and_unseen_classes_are_told_apart_from_scores(folder, scores, labels):
    for names in permutations((scores, labels, "unseen.txt")):
        divided = files_of_models([folder / name for name in names])
        positions = [names.index(name) for name in (scores, labels, "unseen.txt")]
        assert divided == FilesOfModels((positions[0],), *positions[1:])


def test_labels_belong_to_every_score_file(folder):
    names = ("scores.npy", "y.npy", "scores.csv")
    assert files_of_models([folder / name for name in names]) == FilesOfModels((0, 2), 1)


@pytest.mark.parametrize(
    "names",
    [
        ("scores.npz", "scores.npy"),
        ("y.npy", "y.txt"),
        ("scores.npy", "unseen.txt", "names.txt"),
        ("scores.npy", "missing.npy"),
    ],
)
def test_files_that_cannot_be_divided_are_all_scores(folder, names):
    divided = files_of_models([folder / name for name in names])
    assert divided == FilesOfModels(tuple(range(len(names))))


def test_score_takes_the_files_of_a_model_in_any_order(folder, capsys):
    assert main(["score", "scores.npz", "--unseen", "4", "5", "--json"]) == 0
    expected = json.loads(capsys.readouterr().out)
    assert main(["score", "unseen.txt", "scores.csv", "y.txt", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["metrics"] == expected["metrics"]
