"""Crops, a tab of Compare: the printed table, and two data sets made of one crop and of ten."""

import re
from dataclasses import replace

import pytest

from tests import pages
from tests.extraction.making import write_folder
from tests.pages import words
from zslcore.__main__ import main
from zslcore.analysis.crops import crop_pairs, crops_of, printed_crops
from zslcore.datasets import ZSLDataset, load
from zslcore.datasets.facts import published
from zslcore.evaluation.runs import execute
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import ZSLError
from zslcore.extraction.encoder import torchvision
from zslcore.results.store import ResultStore

PAGE = "methods"
ANIMALS = ("bat", "cow", "deer", "fox", "goat", "otter", "seal", "zebra")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A data folder with the same images under one crop and under ten, and runs on both."""
    try:
        torchvision()
    except ZSLError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("crops")
    images = write_folder(folder / "images", each=3, classes=ANIMALS)
    side = folder / "attributes.csv"
    rows = [f"{name},{k % 2},{k // 2 % 2},{k // 4}" for k, name in enumerate(ANIMALS)]
    side.write_text("class,striped,big,swims\n" + "\n".join(rows) + "\n")
    words = ["extract", str(images), "--encoder", "resnet18", "--weights", "random"]
    words += ["--resize", "40", "--crop", "32", "--workers", "0"]
    words += ["--attributes", str(side), "--unseen", "seal", "zebra"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSL_DATA", str(folder / "data"))
        for name, crops in (("one", "1"), ("ten", "10")):
            file = str(folder / f"{name}.npz")
            assert main([*words, "--crops", crops, "--name", name, "--output", file]) == 0
            data = load(name)
            spec = RunSpec(name, next(iter(data.splits)), "LinearS2V", digest=data.digest)
            made = execute(replace(spec, select_for="zsl"), data, with_oracle=False)
            ResultStore().put(made)
    return folder / "data"


@pytest.fixture
def opened(folder, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(folder))

    def visit(*names):
        app = pages.visit(PAGE, compare_datasets=list(names), compare_methods=["LinearS2V"])
        app.session_state["compare_tab"] = "Crops"
        app.run()
        assert not app.exception
        return app

    return visit


def table_of(app):
    return next(each.value for each in app.dataframe if "printed 10 per class" in each.value)


def test_data_sets_of_one_recipe_are_a_pair(opened):
    data = {name: load(name) for name in ("digits", "ten", "one")}
    assert crop_pairs(data) == [("one", "ten")]
    assert crops_of(data["digits"]) is None
    recipe, crops = crops_of(data["ten"])
    assert crops == 10
    assert "encoder resnet18" in recipe
    assert "zslcore" not in recipe  # another version of the package makes no other features


def changed(data, **changes):
    kept = ("name", "features", "labels", "prototypes", "class_names", "source")
    given = {name: getattr(data, name) for name in kept} | {"splits": list(data.splits.values())}
    return ZSLDataset(**given | changes)


def test_whatever_else_differs_makes_no_pair(opened):
    one, ten = load("one"), load("ten")
    assert crop_pairs({"one": one, "ten": changed(ten)}) == [("one", "ten")]
    others = {
        "labels": changed(ten, labels=ten.labels[::-1].copy(), splits=[]),
        "prototypes": changed(ten, prototypes=ten.prototypes[::-1].copy()),
        "splits": changed(ten, splits=[]),
        "weights": changed(ten, source=ten.source.replace("SHA-256 ", "SHA-256 0")),
        "size": changed(ten, source=ten.source.replace("shorter side 40", "shorter side 48")),
        "crops": changed(ten, source=one.source),
    }
    for what, other in others.items():
        assert crop_pairs({"one": one, "other": other}) == [], what


def test_ours_stand_beside_the_printed_figures(opened):
    app = opened("one", "ten")
    app.selectbox(key="compare_crops_figure").set_value("ZSL").run()
    assert not app.exception
    row = table_of(app).set_index("method").loc["LinearS2V"]
    kept = {result.spec.dataset: result.evaluation for result in ResultStore().results()}
    for name, crops in (("one", 1), ("ten", 10)):
        assert row[f"{crops} per class"] == pytest.approx(100 * kept[name].zsl)
        assert row[f"{crops} per sample"] == pytest.approx(100 * kept[name].zsl_per_sample)
    assert row["gain"] == pytest.approx(row["10 per class"] - row["1 per class"])
    app.selectbox(key="compare_crops_figure").set_value("H at γ").run()
    assert "10 per class" not in table_of(app)
    assert "Choose “Parameters for: GZSL” above" in words(app)


def test_without_a_pair_the_page_says_how_to_make_one(opened):
    app = opened("digits")
    assert len(table_of(app)) == 8
    assert "differ in their crops alone" in words(app)
    commands = next(code.value for code in app.code if "--crops 10" in code.value)
    assert re.findall(r"--crops (\d+)", commands) == ["1", "10"]


def test_printed_figures_are_those_of_the_paper():
    for benchmark in ("CUB", "AWA2"):
        zsl, h = (printed_crops(benchmark, figure) for figure in ("ZSL", "H at gamma"))
        ten = published("calibration_10crop").set_index(["dataset", "method"]).loc[benchmark]
        assert list(zsl["10 per sample"]) == list(ten["zsl_per_sample"])
        assert list(h["10 per class"]) == list(ten["harmonic_per_class"])
        for table in (zsl, h):
            assert table["1 per class"].notna().all()
    assert printed_crops("CUB", "ZSL").set_index("method").loc["ALE", "1 per class"] == 0.540
