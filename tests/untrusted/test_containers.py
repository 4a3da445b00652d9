"""Arrays are read equally from all containers; hostile containers are refused in one sentence."""

import io
import json
import pickle
import struct
import zipfile
from collections import OrderedDict

import h5py
import numpy as np
import pytest
from scipy.io import savemat

from tests.writing import as_cells, write_file
from zslcore.exceptions import FileRefusedError
from zslcore.untrusted import worker
from zslcore.untrusted.client import ARRAYS, container_of, look_into, read_arrays, read_plain_value

NAMES = ("blue whale", "otter", "zebra")
X = np.arange(12.0, dtype=np.float32).reshape(4, 3) / 8
Y = np.array([0, 2, 1, 2])


def write_safetensors(path, arrays, **changes):
    """Write a file according to the published layout."""
    header, raw = {"__metadata__": {"format": "pt"}}, b""
    names = {"<f4": "F32", "<i8": "I64", "<f2": "F16"}
    for name, array in arrays.items():
        place = [len(raw), len(raw) + array.nbytes]
        entry = {"dtype": names[array.dtype.str], "shape": array.shape, "data_offsets": place}
        header[name] = entry | changes
        raw += array.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + raw)


def write(path):
    """Write features, labels and class names in the container with the given ending."""
    ending = path.suffix
    if ending == ".npz":
        np.savez(path, features=X, labels=Y, class_names=np.array(NAMES))
    elif ending == ".mat":
        savemat(path, {"features": X, "labels": Y[:, None], "class_names": as_cells(NAMES)})
    elif ending == ".h5":
        with h5py.File(path, "w") as file:
            file["features"], file["labels"] = X, Y
            file["class_names"] = np.array(NAMES, dtype="S")
    elif ending == ".pt":
        import torch

        torch.save(
            {"features": torch.tensor(X), "labels": torch.tensor(Y), "class_names": list(NAMES)},
            path,
        )
    elif ending == ".safetensors":
        write_safetensors(path, {"features": X, "labels": Y})
    else:
        content = {"features": X.tolist(), "labels": Y.tolist(), "class_names": NAMES}
        path.write_text(json.dumps(content))


