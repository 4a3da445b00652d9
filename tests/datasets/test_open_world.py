"""Base-to-new sets: lists with counts and sources, the rule, and the resulting splits."""

import csv
import json
import math

import numpy as np
import pytest

from zslcore.__main__ import main
from zslcore.datasets import load, read_table
from zslcore.datasets.open_world import (
    FOLDER,
    n_base,
    new_classes,
    open_world_set,
    open_world_sets,
    templates_of,
)
from zslcore.exceptions import DatasetError, UnknownNameError
from zslcore.leakage import audit

#: Counts stated in the papers of the sets; Caltech101 without background and centred faces.
CLASSES = {
    "imagenet": 1000,
    "caltech101": 100,
    "oxford_pets": 37,
    "stanford_cars": 196,
    "flowers102": 102,
    "food101": 101,
    "fgvc_aircraft": 100,
    "sun397": 397,
    "dtd": 47,
    "eurosat": 10,
    "ucf101": 101,
}
#: Labels with the names used in split files.
SEEN = {
    "caltech101": {0: "face", 3: "accordion", 49: "helicopter", 50: "ibis", 99: "yin_yang"},
    "oxford_pets": {0: "abyssinian", 18: "keeshond", 19: "leonberger", 36: "yorkshire_terrier"},
    "stanford_cars": {
        0: "2000 AM General Hummer SUV",
        97: "1998 Eagle Talon Hatchback",
        98: "2012 FIAT 500 Abarth",
        195: "2012 smart fortwo Convertible",
    },
    "flowers102": {
        0: "pink primrose",
        50: "petunia",
        51: "wild pansy",
        59: "pink-yellow dahlia",
        101: "blackberry lily",
    },
    "food101": {0: "apple_pie", 50: "grilled_salmon", 51: "guacamole", 100: "waffles"},
    "fgvc_aircraft": {0: "707-320", 49: "Cessna 525", 50: "Cessna 560", 99: "Yak-42"},
    "sun397": {
        0: "abbey",
        198: "indoor ice_skating_rink",
        199: "outdoor ice_skating_rink",
        206: "indoor jail",
        207: "jail_cell",
        396: "youth_hostel",
    },
    "dtd": {0: "banded", 23: "marbled", 24: "matted", 46: "zigzagged"},
    "eurosat": {
        0: "Annual Crop Land",
        4: "Industrial Buildings",
        5: "Pasture Land",
        9: "Sea or Lake",
    },
    "ucf101": {
        0: "Apply_Eye_Makeup",
        35: "Hammer_Throw",
        50: "Long_Jump",
        51: "Lunges",
        100: "Yo_Yo",
    },
}
SETS = open_world_sets()


