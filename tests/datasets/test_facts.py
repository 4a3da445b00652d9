import re

import numpy as np
import pandas as pd
import pytest
from scipy.io import loadmat

from zslcore.datasets.facts import (
    benchmark_of,
    class_facts,
    published,
    published_tables,
    standard_test_classes,
)
from zslcore.exceptions import UnknownNameError
from zslcore.files import FACTS

BENCHMARKS = ("AWA1", "AWA2", "CUB", "SUN", "aPY")


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_totals_agree_with_the_published_statistics(benchmark):
    facts, t = class_facts(benchmark), class_facts(benchmark).classes
    printed = published("dataset_statistics").set_index("dataset").loc[benchmark]
    unseen = t["ps"] == "test"
    ours = {
        "attributes": facts.attributes,
        "classes": len(t),
        "train_classes": (t["fold1"] == "train").sum(),
        "val_classes": (t["fold1"] == "val").sum(),
        "test_classes": unseen.sum(),
        "images": t["images"].sum(),
        "ss_train_images": t["images"][t["ss"] == "train"].sum(),
        "ss_test_unseen_images": t["images"][t["ss"] == "test"].sum(),
        "ps_trainval_images": (t["images"] - t["test_seen"])[~unseen].sum(),
        "ps_test_seen_images": t["test_seen"].sum(),
        "ps_test_unseen_images": t["images"][unseen].sum(),
    }
    assert ours == printed[list(ours)].to_dict()


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_every_fold_parts_the_seen_classes_and_no_others(benchmark):
    t = class_facts(benchmark).classes
    seen = t["ps"] == "trainval"
    assert t["class"].is_unique
    for fold in ("fold1", "fold2", "fold3"):
        assert set(t[fold][seen]) == {"train", "val"}
        assert set(t[fold][~seen]) == {""}
        assert (t[fold] == "val").sum() == (t["fold1"] == "val").sum()


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_known_overlaps_are_test_classes_of_ss_and_none_is_one_of_ps(benchmark):
    t = class_facts(benchmark).classes
    printed = published("overlap_imagenet1k_ss").query("dataset == @benchmark")["class"]
    listed = t[t["imagenet1k"] == "published"]
    assert len(listed) == len(printed)
    # SUN parts planetarium, tent and market by indoor and outdoor.
    assert all(any(name.startswith(word) for name in listed["class"]) for word in printed)
    assert set(listed["ss"]) == {"test"}
    assert set(t["imagenet1k"][t["ps"] == "test"]) == {""}
    assert set(t["imagenet1k"][t["ss"] == "test"]) <= {"", "published"}


def test_awa1_and_awa2_have_the_same_classes_and_splits():
    one, two = (class_facts(name).classes for name in ("AWA1", "AWA2"))
    counts = ["images", "test_seen"]
    pd.testing.assert_frame_equal(one.drop(columns=counts), two.drop(columns=counts))
    assert (one["images"] != two["images"]).any()


@pytest.mark.parametrize(
    ("benchmark", "labelled"),
    [("AWA1", "phog.mat"), ("AWA2", "labels.mat"), ("CUB", "vgg_fc7.mat"), ("SUN", "labels.mat")],
)
def test_counts_and_lists_are_those_of_the_benchmark(shared, benchmark, labelled):
    folder, t = shared / "data" / "xlsa17" / benchmark, class_facts(benchmark).classes
    splits = loadmat(folder / "att_splits.mat")
    y = loadmat(folder / labelled, variable_names=["labels"])["labels"].ravel().astype(int) - 1
    rows = lambda name: splits[name].ravel().astype(int) - 1  # noqa: E731
    count = lambda part: np.bincount(part, minlength=len(t))  # noqa: E731
    assert count(y).tolist() == t["images"].tolist()
    assert count(y[rows("test_seen_loc")]).tolist() == t["test_seen"].tolist()
    assert set(y[rows("test_unseen_loc")]) == set(np.flatnonzero(t["ps"] == "test"))
    names = [_plain(str(np.ravel(name)[0])) for name in splits["allclasses_names"].ravel()]
    assert names == t["class"].tolist()


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_folds_are_those_of_the_benchmark(shared, benchmark):
    folder = shared / "data" / "xlsa17" / benchmark.replace("aPY", "APY") / "proposed_split"
    t = class_facts(benchmark).classes
    for k in (1, 2, 3):
        listed = (folder / f"valclasses{k}.txt").read_text(encoding="utf-8").split()
        assert {_plain(name) for name in listed} == set(t["class"][t[f"fold{k}"] == "val"])


def _plain(name):
    return re.sub(r"^\d+\.", "", name).replace("+", " ").replace("_", " ")


@pytest.mark.parametrize("name", published_tables())
def test_printed_tables_come_as_fractions(name):
    printed = pd.read_csv(FACTS / "published" / f"{name}.csv")
    table = published(name)
    assert len(table) == len(printed) > 0
    for column in printed.columns[printed.columns.str.endswith("_percent")]:
        assert table[column.removesuffix("_percent")].abs().max() <= 1
        np.testing.assert_allclose(
            table[column.removesuffix("_percent")] * 100, printed[column], rtol=1e-12
        )
    assert not any(column.endswith("_percent") for column in table)


def test_every_printed_table_and_class_column_is_explained():
    readme = (FACTS / "README.md").read_text(encoding="utf-8")
    columns = class_facts("CUB").classes.columns
    missing = [name for name in (*published_tables(), *columns) if f"`{name}`" not in readme]
    assert not missing


def test_cells_of_printed_tables_are_as_in_the_papers():
    zsl = published("zsl_top1").set_index(["method", "dataset", "split"])["top1_per_class"]
    assert zsl["ESZSL", "AWA2", "PS"] == pytest.approx(0.586)
    gzsl = published("calibration_gzsl_harmonic").query("method == 'LinearS2V'")
    best = gzsl.query("dataset == 'AWA2' and lambda_selected_for == 'gzsl'")["harmonic"]
    assert best.item() == pytest.approx(0.640)


def test_misspelt_names_are_pointed_to_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'AWA2'"):
        class_facts("awa2")
    with pytest.raises(UnknownNameError, match="Did you mean 'gzsl_ps'"):
        published("gzsl-ps")


@pytest.mark.parametrize(
    ("name", "classes", "expected"),
    [
        ("AWA2", 50, "AWA2"),
        ("awa1-vgg_fc7", 50, "AWA1"),
        ("simulated-AWA2-full", 50, "AWA2"),
        ("AWA2", 49, None),
        ("sun", 3, None),
        ("mine", 50, None),
    ],
)
def test_a_benchmark_is_known_by_its_name_and_its_number_of_classes(name, classes, expected):
    assert benchmark_of(name, classes) == expected


def test_the_standard_split_is_known_for_a_benchmark_in_any_order_and_spelling():
    classes = class_facts("CUB").classes
    names = [f"{k:03d}.{name.replace(' ', '_')}" for k, name in enumerate(classes["class"], 1)]
    tested = standard_test_classes(names)
    assert list(classes["class"].iloc[list(tested)]) == list(
        classes[classes["ss"] == "test"]["class"]
    )
    turned = standard_test_classes(names[::-1])
    assert sorted(199 - c for c in turned) == list(tested)
    assert len(standard_test_classes(class_facts("AWA1").classes["class"])) == 10
    assert standard_test_classes(names[:-1]) == ()
    # Where the published list is not to be had, none is made up.
    assert standard_test_classes(class_facts("SUN").classes["class"]) == ()
