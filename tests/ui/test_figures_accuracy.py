"""Accuracy of each class: bars for few classes, a strip for many; and the confusion map."""

import numpy as np
import pandas as pd
import pytest

from ui.figures import palette
from ui.figures.accuracy import confusion_map


@pytest.fixture
def table():
    """Eighty unordered classes, one of them with the name of an HTML tag."""
    rng = np.random.default_rng(0)
    names = [f"class {k}" for k in range(80)]
    names[7] = "<b>tern</b>"
    return pd.DataFrame(
        {
            "class": names,
            "side": np.where(np.arange(80) % 4, "seen", "unseen"),
            "images": rng.integers(1, 30, 80),
            "plain": rng.random(80),
            "calibrated": rng.random(80),
        }
    )


def points(figure):
    return [trace for trace in figure.data if trace.mode == "markers"]


@pytest.mark.parametrize("is_dark", [False, True])
def test_nothing_confused_is_the_colour_of_the_page(is_dark, look):
    look(dark=is_dark)
    share = pd.DataFrame(np.eye(3), index=list("abc"), columns=list("abc"))
    scale = confusion_map(share, 2).traces[0]["colorscale"]
    assert scale[0][1] == ("#101418" if is_dark else "#FFFFFF")
    assert scale[-1][1] == palette.INK.color
