"""Data sent to the component of the seen-unseen curve."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.pages import head_of
from tests.ui.test_components import finished
from ui.shell.numbers import percent, three_digits
from ui.takeaway.curves import numbers_of
from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.interactive.one_file import SHARED, packed
from zslcore.interactive.seen_unseen import GHOSTS, LOOKS, InteractiveCurve, line_of


def scored(n=400, classes=12, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    F = rng.normal(size=(n, classes)) + 1.5 * np.eye(classes)[y]
    seen = np.arange(classes) < classes // 2
    return ScoredTest(F + 0.7 * seen, y, np.arange(classes), seen)


@pytest.fixture(scope="module")
def scores():
    return scored()


@pytest.fixture(scope="module")
def shown(scores):
    names = [f"class <{c}>" for c in range(12)]
    lines = [line_of("one", scores.curve, "harmonic", 0.5, 0.25)]
    lines.append(line_of("two", scored(seed=1).curve, GHOSTS[0], None, 0.0))
    return InteractiveCurve(lines, scores, names)


def test_the_browser_reads_data_written_by_python(shown, scores, node, tmp_path):
    (tmp_path / "data").write_bytes(shown.packed())
    modules = [(SHARED / name).as_uri() for name in ("bytes.js", "curves.js")]
    script = f"""
        import {{ readFileSync }} from "node:fs";
        import {{ readPacked }} from {json.dumps(modules[0])};
        import {{ readCurves }} from {json.dumps(modules[1])};
        const bytes = new Uint8Array(readFileSync({json.dumps(str(tmp_path / "data"))}));
        const {{ head: unnamed, readArray }} = readPacked(bytes);
        const head = readCurves(unnamed, readArray);
        const plain = (_, v) => ArrayBuffer.isView(v) ? Array.from(v, String) : v;
        console.log(JSON.stringify(head, plain));
    """
    run = finished(node, "--input-type=module", "--eval", script)
    assert run.returncode == 0, run.stderr
    head = json.loads(run.stdout.replace("Infinity", "inf"))
    first, curve, switches = head["lines"][0], scores.curve, scores.switches
    for name in ("gamma", "seen", "unseen"):
        np.testing.assert_array_equal(np.array(first[name], float), getattr(curve, name))
    images = head["images"]
    np.testing.assert_array_equal(np.array(images["gamma"], float), switches.gamma)
    np.testing.assert_array_equal(np.array(images["classOf"], int), switches.y)
    right = switches.right_if_seen + 2 * switches.right_if_unseen
    np.testing.assert_array_equal(np.array(images["right"], int), right)
    assert images["seen"] == switches.seen.tolist()
    assert images["classes"][3] == "class <3>"


def test_stops_have_names_and_lie_on_the_axis(shown, scores):
    line = shown.lines[0]
    stops = {stop.name: stop.gamma for stop in line.stops}
    assert stops == {"uncalibrated": 0.0, "validated": 0.5, "oracle": scores.curve.best().gamma}
    assert all(line.limits[0] < gamma < line.limits[1] for gamma in stops.values())
    assert [stop.name for stop in shown.lines[1].stops] == ["uncalibrated", "oracle"]
    assert percent(scores.curve.best().harmonic) in shown.alt


def test_every_point_of_every_curve_can_be_downloaded(shown, scores):
    table = numbers_of(shown)
    rows = table[table["curve"] == "one"]
    np.testing.assert_array_equal(rows["gamma"], scores.curve.gamma)
    np.testing.assert_array_equal(rows["harmonic"], scores.curve.harmonic)
    assert len(table) == sum(len(line.curve.gamma) for line in shown.lines)


def test_the_key_of_a_curve_depends_on_stops_but_not_on_gamma(shown):
    line = shown.lines[0]
    key = head_of(shown.packed())["key"]
    moved = replace(shown, lines=[replace(line, start=0.7), shown.lines[1]])
    assert head_of(moved.packed())["key"] == key
    assert head_of(moved.packed())["lines"][0]["start"] == 0.7
    for other in (
        replace(shown, lines=[replace(line, stops=line.stops[:1]), shown.lines[1]]),
        replace(shown, scores=None),
        replace(shown, lines=shown.lines[:1]),
    ):
        assert head_of(other.packed())["key"] != key


def test_every_named_look_exists(shown):
    for line in shown.lines:
        assert {line.look, *(stop.look for stop in line.stops)} <= set(LOOKS)


def test_number_formats_agree_in_python_and_in_the_browser(node):
    rng = np.random.default_rng(0)
    values = [*(np.arange(0, 401) / 400), *rng.random(300), *rng.normal(size=300), 1e-7, 12345.6]
    module = (SHARED / "numbers.js").as_uri()
    script = (
        f"import {{ formatPercent, formatNumber }} from {json.dumps(module)};"
        f"const all = {json.dumps(list(map(float, values)))};"
        "console.log(JSON.stringify(all.map((v) => [formatPercent(v), formatNumber(v)])));"
    )
    run = finished(node, "--input-type=module", "--eval", script)
    assert json.loads(run.stdout) == [[percent(v), three_digits(v)] for v in values]


def test_the_header_of_a_curve_is_valid_json():
    with pytest.raises(ValueError, match="JSON"):
        packed({"start": float("nan")}, [])


# --- Descriptions of a curve ----------------------------------------------------------------------


def said_of(scores, chosen, origin="validated"):
    line = line_of("one", scores.curve, "harmonic", chosen, 0.0, origin)
    return InteractiveCurve([line]).alt


@pytest.mark.parametrize("origin", ["validated", "given"])
def test_a_curve_is_described_by_its_chosen_gamma(scores, origin):
    """The text is the alternative text, the title of the SVG, and the caption in Markdown."""
    at, best = scores.curve.at(0.5), scores.curve.best()
    assert at.harmonic < best.harmonic
    text = said_of(scores, 0.5, origin)
    assert f"at the {origin} gamma 0.5 it is {percent(at.harmonic)}" in text
    before, _, oracle = text.partition("Oracle, gamma chosen on the test set: ")
    assert percent(best.harmonic) not in before
    assert oracle.startswith(f"{percent(best.harmonic)}, an upper bound.")
    assert "at best" not in text


def test_a_curve_without_a_chosen_gamma_does_not_mention_one(scores):
    text = said_of(scores, None)
    assert "the validated gamma" not in text
    assert text.startswith(
        f"one: without calibration H is {percent(scores.curve.at(0.0).harmonic)}."
    )
