"""Board results with a predictions file are recomputed from it."""

import json
import os
import re
from dataclasses import replace

import numpy as np
import pytest

from zslcore.__main__ import main
from zslcore.board.checking import read_board
from zslcore.board.making import add_entry, entry_of_run
from zslcore.board.table import board_html, table_of
from zslcore.datasets import load
from zslcore.evaluation import runs
from zslcore.evaluation.predictions_file import write_predictions
from zslcore.evaluation.specs import RunSpec
from zslcore.evaluation.verification import State


@pytest.fixture(scope="module")
def run():
    return runs.run(RunSpec("digits", "PS", "LinearS2V", {"lam": 1e-3}), with_oracle=False)


@pytest.fixture
def folder(run, tmp_path):
    path = add_entry(entry_of_run(run.result, load("digits"), who="me"), tmp_path)
    write_predictions(path.with_suffix(".parquet"), run.predictions)
    return tmp_path


def test_a_result_with_predictions_is_verified(folder, capsys):
    (entry,) = read_board(folder, recompute=True).results
    assert entry.state is State.VERIFIED
    assert read_board(folder).results[0].state is State.STATED
    assert main(["board", str(folder), "--check"]) in (0, None)
    assert ", 1 verified, 0 refused" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("place", "value", "why"),
    [
        (("figures", "ausuc"), 0.9, "figures.ausuc: expected 0.*, from its predictions; got 0.9"),
        (("figures", "zsl"), None, ""),
        (("gamma", "value"), 0.25, "gamma: expected .*, as in its predictions"),
        (("split", "parts", "test_seen"), "0" * 16, "split.parts.test_seen: expected the rows"),
        (
            ("split", "parts", "trainval"),
            "0" * 16,
            "split.parts.trainval: expected .*, as in its predictions",
        ),
        (("split", "counts"), {"test_unseen": 7}, r"split.counts.test_unseen: expected .*; got 7"),
        (("split", "name"), "SS", "split.name: expected 'PS', .*; got 'SS'"),
        (("data", "name"), "CUB", "data.name: expected 'digits', .*; got 'CUB'"),
        (("data", "benchmark"), "CUB", "data.benchmark: expected '', .*; got 'CUB'"),
        (("data", "simulated"), True, "data.simulated: expected False, .*; got True"),
        (("unseen_classes",), ["quagga"], "unseen_classes: expected .*; got the extra class 'qua"),
        (
            ("unseen_classes",),
            ["7", "8", "9", "3"],
            "unseen_classes: expected .*; got the extra class '3'",
        ),
        (("unseen_classes",), ["7", "8"], "unseen_classes: expected .*; got a list without '9'"),
        (("seeds",), {"n": 10**30}, "seeds.n: expected 1 to 10,000"),
        (("seeds",), {"n": -5}, "seeds.n: expected 1 to 10,000"),
        (("seeds",), {"n": 5, "zsl_std": -1.0}, "seeds.zsl_std: expected a fraction"),
        (("seeds",), {"zsl_std": 0.1}, "seeds.n: expected more than one"),
        (("spec", "seed"), 7, "spec.seed: expected 0, .*; got 7"),
        (("method",), "Mine", "method: expected 'LinearS2V', as in its predictions; got 'Mine'"),
        (("data", "digest"), "0" * 16, "data.digest: expected .*, as in its predictions"),
        (("parameters", "params", "lam"), 7.0, "parameters.params.lam: expected .*, as in its"),
        (("per_class", "plain", "7"), 0.123456, "per_class.plain.* expected"),
    ],
)
def test_a_result_that_contradicts_its_predictions_is_refused(folder, place, value, why):
    path = next(folder.glob("*.json"))
    values = json.loads(path.read_text())
    at = values
    for key in place[:-1]:
        at = at[key]
    if value is None:
        del at[place[-1]]
    else:
        at[place[-1]] = value
    path.write_text(json.dumps(values))
    board = read_board(folder, recompute=True)
    if not why:
        assert board.results[0].state is State.VERIFIED
        return
    (text,) = board.refused.values()
    assert text.startswith(path.name)
    assert re.search(why, text), text


