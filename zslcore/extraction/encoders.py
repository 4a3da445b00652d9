r"""Encoders of images and sentences, loaded by name, with their pre-training sets.

A network of torchvision returns the output of its second-to-last layer: the classification layer is
removed. Weights are read from a file or from the cache of torch.hub, or drawn with a seed; nothing
is downloaded. The features are stored with the name of the encoder, the SHA-256 of its weights, the
versions of the libraries and the pre-training set, which the audit compares with the test classes.

An image-text encoder :math:`\psi` also computes prototypes. From templates :math:`t_1 ... t_n`,
such as "a photo of a {}.", the prototype of class c is

.. math::
    s_c = \frac{1}{n} \sum_{i=1}^{n} \frac{\psi(t_i(c))}{\lVert \psi(t_i(c)) \rVert}

Classes may instead have individual prompts, :math:`n_c` sentences in place of :math:`t_i(c)`.

References
----------
A. Radford et al., "Learning transferable visual models from natural language supervision", ICML
2021 (ensembles of templates).
S. Pratt, I. Covert, R. Liu, A. Farhadi, "What does a platypus look like? Generating customized
prompts for zero-shot image classification", ICCV 2023 (prompts of each class).
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from zslcore.exceptions import (
    FileRefusedError,
    ParameterError,
    ZSLError,
    closest_name,
    require_known,
)
from zslcore.extraction.images import Preset
from zslcore.leakage.vocabularies import PRETRAINING_NAMES
from zslcore.names import class_key, spaced_name
from zslcore.storage import artifacts
from zslcore.storage.extras import extra
from zslcore.texts import clean_text, expect
from zslcore.untrusted.client import read_value

if TYPE_CHECKING:
    from torch import Tensor, nn

OPEN_CLIP = "open_clip:"
#: Name of untrained weights: a baseline without a pre-training set.
RANDOM = "random"
#: Prefixes of the names of weights that were pre-trained on billions of captioned photographs; no
#: list of their classes exists.
WEB_SCALE = ("IMAGENET1K_SWAG",)


@dataclass(frozen=True, eq=False)
class Encoder:
    """Network that turns crops of images into features.

    Attributes
    ----------
    forward : float32 tensor of shape (n, 3, crop, crop) -> tensor of shape (n, n_features)
    preset : preprocessing of images
    weights : name of the weights
    sha256 : SHA-256 of the file of weights or, without a file, of the values of the weights; 64 hex
        digits
    pretraining : names of :data:`zslcore.leakage.vocabularies.VOCABULARY_NAMES`;
        empty if the pre-training classes are unknown
    device : torch device
    versions : versions of the libraries
    texts : function from sentences to an array (n, n_features) in image space; None without a text
        encoder
    """

    name: str
    forward: Callable[[Tensor], Tensor]
    preset: Preset
    weights: str
    sha256: str
    pretraining: tuple[str, ...] = ()
    device: str = "cpu"
    versions: dict[str, str] = field(default_factory=dict)
    texts: Callable[[Sequence[str]], np.ndarray] | None = None

    def encode(self, crops: np.ndarray, batch: int) -> np.ndarray:
        """Return the features of crops, computed ``batch`` crops at a time.

        ``crops`` is uint8 of shape (n, crop, crop, 3); features are float32 of shape (n,
        n_features).
        """
        import torch

        blocks = []
        with torch.inference_mode():
            for start in range(0, len(crops), batch):
                x = self.preset.standardised(crops[start : start + batch])
                blocks.append(self.forward(x.to(self.device)).float().cpu().numpy())
        return np.concatenate(blocks)


def _device(device: str) -> str:
    import torch

    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError):
        raise ZSLError(f"--device: expected a device of this machine; got {device!r}.") from None
    return device


def torchvision() -> ModuleType:
    """Return torchvision; raise ZSLError if it is missing or does not fit torch."""
    try:
        with extra("extract", "torchvision", "A torchvision encoder"):
            import torchvision
    except RuntimeError:
        return _import_with_declared_operators()
    return torchvision


def _import_with_declared_operators() -> ModuleType:
    """Import torchvision even if its compiled part, needed only for boxes, does not load."""
    import torch

    for module in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
        del sys.modules[module]
    boxes = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
    _DECLARED.append(torch.library.Library("torchvision", "FRAGMENT"))
    for operator in ("nms", "qnms"):
        _DECLARED[-1].define(f"{operator}{boxes}")
    try:
        import torchvision
    except RuntimeError as error:
        raise ZSLError(
            f"torchvision is not compatible with torch {torch.__version__}: install both from the "
            f"same index ({clean_text(str(error), 80)})."
        ) from None
    return torchvision


#: Declarations are valid only while they are referenced.
_DECLARED: list[Any] = []


def _digest(model: nn.Module) -> str:
    """Return the SHA-256 of a network's values in the order of their names."""
    sha = hashlib.sha256()
    for key, value in sorted(model.state_dict().items()):
        sha.update(f"{key} {tuple(value.shape)}\n".encode())
        sha.update(value.contiguous().numpy().tobytes())
    return sha.hexdigest()


