"""Names are text: never links in figures, or formulas in tables."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

from ui.figures.accuracy import class_bars, confusion_map
from zslcore.storage.tables import harmless, harmless_csv

LINK = '<a href="http://example.org">otter</a>'
NAMES = [LINK, "<b>bat</b>", "sea<br>lion", "a & b"]
FIGURES = {
    "class bars": lambda names: class_bars(
        pd.DataFrame(
            {"class": names, "side": ["seen", "unseen"] * 2, "images": 3}
            | {"plain": np.linspace(0, 1, 4), "calibrated": np.linspace(1, 0, 4)}
        )
    ),
    "confusion": lambda names: confusion_map(pd.DataFrame(np.eye(4), names, names), 2),
}


@pytest.mark.parametrize("figure", FIGURES)
def test_a_name_in_a_figure_is_neither_a_link_nor_markup(figure):
    drawn = FIGURES[figure](NAMES).to_dict()
    texts = list(strings(drawn))
    for markup in ("<a ", "<b>", "<br>"):
        assert not [text for text in texts if markup in text and "<extra>" not in text]
    assert [text for text in texts if "&lt;a href" in text]
    assert [text for text in texts if "a &amp; b" in text]


def strings(values):
    """Return all texts of a figure."""
    if isinstance(values, str):
        yield values
    elif isinstance(values, dict):
        for value in values.values():
            yield from strings(value)
    elif isinstance(values, list | tuple | np.ndarray):
        for value in values:
            yield from strings(value)


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "@SUM(1+1)", "+1+1", "-2+3", "\t=1"])
def test_a_cell_that_begins_like_a_formula_is_prefixed_with_an_apostrophe(name):
    table = pd.DataFrame({"class": [name, "otter"], name: ["-", "x"], "n": [-1.5, 2]}, [name, "i"])
    rows = list(csv.reader(io.StringIO(harmless_csv(table))))
    cells = [cell for row in rows for cell in row]
    assert f"'{name}" in cells
    assert not [c for c in cells if c.startswith(("=", "+", "@", "\t", "-")) and c != "-1.5"]
    assert table["class"].iloc[0] == name


def test_numbers_stay_numbers():
    table = pd.DataFrame({"a": [-0.5, 1.0], "b": ["-3", "+4"]})
    again = pd.read_csv(io.StringIO(harmless_csv(table, index=False)))
    assert again["a"].tolist() == [-0.5, 1.0]
    assert again["b"].tolist() == [-3, 4]
    assert harmless(None) is None
