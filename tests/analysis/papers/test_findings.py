"""Findings: numbers from released files and papers, and numbers that follow from the tables."""

import re
from dataclasses import asdict

import numpy as np
import pytest
from scipy.io import loadmat

from tests.pages import ROOT
from tools.findings import findings_of_tables
from zslcore.analysis.papers.claims import FINDINGS
from zslcore.datasets.facts import class_facts
from zslcore.leakage import get_vocabulary
from zslcore.leakage.counts import overlaps

OF = {finding.id: finding for finding in FINDINGS}
V1 = {
    "AWA1": "AWA1/att_splits_v1.mat",
    "AWA2": "AWA2/att_splits_v1.mat",
    "CUB": "CUB/att_splits_v1.mat",
    "SUN": "SUN/first_release/att_splits_v1.mat",
    "aPY": "APY/first_release/att_splits_v1.mat",
}


@pytest.fixture(scope="module")
def xlsa17(shared):
    return shared / "data/xlsa17"


def rows_of(path):
    """Return the row lists of a split file, counted from 0."""
    arrays = loadmat(path)
    return {name: arrays[name].ravel().astype(int) - 1 for name in arrays if name.endswith("_loc")}


def labels_of(xlsa17, name):
    folder = xlsa17 / name.upper()
    file = {"AWA1": "lss.mat", "CUB": "vgg_fc7.mat"}.get(name, "labels.mat")
    return loadmat(folder / file, variable_names=["labels"])["labels"].ravel()


