import contextlib
import io
import os
import subprocess
import sys
import zipfile

import h5py
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_np
from scipy.io import savemat
from scipy.sparse import csr_array

from tests.datasets import files
from tests.writing import as_cells, write_file, write_mat73
from zslcore.exceptions import FileRefusedError
from zslcore.texts import clean_text
from zslcore.untrusted import answers, client
from zslcore.untrusted.client import Limits, look_into, read_arrays, read_lines, read_value
from zslcore.untrusted.readers import text_rows

CRASHING_CODES = (0, 8, 10, 19, 25, 200)
ROLES = {"features": "columns", "labels": "numbers", "allclasses_names": "names"}
SMALL = {**ROLES, "att": "columns"}


def read_refusal(path, tmp_path, wanted=None, **options):
    """Check that a file is refused in one sentence that begins with its name; return it."""
    with pytest.raises(FileRefusedError) as caught:
        read_arrays(path, wanted or {"att": "columns"}, tmp_path, **options)
    sentence = str(caught.value)
    assert sentence.startswith(path.name)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


# --- MATLAB 5 -------------------------------------------------------------------------------


@pytest.mark.parametrize("code", CRASHING_CODES)
def test_a_file_that_crashes_scipy_is_refused(tmp_path, code):
    path = tmp_path / "att_splits.mat"
    savemat(path, {"att": np.arange(12.0).reshape(3, 4)})
    files.with_type_code(path, code)
    in_process = [sys.executable, "-c", f"import scipy.io; scipy.io.loadmat({str(path)!r})"]
    if subprocess.run(in_process, stderr=subprocess.DEVNULL).returncode >= 0:
        pytest.skip("This release of SciPy refuses the file by itself.")
    assert "'att'" in read_refusal(path, tmp_path)


def test_matlab_5_matrices_are_transposed_and_names_are_text(tmp_path):
    files.write_folder(tmp_path)
    images = read_arrays(
        tmp_path / "res101.mat", {"features": "columns", "labels": "numbers"}, tmp_path
    )
    np.testing.assert_array_equal(images.arrays["features"], files.FEATURES)
    np.testing.assert_array_equal(images.arrays["labels"], files.LABELS + 1)
    tables = read_arrays(tmp_path / "att_splits.mat", {"allclasses_names": "names"}, tmp_path)
    assert tables.names["allclasses_names"] == files.CLASSES


def test_features_are_read_only_memory_maps(tmp_path):
    files.write_folder(tmp_path)
    read = read_arrays(tmp_path / "res101.mat", {"features": "columns"}, tmp_path)
    features = read.arrays["features"]
    assert isinstance(features, np.memmap)
    assert not features.flags.writeable


@pytest.mark.usefixtures("in_process")
def test_unknown_variables_are_not_read(tmp_path):
    path = tmp_path / "a.mat"
    savemat(path, {"att": np.eye(2), "evil": {"a": 1}, "tunseen_loc": np.ones((3, 1))})
    read = read_arrays(path, {"att": "columns"}, tmp_path)
    assert list(read.arrays) == ["att"]
    assert not read.names


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(
    ("role", "value", "came"),
    [
        ("columns", {"a": 1}, "struct"),
        ("columns", csr_array(np.eye(3)), "sparse"),
        ("columns", np.eye(2) * 1j, "complex"),
        ("columns", np.ones((2, 2, 2)), "2 x 2 x 2 of float64"),
        ("columns", np.empty((0, 3)), "0 x 3"),
        ("columns", as_cells([np.eye(2)]), "cells"),
        ("columns", np.array([[1.0, np.nan]]), "got nan in row 2"),
        ("columns", np.array([[1e300, 1.0]]), "got 1e+300 in row 1"),
        ("numbers", np.array([1, 2.5]), "2.5"),
        ("numbers", np.array([1, np.nan]), "nan"),
        ("numbers", np.eye(2), "2 x 2"),
        ("names", as_cells([np.eye(2)]), "list of strings"),
        ("names", np.eye(3), "list of strings"),
        ("names", as_cells(["a", as_cells(["b", "c"])]), "list of strings"),
        ("names", as_cells(["a", "\x07\x08", "c"]), "name 2 is empty"),
    ],
)
def test_a_variable_of_the_wrong_type_is_refused(tmp_path, role, value, came):
    path = tmp_path / "a.mat"
    savemat(path, {"att": value})
    assert came in read_refusal(path, tmp_path, {"att": role})


