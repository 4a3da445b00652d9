"""Compute class embeddings from class names, without images.

CLASSES.txt has one class per line. With a text encoder (extra clip), the embedding of a class is
the mean over sentences about it; with word vectors, the mean over the words of its name. The
archive contains prototypes, class_names, the pre-training sets and the recipe; pass it to `zslcore
import --prototypes`. Example::

    zslcore embed classes.txt --vectors glove.6B.300d.txt
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zslcore.commands.command import command, option
from zslcore.commands.options import file_to_write, seed
from zslcore.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np


@command(
    option("classes CLASSES", "text file, one class per line", type=Path),
    option("--encoder NAME", "open_clip:ViT-B-32 ..."),
    option("--weights FILE", "file with the encoder's weights, or random"),
    option(
        "--text TEMPLATE...",
        '"a photo of a {}.", or the name of an ensemble: imagenet-80, oxford_pets ...',
    ),
    option("--prompts JSON", 'sentences for each class: {"class": ["prompt", ...]}', type=Path),
    option(
        "--vectors FILE",
        "word vectors instead of an encoder: text file of GloVe, word2vec or fastText, .bin of "
        "word2vec, or .npz with vectors and words",
        type=Path,
    ),
    option(
        "--trained-on NAME...",
        "training set of the encoder or the vectors, if no file states it",
        default=[],
    ),
    option("--device NAME", "torch device: cpu, cuda ... (cpu)", default="cpu"),
    option("--seed N", "seed of random weights (0)", type=seed, default=0),
    option("--output FILE", "archive to write (CLASSES-NAME.npz)", type=file_to_write),
    option("--overwrite", "replace a file of the same name"),
)
def run(args: argparse.Namespace) -> str:
    """Embed the classes and write the archive."""
    from zslcore.exceptions import require_known
    from zslcore.leakage.vocabularies import PRETRAINING_NAMES
    from zslcore.texts import refuse_repeated_names
    from zslcore.untrusted.client import read_lines

    if (args.encoder is None) == (args.vectors is None):
        raise ParameterError("embed: expected either --encoder or --vectors.")
    if args.vectors and (args.text or args.prompts or args.weights):
        raise ParameterError("--text, --prompts and --weights belong to --encoder; got --vectors.")
    if args.text and args.prompts:
        raise ParameterError("--text and --prompts exclude each other; expected one of them.")
    for name in args.trained_on:
        require_known("pre-training vocabulary", name, PRETRAINING_NAMES)
    names = read_lines(args.classes)
    if not names:
        raise ParameterError(f"{args.classes}: expected one class per line; got none.")
    refuse_repeated_names(args.classes, names)
    source = args.encoder or args.vectors.stem
    output = args.output or Path(f"{args.classes.stem}-{source}.npz".replace(":", "-"))
    if output.exists() and not args.overwrite:
        raise ParameterError(
            f"{output}: expected no file of this name; found one; choose another name with "
            "--output, or replace the file with --overwrite."
        )
    prototypes, pretraining, recipe = _embed(args, names)
    _write(output, names, prototypes, pretraining, recipe)
    n, d = prototypes.shape
    return f"{output}: {n:,} classes x {d:,} values\n{'; '.join(recipe)}"


def _embed(
    args: argparse.Namespace, names: Sequence[str]
) -> tuple[np.ndarray, tuple[str, ...], tuple[str, ...]]:
    """Return prototypes, their pre-training sets, and the recipe in words."""
    from zslcore.version import version

    if args.vectors:
        from zslcore.datasets.word_vectors import vectors_of_classes

        prototypes = vectors_of_classes(args.vectors, names)
        trained, libraries = tuple(args.trained_on), ""
        how: tuple[str, ...] = (f"word vectors {args.vectors.name}", "mean over words of a name")
    else:
        prototypes, trained, how, libraries = _encode(args, names)
    training = f"trained on {', '.join(trained) or 'text data, classes not listed'}"
    return prototypes, trained, (*how, training, f"zslcore {version()}{libraries}")


def _encode(
    args: argparse.Namespace, names: Sequence[str]
) -> tuple[np.ndarray, tuple[str, ...], tuple[str, ...], str]:
    """Return prototypes of an encoder, its pre-training sets, the recipe, and the libraries."""
    from zslcore.datasets.open_world import templates_of
    from zslcore.extraction.encoders import (
        TEMPLATES,
        load_encoder,
        prototypes_of_prompts,
        prototypes_of_texts,
        read_prompts,
    )

    templates = templates_of(args.text or TEMPLATES)  # refuse a misspelt name before encoding
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
    recipe: Sequence[str],
) -> None:
    """Write the archive atomically."""
    import io

    import numpy as np

    from zslcore.storage.files import write_out

    arrays: dict[str, Any] = {
        "prototypes": prototypes,
        "class_names": np.array(names),
        "provenance": np.array(recipe),
    }
    if pretraining:
        arrays["pretraining"] = np.array(pretraining)
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **arrays)
    write_out(output, file.getvalue())
