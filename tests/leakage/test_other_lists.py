"""Lists of rows that are not parts of a split: a training list with test rows is a leak."""

import numpy as np
import pytest
from scipy.io import savemat

from tests.cards import cards_of_files
from zslcore.__main__ import main
from zslcore.exceptions import FileRefusedError
from zslcore.leakage import audit

pytestmark = pytest.mark.usefixtures("in_process")


def a_split(path, trainval=None, **more):
    """Write a clean split of 60 images and six classes; rows from 1."""
    y = np.repeat(np.arange(6), 10)
    rows = np.arange(1, 61)
    trainval_rows = rows[:30] if trainval is None else trainval
    parts = {"trainval": trainval_rows, "test_seen": rows[30:40], "test_unseen": rows[40:]}
    lists = {f"{name}_loc": values[:, None] for name, values in parts.items()}
    columns = {name: np.asarray(values, float)[:, None] for name, values in more.items()}
    names = np.array([f"class {c}" for c in "abcdef"], dtype=object)[:, None]
    savemat(path, lists | columns | {"labels": y[:, None] + 1, "allclasses_names": names})
    return path


@pytest.fixture
def leaking(tmp_path):
    """Return a split with a further training list that has most unseen test rows."""
    rows = np.r_[1:31, 41:57]
    return a_split(
        tmp_path / "sg.mat", train_allclass_loc=rows, test_allclass_loc=np.arange(57, 61)
    )


def test_a_further_training_list_with_test_rows_leaks_on_card_and_command(leaking, printed):
    card = cards_of_files([leaking], ["none"])[0]
    assert card.verdict == "leaks"
    assert card.sentence.startswith(
        "train_allclass_loc, a list named for training, contains 16 of 20 rows of test_unseen."
    )
    assert card.metrics[0].value == "16"
    assert "test_allclass_loc" in card.read_as["in the file, but outside the split"]
    assert main(["check", str(leaking)]) == 1
    assert "train_allclass_loc" in printed("check", "--format", "text", leaking, status=1)


def test_lists_that_divide_all_images_are_a_question_about_a_supervised_split(tmp_path):
    rows = np.arange(1, 61)
    seen_and_unseen = {"train_allclass_loc": rows[rows % 5 > 0], "test_allclass_loc": rows[4::5]}
    card = cards_of_files([a_split(tmp_path / "a.mat", **seen_and_unseen)], ["none"])[0]
    assert (card.verdict, card.metrics[0].value) == ("unknown", "0")
    assert card.sentence.startswith(
        "Probably a supervised split, whose training list contains 8 of 10 rows of test_seen and "
        "16 of 20 rows of test_unseen: train_allclass_loc and test_allclass_loc have each of the "
        "60 images once."
    )
    # Both pairs train on the same test rows, which is one question.
    unseen = {"tunseen_train_loc": rows[40:56], "tunseen_test_loc": rows[56:]}
    path = a_split(tmp_path / "b.mat", **unseen)
    (question,) = audit(path).of("ZSL003")
    assert question.mark == "open"
    assert question.sentence.endswith(
        "16 of 20 rows of test_unseen: tunseen_train_loc and tunseen_test_loc have each row of "
        "test_unseen once."
    )
    all_rows = {"train_all_loc": np.r_[1:31, 41:57], "test_all_loc": np.r_[31:41, 57:61]}
    path = a_split(tmp_path / "c.mat", **unseen, **all_rows)
    (question,) = audit(path).of("ZSL003")
    assert question.sentence.startswith("Probably supervised splits, whose training lists contain ")
    assert set(unseen) | set(all_rows) <= set(question.sentence.split())


@pytest.mark.parametrize(
    ("train", "test"),
    [
        (np.r_[1:31, 41:57], np.arange(57, 61)),  # neither list has the rows 31 to 40
        (np.r_[1:31, 41:57], np.r_[31:41, 56:61]),  # row 56 is in both
        (np.arange(1, 57), np.arange(57, 60)),  # without row 60
    ],
)
def test_lists_that_do_not_divide_the_images_leak(tmp_path, train, test):
    path = a_split(tmp_path / "a.mat", train_all_loc=train, test_all_loc=test)
    assert audit(path).mark("ZSL003") == "leak"
    # Without a test list of the same name, nothing indicates a supervised split.
    path = a_split(tmp_path / "b.mat", train_all_loc=np.arange(1, 57), test_x_loc=np.arange(57, 61))
    assert audit(path).mark("ZSL003") == "leak"


def test_training_lists_with_the_same_test_rows_share_a_finding(tmp_path):
    path = a_split(
        tmp_path / "a.mat", my_train_loc=np.r_[1:10, 41:50], train2_loc=np.arange(41, 50)
    )
    (finding,) = audit(path).of("ZSL003")
    assert finding.sentence == (
        "my_train_loc, train2_loc, lists named for training, contain 9 of 20 rows of test_unseen."
    )


@pytest.mark.parametrize(
    ("more", "mark"),
    [
        ({"test_allclass_loc": np.arange(31, 61)}, "ok"),  # a test list may have test rows
        ({"train_small_loc": np.arange(1, 10)}, "ok"),
        ({"train_note": np.arange(41, 57)}, "open"),  # an unread array may be a list of rows
        ({"note": np.arange(41, 57)}, "ok"),
    ],
)
def test_further_lists_without_test_rows_are_named_and_do_not_leak(tmp_path, more, mark):
    path = a_split(tmp_path / "more.mat", **more)
    finding = next(f for f in audit(path).of("ZSL003") if next(iter(more)) in f.sentence)
    card = cards_of_files([path], ["none"])[0]
    # An array that was not read may have test rows.
    assert card.sentence.startswith("No test image was trained on") == (mark == "ok")
    assert finding.mark == mark
    assert next(iter(more)) in str(cards_of_files([path], ["none"])[0].read_as)


def test_a_file_with_a_share_of_trainval_is_read_as_positions(tmp_path):
    a_split(tmp_path / "att_splits.mat")
    share = tmp_path / "split_10percent.mat"
    savemat(share, {"trainval_loc": np.array([[1, 30, 7]])})
    card = cards_of_files([share], ["none"])[0]
    assert card.read_as["rows"].startswith("3 of 30 rows of trainval_loc")
    assert card.metrics[0].value == "0"
    leaking = np.r_[1:31, 31:41]  # the file with 3 rows has none of the 10 test rows
    a_split(tmp_path / "att_splits.mat", trainval=leaking)
    assert cards_of_files([share], ["none"])[0].verdict != "leaks"
    # Position 31 has row 31, which is a test row.
    savemat(share, {"trainval_loc": np.array([[1, 31]])})
    assert cards_of_files([share], ["none"])[0].verdict == "leaks"
    savemat(share, {"trainval_loc": np.array([[41]])})
    with pytest.raises(FileRefusedError, match=r"within the 40 rows of trainval_loc .*got 41"):
        cards_of_files([share])
    (tmp_path / "att_splits.mat").unlink()
    with pytest.raises(FileRefusedError, match=r"expected att_splits\.mat next to this file"):
        cards_of_files([share])
