"""Docstrings, names and texts on screen avoid words that stop a reader.

``python -m tools.words PATH`` lists the cases in a path.
"""

import subprocess
import sys

import pytest

from tools import words

#: Maximum number of cases by rule. Lower a number when cases are removed, and never raise one.
LIMITS = {"docstring": 0, "name": 2, "text": 0, "shared": 0}
#: Public names that several modules may define, with the reason.
SHARED = {
    "as_text": "text of a table on the command line",
    **dict.fromkeys(("can_read", "find"), "each reader of data sets has one, by READERS"),
    "draw": "each component has one",
    "show": "each view and dialog has one",
    **dict.fromkeys(
        ("look_into", "read_columns", "read_score_table", "read_value", "read_words"),
        "the client of a reader has the name of the reader",
    ),
}


def shared_names():
    """Names with two meanings, except those with a reason."""
    return [name for name in words.shared_names() if name not in SHARED]


@pytest.mark.parametrize(
    ("rule", "cases"),
    [
        ("docstring", words.relative_docstrings),
        ("name", words.empty_names),
        ("text", words.unwanted_texts),
        ("shared", shared_names),
    ],
)
def test_unwanted_words_do_not_increase(rule, cases):
    result = list(cases())
    assert len(result) <= LIMITS[rule], "\n".join(map(str, result))


@pytest.mark.parametrize(
    ("rule", "source"),
    [
        ("relative_docstrings", '"""Return what is left."""'),
        ("relative_docstrings", 'def f():\n    """Images whose class is unseen."""'),
        ("empty_names", "found = 1"),
        ("empty_names", "def f(said): pass"),
        ("empty_names", "self.told = 1"),
        ("empty_names", "for given in (): pass"),
        ("unwanted_texts", 'show("images answered with a seen class")'),
    ],
)
def test_each_rule_detects_its_case(rule, source, tmp_path, monkeypatch):
    monkeypatch.setattr(words, "ROOT", tmp_path)
    (tmp_path / "ui").mkdir()
    (tmp_path / "ui/page.py").write_text("total = 1\n")
    assert not list(getattr(words, rule)())
    (tmp_path / "ui/frame.py").write_text(source)
    (case,) = getattr(words, rule)()
    assert (case.path, case.folder) == ("ui/frame.py", "ui")


def test_a_public_name_with_two_meanings_is_detected(tmp_path, monkeypatch):
    monkeypatch.setattr(words, "ROOT", tmp_path)
    for folder in ("zslcore", "ui"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "module.py").write_text("class Figure: pass\ndef _own(): pass\n")
    assert words.shared_names() == {"Figure": ["ui/module.py", "zslcore/module.py"]}


@pytest.mark.parametrize(
    ("name", "source", "n"),
    [
        ("a.toml", 'title = "images answered with seen classes"', 1),
        ("a.js", "const title = `images answered with {seen}`;", 1),
        ("a.js", "const whose = 1;  // answered with a seen class", 0),
    ],
)
def test_texts_of_components_and_data_files_are_read(name, source, n, tmp_path, monkeypatch):
    monkeypatch.setattr(words, "ROOT", tmp_path)
    (tmp_path / "ui").mkdir()
    (tmp_path / "ui" / name).write_text(source)
    assert len(list(words.unwanted_texts())) == n


@pytest.mark.skipif(sys.platform == "win32", reason="the hook is a shell script")
@pytest.mark.parametrize(
    ("subject", "accepted"),
    [
        ("sandbox: refuse MAT files that declare objects", True),
        ("Merge branch 'main'", True),
        ("What names the kind of a file says that its reader is imported", False),
        ("tests: What is left", False),
        ("docs: end with a full stop.", False),
        (f"docs: {'long ' * 20}", False),
    ],
)
def test_the_hook_for_commits_refuses_other_subjects(subject, accepted, tmp_path):
    (tmp_path / "message").write_text(f"{subject}\n\nA body may say What it likes.\n")
    command = [str(words.ROOT / ".githooks" / "commit-msg"), str(tmp_path / "message")]
    status = subprocess.run(command, capture_output=True, check=False).returncode
    assert (status == 0) == accepted


def test_each_exception_has_a_reason_and_a_use():
    assert len(SHARED) <= 10
    assert SHARED.keys() <= words.shared_names().keys()
