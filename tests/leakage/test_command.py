import json
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.datasets import files
from tests.writing import write_file
from zslcore.__main__ import main
from zslcore.datasets import load
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.leakage import audit
from zslcore.results.store import ResultStore

pytestmark = pytest.mark.usefixtures("in_process")
LEAK = {"train_loc": np.append(files.TRAINVAL, files.TEST_SEEN)[:, None] + 1.0}


@pytest.fixture
def good(tmp_path):
    return files.write_folder(tmp_path / "good")


@pytest.fixture
def leaking(tmp_path):
    return files.write_folder(tmp_path / "leaking", splits=LEAK)


def run_check(*words):
    return main(["check", "--format", "text", *map(str, words)])


def test_a_split_with_checks_that_could_not_run_exits_with_3(good, capsys, tmp_path):
    assert run_check(good) == 3  # the check of the pre-training set could not run
    assert "UNKNOWN  " in capsys.readouterr().out
    for accepted in ([], ["ZSL006"]):
        assert run_check(good, "--allow-incomplete", *accepted) == 0
    assert run_check(good, "--allow-incomplete", "ZSL004") == 3
    assert run_check(good, "--allow-incomplete", "ZSL06") == 2
    assert "ZSL006" in capsys.readouterr().err
    report = tmp_path / "report.xml"
    alone, beside = ("--format", "junit", "--output", report), ("--junit", report)
    accepted = ("--allow-incomplete", "ZSL006")
    for words, errors, skipped in ((alone, 1, 2), ((*beside, *accepted), 0, 3)):
        run_check(good, *words)
        suite = ElementTree.parse(report).getroot()[0]
        assert (suite.get("errors"), suite.get("failures")) == (str(errors), "0")
        assert int(suite.get("skipped")) >= skipped


def test_a_leak_exits_with_1_even_if_checks_could_not_run(leaking, tmp_path):
    alone = (leaking / "att_splits.mat").rename(tmp_path / "att_splits.mat")
    assert run_check(alone) == 1
    assert run_check(alone, "--allow-incomplete") == 1


def test_warnings_and_open_findings_fail_on_request(good):
    assert run_check(good, "--pretraining", "none", "--fail-on", "leak") == 0
    # Fewer than ten test images per class are a warning.
    assert run_check(good, "--fail-on", "warning") == 1
    assert run_check(good, "--fail-on", "open") == 1
    assert run_check(good, "--fail-on", "unknown") == 1  # earlier versions had this option


def test_thresholds_are_set_on_the_command_line(good, capsys):
    options = ("--pretraining", "none", "--fail-on", "warning")
    assert run_check(good, *options) == 1
    assert "have fewer than 10 images in test_seen" in " ".join(capsys.readouterr().out.split())
    run_check(good, *options, "--images", "1")
    assert "fewer than" not in capsys.readouterr().out
    run_check(good, "--near", "0.9", "--alone", "1", "--format", "json")
    report = json.loads(capsys.readouterr().out)
    thresholds = {"near": 0.9, "alone": 1.0, "share": 0.01, "images": 10}
    assert report["read_as"]["thresholds"] == thresholds
    for wrong in (("--near", "0"), ("--share", "-0.1"), ("--alone", "2"), ("--images", "0")):
        assert run_check(good, *wrong) == 2
        assert capsys.readouterr().err.startswith(f"zslcore: Threshold {wrong[0][2:]} must be")


def test_marks_of_checks_are_set_on_the_command_line(leaking, capsys):
    options = ("--pretraining", "none", "--severity")
    assert run_check(leaking, *options, "ZSL003=warning") == 0
    assert "Custom rules: ZSL003 as warning." in capsys.readouterr().out
    assert run_check(leaking, *options, "ZSL011=leak", "--severity", "ZSL003=ok") == 1
    assert run_check(leaking, *options, "zsl003=ok") == 2
    assert "ZSL003" in capsys.readouterr().err
    assert run_check(leaking, *options, "ZSL003=loud") == 2


def test_a_declared_choice_on_the_test_set_fails(good, capsys):
    assert run_check(good, "--gamma-on", "test") == 1
    assert "gamma was chosen on the test set." in " ".join(capsys.readouterr().out.split())
    assert run_check(good, "--gamma-on", "tset") == 2


