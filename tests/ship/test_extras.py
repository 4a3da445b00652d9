"""The core computes without any extra; a feature that needs one names it in one sentence."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.pages import ROOT
from zslcore.methods import METHODS
from zslcore.storage import extras
from zslcore.storage.extras import EXTRAS as EXTRAS_OF
from zslcore.storage.extras import MissingExtraError, extra, install_command, missing_in, sentence

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRA_NAMES = [name for name in PROJECT["optional-dependencies"] if name != "all"]
EXTRAS = (
    "torch",
    "streamlit",
    "umap",
    "openTSNE",
    "numba",
    "distributed",
    "torchvision",
    "matplotlib",
)
#: Runs in an interpreter without extras, and prints the results.
WITHOUT = f"""
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
class Missing:
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing)
import numpy as np
from zslcore.__main__ import main
from zslcore.exceptions import ZSLError
from zslcore.methods import METHODS
from zslcore.storage.extras import MissingExtraError

came = {{}}
for line in sys.argv[1:]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = main(line.split())
        except SystemExit as ended:
            status = ended.code
    came[line] = [status, out.getvalue(), err.getvalue()]
lacking = []
X, S = np.random.default_rng(0).random((12, 4)), np.eye(3, 4)
for name, method in METHODS.items():
    try:
        method().fit(X, np.arange(12) % 3, S)
    except MissingExtraError:
        lacking.append(name)
    except ZSLError:
        pass  # it needs more than rows and prototypes
json.dump([came, lacking], sys.stdout)
"""
WORKING = {
    "run --method ESZSL --predictions {}/p.parquet": "AUSUC",
    "score {}/p.parquet": "AUSUC",
    "check digits": "digits",
    "board": "ESZSL",
    "claims": "hold",
    "methods": "SYNC",
    "doctor": "versions",
}
REFUSED = {
    "run --method ALE": "ALE needs PyTorch (extra torch)",
    "run --method CMT": "CMT needs PyTorch (extra torch)",
    "app": "The app needs Streamlit (extra app)",
}


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """Return the output of commands with the core only, and the methods that cannot be fitted."""
    folder = tmp_path_factory.mktemp("core")
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *(line.format(folder) for line in (*WORKING, *REFUSED))],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "ZSL_DATA": str(folder)},
    )
    came, lacking = json.loads(done.stdout)
    return {line: came[line.format(folder)] for line in (*WORKING, *REFUSED)}, lacking


@pytest.mark.parametrize("line", WORKING)
def test_the_core_works_without_any_extra(core, line):
    status, out, err = core[0][line]
    # Unknown, since nothing is declared.
    assert status == (3 if line.startswith("check") else 0), err
    assert WORKING[line] in out
    assert "Traceback" not in err


@pytest.mark.parametrize("line", REFUSED)
def test_a_missing_extra_is_reported_in_one_sentence_with_its_install_command(core, line):
    status, _, err = core[0][line]
    name = re.search(r"extra (\w+)", REFUSED[line])[1]
    assert status == 2
    assert (
        err == f"zslcore: {REFUSED[line]}, which is not installed. Install it with: "
        f"{install_command(name)}\n"
    )


def test_a_card_states_the_needed_extra(core):
    assert core[1] == [name for name, method in METHODS.items() if method.card.extra]


@pytest.mark.parametrize("name", EXTRA_NAMES)
def test_every_extra_is_installed_with_the_tested_versions(name, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    pip = f"{sys.executable.removeprefix(f'{ROOT}/')} -m pip"
    if Path(sys.prefix).resolve() == ROOT / ".venv":  # not a link to another environment
        pip = ".venv/bin/pip"
    for record, option in (({}, []), ({"dir_info": {"editable": True}}, ["-e"])):
        monkeypatch.chdir(ROOT)
        monkeypatch.setattr(extras, "_origin", lambda record=record: record)
        joined = " ".join(["-c constraints.txt", *option, f"'.[{name}]'"])
        assert install_command(name) == f"{pip} install {joined}"
        monkeypatch.chdir(tmp_path)
        words = shlex.split(install_command(name))
        assert words[words.index("install") + 1 :] == [
            *("-c", f"{ROOT}/constraints.txt"),
            *option,
            f"{ROOT}[{name}]",
        ]
    with pytest.raises(MissingExtraError) as refused, extra(name, EXTRAS_OF[name][0], "A test"):
        raise ModuleNotFoundError(name=EXTRAS_OF[name][0])
    text, named = missing_in(str(refused.value))
    assert (named, text) == (name, sentence(name, "A test", EXTRAS_OF[name][0]))
    assert missing_in("A test needs rest.") is None


#: The tested versions, the requirements, the repository, or PyTorch for CPUs.
INSTALLED = re.compile(
    r"(-q )?-c constraints\.txt |-r requirements\.txt\b"
    r"|-q git\+https://github\.com/OWNER/zero-shot-lab"
    r"|torch --index-url https://download\.pytorch\.org/whl/cpu\b"
)


def test_every_install_command_uses_the_clone_and_the_tested_versions():
    """The package is on no index; a package of this name there would be another one."""
    files = subprocess.run(
        ["git", "ls-files"], capture_output=True, text=True, cwd=ROOT, check=True
    )
    product = re.compile(r"(?!CHANGELOG|tests/|\.github/|\.ci/|Dockerfile|action\.yml)")
    seen = 0
    for path in filter(product.match, files.stdout.split("\n")):
        if not path.endswith((".md", ".rst", ".py", ".toml", ".txt", ".json", ".yml", ".js")):
            continue
        for line in (ROOT / path).read_text(encoding="utf-8").splitlines():
            assert "zslcore[" not in line or path == "pyproject.toml", (path, line)
            for words in re.findall(r"pip install (.*)", line):
                seen += 1
                assert INSTALLED.match(words), (path, line)
                for names in re.findall(r"'\.\[([\w,]+)\]'", words):
                    assert set(names.split(",")) <= set(EXTRA_NAMES), (path, line)
    assert seen >= 8


def test_a_package_that_fails_for_another_reason_is_not_called_missing():
    with pytest.raises(ModuleNotFoundError, match="no_such_part"), extra("torch", "torch", "ALE"):
        raise ModuleNotFoundError("No module named 'no_such_part'", name="no_such_part")
    with pytest.raises(MissingExtraError), extra("torch", "torch", "ALE"):
        raise ModuleNotFoundError("No module named 'torch._C'", name="torch._C")


def requirements(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return {line.replace('"', "'") for line in lines if not line.startswith(("#", "-r", "-e"))}


def test_the_app_needs_the_core_and_four_extras():
    extras = PROJECT["optional-dependencies"]
    used = (extras[name] for name in ("app", "torch", "maps", "print"))
    wanted = [*PROJECT["dependencies"], *(item for extra in used for item in extra)]
    assert requirements("requirements.txt") == set(wanted)


def test_requirements_end_with_the_package_itself():
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert lines[-1].startswith("-e . ")


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


def test_every_extra_is_recognised_by_its_import():
    assert set(EXTRAS_OF) == set(EXTRA_NAMES)
    for path in (ROOT / "zslcore").rglob("*.py"):
        named = re.findall(r'\bextra\("(\w+)", "(\w+)"', path.read_text(encoding="utf-8"))
        assert all(package in EXTRAS_OF[name] for name, package in named), path
