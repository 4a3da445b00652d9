"""Score files: valid ones in every format, and ones with wrong numbers.

Random bytes are mostly refused by the file format. Valid files with arrays of wrong shapes, types
and values reach the code that interprets them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random

import h5py
import numpy as np
import pandas as pd
from scipy.io import savemat

from tests.hostile.making import NAMES, spoiled
from zslcore.scores import interpret, judge
from zslcore.scores.reading import read_scores

CLASSES = (*(f"class {k}" for k in range(8)), "otter", "bat")
UNSEEN = np.array([3, 6, 9])
LABELS = np.repeat(np.arange(len(CLASSES)), 12)
SCORES = np.eye(len(CLASSES))[LABELS] + np.random.default_rng(0).normal(
    size=(len(LABELS), len(CLASSES))
)
WHOLE = {"scores": SCORES, "y": LABELS, "unseen_classes": UNSEEN, "class_names": np.array(CLASSES)}
#: Maximum number of questions that a file can raise, one after the other.
QUESTIONS = 6

Arrays = dict[str, np.ndarray]


# --- Files ----------------------------------------------------------------------------------------


def _table(arrays: Arrays) -> pd.DataFrame:
    """Return one column per class, and the labels as a further column, as far as they fit."""
    scores = np.atleast_2d(arrays.get("scores", np.zeros((0, 0))))
    table = pd.DataFrame(scores.reshape(len(scores), -1))
    names = list(map(str, np.ravel(arrays.get("class_names", []))))
    if len(names) == table.shape[1]:
        table.columns = pd.Index(names)
    labels = np.ravel(arrays.get("y", []))
    if len(labels) == len(table):
        table.insert(0, "label", labels, allow_duplicates=True)
    return table


def _write_mat(path: Path, arrays: Arrays) -> None:
    savemat(path, {name: array for name, array in arrays.items() if array.dtype.kind != "V"})


def _write_hdf5(path: Path, arrays: Arrays) -> None:
    with h5py.File(path, "w") as file:
        for name, array in arrays.items():
            if array.dtype.kind == "U":
                array = np.char.encode(array, "utf-8", "replace")
            file[name] = array


def _write_parquet(path: Path, arrays: Arrays) -> None:
    table = _table(arrays)
    table.columns = pd.Index([f"{k} {name}" for k, name in enumerate(table)])
    table.rename(columns={"0 label": "label"}).to_parquet(path)


#: Kind -> ending, and function that writes arrays in this format.
FORMS: dict[str, tuple[str, Callable[[Path, Arrays], None]]] = {
    "npz": ("npz", lambda path, arrays: np.savez(path, **arrays)),  # type: ignore[arg-type]
    "npy": ("npy", lambda path, arrays: np.save(path, arrays.get("scores", np.zeros(0)))),
    "csv": ("csv", lambda path, arrays: _table(arrays).to_csv(path, index=False)),
    "parquet": ("parquet", _write_parquet),
    "mat": ("mat", _write_mat),
    "hdf5": ("h5", _write_hdf5),
}
#: Files next to scores, which are damaged together with them.
BESIDE = ("labels.txt", "labels.npy", "unseen.txt")
KINDS = tuple(f"scores {kind}" for kind in (*FORMS, *BESIDE))


def honest_scores(folder: Path) -> dict[str, Path]:
    """Write the same scores in every format, with lists next to them; return them by kind."""
    folder.mkdir(parents=True, exist_ok=True)
    result = {}
    for kind, (ending, write) in FORMS.items():
        result[f"scores {kind}"] = folder / f"own.{ending}"
        write(folder / f"own.{ending}", WHOLE)
    (folder / "labels.txt").write_text("\n".join(map(str, LABELS)))
    (folder / "unseen.txt").write_text("\n".join(map(str, UNSEEN)))
    np.save(folder / "labels.npy", LABELS)
    return result | {f"scores {name}": folder / name for name in BESIDE}


# --- Damage ---------------------------------------------------------------------------------------


def _put(array: np.ndarray, rng: Random) -> np.ndarray:
    """Insert an invalid number."""
    value = rng.choice([np.nan, np.inf, -np.inf, 1e308, -1e308, 1e-320, -1, 2**40, 0.5])
    result = array.astype(float) if array.dtype.kind in "biuf" else array
    flat = result.reshape(-1).copy()
    if flat.dtype.kind == "f" and len(flat):
        flat[[rng.randrange(len(flat)) for _ in range(rng.randint(1, 4))]] = value
    return flat.reshape(result.shape)


def _retype(array: np.ndarray, rng: Random) -> np.ndarray:
    """Convert the values to another type as far as possible."""
    to = rng.choice(["f2", "f4", "i1", "u1", "u8", "c16", "?", "S3", "U4", "M8[s]", ">f8"])
    try:
        return array.astype(to)
    except (ValueError, TypeError, RuntimeError):
        return array


def _reshape(array: np.ndarray, rng: Random) -> np.ndarray:
    """Change the shape: remove, add or swap axes, or change the length of one."""
    ways: list[Callable[[], np.ndarray]] = [
        lambda: array[: rng.randint(0, len(array))] if array.ndim else array,
        lambda: array.T,
        lambda: array.reshape(-1),
        lambda: array[None],
        lambda: array[..., None],
        lambda: array.reshape(-1)[:1].reshape(()) if array.size else array,
        lambda: np.concatenate([array, array]) if array.ndim else array,
        lambda: array[:0] if array.ndim else array,
        lambda: array[:, :1] if array.ndim > 1 else array,
        lambda: array[:, 1:] if array.ndim > 1 else array[1:] if array.ndim else array,
    ]
    return rng.choice(ways)()


def _shift(array: np.ndarray, rng: Random) -> np.ndarray:
    """Add 1, negate, permute or multiply the numbers, or set all of them to zero."""
    if array.dtype.kind not in "iuf" or not array.size:
        return array
    ways: list[Callable[[], np.ndarray]] = [
        lambda: array + 1,
        lambda: -array.astype(float),
        lambda: np.zeros_like(array),
        lambda: array[rng.sample(range(len(array)), len(array))] if array.ndim else array,
        lambda: array.astype(np.result_type(array, np.int32)) * 10**6,
    ]
    return rng.choice(ways)()


def _rename(array: np.ndarray, rng: Random) -> np.ndarray:
    """Insert names with a special meaning, also repeatedly or in place of numbers."""
    words = array.astype(str).reshape(-1)
    if not len(words):
        return array
    names = [name.encode("utf-8", "replace").decode() for name in NAMES]
    text = words.astype(object)
    for _ in range(rng.randint(1, 3)):
        text[rng.randrange(len(words))] = rng.choice(names)
    return text.astype(str).reshape(array.shape)


CHANGES = (_put, _retype, _reshape, _shift, _rename)


def odd(rng: Random) -> Arrays:
    """Return the arrays of a score file, with one to three of them changed or removed."""
    arrays = dict(WHOLE)
    for _ in range(rng.randint(1, 3)):
        name = rng.choice([*arrays, *[""] * (not arrays)])
        if not name:
            break
        if rng.random() < 0.1:
            del arrays[name]
        else:
            arrays[name] = rng.choice(CHANGES)(arrays[name], rng)
    return arrays


def spoiled_scores(kind: str, path: Path, content: bytes, rng: Random) -> None:
    """Write a score file with faults in its bytes or, in half of all cases, in its numbers.

    Parameters
    ----------
    kind : one of :data:`KINDS`
    path : path of the new file
    content : content of the valid file
    rng : random generator
    """
    form = FORMS.get(kind.removeprefix("scores "))
    if form is not None and rng.random() < 0.5:
        try:
            with warnings.catch_warnings():  # overflow of the type is intended
                warnings.simplefilter("ignore")
                form[1](path, odd(rng))
        except (ValueError, TypeError, NotImplementedError):
            pass  # this format cannot have such arrays, so its bytes are damaged instead
        else:
            return
    path.write_bytes(spoiled(content, rng))


# --- Reading --------------------------------------------------------------------------------------


def judged(kind: str, path: Path, honest: dict[str, Path]) -> None:
    """Read scores, answer each question with yes and with no, and compute their metrics."""
    beside = {name: honest[f"scores {name}"] for name in BESIDE}
    arguments = {}
    if path.suffix == ".npy" or path.name in BESIDE:
        arguments = {"labels": beside["labels.txt"], "unseen": beside["unseen.txt"]}
    elif path.suffix in (".csv", ".parquet"):
        arguments = {"unseen": beside["unseen.txt"]}
    if path.name in BESIDE:
        arguments[path.stem] = path
        path = honest["scores npy"]
    file = read_scores(path, **arguments)
    for yes in (True, False):
        fixes: tuple[str, ...] = ()
        for _ in range(QUESTIONS):
            matrix, request = interpret(file, fixes)
            if matrix is not None:
                report = judge(matrix, gamma=0.1)
                assert report.as_text()
                assert report.to_json()
                break
            if request[0].open and not yes:
                break
            fixes += (request[0].fix if yes else "as-is",)
        else:
            raise AssertionError(f"{file.name}: more than {QUESTIONS} questions")
