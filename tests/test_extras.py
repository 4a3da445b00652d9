"""The core computes without any extra; a use that needs one names it in one sentence."""

import re
import subprocess
import sys
import tomllib

import pytest

from tests.pages import ROOT
from zslcore.storage.extras import MissingExtraError, extra

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = (
    "torch",
    "streamlit",
    "plotly",
    "umap",
    "openTSNE",
    "numba",
    "distributed",
    "torchvision",
    "matplotlib",
)
#: Imports fail as in a fresh environment with the core alone.
WITHOUT = f"""
import sys
class Missing:
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing)
"""


def core(*arguments, data):
    """Run a command where no extra can be imported."""
    code = f"{WITHOUT}\nfrom zslcore.__main__ import main; sys.exit(main({list(arguments)!r}))"
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "ZSL_DATA": str(data)},
    )


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("run", "--method", "ESZSL", "--predictions", "{}/p.parquet"), "AUSUC"),
        (("audit", "digits"), "digits"),
        (("board",), "ESZSL"),
        (("claims",), "hold"),
        (("methods",), "SYNC"),
        (("doctor",), "versions"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_the_core_works_without_any_extra(arguments, part, tmp_path):
    done = core(*[word.format(tmp_path) for word in arguments], data=tmp_path)
    assert part in done.stdout, done.stderr
    assert "Traceback" not in done.stderr


def test_predictions_are_scored_without_any_extra(tmp_path):
    made = core("run", "--method", "ESZSL", "--predictions", f"{tmp_path}/p.parquet", data=tmp_path)
    assert made.returncode == 0, made.stderr
    done = core("score", f"{tmp_path}/p.parquet", data=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "AUSUC" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("run", "--method", "ALE"), "ALE needs torch, which is not installed"),
        (("run", "--method", "CMT"), "CMT needs torch, which is not installed"),
        (("app",), "The app needs streamlit, which is not installed"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_missing_extra_is_one_sentence_with_the_command(arguments, sentence, tmp_path):
    done = core(*arguments, data=tmp_path)
    assert done.returncode == 2
    assert re.fullmatch(rf"{sentence}: pip install 'zslcore\[\w+\]'\.\n", done.stderr), done.stderr


def test_a_package_that_fails_for_another_reason_is_not_called_missing():
    with pytest.raises(ModuleNotFoundError, match="no_such_part"), extra("torch", "torch", "ALE"):
        raise ModuleNotFoundError("No module named 'no_such_part'", name="no_such_part")
    with pytest.raises(MissingExtraError), extra("torch", "torch", "ALE"):
        raise ModuleNotFoundError("No module named 'torch._C'", name="torch._C")


def requirements(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return {line.replace('"', "'") for line in lines if not line.startswith(("#", "-r"))}


def test_the_app_needs_the_core_and_four_extras():
    extras = PROJECT["optional-dependencies"]
    used = (extras[name] for name in ("app", "torch", "maps", "print"))
    wanted = [*PROJECT["dependencies"], *(each for extra in used for each in extra)]
    assert requirements("requirements.txt") == set(wanted)


def test_every_dependency_has_its_tested_version():
    name = re.compile(r"[\w-]+")
    plain = {
        name.match(line)[0].lower().replace("_", "-")
        for line in requirements("requirements.txt") | requirements("requirements-dev.txt")
    }
    tested = requirements("constraints.txt")
    exact = {line.split("==")[0].lower().replace("_", "-") for line in tested}
    assert plain <= exact
    assert "torch==2.13.0" in tested


def test_extras_named_in_sentences_exist():
    for path in (ROOT / "zslcore").rglob("*.py"):
        for name in re.findall(r'\bextra\("(\w+)"', path.read_text(encoding="utf-8")):
            assert name in PROJECT["optional-dependencies"], path
