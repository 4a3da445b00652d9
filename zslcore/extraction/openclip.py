"""Encoders of open_clip: images and sentences in one space, learned from captions of the web."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zslcore.exceptions import FileRefusedError, closest_name
from zslcore.extraction import encoder
from zslcore.extraction.crops import Preset
from zslcore.storage import artifacts
from zslcore.storage.extras import extra
from zslcore.texts import clean_text

if TYPE_CHECKING:
    from zslcore.extraction.encoder import Encoder


def load(name: str, weights: str | Path | None, device: str, seed: int) -> Encoder:
    """Return an encoder of open_clip; see :func:`zslcore.extraction.encoders.load_encoder`.

    What such an encoder was trained on is *web-scale*: captions by the million or billion, of which
    the classes are not listed. Its vocabulary is reported as unknown.
    """
    import torch

    library = _library()
    models = library.list_models()
    if name not in models:
        raise closest_name("model of open_clip", name, models)
    called, sha256, pretrained = f"random, seed {seed}", "", None
    if weights != encoder.RANDOM:
        if weights is None or not Path(weights).is_file():
            raise FileRefusedError(
                f"open_clip:{name}: expected a file of its weights (--weights), or 'random'; found "
                "none."
            )
        called, sha256 = clean_text(Path(weights).name), artifacts.sha256(Path(weights))
        pretrained = str(weights)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        try:
            model = library.create_model(name, pretrained=pretrained, device=device)
        except Exception as error:  # noqa: BLE001 - what is no such file raises anything
            said = clean_text(str(error), 120)
            raise FileRefusedError(f"{called}: expected the weights of {name} ({said}).") from None
    model = model.eval()
    return encoder.Encoder(
        name=f"open_clip:{name}",
        forward=model.encode_image,
        preset=_preset(library, model),
        weights=called,
        sha256=sha256 or encoder._digest(model),
        pretraining=() if pretrained else ("none",),
        device=device,
        versions={"open_clip": library.__version__, "torch": str(torch.__version__)},
        texts=lambda sentences: _encoded(model, library.get_tokenizer(name), sentences, device),
    )


def _library() -> Any:
    encoder.torchvision()  # which open_clip imports, and which may need help
    with extra("clip", "open_clip", "An encoder of open_clip"):
        import open_clip
    return open_clip


def _preset(library: Any, model: Any) -> Preset:
    size = model.visual.image_size
    size = size if isinstance(size, int) else size[0]
    mean = getattr(model.visual, "image_mean", None) or library.OPENAI_DATASET_MEAN
    std = getattr(model.visual, "image_std", None) or library.OPENAI_DATASET_STD
    return Preset(size, size, "bicubic", tuple(mean), tuple(std))


def _encoded(model: Any, tokenize: Any, sentences: Sequence[str], device: str) -> np.ndarray:
    import torch

    with torch.inference_mode():
        tokens = tokenize(list(sentences)).to(device)
        return np.asarray(model.encode_text(tokens).float().cpu())
