"""An encoder, and torchvision imported so that it works without its compiled operators."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from zslcore.exceptions import ZSLError
from zslcore.extraction.crops import Preset
from zslcore.storage.extras import extra
from zslcore.texts import clean_text

if TYPE_CHECKING:
    from torch import Tensor, nn


#: Weights that nothing was learned with: a baseline that knows no class.
RANDOM = "random"


@dataclass(frozen=True, eq=False)
class Encoder:
    """A network that turns crops of images into features.

    Attributes
    ----------
    name : of the network
    forward : float32 tensor of shape (n, 3, crop, crop) -> tensor of shape (n, n_features)
    preset : what it expects of its pictures
    weights : what they are called
    sha256 : of the file of weights, or of their values where there is no file; 64 hex digits
    pretraining : names of :data:`zslcore.leakage.vocabularies.VOCABULARY_NAMES`;
        empty where the classes it was trained on are unknown
    device : of torch
    versions : of what computes
    texts : sentences -> array of shape (n, n_features) in the space of the images; None without one
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
        """Return the features of crops, ``batch`` of them at a time.

        Parameters
        ----------
        crops : uint8 array of shape (n, crop, crop, 3)
        batch : int

        Returns
        -------
        float32 array of shape (n, n_features)
        """
        import torch

        found = []
        with torch.inference_mode():
            for start in range(0, len(crops), batch):
                x = self.preset.standardised(crops[start : start + batch])
                found.append(self.forward(x.to(self.device)).float().cpu().numpy())
        return np.concatenate(found)


def _device(device: str) -> str:
    import torch

    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError):
        raise ZSLError(f"--device: expected a device of this machine; got {device!r}.") from None
    return device


def torchvision() -> ModuleType:
    """Return torchvision.

    Raises
    ------
    ZSLError
        Where it is not installed, or does not fit the torch that is.
    """
    try:
        with extra("extract", "torchvision", "An encoder of torchvision"):
            import torchvision
    except RuntimeError:
        return _with_operators_declared()
    return torchvision


def _with_operators_declared() -> ModuleType:
    """Import a torchvision whose compiled part does not load.

    A build with CUDA next to a torch without it fails on the operators of that part,
    which are about detecting boxes: no encoder has one. Declared, they are there to be stumbled
    no others, and raise by themselves when called.
    """
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
            f"torchvision does not fit torch {torch.__version__}: install both from one index "
            f"({clean_text(str(error), 80)})."
        ) from None
    return torchvision


#: Declarations hold as long as they are referenced.
_DECLARED: list[Any] = []


def _digest(model: nn.Module) -> str:
    """Return the SHA-256 over the values of a network, in the order of their names."""
    sha = hashlib.sha256()
    for key, value in sorted(model.state_dict().items()):
        sha.update(f"{key} {tuple(value.shape)}\n".encode())
        sha.update(value.contiguous().numpy().tobytes())
    return sha.hexdigest()
