"""Score files of other layouts give the numbers of their matrix, or raise a question."""

import json

import h5py
import numpy as np
import pandas as pd
import pytest

from tests.writing import write_file
from zslcore.exceptions import FileRefusedError
from zslcore.leakage.file_kinds import recognise_file
from zslcore.scores import interpret, judge
from zslcore.scores.reading import read_scores
from zslcore.scores.sides import side_of_cell
from zslcore.scores.tables import find_families

rng = np.random.default_rng(4)
NAMES = ["bat", "cow", "dog", "emu", "fox", "gnu"]
UNSEEN = ["cow", "fox"]
OF_UNSEEN = np.isin(NAMES, UNSEEN)
Y = np.repeat(np.arange(6), 20)
LABELS = [NAMES[y] for y in Y]
LOGITS = rng.normal(size=(len(Y), 6)) + 2 * np.eye(6)[Y]
P = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)
IMAGES = [f"img_{k:04}.jpg" for k in range(len(Y))]
BY_CLASS = [dict(zip(NAMES, row, strict=True)) for row in P.tolist()]
ORDER = np.argsort(-P, axis=1)
RANKED = [[[NAMES[c], P[k, c]] for c in ORDER[k]] for k in range(len(Y))]
SHUFFLED = rng.permutation(len(Y))


def check(path, *, labels=None, unseen=UNSEEN, has_curve=True, P=P):
    """Compare the scores, u and s of a file with those of the matrix; return the remarks."""
    matrix = interpret(read_scores(path, labels=labels, unseen=unseen))[0]
    right = P.argmax(axis=1) == Y
    accuracy = np.array([right[c == Y].mean() for c in range(6)])
    metrics = judge(matrix).metrics
    assert metrics["plain_unseen"] == pytest.approx(accuracy[OF_UNSEEN].mean())
    assert metrics["plain_seen"] == pytest.approx(accuracy[~OF_UNSEEN].mean())
    assert matrix.predicted_rows.has_curve == has_curve
    if has_curve:
        names = [*matrix.class_names]
        place = range(6) if set(names).isdisjoint(NAMES) else [names.index(n) for n in NAMES]
        assert np.allclose(matrix.F[:, place], P, rtol=1e-5)
        among = np.where(OF_UNSEEN, P, -np.inf).argmax(axis=1) == Y
        assert metrics["zsl"] == pytest.approx(
            np.mean([among[c == Y].mean() for c in np.flatnonzero(OF_UNSEEN)])
        )
    return " ".join(matrix.remarks)


@pytest.fixture
def labels(tmp_path):
    """Return a file with the labels by image, in another order."""
    path = tmp_path / "labels.csv"
    table = pd.DataFrame({"image": IMAGES, "label": LABELS})
    table.iloc[SHUFFLED].to_csv(path, index=False)
    return path


OF_IMAGES = dict(zip(IMAGES, LABELS, strict=True))
RECORDS = [{"image": image, "label": label} for image, label in zip(IMAGES, LABELS, strict=True)]
WITH_LABELS = {
    "scores and labels by image": {
        "scores": dict(zip(IMAGES, BY_CLASS, strict=True)),
        "labels": {IMAGES[k]: LABELS[k] for k in SHUFFLED},
    },
    "lists by image": {
        "scores": dict(zip(IMAGES, P.tolist(), strict=True)),
        "labels": OF_IMAGES,
        "classes": NAMES,
    },
    "lists by class": {name: P[:, k].tolist() for k, name in enumerate(NAMES)} | {"labels": LABELS},
    "objects in a list": {"scores": BY_CLASS, "labels": LABELS},
    "classes beside records": {
        "meta": {"model": "own", "class_names": NAMES},
        "results": [a | {"scores": row} for a, row in zip(RECORDS, P.tolist(), strict=True)],
    },
    "all classes ranked": [a | {"top6": top} for a, top in zip(RECORDS, RANKED, strict=True)],
    "numbers": [
        {"label": int(y), "scores": {str(c): p[c] for c in np.argsort(-p)}}
        for y, p in zip(Y, P, strict=True)
    ],
}
WITHOUT = {
    "by image": dict(zip(IMAGES, BY_CLASS, strict=True)),
    "records": [
        {"image": image, "scores": scores} for image, scores in zip(IMAGES, BY_CLASS, strict=True)
    ],
    "inside": {"scores": dict(zip(IMAGES, BY_CLASS, strict=True))},
    "by class": {
        name: dict(zip(IMAGES, P[:, k].tolist(), strict=True)) for k, name in enumerate(NAMES)
    },
}