def test_the_eleven_sets_have_their_published_numbers_of_classes():
    assert {name: len(class_set.classes) for name, class_set in SETS.items()} == CLASSES
    with (FOLDER / "sets.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            class_set = SETS[row["name"]]
            assert int(row["classes"]) == len(class_set.classes)
            assert (int(row["base"]), int(row["new"])) == (len(class_set.base), len(class_set.new))
            assert row["source"]
            assert row["url"].startswith("https://github.com/")
    lists = {path.stem for path in (FOLDER / "classes").glob("*.txt")}
    assert lists == set(CLASSES) - {"imagenet", "ucf101"}


@pytest.mark.parametrize("name", SETS)
def test_base_and_new_are_the_halves_of_the_labels(name):
    class_set = SETS[name]
    assert class_set.base + class_set.new == class_set.class_names
    assert len(class_set.base) == math.ceil(len(class_set.classes) / 2)
    assert len(class_set.base) + len(class_set.new) == CLASSES[name]
    assert class_set.template.count("{}") == 1
    assert class_set.order_checked == (name in SEEN)
    expected = "order as in the split file" if name in SEEN else "by rule, order not checked"
    assert class_set.state == expected


@pytest.mark.parametrize("name", SEEN)
def test_labels_are_those_of_the_released_split_file(name):
    """Both ends of each half are compared, and every label that another sorting would move."""
    class_set, seen = SETS[name], SEEN[name]
    assert class_set.labels_of(list(seen.values())) == list(seen)
    assert {0, len(class_set.base) - 1, len(class_set.base), len(class_set.classes) - 1} <= set(
        seen
    )


@pytest.mark.parametrize("name", SETS)
def test_every_class_is_found_by_its_names(name):
    class_set, places = SETS[name], range(CLASSES[name])
    if name == "imagenet":  # two classes have the name "crane"
        assert class_set.labels_of([names[1] for names in class_set.classes]) == list(places)
        return
    for k in range(max(len(names) for names in class_set.classes)):
        names = [(names * 2)[k] if k < len(names) else names[0] for names in class_set.classes]
        assert class_set.labels_of(names) == list(places)
        assert class_set.labels_of([name.replace(" ", "_").lower() for name in names]) == list(
            places
        )


def test_class_names_are_recognised_in_the_spelling_of_files():
    assert SETS["stanford_cars"].labels_of(["2012 Acura RL Sedan"]) == [1]
    assert SETS["sun397"].labels_of(["outdoor apartment_building"]) == [8]
    assert SETS["ucf101"].labels_of(["ApplyEyeMakeup", "Yo_Yo"]) == [0, 100]
    assert SETS["eurosat"].labels_of(["SeaLake", "AnnualCrop"]) == [9, 0]
    assert SETS["caltech101"].labels_of(["Faces", "yin_yang"]) == [0, 99]
    assert SETS["oxford_pets"].labels_of(["american_bulldog"]) == [1]


def test_lists_called_alphabetical_are_sorted():
    for name in ("food101", "fgvc_aircraft", "dtd"):
        assert list(SETS[name].class_names) == sorted(SETS[name].class_names)
    pets = [class_name.lower() for class_name in SETS["oxford_pets"].class_names]
    assert pets == sorted(pets)
    synsets = [names[1] for names in SETS["imagenet"].classes]
    assert synsets == sorted(synsets)


def test_base_and_new_classes_follow_the_labels_and_not_the_order_of_the_data():
    class_set = SETS["dtd"]
    order = np.random.default_rng(0).permutation(len(class_set.classes))
    names = [class_set.class_names[k] for k in order]
    result = new_classes("base-to-new:dtd", names)
    assert {names[place] for place in result} == set(class_set.new)
    assert result == sorted(result)
    assert new_classes("base-to-new", names) == list(range(n_base(47), 47))


@pytest.mark.parametrize(
    ("set_name", "names", "message"),
    [
        ("base-to-new:dtb", ["banded"], "did you mean 'dtd'"),
        ("base-to-new:dtd", ["bandet"], "did you mean 'banded'"),
        ("base-to-new:dtd", list(SETS["dtd"].class_names[1:]), "got 46, without 'banded'"),
        ("base-to-new:dtd", ["banded", "Banded"], "got 'banded' and 'Banded'"),
        ("base-to-new:imagenet", ["crane"], "'crane' is a name of 2 classes"),
    ],
)
def test_other_classes_are_refused_with_an_explanation(set_name, names, message):
    with pytest.raises((DatasetError, UnknownNameError), match=message):
        new_classes(set_name, names)


def features_of(path, name, n=6, seed=0):
    """Random features of all classes of a set, in another order, in the format of ``extract``."""
    rng, class_set = np.random.default_rng(seed), SETS[name]
    names = rng.permutation(
        np.array([class_name.replace(" ", "_") for class_name in class_set.class_names])
    )
    S = rng.normal(size=(len(names), 64)).astype(np.float32)
    labels = np.repeat(np.arange(len(names)), n)
    X = S[labels] + 0.5 * rng.normal(size=(len(labels), 64)).astype(np.float32)
    np.savez(path, features=X, labels=labels, class_names=names, prototypes=S)
    return names


def test_base_to_new_splits_apply_to_any_features(tmp_path):
    names = features_of(tmp_path / "pets.npz", "oxford_pets")
    data = read_table(tmp_path / "pets.npz", unseen=["base-to-new:oxford_pets"])
    split = data.split("own")
    unseen = {names[c].replace("_", " ") for c in split.unseen_classes}
    assert unseen == set(SETS["oxford_pets"].new)
    assert "18 unseen classes, the new classes of Oxford-IIIT Pets (order as in the" in split.note


@pytest.mark.nightly
def test_base_to_new_data_are_imported_audited_and_run(own_data, tmp_path, capsys, printed):
    features_of(tmp_path / "eurosat.npz", "eurosat", n=12)
    request = ["--unseen", "base-to-new:eurosat", "--name", "eurosat-own", "--pretraining", "none"]
    assert main(["import", str(tmp_path / "eurosat.npz"), *request]) == 0
    report = audit(load("eurosat-own"), split="own")
    assert "leak" not in {finding.mark for finding in report.findings}
    capsys.readouterr()
    run = ["run", "--dataset", "eurosat-own", "--method", "ESZSL", "--param", "gamma=1"]
    zsl = json.loads(printed(*run, "--param", "lam=1", "--json"))["evaluation"]["zsl"]
    assert zsl > 0.5  # one of five predictions is right by chance


def test_templates_are_found_by_name():
    for name in ("imagenet-80", "imagenet-7", "caltech101-34", "dtd-8", "stanford_cars-8"):
        result = templates_of([name])
        assert len(result) == int(name.rpartition("-")[2])
        assert all(item.count("{}") == 1 for item in result)
    assert set(templates_of(["imagenet-7"])) < set(templates_of(["imagenet-80"]))
    assert templates_of(["oxford_pets", "a {}."]) == ("a photo of a {}, a type of pet.", "a {}.")
    with pytest.raises(UnknownNameError, match="did you mean 'imagenet-80'"):
        templates_of(["imagenet-88"])


def test_the_command_lists_sets_and_classes(printed):
    lines = printed("base-to-new").splitlines()
    assert len(lines) == 1 + len(SETS)
    assert [line.split()[:4] for line in lines[1:]] == [
        [name, f"{n:,}", str(math.ceil(n / 2)), str(n // 2)] for name, n in CLASSES.items()
    ]
    assert (
        tuple(printed("base-to-new", "eurosat", "--side", "new").splitlines())
        == open_world_set("eurosat").new
    )
    assert "5 base and 5 new classes" in printed("base-to-new", "eurosat")
    (row,) = json.loads(printed("base-to-new", "food101", "--json"))
    assert (len(row["base"]), len(row["new"])) == (51, 50)
    assert "expected the NAME of a set" in printed("base-to-new", "--side", "new", status=2)
