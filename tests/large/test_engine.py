"""Workers change nothing, what is finished is kept, and who is lost costs what he was doing."""

import os
import signal

import numpy as np
import pytest
from joblib import delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

from tests.large import test_ranks
from tests.large.shards_of import written
from zslcore.exceptions import ParameterError, ZSLError
from zslcore.features.views import FeatureView
from zslcore.large import engine
from zslcore.large.engine import Engine, Work, over_pieces, pieces_of
from zslcore.large.ranks import count_ranks
from zslcore.large.statistics import FullStatistics, Groups, gather

X, Y, SCORER = test_ranks.world(np.float64, False)
C = test_ranks.C
HERE, TWO = Engine(workers=1), Engine(workers=2)


@pytest.fixture
def shards(tmp_path):
    return written(tmp_path / "set", X, Y)


def _setting():
    return os.environ.get("ZSL_DATA"), os.environ.get("ZSL_PREDICTIONS")


def test_workers_have_the_settings_of_the_moment(monkeypatch):
    """Also those that were started before, of which joblib makes use again."""
    for folder, size in (("/one", "1K"), ("/other", None), ("/other", "2K")):
        monkeypatch.setenv("ZSL_DATA", folder)
        monkeypatch.delenv("ZSL_PREDICTIONS", raising=False)
        if size:
            monkeypatch.setenv("ZSL_PREDICTIONS", size)
        with engine.parallel(TWO, 2, "list") as work:
            assert set(work(delayed(_setting)() for _ in range(4))) == {(folder, size)}


def figures(shards, where, y=Y, **options):
    """Statistics of two training sets and ranks of all rows, as arrays by name."""
    sets = [np.flatnonzero(y < 50), np.arange(len(y))]
    gathered = gather(FeatureView(shards, unit=True), y, C, sets, engine=where, **options)
    counts = count_ranks(
        shards, y, SCORER, test_ranks.SETS, test_ranks.SEEN, engine=where, **options
    )
    return Groups(dict(enumerate(gathered))).arrays() | counts.arrays()


def same(one, other):
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], name)


def test_two_workers_give_the_figures_of_one(shards, tmp_path):
    one = figures(shards, HERE)
    same(figures(shards, TWO, keep=tmp_path / "kept"), one)


def test_the_same_on_a_dask_cluster(shards, tmp_path):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as cluster:
        there = Engine(dask=cluster.scheduler_address)
        one = figures(shards, HERE)
        same(figures(shards, there), one)
        same(figures(shards, there, keep=tmp_path / "kept"), one)


def test_a_cluster_that_does_not_answer_is_told(shards, monkeypatch):
    pytest.importorskip("distributed", reason="Dask is not installed")
    monkeypatch.setattr(engine, "DASK_ANSWERS_IN", "0.2s")
    with pytest.raises(ZSLError, match=r"expected the address of a scheduler that runs; 'tcp"):
        gather(shards, Y, C, engine=Engine(dask="tcp://127.0.0.1:9"))


