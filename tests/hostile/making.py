"""Valid files of every kind, and ways to damage them."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
from scipy.io import savemat

from tests.datasets import files
from tests.datasets.test_table import ARRAYS, csv, npz, prototypes
from tests.writing import write_file, write_mat73

#: Names of classes, files and columns with a special meaning in HTML, Markdown, SQL or a shell.
NAMES = (
    '<a href="http://192.0.2.1/">otter</a>',
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)",
    "../../../etc/passwd",
    "..\\..\\x",
    "/dev/zero",
    "CON",
    "a\x00b",
    "a\nb",
    "\u202egnp.exe",
    "cat\u200b",
    "$\\frac{1}{0}$",
    "**bold** [x](http://192.0.2.1)",
    "%s%n",
    "{0.__class__}",
    "'; DROP TABLE runs; --",
    "\ud800",
    "x" * 5000,
    " ",
    "nan",
    "\U0010ffff",
)


def honest(folder: Path) -> dict[str, Path]:
    """Write one valid file of every readable kind; return them by kind."""
    folder.mkdir(parents=True, exist_ok=True)
    files.write_folder(folder / "mat", compress=False)
    write_mat73(folder / "new.mat", files.splits_file())
    split = {"schema": "zslcore-split/1", "parts": {"trainval": [0, 1], "test_unseen": [2]}}
    return {
        "mat": folder / "mat" / "att_splits.mat",
        "hdf5": folder / "new.mat",
        "npz": npz(folder),
        "csv": csv(folder),
        "prototypes": prototypes(folder),
        "split": write_file(folder / "split.json", json.dumps(split)),
        "toml": write_file(folder / "decisions.toml", '[imagenet-1k]\nseal = "rejected"\n'),
        "list": write_file(folder / "list.txt", "\n".join(files.CLASSES)),
    }


# --- Damage ---------------------------------------------------------------------------------------


def _flip(content: bytearray, rng: Random) -> None:
    for _ in range(rng.randint(1, 8)):
        content[rng.randrange(len(content))] = rng.randrange(256)


def _cut(content: bytearray, rng: Random) -> None:
    del content[rng.randrange(len(content)) :]


def _repeat(content: bytearray, rng: Random) -> None:
    start, size = rng.randrange(len(content)), rng.randrange(1, 200)
    content[start:start] = content[start : start + size] * rng.randrange(1, 50)


def _number(content: bytearray, rng: Random) -> None:
    """Overwrite four bytes with an extreme length or type."""
    value = rng.choice([0, 1, 0xFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x80000000])
    at = rng.randrange(max(1, len(content) // 4)) * 4
    content[at : at + 4] = struct.pack("<I", value)


def _name(content: bytearray, rng: Random) -> None:
    """Replace a word by a name with a special meaning."""
    name = rng.choice(NAMES).encode("utf-8", "surrogatepass")
    words = [
        word for word in (b"otter", b"label", b"trainval", b"class", b"att") if word in content
    ]
    if words:
        word = rng.choice(words)
        at = content.index(word)
        content[at : at + len(word)] = name


SPOILERS = (_flip, _cut, _repeat, _number, _name)


def spoiled(content: bytes, rng: Random) -> bytes:
    """Return a file with one to three faults."""
    spoilt = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        if spoilt:
            rng.choice(SPOILERS)(spoilt, rng)
    return bytes(spoilt)


# --- Bombs: small files with a large declared size ------------------------------------------------


def _npz_of_zeros() -> bytes:
    result = io.BytesIO()
    with (
        zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("features.npy", "w", force_zip64=True) as member,
    ):
        header = {"descr": "<f8", "fortran_order": False, "shape": (4_000, 10_000)}
        np.lib.format.write_array_header_1_0(member, header)
        for _ in range(40):
            member.write(bytes(8_000_000))
    return result.getvalue()


def _npz_of_lies() -> bytes:
    result = io.BytesIO()
    member = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": (1 << 40, 1)}
    np.lib.format.write_array_header_1_0(member, header)
    with zipfile.ZipFile(result, "w") as archive:
        archive.writestr("features.npy", member.getvalue())
    return result.getvalue()


def _npz_of_objects() -> bytes:
    result = io.BytesIO()
    np.savez(result, **(ARRAYS | {"features": np.array([{"a": 1}], dtype=object)}))
    return result.getvalue()


def _npz_of_no_characters() -> bytes:
    names = np.array(list(files.CLASSES))
    names.view("<u4")[0] = 0x7FFFFFFF
    result = io.BytesIO()
    np.savez(result, **(ARRAYS | {"class_names": names}))
    return result.getvalue()


def _mat_of_structs() -> bytes:
    result = io.BytesIO()
    savemat(result, files.splits_file(att={"a": 1.0}))
    return result.getvalue()


#: Kind -> content that a correct program never writes.
BOMBS: tuple[tuple[str, Callable[[], bytes]], ...] = (
    ("npz", _npz_of_zeros),
    ("npz", _npz_of_lies),
    ("npz", _npz_of_objects),
    ("npz", _npz_of_no_characters),
    ("mat", _mat_of_structs),
    ("csv", lambda: b"label,f\n" + b"otter,1\n" * 200_000),
    ("csv", lambda: b"label," + b"f," * 100_000 + b"\n"),
    ("csv", lambda: b'label,f\notter,"' + b"1" * 3_000_000),
    ("csv", lambda: ("label,f\n" + "".join(f"{i}{'x' * 190},1\n" for i in range(5000))).encode()),
    ("prototypes", lambda: b"class,a\n" + b"".join(b"c%d,1\n" % i for i in range(60_000))),
    (
        "split",
        lambda: b'{"schema": "zslcore-split/1", "parts": {"trainval": [9223372036854775807]}}',
    ),
    ("split", lambda: b"[" * 200_000),
    (
        "split",
        lambda: b'{"schema": "zslcore-split/1", "parts": {"trainval": [' + b"9" * 5000 + b"]}}",
    ),
    ("toml", lambda: b"a = " + b"[" * 200_000),
    ("toml", lambda: b"\n".join(b"a%d = 1" % i for i in range(90_000))),
    ("list", lambda: b"a\n" * 4_000_000),
)
