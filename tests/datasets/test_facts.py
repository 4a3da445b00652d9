import re

import numpy as np
import pandas as pd
import pytest
from scipy.io import loadmat

from zslcore.datasets.facts import (
    class_facts,
    earlier_version,
    fact_sources,
    labels_digest,
    published_table,
    published_tables,
)
from zslcore.exceptions import UnknownNameError
from zslcore.storage.files import FACTS

BENCHMARKS = ("AWA1", "AWA2", "CUB", "SUN", "aPY")


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_totals_agree_with_the_published_statistics(benchmark):
    facts, t = class_facts(benchmark), class_facts(benchmark).classes
    printed = published_table("dataset_statistics").set_index("dataset").loc[benchmark]
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
def test_every_fold_divides_exactly_the_seen_classes(benchmark):
    t = class_facts(benchmark).classes
    assert t["class"].is_unique
    for seen, prefix in ((t["ps"] == "trainval", "fold"), (t["ss"] == "train", "ss_fold")):
        for k in (1, 2, 3):
            fold = t[f"{prefix}{k}"]
            assert set(fold[seen]) == {"train", "val"}
            assert set(fold[~seen]) == {""}
            assert (fold == "val").sum() == (t[f"{prefix}1"] == "val").sum()


@pytest.mark.parametrize(
    ("benchmark", "train", "val"),
    [("AWA1", 27, 13), ("AWA2", 27, 13), ("CUB", 100, 50), ("SUN", 581, 64), ("aPY", 13, 7)],
)
def test_folds_of_the_standard_split_are_as_large_as_released(benchmark, train, val):
    t = class_facts(benchmark).classes
    for k in (1, 2, 3):
        assert (t[f"ss_fold{k}"] == "train").sum() == train
        assert (t[f"ss_fold{k}"] == "val").sum() == val


def test_split_and_image_counts_of_single_classes_are_as_published():
    sun, apy = (class_facts(name).classes.set_index("class") for name in ("SUN", "aPY"))
    tested = ["restaurant", "supermarket", "bridge", "planetarium indoor", "tent outdoor"]
    assert set(sun.loc[[*tested, "market outdoor"], "ss"]) == {"test"}
    assert set(sun.loc[["planetarium outdoor", "market indoor"], "ss"]) == {"train"}
    assert apy.loc["person", "images"] == 5071
    assert apy.loc[["aeroplane", "dog", "carriage"], "images"].tolist() == [370, 484, 152]


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_published_overlaps_are_test_classes_of_ss_and_none_of_ps(benchmark):
    t = class_facts(benchmark).classes
    printed = published_table("overlap_imagenet1k_ss").query("dataset == @benchmark")["class"]
    listed = t[t["imagenet1k"] == "published"]
    assert len(listed) == len(printed)
    # The paper prints planetarium, tent and market; SUN has an indoor and an outdoor class of each,
    # and one of the two is a test class.
    assert all(any(name.startswith(word) for name in listed["class"]) for word in printed)
    assert set(listed["ss"]) == {"test"}
    assert set(t["imagenet1k"][t["ps"] == "test"]) == {""}
    assert set(t["imagenet1k"][t["ss"] == "test"]) <= {"", "published"}


def test_awa1_and_awa2_have_the_same_classes_and_splits():
    first, second = (class_facts(name).classes for name in ("AWA1", "AWA2"))
    counts = ["images", "test_seen"]
    pd.testing.assert_frame_equal(first.drop(columns=counts), second.drop(columns=counts))
    assert (first["images"] != second["images"]).any()


