"""Every experiment of ``reproduce --list`` prints a table, here with small settings."""

import json

import numpy as np
import pandas as pd
import pytest

from zslcore.__main__ import main
from zslcore.analysis.papers.experiments.counts import EXAMPLE
from zslcore.analysis.papers.experiments.experiment import COLUMNS, TablePart, cell_row
from zslcore.analysis.papers.experiments.reproducing import (
    EXPERIMENTS,
    NOT_COMPUTED,
    drop_printed_of_other_data,
    reproduce,
)
from zslcore.evaluation.predictions_file import read_predictions
from zslcore.exceptions import ParameterError
from zslcore.results.store import ResultStore

#: One quick row for each experiment that has methods.
QUICK = {
    "gbu:table4": "ESZSL",
    "gbu:figure8": "GFZSL-tran",
    "cal:figure1": "LinearV2S",
    "cal:figure3": "LinearV2S",
    **dict.fromkeys([name for name in EXPERIMENTS if name.startswith("fair:figure")], "CONSE"),
    "fair:table4": "BiDiLEL",
}
#: Experiments on data other than digits.
OF_THEIR_OWN = ("fair:", "gbu:table4", "gbu:table5", "gbu:figure5", "gbu:figure6")
#: Experiments that count classes, and open no data set.
WITHOUT_DATA = ("fair:table2", "fair:table3")


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One data folder, since tables and figures share their runs."""
    return tmp_path_factory.mktemp("reproduced")


@pytest.fixture(autouse=True)
def _own_data(shared, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(shared))


def words_of(name):
    words = ["reproduce", name, "--jobs", "1", "--seeds", "1", "--draws", "2"]
    if EXPERIMENTS[name].methods:
        words += ["--method", QUICK.get(name, "ESZSL")]
    return words if name.startswith(OF_THEIR_OWN) else [*words, "--dataset", "digits"]


def test_all_tables_and_figures_of_the_papers_have_a_name():
    gbu = {*(f"table{k}" for k in range(1, 7)), *(f"figure{k}" for k in range(1, 9))}
    cal, fair = {"table1", "table2", "table3"}, {"table1", "table2", "table3", "table4"}
    cal |= {f"figure{k}" for k in range(1, 4)}
    fair |= {f"figure{k}" for k in range(1, 6)}
    papers = {"gbu": gbu, "cal": cal, "fair": fair}
    every = {f"{paper}:{name}" for paper, names in papers.items() for name in names}
    assert {*EXPERIMENTS, *NOT_COMPUTED} == every
    assert not set(EXPERIMENTS) & set(NOT_COMPUTED)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_prints_the_same_table_as_text_and_json(name, capsys, printed):
    """The text table and the JSON have the same values, one row per cell.

    Values on digits and simulated data are not compared with printed values.
    """
    words = words_of(name)
    assert main(words) == 0
    out, _ = capsys.readouterr()
    assert out.startswith(f"{name} on ")
    rows = json.loads(printed(*words, "--json"))
    assert all(set(row) == set(COLUMNS) for row in rows)
    assert rows
    assert all(row["ours"] is not None for row in rows)
    assert {row["cell"] for row in rows} <= {*out.split("\n\n")[1].split()} | _headings(out)
    if name not in WITHOUT_DATA:
        of_data = [row for row in rows if row["dataset"] != EXAMPLE]
        assert of_data
        assert all(row["printed"] is row["difference"] is None for row in of_data)
        assert name == "cal:figure2" or not {"printed", "diff"} & _headings(out)


def _headings(out):
    """Headings of several words, as in the first line of the table."""
    line = out.split("\n\n")[1].splitlines()[0]
    parts = line.split()
    return {" ".join(parts[i:k]) for i in range(len(parts)) for k in range(i, len(parts) + 1)}


@pytest.mark.parametrize("name", NOT_COMPUTED)
def test_impossible_requests_are_refused_with_a_reason(name, printed):
    err = printed("reproduce", name, status=2)
    assert f"{name} cannot be computed: " in err
    assert err.count("\n") == 1


@pytest.mark.nightly
def test_several_data_sets_make_one_table(capsys, printed):
    words = ["reproduce", "gbu:table3", "--dataset", "digits", "simulated-AWA2", "--jobs", "1"]
    words += ["--method", "ESZSL", "LinearV2S"]
    assert main(words) == 0
    out, _ = capsys.readouterr()
    assert out.startswith("gbu:table3 on digits and simulated-AWA2: ")
    assert "Metrics on simulated data neither support nor contradict the paper." in out
    rows = json.loads(printed(*words, "--json"))
    cells = {(row["dataset"], row["cell"]) for row in rows}
    assert cells == {("digits", "PS"), ("simulated-AWA2", "SS"), ("simulated-AWA2", "PS")}
    assert all(row["printed"] is None for row in rows)
    lines = out.split("\n\n")[1].splitlines()
    assert lines[0].split()[:4] == ["data", "set", "method", "SS"]
    assert [line.split()[0] for line in lines[1:]] == ["digits"] * 3 + ["simulated-AWA2"] * 3


def test_predictions_are_written_for_runs_and_refused_for_other_cells(tmp_path, capsys, printed):
    words = ["reproduce", "gbu:table6", "--method", "ESZSL", "--jobs", "1"]
    assert main([*words, "--predictions", str(tmp_path / "answers")]) == 0
    assert "1 of 1 runs: predictions written to" in capsys.readouterr().err
    (file,) = (tmp_path / "answers").iterdir()
    assert file.stem in {run.key for run in ResultStore().results()}
    assert read_predictions(file).provenance.method == "ESZSL"
    assert "expected cells with stored runs; got none" in printed(
        "reproduce", "fair:table2", "--predictions", str(tmp_path / "none"), status=2
    )


def test_unsupported_options_of_an_experiment_are_refused(printed):
    for words, sentence in (
        (["fair:table2", "--dataset", "digits"], "fair:table2 takes no data set; got digits."),
        (["fair:table2", "--method", "SAE"], "fair:table2 has no rows of methods; got SAE."),
        (
            ["gbu:table5", "--features", "unit"],
            "features: expected none, since gbu:table5 does not scale features; got l2.",
        ),
        (["fair:figure2", "--dataset", "digits"], "expected data with the classes of UCF101"),
        (["fair:figure2", "--dataset", "simulated-UCF101"], "pre-training, as the baseline"),
        (["gbu:figure1", "--draws", "0"], "--draws: expected at least 1; got 0."),
    ):
        assert sentence in printed("reproduce", *words, status=2)


def test_mean_ranks_equal_plain_ranks_and_places_add_up():
    methods = ["ESZSL", "LinearV2S", "SAE"]
    ranks = reproduce("gbu:figure4", ["digits"], methods, jobs=1)
    folds = reproduce("gbu:figure3", ["digits"], methods, jobs=1)
    folds = folds[folds["cell"].isin(["PS 1", "PS 2", "PS 3"])]
    mean = folds.groupby("cell")["ours"].rank(ascending=False).groupby(folds["method"]).mean()
    ours = ranks[ranks["cell"] == "mean rank"].set_index("method")["ours"]
    assert ours.to_dict() == pytest.approx(mean.to_dict())
    places = ranks[ranks["cell"] != "mean rank"]
    assert (places.groupby("method")["ours"].sum() == 3).all()
    assert ranks["printed"].isna().all()


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name not in WITHOUT_DATA])
def test_no_row_of_other_data_has_a_printed_value(name, precomputed):
    """A row may be named after one data set, several data sets, or a set of videos."""
    experiment = EXPERIMENTS[name]
    other_data = ("digits", "simulated-AWA1", "simulated-UCF101")
    rows = ["digits", "UCF101", "simulated-AWA1, AWA1", "digits + simulated-AWA1", ""]
    table = pd.DataFrame([cell_row("x", [0.5], 0.4, dataset=row) for row in rows])
    masked = drop_printed_of_other_data(table, experiment, TablePart(other_data, ()))
    assert masked[["printed", "difference"]].isna().all(axis=None)
    assert masked["ours"].eq(0.5).all()
    example = table.assign(dataset=EXAMPLE)
    unprinted = drop_printed_of_other_data(example, experiment, TablePart(other_data, ()))
    assert bool(unprinted["printed"].notna().all()) is (name == "cal:figure2")
    real = table.assign(dataset="CUB-vgg_fc7")
    unprinted = drop_printed_of_other_data(real, experiment, TablePart(("CUB-vgg_fc7",), ()))
    assert unprinted["printed"].notna().all()


@pytest.mark.parametrize("name", ["cal:figure1", "cal:figure3"])
@pytest.mark.nightly
def test_curves_over_lambda_are_also_measured_on_the_first_validation_split(name):
    test, validation = (reproduce(name, ["digits"], on=on) for on in ("test", "validation"))
    assert len(test) == len(validation)
    assert not np.allclose(test["ours"], validation["ours"])
    assert set(test["key"]).isdisjoint(validation["key"])
    with pytest.raises(ParameterError, match="which only cal:figure1 and cal:figure3 support"):
        reproduce("cal:table2", ["digits"], on="validation")
