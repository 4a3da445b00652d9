"""A file for print: width in mm, 8 pt text in embedded fonts, and no text cut off."""

import io
import math
import re
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from ui.takeaway.for_print import on_paper
from zslcore.exceptions import ParameterError, UnknownNameError

pytest.importorskip("matplotlib", reason="Matplotlib, the extra print, is not installed")
pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed")

from zslcore.printing import (  # noqa: E402 - both need the extra
    DOTS,
    FONTS,
    POINTS,
    SLIDE,
    WIDTHS,
    Panel,
    draw_cells,
    draw_errors,
    draw_line,
    draw_panels,
    draw_symbols,
    draw_texts,
    draw_words,
    page_bounds,
    print_figure,
    set_axis,
)

NUMBERS = np.linspace(0, 1, 9)
LONG = "accuracy of every class of a data set with a very long name, mean over all of its folds"
PERCENT = {"title": LONG, "limits": (0, 1), "percent": 0, "grid": True}


def curve(axes):
    draw_line(axes, NUMBERS, 1 - NUMBERS**2, "#0072B2", "γ ≥ −1, λ → ∞ ●", "6 4")
    at = NUMBERS[2:3]
    draw_symbols(axes, at, at, "#B65000", LONG, symbol="diamond-open", size=4.0)
    draw_words(axes, 1.02, 0.5, "H 40 %", across=1)
    draw_words(axes, 0.5, 1, "H 60 %", up=-1, panel_axes="y")
    set_axis(axes, "x", **PERCENT)
    set_axis(axes, "y", **PERCENT)


def bars(axes):
    axes.bar(np.arange(9), NUMBERS, 0.7, color="#B04A84", hatch="xxx", label="a")
    draw_errors(axes, np.arange(9), NUMBERS, "#14181C", yerr=np.full((2, 9), 0.1))
    symbols = ["x-thin", *["star-open"] * 8]
    draw_symbols(axes, np.arange(9), NUMBERS, "#0072B2", "b", symbol=symbols, size=4.0)
    set_axis(axes, "x", ticks=[(float(k), f"humpback whale number {k}") for k in range(9)])
    set_axis(axes, "y", **PERCENT)


def rows(axes):
    draw_errors(axes, NUMBERS, np.arange(9), "#14181C", xerr=np.ones((2, 9)))
    draw_symbols(axes, NUMBERS, np.arange(9), "#14181C", symbol="square", size=4.0)
    set_axis(axes, "x", LONG)
    ticks = [(float(k), f"SYNC (struct), no. {k}") for k in range(9)]
    set_axis(axes, "y", limits=(8.5, -0.5), ticks=ticks)


def cells(axes):
    z = np.array([[0, 0.5, 1], [np.nan, 0.2, 0.3]])
    texts = [["0 %", "50 %", "100 %"], ["", "20 %", "30 %"]]
    draw_cells(
        axes, range(3), range(2), z, [(0, "#FFFFFF"), (1, "#14181C")], texts=texts, percent=0
    )


PANELS = {
    "curve": Panel(curve, title="unseen: " + LONG, square=True),
    "bars": Panel(bars),
    "rows": Panel(rows),
    "cells": Panel(cells),
}
#: Width and font: the narrowest page with each font, wider pages with sans serif.
LOOKS = [*((WIDTHS[0], font) for font in FONTS), *((width, "sans") for width in WIDTHS[1:])]
EVERY = pytest.mark.parametrize("panel", PANELS.values(), ids=PANELS)


def pdf(panel, **options):
    return pypdf.PdfReader(io.BytesIO(print_figure(panel, form="pdf", **options))).pages[0]


@pytest.mark.parametrize(
    ("color", "hue"),
    [
        ("#010203", "#010203"),
        ("rgb(1, 2, 3)", "#010203"),
        ("rgba(5, 5, 55, 0.5)", "#82829B"),
        ("red", "#123456"),
        (None, "#123456"),
    ],
)
def test_translucent_colours_are_mixed_with_white_and_colour_names_are_not_read(color, hue):
    assert on_paper(color, "#123456") == hue


