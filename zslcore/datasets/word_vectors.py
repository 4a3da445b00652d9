r"""Class embeddings from word vectors: the mean over the words of a class name.

.. math::
    s_c = \frac{1}{|W_c|} \sum_{w \in W_c} v_w

If the whole name has a vector, such as ``blue_whale``, that vector is used instead. Files are in
the text or binary format of word2vec, GloVe and fastText, or are an ``.npz`` or HDF5 with
``vectors`` and ``words``.

References
----------
T. Mikolov, I. Sutskever, K. Chen, G. Corrado, J. Dean, "Distributed representations of words and
phrases and their compositionality", NeurIPS 2013. J. Pennington, R. Socher, C. Manning, "GloVe:
Global vectors for word representation", EMNLP 2014.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from zslcore.names import spaced_name
from zslcore.storage import artifacts
from zslcore.texts import clean_text, expect, listed, refusal_of
from zslcore.untrusted.client import read_arrays, read_words

#: Suffixes of archives and of the binary format; other files are text.
ARCHIVES, BINARY = (".npz", ".h5", ".hdf5"), (".bin",)
#: Maximum number of classes without a vector that a message names.
MAX_LISTED = 5


def vectors_of_classes(path: str | os.PathLike[str], class_names: Sequence[str]) -> np.ndarray:
    """Return one vector per class, float32 of shape (n_classes, n_dimensions).

    Parameters
    ----------
    path : file of word vectors, read in the sandbox
    class_names : names in any spelling, such as "blue+whale" or "002.Laysan_Albatross"

    Raises
    ------
    FileRefusedError
        When the file is damaged or in another format, or a word of a class has no vector; the
        message names the first such classes.
    """
    path = Path(path)
    spellings = [_forms(name) for name in class_names]
    needed_words = {word for of_class in spellings for words in of_class for word in words}
    vectors = _read(path, needed_words)
    class_vectors, missing = [], []
    for name, (phrases, *words) in zip(class_names, spellings, strict=True):
        phrase_vector = _first(vectors, phrases)
        parts = (
            [phrase_vector]
            if phrase_vector is not None
            else [_first(vectors, forms) for forms in words]
        )
        present = [vector for vector in parts if vector is not None]
        if len(present) < len(parts) or not present:
            missing.append(name)
        else:
            class_vectors.append(np.mean(present, axis=0))
    if missing:
        missing_names = listed(
            [repr(clean_text(spaced_name(name), 60)) for name in missing], MAX_LISTED
        )
        raise refusal_of(path, "a vector for every word of each class", f"none for {missing_names}")
    return np.asarray(class_vectors, dtype=np.float32)


def _forms(name: str) -> list[tuple[str, ...]]:
    """Return spellings of the whole name, then of each word, the most likely first."""
    words = spaced_name(name).replace("-", " ").split()
    return [_spellings("_".join(words)), *(map(_spellings, words) if len(words) > 1 else ())]


def _spellings(word: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((word, word.lower(), word.capitalize(), word.title())))


def _first(vectors: Mapping[str, np.ndarray], words: Iterable[str]) -> np.ndarray | None:
    return next((vectors[word] for word in words if word in vectors), None)


def _read(path: Path, needed_words: set[str]) -> dict[str, np.ndarray]:
    """Return the vectors of ``needed_words`` in a file; words without a vector are left out."""
    if path.suffix.lower() not in ARCHIVES:
        return read_words(path, sorted(needed_words), binary=path.suffix.lower() in BINARY)
    with artifacts.scratch() as folder:
        read = read_arrays(path, {"vectors": "rows", "words": "names"}, folder)
        words, vectors = read.names["words"], read.arrays["vectors"]
        expected = f"one word for each of {len(vectors):,} vectors"
        expect(len(words) == len(vectors), path, expected, f"{len(words):,}")
        return {w: np.array(vectors[k]) for k, w in enumerate(words) if w in needed_words}
