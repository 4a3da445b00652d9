"""The published files of the benchmarks, unchanged."""

import hashlib
import shutil
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from zslcore.datasets.base import Split
from zslcore.datasets.facts import published_table
from zslcore.datasets.xlsa17 import read_split_arrays, read_xlsa17
from zslcore.leakage import (
    CHECKS,
    MARKS,
    POLICIES,
    AuditContext,
    audit,
    audit_context,
    correct_context,
    corrected_split,
    get_vocabulary,
)
from zslcore.leakage.checks import run_check
from zslcore.leakage.loading import context_of
from zslcore.leakage.neighbours import near_rows
from zslcore.leakage.published import fill_in_from_benchmark, known_splits
from zslcore.names import class_key

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


@pytest.mark.nightly
@pytest.mark.parametrize("name", LEAKED)
def test_v1_leaks_with_name_and_count_and_its_correction_passes(xlsa17, name, tmp_path):
    path, labels = xlsa17 / name / "att_splits_v1.mat", labels_of(xlsa17 / name)
    report = audit(path, labels=labels)
    assert report.verdict == "leaks"
    (finding,) = report.of("ZSL003")
    assert finding.mark == "leak"
    assert "PS v1" in finding.sentence
    assert f"{LEAKED[name]:,} rows" in finding.sentence
    assert len(finding.rows) == LEAKED[name]
    assert "PS v1" in report.of("ZSL010")[0].sentence

    corrected = corrected_split(path, labels=labels)
    corrected.save_mat(tmp_path / "corrected.mat")
    again = audit(tmp_path / "corrected.mat", labels=labels)
    assert [again.mark(f"ZSL00{k}") for k in (1, 2, 3)] == ["ok"] * 3
    assert again.verdict != "leaks"
    # The corrected v1 equals the second version that its authors released.
    assert "PS 2.0, with the published rows" in again.of("ZSL010")[0].sentence


@pytest.mark.nightly
@pytest.mark.parametrize("name", LABELS)
def test_ps_2_0_passes_the_checks_of_rows_and_classes(xlsa17, name):
    report = audit(xlsa17 / name / "att_splits.mat", labels=labels_of(xlsa17 / name))
    # Two further pairs of lists of aPY are supervised splits: the models may be trained on them.
    of_rows = "open" if name == "APY" else "ok"
    severities = [report.mark(f"ZSL00{k}") for k in (1, 2, 3)]
    assert severities == ["ok", "ok", of_rows]
    assert "PS 2.0, identical to the published file" in report.of("ZSL010")[0].sentence


def test_missing_attribute_values_of_awa_are_reported(xlsa17):
    unknown, finding = audit(xlsa17 / "AWA2/att_splits.mat").of("ZSL009")
    assert unknown.mark == "open"
    assert (
        finding.sentence
        == "4 attribute values of antelope are −1, this file's code for a missing value."
    )
    assert finding.classes == ("antelope",)


def test_test_classes_of_sun_with_few_images_are_reported(xlsa17):
    findings = audit(xlsa17 / "SUN/att_splits.mat").of("ZSL011")
    assert findings[0].numbers == {"classes": 645, "smallest": 4}


def test_six_test_classes_of_the_standard_split_are_in_imagenet(xlsa17):
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
    (finding,) = [f for f in audit_context(context).of("ZSL006") if f.mark == "leak"]
    assert sorted(finding.classes) == sorted(
        ["chimpanzee", "giant panda", "leopard", "persian cat", "pig", "hippopotamus"]
    )


def test_an_image_in_training_and_test_of_awa1_is_found(xlsa17, tmp_path):
    """Two rows of AWA1 are the same image: a humpback whale in training, a blue whale in test."""
    folder = xlsa17 / "AWA1"
    context = context_of(
        folder / "att_splits.mat",
        labels=labels_of(folder),
        features=folder / "phog.mat",
        into=tmp_path,
    )
    (identical,) = [check for check in CHECKS if check.id == "ZSL004"]
    (finding,) = [f for f in run_check(identical, context) if "training row" in f.sentence]
    assert finding.rows == (1310, 16520)
    names = [context.class_of(row) for row in finding.rows]
    assert names == ["blue whale", "humpback whale"]


