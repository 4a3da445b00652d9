"""Examples in docstrings give the printed output."""

import doctest
from importlib import import_module

import pytest

from zslcore.storage.files import APP

ROOT = APP.parent
PLACES = ("zslcore", "ui", "pages", "tests")


def modules():
    """Return the names of modules with an example in them."""
    files = (path for place in PLACES for path in (ROOT / place).rglob("*.py"))
    with_examples = (path for path in files if "\n    >>> " in path.read_text(encoding="utf-8"))
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in with_examples}
    return sorted(name.removesuffix(".__init__") for name in names)


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings_give_the_printed_output(name):
    result = doctest.testmod(import_module(name))
    assert result.attempted
    assert not result.failed


def test_modules_have_examples():
    assert {"zslcore.metrics.accuracy", "ui.shell.numbers", "ui.shell.text"} <= set(modules())
