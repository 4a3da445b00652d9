import numpy as np
import pytest

from zslcore.datasets import Split, ZSLDataset, load
from zslcore.datasets.facts import benchmark_of, class_facts, recognise


def data(classes, images=2, name="vgg_fc7"):
    """A data set with these classes, and as many images of each."""
    labels = np.repeat(np.arange(len(classes)), images)
    features, prototypes = np.zeros((len(labels), 1), np.float32), np.ones((len(classes), 1))
    return ZSLDataset(name, features, labels, prototypes, classes)


def classes_of(benchmark):
    return list(class_facts(benchmark).classes["class"])


@pytest.mark.parametrize("benchmark", ["CUB", "SUN", "aPY"])
def test_class_names_identify_a_benchmark_under_any_name(benchmark):
    classes = classes_of(benchmark)
    assert benchmark_of(data(classes)) == benchmark
    files = [f"{k:03d}.{name.replace(' ', '_').upper()}" for k, name in enumerate(classes, 1)]
    assert benchmark_of(data(files[::-1], name="AWA2")) == benchmark


@pytest.mark.parametrize("name", ["simulated-AWA1", "simulated-AWA2", "simulated-aPY"])
def test_simulated_sets_are_recognised_by_their_images(name):
    assert benchmark_of(load(name)) == name.removeprefix("simulated-")


def test_awa1_and_awa2_are_distinguished_by_images_per_class_or_name():
    classes = classes_of("AWA1")
    first, second = (class_facts(name).classes["images"] for name in ("AWA1", "AWA2"))
    assert benchmark_of(data(classes, first // 3, name="AWA2")) == "AWA1"
    assert benchmark_of(data(classes, second // 3, name="AWA1")) == "AWA2"
    assert benchmark_of(data(classes)) is None
    assert benchmark_of(data(classes, name="awa2-balanced")) == "AWA2"
    assert recognise(classes, np.arange(50)).candidates == ("AWA1", "AWA2")


@pytest.mark.parametrize(
    "classes",
    [
        classes_of("CUB")[:-1],
        [*classes_of("CUB"), "dodo"],
        [*classes_of("CUB")[:-1], classes_of("CUB")[0]],
        [*classes_of("aPY")[:-1], "dodo"],
        ["zebra", "horse", "dog"],
    ],
)
def test_data_with_only_some_classes_of_a_benchmark_are_not_recognised_as_it(classes):
    assert benchmark_of(data(classes, name="CUB")) is None


def test_labels_outside_the_class_names_match_no_benchmark():
    assert recognise(classes_of("aPY"), np.array([-1, 3])) is None
    assert recognise(classes_of("aPY"), np.array([32])) is None
    assert recognise(classes_of("aPY"), np.array([], int)) is None


def test_without_class_names_released_labels_identify_the_benchmark(monkeypatch):
    from zslcore.datasets import facts

    sources = {"aPY": {"labels": facts.labels_digest(np.arange(32))}}
    monkeypatch.setattr(facts, "fact_sources", lambda: sources)
    numbered = [f"class {k}" for k in range(32)]
    assert recognise(numbered, np.arange(32)).benchmark == "aPY"
    assert recognise(numbered, np.arange(32)[::-1]) is None
    assert recognise(numbered[:-1], np.arange(32)) is None


@pytest.mark.parametrize("name", ["SS", "PS"])
def test_published_splits_get_their_released_folds_in_any_order_of_classes(name):
    table = class_facts("CUB").classes.iloc[::-1].reset_index(drop=True)
    labels = np.repeat(np.arange(200), 2)
    recognised = recognise(list(table["class"]), labels)
    column, fold = ("ss", "ss_fold") if name == "SS" else ("ps", "fold")
    unseen = recognised.test_classes(name)
    assert list(unseen) == list(np.flatnonzero(table[column] == "test"))
    folds = recognised.folds(labels, Split.from_classes("mine", labels, unseen))
    assert len(folds) == 3
    for k, test_fold in enumerate(folds, start=1):
        assert set(labels[test_fold.val]) == set(np.flatnonzero(table[f"{fold}{k}"] == "val"))
        assert set(labels[test_fold.train]) == set(np.flatnonzero(table[f"{fold}{k}"] == "train"))
    assert recognised.folds(labels, Split.from_classes("mine", labels, unseen[1:])) == []
