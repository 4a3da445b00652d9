"""Class embeddings compared: the same images, other prototypes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from benchmarks import class_embeddings as benchmark
from zslcore.analysis.comparison import (
    COLUMNS,
    compare_embeddings,
    in_a_sentence,
    per_class,
)
from zslcore.datasets import ZSLDataset, load
from zslcore.evaluation.runs import execute
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import DatasetError, UnknownNameError

DIGITS = load("digits")


def with_prototypes(name, prototypes, **changes):
    told = {
        "features": DIGITS.features,
        "labels": DIGITS.labels,
        "class_names": DIGITS.class_names,
        "splits": list(DIGITS.splits.values()),
    }
    return ZSLDataset(name=name, prototypes=prototypes, **told | changes)


RNG = np.random.default_rng(0)
NOISE = with_prototypes("noise", RNG.normal(size=DIGITS.prototypes.shape))


@pytest.fixture(scope="module")
def runs():
    def of(data):
        given = RunSpec(data.name, "PS", "LinearS2V", {"lam": 0.1}, digest=data.digest)
        specs = [replace(given, select_for=task) for task in ("zsl", "gzsl")]
        return [execute(spec, data, with_oracle=False) for spec in specs]

    return {"attributes": of(DIGITS), "noise": of(NOISE)}


def table_of(differences, n_seen=0):
    """Return accuracies of one method, ``differences`` above those of the reference."""
    rng = np.random.default_rng(1)
    base = rng.uniform(0.2, 0.6, len(differences))
    rows = []
    for embedding, add in (("one", 0.0), ("other", np.asarray(differences))):
        for k, value in enumerate(base + add):
            role = "seen" if k < n_seen else "unseen"
            zsl = np.nan if role == "seen" else value
            rows.append((embedding, "M", f"class {k}", role, zsl, value if n_seen else np.nan))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def test_figures_are_those_of_the_runs(runs):
    compared = compare_embeddings(per_class(runs)).set_index(["figure", "embedding"])
    for embedding, (zsl, gzsl) in runs.items():
        assert compared.loc[("ZSL", embedding), "value"] == pytest.approx(zsl.evaluation.zsl)
        harmonic = gzsl.evaluation.calibrated.harmonic
        assert compared.loc[("H at gamma", embedding), "value"] == pytest.approx(harmonic)
    one, other = compared.loc["ZSL", "value"]
    assert compared.loc[("ZSL", "noise"), "difference"] == pytest.approx(other - one)
    assert np.isnan(compared.loc[("ZSL", "attributes"), "difference"])


def test_a_steady_difference_is_found_and_has_a_narrow_interval():
    steady = 0.1 + 0.01 * np.random.default_rng(2).normal(size=40)
    (row,) = compare_embeddings(table_of(steady)).dropna(subset=["difference"]).to_dict("records")
    assert row["difference"] == pytest.approx(steady.mean())
    assert 0.09 < row["difference_low"] < row["difference_high"] < 0.11
    # Each figure alone is far less sure: what makes a class hard for both cancels.
    assert row["high"] - row["low"] > 3 * (row["difference_high"] - row["difference_low"])
    assert row["p_holm"] < 1e-6


def test_no_difference_is_not_told_apart():
    nothing = 0.1 * np.random.default_rng(3).normal(size=40)
    compared = compare_embeddings(table_of(nothing - nothing.mean()))
    (row,) = compared.dropna(subset=["difference"]).to_dict("records")
    assert row["difference_low"] < 0 < row["difference_high"]
    assert (
        "higher in 0 of 1 comparisons, lower in 0, and not significantly different in 1"
        in in_a_sentence(compared, "one")
    )


def test_the_reference_may_be_any_and_turns_the_sign():
    table = table_of(np.full(20, 0.1) + 0.01 * np.random.default_rng(4).normal(size=20), n_seen=8)
    there, back = compare_embeddings(table, "one"), compare_embeddings(table, "other")
    differences = [each.dropna(subset=["difference"])["difference"] for each in (there, back)]
    np.testing.assert_allclose(differences[0], -differences[1].to_numpy())
    assert "lower in 1," in in_a_sentence(there, "one")
    assert "higher in 1 of 1" in in_a_sentence(back, "other")


def test_what_cannot_be_compared_is_refused():
    table = table_of(np.zeros(5))
    with pytest.raises(UnknownNameError, match="did you mean 'other'"):
        compare_embeddings(table, "othr")
    with pytest.raises(DatasetError, match="the same classes under every embedding"):
        compare_embeddings(table.iloc[:-1])
    assert compare_embeddings(table[table["embedding"] == "one"])["difference"].isna().all()


# --- Data sets ------------------------------------------------------------------------------------


def test_the_benchmark_writes_a_table(runs, monkeypatch, tmp_path):
    monkeypatch.setattr("benchmarks.measuring.RESULTS", tmp_path)
    benchmark.write({"digits": per_class(runs)})
    assert "| LinearS2V | noise |" in (tmp_path / "class_embeddings.md").read_text()