@pytest.mark.parametrize("name", WITH_LABELS)
def test_json_with_labels(tmp_path, name):
    path = write_file(tmp_path / "own.json", json.dumps(WITH_LABELS[name]))
    check(path, unseen=["1", "4"] if name == "numbers" else UNSEEN)
    assert recognise_file(path).kind == "scores"


@pytest.mark.parametrize("name", WITHOUT)
def test_json_follows_the_images_of_the_labels(tmp_path, labels, name):
    path = write_file(tmp_path / "own.json", json.dumps(WITHOUT[name]))
    check(path, labels=labels)
    assert recognise_file(path).kind == "scores"
    with pytest.raises(FileRefusedError, match="expected one row per image with its label"):
        read_scores(path, unseen=UNSEEN)


@pytest.mark.parametrize("name", ["by image", "by class"])
def test_labels_of_other_images_are_refused(tmp_path, name):
    path, labels = tmp_path / "own.json", tmp_path / "labels.csv"
    path.write_text(json.dumps(WITHOUT[name]))
    table = pd.DataFrame({"image": [f"photo {k}" for k in SHUFFLED], "label": LABELS})
    table.to_csv(labels, index=False)
    with pytest.raises(FileRefusedError, match="expected the image names in own.json"):
        read_scores(path, labels=labels, unseen=UNSEEN)


TOPS = {
    "pairs": {"top3": [top[:3] for top in RANKED]},
    "score first": {"top3": [[[p, name] for name, p in top[:3]] for top in RANKED]},
    "objects": {"top_5": [dict(top[:3]) for top in RANKED]},
    "names": {"top3": [[name for name, _ in top[:3]] for top in RANKED]},
    "records": {"topk": [[{"label": n, "score": p} for n, p in top[:3]] for top in RANKED]},
    "two lists": {
        "top3_classes": [[name for name, _ in top[:3]] for top in RANKED],
        "top3_probs": [[p for _, p in top[:3]] for top in RANKED],
    },
}


@pytest.mark.parametrize("name", TOPS)
def test_lists_of_the_best_classes_are_read_as_predicted_classes(tmp_path, name):
    path = tmp_path / "own.jsonl"
    columns = TOPS[name]
    path.write_text(
        "".join(
            json.dumps(item | {title: column[k] for title, column in columns.items()}) + "\n"
            for k, item in enumerate(RECORDS)
        )
    )
    remarks = check(path, has_curve=False)
    assert "At most 3 classes of each image are listed" in remarks
    assert "the curve need the scores of every class" in remarks


def test_best_classes_with_increasing_scores_have_two_readings(tmp_path):
    path = tmp_path / "own.jsonl"
    records = [a | {"top3": top[2::-1]} for a, top in zip(RECORDS, RANKED, strict=True)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    with pytest.raises(FileRefusedError, match="either they are distances, or the best class is l"):
        read_scores(path, unseen=UNSEEN)


ARRAYS = {
    "names": {"labels": np.array(LABELS)},
    "numbers": {"labels": Y},
    "an index": {"labels": np.array(LABELS), "image_id": np.arange(len(Y))},
    "unseen classes": {"labels": np.array(LABELS), "unseen_classes": np.array(UNSEEN)},
}


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ARRAYS)
def test_one_array_per_class(tmp_path, name, dtype):
    path = tmp_path / "own.npz"
    np.savez(path, **ARRAYS[name], **dict(zip(NAMES, P.T.astype(dtype), strict=True)))
    remarks = check(path)
    assert ("numbers of the classes in the order of the file" in remarks) == (name == "numbers")
    assert recognise_file(path).kind == "scores"


@pytest.mark.parametrize("form", ["{}", "class_{}", "prob {}"])
def test_one_array_per_numbered_class_in_any_order(tmp_path, form):
    path = tmp_path / "own.npz"
    np.savez(path, labels=Y, **{form.format(c): P[:, c] for c in (3, 0, 5, 1, 2, 4)})
    check(path, unseen=["1", "4"])


@pytest.mark.parametrize("in_file", [False, True])
def test_one_array_per_image(tmp_path, labels, in_file):
    path = tmp_path / "own.npz"
    labels_in_file = {"labels": np.array(LABELS)} if in_file else {}
    np.savez(path, class_names=NAMES, **labels_in_file, **dict(zip(IMAGES, P, strict=True)))
    check(path, labels=None if in_file else labels)
    assert recognise_file(path).kind == "scores"


