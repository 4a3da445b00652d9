"""The list of slow tests names tests that are there."""

import re

from tests.conftest import SLOW
from tests.pages import ROOT


def test_every_slow_test_is_there():
    for name in SLOW:
        path, _, test = name.rpartition("::")
        path, _, of_class = path.partition("::")
        text = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^\s*def {test}\(", text, re.MULTILINE), name
        assert not of_class or f"class {of_class}" in text, name


def test_the_list_is_sorted():
    lines = (ROOT / "tests" / "slow.txt").read_text(encoding="utf-8").splitlines()
    assert lines == sorted(set(lines))
