"""Untrusted input: sandboxed, bounded, refused in one sentence, and checked again."""

import builtins
import json
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.datasets import files
from tests.datasets.test_table import ARRAYS, csv, npz, prototypes
from tests.writing import write_file
from zslcore import exceptions
from zslcore.datasets import import_dataset, imports, load
from zslcore.datasets.table import read_table
from zslcore.exceptions import DatasetError, FileRefusedError, closest_name
from zslcore.leakage.loading import context_of
from zslcore.leakage.vocabularies import read_vocabulary
from zslcore.storage import artifacts
from zslcore.texts import refuse_repeated_names
from zslcore.untrusted import answers, walls
from zslcore.untrusted.client import read_arrays, read_value

# --- Linear time ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("in_process")
def test_many_classes_are_compared_in_one_pass(tmp_path):
    side = tmp_path / "prototypes.csv"
    lines = [f"class {i},{i}.5" for i in range(30_000)]  # pairwise comparison takes 18 s
    side.write_text("\n".join(["class,a", *lines, "class 7,1"]) + "\n")
    with pytest.raises(FileRefusedError, match="a different name for every class; got 'class 7'"):
        read_table(csv(tmp_path), prototypes=side)


def test_a_misspelt_name_is_compared_with_a_limited_number_of_names(monkeypatch):
    seen = []
    near = exceptions.get_close_matches
    monkeypatch.setattr(
        exceptions,
        "get_close_matches",
        lambda word, among, **more: seen.append((word, list(among))) or near("x", []),
    )
    error = closest_name("class", "b" * 10_000, [f"{i}{'a' * 200}" for i in range(20_000)])
    ((word, among),) = seen
    assert len(among) <= exceptions.COMPARED
    assert max(map(len, [word, *among])) <= exceptions.LETTERS
    assert len(str(error)) < 10_000
    assert "and 19,940 more" in str(error)
    assert "  " not in str(error)


def test_a_misspelt_name_is_refused_with_the_nearest_name():
    assert str(closest_name("method", "eszls", ["ESZSL", "SAE"])) == (
        "Unknown method 'eszls'; did you mean 'ESZSL'?"
    )


@pytest.mark.usefixtures("in_process")
def test_a_word_list_has_a_limited_number_of_lines(tmp_path):
    with pytest.raises(FileRefusedError, match="expected at most 50,000 lines; got 50,001"):
        read_vocabulary(write_file(tmp_path / "list.txt", "a\n" * 50_001))


# --- Texts ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("in_process")
def test_the_index_column_of_a_pandas_csv_is_recognised(tmp_path):
    mine, side = csv(tmp_path), prototypes(tmp_path)
    expected = read_table(mine, prototypes=side)
    for path in (mine, side):
        pd.read_csv(path).to_csv(path)  # pandas writes the index as a column
    assert mine.read_text().startswith(",label,split")
    table = read_table(mine, prototypes=side)
    np.testing.assert_array_equal(table.features, expected.features)
    assert table.attribute_names == expected.attribute_names
    with pytest.raises(FileRefusedError, match=r"line 3: expected a name for column 1, or .* '7'"):
        read_table(write_file(mine, mine.read_text().replace("\n1,", "\n7,", 1)), prototypes=side)


@pytest.mark.usefixtures("in_process")
def test_blanks_around_column_names_are_ignored(tmp_path):
    path = csv(tmp_path)
    path.write_text(path.read_text().replace("label,split", "label , split", 1))
    assert read_table(path, prototypes=prototypes(tmp_path)).splits["own"].note


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("name", ["mine.npz", "mine.csv", "mine.json", "list.txt"])
def test_a_git_lfs_pointer_is_recognised(tmp_path, name):
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    path = write_file(tmp_path / name, pointer)
    read = {
        ".npz": read_table,
        ".csv": lambda p: read_table(p, prototypes=prototypes(tmp_path)),
        ".json": lambda p: context_of(p, into=tmp_path),
        ".txt": read_vocabulary,
    }[path.suffix]
    with pytest.raises(FileRefusedError, match="a Git LFS pointer to it; run 'git lfs pull'"):
        read(path)


ERRORS = [name for name, kind in vars(builtins).items() if isinstance(kind, type) and "Err" in name]


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("kind", ["zip", "hdf5", "mat", "json", "twice", "toml", "deep"])
def test_a_refusal_names_no_exception_of_python(tmp_path, kind):
    content = {
        "zip": npz(tmp_path).read_bytes()[:-40],
        "hdf5": b"\x89HDF\r\n\x1a\n" + b"\x07" * 4000,
        "mat": b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM" + b"\x0e\0\0\0\xff\0\0\0" * 4,
        "json": b'{"a": ',
        "twice": b'{"a": {"b": 1, "c": 2, "b": 1}}',
        "toml": b"a = = 1",
        "deep": b"a = " + b"[" * 100_000,
    }[kind]
    path = write_file(tmp_path / "mine.bin", content)
    how = {"json": "JSON", "twice": "JSON", "toml": "TOML", "deep": "TOML"}.get(kind)
    with pytest.raises(FileRefusedError) as caught:
        _ = (
            read_value(path, how, max_bytes=1 << 20)
            if how
            else read_arrays(path, {"labels": "numbers"}, tmp_path)
        )
    sentence = str(caught.value)
    assert not [name for name in [*ERRORS, "BadZipFile", "LinAlg"] if name in sentence]
    assert "expected" in sentence
    assert "got" in sentence
    assert "\n" not in sentence


