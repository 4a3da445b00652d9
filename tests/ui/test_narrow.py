"""Figures in a narrow window: one column, no overlap."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from ui.components import window
from ui.figures import marks
from ui.figures.accuracy import confusion_map
from ui.figures.vocabulary import planes

TELEPHONE = "Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/150 Mobile Safari/537.36"


@pytest.fixture
def narrow(look):
    """Set whether figures are drawn for a phone."""
    return lambda is_narrow: look(narrow=is_narrow)


def test_panels_are_side_by_side_or_below_each_other(narrow):
    for is_narrow in (False, True):
        narrow(is_narrow)
        result = planes(3, spacing=0.03)
        across, down = {plane.across for plane in result}, {plane.down for plane in result}
        assert (len(across), len(down)) == ((1, 3) if is_narrow else (3, 1))
        for first, other in pairwise(sorted(down if is_narrow else across)):
            assert 0 <= first[0] < first[1] < other[0] < other[1] <= 1 + 1e-12
        assert result[0].down[1] == max(top for _, top in down)


def test_a_confusion_map_of_many_classes_has_no_names_below_on_a_telephone(narrow):
    """The names below would overlap, and the rows have the same names in the same order."""
    names = [f"class {k}" for k in range(50)]
    share = pd.DataFrame(np.eye(50), names, names)
    for is_narrow in (False, True):
        narrow(is_narrow)
        figure = confusion_map(share, 40)
        assert figure.layout["xaxis"]["showticklabels"] is not is_narrow
        assert figure.traces[0]["showscale"] is not is_narrow
        assert figure.layout["yaxis"]["ticktext"] == names
        few = confusion_map(share.iloc[:10, :10], 7)
        assert few.layout["xaxis"]["showticklabels"]


def test_names_that_would_overlap_are_turned(narrow):
    narrow(False)
    assert not marks.crowded(list("0123456789"))
    assert not marks.crowded(["persian cat", "seal", "pig", "rat"])
    narrow(True)
    assert not marks.crowded(list("0123456789"))
    assert marks.crowded(["persian cat", "seal", "pig", "rat"])


def test_names_that_cannot_be_read_are_shown_only_on_hover(narrow):
    roles = ["seen"] * 30
    for is_narrow, named in ((False, 30), (True, 0)):
        narrow(is_narrow)
        axis = marks.class_axis([f"class {k}" for k in range(30)], roles)
        assert len(axis["ticktext"]) == named
        assert ("title" in axis) == is_narrow


AGENTS = [(TELEPHONE, "", True), ("X11; Linux", "", False), (None, "", False)]
COOKIES = [("X11; Linux", "1", True), (TELEPHONE, "0", False)]


@pytest.mark.parametrize(("agent", "cookie", "expected"), AGENTS + COOKIES)
def test_a_narrow_window_is_known_before_its_first_run(agent, cookie, expected, monkeypatch):
    state = {}
    context = SimpleNamespace(
        headers={"User-Agent": agent} if agent else {},
        cookies={"window_is_narrow": cookie} if cookie else {},
    )
    streamlit = SimpleNamespace(session_state=state, context=context)
    monkeypatch.setattr(window, "st", streamlit)
    monkeypatch.setattr(window, "_has_page", lambda: True)
    assert window.is_narrow() is expected
    state["window"] = SimpleNamespace(seen={"dark": False, "narrow": not expected})
    window._store_width()
    assert window.is_narrow() is not expected
