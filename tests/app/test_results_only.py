"""Pages on a new data folder: results of the package are shown, and nothing is computed."""

import pytest

from tests.pages import forbid_computing, visit
from ui.state import data_menu, waiting
from zslcore.datasets import imports
from zslcore.evaluation.specs import RunSpec
from zslcore.results.shipped import load_results_only

CUB = "CUB-vgg_fc7"


@pytest.fixture
def fresh(monkeypatch, tmp_path, precomputed):
    """An empty data folder, on which computing is an error."""
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    forbid_computing(monkeypatch)
    return tmp_path


def test_the_drawer_shows_precomputed_results_on_real_features(fresh):
    app = visit("play", dataset=CUB, method="LinearS2V")
    app.session_state["playground_drawer"] = True
    app.run()
    spec = RunSpec(CUB, "PS", "LinearS2V", digest=load_results_only(CUB).digest)
    e = waiting.stored_run(spec).result.evaluation
    assert not app.error
    assert app.dataframe[0].value.iloc[0, 1] == pytest.approx(100 * e.zsl)


def test_an_import_replaces_precomputed_results_of_the_same_name(fresh, monkeypatch):
    """An address with the name then opens the import."""
    assert CUB in data_menu.precomputed_datasets()
    monkeypatch.setattr(imports, "names", lambda: (CUB,))
    assert CUB not in data_menu.precomputed_datasets()
    assert not data_menu.is_precomputed_only(CUB)


def test_without_precomputed_results_no_precomputed_data_set_is_listed(fresh, monkeypatch):
    monkeypatch.setenv("ZSL_SHIPPED", "0")
    assert data_menu.precomputed_datasets() == ()
    assert waiting.stored_run(RunSpec(CUB, "PS", "ESZSL")) is None
