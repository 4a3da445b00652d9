"""Untrusted images: read in their orientation and colours, or refused in one sentence."""

import os
import signal

import numpy as np
import pytest
from PIL import Image, ImageOps

from tests.extraction.making import KINDS, bomb, honest, photo, spoiled, write_folder
from zslcore.exceptions import DatasetError, FileRefusedError
from zslcore.extraction import images
from zslcore.extraction.images import (
    DecodedImage,
    ImageReader,
    images_of_csv,
    images_of_folder,
    read_batches,
    read_image,
    resized_size,
)


def put(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", KINDS)
def test_unusual_images_are_read_with_a_remark(name, tmp_path):
    content, unusual = KINDS[name]
    result = read_image(put(tmp_path, name, content), 48)
    assert result.unusual == unusual
    assert result.pixels.dtype == np.uint8
    assert min(result.pixels.shape[:2]) == 48
    assert result.pixels.shape[2] == 3


def test_a_rotated_image_is_turned_upright(tmp_path):
    path = put(tmp_path, "rotated.jpg", KINDS["rotated.jpg"][0])
    with Image.open(path) as image:
        assert image.size == (80, 60)
        upright = ImageOps.exif_transpose(image).resize((48, 64), Image.Resampling.BILINEAR)
    assert np.array_equal(read_image(path, 48).pixels, np.asarray(upright))


def test_16_bit_images_are_scaled_instead_of_clipped(tmp_path):
    result = read_image(put(tmp_path, "deep.png", KINDS["deep.png"][0]), 60).pixels
    assert result.max() == 242  # the largest value is 4,799 * 13 of 65,535
    assert len(np.unique(result)) > 200


def test_only_the_first_frame_of_an_animation_is_read(tmp_path):
    result = read_image(put(tmp_path, "animated.gif", KINDS["animated.gif"][0]), 60)
    first = np.asarray(photo(1).convert("P").convert("RGB"))
    assert np.array_equal(result.pixels, first)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "expected an image; got an empty file."),
        (b"no image at all", "expected an image; got a file of another kind, or a broken one."),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "got a file of another kind"),
        (KINDS["plain.jpg"][0][:700], "expected a complete image; got a truncated one."),
        (bomb(), "expected an image of at most 89,478,485 pixels; got more than 178,956,970."),
        (bomb(10_000, 10_000), "at most 89,478,485 pixels; got 10,000 x 10,000."),
        (bomb(1, 9_000_000), "pixels once it is resized; got 48 x 432,000,000."),
    ],
)
def test_incomplete_images_are_refused_in_one_sentence(content, sentence, tmp_path):
    with pytest.raises(FileRefusedError, match=r"^x\.jpg: .*\.$") as error:
        read_image(put(tmp_path, "x.jpg", content), 48)
    assert sentence in str(error.value)


def test_a_missing_image_is_refused_in_one_sentence(tmp_path):
    for path in (tmp_path / "none.jpg", tmp_path):
        with pytest.raises(FileRefusedError, match=r"found no such file\.$"):
            read_image(path, 48)


def test_damaged_images_are_read_or_refused_in_one_sentence(tmp_path):
    rng, verdicts = np.random.default_rng(0), set()
    files = honest()
    for n in range(60):
        path = put(tmp_path, f"{n}.jpg", spoiled(files[n % len(files)], rng))
        read = ImageReader(48, max_pixels=1 << 20).read(path)
        verdicts.add(type(read))
        assert isinstance(read, DecodedImage) or (read.endswith(".") and "\n" not in read), read
    assert verdicts == {DecodedImage, str}


def test_a_resized_image_has_the_size_of_torchvision():
    assert resized_size((640, 480), 256) == (341, 256)
    assert resized_size((480, 641), 256) == (256, 341)
    assert resized_size((256, 256), 256) == (256, 256)


# --- Lists of images ------------------------------------------------------------------------------


def test_each_folder_is_a_class_in_the_order_of_names(tmp_path):
    folder = write_folder(tmp_path / "images")
    (folder / "bat" / "sub").mkdir()
    photo(1).save(folder / "bat" / "sub" / "more.JPG")
    for name in ("notes.txt", ".hidden.png"):
        (folder / "bat" / name).write_text("x")
    (folder / ".git").mkdir()
    result = images_of_folder(folder)
    assert result.class_names == ("bat", "otter", "seal", "zebra")
    assert result.files[:4] == ("bat/0.png", "bat/1.png", "bat/2.png", "bat/sub/more.JPG")
    assert result.labels.tolist() == [0] * 4 + [1] * 3 + [2] * 3 + [3] * 3
    assert result.left_out == ("bat/notes.txt",)


def test_a_csv_names_images_and_their_classes(tmp_path):
    folder = write_folder(tmp_path / "images")
    path = tmp_path / "labels.csv"
    path.write_text("label,image_file,who\nseal,bat/1.png,me\notter,otter/0.png,me\n")
    result = images_of_csv(path, folder)
    assert result.files == ("bat/1.png", "otter/0.png")
    assert [result.class_names[c] for c in result.labels] == ["seal", "otter"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("file,label\na,b\n", "labels.csv: expected the columns image_file and label."),
        ("image_file,label\n", "labels.csv: expected a line for every image; got none."),
        ("image_file,label\na.png,\n", "labels.csv, line 2: expected an image and its label"),
        ("image_file,label\n../a.png,x\n", "line 2: expected a path below images; got '../a.png'"),
        ("image_file,label\n/etc/passwd,x\n", "line 2: expected a path below images"),
        ("image_file,label\na.png,x\na.png,y\n", "a.png: expected every image once"),
        ("image_file,label\na.png,\x1b\n", "line 2: expected an image and its label"),
    ],
)
def test_an_invalid_csv_of_images_is_refused_with_its_line(text, sentence, tmp_path):
    (tmp_path / "labels.csv").write_text(text)
    (tmp_path / "images").mkdir()
    with pytest.raises(DatasetError) as error:
        images_of_csv(tmp_path / "labels.csv", tmp_path / "images")
    assert sentence in str(error.value) or "without printable letters" in str(error.value)


def test_a_folder_without_images_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(DatasetError, match="expected a folder for every class, with images"):
        images_of_folder(tmp_path)
    with pytest.raises(FileRefusedError, match="expected a folder with one subfolder per class"):
        images_of_folder(tmp_path / "none")


# --- Crashing worker processes --------------------------------------------------------------------


def _deadly(how, path):
    """Read an image, or crash like a decoder."""
    if path.name == "deadly.png":
        os.kill(os.getpid(), signal.SIGKILL)
    return how.read(path)


@pytest.mark.nightly
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_crashed_reader_does_not_affect_other_images(tmp_path, monkeypatch):
    for name in ("deadly.png", "whole.png"):
        photo(9).save(tmp_path / name)
    paths = [tmp_path / "deadly.png", tmp_path / "whole.png"]
    monkeypatch.setattr(images, "_read_in_worker", _deadly)
    ((deadly, whole),) = read_batches(ImageReader(48, workers=1), [paths])
    assert deadly.startswith("deadly.png: the file is damaged or hostile and crashed its reader")
    assert np.array_equal(whole.pixels, read_image(paths[1], 48).pixels)
