r"""Prototypes from sentences: what an image-text encoder says of the names of classes.

With :math:`t_1 ... t_n` templates such as "a photo of a {}." and :math:`\psi` the text encoder,

.. math::
    s_c = \frac{1}{n} \sum_{i=1}^{n} \frac{\psi(t_i(c))}{\lVert \psi(t_i(c)) \rVert}

Classes may also have prompts of their own, :math:`n_c` sentences in place of :math:`t_i(c)`.

References
----------
A. Radford et al., "Learning transferable visual models from natural language supervision", ICML
2021 (ensembles of templates).
S. Pratt, I. Covert, R. Liu, A. Farhadi, "What does a platypus look like? Generating customized
prompts for zero-shot image classification", ICCV 2023 (prompts of each class).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets.facts import plain_name, spaced_name
from zslcore.datasets.sandbox.client import read_value
from zslcore.exceptions import FileRefusedError, ParameterError, closest_name
from zslcore.extraction.encoders import Encoder
from zslcore.texts import clean_text, expect

TEMPLATES = ("a photo of a {}.",)
#: Of a file of prompts: its bytes, values, prompts of a class and characters of a prompt.
MAX_BYTES, MAX_VALUES, MAX_PROMPTS, MAX_CHARACTERS = 64 << 20, 1 << 20, 1_000, 2_000


def prototypes_of_texts(
    encoder: Encoder, class_names: Sequence[str], templates: Sequence[str] = TEMPLATES
) -> np.ndarray:
    """Return one prototype a class, float32 of shape (n_classes, n_features), as image features.

    ``class_names`` are as in the listing: "blue+whale" is read as "blue whale"; ``templates`` are
    sentences with one "{}" for the name. Raises a ParameterError when the encoder reads no text, or
    a template has no place for the name.
    """
    texts = _require_texts(encoder)
    for template in templates:
        if template.count("{}") != 1:
            raise ParameterError(
                f"A template needs one {{}} for the name of the class; got {template!r}."
            )
    if not templates:
        raise ParameterError("Prototypes of texts need at least one template; got none.")
    names = [spaced_name(name) for name in class_names]
    found = np.zeros((0, 0))
    for template in templates:
        t = texts([template.replace("{}", name) for name in names])
        t = t / np.linalg.norm(t, axis=1, keepdims=True)
        found = t if not found.size else found + t
    return (found / len(templates)).astype(np.float32)


def read_prompts(path: Path, class_names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Read the prompts of every class from a JSON, ``{"class": ["prompt", ...]}``.

    Names compare as those of attributes do; classes that are not of the listing are left out.
    Raises a FileRefusedError for another file, or too long a one, and an UnknownNameError, with the
    nearest name, for a class without prompts.
    """
    value = read_value(path, "JSON", max_bytes=MAX_BYTES, most=MAX_VALUES)
    prompts_by_class = isinstance(value, dict) and value
    expect(prompts_by_class, path, '{"class": ["prompt", ...]}', "another JSON")
    found: dict[str, tuple[str, ...]] = {}
    for name, prompts in value.items():
        once = plain_name(name) not in found
        expect(once, path, "each class once", f"{clean_text(name, 60)!r} twice")
        found[plain_name(name)] = _checked_prompts(path, name, prompts)
    for name in class_names:
        if plain_name(name) not in found:
            raise closest_name(f"class in {clean_text(path.name)}", name, list(value))
    return tuple(found[plain_name(name)] for name in class_names)


def _checked_prompts(path: Path, name: str, prompts: Any) -> tuple[str, ...]:
    """Return the prompts of a class, refusing what is no list of sentences."""
    listed = isinstance(prompts, list) and 0 < len(prompts) <= MAX_PROMPTS
    if not listed or not all(
        isinstance(one, str) and 0 < len(one.strip()) <= MAX_CHARACTERS for one in prompts
    ):
        raise FileRefusedError(
            f"{clean_text(path.name)}, {clean_text(name, 60)!r}: expected a list of 1 to "
            f"{MAX_PROMPTS:,} prompts of up to {MAX_CHARACTERS:,} characters."
        )
    return tuple(one.strip() for one in prompts)


def prototypes_of_prompts(encoder: Encoder, prompts: Sequence[Sequence[str]]) -> np.ndarray:
    """Return one prototype a class from its own prompts, at least one, as image features.

    float32 of shape (n_classes, n_features); a ParameterError when the encoder reads no text.
    """
    texts = _require_texts(encoder)
    encoded = (np.asarray(texts(list(of_class))) for of_class in prompts)
    means = [(t / np.linalg.norm(t, axis=1, keepdims=True)).mean(axis=0) for t in encoded]
    return np.asarray(means, dtype=np.float32)


def _require_texts(encoder: Encoder) -> Callable[[list[str]], np.ndarray]:
    if encoder.texts is None:
        raise ParameterError(f"{encoder.name}: expected an encoder of texts; it reads images only.")
    return encoder.texts
