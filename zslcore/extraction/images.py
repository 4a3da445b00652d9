r"""Lists of images with their classes, and decoding in batches by worker processes.

An unusual image with one correct interpretation is decoded and reported: grey, CMYK, 16 bits, a
palette, transparency, a rotation noted by the camera, several frames (the first is read). Other
files are refused: files that are not images, broken or truncated images, images with more pixels
than allowed. Only Pillow's decoders of common formats are used; one of its other decoders starts a
program.

A decoder that crashes, or exceeds the time limit, takes its process with it. The images of the
failed batch are then read one by one in separate processes, so that the refusal names the faulty
image and all other images are read. Without workers, images are read in this process, which a crash
would end.

An encoder is applied to the central crop of an image, or to ten crops with averaged features: the
four corners and the centre, each also mirrored. With the :math:`k`-th crop :math:`T_k` and the
encoder :math:`\theta`, the features of an image are

.. math::
    \theta_{10}(x) = \frac{1}{10} \sum_{k=1}^{10} \theta(T_k(x))

References
----------
A. Krizhevsky, I. Sutskever, G. Hinton, "ImageNet classification with deep convolutional neural
networks", NIPS 2012 (ten crops). Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From classical to
generalized zero-shot learning: a simple adaptation process", MMM 2019, table 3 (effect of ten
crops).
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Literal

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from zslcore.datasets.split_folders.trees import files_by_class, is_inside, read_tree
from zslcore.datasets.split_lists import SplitList
from zslcore.exceptions import DatasetError, FileRefusedError
from zslcore.texts import clean_text, expect
from zslcore.untrusted.client import read_value

if TYPE_CHECKING:
    from torch import Tensor

Interpolation = Literal["bilinear", "bicubic"]
#: Accepted formats, by their names in Pillow.
FORMATS = ("JPEG", "PNG", "WEBP", "BMP", "GIF", "TIFF", "PPM")
#: Largest number of pixels, before and after resizing; Pillow warns of larger images.
MAX_PIXELS = 89_478_485
#: Largest size of a file in bytes.
MAX_BYTES = 256 << 20
#: Allowed numbers of crops.
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
class DecodedImage:
    """Decoded and resized image, before cropping.

    ``pixels`` is uint8 of shape (height, width, 3). ``unusual`` lists unusual properties of the
    file: "grey", "CMYK", "palette", "transparent", "more than 8 bits", "rotated" and "several
    frames".
    """

    pixels: np.ndarray
    unusual: tuple[str, ...] = ()


def read_image(
    path: Path,
    short_side: int,
    interpolation: Interpolation = "bilinear",
    *,
    max_pixels: int = MAX_PIXELS,
) -> DecodedImage:
    """Open an image and resize its shorter side to ``short_side`` pixels.

    The format is determined by the first bytes of the file. ``interpolation`` uses antialiasing;
    ``max_pixels`` applies before and after resizing. Raises a FileRefusedError that names the file,
    its expected content and its actual content.
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
        with warnings.catch_warnings():  # Pillow warns of large images; max_pixels limits them
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
        raise FileRefusedError(f"{name}: the image takes more memory than allowed.") from None
    except Exception as error:  # noqa: BLE001 - a damaged image can raise any exception
        fault = "truncated" if "truncated" in str(error) else "broken"
        raise FileRefusedError(f"{name}: expected a complete image; got a {fault} one.") from None


def _read(
    path: Path, name: str, short_side: int, interpolation: Interpolation, max_pixels: int
) -> DecodedImage:
    with Image.open(path, formats=FORMATS) as image:
        _refuse_huge(name, image.size, max_pixels)
        _refuse_huge(name, resized_size(image.size, short_side), max_pixels, " once it is resized")
        unusual = list(_unusual(image))
        image.load()  # raises if truncated
        upright = ImageOps.exif_transpose(image)
    rgb = _rgb(upright)
    out = rgb.resize(resized_size(rgb.size, short_side), _FILTERS[interpolation])
    return DecodedImage(np.array(out, dtype=np.uint8), tuple(unusual))


