"""``zslcore extract IMAGES --encoder NAME``: features of your own images.

IMAGES is a folder with a folder a class; the folders train and test with a folder a class each,
which then are the split; or the folder that the paths of --labels begin in. The features become a
NumPy archive; with --attributes, --text or --prompts, which give prototypes, and --name it is
imported at once. An interrupted extraction resumes. Weights are never downloaded: they are a file
of yours, or lie in the cache of torch.hub.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from zslcore.commands.options import seed
from zslcore.exceptions import ParameterError

if TYPE_CHECKING:
    from zslcore.extraction.encoders import Encoder
    from zslcore.extraction.extracting import Extraction
    from zslcore.extraction.images import Listing


#: Names that are listed of files left out, or read in an unusual way.
FEW = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    option("images", type=Path, metavar="IMAGES", help="folder with one folder per class")
    option("--encoder", required=True, metavar="NAME", help="resnet101, open_clip:ViT-B-32 ...")
    option("--weights", metavar="FILE", help="file, cached weights of torch.hub, or random")
    option("--crops", type=int, default=1, help="1, or 10 with their features averaged (1)")
    option("--device", default="cpu", help="of torch, for example cuda (cpu)")
    option("--batch", type=int, default=32, help="images of a batch (32)")
    option("--workers", type=int, default=2, help="processes that read images (2)")
    option("--labels", type=Path, metavar="CSV", help="columns image_file and label")
    text = "what to do with unreadable images (refuse)"
    option("--on-bad", choices=("refuse", "skip"), default="refuse", help=text)
    option("--max-pixels", type=int, help="most pixels of an image (89,478,485)")
    option("--resize", type=int, metavar="PIXELS", help="shorter side (default: of the weights)")
    option("--crop", type=int, metavar="PIXELS", help="side of a crop (default: of the weights)")
    text = "what the encoder was trained on, if its weights do not state it"
    option("--trained-on", nargs="+", default=[], metavar="NAME", help=text)
    option("--seed", type=seed, default=0, help="of random weights (0)")
    option("--output", type=Path, metavar="FILE", help="archive to make (IMAGES-NAME.npz)")
    _of_data_set(parser)


def _of_data_set(parser: argparse.ArgumentParser) -> None:
    """Add what makes a data set of features."""
    option = parser.add_argument
    option("--attributes", metavar="CSV", help="prototypes: a column class, a column an attribute")
    text = 'prototypes by an encoder of texts: "a photo of a {}.", or an ensemble by its '
    text += "name: imagenet-80, oxford_pets ..."
    option("--text", nargs="+", metavar="TEMPLATE", help=text)
    text = 'prototypes by prompts of each class: {"class": ["prompt", ...]}'
    option("--prompts", metavar="JSON", help=text)
    text = "unseen classes of the data set: names or numbers, a file of them, or "
    text += "base-to-new:NAME"
    option("--unseen", nargs="+", metavar="CLASS", help=text)
    option("--name", metavar="NAME", help="import it under this name")


def run(args: argparse.Namespace) -> None:
    """List the images, extract their features, and import them with ``--name``."""
    from zslcore.datasets.open_world import templates_of
    from zslcore.extraction.encoders import prototypes_of_prompts, prototypes_of_texts, read_prompts
    from zslcore.extraction.extracting import extract
    from zslcore.extraction.images import MAX_PIXELS

    _require_together(args)
    _look_up(args)
    templates = templates_of(args.text or ())  # a misspelt name costs no hours of work
    images = _listed(args)
    _require_classes(args, images)
    prompts = read_prompts(Path(args.prompts), images.class_names) if args.prompts else ()
    encoder = _encoder(args)
    prototypes = None
    if args.prompts:
        prototypes = prototypes_of_prompts(encoder, prompts)
    elif args.text:
        prototypes = prototypes_of_texts(encoder, images.class_names, templates)
    output = args.output or Path(f"{args.images.resolve().name}-{args.encoder}".replace(":", "-"))
    found = extract(
        images,
        encoder,
        output.with_name(f"{output.name.removesuffix('.npz')}.npz"),
        crops=args.crops,
        batch=args.batch,
        on_bad=args.on_bad,
        workers=args.workers,
        max_pixels=args.max_pixels or MAX_PIXELS,
        prototypes=prototypes,
        on_progress=Progress(),
    )
    _tell(found, images)
    if args.name:
        _import(args, found)


def _require_together(args: argparse.Namespace) -> None:
    """Refuse options that mean nothing without others, before hours of work."""
    from zslcore.datasets.split_lists import holds_tree

    options = ("attributes", "text", "prompts")
    given = [f"--{option}" for option in options if getattr(args, option)]
    if len(given) > 1:
        raise ParameterError(f"{' and '.join(given)} exclude each other; expected one of them.")
    split = args.unseen or (holds_tree(args.images) and not args.labels)
    if args.name and not (split and given):
        raise ParameterError(
            "--name: expected --unseen, and --attributes, --text or --prompts, which make a data "
            "set of features; got no such."
        )
    if (args.attributes or args.unseen) and not args.name:
        raise ParameterError("--attributes and --unseen: expected --name with them; got none.")


def _look_up(args: argparse.Namespace) -> None:
    """Look up files, which may lie in the folder of images, and read a list of classes."""
    from zslcore.storage.files import path_of
    from zslcore.untrusted.client import listed_classes

    if args.labels:
        args.labels = path_of(args.labels, args.images)
    if args.attributes:
        args.attributes = str(path_of(args.attributes, args.images))
    if args.prompts:
        args.prompts = str(path_of(args.prompts, args.images))
    if args.unseen:
        args.unseen = listed_classes(args.unseen, args.images)


def _require_classes(args: argparse.Namespace, images: Listing) -> None:
    """Refuse classes without prototype, and unseen ones that there are not."""
    from zslcore.datasets.embeddings import read_csv_embeddings
    from zslcore.datasets.table import class_numbers
    from zslcore.exceptions import closest_name
    from zslcore.names import class_key

    known = list(images.class_names)
    if args.attributes:
        known = list(read_csv_embeddings(Path(args.attributes)).classes)
        plain = {class_key(name) for name in known}
        for name in images.class_names:
            if class_key(name) not in plain:
                raise closest_name(f"class in {args.attributes}", name, known)
    class_numbers(args.unseen or (), known)


def _listed(args: argparse.Namespace) -> Listing:
    from zslcore.extraction.images import images_of_csv, images_of_folder

    if args.labels:
        return images_of_csv(args.labels, args.images)
    return images_of_folder(args.images)


def _encoder(args: argparse.Namespace) -> Encoder:
    """Load the encoder with the overridden preprocessing."""
    from dataclasses import replace

    from zslcore.extraction.encoders import load_encoder

    found = load_encoder(
        args.encoder,
        args.weights,
        device=args.device,
        seed=args.seed,
        trained_on=args.trained_on,
    )
    overrides = {"resize": args.resize, "crop": args.crop}
    given = {name: value for name, value in overrides.items() if value is not None}
    return replace(found, preset=replace(found.preset, **given))


class Progress:
    """Prints progress: a line that is rewritten in a terminal, otherwise one line per minute."""

    #: Seconds between two lines when the output is no terminal.
    EVERY = 60.0

    def __init__(self) -> None:
        self.began = self.printed = time.monotonic()
        self.first = 0

    def __call__(self, done: int, total: int) -> None:
        """Print how many images are done, and the time left."""
        now, terminal = time.monotonic(), sys.stderr.isatty()
        self.first = self.first or done
        rate = (done - self.first) / max(now - self.began, 1e-9)
        left = f", {(total - done) / rate / 60:,.0f} min left" if rate > 0 else ""
        if terminal or now - self.printed >= self.EVERY:
            self.printed = now
            begin, end = ("\r", "   ") if terminal and done < total else ("\r" * terminal, "\n")
            sys.stderr.write(f"{begin}{done:,} of {total:,} images{left}{end}")
            sys.stderr.flush()


def _tell(found: Extraction, images: Listing) -> None:
    """Print the result and its limitations."""
    size = f"{found.n_images:,} images x {found.n_features:,} features"
    print(f"{found.output}: {size}, {len(images.class_names)} classes")
    print("; ".join(found.provenance))
    if found.resumed:
        print(f"{found.resumed:,} images were there from before")
    for kind, names in found.unusual.items():
        print(f"{len(names):,} {kind}: {_few(names)}")
    if images.left_out:
        n = len(images.left_out)
        print(f"{n:,} without an ending of an image, left out: {_few(images.left_out)}")
    for why in list(found.skipped.values())[:FEW]:
        print(f"skipped: {why}")
    if len(found.skipped) > FEW:
        print(f"skipped: {len(found.skipped):,} images in all")


def _few(names: list[str] | tuple[str, ...]) -> str:
    from zslcore.texts import clean_text

    shown = ", ".join(map(clean_text, names[:FEW]))
    return f"{shown} and others" if len(names) > FEW else shown


def _import(args: argparse.Namespace, found: Extraction) -> None:
    from zslcore.commands.import_data import print_dataset
    from zslcore.datasets.importing import import_dataset

    options = {"name": args.name, "unseen": args.unseen, "prototypes": args.attributes}
    given = {key: value for key, value in options.items() if value is not None}
    print_dataset(import_dataset(found.output, **given))
