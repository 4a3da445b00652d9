"""One worker process recognises and reads a file, in every format."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from tests.cards import cards_of_files
from tests.datasets.files import features_file, write_folder
from tests.writing import write_file
from zslcore.exceptions import FileRefusedError
from zslcore.leakage import audit
from zslcore.leakage.file_kinds import class_list_of, recognise_file
from zslcore.untrusted import worker
from zslcore.untrusted.client import look_into

rng = np.random.default_rng(4)
NAMES = np.array(["bat", "cow", "dog", "elk", "fox", "pig"])
UNSEEN = np.array([1, 4])
Y = np.repeat(np.arange(6), 20)
F = (rng.normal(size=(len(Y), 6)) + 2 * np.eye(6)[Y]).astype(np.float32)
TABLE = pd.DataFrame(F, columns=NAMES)
TABLE.insert(0, "label", NAMES[Y])
ARRAYS = {"scores": F, "labels": Y, "unseen_classes": UNSEEN}


def write_tensors(path):
    torch = pytest.importorskip("torch", reason="PyTorch writes this format")
    torch.save({name: torch.tensor(array) for name, array in ARRAYS.items()}, path)


WRITTEN = {
    "s.npz": lambda path: np.savez(path, **ARRAYS, class_names=NAMES),
    "s.mat": lambda path: savemat(path, ARRAYS),
    "s.pt": write_tensors,
    "s.csv": lambda path: TABLE.to_csv(path, index=False),
    "s.tsv": lambda path: TABLE.to_csv(path, index=False, sep="\t"),
    "quoted.csv": lambda path: TABLE.to_csv(path, index=False, quoting=2),
    "s.parquet": lambda path: TABLE.to_parquet(path),
    "s.json": lambda path: path.write_text(
        json.dumps({name: array.tolist() for name, array in ARRAYS.items()})
    ),
    "s.jsonl": lambda path: TABLE.to_json(path, orient="records", lines=True),
}


@pytest.fixture
def workers(monkeypatch):
    calls, run = [], worker._run

    def record(request):
        calls.append(request["function"][1])
        return run(request)

    monkeypatch.setattr(worker, "_run", record)
    return calls


@pytest.mark.parametrize("name", WRITTEN)
def test_scores_take_one_worker(tmp_path, workers, name):
    WRITTEN[name](tmp_path / name)
    (card,) = cards_of_files([tmp_path / name])
    assert len(workers) == 1, workers
    assert card.kind == "score matrix"
    assert (
        "120, 6 classes" in card.read_as.get("images, classes", "")
        or "more than one way" in card.reason
    )


LISTS = {
    "classes.json": json.dumps([*NAMES]),
    "records.json": json.dumps([{"id": k, "name": name} for k, name in enumerate(NAMES)]),
    "numbered.json": json.dumps({str(k): name for k, name in enumerate(NAMES)}),
    "classes.txt": "\n".join(NAMES),
    "numbered.txt": "".join(f"{k} {name}\n" for k, name in enumerate(NAMES)),
    "classes.yaml": "names:\n" + "".join(f"  - {name}\n" for name in NAMES),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_classes_takes_one_worker(tmp_path, workers, name):
    (card,) = cards_of_files([write_file(tmp_path / name, LISTS[name])])
    assert len(workers) == 1, workers
    assert card.kind == "list of classes"
    assert class_list_of(recognise_file(tmp_path / name)).names == tuple(NAMES)


SPLIT = {"train": ["bat", "dog", "elk"], "test_unseen": ["cow", "fox"]}
NAMED = {
    "classes.json": json.dumps(SPLIT),
    "images.csv": "image,class,split\n"
    + "".join(
        f"{c}{k}.jpg,{c},{part}\n"
        for part, members in SPLIT.items()
        for c in members
        for k in (1, 2)
    ),
    "classes.txt": "".join(
        f"{part}:\n" + "\n".join(members) + "\n" for part, members in SPLIT.items()
    ),
}


@pytest.mark.parametrize("name", NAMED)
def test_a_split_of_names_takes_one_worker(tmp_path, workers, name):
    (card,) = cards_of_files([write_file(tmp_path / name, NAMED[name])], ["none"])
    assert len(workers) == 1, workers
    expected = audit(tmp_path / name, pretraining=["none"])
    assert {f.check: f.mark for f in card.findings}.items() <= {
        (f.check, f.mark) for f in expected.findings
    }


def test_a_split_of_rows_and_the_files_next_to_it_take_a_worker_each(tmp_path, workers):
    folder = write_folder(tmp_path)
    (folder / "res101.mat").unlink()
    cards_of_files([folder / "att_splits.mat"])
    assert workers == ["look_into"]
    workers.clear()
    for name in ("labels", "image_files"):
        write_file(folder / f"{name}.mat", {name: features_file()[name]})
    (card,) = cards_of_files([folder / "att_splits.mat"])
    # The folder may hold files of somebody else: a hostile file refuses only itself.
    assert workers == ["look_into"] * 3
    (photographs,) = (f for f in card.findings if f.check == "ZSL012")
    assert "image_files in image_files.mat" in photographs.sentence


def test_scores_and_their_labels_take_a_worker_each(tmp_path, workers):
    np.savez(tmp_path / "s.npz", scores=F, unseen_classes=UNSEEN)
    apart, *_ = cards_of_files([tmp_path / "s.npz", write_file(tmp_path / "y.npy", Y)])
    assert len(workers) == 2, workers
    (both,) = cards_of_files([write_file(tmp_path / "both.npz", ARRAYS)])
    assert apart.read_as == both.read_as
    assert apart.metrics == both.metrics


def test_arrays_that_were_not_kept_are_read_from_the_file_again(tmp_path, workers):
    whole = look_into(write_file(tmp_path / "s.npz", ARRAYS))
    small = {name: array for name, array in whole.arrays.items() if name != "scores"}
    part = dataclasses.replace(whole, arrays=small)
    roles = {"scores": "scores", "labels": "labels"}
    of_whole, of_part = (item.read(roles, tmp_path) for item in (whole, part))
    assert workers == ["look_into", "read_variables"]
    for name in roles:
        np.testing.assert_array_equal(of_part.arrays[name], of_whole.arrays[name])
        assert of_part.arrays[name].dtype == of_whole.arrays[name].dtype


def test_a_tsv_of_numbers_is_scores_and_a_tsv_of_names_a_class_list(tmp_path):
    TABLE[["label", "bat", "cow"]].to_csv(tmp_path / "s.tsv", index=False, sep="\t")
    (tmp_path / "names.tsv").write_text("".join(f"{k}\t{name}\n" for k, name in enumerate(NAMES)))
    (tmp_path / "lines.tsv").write_text("".join(f"{name}\n" for name in NAMES))
    images = pd.DataFrame({"image": [f"{k}.jpg" for k in range(len(Y))], "label": NAMES[Y]})
    images.to_csv(tmp_path / "y.tsv", index=False, sep="\t")
    kinds = {path.name: recognise_file(path).kind for path in tmp_path.iterdir()}
    assert kinds == {
        "s.tsv": "scores",
        "names.tsv": "classes",
        "lines.tsv": "classes",
        "y.tsv": "labels",
    }


def test_a_report_of_metrics_per_class_is_not_a_list_of_classes(tmp_path):
    lines = [f"{name:>12}       0.50      0.40      0.44         8\n" for name in NAMES]
    (tmp_path / "report.txt").write_text("".join(["precision    recall\n", *lines]))
    with pytest.raises(FileRefusedError, match="got names with fractions, as in a file"):
        recognise_file(tmp_path / "report.txt")
