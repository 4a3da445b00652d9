"""The installed package: a wheel in a new environment, used from another folder."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv

import pytest

from benchmarks.serving import ROOT, Server
from tests.browser.reading import visit
from tests.evaluation.plugin_files import RIDGE, forget
from tests.leakage.worlds import clean
from zslcore.evaluation import plugins
from zslcore.evaluation.runs import RunResult, run
from zslcore.evaluation.specs import RunSpec
from zslcore.leakage.correction import correct_context
from zslcore.version import version


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The command of a new environment that shares the libraries of this one."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    words = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet"]
    subprocess.run([*words, "--no-deps", "--no-index", wheel], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "bin" / "zslcore"


@pytest.fixture(scope="module")
def plugin(installed, tmp_path_factory):
    """A package with an entry point, built and installed by pip next to the wheel."""
    folder = tmp_path_factory.mktemp("plugin")
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        '[project]\nname = "mypackage"\nversion = "1.0"\ndependencies = ["zslcore"]\n'
        '[project.entry-points."zslcore.methods"]\nmine = "mypackage.mine:Mine"\n'
    )
    (folder / "mypackage").mkdir()
    (folder / "mypackage" / "__init__.py").write_text("")
    (folder / "mypackage" / "mine.py").write_text(RIDGE)
    words = [sys.executable, "-m", "pip", "--python", installed.with_name("python"), "install"]
    offline = ("--no-index", "--no-build-isolation", "--quiet")
    subprocess.run([*words, *offline, folder], check=True)


@pytest.fixture
def run_command(installed, tmp_path):
    """Run the command in an empty folder; return its exit status and its output."""
    (tmp_path / "empty").mkdir()
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}

    def run_command(*words):
        done = subprocess.run(
            [installed, *words],
            cwd=tmp_path / "empty",
            env=environment | {"ZSL_DATA": str(tmp_path / "data")},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout or done.stderr

    return run_command


def test_the_installed_version_equals_the_wheel_and_the_checkout(run_command, wheel):
    assert wheel.name.split("-")[1] == run_command("--version")[1].strip()
    if "+changes" not in version() and "+" in version():
        assert run_command("--version")[1].strip().partition(".d2")[0] == version()


def test_a_run_of_the_installed_package_equals_the_checkout(run_command):
    status, text = run_command("run", "--method", "ESZSL", "--json")
    assert status == 0, text
    here = run(RunSpec("digits", "PS", "ESZSL"), with_oracle=False).result
    assert RunResult.from_json(text).evaluation == here.evaluation


@pytest.mark.usefixtures("plugin")
def test_an_installed_package_offers_its_method(run_command, tmp_path):
    status, text = run_command("methods")
    (name,) = re.findall(r"^(Mine@[0-9a-f]{12}): Regress\. \(--method mine\)$", text, re.MULTILINE)
    status, text = run_command("run", "--method", "mine", "--no-oracle", "--json")
    assert status == 0, text
    result = RunResult.from_json(text)
    assert result.spec.method == name
    path = tmp_path / "mine.py"
    path.write_text(RIDGE)
    try:
        here = run(
            RunSpec("digits", "PS", plugins.register(f"{path}:Mine")), with_oracle=False
        ).result
    finally:
        forget()
    assert result.evaluation == here.evaluation


def test_an_audit_distinguishes_a_clean_split_from_a_leaking_one(run_command, tmp_path):
    split = correct_context(clean())
    (tmp_path / "clean.json").write_text(split.to_json())
    rows_alone = ("--format", "json", "--allow-incomplete")
    assert run_command("check", str(tmp_path / "clean.json"), *rows_alone)[0] == 0
    leaky = json.loads((tmp_path / "clean.json").read_text())
    leaky["parts"]["trainval"] += leaky["parts"]["test_seen"]
    (tmp_path / "leaky.json").write_text(json.dumps(leaky))
    status, text = run_command("check", str(tmp_path / "leaky.json"), "--format", "json")
    assert status == 1
    assert json.loads(text)["version"] == run_command("--version")[1].strip()


def test_the_app_opens_from_an_empty_folder(installed, tmp_path, page):
    server = Server(tmp_path, command=[str(installed), "app", "--headless"])
    try:
        server.wait()
        visit(page, server, "/?dataset=simulated-aPY&method=CMT")
        page.get_by_role("button", name="Run it").click()  # a job runs in its own process
        page.locator(".numbers > .h:not(:empty)").wait_for()
        # The wheel includes the theme.
        color = "getComputedStyle(document.querySelector('.stApp')).color"
        config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
        ink = bytes.fromhex(config["theme"]["light"]["textColor"].removeprefix("#"))
        assert page.evaluate(color) == f"rgb({', '.join(map(str, ink))})"
        assert page.errors == []
    finally:
        server.stop()
