"""Other inputs, a tab of Compare: what was measured on CUB, and one's own data sets."""

from dataclasses import replace

import numpy as np
import pytest

from tests import pages
from tests.pages import words
from ui.figures.embeddings import embedding_intervals
from zslcore.analysis.class_embeddings import compare_embeddings, measured_embeddings
from zslcore.datasets import ZSLDataset, load
from zslcore.datasets.importing import import_dataset
from zslcore.evaluation.runs import execute
from zslcore.evaluation.specs import RunSpec
from zslcore.results.store import ResultStore

PAGE = "methods"


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))


def opened(**asked):
    asked = {"compare_datasets": ["digits"], "compare_methods": ["LinearS2V"]} | asked
    app = pages.visit(PAGE, **asked)
    app.session_state["compare_tab"] = "Other inputs"
    app.run()
    assert not app.exception
    return app


def test_what_was_measured_on_real_features_is_there_at_once():
    app = opened()
    assert app.selectbox(key="compare_images").options == list(measured_embeddings())
    said = words(app)
    assert "the accuracy with attributes is higher in" in said
    table = next(each.value for each in app.dataframe if "embedding" in each.value)
    assert {"attributes", "word2vec", "GloVe", "hierarchy"} == set(table["embedding"])
    app.selectbox(key="compare_reference").set_value("word2vec").run()
    assert "the accuracy with word2vec is higher in" in words(app)
    app.selectbox(key="compare_embedding_figure").set_value("H at γ").run()
    assert not app.exception


def test_data_sets_with_the_same_images_are_compared():
    digits = load("digits")
    noise = ZSLDataset(
        name="noise",
        features=digits.features,
        labels=digits.labels,
        prototypes=np.random.default_rng(0).normal(size=digits.prototypes.shape),
        class_names=digits.class_names,
        splits=list(digits.splits.values()),
    )
    imported = import_dataset(noise)
    for data in (digits, imported):
        spec = RunSpec(data.name, "PS", "LinearS2V", digest=data.digest)
        for task in ("zsl", "gzsl"):
            ResultStore().put(execute(replace(spec, select_for=task), data, with_oracle=False))
    app = opened(compare_datasets=["digits", "noise"])
    assert app.selectbox(key="compare_images").value == "digits and noise, PS"
    assert "the accuracy with digits is" in words(app)
    table = next(each.value for each in app.dataframe if "embedding" in each.value)
    assert list(table["embedding"]) == ["digits", "noise"]


def test_the_figure_has_a_mark_for_every_method_and_embedding():
    compared = compare_embeddings(measured_embeddings()["CUB, VGG fc7"], n_draws=20)
    figure = embedding_intervals(compared, "ZSL")
    assert [trace.name for trace in figure.data] == ["attributes", "word2vec", "GloVe", "hierarchy"]
    marks = [(trace.marker.symbol, trace.marker.color) for trace in figure.data]
    assert len({symbol for symbol, _ in marks}) == len({color for _, color in marks}) == 4
    methods = compared["method"].nunique()
    assert all(len(trace.x) == methods for trace in figure.data)
    assert max(figure.data[0].x) > max(figure.data[3].x)
    assert "γ" in embedding_intervals(compared, "H at gamma").layout.xaxis.title.text
