import numpy as np
import pandas as pd
import pytest

from tests.worlds import linear_world
from zslcore.analysis import dataset_summary
from zslcore.datasets.base import Split, ZSLDataset
from zslcore.datasets.digits import read_digits
from zslcore.datasets.facts import class_facts, published_table
from zslcore.datasets.simulated import simulate
from zslcore.exceptions import ParameterError


@pytest.fixture(scope="module")
def digits():
    return read_digits()


@pytest.fixture(scope="module")
def awa2():
    return simulate("simulated-AWA2")


def tiny(**changes):
    """Six images of three classes; row 1 is in training and test, row 5 in neither."""
    facts = {
        "name": "tiny",
        "features": np.zeros((6, 2), np.float32),
        "labels": [0, 0, 1, 1, 2, 2],
        "prototypes": [[1, 0, 0], [0, 1, 0], [0, 0.9, 0.1]],
        "class_names": ["b", "A", "c"],
        "attribute_names": ["wet", "Dry", "odd"],
    }
    labels = np.array(facts["labels"])
    split = Split.from_rows(
        "own", labels, trainval=[0, 1, 2], test_seen=[1, 3], test_unseen=[4], folds=()
    )
    return ZSLDataset(**(facts | {"splits": [split]} | changes))


def metrics(table, split=""):
    return table[table["split"] == split].set_index("quantity")


def test_statistics_count_the_data_and_quote_the_papers(awa2):
    table = dataset_summary.statistics(awa2)
    whole, ps = metrics(table), metrics(table, "PS")
    assert whole.loc["classes", ["here", "published"]].tolist() == [50, 50]
    assert whole.loc["attributes", "published"] == 85
    assert ps.loc["unseen test images", "here"] == len(awa2.splits["PS"].test_unseen)
    assert ps.loc["unseen test images", "published"] == 7913
    assert ps.loc["validation classes", ["here", "published"]].tolist() == [13, 13]
    assert whole.loc["images", "deviation"] == pytest.approx(len(awa2.labels) / 37322 - 1)


def test_unpublished_data_have_no_quoted_statistics(digits):
    table = dataset_summary.statistics(digits)
    assert table["published"].isna().all()
    assert metrics(table, "PS").loc["unseen classes", "here"] == 3


def test_the_images_of_all_parts_add_up_to_the_class(digits, awa2):
    for dataset in (digits, awa2, tiny()):
        for split in dataset.splits.values():
            table = dataset_summary.class_table(dataset, split)
            assert (table[list(dataset_summary.IMAGE_COLUMNS)].sum(axis=1) == table["images"]).all()
            assert table["images"].sum() == len(dataset.labels)


def test_an_image_in_two_parts_is_counted_only_as_a_leak():
    data = tiny()
    table = dataset_summary.class_table(data, data.splits["own"]).set_index("class")
    assert table.loc["b", list(dataset_summary.IMAGE_COLUMNS)].tolist() == [1, 0, 0, 1, 0]
    assert table.loc["A", list(dataset_summary.IMAGE_COLUMNS)].tolist() == [1, 1, 0, 0, 0]
    assert table.loc["c", list(dataset_summary.IMAGE_COLUMNS)].tolist() == [0, 0, 1, 0, 1]


def test_a_row_listed_twice_in_one_part_is_not_a_leak():
    labels = np.array([0, 0, 1, 1, 2, 2])
    split = Split.from_rows("own", labels, trainval=[0, 0, 2], test_seen=[], test_unseen=[4])
    table = dataset_summary.class_table(tiny(splits=[split]), split)
    assert table["several"].sum() == 0


def test_roles_follow_the_class_lists_of_the_split():
    data = tiny()
    split = Split("own", [0], [], [1], seen_classes=[0], unseen_classes=[0, 1])
    assert dataset_summary.class_table(data, split)["role"].tolist() == ["both", "unseen", "none"]