@pytest.mark.usefixtures("in_process")
def test_tensors_of_batches_are_joined(tmp_path):
    import torch

    batches = [
        {"features": torch.tensor(X[k]), "labels": torch.tensor(Y[k])}
        for k in (slice(2), slice(2, 3), slice(3, 4))
    ]
    torch.save(batches, tmp_path / "a.pt")
    torch.save([batch["features"] for batch in batches], tmp_path / "b.pt")
    content = look_into(tmp_path / "a.pt")
    np.testing.assert_array_equal(content.rows("features"), X)
    np.testing.assert_array_equal(content.numbers("labels"), Y)
    np.testing.assert_array_equal(look_into(tmp_path / "b.pt").rows("array"), X)


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("ending", [".npz", ".mat", ".h5", ".pt", ".safetensors", ".json"])
def test_one_call_gives_shapes_and_values_of_every_container(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    write(path)
    content = look_into(path)
    assert content.shapes["features"] == (4, 3)
    np.testing.assert_array_equal(content.rows("features"), X)
    np.testing.assert_array_equal(content.numbers("labels"), Y)
    if ending != ".safetensors":  # safetensors files have no texts
        assert content.names("class_names") == NAMES
    read = read_arrays(path, {"features": "rows", "labels": "numbers"}, tmp_path)
    np.testing.assert_array_equal(read.arrays["features"], X)
    np.testing.assert_array_equal(read.arrays["labels"], Y)


@pytest.mark.usefixtures("in_process")
def test_names_alone_and_vectors_by_class_are_read(tmp_path):
    assert look_into(write_file(tmp_path / "names.npy", np.array(NAMES))).names("array") == NAMES
    by_class = dict(zip(NAMES, X[:3].tolist(), strict=True))
    content = look_into(write_file(tmp_path / "emb.json", json.dumps(by_class)))
    np.testing.assert_array_equal(content.rows("prototypes"), X[:3])
    assert content.names("class_names") == NAMES


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_an_array_of_objects_is_named_as_such(tmp_path, ending):
    path = tmp_path / f"names.{ending}"
    (np.save if ending == "npy" else np.savez)(path, np.array([{"a": 1}, None]))
    sentence = refusal(path) if ending == "npy" else look_into(path).refused["arr_0"]
    assert "an array of Python objects: save with np.array(names, dtype=str)" in sentence


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("values", [NAMES, (1, 2.5, -3), [[1, 2], [3, 4]]])
@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_texts_and_numbers_in_arrays_of_objects_are_read(tmp_path, ending, values):
    path = tmp_path / f"names.{ending}"
    (np.save if ending == "npy" else np.savez)(path, np.array(values, dtype=object))
    (array,) = look_into(path).arrays.values()
    np.testing.assert_array_equal(array, np.array(values))


@pytest.mark.usefixtures("in_process")
def test_half_precision_and_views_of_tensors_equal_pytorch(tmp_path, torch):
    whole = torch.arange(24.0).reshape(4, 6)
    torch.save(
        {
            "bf": whole.bfloat16(),
            "half": whole.half(),
            "t": whole.T,
            "cut": whole[1:, 2:],
            "inner": {"w": torch.nn.Parameter(whole)},
        },
        tmp_path / "a.pt",
    )
    content = look_into(tmp_path / "a.pt")
    for name, tensor in {
        "bf": whole,
        "half": whole,
        "t": whole.T,
        "cut": whole[1:, 2:],
        "inner.w": whole,
    }.items():
        np.testing.assert_array_equal(content.rows(name), tensor.numpy())
    torch.save(whole, tmp_path / "b.pth")
    assert look_into(tmp_path / "b.pth").shapes == {"array": (4, 6)}


def test_a_lone_matrix_of_matlab_7_3_is_not_text_and_its_noise_is_left_out(tmp_path):
    path = tmp_path / "v73.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        file["trainval_loc"] = np.array([[1.0, 2, 3]])
        file["trainval_loc"].attrs["MATLAB_class"] = np.bytes_("double")
        file.create_group("#refs#")["a"] = np.arange(3)
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(512, b" "))
    assert container_of(path) == "HDF5"
    assert list(look_into(path).shapes) == ["trainval_loc"]


# --- Hostile files --------------------------------------------------------------------------------


class Hurts:
    def __reduce__(self):
        return print, ("ran",)


