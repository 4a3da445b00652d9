"""A large matrix is read in blocks; the refusal of a file without scores names its kind."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from zslcore.exceptions import FileRefusedError
from zslcore.scores import column_order, interpret, judge
from zslcore.scores.matrix import blocks, column, copy_rows
from zslcore.scores.reading import read_scores

PEAK = """
import sys
from pathlib import Path
from zslcore.__main__ import main
assert main(["score", sys.argv[1], "--fix", "as-is"]) in (0, None)
status = Path("/proc/self/status").read_text()
print("PEAK", next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
"""


@pytest.mark.nightly
@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="the peak is read from /proc")
def test_a_compressed_file_with_many_scores_takes_little_memory(tmp_path):
    n, classes = 120_000, 1_000  # 480 MB of scores
    content = {"y": np.arange(n) % classes, "unseen_classes": np.arange(500)}
    pad = np.frombuffer(np.random.default_rng(0).bytes(n * classes * 4 // 95), np.uint8)
    scores = np.zeros((n, classes), np.float32)
    np.savez_compressed(tmp_path / "pad.npz", scores=scores, pad=pad, **content)
    del scores
    call = [sys.executable, "-c", PEAK, str(tmp_path / "pad.npz")]
    out = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    assert int(out.split("PEAK")[1]) < 430_000  # kB; with all scores mapped, 650,000


def test_blocks_of_a_memory_map_equal_the_matrix(tmp_path):
    F = np.random.default_rng(0).normal(size=(3_000, 6_000)).astype(np.float32)  # 72 MB
    np.save(tmp_path / "F.npy", F)
    mapped = np.load(tmp_path / "F.npy", mmap_mode="r")
    np.testing.assert_array_equal(np.concatenate([block for _, block in blocks(mapped)]), F)
    np.testing.assert_array_equal(column(mapped, 7), F[:, 7])
    rows = np.arange(0, 3_000, 7)
    np.testing.assert_array_equal(copy_rows(mapped, rows), F[rows])


def test_a_large_matrix_is_negated_and_reordered_on_disk(tmp_path, monkeypatch):
    rng, y = np.random.default_rng(0), np.repeat(np.arange(6), 20)
    F = -(rng.normal(size=(120, 6)) + 3 * np.eye(6)[y]).astype(np.float32)
    np.savez(tmp_path / "far.npz", scores=F, y=y, unseen_classes=[4, 5])
    fixes = ("distances", "seen-first")
    small, _ = interpret(read_scores(tmp_path / "far.npz"), fixes)
    monkeypatch.setattr(column_order, "ON_DISK", 1)
    large, _ = interpret(read_scores(tmp_path / "far.npz"), fixes)
    assert isinstance(large.F, np.memmap)
    assert large.digest == small.digest
    assert judge(large).evaluation.zsl == judge(small).evaluation.zsl


def test_predictions_without_their_attributes_are_refused_as_scores(tmp_path):
    columns = {"part": "test", "row": [0], "label": [1], "seen_class": [0]}
    table = pd.DataFrame(columns | {"unseen_class": [1], "margin": [0.5]})
    table.to_parquet(tmp_path / "bare.parquet")
    with pytest.raises(FileRefusedError, match="got predictions without attributes"):
        read_scores(tmp_path / "bare.parquet")


def test_a_list_of_files_by_class_is_refused_as_scores(tmp_path):
    rows = [f"v_{k}.avi,Archery,{k % 3}" for k in range(5)]
    (tmp_path / "split.csv").write_text("\n".join(["filename,label,label_code", *rows]))
    with pytest.raises(
        FileRefusedError, match="scores per class, or one column of predicted.*got filename"
    ):
        read_scores(tmp_path / "split.csv")
