"""Every command refuses an invalid setting in one sentence with exit code 2."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from zslcore.__main__ import main
from zslcore.exceptions import ParameterError
from zslcore.jobs import Runner
from zslcore.storage import settings
from zslcore.storage.files import data_folder
from zslcore.untrusted.client import DEFAULT_LIMITS, Limits

ROOT = Path(__file__).parents[2]
WRONG = {
    "ZSL_DASK": ["yes", "localhost", "tcp://host", "tcp://a b:1"],
    "ZSL_MAX_IMPORT": ["4 apples", "-1", "0", "1e9", "GB", "４"],
    "ZSL_MAX_IMPORTS": ["64X", "nan", "9" * 400],
    "ZSL_IMPORTS_A_VISITOR": ["many", "-1", "1.5", "9" * 5000],
    "ZSL_JOBS": ["abc", "0", "-2", "1.5", "100000"],
    "ZSL_JOB_PATIENCE": ["half", "0", "-3", "nan", "inf"],
    "ZSL_MEMORY": ["1", "2 apples", "63MB"],
    "ZSL_MEMORY_A_VISITOR": ["-1", "1KB"],
    "ZSL_METHODS": ["mine.py", "mine.txt:Mine", "a.py:A, b.py:", "x" * 5000],
    "ZSL_PREDICTIONS": ["-1", "much"],
    "ZSL_UPLOADS": ["-1", "much"],
    "ZSL_UPLOADS_A_VISITOR": ["-1", "much"],
    "ZSL_PUBLIC": ["maybe"],
    "ZSL_SHIPPED": ["perhaps"],
    "ZSL_DATA": ["~nobody-has-this-name/x", "x" * 5000],
}


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, ts in WRONG.items() for t in ts])
def test_a_wrong_setting_is_refused_with_exit_code_2(name, text, monkeypatch, capsys):
    monkeypatch.setenv(name, text)
    assert main(["runs", "list"]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"zslcore: {name}: expected ")
    assert output.err.endswith(".\n")
    assert output.err.count("\n") == 1
    assert len(output.err) < 250


def test_every_setting_is_read_by_the_check():
    of_package = {
        var for var in vars(settings).values() if isinstance(var, settings.EnvironmentVariable)
    }
    assert {item.name for item in of_package} | {"ZSL_DATA"} == set(WRONG)


@pytest.mark.nightly
def test_the_package_can_be_imported_with_any_settings():
    """An error during an import could not be shown as one sentence."""
    words = [
        sys.executable,
        "-c",
        "import zslcore.jobs, zslcore.results.run_files, zslcore.commands.app",
    ]
    wrong = {name: texts[0] for name, texts in WRONG.items() if name != "ZSL_DATA"}
    env = os.environ | wrong | {"PYTHONPATH": str(ROOT)}
    subprocess.run(words, env=env, check=True, timeout=120)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4294967296", 4 << 30),
        ("4GB", 4 << 30),
        ("4 GiB", 4 << 30),
        ("1.5k", 1536),
        ("2T", 2 << 40),
    ],
)
def test_sizes_are_bytes_or_have_a_unit(text, size, monkeypatch):
    monkeypatch.setenv("ZSL_MAX_IMPORT", text)
    assert settings.MAX_IMPORT() == DEFAULT_LIMITS.max_bytes == size
    assert Limits(declared_bytes=7).max_bytes == 7


def test_settings_reach_the_code_that_uses_them(monkeypatch, tmp_path):
    monkeypatch.setenv("ZSL_MEMORY", "64MB")  # the minimum
    assert settings.MEMORY() == 64 << 20
    monkeypatch.setenv("ZSL_JOBS", "3")
    monkeypatch.setenv("ZSL_IMPORTS_A_VISITOR", "0")
    assert Runner("tests.jobs.functions", tmp_path).parallel == 3
    assert Runner("tests.jobs.functions", tmp_path, parallel=2).parallel == 2
    assert settings.IMPORTS_A_VISITOR() == 0
    for text, public in (("", False), ("0", False), ("1", True), ("yes", True)):
        monkeypatch.setenv("ZSL_PUBLIC", text)
        assert settings.PUBLIC() is public


def test_the_data_folder_of_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    monkeypatch.setenv("ZSL_DATA", "~nobody-has-this-name")
    with pytest.raises(ParameterError, match="ZSL_DATA: expected a folder; got '~nobody"):
        data_folder()
