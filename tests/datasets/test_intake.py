"""Any files become a data set: roles are guessed, shown, corrected, and checked before storing."""

import json
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy.io import savemat

from tests.datasets import files
from tests.untrusted.test_containers import write_safetensors
from tests.writing import as_cells, write_file
from zslcore.__main__ import main
from zslcore.datasets import import_dataset, imports, load
from zslcore.datasets.intake import find, survey
from zslcore.exceptions import DatasetError, FileRefusedError, ParameterError, UnknownNameError
from zslcore.names import spaced_name
from zslcore.storage.artifacts import discard
from zslcore.untrusted.readers import variables

pytestmark = pytest.mark.usefixtures("in_process", "own_data")
NAMES = ("blue whale", "otter", "zebra", "bat", "sea lion")
X, Y, S = files.FEATURES, files.LABELS.astype(np.int64), files.ATT
UNSEEN = ["bat", "Sea_Lion"]


def npy(folder):
    np.save(folder / "features.npy", X)
    np.save(folder / "labels.npy", Y)
    rows = [",".join([name, *map(str, row)]) for name, row in zip(NAMES, S.tolist(), strict=True)]
    (folder / "embeddings.csv").write_text("\n".join(["class,a,b,c,d", *rows]))


def npz(folder):
    np.savez(folder / "all.npz", X=X, y=Y, S=S, names=np.array(NAMES))
    (folder / "S.json").write_text(json.dumps(dict(zip(NAMES, S.tolist(), strict=True))))


def one_npz(folder):
    np.savez(folder / "all.npz", X=X, y=Y, att=S, names=np.array(NAMES))


def mat(folder):
    content = {"features": X.T, "labels": Y[:, None] + 1, "att": S.T}
    savemat(folder / "all.mat", content | {"allclasses_names": as_cells(NAMES)})


def mat73(folder):
    with h5py.File(folder / "features.mat", "w") as file:
        file["features"], file["labels"] = X, Y[None] + 1.0
    with h5py.File(folder / "vectors.h5", "w") as file:
        file["att"], file["class_names"] = S, np.array(NAMES, dtype="S")


def tensors(folder):
    import torch

    torch.save({"feats": torch.tensor(X), "targets": torch.tensor(Y)}, folder / "cache.pt")
    torch.save(torch.tensor(S), folder / "text_features.pt")
    (folder / "classes.txt").write_text("\n".join(NAMES))


def safetensors(folder):
    write_safetensors(folder / "a.safetensors", {"image_features": X, "labels": Y})
    by_class = dict(zip(NAMES, S.tolist(), strict=True))
    (folder / "embeddings.json").write_text(json.dumps(by_class))


def texts(folder):
    np.savetxt(folder / "X.txt", X)
    (folder / "labels.txt").write_text("\n".join(NAMES[c].upper() for c in Y))
    lines = ["\t".join([name, *map(str, s)]) for name, s in zip(NAMES, S.tolist(), strict=True)]
    (folder / "attributes.tsv").write_text("\n".join(["name\ta\tb\tc\td", *lines]))


def tables(folder):
    frame = pd.DataFrame(X, columns=[f"f{k}" for k in range(X.shape[1])])
    frame.assign(label=[NAMES[c] for c in Y]).to_parquet(folder / "features.parquet")
    frame = pd.DataFrame({"class": NAMES, "embedding": [row.tolist() for row in S]})
    frame.to_parquet(folder / "vectors.parquet")


def named_labels(folder):
    content = {"features": X, "prototypes": S, "class_names": np.array(NAMES)}
    np.savez(folder / "table.npz", labels=np.array(NAMES)[Y], **content)


def written_by_pandas(folder):
    np.save(folder / "features.npy", X)
    np.save(folder / "labels.npy", Y)
    pd.DataFrame(S, index=NAMES).to_csv(folder / "embeddings.csv")


def classes_in_columns(folder):
    npy(folder)
    table = pd.DataFrame(S.T, columns=NAMES)
    table.insert(0, "attribute", [*"abcd"])
    table.to_csv(folder / "embeddings.csv", index=False)


def classes_in_columns_with_index(folder):
    named_labels(folder)
    np.savez(folder / "table.npz", features=X, labels=np.array(NAMES)[Y])
    pd.DataFrame(S.T, columns=NAMES, index=[*"abcd"]).to_csv(folder / "embeddings.csv")


def numbered_classes(folder):
    npy(folder)
    table = pd.DataFrame(S, columns=[*"abcd"]).assign(name=NAMES)
    table.insert(0, "id", np.arange(len(NAMES)) * 2)
    table.to_csv(folder / "embeddings.csv", index=False)


def word2vec(folder):
    npy(folder)
    (folder / "embeddings.csv").unlink()
    lines = [
        " ".join([name.replace(" ", "_"), *map(str, row)])
        for name, row in zip(NAMES, S.tolist(), strict=True)
    ]
    (folder / "wiki.vec").write_text("\n".join([f"{len(S)} {S.shape[1]}", *lines]))


