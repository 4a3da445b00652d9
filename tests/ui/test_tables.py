"""Tables on screen: booleans in words, and no empty rows."""

import re

import pandas as pd
import pytest

from ui.takeaway import tables


@pytest.fixture
def shown(monkeypatch):
    """Show a table of some rows; return the table passed to Streamlit."""
    request = []
    monkeypatch.setattr(tables.downloads, "offer_table", lambda *of_table: None)
    monkeypatch.setattr(
        tables.st, "dataframe", lambda table, **options: request.append((table, options))
    )

    def show(rows, height="auto"):
        table = pd.DataFrame({"number": range(rows), "even": [k % 2 == 0 for k in range(rows)]})
        labels = {"number": "number", "even": "even"}
        tables.show(table, "t", labels=labels, height=height)
        assert table["even"].dtype == bool  # the caller's table is unchanged
        return request[-1]

    return show


def test_booleans_are_shown_in_words(shown):
    table, _ = shown(2)
    assert list(table["even"]) == ["yes", "no"]


@pytest.mark.parametrize(("rows", "height"), [(3, "content"), (9, "content"), (10, 367)])
def test_a_table_fits_its_rows_or_ends_with_half_a_row(shown, rows, height):
    _, options = shown(rows, 10 * tables.ROW)
    assert options["height"] == height


def test_percent_has_a_decimal_and_points_have_a_sign(monkeypatch):
    columns = {}
    monkeypatch.setattr(tables.downloads, "offer_table", lambda *of_table: None)
    monkeypatch.setattr(
        tables.st, "dataframe", lambda table, **options: columns.update(options["column_config"])
    )
    table = pd.DataFrame({"accuracy": [0.5], "gain": [0.013], "gamma": [0.12345]})
    labels = {name: name for name in table}
    options = {"percent": ["accuracy"], "points": ["gain"], "significant": ["gamma"]}
    tables.show(table, "t", labels=labels, **options)
    forms = {name: columns[name]["type_config"]["format"] for name in ("accuracy", "gamma")}
    assert {name: form % 1.25 for name, form in forms.items()} == {
        "accuracy": "1.2 %",
        "gamma": "1.25",
    }


def test_differences_have_a_true_minus_and_a_zero_has_no_sign(monkeypatch):
    shown = []
    monkeypatch.setattr(tables.downloads, "offer_table", lambda *of_table: None)
    monkeypatch.setattr(tables.st, "dataframe", lambda table, **options: shown.append(table))
    gains = [0.013, -0.013, 0.0001, -0.0001, 0.0, float("nan")]
    table = pd.DataFrame({"gain": gains, "class": [*"abcdef"]})
    tables.show(table, "t", labels={"gain": "gain", "class": "class"}, points=["gain"])
    (styled,) = shown
    cells = re.findall(r"<td[^>]*col0[^>]*>([^<]*)<", styled.to_html())
    assert cells == ["+1.3", "−1.3", "0.0", "0.0", "0.0", "–"]
    assert styled.data["gain"].iloc[0] == pytest.approx(1.3)  # sorted as numbers


def test_counts_have_thousands_separators(monkeypatch):
    shown = []
    monkeypatch.setattr(tables.downloads, "offer_table", lambda *of_table: None)
    monkeypatch.setattr(tables.st, "dataframe", lambda table, **options: shown.append(table))
    table = pd.DataFrame({"rows": [23_527, 5]})
    tables.show(table, "t", labels={"rows": "rows left"}, counts=["rows"])
    (styled,) = shown
    assert re.findall(r"<td[^>]*>([^<]*)<", styled.to_html()) == ["23,527", "5"]
