import json

import numpy as np
import pytest
from scipy.io import savemat

from tests.datasets import files
from tests.pages import ROOT
from zslcore.datasets import ZSLDataset, available, imports, load
from zslcore.datasets.importing import import_dataset
from zslcore.datasets.imports import known_features, pretraining_by_name, pretraining_of
from zslcore.datasets.xlsa17 import read_xlsa17
from zslcore.exceptions import DatasetError, ParameterError, ZSLError
from zslcore.leakage.vocabularies import VOCABULARY_NAMES
from zslcore.version import read_stamped


@pytest.mark.parametrize("name", ["digits", "simulated-aPY", "simulated-AWA2-untrained"])
def test_built_in_data_are_compared_with_their_declared_set(name):
    dataset = load(name)
    assert pretraining_by_name(name, dataset.digest) == dataset.pretraining


def test_known_features_declare_their_pretraining_only_for_the_same_content(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    digits = load("digits")
    dataset = imports.import_read_dataset(digits, "mine")
    assert "mine" in available()
    assert pretraining_by_name("mine", dataset.digest) == ("none",)
    assert pretraining_by_name("mine", "another") == ()
    assert pretraining_by_name("other", dataset.digest) == ()
    manifest = tmp_path / "imported" / "mine.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"pretraining": 7}))
    assert pretraining_by_name("mine", dataset.digest) == ()
    manifest.write_text("{")
    assert pretraining_by_name("mine", dataset.digest) == ()


def test_features_of_stored_results_are_recognised_by_digest():
    facts = known_features()
    rows = read_stamped(ROOT / "benchmarks" / "results" / "real_features.csv")
    assert set(rows["digest"]) <= set(facts)
    assert {name for names in facts.values() for name in names} <= set(VOCABULARY_NAMES)
    for digest, members in rows.groupby("digest"):
        expected = "imagenet-1k" if set(members["dataset"]) == {"CUB-vgg_fc7"} else "none"
        assert pretraining_by_name("any name", digest) == (expected,)


def test_undeclared_pretraining_is_looked_up_by_content(monkeypatch):
    digits = load("digits")
    assert pretraining_of(digits) == ("none",)
    undeclared = ZSLDataset(
        "mine", digits.features, digits.labels, digits.prototypes, digits.class_names
    )
    assert pretraining_of(undeclared) == ()
    facts = {undeclared.digest: ("imagenet-1k",)}
    monkeypatch.setattr("zslcore.datasets.imports.known_features", lambda: facts)
    assert pretraining_of(undeclared) == ("imagenet-1k",)


# --- Declarations at import -----------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, own_data):
    return files.write_folder(tmp_path / "Toy")


def npz(path, **more):
    arrays = {"features": files.FEATURES, "labels": files.LABELS, "prototypes": files.ATT}
    arrays |= {"trainval": files.TRAINVAL, "test_unseen": files.UNSEEN}
    np.savez(path, class_names=np.array(files.CLASSES), **arrays, **more)
    return path


@pytest.mark.parametrize("kind", ["folder", "table"])
def test_a_repeated_import_keeps_its_declaration(folder, tmp_path, own_data, kind):
    source = folder if kind == "folder" else npz(tmp_path / "mine.npz")
    dataset = import_dataset(source, name="mine", pretraining=["imagenet-1k", "imagenet-21k"])
    assert dataset.pretraining == pretraining_of(dataset) == ("imagenet-1k", "imagenet-21k")
    assert pretraining_by_name("mine", dataset.digest) == dataset.pretraining
    next(own_data.glob("imported/mine.*/features.npy")).unlink()
    assert load("mine").pretraining == dataset.pretraining


def test_a_declaration_is_kept_until_replaced(folder):
    before = read_xlsa17(folder)
    assert before.pretraining == ()
    declared = read_xlsa17(folder, pretraining=["imagenet-1k"])
    assert declared.digest == before.digest
    assert read_xlsa17(folder).pretraining == ("imagenet-1k",)
    assert read_xlsa17(folder, pretraining=["none"]).pretraining == ("none",)
    savemat(folder / "res101.mat", files.features_file(features=2 * files.FEATURES.T))
    assert read_xlsa17(folder).pretraining == ()  # the declaration does not apply to other features


def test_an_import_without_a_declaration_opens_with_unknown_pretraining(folder, own_data):
    plain = read_xlsa17(folder)
    path = own_data / "imported" / "Toy.json"
    manifest = json.loads(path.read_text())
    assert "pretraining" not in manifest["recipe"]  # earlier versions wrote the same recipe
    del manifest["pretraining"]
    path.chmod(0o644)
    path.write_text(json.dumps(manifest))
    state = path.stat().st_mtime_ns
    for opened in (load("Toy"), read_xlsa17(folder)):
        assert (opened.digest, pretraining_of(opened)) == (plain.digest, ())
    assert path.stat().st_mtime_ns == state


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["imagenet1k"], "vocabulary.* 'imagenet1k'; did you mean 'imagenet-1k'"),
        (["none", "imagenet-1k"], "'none' means features without pre-training"),
    ],
)
def test_an_empty_declaration_is_refused(folder, names, message):
    for source in (folder, npz(folder / "mine.npz"), npz(folder / "n.npz", pretraining=names)):
        declared = () if source.name == "n.npz" else names
        with pytest.raises(ZSLError, match=message):
            import_dataset(source, name="mine", pretraining=declared)
    assert "mine" not in available()


def test_the_declaration_of_a_file_is_not_contradicted(folder):
    path = npz(folder / "mine.npz", pretraining=np.array(["imagenet-1k"]))
    with pytest.raises(DatasetError, match="trained on imagenet-1k; got none"):
        import_dataset(path, pretraining=["none"])
    assert import_dataset(path, pretraining=["imagenet-1k"]).pretraining == ("imagenet-1k",)
    tuned = import_dataset(path, pretraining=["seen-classes"])
    # The second set is added to the stored declaration.
    assert tuned.pretraining == ("imagenet-1k", "seen-classes")
    with pytest.raises(ParameterError, match="declares its own pretraining"):
        import_dataset(load("digits"), name="mine", pretraining=["none"])
    with pytest.raises(DatasetError, match="simulated, because the files have none"):
        keep_simulated("none")


def keep_simulated(*names):
    recipe = imports.Recipe("/nowhere", {}, (), pretraining=names)
    return imports.import_once("mine", recipe, lambda _: load("simulated-aPY"))
