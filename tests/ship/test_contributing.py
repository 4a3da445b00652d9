"""The worked examples of docs/guide/contributing.md, followed in a copy of the repository."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.pages import ROOT

PAGE = (ROOT / "docs" / "guide" / "contributing.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECTIONS = dict(part.split("\n", 1) for part in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:])
#: Folders to which the examples add files; all others are linked.
WRITTEN = ("data", "data/published", "data/board")


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the repository."""
    folder = tmp_path_factory.mktemp("clone")
    ignored = shutil.ignore_patterns("__pycache__", "_app", "data")
    for name in ("zslcore", "ui", "pages", ".streamlit"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    shutil.copytree(ROOT / "ui/views/data", folder / "ui/views/data", dirs_exist_ok=True)
    shutil.copytree(ROOT / "zslcore/datasets", folder / "zslcore/datasets", dirs_exist_ok=True)
    shutil.copy(ROOT / "app.py", folder / "app.py")
    for name in WRITTEN:
        (folder / name).mkdir()
        for path in (ROOT / name).iterdir():
            target = folder / name / path.name
            if path.suffix == ".parquet":  # a board refuses links to predictions
                shutil.copy(path, target)
            elif target.relative_to(folder).as_posix() not in WRITTEN:
                target.symlink_to(path)
    return folder


FILES = {
    block.split("\n")[0].removeprefix("# "): block.partition("\n")[2]
    for kind, block in BLOCK.findall(PAGE)
    if kind == "python" and re.match(r"# \S+/", block)
}


@pytest.mark.parametrize("path", FILES)
def test_each_example_file_is_formatted_by_ruff(path):
    for command in (["check"], ["format", "--check"]):
        words = ["ruff", *command, "--stdin-filename", str(ROOT / path), "-"]
        done = subprocess.run(
            [sys.executable, "-m", *words],
            input=FILES[path],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


#: Runs blocks of sections in one interpreter: Python, and commands, each with an optional exit
#: status; returns the output of each section.
RUN = """
import io, json, re, shlex, subprocess, sys
from contextlib import redirect_stdout
from zslcore.__main__ import main

printed = {}
for title, kind, block in json.load(sys.stdin):
    out = io.StringIO()
    with redirect_stdout(out):
        if kind == "python":
            exec(compile(block, title, "exec"), {})
        for line in block.splitlines() if kind == "sh" else ():
            command, _, ends = line.partition(" || test $? -eq ")
            words = shlex.split(command, comments=True)
            if words[0] == "zslcore":
                status = main(words[1:])
            else:
                status = subprocess.run(["bash", "-ec", command]).returncode
            assert status == int(ends[:1] or 0), (title, line)
    printed[title] = printed.get(title, "") + out.getvalue()
json.dump(printed, sys.stdout)
"""


def written(folder, title, text):
    """Write the files of a section and apply its changes; yield the blocks to run."""
    for kind, block in BLOCK.findall(text):
        head, _, rest = block.partition("\n")
        path = folder / head.removeprefix("# ")
        if kind == "diff":
            applied(path, rest)
        elif head.startswith("# ") and "/" in head:
            path.write_text(rest if path.suffix == ".csv" else block, encoding="utf-8")
        else:
            yield title, kind, block


def applied(path, rest):
    """Insert the added lines of a diff after its context."""
    lines = rest.splitlines()
    before = [line[1:] for line in lines if line.startswith(" ")]
    new = [line[1:] for line in lines if line.startswith("+")]
    assert [*(f" {line}" for line in before), *(f"+{line}" for line in new)] == lines
    text = path.read_text(encoding="utf-8")
    result = "\n".join(before) + "\n"
    assert text.count(result) == 1, (path, result)
    path.write_text(text.replace(result, result + "\n".join(new) + "\n"), encoding="utf-8")


@pytest.mark.skipif(os.name != "posix", reason="a shell runs the commands")
def test_each_example_works_as_printed(clone):
    """All files are written first, since the board uses the run of the method."""
    blocks = [item for title, text in SECTIONS.items() for item in written(clone, title, text)]
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps(blocks),
        cwd=clone,
        env=os.environ | {"PYTHONPATH": str(clone), "ZSL_DATA": str(clone / "results")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    printed = json.loads(done.stdout)
    assert "21 hold, 0 waived, 0 broken" in printed["A method"]
    assert "ZSL013" in printed["A check of the audit"]
    assert "CrossCovariance" in printed["A metric"]
    assert "Name: plain_harmonic, dtype: float64" in printed["A study"]
    assert " 1012 " in printed["A command"]
    assert "unseen" in printed["A page"]
    assert "ESZSL     CUB    PS             0.5" in printed["A printed table"]
    assert "verified" in printed["A row of the board"]


def test_each_example_adds_at_most_one_file_and_one_change():
    assert len(SECTIONS) == 8
    for title, text in SECTIONS.items():
        kinds = [(kind, block.split("\n")[0]) for kind, block in BLOCK.findall(text)]
        files = {head for kind, head in kinds if kind in ("python", "text") and "/" in head}
        places = {head for kind, head in kinds if kind == "diff"}
        assert len(files) <= 1, title
        assert len(places) <= 1, title
        assert any(kind == "sh" or (kind == "python" and "/" not in head) for kind, head in kinds)
