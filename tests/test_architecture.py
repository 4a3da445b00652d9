"""Layers only look downwards: app.py and pages -> ui -> zslcore."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FORBIDDEN = {
    "zslcore": {"streamlit", "plotly", "ui", "pages"},
    "ui/figures": {"streamlit"},
    "ui": {"pages", "app"},
    "pages": {"torch", "scipy", "sklearn", "plotly", "pages", "app"},
}
#: Folders from the ground up; each knows itself and those before it. What lies in ``zslcore`` and
#: ``ui`` themselves is told by the circles that there are not.
STOREYS = [
    [
        *("zslcore/datasets", "zslcore/methods", "zslcore/evaluation"),
        *("zslcore/large", "zslcore/analysis"),
        *("zslcore/leakage", "zslcore/scores", "zslcore/board", "zslcore/extraction"),
        *("zslcore/jobs", "zslcore/commands"),
    ],
    ["ui/components", "ui/figures", "ui/maps", "ui/sections", "pages"],
]
LONGEST_PAGE, LONGEST_BODY = 250, 40


def files_of(layer):
    path = ROOT / layer
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    assert files
    return files


def imported_names(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imports_from(path, *packages):
    """What a file imports of these packages."""
    above = tuple(f"{package}." for package in packages)
    return [name for name in imported_names(path) if f"{name}.".startswith(above)]


def bodies(path):
    """Yield every function with the lines from its first statement, without docstring, to its end.

    What it takes and returns is told above that, and may be told at length.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            told = ast.get_docstring(node) is not None
            statements = node.body[told:]
            yield node.name, node.end_lineno - statements[0].lineno + 1 if statements else 0


@pytest.mark.parametrize("layer", FORBIDDEN)
def test_layer_imports_nothing_above_it(layer):
    for path in files_of(layer):
        assert not imports_from(path, *FORBIDDEN[layer]), path


@pytest.mark.parametrize("storeys", STOREYS)
def test_no_folder_knows_one_above_it(storeys):
    for k, storey in enumerate(storeys):
        above = [folder.replace("/", ".") for folder in storeys[k + 1 :]]
        for path in files_of(storey):
            assert not imports_from(path, *above), path


def test_no_file_leads_back_to_itself():
    files = [path for layer in ("zslcore", "ui", "pages", "app.py") for path in files_of(layer)]
    names = {module_of(path): path for path in files}
    needs = {name: set() for name in names}
    for name, path in names.items():
        for imported in imported_at_once(path):
            needs[name].add(imported if imported in names else imported.rpartition(".")[0])
    assert len(names) > 150
    list(TopologicalSorter(needs).static_order())  # raises where there is a circle


def module_of(path):
    """The dotted name of a file."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported_at_once(path):
    """Names that a file imports as it is imported itself, not for types nor in a function."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_a_section_knows_no_page_and_only_pages_know_sections():
    sections = set(files_of("ui/sections"))
    for path in sections:
        assert not imports_from(path, "pages", "app"), path
    for path in {*files_of("ui"), *files_of("zslcore")} - sections:
        assert not imports_from(path, "ui.sections"), path


def test_a_page_is_a_script_to_be_read_at_once():
    for path in files_of("pages"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_PAGE, path


@pytest.mark.parametrize("layer", ["zslcore", "ui", "pages", "app.py"])
def test_a_function_does_what_fits_on_a_screen(layer):
    for path in files_of(layer):
        long = [name for name, lines in bodies(path) if lines > LONGEST_BODY]
        assert not long, path


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
