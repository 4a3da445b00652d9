r"""What of a picture an encoder sees: its middle, or ten crops whose features are averaged.

The ten are the four corners and the middle, and the same of the mirrored picture. With :math:`T_k`
the :math:`k`-th crop and :math:`\theta` the encoder, a picture's features are

.. math::
    \theta_{10}(x) = \frac{1}{10} \sum_{k=1}^{10} \theta(T_k(x))

References
----------
A. Krizhevsky, I. Sutskever, G. Hinton, "ImageNet classification with deep convolutional neural
networks", NIPS 2012 (ten crops). Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From classical to
generalized zero-shot learning: a simple adaptation process", MMM 2019, table 3 (their effect).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from zslcore.extraction.images import Interpolation

if TYPE_CHECKING:
    from torch import Tensor

#: How many crops there may be.
CROPS = (1, 10)


@dataclass(frozen=True, slots=True)
class Preset:
    """What an encoder expects of its pictures.

    Attributes
    ----------
    resize : pixels of the shorter side before cropping
    crop : pixels of either side of a crop, at most ``resize``
    interpolation : "bilinear" or "bicubic"
    mean, std : of red, green and blue in [0, 1], which pictures are standardised with
    """

    resize: int = 256
    crop: int = 224
    interpolation: Interpolation = "bilinear"
    mean: tuple[float, float, float] = (0.485, 0.456, 0.406)
    std: tuple[float, float, float] = (0.229, 0.224, 0.225)

    def standardised(self, crops: np.ndarray) -> Tensor:
        """Return crops as an encoder takes them.

        Parameters
        ----------
        crops : uint8 array of shape (n, crop, crop, 3)

        Returns
        -------
        float32 tensor of shape (n, 3, crop, crop)
        """
        import torch

        x = torch.tensor(crops).permute(0, 3, 1, 2).contiguous().to(torch.float32).div_(255)
        mean, std = (torch.tensor(v).view(1, 3, 1, 1) for v in (self.mean, self.std))
        return x.sub_(mean).div_(std)


def crops_of(pixels: np.ndarray, size: int, number: int = 1) -> np.ndarray:
    """Return the crop in the middle of a picture, or ten crops.

    Parameters
    ----------
    pixels : uint8 array of shape (height, width, 3), neither side smaller than ``size``
    size : pixels of either side of a crop
    number : 1 or 10

    Returns
    -------
    uint8 array of shape (number, size, size, 3)
    """
    if number == 1:
        return _middle(pixels, size)[None]
    mirrored = pixels[:, ::-1]
    return np.stack([crop for view in (pixels, mirrored) for crop in _five(view, size)])


def _five(pixels: np.ndarray, size: int) -> Iterator[np.ndarray]:
    yield pixels[:size, :size]
    yield pixels[:size, -size:]
    yield pixels[-size:, :size]
    yield pixels[-size:, -size:]
    yield _middle(pixels, size)


def _middle(pixels: np.ndarray, size: int) -> np.ndarray:
    top, left = (round((n - size) / 2) for n in pixels.shape[:2])
    return pixels[top : top + size, left : left + size]
