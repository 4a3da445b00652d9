"""The table of concepts in CONTRIBUTING names files and names that exist."""

import ast
import re

import pytest

from tests.pages import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("| concept |")[2].partition("\n\n")[0]
FORMS = re.findall(r"`([\w/]+\.py): ([\w.]+)`", TABLE)


def defined_names(path):
    """Yield the names that a module defines, and methods as Class.method."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
            for inner in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(inner, ast.FunctionDef):
                    yield f"{node.name}.{inner.name}"
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


@pytest.mark.parametrize(("file", "name"), FORMS)
def test_each_form_of_a_concept_exists(file, name):
    paths = [ROOT / folder / file for folder in ("zslcore", "ui")]
    (path,) = [path for path in paths if path.is_file()]
    assert name in set(defined_names(path)), f"{path} has no {name}"


def test_each_row_of_the_table_names_a_form():
    rows = [line for line in TABLE.splitlines() if line.startswith("| ")]
    assert len(rows) >= 12
    assert all(re.search(r"`[\w/]+\.py: [\w.]+`", row) for row in rows)