@pytest.mark.usefixtures("in_process")
def test_rows_that_no_layout_can_hold_are_refused(tmp_path):
    path = tmp_path / "mine.json"
    parts = {"trainval": [1, 2**63 - 1], "test_unseen": [0]}
    path.write_text(json.dumps({"schema": "zslcore-split/1", "parts": parts}))
    with pytest.raises(
        FileRefusedError, match="'trainval': expected row numbers up to 2,147,483,647"
    ):
        context_of(path, into=tmp_path)
    rows = np.array([[1.0], [2.0**40]])
    from scipy.io import savemat

    savemat(tmp_path / "mine.mat", files.splits_file(trainval_loc=rows))
    with pytest.raises(FileRefusedError, match="expected row numbers up to 2,147,483,647"):
        context_of(tmp_path / "mine.mat", into=tmp_path)


# --- Values returned by the worker ----------------------------------------------------------------


def test_a_character_outside_unicode_is_refused(tmp_path):
    names = np.array(["otter", "bat", "seal", "bear", "zebra"])
    names.view("<u4")[2] = 0x110000
    with pytest.raises(FileRefusedError, match="got a character with number 1,114,112"):
        read_table(write_file(tmp_path / "mine.npz", ARRAYS | {"class_names": names}))


@pytest.mark.parametrize(
    "wrong",
    ["character", "order", "shape", "type", "not finite", "nothing", "empty", "zip", "too long"],
)
def test_output_of_a_reader_is_checked_again(tmp_path, monkeypatch, wrong):
    out = {"features": np.ones((3, 2), "<f4"), "class_names": np.array(["a", "b"])}
    if wrong == "character":
        out["class_names"].view("<u4")[0] = 0x110000
    if wrong == "order":
        out["class_names"] = out["class_names"].astype(">U1")
    if wrong == "shape":
        out["features"] = np.ones(3, "<f4")
    if wrong == "type":
        out["features"] = np.ones((3, 2))
    if wrong == "not finite":
        out["features"][1, 1] = np.nan

    header = b"{'descr': '<U9', 'fortran_order': False, 'shape': (%d,), }" % 10**12
    long = b"\x93NUMPY\x01\x00v\x00" + header.ljust(117) + b"\n"
    spoiled = {"empty": b"", "zip": b"PK\x03\x04", "too long": long}

    def answer(*_, **__):
        for name, array in out.items():
            if wrong != "nothing":
                np.save(tmp_path / f"{name}.npy", array)
        if wrong in spoiled:
            (tmp_path / "class_names.npy").write_bytes(spoiled[wrong])
        return {"found": list(out), "unread": []}

    path = npz(tmp_path)
    monkeypatch.setattr(answers, "call", answer)
    with pytest.raises(FileRefusedError, match="its reader returned an invalid result"):
        read_arrays(path, {"features": "rows", "class_names": "names"}, tmp_path)


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("kind", ["npz", "csv"])
def test_features_stay_memory_mapped_from_the_worker_to_the_import(tmp_path, own_data, kind):
    into = tmp_path / "into"
    into.mkdir()
    if kind == "npz":
        path, more = npz(tmp_path), {}
    else:
        path, more = csv(tmp_path), {"prototypes": prototypes(tmp_path)}
    table = read_table(path, into=into, **more)
    assert isinstance(table.features, np.memmap)
    assert Path(table.features.filename) == into / "features.npy"
    import_dataset(path, name="mapped", **more)
    np.testing.assert_array_equal(load("mapped").features, files.FEATURES)
    assert list(own_data.glob("scratch/*")) == []


def test_the_folder_of_a_reading_has_an_owner_and_is_removed(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    with artifacts.scratch() as folder:
        assert folder.parent == tmp_path / "scratch"
        assert not artifacts.is_abandoned(folder)
        owner = json.loads((folder / artifacts.OWNER).read_text())
        # A process with this id but another start time is not the owner.
        (folder / artifacts.OWNER).write_text(json.dumps(owner | {"born": 1}))
        assert artifacts.is_abandoned(folder) == (owner["born"] is not None)
        for text in ("[" * 100_000, json.dumps(owner | {"host": "another"})):
            (folder / artifacts.OWNER).write_text(text)
            assert not artifacts.is_abandoned(folder)
        for path in (folder / artifacts.OWNER, folder):
            os.utime(path, (time.time() - 2 * artifacts.ABANDONED,) * 2)
        assert artifacts.is_abandoned(folder)
    assert not folder.exists()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ZSL_DATA", str(tmp_path / "file"))  # a file is in place of the data folder
    with artifacts.scratch() as folder:
        assert folder.is_dir()


def test_systems_without_sandbox_are_supported(monkeypatch):
    monkeypatch.setattr(walls.sys, "platform", "darwin")
    assert walls.confine_process([], []) == ()


# --- Disk space -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("in_process")
def test_the_total_size_of_imports_is_limited(tmp_path, monkeypatch, own_data):
    monkeypatch.setenv("ZSL_MAX_IMPORTS", "6000")  # one import takes about 5,000 bytes
    import_dataset(npz(tmp_path), name="first")
    with pytest.raises(DatasetError, match=r"at most 6,000 bytes \(ZSL_MAX_IMPORTS\); got"):
        import_dataset(npz(tmp_path), name="second")
    assert imports.names() == ("first",)
    assert len(list(own_data.glob("imported/*/"))) == 1


@pytest.mark.parametrize(
    ("names", "refused"),
    [
        (("grizzly bear", "zebra", "Grizzly_Bear"), "'grizzly bear' and 'Grizzly_Bear'"),
        (("zebra", "zebra"), "'zebra' for classes 0 and 1"),
        (("Cardigan", "cardigan", "1.a", "2.a"), ""),
    ],
)
def test_two_spellings_of_one_class_are_refused(names, refused):
    if not refused:
        refuse_repeated_names("own.npz", names)
        return
    with pytest.raises(FileRefusedError, match=refused):
        refuse_repeated_names("own.npz", names)