# --- By name --------------------------------------------------------------------------------------


def load_encoder(
    name: str,
    weights: str | Path | None = None,
    *,
    device: str = "cpu",
    seed: int = 0,
    trained_on: Sequence[str] = (),
) -> Encoder:
    """Return an encoder by name.

    Parameters
    ----------
    name : network of torchvision, such as ``resnet101``, or ``open_clip:`` and a model of open_clip
    weights : a file, the name of torchvision weights in the cache of torch.hub (by default the
        first weights of the network), or "random"
    seed : seed of random weights
    trained_on : pre-training sets of the network, if its weights do not state them

    Raises
    ------
    UnknownNameError
        For an unknown network, weights or vocabulary; the message suggests the nearest name.
    FileRefusedError
        When the weights are those of another network, or are missing; for missing weights, the
        message states the expected path.
    ZSLError
        When the library of the network is not installed, or the device is missing.
    """
    for vocabulary in trained_on:
        require_known("pre-training vocabulary", vocabulary, PRETRAINING_NAMES)
    if name.startswith(OPEN_CLIP):
        encoder = _open_clip_encoder(name.removeprefix(OPEN_CLIP), weights, _device(device), seed)
    else:
        encoder = _torchvision_encoder(name, weights, _device(device), seed)
    return replace(encoder, pretraining=tuple(trained_on)) if trained_on else encoder


# --- torchvision ----------------------------------------------------------------------------------


def _torchvision_encoder(name: str, weights: str | Path | None, device: str, seed: int) -> Encoder:
    import torch

    library = torchvision()
    names = library.models.list_models(module=library.models)
    require_known("encoder", name, names)
    all_weights = library.models.get_model_weights(name)
    model = _build(library, name, seed)
    head = _remove_classifier(model, name)
    if weights == RANDOM:
        entry, weights_name, sha256 = None, f"random, seed {seed}", _digest(model)
    else:
        file, entry = _file_of(name, weights, all_weights)
        file_name, sha256 = clean_text(file.name), artifacts.sha256(file)
        if entry is not None and not _is_file_of(entry, sha256):
            raise FileRefusedError(
                f"{file_name}: expected the SHA-256 to begin with the digits in the name of the "
                f"file; got {sha256[:8]}; the file is damaged or is not the published one."
            )
        weights_name = entry.name if entry else file_name
        entry = entry or next((w for w in all_weights if _is_file_of(w, sha256)), None)
        _load_weights(model, head, file, name)
    return Encoder(
        name=name,
        forward=model.eval().to(device),
        preset=_preset_of(entry),
        weights=weights_name,
        sha256=sha256,
        pretraining=("none",) if weights == RANDOM else _pretraining_of(entry),
        device=device,
        versions={"torchvision": library.__version__, "torch": str(torch.__version__)},
    )


def _build(library: ModuleType, name: str, seed: int) -> nn.Module:
    """Build a network with weights drawn from a seed, without changing the random state."""
    import torch

    # Avoid a warning on the random auxiliary classifiers of these networks.
    options = {"init_weights": True} if name in ("googlenet", "inception_v3") else {}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model: nn.Module = library.models.get_model(name, weights=None, **options)
    return model


def _remove_classifier(model: nn.Module, name: str) -> str:
    """Replace the classification layer by the identity; return its name."""
    from torch import nn

    last = [path for path, module in model.named_modules() if isinstance(module, nn.Linear)]
    if not last:
        raise ParameterError(
            f"{name}: expected a network that ends in a linear layer; got one that does not."
        )
    where, _, attribute = last[-1].rpartition(".")
    setattr(model.get_submodule(where), attribute, nn.Identity())
    return last[-1]


