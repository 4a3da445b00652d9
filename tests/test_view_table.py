"""The table of methods on screen: every method on CUB and AWA1, a result, filters, exports."""

import pandas as pd
import pytest

from tests.pages import visit, words
from ui.exports import Look, as_latex, as_markdown
from zslcore.analysis.method_table import inductive_rows
from zslcore.datasets import load
from zslcore.evaluation.runs import execute
from zslcore.evaluation.specs import RunSpec
from zslcore.results.shipped import shipped_results
from zslcore.results.store import ResultStore


@pytest.fixture(autouse=True)
def empty(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    monkeypatch.setenv("ZSL_SHIPPED", "1")
    return tmp_path


def shown(app):
    """The table of methods."""
    return next(each.value for each in app.dataframe if each.value.columns.nlevels == 2)


def test_a_fresh_folder_shows_every_inductive_method_on_cub_and_awa1():
    app = visit("table")
    table = shown(app)
    assert list(table.index) != sorted(table.index)
    assert set(inductive_rows()) <= set(table.index)
    for data in ("CUB birds, VGG", "AWA1, hand-crafted", "AWA1, hand-crafted (PHOG)"):
        figures = table[data].iloc[:, 0]
        assert figures.notna().all()
        assert f"**{data}**" in words(app).replace("\\", "")
    first = table["CUB birds, VGG"].iloc[:, 0]
    assert first.is_monotonic_decreasing
    results = {(r.spec.dataset, r.spec.method, r.spec.select_for): r for r in shipped_results()}
    ale = results["CUB-vgg_fc7", "ALE", "gzsl"]
    assert first["ALE"] == pytest.approx(100 * ale.evaluation.calibrated.harmonic)
    assert "printed" in " ".join(map(str, table.columns))


def test_a_cell_that_is_chosen_shows_its_points_figures_and_command():
    app = visit("table", table_result="ESZSL · CUB-vgg_fc7")
    assert {"H at γ", "ZSL accuracy"} <= {each.label for each in app.metric}
    assert any("--dataset CUB-vgg_fc7" in code.value for code in app.code)
    assert "Shipped with the package" in words(app)


def test_missing_cells_say_what_is_missing_and_how_to_get_it():
    app = visit("table", table_split="SS", table_metric="ZSL")
    said = words(app)
    assert "cells are missing" in said
    assert "Computing takes about" in said
    assert shown(app)["AWA1, hand-crafted (PHOG)"].iloc[:, 0].isna().any()


def test_an_own_run_comes_before_shipped_results_and_is_marked(empty):
    spec = RunSpec("digits", "PS", "LinearS2V", grid={"lam": (0.1,)})
    ResultStore(empty / "runs.sqlite").put(execute(spec, load("digits"), with_oracle=False))
    app = visit("table", table_whose=["mine"], table_columns=["Digits"])
    table = shown(app)
    assert table["Digits"].loc["LinearS2V"].notna().all()
    assert table["Digits"].iloc[:, 0].notna().sum() == 1
    assert "cells are missing" in words(app)
    assert [each.label for each in app.button if each.key == "table_missing"] == [
        f"Compute {len(inductive_rows()) - 1} on digits"
    ]


def test_nothing_chosen_is_one_sentence():
    app = visit("table", table_whose=["mine"])
    assert "No result has all of these" in words(app)


def test_the_best_of_every_data_set_is_bold_and_the_table_can_be_referred_to():
    table = pd.DataFrame({"method": ["A", "B_1"], "CUB": [0.25, 0.5], "rank": ["2", "1"]})
    labels = {"method": "method", "CUB": "CUB", "rank": "rank"}
    look = Look(labels, percent=["CUB"], best=["CUB"])
    latex = as_latex(table, "H of methods", look, "tab:methods")
    assert r"B\_1 & \textbf{50.0} & 1 \\" in latex
    assert r"A & 25.0 & 2 \\" in latex
    assert r"\label{tab:methods}" in latex
    assert "| A | 25.0 | 2 |" in as_markdown(table, look)
    assert "| **50.0** |" in as_markdown(table, look)
