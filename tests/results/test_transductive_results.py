"""The comparisons of the benchmark are kept as they come."""

import sys

import pandas as pd
import pytest

from benchmarks import measuring, transductive

ROW = {"zsl": 0.5, "plain_harmonic": 0.25, "calibrated_harmonic": 0.4, "ausuc": 0.3, "seconds": 1.0}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the benchmark on the simulated data set; return what it compared."""
    monkeypatch.setattr(measuring, "RESULTS", tmp_path)

    def run(*options, breaks_at=None):
        compared = []

        def compare(folder, name, row):
            if row == breaks_at:
                raise KeyboardInterrupt
            compared.append(row)
            both = [ROW | {"kind": "inductive"}, ROW | {"kind": "transductive", "zsl": 0.625}]
            return pd.DataFrame(both).assign(dataset=name, comparison=row)

        monkeypatch.setattr(transductive, "compare", compare)
        monkeypatch.setattr(
            sys, "argv", ["transductive", "--only", "simulated-AWA2", "--jobs", "1", *options]
        )
        transductive.main()
        return compared

    return run


def test_what_is_finished_is_not_compared_again(run, tmp_path):
    names = list(transductive.METHODS)
    with pytest.raises(KeyboardInterrupt):
        run(breaks_at=names[2])
    assert run() == names[2:]
    assert run() == []
    assert run("--again") == names
    text = (tmp_path / "transductive.md").read_text()
    assert text.count("| 50.0 → 62.5 | 25.0 → 25.0 | 40.0 → 40.0 | 30.0 → 30.0 |") == len(names)
