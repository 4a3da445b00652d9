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
    assert card.figures[0].value == "16"
    assert "test_allclass_loc" in card.read_as["in the file, but outside the split"]
    assert main(["check", str(leaking)]) == 1
    assert "train_allclass_loc" in printed("check", "--format", "text", leaking, status=1)


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
    assert card.figures[0].value == "0"
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
