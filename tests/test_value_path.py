"""What goes down to the component that lets one take a path of values in hand."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st

from tests.pages import head_of
from tests.test_components import finished
from tests.test_seen_unseen import contrast
from ui.figures import palette
from ui.figures.looks import look_of
from ui.interactive import let_go
from zslcore.interactive.modules import SHARED
from zslcore.interactive.value_path import Panel, Row, Stop, ValuePath

LOOKS = {
    "unseen": look_of(palette.UNSEEN),
    "seen": look_of(palette.SEEN),
    "harmonic": look_of(palette.HARMONIC),
    "zsl": look_of(palette.NEUTRAL),
}
GRID = np.logspace(-3, 2, 6)


@pytest.fixture
def shown():
    heights = np.linspace(0.2, 0.9, 6)
    panels = [
        Panel("accuracy", [Row("a <b>", heights, "unseen"), Row("c", heights[::-1], "seen", 3)]),
        Panel("error", [Row("a", 7 * heights, "harmonic")], percent=False),
    ]
    return ValuePath(GRID, "λ", panels, [Stop("chosen", 2, "zsl")], LOOKS, 1, "A path.")


def test_the_browser_reads_what_python_wrote(shown, node, tmp_path):
    (tmp_path / "data").write_bytes(shown.packed("file"))
    wire = (SHARED / "value_path/wire.js").as_uri()
    script = f"""
        import {{ readFileSync }} from "node:fs";
        import {{ unpack }} from {json.dumps(wire)};
        const head = unpack(new Uint8Array(readFileSync({json.dumps(str(tmp_path / "data"))})));
        const plain = (_, v) => ArrayBuffer.isView(v) ? Array.from(v) : v;
        console.log(JSON.stringify(head, plain));
    """
    run = finished(node, "--input-type=module", "--eval", script)
    assert run.returncode == 0, run.stderr
    head = json.loads(run.stdout)
    assert head["grid"] == GRID.tolist()
    assert (head["label"], head["start"], head["file"], head["n"]) == ("λ", 1, "file", 6)
    assert head["stops"] == [{"name": "chosen", "place": 2, "look": "zsl"}]
    for panel, told in zip(shown.panels, head["panels"], strict=True):
        assert (told["title"], told["percent"]) == (panel.title, panel.percent)
        for row, sent in zip(panel.rows, told["rows"], strict=True):
            assert sent["heights"] == row.heights.tolist()
            assert (sent["name"], sent["look"], sent["width"]) == (row.name, row.look, row.width)


def test_another_value_in_hand_is_the_same_path_another_number_is_not(shown):
    key = head_of(shown.packed())["key"]
    assert head_of(replace(shown, start=5).packed())["key"] == key
    assert head_of(replace(shown, start=5).packed())["start"] == 5
    panel = shown.panels[1]
    for other in (
        replace(shown, grid=2 * GRID),
        replace(shown, label="α"),
        replace(shown, stops=()),
        replace(shown, panels=shown.panels[:1]),
        replace(shown, panels=[shown.panels[0], replace(panel, title="another")]),
        replace(shown, panels=[shown.panels[0], replace(panel, percent=True)]),
    ):
        assert head_of(other.packed())["key"] != key


@pytest.mark.parametrize("said", [None, "7", [1], {}, True, 10**400, float("nan"), float("inf"), 3])
def test_what_a_browser_sends_is_a_number_or_nothing(monkeypatch, said):
    monkeypatch.setitem(st.session_state, "path", SimpleNamespace(place=said))
    assert let_go("path", "place") == (said if said in (3, True) else None)
    assert let_go("path", "gamma") is let_go("other", "place") is None


@pytest.mark.parametrize("name", LOOKS)
def test_looks_are_legible_in_both_themes(name):
    assert contrast(LOOKS[name].light, "#FFFFFF") >= 4.5
    assert contrast(LOOKS[name].dark, "#101418") >= 4.5
