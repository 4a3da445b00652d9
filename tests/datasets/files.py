"""Small files in the layout of the benchmark, valid and hostile."""

import struct

import numpy as np
from scipy.io import savemat

from tests.writing import as_cells

CLASSES = ("grizzly+bear", "otter", "zebra", "bat", "seal")
#: Digests of imports.
READABLE = ("grizzly bear", *CLASSES[1:])
LABELS = np.repeat(np.arange(5), 6)
N = len(LABELS)
RNG = np.random.default_rng(0)
FEATURES = RNG.normal(size=(N, 7)).astype(np.float32)
ATT = RNG.normal(size=(5, 4)).astype(np.float32)
UNSEEN = np.flatnonzero(LABELS >= 3)
SEEN = np.flatnonzero(LABELS < 3)
TEST_SEEN, TRAINVAL = SEEN[::6], np.setdiff1d(SEEN, SEEN[::6])


def features_file(**changes):
    files = as_cells([f"{i:06d}.jpg" for i in range(N)])
    tables = {"features": FEATURES.T, "labels": LABELS[:, None] + 1.0, "image_files": files}
    return tables | changes


def splits_file(**changes):
    tables = {
        "att": ATT.T.astype(float),
        "allclasses_names": as_cells(CLASSES),
        "trainval_loc": TRAINVAL[:, None] + 1.0,
        "test_seen_loc": TEST_SEEN[:, None] + 1.0,
        "test_unseen_loc": UNSEEN[:, None] + 1.0,
        "train_loc": TRAINVAL[LABELS[TRAINVAL] < 2][:, None] + 1.0,
        "val_loc": TRAINVAL[LABELS[TRAINVAL] == 2][:, None] + 1.0,
    }
    return {key: value for key, value in (tables | changes).items() if value is not None}


def write_folder(folder, *, features=None, splits=None, compress=True):
    """Write a data set of 30 images in 5 classes, with changes to either file."""
    folder.mkdir(parents=True, exist_ok=True)
    savemat(folder / "res101.mat", features_file(**features or {}), do_compression=compress)
    savemat(folder / "att_splits.mat", splits_file(**splits or {}), do_compression=compress)
    return folder


def write_lists(folder, **lists):
    folder.mkdir(exist_ok=True)
    for name, classes in lists.items():
        (folder / f"{name}.txt").write_text("\n".join(classes) + "\n")


def with_type_code(path, code):
    """Overwrite the data-type code of the first matrix in an uncompressed MATLAB 5 file."""
    data = bytearray(path.read_bytes())
    # After the file header, and the tag, flags, dimensions and name of the matrix "att".
    at = 128 + 48
    assert struct.unpack_from("<I", data, at) == (9,), "expected the code of double"
    struct.pack_into("<I", data, at, code)
    path.write_bytes(data)
