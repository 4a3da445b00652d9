"""Count words that break the style guide in docstrings, names and screen texts.

``python -m tools.words`` prints the counts by folder; ``python -m tools.words ui/maps leakage``
lists all cases in paths that contain one of the arguments. The limits are in
``tests/laws/test_words.py``.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
#: Folders with Python files to read.
FOLDERS = ("zslcore", "ui", "tools", "benchmarks", "tests")
#: Relative pronouns without a noun, in the first line of a docstring.
RELATIVE = re.compile(r"\b(what|whose|whoever|nobody)\b", re.IGNORECASE)
#: Names that do not describe their value.
EMPTY_NAMES = frozenset(("found", "said", "asked", "told", "given", "known", "made", "there"))
#: Texts that the screen must not show, from the "not" column of the term list.
UNWANTED = re.compile(
    r"\b(?:answered with|may be answered|taken as|(?:un)?known class(?:es)?|has seen|knows"
    r"|suspicions?|certainly better|may be first|nobody|drawn again|other draws"
    r"|a bound and no result|shipped|results only|no features\b(?=\))|mine(?!\.)|brought"
    r"|executions?|rows leaked|did not run|score files? (?:dropped|sent)|child process(?:es)?"
    r"|keepers?|torn|mend(?:s|ed|ing)?|disown(?:s|ed)?|twins?|unplanted|stand-ins?"
    r"|semantic representations?|side information|whoever|in hand)\b",
    re.IGNORECASE,
)
#: Non-Python files with screen texts.
SCREEN_FILES = ("ui/**/*.toml", "ui/**/*.js", "ui/**/*.html", "zslcore/interactive/**/*.js")


class Case(NamedTuple):
    """One use of a word, with the rule and the place."""

    rule: str
    path: str
    line: int
    text: str

    @property
    def folder(self) -> str:
        """The folder of the file, at most two levels deep."""
        return "/".join(self.path.split("/")[:-1][:2])


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _sources() -> Iterator[tuple[str, ast.Module]]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), _tree(path)


def relative_docstrings() -> Iterator[Case]:
    """Yield the docstrings with a word of :data:`RELATIVE` in the first line."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for path, tree in _sources():
        for node in ast.walk(tree):
            if isinstance(node, documented) and (text := ast.get_docstring(node)):
                first = text.split("\n")[0]
                if RELATIVE.search(first):
                    yield Case("docstring", path, getattr(node, "lineno", 1), first)


def empty_names() -> Iterator[Case]:
    """Yield variables, parameters, attributes and functions named in :data:`EMPTY_NAMES`."""
    for path, tree in _sources():
        for node in ast.walk(tree):
            match node:
                case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                    pass
                case ast.Attribute(attr=name, ctx=ast.Store()):
                    pass
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    pass
                case _:
                    continue
            if name.strip("_").lower() in EMPTY_NAMES:
                yield Case("name", path, node.lineno, name)


def shared_names() -> dict[str, list[str]]:
    """Return public names of functions and classes in several modules, with these modules.

    Commands are left out, since all define functions such as ``run`` and ``add_arguments``.
    """
    modules = defaultdict(set)
    for path, tree in _sources():
        if path.startswith("zslcore/commands/") or not path.startswith(("zslcore/", "ui/")):
            continue
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name[0] != "_":
                modules[node.name].add(path)
    return {name: sorted(paths) for name, paths in sorted(modules.items()) if len(paths) > 1}


def unwanted_texts() -> Iterator[Case]:
    """Yield the screen texts with an unwanted term."""
    for path, line, text in screen_texts():
        if UNWANTED.search(text):
            yield Case("text", path, line, " ".join(text.split())[:160])


def screen_texts() -> Iterator[tuple[str, int, str]]:
    """Yield path, line and value of all texts in ui, its data files and the components."""
    for path, tree in _sources():
        if path.startswith("ui/"):
            hidden = _docstrings(tree)
            for node in ast.walk(tree):
                is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
                if is_text and id(node) not in hidden and " " in node.value.strip():
                    yield path, node.lineno, node.value
    for pattern in SCREEN_FILES:
        for file in sorted(ROOT.glob(pattern)):
            name, source = file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")
            if file.suffix == ".toml":
                yield from ((name, 1, value) for value in _texts_in(tomllib.loads(source)))
                continue
            if file.suffix == ".js":  # comments are not screen texts
                source = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), source, flags=re.S)
                source = re.sub(r"(?m)(^|\s)//.*$", "", source)
            for number, line in enumerate(source.split("\n"), 1):
                yield name, number, line


def _docstrings(tree: ast.Module) -> set[int]:
    """Return the ids of all constants that are statements, such as docstrings."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts_in(item)


def main(words: list[str]) -> None:
    """Print the counts by folder, or all cases in paths that contain one of ``words``."""
    lines = _listed(words) if words else _counted()
    sys.stdout.write("\n".join(lines) + "\n")


def _listed(words: list[str]) -> Iterator[str]:
    for case in (*relative_docstrings(), *empty_names(), *unwanted_texts()):
        if any(word in case.path for word in words):
            yield f"{case.path}:{case.line}: {case.rule}: {case.text}"
    for name, paths in shared_names().items():
        if any(word in path for word in words for path in paths):
            yield f"{name}: {', '.join(paths)}"


def _counted() -> Iterator[str]:
    cases = [*relative_docstrings(), *empty_names(), *unwanted_texts()]
    counts = Counter((folder, case.rule) for case in cases for folder in (case.folder, "all"))
    rules = ("docstring", "name", "text")
    yield " " * 28 + "".join(f"{rule:>11}" for rule in rules)
    for folder in [*sorted({case.folder for case in cases}), "all"]:
        yield f"{folder:28}" + "".join(f"{counts[folder, rule]:>11}" for rule in rules)
    yield f"public names defined in two or more modules: {len(shared_names())}"


if __name__ == "__main__":
    main(sys.argv[1:])