def test_the_manifest_agrees_with_the_files(xlsa17):
    digests = {split.sha256 for split in known_splits()}
    files = [p for p in xlsa17.glob("**/att_splits*.mat") if p.parent.name != "binary"]
    assert {hashlib.sha256(p.read_bytes()).hexdigest() for p in files} == digests - {""}
    # The standard split of aPY is published as class lists, without a file.
    assert len(known_splits()) == len(files) + 1 == 15


FILES = {
    "att_splits_v1.mat": "PS v1",
    "first_release/att_splits_v1.mat": "PS v1",
    "att_splits.mat": "PS 2.0",
    "standard_split/att_splits.mat": "SS",
    "standard_split_release/att_splits.mat": "SS",
}
FAIL, WARN, INFO, PASS = "leak", "warning", "ok", "ok"
NOT_RUN = "open"
#: Marks of a split in every form of its file, unless :func:`expected_marks` names an exception.
TRUE_OF_SPLIT = {
    "PS v1": {"ZSL001": PASS, "ZSL002": PASS, "ZSL003": FAIL, "ZSL010": WARN},
    "PS 2.0": {"ZSL001": PASS, "ZSL002": PASS, "ZSL003": PASS, "ZSL010": PASS},
    "SS": {"ZSL001": PASS, "ZSL002": PASS, "ZSL003": PASS, "ZSL010": PASS},
}
#: Part of aPY's proposed split -> rows with a photograph that is also in training, all rows.
OF_ONE_PHOTOGRAPH = {"test_seen": (817, 1483), "test_unseen": (2885, 7924)}


def keep_context(context):
    return context


def by_rows(context):
    return fill_in_from_benchmark(AuditContext("mine", context.parts))


def rows_in_any_order(context):
    rng = np.random.default_rng(0)
    shuffled = {part: rng.permutation(rows) for part, rows in context.parts.items()}
    return fill_in_from_benchmark(AuditContext("mine", shuffled))


def own_table(context):
    """The benchmark's rows, with labels and names in another order."""
    names = context.class_names[::-1]
    labels = len(names) - 1 - context.labels
    facts = {"labels": labels, "class_names": names, "n_rows": len(labels)}
    return fill_in_from_benchmark(AuditContext("mine", context.parts, **facts))


def without_train_and_val(context):
    parts = {p: rows for p, rows in context.parts.items() if p not in ("train", "val")}
    return fill_in_from_benchmark(AuditContext("mine", parts))


def renumber_images(context):
    """The images in another order, so that only labels reveal the fault."""
    order = np.random.default_rng(0).permutation(len(context.labels))
    place = np.argsort(order)
    parts = {part: place[rows] for part, rows in context.parts.items()}
    labels = context.labels[order]
    return fill_in_from_benchmark(AuditContext("mine", parts, labels=labels, n_rows=len(labels)))


def renumbered_with_names(context):
    """The images of :func:`renumbered`, with the class names in another order."""
    other = renumber_images(context)
    labels = len(context.class_names) - 1 - other.labels
    return replace(other, labels=labels, class_names=context.class_names[::-1])


FORMS = [
    keep_context,
    by_rows,
    rows_in_any_order,
    own_table,
    without_train_and_val,
    renumber_images,
    renumbered_with_names,
]
RENUMBERED = (renumber_images, renumbered_with_names)


def expected_marks(dataset, split, form):
    """Return the expected mark of each check."""
    true = dict(TRUE_OF_SPLIT[split])
    if form is without_train_and_val:
        true |= {"ZSL003": PASS, "ZSL010": PASS}  # v1 and 2.0 differ only in train and val
    if form is keep_context and dataset == "aPY" and true["ZSL003"] is PASS:
        true["ZSL003"] = "open"  # train_allclass_loc has 6,333 rows of test_unseen
    if form in RENUMBERED:
        true |= {"ZSL010": INFO}
    photographs = {"AWA1": NOT_RUN, "aPY": FAIL}.get(dataset, PASS)
    true["ZSL012"] = NOT_RUN if form in RENUMBERED else photographs
    true["ZSL011"] = WARN if dataset in ("SUN", "CUB") and split != "SS" else PASS
    return true


