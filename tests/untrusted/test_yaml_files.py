"""YAML has the values of JSON, names stay text, and nothing is expanded or executed."""

import random

import pytest
import yaml

from zslcore.untrusted.readers import yaml_files
from zslcore.untrusted.readers.yaml_files import parse_yaml
from zslcore.untrusted.worker import Refused

SCALARS = ["a b", "x/y.jpg", 3, -2, 1.5, True, None, "it's", "a: b", "x#y", "", " z", "07", "n01"]


def draw_value(rng, depth):
    """Return a random value of lists, mappings and scalars."""
    kind = rng.random()
    if depth == 0 or kind < 0.3:
        return rng.choice(SCALARS)
    if kind < 0.65:
        return [draw_value(rng, depth - 1) for _ in range(rng.randrange(4))]
    names = rng.sample(["train", "test", "a b", "k-1", "x_2"], rng.randrange(4))
    return {name: draw_value(rng, depth - 1) for name in names}


@pytest.mark.parametrize("flow", [False, None, True])
def test_values_written_by_pyyaml_are_read_back(flow):
    rng = random.Random(int(flow or 0))
    for _ in range(300):
        value = {"train": draw_value(rng, 3), "rows": [draw_value(rng, 2)]}
        assert parse_yaml(yaml.safe_dump(value, default_flow_style=flow)) == value


@pytest.mark.parametrize(
    "text",
    [
        "a: !!python/object x",
        "a: [1, 2",
        "a: 1\na: 2",
        "a: &x [1]\nb: *x",
        "[1]\n---\n[2]",
        "? [a]\n: 1",
        "word",
        "[" * 5000,
        "- " * 5000,
    ],
)
def test_other_forms_of_yaml_are_not_read(text):
    with pytest.raises((Refused, RecursionError, ValueError)):
        parse_yaml(text)


def test_class_names_stay_text_in_yaml():
    text = "train: [no, on, 07, 1:30, 2001-01-01, 0x1F, 1_000]\n07: |\n  two\n  lines\n"
    names = ["no", "on", "07", "1:30", "2001-01-01", "0x1F", "1_000"]
    assert parse_yaml(text) == {"train": names, "07": "two\nlines\n"}


def test_many_names_are_refused_before_they_are_parsed(tmp_path, monkeypatch):
    path = tmp_path / "a.yaml"
    path.write_text("a: {b: 1, 'c':2}\nd:\n  - e\n")
    assert yaml_files.read_value(str(path), "YAML", 100, tmp_path)["d"] == ["e"]
    monkeypatch.setattr(yaml_files, "MAX_NAMES", 3)
    monkeypatch.setattr(yaml_files, "parse_yaml", None)
    with pytest.raises(Refused, match="expected at most 3 names; got 4"):
        yaml_files.read_value(str(path), "YAML", 100, tmp_path)
