"""Tables on screen: booleans in words, number formats, and no empty rows."""

import re

import pandas as pd
import pytest

from ui.takeaway import tables


@pytest.fixture
def shown(monkeypatch):
    """Show a table; return the table and the options that Streamlit gets."""
    request = []
    monkeypatch.setattr(tables.downloads, "offer_table", lambda *of_table: None)
    monkeypatch.setattr(
        tables.st, "dataframe", lambda table, **options: request.append((table, options))
    )

    def show(table, **options):
        tables.show(table, "t", labels={name: name for name in table}, **options)
        return request[-1]

    return show


def numbers(n):
    return pd.DataFrame({"number": range(n), "even": [k % 2 == 0 for k in range(n)]})


def cells(table, column):
    """Return the texts in a column."""
    return re.findall(rf"<td[^>]*col{column}[^>]*>([^<]*)<", table.to_html())


def test_booleans_are_shown_in_words(shown):
    own = numbers(2)
    assert list(shown(own)[0]["even"]) == ["yes", "no"]
    assert own["even"].dtype == bool


@pytest.mark.parametrize(("rows", "height"), [(3, "content"), (9, "content"), (10, 367)])
def test_a_table_fits_its_rows_or_ends_with_half_a_row(shown, rows, height):
    assert shown(numbers(rows), height=10 * tables.ROW)[1]["height"] == height


def test_percent_has_a_decimal_and_small_numbers_have_three_digits(shown):
    table = pd.DataFrame({"accuracy": [0.5], "gamma": [0.12345]})
    columns = shown(table, percent=["accuracy"], significant=["gamma"])[1]["column_config"]
    forms = {name: columns[name]["type_config"]["format"] for name in table}
    assert {name: form % 1.25 for name, form in forms.items()} == {
        "accuracy": "1.2 %",
        "gamma": "1.25",
    }


def test_differences_have_a_true_minus_and_a_zero_has_no_sign(shown):
    gains = [0.013, -0.013, 0.0001, -0.0001, 0.0, float("nan")]
    styled, _ = shown(pd.DataFrame({"gain": gains, "class": [*"abcdef"]}), points=["gain"])
    assert cells(styled, 0) == ["+1.3", "−1.3", "0.0", "0.0", "0.0", "–"]
    assert styled.data["gain"].iloc[0] == pytest.approx(1.3)  # sorted as numbers


def test_counts_have_thousands_separators(shown):
    styled, _ = shown(pd.DataFrame({"rows": [23_527, 5]}), counts=["rows"])
    assert cells(styled, 0) == ["23,527", "5"]
