"""Interactive figures as single-file pages: from scores, from runs, and in notebooks."""

import base64
import json
import re
import sys
import zlib
from dataclasses import replace
from html import unescape
from types import SimpleNamespace
from urllib.parse import unquote

import numpy as np
import pytest

import zslcore
from tests.worlds import linear_world
from zslcore.__main__ import main
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import DatasetError
from zslcore.interactive.one_file import frame_line, frame_page
from zslcore.interactive.point_map import LegendEntry, PointMap
from zslcore.interactive.point_map import MapPanel as Panel_
from zslcore.metrics import SeenUnseenCurve
from zslcore.results.shipped import shipped_predictions, shipped_results
from zslcore.results.store import ResultStore
from zslcore.scores import interpret, judge
from zslcore.scores.matrix import ScoreFile

#: Maximum size of a page: CUB has 4,731 test images, AWA1 10,643.
MOST_BYTES = 300_000
FROM_ELSEWHERE = re.compile(
    r"""(?:src|href)=["'](?!data:|\$\{)|@import ["'u]|url\((?!["']?data:)"""
)


def scores(tmp_path, name="test.npz", n=300, classes=12, seed=0, **more):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(classes), rng.integers(0, classes, n - classes))
    F = rng.normal(size=(n, classes)) + 2 * np.eye(classes)[y]
    content = {"scores": F, "y": y, "unseen_classes": np.arange(8, classes)} | more
    np.savez(tmp_path / name, **content)
    return tmp_path / name


def head_of(page):
    """The JSON content of the page's figure."""
    packed = zlib.decompress(base64.b64decode(re.search(r'atob\("([^"]+)"\)', page)[1]))
    length = int.from_bytes(packed[:4], "little")
    return json.loads(packed[4 : 4 + length])


