"""From images to features: equal to the network's, resumable, and stored as a data set."""

import argparse
import json
import os
import re
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from tests.extraction.making import CLASSES, bomb, photo, write_folder
from tests.writing import write_file
from zslcore.commands import extract as command
from zslcore.datasets.importing import import_dataset
from zslcore.datasets.table import read_table
from zslcore.exceptions import DatasetError, FileRefusedError, ParameterError, ZSLError
from zslcore.extraction.encoders import (
    Encoder,
    prototypes_of_prompts,
    prototypes_of_texts,
    read_prompts,
    torchvision,
)
from zslcore.extraction.extracting import _Parts, extract
from zslcore.extraction.images import Preset, crops_of, images_of_folder
from zslcore.leakage import audit

SMALL = Preset(resize=40, crop=32)


def mean_colours(x):
    """A network that can be checked by hand: the mean of each colour in each image quarter."""
    import torch

    return torch.nn.functional.adaptive_avg_pool2d(x, 2).flatten(1)


def stub(**changes):
    text = {"name": "colours", "weights": "none", "sha256": "0" * 64, "pretraining": ("none",)}
    return Encoder(forward=mean_colours, preset=SMALL, **(text | changes))


@pytest.fixture
def images(tmp_path):
    return images_of_folder(write_folder(tmp_path / "images"))


def features_of(path):
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def library():
    """Return torchvision; skip the test if it is not installed."""
    try:
        return torchvision()
    except ZSLError as error:
        pytest.skip(str(error))


# --- Crops ----------------------------------------------------------------------------------------


def test_crops_and_standardising_are_those_of_torchvision(tmp_path):
    import torch

    T = library().transforms
    normalize = T.Normalize(SMALL.mean, SMALL.std)
    for size in ((80, 60), (61, 90), (41, 40), (33, 133)):
        photo(size[0], size).save(tmp_path / "x.png")
        with Image.open(tmp_path / "x.png") as image:
            resized = T.Resize(40)(image.convert("RGB"))
        expected_input = normalize(T.ToTensor()(T.CenterCrop(32)(resized)))[None]
        ten = torch.stack([normalize(T.ToTensor()(c)) for c in T.TenCrop(32)(resized)])
        pixels = np.asarray(resized)
        assert torch.equal(SMALL.standardised(crops_of(pixels, 32)), expected_input)
        assert torch.equal(SMALL.standardised(crops_of(pixels, 32, 10)), ten)


# --- Extracting -----------------------------------------------------------------------------------


def test_features_are_in_the_order_of_the_images(images, tmp_path):
    result = extract(images, stub(), tmp_path / "f.npz", batch=5)
    arrays = features_of(result.output)
    assert arrays["features"].shape == (12, 12)
    assert arrays["labels"].tolist() == images.labels.tolist()
    assert tuple(arrays["class_names"]) == CLASSES
    assert tuple(arrays["image_files"]) == images.files
    for k in (0, 6, 11):
        with Image.open(images.root / images.files[k]) as image:
            small = np.asarray(image.resize((53, 40), Image.Resampling.BILINEAR))[4:36, 10:42]
        x = (small / 255 - SMALL.mean) / SMALL.std
        by_hand = x.reshape(2, 16, 2, 16, 3).mean(axis=(1, 3)).transpose(2, 0, 1).ravel()
        np.testing.assert_allclose(arrays["features"][k], by_hand, atol=1e-5)
    assert not (tmp_path / "f.npz.parts").exists()


def test_ten_crops_are_averaged(tmp_path):
    images = images_of_folder(write_folder(tmp_path / "images", size=(84, 60)))
    single_crop = features_of(extract(images, stub(), tmp_path / "a.npz", crops=1).output)[
        "features"
    ]
    ten = features_of(extract(images, stub(), tmp_path / "b.npz", crops=10).output)["features"]
    assert np.abs(single_crop - ten).max() > 1e-3
    # Ten crops include mirror images, so left and right have equal means.
    left, right = ten.reshape(-1, 3, 2, 2)[..., 0], ten.reshape(-1, 3, 2, 2)[..., 1]
    np.testing.assert_allclose(left, right, atol=1e-5)
    with pytest.raises(ParameterError, match="crops must be 1 or 10; got 5"):
        extract(images, stub(), tmp_path / "c.npz", crops=5)


@pytest.mark.nightly
def test_numbers_in_the_help_are_the_real_defaults():
    parser = argparse.ArgumentParser()
    command.run.add_to(parser, "")
    text = {action.dest: re.search(r"\((\d+)\)$", action.help or "") for action in parser._actions}
    text = {name: int(number[1]) for name, number in text.items() if number}
    assert text == {name: parser.get_default(name) for name in text}
    assert {"crops", "batch", "workers", "seed"} == {*text}


