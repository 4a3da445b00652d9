"""Engine: workers give the same results, parts are stored, and a lost worker costs one part."""

import os
import signal

import numpy as np
import pytest
from joblib import delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

from tests.large import test_ranks
from tests.large.shards_of import arrays_of, written
from zslcore.exceptions import ParameterError, ZSLError
from zslcore.features import FeatureView
from zslcore.large import engine, ranks
from zslcore.large.engine import Engine, chunks_of, compute_chunks
from zslcore.large.ranks import count_ranks

X, Y, SCORER = test_ranks.world(np.float64, False)
SETS, SEEN = test_ranks.SETS, test_ranks.SEEN
HERE, TWO = Engine(workers=1), Engine(workers=2)


@pytest.fixture
def shards(tmp_path):
    return written(tmp_path / "set", X, Y)


def _setting():
    return os.environ.get("ZSL_DATA"), os.environ.get("ZSL_PREDICTIONS")


@pytest.mark.nightly
def test_workers_get_the_current_settings(monkeypatch):
    """This includes workers that joblib started earlier."""
    for folder, size in (("/one", "1K"), ("/other", None), ("/other", "2K")):
        monkeypatch.setenv("ZSL_DATA", folder)
        monkeypatch.delenv("ZSL_PREDICTIONS", raising=False)
        if size:
            monkeypatch.setenv("ZSL_PREDICTIONS", size)
        with engine.parallel(2, "list") as work:
            assert set(work(delayed(_setting)() for _ in range(4))) == {(folder, size)}


def metrics_of(shards, where, y=Y, **options):
    """Ranks of all rows, with raw and unit-length features, as arrays by name."""
    result = {}
    for unit in (False, True):
        view = FeatureView(shards, unit=unit)
        counts = count_ranks(view, y, SCORER, SETS, SEEN, engine=where, **options)
        result |= {f"{unit} {name}": array for name, array in arrays_of(counts).items()}
    return result


def same(first, other):
    assert first.keys() == other.keys()
    for name in first:
        np.testing.assert_array_equal(first[name], other[name], name)


@pytest.mark.nightly
def test_two_workers_give_the_metrics_of_one(shards, tmp_path):
    metrics = metrics_of(shards, HERE)
    same(metrics_of(shards, TWO, keep=tmp_path / "kept"), metrics)


def test_a_dask_cluster_gives_the_same_metrics(shards, tmp_path, monkeypatch, dask):
    metrics = metrics_of(shards, HERE)
    monkeypatch.setenv("ZSL_DASK", dask)
    same(metrics_of(shards, HERE), metrics)
    same(metrics_of(shards, HERE, keep=tmp_path / "kept"), metrics)


def test_a_silent_cluster_is_reported(shards, monkeypatch):
    pytest.importorskip("distributed", reason="Dask is not installed")
    monkeypatch.setattr(engine, "DASK_TIMEOUT", "0.2s")
    monkeypatch.setenv("ZSL_DASK", "tcp://127.0.0.1:9")
    with pytest.raises(ZSLError, match=r"expected the address of a running scheduler; 'tcp"):
        count_ranks(shards, Y, SCORER, SETS, SEEN)


