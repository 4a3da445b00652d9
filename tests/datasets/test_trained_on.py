import json

import pytest

from tests.pages import ROOT
from zslcore.datasets import available, imports, load
from zslcore.datasets.trained_on import known_features, trained_on
from zslcore.leakage.vocabularies import VOCABULARY_NAMES
from zslcore.version import read_stamped


@pytest.mark.parametrize("name", ["digits", "simulated-aPY", "simulated-AWA2-untrained"])
def test_built_in_data_are_looked_up_as_they_declare(name):
    dataset = load(name)
    assert trained_on(name, dataset.digest) == dataset.pretraining


def test_an_import_declares_it_for_its_own_content_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    digits = load("digits")
    kept = imports.keep_dataset(digits, "mine")
    assert "mine" in available()
    assert trained_on("mine", kept.digest) == ("none",)
    assert trained_on("mine", "another") == ()
    assert trained_on("other", kept.digest) == ()
    manifest = tmp_path / "imported" / "mine.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"pretraining": 7}))
    assert trained_on("mine", kept.digest) == ()
    manifest.write_text("{")
    assert trained_on("mine", kept.digest) == ()


def test_the_features_that_results_are_of_are_known_by_digest():
    known = known_features()
    rows = read_stamped(ROOT / "benchmarks" / "results" / "real_features.csv")
    assert set(rows["digest"]) <= set(known)
    assert {name for names in known.values() for name in names} <= set(VOCABULARY_NAMES)
    for digest, of in rows.groupby("digest"):
        expected = "imagenet-1k" if set(of["dataset"]) == {"CUB-vgg_fc7"} else "none"
        assert trained_on("any name", digest) == (expected,)
