"""Released folders of UCF101 and HMDB51, written as described in their read-me files."""

import h5py
import numpy as np
import pytest
from scipy.io import savemat

from tests.writing import as_cells
from ui.intake import uploads
from zslcore.__main__ import main
from zslcore.analysis.actions import CONFIGURATIONS, feature_sets
from zslcore.datasets import action_archives, import_dataset, load
from zslcore.datasets.facts import action_facts
from zslcore.exceptions import FileRefusedError, ParameterError, UnknownNameError
from zslcore.names import readable_names

pytestmark = pytest.mark.usefixtures("in_process", "own_data")

FACTS = action_facts("HMDB51")
LABELS = np.repeat(np.arange(51), FACTS.videos)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(len(LABELS), 4)).astype(np.float32)
VECTORS = RNG.normal(size=(51, 6))
TESTED = np.array([np.isin(np.arange(51), FACTS.released[k]) for k in range(2)], dtype=float)


def bidilel(folder, *, visual="hmdb51_c3d", features=None, semantics=None, splits=None):
    """Write BiDiLEL's release of HMDB51 with four features and two trials."""
    for name in ("visual_representations", "semantic_representations", "data_splits"):
        (folder / "data" / name).mkdir(parents=True, exist_ok=True)
    data = np.empty((1, 1), dtype=object)
    data[0, 0] = X.astype(float)
    tables = {"feature": {"Data": data}, "allLabels": LABELS[:, None] + 1.0}
    savemat(
        folder / "data/visual_representations" / f"{visual}.mat",
        tables | (features or {}),
        do_compression=True,
    )
    tables = {"wordvector": VECTORS} | (semantics or {})
    savemat(folder / "data/semantic_representations/hmdb51_semantics.mat", tables)
    tables = {"train_class_set": 1 - TESTED, "test_class_set": TESTED} | (splits or {})
    savemat(folder / "data/data_splits/hmdb51_zsl_splits_26_25.mat", tables)
    return folder


