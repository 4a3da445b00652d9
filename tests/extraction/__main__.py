"""Campaigns too long for the suite: ``python -m tests.extraction same|killed|spoiled [N]``.

========  ==========================================================================================
same      N (2,000) images through resnet101 with the weights of a seed, one crop and ten, against
          torchvision's own transforms and its own way to inner layers; crops of 32 pixels
killed    an extraction by the command is killed N (20) times at random moments, then finished; its
          features are those of one that nobody has killed
spoiled   N (500) spoiled images through readers of their own: read, or refused in a sentence
========  ==========================================================================================
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from tests.extraction.making import CLASSES, honest, spoiled, write_folder
from zslcore.extraction.crops import Preset
from zslcore.extraction.encoders import load_encoder
from zslcore.extraction.extracting import extract
from zslcore.extraction.images import Picture
from zslcore.extraction.listing import Listing, images_of_folder
from zslcore.extraction.reading import Reading, read_batches

SMALL = Preset(resize=40, crop=32)


def same(n: int) -> str:
    """Compare features with torchvision's own forward pass."""
    encoder = load_encoder("resnet101", "random", preset=SMALL)
    with tempfile.TemporaryDirectory() as name:
        images = images_of_folder(write_folder(Path(name) / "images", each=n // len(CLASSES)))
        found = []
        for crops in (1, 10):
            made = extract(images, encoder, Path(name) / f"{crops}.npz", crops=crops, workers=1)
            with np.load(made.output) as archive:
                difference = np.abs(archive["features"] - own_features(images, crops))
                scale = float(np.abs(archive["features"]).max())
            found.append(
                f"{crops} crop(s): largest difference {difference.max():.2g} of {scale:.3g}"
            )
    return f"{len(images.files):,} images; {'; '.join(found)}"


def own_features(images: Listing, crops: int) -> np.ndarray:
    """Return what torchvision alone makes of images."""
    import torch
    from PIL import Image
    from torchvision import models, transforms
    from torchvision.models.feature_extraction import create_feature_extractor

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = models.resnet101(weights=None).eval()
    network = create_feature_extractor(model, ["flatten"])
    crop = transforms.CenterCrop(32) if crops == 1 else transforms.TenCrop(32)
    cut = transforms.Compose([transforms.Resize(40), crop])
    standard = transforms.Normalize(SMALL.mean, SMALL.std)
    normal = transforms.Compose([transforms.ToTensor(), standard])
    out = []
    with torch.inference_mode():
        for file in images.files:
            with Image.open(images.root / file) as image:
                made = cut(image.convert("RGB"))
            views = torch.stack([normal(one) for one in (made if crops == 10 else [made])])
            out.append(network(views)["flatten"].mean(0).numpy())
    return np.array(out)


def killed(n: int) -> str:
    """Kill the command at random moments; count what it has lost each time."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as name:
        folder = write_folder(Path(name) / "images", each=400)
        words = [sys.executable, "-m", "zslcore", "extract", str(folder), "--encoder", "resnet18"]
        words += ["--weights", "random", "--resize", "72", "--crop", "64", "--batch", "4"]
        output = Path(name) / "f.npz"
        parts, lost, deaths = Path(f"{output}.parts"), Counter(), 0
        known: set[Path] = set()  # begun by those that were killed before
        while deaths < n and not output.exists():
            before = len(list(parts.glob("part-*")))
            child = subprocess.Popen([*words, "--output", str(output)], stdout=subprocess.DEVNULL)
            end = time.monotonic() + 300
            while child.poll() is None and time.monotonic() < end:
                if len(list(parts.glob("part-*"))) > before + deaths % 3:
                    break
                time.sleep(0.01)
            time.sleep(float(rng.uniform(0, 0.4)))
            child.send_signal(signal.SIGKILL)
            child.wait()
            deaths += 1
            left = set(parts.glob(".*"))
            lost[len(left - known)] += 1
            known |= left
        subprocess.run([*words, "--output", str(output)], check=True, stdout=subprocess.DEVNULL)
        whole = Path(name) / "whole.npz"
        subprocess.run([*words, "--output", str(whole)], check=True, stdout=subprocess.DEVNULL)
        with np.load(output) as one, np.load(whole) as other:
            equal = all(np.array_equal(one[k], other[k]) for k in one.files)
    return f"killed {deaths} times; batches under way at each: {dict(lost)}; the same: {equal}"


def spoilt(n: int) -> str:
    """Read spoiled images in processes of their own."""
    rng, files = np.random.default_rng(0), honest()
    with tempfile.TemporaryDirectory() as name:
        paths = []
        for k in range(n):
            path = Path(name) / f"{k}.jpg"
            path.write_bytes(spoiled(files[k % len(files)], rng))
            paths.append(path)
        batches = [paths[k : k + 50] for k in range(0, n, 50)]
        found = [one for batch in read_batches(Reading(48, workers=2), batches) for one in batch]
    sentences = [one for one in found if isinstance(one, str)]
    assert len(found) == n
    assert all(one.endswith(".") and "\n" not in one and "Error" not in one for one in sentences)
    kinds = Counter(
        one.partition(": ")[2].partition(";")[2].strip() or one[-60:] for one in sentences
    )
    read = sum(isinstance(one, Picture) for one in found)
    return f"{n} images: {read} read, {len(sentences)} refused: {json.dumps(kinds, indent=1)}"


if __name__ == "__main__":
    campaigns = {"same": (same, 2000), "killed": (killed, 20), "spoiled": (spoilt, 500)}
    run, number = campaigns[sys.argv[1]]
    began = time.monotonic()
    said = run(int(sys.argv[2]) if len(sys.argv) > 2 else number)
    sys.stdout.write(f"{said}\n{time.monotonic() - began:.0f} s\n")