def test_a_missing_dask_is_reported_with_its_extra(shards, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    monkeypatch.setenv("ZSL_DASK", "tcp://127.0.0.1:9")
    with pytest.raises(ZSLError, match=r"ZSL_DASK needs Dask .*: .*\[dask\]'"):
        count_ranks(shards, Y, SCORER, SETS, SEEN)


def test_the_number_of_workers_is_at_least_one():
    with pytest.raises(ParameterError, match="at least 1; got 0"):
        Engine(workers=0)


def counting(monkeypatch):
    """Return a list that collects the number of rows of every computed part."""
    done, do = [], ranks._count

    def noted(X, y, plan):
        done.append(len(y))
        return do(X, y, plan)

    monkeypatch.setattr(ranks, "_count", noted)
    return done


def test_a_stopped_computation_resumes(shards, tmp_path, monkeypatch):
    whole, keep = metrics_of(shards, HERE), tmp_path / "kept"
    done = counting(monkeypatch)
    for stop_after in (1, 3, 6, 9):

        def stop(finished, total, message, stop_after=stop_after):
            if len(done) >= stop_after:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            metrics_of(shards, HERE, keep=keep, progress=stop)
    same(metrics_of(shards, HERE, keep=keep), whole)
    assert len(done) == 2 * len(shards.parts())
    same(metrics_of(shards, HERE, keep=keep), whole)
    assert len(done) == 2 * len(shards.parts())


def test_a_changed_shard_is_the_only_shard_computed_again(shards, tmp_path, monkeypatch):
    keep = tmp_path / "kept"
    metrics_of(shards, HERE, keep=keep)
    done = counting(monkeypatch)
    A = X.copy()
    A[130, 3] += 1
    changed = written(tmp_path / "changed", A, Y)
    same(metrics_of(changed, HERE, keep=keep), metrics_of(changed, HERE))
    assert len(done) == 2 + 2 * len(shards.parts())  # all stored except one part; then all again


def test_other_labels_weights_or_test_sets_are_computed_anew(shards, tmp_path, monkeypatch):
    keep = tmp_path / "kept"
    metrics_of(shards, HERE, keep=keep)
    done = counting(monkeypatch)
    other = Y.copy()
    other[130] = (other[130] + 1) % 17
    metrics_of(shards, HERE, y=other, keep=keep)
    assert len(done) == 2
    sets, seen = SETS, SEEN
    count_ranks(shards, Y, SCORER.astype(np.float32), sets, seen, engine=HERE, keep=keep)
    count_ranks(shards, Y, SCORER, {"near": sets["near"]}, seen, engine=HERE, keep=keep)
    count_ranks(shards, Y, SCORER, sets, seen, ks=(1,), engine=HERE, keep=keep)
    assert len(done) == 2 + 3 * len(shards.parts())


@pytest.mark.filterwarnings("ignore")
def test_corrupt_stored_parts_are_computed_again(shards, tmp_path):
    keep = tmp_path / "kept"
    whole = metrics_of(shards, HERE, keep=keep)
    for k, path in enumerate(sorted(keep.rglob("output.pkl"))):
        path.write_bytes((b"", path.read_bytes()[:100])[k % 2])
    same(metrics_of(shards, HERE, keep=keep), whole)


def test_parts_of_a_local_function_cannot_be_stored(shards, tmp_path):
    def local(block):
        return SCORER.scores(block)

    with pytest.raises(ParameterError, match="function of a module, which workers can import"):
        count_ranks(shards, Y, local, SETS, SEEN, engine=HERE, keep=tmp_path)


def count_rows_or_be_killed(X, y, marker):
    """Count rows; the first worker kills itself, or each worker does if there is no marker."""
    if marker is None:
        os.kill(os.getpid(), signal.SIGKILL)
    try:
        marker.open("x").close()
    except FileExistsError:
        return len(y)
    return os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.nightly
def test_a_killed_worker_loses_only_one_part(shards, tmp_path):
    marker = tmp_path / "marker"
    result = list(
        compute_chunks(count_rows_or_be_killed, chunks_of(shards), [Y], marker, "", engine=TWO)
    )
    assert marker.exists()
    assert sum(n for _, n in result) == len(Y)
    assert len(result) == len(shards.parts())


@pytest.mark.nightly
def test_repeatedly_killed_workers_are_reported(shards, monkeypatch):
    monkeypatch.setattr(engine, "PATIENCE", 1)
    with pytest.raises(
        ZSLError, match="\\(0 of 5 are finished\\); is there enough memory for 2 parts"
    ):
        list(compute_chunks(count_rows_or_be_killed, chunks_of(shards), [Y], None, "", engine=TWO))


def test_occasionally_killed_workers_do_not_end_the_computation(shards, monkeypatch):
    """A finished part resets the count of failures."""
    turns = iter([0, 1, 0, 1, 0, 1, 0, 2])

    def parallel(stored, tasks, engine):
        yield from (stored(*task) for task in tasks[: next(turns)])
        if len(tasks) > 2:
            raise TerminatedWorkerError

    monkeypatch.setattr(engine, "PATIENCE", 2)
    monkeypatch.setattr(engine, "_parallel", parallel)
    result = compute_chunks(counted, chunks_of(shards), [Y], None, "", engine=TWO)
    assert len(list(result)) == 5


def counted(X, y, common):
    return len(y)
