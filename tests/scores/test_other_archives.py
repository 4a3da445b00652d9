"""Score files that state the seen side, use other array names, or are JSON records."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.writing import write_file
from zslcore.exceptions import DatasetError
from zslcore.leakage.file_kinds import recognise_file
from zslcore.scores import interpret, judge
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


def metrics(path):
    matrix = interpret(read_scores(path), ["as-is"])[0]
    return judge(matrix).metrics


@pytest.fixture
def expected(tmp_path):
    path = write_file(tmp_path / "expected.npz", {"scores": F, "labels": Y, "unseen": ~SEEN})
    return metrics(path)


@pytest.mark.parametrize("key", STATED)
@pytest.mark.parametrize(
    ("scores", "labels"), [("scores", "labels"), ("similarity", "gt"), ("distances", "y")]
)
def test_a_score_file_may_state_its_seen_or_unseen_classes(tmp_path, expected, key, scores, labels):
    path = tmp_path / "own.npz"
    np.savez(path, **{scores: F, labels: Y, key: STATED[key], "class_names": NAMES})
    assert metrics(path) == expected


@pytest.mark.parametrize("key", ["unseen", "seen"])
def test_predicted_classes_may_state_seen_or_unseen_classes(tmp_path, key):
    listed = np.flatnonzero(SEEN if key == "seen" else ~SEEN)
    path = write_file(
        tmp_path / "own.json",
        {"y_true": Y.tolist(), "y_pred": PREDICTED.tolist(), key: listed.tolist()},
    )
    (scores, *_) = interpret(read_scores(path), ["as-is"])
    assert np.array_equal(scores.seen, SEEN)


def test_unseen_classes_take_precedence_over_seen_classes(tmp_path, expected):
    path = tmp_path / "own.npz"
    np.savez(path, scores=F, labels=Y, unseen=np.flatnonzero(~SEEN), seen=np.flatnonzero(SEEN))
    assert metrics(path) == expected


@pytest.mark.parametrize("key", ["unseen", "seen"])
@pytest.mark.parametrize("kind", ["scores", "y_pred"])
def test_a_refusal_names_the_side_that_the_file_lists(tmp_path, key, kind):
    path = tmp_path / "own.npz"
    values = {"scores": F, "y_pred": PREDICTED}[kind]
    np.savez(path, **{kind: values, "labels": Y, f"{key}_classes": [9], "class_names": NAMES})
    with pytest.raises(DatasetError, match=f"{key} classes: expected .*0 to 5; got 9"):
        interpret(read_scores(path), ["as-is"])


@pytest.mark.parametrize("kind", ["scores", "y_pred"])
def test_a_list_of_all_classes_as_seen_is_refused(tmp_path, kind):
    path = write_file(
        tmp_path / "own.npz",
        {kind: {"scores": F, "y_pred": PREDICTED}[kind], "labels": Y, "seen": range(6)},
    )
    with pytest.raises(DatasetError, match="seen classes: expected some of the classes; got all"):
        interpret(read_scores(path), ["as-is"])


RECORDS = [
    {"image": f"{k}.jpg", "label": str(NAMES[y]), "pred": str(NAMES[p]), "boxes": []}
    for k, (y, p) in enumerate(zip(Y, PREDICTED, strict=True))
]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list.json", json.dumps(RECORDS)),
        ("by_image.json", json.dumps({record["image"]: record for record in RECORDS})),
        ("lines.jsonl", "".join(json.dumps(record) + "\n" for record in RECORDS)),
        ("table.tsv", "label\tpred\n" + "".join(f"{e['label']}\t{e['pred']}\n" for e in RECORDS)),
        ("columns.json", json.dumps({k: [e[k] for e in RECORDS] for k in ("label", "pred")})),
    ],
)
def test_records_are_predicted_classes(tmp_path, name, text):
    path = tmp_path / name
    result = read_scores(write_file(path, text), unseen=["cow", "fox"])
    assert [*result.labels] == [record["label"] for record in RECORDS]
    assert [*result.predicted] == [record["pred"] for record in RECORDS]


TABLE = pd.DataFrame(F, columns=NAMES).assign(label=NAMES[Y])
SORTED = np.argsort(-F, axis=1)
BY_CLASS = [dict(zip(NAMES.tolist(), row, strict=True)) for row in F.tolist()]
RANKED = [
    [{"label": str(NAMES[c]), "score": row[c]} for c in order]
    for row, order in zip(F.tolist(), SORTED, strict=True)
]
RECORDS_WITH_SCORES = {
    "lists": [{"probs": row} for row in F.tolist()],
    "objects": [{"scores": record} for record in BY_CLASS],
    "ranked pairs": [{"predictions": record} for record in RANKED],
    "ranked lists": [
        {"labels": [rank["label"] for rank in ranks], "scores": [rank["score"] for rank in ranks]}
        for ranks in RANKED
    ],
}
TABLES = {
    "rows": TABLE.to_json(orient="records"),
    "lines": TABLE.to_json(orient="records", lines=True),
    "columns": TABLE.to_json(),
    "split": TABLE.to_json(orient="split"),
    "inside": json.dumps({"model": "own", "seed": 0, "results": TABLE.to_dict(orient="records")}),
    "arrays inside": json.dumps({"of": {"lr": 1}, "test": {"logits": F.tolist(), "y": Y.tolist()}}),
} | {
    name: json.dumps([item | {"target": str(NAMES[y])} for item, y in zip(records, Y, strict=True)])
    for name, records in RECORDS_WITH_SCORES.items()
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_and_records_of_scores_in_json(tmp_path, expected, name):
    path = tmp_path / ("own.jsonl" if name == "lines" else "own.json")
    path.write_text(TABLES[name])
    numbered = name in ("lists", "arrays inside")
    unseen = np.flatnonzero(~SEEN) if numbered else NAMES[~SEEN]
    labels = None
    if name == "lists":
        labels = write_file(tmp_path / "y.npy", Y)
    file = read_scores(path, labels=labels, unseen=[*map(str, unseen)])
    assert recognise_file(path).kind == "scores"
    report = judge(interpret(file, ["as-is"])[0]).metrics
    assert {k: v for k, v in report.items() if v is not None} == pytest.approx(
        {k: v for k, v in expected.items() if v is not None}
    )


def test_scores_of_only_the_best_classes_are_read_as_predicted_classes(tmp_path):
    """Read as columns, the first class would have the largest score of every image."""
    records = [{"target": "bat", "labels": ["cow", "dog"], "scores": [2.0, 1.0]} for _ in Y]
    records[3]["labels"] = ["elk", "bat"]
    file = read_scores(write_file(tmp_path / "own.json", json.dumps(records)), unseen=["cow"])
    assert file.scores is None
    assert [*file.predicted] == ["elk" if k == 3 else "cow" for k in range(len(Y))]


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("key", ["unseen", "seen_mask"])
def test_marks_per_class_next_to_predicted_classes_are_not_class_numbers(tmp_path, key, named):
    """Read as a list, 0 and 1 would be the numbers of two classes."""
    path = tmp_path / "own.npz"
    names = {"class_names": NAMES} if named else {}
    np.savez(path, y_true=Y, y_pred=PREDICTED, **names, **{key: ~SEEN if key == "unseen" else SEEN})
    scores = interpret(read_scores(path), ["as-is"])[0]
    assert np.array_equal(scores.seen, SEEN)
