"""Images for tests: valid, unusual and damaged ones."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import numpy as np
from PIL import Image

CLASSES = ("bat", "otter", "seal", "zebra")


def photo(seed: int, size: tuple[int, int] = (80, 60)) -> Image.Image:
    """A coloured picture with edges, the same for the same seed."""
    rng = np.random.default_rng(seed)
    small = rng.integers(0, 256, (6, 8, 3), dtype=np.uint8)
    return Image.fromarray(small).resize(size, Image.Resampling.BICUBIC)


def write_folder(
    folder: Path,
    per_class: int = 3,
    size: tuple[int, int] = (80, 60),
    classes: tuple[str, ...] = CLASSES,
) -> Path:
    """Write one folder per class, with similar images within a class."""
    for c, name in enumerate(classes):
        (folder / name).mkdir(parents=True, exist_ok=True)
        for k in range(per_class):
            result = np.asarray(photo(c, size)).astype(int)
            noise = np.random.default_rng(1000 * c + k).integers(-20, 21, result.shape)
            image = Image.fromarray(np.clip(result + noise, 0, 255).astype(np.uint8))
            image.save(folder / name / f"{k}.png")
    return folder


def saved(image: Image.Image, kind: str, **options) -> bytes:
    content = io.BytesIO()
    image.save(content, kind, **options)
    return content.getvalue()


def _rotated() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return saved(photo(1), "JPEG", exif=exif)


def _animated() -> bytes:
    return saved(photo(1).convert("P"), "GIF", save_all=True, append_images=[photo(2).convert("P")])


#: Name of a valid but unusual file -> its content and the remark on it.
KINDS = {
    "plain.jpg": (saved(photo(1), "JPEG"), ()),
    "plain.webp": (saved(photo(1), "WEBP"), ()),
    "grey.png": (saved(photo(1).convert("L"), "PNG"), ("grey",)),
    "bits.png": (saved(photo(1).convert("1"), "PNG"), ("grey",)),
    "cmyk.jpg": (saved(photo(1).convert("CMYK"), "JPEG"), ("CMYK",)),
    "palette.png": (saved(photo(1).convert("P"), "PNG"), ("palette",)),
    "alpha.png": (saved(photo(1).convert("RGBA"), "PNG"), ("transparent",)),
    "deep.png": (
        saved(Image.fromarray(np.arange(4800, dtype=np.uint16).reshape(60, 80) * 13), "PNG"),
        ("more than 8 bits",),
    ),
    "rotated.jpg": (_rotated(), ("rotated",)),
    "animated.gif": (_animated(), ("palette", "several frames")),
}


def honest() -> list[bytes]:
    """The contents of all valid files."""
    return [content for content, _ in KINDS.values()]


def bomb(width: int = 50_000, height: int = 50_000) -> bytes:
    """A small PNG that declares gigabytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def spoiled(content: bytes, rng: np.random.Generator) -> bytes:
    """Return an image with some bytes changed, cut off, repeated or turned into huge numbers."""
    spoilt = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        if not spoilt:
            break
        at, how = int(rng.integers(len(spoilt))), rng.integers(4)
        if how == 0:
            for place in rng.integers(0, len(spoilt), 4):
                spoilt[place] = rng.integers(256)
        elif how == 1:
            del spoilt[at:]
        elif how == 2:
            spoilt[at:at] = spoilt[at : at + 50] * int(rng.integers(1, 20))
        else:
            spoilt[at : at + 4] = struct.pack(">I", int(rng.choice([0, 0xFFFF, 0x7FFFFFFF])))
    return bytes(spoilt)