def test_without_dask_the_extra_is_named(shards, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(ZSLError, match=r"--dask needs Dask .*: .*\[dask\]'"):
        gather(shards, Y, C, engine=Engine(dask="tcp://127.0.0.1:9"))


def test_workers_are_at_least_one():
    with pytest.raises(ParameterError, match="at least 1; got 0"):
        Engine(workers=0)


def counting(monkeypatch):
    """Return a list that gets the number of rows of every piece that is worked on."""
    done, do = [], engine._do

    def noted(work, task, common, **options):
        result = do(work, task, common, **options)
        done.append(task.key)
        return result

    monkeypatch.setattr(engine, "_do", noted)
    return done


def test_who_is_stopped_goes_on_where_he_was(shards, tmp_path, monkeypatch):
    whole, keep = figures(shards, HERE), tmp_path / "kept"
    done = counting(monkeypatch)
    for stop_after in (1, 3, 6, 9):

        def stop(finished, total, stop_after=stop_after):
            if len(done) >= stop_after:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            figures(shards, HERE, keep=keep, on_done=stop)
    same(figures(shards, HERE, keep=keep), whole)
    assert len(done) == len(set(done)) == 2 * len(shards.parts())
    same(figures(shards, HERE, keep=keep), whole)
    assert len(done) == 2 * len(shards.parts())
    assert not [path for path in keep.iterdir() if path.suffix != ".npz"]


def test_a_changed_shard_costs_one_shard(shards, tmp_path, monkeypatch):
    keep = tmp_path / "kept"
    figures(shards, HERE, keep=keep)
    done = counting(monkeypatch)
    A = X.copy()
    A[130, 3] += 1
    changed = written(tmp_path / "changed", A, Y)
    same(figures(changed, HERE, keep=keep), figures(changed, HERE))
    assert len(done) == 2 + 2 * len(shards.parts())  # kept but for one part, then all anew


def test_other_labels_weights_or_sets_are_other_pieces(shards, tmp_path, monkeypatch):
    keep = tmp_path / "kept"
    figures(shards, HERE, keep=keep)
    done = counting(monkeypatch)
    other = Y.copy()
    other[130] = (other[130] + 1) % 17
    figures(shards, HERE, y=other, keep=keep)
    assert len(done) == 2
    sets, seen = test_ranks.SETS, test_ranks.SEEN
    count_ranks(shards, Y, SCORER.astype(np.float32), sets, seen, engine=HERE, keep=keep)
    count_ranks(shards, Y, SCORER, {"near": sets["near"]}, seen, engine=HERE, keep=keep)
    count_ranks(shards, Y, SCORER, sets, seen, ks=(1,), engine=HERE, keep=keep)
    count_ranks(FeatureView(shards, unit=True), Y, SCORER, sets, seen, engine=HERE, keep=keep)
    assert len(done) == 2 + 4 * len(shards.parts())


def test_what_is_kept_and_torn_is_made_again(shards, tmp_path):
    keep = tmp_path / "kept"
    whole = figures(shards, HERE, keep=keep)
    for k, path in enumerate(sorted(keep.iterdir())):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes((b"", bytes(content), content[:100])[k % 3])
    same(figures(shards, HERE, keep=keep), whole)


def test_what_keeps_needs_a_name(shards, tmp_path):
    def local(block):
        return SCORER.scores(block)

    with pytest.raises(ParameterError, match="What is stored needs a name"):
        count_ranks(shards, Y, local, test_ranks.SETS, test_ranks.SEEN, engine=HERE, keep=tmp_path)


def gathered_unless_killed(X, y, common):
    """Gather; the first worker to come is killed, and so is every one where there is no marker."""
    marker = common
    if marker is None:
        os.kill(os.getpid(), signal.SIGKILL)
    try:
        marker.open("x").close()
    except FileExistsError:
        return Groups({1: FullStatistics.of(X, y, C)})
    os.kill(os.getpid(), signal.SIGKILL)
    return None


def test_a_killed_worker_costs_what_he_was_doing(shards, tmp_path):
    work = Work(gathered_unless_killed, tmp_path / "marker", "some", Groups)
    made = over_pieces(work, pieces_of(shards), [Y], engine=TWO)
    found = [groups for _, groups in made]
    assert (tmp_path / "marker").exists()
    assert len(found) == len(shards.parts())
    total = found[0]
    for groups in found[1:]:
        total = total + groups
    (plain,) = gather(shards, Y, C, engine=HERE)
    np.testing.assert_array_equal(total.of[1].counts, plain.counts)
    np.testing.assert_allclose(total.of[1].gram, plain.gram, rtol=1e-12)


def test_workers_that_are_killed_again_and_again_are_told_of(shards, monkeypatch):
    monkeypatch.setattr(engine, "PATIENCE", 1)
    work = Work(gathered_unless_killed, None, "some", Groups)
    with pytest.raises(ZSLError, match="0 of 5 being done; is there enough memory for 2"):
        list(over_pieces(work, pieces_of(shards), [Y], engine=TWO))


def test_workers_that_are_killed_now_and_then_cost_no_patience(shards, monkeypatch):
    """What is finished in between ends a row of failures."""
    turns = iter([0, 1, 0, 1, 0, 1, 0, 2])

    def parallel(work, tasks, engine):
        for task in tasks[: next(turns)]:
            yield engine_do(work.do, task, work.common)
        if len(tasks) > 2:
            raise TerminatedWorkerError

    engine_do = engine._do
    monkeypatch.setattr(engine, "PATIENCE", 2)
    monkeypatch.setattr(engine, "_parallel", parallel)
    work = Work(gathered, None, "some", Groups)
    assert len(list(over_pieces(work, pieces_of(shards), [Y], engine=TWO))) == 5


def gathered(X, y, common):
    return Groups({1: FullStatistics.of(X, y, C)})
