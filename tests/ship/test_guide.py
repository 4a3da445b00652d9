"""All examples in the guide and the README run as printed."""

import argparse
import json
import re
import runpy
import shlex
from itertools import takewhile
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from tests.evaluation.plugin_files import forget
from ui.shell import site_map
from zslcore import evaluate, fit_and_score, get_method, load
from zslcore.__main__ import main
from zslcore.analysis.papers.claims import CLAIMS
from zslcore.commands.command_line import parser_of_commands
from zslcore.methods import METHODS, TRANSDUCTIVE

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("guide/*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: Line of a module that is run as a script.
MAIN = 'if __name__ == "__main__":'
RESULTS = sorted((ROOT / "benchmarks" / "results").glob("*.md"))
RST_PAGES = sorted((ROOT / "docs").glob("*.rst"))
RST_BLOCK = re.compile(r"^\.\. code-block:: (\w+)\n\n((?:   .*\n|\n)+)", re.MULTILINE)
#: Pages whose Python runs elsewhere: shards need a folder, the map of all images takes minutes, and
#: examples for contributors need a copy of the repository (test_contributing.py).
ELSEWHERE = {"large.md", "maps.md", "contributing.md"}


#: How-tos that run from top to bottom: files are written, commands are run.
FOLLOWED = ["encoder.md", "lesson.md", "method.md", "scores.md"]


def blocks(path, language):
    pattern = RST_BLOCK if path.suffix == ".rst" else BLOCK
    hits = pattern.findall(path.read_text(encoding="utf-8"))
    return [dedent(text) for kind, text in hits if kind == language]


def commands(path):
    """Return the arguments of ``zslcore`` in every command on a page."""
    lines = "\n".join(blocks(path, "sh")).splitlines()
    inline = re.findall(r"`(zslcore\s[^`]+)`", path.read_text(encoding="utf-8"))
    words = [
        list(takewhile(lambda word: word != "||", shlex.split(line, comments=True)))
        for line in [*lines, *inline]
    ]
    return [line[1:] for line in words if line[:1] == ["zslcore"] and len(line) > 1]


@pytest.mark.parametrize("path", [*PAGES, *RST_PAGES, *RESULTS], ids=lambda path: path.name)
def test_every_command_in_the_documents_is_accepted_by_the_parser(path, capsys):
    added = re.findall(r'^\+ +"([\w-]+)": ', path.read_text(encoding="utf-8"), re.MULTILINE)
    for words in commands(path):
        if words[0] in added:  # run with the page by test_contributing.py
            continue
        try:
            parser_of_commands().parse_args(words)
        except SystemExit:
            missing = re.findall(r"required: (.*)", capsys.readouterr().err)
            assert missing, words  # a name in running text may leave out its arguments


def commands_of_benchmarks():
    """Return the modules and options in every printed command, and the help of every module."""
    texts = [path.read_text(encoding="utf-8") for path in (*PAGES, *RESULTS)]
    printed = re.findall(r"`python -m (benchmarks\.[^`]+)`", "\n".join(texts))
    scripts = [path for path in (ROOT / "benchmarks").glob("*.py") if MAIN in path.read_text()]
    return sorted({*printed, *(f"benchmarks.{path.stem} --help" for path in scripts)})


@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
@pytest.mark.parametrize("command", commands_of_benchmarks())
def test_every_command_of_a_benchmark_is_accepted_by_its_parser(command, monkeypatch):
    def parse_and_exit(*arguments):
        parse_args(*arguments)
        raise SystemExit(0)

    parse_args = argparse.ArgumentParser.parse_args
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse_and_exit)
    monkeypatch.setattr("sys.argv", command.split())
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(command.split()[0], run_name="__main__")
    assert ended.value.code == 0


@pytest.mark.parametrize(
    "path",
    [path for path in PAGES if path.name not in {*ELSEWHERE, *FOLLOWED}],
    ids=lambda path: path.name,
)
def test_the_python_of_a_page_runs(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for text in blocks(path, "python"):
        exec(compile(text, path.name, "exec"), {})  # the project's own guide
        assert capsys.readouterr().out


def test_the_notebook_runs_cell_by_cell(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((ROOT / "docs" / "guide" / "notebook.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    names = {}
    for text in cells:
        exec(compile(text, "notebook.ipynb", "exec"), names)  # the project's own guide
    out = capsys.readouterr().out
    assert f"H {names['result'].calibrated.harmonic:.3f} with the gamma of the folds" in out
    assert names["right"].mean() > 1 / 3
    assert not any(c.get("outputs") for c in notebook["cells"])  # no output of an old version


def test_the_page_on_predictions_runs_as_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    digits = load("digits")
    split = digits.split("PS")
    tested = fit_and_score(get_method("LinearS2V")(), digits, split)
    rows = np.concatenate([split.test_seen, split.test_unseen])
    arguments = {"F": tested.F, "y": tested.y, "rows": rows, "is_unseen": ~tested.seen}
    shown = arguments | {"names": digits.class_names}
    for text in blocks(ROOT / "docs" / "predictions.rst", "python"):
        exec(compile(text, "predictions.rst", "exec"), shown)  # the project's own guide
    assert shown["metrics"].zsl == evaluate(tested, 0.1).zsl
    assert shown["curve"].ausuc == evaluate(tested, 0.1).ausuc
    assert 0.5 < shown["auroc"].item() < 1
    assert shown["state"] == "stated"


@pytest.mark.parametrize("name", FOLLOWED)
def test_how_tos_run_from_top_to_bottom(own_data, name, tmp_path, put_on_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    put_on_path(tmp_path)
    text = (ROOT / "docs" / "guide" / name).read_text(encoding="utf-8")
    for kind, block in BLOCK.findall(text):
        if kind == "python" and (file := re.match(r"# (\w+\.py)\n", block)):
            (tmp_path / file[1]).write_text(block, encoding="utf-8")
        elif kind == "python":
            exec(compile(block, name, "exec"), {})  # the project's own guide
            assert capsys.readouterr().out
        elif kind == "sh":
            for line in block.splitlines():
                words = shlex.split(line, comments=True)
                assert words[0] == "zslcore"
                assert main(words[1:]) == 0, line
                out, err = capsys.readouterr()
                assert out
                assert "Traceback" not in err
    forget()


def test_links_of_the_guide_lead_to_files():
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
            assert (path.parent / target).is_file(), (path.name, target)


def test_counts_and_questions_in_the_readme_are_right():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, n in {"methods": len(METHODS) + len(TRANSDUCTIVE), "claims": len(CLAIMS)}.items():
        (least,) = set(re.findall(rf"more than (\d+) {name} ", text))
        assert 0 < n - int(least) < 10
    for view in (view for page in site_map.PAGES for view in page.views):
        assert f"| {view.label} | {view.question} |" in text
