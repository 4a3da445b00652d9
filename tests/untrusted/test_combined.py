"""A folder of arrays is read like an archive of them (:mod:`zslcore.untrusted.combined`)."""

import numpy as np
import pytest

from zslcore.exceptions import FileRefusedError
from zslcore.scores.reading import read_scores

NAMES = ["dog", "cat", "otter"]


@pytest.fixture
def arrays():
    return {
        "logits": np.random.default_rng(0).normal(size=(30, 3)),
        "labels": np.arange(30) % 3,
        "classes": np.array(NAMES),
        "unseen_classes": np.array(["otter"]),
    }


def test_a_folder_has_the_scores_of_an_archive(arrays, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    np.save(folder / "logits.npy", arrays["logits"])
    np.savetxt(folder / "labels.txt", arrays["labels"], fmt="%d")
    (folder / "classes.txt").write_text("\n".join(NAMES))
    (folder / "unseen_classes.txt").write_text("otter\n")
    np.savez(tmp_path / "run.npz", **arrays)
    of_folder, of_archive = read_scores(folder), read_scores(tmp_path / "run.npz")
    assert of_folder.name == "run"
    for part in ("scores", "labels", "unseen"):
        np.testing.assert_array_equal(getattr(of_folder, part), getattr(of_archive, part))
    assert of_folder.class_names == of_archive.class_names == (*NAMES,)


def test_an_array_with_a_usual_name_keeps_it(arrays, tmp_path):
    np.savez(tmp_path / "a.npz", logits=arrays["logits"])
    np.savez(tmp_path / "b.npz", labels=arrays["labels"])
    read = read_scores(tmp_path, unseen=["2"])
    np.testing.assert_array_equal(read.scores, arrays["logits"])


def test_a_large_array_is_read_from_its_own_file(arrays, tmp_path):
    scores = np.tile(arrays["logits"], (200_000, 1))  # more than the values that are read at once
    np.save(tmp_path / "logits.npy", scores)
    np.save(tmp_path / "labels.npy", np.tile(arrays["labels"], 200_000))
    read = read_scores(tmp_path, unseen=["2"])
    np.testing.assert_array_equal(read.scores[:100], scores[:100])
    assert len(read.scores) == len(scores)


def test_the_current_folder_has_a_name(arrays, tmp_path, monkeypatch):
    np.save(tmp_path / "logits.npy", arrays["logits"])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        FileRefusedError, match=rf"^{tmp_path.name}: .*file of labels; got scores alone"
    ):
        read_scores(tmp_path.relative_to(tmp_path))


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ([], "got no files"),
        (["a/logits.npy"], "expected one file, or a folder .* got a"),
        ([f"{k}.npy" for k in range(13)], "at most 12 files .* and 7 more"),
        (["one.csv", "two.csv"], "one array called label; got one in each of one.csv and two.csv"),
    ],
)
def test_other_folders_are_refused(files, sentence, tmp_path):
    for name in files:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        if path.suffix == ".csv":
            path.write_text("label,predicted\ndog,dog\ncat,dog\n")
        else:
            np.save(path, np.zeros(3))
    with pytest.raises(FileRefusedError, match=sentence):
        read_scores(tmp_path)
