"""Downloads: tables and captions as text, the numbers of a figure, and the report."""

import io
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from ui.figures.vocabulary import Markup, axis, figure, heatmap, planes, scatter
from ui.takeaway import downloads, report
from ui.takeaway.as_table import table_of_figure
from ui.takeaway.exports import (
    TableFormat,
    markdown_line,
    table_as_csv,
    table_as_latex,
    table_as_markdown,
)

TABLE = pd.DataFrame(
    {"name": ["ox|cow", "a_b & 50%"], "acc": [0.5, np.nan], "gap": [-0.012, 0.1], "lam": [1e-6, 2]}
)
LOOK = TableFormat(
    {"name": "class γ", "acc": "H", "gap": "difference", "lam": "λ"}, ["acc"], ["gap"], ["lam"]
)


def test_numbers_are_not_quoted():
    table = pd.DataFrame({"points": [-1.5, 2.0], "text": ["-1.5", "+2e-3"]})
    back = pd.read_csv(io.StringIO(table_as_csv(table)))
    assert list(back["points"]) == [-1.5, 2.0]
    assert {"version", "commit"} <= set(back)


def test_a_table_is_written_for_readers_as_on_screen():
    lines = table_as_markdown(TABLE, LOOK).splitlines()
    assert lines[0] == "| class γ | H (%) | difference (points) | λ |"
    assert lines[2] == r"| ox\|cow | 50.0 | −1.2 | 1e−06 |"
    assert lines[3].split(" | ")[1] == "–"
    latex = table_as_latex(TABLE, "50 % of γ", LOOK)
    assert r"\caption{50 \% of $\gamma$}" in latex
    assert r"class $\gamma$ & H (\%) & difference (points) & $\lambda$ \\" in latex
    assert r"a\_b \& 50\% & -- & +10.0 & 2 \\" in latex
    assert r"\begin{tabular}{lrrr}" in latex


def test_a_caption_is_one_line_of_markdown_with_a_link_to_the_page():
    line = markdown_line(
        "Two\n*bars* of [x].", file="a.png", sources=["digits, data ab"], link="http://h/p?q=(a b)"
    )
    assert "\n" not in line
    assert line.startswith(r"![Two \*bars\* of \[x\].](a.png) ")
    assert line.endswith("digits, data ab. [Open in the app](http://h/p?q=%28a%20b%29)")


def test_panels_grids_and_error_bars_are_distinguished():
    left, right = planes(2, spacing=0.1)
    line = scatter(x=[1, 2], y=[3, 4], name=Markup("<b>a</b>"), error_y={"array": [0.1, 0.2]})
    grid = heatmap(z=np.arange(6).reshape(2, 3), x=list("abc"))
    ticks = {"tickvals": [1, 2], "ticktext": [Markup("<b>one</b>"), "<two>"]}
    chart = figure(
        [left.on(line), right.on(grid)],
        height=100,
        **left.axes(axis("left", **ticks), axis()),
        **right.axes(axis("right"), axis()),
    )
    table = table_of_figure(chart)
    assert list(table["x_axis"]) == ["left"] * 2 + ["right"] * 6
    assert list(table["series"][:2]) == ["a"] * 2
    assert list(table["y_error_below"][:2]) == [0.1, 0.2]
    assert list(table["x_name"][:2]) == ["one", "<two>"]
    grid = table[table["x_axis"] == "right"]
    assert grid.set_index(["x", "y"])["z"]["c", 1] == 5
    assert table_of_figure(figure([], height=100)).empty


def a_pin(title="fig", text="<script>alert(1)</script>"):
    chart = figure([scatter(x=[1], y=[2], name=text)], height=100)
    result = (("digits, data ab",), ("zslcore run",), "http://h/evaluate?a=1&b=2")
    return report.Pin(title, text, *result).showing(chart)


def test_a_report_is_self_contained_and_runs_no_foreign_script():
    html = report.as_html(
        (a_pin(), report.Pin("t", "", (), (), "http://h").with_table(TABLE, LOOK))
    )
    assert "<script>alert" not in html
    assert "default-src 'none'" in html
    assert not re.search(r'<\w+ [^<>]*src="http', html)  # a script may contain such a text
    assert html.count("<iframe srcdoc=") == 1
    assert "zslcore run" in html
    assert 'href="http://h/evaluate?a=1&amp;b=2"' in html
    assert "<td>50.0</td>" in html


def test_a_figure_of_a_component_is_pinned_with_its_page_and_its_numbers():
    result = ("digits, data 0",), (), "http://h"
    pin = report.Pin("A curve", "c", *result, page="<p>&</p>").with_table(TABLE)
    html = report.as_html((pin,))
    assert '<iframe srcdoc="&lt;p&gt;&amp;&lt;/p&gt;" title="A curve"' in html
    assert pin.heading
    assert "<iframe" not in report.as_html((replace(pin, page=""),))


def test_the_number_of_pins_of_a_visitor_is_limited(monkeypatch):
    state = {}
    monkeypatch.setattr(report.st, "session_state", state)
    assert report.pin(a_pin()) == "Pinned. The report has 1 item."
    assert report.pin(a_pin()) == "This is already in the report."
    for k in range(1, report.MAX_PINS):
        report.pin(a_pin(f"fig {k}"))
    assert report.pin(a_pin("one more")).startswith("The report is full")
    report.unpin(0)
    assert len(report.pins()) == report.MAX_PINS - 1
    monkeypatch.setattr(report, "MAX_BYTES", 10)
    assert report.pin(a_pin("large")).startswith("The report is full")


@pytest.mark.parametrize("here", ["http://h:1/zoo", "http://h:1/zoo/evaluate"])
def test_the_address_is_the_full_address_of_the_page(monkeypatch, here):
    request = SimpleNamespace(to_dict=lambda: {"method": "SAE", "x": "a b"})
    page = {"session_state": {"path": "evaluate"}, "query_params": request}
    monkeypatch.setattr(downloads, "st", SimpleNamespace(context=SimpleNamespace(url=here), **page))
    assert downloads.address() == "http://h:1/zoo/evaluate?method=SAE&x=a+b"
