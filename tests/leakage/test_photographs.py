"""ZSL012: the same photograph or video, or a changed picture, on both sides of a split."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.datasets import files
from tests.leakage.worlds import clean, worlds
from tests.writing import as_cells
from zslcore.__main__ import main
from zslcore.datasets import ZSLDataset, load
from zslcore.datasets.facts import (
    class_facts,
    decode_runs,
    fact_sources,
    labels_digest,
    published_table,
    row_facts,
)
from zslcore.exceptions import DatasetError, FileRefusedError, ParameterError
from zslcore.leakage import (
    POLICIES,
    AuditContext,
    Thresholds,
    audit,
    audit_context,
    correct_context,
    counts,
)
from zslcore.leakage.checks import CHECKS, run_check
from zslcore.leakage.photographs import (
    Photographs,
    first_groups,
    photographs_in_files,
    photographs_of,
)

FAIL, WARN, PASS = "leak", "warning", "ok"
BENCHMARKS = ["AWA1", "AWA2", "CUB", "SUN", "aPY"]


def findings_on(context):
    (check,) = [check for check in CHECKS if check.id == "ZSL012"]
    return run_check(check, context)


def add_photographs(context, number):
    return replace(context, photographs=Photographs(np.asarray(number), "names of a test"))


def own_photographs(world):
    return add_photographs(world, np.arange(world.n_rows))


def sharing(world, part, n):
    """Give each of the first ``n`` rows of a part the photograph of a training row."""
    number = np.arange(world.n_rows)
    number[world.parts[part][:n]] = number[world.parts["train"][:n]]
    return add_photographs(world, number)


# --- Check ----------------------------------------------------------------------------------------


def test_without_image_names_the_check_of_photographs_is_open():
    (finding,) = findings_on(clean())
    assert finding.mark == "open"
    assert "needs the image file names" in finding.sentence


def test_different_names_pass_with_a_note_on_the_comparison():
    world = clean()
    (finding,) = findings_on(own_photographs(world))
    assert finding.mark is PASS
    assert finding.sentence == (
        f"All {world.n_rows} file names differ (names of a test); the images themselves were not "
        "compared."
    )
    number = np.arange(world.n_rows)
    number[world.parts["test_unseen"][:3]] = number[world.parts["test_unseen"][0]]
    (finding,) = findings_on(
        add_photographs(world, number)
    )  # all rows of this photograph are in one part
    assert (finding.mark, f"{world.n_rows - 2} different names" in finding.sentence) == (PASS, 1)


@pytest.mark.parametrize("part", ["test_seen", "test_unseen"])
def test_test_rows_of_a_photograph_that_was_trained_on_are_counted(part):
    world = clean()
    (finding,) = findings_on(sharing(world, part, 4))
    rows = np.sort(world.parts[part][:4])
    n = len(world.parts[part])
    assert finding.mark is FAIL
    assert finding.sentence == (
        f"4 of {n} rows of {part} ({400 / n:.1f} %) share a photograph with a training row, "
        "according to names of a test."
    )
    assert finding.rows == tuple(rows.tolist())
    assert finding.numbers == {"rows": 4, "of": n, "photographs": 4}
    assert finding.evidence[0].columns == ("photograph", f"rows of {part}", "training rows")
    assert {row[1:] for row in finding.evidence[0].rows} == {(1, 1)}


def test_photographs_of_both_test_parts_are_one_finding():
    world = sharing(clean(), "test_seen", 2)
    number, trained = world.photographs.number.copy(), world.parts["train"]
    number[world.parts["test_unseen"][:3]] = trained[[0, 0, 5]]
    (finding,) = findings_on(add_photographs(world, number))
    seen, unseen = len(world.parts["test_seen"]), len(world.parts["test_unseen"])
    assert finding.sentence.startswith(
        f"2 of {seen} rows of test_seen ({200 / seen:.1f} %) and 3 of {unseen} rows of test_unseen "
        f"({300 / unseen:.1f} %) share a photograph with a training row"
    )
    assert finding.numbers == {"rows": 5, "of": seen + unseen, "photographs": 3}
    assert finding.evidence[0].rows[0] == (f"photograph {trained[0]}", 1, 2, 1)
    assert finding.value == 2 / seen  # the larger share decides between warning and leak


def test_photographs_with_most_test_rows_come_first():
    world = clean()
    number, tested = np.arange(world.n_rows), world.parts["test_seen"]
    a, b, c = world.parts["train"][:3]
    number[tested[:1]], number[tested[1:4]], number[c] = a, b, b
    (finding,) = findings_on(add_photographs(world, number))
    assert finding.evidence[0].rows == ((f"photograph {b}", 3, 2), (f"photograph {a}", 1, 1))


def test_a_row_in_two_parts_is_reported_only_by_the_check_of_rows():
    world = own_photographs(clean())
    both = np.append(world.parts["trainval"], world.parts["test_seen"][:2])
    (finding,) = findings_on(replace(world, parts={**world.parts, "trainval": both}))
    assert finding.mark is PASS


def test_few_shared_photographs_are_a_warning_below_a_configurable_share():
    world = clean(per_class=150)
    n = len(world.parts["test_unseen"])
    few = sharing(world, "test_unseen", n // 100)
    more = sharing(world, "test_unseen", n // 100 + 1)
    assert [findings_on(w)[0].mark for w in (few, more)] == [WARN, FAIL]
    assert findings_on(replace(more, thresholds=Thresholds(share=0.05)))[0].mark is WARN


def test_validation_rows_of_a_photograph_that_was_trained_on_are_a_warning():
    world = sharing(clean(), "val", 2)
    val = world.parts["val"]
    (finding,) = findings_on(world)
    assert finding.mark is WARN
    assert finding.sentence.startswith(f"The pair train and val: 2 of {len(val)} validation rows ")
    fold = (world.parts["train"], val)
    pair, of_fold = findings_on(replace(world, fold_rows=(fold,)))
    assert (of_fold.mark, of_fold.rows) == (WARN, pair.rows)
    assert of_fold.sentence.startswith("Fold 1: 2 of")


def test_leaking_rows_are_counted_by_part():
    world = sharing(clean(), "test_seen", 4)
    table = counts.leaks_by_part(world, audit_context(world)).set_index("part")
    assert table.loc["test_seen", "leaking"] == 4


# --- Names, patterns and groups -------------------------------------------------------------------


def test_equal_names_are_one_photograph_and_unnamed_rows_are_single():
    photographs = Photographs.of_names(["b", "a", "", "b", ""], "x")
    n = photographs.number
    assert n[0] == n[3]
    assert len({n[0], n[1], n[2], n[4]}) == 4
    assert photographs.n == 4
    assert photographs.name(n[0]) == "b"
    assert photographs.name(n[4]).startswith("photograph ")


def test_one_name_for_all_rows_names_no_photograph():
    with pytest.raises(
        DatasetError, match=r"different image file names; got 'a' for all 3 rows\.$"
    ):
        Photographs.of_names(["a"] * 3, "x")
    assert photographs_of(None, None, ["a"] * 3) is None
    assert photographs_of(None, None, ()) is None


def test_a_pattern_extracts_the_photograph_from_a_name():
    names = ["cat_001.jpg", "cat_001_aug3.jpg", "cat_002_aug1.jpg", "README"]
    photographs = Photographs.of_names(names, "x", r"^(.*?)(_aug\d+)?\.jpg$")
    assert photographs.number.tolist() == [1, 1, 2, 0]
    assert photographs.names == ("README", "cat_001", "cat_002")
    assert photographs.source.endswith("(not found in 1 name)")
    videos = ["v_Archery_g01_c02/0001.png", "v_Archery_g01_c03/0007.png"]
    assert Photographs.of_names([*videos, "v_Archery_g02_c01/1.png"], "x", r"(.*_g\d+)_").n == 2


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        ("(", "expected a regular expression"),
        ("a*", "expected a group in round brackets"),
        ("(a{99999999999999999999})", "expected a regular expression"),
        ("(" * 150 + ")" * 150, "expected at most 200 characters; got 300"),
        ("(zebra)", "matches none of the names, the first of which is 'cat'"),
    ],
)
def test_an_invalid_pattern_is_one_sentence(pattern, sentence):
    with pytest.raises(ParameterError, match=r"^Pattern [^\n]+\.$") as refused:
        first_groups(["cat", "dog"], pattern)
    assert sentence in str(refused.value)


@pytest.mark.nightly
def test_a_pattern_with_exponential_time_is_stopped():
    with pytest.raises(
        ParameterError, match=r"takes more than 1 s for 2 names; use a simpler pattern"
    ):
        first_groups(["a" * 60 + "!", "b"], "^((a|aa)+)$", seconds=1)


@pytest.mark.parametrize(
    "name", ["{outside}/b.jpg", "../outside/b.jpg", "linked/b.jpg", "link.jpg", "a\0.jpg", "sub"]
)
def test_contents_of_files_outside_the_folder_are_never_compared(tmp_path, name):
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    for path in (outside / "b.jpg", folder / "a.jpg", folder / "sub" / "b.jpg"):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"image" * 20)
    (folder / "linked").symlink_to(outside)
    (folder / "link.jpg").symlink_to(outside / "b.jpg")
    (folder / "c.jpg").write_bytes(b"other" * 20)
    files = ["a.jpg", "c.jpg"]
    inside = photographs_in_files(folder, [*files, "sub/b.jpg"], {})
    assert inside.number[2] == inside.number[0] != inside.number[1]
    assert photographs_in_files(folder, [*files, name.format(outside=outside)], {}) is None
    assert photographs_in_files(folder, ["a.jpg", "sub/b.jpg"], {}) is None  # placeholders


def test_groups_may_be_numbers_names_or_files(tmp_path):
    same = [0, 1, 0]
    assert photographs_of(np.array([7, 3, 7])).number.tolist() == [1, 0, 1]
    assert photographs_of(["b", "c", "b"]).number.tolist() == same
    for name, text in (
        ("groups.txt", "b\nc\nb\n"),
        ("groups.csv", "x,group\n1,b\n2,c\n3,b\n"),
        ("images.csv", "image_file,x\nb,1\nc,2\nb,3\n"),
    ):
        (tmp_path / name).write_text(text)
        photographs = photographs_of(tmp_path / name)
        assert (photographs.number.tolist(), photographs.source) == (same, name)
    assert photographs_of(tmp_path / "groups.txt", "([bc])").number.tolist() == same


@pytest.mark.usefixtures("in_process")
def test_groups_may_be_arrays_in_a_file(tmp_path):
    np.savez(tmp_path / "a.npz", groups=np.array([5, 2, 5]))
    np.savez(tmp_path / "b.npz", image_files=np.array(["b", "c", "b"]))
    np.savez(tmp_path / "c.npz", other=np.zeros(3))
    assert photographs_of(tmp_path / "a.npz").number.tolist() == [1, 0, 1]
    assert photographs_of(tmp_path / "b.npz").number.tolist() == [0, 1, 0]
    with pytest.raises(FileRefusedError, match=r"^c.npz: expected the variable 'groups' or"):
        photographs_of(tmp_path / "c.npz")


def test_invalid_groups_are_refused_in_one_sentence(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    for groups, sentence in (
        (tmp_path / "a.csv", "expected a column 'group' or 'image_file'; got x, y"),
        (tmp_path / "nowhere.txt", "found none"),
        (np.zeros((2, 2), int), "expected one whole number or name per row"),
        ([0.5, 1.0], "expected one whole number or name per row"),
    ):
        with pytest.raises((FileRefusedError, DatasetError), match=sentence):
            photographs_of(groups)
    with pytest.raises(ParameterError, match="needs names"):
        photographs_of(None, "(.*)")


@pytest.mark.usefixtures("in_process")
def test_image_names_are_read_next_to_labels_and_features(tmp_path):
    folder = files.write_folder(tmp_path / "unique")
    report = audit(folder)
    assert report.mark("ZSL012") is PASS
    assert report.read_as["photographs"] == "image_files in res101.mat"
    names = [f"{i:03d}.jpg" for i in range(files.N)]
    names[files.TEST_SEEN[0]] = names[files.TRAINVAL[0]]
    folder = files.write_folder(tmp_path / "shared", features={"image_files": as_cells(names)})
    (finding,) = audit(folder).of("ZSL012")
    assert finding.rows == (files.TEST_SEEN[0],)
    assert finding.evidence[0].rows == ((names[files.TRAINVAL[0]], 1, 1),)
    # Names of other images and invalid names are no reason to refuse a split.
    for odd in (as_cells(names[1:]), np.ones((files.N, 2))):
        folder = files.write_folder(tmp_path / "odd", features={"image_files": odd})
        assert audit(folder).mark("ZSL012") == "open"


@pytest.mark.usefixtures("in_process")
def test_the_command_line_takes_groups_and_a_pattern(tmp_path, capsys, printed):
    folder = files.write_folder(tmp_path / "data")
    names = [f"film_{i:03d}_frame_{i}.png" for i in range(files.N)]
    names[files.TEST_SEEN[0]] = f"film_{files.TRAINVAL[0]:03d}_frame_99.png"
    path = tmp_path / "names.txt"
    path.write_text("\n".join(names))
    command = ["check", str(folder), "--pretraining", "none", "--groups", str(path)]
    assert "OPEN     ZSL012" in printed(*command, status=3)
    assert main([*command, "--group-pattern", "(film_[0-9]+)_"]) == 1
    assert "1 of 3 rows of test_seen" in capsys.readouterr().out
    corrected = tmp_path / "corrected.mat"
    main([*command, "--group-pattern", "(film_[0-9]+)_", "--correct", str(corrected)])
    images = str(folder / "res101.mat")
    options = ["--labels", images, "--features", images, "--groups", str(path)]
    again = ["check", str(corrected), *options, "--group-pattern", "(film_[0-9]+)_"]
    capsys.readouterr()
    main(again)
    assert "OK       ZSL012" in capsys.readouterr().out
    path.write_text("\n".join(names[1:]))
    assert "29 names or groups of images for 30 rows" in printed(*command, status=2)


def test_data_sets_identify_the_photographs_of_their_images():
    digits = load("digits")
    arguments = {
        field: getattr(digits, field)
        for field in ("name", "features", "labels", "prototypes", "class_names", "splits")
    }
    split = digits.split("PS")
    names = [f"{row}.png" for row in range(len(digits.labels))]
    names[split.test_unseen[0]] = names[split.trainval[0]]
    context = AuditContext.of_split(split, ZSLDataset(**arguments, image_files=names))
    assert findings_on(context)[0].rows == (split.test_unseen[0],)
    alike = ZSLDataset(**arguments, image_files=["x.png"] * len(names))
    assert AuditContext.of_split(split, alike).photographs is None


# --- Corrected split ------------------------------------------------------------------------------


def draw_photographs(world, seed, n_photographs):
    """Give every row one of a few photographs, in any part."""
    rng = np.random.default_rng(seed)
    return add_photographs(world, rng.integers(n_photographs, size=world.n_rows))


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=10, deadline=None)
@given(world=worlds(), seed=st.integers(0, 1000), n=st.integers(40, 400))
def test_a_corrected_split_has_no_photograph_on_both_sides(policy, world, seed, n):
    world = draw_photographs(world, seed, n)
    try:
        corrected = correct_context(world, policy).context
    except DatasetError:
        assert policy == "drop"  # the policy "drop" may leave no unseen row, and is then refused
        return
    assert [f.mark for f in findings_on(corrected)] == [PASS]
    assert audit_context(corrected).mark("ZSL003") == "ok"
    np.testing.assert_array_equal(corrected.classes("trainval"), world.classes("trainval"))


def test_correction_removes_training_rows_and_keeps_the_test_set():
    world = sharing(clean(), "test_seen", 4)
    corrected = correct_context(world)
    for part in ("test_seen", "test_unseen"):
        np.testing.assert_array_equal(corrected.parts[part], np.sort(world.parts[part]))
    np.testing.assert_array_equal(corrected.removed["trainval"], np.sort(world.parts["train"][:4]))
    dropped = correct_context(world, "drop").removed
    np.testing.assert_array_equal(dropped["test_seen"], np.sort(world.parts["test_seen"][:4]))


def test_a_class_that_would_lose_all_its_training_rows_keeps_them():
    world = clean()
    c = world.labels[world.parts["train"][0]]
    mine = world.rows("trainval")[world.labels[world.rows("trainval")] == c]
    number = np.arange(world.n_rows)
    tested = world.parts["test_unseen"][: len(mine)]
    number[tested] = number[mine]
    world = add_photographs(world, number)
    corrected = correct_context(world)
    assert c in corrected.context.classes("trainval")
    np.testing.assert_array_equal(corrected.removed["test_unseen"], np.sort(tested))
    assert not len(corrected.removed["trainval"])
    unlabelled = correct_context(replace(world, labels=None, features=None))
    np.testing.assert_array_equal(unlabelled.removed["trainval"], mine)


def test_correction_removes_a_train_row_shared_with_val_but_keeps_it_in_trainval():
    world = sharing(clean(), "val", 2)
    corrected = correct_context(world)
    np.testing.assert_array_equal(corrected.removed["train"], np.sort(world.parts["train"][:2]))
    assert not len(corrected.removed["trainval"])
    assert not len(corrected.removed["val"])
    fold = (world.parts["train"], world.parts["val"])
    ((train, _),) = correct_context(replace(world, fold_rows=(fold,))).context.fold_rows
    assert not np.isin(world.parts["train"][:2], train).any()


# --- Facts ----------------------------------------------------------------------------------------


def test_run_lengths_are_read():
    assert decode_runs("0*3 7 1*2").tolist() == [0, 0, 0, 7, 1, 1]


@pytest.mark.parametrize("name", BENCHMARKS)
def test_stored_facts_of_rows_agree_with_printed_counts(name):
    facts = row_facts(name)
    printed = published_table("dataset_statistics").set_index("dataset").loc[name]
    assert len(facts.labels) == printed["images"]
    assert len(np.unique(facts.labels)) == printed["classes"]
    classes = class_facts(name).classes
    assert facts.labels.max() == len(classes) - 1
    assert np.bincount(facts.labels).tolist() == classes["images"].tolist()
    assert facts.photographs is None or len(facts.photographs) == len(facts.labels)
    assert not facts.labels.flags.writeable


def test_only_apy_has_more_rows_than_photographs():
    n = {name: (row_facts(name).n_photographs, len(row_facts(name).labels)) for name in BENCHMARKS}
    assert n.pop("aPY") == (6577, 15339)
    assert n.pop("AWA1") == (0, 30475)  # the released image names are not known
    assert all(a == b for a, b in n.values())
    assert row_facts("aPY").shared == {"PS 2.0": {"test_seen": 817, "test_unseen": 2885}}


def test_simulated_images_are_separate_photographs_unless_named_otherwise():
    data = load("simulated-SUN")
    (finding,) = findings_on(AuditContext.of_split(data.split("PS"), data))
    assert (finding.mark, finding.sentence) == (
        PASS,
        "No photograph is on both sides of the split (simulated data: each image is drawn "
        "independently).",
    )
    data = load("simulated-aPY")
    assert {f.mark for f in findings_on(AuditContext.of_split(data.split("PS"), data))} >= {FAIL}


def test_facts_are_the_released_labels():
    for name, facts in fact_sources().items():
        assert labels_digest(row_facts(name).labels) == facts["labels"]
