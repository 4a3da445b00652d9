"""Methods stream rows from shards: the same results, in bounded memory."""

import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from tests.large.shards_of import written
from zslcore.features import FeatureView
from zslcore.methods import _linear, _sgd, get_method

pytestmark = pytest.mark.usefixtures("torch")  # PyTorch is imported before memory is traced
D, C, A = 128, 12, 6
STREAMED = [
    ("DEVISE", {"epochs": 1, "batch_size": 256}),
    ("ALE", {"epochs": 1, "batch_size": 256}),
    ("SJE", {"epochs": 1, "batch_size": 256}),
    ("LATEM", {"epochs": 1, "batch_size": 256}),
    ("SYNC", {"tol": 0.5}),
    ("CONSE", {"tol": 0.5}),
]


def world(n):
    rng = np.random.default_rng(0)
    S, y = rng.random((C, A)), np.arange(n) % C
    X = S[y] @ rng.normal(size=(A, D)) + rng.normal(size=(n, D))
    return X.astype(np.float16), y, S


@pytest.fixture(scope="module")
def sizes(tmp_path_factory):
    """Shards of 1,000 rows and of 4,000 rows."""
    result = []
    for n in (1_000, 4_000):
        X, y, S = world(n)
        folder = tmp_path_factory.mktemp("streaming") / str(n)
        shards = written(folder, X, y, block=n, rows_a_part=450, dtype="float16")
        result.append((X, FeatureView(shards, unit=True), y, S))
    return result


@pytest.fixture(autouse=True)
def _nothing_is_kept(monkeypatch):
    """Read rows again in every step in small blocks, as if they took more than a gigabyte."""
    monkeypatch.setattr(_sgd, "WORKING_BYTES", 0)
    monkeypatch.setattr(_linear, "WORKING_BYTES", 0)
    monkeypatch.setattr("zslcore.features.BLOCK_VALUES", 1 << 15)


@pytest.mark.parametrize(("name", "params"), STREAMED, ids=[name for name, _ in STREAMED])
def test_rows_are_streamed_from_shards(name, params, sizes):
    peaks = []
    for _, view, y, S in sizes:
        tracemalloc.start()
        streamed = get_method(name)(**params).fit(view, y, S)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    X = sizes[-1][0]
    plain = get_method(name)(**params).fit(FeatureView(X, unit=True), y, S)
    test, P = FeatureView(X[:20], unit=True), np.vstack([S, S + 1])
    F, G = (model.decision_function(test, P) for model in (streamed, plain))
    np.testing.assert_array_equal(F, G)
    # The larger data have 3,000 more rows; peak memory may grow by 200 bytes per row.
    assert peaks[1] - peaks[0] < 200 * (len(sizes[1][2]) - len(sizes[0][2]))


@pytest.mark.nightly
def test_a_full_evaluation_fits_into_half_the_memory_of_its_scores(tmp_path):
    """The scores of 4,000 rows and 21,841 classes would take 0.7 GB."""
    script = Path(__file__).parent / "within_memory.py"
    run = subprocess.run(
        [sys.executable, str(script), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.startswith("top-1 of")