def image_tables(folder):
    """Labels are in another order than features; both files name the images."""
    npy(folder)
    (folder / "features.npy").unlink()
    (folder / "labels.npy").unlink()
    images = [f"{k}.jpg" for k in range(len(Y))]
    features = pd.DataFrame(X).assign(image=images)
    features.to_csv(folder / "features.csv", index=False)
    labels = pd.DataFrame({"image": images, "label": np.array(NAMES)[Y]})
    labels[::-1].to_csv(folder / "labels.csv", index=False)


def records(folder):
    npy(folder)
    (folder / "features.npy").unlink()
    (folder / "labels.npy").unlink()
    rows = zip(X.tolist(), np.array(NAMES)[Y].tolist(), strict=True)
    lines = [
        json.dumps({"image": f"{k}", "label": y, "embedding": x}) for k, (x, y) in enumerate(rows)
    ]
    (folder / "features.jsonl").write_text("\n".join(lines))


def attributes_in_json(folder):
    npy(folder)
    (folder / "embeddings.csv").unlink()
    by_class = pd.DataFrame(S.T.astype(float), columns=NAMES, index=[*"abcd"]).to_dict()
    (folder / "embeddings.json").write_text(json.dumps(by_class))


def vector_per_class(folder):
    import torch

    npy(folder)
    (folder / "embeddings.csv").unlink()
    by_class = {name: torch.tensor(row) for name, row in zip(NAMES, S, strict=True)}
    torch.save(by_class, folder / "text_embeddings.pt")


def more_vectors_in_another_order(folder):
    """The labels are positions in the list of names, not rows of the class embeddings."""
    npy(folder)
    (folder / "embeddings.csv").unlink()
    (folder / "classes.txt").write_text("\n".join(NAMES))
    rows = [*zip(NAMES, S.tolist(), strict=True), ("goat", [0.5] * S.shape[1])]
    lines = [" ".join([name.replace(" ", "_"), *map(str, row)]) for name, row in rows[::-1]]
    (folder / "glove.txt").write_text("\n".join(lines))


LAYOUTS = [npy, one_npz, mat, mat73, tensors, safetensors, texts, tables]
LAYOUTS += [named_labels, written_by_pandas, classes_in_columns, classes_in_columns_with_index]
LAYOUTS += [numbered_classes, word2vec, image_tables, records, attributes_in_json]
LAYOUTS += [vector_per_class, more_vectors_in_another_order]


def paths(folder):
    return sorted(path for path in folder.iterdir() if path.is_file())


def as_expected(data):
    np.testing.assert_allclose(data.features, X, rtol=1e-6)
    np.testing.assert_array_equal(data.labels, Y)
    np.testing.assert_allclose(data.prototypes, S, rtol=1e-6)
    assert tuple(spaced_name(name) for name in data.class_names) == NAMES
    return True


def test_a_missing_number_of_a_class_embedding_is_refused(tmp_path):
    """Otherwise its column would be ignored as text."""
    npy(tmp_path)
    table = pd.DataFrame(S, columns=[*"abcd"]).assign(name=NAMES)
    table.loc[2, "b"] = np.nan
    table.to_csv(tmp_path / "embeddings.csv", index=False)
    with pytest.raises(FileRefusedError, match="expected finite numbers[,;] got nan in row 3"):
        find(paths(tmp_path), unseen=UNSEEN).read_dataset("a")


def test_parts_of_a_split_are_matched_to_images_by_name(tmp_path):
    image_tables(tmp_path)
    table = pd.read_csv(tmp_path / "labels.csv")
    table["split"] = np.where(table["label"].isin(NAMES[3:]), "test", "train")
    table.to_csv(tmp_path / "labels.csv", index=False)
    data = find(paths(tmp_path)).read_dataset("a")
    assert as_expected(data)
    (split,) = data.splits.values()
    np.testing.assert_array_equal(split.test_unseen, np.flatnonzero(Y >= 3))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_of_files_gives_the_same_data_set(tmp_path, layout):
    folder = tmp_path / "in"
    folder.mkdir()
    layout(folder)
    first, *more = paths(folder)
    data = import_dataset(first, more=more, unseen=UNSEEN, name="birds")
    assert as_expected(data)
    (split,) = data.splits.values()
    assert split.unseen_classes.tolist() == [3, 4]
    assert split.folds
    assert as_expected(load("birds"))


def _large_parquet(folder, wide):
    for part, rows in (("a", slice(0, 12)), ("b", slice(12, 30))):
        frame = pd.DataFrame({"vector": wide[rows].tolist(), "label": Y[rows]})
        frame.to_parquet(folder / f"{part}.parquet")