def test_vectors_of_images_without_class_names_may_be_features(tmp_path):
    path = tmp_path / "own.npz"
    vectors = rng.normal(size=(len(Y), 32))
    np.savez(path, labels=Y, **dict(zip(IMAGES, vectors, strict=True)))
    with pytest.raises(FileRefusedError, match="got 120 x 32 numbers.*or give class_names"):
        read_scores(path, unseen=["1", "4"])


def test_a_square_of_named_vectors_has_two_readings(tmp_path):
    path = tmp_path / "own.npz"
    np.savez(path, labels=np.arange(6), **dict(zip(NAMES, np.eye(6) / 2 + 0.25, strict=True)))
    with pytest.raises(FileRefusedError, match="may be one row per image or one row per class"):
        read_scores(path, unseen=["1", "4"])


@pytest.mark.parametrize("group", ["", "scores/"])
@pytest.mark.parametrize("listed", [False, True])
def test_arrays_of_hdf5_need_a_list_of_classes_for_their_order(tmp_path, group, listed):
    """A file lists its arrays alphabetically, so numbered labels need a list of classes."""
    path = tmp_path / "own.h5"
    names = [*reversed(NAMES)]
    with h5py.File(path, "w") as file:
        file["labels"] = 5 - Y
        if listed:
            file["class_names"] = np.array(names, dtype="S")
        for name, scores in zip(NAMES, P.T, strict=True):
            file[f"{group}{name}"] = scores
    if not listed:
        with pytest.raises(FileRefusedError, match="does not keep the order of arrays"):
            read_scores(path, unseen=UNSEEN)
        return
    file = read_scores(path, unseen=UNSEEN)
    assert [*file.class_names] == names
    assert np.allclose(file.scores, P[:, ::-1])


def test_hdf5_with_labels_by_name(tmp_path):
    path = tmp_path / "own.h5"
    with h5py.File(path, "w") as file:
        file["test/labels"] = np.array(LABELS, dtype="S")
        file["test/scores"] = P
        file["test/class_names"] = np.array(NAMES, dtype="S")
    check(path)


# --- Tables ---------------------------------------------------------------------------------------

TABLE = pd.DataFrame(P, columns=NAMES).assign(label=LABELS)
SIDES = {
    "Split": ("gesehen", "ungesehen"),
    "partition": ("vu", "non vu"),
    "part": ("visto", "no visto"),
    "Teil": ("bekannt", "unbekannt"),
    "gruppo": ("visti", "non visti"),
    "set": ("test_seen", "test_unseen"),
    "which": ("base", "novel"),
    "类": ("可见", "未见"),
    "is_seen": ("True", "False"),
    "unseen": ("0", "1"),
}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("title", SIDES)
def test_a_column_with_the_side_of_each_image_states_the_unseen_classes(tmp_path, title, kind):
    path = tmp_path / f"own.{kind}"
    column = np.where(OF_UNSEEN[Y], *reversed(SIDES[title]))
    table = TABLE.assign(**{title: column})
    if kind == "csv":
        table.to_csv(path, index=False)
    else:
        table.to_parquet(path)
    assert f"Unseen classes are taken from {title!r}" in check(path, unseen=None)


def test_a_class_without_images_has_no_side(tmp_path):
    path = tmp_path / "own.csv"
    column = np.where(OF_UNSEEN[Y], "ungesehen", "gesehen")
    TABLE.assign(yak=0.0, Split=column).to_csv(path, index=False)
    with pytest.raises(FileRefusedError, match=r"1 classes have no image \(yak\)"):
        read_scores(path)


@pytest.mark.parametrize(
    "cells",
    [
        np.where(OF_UNSEEN[Y], "correct", "wrong"),
        ["seen"] * len(Y),
        np.where(np.arange(len(Y)) % 2, "seen", "unseen"),  # both sides in each class
    ],
)
def test_columns_that_do_not_divide_the_classes_into_two_sides_are_ignored(tmp_path, cells):
    path = write_file(tmp_path / "own.csv", TABLE.assign(note=cells))
    assert interpret(read_scores(path))[1][0].fix == "all-unseen"


def test_cells_without_a_side_are_not_read_as_sides():
    assert {side_of_cell("Split", word) for word in ("test", "val", "", "?", "7")} == {""}