def i3d(folder, *, images=None, **trials):
    """Write I3D features with two trials in the xlsa17 layout."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = {"features": X.T.astype(float), "labels": LABELS[:, None] + 1.0}
    savemat(folder / "i3d.mat", tables | (images or {}))
    for k in (1, 2):
        unseen = np.flatnonzero(np.isin(LABELS, FACTS.released[k - 1]))
        seen = np.setdiff1d(np.arange(len(LABELS)), unseen)
        tables = {
            "att": VECTORS.T,
            "allclasses_names": as_cells(FACTS.class_names),
            "trainval_loc": np.setdiff1d(seen, seen[::5])[:, None] + 1.0,
            "test_seen_loc": seen[::5, None] + 1.0,
            "test_unseen_loc": unseen[:, None] + 1.0,
            "train_loc": seen[:, None] + 1.0,
        }
        (folder / f"split_{k}").mkdir(exist_ok=True)
        changed = tables | trials.get(f"split_{k}", {})
        savemat(folder / f"split_{k}" / "att_splits.mat", changed)
    return folder


def test_the_release_of_bidilel_is_imported_with_one_command(tmp_path, capsys):
    folder = bidilel(tmp_path / "BiDiLEL")
    assert main(["import", str(folder)]) in (None, 0)
    assert "trained on sports-1m" in capsys.readouterr().out
    data = load("hmdb51_c3d")
    np.testing.assert_array_equal(data.features, X)
    np.testing.assert_array_equal(data.labels, LABELS)
    # The counts of videos identify the classes.
    assert data.class_names == readable_names(FACTS.class_names)
    np.testing.assert_allclose(data.prototypes, VECTORS, rtol=1e-6)
    assert list(data.splits) == ["released 1", "released 2"]
    np.testing.assert_array_equal(data.split("released 2").unseen_classes, FACTS.released[1])
    assert not data.simulated
    assert load("hmdb51_c3d").digest == import_dataset(folder / "data", name="twice").digest


def test_a_folder_with_several_feature_files_needs_the_name_of_one(tmp_path):
    folder = bidilel(tmp_path / "BiDiLEL")
    bidilel(folder, visual="hmdb51_idt")
    with pytest.raises(FileRefusedError, match=r"--features.*hmdb51_c3d\.mat, hmdb51_idt\.mat"):
        import_dataset(folder)
    with pytest.raises(UnknownNameError, match=r"did you mean 'hmdb51_idt\.mat'"):
        import_dataset(folder, features="hmdb51_itd.mat")
    baseline = import_dataset(folder, features="hmdb51_idt.mat")
    deep = import_dataset(folder, features="hmdb51_c3d")
    sets = feature_sets(CONFIGURATIONS["OS4"], {d.name: d for d in (baseline, deep)})
    # The study of the paper has these two feature sets.
    assert [action_set.features for action_set in sets] == ["idt", "sports"]


def test_the_app_imports_a_released_folder_without_file_names(tmp_path):
    folder = bidilel(tmp_path / "BiDiLEL")
    usual = {"features": "res101.mat", "splits": "att_splits.mat"}
    data = uploads.import_folder(str(folder), **usual)
    assert (data.name, len(data.splits)) == ("BiDiLEL", 2)
    bidilel(folder, visual="hmdb51_idt")
    named = usual | {"features": "hmdb51_idt.mat"}
    assert uploads.import_folder(str(folder), name="mine", **named).pretraining == ("none",)


def test_features_in_several_cells_of_matlab_7_3_are_joined(tmp_path):
    data = np.empty((1, 2), dtype=object)
    data[0, 0], data[0, 1] = X.astype(float), 2.0 * X[:, :3]
    folder = bidilel(tmp_path / "two", features={"feature": {"Data": data}})
    result = action_archives.find(folder).read_dataset("mine")
    np.testing.assert_array_equal(result.features, np.hstack([X, 2 * X[:, :3]]))
    path = folder / "data/visual_representations/hmdb51_c3d.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        parts = [file.create_dataset(f"#refs#/{k}", data=data[0, k].T) for k in (0, 1)]
        references = np.array([[part.ref] for part in parts], dtype=h5py.ref_dtype)
        file.create_dataset("feature/Data", data=references)
        file["allLabels"] = LABELS[None] + 1.0
        for name in ("feature/Data", "allLabels"):
            file[name].attrs["MATLAB_class"] = np.bytes_("cell" if "/" in name else "double")
    again = action_archives.find(folder).read_dataset("mine")
    np.testing.assert_array_equal(again.features, result.features)
    assert again.digest == result.digest


def test_classes_that_are_not_recognised_by_counts_have_numbers_as_names(tmp_path):
    few = LABELS[:-1, None] + 1.0
    folder = bidilel(
        tmp_path / "few", features={"feature": {"Data": X[:-1].astype(float)}, "allLabels": few}
    )
    data = action_archives.find(folder).read_dataset("mine")
    assert data.class_names[:2] == ("class 1", "class 2")
    assert list(data.splits) == ["split 1", "split 2"]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"features": {"feature": {"Date": X}}}, "the field 'Data'; got 1 with Date"),
        ({"features": {"feature": X}}, "expected a MATLAB struct; got a single"),
        ({"features": {"feature": {"Data": as_cells(["a"])}}}, "matrices of numbers in its cells"),
        ({"features": {"feature": {"Data": as_cells([])}}}, "1 to 64 matrices in its cells; got 0"),
        ({"features": {"feature": {"Data": X[:3]}}}, "each of 3 rows of 4 features; got 6766"),
        ({"features": {"feature": {"Data": X * np.nan}}}, "finite numbers; got nan in row 1"),
        ({"features": {"allLabels": LABELS[:, None]}}, r"numbers 1\.\.51 .*; got 0"),
        ({"features": {"allLabels": LABELS[:, None] + 2}}, r"numbers 1\.\.51 .*; got 52"),
        ({"features": {"allLabels": LABELS[:, None] + 2.0**50}}, r"numbers 1\.\.51 .*; got 1125"),
        ({"splits": {"train_class_set": 1 - TESTED[:, :9]}}, "each of 51 classes; got 9 columns"),
        ({"splits": {"test_class_set": 3 * TESTED}}, "0 or 1 for each .* columns with 3"),
        ({"splits": {"train_class_set": 0 * TESTED + 1}}, "no class in both training and test"),
        ({"semantics": {"wordvector": {"a": 1}}}, "got a MATLAB struct"),
    ],
)
def test_deviations_from_the_release_of_bidilel_are_refused(tmp_path, changed, sentence):
    folder = bidilel(tmp_path / "BiDiLEL", **changed)
    with pytest.raises(FileRefusedError, match=sentence):
        import_dataset(folder)


def test_a_struct_larger_than_its_file_explains_is_never_read(tmp_path):
    folder = bidilel(
        tmp_path / "bomb", features={"feature": {"Data": np.zeros((9000, 9000), np.uint8)}}
    )
    with pytest.raises(FileRefusedError, match="81,000,1.. bytes.*, more than the"):
        import_dataset(folder)


def test_no_link_of_a_struct_is_followed(tmp_path):
    folder = bidilel(tmp_path / "links")
    path = folder / "data/visual_representations/hmdb51_c3d.mat"
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["Data"] = X
    for link in (h5py.ExternalLink("../../../secret.h5", "Data"), h5py.SoftLink("/allLabels")):
        with h5py.File(path, "w") as file:
            file["allLabels"] = LABELS[None] + 1.0
            file.create_group("feature")["Data"] = link
        with pytest.raises(FileRefusedError, match="data inside the file; got a link"):
            import_dataset(folder)


def test_i3d_features_come_with_their_trials(tmp_path, capsys):
    folder = i3d(tmp_path / "hmdb51")
    assert main(["import", str(folder)]) in (None, 0)
    assert "trained on imagenet-1k, kinetics-400" in capsys.readouterr().out
    data = load("hmdb51-i3d")
    np.testing.assert_array_equal(data.features, X)
    assert list(data.splits) == ["released 1", "released 2"]
    split = data.split("released 1")
    np.testing.assert_array_equal(split.unseen_classes, FACTS.released[0])
    assert len(split.test_seen) == -(-np.isin(LABELS, FACTS.released[0], invert=True).sum() // 5)
    assert f"contain {len(split.test_seen):,} test_seen rows" in split.note
    assert import_dataset(folder, pretraining=["kinetics-400"]).pretraining == ("kinetics-400",)


def test_trials_may_be_in_a_folder_of_semantics_and_have_attributes(tmp_path):
    bits = np.eye(51)[:, :5]
    folder = i3d(tmp_path / "hmdb51", **{f"split_{k}": {"original_att": bits.T} for k in (1, 2)})
    (folder / "hmdb51_semantics").mkdir()
    for k in (1, 2):
        (folder / f"split_{k}").rename(folder / "hmdb51_semantics" / f"split_{k}")
    (folder / "i3d.mat").rename(folder / "hmdb51_i3d.mat")
    data = import_dataset(folder, embedding="attributes")
    assert data.name == "hmdb51_i3d-attributes"
    np.testing.assert_array_equal(data.prototypes, bits)
    with pytest.raises(UnknownNameError, match="class embedding"):
        import_dataset(folder, embedding="glove")
    with pytest.raises(ParameterError, match="takes features, splits and embedding; got proto"):
        import_dataset(folder, prototypes="x.csv")


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            {"allclasses_names": as_cells(FACTS.class_names[::-1])},
            "expected the classes of split_1",
        ),
        ({"att": VECTORS[:7].T}, r"as many names as columns in 'att' \(7\); got 51"),
        ({"trainval_loc": np.array([[0.0]])}, r"numbers 1\.\.6766 \(images\); got 0 "),
        ({"test_unseen_loc": np.array([[7000.0]])}, r"numbers 1\.\.6766 \(images\); got 7000 "),
        ({"test_unseen_loc": np.empty((0, 1))}, "rows in trainval_loc and test_unseen_loc"),
    ],
)
def test_deviations_in_a_trial_are_refused_in_one_sentence(tmp_path, changed, sentence):
    folder = i3d(tmp_path / "hmdb51", split_2=changed)
    with pytest.raises(FileRefusedError, match=sentence) as caught:
        import_dataset(folder)
    assert str(caught.value).startswith("split_2/att_splits.mat")


def test_the_released_trial_of_ucf101_is_read_unchanged(shared, tmp_path):
    folder = tmp_path / "ucf101"
    (folder / "split_1").mkdir(parents=True)
    released = (shared / "data/action/ucf101_att_splits.mat").read_bytes()
    (folder / "split_1" / "att_splits.mat").write_bytes(released)
    facts = action_facts("UCF101")
    labels = np.load(shared / "data/action/ucf101.npz")["video_labels"].astype(float)
    savemat(folder / "i3d.mat", {"features": labels[None], "labels": labels[:, None] + 1})
    data = import_dataset(folder, embedding="attributes")
    assert data.prototypes.shape == (101, 115)
    split = data.splits["split 1"]
    assert (len(split.trainval), len(split.test_seen), len(split.test_unseen)) == (5372, 1342, 6606)
    assert len(split.unseen_classes) == 50
    assert "contain 1,342 test_seen rows" in split.note
    np.testing.assert_array_equal(np.bincount(data.labels), facts.videos)