@pytest.mark.usefixtures("in_process")
def test_a_missing_variable_is_named_with_the_existing_ones(tmp_path):
    path = tmp_path / "a.mat"
    savemat(path, {"Att": np.eye(2)})
    assert (
        read_refusal(path, tmp_path) == "a.mat, variable 'att': not in the file, which holds Att."
    )


@pytest.mark.nightly
def test_a_compressed_matrix_too_large_for_its_file_is_never_read(tmp_path):
    path = tmp_path / "bomb.mat"
    savemat(path, {"att": np.zeros((5000, 5000))}, do_compression=True)
    sentence = read_refusal(path, tmp_path)
    assert "5000 x 5000 values (200,000,000 bytes), more than" in sentence
    assert not (tmp_path / "att.npy").exists()


@pytest.mark.usefixtures("in_process")
def test_a_truncated_file_is_refused(tmp_path):
    files.write_folder(tmp_path)
    path = tmp_path / "res101.mat"
    path.write_bytes(path.read_bytes()[:300])
    read_refusal(path, tmp_path, {"features": "columns"})


@settings(max_examples=5, deadline=None)
@given(st.data())
def test_any_damage_is_refused_or_harmless(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("damage")
    files.write_folder(folder, compress=False)
    path = folder / "att_splits.mat"
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 4))
        content[at : at + 4] = data.draw(st.binary(min_size=4, max_size=4))
    path.write_bytes(content)
    arrays = {}
    with contextlib.suppress(FileRefusedError):
        arrays = read_arrays(path, SMALL, folder, required=()).arrays
    for array in arrays.values():
        assert array.dtype in (np.float32, np.int64)


# --- MATLAB 7.3 and HDF5 --------------------------------------------------------------------


def test_matlab_7_3_gives_the_values_of_matlab_5(tmp_path):
    path = tmp_path / "v73.mat"
    write_mat73(path, files.features_file() | files.splits_file())
    read = read_arrays(path, SMALL, tmp_path)
    arrays = read.arrays
    np.testing.assert_array_equal(arrays["features"], files.FEATURES)
    np.testing.assert_array_equal(arrays["att"], files.ATT)
    np.testing.assert_array_equal(arrays["labels"], files.LABELS + 1)
    assert read.names["allclasses_names"] == files.CLASSES


def test_a_variable_with_a_dot_in_its_name_is_not_a_field(tmp_path):
    with h5py.File(tmp_path / "dot.h5", "w") as file:
        file["model.v1"], file["att"] = np.eye(2), np.eye(3)
    assert look_into(tmp_path / "dot.h5").shapes == {"model.v1": (2, 2), "att": (3, 3)}
    read = read_arrays(tmp_path / "dot.h5", {"model.v1": "rows"}, tmp_path)
    np.testing.assert_array_equal(read.arrays["model.v1"], np.eye(2))


def test_a_kilobyte_that_declares_eight_terabytes_is_never_read(tmp_path):
    path = tmp_path / "huge.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("att", shape=(1_000_000, 1_000_000), dtype="f8", chunks=(1000, 1000))
    assert path.stat().st_size < 10_000
    assert "(8,000,000,000,000 bytes), more than" in read_refusal(path, tmp_path)


@pytest.mark.usefixtures("in_process")
def test_a_table_of_scores_counts_as_eight_bytes_per_number(tmp_path):
    path, scores = tmp_path / "scores.parquet", pd.DataFrame(np.eye(3), columns=list("abc"))
    scores.to_parquet(path)
    refusal = read_refusal(
        path, tmp_path, {"values": "scores"}, kinds=("Parquet",), limits=Limits(declared_bytes=71)
    )
    assert "declares 3 x 3 values (72 bytes), more than the 71 bytes" in refusal