@pytest.mark.parametrize("ending", ["npy", "npz", "h5", "mat", "pt", "safetensors", "parquet"])
def test_large_features_are_read_only_when_they_are_stored(tmp_path, monkeypatch, ending):
    import torch

    npy(tmp_path)
    wide, path = np.tile(X, (1, 300)), tmp_path / f"features.{ending}"
    (tmp_path / "features.npy").unlink()
    write = {
        "npy": lambda: np.save(path, wide),
        "npz": lambda: np.savez(path, features=wide),
        "h5": lambda: h5py.File(path, "w").__setitem__("features", wide),
        "mat": lambda: savemat(path, {"features": wide.T}),
        "pt": lambda: torch.save(torch.tensor(wide), path),
        "safetensors": lambda: write_safetensors(path, {"features": wide}),
        "parquet": lambda: _large_parquet(tmp_path, wide),
    }
    write[ending]()
    if ending == "parquet":
        (tmp_path / "labels.npy").unlink()
    monkeypatch.setattr(variables, "SMALL_BYTES", 20_000)
    actual = survey(paths(tmp_path))
    assert "features 30 x 2,100; labels 0 to 4" in actual.sentence
    assert actual.parts["features"].values is None
    first, *more = paths(tmp_path)
    data = import_dataset(first, more=more, unseen=UNSEEN, name="birds")
    np.testing.assert_array_equal(data.features, wide)
    np.testing.assert_array_equal(data.labels, Y)


def test_the_survey_prints_one_sentence_and_a_table(tmp_path):
    npy(tmp_path)
    actual = survey(paths(tmp_path))
    assert actual.sentence == (
        "features 30 x 7; labels 0 to 4; class embeddings 5 x 4; class names 5; no split"
    )
    assert ("features.npy", "30 x 7", "features") in actual.rows
    assert ("labels.npy", "30 whole numbers, 0 to 4", "labels") in actual.rows


def test_a_wrongly_guessed_role_is_corrected_by_one_option(tmp_path):
    np.savez(tmp_path / "a.npz", features=X[:, ::-1], other=X, labels=(Y + 1) % 5, coarse=Y)
    (tmp_path / "embeddings.csv").write_text(_table())
    choices = {"labels": "a.npz:coarse", "features": "a.npz:other"}
    wrong = find(paths(tmp_path), unseen=UNSEEN).read_dataset("a")
    assert not np.array_equal(wrong.labels, Y)
    assert as_expected(find(paths(tmp_path), choices=choices, unseen=UNSEEN).read_dataset("a"))
    command = ["import", *map(str, paths(tmp_path)), "--unseen", *UNSEEN, "--name", "birds"]
    assert main([*command, "--labels", "a.npz:coarse", "--features", "a.npz:other"]) in (0, None)
    assert as_expected(load("birds"))
    with pytest.raises(ParameterError, match=r"--labels: expected one of a\.npz:features, .*; got"):
        survey(paths(tmp_path), {"labels": "a.npz:nothing"})


def _table():
    rows = [",".join([name, *map(str, s)]) for name, s in zip(NAMES, S.tolist(), strict=True)]
    return "\n".join(["class,a,b,c,d", *rows])


def test_a_damaged_import_is_repeated_from_all_its_files(tmp_path, own_data):
    npy(tmp_path)
    first, *more = paths(tmp_path)
    result = import_dataset(first, more=more, unseen=UNSEEN, name="birds")
    for path in (own_data / "imported").rglob("features.npy"):
        path.chmod(0o600)
        path.write_bytes(b"damaged")
    for folder in own_data.rglob("*copies*"):
        discard(folder)
    assert load("birds").digest == result.digest


@pytest.mark.parametrize(
    ("unseen", "which"),
    [
        (["blue whale", "ZEBRA"], [0, 2]),
        (["1", "3"], [1, 3]),
        ([2], [2]),
        (["random:2:5"], None),
    ],
)
def test_unseen_classes_may_be_names_numbers_or_a_random_draw(tmp_path, unseen, which):
    npy(tmp_path)
    split = find(paths(tmp_path), unseen=unseen).read_dataset("a").split("own")
    again = find(paths(tmp_path), unseen=unseen).read_dataset("a").split("own")
    assert split.unseen_classes.tolist() == again.unseen_classes.tolist()
    assert which is None or split.unseen_classes.tolist() == which
    assert len(split.unseen_classes) == len(unseen if which else [0, 1])
    assert ("seed 5" in split.note) == (which is None)


@pytest.mark.parametrize(
    "lists",
    [
        {"unseen_classes": [1, 3]},
        {"novel_idx": [1, 3]},
        {"seen_classes": [0, 2, 4]},
        {"base_classes": np.array(NAMES)[[0, 2, 4]]},
        {"is_unseen": [False, True, False, True, False]},
        {"seen_mask": [1, 0, 1, 0, 1]},
    ],
)
def test_a_list_of_one_side_gives_the_split(tmp_path, lists):
    np.savez(tmp_path / "a.npz", X=X, y=Y, S=S, names=np.array(NAMES), **lists)
    split = find(paths(tmp_path)).read_dataset("a").split("own")
    assert split.unseen_classes.tolist() == [1, 3]


@pytest.mark.parametrize("position", [0, X.shape[1]])
@pytest.mark.parametrize("name", ["data.csv", "data.npy"])
def test_labels_may_be_a_column_of_a_matrix_without_titles(tmp_path, position, name):
    both, path = np.insert(X.astype(float), position, Y, axis=1), tmp_path / name
    np.save(path, both) if name == "data.npy" else np.savetxt(path, both, delimiter=",")
    np.savetxt(tmp_path / "S.txt", S)
    data = find(paths(tmp_path), unseen=[1]).read_dataset("a")
    np.testing.assert_array_equal(data.labels, Y)
    np.testing.assert_allclose(data.features, X, rtol=1e-6)


