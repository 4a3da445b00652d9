"""Networks of torchvision: features, weights, and their pre-training sets."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from tests.extraction.making import write_folder
from zslcore.exceptions import FileRefusedError, ParameterError, UnknownNameError, ZSLError
from zslcore.extraction.encoders import load_encoder, torchvision
from zslcore.extraction.extracting import extract
from zslcore.extraction.images import Preset, images_of_folder, read_image

SMALL = Preset(resize=40, crop=32)


@pytest.fixture(scope="module")
def library():
    try:
        return torchvision()
    except ZSLError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def encoder(library):
    return replace(load_encoder("resnet18", "random"), preset=SMALL)


@pytest.fixture
def images(tmp_path):
    return images_of_folder(write_folder(tmp_path / "images", per_class=2))


def own_features(library, x):
    """Features from torchvision's own extractor of inner layers, with weights of the same seed."""
    import torch
    from torchvision.models.feature_extraction import create_feature_extractor

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = library.models.resnet18(weights=None).eval()
    extractor = create_feature_extractor(model, ["flatten"])
    with torch.inference_mode():
        return extractor(x)["flatten"].numpy()


@pytest.mark.nightly
@pytest.mark.parametrize("crops", [1, 10])
def test_features_equal_the_forward_pass_of_torchvision(crops, library, encoder, images, tmp_path):
    import torch
    from PIL import Image

    T = library.transforms
    cut = T.CenterCrop(32) if crops == 1 else T.TenCrop(32)
    normal = T.Normalize(SMALL.mean, SMALL.std)
    own = []
    for file in images.files:
        with Image.open(images.root / file) as image:
            result = cut(T.Resize(40)(image.convert("RGB")))
        views = torch.stack(
            [normal(T.ToTensor()(view)) for view in (result if crops == 10 else [result])]
        )
        own.append(own_features(library, views).mean(axis=0))
    result = extract(images, encoder, tmp_path / "f.npz", crops=crops, batch=3)
    with np.load(result.output) as archive:
        np.testing.assert_allclose(archive["features"], own, rtol=1e-5, atol=1e-5)


@pytest.mark.nightly
def test_weights_from_a_file_are_identified_and_fill_the_network(library, encoder, tmp_path):
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        # The network was fine-tuned on five classes.
        model = library.models.resnet18(weights=None, num_classes=5)
    path = tmp_path / "mine.pth"
    torch.save({"state_dict": {f"module.{k}": v for k, v in model.state_dict().items()}}, path)
    changed = replace(load_encoder("resnet18", path, trained_on=["kinetics-400"]), preset=SMALL)
    assert changed.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert changed.weights == "mine.pth"
    assert changed.pretraining == ("kinetics-400",)
    assert load_encoder("resnet18", path).pretraining == ()  # the pre-training set is unknown
    crops = np.random.default_rng(0).integers(0, 256, (2, 32, 32, 3), dtype=np.uint8)
    model.fc = torch.nn.Identity()
    with torch.inference_mode():
        own = model.eval()(SMALL.standardised(crops)).numpy()
    np.testing.assert_allclose(changed.encode(crops, 2), own, rtol=1e-5, atol=1e-6)
    assert not np.allclose(encoder.encode(crops, 2), own, atol=1e-3)


def test_random_weights_depend_only_on_the_seed(library, encoder):
    import torch

    state = torch.random.get_rng_state()
    assert encoder.pretraining == ("none",)
    again = load_encoder("resnet18", "random")
    assert again.sha256 == encoder.sha256 != load_encoder("resnet18", "random", seed=1).sha256
    assert torch.equal(torch.random.get_rng_state(), state)


def test_pretraining_and_preprocessing_of_weights(library):
    from zslcore.extraction.encoders import _preset_of, _pretraining_of

    models = library.models
    v1, v2 = (models.ResNet101_Weights[name] for name in ("IMAGENET1K_V1", "IMAGENET1K_V2"))
    assert _pretraining_of(v1) == ("imagenet-1k",)
    assert (_preset_of(v1).resize, _preset_of(v2).resize) == (256, 232)
    # These weights were first trained on billions of captioned photographs.
    assert _pretraining_of(models.ViT_B_16_Weights.IMAGENET1K_SWAG_E2E_V1) == ()


def test_missing_weights_are_refused_with_file_and_folder(library, tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    with pytest.raises(FileRefusedError, match="save https://download.pytorch.org/models/resnet18"):
        load_encoder("resnet18")
    folder = tmp_path / "hub" / "checkpoints"
    folder.mkdir(parents=True)
    (folder / "resnet18-f37072fd.pth").write_bytes(b"torn")
    with pytest.raises(
        FileRefusedError, match="begin with the digits in the name of the file; got "
    ):
        load_encoder("resnet18", "IMAGENET1K_V1")


@pytest.mark.parametrize(
    ("words", "error", "sentence"),
    [
        ({"name": "resnet11"}, UnknownNameError, "did you mean 'resnet1"),
        ({"weights": "IMAGENET_V1"}, FileRefusedError, "'random' or one of IMAGENET1K_V1; found"),
        ({"device": "abacus"}, ZSLError, "expected a device of this machine; got 'abacus'"),
        ({"name": "squeezenet1_0"}, ParameterError, "expected a network that ends in a linear"),
        ({"trained_on": ["imagenet"]}, UnknownNameError, "did you mean 'imagenet-1k'"),
    ],
)
def test_an_unknown_encoder_is_refused_in_one_sentence(words, error, sentence, library):
    with pytest.raises(error) as raised:
        load_encoder(**({"name": "resnet18", "weights": "random"} | words))
    assert sentence in str(raised.value)


def test_a_file_without_weights_is_refused(library, tmp_path):
    path = tmp_path / "x.pth"
    path.write_bytes(b"\x80\x04cos\nsystem\n")
    with pytest.raises(FileRefusedError, match=r"^x\.pth: expected the weights of resnet18"):
        load_encoder("resnet18", path)


def test_a_model_without_its_library_is_refused_in_one_sentence(library):
    pytest.importorskip("torch")
    try:
        import open_clip  # noqa: F401
    except ImportError:
        with pytest.raises(ZSLError, match=r"needs open_clip.*install .*\[clip\]'"):
            load_encoder("open_clip:ViT-B-32", "random")
    else:
        with pytest.raises(UnknownNameError, match="did you mean 'ViT-B-32'"):
            load_encoder("open_clip:ViT-B-33", "random")


def test_an_image_of_one_colour_has_finite_features(library, encoder, tmp_path):
    from PIL import Image

    Image.new("RGB", (50, 50)).save(tmp_path / "black.png")
    pixels = read_image(tmp_path / "black.png", 40).pixels
    assert np.isfinite(encoder.encode(pixels[None, 4:36, 4:36], 1)).all()