def test_workers_give_the_same_features(images, tmp_path):
    alone = features_of(extract(images, stub(), tmp_path / "a.npz", batch=4).output)
    helped = features_of(extract(images, stub(), tmp_path / "b.npz", batch=4, workers=1).output)
    assert all(np.array_equal(alone[name], helped[name]) for name in alone)


class Killed(BaseException):
    """Raised to end an extraction like an interruption; ``except Exception`` misses it."""


@pytest.mark.parametrize("after", range(4))
def test_a_stopped_extraction_loses_at_most_one_batch(after, images, tmp_path):
    whole = features_of(extract(images, stub(), tmp_path / "whole.npz", batch=3).output)
    encoded = []

    def counted(x):
        encoded.append(len(x))
        if len(encoded) > after and stopping:
            raise Killed
        return mean_colours(x)

    stopping = True
    encoder = Encoder(**(vars(stub()) | {"forward": counted}))
    with pytest.raises(Killed):
        extract(images, encoder, tmp_path / "f.npz", batch=3)
    assert not (tmp_path / "f.npz").exists()
    stopping = False
    encoded.clear()
    again = extract(images, encoder, tmp_path / "f.npz", batch=3)
    assert sum(encoded) == 12 - 3 * after  # finished batches are not repeated
    assert again.resumed == 3 * after
    result = features_of(again.output)
    assert all(np.array_equal(whole[name], result[name]) for name in whole)


def killed_at(images, output, count):
    """Extract in batches of three, and be killed after ``count`` images."""

    def stop(done, total, message):
        if done == count:
            raise Killed

    with pytest.raises(Killed):
        extract(images, stub(), output, batch=3, progress=stop)


def test_a_changed_image_is_read_again_and_no_other(images, tmp_path):
    killed_at(images, tmp_path / "f.npz", 9)
    photo(77).save(images.root / images.files[4])
    result = extract(images, stub(), tmp_path / "f.npz", batch=3)
    assert result.resumed == 6
    fresh = extract(images, stub(), tmp_path / "fresh.npz", batch=3)
    same = features_of(result.output)["features"] == features_of(fresh.output)["features"]
    assert same.all()


def test_a_corrupt_batch_is_computed_again(images, tmp_path):
    killed_at(images, tmp_path / "f.npz", 6)
    part = sorted((tmp_path / "f.npz.parts").glob("part*"))[0]
    part.write_bytes(part.read_bytes()[:100])
    assert extract(images, stub(), tmp_path / "f.npz", batch=3).resumed == 3


def test_batches_of_another_encoder_are_never_reused(images, tmp_path):
    killed_at(images, tmp_path / "f.npz", 3)
    with pytest.raises(
        ParameterError, match="unfinished extraction with a different encoder, sha256"
    ):
        extract(images, stub(name="x", sha256="1" * 64), tmp_path / "f.npz", batch=3)
    with pytest.raises(ParameterError, match="unfinished extraction with a different crops"):
        extract(images, stub(), tmp_path / "f.npz", batch=3, crops=10)
    extract(images, stub(), tmp_path / "f.npz", batch=3)
    with pytest.raises(ParameterError, match="it already exists"):
        extract(images, stub(), tmp_path / "f.npz", batch=3)


def test_bad_images_are_refused_or_left_out_by_option(images, tmp_path):
    write_file(images.root / "otter" / "0.png", bomb())
    (images.root / "seal" / "2.png").write_bytes(b"nothing")
    with pytest.raises(FileRefusedError, match=r"^0\.png: expected an image of at most 89"):
        extract(images, stub(), tmp_path / "f.npz")
    result = extract(images, stub(), tmp_path / "g.npz", on_bad="skip", batch=4)
    assert set(result.skipped) == {"otter/0.png", "seal/2.png"}
    arrays = features_of(result.output)
    assert len(arrays["features"]) == len(arrays["labels"]) == result.n_images == 10
    assert "otter/0.png" not in arrays["image_files"]
    for path in images.root.rglob("*.png"):
        path.write_bytes(b"")
    with pytest.raises(DatasetError, match="at least one image that can be read; got none"):
        extract(images, stub(), tmp_path / "h.npz", on_bad="skip")


