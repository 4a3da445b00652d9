"""Layers only look downwards: app.py and pages -> ui -> zslcore."""

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from ui import site_map

ROOT = Path(__file__).parents[2]
FORBIDDEN = {
    "zslcore": {"streamlit", "plotly", "ui", "pages"},
    "ui/figures": {"streamlit"},
    "ui": {"pages", "app"},
    "pages": {"torch", "scipy", "sklearn", "plotly", "zslcore", "pages", "app"},
    "ui/views": {"torch", "scipy", "sklearn", "plotly", "pages", "app"},
}
MOST_FLOORS = 9
#: Hands on names of the rooms when they are first used, so that it imports what lies above it.
FRONT_DOOR = "zslcore"
#: Folders of the app from the ground up; each knows itself and those before it.
STOREYS = ["ui/components", "ui/figures", "ui/maps", "ui/sections", "ui/views", "pages"]


def files_of(layer):
    path = ROOT / layer
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    assert files
    return files


@cache
def imported_names(path):
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def imports_from(path, *packages):
    """What a file imports of these packages."""
    above = tuple(f"{package}." for package in packages)
    return [name for name in imported_names(path) if f"{name}.".startswith(above)]


@pytest.mark.parametrize("layer", FORBIDDEN)
def test_layer_imports_nothing_above_it(layer):
    for path in files_of(layer):
        assert not imports_from(path, *FORBIDDEN[layer]), path


def test_no_folder_knows_one_above_it():
    for k, storey in enumerate(STOREYS):
        above = [folder.replace("/", ".") for folder in STOREYS[k + 1 :]]
        for path in files_of(storey):
            assert not imports_from(path, *above), path


@pytest.mark.slow
def test_no_module_imports_itself_by_any_way():
    """Imports inside functions and those for types count, too."""
    needs = imports_by_module()
    assert len(needs) > 150
    list(TopologicalSorter(needs).static_order())  # raises where there is a circle


def test_the_package_has_no_circle_and_at_most_nine_floors():
    needs = {}
    for module, imported in imports_by_module("zslcore").items():
        found = needs.setdefault(room_of(module), set())
        found |= {room_of(name) for name in imported} - {room_of(module)}
    floor = {}
    for room in TopologicalSorter(needs).static_order():  # raises where there is a circle
        floor[room] = 1 + max((floor[below] for below in needs[room]), default=0)
    assert 1 < max(floor.values()) <= MOST_FLOORS, floor


def room_of(module):
    """The folder or file directly in ``zslcore`` that a module belongs to."""
    return ".".join(module.split(".")[:2])


def imports_by_module(*layers):
    """The modules that every module imports, at once, in a function or for types."""
    layers = layers or ("zslcore", "ui", "pages", "app.py")
    names = {module_of(path): path for layer in layers for path in files_of(layer)}
    needs = {name: set() for name in names if name != FRONT_DOOR}
    for name in needs:
        for imported in imported_names(names[name]):
            found = imported if imported in names else imported.rpartition(".")[0]
            if found in names and found not in (FRONT_DOOR, name):
                needs[name].add(found)
        if name == "zslcore.__main__":  # imports every command by its name
            needs[name] |= {other for other in names if other.startswith("zslcore.commands.")}
    return needs


def module_of(path):
    """The dotted name of a file."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def test_a_section_knows_no_page_and_only_views_know_sections():
    sections, views = set(files_of("ui/sections")), set(files_of("ui/views"))
    for path in sections:
        assert not imports_from(path, "pages", "app"), path
    for path in {*files_of("ui"), *files_of("zslcore")} - sections - views:
        assert not imports_from(path, "ui.sections"), path
    for path in {*files_of("ui"), *files_of("pages")}:
        assert not imports_from(path, "ui.views"), path


def test_only_the_cache_remembers():
    for path in [*(ROOT / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"]:
        if path != ROOT / "ui" / "cache.py":
            assert "st.cache_" not in path.read_text(encoding="utf-8"), path


def test_every_page_and_every_view_is_on_the_map():
    named = [(page.name, view.name) for page in site_map.PAGES for view in page.views]
    views = [path for path in (ROOT / "ui" / "views").glob("*/*.py") if path.stem != "__init__"]
    assert sorted(named) == sorted((path.parent.name, path.stem) for path in views)
    assert len({view for _, view in named}) == len(named)
    assert {page for page, _ in named} == {path.stem for path in (ROOT / "pages").glob("*.py")}


def test_every_page_shows_itself_and_every_view_has_a_question():
    for path in (ROOT / "pages").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert f'show_page("{path.stem}")' in text, path
    assert all(view.question for page in site_map.PAGES for view in page.views)


@pytest.mark.parametrize("view", [v for page in site_map.PAGES for v in page.views])
def test_names_of_choices_belong_to_one_view(view):
    """Two views of a page may share a choice only by one of the short names of all pages."""
    page = site_map.page_of(view.name)
    source = (ROOT / "ui" / "views" / page.name / f"{view.name}.py").read_text(encoding="utf-8")
    for key in re.findall(r'key=f?"(\w+)', source):
        assert view.owns(key) or key in ("dataset", "split", "method"), key
