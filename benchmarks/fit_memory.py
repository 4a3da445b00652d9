"""Peak memory of a full-size fit, as a multiple of the features it reads.

    python -m benchmarks.fit_memory

Each method is fitted in a process of its own on 37,322 x 2,048 float32 features in a read-only map
(23,527 rows are trained on). Counted is the peak resident memory, pages of the map included, above
what the interpreter and its libraries take before the map is opened. The plain baseline takes the
training rows out and fits on a float64 copy.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.awa2_size import N_FEATURES, N_SEEN, N_TEST, N_TRAIN, make
from benchmarks.timing import check

METHODS = ("LinearV2S", "LinearS2V", "ESZSL", "SAE")


def peak_mib() -> float:
    # Not getrusage: its peak starts at what the parent process held when it forked.
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024


def fit(folder: Path, name: str) -> None:
    """Fit one method and print the memory it took, in MiB."""
    from zslcore.features.views import Preprocessing
    from zslcore.methods import get_method

    y, S = np.load(folder / "y.npy"), np.load(folder / "S.npy")
    rows = np.load(folder / "rows.npy")
    model = get_method(name.removeprefix("plain "))()
    tiny = np.random.default_rng(0).random((8, 4))
    model.fit(tiny, np.arange(8) % 2, tiny[:2])  # loads what is loaded lazily, before counting
    before = peak_mib()
    matrix = np.load(folder / "X.npy", mmap_mode="r")
    if name.startswith("plain "):
        X = np.asarray(matrix)[rows].astype(np.float64)
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    else:
        X = Preprocessing("l2").of_features(matrix, rows).rows(rows)
    model.fit(X, y, S)
    print(peak_mib() - before)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        X, y, S, X_test, _, _ = make()
        order = np.random.default_rng(1).permutation(N_TRAIN + N_TEST)
        np.save(folder / "X.npy", np.vstack([X, X_test])[order])
        np.save(folder / "rows.npy", np.argsort(order)[:N_TRAIN])
        np.save(folder / "y.npy", y)
        np.save(folder / "S.npy", S)
        features = (N_TRAIN + N_TEST) * N_FEATURES * 4 / 2**20
        print(f"features: {features:.0f} MiB, {N_SEEN} seen classes")
        for method in (*METHODS, "plain ESZSL"):
            command = [sys.executable, "-m", "benchmarks.fit_memory", str(folder), method]
            out = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
            check(f"{method}, {float(out.stdout):.0f} MiB", float(out.stdout) / features, "x", 1.5)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        fit(Path(sys.argv[1]), sys.argv[2])
    else:
        main()