@pytest.mark.parametrize("start", [0, 1])
def test_a_first_column_that_numbers_the_rows_is_no_feature(tmp_path, start):
    npy(tmp_path)
    (tmp_path / "features.npy").unlink()
    numbered = np.insert(X.astype(float), 0, np.arange(len(X)) + start, axis=1)
    np.savetxt(tmp_path / "features.txt", numbered)
    as_expected(find(paths(tmp_path), unseen=[1]).read_dataset("a"))


def test_vectors_may_be_numbers_between_spaces_after_a_tab(tmp_path):
    npy(tmp_path)
    lines = [f"{name}\t{' '.join(map(str, row))}" for name, row in zip(NAMES, S, strict=True)]
    (tmp_path / "embeddings.csv").unlink()
    (tmp_path / "vectors.tsv").write_text("\n".join(lines))
    as_expected(find(paths(tmp_path), unseen=[1]).read_dataset("a"))


def test_an_embedding_per_labelled_image_is_a_feature(tmp_path):
    lines = [
        json.dumps({"embedding": x.tolist(), "class": NAMES[c]}) for x, c in zip(X, Y, strict=True)
    ]
    (tmp_path / "images.jsonl").write_text("\n".join(lines))
    (tmp_path / "classes.json").write_text(json.dumps(dict(zip(NAMES, S.tolist(), strict=True))))
    as_expected(find(paths(tmp_path), unseen=[1]).read_dataset("a"))


PARTS = {"trainval": files.TRAINVAL, "test_seen": files.TEST_SEEN, "test_unseen": files.UNSEEN}


def test_a_split_may_be_rows_a_column_or_lists_of_matlab(tmp_path):
    npy(tmp_path)
    word = np.full(30, "trainval", dtype="U20")
    for part, rows in PARTS.items():
        word[rows] = part
    forms = {
        "rows.npz": lambda path: np.savez(path, **PARTS),
        "split.npy": lambda path: np.save(path, word),
        "att_splits.mat": lambda path: savemat(
            path, {f"{part}_loc": rows[:, None] + 1 for part, rows in PARTS.items()}
        ),
    }
    for name, write in forms.items():
        write(tmp_path / name)
        data = find(paths(tmp_path)).read_dataset("a")
        for part, rows in PARTS.items():
            np.testing.assert_array_equal(np.sort(getattr(data.split("own"), part)), np.sort(rows))
        with pytest.raises(
            DatasetError,
            match="expected no unseen classes .--unseen. with a file that holds a split",
        ):
            find(paths(tmp_path), unseen=["bat"]).read_dataset("a")
        (tmp_path / name).unlink()


def test_a_folder_of_parquet_files_as_from_hugging_face_is_a_data_set(tmp_path, capsys):
    folder = tmp_path / "set" / "data"
    folder.mkdir(parents=True)
    features = {"label": {"names": list(NAMES), "_type": "ClassLabel"}}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    train = np.sort(np.concatenate([files.TRAINVAL]))
    test = np.setdiff1d(np.arange(30), train)
    for part, rows in (("train", train), ("test", test)):
        table = pa.table({"embedding": X[rows].tolist(), "label": Y[rows]})
        file = folder / f"{part}-00000-of-00001.parquet"
        parquet.write_table(table.replace_schema_metadata(metadata), file)
    np.save(tmp_path / "prototypes.npy", S)
    command = ["import", str(tmp_path / "set"), "--prototypes", str(tmp_path / "prototypes.npy")]
    assert main([*command, "--name", "hf", "--features", "data:embedding"]) in (0, None)
    assert "features 30 x 7" in capsys.readouterr().out
    data = load("hf")
    assert data.class_names == NAMES
    order = np.concatenate([test, train])
    np.testing.assert_array_equal(data.labels, Y[order])
    np.testing.assert_allclose(data.features, X[order], rtol=1e-6)
    assert data.split("own").unseen_classes.tolist() == [3, 4]


ROWS = {
    "train": files.TRAINVAL,
    "test_seen": files.TEST_SEEN,
    "test_unseen": np.flatnonzero(Y >= 3),
}