def finding_text(name):
    """Return the sentence of a finding and its numbers."""
    text = OF[name].sentence
    return text, [x.replace(",", "") for x in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


# --- From the released files ----------------------------------------------------------------------


def test_apys_boxes_share_photographs(xlsa17):
    split = rows_of(xlsa17 / "APY/att_splits.mat")
    names = loadmat(xlsa17 / "APY/image_files.mat")["image_files"].ravel()
    photograph = np.array([str(name[0]).replace("\\", "/").rpartition("/")[2] for name in names])
    trained = np.unique(photograph[split["trainval_loc"]])
    numbers = []
    for part in ("test_seen_loc", "test_unseen_loc"):
        rows = split[part]
        numbers += [int(np.isin(photograph[rows], trained).sum()), len(rows)]
    assert finding_text("apy-photographs")[1] == [str(n) for n in numbers]


@pytest.mark.parametrize("name", V1)
def test_the_first_release_differs_in_two_lists(xlsa17, name):
    labels = labels_of(xlsa17, name)
    first, second = rows_of(xlsa17 / V1[name]), rows_of(xlsa17 / name.upper() / "att_splits.mat")
    for part in ("trainval_loc", "test_seen_loc", "test_unseen_loc"):
        assert set(first[part]) == set(second[part])
    test = second["test_seen_loc"]
    for part in ("train_loc", "val_loc"):
        of_classes = test[np.isin(labels[test], np.unique(labels[second[part]]))]
        assert set(first[part]) == set(second[part]) | set(of_classes)
        assert set(first[part]) != set(second[part])
    text, _ = finding_text("v1-holds-test-rows")
    assert f"{len(test):,} of {name}" in text
    assert set(test) <= set(first["train_loc"]) | set(first["val_loc"])


def test_two_rows_of_awa1_are_the_same_picture(xlsa17):
    split = rows_of(xlsa17 / "AWA1/att_splits.mat")
    names = loadmat(xlsa17 / "AWA1/att_splits.mat")["allclasses_names"].ravel()
    first, second = (int(n) for n in finding_text("awa1-one-picture-two-whales")[1][:2])
    file = loadmat(xlsa17 / "AWA1/phog.mat")
    X, y = file["features"], file["labels"].ravel().astype(int)
    assert np.array_equal(X[:, first], X[:, second])
    whales = [str(names[y[row] - 1][0]) for row in (first, second)]
    assert whales == ["blue+whale", "humpback+whale"]
    assert first in split["test_unseen_loc"]
    assert second in split["trainval_loc"]


def test_the_folds_of_ucf101_contain_every_seen_test_row(shared):
    rows = rows_of(shared / "data/action/ucf101_att_splits.mat")
    held_out = np.intersect1d(np.union1d(rows["train_loc"], rows["val_loc"]), rows["test_seen_loc"])
    assert finding_text("ucf101-folds-hold-test-rows")[1][-1] == str(len(held_out))
    assert len(held_out) == len(rows["test_seen_loc"])


@pytest.mark.parametrize(
    ("paper", "phrases"),
    [
        (
            "gbu_version_with_figure4",
            [
                "while it drops to the seventh rank on the proposed split",
                "ALE ranks the second on the SS and the first on the PS",
            ],
        ),
        ("cal_calibration", ["classes in both CUB and AwA2 are fairly balanced"]),
        ("gbu_cvpr2017", ["59.1%", "39.8%", "78.6%"]),
    ],
)
def test_statements_that_tables_contradict_are_in_the_papers(shared, paper, phrases):
    text = " ".join((shared / f"papers/{paper}.txt").read_text(encoding="utf-8").split())
    assert [phrase for phrase in phrases if phrase not in text] == []


def test_counts_of_awa2_are_those_of_the_released_labels(xlsa17):
    labels = labels_of(xlsa17, "AWA2")
    split = rows_of(xlsa17 / "AWA2/att_splits.mat")
    classes = class_facts("AWA2").classes
    for part, rows in (("test", "test_unseen_loc"), ("trainval", "trainval_loc")):
        part_classes = classes[classes["ps"] == part]
        images = part_classes["images"] - part_classes["test_seen"].fillna(0).astype(int) * (
            part == "trainval"
        )
        released = np.unique(labels[split[rows]], return_counts=True)[1]
        assert sorted(released) == sorted(images)


# --- From data/ only ------------------------------------------------------------------------------


def test_the_findings_file_follows_from_the_printed_tables():
    assert [asdict(finding) for finding in FINDINGS] == findings_of_tables()


def test_related_classes_of_awa2_are_those_found_by_inspection():
    """ImageNet-1K lacks these animals, but has kinds of them or a broader class."""
    related = {"antelope", "bobcat", "buffalo", "dolphin", "elephant", "fox", "grizzly bear"}
    related |= {"horse", "rabbit", "seal", "sheep", "squirrel", "wolf"}
    awa = list(class_facts("AWA2").classes["class"])
    stored = set(class_facts("AWA2").classes.query("imagenet1k != ''")["class"])
    matches = overlaps(awa, get_vocabulary("imagenet-1k"), awa)
    groups = {item.class_name: item.group for item in matches}
    assert {name for name, group in groups.items() if group == "related"} == related
    assert {name for name, group in groups.items() if group == "in the set"} == stored - related


# --- From our runs --------------------------------------------------------------------------------


def test_the_cost_of_epoch_choice_equals_the_benchmark():
    from benchmarks.epoch_choice import MEASURED
    from benchmarks.generators import shipped
    from benchmarks.measuring import RESULTS
    from zslcore.version import read_stamped

    again = shipped(read_stamped(RESULTS / "generators.csv"))
    assert MEASURED.read_text(encoding="utf-8") == again, "run python -m benchmarks.generators"


# --- All findings ---------------------------------------------------------------------------------


def test_findings_of_every_kind_have_a_command():
    assert len(FINDINGS) == len(OF) >= 25
    assert {finding.where for finding in FINDINGS} == {"data", "tables", "runs"}
    assert all(finding.command.startswith("zslcore ") for finding in FINDINGS)


def test_numbers_of_the_guide_are_those_of_a_finding():
    text = (ROOT / "docs" / "guide" / "papers.md").read_text(encoding="utf-8")
    shown = text.partition("## Findings")[2].partition("\n## ")[0].split("\n- ")[1:]
    numbers = [set(re.findall(r"\b\d[\d,.]*\d\b|\b\d\b", item)) for item in shown]
    # The second item of the guide leaves out some numbers of its finding.
    assert [len(number) >= 4 for number in numbers] == [True, False, True, True]
    for item in numbers:
        assert any(all(number in finding.sentence for number in item) for finding in FINDINGS), item