def _refuse_huge(name: str, size: tuple[int, int], most: int, when: str = "") -> None:
    width, height = size
    if width * height > most or min(size) < 1:
        raise FileRefusedError(
            f"{name}: expected an image of at most {most:,} pixels{when}; got {width:,} x "
            f"{height:,}."
        )


def resized_size(size: tuple[int, int], short_side: int) -> tuple[int, int]:
    """Return width and height of an image after resizing its shorter side to ``short_side``.

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
    """Return the unusual properties of an image."""
    properties = [_MODES[image.mode]] if image.mode in _MODES else []
    if "A" in image.getbands() or "transparency" in image.info:
        properties.append("transparent")
    if image.getexif().get(_ORIENTATION, 1) not in (0, 1):
        properties.append("rotated")
    if getattr(image, "is_animated", False):
        properties.append("several frames")
    return properties


def _rgb(image: Image.Image) -> Image.Image:
    """Return an image as RGB; values of more than 8 bits keep their upper 8 bits."""
    if image.mode == "F" or image.mode.startswith("I"):
        values = np.asarray(image, dtype=np.float64)
        largest = 65535.0 if values.max(initial=0) > 255 else 255.0
        grey = np.clip(values * (255 / largest), 0, 255).astype(np.uint8)
        image = Image.fromarray(grey)
    return image.convert("RGB")


# --- Crops ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Preset:
    """Preprocessing of an encoder.

    ``resize`` is the shorter side in pixels before cropping; ``crop``, at most ``resize``, is the
    side of a square crop. Crops are standardised with ``mean`` and ``std`` of red, green and
    blue in [0, 1].
    """

    resize: int = 256
    crop: int = 224
    interpolation: Interpolation = "bilinear"
    mean: tuple[float, float, float] = (0.485, 0.456, 0.406)
    std: tuple[float, float, float] = (0.229, 0.224, 0.225)

    def standardised(self, crops: np.ndarray) -> Tensor:
        """Standardise uint8 crops (n, crop, crop, 3) for an encoder.

        The tensor is float32 of shape (n, 3, crop, crop).
        """
        import torch

        x = torch.tensor(crops).permute(0, 3, 1, 2).contiguous().to(torch.float32).div_(255)
        mean, std = (torch.tensor(v).view(1, 3, 1, 1) for v in (self.mean, self.std))
        return x.sub_(mean).div_(std)


def crops_of(pixels: np.ndarray, size: int, number: int = 1) -> np.ndarray:
    """Return the central crop of an image, or ten crops, as uint8 (number, size, size, 3).

    ``pixels`` is uint8 of shape (height, width, 3), both sides at least ``size``.
    """
    if number == 1:
        return _centre_crop(pixels, size)[None]
    mirrored = pixels[:, ::-1]
    return np.stack([crop for view in (pixels, mirrored) for crop in _five_crops(view, size)])


def _five_crops(pixels: np.ndarray, size: int) -> Iterator[np.ndarray]:
    yield pixels[:size, :size]
    yield pixels[:size, -size:]
    yield pixels[-size:, :size]
    yield pixels[-size:, -size:]
    yield _centre_crop(pixels, size)


def _centre_crop(pixels: np.ndarray, size: int) -> np.ndarray:
    top, left = (round((n - size) / 2) for n in pixels.shape[:2])
    return pixels[top : top + size, left : left + size]


#: Suffixes of files that are listed as images; the first bytes determine the format.
ENDINGS = (
    *(".jpg", ".jpeg", ".jpe", ".png", ".webp", ".bmp"),
    *(".gif", ".tif", ".tiff", ".ppm", ".pgm"),
)
#: Largest number of images in one extraction, ten times the size of ImageNet-21K.
MAX_IMAGES = 150_000_000
#: Limits of a CSV list: its size in bytes, and its number of images. A folder may have more images.
MAX_LIST_BYTES, MAX_LISTED = 48 << 20, 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Listing:
    """Images with their classes, in the order of extraction.

    ``files`` are paths below ``root``, with forward slashes; ``labels`` are positions in the sorted
    ``class_names``. ``left_out`` are the files without the suffix of an image. If folders define a
    split, ``parts`` maps "trainval", "test_seen" and "test_unseen" to positions in ``files``.
    """

    root: Path
    files: tuple[str, ...]
    labels: np.ndarray
    class_names: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    parts: Mapping[str, np.ndarray] = field(default_factory=dict)


def images_of_folder(folder: Path) -> Listing:
    """List the images of a folder with one subfolder per class; skip hidden files.

    Classes and images are sorted by name, on every system. Subfolders ``train`` and ``test``, each
    with one folder per class, are read as the parts of a split. Raises a FileRefusedError if the
    folder does not exist, or if the folder of a class is a link to a folder outside it. Raises a
    DatasetError if no subfolder has an image.
    """
    if not folder.is_dir():
        raise FileRefusedError(
            f"{clean_text(folder)}: expected a folder with one subfolder per class."
        )
    if (tree := read_tree(folder)) is not None:
        return _list_tree(folder, tree)
    files = sorted(files_by_class(folder, folder), key=itemgetter(1, 0))
    labelled = [(file, label) for file, label in files if file.lower().endswith(ENDINGS)]
    left_out = [file for file, _ in files if not file.lower().endswith(ENDINGS)]
    if not labelled:
        raise DatasetError(
            f"{clean_text(folder)}: expected a folder for every class, with images in it; got none."
        )
    return _listing(folder, labelled, left_out)


def _list_tree(folder: Path, tree: SplitList) -> Listing:
    """List the images of a folder with parts; these form a split if a test class is unseen."""
    parts = {part: rows for part, rows in tree.parts.items() if part not in ("train", "val")}
    is_split = len(parts.get("trainval", ())) and len(parts.get("test_unseen", ()))
    return Listing(
        folder, tree.files, tree.labels, tree.class_names, parts=parts if is_split else {}
    )


def images_of_csv(path: Path, folder: Path) -> Listing:
    """List the images in the columns ``image_file`` and ``label`` of a CSV.

    ``image_file`` is a path relative to ``folder`` and inside it. Raises a FileRefusedError for a
    file in another format, or, naming the line, for a row without an image or a label.
    """
    name = clean_text(path.name)
    header, *rows = read_value(path, "CSV", max_bytes=MAX_LIST_BYTES, max_items=MAX_LISTED) or [[]]
    if not {"image_file", "label"} <= {*header}:
        raise FileRefusedError(f"{name}: expected the columns image_file and label.")
    labelled = [
        _read_row(dict(zip(header, row, strict=False)), f"{name}, line {line}", folder)
        for line, row in enumerate(rows, 2)
        if row
    ]
    if not labelled:
        raise FileRefusedError(f"{name}: expected a line for every image; got none.")
    return _listing(folder, labelled, [])


def _read_row(row: dict[str, str], line: str, folder: Path) -> tuple[str, str]:
    file, label = row.get("image_file", "").strip(), row.get("label", "").strip()
    if not file or not label:
        raise FileRefusedError(f"{line}: expected an image and its label; got nothing.")
    inside = Path(os.path.normpath(file)).as_posix()
    if Path(file).is_absolute() or inside.startswith("../") or "\0" in file:
        expect(False, line, f"a path below {clean_text(folder.name)}", repr(clean_text(file)))
    return inside, label


def _listing(folder: Path, labelled: list[tuple[str, str]], left_out: list[str]) -> Listing:
    if len(labelled) > MAX_IMAGES:
        raise DatasetError(f"Expected at most {MAX_IMAGES:,} images; got {len(labelled):,}.")
    repeated = [file for file, n in Counter(file for file, _ in labelled).items() if n > 1]
    if repeated:
        raise DatasetError(
            f"{clean_text(repeated[0])}: expected every image once; this one is listed twice."
        )
    cleaned = [clean_text(label) for _, label in labelled]
    names = sorted(set(cleaned))
    number_of = {name: number for number, name in enumerate(names)}
    if "" in number_of:
        raise DatasetError("Expected a class with a name; got one without printable letters.")
    return Listing(
        root=folder,
        files=tuple(file for file, _ in labelled),
        labels=np.array([number_of[label] for label in cleaned], dtype=np.int64),
        class_names=tuple(names),
        left_out=tuple(left_out),
    )


if sys.platform != "win32":
    import resource

#: Limits of a reading process: seconds per image, and bytes of memory.
SECONDS, MEMORY = 60, 4 << 30

#: A decoded image, or the refusal of its file.
ReadResult = DecodedImage | str


@dataclass(frozen=True, slots=True)
class ImageReader:
    """Reader of images, with its settings.

    ``workers`` is the number of processes; 0 reads in this process. Images must be in the folder
    ``inside`` after links are followed; None allows any folder.
    """

    short_side: int
    interpolation: Interpolation = "bilinear"
    max_pixels: int = MAX_PIXELS
    workers: int = 0
    inside: Path | None = None

    def read(self, path: Path) -> ReadResult:
        """Return a decoded image, or the reason of its refusal."""
        try:
            if self.inside is not None:
                _refuse_elsewhere(path, self.inside)
            return read_image(path, self.short_side, self.interpolation, max_pixels=self.max_pixels)
        except FileRefusedError as error:
            return str(error)


def _refuse_elsewhere(path: Path, folder: Path) -> None:
    """Refuse an image outside ``folder``, or with a path that is not valid text."""
    name = clean_text(path.name)
    below = f"an image below {clean_text(folder.name)}"
    expect(is_inside(path, folder), name, below, "a link that leaves it")
    try:
        str(path.relative_to(folder)).encode()
    except UnicodeEncodeError:
        raise FileRefusedError(f"{name}: expected a path in UTF-8; got other bytes.") from None


def read_batches(
    reader: ImageReader, batches: Iterable[Sequence[Path]]
) -> Iterator[list[ReadResult]]:
    """Yield the images of each batch while the next batch is read."""
    if not reader.workers:
        for batch in batches:
            yield [reader.read(path) for path in batch]
        return
    with _Pool(reader) as pool:
        ahead: tuple[Sequence[Path], list[Future[ReadResult]]] | None = None
        for batch in batches:
            started = batch, pool.start(batch)
            if ahead is not None:
                yield pool.finish(*ahead)
            ahead = started
        if ahead is not None:
            yield pool.finish(*ahead)


class _Pool:
    """Pool of reading processes, replaced when one of them dies."""

    def __init__(self, reader: ImageReader) -> None:
        self.reader = reader
        self.executor = self._executor(reader.workers)

    def __enter__(self) -> _Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.executor.shutdown(wait=True, cancel_futures=True)

    def _executor(self, workers: int) -> ProcessPoolExecutor:
        spawn = multiprocessing.get_context("spawn")  # a fork would break PyTorch's threads
        return ProcessPoolExecutor(workers, spawn, initializer=_limit)

    def start(self, batch: Sequence[Path]) -> list[Future[ReadResult]]:
        try:
            return [self.executor.submit(_read_in_worker, self.reader, path) for path in batch]
        except BrokenProcessPool:
            self.executor = self._executor(self.reader.workers)
            return self.start(batch)

    def finish(self, batch: Sequence[Path], futures: list[Future[ReadResult]]) -> list[ReadResult]:
        """Return the images of a batch; after a crash, its images are read again one by one."""
        results: list[ReadResult] = []
        for path, future in zip(batch, futures, strict=True):
            try:
                results.append(future.result())
            except BrokenProcessPool:
                results.append(self._read_alone(path))
        return results

    def _read_alone(self, path: Path) -> ReadResult:
        with self._executor(1) as executor:
            try:
                return executor.submit(_read_in_worker, self.reader, path).result()
            except BrokenProcessPool:
                return (
                    f"{clean_text(path.name)}: the file is damaged or hostile and crashed its "
                    f"reader, or took longer than {SECONDS} s."
                )


def _limit() -> None:
    """Limit the resources of this reading process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # on Ctrl-C, the parent ends the readers
    Thread(target=_end_with_parent, daemon=True).start()
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # the alarm ends the process


def _end_with_parent() -> None:
    """End this process when its parent ends, even if the parent is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _read_in_worker(reader: ImageReader, path: Path) -> ReadResult:
    if sys.platform == "win32":
        return reader.read(path)
    signal.alarm(SECONDS)
    try:
        return reader.read(path)
    finally:
        signal.alarm(0)
