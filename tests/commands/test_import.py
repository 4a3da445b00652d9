"""``import``: files inside and outside the folder, classes by name, number or file."""

import json

import numpy as np
import pytest
from scipy.io import savemat

from tests.datasets import files
from zslcore.__main__ import main
from zslcore.commands.options import describe_dataset
from zslcore.datasets import available, load
from zslcore.datasets.imports import recipe_of


@pytest.fixture
def folder(own_data, tmp_path, monkeypatch):
    """A folder of the benchmark with a second feature file, and a third file outside the folder."""
    monkeypatch.chdir(tmp_path)
    folder = files.write_folder(tmp_path / "sets" / "ANIMALS")
    (tmp_path / "elsewhere").mkdir()
    for path, factor in ((folder / "own.mat", 2), (tmp_path / "elsewhere" / "other.mat", 3)):
        savemat(path, files.features_file(features=factor * files.FEATURES.T))
    return folder


@pytest.mark.parametrize("name", ["own.mat", "{folder}/own.mat", "sets/ANIMALS/own.mat"])
def test_any_path_to_the_features_in_the_folder_gives_the_same_import(folder, name):
    text = name.format(folder=folder)
    assert main(["import", str(folder), "--features", text, "--splits", "att_splits.mat"]) == 0
    np.testing.assert_array_equal(load("ANIMALS-own").features, 2 * files.FEATURES)
    assert recipe_of("ANIMALS-own")["options"]["features"] == "own.mat"


@pytest.mark.parametrize("name", ["elsewhere/other.mat", "{elsewhere}/other.mat"])
def test_features_may_be_outside_the_folder(folder, name, tmp_path, monkeypatch):
    text = name.format(elsewhere=tmp_path / "elsewhere")
    assert main(["import", "sets/ANIMALS", "--features", text]) == 0
    np.testing.assert_array_equal(load("ANIMALS-other").features, 3 * files.FEATURES)
    monkeypatch.chdir("/")  # the import works from any folder
    assert main(["import", str(folder), "--features", str(tmp_path / "elsewhere/other.mat")]) == 0


def test_a_bare_file_name_means_the_file_in_the_folder(folder, tmp_path):
    savemat(tmp_path / "own.mat", files.features_file(features=9 * files.FEATURES.T))
    assert main(["import", str(folder), "--features", "own.mat"]) == 0
    np.testing.assert_array_equal(load("ANIMALS-own").features, 2 * files.FEATURES)


def test_a_missing_file_is_reported(folder, printed):
    assert "expected the features in 'elsewhere/none.mat'; found" in printed(
        "import", str(folder), "--features", "elsewhere/none.mat", status=2
    )


@pytest.mark.parametrize("unseen", [["bat", "seal"], ["3", "4"], ["unseen.txt"], ["numbers.txt"]])
def test_unseen_classes_are_names_numbers_or_a_file(folder, unseen, tmp_path):
    (tmp_path / "unseen.txt").write_text("bat\nseal\n")
    (tmp_path / "sets" / "numbers.txt").write_text("3\n4\n")
    arrays = {"features": files.FEATURES, "labels": files.LABELS, "prototypes": files.ATT}
    np.savez(tmp_path / "sets" / "mine.npz", class_names=np.array(files.CLASSES), **arrays)
    assert main(["import", "sets/mine.npz", "--name", "mine", "--unseen", *unseen]) == 0
    assert list(load("mine").split("own").unseen_classes) == [3, 4]


def test_check_resolves_files_like_import(folder, capsys):
    for name in ("own.mat", str(folder / "own.mat"), "sets/ANIMALS/own.mat"):
        words = ["check", str(folder / "att_splits.mat"), "--features", name, "--format", "json"]
        assert main(words) in (0, 1, 3)
        report = json.loads(capsys.readouterr().out)
        assert "ZSL004" in {finding["check"] for finding in report["findings"]}


def test_score_resolves_files_like_import(folder, tmp_path, printed):
    rng, y = np.random.default_rng(0), files.LABELS
    np.save(folder / "scores.npy", np.eye(5)[y] + rng.normal(size=(len(y), 5)))
    (folder / "y.txt").write_text("\n".join(map(str, y)))
    (folder / "unseen.txt").write_text("3\n4\n")
    words = ["score", str(folder / "scores.npy"), "--labels", "y.txt", "--unseen"]
    listed = json.loads(printed(*words, "unseen.txt", "--json"))
    assert json.loads(printed(*words, "3", "4", "--json")) == listed


def test_the_pretraining_set_is_declared_and_audited(folder, capsys):
    text = {}
    for names in ((), ("imagenet-1k",), ("none",)):
        words = ["import", str(folder), "--name", "mine"]
        assert main([*words, "--pretraining", *names] if names else words) == 0
        (text[names],) = (
            line.split("trained on ")[1]
            for line in capsys.readouterr().out.splitlines()
            if "trained on" in line
        )
        assert load("mine").pretraining == names
        assert main(["check", "--format", "text", "mine", "--format", "json"]) in (0, 1, 3)
        report = json.loads(capsys.readouterr().out)
        marks = {finding["check"]: finding["mark"] for finding in report["findings"]}
        assert (marks["ZSL006"] == "open") == (not names)
        assert (marks["ZSL006"] == "ok") == (names == ("none",))
    unknown = "an unknown set; 'import --pretraining' declares it"
    assert list(text.values()) == [unknown, "imagenet-1k", "nothing"]


def test_features_fine_tuned_on_seen_classes_are_declared_and_audited(folder, capsys, printed):
    declared = ("imagenet-1k", "seen-classes")
    assert "trained on imagenet-1k, seen-classes" in printed(
        "import", str(folder), "--name", "mine", "--pretraining", *declared
    )
    assert load("mine").pretraining == declared
    main(["check", "mine", "--format", "json"])
    content = json.loads(capsys.readouterr().out)["findings"]
    assert any(
        "fine-tuned on images of" in f["sentence"] for f in content if f["check"] == "ZSL006"
    )
    data = load("mine")
    assert describe_dataset(data) == f"mine, features fine-tuned, data {data.digest}"


def test_a_misspelt_pretraining_is_refused_with_the_nearest_name(folder, printed):
    assert "did you mean 'imagenet-1k'?" in printed(
        "import", str(folder), "--pretraining", "ImageNet1K", status=2
    )
    assert "ANIMALS" not in available()