@pytest.mark.parametrize("copies", [1, 300])  # 300 copies are too large to be read at once
@pytest.mark.parametrize("form", ["npz", "npy", "mat", "turned.mat"])
def test_arrays_of_each_part_are_one_data_set(tmp_path, monkeypatch, form, copies):
    monkeypatch.setattr(variables, "SMALL_BYTES", 20_000)
    wide = np.tile(X, (1, copies))
    turn = np.transpose if form == "turned.mat" else np.asarray
    arrays = {"attributes": S}
    for part, rows in ROWS.items():
        short = part.replace("train", "tr") if form == "mat" else part
        arrays |= {f"{short}_features": turn(wide[rows]), f"{short}_labels": Y[rows]}
    path = tmp_path / f"gzsl.{form}"
    if form == "npy":
        for name, array in arrays.items():
            np.save(tmp_path / f"{name}.npy", array)
    elif form == "npz":
        np.savez(path, **arrays)
    else:
        savemat(path, arrays)
    first, *more = paths(tmp_path)
    data = import_dataset(first, more=more, name="gzsl")
    (split,) = data.splits.values()
    for part, rows in {"trainval": ROWS["train"], **ROWS}.items():
        if part != "train":
            listed = getattr(split, part)
            np.testing.assert_array_equal(np.sort(data.labels[listed]), np.sort(Y[rows]))
            by_label = np.argsort(Y[rows], kind="stable")
            order = np.argsort(data.labels[listed], kind="stable")
            np.testing.assert_allclose(
                data.features[listed][order], wide[rows][by_label], rtol=1e-6
            )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"y_test": np.flatnonzero(Y >= 3) % 2},
            r"gzsl.npz:labels: expected test labels without training images; got train 0 to 2, "
            r"test 0 to 1; if each part numbers its own classes, number the classes of all parts",
        ),
        ({"y_test": None}, r"gzsl.npz:X_test: expected labels of test next to it; got none"),
        ({"X_test": X[Y >= 3][:, :5]}, "same number of features .*; got 7 in train, 5 in test"),
    ],
)
def test_arrays_of_parts_that_do_not_fit_are_refused(tmp_path, change, sentence):
    arrays = {"X_train": X[Y < 3], "y_train": Y[Y < 3], "X_test": X[Y >= 3], "y_test": Y[Y >= 3]}
    arrays = {name: array for name, array in (arrays | change).items() if array is not None}
    np.savez(tmp_path / "gzsl.npz", **arrays, att=S)
    with pytest.raises(FileRefusedError, match=sentence):
        import_dataset(tmp_path / "gzsl.npz", more=[], choices={"prototypes": "gzsl.npz:att"})


@pytest.mark.parametrize(
    ("change", "unseen"),
    [
        ({"labels": Y + 1}, [4, 5]),
        ({"labels": Y[:, None] + 1}, ["4", "5"]),
        ({"labels": np.eye(5)[Y]}, [3, 4]),
        ({"features": X[:, :, None, None]}, [3, 4]),
        ({"prototypes": S.T}, [3, 4]),
        ({"features": X.T}, [3, 4]),
        ({"features": X.T, "prototypes": S.T}, [3, 4]),
        ({"unseen_classes": np.array([3, 4])}, None),
    ],
)
def test_forms_of_labels_and_matrices_give_the_same_data_set(tmp_path, change, unseen):
    parts = {"features": X, "labels": Y, "prototypes": S}
    np.savez(tmp_path / "plain.npz", **parts)
    np.savez(tmp_path / "changed.npz", **parts | change)
    expected, data = (
        import_dataset(tmp_path / f"{name}.npz", unseen=classes, name=name)
        for name, classes in (("plain", [3, 4]), ("changed", unseen))
    )
    assert data.digest == expected.digest
    np.testing.assert_array_equal(data.split("own").unseen_classes, [3, 4])


def test_class_embeddings_named_by_numbers_belong_to_the_labels_with_the_numbers(tmp_path):
    np.savez(tmp_path / "features.npz", features=X, labels=Y)
    np.savez(tmp_path / "vectors.npz", **{str(c): S[c] for c in (4, 0, 2, 1, 3)})
    data = find(paths(tmp_path), unseen=["3", "4"]).read_dataset("numbered")
    np.testing.assert_allclose(data.prototypes, S)


def test_a_class_without_a_class_embedding_is_refused(tmp_path):
    more_vectors_in_another_order(tmp_path)
    (tmp_path / "classes.txt").write_text("\n".join([*NAMES[:-1], "walrus"]))
    with pytest.raises(UnknownNameError, match="Unknown class in glove.txt:0 'walrus'"):
        find(paths(tmp_path), unseen=["bat"]).read_dataset("a")


def test_a_folder_with_one_array_per_file_is_a_data_set(tmp_path):
    folder = tmp_path / "birds"
    folder.mkdir()
    npy(folder)
    (folder / "unseen.txt").write_text("\n".join(UNSEEN))
    (folder / "README.md").write_text("# Birds\n")
    assert as_expected(import_dataset(folder))
    assert load("birds").split("own").unseen_classes.tolist() == [3, 4]
    (folder / "notes").mkdir()
    with pytest.raises(DatasetError, match=r"birds: expected at most 12 files.*notes/"):
        import_dataset(folder)


# --- Invalid input --------------------------------------------------------------------------------


def change(folder, **arrays):
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)


@pytest.mark.parametrize(
    ("arrays", "output"),
    [
        ({"labels": Y[:-1]}, "features.npy: expected a row for each of 29 labels; got 30 x 7"),
        ({"labels": Y + 3}, "labels.npy: expected labels that number 5 class embeddings"),
        ({"labels": Y - 1}, "labels.npy: expected labels that number 5 class embeddings"),
        ({"labels": np.array([], int)}, "labels.npy: expected labels; got none"),
        ({"labels": Y + 0.5}, "labels.npy, variable 'array': expected whole numbers; got 0.5"),
        ({"labels": np.array(["cow"] * 30)}, "Unknown class in labels.npy 'cow'"),
        ({"features": np.full((30, 7), "a")}, "expected features"),
        ({"features": np.full((30, 7), np.nan)}, "expected finite numbers; got nan in row 1"),
        ({"features": X[:0]}, "features.npy: expected a row for each of 30 labels; got 0 x 7"),
        ({"y": Y}, "found labels.npy (30 whole numbers, 0 to 4) and y.npy"),
    ],
)
def test_invalid_input_is_refused_and_nothing_is_stored(tmp_path, arrays, output, capsys):
    npy(tmp_path)
    change(tmp_path, **arrays)
    command = ["import", *map(str, paths(tmp_path)), "--unseen", *UNSEEN, "--name", "birds"]
    assert main(command) == 2
    sentence = capsys.readouterr().err.strip()
    assert output in sentence
    assert "\n" not in sentence
    assert not imports.names()