def test_sorted_classes_keep_their_rows(awa2):
    table = dataset_summary.class_table(awa2, awa2.splits["PS"])
    largest = dataset_summary.sort_classes(table, "largest first")
    assert largest["images"].is_monotonic_decreasing
    assert [awa2.class_names[c] for c in largest.index] == list(largest["class"])
    names = [name.lower() for name in dataset_summary.sort_classes(table, "by name")["class"]]
    assert names == sorted(names)
    roles = dataset_summary.sort_classes(table, "by role")["role"].tolist()
    assert roles == ["seen"] * 40 + ["unseen"] * 10
    with pytest.raises(ParameterError, match="got 'size'"):
        dataset_summary.sort_classes(table, "size")


def test_fold_roles_mark_validation_classes(awa2):
    split = awa2.splits["PS"]
    roles = dataset_summary.fold_roles(awa2, split)
    facts = class_facts("AWA2").classes
    assert roles["fold 2"].tolist() == facts["fold2"].tolist()
    assert list(roles.index) == list(awa2.class_names)
    assert dataset_summary.fold_roles(awa2, awa2.splits["SS"]).shape == (
        50,
        len(awa2.splits["SS"].folds),
    )


def test_published_overlaps_are_found_under_any_spelling():
    facts = class_facts("AWA2").classes
    plus = [name.replace(" ", "+") for name in facts["class"]]
    numbered = [f"{i:03}.{name.replace(' ', '_')}" for i, name in enumerate(facts["class"], 1)]
    listed = published_table("overlap_imagenet1k_ss").query("dataset == 'AWA2'")["class"]
    for names in (plus, numbered):
        dataset = ZSLDataset(
            name="AWA2",
            features=np.zeros((1, 1), np.float32),
            labels=[0],
            prototypes=np.zeros((50, 1)),
            class_names=names,
        )
        in_set = dataset_summary.imagenet_evidence(dataset)
        assert in_set.tolist() == facts["imagenet1k"].tolist()
        assert (in_set == "published").sum() == len(listed)


def test_classes_of_other_data_are_not_called_clean(digits):
    assert dataset_summary.imagenet_evidence(digits).isna().all()


def test_image_counts_of_awa1_and_awa2_equal_the_benchmarks():
    table = dataset_summary.awa_image_counts()
    assert table[["AWA1", "AWA2"]].sum().tolist() == [30475, 37322]
    assert (table["role"] == "unseen").sum() == 10
    assert table["AWA2"].is_monotonic_decreasing


def test_attributes_are_searched_and_ordered():
    data = tiny()
    by_name = dataset_summary.attribute_table(data, classes="name", attributes="name")
    assert list(by_name.index) == ["A", "b", "c"]
    assert list(by_name.columns) == ["Dry", "odd", "wet"]
    assert by_name.loc["c", "Dry"] == pytest.approx(0.9)
    table = dataset_summary.attribute_table(data, only_classes="a, C", only_attributes="D")
    assert list(table.index) == ["A", "c"]
    assert list(table.columns) == ["Dry", "odd"]
    assert dataset_summary.attribute_table(data, only_classes="zebra").shape == (0, 3)
    assert dataset_summary.search_names(data.class_names, " , ") is None


def test_most_variable_attributes_come_first():
    data = tiny()
    telling = dataset_summary.attribute_table(data, attributes="telling")
    deviation = telling.std(axis=0, ddof=0)
    assert deviation.is_monotonic_decreasing
    assert list(dataset_summary.attribute_table(data, max_attributes=2).columns) == ["wet", "Dry"]


def test_similar_classes_become_neighbours():
    data = tiny()
    order = list(dataset_summary.attribute_table(data, classes="similar").index)
    assert abs(order.index("A") - order.index("c")) == 1


def test_ordering_keeps_every_row():
    data = linear_world()
    table = dataset_summary.attribute_table(data, classes="similar", attributes="similar")
    back = table.loc[list(data.class_names), list(data.attribute_names)]
    np.testing.assert_allclose(back, data.prototypes)
    assert isinstance(table, pd.DataFrame)


@pytest.mark.parametrize("which", ["classes", "attributes"])
def test_an_unknown_order_is_refused(which):
    with pytest.raises(ParameterError, match="must be 'given', 'name'"):
        dataset_summary.attribute_table(tiny(), **{which: "size"})


def test_class_means_equal_a_plain_loop(digits):
    plain = [digits.features[digits.labels == c].mean(axis=0) for c in range(10)]
    np.testing.assert_allclose(dataset_summary.class_means(digits), plain, rtol=1e-6)
