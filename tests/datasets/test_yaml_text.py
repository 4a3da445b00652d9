"""YAML texts of block and flow style are read as by PyYAML, and other forms are not read."""

import random

import pytest

from zslcore.datasets.yaml_text import parse_yaml

SCALARS = ["a b", "x/y.jpg", 3, -2, 1.5, True, None, "it's", "a: b", "x#y", "", " z", "07", "n01"]


def drawn(rng, depth):
    """Return a random value of lists, mappings and scalars."""
    kind = rng.random()
    if depth == 0 or kind < 0.3:
        return rng.choice(SCALARS)
    if kind < 0.65:
        return [drawn(rng, depth - 1) for _ in range(rng.randrange(4))]
    names = rng.sample(["train", "test", "a b", "k-1", "x_2"], rng.randrange(4))
    return {name: drawn(rng, depth - 1) for name in names}


@pytest.mark.parametrize("flow", [False, None, True])
def test_values_written_by_pyyaml_are_read_back(flow):
    yaml = pytest.importorskip("yaml")
    rng = random.Random(int(flow or 0))
    for _ in range(300):
        value = {"train": drawn(rng, 3), "rows": [drawn(rng, 2)]}
        assert parse_yaml(yaml.safe_dump(value, default_flow_style=flow).splitlines()) == value


@pytest.mark.parametrize(
    "text",
    [
        "a: &x 1",
        "a: !!python/object x",
        "a: |\n  text",
        "a: [1, 2",
        "a: {b}",
        "a: 1\na: 2",
        "word",
        "[" * 50,
        "- - " * 50,
        "a:\n b\n  c",
    ],
)
def test_other_forms_are_not_read(text):
    assert parse_yaml(text.splitlines()) is None
