"""Mutation tests: single faults put into the code, and whether nearby tests find them.

``python -m tools.mutants mutants.jsonl`` tries 200 random mutants of lines of zslcore and ui, then
the mutants in ``planted_mutants.toml``; mutants with a result in the file are not tried again.
Random mutants are chosen by a seeded digest of their line, so changes to other lines do not affect
the choice. Tests run on the last commit in a separate work tree: first gate tests that import the
file, then the gate tests of its folder, then nightly tests on the mutants that survived. ``--tier
gate`` leaves out the nightly tests.
"""

from __future__ import annotations

import argparse
import ast
import copy
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import pytest

SEED, N_RANDOM = 42, 200
#: Tiers of tests; each runs on the mutants that survived the previous tier.
TIERS = ("gate", "nightly")
ROOT = Path(__file__).parents[1]
#: CPU seconds after which a mutant counts as killed, since it may never end.
MOST_SECONDS = 600
#: Exit codes of pytest if it could not run the tests.
CANNOT_RUN = (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR)
_PAIRS = [
    *[(ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn)],
    *[(ast.Is, ast.IsNot), (ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.BitAnd, ast.BitOr)],
    (ast.And, ast.Or),
]
EXCHANGES = dict(_PAIRS) | {b: a for a, b in _PAIRS} | {ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult}


@dataclass(frozen=True)
class Mutant:
    """One change of one file, at a position in its text."""

    path: str
    at: int
    before: str
    after: str

    @property
    def name(self) -> str:
        """File, text of the line and change; a line number would depend on the lines above."""
        text = (ROOT / self.path).read_text(encoding="utf-8")
        start, end = text.rfind("\n", 0, self.at) + 1, text.find("\n", self.at)
        return f"{self.path}: {text[start:end].strip()}: {self.before} -> {self.after}"


def random_mutants() -> list[Mutant]:
    """Return one mutant per line, for random lines among all that can be mutated."""
    candidates: dict[str, tuple[Path, ast.expr, ast.expr]] = {}
    for path in (*sorted(ROOT.glob("zslcore/**/*.py")), *sorted(ROOT.glob("ui/**/*.py"))):
        source, name = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
        lines, seen = source.splitlines(), Counter[str]()
        of_lines: dict[int, list[tuple[ast.expr, ast.expr]]] = {}
        for node, new in changes(ast.parse(source)):
            of_lines.setdefault(node.lineno, []).append((node, new))
        for line, pairs in of_lines.items():
            code = lines[line - 1].strip()
            seen[code] += 1
            digest = hashlib.sha256(f"{SEED} {name} {code} {seen[code]}".encode()).hexdigest()
            candidates[digest] = (path, *pairs[int(digest, 16) % len(pairs)])
    return [mutant_of(*candidates[digest]) for digest in sorted(candidates)[:N_RANDOM]]


def mutant_of(path: Path, node: ast.expr, new: ast.expr) -> Mutant:
    """Return the mutant of a file in which ``new`` replaces ``node``."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    ends = ((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset))
    at, end = (
        sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode())
        for line, column in ends
    )
    name = path.relative_to(ROOT).as_posix()
    return Mutant(name, at, "".join(lines)[at:end], f"({ast.unparse(new)})")


def changes(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield expressions in function bodies with their replacements."""
    inside: set[ast.AST] = set()
    left_out: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            inside.update(node_inside for part in node.body for node_inside in ast.walk(part))
        for child in (getattr(node, "annotation", None), getattr(node, "returns", None), node):
            if isinstance(child, ast.AST) and (
                child is not node or isinstance(child, ast.JoinedStr)
            ):
                left_out.update(ast.walk(child))
    for node in ast.walk(tree):
        if node not in inside or node in left_out:
            continue
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            yield node.test, ast.UnaryOp(ast.Not(), node.test)
        elif isinstance(node, ast.expr) and (new := change_once(node)) is not None:
            yield node, new


def change_once(node: ast.expr) -> ast.expr | None:
    """Return a copy of an expression with one change, or None."""
    new = copy.copy(node)
    match new:
        case ast.Compare(ops=[op]) if type(op) in EXCHANGES:
            new.ops = [EXCHANGES[type(op)]()]
        case ast.BinOp(op=op) | ast.BoolOp(op=op) if type(op) in EXCHANGES:
            new.op = EXCHANGES[type(op)]()
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            return new.operand
        case ast.Constant(value=bool(value)):
            new.value = not value
        case ast.Constant(value=int(value) | float(value)):
            new.value = value + 1
        case ast.Call(args=[ast.Name() as first, ast.Name() as second, *rest]):
            new.args = [second, first, *rest]
        case _:
            return None
    return new


def planted_mutants() -> list[Mutant]:
    """Return the handwritten mutants, of kinds that tests once missed."""
    text = (ROOT / "tools" / "planted_mutants.toml").read_text(encoding="utf-8")
    mutants = []
    for row in tomllib.loads(text)["mutants"]:
        at = (ROOT / row["path"]).read_text(encoding="utf-8").index(row["before"])
        mutants.append(Mutant(row["path"], at, row["before"], row["after"]))
    return mutants