def _file_of(name: str, weights: str | Path | None, all_weights: Any) -> tuple[Path, Any]:
    """Return the weights file and its entry in torchvision; the entry is None for other files."""
    import torch

    if weights is not None and str(weights) not in all_weights.__members__:
        file = Path(weights)
        if not file.is_file():
            raise FileRefusedError(
                f"{clean_text(file)}: expected a weights file, {RANDOM!r} or one of "
                f"{', '.join(member.name for member in all_weights)}; found no such file."
            )
        return file, None
    entry = all_weights[str(weights)] if weights is not None else next(iter(all_weights))
    file = Path(torch.hub.get_dir()) / "checkpoints" / str(entry.url).rpartition("/")[2]
    if not file.is_file():
        raise FileRefusedError(
            f"{name}: expected its weights {entry.name} in {file}; save {entry.url} there, or give "
            "a weights file (--weights)."
        )
    return file, entry


def _is_file_of(entry: Any, sha256: str) -> bool:
    """Whether the name of torchvision's file ends with the first digits of this SHA-256."""
    return str(entry.url).removesuffix(".pth").endswith(f"-{sha256[:8]}")


def _load_weights(model: nn.Module, head: str, file: Path, name: str) -> None:
    """Load the weights from a file, except those of the classification layer."""
    import torch

    try:
        # Only tensors are read, since a file of weights could contain code.
        values = torch.load(file, map_location="cpu", weights_only=True)
        values = values.get("state_dict", values)
        values = {key.removeprefix("module."): value for key, value in values.items()}
        values = {k: v for k, v in values.items() if not k.startswith(f"{head}.")}
        model.load_state_dict(values)
    except Exception as error:  # noqa: BLE001 - a wrong file can raise any exception
        cause = clean_text(str(error), 120)
        raise FileRefusedError(
            f"{clean_text(file.name)}: expected the weights of {name}; got other weights, or "
            f"no weights ({cause})."
        ) from None


def _preset_of(entry: Any) -> Preset:
    """Return the preprocessing of the weights; the most common one if unknown."""
    if entry is None:
        return Preset()
    transforms = entry.transforms()
    return Preset(
        resize=int(transforms.resize_size[0]),
        crop=int(transforms.crop_size[0]),
        interpolation=transforms.interpolation.value,
        mean=tuple(transforms.mean),
        std=tuple(transforms.std),
    )


def _pretraining_of(entry: Any) -> tuple[str, ...]:
    if entry is None or entry.name.startswith(WEB_SCALE):
        return ()
    return ("imagenet-1k",) if len(entry.meta.get("categories", ())) == 1000 else ()


# --- open_clip ------------------------------------------------------------------------------------


def _open_clip_encoder(name: str, weights: str | Path | None, device: str, seed: int) -> Encoder:
    """Return an encoder of open_clip; captions list no classes, so its pre-training is unknown."""
    import torch

    library = _open_clip()
    models = library.list_models()
    require_known("open_clip model", name, models)
    weights_name, sha256, pretrained = f"random, seed {seed}", "", None
    if weights != RANDOM:
        if weights is None or not Path(weights).is_file():
            raise FileRefusedError(
                f"open_clip:{name}: expected a file of its weights (--weights), or 'random'; found "
                "none."
            )
        weights_name, sha256 = clean_text(Path(weights).name), artifacts.sha256(Path(weights))
        pretrained = str(weights)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        try:
            model = library.create_model(name, pretrained=pretrained)
        except Exception as error:  # noqa: BLE001 - a wrong file can raise any exception
            cause = clean_text(str(error), 120)
            raise FileRefusedError(
                f"{weights_name}: expected the weights of {name} ({cause})."
            ) from None
    sha256 = sha256 or _digest(model)
    model = model.eval().to(device)
    return Encoder(
        name=f"open_clip:{name}",
        forward=model.encode_image,
        preset=_preset_of_open_clip(library, model),
        weights=weights_name,
        sha256=sha256,
        pretraining=() if pretrained else ("none",),
        device=device,
        versions={"open_clip": library.__version__, "torch": str(torch.__version__)},
        texts=lambda sentences: _encode_texts(
            model, library.get_tokenizer(name), sentences, device
        ),
    )


def _open_clip() -> Any:
    torchvision()  # open_clip imports torchvision, which may need its operators declared
    with extra("clip", "open_clip", "An open_clip encoder"):
        import open_clip
    return open_clip


def _preset_of_open_clip(library: Any, model: Any) -> Preset:
    size = model.visual.image_size
    size = size if isinstance(size, int) else size[0]
    mean = getattr(model.visual, "image_mean", None) or library.OPENAI_DATASET_MEAN
    std = getattr(model.visual, "image_std", None) or library.OPENAI_DATASET_STD
    return Preset(size, size, "bicubic", tuple(mean), tuple(std))


