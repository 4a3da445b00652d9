"""Score files in a worker process: equal metrics, little memory, refusals in one sentence."""

import resource
import shutil
import sys

import numpy as np
import pytest

from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.evaluation.protocol import evaluate
from zslcore.exceptions import FileRefusedError
from zslcore.scores import ScoreFile, interpret, judge, matrix, sandboxed
from zslcore.scores.matrix import best_classes_in
from zslcore.scores.sandboxed import OpenQuestion, ScoreRequest, judge_in_worker

MEMORY = 1 << 30
WHOSE = "that a visitor may take"
RNG = np.random.default_rng(3)
Y = np.repeat(np.arange(9), 20)
SEEN = np.arange(9) % 3 > 0
UNSEEN = np.flatnonzero(~SEEN)
F = (np.eye(9)[Y] + RNG.normal(size=(180, 9)) + 0.4 * SEEN).astype(np.float32)


pytestmark = pytest.mark.usefixtures("own_data")


def write_archive(tmp_path, name="own.npz", **arrays):
    np.savez_compressed(
        tmp_path / name, **({"scores": F, "y": Y, "unseen_classes": UNSEEN} | arrays)
    )
    return tmp_path / name


@pytest.mark.parametrize("kind", ["float32", "ties", "ruled out", "no seen images"])
def test_metrics_from_candidates_per_side_equal_the_matrix(kind, monkeypatch):
    monkeypatch.setattr(matrix, "BLOCK_SCORES", 100)  # 11 rows at a time
    scores, y = F.copy(), Y
    if kind == "ties":
        scores = np.round(scores).astype(np.float64)
    if kind == "ruled out":
        scores[::7, SEEN] = -np.inf
    if kind == "no seen images":
        scores, y = scores[~SEEN[Y]], Y[~SEEN[Y]]
    whole, few = ScoredTest(scores, y, np.arange(9), SEEN), best_classes_in(scores, y, SEEN)
    for gamma in (0.0, 0.4):
        assert evaluate(few, gamma) == evaluate(whole, gamma)
        assert np.array_equal(few.predicted(gamma), whole.predicted(gamma))
    assert np.array_equal(few.zsl_ranks, whole.zsl_ranks)
    for name in ("gamma", "right_if_seen", "right_if_unseen", "y") if few.generalized else ():
        assert np.array_equal(getattr(few.switches, name), getattr(whole.switches, name))


@pytest.mark.nightly
def test_a_worker_computes_the_metrics_of_this_process(tmp_path):
    path, validation = (
        write_archive(tmp_path),
        write_archive(tmp_path, "val.npz", scores=F + 0.1 * F[::-1]),
    )
    file = ScoreFile("own.npz", F, Y, UNSEEN)
    chosen_on = ScoreFile("val.npz", F + 0.1 * F[::-1], Y, UNSEEN)
    here = judge(interpret(file)[0], validation=interpret(chosen_on)[0])
    by_worker = judge_in_worker(
        ScoreRequest(path), ScoreRequest(validation), memory=MEMORY, origin=WHOSE
    )
    assert by_worker.to_json() == here.to_json()
    assert by_worker.matrix.matrix is None


@pytest.mark.nightly
def test_a_worker_raises_questions_and_accepts_answers(tmp_path):
    path = write_archive(tmp_path, scores=-F)
    request = judge_in_worker(ScoreRequest(path), memory=MEMORY, origin=WHOSE)
    assert isinstance(request, OpenQuestion)
    assert (request.question.fix, request.of_validation) == ("distances", False)
    report = judge_in_worker(ScoreRequest(path, fixes=("distances",)), memory=MEMORY, origin=WHOSE)
    assert report.matrix.fixes == ("distances",)
    judged = judge_in_worker(
        ScoreRequest(path, fixes=("distances",)), ScoreRequest(path), memory=MEMORY, origin=WHOSE
    )
    assert judged.of_validation


@pytest.mark.nightly
def test_a_contradictory_score_file_is_refused_by_the_worker(tmp_path):
    with pytest.raises(FileRefusedError, match="own.npz, scores: expected a row for each of 8"):
        judge_in_worker(
            ScoreRequest(write_archive(tmp_path, y=np.arange(8))), memory=MEMORY, origin=WHOSE
        )


