r"""Prototypes from sentences: what an image-text encoder says of the names of classes.

With :math:`t_1 ... t_n` templates such as "a photo of a {}." and :math:`\psi` the text encoder,

.. math::
    s_c = \frac{1}{n} \sum_{i=1}^{n} \frac{\psi(t_i(c))}{\lVert \psi(t_i(c)) \rVert}

References
----------
A. Radford et al., "Learning transferable visual models from natural language supervision", ICML
2021 (ensembles of templates).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zslcore.datasets.facts import spaced_name
from zslcore.exceptions import ParameterError
from zslcore.extraction.encoder import Encoder

__all__ = ["TEMPLATES", "prototypes_of_texts"]

TEMPLATES = ("a photo of a {}.",)


def prototypes_of_texts(
    encoder: Encoder, class_names: Sequence[str], templates: Sequence[str] = TEMPLATES
) -> np.ndarray:
    """Return one prototype a class, in the space of the encoder's image features.

    Parameters
    ----------
    encoder : Encoder with ``texts``
    class_names : as in the listing; "blue+whale" is read as "blue whale"
    templates : sentences with one "{}" for the name

    Returns
    -------
    float32 array of shape (n_classes, n_features)

    Raises
    ------
    ParameterError
        When the encoder reads no text, or a template has no place for the name.
    """
    if encoder.texts is None:
        raise ParameterError(f"{encoder.name}: expected an encoder of texts; it reads images only.")
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
        t = encoder.texts([template.replace("{}", name) for name in names])
        t = t / np.linalg.norm(t, axis=1, keepdims=True)
        found = t if not found.size else found + t
    return (found / len(templates)).astype(np.float32)