@EVERY
@pytest.mark.parametrize(("width", "font"), [(WIDTHS[0], "sans"), (61.5, "serif")])
def test_a_page_has_the_requested_width_and_embedded_fonts(panel, font, width):
    page = pdf(panel, width_mm=width, font=font)
    assert float(page.mediabox.width) == pytest.approx(width / 25.4 * 72, abs=1e-3)
    fonts = [item.get_object() for item in page["/Resources"]["/Font"].values()]
    assert any(FONTS[font][0].replace(" ", "") in item["/BaseFont"] for item in fonts)
    for item in fonts:
        inner = item["/DescendantFonts"][0].get_object() if "/DescendantFonts" in item else item
        descriptor = inner["/FontDescriptor"].get_object()
        assert "/FontFile2" in descriptor  # TrueType, Type 42
        assert any(name.replace(" ", "") in item["/BaseFont"] for name in FONTS[font])


@pytest.mark.nightly
def test_all_text_of_a_pdf_is_8_pt():
    sizes = set()
    for panel in PANELS.values():
        operations = pdf(panel).get_contents().get_data().decode("latin-1")
        sizes |= {float(size) for size in re.findall(r"/\S+ ([\d.]+) Tf", operations)}
    assert sizes == {POINTS}


def texts_of(figure, monkeypatch):
    """Return the drawn texts."""
    from matplotlib.text import Text

    texts, draw = [], Text.draw
    monkeypatch.setattr(
        Text, "draw", lambda text, *a, **k: (texts.append(text), draw(text, *a, **k))
    )
    figure.draw_without_rendering()
    return [text for text in texts if text.get_text() and text.get_visible()]


@pytest.mark.nightly
@EVERY
@pytest.mark.parametrize(("width", "font"), LOOKS)
def test_no_text_is_cut_off_and_every_text_is_8_pt(panel, font, width, monkeypatch):
    figure, _ = draw_panels(panel, width_mm=width, font=font)
    written = texts_of(figure, monkeypatch)
    page = page_bounds(figure).transformed(figure.dpi_scale_trans).padded(1)
    assert len(written) > 8
    for text in written:
        box = text.get_window_extent()
        assert text.get_fontsize() == POINTS, text
        assert page.x0 <= box.x0 <= box.x1 <= page.x1, text
        assert page.y0 <= box.y0 <= box.y1 <= page.y1, text


@EVERY
def test_a_slide_is_16_to_9_and_no_text_is_cut_off(panel, monkeypatch):
    size = {"width_mm": SLIDE[0], "height_mm": SLIDE[1]}
    _, _, width, height = map(float, pdf(panel, **size).mediabox)
    assert width / height == pytest.approx(16 / 9)
    usual = pytest.approx(SLIDE[0] / 25.4 * 72, abs=1e-3)
    assert width > 453.6 if panel is PANELS["bars"] else width == usual  # vertical names need room
    figure, _ = draw_panels(panel, **size)
    page = figure.bbox.padded(1)
    for text in texts_of(figure, monkeypatch):
        box = text.get_window_extent()
        assert page.x0 <= box.x0 <= box.x1 <= page.x1, text
        assert page.y0 <= box.y0 <= box.y1 <= page.y1, text
    for beside in figure.subfigs[1:]:
        own, legend = figure.axes[0].get_tightbbox(), beside.legends[0].get_window_extent()
        assert own.x1 <= legend.x0


def test_a_slide_with_many_rows_is_16_to_9_with_room_for_each_name():
    def many(axes):
        axes.barh(np.arange(50), np.ones(50))
        set_axis(axes, "y", ticks=[(float(k), f"class {k}") for k in range(50)])

    figure, _ = draw_panels(Panel(many), width_mm=SLIDE[0], height_mm=SLIDE[1])
    width, height = figure.get_size_inches()
    assert width / height == pytest.approx(16 / 9)
    boxes = [text.get_window_extent() for text in figure.axes[0].get_yticklabels()]
    assert not any(a.overlaps(b) for a, b in pairwise(boxes))


def test_no_title_of_panels_beside_each_other_is_cut_off():
    def bars(axes):
        axes.barh([0.0, 1.0, 2.0], [0.3, 0.2, 0.1])
        set_axis(axes, "y", ticks=[(float(k), "horse riding on a") for k in range(3)])

    panels = [Panel(bars, title) for title in ("Sports-1M, attributes: mean +31.6",) * 3]
    figure, _ = draw_panels(*panels, width_mm=SLIDE[0], height_mm=SLIDE[1])
    figure.draw_without_rendering()
    titles = [axes._left_title.get_window_extent() for axes in figure.axes]
    ends = [*(title.x0 for title in titles[1:]), figure.bbox.x1]
    assert all(title.x1 <= end for title, end in zip(titles, ends, strict=True))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("title", ["", "a title"])