@pytest.fixture(scope="module")
def alone(xlsa17, tmp_path_factory):
    """Read a published file alone, once."""

    @cache
    def read(dataset, file):
        folder = tmp_path_factory.mktemp("alone")
        shutil.copy(xlsa17 / dataset / file, folder / "att_splits.mat")
        return context_of(folder / "att_splits.mat", into=folder)

    return read


def finding_of(context, id_):
    """Return the findings of one check, without those answered by facts."""
    (check,) = [check for check in CHECKS if check.id == id_]
    return [f for f in run_check(check, context) if "filled in from" not in f.sentence]


@pytest.mark.nightly
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", LABELS)
def test_every_published_file_has_the_right_verdict_in_every_form(xlsa17, alone, name, form):
    dataset = name.replace("APY", "aPY")
    result = [file for file in FILES if (xlsa17 / name / file).exists()]
    assert {FILES[file] for file in result} >= {"PS v1", "PS 2.0"}
    for file in result:
        split = FILES[file]
        context = form(alone(name, file))
        text = {id_: finding_of(context, id_) for id_ in expected_marks(dataset, split, form)}
        worst = {id_: min((f.mark for f in text[id_]), key=MARKS.index) for id_ in text}
        assert worst == expected_marks(dataset, split, form), (file, text)
        sentences_are_true(dataset, split, form, text)


def sentences_are_true(dataset, split, form, findings):
    identity = findings["ZSL010"][0].sentence
    if form is renumber_images:
        assert identity == "This split is neither a published one nor close to one."
    elif form is renumbered_with_names:
        same = (
            f"Each part has as many images of each class as in {dataset} {split[:2]}, but in "
            "a different order"
        )
        assert identity.startswith(same)
    elif form is without_train_and_val and split != "SS":
        assert identity.startswith(f"{dataset} PS v1 or PS 2.0, with the published rows: these spl")
    else:
        how = (
            "identical to the published file" if form is keep_context else "with the published rows"
        )
        assert identity.startswith(f"{dataset} {split}, {how}.")
    if worst_is_v1 := split == "PS v1" and form is not without_train_and_val:
        n = SPLIT_OF_NAME[dataset, split].counts["test_seen"]
        (leak,) = findings["ZSL003"]
        assert f"all {n:,} rows of test_seen are also in train or val" in leak.sentence.lower()
        assert ("PS v1" in leak.sentence) == (form not in RENUMBERED)
    if form is keep_context and dataset == "aPY" and not worst_is_v1:
        (question,) = (f for f in findings["ZSL003"] if f.mark == "open")
        assert question.sentence == (
            "Probably supervised splits, whose training lists contain 6,333 of 7,924 rows of "
            "test_unseen: train_allclass_loc and test_allclass_loc have each of the 15,339 images "
            "once; tunseen_train_loc and tunseen_test_loc have each row of test_unseen once."
        )
    else:
        assert worst_is_v1 or [f.mark for f in findings["ZSL003"]] == [PASS]
    shared = [f for f in findings["ZSL012"] if f.mark == FAIL]
    if dataset == "aPY" and form not in RENUMBERED:
        # In v1, the rows of test_seen themselves are in train or val, which ZSL003 reports.
        parts = ["test_unseen"] if worst_is_v1 else list(OF_ONE_PHOTOGRAPH)
        (of_tests,) = shared
        assert [
            part for part in OF_ONE_PHOTOGRAPH if f"rows of {part}" in of_tests.sentence
        ] == parts
        n, n_rows = (sum(OF_ONE_PHOTOGRAPH[part][k] for part in parts) for k in (0, 1))
        assert of_tests.numbers["rows"] >= n
        assert of_tests.numbers["of"] == n_rows
        for part in parts:
            n, n_rows = OF_ONE_PHOTOGRAPH[part]
            assert worst_is_v1 or f"{n:,} of {n_rows:,} rows of {part}" in of_tests.sentence


SPLIT_OF_NAME = {(split.dataset, split.name): split for split in known_splits()}


