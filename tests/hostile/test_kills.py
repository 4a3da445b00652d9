"""After a kill, everything acknowledged is stored, and everything visible is complete."""

import multiprocessing
import random
import time
from dataclasses import replace

import pytest

from tests.hostile.making import honest
from zslcore.datasets import import_dataset, imports
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.jobs import upkeep
from zslcore.results.store import ResultStore


def write_results(path, say, start):
    store, result = ResultStore(), run(RunSpec("digits", "PS", "ESZSL"), with_oracle=False).result
    for n in range(10_000):
        spec = replace(result.spec, seed=10_000 * start + n)
        store.put(replace(result, spec=spec, key=spec.key))
        say(spec.key)


def results_there():
    store = ResultStore()
    runs = store.stored()
    assert store.unreadable(runs) == ""
    return {item.result.key for item in runs}


def import_files(path, say, start):
    for n in range(1000):
        import_dataset(path, name=f"mine{start}.{n}")
        say(f"mine{start}.{n}")


def imports_there():
    return {name for name in imports.names() if imports.open_import(name).n_classes}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("work", "stored_rows"), [(write_results, results_there), (import_files, imports_there)]
)
def test_a_kill_loses_no_acknowledged_result(own_data, work, stored_rows, tmp_path):
    path, fork = honest(tmp_path / "honest")["npz"], multiprocessing.get_context("fork")
    import_dataset(path, name="first")  # imports the modules of the workers
    acknowledged, rng = set(), random.Random(0)
    for n in range(5):
        receiver, messages = fork.Pipe(duplex=False)
        child = fork.Process(target=work, args=(path, messages.send, n))
        child.start()
        messages.close()
        acknowledged.add(receiver.recv())
        time.sleep(rng.uniform(0, 0.3))
        child.kill()
        child.join()
        while receiver.poll():
            try:
                acknowledged.add(receiver.recv())
            except EOFError:
                break
        assert acknowledged <= stored_rows()
    upkeep.sweep_leftovers()
    assert [
        finding
        for finding in upkeep.examine()
        if not finding.is_ok and finding.subject != "disk space"
    ] == []