@cache
def imports() -> dict[str, set[str]]:
    """Return the modules, and names from modules, that each test file imports."""
    importers: dict[str, set[str]] = {}
    for path in sorted(ROOT.glob("tests/**/test_*.py")):
        names = importers.setdefault(path.relative_to(ROOT).as_posix(), set())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                names.update(
                    [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
                )
    return importers


def module_of(path: Path) -> str:
    """Return the name by which a file is imported."""
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def stages(path: Path) -> dict[str, list[list[str]]]:
    """Return the arguments of the pytest calls in each tier, nearest tests first."""
    module = module_of(path)
    package = path.parts[1] if path.parts[0] == "zslcore" else "ui"
    folder = f"tests/{package}" if (ROOT / "tests" / package).is_dir() else "tests/laws"
    near = [
        name
        for name, names in imports().items()
        if module in names or Path(name).stem in (f"test_{path.stem}", f"test_{path.parent.stem}")
    ]
    near = [name for name in near if not name.startswith(("tests/browser", "tests/ship"))]
    if path.suffix == ".js":
        return {"gate": [["tests/ui/test_components.py"]], "nightly": []}  # runs script tests
    near.sort(key=lambda name: (not name.startswith(folder), len(imports()[name])))
    if "views" in path.parts:
        near += [
            str(file)
            for file in sorted(Path("tests/app").glob("test_*.py"))
            if f'"{path.stem}"' in file.read_text(encoding="utf-8") and str(file) not in near
        ]
    calls = [[*near, "-m", "not nightly"]] * bool(near) + [[folder, "-m", "not nightly"]]
    if path.parts[0] != "ui":
        return {"gate": calls, "nightly": [[folder, "-m", "nightly"]]}
    view = path.stem if "views" in path.parts else "play"
    calls.append(["tests/app/test_every_view.py", "-k", view])
    return {"gate": calls, "nightly": [[*(near or [folder]), "-m", "nightly"]]}


def failures(arguments: Iterable[str], only_first: bool) -> list[str]:
    """Return the tests, or unimportable test files, that fail, or only the first."""
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-m", "pytest", "-o", f"cache_dir={cache}"]
        done = subprocess.run(  # noqa: S603 - our own arguments
            [*command, *["-x"] * only_first, *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.getcwd(), "PYTHONDONTWRITEBYTECODE": "1"},
            preexec_fn=partial(resource.setrlimit, resource.RLIMIT_CPU, (MOST_SECONDS,) * 2),
        )
        if done.returncode < 0:
            return ["does not end"]
        if done.returncode in CANNOT_RUN:  # no test ran: neither killed nor alive
            raise RuntimeError(f"pytest cannot run {' '.join(arguments)}")
        failed = Path(cache) / "v" / "cache" / "lastfailed"
        return [*json.loads(failed.read_text(encoding="utf-8"))] if failed.exists() else []


def killing_test(mutant: Mutant, arguments: list[str]) -> str:
    """Return the test that kills a mutant; empty if it survives."""
    path = Path(mutant.path)
    source, end = path.read_text(encoding="utf-8"), mutant.at + len(mutant.before)
    path.write_text(source[: mutant.at] + mutant.after + source[end:], encoding="utf-8")
    failed = failures(arguments, only_first=True)
    path.write_text(source, encoding="utf-8")
    return failed[0] if failed else ""


def git(*words: str) -> None:
    """Call git in the repository."""
    subprocess.run(["git", *words], cwd=ROOT, check=True)  # noqa: S603, S607 - the caller's own


def table(records: dict[str, dict[str, str]]) -> str:
    """Return the numbers of mutants by folder, and the survivors, as Markdown."""
    folders = {name: "/".join(name.split(":")[0].split("/")[:2]) for name in records}
    rows = []
    for folder in [*sorted(set(folders.values())), "all"]:
        of_it = [records[name] for name in records if folder in ("all", folders[name])]
        gate = sum(bool(by.get("gate")) for by in of_it)
        either = sum(any(by.values()) for by in of_it)
        title = folder if folder == "all" else f"`{folder}`"
        rows.append(f"| {title} | {gate} | {either} | {len(of_it)} |")
    survivors = [f"- {name}" for name, by in records.items() if not any(by.values())]
    headings = ["| folder | killed by gate | killed | mutants |", "|---|---|---|---|"]
    return "\n".join([*headings, *rows, "", *survivors])


def main() -> None:
    """Try mutants, and print all results in the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="file of results, one line of JSON per mutant")
    parser.add_argument(
        "--first", type=int, default=N_RANDOM, help="number of random mutants (200)"
    )
    parser.add_argument(
        "--tier", choices=TIERS, default=TIERS[-1], help="last tier to run (nightly)"
    )
    args = parser.parse_args()
    file = args.file.resolve()
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    records: dict[str, dict[str, str]] = {}
    for tier, name, by in map(json.loads, lines):
        records.setdefault(name, {})[tier] = by
    mutants = [*random_mutants()[: args.first], *planted_mutants()]
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        git("worktree", "add", "-q", "--detach", str(tree))
        (tree.parent / "shared").symlink_to(ROOT.parent / "shared")
        os.chdir(tree)
        for tier in TIERS[: TIERS.index(args.tier) + 1]:
            for mutant in mutants:
                done = records.setdefault(mutant.name, {})
                if tier in done or any(done.values()):
                    continue
                calls = stages(Path(mutant.path))[tier]
                done[tier] = next(filter(None, (killing_test(mutant, call) for call in calls)), "")
                with file.open("a", encoding="utf-8") as out:
                    out.write(json.dumps([tier, mutant.name, done[tier]]) + "\n")
        killers = sorted({by for done in records.values() for by in done.values() if "::" in by})
        broken = failures(killers, only_first=False) if killers else []
        os.chdir(ROOT)
        git("worktree", "remove", "--force", str(tree))
    sys.stderr.write("".join(f"{test} fails without a mutant\n" for test in broken))
    for done in records.values():
        done.update({tier: "" for tier, by in done.items() if by in broken})
    print(table(records))  # noqa: T201 - the report


if __name__ == "__main__":
    main()
