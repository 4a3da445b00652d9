"""Which version this is: in a checkout, without git, after a build."""

import re
import shutil
import subprocess
import sys
from types import ModuleType

import pandas as pd
import pytest

import zslcore
from zslcore import version


@pytest.fixture(autouse=True)
def _asked_anew():
    version._found.cache_clear()
    yield
    version._found.cache_clear()


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout of its own, to tag and to change."""
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


def found():
    version._found.cache_clear()
    return version.version(), version.commit(), version.release()


def test_a_checkout_is_on_its_way_to_the_next_release(checkout, tmp_path):
    before_any, commit, release = found()
    assert re.fullmatch(r"[0-9a-f]{7,}", commit)
    assert (before_any, release) == (f"0.1.dev1+g{commit}", "0.1")

    checkout("tag", "v0.2.0")
    assert found() == ("0.2.0", commit, "0.2.0")

    (tmp_path / "pyproject.toml").write_text("changed")
    assert found() == (f"0.2.1.dev0+g{commit}", f"{commit}+changes", "0.2.1")

    checkout("commit", "-qam", "second")
    after, second, release = found()
    assert second != commit
    assert (after, release) == (f"0.2.1.dev1+g{second}", "0.2.1")


def test_other_tags_are_no_releases(checkout):
    checkout("tag", "results-of-july")
    assert found()[0].startswith("0.1.dev1+g")


def test_without_git_a_checkout_says_that_it_does_not_know(checkout, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert found() == ("0+unknown", "", "0")


def test_an_installed_package_says_what_it_was_built_from(tmp_path, monkeypatch):
    monkeypatch.setattr(version, "_ROOT", tmp_path)
    built = ModuleType("zslcore._version")
    built.version, built.commit_id = "1.2.3", "g0123abc"
    monkeypatch.setitem(sys.modules, "zslcore._version", built)
    monkeypatch.setattr(zslcore, "_version", built, raising=False)
    assert found() == ("1.2.3", "0123abc", "1.2.3")


def test_the_package_tells_its_version():
    assert zslcore.__version__ == version.version()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = zslcore.nothing


def test_a_table_that_leaves_says_what_made_it_unless_its_rows_do():
    table = pd.DataFrame({"H": [0.5, 0.25]})
    stamped = version.stamped(table)
    assert list(stamped["version"]) == [version.version()] * 2
    assert list(stamped["commit"]) == [version.commit()] * 2
    assert list(table) == ["H"]
    own = table.assign(version=["0.1.0", "0.2.0"], commit="")
    assert version.stamped(own) is own


@pytest.mark.parametrize("commit", ["6e5907191", "", "0123", "abc"])
def test_a_commit_stays_text_whatever_it_looks_like(tmp_path, commit):
    table = pd.DataFrame({"accuracy": [0.5, None], "version": "1.0", "commit": commit})
    table.to_csv(tmp_path / "table.csv", index=False)
    read = version.read_stamped(tmp_path / "table.csv")
    assert list(read["commit"]) == [commit] * 2
    assert list(read["version"]) == ["1.0"] * 2
    assert list(read["accuracy"].isna()) == [False, True]
    table.drop(columns="commit").to_csv(tmp_path / "old.csv", index=False)
    assert "commit" not in version.read_stamped(tmp_path / "old.csv")