@pytest.fixture
def secret(tmp_path):
    """A file on this machine that no untrusted file may read."""
    path = tmp_path / "secret.h5"
    with h5py.File(path, "w") as file:
        file["att"] = np.eye(3)
    (tmp_path / "secret.bin").write_bytes(np.eye(3).tobytes())
    return path


def _stored_outside(file, folder):
    file.create_dataset("att", (3, 3), "f8", external=[(str(folder / "secret.bin"), 0, 72)])


def _virtual(file, folder):
    layout = h5py.VirtualLayout(shape=(3, 3), dtype="f8")
    layout[:] = h5py.VirtualSource(str(folder / "secret.h5"), "att", shape=(3, 3))
    file.create_virtual_dataset("att", layout)


def _cell(target):
    """Return a function that writes a cell array with one reference."""

    def write(file, _):
        file["group/inner"] = np.eye(2)
        file.create_dataset("att", data=np.array([file[target].ref], dtype=h5py.ref_dtype))

    return write


def _put(value):
    return lambda file, _: file.__setitem__("att", value)


@pytest.mark.usefixtures("in_process", "secret")
@pytest.mark.parametrize(
    ("write", "role", "got"),
    [
        (_put(h5py.ExternalLink("secret.h5", "att")), "columns", "got a link"),
        (_put(h5py.SoftLink("/elsewhere")), "columns", "got a link"),
        (_stored_outside, "columns", "other files"),
        (_virtual, "columns", "other files"),
        (_put(["a", "b"]), "columns", "got 2 of text"),
        (_put(np.zeros(3, dtype=[("x", "f8"), ("y", "f8")])), "columns", "numbers or strings"),
        (lambda file, _: file.create_group("att"), "columns", "got an HDF5 group"),
        (
            lambda file, _: file.create_dataset("att", data=np.eye(3), compression="lzf"),
            *("columns", "HDF5 filter 32000"),
        ),
        (_cell("group"), "names", "got an HDF5 group"),
        (_cell("group/inner"), "names", "expected a cell array of short strings"),
    ],
)
def test_other_content_of_hdf5_than_arrays_in_the_file_is_refused(tmp_path, write, role, got):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["elsewhere"] = np.eye(3)
        write(file, tmp_path)
    assert got in read_refusal(tmp_path / "a.h5", tmp_path, {"att": role})


@pytest.mark.usefixtures("in_process")
def test_texts_of_variable_length_are_read_once_and_have_a_limit(tmp_path):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["class_names"] = ["bat", "léopard", ""]
    assert look_into(path).arrays["class_names"].tolist() == ["bat", "léopard", ""]
    with h5py.File(path, "w") as file:
        file["class_names"] = ["b" * 2000]
    assert "expected short texts" in look_into(path).refused["class_names"]
    with h5py.File(path, "w") as file:
        texts = file.create_dataset("class_names", data=["b" * 1000, *("",) * 500])
        start, size = texts.id.get_offset(), texts.id.get_storage_size() // 501
    content = bytearray(path.read_bytes())
    # All references point to the same text.
    content[start : start + 501 * size] = content[start : start + size] * 501
    assert "more bytes than it has" in look_into(write_file(path, content)).refused["class_names"]


# --- NumPy archives -------------------------------------------------------------------------


def test_a_zip_bomb_is_never_unpacked(tmp_path):
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, att=np.zeros((8_000, 8_000), np.float32))
    assert path.stat().st_size < 300_000
    assert "8000 x 8000 values (256,000,000 bytes), more than" in read_refusal(path, tmp_path)


