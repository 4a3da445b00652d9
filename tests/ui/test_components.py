"""Components: their modules, separately and joined for Streamlit."""

import json
import subprocess
from pathlib import Path

import pytest

from zslcore.interactive.one_file import SHARED, join_modules

ROOT = Path(__file__).parents[2]
FOLDERS = [ROOT / "ui" / "components", SHARED]
ENTRIES = [
    folder / f"{folder.name}.js"
    for parent in FOLDERS
    for folder in sorted(parent.iterdir())
    if (folder / "__init__.py").exists()
]
MODULES = [module for parent in FOLDERS for module in sorted(parent.rglob("*.js"))]


@pytest.fixture
def entry(tmp_path):
    """Write modules; return the path of the first."""

    def write(**modules):
        for name, text in modules.items():
            (tmp_path / f"{name}.js").write_text(text, encoding="utf-8")
        return tmp_path / f"{next(iter(modules))}.js"

    return write


def finished(*command):
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=120
    )


def test_the_modules_pass_their_own_tests(node):
    tests = sorted((ROOT / "tests" / "js").glob("*.test.js"))
    assert tests
    run = finished(node, "--test", *map(str, tests))
    assert run.returncode == 0, run.stdout[-5000:] + run.stderr[-2000:]


@pytest.mark.parametrize("path", ENTRIES, ids=lambda path: path.stem)
def test_a_joined_component_is_one_module_without_imports(node, tmp_path, path):
    (tmp_path / "joined.mjs").write_text(join_modules(path), encoding="utf-8")
    url = json.dumps((tmp_path / "joined.mjs").as_uri())
    look = f"const all = await import({url}); console.log(Object.keys(all), typeof all.default)"
    run = finished(node, "--input-type=module", "--eval", look)
    assert run.stdout.split() == ["[", "'default'", "]", "function"], run.stderr


def test_every_module_of_a_component_is_joined():
    used = "".join(join_modules(path) for path in ENTRIES)
    for module in MODULES:
        assert module.read_text(encoding="utf-8").splitlines()[1] in used, module


@pytest.mark.parametrize("module", MODULES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_module_is_checked_and_documented(module):
    first, second = module.read_text(encoding="utf-8").splitlines()[:2]
    assert first == "// @ts-check"
    assert second.startswith("// ")


def test_modules_are_joined_in_the_order_in_which_they_are_needed(entry):
    path = entry(
        main='import { twice } from "./a.js";\nimport { ONE } from "./b.js";\n'
        "export default function () {\n  return twice(ONE);\n}\nexport class Named {}\n",
        a='import { ONE, two$ } from "./b.js";\n/** @import { T } from "./b.js" */\n'
        "export const FOUR = two$() + two$();\n"
        "export function twice(x) {\n  return two$() * x * (FOUR - 3 * ONE);\n}\n",
        b="// what others import and export\nexport const ONE = 1;\n"
        "export async function later() {}\nexport let two$ = () => ONE + hidden;\n"
        "const hidden = 1;\n",
    )
    assert join_modules(path) == (
        "// what others import and export\nconst ONE = 1;\n"
        "async function later() {}\nlet two$ = () => ONE + hidden;\n"
        "const hidden = 1;\n"
        '/** @import { T } from "./b.js" */\n'
        "const FOUR = two$() + two$();\n"
        "function twice(x) {\n  return two$() * x * (FOUR - 3 * ONE);\n}\n"
        "export default function () {\n  return twice(ONE);\n}\nclass Named {}\n"
    )


MAIN = "export default function () {}\n"


def test_shared_modules_are_in_a_parent_folder(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "shared.js").write_text("export const x = 1;\n", encoding="utf-8")
    path = tmp_path / "own" / "own.js"
    path.write_text(f'import {{ x }} from "../shared.js";\n{MAIN}', encoding="utf-8")
    assert join_modules(path) == f"const x = 1;\n{MAIN}"


def test_shared_modules_are_found_from_any_working_directory(tmp_path):
    path = tmp_path / "own.js"
    shared = '"../../../zslcore/interactive/svg.js"'
    path.write_text(f"import {{ createSvg }} from {shared};\n{MAIN}", encoding="utf-8")
    assert "function createSvg(" in join_modules(path)
