"""Sentence on the leading results of a column, and their style in the table."""

import numpy as np
import pandas as pd
import pytest

from tests.analysis.test_method_table import cell, of_classes
from ui.sections.method_grid import GridColumn, _styles
from ui.sections.results import lead_in_words
from zslcore.analysis.method_table import Column, rank_methods

BEST, WORSE = np.full(12, 0.9), np.linspace(0.1, 0.3, 12)


def column_of(*tied, behind=()):
    """Return a column with equal results of ``tied``, and worse results of ``behind``."""
    cells = {row: cell(row, BEST, np.full(9, 0.8)) for row in tied}
    cells |= {row: cell(row, WORSE, np.linspace(0.1, 0.3, 9)) for row in behind}
    return Column(
        "CUB-x", "PS", "CUB", False, cells, rank_methods([*cells.values()], "zsl", n_draws=50)
    )


def test_a_single_best_result_leads():
    assert lead_in_words(column_of("A", behind="B"), "ZSL").startswith(
        "A leads the 2 methods with ZSL = 90.0 %"
    )


@pytest.mark.parametrize(
    ("rows", "names"),
    [("AB", "A and B"), ("ABC", "A, B and C"), ("ABCDE", "A, B, C and 2 others")],
)
def test_equal_results_share_the_lead(rows, names):
    column = column_of(*rows, behind="Z")
    assert column.leaders == [*rows]
    of_all = f"{names} share the lead of the {len(rows) + 1} methods with ZSL = 90.0 %"
    assert lead_in_words(column, "ZSL").startswith(of_all)
    assert lead_in_words(column_of(*rows), "ZSL") == of_all.replace(
        str(len(rows) + 1), str(len(rows))
    )


def test_too_few_classes_have_no_leader():
    cells = {row: of_classes(cell(row, BEST, np.full(9, 0.8)), 2) for row in "AB"}
    ranks = rank_methods([*cells.values()], "H at gamma", n_draws=50)
    column = Column("CUB-x", "PS", "CUB", False, cells, ranks)
    assert lead_in_words(column, "H at γ") == (
        "no ranking, since 2 seen test classes are too few for an interval"
    )


def test_all_leaders_are_bold():
    column = column_of("A", "B", behind="Z")
    grid_column = GridColumn(column, "value", "CUB", 100 * column.ranks["value"])
    shown = pd.DataFrame({"method": [*"ZAB"], "CUB": 0.0}, index=[*"ZAB"])
    styles = _styles([grid_column], shown, with_own=False).iloc[:, 1]
    assert [row for row in styles.index if "bold" in styles[row]] == ["A", "B"]
