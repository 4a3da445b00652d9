"""Row numbers are read in other ways before a leak is reported, and no leak is explained away."""

import numpy as np
import pytest
from scipy.io import savemat

from tests.cards import cards_of_files
from zslcore.leakage import audit

pytestmark = pytest.mark.usefixtures("in_process")
N, CLASSES = 120, 6
Y = np.random.default_rng(0).permutation(np.repeat(np.arange(CLASSES), N // CLASSES))
ROWS = np.arange(N)
UNSEEN = ROWS[Y >= 4]
SEEN = np.concatenate([ROWS[c == Y][:10] for c in range(4)])
TRAINVAL = np.setdiff1d(ROWS[Y < 4], SEEN)
SOUND = {"trainval": TRAINVAL, "test_seen": np.sort(SEEN), "test_unseen": UNSEEN}


@pytest.fixture
def card(tmp_path):
    """Return the card of lists as in a file, with features, labels and names of images."""

    def of(labels=Y, **lists):
        S = np.random.default_rng(1).uniform(size=(CLASSES, 9))
        names = np.array([f"thing {c}" for c in range(CLASSES)], dtype=object)[:, None]
        rows = {f"{name}_loc": values.reshape(-1, 1) for name, values in lists.items()}
        savemat(tmp_path / "split.mat", rows | {"att": S.T, "allclasses_names": names})
        X = np.random.default_rng(2).normal(size=(20, N))
        files = np.array([f"{i}.jpg" for i in ROWS], dtype=object)[:, None]
        images = {"features": X, "labels": labels[:, None] + 1, "image_files": files}
        savemat(tmp_path / "res101.mat", images)
        return cards_of_files([tmp_path / "split.mat", tmp_path / "res101.mat"], ["none"])[0]

    return of


def one(parts):
    return {name: rows + 1 for name, rows in parts.items()}


def masks(kind):
    return {name: np.isin(ROWS, rows).astype(kind) for name, rows in SOUND.items()}


READINGS = {
    "as they are": (
        one(SOUND),
        "clean",
        "No test image was trained on (0 of 80). No photograph or class",
    ),
    "from 0": (SOUND, "clean", "The rows are read as numbered from 0; no leak was found."),
    "from 2": (one(one(SOUND)), "clean", "The rows are read as numbered from 2; no leak was"),
    "boolean": (masks(bool), "clean", "The lists are read as masks of 120 images"),
    "bytes": (masks(np.uint8), "clean", "The lists are read as masks of 120 images"),
    "trainval": (
        one(SOUND) | {"trainval": TRAINVAL + 2},
        "broken",
        "Only the row numbers of trainval are one too high; they are read shifted by one; no row "
        "or class is on both",
    ),
    "test_unseen": (
        one(SOUND) | {"test_unseen": UNSEEN},
        "broken",
        "Only the row numbers of test_unseen are one too",
    ),
    "exchanged": (
        one({"trainval": TRAINVAL, "test_seen": UNSEEN, "test_unseen": SEEN}),
        "broken",
        "test_seen and test_unseen are swapped",
    ),
}


@pytest.mark.parametrize("name", READINGS)
def test_the_reading_without_contradictions_is_the_headline(card, name):
    lists, verdict, sentence = READINGS[name]
    actual = card(**lists)
    assert (actual.verdict, actual.metrics[0].value) == (verdict, "0")
    assert actual.sentence.startswith(sentence)
    assert not actual.select_findings("leak")
    assert len(actual.select_findings("error")) == (verdict == "broken")


@pytest.mark.parametrize("part", SOUND)
@pytest.mark.parametrize("kind", [bool, np.uint8])
def test_one_list_may_be_a_mask_next_to_lists_of_row_numbers(card, part, kind):
    actual = card(**one(SOUND) | {part: masks(kind)[part]})
    assert (actual.verdict, actual.metrics[0].value) == ("clean", "0")
    assert actual.sentence.startswith(
        f"Read as masks of 120 images, although other lists have row numbers: {part}"
    )
    leaking = np.append(TRAINVAL, SEEN[:3])
    listed = one(SOUND | {"trainval": leaking}) | {"test_unseen": masks(kind)["test_unseen"]}
    assert card(**listed).metrics[0].value == "3"


@pytest.mark.parametrize("n", [1, 2, 7, 20])
def test_test_rows_that_were_trained_on_are_counted_and_not_explained_away(card, n):
    leaking = SOUND | {"trainval": np.append(TRAINVAL, SOUND["test_seen"][:n])}
    actual = card(**one(leaking))
    assert (actual.verdict, actual.metrics[0].value) == ("leaks", str(n))
    of_zero = card(**leaking)  # the rows in these lists count from 0
    assert (of_zero.verdict, of_zero.metrics[0].value) == ("leaks", str(n))
    assert of_zero.sentence.startswith(
        "The rows are read as numbered from 0: In both trainval (training) and"
    )


@pytest.mark.parametrize("n", [1, 2, 3])
def test_leaks_that_remain_in_a_reading_are_reported_with_it(card, n):
    unseen = SOUND | {"trainval": np.append(TRAINVAL, UNSEEN[:n])}
    exchanged = {"trainval": np.append(TRAINVAL, SEEN[:n]), "test_seen": UNSEEN}
    for lists, sentence in (
        (unseen, "The rows are read as numbered from 0: "),
        (one(one(unseen)), "The rows are read as numbered from 2: "),
        (one(exchanged | {"test_unseen": SEEN}), "test_seen and test_unseen are swapped; "),
    ):
        actual = card(**lists)
        assert (actual.verdict, actual.metrics[0].value) == ("leaks", str(n))
        assert actual.sentence.startswith(sentence)
        assert f" {n} row" in actual.sentence


def test_two_swapped_lists_of_few_images_are_read_as_each_other(card):
    unseen = np.concatenate([ROWS[c == Y][:3] for c in (4, 5)])
    seen = np.concatenate([ROWS[c == Y][:2] for c in range(4)])
    actual = card(**one({"trainval": TRAINVAL[:30], "test_seen": unseen, "test_unseen": seen}))
    assert actual.sentence.startswith("test_seen and test_unseen are swapped; ")


@pytest.mark.parametrize("leaked", [np.array([81, 82]), np.array([80, 81, 82, 83, 84])])
def test_no_reading_removes_the_leak_of_a_block(card, leaked):
    y = np.repeat(np.arange(CLASSES), N // CLASSES)
    parts = {"trainval": np.append(np.arange(1, 80), leaked), "test_unseen": np.arange(80, 119)}
    actual = card(labels=y, **one(parts))
    assert (actual.verdict, actual.metrics[0].value) == ("leaks", str(len(leaked)))


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", ["{}_loc", "{}_idx"])
def test_sorted_images_numbered_off_by_one_raise_a_question(tmp_path, name, first):
    """Neither row 0 nor the last row is used, so only the classes show where counting starts."""
    y = np.repeat(np.arange(CLASSES), N // CLASSES)
    seen = np.concatenate([ROWS[c == y][:5] for c in range(4)])
    parts = {"train": np.setdiff1d(ROWS[y < 4], seen), "test_seen": seen[1:]}
    parts["test_unseen"] = ROWS[y >= 4][:-1]
    for leaked in ((), seen[3:4]):
        listed = parts | {"train": np.append(parts["train"], leaked).astype(int)}
        lists = {name.format(part): rows + first for part, rows in listed.items()}
        np.savez(tmp_path / "split.npz", **lists, labels=y)
        report = audit(tmp_path / "split.npz", pretraining=["none"])
        questions = [
            f.sentence
            for f in report.select_findings("open")
            if "are read as numbered" in f.sentence
        ]
        assert report.verdict == ("leaks" if len(leaked) else "unknown")
        is_usual = first == (name == "{}_loc")
        assert len(questions) == (not is_usual and not len(leaked))
        if questions:
            reason = f"; if numbered from {1 - first}, classes would be both seen and unseen"
            assert f"read as numbered from {first}{reason}" in questions[0]
            assert report.mark("ZSL001") == "ok"


def test_a_check_passes_only_on_rows_that_it_compared(card):
    wrapped = {k: (v + 32_700).astype(np.int16) for k, v in one(SOUND).items()}
    beyond = {k: v + 1000 for k, v in SOUND.items()}
    empty = one(SOUND | {"trainval": UNSEEN[:0], "test_seen": UNSEEN[:0]})
    out = "Out of range for 120 images: 40 rows of trainval, 40 of test_seen and 40 of test_unseen"
    overflow = "the negative numbers look like 16-bit numbers that overflowed."
    for lists, cause in (
        (wrapped, f"{out}; {overflow}"),
        (beyond, f"{out}."),
        (empty, "No rows in trainval."),
    ):
        actual = card(**lists)
        assert (actual.verdict, actual.sentence.startswith(cause)) == ("broken", True), (
            actual.sentence
        )
        compared = {
            "Classes both seen and unseen",
            "Photographs on both sides of the split",
            "Identical feature rows across the parts",
        }
        silent = {f.title for f in actual.findings if f.mark == "open"}
        assert compared <= silent
        of_them = [f.sentence for f in actual.findings if f.title in compared]
        assert all("nothing can be compared" in sentence for sentence in of_them)


def test_a_missing_trainval_is_the_union_of_train_and_val(card):
    train = TRAINVAL[Y[TRAINVAL] > 0]
    pair = {"train": train, "val": np.setdiff1d(TRAINVAL, train)}
    tests = {part: SOUND[part] for part in ("test_seen", "test_unseen")}
    # The first lists count from 1, the second from 0.
    for lists in (one(pair | tests), pair | tests):
        actual = card(**lists)
        assert (actual.verdict, actual.metrics[0].value) == ("clean", "0")
        text = [f.sentence for f in actual.select_findings("warning")]
        assert (
            "The file has no trainval list; trainval is read as the union of train and val." in text
        )
    leaking = pair | tests | {"val": np.append(pair["val"], SEEN[:2])}
    actual = card(**one(leaking))
    assert (actual.verdict, actual.metrics[0].value) == ("leaks", "2")


def test_one_unseen_row_in_training_is_counted_as_one(card):
    actual = card(**one(SOUND | {"trainval": np.append(TRAINVAL, UNSEEN[3])}))
    assert (actual.verdict, actual.metrics[0].value) == ("leaks", "1")
    half = UNSEEN[Y[UNSEEN] == 4][:8]
    parts = SOUND | {"trainval": np.append(TRAINVAL, half)}
    parts["test_unseen"] = np.setdiff1d(UNSEEN, half)
    actual = card(**one(parts))
    # Twelve test images have a class that was trained on.
    assert (actual.verdict, actual.metrics[0].value) == ("leaks", "12")


@pytest.mark.parametrize("shift", [0, 1])
def test_a_leak_at_the_border_of_a_block_is_not_read_as_a_shifted_list(card, shift):
    y = np.repeat(np.arange(CLASSES), N // CLASSES)
    parts = {"trainval": np.arange(80 + shift), "test_unseen": np.arange(80, N)}
    actual = card(labels=y, **one(parts))
    assert actual.verdict == ("leaks" if shift else "clean")


@pytest.mark.parametrize(
    ("names", "verdict"),
    [
        ("unlabeled unlabelled_train trans_train all all_train_test", "unknown"),
        ("train_allclass my_train", "leaks"),
        ("gallery", "clean"),
    ],
)
def test_lists_usable_without_labels_raise_a_question(card, names, verdict):
    for name in names.split():
        actual = card(**one(SOUND | {name: UNSEEN}))
        assert actual.verdict == verdict
        if verdict == "unknown":
            assert actual.sentence.startswith(
                f"{name}_loc contains 40 of 40 rows of test_unseen: transduc"
            )


def test_nonexistent_rows_and_weak_validation_are_not_leaks(card):
    beyond = one(SOUND)
    beyond["test_seen"] = np.append(beyond["test_seen"], N + 1)
    assert card(**beyond).verdict == "broken"
    mixed = np.random.default_rng(3).permutation(TRAINVAL)
    weak = one(SOUND | {"train": mixed[20:], "val": mixed[:20]})
    actual = card(**weak)
    assert actual.verdict == "clean"
    assert "trains and validates on the same classes" in actual.sentence