def test_labels_and_features_are_found_next_to_the_file_or_by_option(good, tmp_path, capsys):
    alone = tmp_path / "elsewhere"
    alone.mkdir()
    path = (good / "att_splits.mat").rename(alone / "att_splits.mat")
    run_check(path)
    assert "OPEN     ZSL001" in capsys.readouterr().out
    images = good / "res101.mat"
    # In the xlsa17 layout, the file of features has the labels as well.
    for options in (("--labels", images, "--features", images), ("--features", images)):
        run_check(path, *options)
        out = capsys.readouterr().out
        assert "OK       ZSL001" in out
        assert "OK       ZSL004" in out


def test_decisions_on_overlaps_are_read_from_a_file(good, tmp_path, capsys):
    command = (good, "--pretraining", write_file(tmp_path / "mine.txt", "seal\nbats\nzebra\n"))
    assert run_check(*command) == 1
    assert "2 of 2 test classes (bat, seal)" in " ".join(capsys.readouterr().out.split())
    decisions = tmp_path / "decisions.toml"
    decisions.write_text('[mine]\nbat = "rejected"\nseal = "rejected"\n')
    assert run_check(*command, "--decisions", decisions) == 0
    assert "Matches with mine rejected by hand: bat, seal." in " ".join(
        capsys.readouterr().out.split()
    )


@pytest.mark.parametrize(
    "content", ["[mine]\nbat = 'perhaps'", "mine = 3", "[mine", "[mine]\nbat = 1"]
)
def test_invalid_decisions_are_refused(good, tmp_path, capsys, content):
    assert run_check(good, "--decisions", write_file(tmp_path / "decisions.toml", content)) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("suffix", [".mat", ".json"])
@pytest.mark.parametrize("policy", ["test first", "drop"])
def test_the_corrected_split_passes(leaking, tmp_path, capsys, suffix, policy):
    path = tmp_path / f"corrected{suffix}"
    assert run_check(leaking, "--correct", path, "--policy", policy) == 1
    (sentence,) = capsys.readouterr().err.splitlines()
    assert sentence.startswith(f"{path} written; rows removed: ")
    n, rest = len(LEAK["train_loc"]), len(audit_parts(path)["train"])
    assert n > rest
    assert f" {n - rest} of {n} from train" in sentence
    images = leaking / "res101.mat"
    options = ("--labels", images, "--features", images, "--pretraining", "none")
    # These checks need more than the row numbers of the JSON.
    accepted = ["--allow-incomplete", "ZSL006", "ZSL007", "ZSL009"]
    assert run_check(path, *options, *accepted) == 0
    report = audit(path, labels=leaking / "res101.mat")
    assert report.mark("ZSL003") == "ok"
    if policy == "test first":
        read = audit_parts(path)
        np.testing.assert_array_equal(read["trainval"], files.TRAINVAL)
        np.testing.assert_array_equal(read["test_seen"], files.TEST_SEEN)


def audit_parts(path):
    from zslcore.leakage.loading import context_of

    return context_of(path, into=path.parent).parts


@pytest.mark.parametrize(
    "words",
    [
        ("nowhere.mat",),
        ("digits", "--pretraining", "imagenet"),
        ("digits", "--split", "PSS"),
        ("digits", "--pretraining", "nowhere.txt"),
        ("digits", "--correct", "split.csv"),
    ],
)
def test_invalid_options_are_refused_with_exit_code_2(tmp_path, monkeypatch, capsys, words):
    monkeypatch.chdir(tmp_path)
    assert run_check(*words) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_stored_runs_are_used_on_request_and_need_a_data_set(own_data, good, capsys):
    wanted = ["simulated-AWA2", "--split", "SS", "--pretraining", "imagenet-1k", "--runs"]
    assert run_check(*wanted) == 1
    assert "OPEN     ZSL007" in capsys.readouterr().out
    data = load("simulated-AWA2")
    run(RunSpec(data.name, "SS", "LinearS2V", select_for="zsl"), data, store=ResultStore())
    assert run_check(*wanted) == 1
    assert "largest OverlapGain" in " ".join(capsys.readouterr().out.split())
    assert run_check(good / "att_splits.mat", "--runs") == 2
    assert "--runs: expected the name of a data set" in capsys.readouterr().err
