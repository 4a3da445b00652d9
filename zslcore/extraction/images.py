r"""Decode one untrusted image to RGB at the requested size, or refuse it in a sentence.

An unusual image with one correct interpretation is decoded and reported: grey, CMYK,
16 bits, a palette, transparency, a rotation that the camera noted, several frames (the first is
taken). All others are refused: no image, a broken or truncated one, more pixels than allowed.
Only decoders of common formats are asked; Pillow has others, one of which starts a program.

Of a picture an encoder sees the middle, or ten crops whose features are averaged: the four corners
and the middle, and the same of the mirrored picture. With :math:`T_k` the :math:`k`-th crop and
:math:`\theta` the encoder, a picture's features are

.. math::
    \theta_{10}(x) = \frac{1}{10} \sum_{k=1}^{10} \theta(T_k(x))

References
----------
A. Krizhevsky, I. Sutskever, G. Hinton, "ImageNet classification with deep convolutional neural
networks", NIPS 2012 (ten crops). Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From classical to
generalized zero-shot learning: a simple adaptation process", MMM 2019, table 3 (their effect).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from zslcore.exceptions import FileRefusedError
from zslcore.texts import clean_text

if TYPE_CHECKING:
    from torch import Tensor

Interpolation = Literal["bilinear", "bicubic"]
#: Formats that are read, as Pillow calls them.
FORMATS = ("JPEG", "PNG", "WEBP", "BMP", "GIF", "TIFF", "PPM")
#: Most pixels of an image, before and after it is resized; Pillow warns from here on.
MAX_PIXELS = 89_478_485
#: Most bytes of a file.
MAX_BYTES = 256 << 20
#: How many crops there may be.
CROPS = (1, 10)
_FILTERS = {"bilinear": Image.Resampling.BILINEAR, "bicubic": Image.Resampling.BICUBIC}
_MODES = {
    **dict.fromkeys(("1", "L", "LA", "La"), "grey"),
    "CMYK": "CMYK",
    **dict.fromkeys(("P", "PA"), "palette"),
    **dict.fromkeys(("I;16", "I;16B", "I;16L", "I;16N", "I", "F"), "more than 8 bits"),
}
_ORIENTATION = 0x0112


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """An image as an encoder is given it, before it is cropped.

    ``pixels`` is uint8 of shape (height, width, 3). ``unusual`` says what was unusual about the
    file, of "grey", "CMYK", "palette", "transparent", "more than 8 bits", "rotated" and "several
    frames".
    """

    pixels: np.ndarray
    unusual: tuple[str, ...] = ()


def opened(
    path: Path,
    short_side: int,
    interpolation: Interpolation = "bilinear",
    *,
    max_pixels: int = MAX_PIXELS,
) -> Picture:
    """Open an image and resize it so that its shorter side has ``short_side`` pixels.

    The file's first bytes decide its format; ``interpolation`` is with antialiasing, ``max_pixels``
    hold for the image and for what it becomes. A FileRefusedError says in one sentence which file,
    what was expected and what came.
    """
    name = clean_text(path.name)
    try:
        size = path.stat().st_size if path.is_file() else None
    except (OSError, ValueError):
        size = None
    if size is None:
        raise FileRefusedError(f"{name}: expected an image; found no such file.")
    if size > MAX_BYTES:
        raise FileRefusedError(
            f"{name}: expected an image of at most {MAX_BYTES:,} bytes; got {size:,}."
        )
    try:
        with warnings.catch_warnings():  # of Pillow, about what is looked at here
            warnings.simplefilter("ignore")
            return _read(path, name, short_side, interpolation, max_pixels)
    except FileRefusedError:
        raise
    except UnidentifiedImageError:
        got = "an empty file" if size == 0 else "a file of another kind, or a broken one"
        raise FileRefusedError(f"{name}: expected an image; got {got}.") from None
    except Image.DecompressionBombError:
        raise FileRefusedError(
            f"{name}: expected an image of at most {max_pixels:,} pixels; got more than "
            f"{2 * MAX_PIXELS:,}."
        ) from None
    except MemoryError:
        raise FileRefusedError(f"{name}: its image takes more memory than allowed.") from None
    except Exception as error:  # noqa: BLE001 - decoders of broken images raise anything
        what = "truncated" if "truncated" in str(error) else "broken"
        raise FileRefusedError(f"{name}: expected a whole image; got a {what} one.") from None


def _read(
    path: Path, name: str, short_side: int, interpolation: Interpolation, max_pixels: int
) -> Picture:
    with Image.open(path, formats=FORMATS) as image:
        _refuse_huge(name, image.size, max_pixels)
        _refuse_huge(name, resized_size(image.size, short_side), max_pixels, " once it is resized")
        unusual = list(_unusual(image))
        image.load()  # raises for a truncated one
        turned = ImageOps.exif_transpose(image)
    rgb = _rgb(turned)
    out = rgb.resize(resized_size(rgb.size, short_side), _FILTERS[interpolation])
    return Picture(np.array(out, dtype=np.uint8), tuple(unusual))


def _refuse_huge(name: str, size: tuple[int, int], most: int, when: str = "") -> None:
    width, height = size
    if width * height > most or min(size) < 1:
        raise FileRefusedError(
            f"{name}: expected an image of at most {most:,} pixels{when}; got {width:,} x "
            f"{height:,}."
        )


def resized_size(size: tuple[int, int], short_side: int) -> tuple[int, int]:
    """Return width and height of an image whose shorter side becomes ``short_side``.

    Examples
    --------
    >>> resized_size((640, 480), 256)
    (341, 256)
    """
    width, height = size
    if width <= height:
        return short_side, int(short_side * height / max(width, 1))
    return int(short_side * width / max(height, 1)), short_side


def _unusual(image: Image.Image) -> list[str]:
    """Say what a reader of many images would want to know of this one."""
    found = [_MODES[image.mode]] if image.mode in _MODES else []
    if "A" in image.getbands() or "transparency" in image.info:
        found.append("transparent")
    if image.getexif().get(_ORIENTATION, 1) not in (0, 1):
        found.append("rotated")
    if getattr(image, "is_animated", False):
        found.append("several frames")
    return found


def _rgb(image: Image.Image) -> Image.Image:
    """Return an image as RGB; of more than 8 bits the upper 8 remain, where Pillow would clip."""
    if image.mode == "F" or image.mode.startswith("I"):
        values = np.asarray(image, dtype=np.float64)
        whole = 65535.0 if values.max(initial=0) > 255 else 255.0
        grey = np.clip(values * (255 / whole), 0, 255).astype(np.uint8)
        image = Image.fromarray(grey)
    return image.convert("RGB")


# --- Crops ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Preset:
    """What an encoder expects of its pictures.

    ``resize`` is the shorter side in pixels before cropping, ``crop`` either side of a crop, at
    most that. Pictures are standardised with ``mean`` and ``std`` of red, green and blue in [0, 1].
    """

    resize: int = 256
    crop: int = 224
    interpolation: Interpolation = "bilinear"
    mean: tuple[float, float, float] = (0.485, 0.456, 0.406)
    std: tuple[float, float, float] = (0.229, 0.224, 0.225)

    def standardised(self, crops: np.ndarray) -> Tensor:
        """Return uint8 crops (n, crop, crop, 3) as an encoder takes them.

        float32 of shape (n, 3, crop, crop).
        """
        import torch

        x = torch.tensor(crops).permute(0, 3, 1, 2).contiguous().to(torch.float32).div_(255)
        mean, std = (torch.tensor(v).view(1, 3, 1, 1) for v in (self.mean, self.std))
        return x.sub_(mean).div_(std)


def crops_of(pixels: np.ndarray, size: int, number: int = 1) -> np.ndarray:
    """Return the crop in the middle of a picture, or ten: uint8 (number, size, size, 3).

    ``pixels`` is uint8 of shape (height, width, 3), neither side smaller than ``size``.
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
