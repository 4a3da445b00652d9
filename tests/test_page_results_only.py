"""Pages on a fresh data folder: what comes with the package is there, and nothing is computed."""

import pytest

from tests.pages import forbid_computing, visit, words
from ui import known
from zslcore.datasets import imports
from zslcore.evaluation.specs import RunSpec
from zslcore.results.results_only import load_results_only

CUB = "CUB-vgg_fc7"


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """A data folder with nothing in it, and nothing may be computed."""
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    monkeypatch.setenv("ZSL_SHIPPED", "1")
    forbid_computing(monkeypatch)
    return tmp_path


def test_the_drawer_of_real_features_is_there(fresh):
    app = visit("play", dataset=CUB, method="LinearS2V")
    app.session_state["playground_drawer"] = True
    app.run()
    spec = RunSpec(CUB, "PS", "LinearS2V", digest=load_results_only(CUB).digest)
    e = known.known_run(spec).result.evaluation
    assert not app.error
    assert app.dataframe[0].value.iloc[0, 1] == pytest.approx(100 * e.zsl)


def test_an_import_of_the_same_name_takes_the_place(fresh, monkeypatch):
    """And an address of before means it, too."""
    assert CUB in known.names()
    monkeypatch.setattr(imports, "names", lambda: (CUB,))
    assert CUB not in known.names()
    assert not known.is_known_by_results(CUB)


def test_without_shipped_results_nothing_is_listed(fresh, monkeypatch):
    monkeypatch.setenv("ZSL_SHIPPED", "0")
    assert known.names() == ()
    assert known.known_run(RunSpec(CUB, "PS", "ESZSL")) is None


@pytest.mark.parametrize("tab", ["Robustness", "Ranks", "Curves", "Crops", "As printed"])
def test_comparisons_come_from_results(fresh, tab):
    app = visit("methods")
    assert app.multiselect[0].value == list(known.names())
    app.session_state["compare_tab"] = tab
    app.run()
    assert not app.exception
    assert not app.error
    assert "come with the package" in words(app)
    assert "Run them" not in [button.label for button in app.button]


def test_features_are_compared_without_features(fresh):
    """AWA1's two hand-crafted features, from shipped results alone."""
    app = visit("methods")
    app.session_state["compare_tab"] = "Other inputs"
    app.run()
    assert not app.exception
    assert not app.error
    assert app.selectbox(key="compare_images").value == "AWA1-lss and AWA1-phog, PS"
    table = next(each.value for each in app.dataframe if "embedding" in each.value)
    phog = table[table["embedding"] == "AWA1-phog"]
    assert len(phog) >= 15
    assert (phog["difference"] < 0).all()  # every method does better with self-similarity
    assert "AWA1-phog minus AWA1-lss, mean of" in words(app).replace("\\", "")


def test_classes_without_prototypes_are_compared_by_their_images(fresh):
    app = visit("methods")
    app.session_state["compare_tab"] = "Which classes"
    app.run()
    assert not app.exception
    assert not app.error
    (table,) = (each.value for each in app.dataframe if "accuracy" in each.value)
    assert len(table) == 10 * table["method"].nunique() >= 150
    assert table["accuracy"].between(0, 100).all()  # in percent, as the screen shows it
    assert not {"distance", "nearest"} & set(table)
    assert "need their prototypes: import the features" in words(app)