def torch_file(path, pickled=None, *, storage=b"", compression=zipfile.ZIP_STORED, name="0"):
    """Write a PyTorch archive with a custom pickle."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("a/data.pkl", pickled)
        archive.writestr("a/byteorder", "little")
        archive.writestr(f"a/data/{name}", storage)


def honest_pickle(n=12, shape=(4, 3), stride=(3, 1), offset=0):
    """Pickle a float32 tensor like PyTorch, with any numbers."""
    import torch

    storage = object()

    class Pickler(pickle._Pickler):
        def persistent_id(self, value):
            return ("storage", torch.FloatStorage, "0", "cpu", n) if value is storage else None

    class Rebuilt:
        def __reduce__(self):
            rebuild = torch._utils._rebuild_tensor_v2
            return rebuild, (storage, offset, shape, stride, False, {})

    out = io.BytesIO()
    Pickler(out, 2).dump({"x": Rebuilt()})
    return out.getvalue()


def refusal(path, name=""):
    """Return the refusal of a file, or of its variable with this name; one sentence."""
    with pytest.raises(FileRefusedError) as caught:
        look_into(path).rows(name)
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


@pytest.mark.usefixtures("in_process")
def test_an_honest_pickle_is_read(tmp_path):
    torch_file(tmp_path / "a.pt", honest_pickle(), storage=X.tobytes())
    np.testing.assert_array_equal(look_into(tmp_path / "a.pt").rows("x"), X)


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(
    ("numbers", "storage", "message"),
    [
        ({"shape": (4, 4)}, X.tobytes(), "declares 13 values, but its storage has 12"),
        ({"offset": 1}, X.tobytes(), "declares 13 values, but its storage has 12"),
        ({"stride": (-3, 1)}, X.tobytes(), "expected shape and offset of a tensor"),
        ({"offset": -1}, X.tobytes(), "expected shape and offset of a tensor"),
        ({"n": 13}, X.tobytes(), "declares 52 bytes of values; got 48"),
        ({"n": 10}, X.tobytes(), "declares 12 values, but its storage has 10"),
        ({"n": 12}, X.tobytes() * 2, "at most 48 uncompressed bytes in '0'; got 96"),
        ({"shape": (1 << 40, 3), "stride": (0, 1)}, X.tobytes(), "more than the"),
        ({"shape": (2,) * 40, "stride": (0,) * 40}, X.tobytes(), "expected shape and offset"),
    ],
)
def test_a_tensor_outside_of_its_storage_is_refused(tmp_path, numbers, storage, message):
    torch_file(tmp_path / "a.pt", honest_pickle(**numbers), storage=storage)
    if message == "more than the":
        with pytest.raises(FileRefusedError, match=message):
            read_arrays(tmp_path / "a.pt", {"x": "rows"}, tmp_path)
        assert not look_into(tmp_path / "a.pt").arrays
    else:
        assert message in refusal(tmp_path / "a.pt", "x")


PICKLED = {
    "a.pt": lambda path, value: torch_file(path, pickle.dumps(value, 2)),
    "a.npy": lambda path, value: np.save(path, np.array(value, dtype=object), allow_pickle=True),
    "2.pkl": lambda path, value: path.write_bytes(pickle.dumps(value, 2)),
    "5.pkl": lambda path, value: path.write_bytes(pickle.dumps(value, 5)),
}


@pytest.mark.parametrize("name", PICKLED)
@pytest.mark.parametrize(
    "value",
    [
        *(Hurts(), {"x": Hurts()}, {"x": [Hurts()]}, {1: {2: Hurts}}, [Hurts], ["a", Hurts()]),
        *(("a", getattr, 1), {"x": range(3)}),
    ],
)
def test_no_function_of_a_pickle_is_called(tmp_path, name, value, capfd):
    PICKLED[name](tmp_path / name, value)
    assert "Python objects" in refusal(tmp_path / name)
    assert not capfd.readouterr().out


def test_a_pickle_of_pytorch_has_no_arrays_of_numpy(tmp_path):
    torch_file(tmp_path / "a.pt", pickle.dumps({"x": np.arange(3)}, 2))
    assert "holds Python objects besides tensors" in refusal(tmp_path / "a.pt")


def test_a_pickle_inside_of_a_pickle_is_not_opened(tmp_path):
    torch_file(tmp_path / "a.pt", pickle.dumps({"x": pickle.dumps(Hurts())}, 3))
    assert not look_into(tmp_path / "a.pt").shapes


@pytest.mark.parametrize(
    "pickled",
    [
        *(b"", b"\x80", b"garbage", b"\x80\x02K\x01.", b"\x80\x02}q\x00h\x00."),
        *(b"\x80\x04\x8e" + b"\xff" * 8, b"\x80\x02X\xff\xff\xff\x7f"),
        *(b"\x80\x02" + b"(" * 100_000, b"\x80\x02(" + b"]" * 1000 + b"."),
    ],
)
def test_a_damaged_pickle_is_refused_or_yields_no_arrays(tmp_path, pickled):
    torch_file(tmp_path / "a.pt", pickled)
    try:
        assert not look_into(tmp_path / "a.pt").arrays
    except FileRefusedError as error:
        assert str(error).count(". ") == 0  # noqa: PT017 - either is right


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("protocol", range(2, 6))
def test_a_pickle_of_arrays_is_read_like_other_containers(tmp_path, protocol):
    value = {"features": np.asfortranarray(X), "labels": Y, "class_names": np.array(NAMES)}
    value |= {"objects": np.array(NAMES, dtype=object), "inner": {"half": X.astype("f2")}}
    (tmp_path / "a.pkl").write_bytes(pickle.dumps(value, protocol))
    np.save(tmp_path / "a.npy", np.array(value, dtype=object), allow_pickle=True)
    for name in ("a.pkl", "a.npy"):
        content = look_into(tmp_path / name)
        np.testing.assert_array_equal(content.rows("features"), X)
        np.testing.assert_array_equal(content.rows("inner.half"), X.astype("f2"))
        np.testing.assert_array_equal(content.numbers("labels"), Y)
        assert content.names("class_names") == content.names("objects") == NAMES
    lists = {"sets": {"a"}, "numbers": [np.float32(0.5), np.int64(2)], "rows": np.arange(3)}
    (tmp_path / "a.pkl").write_bytes(pickle.dumps(OrderedDict(lists), protocol))
    read = read_plain_value(tmp_path / "a.pkl", max_bytes=1 << 20, max_items=99)
    assert read == {"sets": ["a"], "numbers": [0.5, 2], "rows": [0, 1, 2]}


def test_pickles_of_many_values_are_refused(tmp_path):
    shared: list = []
    for _ in range(12):
        shared = [shared] * 20
    cycle: list = []
    cycle.append(cycle)
    bombs = (pickle.dumps(shared), pickle.dumps(cycle), b"\x80\x04(" + b"]" * (15 << 20) + b"l.")
    bombs += (b"\x80\x04" + b"(" * (15 << 20),)
    for bomb in (*bombs, pickle.dumps(np.zeros(5 << 20))):
        (tmp_path / "a.pkl").write_bytes(bomb)
        assert "a.pkl: expected" in refusal(tmp_path / "a.pkl")


@pytest.mark.parametrize(
    ("name", "value", "start", "step"),
    [
        ("2.pkl", {"X": X, "names": np.array(NAMES)}, 2, 17),
        ("5.pkl", {"X": X, "names": np.array(NAMES)}, 2, 17),
        ("a.npy", np.array(NAMES, dtype=object), 128, 7),
    ],
)
def test_damaged_pickles_are_refused_or_read(tmp_path, name, value, start, step):
    PICKLED[name](tmp_path / name, value)
    content = (tmp_path / name).read_bytes()
    for k in range(start, len(content), step):
        for damaged in (content[:k], content[:k] + b"\x8e" + content[k:]):
            (tmp_path / name).write_bytes(damaged)
            try:
                look_into(tmp_path / name)
            except FileRefusedError as error:
                assert name in str(error)  # noqa: PT017 - either is right


def test_pytorch_archives_with_compressed_members_are_refused(tmp_path):
    torch_file(
        tmp_path / "a.pt", b"\x80\x02" + b"N0" * (1 << 20) + b"N.", compression=zipfile.ZIP_DEFLATED
    )
    assert "expected uncompressed members" in refusal(tmp_path / "a.pt")


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data_offsets": [0, 1 << 40]}, "declares bytes 0 to 1,099,511,627,776, but the file has"),
        ({"data_offsets": [24, 0]}, "declares bytes 24 to 0,"),
        ({"data_offsets": [0, 40]}, "declares 48 bytes of values; got 40"),
        ({"data_offsets": [-8, 40]}, "expected a shape and two offsets"),
        ({"data_offsets": ["0", 48]}, "expected a shape and two offsets"),
        ({"data_offsets": None}, "expected a shape and two offsets"),
        ({"shape": [1 << 40, 1 << 40]}, "declares 4,835,703,278,458,516,698,824,704 bytes"),
        ({"shape": [True, 12]}, "expected a shape and two offsets"),
        ({"dtype": "F8_E4M3"}, "expected numbers; got values of type 'F8_E4M3'"),
        ({"dtype": ["F32"]}, "damaged"),
    ],
)
def test_a_wrong_safetensors_header_is_refused(tmp_path, changes, message):
    write_safetensors(tmp_path / "a.safetensors", {"x": X}, **changes)
    assert message in refusal(tmp_path / "a.safetensors", "x")


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("keep", [9, 12, 40, 100, -1])
def test_a_safetensors_file_that_is_cut_off_is_refused(tmp_path, keep):
    write_safetensors(tmp_path / "a.safetensors", {"x": X})
    (tmp_path / "b").write_bytes((tmp_path / "a.safetensors").read_bytes()[:keep])
    assert refusal(tmp_path / "b", "x")


@pytest.mark.parametrize("header", [b"{" * 100_000, b'{"a": ' * 50_000, b"{}" + b" " * (17 << 20)])
def test_a_header_without_end_is_refused(tmp_path, header):
    path = write_file(tmp_path / "a.safetensors", struct.pack("<Q", len(header)) + header)
    assert "header" in refusal(path)


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"x": [[1, 2], [3]]}', "expected rows of equal length"),
        ('{"x": [1, "a"]}', "expected a list of numbers or strings"),
        ('{"x": [1, null]}', "expected a list of numbers or strings"),
        ('{"x": [[[1]]]}', "expected a list of numbers or strings"),
        (f'{{"x": [{10**400}]}}', "expected numbers below 2 ** 53"),
        ('{"x": [NaN, 1]}', "expected a matrix of numbers"),
        ('{"x": [[1]], "x": [[2]]}', "expected every name of an object once; got 'x' more than"),
        ("[" + "{}," * (1 << 20) + "1]", "expected at most 1,048,576 lists, objects and names"),
    ],
)
def test_json_that_is_not_an_array_is_refused(tmp_path, text, message):
    assert message in refusal(write_file(tmp_path / "a.json", text), "x")


@pytest.mark.usefixtures("in_process")
def test_only_the_values_of_a_tensor_view_are_read(tmp_path, monkeypatch):
    """Two rows may belong to a storage of gigabytes, more than a reader may take."""
    stored = np.arange(300_000, dtype="<f4")
    pickled = honest_pickle(n=stored.size, shape=(2, 3), stride=(4, 1), offset=200_000)
    torch_file(tmp_path / "a.pt", pickled, storage=stored.tobytes())
    read, most = zipfile.ZipExtFile.read, []

    def spy(file, n=-1):
        data = read(file, n)
        most.append(len(data))
        return data

    monkeypatch.setattr(zipfile.ZipExtFile, "read", spy)
    content = look_into(tmp_path / "a.pt").arrays["x"]
    np.testing.assert_array_equal(content, 200_000 + np.array([[0, 1, 2], [4, 5, 6]]))
    assert max(most) < stored.nbytes


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("name", ["a.json", "a.csv"])
def test_a_text_takes_no_more_memory_than_numbers_need(tmp_path, monkeypatch, name):
    """As Python objects, 40 MB of empty brackets would take a gigabyte."""
    allowed = []
    monkeypatch.setattr(worker, "raise_memory_limit", allowed.append)
    look_into(write_file(tmp_path / name, b"[1" + b" " * (20 << 20) + b"]"), (*ARRAYS, "text"))
    assert max(allowed) <= 512 << 20
    with (tmp_path / name).open("r+b") as file:
        file.truncate(65 << 20)
    with pytest.raises(FileRefusedError, match="at most 67,108,864 bytes"):
        look_into(tmp_path / name, (*ARRAYS, "text"))


@pytest.mark.usefixtures("in_process")
def test_the_shape_of_an_array_is_that_of_its_values(tmp_path):
    with h5py.File(tmp_path / "a.mat", "w") as file:
        file["labels"], file["features"] = np.array([5, 1], "u8"), X
        file["labels"].attrs["MATLAB_empty"] = 1  # the data are the shape, not the values
    content = look_into(tmp_path / "a.mat")
    assert content.arrays["labels"].shape == content.shapes["labels"] == (0, 0)
    assert content.shapes["features"] == X.shape
