"""``zslcore embed CLASSES.txt``: class embeddings from names, without images.

CLASSES.txt has a class a line. An encoder of texts (extra clip) gives the mean of its sentences on
each class; a file of word vectors of yours the mean over the words of the name. The archive has
prototypes, class_names, pre-training and how they were made: for `zslcore import --prototypes`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zslcore.commands.options import file_to_write, seed
from zslcore.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    option("classes", type=Path, metavar="CLASSES", help="text file, a class a line")
    option("--encoder", metavar="NAME", help="open_clip:ViT-B-32 ...")
    option("--weights", metavar="FILE", help="file of the encoder's weights, or random")
    text = '"a photo of a {}.", or an ensemble by its name: imagenet-80, oxford_pets ...'
    option("--text", nargs="+", metavar="TEMPLATE", help=text)
    option("--prompts", type=Path, metavar="JSON", help='{"class": ["prompt", ...]}')
    text = "word vectors in place of an encoder: text of GloVe, word2vec or fastText, .bin of "
    text += "word2vec, .npz with vectors and words"
    option("--vectors", type=Path, metavar="FILE", help=text)
    text = "what the encoder or the vectors were trained on, if nothing states it"
    option("--trained-on", nargs="+", default=[], metavar="NAME", help=text)
    option("--device", default="cpu", help="of torch, for example cuda (cpu)")
    option("--seed", type=seed, default=0, help="of random weights (0)")
    option(
        "--output", type=file_to_write, metavar="FILE", help="archive to write (CLASSES-NAME.npz)"
    )
    option("--overwrite", action="store_true", help="replace a file of the same name")


def run(args: argparse.Namespace) -> str:
    """Embed the classes and write the archive."""
    from zslcore.exceptions import require_known
    from zslcore.leakage.vocabularies import PRETRAINING_NAMES
    from zslcore.texts import refuse_twice
    from zslcore.untrusted.client import read_lines

    if (args.encoder is None) == (args.vectors is None):
        raise ParameterError("Expected --encoder or --vectors, one of them.")
    if args.vectors and (args.text or args.prompts or args.weights):
        raise ParameterError("--text, --prompts and --weights belong to --encoder; got --vectors.")
    if args.text and args.prompts:
        raise ParameterError("--text and --prompts exclude each other; expected one of them.")
    for name in args.trained_on:
        require_known("pre-training vocabulary", name, PRETRAINING_NAMES)
    names = read_lines(args.classes)
    if not names:
        raise ParameterError(f"{args.classes}: expected a class a line, got none.")
    refuse_twice(args.classes, names)
    source = args.encoder or args.vectors.stem
    output = args.output or Path(f"{args.classes.stem}-{source}.npz".replace(":", "-"))
    if output.exists() and not args.overwrite:
        raise ParameterError(
            f"{output}: expected no file of this name, got one; choose another with --output, or "
            "replace it with --overwrite."
        )
    prototypes, pretraining, made = _embedded(args, names)
    _write(output, names, prototypes, pretraining, made)
    n, d = prototypes.shape
    return f"{output}: {n:,} classes x {d:,} values\n{'; '.join(made)}"


def _embedded(
    args: argparse.Namespace, names: Sequence[str]
) -> tuple[np.ndarray, tuple[str, ...], tuple[str, ...]]:
    """Return prototypes, what they were trained on, and how they were made, in words."""
    from zslcore.version import version

    if args.vectors:
        from zslcore.datasets.word_vectors import vectors_of_classes

        prototypes = vectors_of_classes(args.vectors, names)
        trained, libraries = tuple(args.trained_on), ""
        how: tuple[str, ...] = (f"word vectors {args.vectors.name}", "mean over words of a name")
    else:
        prototypes, trained, how, libraries = _encoded(args, names)
    said = f"trained on {', '.join(trained) or 'texts whose classes are not listed'}"
    return prototypes, trained, (*how, said, f"zslcore {version()}{libraries}")


def _encoded(
    args: argparse.Namespace, names: Sequence[str]
) -> tuple[np.ndarray, tuple[str, ...], tuple[str, ...], str]:
    """Return prototypes of an encoder, its pre-training, how they were made, and libraries."""
    from zslcore.datasets.open_world import templates_of
    from zslcore.extraction.encoders import (
        TEMPLATES,
        load_encoder,
        prototypes_of_prompts,
        prototypes_of_texts,
        read_prompts,
    )

    templates = templates_of(args.text or TEMPLATES)  # a misspelt name before the work
    prompts = read_prompts(args.prompts, names) if args.prompts else ()
    encoder = load_encoder(
        args.encoder, args.weights, device=args.device, seed=args.seed, trained_on=args.trained_on
    )
    if prompts:
        prototypes = prototypes_of_prompts(encoder, prompts)
        sentences = f"prompts {args.prompts.name}"
    else:
        prototypes = prototypes_of_texts(encoder, names, templates)
        shown = templates[0] if len(templates) == 1 else f"mean of {len(templates)} templates"
        sentences = f"text {shown}"
    weights = (f"weights {encoder.weights}", f"SHA-256 {encoder.sha256}")
    libraries = "".join(f", {name} {number}" for name, number in encoder.versions.items())
    how = (f"encoder {encoder.name}", *weights, sentences)
    return prototypes, encoder.pretraining, how, libraries


def _write(
    output: Path,
    names: Sequence[str],
    prototypes: np.ndarray,
    pretraining: Sequence[str],
    made: Sequence[str],
) -> None:
    """Write the archive, whole or not at all."""
    import io

    import numpy as np

    from zslcore.storage.files import write_out

    arrays: dict[str, Any] = {
        "prototypes": prototypes,
        "class_names": np.array(names),
        "provenance": np.array(made),
    }
    if pretraining:
        arrays["pretraining"] = np.array(pretraining)
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **arrays)
    write_out(output, file.getvalue())
