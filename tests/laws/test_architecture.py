"""Imports only go downwards: app.py and pages -> ui -> zslcore.

The contracts of ``pyproject.toml`` say what may import what, also inside functions and for types.
"""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest
from importlinter.cli import lint_imports

from ui.shell import site_map

ROOT = Path(__file__).parents[2]
MOST_FLOORS = 9
#: Modules that re-export names of the folders, and so import the layers above.
FRONT_DOORS = {"zslcore", "zslcore.__main__"}


@pytest.fixture(scope="module")
def needs():
    """The modules that every module imports."""
    graph = grimp.build_graph("zslcore", "ui", cache_dir=None)
    modules = graph.modules - FRONT_DOORS
    result = {m: graph.find_modules_directly_imported_by(m) & modules - {m} for m in modules}
    commands = {m for m in modules if m.startswith("zslcore.commands.")}
    # This module imports every command by its name.
    result["zslcore.commands.command_line"] |= commands - {"zslcore.commands.command_line"}
    return result


def test_every_contract_is_kept(capsys, monkeypatch):
    # Import-linter would silence our log.
    monkeypatch.setattr("logging.config.dictConfig", lambda _: None)
    status = lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert status == 0, capsys.readouterr().out


def test_no_module_imports_itself_directly_or_indirectly(needs):
    assert len(needs) > 150
    list(TopologicalSorter(needs).static_order())  # raises an error for a cycle


def test_the_package_has_no_import_cycle_and_at_most_nine_levels(needs):
    rooms = {}
    for module in (need for need in needs if need.startswith("zslcore.")):
        below = {room_of(need) for need in needs[module]} - {room_of(module)}
        rooms.setdefault(room_of(module), set()).update(below)
    floor = {}
    for room in TopologicalSorter(rooms).static_order():  # raises an error for a cycle
        floor[room] = 1 + max((floor[below] for below in rooms[room]), default=0)
    assert 1 < max(floor.values()) <= MOST_FLOORS, floor


def test_the_main_module_contains_no_function_or_class():
    tree = ast.parse((ROOT / "zslcore" / "__main__.py").read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.ClassDef, ast.For, ast.Assign)
    nodes = [node for node in tree.body if isinstance(node, kinds)]
    assert [ast.unparse(node) for node in nodes] == ["__all__ = ['main']"]


def room_of(module):
    """The folder or file directly in ``zslcore`` that a module belongs to."""
    return ".".join(module.split(".")[:2])


@pytest.mark.parametrize("path", [*(ROOT / "pages").glob("*.py")], ids=lambda path: path.stem)
def test_a_page_only_calls_show_page(path):
    text = path.read_text(encoding="utf-8").partition("\n\n")[2]
    assert text == f'from ui.shell.show_page import show_page\n\nshow_page("{path.stem}")\n'


def test_only_the_cache_module_uses_the_caches_of_streamlit():
    for path in [*(ROOT / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"]:
        if path != ROOT / "ui" / "state" / "cache.py":
            assert "st.cache_" not in path.read_text(encoding="utf-8"), path


def test_every_page_and_view_is_listed_in_site_toml():
    named = [(page.name, view.name) for page in site_map.PAGES for view in page.views]
    views = [path for path in (ROOT / "ui" / "views").glob("*/*.py") if path.stem != "__init__"]
    assert sorted(named) == sorted((path.parent.name, path.stem) for path in views)
    assert len({view for _, view in named}) == len(named)
    assert {page for page, _ in named} == {path.stem for path in (ROOT / "pages").glob("*.py")}


def test_every_view_has_a_question():
    assert all(view.question for page in site_map.PAGES for view in page.views)


@pytest.mark.parametrize("view", [v for page in site_map.PAGES for v in page.views])
def test_each_choice_in_the_address_belongs_to_one_view(view):
    """Views share choices only under the short names that all pages use."""
    page = site_map.page_of_view(view.name)
    source = (ROOT / "ui" / "views" / page.name / f"{view.name}.py").read_text(encoding="utf-8")
    for key in re.findall(r'key=f?"(\w+)', source):
        assert view.owns(key) or key in ("dataset", "split", "method"), key


def test_no_icon_is_in_a_text():
    """A screen reader would read the name of an icon in a text aloud."""
    for path in (ROOT / "ui").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and ":material/" in str(node.value):
                assert re.fullmatch(r":material/\w*:?", node.value), (path, node.lineno)
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "badge":
                assert "icon" not in {keyword.arg for keyword in node.keywords}, (path, node.lineno)