@pytest.mark.parametrize("n", [0, 1])
def test_class_embeddings_of_fewer_than_two_classes_are_refused(tmp_path, n):
    npy(tmp_path)
    (tmp_path / "embeddings.csv").write_text("\n".join(_table().splitlines()[: 1 + n]))
    with pytest.raises((DatasetError, FileRefusedError)):
        find(paths(tmp_path), unseen=UNSEEN).read_dataset("a")


@pytest.mark.parametrize(
    ("unseen", "error", "expected"),
    [
        (["random:5"], FileRefusedError, "random:1 to random:4, of 5 classes; got random:5"),
        (["random:0"], FileRefusedError, "random:1 to random:4, of 5 classes; got random:0"),
        (list(NAMES), FileRefusedError, None),
        (["unicorn"], UnknownNameError, None),
        (None, DatasetError, None),
    ],
)
def test_unseen_classes_that_leave_no_split_are_refused(tmp_path, unseen, error, expected):
    npy(tmp_path)
    with pytest.raises(error, match=expected):
        find(paths(tmp_path), unseen=unseen).read_dataset("a")


def test_a_draw_that_leaves_a_fold_one_training_class_is_refused(tmp_path, capsys):
    npy(tmp_path)
    command = ["import", *map(str, paths(tmp_path)), "--unseen", "random:3", "--name", "birds"]
    assert main(command) == 2
    sentence = capsys.readouterr().err.strip()
    assert "expected at least 3 seen classes with images" in sentence
    assert "got 2 after random:3 of 5 classes; draw fewer" in sentence
    assert "\n" not in sentence
    assert not imports.names()
    with_fewest = find(paths(tmp_path), unseen=["random:2"]).read_dataset("a")
    folds = with_fewest.split("own").folds
    assert [len(np.unique(with_fewest.labels[fold.train])) for fold in folds] == [2, 2, 2]


def test_names_without_matching_labels_raise_a_question(tmp_path):
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "labels.npy", np.array([NAMES[c] for c in Y]))
    np.save(tmp_path / "S.npy", S)
    with pytest.raises(
        FileRefusedError, match=r"the rows of S\.npy have no names; add a list of 5"
    ):
        find(paths(tmp_path), unseen=UNSEEN).read_dataset("a")


def test_import_with_show_stores_nothing(tmp_path, printed):
    npy(tmp_path)
    assert "features 30 x 7" in printed("import", *map(str, paths(tmp_path)), "--show")
    assert not imports.names()


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"class_names": np.array(NAMES[:4]), "prototypes": S[:4]}, "embedding: sea lion"),
        ({"labels": Y, "prototypes": S[:4]}, "Images have 5 classes, and there are fewer"),
        (
            {"prototypes": None, "S_tr": S[:3], "S_te": S[3:]},
            "one array with a row for every class",
        ),
    ],
)
def test_import_with_show_names_missing_class_embeddings(tmp_path, printed, changed, sentence):
    names = np.array(NAMES)
    arrays = {"features": X, "labels": names[Y], "prototypes": S, "class_names": names} | changed
    arrays = {name: array for name, array in arrays.items() if array is not None}
    assert sentence in printed("import", str(write_file(tmp_path / "d.npz", arrays)), "--show")


def test_a_list_of_images_with_labels_gives_names_and_labels(tmp_path):
    np.save(tmp_path / "features.npy", X)
    np.save(tmp_path / "att.npy", S)
    lines = [f"animals/{k:03}.jpg {label}" for k, label in enumerate(Y)]
    more = [write_file(tmp_path / "labels.txt", "\n".join(lines)), tmp_path / "att.npy"]
    dataset = import_dataset(tmp_path / "features.npy", more=more, unseen=[3, 4])
    np.testing.assert_array_equal(dataset.labels, Y)
    assert dataset.image_files[-1] == lines[-1].split()[0]


CLASS_OF_ROW = [NAMES[c].replace(" ", "_") for c in Y]
IMAGES = [f"images/{name}/{k:03}.jpg" for k, name in enumerate(CLASS_OF_ROW)]


def named_images(folder):
    """Write features, the names of their images, and class embeddings; no labels."""
    np.save(folder / "features.npy", X)
    (folder / "images.txt").write_text("\n".join(IMAGES))
    np.savetxt(folder / "att.txt", S)
    (folder / "classes.txt").write_text("\n".join(NAMES))


