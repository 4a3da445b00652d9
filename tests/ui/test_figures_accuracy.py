"""The confusion map."""

import numpy as np
import pandas as pd
import pytest

from ui.figures import palette
from ui.figures.accuracy import confusion_map


@pytest.mark.parametrize("is_dark", [False, True])
def test_cells_without_confusion_have_the_colour_of_the_page(is_dark, look):
    look(dark=is_dark)
    share = pd.DataFrame(np.eye(3), index=list("abc"), columns=list("abc"))
    scale = confusion_map(share, 2).traces[0]["colorscale"]
    assert scale[0][1] == ("#101418" if is_dark else "#FFFFFF")
    assert scale[-1][1] == palette.INK.color
