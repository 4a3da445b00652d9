"""The commands give the same on a Dask cluster that shares the data folder."""

import json

import pytest

from zslcore.__main__ import main


@pytest.fixture(scope="module")
def address():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def printed(tmp_path, monkeypatch, capsys):
    """Return what a command prints, in a data folder of its own."""

    def run(*words):
        monkeypatch.setenv("ZSL_DATA", str(tmp_path / str(len(list(tmp_path.iterdir())))))
        assert main(list(words)) == 0
        return json.loads(capsys.readouterr().out)

    return run


def test_run(printed, address):
    words = ["run", "--method", "LinearS2V", "--no-oracle", "--json"]
    here, there = printed(*words), printed(*words, "--dask", address)
    assert here["evaluation"] == there["evaluation"]
    assert here["params"] == there["params"]


def test_compare(printed, address):
    words = ["compare", "--method", "LinearS2V", "ESZSL", "--json"]
    here, there = printed(*words, "--jobs", "1"), printed(*words, "--dask", address)
    for row in [*here, *there]:
        del row["seconds"]
    assert here == there


def test_reproduce(printed, address):
    words = ["reproduce", "gbu:table3", "--method", "ESZSL", "--seeds", "1", "--json"]
    assert printed(*words, "--jobs", "1") == printed(*words, "--dask", address)


def test_an_address_that_does_not_answer_is_told(monkeypatch, capsys):
    pytest.importorskip("distributed", reason="Dask is not installed")
    monkeypatch.setattr("zslcore.large.engine.DASK_ANSWERS_IN", "0.2s")
    words = ["run", "--method", "LinearS2V", "--no-store", "--dask", "tcp://127.0.0.1:9"]
    assert main(words) == 2
    assert "--dask: expected the address of a scheduler" in capsys.readouterr().err
