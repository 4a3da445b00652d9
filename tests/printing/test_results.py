"""The panels of predictions and of figures on screen have the exact numbers of these."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from plotly.subplots import make_subplots

from tests.worlds import linear_world
from ui.figures.accuracy import class_bars
from ui.figures.as_table import table_of
from ui.figures.for_print import panels_of
from zslcore.__main__ import main
from zslcore.analysis.mistakes import per_class_table
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import UnknownNameError
from zslcore.interactive import hues, point_map
from zslcore.interactive.curves import LOOKS, line_of
from zslcore.interactive.point_map import PointMap
from zslcore.interactive.seen_unseen import SeenUnseen
from zslcore.printing.drawing import print_figure
from zslcore.printing.panel import Bars, Points, Words
from zslcore.printing.results import LEVELS, of_curves, of_map, of_predictions
from zslcore.results.store import ResultStore

NIGHT = {hue.dark for hue in vars(hues).values() if isinstance(hue, hues.Hue)} | {"#101418"}
CLASSES = pd.DataFrame(
    {"class": list("abcd"), "side": ["seen", "unseen"] * 2, "images": 3}
    | {"plain": [0.1, 0.2, 0.3, 0.4], "calibrated": [0.5, 0.6, 0.7, 0.8]}
)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    world = linear_world(noise=1.0)
    result, _ = ResultStore().run(
        RunSpec(world.name, "PS", "LinearS2V", params={"lam": 1.0}), world
    )
    return result, ResultStore().predictions(result.key)


def test_a_printed_curve_is_that_of_the_predictions(run):
    result, found = run
    panel = of_predictions(found, "curve")
    marks = [mark for mark in panel.marks if isinstance(mark, Points)]
    curve = next(mark for mark in marks if "AUSUC" in mark.name)
    np.testing.assert_array_equal(curve.x, found.test.curve.unseen)
    np.testing.assert_array_equal(curve.y, found.test.curve.seen)
    point = result.evaluation.calibrated
    stop = next(mark for mark in marks if mark.name.startswith("validated"))
    assert (stop.x[0], stop.y[0]) == (point.unseen, point.seen)
    assert f"H {100 * point.harmonic:.1f} %" in stop.name
    arcs = [mark for mark in marks if not mark.name]
    assert len(arcs) == len(LEVELS) == len([m for m in panel.marks if isinstance(m, Words)])
    for H, arc in zip(LEVELS, arcs, strict=True):
        np.testing.assert_allclose(2 * arc.x * arc.y / (arc.x + arc.y), H, rtol=1e-12)


def test_printed_bars_are_the_accuracies_of_the_classes(run):
    found = run[1]
    table = per_class_table(found.test, {"at": found.gamma}, found.class_names)
    bars = [m for m in of_predictions(found, "classes").marks if isinstance(m, Bars)]
    for side, bar in zip(("seen", "unseen"), bars, strict=True):
        expected = sorted(table.loc[table["side"] == side, "at"], reverse=True)
        assert bar.length.tolist() == expected
    with pytest.raises(UnknownNameError, match="did you mean 'curve'"):
        of_predictions(found, "curves")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--figure", "a.gif"), "Unknown format of a figure for print 'gif'"),
        (("--figure", "a.pdf", "--width-mm", "3"), "width_mm: expected millimetres from 40 to 400"),
        (("--figure", "a.pdf", "--font", "arial"), "Unknown font of a figure for print 'arial'"),
        (("--figure", "a.pdf", "--panel", "x"), "Unknown panel for print 'x'"),
    ],
)
def test_the_command_refuses_what_it_cannot_print(run, words, sentence, capsys):
    assert main(["runs", "export", run[0].key, *words]) == 2
    assert sentence in capsys.readouterr().err


def test_the_command_writes_a_figure_for_print(run, tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="Matplotlib, the extra print, is not installed")
    path = tmp_path / "curve.pdf"
    words = ["--figure", str(path), "--width-mm", "120", "--font", "serif"]
    assert main(["runs", "export", run[0].key, *words]) == 0, capsys.readouterr().err
    assert path.read_bytes().startswith(b"%PDF")
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+)", path.read_bytes())
    assert float(box[1]) == pytest.approx(120 / 25.4 * 72)
    assert main(["runs", "export", "--figure", str(path)]) == 2
    assert "--figure: expected the KEY" in capsys.readouterr().err


def colours(panel):
    """Every colour that a panel names."""
    for mark in panel.marks:
        color = getattr(mark, "color", "")
        yield from [color] if isinstance(color, str) else color


def test_the_dark_theme_does_not_reach_the_paper(look):
    light = panels_of(class_bars(CLASSES))
    look(dark=True)
    dark = class_bars(CLASSES)
    assert NIGHT & {trace.marker.color for trace in dark.data}
    assert [*colours(panels_of(dark)[0])] == [*colours(light[0])]
    assert not NIGHT & {*colours(panels_of(dark)[0])}


def test_a_panel_has_the_numbers_of_its_figure():
    figure = class_bars(CLASSES)
    (panel,) = panels_of(figure)
    bars = [(m.name, n) for m in panel.marks if isinstance(m, Bars) for n in m.length]
    points = [(m.name, n) for m in panel.marks if isinstance(m, Points) for n in m.y]
    table = table_of(figure)
    assert [*bars, *points] == list(zip(table["series"], table["y"], strict=True))
    words = {word: at for at, word in panel.x.ticks}
    named = dict(zip(table["x"], table["y"], strict=True))
    for mark in (m for m in panel.marks if isinstance(m, Bars)):
        assert set(mark.place) <= set(words.values())
    assert set(named) == set(words)
    assert panel.y.percent == 0


def test_every_pair_of_axes_is_a_panel_with_its_title_its_names_and_its_legend():
    figure = make_subplots(cols=2, subplot_titles=["left", "right"], shared_yaxes="all")
    for column in (1, 2):
        figure.add_scatter(
            x=[1, 2], y=[0, 1], name="a", mode="markers", showlegend=column == 1, row=1, col=column,
            error_x={"array": [0.1, 0.2], "arrayminus": [0.3, 0.4]},
        )  # fmt: skip
    figure.update_yaxes(tickvals=[0, 1], ticktext=["<b>one</b>", "two &amp; more"])
    figure.add_vline(x=1.5, row=1, col=2)
    left, right = panels_of(figure)
    assert [left.title, right.title] == ["left", "right"]
    for panel in (left, right):
        assert list(panel.y.ticks) == [(0.0, "one"), (1.0, "two & more")]
        (points,) = (mark for mark in panel.marks if isinstance(mark, Points))
        assert points.name == "a"
        assert points.x_error.tolist() == [[0.3, 0.4], [0.1, 0.2]]
    assert len(right.marks) == len(left.marks) + 1


def test_stacked_bars_and_areas_stand_on_each_other():
    figure = go.Figure([go.Bar(x=["a", "b"], y=y) for y in ([1, 2], [3, 4])])
    figure.update_layout(barmode="stack")
    first, second = panels_of(figure)[0].marks
    assert (first.base.tolist(), second.base.tolist()) == ([0, 0], [1, 2])
    figure.update_layout(barmode="group")
    first, second = panels_of(figure)[0].marks
    np.testing.assert_allclose(second.place - first.place, first.thickness)
    areas = go.Figure([go.Scatter(x=[0, 1], y=y, stackgroup="s") for y in ([1, 2], [3, 4])])
    lines = [mark for mark in panels_of(areas)[0].marks if isinstance(mark, Points)]
    assert [line.y.tolist() for line in lines] == [[1, 2], [4, 6]]


def test_ticks_by_number_name_the_places_of_words():
    figure = go.Figure(go.Scatter(x=["all classes", "clean classes"], y=[0.5, 0.6]))
    figure.update_xaxes(tickvals=[0, 1], ticktext=["all<br>classes", "clean<br>classes"])
    (panel,) = panels_of(figure)
    assert panel.x.ticks == [(0.0, "all classes"), (1.0, "clean classes")]


def test_hidden_axes_have_no_numbers():
    figure = go.Figure(go.Heatmap(z=np.eye(3)))
    figure.update_xaxes(visible=False)
    (panel,) = panels_of(figure)
    assert panel.x.ticks == []
    assert panel.y.ticks is None


def test_a_name_that_has_its_area_gets_it_once(run):
    line = line_of("ESZSL, AUSUC 52.8 %", run[1].test.curve, "harmonic", 0.0, 0.0, None)
    marks = of_curves(SeenUnseen([line], LOOKS, "alt")).marks
    assert "ESZSL, AUSUC 52.8 %" in {getattr(mark, "name", "") for mark in marks}


def test_a_picture_has_no_panel():
    assert panels_of(go.Figure(go.Image(z=np.zeros((2, 2, 3))))) == []
    assert panels_of(go.Figure()) == []


@pytest.mark.slow
def test_a_printed_map_has_every_point_in_the_colour_of_its_category():
    n = 50
    what = PointMap(
        key="a",
        file="map",
        panels=[point_map.Panel("t-SNE", "", np.arange(n), np.c_[np.arange(n), np.ones(n)])],
        palette=[point_map.Entry("first", "#111111"), point_map.Entry("second", "#222222", "x")],
        category=np.arange(n) % 2,
        classes=["a"],
        sets=["one"],
        class_of=np.zeros(n),
        part=np.zeros(n),
        row=np.arange(n),
    )
    (panel,) = of_map(what)
    first, second, *layers = panel.marks
    assert [(each.name, each.color) for each in (first, second)] == [
        ("first", "#111111"),
        ("second", "#222222"),
    ]
    colors = {int(x): c for layer in layers for x, c in zip(layer.x, layer.color, strict=True)}
    assert colors == {k: ("#111111", "#222222")[k % 2] for k in range(n)}
    assert print_figure(panel).startswith(b"%PDF")
    scale = replace(what, legend="scale", ends=("few", "many"))
    assert [each.name for each in of_map(scale)[0].marks[:3]] == ["few", "many", ""]
    assert not of_map(replace(what, legend="none"))[0].marks[0].name
