"""Compute features of a folder of images with a pre-trained encoder.

IMAGES is a folder in one of three layouts: one folder per class; folders train and test, each with
one folder per class, which define the split; or the root of the paths in --labels. The features are
written to a NumPy archive. With --name and class embeddings (--attributes, --text or --prompts),
this archive is also imported as a data set. An interrupted extraction resumes. Weights are never
downloaded: name a file of weights, or put it into the cache of torch.hub. Example::

    zslcore extract ./images --encoder resnet101 --weights resnet101.pth
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from zslcore.commands.command import OptionGroup, command, option
from zslcore.commands.options import seed
from zslcore.exceptions import ParameterError
from zslcore.numbers import counted

if TYPE_CHECKING:
    from zslcore.extraction.encoders import Encoder
    from zslcore.extraction.extracting import Extraction
    from zslcore.extraction.images import Listing


#: Maximum number of files named in a note on skipped or unusual files.
FEW = 5


@command(
    option("images IMAGES", "folder of images, in a layout named above", type=Path),
    option("--encoder NAME", "resnet101, open_clip:ViT-B-32 ...", required=True),
    option(
        "--weights FILE", "file with weights, name of weights in the torch.hub cache, or random"
    ),
    option(
        "--crops N", "number of crops: 1, or 10 with averaged features (1)", type=int, default=1
    ),
    option("--device NAME", "torch device: cpu, cuda ... (cpu)", default="cpu"),
    option("--batch N", "images per batch (32)", type=int, default=32),
    option("--workers N", "processes that read images (2)", type=int, default=2),
    option("--labels CSV", "file with columns image_file and label", type=Path),
    option("--on-bad {refuse,skip}", "handling of unreadable images (refuse)", default="refuse"),
    option("--max-pixels N", "largest image in pixels (89,478,485)", type=int),
    option("--resize PIXELS", "length of the shorter side (as for the weights)", type=int),
    option("--crop PIXELS", "side length of a crop (as for the weights)", type=int),
    option("--trained-on NAME...", "training set, if the weights do not state it", default=[]),
    option("--seed N", "seed of random weights (0)", type=seed, default=0),
    option("--output FILE", "archive to write (IMAGES-NAME.npz)", type=Path),
    OptionGroup(
        "to import the features as a data set",
        (
            option(
                "--attributes CSV",
                "class embeddings: a column 'class' and one column per attribute",
            ),
            option(
                "--text TEMPLATE...",
                'class embeddings from a text encoder: "a photo of a {}.", or the name of an '
                "ensemble: imagenet-80, oxford_pets ...",
            ),
            option(
                "--prompts JSON",
                'class embeddings from sentences for each class: {"class": ["prompt", ...]}',
            ),
            option(
                "--unseen CLASS...",
                "unseen classes: names or numbers, a file of them, or base-to-new:NAME",
            ),
            option("--name NAME", "import the data set under this name"),
        ),
    ),
)
def run(args: argparse.Namespace) -> None:
    """List the images, extract their features, and import them with ``--name``."""
    from zslcore.datasets.open_world import templates_of
    from zslcore.extraction.encoders import prototypes_of_prompts, prototypes_of_texts, read_prompts
    from zslcore.extraction.extracting import extract
    from zslcore.extraction.images import MAX_PIXELS

    _require_together(args)
    _look_up(args)
    templates = templates_of(args.text or ())  # refuse a misspelt name before hours of work
    images = _list_images(args)
    _require_classes(args, images)
    prompts = read_prompts(Path(args.prompts), images.class_names) if args.prompts else ()
    encoder = _encoder(args)
    prototypes = None
    if args.prompts:
        prototypes = prototypes_of_prompts(encoder, prompts)
    elif args.text:
        prototypes = prototypes_of_texts(encoder, images.class_names, templates)
    output = args.output or Path(f"{args.images.resolve().name}-{args.encoder}".replace(":", "-"))
    extraction = extract(
        images,
        encoder,
        output.with_name(f"{output.name.removesuffix('.npz')}.npz"),
        crops=args.crops,
        batch=args.batch,
        on_bad=args.on_bad,
        workers=args.workers,
        max_pixels=args.max_pixels or MAX_PIXELS,
        prototypes=prototypes,
        progress=ImageProgress(),
    )
    _print_result(extraction, images)
    if args.name:
        _import(args, extraction)


def _require_together(args: argparse.Namespace) -> None:
    """Refuse options without the options that they need, before hours of work."""
    from zslcore.datasets.split_folders.trees import has_tree

    options = ("attributes", "text", "prompts")
    embeddings = [f"--{option}" for option in options if getattr(args, option)]
    if len(embeddings) > 1:
        raise ParameterError(
            f"{' and '.join(embeddings)}: expected only one of them; got {len(embeddings)}."
        )
    split = args.unseen or (has_tree(args.images) and not args.labels)
    if args.name and not (split and embeddings):
        raise ParameterError(
            "--name: also expected class embeddings (--attributes, --text or --prompts), and "
            "--unseen or folders train and test."
        )
    if (args.attributes or args.unseen) and not args.name:
        raise ParameterError("--attributes and --unseen: expected --name as well; got none.")


def _look_up(args: argparse.Namespace) -> None:
    """Find the files named in options, also in the folder of images; read the unseen classes."""
    from zslcore.datasets.split_folders import read_classes
    from zslcore.storage.files import path_of

    if args.labels:
        args.labels = path_of(args.labels, args.images)
    if args.attributes:
        args.attributes = str(path_of(args.attributes, args.images))
    if args.prompts:
        args.prompts = str(path_of(args.prompts, args.images))
    if args.unseen:
        args.unseen = read_classes(args.unseen, args.images)


def _require_classes(args: argparse.Namespace, images: Listing) -> None:
    """Refuse classes without prototype, and unknown names of unseen classes."""
    from zslcore.datasets.embeddings import read_csv_embeddings
    from zslcore.datasets.table import class_numbers
    from zslcore.exceptions import closest_name
    from zslcore.names import class_key

    names = list(images.class_names)
    if args.attributes:
        names = list(read_csv_embeddings(Path(args.attributes)).classes)
        plain = {class_key(name) for name in names}
        for name in images.class_names:
            if class_key(name) not in plain:
                raise closest_name(f"class in {args.attributes}", name, names)
    class_numbers(args.unseen or (), names)


def _list_images(args: argparse.Namespace) -> Listing:
    from zslcore.extraction.images import images_of_csv, images_of_folder

    if args.labels:
        return images_of_csv(args.labels, args.images)
    return images_of_folder(args.images)


def _encoder(args: argparse.Namespace) -> Encoder:
    """Load the encoder with the overridden preprocessing."""
    from dataclasses import replace

    from zslcore.extraction.encoders import load_encoder

    encoder = load_encoder(
        args.encoder, args.weights, device=args.device, seed=args.seed, trained_on=args.trained_on
    )
    overrides = {"resize": args.resize, "crop": args.crop}
    changes = {name: value for name, value in overrides.items() if value is not None}
    return replace(encoder, preset=replace(encoder.preset, **changes))


class ImageProgress:
    """Progress on standard error: one rewritten line on a terminal, else a line per minute."""

    #: Seconds between two lines if the output is not a terminal.
    EVERY = 60.0

    def __init__(self) -> None:
        self.began = self.printed = time.monotonic()
        self.first = 0.0

    def __call__(self, done: float, total: float, _: str) -> None:
        """Print the number of finished images and the time left."""
        now, terminal = time.monotonic(), sys.stderr.isatty()
        self.first = self.first or done
        rate = (done - self.first) / max(now - self.began, 1e-9)
        time_left = f", {(total - done) / rate / 60:,.0f} min left" if rate > 0 else ""
        if terminal or now - self.printed >= self.EVERY:
            self.printed = now
            begin, end = ("\r", "   ") if terminal and done < total else ("\r" * terminal, "\n")
            sys.stderr.write(f"{begin}{done:,} of {total:,} images{time_left}{end}")
            sys.stderr.flush()


def _print_result(extraction: Extraction, images: Listing) -> None:
    """Print the number of extracted, skipped and unusual images."""
    size = f"{extraction.n_images:,} images x {extraction.n_features:,} features"
    print(f"{extraction.output}: {size}, {len(images.class_names)} classes")
    print("; ".join(extraction.provenance))
    if extraction.resumed:
        print(f"{counted(extraction.resumed, 'image')} extracted before the interruption")
    for kind, names in extraction.unusual.items():
        print(f"{counted(len(names), 'unusual image')} ({kind}): {_first_names(names)}")
    if images.left_out:
        n = len(images.left_out)
        files = counted(n, "file")
        print(f"{files} left out, not named as an image: {_first_names(images.left_out)}")
    for why in list(extraction.skipped.values())[:FEW]:
        print(f"skipped: {why}")
    if len(extraction.skipped) > FEW:
        print(f"skipped: {counted(len(extraction.skipped), 'image')} in all")


def _first_names(names: list[str] | tuple[str, ...]) -> str:
    from zslcore.texts import clean_text

    shown = ", ".join(map(clean_text, names[:FEW]))
    return f"{shown} and others" if len(names) > FEW else shown


def _import(args: argparse.Namespace, extraction: Extraction) -> None:
    from zslcore.commands.import_data import print_dataset
    from zslcore.datasets.importing import import_dataset

    options = {"name": args.name, "unseen": args.unseen, "prototypes": args.attributes}
    named = {key: value for key, value in options.items() if value is not None}
    print_dataset(import_dataset(extraction.output, **named))