def archive(path, header_shape, payload, **member):
    """Write an archive with a header that may contradict its content."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        buffer, {"descr": "<f8", "fortran_order": False, "shape": header_shape}
    )
    info = zipfile.ZipInfo("att.npy")
    for key, value in member.items():
        setattr(info, key, value)
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(info, buffer.getvalue() + payload)


@pytest.mark.usefixtures("in_process")
def test_a_header_that_disagrees_with_its_member_is_refused(tmp_path):
    path = tmp_path / "lie.npz"
    archive(path, (1000, 1000), b"\0" * 16)
    assert "declares 8,000,128 bytes, but the archive 144" in read_refusal(path, tmp_path)


@pytest.mark.usefixtures("in_process")
def test_an_encrypted_member_is_refused_as_encrypted(tmp_path):
    path = write_file(tmp_path / "secret.npz", {"att": np.ones((2, 2))})
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1  # the flag in the central directory
    path.write_bytes(content)
    assert "without a password; got an encrypted one" in read_refusal(path, tmp_path)


@pytest.mark.usefixtures("in_process")
def test_pickles_are_refused_and_never_run(tmp_path):
    class Evil:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "owned"),))

    path = write_file(tmp_path / "pickle.npz", {"att": np.array([Evil()], dtype=object)})
    assert "numbers or strings" in read_refusal(path, tmp_path)
    assert not (tmp_path / "owned").exists()


@pytest.mark.usefixtures("in_process")
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_with_two_members_of_one_name_is_refused(tmp_path):
    path = tmp_path / "twice.npz"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("att.npy", b"a")
        packed.writestr("att.npy", b"b")
    assert "each variable once" in read_refusal(path, tmp_path)


@settings(max_examples=5, deadline=None)
@given(
    st_np.arrays(
        st.sampled_from([np.float64, np.float32, np.int16, np.uint8, np.bool_]),
        st_np.array_shapes(min_dims=2, max_dims=2, max_side=9),
        elements={"min_value": 0, "max_value": 1},
    )
)
def test_every_matrix_of_numbers_passes_unchanged(tmp_path_factory, A):
    folder = tmp_path_factory.mktemp("npz")
    out = read_arrays(write_file(folder / "a.npz", {"A": A}), {"A": "rows"}, folder).arrays["A"]
    assert out.dtype == np.float32
    np.testing.assert_array_equal(out, A.astype(np.float32))


# --- Any file -------------------------------------------------------------------------------------


def zip_with(member):
    """Return a zip archive with one member; an Excel workbook starts with its types."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(member, "<Types/>")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "got"),
    [
        (b"", "got an empty file."),
        (b"not a matrix", "expected MATLAB 5, as its ending says; got a text file."),
        (b"\x93NUMPY\x01\x00", "expected MATLAB 5 or HDF5; got a NumPy array."),
        (b"\n<!DOCTYPE html><title>404</title>", "got a web page (HTML)"),
        (client.LFS + b"v1\noid sha256:1", "run 'git lfs pull'"),
        (b"\x80\x04\x95", "got a pickle."),
        (
            b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.",
            "got a PyTorch file of the old format (pickle)",
        ),
        (b"\x1f\x8b\x08\x00", "got a gzip archive; unpack it first."),
        (zip_with("[Content_Types].xml"), "got a spreadsheet; save its sheet as CSV."),
        (zip_with("xlsa17/"), "got a zip archive with xlsa17/; unpack it first."),
        (b"a.csv".ljust(257, b"\x00") + b"ustar", "got a tar archive; unpack it first."),
        (b"ARROW1\x00\x00", "got an Arrow or Feather file; save the table as Parquet or CSV."),
        (b"SQLite format 3\x00", "got an SQLite database; save its table as CSV."),
        (b"\x00\x01\x02", "got a binary file of another kind."),
    ],
)
def test_a_file_of_another_kind_is_named_without_its_bytes(tmp_path, content, got):
    path = write_file(tmp_path / "a.mat", content)
    sentence = read_refusal(path, tmp_path, kinds=("MATLAB 5", "HDF5"))
    assert got in sentence
    assert "\\x" not in sentence


