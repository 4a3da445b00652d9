"""The action and the hooks in another repository: their commands run as written."""

import os
import re
import shlex
import subprocess
import sys
import sysconfig
import venv

import numpy as np
import pytest
import yaml
from scipy.io import savemat

from tests.datasets import files
from tests.pages import ROOT
from zslcore.commands.command_line import parser_of_commands

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
GUIDE = (ROOT / "docs" / "guide" / "audit.md").read_text(encoding="utf-8")
EXPRESSION = re.compile(r"\$\{\{ *(\S+) *\}\}")


@pytest.fixture(scope="module")
def machine(wheel, tmp_path_factory):
    """A fresh environment with this package, installed by the action's own step.

    The step installs the wheel in place of the source, which pip would build again.
    """
    folder = tmp_path_factory.mktemp("machine")
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    environment = {
        "PATH": f"{folder / 'bin'}:/usr/bin:/bin",
        "HOME": str(folder),
        "GITHUB_ACTION_PATH": str(ROOT),
        # No index is used: the libraries are those of this environment.
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    run_steps(["Install zslcore"], environment, folder, {}, wheel)
    return environment


@pytest.fixture
def repository(tmp_path):
    """A repository with a leaking split, a clean split, and labels."""
    folder = tmp_path / "splits"
    files.write_folder(folder)
    (folder / "res101.mat").rename(folder / "labels.mat")
    leak = {"train_loc": np.append(files.TRAINVAL, files.TEST_SEEN)[:, None] + 1.0}
    savemat(folder / "leaking_splits.mat", files.splits_file(**leak))
    return tmp_path


def run_steps(names, environment, where, inputs, source=ROOT):
    """Run steps of the action with their expressions filled in; return the last exit status."""
    values = {f"inputs.{name}": str(item.get("default", "")) for name, item in inputs_of().items()}
    values |= {f"inputs.{name}": value for name, value in inputs.items()}
    values["github.action_path"] = str(source)
    steps = {step["name"]: step for step in ACTION["runs"]["steps"] if "run" in step}
    done = None
    for name in names:
        step = steps[name]
        assert not EXPRESSION.search(step["run"]), "inputs are data, never part of the script"
        filled = {k: EXPRESSION.sub(lambda m: values[m[1]], v) for k, v in step["env"].items()}
        done = subprocess.run(
            # These options are those of ``shell: bash`` in the runner.
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=where,
            env=environment | filled,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        if name == "Install zslcore":
            assert done.returncode == 0, done.stderr
    return done


def inputs_of():
    return ACTION["inputs"]


def test_the_action_fails_if_a_split_leaks_and_passes_otherwise(machine, repository):
    summary = repository / "summary.md"
    environment = machine | {"GITHUB_STEP_SUMMARY": str(summary)}
    clean = {"split": "splits/att_splits.mat", "pretraining": "none"}
    done = run_steps(["Audit"], environment, repository, clean)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "CLEAN  split: att" in summary.read_text(encoding="utf-8")
    both = clean | {"split": "splits/att_splits.mat\nsplits/leaking_splits.mat\n"}
    done = run_steps(["Audit"], environment, repository, both)
    assert done.returncode == 1, done.stdout + done.stderr
    reports = [(repository / "leakage" / f"{k}.xml").read_text() for k in (1, 2)]
    assert ["<failure" in report for report in reports] == [False, True]
    none_allowed = clean | {"allow-incomplete": ""}
    assert run_steps(["Audit"], environment, repository, none_allowed).returncode == 3
    missing = clean | {"split": "splits/none.mat"}
    assert run_steps(["Audit"], environment, repository, missing).returncode == 2


def test_an_input_of_the_action_is_never_executed(machine, repository):
    environment = machine | {"GITHUB_STEP_SUMMARY": str(repository / "summary.md")}
    evil = {"split": "$(touch made)`touch made`; touch made", "labels": "$(touch made)"}
    assert run_steps(["Audit"], environment, repository, evil).returncode == 2
    assert not (repository / "made").exists()


def test_the_hook_checks_the_files_in_its_args(machine, repository):
    hook = next(hook for hook in HOOKS if hook["id"] == "zslcore-audit")
    args = ["--pretraining", "none", "--allow-incomplete", "ZSL004", "ZSL005"]
    for name, status in (("att_splits.mat", 0), ("leaking_splits.mat", 1)):
        words = [*shlex.split(hook["entry"]), f"splits/{name}", *args]
        done = subprocess.run(
            words, cwd=repository, env=machine, capture_output=True, text=True, check=False
        )
        assert done.returncode == status, done.stdout + done.stderr
        assert re.search(hook["files"], f"splits/{name}")


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_runs_a_command_of_the_package_without_a_list_of_files(hook):
    words = shlex.split(hook["entry"])
    assert words[0] == "zslcore"
    parser_of_commands().parse_args([*words[1:], "somewhere"])
    assert hook["pass_filenames"] is False
    assert hook["language"] == "python"
    assert not re.search(hook["files"], "README.md")


def test_the_guide_uses_existing_inputs_and_hooks():
    blocks = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)]
    steps = [s for b in blocks for job in b.get("jobs", {}).values() for s in job["steps"]]
    used = [step for step in steps if "zero-shot-lab" in step.get("uses", "")]
    assert used
    for step in used:
        assert set(step["with"]) <= set(inputs_of())
        required = {name for name, item in inputs_of().items() if item.get("required")}
        assert required <= set(step["with"])
    hooks = [hook for b in blocks for repo in b.get("repos", []) for hook in repo["hooks"]]
    assert hooks
    assert {hook["id"] for hook in hooks} <= {hook["id"] for hook in HOOKS}
    for hook in hooks:
        entry = next(item["entry"] for item in HOOKS if item["id"] == hook["id"])
        parser_of_commands().parse_args([*shlex.split(entry)[1:], *hook.get("args", [])])


@pytest.mark.skipif(os.name != "posix", reason="the runner is Linux")
def test_third_party_actions_are_pinned_by_digest():
    for step in ACTION["runs"]["steps"]:
        if "uses" in step:
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"])
    assert sys.version_info >= (3, 11)