@pytest.mark.nightly
@pytest.mark.parametrize("workers", [0, 2])
def test_links_out_of_the_folder_and_undecodable_names_are_left_out(workers, tmp_path):
    folder = write_folder(tmp_path / "images")
    photo(9).save(tmp_path / "private.png")
    os.symlink(tmp_path / "private.png", folder / "seal" / "linked.png")
    os.symlink(folder / "seal" / "0.png", folder / "seal" / "linked_inside.png")
    no_text = os.fsencode(folder / "seal") + b"/\xff\xfe.png"
    with open(folder / "seal" / "1.png", "rb") as file, open(no_text, "wb") as other:
        other.write(file.read())
    listed = images_of_folder(folder)
    with pytest.raises(FileRefusedError, match="linked.png: expected an image below images"):
        extract(listed, stub(), tmp_path / "a.npz", workers=workers)
    result = extract(listed, stub(), tmp_path / "b.npz", batch=4, on_bad="skip", workers=workers)
    assert sorted(why.partition(" got ")[2] for why in result.skipped.values()) == [
        "a link that leaves it.",
        "other bytes.",
    ]
    names = features_of(result.output)["image_files"]
    assert len(names) == result.n_images == len(listed.files) - 2
    assert "seal/linked_inside.png" in names


def test_a_link_to_a_class_elsewhere_is_refused_and_one_within_is_read(tmp_path):
    folder = write_folder(tmp_path / "images")
    os.symlink(folder / "seal", folder / "seal again")
    assert images_of_folder(folder).class_names.count("seal again") == 1
    write_folder(tmp_path / "private", classes=("mine",))
    os.symlink(tmp_path / "private" / "mine", folder / "mine")
    with pytest.raises(FileRefusedError, match="mine: expected a folder below images; got a link"):
        images_of_folder(folder)


def test_an_image_written_again_with_the_same_size_is_read_again(images, tmp_path):
    path = images.root / images.files[0]
    photo(50).save(path.with_suffix(".bmp"))  # uncompressed pictures all have the same size
    listed = replace(images, files=(f"{images.files[0][:-4]}.bmp",), labels=images.labels[:1])
    batches = _Parts(tmp_path / "parts", listed, 1)
    before, size = batches.key(0), path.with_suffix(".bmp").stat().st_size
    photo(51).save(path.with_suffix(".bmp"))
    os.utime(path.with_suffix(".bmp"), ns=(1, 1))
    assert path.with_suffix(".bmp").stat().st_size == size
    assert batches.key(0) != before


def test_unusual_images_are_named(images, tmp_path):
    photo(3).convert("L").save(images.root / "bat" / "1.png")
    assert extract(images, stub(), tmp_path / "f.npz").unusual == {"grey": ["bat/1.png"]}


# --- Export as a data set -------------------------------------------------------------------------


def write_attributes(path, names):
    rows = [f"{name},{k},{k % 2}" for k, name in enumerate(names)]
    return write_file(path, "class,big,striped\n" + "\n".join(rows) + "\n")


def test_features_are_imported_with_the_pretraining_of_the_encoder(own_data, images, tmp_path):
    encoder = stub(pretraining=("imagenet-1k",))
    output = extract(images, encoder, tmp_path / "f.npz").output
    side = write_attributes(tmp_path / "a.csv", CLASSES)
    data = import_dataset(output, prototypes=side, unseen=["zebra", "seal"], name="mine")
    assert data.pretraining == ("imagenet-1k",)
    assert "encoder colours" in data.source
    assert "SHA-256 " + "0" * 64 in data.source
    assert data.image_files == images.files
    report = audit(data)
    (result,) = [f for f in report.findings if f.check == "ZSL006" and "zebra" in f.sentence]
    assert result.mark == "leak"


def test_labels_follow_the_names_of_the_classes_not_the_order_of_a_csv(images, tmp_path):
    output = extract(images, stub(), tmp_path / "f.npz").output
    backwards = write_attributes(tmp_path / "a.csv", (*CLASSES[::-1], "yak"))
    data = read_table(output, prototypes=backwards, unseen=["zebra"])
    named = [data.class_names[c] for c in data.labels]
    assert named == [file.partition("/")[0] for file in data.image_files]
    few = write_attributes(tmp_path / "b.csv", ("bat", "otters", "seal", "yak"))
    with pytest.raises(ZSLError, match="did you mean 'otters'"):
        read_table(output, prototypes=few, unseen=["bat"])


def test_an_unknown_vocabulary_is_refused(images, tmp_path):
    output = extract(images, stub(pretraining=("imagenet-2k",)), tmp_path / "f.npz").output
    side = write_attributes(tmp_path / "a.csv", CLASSES)
    with pytest.raises(ZSLError, match="did you mean 'imagenet-21k'|did you mean 'imagenet-1k'"):
        read_table(output, prototypes=side, unseen=["bat"])


