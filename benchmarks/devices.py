"""Neural and ranking methods and encoders on CUDA, compared with the processor in the same run.

    python -m benchmarks.devices

Random data of the size of AWA2 (23,527 x 2,048 training rows, 85 attributes, 40 classes), with 10
unseen classes to predict, and with enough noise that no fit is perfect. For each method with a
parameter ``device``: seconds per fit on each device, their ratio, and the share of test images with
the same predicted class on both devices. For each encoder, with random weights: seconds for 256
random crops, their ratio, and the largest difference of the features.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import torch

from benchmarks.measuring import report, seconds
from benchmarks.sgd_epoch import SIZES, make
from zslcore.extraction.encoders import load_encoder
from zslcore.features import l2_rows
from zslcore.methods import METHODS

EPOCHS, UNSEEN, TEST_ROWS, NOISE = 5, 10, 5_000, 12.0
ENCODERS, CROPS, BATCH = ("resnet101", "open_clip:RN50", "open_clip:ViT-B-32"), 256, 32


def main() -> None:
    """Fit each method and run each encoder on both devices."""
    if not torch.cuda.is_available():
        sys.exit("benchmarks.devices: needs a CUDA device; torch.cuda.is_available() is False.")
    print(torch.cuda.get_device_name(0), f"PyTorch {torch.__version__}")
    _methods()
    for name in ENCODERS:
        _encoder(name)


def _encoder(name: str) -> None:
    features, times = {}, {}
    for device in ("cuda", "cpu"):
        encoder = load_encoder(name, "random", device=device)
        shape = (CROPS, encoder.preset.crop, encoder.preset.crop, 3)
        crops = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
        encoder.encode(crops[:BATCH], BATCH)
        times[device] = seconds(lambda e=encoder, c=crops: e.encode(c, BATCH))
        features[device] = encoder.encode(crops, BATCH)
    report(f"{name}, {CROPS} crops", times["cuda"], times["cpu"], 1)
    furthest = np.abs(features["cuda"] - features["cpu"]).max() / np.abs(features["cpu"]).max()
    print(f"  largest difference of features {furthest:.1e} (relative)")


def _methods() -> None:
    n, n_features, n_attributes, n_classes = SIZES["AWA2"]
    X, y, S = make(n + TEST_ROWS, n_features, n_attributes, n_classes + UNSEEN)
    noise = np.random.default_rng(1).standard_normal(X.shape, dtype=np.float32)
    X = l2_rows(X + NOISE / np.sqrt(n_features) * noise).astype(np.float32)
    train = np.flatnonzero(y < n_classes)
    test = np.flatnonzero(y >= n_classes)[:TEST_ROWS]
    X_train, y_train, X_test = X[train], y[train], X[test]
    for name, method in METHODS.items():
        parameters = method().get_params()
        if "device" not in parameters:
            continue
        options = {"epochs": EPOCHS} if "epochs" in parameters else {}
        scores, times = {}, {}
        for device in ("cuda", "cpu"):
            method(device=device, **options).fit(X_train[:500], y_train[:500], S[:n_classes])
            model = method(device=device, **options)
            times[device] = seconds(lambda m=model: m.fit(X_train, y_train, S[:n_classes]))
            scores[device] = model.decision_function(X_test, S)
        report(f"{name}, {options or 'defaults'}", times["cuda"], times["cpu"], 1)
        same = np.mean(scores["cuda"].argmax(1) == scores["cpu"].argmax(1))
        furthest = np.abs(scores["cuda"] - scores["cpu"]).max() / np.abs(scores["cpu"]).max()
        right = {
            d: np.mean(s[:, n_classes:].argmax(1) + n_classes == y[test]) for d, s in scores.items()
        }
        print(
            f"  same prediction {same:.2%}, largest difference of scores {furthest:.1e} (relative)"
        )
        print(f"  ZSL accuracy {right['cuda']:.2%} on CUDA, {right['cpu']:.2%} on the processor")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    main()
