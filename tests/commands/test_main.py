"""The command line: exit codes and sentences."""

import os
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from tests.datasets import files
from zslcore.__main__ import main
from zslcore.analysis.stored_runs import sort_orders
from zslcore.commands.command_line import COMMANDS, MODULES, parser_of_commands
from zslcore.datasets import load
from zslcore.datasets.base import class_folds
from zslcore.exceptions import DatasetError

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.usefixtures("own_data")


def test_import_prints_a_summary(tmp_path, capsys):
    folder = files.write_folder(tmp_path / "Toy")
    assert main(["import", str(folder), "--name", "mine"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for fact in ("mine", "30 x 7", "5 x 4", load("mine").digest, "not recognised", "3 seen and"):
        assert fact in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["import", "{folder}/none"], "expected a folder with res101.mat"),
        (["import", "{folder}", "--features", "vgg.mat"], "(--features)"),
        (["import", "{folder}", "--unseen", "bat"], "--unseen does not apply to a folder"),
        (["import", "{folder}/res101.mat", "--splits", "x"], "--splits does not apply to files"),
        (["import", "{folder}", "--name", "../up"], "A data set's name must be"),
        (["download", "xlsa"], "did you mean 'xlsa17'"),
        (["run", "--seed", "-1"], "--seed: expected a whole number of at least 0; got '-1'"),
        (["run", "--predictions", "{folder}/p.csv"], "a name that ends in .parquet; got 'p.csv'"),
        (["run", "--predictions", "{folder}/no/p.parquet"], "a file in an existing folder"),
        (["run", "--predictions", "{folder}"], "expected a file to write; got a folder"),
        (["check", "digits", "--junit", "{folder}/no/x.xml"], "a file in an existing folder"),
        (["check", "digits", "--output", "{folder}/no/x.md"], "a file in an existing folder"),
        (
            ["compare", "--method", "ESZSL", "ESZSL"],
            "--method: expected every name once; got 'ESZSL' twice",
        ),
        (["board", "{folder}/none"], "expected a folder of results as JSON"),
    ],
)
def test_invalid_commands_are_refused_with_exit_code_2(tmp_path, capsys, arguments, sentence):
    folder = files.write_folder(tmp_path / "Toy")
    assert main([part.format(folder=folder) for part in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("zslcore: ")
    assert sentence in err
    assert not (folder / "no").exists()
    assert err.count("\n") == 1


@pytest.mark.parametrize(("n_classes", "unseen"), [(3, ["0", "1", "2"]), (1, ["0"])])
def test_an_import_without_a_seen_class_is_refused(tmp_path, printed, n_classes, unseen):
    labels = np.repeat(np.arange(n_classes), 4)
    arrays = {"features": np.ones((len(labels), 2)), "labels": labels}
    arrays |= {"prototypes": np.eye(n_classes), "class_names": list("abc"[:n_classes])}
    np.savez(tmp_path / "t.npz", **arrays)
    err = printed("import", tmp_path / "t.npz", "--unseen", *unseen, status=2)
    assert err.startswith("zslcore: unseen classes: expected")
    assert err.count("\n") == 1


def test_folds_need_a_seen_class():
    with pytest.raises(DatasetError, match="at least one seen class; got none"):
        class_folds(np.zeros(3, int), np.empty(0, int))


def test_a_missing_command_is_exit_code_2(capsys):
    with pytest.raises(SystemExit) as caught:
        main([])
    assert caught.value.code == 2
    assert "usage" in capsys.readouterr().err


def _helps():
    """Return the command line and the help of every command and subcommand."""
    for name in COMMANDS:
        module = import_module(f"zslcore.commands.{MODULES.get(name, name.replace('-', '_'))}")
        yield f"zslcore {name}", module.__doc__
        for verb, command in getattr(module, "VERBS", {}).items():
            yield f"zslcore {name} {verb}", command.run.__doc__


HELPS = dict(_helps())


@pytest.mark.parametrize("start", HELPS)
def test_every_help_gives_an_example_that_the_command_accepts(start):
    lines = [line.strip() for line in HELPS[start].splitlines()]
    examples = [line for line in lines if line.startswith(start)]
    assert examples
    for line in examples:
        for item in line.split(" && "):
            _, *words = shlex.split(item)
            args = parser_of_commands(words[:1]).parse_args(words)
            assert getattr(args, "sort", "created") in sort_orders()


@pytest.mark.parametrize("start", HELPS)
def test_every_help_is_plain_text(start, capsys):
    with pytest.raises(SystemExit):
        main([*start.split()[1:], "--help"])
    text = capsys.readouterr().out
    assert "Example:\n" in text
    assert "::" not in text


@pytest.mark.parametrize(
    "words",
    [
        "check classes.txt",
        "check split.json",
        "import own.csv --prototypes p.csv --unseen cat",
        "score scores.csv --unseen fox",
    ],
)
def test_reading_a_small_file_imports_no_large_library(tmp_path, words):
    (tmp_path / "classes.txt").write_text("cat\ndog\nhorse\nzebra\n")
    (tmp_path / "split.json").write_text('{"train": ["cat", "dog"], "test": ["horse", "zebra"]}')
    (tmp_path / "own.csv").write_text("label,x,y\n" + "cat,1,2\ndog,3,4\nfox,4,5\n" * 5)
    rows = "cat,3,2,1\ndog,1,2,3\nfox,2,1,3\n" * 5
    (tmp_path / "scores.csv").write_text(f"label,cat,dog,fox\n{rows}")
    (tmp_path / "p.csv").write_text("class,a\ncat,1\ndog,2\nfox,3\n")
    request = (
        "import sys; from zslcore.__main__ import main;"
        f"main({words.split()}); sys.stderr.write(' '.join(sys.modules))"
    )
    environment = os.environ | {"ZSL_DATA": str(tmp_path / "data"), "PYTHONPATH": str(ROOT)}
    run_result = subprocess.run(
        [sys.executable, "-c", request],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env=environment,
    )
    assert run_result.stdout
    imported = set(run_result.stderr.split())
    tables = set() if words.startswith("score") else {"pandas"}
    assert not imported & {"scipy.stats", "sklearn", "torch", "zslcore.methods", *tables}


def test_a_missing_file_is_named_before_other_faults(tmp_path, capsys):
    (tmp_path / "labels.csv").write_text("label\n1\n")
    assert main(["import", str(tmp_path / "none.csv"), str(tmp_path / "labels.csv")]) == 2
    assert capsys.readouterr().err == "zslcore: none.csv: expected a file; got none.\n"
