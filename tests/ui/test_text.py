"""Sentences of the package on a page, and number formats."""

import re
import zipfile

import numpy as np
import pandas as pd
import pytest

from ui.shell import numbers
from ui.shell.text import on_screen, plain
from zslcore.datasets.table import read_table, split_from_unseen
from zslcore.exceptions import ZSLError

FOREIGN = re.compile(r"--\w|\w=|b['\"]|\\x|\w(Error|Exception)\b|BadZip|`")


def sentence_of(make):
    with pytest.raises(ZSLError) as caught:
        make()
    return str(caught.value)


def without_marks(text):
    return text.replace("\\", "")


def test_a_page_names_no_option_of_the_command_line(tmp_path):
    table = tmp_path / "mine.csv"
    pd.DataFrame({"label": ["a", "b"], "x0": [0.0, 1.0]}).to_csv(table, index=False)
    raw = sentence_of(lambda: read_table(table))
    assert FOREIGN.search(raw)  # correct for Python users
    shown = without_marks(on_screen(raw))
    assert not FOREIGN.search(shown), shown
    assert shown.startswith(
        "mine.csv: expected the classes' prototypes in a second CSV file, uploaded"
    )


def test_a_page_names_the_field_of_missing_unseen_classes():
    raw = sentence_of(lambda: split_from_unseen("mine.npz", np.arange(2), ["a", "b"], None))
    assert FOREIGN.search(raw)
    shown = without_marks(on_screen(raw))
    assert not FOREIGN.search(shown), shown
    assert shown.endswith("Name the unseen classes, or enter random:10.")


def test_a_page_shows_no_raw_bytes_of_a_file(tmp_path):
    (tmp_path / "noise.npz").write_bytes(b"\x1e\xd6\x00'quoted\"" * 9)
    raw = sentence_of(lambda: read_table(tmp_path / "noise.npz"))
    assert "\\x" not in raw
    shown = without_marks(on_screen(raw))
    assert not FOREIGN.search(shown), shown
    assert shown.endswith("got a binary file of another kind.")


def test_a_page_names_no_error_of_python(tmp_path):
    with zipfile.ZipFile(tmp_path / "torn.npz", "w") as archive:
        archive.writestr("features.npy", b"nothing of the kind")
    whole = (tmp_path / "torn.npz").read_bytes()
    (tmp_path / "torn.npz").write_bytes(whole[:-30])
    raw = sentence_of(lambda: read_table(tmp_path / "torn.npz"))
    assert not FOREIGN.search(without_marks(on_screen(raw))), raw
    assert on_screen("could not be read (BadZipFile)") == "could not be read"


def test_texts_of_files_are_shown_literally():
    assert without_marks(on_screen("class “a(b)”: 3 rows (PS).")) == "class “a(b)”: 3 rows (PS)."


@pytest.mark.parametrize(
    ("words", "apart"),
    [
        ("see http://a.b", "see http:|//a.b"),
        ("WWW.a.b", "WWW|.a.b"),
        ("a@b.c", "a@|b.c"),
        (":material/home: :smile:", ":|material/home: :|smile:"),
        ("a <-> b", "a <|-|> b"),
        ("--mend", "-|-mend"),
        ("seal: 12 - 3 > 2, a/b", "seal: 12 - 3 > 2, a/b"),
    ],
)
def test_texts_with_markdown_meaning_are_escaped(words, apart):
    assert without_marks(plain(words)).replace("\N{WORD JOINER}", "|") == apart


@pytest.mark.parametrize("write", [numbers.percent, numbers.in_points, numbers.three_digits])
def test_negative_numbers_have_a_true_minus_sign(write):
    assert "-" not in "".join(write(float(value)) for value in np.linspace(-1, 1, 9))
