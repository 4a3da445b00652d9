"""Panels of predictions and of interactive figures have the exact numbers of their source."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.worlds import linear_world
from ui.figures.accuracy import class_bars
from ui.figures.vocabulary import Markup, Plane, axis, bars, figure, heatmap, planes, rule, scatter
from ui.takeaway.as_table import table_of_figure
from ui.takeaway.for_print import panels_of
from zslcore.__main__ import main
from zslcore.analysis.confusion import per_class_table
from zslcore.evaluation import runs
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import UnknownNameError
from zslcore.interactive import colors, point_map
from zslcore.interactive.point_map import PointMap
from zslcore.interactive.seen_unseen import InteractiveCurve, line_of
from zslcore.printing import (
    LEVELS,
    curve_panel,
    draw_panels,
    map_panels,
    prediction_panel,
    print_figure,
)
from zslcore.results.store import ResultStore

NIGHT = {hue.dark for hue in vars(colors).values() if isinstance(hue, colors.Hue)} | {"#101418"}
CLASSES = pd.DataFrame(
    {"class": list("abcd"), "side": ["seen", "unseen"] * 2, "images": 3}
    | {"plain": [0.1, 0.2, 0.3, 0.4], "calibrated": [0.5, 0.6, 0.7, 0.8]}
)


pytest.importorskip("matplotlib", reason="Matplotlib, the extra print, is not installed")

from matplotlib.colors import to_hex, to_rgba_array  # noqa: E402 - needs the extra


def axes_of(panel):
    """The axes on which a panel is drawn."""
    return draw_panels(panel)[0].axes[0]


def bars_of(axes):
    """All series of bars by name: positions, lower ends and lengths."""
    return {
        bars.get_label(): [(b.get_x() + b.get_width() / 2, b.get_y(), b.get_height()) for b in bars]
        for bars in axes.containers
        if bars.get_label() != "_nolegend_" and hasattr(bars, "patches") and bars.patches
    }


def points_of(axes):
    """All series of points by name."""
    return {points.get_label(): points.get_offsets() for points in axes.collections}


def words_of(axis):
    """The positions and labels of an axis."""
    return list(
        zip(axis.get_ticklocs(), (t.get_text() for t in axis.get_ticklabels()), strict=True)
    )


@pytest.fixture
def run(own_data):
    world = linear_world(noise=1.0)
    result = runs.run(
        RunSpec(world.name, "PS", "LinearS2V", params={"lam": 1.0}), world, store=ResultStore()
    ).result
    return result, ResultStore().predictions(result.key)


def test_a_printed_curve_equals_that_of_the_predictions(run):
    result, actual = run
    axes = axes_of(prediction_panel(actual, "curve"))
    curve = next(line for line in axes.lines if "AUSUC" in line.get_label())
    np.testing.assert_array_equal(curve.get_xdata(), actual.test.curve.unseen)
    np.testing.assert_array_equal(curve.get_ydata(), actual.test.curve.seen)
    point = result.evaluation.calibrated
    ((name, stop),) = [item for item in points_of(axes).items() if item[0].startswith("validated")]
    assert stop.tolist() == [[point.unseen, point.seen]]
    assert f"H {100 * point.harmonic:.1f} %" in name
    arcs = [line for line in axes.lines if line is not curve]
    assert len(arcs) == len(LEVELS) == len(axes.texts)
    for H, arc in zip(LEVELS, arcs, strict=True):
        u, s = arc.get_data()
        np.testing.assert_allclose(2 * u * s / (u + s), H, rtol=1e-12)


def test_printed_bars_are_the_accuracies_of_the_classes(run):
    result = run[1]
    table = per_class_table(result.test, {"at": result.gamma}, result.class_names)
    axes = axes_of(prediction_panel(result, "classes"))
    low, high = axes.get_xlim()
    for side, (name, series) in zip(("seen", "unseen"), bars_of(axes).items(), strict=True):
        assert all(low < place - 0.375 < place + 0.375 < high for place, _, _ in series)
        expected = sorted(table.loc[table["side"] == side, "at"], reverse=True)
        assert name.startswith(side)
        assert [length for _, _, length in series] == expected
    with pytest.raises(UnknownNameError, match="did you mean 'curve'"):
        prediction_panel(result, "curves")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--figure", "a.gif"), "Unknown print format 'gif'"),
        (("--figure", "a.pdf", "--width-mm", "3"), "width_mm: expected millimetres from 40 to 400"),
        (("--figure", "a.pdf", "--font", "arial"), "Unknown print font 'arial'"),
        (("--figure", "a.pdf", "--panel", "x"), "Unknown print panel 'x'"),
    ],
)
def test_the_command_refuses_unprintable_results(run, words, sentence, printed):
    assert sentence in printed("runs", "export", run[0].key, *words, status=2)


def test_the_command_writes_a_figure_for_print(run, tmp_path, capsys, printed):
    path = tmp_path / "curve.pdf"
    words = ["--figure", str(path), "--width-mm", "120", "--font", "serif"]
    assert main(["runs", "export", run[0].key, *words]) == 0, capsys.readouterr().err
    assert path.read_bytes().startswith(b"%PDF")
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+)", path.read_bytes())
    assert float(box[1]) == pytest.approx(120 / 25.4 * 72)
    assert "--figure: expected the KEY" in printed("runs", "export", "--figure", path, status=2)


def colours(panel):
    """All colours of a panel."""
    axes = axes_of(panel)
    marks = [*axes.patches, *axes.lines, *axes.collections]
    result = [mark.get_color() if mark in axes.lines else mark.get_facecolor() for mark in marks]
    result += [mark.get_edgecolor() for mark in axes.collections]
    return [to_hex(item).upper() for color in result for item in to_rgba_array(color)]


def test_the_dark_theme_does_not_reach_the_paper(look):
    light = panels_of(class_bars(CLASSES))
    look(dark=True)
    dark = class_bars(CLASSES)
    assert NIGHT & {trace["marker"]["color"] for trace in dark.traces}
    assert colours(panels_of(dark)[0]) == colours(light[0])
    assert not NIGHT & {*colours(panels_of(dark)[0])}


def test_a_panel_has_the_numbers_of_its_figure():
    chart = class_bars(CLASSES)
    (panel,) = panels_of(chart)
    axes, table = axes_of(panel), table_of_figure(chart)
    lengths = [(name, at, n) for name, item in bars_of(axes).items() for at, _, n in item]
    places = [(name, *at) for name, item in points_of(axes).items() for at in item.tolist()]
    words = dict(words_of(axes.xaxis))
    result = [(words[round(at)], name, n) for name, at, n in [*lengths, *places]]
    expected = list(zip(table["x"], table["series"], table["y"], strict=True))
    assert [item[:2] for item in result] == [item[:2] for item in expected]
    assert [item[2] for item in result] == pytest.approx([item[2] for item in expected], rel=1e-12)
    assert axes.yaxis.get_major_formatter()(0.5) == "50 %"


def test_every_pair_of_axes_is_a_panel_with_its_names_and_its_legend():
    error = {"array": [0.1, 0.2], "arrayminus": [0.3, 0.4]}
    marks = scatter(x=[1, 2], y=[0, 1], name="a", error_x=error)
    sides = planes(2, spacing=0.1)
    traces = [side.on(marks | {"showlegend": side.number == 1}) for side in sides]
    names = [Markup("<b>one</b>"), "two & more"]
    axes = {}
    for side in sides:
        axes |= side.axes(axis(), axis(names=names, showticklabels=side.number == 1))
    rules = [rule(x=1.5) | {"xref": "x2", "yref": "y2 domain"}]
    chart = figure(traces, height=300, shapes=rules, showlegend=True, **axes)
    left, right = map(axes_of, panels_of(chart))
    for on in (left, right):
        assert words_of(on.yaxis) == [(0.0, "one"), (1.0, "two & more")]
        whiskers, marks = on.collections
        assert marks.get_label() == "a"
        ends = [segment[:, 0].tolist() for segment in whiskers.get_segments()]
        np.testing.assert_allclose(ends, [[0.7, 1.1], [1.6, 2.2]])
    assert len(right.get_children()) == len(left.get_children()) + 1


def one_panel(traces, **layout):
    """The axes of the only panel of a figure."""
    (panel,) = panels_of(figure(traces, height=300, **layout))
    return axes_of(panel)


def color_of(mark):
    return {"marker": {"color": mark}}


def test_bars_are_stacked_or_side_by_side():
    two_bars = [
        bars(x=["a", "b"], y=y, name=str(y), **color_of("#123456")) for y in ([1, 2], [3, 4])
    ]
    (panel,) = panels_of(figure(two_bars, height=300, barmode="stack"))
    for _ in range(2):  # drawing a panel again gives the same
        first, second = bars_of(axes_of(panel)).values()
        assert [base for _, base, _ in first + second] == [0, 0, 1, 2]
    axes = one_panel(two_bars)
    first, second = bars_of(axes).values()
    distances = [b[0] - a[0] for a, b in zip(first, second, strict=True)]
    np.testing.assert_allclose(distances, axes.patches[0].get_width())
    below = one_panel([*two_bars, bars(x=[0], y=[5], width=0.9, offset=-0.4, zorder=-1, marker={})])
    assert (below.patches[0].get_x(), below.patches[0].get_width()) == (-0.4, 0.9)


def test_horizontal_bars_have_their_text_at_the_end():
    axes = one_panel([bars(x=[3, 1], y=["a", "b"], orientation="h", text=["3 %", "1"], marker={})])
    assert [(text.get_text(), *text.xy) for text in axes.texts] == [("3 %", 3, 0), ("1", 1, 1)]
    assert words_of(axes.yaxis) == [(0.0, "a"), (1.0, "b")]


def test_numeric_ticks_are_labelled_with_the_words_at_their_positions():
    words = [Markup("all<br>classes"), Markup("clean<br>classes")]
    marks = scatter(x=["all classes", "clean classes"], y=[0.5, 0.6])
    axes = one_panel([marks], xaxis=axis(names=words))
    assert words_of(axes.xaxis) == [(0.0, "all classes"), (1.0, "clean classes")]


def test_hidden_axes_have_no_numbers_and_a_reversed_axis_falls():
    z = heatmap(z=np.eye(3), colorscale=[(0, "#FFFFFF"), (1, "#000000")])
    hidden, fallen = axis(visible=False), axis(autorange="reversed")
    axes = one_panel([z], xaxis=hidden, yaxis=fallen)
    assert words_of(axes.xaxis) == []
    assert len(words_of(axes.yaxis)) > 1
    assert axes.get_ylim() == (2.5, -0.5)


def test_a_shape_is_in_the_panel_of_its_axes():
    band = {"type": "rect", "x0": 0.5, "x1": 1.5, "yref": "y domain", "y0": 0, "y1": 1}
    band |= {"fillcolor": "rgba(0, 0, 0, 0.5)"}
    (first, second) = Plane(1, across=(0, 0.4)), Plane(2, across=(0.6, 1))
    traces = [item.on(scatter(x=[0, 2], y=[0, 1])) for item in (first, second)]
    axes = first.axes(axis(), axis()) | second.axes(axis(), axis())
    left, right = map(axes_of, panels_of(figure(traces, height=300, shapes=[band], **axes)))
    assert not right.patches
    (patch,) = left.patches
    assert to_hex(patch.get_facecolor()).upper() == "#808080"
    low, high = left.transData.inverted().transform(patch.get_window_extent())[:, 0]
    assert (low, high) == pytest.approx((0.5, 1.5))


def test_a_legend_name_with_its_auc_does_not_get_it_twice(run):
    line = line_of("ESZSL, AUSUC 52.8 %", run[1].test.curve, "harmonic", 0.0, 0.0, None)
    lines = axes_of(curve_panel(InteractiveCurve([line]))).lines
    assert "ESZSL, AUSUC 52.8 %" in {line.get_label() for line in lines}


def test_a_figure_without_marks_has_no_panel():
    assert panels_of(figure([], height=300)) == []
    assert panels_of(figure([scatter(x=[], y=[])], height=300)) == []


@pytest.mark.nightly
def test_a_printed_map_has_every_point_in_the_colour_of_its_category():
    n = 50
    maps_of_points = PointMap(
        key="a",
        file="map",
        panels=[point_map.MapPanel("t-SNE", "", np.arange(n), np.c_[np.arange(n), np.ones(n)])],
        palette=[
            point_map.LegendEntry("first", "#111111"),
            point_map.LegendEntry("second", "#222222", "x"),
        ],
        category=np.arange(n) % 2,
        classes=["a"],
        sets=["one"],
        class_of=np.zeros(n),
        part=np.zeros(n),
        row=np.arange(n),
    )
    (panel,) = map_panels(maps_of_points)
    legend, axes = draw_panels(panel)[0].legends[0], axes_of(panel)
    assert [text.get_text() for text in legend.get_texts()] == ["first", "second"]
    result = [
        (round(x), to_hex(color))
        for points in axes.collections
        for (x, _), color in zip(points.get_offsets().tolist(), points.get_facecolor(), strict=True)
        if x is not None
    ]
    assert sorted(result) == [(k, ("#111111", "#222222")[k % 2]) for k in range(n)]
    assert print_figure(panel).startswith(b"%PDF")
    scale = map_panels(replace(maps_of_points, legend="scale", ends=("few", "many")))
    (legend,) = draw_panels(scale[0])[0].legends
    assert [text.get_text() for text in legend.get_texts()] == ["few", "many"]
    assert not draw_panels(map_panels(replace(maps_of_points, legend="none"))[0])[0].legends


def test_a_panel_without_a_title_is_named_by_its_y_axis():
    (panel,) = panels_of(figure([scatter(x=[0, 1], y=[0, 1])], height=300, yaxis=axis("accuracy")))
    assert (panel.title, panel.name) == ("", "accuracy")