def test_predictions_with_a_wrong_label_are_refused(folder, run):
    test = run.predictions.test
    first, *others = np.flatnonzero(test.seen[test.y])
    labels = test.labels.copy()
    labels[first] = labels[others][labels[others] != labels[first]][0]
    changed = replace(run.predictions, test=replace(test, labels=labels))
    write_predictions(next(folder.glob("*.parquet")), changed)
    (why,) = read_board(folder, recompute=True).refused.values()
    assert "test, label: expected" in why


def test_class_names_may_be_spelled_differently(folder):
    path = next(folder.glob("*.json"))
    values = json.loads(path.read_text())
    spelled = [f" {name}." for name in values["unseen_classes"][::-1]]
    path.write_text(json.dumps(values | {"unseen_classes": spelled}))
    assert read_board(folder, recompute=True).results[0].state is State.VERIFIED


def test_a_row_that_omits_contamination_is_refused(folder, run):
    path = next(folder.glob("*.json"))
    values = json.loads(path.read_text())
    path.write_text(json.dumps(values | {"data": values["data"] | {"pretraining": ["none"]}}))
    stated = replace(run.predictions.provenance, pretraining=("imagenet-1k",))
    write_predictions(path.with_suffix(".parquet"), replace(run.predictions, provenance=stated))
    (why,) = read_board(folder, recompute=True).refused.values()
    assert "data.pretraining: expected 'imagenet-1k', as in its predictions; got 'none'" in why


@pytest.mark.skipif(os.name != "posix", reason="makes a pipe")
@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (os.mkfifo, "a pipe"),
        (os.mkdir, "a folder"),
        (lambda path: os.symlink("/etc/passwd", path), "a link"),
        (lambda path: os.symlink("/dev/zero", path), "a link"),
        (lambda path: os.symlink("/nonexistent", path), "a link"),
    ],
)
def test_other_files_are_refused_unopened(folder, monkeypatch, make, kind):
    path = next(folder.glob("*.parquet"))
    path.unlink()
    make(path)
    read = "zslcore.board.checking.read_predictions_of"
    monkeypatch.setattr(read, lambda _: pytest.fail("opened"))
    (why,) = read_board(folder, recompute=True).refused.values()
    assert why == f"{path.name}: expected a predictions file; got {kind}."


def test_a_folder_without_results_is_refused(tmp_path, printed):
    for words in ([], ["--check"]):
        assert "expected results as .json files; got none" in printed(
            "board", str(tmp_path), *words, status=2
        )


def test_every_format_of_the_board_states_whether_a_result_is_verified(folder, capsys):
    assert main(["board", str(folder)]) in (0, None)
    assert "verified" in capsys.readouterr().out
    board = read_board(folder, recompute=True)
    assert table_of(board.results)["state"].tolist() == ["verified"]
    assert '<td data-v="verified" class="verified">verified</td>' in board_html(board)
    next(folder.glob("*.parquet")).unlink()
    assert table_of(read_board(folder, recompute=True).results)["state"].tolist() == ["stated"]


@pytest.mark.parametrize(("options", "status"), [((), 0), (("Linear",), 0), (("SAE",), 2)])
def test_predictions_name_their_method(run, tmp_path, capsys, options, status):
    """The name of a plugin method ends with the digest of its file."""
    predictions = run.predictions
    provenance = replace(predictions.provenance, method="Linear@0123456789ab")
    write_predictions(tmp_path / "own.parquet", replace(predictions, provenance=provenance))
    words = ["board", str(tmp_path / "board"), "--add", str(tmp_path / "own.parquet")]
    words += ["--who", "me", "--provenance", "A run.", *(("--method", *options) if options else ())]
    assert main(words) == status
    out, err = capsys.readouterr()
    if status:
        assert err == (
            "zslcore: --method: expected the method of the predictions, 'Linear@0123456789ab'; got "
            "'SAE'.\n"
        )
        assert not list(tmp_path.glob("board/*"))
    else:
        assert "1 verified, 0 refused" in out
