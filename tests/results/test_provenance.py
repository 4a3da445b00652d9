"""Precomputed results state their provenance, and the statements can be checked."""

import json
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.measuring import RESULTS, percent, with_provenance
from zslcore import version
from zslcore.evaluation import protocol
from zslcore.methods import METHODS, TRANSDUCTIVE
from zslcore.storage.files import FACTS
from zslcore.version import read_stamped

ROOT = RESULTS.parents[1]
TABLES = sorted(RESULTS.glob("*.csv"))
#: Mentions of a commit: after the word "commit", or in a development version ("+g...").
NAMED = re.compile(r"(?:commit\W{1,6}|\+g)([0-9a-f]{7,40})\b")
REVISIONS = {"protocol": protocol.REVISION} | {
    name: method.revision for name, method in {**METHODS, **TRANSDUCTIVE}.items()
}


def texts():
    """Yield all texts of the package that may name a commit, with their place."""
    folders = [(RESULTS, "*.csv"), (RESULTS, "*.md"), (FACTS / "board", "*.json")]
    for folder, pattern in [*folders, (FACTS / "measured", "*.csv")]:
        for path in sorted(folder.glob(pattern)):
            yield path.relative_to(ROOT), path.read_text(encoding="utf-8")


def commits_of(place: Path, text: str) -> set[str]:
    """Return the commits named in a text; a table of results has a column of them."""
    result = set(NAMED.findall(text))
    if place.suffix == ".csv" and place.parent.name == "results":
        result |= {word.split("+")[0] for word in read_stamped(ROOT / place)["commit"] if word}
    return result


@cache
def history() -> set[str]:
    """Return all ancestors of HEAD; skip the test if they are not known."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("no history: this is no checkout of git")

    def run_git(*words: str) -> str:
        return subprocess.run(
            [git, "-C", str(ROOT), *words], capture_output=True, text=True, check=True
        ).stdout

    if run_git("rev-parse", "--is-shallow-repository").strip() == "true":
        pytest.skip("no whole history: the clone is shallow")
    return set(run_git("rev-list", "HEAD").split())


def test_every_commit_that_results_name_is_in_the_history():
    commits = history()
    gone = {
        f"{place}: {commit}"
        for place, text in texts()
        for commit in commits_of(place, text)
        if not any(item.startswith(commit) for item in commits)
    }
    assert not gone


def test_commits_are_found_in_any_text():
    assert NAMED.findall("Written by version 0.1.dev642+g114cfee96, commit 114cfee97.") == [
        "114cfee96",
        "114cfee97",
    ]
    assert NAMED.findall('"zslcore": "0.1.dev1+gabcdef012",\n "commit": "0123456ab+changes"') == [
        "abcdef012",
        "0123456ab",
    ]
    assert commits_of(Path("benchmarks/results/leak_cost.csv"), "")


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.name)
def test_every_row_of_results_has_its_provenance(path):
    table = read_stamped(path)
    assert set(table) >= {"version", "commit", "revisions", "sources"}
    for row in table[["version", "commit", "revisions", "sources"]].to_dict("records"):
        assert re.fullmatch(r"\d+(\.\d+)+(\.dev\d+\+g[0-9a-f]+)?", row["version"])
        assert re.fullmatch("[0-9a-f]{16}|", row["sources"])
        for name, number in json.loads(row["revisions"] or "{}").items():
            assert 0 <= number <= REVISIONS[name]
    if "key" in table:  # runs of the protocol state their revisions
        assert (table["revisions"] != "").all()


def test_the_same_data_have_the_same_digest_in_all_results():
    result: dict[str, set[str]] = {}
    for path in TABLES:
        table = read_stamped(path)
        if "digest" in table:
            for name, digest in table[["dataset", "digest"]].drop_duplicates().to_numpy():
                result.setdefault(name, set()).add(digest)
    for path in (FACTS / "board").glob("*.json"):
        data = json.loads(path.read_text(encoding="utf-8"))["data"]
        result.setdefault(data["name"], set()).add(data["digest"])
    assert len(result) > 8
    assert {name: digests for name, digests in result.items() if len(digests) > 1} == {}


# --- New results ----------------------------------------------------------------------------------


def test_new_rows_name_revisions_and_sources_and_no_commit():
    new = with_provenance(pd.DataFrame({"method": ["ESZSL", "?"], "zsl": [0.5, 0.5]}))
    assert set(new["commit"]) == {""}
    assert set(new["version"]) == {version.version()}
    assert set(new["sources"]) == {version.sources_digest()}
    assert json.loads(new["revisions"][0]) == {
        "ESZSL": METHODS["ESZSL"].revision,
        "protocol": protocol.REVISION,
    }
    assert new["revisions"][1] == ""
    of_run = pd.DataFrame(
        {
            "version": ["0.1.dev4+gabcdef012", "0.1.dev3+gabcdef013"],
            "commit": ["abcdef012", "abcdef013"],
            "revisions": ["{}", ""],
            "sources": ["0" * 16, None],
        }
    )
    result = with_provenance(of_run)
    assert list(result["version"]) == ["0.1", "0.1.dev3+gabcdef013"]
    assert list(result["commit"]) == ["", "abcdef013"]  # an old row keeps its own
    assert list(result["sources"]) == ["0" * 16, ""]


def test_reports_contain_no_negative_zero():
    assert [percent(-1e-5), percent(-1e-5, "+"), percent(-0.01, "+")] == ["0.0", "+0.0", "-1.0"]
    for path in RESULTS.glob("*.md"):
        assert not re.search(r"(?<![\d.])-0\.0(?!\d)", path.read_text(encoding="utf-8")), path
