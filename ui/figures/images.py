"""Images drawn as ink on paper."""

from __future__ import annotations

import base64
import io

import numpy as np
from PIL import Image, ImageOps

from ui.figures import palette
from ui.figures.cached import cached_figure
from ui.figures.vocabulary import Chart, axis, figure, heatmap

#: Colour scale of pictures: paper at 0, ink at 1.
INK = ((0.0, "#F7F6F2"), (1.0, "#16191D"))
#: Factor by which a small picture is enlarged, so that the browser does not blur it.
SHARP = 8


@cached_figure
def picture(image: np.ndarray, *, height: int = 220) -> Chart:
    """Draw one picture, shape (height, width), values 0 to 1, as ink on paper."""
    return figure(
        [heatmap(z=image, zmin=0, zmax=1, colorscale=INK, showscale=False, hoverinfo="skip")],
        height=height,
        margin={"l": 4, "r": 4, "t": 4, "b": 4},
        xaxis=axis(visible=False, scaleanchor="y"),
        yaxis=axis(visible=False, autorange="reversed"),
    )


def mosaic(images: np.ndarray, columns: int) -> str:
    """Return pictures in rows of ``columns`` as ink on paper, as the data URL of one PNG.

    ``images`` are uint8 of shape (n, height, width), with 255 for ink.
    """
    n, height, width = images.shape
    framed = np.zeros((-(-n // columns) * columns, height + 1, width + 1), dtype=np.uint8)
    framed[:n, :height, :width] = images
    rows = framed.reshape(-1, columns, height + 1, width + 1).transpose(0, 2, 1, 3)
    grey = Image.fromarray(np.pad(rows.reshape(-1, columns * (width + 1)), ((1, 0), (1, 0))))
    (_, paper), (_, ink) = reversed(INK) if palette.dark() else INK
    file = io.BytesIO()
    inked = ImageOps.colorize(grey, black=paper, white=ink)
    ImageOps.scale(inked, SHARP, Image.Resampling.NEAREST).save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
