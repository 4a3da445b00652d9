"""Encoders of open_clip: with the library if it is installed, otherwise with a substitute."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from zslcore.exceptions import FileRefusedError, UnknownNameError, ZSLError
from zslcore.extraction.encoders import load_encoder, prototypes_of_texts, torchvision


@pytest.fixture
def model(monkeypatch):
    """A module with the used parts of open_clip, and a network of a few numbers."""
    import torch

    try:
        torchvision()
    except ZSLError as error:
        pytest.skip(str(error))

    class Small(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.visual = torch.nn.Conv2d(3, 4, 8)
            self.visual.image_size = (16, 16)
            self.words = torch.nn.Embedding(128, 4)

        def encode_image(self, x):
            return self.visual(x).mean(dim=(2, 3))

        def encode_text(self, tokens):
            return self.words(tokens).mean(dim=1)

    def create_model(name, pretrained):
        result = Small()
        if pretrained:
            result.load_state_dict(torch.load(pretrained, weights_only=True))
        return result

    library = ModuleType("open_clip")
    library.__version__ = "3"
    library.list_models = lambda: ["ViT-B-32", "RN50"]
    library.create_model = create_model
    library.OPENAI_DATASET_MEAN, library.OPENAI_DATASET_STD = (0.5,) * 3, (0.25,) * 3
    library.get_tokenizer = lambda _: (
        lambda sentences: torch.tensor(
            [[ord(c) % 128 for c in sentence[:12].ljust(12)] for sentence in sentences]
        )
    )
    monkeypatch.setitem(sys.modules, "open_clip", library)
    return SimpleNamespace(Small=Small)


@pytest.mark.nightly
def test_images_and_texts_are_encoded_in_one_space(model, tmp_path):
    import torch

    own = model.Small().eval()
    torch.save(own.state_dict(), tmp_path / "clip.pt")
    encoder = load_encoder("open_clip:ViT-B-32", tmp_path / "clip.pt")
    assert encoder.pretraining == ()  # captions of the web have no list of classes
    assert (encoder.preset.resize, encoder.preset.interpolation) == (16, "bicubic")
    crops = np.random.default_rng(0).integers(0, 256, (2, 16, 16, 3), dtype=np.uint8)
    with torch.inference_mode():
        expected = own.encode_image(
            torch.tensor(crops).permute(0, 3, 1, 2) / 255 / 0.25 - 2
        ).numpy()
    np.testing.assert_allclose(encoder.encode(crops, 2), expected, atol=1e-5)
    result = prototypes_of_texts(encoder, ["ox", "seal"], ["{}"])
    assert result.shape == (2, 4)
    np.testing.assert_allclose(np.linalg.norm(result, axis=1), 1, atol=1e-6)


def test_random_open_clip_weights_depend_only_on_the_seed(model):
    first, again, other = (
        load_encoder("open_clip:RN50", "random", seed=seed) for seed in (0, 0, 1)
    )
    assert first.pretraining == ("none",)
    assert first.sha256 == again.sha256 != other.sha256


def test_the_digest_is_the_same_on_every_device(model):
    here, elsewhere = (
        load_encoder("open_clip:RN50", "random", device=device) for device in ("cpu", "meta")
    )
    assert elsewhere.sha256 == here.sha256
    assert {parameter.device.type for parameter in elsewhere.forward.__self__.parameters()} == {
        "meta"
    }


def test_unknown_models_and_missing_weights_are_refused_in_one_sentence(model, tmp_path):
    with pytest.raises(UnknownNameError, match="did you mean 'ViT-B-32'"):
        load_encoder("open_clip:ViT-B-33", "random")
    with pytest.raises(FileRefusedError, match="expected a file of its weights"):
        load_encoder("open_clip:RN50")
    (tmp_path / "x.pt").write_bytes(b"nothing")
    with pytest.raises(FileRefusedError, match=r"^x\.pt: expected the weights of RN50"):
        load_encoder("open_clip:RN50", tmp_path / "x.pt")
