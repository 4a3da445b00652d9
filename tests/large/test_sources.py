"""Shards from HDF5 files and stored data sets."""

import json

import h5py
import numpy as np
import pytest

from tests.large.shards_of import rows
from zslcore.__main__ import main
from zslcore.datasets import load
from zslcore.exceptions import FileRefusedError, UnknownNameError
from zslcore.large import sources
from zslcore.large.shards import Shards
from zslcore.large.sources import blocks_of

X, Y = rows()


@pytest.fixture
def hdf5(tmp_path):
    path = tmp_path / "features.h5"
    with h5py.File(path, "w") as file:
        file["X"], file["of"] = X, (Y + 1).astype(float)[:, None]
        file.create_dataset("packed", data=X, compression="gzip", chunks=(64, 16))
        file.create_dataset("never", shape=(1 << 40, 16), dtype="f4", chunks=(64, 16))
        file["linked"] = h5py.ExternalLink("/etc/hostname", "/")
        file["words"] = np.array([b"a", b"b"])
        file["group/inside"], file["long"] = X, np.concatenate([X, X])
    return path


def all_of(blocks):
    blocks = list(blocks)
    assert len(blocks) > 1
    return (np.concatenate(parts) for parts in zip(*blocks, strict=True))


@pytest.mark.parametrize("name", ["X", "packed"])
def test_hdf5_is_read_block_by_block(hdf5, name, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_VALUES", 16 * 90)
    A, b = all_of(blocks_of(str(hdf5), features=name, labels="of", first_label=1))
    np.testing.assert_array_equal(A, X)
    np.testing.assert_array_equal(b, Y)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing", "expected an array 'missing'; got X, "),
        ("never", "declares .* bytes, but stores only 0"),
        ("linked", "got a link"),
        ("group", "got an HDF5 group"),
        ("words", "expected numbers"),
        ("long", r"expected features \(n, d\) and labels \(n,\)"),
    ],
)
def test_hdf5_that_does_not_hold_features_is_refused(hdf5, name, message):
    with pytest.raises(FileRefusedError, match=message):
        next(blocks_of(str(hdf5), features=name, labels="of"))


def test_invalid_files_are_refused(tmp_path):
    (tmp_path / "corrupt.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    (tmp_path / "text.h5").write_text("dog")
    for name, message in (
        ("corrupt.h5", "expected an HDF5 file that is complete"),
        ("text.h5", "expected HDF5, as its ending says; got a text file"),
        ("gone.h5", "expected a file; found none"),
    ):
        with pytest.raises(FileRefusedError, match=message):
            next(blocks_of(str(tmp_path / name)))
    with pytest.raises(UnknownNameError, match="did you mean 'digits'"):
        next(blocks_of("digts"))


def test_zslcore_shards_writes_and_shows_a_folder(hdf5, tmp_path, capsys, printed):
    folder = str(tmp_path / "shards")
    words = ["shards", "write", str(hdf5), folder, "--features", "X", "--labels", "of"]
    assert "500 x 16 features, float16" in printed(
        *words, "--first-label", "1", "--dtype", "float16"
    )
    shards = Shards.open(folder)
    np.testing.assert_array_equal(np.asarray(shards), X.astype(np.float16))
    content = json.loads(printed("shards", "show", folder, "--all", "--json"))
    assert (content["rows"], content["features"], content["digest"]) == (500, 16, shards.digest)
    assert "already exists" in printed(*words, status=2)


def test_zslcore_shards_detects_changes(tmp_path, capsys, printed):
    folder = tmp_path / "shards"
    assert main(["shards", "write", "digits", str(folder)]) == 0
    np.testing.assert_array_equal(np.asarray(Shards.open(folder)), load("digits").features)
    path = folder / "features.npy"
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    capsys.readouterr()
    assert "features.npy has changed since it was written" in printed(
        "shards", "show", str(folder), status=2
    )


def test_hdf5_files_are_not_opened_in_this_process(hdf5, monkeypatch):
    def opened(*_, **__):
        raise AssertionError("opened here")

    monkeypatch.setattr(h5py, "File", opened)
    A, b = zip(*blocks_of(str(hdf5), features="X", labels="of", first_label=1), strict=True)
    np.testing.assert_array_equal(np.concatenate(A), X)
    np.testing.assert_array_equal(np.concatenate(b), Y)