def test_text_prototypes_are_means_of_unit_vectors():
    text = []

    def texts(sentences):
        text.extend(sentences)
        return np.array([[len(s), 1.0] for s in sentences])

    encoder = stub(texts=texts)
    result = prototypes_of_texts(encoder, ["blue+whale", "ox"], ["a {}.", "the big {}."])
    assert text == ["a blue whale.", "a ox.", "the big blue whale.", "the big ox."]
    unit = [np.array(v) / np.linalg.norm(v) for v in ([5, 1.0], [11, 1.0])]
    np.testing.assert_allclose(result[1], np.mean(unit, axis=0), rtol=1e-6)
    with pytest.raises(ParameterError, match="needs one {} for the name"):
        prototypes_of_texts(encoder, ["ox"], ["a photo"])
    with pytest.raises(ParameterError, match="expected a text encoder"):
        prototypes_of_texts(stub(), ["ox"])


def test_each_class_has_separate_prompts(tmp_path):
    path = write_file(
        tmp_path / "prompts.json",
        '{"Blue_Whale": ["a huge whale", "blue skin "], "002.ox": ["it has horns"], "cat": ["x"]}',
    )
    prompts = read_prompts(path, ["ox", "blue+whale"])
    assert prompts == (("it has horns",), ("a huge whale", "blue skin"))
    encoder = stub(texts=lambda sentences: np.array([[len(s), 1.0] for s in sentences]))
    result = prototypes_of_prompts(encoder, prompts)
    unit = [np.array(v) / np.linalg.norm(v) for v in ([12, 1.0], [9, 1.0])]
    np.testing.assert_allclose(result[1], np.mean(unit, axis=0), rtol=1e-6)
    assert result.dtype == np.float32
    assert np.linalg.norm(result[0]) == pytest.approx(1, abs=1e-6)
    with pytest.raises(ParameterError, match="expected a text encoder"):
        prototypes_of_prompts(stub(), prompts)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('["a"]', r"expected \{\"class\": \[\"prompt\", \.\.\.\]\}; got other JSON"),
        ("{}", "got other JSON"),
        ('{"ox": "horns"}', r"'ox': expected a list of 1 to 1,000 prompts"),
        ('{"ox": []}', "'ox': expected a list"),
        ('{"ox": ["horns", 3]}', "'ox': expected a list"),
        ('{"ox": ["  "]}', "'ox': expected a list"),
        (json.dumps({"ox": ["x" * 2001]}), "up to 2,000 characters"),
        (json.dumps({"ox": ["x"] * 1001}), "1 to 1,000 prompts"),
        ('{"ox": ["x"], "OX": ["y"]}', "expected each class once; got 'OX' twice"),
        ('{"oxen": ["x"]}', "Unknown class in p.json 'ox'; did you mean 'oxen'?"),
        ('{"ox": ["x"', "p.json"),
    ],
)
def test_an_invalid_list_of_prompts_is_refused_in_one_sentence(tmp_path, text, why):
    with pytest.raises(ZSLError, match=why) as refused:
        read_prompts(write_file(tmp_path / "p.json", text), ["ox"])
    assert "\n" not in str(refused.value)


def test_provenance_has_everything_that_determines_the_features(images, tmp_path):
    result = extract(images, stub(versions={"torch": "2"}), tmp_path / "f.npz", crops=10)
    text = "; ".join(result.provenance)
    assert text.startswith("encoder colours; weights none; SHA-256 0000")
    assert "shorter side 40, bilinear, mean over 10 crops of 32" in text
    assert "torch 2" in text
    assert json.dumps(text)


def test_one_folder_per_part_becomes_the_split(tmp_path):
    root = tmp_path / "tree"
    write_folder(root / "train", classes=CLASSES[:3])
    write_folder(root / "test", per_class=2)
    (root / "test" / CLASSES[0] / "0.png").write_bytes(b"no image")
    images = images_of_folder(root)
    assert images.class_names == CLASSES
    result = extract(images, stub(), tmp_path / "x.npz", on_bad="skip", prototypes=np.eye(4))
    assert [*result.skipped] == [f"test/{CLASSES[0]}/0.png"]
    data = read_table(tmp_path / "x.npz", name="x")
    split = data.split("own")
    assert (len(split.trainval), len(split.test_seen), len(split.test_unseen)) == (9, 5, 2)
    np.testing.assert_array_equal(split.unseen_classes, [3])
    names = np.array(data.image_files)
    assert all(name.startswith("train/") for name in names[split.trainval])
    assert {name.split("/")[1] for name in names[split.test_unseen]} == {CLASSES[3]}
    write_folder(root / "train", classes=CLASSES[3:])  # no class is left for testing
    assert not images_of_folder(root).parts
