"""Figures in a narrow window: one column, nothing over anything else."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from ui.components import window
from ui.figures import marks
from ui.figures.accuracy import confusion_map

TELEPHONE = "Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/150 Mobile Safari/537.36"


@pytest.fixture
def narrow(look):
    """Set whether figures are drawn for a telephone."""
    return lambda is_narrow: look(narrow=is_narrow)


def boxes(figure, n):
    """Where the first ``n`` panels are: (left, right, bottom, top)."""
    axes = [(figure.layout[f"xaxis{k or ''}"], figure.layout[f"yaxis{k or ''}"]) for k in (0, 2, 3)]
    return [(*x.domain, *y.domain) for x, y in axes[:n]]


def apart(one, other):
    return one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]


def test_panels_are_side_by_side_or_below_each_other(narrow):
    for is_narrow in (False, True):
        narrow(is_narrow)
        figure, at = marks.panels(["a", "b", "c"], spacing=0.03, share_x=True, share_y=True)
        for k in (1, 2, 3):
            figure.add_scatter(x=[0], y=[0], **at(k))
        left, right, bottom, top = np.transpose(boxes(figure, 3))
        across, up = (
            len(set(zip(left, right, strict=True))),
            len(set(zip(bottom, top, strict=True))),
        )
        assert (across, up) == ((1, 3) if is_narrow else (3, 1))


def test_a_confusion_map_of_many_classes_has_no_names_below_on_a_telephone(narrow):
    """They would stand over each other; rows have the same names in the same order."""
    names = [f"class {k}" for k in range(50)]
    share = pd.DataFrame(np.eye(50), names, names)
    for is_narrow in (False, True):
        narrow(is_narrow)
        figure = confusion_map(share, 40)
        assert figure.layout.xaxis.showticklabels is not is_narrow
        assert figure.data[0].showscale is not is_narrow
        assert list(figure.layout.yaxis.ticktext) == names
        few = confusion_map(share.iloc[:10, :10], 7)
        assert few.layout.xaxis.showticklabels


def test_names_that_would_overlap_are_turned(narrow):
    narrow(False)
    assert not marks.crowded(list("0123456789"))
    assert not marks.crowded(["persian cat", "seal", "pig", "rat"])
    narrow(True)
    assert not marks.crowded(list("012345"))
    assert marks.crowded(["persian cat", "seal", "pig", "rat"])


def test_names_that_cannot_be_read_are_left_to_pointing(narrow):
    roles = ["seen"] * 30
    for is_narrow, named in ((False, 30), (True, 0)):
        narrow(is_narrow)
        figure = go.Figure(go.Bar(y=[1] * 30))
        marks.class_axis(figure, [f"class {k}" for k in range(30)], roles)
        assert len(figure.layout.xaxis.ticktext) == named
        assert bool(figure.layout.xaxis.title.text) == is_narrow


AGENTS = [(TELEPHONE, True), ("X11; Linux", False), (None, False)]


@pytest.mark.parametrize(("agent", "expected"), AGENTS)
def test_a_telephone_is_known_before_it_says_so(agent, expected, monkeypatch):
    state = {}
    context = SimpleNamespace(headers={"User-Agent": agent} if agent else {})
    streamlit = SimpleNamespace(session_state=state, context=context)
    monkeypatch.setattr(window, "st", streamlit)
    assert window.is_narrow() is expected
    state["window"] = SimpleNamespace(seen={"dark": False, "narrow": not expected})
    window._take()
    assert window.is_narrow() is not expected
