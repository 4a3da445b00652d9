"""Score files that state the seen side, name arrays otherwise, or are records of JSON."""

import json

import numpy as np
import pytest

from zslcore.exceptions import DatasetError
from zslcore.scores import interpreted, judge
from zslcore.scores.reading import read_scores

rng = np.random.default_rng(4)
NAMES = np.array(["bat", "cow", "dog", "emu", "fox", "gnu"])
SEEN = np.array([True, False, True, True, False, True])
Y = np.repeat(np.arange(6), 20)
F = rng.normal(size=(len(Y), 6)) + 2 * np.eye(6)[Y]
PREDICTED = F.argmax(axis=1)

#: Ways to state the sides in an archive.
STATED = {
    "unseen_classes": np.flatnonzero(~SEEN),
    "seen_classes": np.flatnonzero(SEEN),
    "seen": SEEN,
    "seen_mask": SEEN.astype(int),
    "base_classes": NAMES[SEEN],
}


def figures(path):
    matrix = interpreted(read_scores(path), ["as-is"])[0]
    return judge(matrix).figures


@pytest.fixture
def expected(tmp_path):
    path = tmp_path / "expected.npz"
    np.savez(path, scores=F, labels=Y, unseen=~SEEN)
    return figures(path)


@pytest.mark.parametrize("key", STATED)
@pytest.mark.parametrize(("scores", "labels"), [("scores", "labels"), ("similarity", "gt")])
def test_either_side_may_be_stated(tmp_path, expected, key, scores, labels):
    path = tmp_path / "own.npz"
    np.savez(path, **{scores: F, labels: Y, key: STATED[key], "class_names": NAMES})
    assert figures(path) == expected


@pytest.mark.parametrize("key", ["unseen", "seen"])
def test_either_side_may_be_stated_with_predicted_classes(tmp_path, key):
    listed = np.flatnonzero(SEEN if key == "seen" else ~SEEN)
    path = tmp_path / "own.json"
    path.write_text(json.dumps(
        {"y_true": Y.tolist(), "y_pred": PREDICTED.tolist(), key: listed.tolist()}
    ))  # fmt: skip
    (scores, *_) = interpreted(read_scores(path), ["as-is"])
    assert np.array_equal(scores.seen, SEEN)


def test_a_file_with_both_sides_is_read_by_the_unseen_one(tmp_path, expected):
    path = tmp_path / "own.npz"
    np.savez(path, scores=F, labels=Y, unseen=np.flatnonzero(~SEEN), seen=np.flatnonzero(SEEN))
    assert figures(path) == expected


@pytest.mark.parametrize("key", ["unseen", "seen"])
@pytest.mark.parametrize("kind", ["scores", "y_pred"])
def test_a_refusal_names_the_side_that_the_file_lists(tmp_path, key, kind):
    path = tmp_path / "own.npz"
    of = {"scores": F, "y_pred": PREDICTED}[kind]
    np.savez(path, **{kind: of, "labels": Y, f"{key}_classes": [9], "class_names": NAMES})
    with pytest.raises(DatasetError, match=f"{key} classes: expected .*0 to 5; got 9"):
        interpreted(read_scores(path), ["as-is"])


@pytest.mark.parametrize("kind", ["scores", "y_pred"])
def test_a_list_of_all_classes_as_seen_is_refused(tmp_path, kind):
    path = tmp_path / "own.npz"
    np.savez(
        path, **{kind: {"scores": F, "y_pred": PREDICTED}[kind], "labels": Y, "seen": range(6)}
    )
    with pytest.raises(DatasetError, match="seen classes: expected some of the classes; got all"):
        interpreted(read_scores(path), ["as-is"])


RECORDS = [
    {"image": f"{k}.jpg", "label": str(NAMES[y]), "pred": str(NAMES[p]), "boxes": []}
    for k, (y, p) in enumerate(zip(Y, PREDICTED, strict=True))
]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list.json", json.dumps(RECORDS)),
        ("by_image.json", json.dumps({each["image"]: each for each in RECORDS})),
        ("lines.jsonl", "".join(json.dumps(each) + "\n" for each in RECORDS)),
        ("table.tsv", "label\tpred\n" + "".join(f"{e['label']}\t{e['pred']}\n" for e in RECORDS)),
        ("columns.json", json.dumps({k: [e[k] for e in RECORDS] for k in ("label", "pred")})),
    ],
)
def test_records_are_predicted_classes(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    found = read_scores(path, unseen=["cow", "fox"])
    assert [*found.labels] == [each["label"] for each in RECORDS]
    assert [*found.predicted] == [each["pred"] for each in RECORDS]
