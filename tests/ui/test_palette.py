"""Colours: legible in both themes, equal in charts, texts and formulas, defined in one place."""

import ast
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ui.components import window
from ui.figures import palette
from ui.figures.marks import marked
from zslcore.interactive import seen_unseen
from zslcore.interactive.one_file import THEMES as OF_FILES

ROOT = Path(__file__).parents[2]
THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
THEMES = ("light", "dark")
MARKS = {name: mark for name, mark in vars(palette).items() if isinstance(mark, palette.Mark)}


@pytest.fixture(params=THEMES)
def theme(request, look):
    look(dark=request.param == "dark")
    return request.param


def luminance(color):
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * p for weight, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(first, other):
    """WCAG 2's contrast ratio of two hex colours."""
    low, high = sorted((luminance(first), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def mixed(color, ground, share):
    """A colour that covers the background by ``share``."""
    parts = [(int(color[k : k + 2], 16), int(ground[k : k + 2], 16)) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(share * c + (1 - share) * g):02X}" for c, g in parts)


def grounds(theme):
    return [THEME[theme][name] for name in ("backgroundColor", "secondaryBackgroundColor")]


def test_contrast_equals_wcag():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#767676", "#FFFFFF") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("name", MARKS)
def test_every_mark_and_text_in_its_colour_has_enough_contrast(name, theme):
    least = 3 if name == "RELATED" else 4.5  # no text has this colour
    for ground in grounds(theme)[: 1 if name == "NEUTRAL" else 2]:
        assert contrast(MARKS[name].color, ground) >= least, ground


@pytest.mark.parametrize("theme", THEMES)
def test_every_text_of_the_theme_has_enough_contrast(theme):
    names = ["textColor", "linkColor", *(n for n in THEME[theme] if n.endswith("TextColor"))]
    for ground in grounds(theme):
        for name in names:
            assert contrast(THEME[theme][name], ground) >= 4.5, (name, ground)
        red = THEME[theme].get("redBackgroundColor", ground)
        assert contrast(THEME[theme]["redTextColor"], red) >= 4.5
        # Streamlit writes captions in six tenths of the text's colour.
        assert contrast(mixed(THEME[theme]["textColor"], ground, 0.6), ground) >= 4.5


def test_texts_and_charts_have_the_same_colours(theme):
    words = {"blue": "SEEN", "orange": "UNSEEN", "green": "VALIDATED", "violet": "OVERLAP"}
    words |= {"red": "LEAK"}
    for word, name in words.items():
        assert THEME[theme][f"{word}TextColor"] == MARKS[name].color
    order = ["SEEN", "UNSEEN", "VALIDATED", "OVERLAP", "ORACLE", "HARMONIC", "FIRST", "SECOND"]
    assert THEME[theme]["chartCategoricalColors"] == [MARKS[name].color for name in order]


def oklab(color):
    """A hex colour in Oklab, in which equal distances look equally different."""
    parts = np.array([int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    cones = [[0.41222, 0.53633, 0.05145], [0.2119, 0.6807, 0.1074], [0.0883, 0.28172, 0.62998]]
    axes = [[0.21045, 0.79362, -0.00407], [1.978, -2.42859, 0.45059], [0.0259, 0.78277, -0.80868]]
    return np.array(axes) @ np.cbrt(np.array(cones) @ linear)


def test_a_leak_looks_like_neither_overlap_nor_unseen(theme):
    for other in ("OVERLAP", "RELATED", "UNSEEN"):
        distance = np.linalg.norm(oklab(MARKS["LEAK"].color) - oklab(MARKS[other].color))
        assert distance > 0.09, other


def test_pages_of_one_file_have_the_colours_of_the_app(theme):
    named = {"primaryColor": THEME["primaryColor"]} | THEME[theme]
    for variable, colour in OF_FILES[theme].items():
        first, *rest = variable.split("-")
        assert named[first + "".join(map(str.capitalize, rest))] == colour, variable


def test_no_two_meanings_share_a_look(theme):
    looks = [(mark.color, mark.symbol) for mark in MARKS.values()]
    assert len(set(looks)) == len(looks)
    meanings = [mark.color for name, mark in MARKS.items() if name != "INK"]
    assert len(set(meanings)) == len(meanings)


def test_a_mark_without_a_dark_form_keeps_its_colour(theme):
    assert palette.Mark("#123456", "circle").color == "#123456"
    assert replace(palette.SEEN, symbol="x").color == palette.SEEN.color


def test_a_file_made_for_a_download_has_no_visitor(caplog):
    """Downloads are made outside a script run, where asking for the theme would log a warning."""
    assert not window.is_dark()
    assert not window.is_narrow()
    assert not caplog.records


def test_a_figure_takes_the_colours_of_its_visitor(look):
    drawn = []
    for is_dark in (False, True):
        look(dark=is_dark)
        drawn.append(marked("zebra", "unseen"))
    assert palette.UNSEEN.light in drawn[0]
    assert palette.UNSEEN.night in drawn[1]
    assert marked('<a "b">', "seen").endswith('</span> &lt;a "b"&gt;')


def test_colours_are_written_in_one_place():
    """A colour anywhere else would not follow the theme."""
    own = {
        "ui/figures/palette.py",
        "ui/figures/images.py",  # pictures are drawn in ink on paper
        "ui/takeaway/report.py",  # a separate file without a theme
        "ui/maps/colours.py",  # class colours and a colour scale
    }
    for folder in ("pages", "ui"):
        for path in (ROOT / folder).rglob("*.py"):
            name = path.relative_to(ROOT).as_posix()
            text = path.read_text(encoding="utf-8")
            assert name in own or not re.search(r"#[0-9A-Fa-f]{6}\b", text), name


def test_the_interactive_curve_has_the_colours_of_the_palette():
    meanings = ("SEEN", "UNSEEN", "HARMONIC", "VALIDATED", "ORACLE")
    for name in meanings:
        look = seen_unseen.LOOKS[name.lower()]
        assert (look.light, look.dark) == (MARKS[name].light, MARKS[name].night), name
    for look in seen_unseen.LOOKS.values():  # text next to the lines has their colour
        assert contrast(look.light, THEME["light"]["backgroundColor"]) >= 4.5
        assert contrast(look.dark, THEME["dark"]["backgroundColor"]) >= 4.5


def read_when_loaded(tree):
    """Return the lines of a module that read a mark's colour outside functions."""
    todo = list(ast.iter_child_nodes(tree))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.Attribute) and node.attr == "color":
            yield node.lineno
        todo.extend(ast.iter_child_nodes(node))


def test_no_module_reads_a_colour_when_it_is_loaded():
    """A colour read during an import would not follow the visitor's theme."""
    assert list(read_when_loaded(ast.parse("X = {1: SEEN.color}"))) == [1]
    for folder in ("ui/figures", "ui/maps", "ui/sections", "ui/components"):
        for path in (ROOT / folder).rglob("*.py"):
            assert not list(read_when_loaded(ast.parse(path.read_text(encoding="utf-8")))), path


def test_green_is_used_only_for_validated():
    """Curves of other methods have other colours."""
    from zslcore.interactive.seen_unseen import GHOSTS, LOOKS

    green = {palette.VALIDATED.light, palette.VALIDATED.night}
    assert not green & {LOOKS[name].light for name in GHOSTS}
    assert LOOKS["validated"].light in green