def test_a_square_panel_leaves_no_strip_empty(width, title):
    figure, _ = draw_panels(replace(PANELS["curve"], title=title), width_mm=width)
    own, legend = figure.axes[0].get_tightbbox(), figure.legends[0].get_window_extent()
    inch = figure.dpi
    assert 0 <= legend.y0 - own.y1 < 0.12 * inch
    assert 0 <= own.y0 - page_bounds(figure).y0 * inch < 0.12 * inch
    assert figure.axes[0].get_aspect() == 1


def test_no_line_break_in_the_legend_separates_a_number_from_its_unit():
    for more in range(12):
        name = f"{'x' * more} LinearS2V on CUB-vgg_fc7, γ 0.21, H 25.7 %"
        panel = Panel(partial(draw_line, x=NUMBERS, y=NUMBERS, color="#0072B2", name=name))
        (written,) = draw_panels(panel)[0].legends[0].get_texts()
        assert "γ\u00a00.21" in written.get_text()
        assert "H\u00a025.7\u00a0%" in written.get_text()


@pytest.mark.parametrize(("places", "seen"), [([0.0, 0.5, 1.0], True), ([0.0, 0.01, 1.0], False)])
def test_texts_at_points_are_drawn_only_if_all_fit(places, seen):
    at = np.array(places)
    words = ["one word", "another", "a third"]
    figure, _ = draw_panels(Panel(partial(draw_texts, x=at, y=0 * at, texts=words)))
    assert [text.get_visible() for text in figure.axes[0].texts] == [seen] * 3


@pytest.mark.nightly
def test_a_png_has_600_dpi_and_files_are_reproducible():
    from PIL import Image

    image = Image.open(io.BytesIO(print_figure(PANELS["rows"], width_mm=84, form="png")))
    assert image.width == math.floor(84 / 25.4 * DOTS)
    for form in ("pdf", "svg", "png"):
        first, second = (print_figure(PANELS["curve"], form=form, title="t") for _ in range(2))
        assert first == second


def test_an_svg_needs_no_font_and_has_its_width():
    text = print_figure(PANELS["curve"], width_mm=120, form="svg").decode()
    assert "<text" not in text
    assert float(re.search(r'width="([\d.]+)pt"', text)[1]) == pytest.approx(120 / 25.4 * 72)


@pytest.mark.nightly
def test_a_panel_of_bars_draws_its_numbers():
    figure, _ = draw_panels(PANELS["curve"])
    (line,) = figure.axes[0].lines
    np.testing.assert_array_equal(line.get_xydata(), np.c_[NUMBERS, 1 - NUMBERS**2])
    bars = draw_panels(PANELS["bars"])[0].axes[0].patches
    assert [bar.get_height() for bar in bars] == NUMBERS.tolist()


@pytest.mark.parametrize("width", [0, -84, 39.9, 1e9, math.nan, math.inf])
def test_an_impossible_width_is_refused_in_one_sentence(width):
    with pytest.raises(ParameterError, match=r"width_mm: expected millimetres from 40 to 400; got"):
        print_figure(PANELS["rows"], width_mm=width)


def test_a_misspelt_font_or_format_gets_the_nearest_name():
    with pytest.raises(UnknownNameError, match="did you mean 'serif'"):
        print_figure(PANELS["rows"], font="serifs")
    with pytest.raises(UnknownNameError, match="did you mean 'pdf'"):
        print_figure(PANELS["rows"], form="pdff")


def test_names_that_do_not_fit_are_replaced_by_their_number():
    def many(axes):
        axes.bar(np.arange(40), np.ones(40))
        set_axis(axes, "x", ticks=[(float(k), f"class {k}") for k in range(40)])

    panel = Panel(many)
    axes = draw_panels(panel, width_mm=84)[0].axes[0]
    assert axes.get_xlabel().replace("\n", " ") == "40 names, too many for this width"
    assert not [
        get_xticklabel for get_xticklabel in axes.get_xticklabels() if get_xticklabel.get_text()
    ]
    wide = draw_panels(panel, width_mm=200)[0].axes[0]
    assert (
        len(
            [
                get_xticklabel
                for get_xticklabel in wide.get_xticklabels()
                if get_xticklabel.get_text()
            ]
        )
        == 40
    )


def test_printing_does_not_change_the_settings_of_matplotlib():
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    print_figure(PANELS["rows"], font="serif")
    assert dict(mpl.rcParams) == before
