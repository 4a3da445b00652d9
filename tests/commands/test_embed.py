"""``embed``: prototypes of class names from an encoder or word vectors, read by ``import``."""

import json

import numpy as np
import pytest

from tests.extraction.test_openclip import model  # noqa: F401 - a fixture
from zslcore import load
from zslcore.__main__ import main
from zslcore.extraction.encoders import load_encoder, prototypes_of_texts


@pytest.fixture
def classes(own_data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "classes.txt"
    path.write_text("blue whale\nox\nseal\nbat\n")
    lines = [f"{word} {k} 1 {-k}" for k, word in enumerate(("blue", "whale", "ox", "seal", "bat"))]
    (tmp_path / "glove.txt").write_text("\n".join(lines))
    return path


def opened(path):
    with np.load(path, allow_pickle=False) as arrays:
        return dict(arrays)


def refused(printed, *words):
    return printed("embed", *words, status=2)


def test_embed_writes_class_embeddings_from_word_vectors_for_import(classes, printed):
    out = printed("embed", "classes.txt", "--vectors", "glove.txt")
    assert "classes-glove.npz: 4 classes x 3 values" in out
    result = opened("classes-glove.npz")
    assert list(result["class_names"]) == ["blue whale", "ox", "seal", "bat"]
    np.testing.assert_allclose(result["prototypes"][0], [0.5, 1.0, -0.5])
    assert any("trained on text data, classes not listed" in s for s in result["provenance"])
    y = np.repeat(np.arange(4), 5)
    X = np.random.default_rng(0).normal(size=(20, 6))
    np.savez("mine.npz", features=X, labels=y, class_names=result["class_names"])
    words = ["--prototypes", "classes-glove.npz", "--unseen", "bat", "--name", "mine"]
    assert main(["import", "mine.npz", *words]) == 0
    np.testing.assert_allclose(load("mine").prototypes, result["prototypes"])


def test_embed_records_the_pretraining_of_a_text_encoder(classes, model, printed):  # noqa: F811
    words = ["classes.txt", "--encoder", "open_clip:RN50", "--weights", "random"]
    out = printed("embed", *words, "--text", "a {}.", "an image of {}")
    assert "encoder open_clip:RN50; weights random, seed 0; SHA-256" in out
    result = opened("classes-open_clip-RN50.npz")
    encoder = load_encoder("open_clip:RN50", "random")
    names = ["blue whale", "ox", "seal", "bat"]
    expected = prototypes_of_texts(encoder, names, ["a {}.", "an image of {}"])
    np.testing.assert_allclose(result["prototypes"], expected)
    assert list(result["pretraining"]) == ["none"]
    prompts = {name: [f"{name} one", f"{name} two"] for name in names}
    (classes.parent / "prompts.json").write_text(json.dumps(prompts))
    assert main(["embed", *words, "--prompts", "prompts.json", "--overwrite"]) == 0
    assert not np.allclose(opened("classes-open_clip-RN50.npz")["prototypes"], expected)


def test_the_pretraining_set_can_be_declared(classes):
    words = ["--vectors", "glove.txt", "--trained-on", "wit-400m", "--output", "out.npz"]
    assert main(["embed", "classes.txt", *words]) == 0
    assert list(opened("out.npz")["pretraining"]) == ["wit-400m"]


def test_embed_refuses_in_one_sentence_and_writes_nothing(classes, printed):
    before = sorted(path.name for path in classes.parent.iterdir())
    assert "expected either --encoder or --vectors" in refused(printed, "classes.txt")
    words = ["classes.txt", "--vectors", "glove.txt"]
    assert "belong to --encoder" in refused(printed, *words, "--text", "a {}")
    assert "did you mean 'imagenet-1k'" in refused(printed, *words, "--trained-on", "imagenet1k")
    assert "none.txt" in refused(printed, "none.txt", "--vectors", "glove.txt")
    assert "nope.txt" in refused(printed, "classes.txt", "--vectors", "nope.txt")
    assert sorted(path.name for path in classes.parent.iterdir()) == before
    classes.write_text("ox\nox\n")
    assert "'ox'" in refused(printed, *words)
    classes.write_text("\n")
    assert "expected one class per line; got none" in refused(printed, *words)
    classes.write_text("ox\n")
    (classes.parent / "classes-glove.npz").write_bytes(b"mine")
    assert "expected no file of this name" in refused(printed, *words)
    assert (classes.parent / "classes-glove.npz").read_bytes() == b"mine"