@pytest.mark.parametrize("form", ["{name}/{k}.jpg", "all/{name}/images/{k}.jpg", "{name}\\{k}.png"])
def test_the_folder_of_an_image_is_its_label(tmp_path, form):
    named_images(tmp_path)
    lines = [form.format(name=name, k=k) for k, name in enumerate(CLASS_OF_ROW)]
    (tmp_path / "images.txt").write_text("\n".join(lines))
    intake = survey(paths(tmp_path))
    assert ("images.txt:folder", "labels") in [(title, part) for title, _, part in intake.rows]
    data = find(paths(tmp_path), unseen=[1]).read_dataset("a")
    assert as_expected(data)
    assert data.image_files[-1] == lines[-1]


def test_folders_that_are_no_classes_are_no_labels(tmp_path):
    named_images(tmp_path)
    lines = [f"{'ab'[k % 2]}/{k}.jpg" for k in range(len(X))]
    (tmp_path / "images.txt").write_text("\n".join(lines))
    with pytest.raises(FileRefusedError, match="expected labels"):
        find(paths(tmp_path), unseen=[1]).read_dataset("a")


def test_numbered_lines_are_read_in_the_order_of_their_numbers(tmp_path):
    named_images(tmp_path)
    turned = [*reversed(range(len(X)))]
    (tmp_path / "images.txt").write_text("\n".join(f"{k + 1} {IMAGES[k]}" for k in turned))
    (tmp_path / "labels.txt").write_text("\n".join(f"{k + 1} {Y[k] + 1}" for k in turned))
    lines = [f"{k}\t{name.replace(' ', '_')}" for k, name in enumerate(NAMES)]
    (tmp_path / "classes.txt").write_text("\n".join(lines))
    data = find(paths(tmp_path), unseen=["bat"]).read_dataset("a")
    assert as_expected(data)
    assert data.image_files == tuple(IMAGES)


def test_numbers_that_do_not_count_the_lines_are_kept(tmp_path):
    named_images(tmp_path)
    (tmp_path / "classes.txt").write_text("\n".join(f"{2 * k} {n}" for k, n in enumerate(NAMES)))
    data = survey(paths(tmp_path)).class_names
    assert data[1] == f"2 {NAMES[1]}"


def images_of(classes):
    return [image for image, c in zip(IMAGES, Y.tolist(), strict=True) if c in classes]


@pytest.mark.parametrize(
    "lists",
    [
        {"split.json": json.dumps({"train": images_of((0, 2, 4)), "test": images_of((1, 3))})},
        {"train.txt": "\n".join(images_of((0, 2, 4))), "test.txt": "\n".join(images_of((1, 3)))},
        {"trainlist.txt": images_of((0, 2, 4)), "testlist.txt": images_of((1, 3))},
        {"classes.yaml": "seen: [blue whale, zebra, sea lion]\nunseen: [otter, bat]\n"},
        {"split.yml": "seen:\n- blue whale\n- zebra\n- sea lion\nunseen:\n- otter\n- bat\n"},
        {"trainclasses.txt": "blue whale\nzebra\nsea lion", "testclasses.txt": "otter\nbat"},
    ],
)
def test_files_that_list_images_or_classes_give_the_split(tmp_path, lists):
    named_images(tmp_path)
    for name, text in lists.items():
        (tmp_path / name).write_text(text if isinstance(text, str) else "\n".join(text))
    intake = survey(paths(tmp_path))
    assert intake.has_split
    assert [title.partition(":")[0] for title, _, part in intake.rows if part == "split"]
    data = find(paths(tmp_path), intake=intake).read_dataset("a")
    split = data.split("own")
    assert as_expected(data)
    assert split.unseen_classes.tolist() == [1, 3]
    np.testing.assert_array_equal(np.sort(split.test_unseen), np.flatnonzero(np.isin(Y, [1, 3])))


@pytest.mark.parametrize(
    ("images", "sentence"),
    [
        (["images/otter/999.jpg"], "expected every image of split.json; got|none called"),
        ([f"other/a{k}.jpg" for k in range(9)], "expected the names of the images in split.json"),
    ],
)
def test_a_split_of_other_images_is_refused(tmp_path, images, sentence):
    named_images(tmp_path)
    value = {"train": [*images, *(images_of((0, 2, 4)) if len(images) == 1 else [])]}
    value["test"] = images_of((1, 3)) if len(images) == 1 else ["other/x.jpg"]
    (tmp_path / "split.json").write_text(json.dumps(value))
    with pytest.raises(FileRefusedError, match=sentence):
        find(paths(tmp_path)).read_dataset("a")


def test_titles_of_features_are_no_names_of_attributes(tmp_path):
    table = pd.DataFrame(X, columns=[f"f{k}" for k in range(X.shape[1])])
    table.assign(label=[NAMES[c] for c in Y]).to_json(
        tmp_path / "images.jsonl", orient="records", lines=True
    )
    (tmp_path / "classes.json").write_text(json.dumps(dict(zip(NAMES, S.tolist(), strict=True))))
    assert "attribute_names" not in survey(paths(tmp_path)).parts


