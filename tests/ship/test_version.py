"""The version in a checkout, without git, and after a build."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

import zslcore
from tests.pages import ROOT
from zslcore import version


@pytest.fixture(autouse=True)
def _asked_anew():
    version.commit.cache_clear()
    yield
    version.commit.cache_clear()


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A separate checkout, to tag and to change."""
    if shutil.which("git") is None:
        pytest.skip("needs git")

    def git(*words):
        author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *author, *words], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "pyproject.toml").write_text("")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    monkeypatch.setattr(version, "_ROOT", tmp_path)
    return git


def commit():
    version.commit.cache_clear()
    return version.commit()


def test_the_version_of_a_checkout_has_its_commit_and_marks_changes(checkout, tmp_path):
    first = commit()
    assert re.fullmatch(r"[0-9a-f]{9}", first)
    checkout("tag", "v0.3.0")  # a tag does not replace the commit
    assert commit() == first
    (tmp_path / "pyproject.toml").write_text("changed")
    assert commit() == f"{first}+changes"
    checkout("commit", "-qam", "second")
    assert re.fullmatch(r"[0-9a-f]{9}", commit())
    assert commit() != first


def test_without_git_a_checkout_names_no_commit(checkout, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert commit() == ""


def test_an_installed_package_names_the_commit_it_was_built_from(tmp_path, monkeypatch):
    monkeypatch.setattr(version, "_ROOT", tmp_path)
    assert commit() == ""
    built = ModuleType("zslcore._commit")
    built.COMMIT = "0123abcde"
    monkeypatch.setitem(sys.modules, "zslcore._commit", built)
    monkeypatch.setattr(zslcore, "_commit", built, raising=False)
    assert commit() == "0123abcde"


def test_the_version_is_written_once_and_read_everywhere():
    assert yaml_version(ROOT / "CITATION.cff") == version.version()
    newest = re.search(r"^## \[?([\d.]+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest[1] == version.version()
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["version"] == {
        "path": "zslcore/version.py"
    }


def yaml_version(path):
    return re.search(r"^version: (.*)$", path.read_text(), re.MULTILINE)[1]


def test_the_package_has_its_version():
    assert zslcore.__version__ == version.version()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = zslcore.nothing


def test_an_exported_table_or_each_of_its_rows_states_the_provenance():
    table = pd.DataFrame({"H": [0.5, 0.25]})
    stamped = version.stamped(table)
    assert list(stamped["version"]) == [version.version()] * 2
    assert list(stamped["commit"]) == [version.commit()] * 2
    assert list(table) == ["H"]
    own = table.assign(version=["0.1.0", "0.2.0"], commit="")
    assert version.stamped(own) is own


@pytest.mark.parametrize("commit", ["6e5907191", "", "0123", "abc"])
def test_a_commit_that_looks_like_a_number_is_exported_as_text(tmp_path, commit):
    table = pd.DataFrame({"accuracy": [0.5, None], "version": "1.0", "commit": commit})
    table.to_csv(tmp_path / "table.csv", index=False)
    read = version.read_stamped(tmp_path / "table.csv")
    assert list(read["commit"]) == [commit] * 2
    assert list(read["version"]) == ["1.0"] * 2
    assert list(read["accuracy"].isna()) == [False, True]
    table.drop(columns="commit").to_csv(tmp_path / "old.csv", index=False)
    assert "commit" not in version.read_stamped(tmp_path / "old.csv")


# --- Digest of the sources ------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path):
    for name in ("methods", "commands"):
        (tmp_path / name).mkdir()
    for name in ("protocol.py", "methods/eszsl.py", "commands/run.py", "doctor.py"):
        (tmp_path / name).write_bytes(f"# {name}\n".encode())
    return tmp_path


def digest(package):
    version.sources_digest.cache_clear()
    result = version.sources_digest(package)
    version.sources_digest.cache_clear()
    return result


def test_the_digest_of_the_sources_changes_only_with_code_of_numbers(package):
    first = digest(package)
    assert re.fullmatch("[0-9a-f]{16}", first)
    (package / "commands" / "run.py").write_bytes(b"# another\n")
    (package / "protocol.py").write_bytes(b"# protocol.py\r\n")  # line ends of Windows
    assert digest(package) == first
    (package / "methods" / "eszsl.py").write_bytes(b"# another\n")
    changed = digest(package)
    assert changed != first
    (package / "methods" / "eszsl.py").rename(package / "methods" / "other.py")
    assert digest(package) not in (first, changed)


def test_every_file_that_computes_metrics_is_among_the_sources():
    """Protocol and methods load only these modules and modules that affect no metric."""
    request = (
        "import sys; from zslcore.methods import METHODS, TRANSDUCTIVE;"
        "import zslcore.evaluation.protocol;"
        "[m() for m in (*METHODS.values(), *TRANSDUCTIVE.values())];"
        "print(*(m for m in sys.modules if m.startswith('zslcore.')))"
    )
    run_result = subprocess.run(
        [sys.executable, "-c", request], capture_output=True, text=True, check=True, cwd=ROOT
    )
    folder = Path(version.__file__).parent
    counted = {path for pattern in version.NUMBERS for path in folder.glob(pattern)}
    loaded = {folder.joinpath(*name.split(".")[1:]) for name in run_result.stdout.split()}
    files = {p / "__init__.py" if p.is_dir() else p.with_suffix(".py") for p in loaded}
    without_metrics = {
        *(folder / f"{name}.py" for name in ("exceptions", "names", "numbers", "progress", "texts"))
    }
    without_metrics |= {*folder.glob("*/__init__.py")}
    without_metrics |= {*(folder / "datasets").rglob("*.py"), *(folder / "storage").glob("*.py")}
    assert files - without_metrics <= counted
    assert len(counted) > 20
    assert version.sources_digest() == digest(folder)
