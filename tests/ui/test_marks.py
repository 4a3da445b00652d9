"""Marks show their rows: name at the tick, name on hover, colour and value.

Each figure is drawn from unordered rows with distinct values, and read from its marks: the name of
a mark is the tick at its position.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ui.figures
from tests.figures import reading_all
from tests.ui.test_figures_once import public_figures
from ui.figures.marks import GLYPH, GROUP_WORDS
from ui.figures.palette import (
    FIRST,
    GROUP_LOOKS,
    HARMONIC,
    INK,
    LEAK,
    ORACLE,
    OVERLAP,
    SECOND,
    SEEN,
    UNSEEN,
    VALIDATED,
    translucent,
)
from ui.shell.numbers import signed
from ui.takeaway.as_table import without_tags
from zslcore.leakage.report import Bar, Picture
from zslcore.metrics.gain import GROUPS
from zslcore.metrics.significance import paired_test

(
    accuracy,
    claims,
    contamination,
    cross,
    curve,
    gains,
    images,
    lesson,
    method_table,
    splits,
) = (
    reading_all(module)
    for module in (
        ui.figures.accuracy,
        ui.figures.claims,
        ui.figures.contamination,
        ui.figures.cross,
        ui.figures.curve,
        ui.figures.gains,
        ui.figures.images,
        ui.figures.lesson,
        ui.figures.method_table,
        ui.figures.splits,
    )
)
NAMES = ["yak", "<b>asp</b>", "moth", "eel", "carp", "jay", "newt", "owl", "bat"]
ROLES = ["seen", "unseen", "none", "both", "seen", "unseen", "seen", "unseen", "both"]
N = len(NAMES)


def values(seed=0):
    """Return distinct values in random order."""
    return np.random.default_rng(seed).permutation(N) / N + 0.05


@dataclass(frozen=True)
class Shown:
    """A mark as a reader of the figure sees it.

    Attributes
    ----------
    series : name in the legend
    x, y : position, or the label of its tick if the axis has labels
    text : text on hover, or written at the mark
    trace, k : trace that contains the mark, and its index in this trace
    """

    series: str
    x: Any
    y: Any
    text: str
    color: str
    trace: Any
    k: int


def shown(figure) -> Iterator[Shown]:
    """Yield every point and bar of a figure."""
    for trace in figure.data:
        if trace.type == "heatmap" or "markers" not in (getattr(trace, "mode", None) or "markers"):
            continue
        if trace.x[0] is None:  # an entry of the legend
            continue
        for k, (x, y) in enumerate(zip(trace.x, trace.y, strict=True)):
            text = "" if trace.customdata is None else np.ravel(trace.customdata[k])[0]
            color = trace.marker.color
            yield Shown(
                trace.name,
                at_tick(figure, trace, "x", x),
                at_tick(figure, trace, "y", y),
                plain(text),
                color if isinstance(color, str) else color[k],
                trace,
                k,
            )


def at_tick(figure, trace, letter, value):
    """Return the text at the tick of a value, without tags and role marks."""
    axis = figure.layout[(trace[f"{letter}axis"] or letter).replace(letter, f"{letter}axis", 1)]
    words = {} if axis.ticktext is None else dict(zip(axis.tickvals, axis.ticktext, strict=True))
    near = [tick for tick in words if not isinstance(value, str) and abs(tick - value) < 0.45]
    return plain(words[near[0]]) if near else plain(value)


def plain(value):
    """Return a name as read aloud, without the role mark in front."""
    if not isinstance(value, str):
        return value
    return re.sub(rf"^[{''.join(GLYPH.values())}]\s+", "", without_tags(value))


def glyphs(axis):
    """Return the role mark at each tick of an axis."""
    return [without_tags(text)[0] for text in axis.ticktext]


def same(actual, expected):
    """Compare dicts of numbers."""
    assert dict(actual) == pytest.approx(dict(expected))


def test_every_figure_function_is_tested_here():
    text = Path(__file__).read_text(encoding="utf-8")
    missing = [f.__name__ for f in public_figures() if not re.search(rf"\b{f.__name__}\(", text)]
    assert not missing


def test_bars_of_classes():
    side = ["seen" if k % 3 else "unseen" for k in range(N)]
    table = pd.DataFrame(
        {"class": NAMES, "side": side, "images": range(9, 9 + N), "plain": values()}
    ).assign(calibrated=values(1))
    figure = accuracy.class_bars(table)
    for column, name in (("plain", "γ = 0"), ("calibrated", "calibrated")):
        means = {m.x: (m.y, m.series) for m in shown(figure) if m.series.endswith(name)}
        assert means == {
            n: (v, f"{s}, {name}") for n, v, s in zip(NAMES, table[column], side, strict=True)
        }
    on_hover = {m.x: tuple(m.trace.customdata[m.k]) for m in shown(figure) if m.text != ""}
    assert on_hover == {
        name: (images, plain)
        for name, images, plain in zip(NAMES, table["images"], table["plain"], strict=True)
    }
    assert {m.color for m in shown(figure) if m.series == "seen, calibrated"} == {SEEN.color}
    assert {m.color for m in shown(figure) if m.series == "unseen, calibrated"} == {UNSEEN.color}


def cells(figure, trace):
    """Yield the names at the ticks of each cell of a heat map, and its position."""
    height, width = np.shape(trace.z)
    x = range(width) if trace.x is None else trace.x
    y = range(height) if trace.y is None else trace.y
    for i, row in enumerate(y):
        for j, column in enumerate(x):
            yield at_tick(figure, trace, "y", row), at_tick(figure, trace, "x", column), i, j


def test_cells_of_a_confusion():
    share = pd.DataFrame(np.random.default_rng(0).random((N, N)), index=NAMES, columns=NAMES)
    figure = accuracy.confusion_map(share, 4)
    (trace,) = figure.data
    for true, answered, i, j in cells(figure, trace):
        assert trace.z[i][j] == share.loc[true, answered]
        assert plain(trace.customdata[i][j]) == f"{true} predicted as {answered}"
    assert "true" in figure.layout.yaxis.title.text
    assert {line.x0 for line in figure.layout.shapes} == {0, 3.5}


def test_cells_of_attributes():
    table = pd.DataFrame(np.random.default_rng(0).random((N, 3)), NAMES, ["wet", "red", "<i>x"])
    figure = splits.attribute_map(table, ROLES)
    (trace,) = figure.data
    for name, attribute, i, j in cells(figure, trace):
        assert trace.z[i][j] == table.loc[name, attribute]
        assert (plain(trace.customdata[i][j]), plain(trace.text[i][j])) == (name, attribute)
    assert glyphs(figure.layout.yaxis) == [GLYPH[role] for role in ROLES]


def test_parts_and_folds_of_a_split():
    table = pd.DataFrame({"class": NAMES, "role": ROLES})
    for k, part in enumerate(("trainval", "test_seen", "test_unseen", "several", "none")):
        table[part] = np.random.default_rng(k).permutation(N)
    roles = np.random.default_rng(9).choice(["train", "val", ""], (N, 2))
    folds = pd.DataFrame(roles, columns=["fold 1", "fold 2"])
    figure = splits.split_map(table, folds)
    for part, label, mark, *_ in splits.PARTS:
        bars = [m for m in shown(figure) if m.series == label]
        assert {m.trace.marker.line.color for m in bars} == {mark.color}
        ticks = [plain(text) for text in figure.layout.xaxis2.ticktext]
        same({ticks[m.k]: m.y for m in bars}, zip(NAMES, table[part], strict=True))
        assert [m.text for m in bars] == ticks
    strip = next(trace for trace in figure.data if trace.type == "heatmap")
    code = {0.0: "train", 1.0: "val"}
    for fold, name, i, j in cells(figure, strip):
        value = strip.z[i][j]
        expected = folds.loc[NAMES.index(name), fold]
        assert code.get(value, "") == expected == strip.text[i][j]
        assert plain(strip.customdata[i][j]) == name
    assert glyphs(figure.layout.xaxis2) == [GLYPH[role] for role in ROLES]
    assert [color for at, color in strip.colorscale if round(at, 2) == 0.33][1] == VALIDATED.color


def test_mixing_of_classes():
    verdict = np.resize(["shown", "hidden", "invented", "no shift"], N)
    table = pd.DataFrame({"class": NAMES, "mixing_PCA": values(), "mixing_map": values(1)})
    table = table.assign(p_holm_PCA=values(2), p_holm_map=values(3), verdict=verdict)
    figure = cross.mixing_dumbbells(table)
    for series, column in (("in the PCA", "mixing_PCA"), ("on the map", "mixing_map")):
        points = [m for m in shown(figure) if m.series.startswith(series)]
        same({m.x: m.y for m in points}, zip(NAMES, table[column], strict=True))
        assert [m.text for m in points] == [m.x for m in points]
    words = {m.x: m.series for m in shown(figure) if m.series.startswith("on the map")}
    looks = {
        "shown": "PCA and on",
        "hidden": "in the PCA only",
        "invented": "on the map only",
        "no shift": "no sh",
    }
    assert all(looks[v] in words[name] for name, v in zip(NAMES, verdict, strict=True))


def ranked():
    table = pd.DataFrame({"value": values(), "printed": values(1)}, index=NAMES)
    table = table.assign(low=table["value"] - 0.01, high=table["value"] + 0.03)
    table = table.assign(
        first=np.where(np.arange(N) < 3, 1.0, 2.0), ranks=[f"{k}" for k in range(N)]
    )
    table.loc["eel", ["printed", "first"]] = np.nan
    return table


def test_places_of_methods():
    table = ranked()
    figure = method_table.rank_forest(table, "ZSL", top=73, row=25)
    points = list(shown(figure))
    ours = [m for m in points if m.series != "printed"]
    same({m.y: m.x for m in ours}, 100 * table["value"])
    same({m.y: m.x for m in points if m.series == "printed"}, 100 * table["printed"].dropna())
    assert all(m.text.split(",")[0] == m.y for m in points)
    assert {m.text for m in ours} == {f"{n}, rank {r}" for n, r in table["ranks"].items()}
    assert {m.y for m in ours if m.color == INK.color} == set(table.index[table["first"] == 1])
    high = {m.y: m.trace.error_x.array[m.k] for m in ours if m.trace.error_x}
    same(high, dict.fromkeys(table.index.drop("eel"), 3.0))
    assert list(map(plain, figure.layout.yaxis.ticktext)) == list(table.index)
    margin = figure.layout.margin
    assert figure.layout.height - margin.t - margin.b == 25 * N  # as high as the rows of the table


def test_mean_ranks_of_methods():
    ranks = np.argsort(values()) + 1.0
    figure = method_table.rank_diagram(ranks, NAMES, [[0, 1]], 2.0)
    points = list(shown(figure))
    same({m.y: m.x for m in points}, zip(NAMES, ranks, strict=True))
    assert all(m.text == m.y for m in points)


def test_cells_of_contamination():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        [(t, s) for s in NAMES for t in ("<i>K", "S")], columns=["title", "test_set"]
    ).sample(frac=1, random_state=0)
    table["state"] = rng.choice(list(contamination.LOOKS), len(table))
    table["row"] = table["test_set"]
    table["text"] = [f"{k} of 99" for k in range(len(table))]
    table["hover"] = table["text"] + "!"
    figure = contamination.contamination_map(table, "eel", ["S"])
    row = table.set_index(["test_set", "title"])
    points = list(shown(figure))
    assert len(points) == len(table)
    for m in points:
        entry = row.loc[m.y, m.x]
        assert m.series == contamination.LOOKS[entry["state"]][0]
        assert m.text == entry["hover"]
        assert m.trace.text[m.k].strip() == ("?" if entry["state"] == "unknown" else entry["text"])


def test_on_a_phone_each_mark_has_the_count_that_it_stands_for(look):
    look(narrow=True)
    table = pd.DataFrame({"title": list("ABCD"), "state": list(contamination.LOOKS)})
    table = table.assign(text=["6+1", "0+5", "", ""], row="eel", test_set="eel", hover="eel")
    points = list(shown(contamination.contamination_map(table, "eel", ["A"])))
    assert [m.trace.text[m.k].strip() for m in points] == ["6", "5", "", "?"]


@pytest.mark.parametrize("narrow", [False, True])
def test_gains_of_classes(narrow, look):
    look(narrow=narrow)
    table = pd.DataFrame(
        {"class": NAMES, "gain": values() - 0.4, "group": [GROUPS[k % 3] for k in range(N)]}
    )
    table = table.assign(low=table["gain"] - 0.01, high=table["gain"] + 0.02, draws=range(N))
    table = table.assign(accuracy=values(1), baseline=values(2))
    figure = gains.gain_bars(table, "eel")
    bars = [m for m in shown(figure) if m.trace.type == "bar"]
    result = {m.y: m.x for m in bars}
    same(result, zip(table["class"], 100 * table["gain"], strict=True))
    row = table.set_index("class")
    for m in bars:
        tile, (clicked, words) = row.loc[m.y], m.trace.customdata[m.k]
        assert plain(clicked) == tile.name
        assert without_tags(words).startswith(f"{tile.name}: ")
        accuracy, baseline = 100 * tile["accuracy"], 100 * tile["baseline"]
        assert f"pre-training {accuracy:.1f} %, without {baseline:.1f} %" in words
        # Bars without an interval are pale.
        opacity = 1 if tile["draws"] >= gains.FEWEST_DRAWS else 0.45
        assert m.color == translucent(GROUP_LOOKS[tile["group"]].color, opacity)
        assert m.series.startswith(GROUP_WORDS[tile["group"]])
    letters = [GLYPH[group] for group in sorted(table["group"])]
    axes = [figure.layout[f"yaxis{k}"] for k in ("", 2, 3)[: 1 if narrow else 3]]
    assert [letter for axis in axes for letter in glyphs(axis)] == letters
    headings = [note.text for note in figure.layout["annotations"]]
    means = table.groupby("group", sort=False)["gain"].mean()
    assert headings == [f"{GROUP_WORDS[g]}, mean {signed(mean)}" for g, mean in means.items()]


@pytest.mark.parametrize("narrow", [False, True])
def test_printed_gains(narrow, look):
    look(narrow=narrow)
    table = pd.DataFrame({"panel": ["set, a", "set, b"] * 4, "method": np.repeat(NAMES[:4], 2)})
    table["gain"] = values()[:8] - 0.4
    figure = gains.printed_gains(table)
    bars = list(shown(figure))
    row = table.set_index(["panel", "method"])["gain"]
    same({(m.series, m.y): m.x for m in bars}, zip(row.index, 100 * row, strict=True))
    assert all(m.text == m.y for m in bars)
    labels = {note.text for note in figure.layout["annotations"]}
    titles = {f"{panel}: mean <b>{signed(rows.mean())}</b>" for panel, rows in row.groupby("panel")}
    assert titles <= labels
    assert {signed(value) for value in row} <= labels


def test_accuracies_inside_and_outside_the_pre_training_set():
    table = pd.DataFrame({"class": NAMES, "accuracy": values(), "images": 10, "correct": range(N)})
    of_group = [GROUPS[0] if k < 4 else GROUPS[1 + k % 2] for k in range(N)]
    table = table.assign(low=values() - 0.01, high=values() + 0.02, group=of_group)
    figure = lesson.class_accuracy_bars(table, {})
    bars = list(shown(figure))
    same({m.x: m.y for m in bars}, zip(NAMES, table["accuracy"], strict=True))
    assert all(m.text == m.x for m in bars)
    inside = {m.x for m in bars if m.color == OVERLAP.color}
    assert inside == set(NAMES[:4]) == {m.x for m in bars if m.series == "in the pre-training set"}
    assert glyphs(figure.layout.xaxis) == [GLYPH[group] for group in of_group]


def test_images_of_two_data_sets():
    table = pd.DataFrame({"class": NAMES, "role": ROLES, "AWA1": values(), "AWA2": values(1)})
    figure = cross.image_counts(table)
    for name, mark in (("AWA1", FIRST), ("AWA2", SECOND)):
        bars = [m for m in shown(figure) if m.series == name]
        same({m.x: m.y for m in bars}, zip(NAMES, table[name], strict=True))
        assert all((m.text, m.color) == (m.x, mark.color) for m in bars)
    band = {m.x for m in shown(figure) if m.series.startswith("unseen")}
    assert band == {n for n, role in zip(NAMES, ROLES, strict=True) if role == "unseen"}


def test_four_accuracies_of_methods():
    columns = pd.MultiIndex.from_tuples([("A", "A"), ("A", "B"), ("B", "B"), ("B", "A")])
    table = pd.DataFrame(
        np.stack([values(k) for k in range(4)], axis=1), index=NAMES, columns=columns
    )
    figure = cross.four_accuracies(table, "A", "B", "ZSL")
    for column, series, symbol in (
        (("A", "A"), "trained and tested on A", FIRST.symbol),
        (("A", "B"), "trained on A, tested on the other", f"{FIRST.symbol}-open"),
        (("B", "B"), "trained and tested on B", SECOND.symbol),
        (("B", "A"), "trained on B, tested on the other", f"{SECOND.symbol}-open"),
    ):
        points = [m for m in shown(figure) if m.series == series]
        same({m.y: m.x for m in points}, table[column])
        assert all((m.text, m.trace.marker.symbol) == (m.y, symbol) for m in points)


def test_differences_of_pairs():
    request = ["other training", "other test"]
    table = pd.DataFrame(
        {
            "question": np.resize(request, N),
            "method": NAMES,
            "pair": "A, B",
            "difference": values() - 0.5,
        }
    )
    tests = {
        item: paired_test(item, table["difference"][table["question"] == item]) for item in request
    }
    labels = dict(zip(request, ("<b>first</b>", "second"), strict=True))
    figure = cross.difference_strips(table, tests, labels)
    pairs = [m for m in shown(figure) if m.series == "a pair"]
    result = {m.text: (m.x, m.y) for m in pairs}
    for _, row in table.iterrows():
        x, y = result[row["method"]]
        assert x == pytest.approx(100 * row["difference"])
        assert y == plain(labels[row["question"]])
    means = {m.y: m.x for m in shown(figure) if m.series.startswith("mean")}
    same(means, {plain(labels[k]): 100 * t.mean_difference for k, t in tests.items()})


def test_numbers_of_a_claim():
    tests = [claims.Number(n, v, v - 0.1, v + 0.2) for n, v in zip(NAMES, values(), strict=True)]
    figure = claims.claim_numbers(tests, "points")
    points = list(shown(figure))
    same({m.y: m.x for m in points}, {test.name: 100 * test.value for test in tests})
    assert all(m.text == m.y for m in points)
    assert [m.trace.error_x.arrayminus[0] for m in points] == pytest.approx([10.0] * N)
    as_they_are = shown(claims.claim_numbers(tests, ""))
    same({m.y: m.x for m in as_they_are}, {test.name: test.value for test in tests})


def test_leaks_of_classes_and_parts():
    table = pd.DataFrame({"class": NAMES, "role": ROLES})
    for k, (column, *_) in enumerate(splits._WHERE):
        table[column] = np.random.default_rng(k).permutation(N) + 1
    table["images"] = table.iloc[:, 2:].sum(axis=1)
    figure = splits.class_leak_bars(table)
    for column, label, mark, *_ in splits._WHERE:
        bars = [m for m in shown(figure) if m.series == label]
        same({m.y: m.x for m in bars}, zip(NAMES, table[column], strict=True))
        assert all((m.text, m.trace.marker.line.color) == (m.y, mark.color) for m in bars)
    role = dict(zip(NAMES, ROLES, strict=True))
    names = [plain(text) for text in figure.layout.yaxis.ticktext]
    assert glyphs(figure.layout.yaxis) == [GLYPH[role[name]] for name in names]

    parts = pd.DataFrame({"part": ["trainval", "test_seen", "val"], "rows": [9, 5, 7]})
    figure = splits.part_leak_bars(parts.assign(leaking=[1, 4, 2]))
    same(
        {m.y: m.x for m in shown(figure) if m.color == LEAK.color},
        {"trainval": 1, "test seen": 4, "val": 2},
    )
    same(
        {m.y: m.x for m in shown(figure) if m.color == SEEN.color},
        {"trainval": 8, "test seen": 1, "val": 5},
    )


def test_bars_and_curve_of_a_card():
    bars = [
        Bar(n, int(100 * v), int(10 * v), f"{n}!") for n, v in zip(NAMES, values(), strict=True)
    ]
    bars.append(Bar("test_unseen", 9, 2, "9!"))
    figure = splits.picture_of(Picture("x", bars=tuple(bars)))
    *remaining, last = [m for m in shown(figure) if m.color in (SEEN.color, UNSEEN.color) and m.x]
    assert (last.y, last.x, last.color) == ("test_unseen", 7, UNSEEN.color)
    assert {m.color for m in remaining} == {SEEN.color}
    bars.pop()
    figure = splits.picture_of(Picture("x", bars=tuple(bars)))
    for color, size in (
        (LEAK.color, lambda b: b.marked),
        (SEEN.color, lambda b: b.whole - b.marked),
    ):
        result = [(m.y, m.x) for m in shown(figure) if m.color == color]
        assert result == [(bar.label, size(bar)) for bar in bars]
    assert {(plain(a.y), plain(a.text), a.x) for a in figure.layout.annotations} == {
        (bar.label, bar.value, bar.whole) for bar in bars
    }
    points = (("uncalibrated, H 3 %", 0.2, 0.9), ("validated, H 5 %", 0.5, 0.6), ("given", 0.3, 1))
    figure = splits.picture_of(Picture("x", curve=((0.0, 1.0), (1.0, 0.0)), points=points))
    assert [(m.series, m.x, m.y) for m in shown(figure)] == list(points)
    symbols = [trace.marker.symbol for trace in figure.data[1:]]
    assert symbols[:2] == ["circle-open", VALIDATED.symbol]
    assert not {*symbols} & {"x", ORACLE.symbol}  # the marks of the oracle on other pages
    assert "unseen" in figure.layout.xaxis.title.text


def test_a_curve_has_its_name_and_its_points_in_the_legend():
    unseen, seen = (0.0, 0.4, 0.8), (0.9, 0.7, 0.0)
    points = ("γ = 0", 0.0, 0.9, SEEN), ("best γ", 0.4, 0.7, UNSEEN)
    figure = curve.curve_with_points(unseen, seen, points, height=300, name="A")
    line, *marks = figure.data
    assert (line.x, line.y, line.mode, line.name) == (unseen, seen, "lines", "A")
    assert [(m.name, m.x[0], m.y[0], m.marker.color) for m in marks] == [
        (name, x, y, mark.color) for name, x, y, mark in points
    ]
    unnamed = curve.curve_with_points(unseen, seen, points, height=300)
    assert [line.showlegend, unnamed.data[0].showlegend] == [True, False]


def test_bars_of_a_lesson_and_answers_of_a_room():
    accuracies = dict(zip(NAMES, values(), strict=True))
    marks = [SEEN, UNSEEN, HARMONIC] * 3
    figure = lesson.shares(accuracies, marks)
    same({m.y: m.x for m in shown(figure)}, accuracies)
    assert [m.color for m in shown(figure)] == [mark.color for mark in marks]
    assert [m.trace.text[m.k] for m in shown(figure)] == [f"{100 * v:.1f} %" for v in values()]

    counts = {"yes": 3, "no": 5, "both": 1}
    figure = lesson.room(counts, "no", "both")
    labels = [note.text for note in figure.layout.annotations]
    votes = dict(zip(labels, shown(figure), strict=True))
    assert {label: m.x for label, m in votes.items()} == {
        "yes": 3,
        "<b>no ✓</b>": 5,
        "both (you)": 1,
    }
    assert {m.y for m in votes.values() if m.color == VALIDATED.color} == {votes["<b>no ✓</b>"].y}
    assert all(note.y < votes[note.text].y for note in figure.layout.annotations)

    accuracy_of = {0.1: (0.9, 0.2, 0.3), 0.5: (0.8, 0.4, 0.5)}
    figure = lesson.accuracy_by_share(accuracy_of, 0.5)
    result = {trace.name: dict(zip(trace.x, trace.y, strict=True)) for trace in figure.data}
    assert result == {
        name: {share: line[k] for share, line in accuracy_of.items()}
        for k, name in enumerate("suH")
    }


def test_pixels_of_pictures():
    ink = np.random.default_rng(0).random((3, 8, 8))
    figure = images.picture(ink[1])
    np.testing.assert_array_equal(figure.data[0].z, ink[1])
    assert figure.layout.yaxis.autorange == "reversed"  # the first row is at the top