def test_scores_are_written_as_one_page_with_their_images(tmp_path, printed, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"<b>{k}</b>" for k in range(12)]
    path = scores(tmp_path, class_names=np.array(names))
    out = printed("score", path, "--html", "my curve.html")
    assert '<iframe src="my%20curve.html" title="Seen-unseen curve of test.npz"' in out
    page = (tmp_path / "my curve.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert not FROM_ELSEWHERE.search(page)
    assert "<b>3</b>" not in page
    head = head_of(page)
    assert head["images"]["classes"] == names
    assert [stop["name"] for stop in head["lines"][0]["stops"]] == ["uncalibrated", "oracle"]


def test_gamma_of_scores_is_a_stop_and_further_files_are_curves(tmp_path, printed):
    files = [str(scores(tmp_path, f"{k}.npz", seed=k)) for k in range(3)]
    out = tmp_path / "x.html"
    assert len(json.loads(printed("score", *files, "--gamma", "0.5", "--html", out, "--json"))) == 3
    head = head_of(out.read_text(encoding="utf-8"))
    assert [line["name"] for line in head["lines"]] == ["0.npz", "1.npz", "2.npz"]
    assert {"name": "given", "gamma": 0.5, "look": "validated"} in head["lines"][0]["stops"]
    assert "expected at most 5" in printed("score", *files, *files, "--html", out, status=2)


def test_a_page_needs_seen_images(tmp_path, printed):
    y = np.arange(60) % 4 + 8
    path = scores(tmp_path, y=y, scores=np.random.default_rng(0).normal(size=(60, 12)))
    assert "got none of seen classes." in printed(
        "score", str(path), "--html", str(tmp_path / "x.html"), status=2
    )
    assert not (tmp_path / "x.html").exists()
    matrix, _ = interpret(
        ScoreFile("x", dict(np.load(path))["scores"], y, np.arange(8, 12)), ("as-is",)
    )
    assert judge(matrix)._repr_html_() is None


def test_a_run_is_written_as_one_page(tmp_path, printed, monkeypatch):
    monkeypatch.setenv("ZSL_DATA", str(tmp_path))
    world = linear_world(noise=1.0)
    spec = RunSpec(world.name, "PS", "LinearS2V", params={"lam": 1.0})
    result = run(spec, world, store=ResultStore()).result
    out = tmp_path / "run.html"
    assert '<iframe src="run.html"' in printed("runs", "export", result.key, "--html", out)
    page = out.read_text(encoding="utf-8")
    assert f"data {world.digest}" in page
    stops = {stop["name"]: stop["gamma"] for stop in head_of(page)["lines"][0]["stops"]}
    assert stops["validated"] == result.gamma
    assert "--html: expected the KEY" in printed("runs", "export", "--html", out, status=2)


@pytest.mark.nightly
@pytest.mark.parametrize("dataset", ["CUB-vgg_fc7", "AWA1-lss"])
def test_a_page_has_at_most_300_kilobytes(dataset):
    keys = [
        shipped_result.key
        for shipped_result in shipped_results()
        if shipped_result.spec.dataset == dataset
    ]
    result = next(
        predictions for key in keys if (predictions := shipped_predictions(key)) is not None
    )
    page = result.page()
    assert 100_000 < len(page.encode()) < MOST_BYTES
    assert head_of(page)["images"]["n"] == len(result.test.y)


@pytest.fixture
def shown_by_ipython(monkeypatch):
    """The functions that display objects in a notebook, by module and name of their class."""
    functions = {}
    html = SimpleNamespace(for_type_by_name=lambda *key: functions.update({key[:2]: key[2]}))
    shell = SimpleNamespace(display_formatter=SimpleNamespace(formatters={"text/html": html}))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    zslcore._show_curves_in_notebooks()
    return functions


def test_a_notebook_shows_curves_evaluated_scores_and_predictions(shown_by_ipython):
    world = linear_world(noise=1.0)
    test = run(
        RunSpec(world.name, "PS", "LinearS2V", params={"lam": 1.0}), world, with_oracle=False
    ).scores
    kind = type(test.curve)
    shown = shown_by_ipython[kind.__module__, kind.__name__](test.curve)
    assert kind is SeenUnseenCurve
    assert shown.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    page = unescape(re.search(r'srcdoc="([^"]*)"', shown)[1])
    head = head_of(page)
    assert head["images"] is None
    assert head["lines"][0]["n"] == len(test.curve.gamma)
    with pytest.raises(DatasetError, match="of unseen classes"):
        replace(test, seen=np.ones_like(test.seen)).require_curve("x")


def test_untrusted_text_cannot_leave_the_frame():
    frame = frame_page('"><script>alert(1)</script>', 'a "title"')
    assert "<script>" not in frame
    assert frame.count('"') == 2 * len(re.findall(r'="', frame))
    assert "<" not in frame_line('"><b>', "<i>")[1 : -len("></iframe>")]


def small_map(names):
    points = np.arange(3)
    return PointMap(
        key="x",
        file="map",
        panels=[Panel_("", "Three points.", points, np.eye(3)[:, :2])],
        palette=[LegendEntry(name, "#B65000") for name in names],
        category=points,
        classes=names,
        sets=["digits"],
        class_of=points,
        part=points * 0,
        row=points,
    )


def test_a_map_is_written_as_one_page_in_the_theme_of_its_colours():
    page = small_map(["<i>a", "b", "c"]).page(title="Map", footnote="digits", theme="dark")
    assert "color-scheme: dark;" in page
    assert "prefers-color-scheme" not in page
    assert "<i>a" not in page
    assert "<p>Three points.</p>" in page
    assert not FROM_ELSEWHERE.search(page)
    assert head_of(page)["classes"] == ["<i>a", "b", "c"]


@pytest.mark.nightly
def test_the_rows_of_a_board_link_their_curves(own_data, tmp_path, printed):
    world = linear_world(noise=1.0)
    spec = RunSpec(world.name, "PS", "LinearS2V", params={"lam": 1.0})
    result = run(spec, world, store=ResultStore()).result
    main(["runs", "export", result.key, "--predictions", str(tmp_path / "own.parquet")])
    words = ["board", str(tmp_path / "results"), "--who", "Ann", "--pretraining", "none"]
    added = [
        "--add",
        str(tmp_path / "own.parquet"),
        "--method",
        "LinearS2V",
        "--provenance",
        "Ours.",
    ]
    assert main([*words, *added]) == 0
    board, curves = tmp_path / "board.html", tmp_path / "all curves"
    assert "1 curve in" in printed(*words[:2], "--output", board, "--curves", curves)
    (page,) = curves.glob("*.html")
    assert head_of(page.read_text(encoding="utf-8"))["images"]["n"] > 0
    link = re.search(r'href="(all%20curves/[^"]+)"', board.read_text(encoding="utf-8"))[1]
    assert (tmp_path / unquote(link)) == page
    assert "--curves: expected --output" in printed(*words[:2], "--curves", curves, status=2)