def test_special_files_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.mat")
    (tmp_path / "zeros.mat").symlink_to("/dev/zero")
    (tmp_path / "memory.mat").symlink_to("/proc/self/mem")
    (tmp_path / "words.mat").symlink_to("/proc/self/environ")
    no_file = "a pipe, a socket, a device or a file of the operating system"
    for path, came in (
        (tmp_path / "none.mat", "found none"),
        (tmp_path, "found a folder"),
        (tmp_path / "pipe.mat", f"found {no_file}"),
        (tmp_path / "zeros.mat", f"found {no_file}"),
        (tmp_path / "memory.mat", f"found {no_file}"),
        (tmp_path / "words.mat", f"found {no_file}"),
    ):
        with pytest.raises(FileRefusedError, match=came):
            read_arrays(path, {"att": "columns"}, tmp_path)
        with pytest.raises(FileRefusedError, match=came):
            client.sha256_of_file(path)


def to_other_content(path):
    write_file(path.parent / "new", "other").replace(path)


def to_a_pipe(path):
    path.unlink()
    os.mkfifo(path)


def to_a_link(path):
    path.unlink()
    path.symlink_to("/etc/passwd")


#: Changes of a file while it is read.
CHANGES = {
    "replaced": to_other_content,
    "truncated": lambda path: os.truncate(path, 3),
    "grown": lambda path: path.write_text(path.read_text() + " "),
    "a pipe": to_a_pipe,
    "a link": to_a_link,
    "removed": lambda path: path.unlink(),
}
changes = pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)


@changes
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, change):
    path = write_file(tmp_path / "a.json", '{"train": ["ox"], "test": ["yak"]}')
    with client.refuse_changes([path]):
        read_value(path, "JSON", max_bytes=100)

    def read(error=None):
        with client.refuse_changes([path]):
            change(path)
            if error is not None:
                raise error

    sentence = "stays the same while it is read"
    with pytest.raises(FileRefusedError, match=sentence):
        read()
    path.unlink(missing_ok=True)
    path.write_text("[]")
    with pytest.raises(FileRefusedError, match=sentence):
        read(FileRefusedError("The file is damaged."))


def test_a_pipe_in_place_of_a_file_is_refused_without_waiting(tmp_path, monkeypatch):
    """The file is replaced between the caller's examination and the worker's opening."""
    path = write_file(tmp_path / "a.json", "[]")
    call = answers.call

    def swapped(*args, **options):
        to_a_pipe(path)
        return call(*args, **options)

    monkeypatch.setattr(answers, "call", swapped)
    with pytest.raises(FileRefusedError, match="removed or replaced while it was read"):
        read_value(path, "JSON", max_bytes=100)


def test_an_invalid_result_of_the_worker_is_refused(tmp_path, monkeypatch):
    files.write_folder(tmp_path)
    values = (3, [], {}, {"found": 3}, {"found": ["att"], "unread": 3}, {"found": ["att"]})
    for value in values:
        monkeypatch.setattr(answers, "call", lambda *_, value=value, **__: value)
        sentence = read_refusal(tmp_path / "att_splits.mat", tmp_path)
        assert sentence == "att_splits.mat: its reader returned an invalid result."


HEADER = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }"


def array_file(header, version=1):
    length = len(header).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + bytes(64)


@pytest.mark.parametrize(
    "content",
    [
        array_file(HEADER + b"\n", version=3),
        array_file(b"-" * 9000 + b"1\n"),
        array_file(b"(((1L\n"),
        array_file(b'{"descr": """\n'),
        array_file(b"[" * 5000 + b"\n"),
        array_file(HEADER + b"\n" + b"(" * 90 + b"\n"),
        array_file(HEADER.replace(b"1,", b"1L,") + b"\n"),
        array_file(HEADER.replace(b"<f4", b"<U0") + b"\n"),
        array_file(HEADER.replace(b"'<f4'", b"('<f4', (9,))") + b"\n"),
        array_file(HEADER.replace(b"1,", b"9" * 5000) + b"\n"),
    ],
)
def test_an_array_with_a_header_of_another_kind_is_not_opened(tmp_path, content):
    path = write_file(tmp_path / "a.npy", array_file(HEADER + b"\n"))
    assert client.open_array(path).tolist() == [0]
    with pytest.raises(ValueError):  # noqa: PT011 - the message does not matter
        client.open_array(write_file(path, content))


