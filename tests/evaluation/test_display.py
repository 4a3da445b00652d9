"""Short texts, notebook tables and data frames of data sets, splits, curves and results."""

from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.worlds import linear_world
from zslcore import audit, evaluate, fit_and_score, get_method, load, select
from zslcore.datasets import ZSLDataset
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec

WORLD = linear_world(noise=1.0)
SPLIT = WORLD.split("PS")


@pytest.fixture(scope="module")
def objects():
    chosen = select(get_method("ESZSL")(), WORLD, SPLIT)
    scores = fit_and_score(get_method("ESZSL")(**chosen.params), WORLD, SPLIT)
    return {
        "dataset": WORLD,
        "split": SPLIT,
        "selection": chosen,
        "curve": scores.curve,
        "evaluation": evaluate(scores, chosen.gamma),
        "report": audit(WORLD, split="PS"),
        "result": run(RunSpec(WORLD.name, "PS", "ESZSL"), WORLD, with_oracle=False).result,
    }


class Tags(HTMLParser):
    """The elements of a page."""

    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)


KINDS = ["dataset", "split", "selection", "curve", "evaluation", "result", "report"]


@pytest.mark.parametrize("kind", KINDS)
def test_objects_have_a_one_line_text_a_data_frame_and_a_notebook_table(objects, kind):
    shown = objects[kind]
    assert repr(shown).startswith(f"<{type(shown).__name__}")
    assert len(repr(shown)) < 240
    assert "\n" not in repr(shown)
    assert "array(" not in repr(shown)
    assert isinstance(shown.to_frame(), pd.DataFrame)
    assert len(shown.to_frame())
    if kind != "curve":  # a curve is shown as a figure
        page = Tags()
        page.feed(shown._repr_html_())
        assert "table" in page.tags


def test_digits_are_described_in_one_line():
    assert repr(load("digits")) == (
        "<ZSLDataset digits: 1,797 images x 64 features; 10 classes x 31 attributes; split PS>"
    )
    assert repr(load("digits").split("PS")) == (
        "<Split PS: 7 seen and 3 unseen classes; 1,012 trainval, 252 test_seen, 533 test_unseen "
        "rows; 3 folds>"
    )
    assert repr(load("digits").split("PS").folds[0]).endswith("validation rows>")
    assert "(simulated)" in repr(replace(WORLD, simulated=True))


def test_the_frame_of_a_data_set_has_one_row_per_image():
    leaky = replace(SPLIT, test_seen=SPLIT.trainval[:2], name="leaky")
    data = replace(WORLD, splits=[SPLIT, leaky])
    table = data.to_frame()
    assert len(table) == len(WORLD.labels)
    assert table["class"].iloc[3] == WORLD.class_names[WORLD.labels[3]]
    for part in ("trainval", "test_seen", "test_unseen"):
        rows = np.flatnonzero(table["PS"] == part)
        np.testing.assert_array_equal(rows, getattr(SPLIT, part))
    both = np.flatnonzero(table["leaky"] == "trainval + test_seen")
    np.testing.assert_array_equal(both, SPLIT.trainval[:2])
    values = data.to_frame(features=True).filter(like="feature ")
    np.testing.assert_array_equal(values, WORLD.features)


def test_the_frame_of_a_split_has_one_row_per_image_and_part_with_its_folds():
    table = SPLIT.to_frame()
    assert len(table) == sum(
        len(getattr(SPLIT, p)) for p in ("trainval", "test_seen", "test_unseen")
    )
    for k, fold in enumerate(SPLIT.folds, start=1):
        for part in ("train", "val"):
            rows = np.sort(table.loc[table[f"fold {k}"] == part, "row"])
            np.testing.assert_array_equal(rows, np.sort(getattr(fold, part)))


def test_frames_of_curves_and_results_have_their_numbers(objects):
    curve, metrics, result = (objects[kind] for kind in ("curve", "evaluation", "result"))
    np.testing.assert_array_equal(curve.to_frame()["harmonic"], curve.harmonic)
    values = metrics.to_frame().set_index("metric")["value"]
    assert values["zsl"] == metrics.zsl
    assert f"ZSL {metrics.zsl:.3f}" in repr(metrics)
    assert f"H {metrics.calibrated.harmonic:.3f} at gamma" in repr(metrics)
    assert result.to_frame().loc[0, "method"] == "ESZSL"
    assert f"{curve.ausuc:.3f}" in repr(curve)


def test_names_are_escaped_in_a_notebook():
    named = replace(WORLD, name="<img src=x onerror=alert(1)>")
    page = Tags()
    page.feed(named._repr_html_())
    assert "img" not in page.tags


def test_a_pipeline_equals_its_steps():
    y = np.searchsorted(SPLIT.seen_classes, WORLD.labels[SPLIT.trainval])
    X, S = np.asarray(WORLD.features), WORLD.prototypes
    with sklearn.config_context(enable_metadata_routing=True):
        method = get_method("ESZSL")()
        method.set_fit_request(prototypes=True).set_predict_request(prototypes=True)
        pipeline = clone(make_pipeline(StandardScaler(), method))
        pipeline.fit(X[SPLIT.trainval], y, prototypes=S[SPLIT.seen_classes])
        predicted = pipeline.predict(X[SPLIT.test_unseen], prototypes=S[SPLIT.unseen_classes])
    scaler = StandardScaler().fit(X[SPLIT.trainval])
    alone = get_method("ESZSL")()
    alone.fit(scaler.transform(X[SPLIT.trainval]), y, S[SPLIT.seen_classes])
    expected = alone.predict(scaler.transform(X[SPLIT.test_unseen]), S[SPLIT.unseen_classes])
    np.testing.assert_array_equal(predicted, expected)
    assert len(set(predicted)) > 1


def test_a_data_set_without_a_split_is_described():
    bare = ZSLDataset("bare", WORLD.features, WORLD.labels, WORLD.prototypes, WORLD.class_names)
    assert "splits none" in repr(bare)
    assert list(bare.to_frame()) == ["class"]
    assert bare._repr_html_()