def _encode_texts(model: Any, tokenize: Any, sentences: Sequence[str], device: str) -> np.ndarray:
    import torch

    with torch.inference_mode():
        tokens = tokenize(list(sentences)).to(device)
        return np.asarray(model.encode_text(tokens).float().cpu())


TEMPLATES = ("a photo of a {}.",)
#: Limits of a file of prompts: bytes, values, prompts per class, and characters per prompt.
MAX_BYTES, MAX_VALUES, MAX_PROMPTS, MAX_CHARACTERS = 64 << 20, 1 << 20, 1_000, 2_000


def prototypes_of_texts(
    encoder: Encoder, class_names: Sequence[str], templates: Sequence[str] = TEMPLATES
) -> np.ndarray:
    """Return one prototype per class, float32 (n_classes, n_features), in image space.

    ``class_names`` are names as in data sets: "blue+whale" is read as "blue whale"; ``templates``
    are sentences with one "{}" for the name. Raises a ParameterError if the encoder cannot encode
    text, or a template has no "{}".
    """
    texts = _require_texts(encoder)
    for template in templates:
        if template.count("{}") != 1:
            raise ParameterError(
                f"A template needs one {{}} for the name of the class; got {template!r}."
            )
    if not templates:
        raise ParameterError("Text prototypes need at least one template; got none.")
    names = [spaced_name(name) for name in class_names]
    total = np.zeros((0, 0))
    for template in templates:
        t = texts([template.replace("{}", name) for name in names])
        t = t / np.linalg.norm(t, axis=1, keepdims=True)
        total = t if not total.size else total + t
    return (total / len(templates)).astype(np.float32)


def read_prompts(path: Path, class_names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Read the prompts of each class from a JSON file, ``{"class": ["prompt", ...]}``.

    Names match regardless of spelling; classes that are not in ``class_names`` are left out. Raises
    a FileRefusedError for a file in another format or too large, and an UnknownNameError, with the
    nearest name, for a class without prompts.
    """
    value = read_value(path, "JSON", max_bytes=MAX_BYTES, max_items=MAX_VALUES)
    has_prompts = isinstance(value, dict) and value
    expect(has_prompts, path, '{"class": ["prompt", ...]}', "other JSON")
    prompts_by_key: dict[str, tuple[str, ...]] = {}
    for name, prompts in value.items():
        is_new = class_key(name) not in prompts_by_key
        expect(is_new, path, "each class once", f"{clean_text(name, 60)!r} twice")
        prompts_by_key[class_key(name)] = _checked_prompts(path, name, prompts)
    for name in class_names:
        if class_key(name) not in prompts_by_key:
            raise closest_name(f"class in {clean_text(path.name)}", name, list(value))
    return tuple(prompts_by_key[class_key(name)] for name in class_names)


def _checked_prompts(path: Path, name: str, prompts: Any) -> tuple[str, ...]:
    """Return the prompts of a class; refuse anything but a list of sentences."""
    is_list = isinstance(prompts, list) and 0 < len(prompts) <= MAX_PROMPTS
    if not is_list or not all(
        isinstance(prompt, str) and 0 < len(prompt.strip()) <= MAX_CHARACTERS for prompt in prompts
    ):
        raise FileRefusedError(
            f"{clean_text(path.name)}, {clean_text(name, 60)!r}: expected a list of 1 to "
            f"{MAX_PROMPTS:,} prompts of up to {MAX_CHARACTERS:,} characters."
        )
    return tuple(prompt.strip() for prompt in prompts)


def prototypes_of_prompts(encoder: Encoder, prompts: Sequence[Sequence[str]]) -> np.ndarray:
    """Return one prototype per class, in image space, from its prompts (at least one).

    The shape is (n_classes, n_features), float32. Raises a ParameterError if the encoder cannot
    encode text.
    """
    texts = _require_texts(encoder)
    encoded = (np.asarray(texts(list(sentences))) for sentences in prompts)
    means = [(t / np.linalg.norm(t, axis=1, keepdims=True)).mean(axis=0) for t in encoded]
    return np.asarray(means, dtype=np.float32)


def _require_texts(encoder: Encoder) -> Callable[[list[str]], np.ndarray]:
    if encoder.texts is None:
        raise ParameterError(
            f"{encoder.name}: expected a text encoder; this one reads images only."
        )
    return encoder.texts