@pytest.mark.parametrize("shape", [[1] * 65, [1 << 64], [-1], [10**4000] * 9, ["x"], 3, [None]])
def test_an_invalid_shape_is_refused(tmp_path, monkeypatch, shape):
    path = write_file(tmp_path / "a.npy", np.zeros(3))
    entry = {"name": "a", "shape": [3], "refused": "", "read": False}
    for answer in (entry, entry | {"shape": shape}):
        monkeypatch.setattr(answers, "call", lambda *_, answer=answer, **__: [answer])
        if answer is entry:
            assert client.look_into(path).shapes == {"a": (3,)}
    with pytest.raises(FileRefusedError, match="its reader returned an invalid result"):
        client.look_into(path)


def test_the_allowance_grows_with_the_file():
    limits = Limits()
    assert limits.budget(1_000) == limits.free_bytes
    assert limits.budget(10 << 20) == 1000 << 20
    assert limits.budget(1 << 40) == limits.max_bytes


@given(st.text())
def test_cleaned_text_is_printable_and_short(text):
    clean = clean_text(text, 50)
    assert len(clean) <= 50
    assert clean == clean_text(clean, 50)
    assert all(c.isprintable() or c.isspace() for c in clean)
    assert "\n" not in clean


def test_lists_of_names_are_small_text_files(tmp_path):
    path = write_file(tmp_path / "names.txt", b"grizzly+bear\r\n\n  otter \x81\n")
    assert read_lines(path) == ("grizzly+bear", "otter \ufffd")
    with pytest.raises(FileRefusedError, match=r"names\.txt: expected a list of names"):
        read_lines(write_file(path, b"x" * (1 << 21)))


# --- Rows of text ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "kind", "rows"),
    [
        (b"a,b\n1,\n", "CSV", [("a", "b"), ("1", "")]),
        (b'a\tb, c\r\n\r\n"x\ny"\tz', "TSV", [("a", "b, c"), (), ("x\ny", "z")]),
        ("\ufeffé\u2028,ü".encode(), "CSV", [("é\u2028", "ü")]),
        ("a,b".encode("utf-16"), "CSV", [("a", "b")]),
        (b"a\x1eb,c\x1fd\n", "CSV", [("a b", "c d")]),
        (b"", "CSV", []),
        (b"a,b\r\n\r\n c\x0bd\x1fe", "lines", ["a,b", "", " c", "d e"]),
    ],
)
def test_rows_of_texts_are_read_in_a_worker(tmp_path, content, kind, rows):
    assert read_value(write_file(tmp_path / "a.csv", content), kind, max_bytes=1 << 20) == rows


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a\0b", "a.csv: expected a text file; got a binary file."),
        (b"a,b\n" * 4, "a.csv: expected at most 3 rows; got 4."),
        (b'x\n"' + b"y" * 140_000, "a.csv, line 2: expected CSV; got other text"),
    ],
)
def test_texts_without_rows_are_refused_in_one_sentence(tmp_path, content, sentence):
    with pytest.raises(FileRefusedError) as caught:
        read_value(write_file(tmp_path / "a.csv", content), "CSV", max_bytes=1 << 20, max_items=3)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize("written", ["a", "a\x1e" * 4, "a\x1f" * (1 << 20) + "\x1e"])
def test_invalid_rows_written_by_a_worker_refuse_the_file(tmp_path, monkeypatch, written):
    def write(_, __, into, *___, **____):
        (into / text_rows.FILE).write_text(written)

    (tmp_path / "a.csv").write_text("a\n")
    monkeypatch.setattr(text_rows, "MAX_BYTES", 1 << 20)
    monkeypatch.setattr(answers, "call_reader", write)
    with pytest.raises(FileRefusedError, match="its reader returned an invalid result"):
        read_value(tmp_path / "a.csv", "CSV", max_bytes=1 << 20, max_items=3)
