"""Layers only look downwards: app.py and pages -> ui -> zslcore."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FORBIDDEN = {
    "zslcore": {"streamlit", "plotly", "ui", "pages"},
    "ui/figures": {"streamlit"},
    "ui": {"pages", "app"},
    "pages": {"torch", "scipy", "sklearn", "plotly", "pages", "app"},
}


def imported_packages(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("layer", FORBIDDEN)
def test_layer_imports_nothing_above_it(layer):
    path = ROOT / layer
    files = [path] if path.is_file() else list(path.rglob("*.py"))
    assert files
    for path in files:
        assert not FORBIDDEN[layer] & set(imported_packages(path)), path


def test_only_the_cache_remembers():
    for path in [*(ROOT / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"]:
        if path != ROOT / "ui" / "cache.py":
            assert "st.cache_" not in path.read_text(encoding="utf-8"), path


def test_every_page_is_in_the_menu():
    menu = (ROOT / "app.py").read_text(encoding="utf-8")
    for path in (ROOT / "pages").glob("*.py"):
        assert f'"{path.stem}"' in menu, path


def test_every_page_begins_with_its_question_and_opens_itself():
    for path in (ROOT / "pages").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert ast.get_docstring(ast.parse(text)).splitlines()[0].endswith("?"), path
        assert "open_page(" in text, path
