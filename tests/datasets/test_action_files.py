"""Archives of UCF101 and HMDB51: imported with one command each, audited without a false word."""

import numpy as np
import pytest

from zslcore.__main__ import main
from zslcore.datasets import import_dataset, load
from zslcore.datasets.action_facts import action_facts, plain_action
from zslcore.exceptions import DatasetError, FileRefusedError
from zslcore.leakage import Severity, audit

COMMANDS = {
    "ucf101": ([], (13320, 101, 300, 50)),
    "hmdb51": ([], (6766, 51, 300, 50)),
    "attributes": (["--prototypes", "ucf101_att_splits.mat", "--name", "attributes"],
                   (13320, 101, 115, 50)),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _own_data(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "data"))


def archive(path, **changes):
    """An archive of HMDB51's layout with two videos a class and two splits."""
    facts = action_facts("HMDB51")
    arrays = {
        "class_names": np.array(facts.class_names),
        "video_labels": np.repeat(np.arange(51, dtype=np.int16), 2),
        "word2vec": np.random.default_rng(0).normal(size=(51, 6)).astype(np.float32),
        "split_test_classes": np.array(facts.released[:2], dtype=np.int16),
        "split_train_classes": np.array(
            [np.setdiff1d(np.arange(51), test) for test in facts.released[:2]], dtype=np.int16
        ),
    } | changes
    np.savez(path, **arrays)
    return path


@pytest.mark.usefixtures("in_process")
def test_an_archive_without_features_gets_simulated_ones_and_says_so(tmp_path):
    path = archive(tmp_path / "videos.npz")
    data = import_dataset(path)
    assert data.name == "videos"
    assert data.simulated
    assert "simulated features, because the file has none" in data.source
    assert list(data.splits) == ["released 1", "released 2"]
    assert data.class_names == action_facts("HMDB51").class_names
    split = data.split("released 2")
    np.testing.assert_array_equal(split.unseen_classes, action_facts("HMDB51").released[1])
    assert (len(split.trainval), len(split.test_seen), len(split.folds)) == (52, 0, 3)
    assert load("videos").digest == data.digest


@pytest.mark.usefixtures("in_process")
def test_features_of_ones_own_stand_in_the_order_of_the_videos(tmp_path):
    path = archive(tmp_path / "videos.npz")
    X = np.arange(306, dtype=np.float32).reshape(102, 3)
    clips = np.array([f"x/v_Wave_g{k // 4 + 1:02d}_c{k % 4 + 1:02d}.avi" for k in range(102)])
    np.savez(tmp_path / "i3d.npz", features=X, image_files=clips)
    data = import_dataset(path, features=tmp_path / "i3d.npz", name="i3d")
    assert not data.simulated
    np.testing.assert_array_equal(data.features, X)
    assert data.image_files[:5] == (*["v_Wave_g01"] * 4, "v_Wave_g02")
    # The groups of this test lie across classes, so that they are on both sides.
    report = audit(data, split="released 1", pretraining=("none",))
    assert report.severity("ZSL012") is Severity.FAIL
    np.savez(tmp_path / "i3d.npz", features=X[1:])
    with pytest.raises(FileRefusedError, match="expected 102 rows of features, .* got 101"):
        import_dataset(path, features=tmp_path / "i3d.npz", name="i3d")


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"video_labels": np.array([0, 51])}, "numbers 0..50 .* got 0..51"),
        ({"word2vec": np.ones((50, 6))}, r"one word vector per class \(51\), got 50"),
        ({"split_train_classes": np.zeros((3, 4))}, r"as many splits .* \(2\), got 3"),
        ({"split_train_classes": np.tile(np.arange(26), (2, 1))}, "other classes than it trains"),
    ],
)
def test_what_does_not_fit_is_one_sentence(tmp_path, changes, sentence):
    with pytest.raises(FileRefusedError, match=sentence):
        import_dataset(archive(tmp_path / "videos.npz", **changes))


@pytest.mark.usefixtures("in_process")
def test_other_classes_need_features(tmp_path):
    names = np.array([f"trick {k}" for k in range(51)])
    path = archive(tmp_path / "videos.npz", class_names=names)
    with pytest.raises(DatasetError, match="has no features; expected a file"):
        import_dataset(path)
    np.savez(tmp_path / "own.npz", features=np.ones((102, 3), np.float32))
    data = import_dataset(path, features=tmp_path / "own.npz")
    assert list(data.splits) == ["split 1", "split 2"]


@pytest.mark.usefixtures("in_process")
def test_the_command_line_knows_what_belongs_to_such_a_file(tmp_path, capsys):
    path = str(archive(tmp_path / "videos.npz"))
    assert main(["import", path, "--unseen", "wave"]) == 2
    assert "--unseen means nothing for a file" in capsys.readouterr().err
    assert main(["import", path, "--name", "mine"]) in (None, 0)
    assert "102 x 160 features" in capsys.readouterr().out


@pytest.mark.parametrize("name", COMMANDS)
def test_released_files_import_with_one_command_and_audit_without_a_false_word(shared, name):
    folder, (options, (videos, classes, attributes, splits)) = (
        shared / "data/action",
        COMMANDS[name],
    )
    options = [str(folder / o) if o.endswith(".mat") else o for o in options]
    file = folder / ("hmdb51.npz" if name == "hmdb51" else "ucf101.npz")
    assert main(["import", str(file), *options]) in (None, 0)
    data = load(name)
    assert data.features.shape[0] == videos
    assert data.prototypes.shape == (classes, attributes)
    assert len(data.splits) == splits
    facts = action_facts("HMDB51" if name == "hmdb51" else "UCF101")
    if name == "attributes":
        np.testing.assert_array_equal(data.prototypes, facts.attributes)
    for k, (split, test) in enumerate(zip(data.splits, facts.released, strict=True), 1):
        assert split == f"released {k}"
        np.testing.assert_array_equal(data.split(split).unseen_classes, test)
    report = audit(data, split="released 1", pretraining=("kinetics-400",))
    for check in ("ZSL001", "ZSL002", "ZSL003", "ZSL011", "ZSL012"):
        assert report.severity(check) is Severity.PASS, check
    # Every class that is called overlapping for certain is one of those that the paper annotates.
    (certain,) = [f for f in report.of("ZSL006") if f.severity is Severity.FAIL]
    names, overlapping = map(plain_action, facts.class_names), facts.overlapping["Kinetics-400"]
    known = {name for name, there in zip(names, overlapping, strict=True) if there}
    assert {plain_action(row[0]) for row in certain.evidence[0].rows} <= known