@pytest.mark.parametrize("form", ["folder", "npz"])
def test_one_matrix_per_class_is_joined(tmp_path, form):
    named_images(tmp_path)
    order = np.argsort(Y, kind="stable")
    (tmp_path / "features.npy").unlink()
    (tmp_path / "images.txt").unlink()
    of_class = {name.replace(" ", "_"): X[k == Y] for k, name in enumerate(NAMES)}
    if form == "npz":
        np.savez(tmp_path / "features.npz", **of_class)
    else:
        for name, features in of_class.items():
            np.save(tmp_path / f"{name}.npy", features)
    data = find(paths(tmp_path), unseen=["bat"]).read_dataset("a")
    rows = np.lexsort(data.features.T)
    np.testing.assert_allclose(data.features[rows], X[order][np.lexsort(X[order].T)], rtol=1e-6)
    for features, label in zip(data.features, data.labels, strict=True):
        assert Y[np.abs(X - features).sum(1).argmin()] == label


def test_a_matrix_of_no_class_is_not_joined(tmp_path):
    test_one_matrix_per_class_is_joined(tmp_path, "folder")
    np.save(tmp_path / "walrus.npy", X[:3])
    assert "labels" not in survey(paths(tmp_path)).parts


def test_columns_with_unknown_titles_are_recognised_by_their_content(tmp_path):
    table = pd.DataFrame(X, columns=[f"f{k}" for k in range(X.shape[1])])
    table["Klasse (latein)"] = [NAMES[c] for c in Y]
    table["Partition"] = np.where(np.isin(Y, [1, 3]), "test", "train")
    table["site"] = ["north", "south"] * (len(Y) // 2)
    table.to_csv(tmp_path / "images.csv", index=False)
    pd.DataFrame(S).assign(name=NAMES).to_csv(tmp_path / "classes.csv", index=False)
    data = find(paths(tmp_path)).read_dataset("a")
    assert as_expected(data)
    assert data.split("own").unseen_classes.tolist() == [1, 3]


def test_an_array_that_cannot_be_read_is_listed_with_the_reason(tmp_path):
    names = np.array([{"name": name} for name in NAMES])
    np.savez(tmp_path / "a.npz", X=X, y=Y, S=S, class_names=names)
    *_, (title, why, part) = survey(paths(tmp_path)).rows
    assert (title, part) == ("a.npz:class_names", "not read")
    assert "save with np.array(names, dtype=str)" in why


def test_lists_of_rows_may_have_longer_names(tmp_path):
    rows = {
        f"{part}_idx": np.flatnonzero(np.isin(Y, classes))
        for part, classes in (("train_seen", (0, 2)), ("test_seen", (4,)), ("test_unseen", (1, 3)))
    }
    rows["train_seen_idx"], rows["test_seen_idx"] = (
        np.sort(np.concatenate([rows["train_seen_idx"], rows["test_seen_idx"]]))[k::2]
        for k in (0, 1)
    )
    np.savez(tmp_path / "a.npz", X=X, y=Y, S=S, **rows)
    split = find(paths(tmp_path)).read_dataset("a").split("own")
    np.testing.assert_array_equal(split.trainval, rows["train_seen_idx"])
    np.testing.assert_array_equal(split.test_seen, rows["test_seen_idx"])
    np.testing.assert_array_equal(split.test_unseen, rows["test_unseen_idx"])


@pytest.mark.parametrize(
    ("files", "name"),
    [
        (["features.npy", "labels.csv", "class_attributes.csv"], "zoo"),
        (["image_class_labels.txt", "images.txt", "testclasses.txt", "birds.npy"], "birds"),
        (["X_train.npy", "X_test.npy", "S.npy"], "zoo"),
        (["resnet101.npy", "labels.csv"], "resnet101"),
    ],
)
def test_an_import_has_the_name_of_its_files_or_folder(files, name):
    assert find([Path("zoo") / file for file in files]).name == name


@pytest.mark.parametrize(
    ("name", "listed"),
    [("testclasses.txt", "bat\notter"), ("train_classes.txt", "sea_lion\nblue_whale\nzebra")],
)
def test_a_list_of_the_classes_of_one_side_gives_the_split(tmp_path, name, listed):
    npy(tmp_path)
    (tmp_path / name).write_text(listed)
    split = find(paths(tmp_path)).read_dataset("a").split("own")
    assert split.unseen_classes.tolist() == [1, 3]


def test_a_list_of_all_classes_gives_no_split(tmp_path):
    npy(tmp_path)
    (tmp_path / "testclasses.txt").write_text("\n".join(NAMES))
    assert not survey(paths(tmp_path)).has_split


def test_a_numbered_line_without_a_finite_number_is_no_label(tmp_path):
    ((_, holds, part),) = survey([write_file(tmp_path / "labels.txt", "1 inf\n2 3\n3 4\n")]).rows
    assert (holds, part) == ("3 x 2", "not used")


def test_two_files_of_one_name_are_not_read_as_one_split(tmp_path):
    named_images(tmp_path)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "train.txt").write_text("\n".join(images_of((0, 2, 4))))
    (tmp_path / "test.txt").write_text("\n".join(images_of((1, 3))))
    two = [tmp_path / folder / "train.txt" for folder in ("a", "b")]
    assert survey([*paths(tmp_path), *two]).split is None
