"""CLIP features with text prototypes: imported, scored in the joint space, and shown on a card."""

import json

import numpy as np
import pytest

from tests.datasets import files
from zslcore.__main__ import main
from zslcore.datasets import load
from zslcore.datasets.embeddings import read_class_embeddings
from zslcore.evaluation import runs
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import FileRefusedError
from zslcore.leakage import get_vocabulary

#: Text embeddings of the five classes, and images near the embedding of their class.
TEXTS = np.random.default_rng(3).normal(size=(5, 512)).astype(np.float32)
TEXTS /= np.linalg.norm(TEXTS, axis=1, keepdims=True)
IMAGES = TEXTS[files.LABELS] + 0.02 * np.random.default_rng(4).normal(size=(files.N, 512))
NAMES = np.array([name.replace("+", " ") for name in files.CLASSES])


@pytest.fixture
def folder(own_data, tmp_path):
    """A folder of the benchmark with the features and, in another order, CLIP's text embeddings."""
    folder = files.write_folder(tmp_path / "Toy", features={"features": IMAGES.T})
    np.savez(folder / "texts.npz", prototypes=TEXTS[::-1], class_names=NAMES[::-1])
    return folder


def table(path):
    """Write images, texts and split as one archive."""
    parts = {"trainval": files.TRAINVAL, "test_seen": files.TEST_SEEN, "test_unseen": files.UNSEEN}
    images = {"features": IMAGES, "labels": files.LABELS}
    np.savez(path, prototypes=TEXTS, class_names=NAMES, **images, **parts)
    return path


def test_text_embeddings_replace_attributes_by_class_name(folder):
    read = read_class_embeddings(folder / "texts.npz")
    np.testing.assert_array_equal(read.of(files.CLASSES), TEXTS)
    np.savez(folder / "torn.npz", prototypes=TEXTS, class_names=NAMES[:4])
    with pytest.raises(FileRefusedError, match="as many names in class_names as rows"):
        read_class_embeddings(folder / "torn.npz")


@pytest.mark.parametrize("kind", ["folder", "table"])
def test_text_embeddings_are_imported_scored_and_shown_on_the_card(folder, kind, capsys, printed):
    source = folder if kind == "folder" else table(folder / "clip.npz")
    texts = ["--prototypes", "texts.npz"] if kind == "folder" else []
    command = ["import", str(source), *texts, "--name", "clip", "--pretraining", "wit-400m"]
    assert "trained on wit-400m" in printed(*command)
    data = load("clip")
    np.testing.assert_array_equal(data.prototypes, TEXTS)
    run = runs.run(RunSpec("clip", next(iter(data.splits)), "PrototypeCosine"), data).result
    assert run.evaluation.zsl == 1.0
    main(["check", "clip", "--format", "json"])
    content = json.loads(capsys.readouterr().out)["findings"]
    marks = {item["check"]: item["mark"] for item in content}
    assert (marks["ZSL006"], marks["ZSL007"]) == ("open", "open")
    (message,) = (item["sentence"] for item in content if item["check"] == "ZSL006")
    assert "trained on WIT-400M, without a list of classes" in message
    main(["contamination", "--dataset", "clip", "--extractor", "CLIP"])
    assert "WIT-400M" in capsys.readouterr().out


def test_a_set_of_captions_has_no_list_of_classes():
    clip = get_vocabulary("wit-400m")
    assert not clip.listed
    assert not clip.entries
    assert get_vocabulary("none").listed
