"""The files of the benchmark that are in circulation, as they are."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from zslcore.datasets.base import Split
from zslcore.datasets.xlsa17 import read_split_arrays, read_xlsa17
from zslcore.leakage import (
    CHECKS,
    AuditContext,
    Severity,
    audit,
    audit_context,
    corrected_split,
    get_vocabulary,
)
from zslcore.leakage.checks import run_check
from zslcore.leakage.checks.identity import known_split
from zslcore.leakage.known import known_splits
from zslcore.leakage.loading import context_of
from zslcore.leakage.neighbours import near_rows

pytestmark = pytest.mark.usefixtures("in_process")

LEAKED = {"AWA1": 4958, "AWA2": 5882, "CUB": 1764}
LABELS = {
    "AWA1": "lss.mat",
    "AWA2": "labels.mat",
    "CUB": "vgg_fc7.mat",
    "SUN": "labels.mat",
    "APY": None,
}


@pytest.fixture(scope="module")
def xlsa17(shared):
    return shared / "data/xlsa17"


@pytest.fixture(scope="module")
def awa1_lss(xlsa17, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSL_DATA", str(tmp_path_factory.mktemp("imports")))
        yield read_xlsa17(xlsa17 / "AWA1", features="lss.mat")


def labels_of(folder):
    name = LABELS[folder.name]
    return read_split_arrays(folder / name)["labels"] - 1 if name else None


@pytest.mark.parametrize("name", LEAKED)
def test_v1_fails_by_name_and_number_and_its_correction_passes(xlsa17, name, tmp_path):
    path, labels = xlsa17 / name / "att_splits_v1.mat", labels_of(xlsa17 / name)
    report = audit(path, labels=labels)
    assert report.verdict == "failed"
    (finding,) = report.of("ZSL003")
    assert finding.severity is Severity.FAIL
    assert "PS v1" in finding.message
    assert str(LEAKED[name]) in finding.message
    assert len(finding.rows) == LEAKED[name]
    assert "PS v1" in report.of("ZSL010")[0].message

    corrected = corrected_split(path, labels=labels)
    corrected.save_mat(tmp_path / "corrected.mat")
    again = audit(tmp_path / "corrected.mat", labels=labels)
    assert [again.severity(f"ZSL00{k}") for k in (1, 2, 3)] == [Severity.PASS] * 3
    assert again.verdict != "failed"
    # What the correction makes of v1 is what its authors released as the second version.
    assert "PS 2.0, as published (its rows)" in again.of("ZSL010")[0].message


@pytest.mark.parametrize("name", LABELS)
def test_v2_passes_the_checks_of_rows_and_classes(xlsa17, name):
    report = audit(xlsa17 / name / "att_splits.mat", labels=labels_of(xlsa17 / name))
    assert [report.severity(f"ZSL00{k}") for k in (1, 2, 3)] == [Severity.PASS] * 3
    assert "PS 2.0, as published (the published file)" in report.of("ZSL010")[0].message


def test_the_missing_values_of_awa_are_found(xlsa17):
    unknown, finding = audit(xlsa17 / "AWA2/att_splits.mat").of("ZSL009")
    assert unknown.severity is Severity.UNKNOWN
    assert "4 -1 cells" in finding.message
    assert finding.classes == ("antelope",)


def test_the_few_test_images_of_sun_are_found(xlsa17):
    findings = audit(xlsa17 / "SUN/att_splits.mat").of("ZSL011")
    assert findings[0].figures == {"classes": 645, "smallest": 4}


def test_six_test_classes_of_the_standard_split_were_in_imagenet(xlsa17):
    folder = xlsa17 / "AWA1"
    labels = labels_of(folder)
    names = [str(n) for n in read_split_arrays(folder / "att_splits.mat")["allclasses_names"]]
    unseen = [
        names.index(n) for n in (folder / "standard_split/testclasses.txt").read_text().split()
    ]
    split = Split.from_classes("SS", labels, unseen, seen_test_fraction=0)
    context = AuditContext.of_split(
        split,
        labels=labels,
        n_rows=len(labels),
        class_names=tuple(names),
        vocabularies=(get_vocabulary("imagenet-1k"),),
    )
    (finding,) = [f for f in audit_context(context).of("ZSL006") if f.severity is Severity.FAIL]
    assert sorted(finding.classes) == sorted(
        ["chimpanzee", "giant+panda", "leopard", "persian+cat", "pig", "hippopotamus"]
    )


def test_an_image_that_awa1_both_trains_and_tests(xlsa17, tmp_path):
    """Two rows of AWA1 are one image: a humpback whale to train on, a blue whale to test."""
    folder = xlsa17 / "AWA1"
    context = context_of(
        folder / "att_splits.mat",
        labels=labels_of(folder),
        features=folder / "phog.mat",
        into=tmp_path,
    )
    (identical,) = [check for check in CHECKS if check.id == "ZSL004"]
    (finding,) = [f for f in run_check(identical, context) if "training row" in f.message]
    assert finding.rows == (1310, 16520)
    names = [context.class_of(row) for row in finding.rows]
    assert names == ["blue+whale", "humpback+whale"]


def test_an_edited_file_is_told_from_the_one_it_was_made_of(xlsa17, tmp_path):
    corrected = corrected_split(xlsa17 / "CUB/att_splits.mat")
    rows = dict(corrected.parts)
    rows["train"] = rows["train"][1:]
    edited = replace(corrected, context=replace(corrected.context, parts=rows))
    edited.save_mat(tmp_path / "mine.mat")
    finding, _ = audit(tmp_path / "mine.mat").of("ZSL010")
    assert finding.severity is Severity.WARN
    assert finding.message.startswith("Differs from CUB PS 2.0 in train;")


def test_the_manifest_agrees_with_the_files(xlsa17):
    known = {split.sha256 for split in known_splits()}
    files = [p for p in xlsa17.glob("**/att_splits*.mat") if p.parent.name != "binary"]
    assert {hashlib.sha256(p.read_bytes()).hexdigest() for p in files} == known - {""}
    assert len(known_splits()) == len(files) + 1 == 15  # aPY's SS is circulated as class lists


FILES = {
    "att_splits_v1.mat": ("PS v1", "PS v1 or PS 2.0"),
    "first_release/att_splits_v1.mat": ("PS v1", "PS v1 or PS 2.0"),
    "att_splits.mat": ("PS 2.0", "PS v1 or PS 2.0"),
    "standard_split/att_splits.mat": ("SS", "SS"),
    "standard_split_release/att_splits.mat": ("SS", "SS"),
}


@pytest.mark.parametrize("name", LABELS)
def test_every_released_file_is_called_what_it_is_whole_and_without_train_and_val(xlsa17, name):
    called = name.replace("APY", "aPY")
    found = [file for file in FILES if (xlsa17 / name / file).exists()]
    assert len(found) >= 2
    for file in found:
        whole, cut = FILES[file]
        context = context_of(xlsa17 / name / file, into=xlsa17)
        finding, *_ = known_split(context)
        assert finding.message.startswith(f"{called} {whole}, as published (the published file)")
        assert (finding.severity is Severity.WARN) == (whole == "PS v1")
        shared = {p: rows for p, rows in context.parts.items() if p not in ("train", "val")}
        finding, *_ = known_split(replace(context, parts=shared, file_digest=""))
        assert finding.message.startswith(f"{called} {cut}, as published (its rows)")
        assert finding.severity is Severity.PASS


def test_an_import_of_the_second_version_is_not_taken_for_the_first(awa1_lss):
    (finding,) = known_split(AuditContext.of_dataset(awa1_lss, awa1_lss.split("PS")))
    assert finding.severity is Severity.PASS
    assert finding.message.startswith("AWA1 PS v1 or PS 2.0, as published (its rows)")


def test_row_numbers_of_one_part_may_come_in_any_order(xlsa17, tmp_path):
    corrected = corrected_split(xlsa17 / "CUB/att_splits.mat")
    shuffled = {
        part: np.random.default_rng(0).permutation(rows) for part, rows in corrected.parts.items()
    }
    replace(corrected, context=replace(corrected.context, parts=shuffled)).save_mat(
        tmp_path / "mine.mat"
    )
    assert "its rows" in audit(tmp_path / "mine.mat").of("ZSL010")[0].message


@pytest.mark.parametrize(
    ("split", "pairs"), [("PS", {(1310, 16520)}), ("SS", {(16520, 1310), (17131, 1318)})]
)
def test_crowded_hand_crafted_features_have_few_near_pairs(awa1_lss, split, pairs):
    """Plain pictures of sky and water lie close to hundreds of others; 58 were warned of once."""
    split = awa1_lss.split(split)
    near = near_rows(awa1_lss.features, split.trainval, split.test_unseen)
    assert set(zip(near.test.tolist(), near.train.tolist(), strict=True)) == pairs
    assert near.distance[0] == 0


def test_copies_planted_in_crowded_features_are_found(awa1_lss):
    split, rng = awa1_lss.split("PS"), np.random.default_rng(0)
    X = np.array(awa1_lss.features, dtype=np.float32)
    train, test = rng.permutation(split.trainval)[:200], rng.permutation(split.test_unseen)[:200]
    noise = rng.normal(size=(200, X.shape[1])) / np.sqrt(X.shape[1])
    X[test] = X[train] + 0.02 * np.linalg.norm(X[train], axis=1, keepdims=True) * noise
    near = near_rows(X, split.trainval, split.test_unseen)
    found = set(zip(near.test.tolist(), near.train.tolist(), strict=True))
    assert len(found & set(zip(test.tolist(), train.tolist(), strict=True))) >= 199