@pytest.mark.parametrize(
    ("benchmark", "labelled"),
    [
        ("AWA1", "phog.mat"),
        ("AWA2", "labels.mat"),
        ("CUB", "vgg_fc7.mat"),
        ("SUN", "labels.mat"),
        ("aPY", "labels.mat"),
    ],
)
def test_counts_and_lists_are_those_of_the_benchmark(shared, benchmark, labelled):
    t = class_facts(benchmark).classes
    folder = shared / "data" / "xlsa17" / benchmark.upper()
    splits = loadmat(folder / "att_splits.mat")
    y = loadmat(folder / labelled, variable_names=["labels"])["labels"].ravel().astype(int) - 1
    rows = lambda name: splits[name].ravel().astype(int) - 1  # noqa: E731
    count = lambda part: np.bincount(part, minlength=len(t))  # noqa: E731
    assert labels_digest(y) == fact_sources()[benchmark]["labels"]
    assert count(y).tolist() == t["images"].tolist()
    assert count(y[rows("test_seen_loc")]).tolist() == t["test_seen"].tolist()
    assert set(y[rows("test_unseen_loc")]) == set(np.flatnonzero(t["ps"] == "test"))
    names = [_plain(str(np.ravel(name)[0])) for name in splits["allclasses_names"].ravel()]
    assert names == t["class"].tolist()


@pytest.mark.parametrize("benchmark", BENCHMARKS)
@pytest.mark.parametrize("split", ["ss", "ps"])
def test_folds_are_those_of_the_benchmark(shared, benchmark, split):
    folder = shared / "data" / "xlsa17" / benchmark.upper()
    released = folder / "standard_split_release"
    if split == "ps":
        folder, column = folder / "proposed_split", "fold"
    else:
        folder = released if released.is_dir() else folder / "standard_split"
        column = "ss_fold"
    t = class_facts(benchmark).classes

    def listed(name):
        return {_plain(line) for line in (folder / name).read_text(encoding="utf-8").split()}

    assert listed("testclasses.txt") == set(t["class"][t[split] == "test"])
    for k in (1, 2, 3):
        for part in ("train", "val"):
            assert listed(f"{part}classes{k}.txt") == set(t["class"][t[f"{column}{k}"] == part])


def _plain(name):
    return re.sub(r"^\d+\.", "", name).replace("+", " ").replace("_", " ")


@pytest.mark.parametrize("name", published_tables())
def test_printed_tables_are_returned_as_fractions(name):
    printed = pd.read_csv(FACTS / "published" / f"{name}.csv")
    table = published_table(name)
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
    zsl = published_table("zsl_top1").set_index(["method", "dataset", "split"])["top1_per_class"]
    assert zsl["ESZSL", "AWA2", "PS"] == pytest.approx(0.586)
    gzsl = published_table("calibration_gzsl_harmonic").query("method == 'LinearS2V'")
    best = gzsl.query("dataset == 'AWA2' and lambda_selected_for == 'gzsl'")["harmonic"]
    assert best.item() == pytest.approx(0.640)


@pytest.mark.parametrize(("name", "moved"), [("zsl_top1", 18), ("gzsl_ps", 30)])
def test_the_earlier_version_of_a_table_equals_its_paper(shared, name, moved):
    keys = [key for key in ("method", "dataset", "split") if key in published_table(name)]
    result = (earlier_version(name).set_index(keys) * 100).round(6)
    parsed = pd.read_csv(shared / "published" / f"{name}_first_version.csv")
    parsed = parsed.set_index(keys).rename(columns=lambda column: column.removesuffix("_percent"))
    pd.testing.assert_frame_equal(result, parsed.reindex(result.index))
    assert (
        (published_table(name).set_index(keys) * 100).round(6) != result
    ).to_numpy().sum() == moved


def test_the_earlier_version_differs_only_in_the_listed_cells():
    cells = published_table("earlier_version")
    for name in ("zsl_top1", "gzsl_ps"):
        differ = (earlier_version(name) != published_table(name)).to_numpy().sum()
        assert differ == (cells["table"] == name).sum() > 0
    now, before = (
        table.set_index(["method", "dataset"])["harmonic"]
        for table in (published_table("gzsl_ps"), earlier_version("gzsl_ps"))
    )
    assert (now["ESZSL", "CUB"], before["ESZSL", "CUB"]) == pytest.approx((0.233, 0.210))
    with pytest.raises(UnknownNameError, match="did you mean 'zsl_top1'"):
        earlier_version("calibration_zsl_top1")


def test_misspelt_names_get_the_nearest_name():
    with pytest.raises(UnknownNameError, match="did you mean 'AWA2'"):
        class_facts("awa2")
    with pytest.raises(UnknownNameError, match="did you mean 'gzsl_ps'"):
        published_table("gzsl-ps")