@pytest.mark.parametrize("name", ["AWA1", "AWA2", "CUB", "SUN"])
def test_the_standard_split_without_labels_is_answered_from_facts(xlsa17, alone, name):
    file = next(f for f in FILES if FILES[f] == "SS" and (xlsa17 / name / f).exists())
    context = replace(alone(name, file), vocabularies=(get_vocabulary("imagenet-1k"),))
    findings = [f for f in finding_of(context, "ZSL006") if f.mark in (FAIL, WARN)]
    listed = published_table("overlap_imagenet1k_ss").query("dataset == @name")["class"]
    assert findings[0].mark is FAIL
    # Keys are names such as "market indoor".
    classes = [class_key(c) for f in findings for c in f.classes]
    assert all(any(c.startswith(class_key(x)) for c in classes) for x in listed)
    (identity,) = [check for check in CHECKS if check.id == "ZSL010"]
    answered = run_check(identity, context)[-1]
    assert f"These are rows of {name}" in answered.sentence
    assert "class of each row" in answered.sentence
    assert "class of each row" in audit_context(context).read_as["filled in from the benchmark"]
    assert np.array_equal(context.labels, labels_of(xlsa17 / name))


def test_stored_facts_apply_only_to_recognised_rows(alone):
    """Other rows, other labels or simulated data of the same shape get no facts."""
    context = alone("AWA2", "att_splits.mat")
    parts = {part: rows + 1 for part, rows in context.parts.items()}
    assert fill_in_from_benchmark(AuditContext("mine", parts)).labels is None
    bare = AuditContext("mine", context.parts)
    other = np.random.default_rng(0).permutation(context.labels)
    assert (
        fill_in_from_benchmark(replace(bare, labels=other, n_rows=len(other))).photographs is None
    )
    assert fill_in_from_benchmark(replace(bare, n_rows=len(other) + 1)).labels is None
    assert fill_in_from_benchmark(replace(bare, simulated=True)).labels is None
    named = fill_in_from_benchmark(
        replace(bare, class_names=tuple(f"thing {c}" for c in range(50)))
    )
    assert named.labels is None
    assert fill_in_from_benchmark(bare).class_names[0] == "antelope"


@pytest.mark.parametrize("policy", POLICIES)
def test_the_corrected_split_of_apy_separates_photographs_and_keeps_all_classes(alone, policy):
    context = alone("APY", "att_splits.mat")
    corrected = correct_context(context, policy)
    again = corrected.context
    assert [f.mark for f in finding_of(again, "ZSL012")] == [PASS]
    for parts in (("trainval",), ("test_unseen",), ("test_seen",)):
        np.testing.assert_array_equal(again.classes(*parts), context.classes(*parts))
    removed = {part: len(rows) for part, rows in corrected.removed.items()}
    assert removed["trainval"] == 3171
    tested = (0, 0) if policy == "test first" else (817, 2885)
    assert (removed["test_seen"], removed["test_unseen"]) == tested


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("split", "pairs"), [("PS", {(1310, 16520)}), ("SS", {(16520, 1310), (17131, 1318)})]
)
def test_crowded_hand_crafted_features_have_few_near_pairs(awa1_lss, split, pairs):
    """Pictures of plain sky or water are near hundreds of others without being copies."""
    split = awa1_lss.split(split)
    near = near_rows(awa1_lss.features, split.trainval, split.test_unseen)
    assert set(zip(near.test.tolist(), near.train.tolist(), strict=True)) == pairs
    assert near.distance[0] == 0


@pytest.mark.nightly
def test_copies_planted_in_crowded_features_are_found(awa1_lss):
    split, rng = awa1_lss.split("PS"), np.random.default_rng(0)
    X = np.array(awa1_lss.features, dtype=np.float32)
    train, test = rng.permutation(split.trainval)[:200], rng.permutation(split.test_unseen)[:200]
    noise = rng.normal(size=(200, X.shape[1])) / np.sqrt(X.shape[1])
    X[test] = X[train] + 0.02 * np.linalg.norm(X[train], axis=1, keepdims=True) * noise
    near = near_rows(X, split.trainval, split.test_unseen)
    result = set(zip(near.test.tolist(), near.train.tolist(), strict=True))
    assert len(result & set(zip(test.tolist(), train.tolist(), strict=True))) >= 199