@pytest.mark.nightly
def test_more_scores_than_memory_allows_are_refused_by_name(tmp_path):
    n = 40_000
    path = write_archive(
        tmp_path, scores=np.zeros((n, 1000), "f4"), y=np.arange(n) % 1000, pad=RNG.bytes(1 << 21)
    )
    with pytest.raises(FileRefusedError) as refused:
        judge_in_worker(ScoreRequest(path), memory=300 << 20, origin=WHOSE)
    assert "40000 x 1000 values (160,000,000 bytes)" in str(refused.value)
    assert f"more than the {(300 << 20) // 3:,} bytes {WHOSE}" in str(refused.value)


@pytest.fixture(scope="module")
def left(tmp_path_factory):
    """Output of the worker on the file; each test damages a copy of this output."""
    folder, text = tmp_path_factory.mktemp("left"), {}
    real = sandboxed.client.read_confined

    def read_confined(do, score_request, files, into, **limits):
        text.update(real(do, score_request, files, into, **limits))
        shutil.copytree(into, folder, dirs_exist_ok=True)
        return text

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandboxed.client, "read_confined", read_confined)
        judge_in_worker(
            ScoreRequest(write_archive(tmp_path_factory.mktemp("own"))), memory=MEMORY, origin=WHOSE
        )
    return folder, text


def judged_there(tmp_path, monkeypatch, left, spoil):
    """Damage the output of the worker before it is checked."""
    folder, text = left

    def read_confined(do, score_request, files, into, **limits):
        shutil.copytree(folder, into, dirs_exist_ok=True)
        spoiled = spoil(into)
        return text | (spoiled if isinstance(spoiled, dict) else {})

    monkeypatch.setattr(sandboxed.client, "read_confined", read_confined)
    return judge_in_worker(ScoreRequest(write_archive(tmp_path)), memory=MEMORY, origin=WHOSE)


SPOILED = {
    "a class that there is none of": lambda into: np.save(
        into / "seen_class.npy", np.full(180, 9, "<i4")
    ),
    "rows of another file": lambda into: np.save(into / "margin.npy", np.zeros(3)),
    "no numbers": lambda into: np.save(into / "margin.npy", np.full(180, np.nan)),
    "objects": lambda into: np.save(into / "labels.npy", np.array([{}] * 180), allow_pickle=True),
    "nothing": lambda into: (into / "labels.npy").unlink(),
    "an empty file": lambda into: (into / "labels.npy").write_bytes(b""),
    "another kind of file": lambda into: (into / "labels.npy").write_bytes(b"PK\x03\x04"),
    "a gamma beyond any number": lambda into: {"gamma": 10**400, "origin": "given"},
    "an origin": lambda into: {"gamma": 1.0, "origin": "<script>"},
    "a limit": lambda into: {"limits": "<script>"},
    "no rounding": lambda into: {"resolution": float("nan")},
    "too few names": lambda into: {"class_names": ["a"]},
    "a question": lambda into: {"question": {"fix": "rm", "said": "", "open": False}},
}


@pytest.mark.nightly
@pytest.mark.parametrize("kind", SPOILED)
def test_invalid_output_of_a_worker_is_refused(tmp_path, monkeypatch, left, kind):
    assert judged_there(tmp_path, monkeypatch, left, lambda into: None).matrix  # unchanged
    with pytest.raises(FileRefusedError, match="its reader returned an invalid result"):
        judged_there(tmp_path, monkeypatch, left, SPOILED[kind])


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="needs files with holes")
def test_too_large_output_of_a_worker_is_refused_before_reading(tmp_path, monkeypatch, left):
    def spoil(into):
        for name, kind in sandboxed.COLUMNS.items():
            n = (MEMORY - 4096) // np.dtype(kind).itemsize
            header = {"descr": kind, "fortran_order": False, "shape": (n,)}
            with (into / f"{name}.npy").open("wb") as file:
                np.lib.format.write_array_header_1_0(file, header)
                file.truncate(MEMORY)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(FileRefusedError, match="its reader returned an invalid result"):
        judged_there(tmp_path, monkeypatch, left, spoil)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + (64 << 10)  # KB


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="needs limits on address space")
def test_this_process_never_holds_the_scores(tmp_path, monkeypatch):
    """The worker maps the scores; this process receives only a few numbers per image."""
    n = 10_000
    y = np.arange(n) % 1000
    path = write_archive(
        tmp_path, scores=np.zeros((n, 1000), "f4"), y=y, unseen_classes=np.arange(500)
    )
    assert path.stat().st_size < 1 << 20
    report = judge_in_worker(ScoreRequest(path, fixes=("as-is",)), memory=MEMORY, origin=WHOSE)
    assert report.matrix.predicted_rows.nbytes < 32 * n
    assert len(report.matrix.y) == n