@pytest.mark.parametrize("key", ["seen", "unseen", "is_seen"])
def test_marks_per_image_are_not_read_as_marks_per_class(tmp_path, key):
    """Read as a list, 0 and 1 would be the numbers of two classes."""
    path = tmp_path / "own.npz"
    marks = OF_UNSEEN[Y] if key == "unseen" else ~OF_UNSEEN[Y]
    np.savez(path, scores=P, labels=Y, **{key: marks})
    check(path, unseen=None)


@pytest.mark.parametrize("signs", [("", "logit_"), ("prob_", "logit_"), ("", "rank_")])
def test_two_columns_per_class(tmp_path, signs):
    path = tmp_path / "own.csv"
    second = ORDER.argsort(axis=1) + 1.0 if signs[1] == "rank_" else LOGITS
    tables = (P, signs[0]), (second, signs[1])
    columns = {f"{sign}{name}": F[:, k] for F, sign in tables for k, name in enumerate(NAMES)}
    pd.DataFrame({"label": LABELS} | columns).to_csv(path, index=False)
    assert f"'{signs[1]}bat'" in check(path)


def test_two_columns_per_class_that_differ_have_two_readings(tmp_path):
    path = tmp_path / "own.csv"
    unrelated = rng.normal(size=P.shape)
    columns = {f"other_{name}": unrelated[:, k] for k, name in enumerate(NAMES)}
    TABLE.assign(**columns).to_csv(path, index=False)
    with pytest.raises(FileRefusedError, match="'bat' and 'other_bat', which predict different"):
        read_scores(path, unseen=UNSEEN)


@pytest.mark.parametrize(("form", "sign"), [("{:.6f}%", ","), ("{:.6f} %", ","), ("{:.6f}%", ";")])
def test_scores_in_percent(tmp_path, form, sign):
    path = tmp_path / "own.csv"
    texts = {name: [form.format(100 * p) for p in P[:, k]] for k, name in enumerate(NAMES)}
    table = pd.DataFrame({"label": LABELS} | texts)
    if sign == ";":
        table = table.map(lambda text: text.replace(".", ","))
    table.to_csv(path, index=False, sep=sign)
    check(path)
    table.assign(bat=[*table["bat"][:-1], ""]).to_csv(path, index=False, sep=sign)
    assert np.isnan(read_scores(path, unseen=UNSEEN).scores).sum() == 1
    table.loc[3, "dog"] = "0.25"
    table.to_csv(path, index=False, sep=sign)
    with pytest.raises(FileRefusedError, match="column 'dog': expected a percentage in every row"):
        read_scores(path, unseen=UNSEEN)


LONG = pd.DataFrame(
    {
        "image": np.repeat(IMAGES, 6),
        "label": np.repeat(LABELS, 6),
        "class": NAMES * len(Y),
        "score": P.ravel(),
    }
)


@pytest.mark.parametrize("form", ["labels", "candidates", "numbers", "shuffled", "no labels"])
def test_one_row_per_image_and_class(tmp_path, labels, form):
    path = tmp_path / "own.csv"
    table = LONG
    if form == "candidates":
        table = LONG.rename(columns={"class": "candidate", "score": "probability"})
    if form == "numbers":
        table = LONG.assign(image=np.repeat(np.arange(len(Y)), 6)).rename(columns={"image": "id"})
    if form == "no labels":
        table = LONG.drop(columns="label").sample(frac=1, random_state=0)
    table.to_csv(path, index=False)
    if form == "shuffled":  # the rows of each image are shuffled
        order = np.concatenate([6 * k + rng.permutation(6) for k in range(len(Y))])
        table.iloc[order].to_csv(path, index=False)
        file = read_scores(path, unseen=UNSEEN)
        place = [file.class_names.index(name) for name in NAMES]
        assert np.allclose(np.asarray(file.scores)[:, place], P)
        return
    if form == "no labels":
        matrix = interpret(read_scores(path, labels=labels, unseen=UNSEEN))[0]
        assert judge(matrix).evaluation.plain_per_sample is not None
        right = (P.argmax(axis=1) == Y)[OF_UNSEEN[Y]].mean()
        assert judge(matrix).evaluation.plain_per_sample.unseen == pytest.approx(right)
        return
    check(path)


def test_columns_with_different_classes_are_not_families():
    assert find_families(["a_x", "a_y", "b_x", "b_z"], np.array([], dtype=str)) == {}
