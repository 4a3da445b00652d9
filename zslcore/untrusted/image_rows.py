"""Rows of the same images in two files that both name their images."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from itertools import product

import numpy as np

from zslcore.exceptions import FileRefusedError
from zslcore.names import squeeze
from zslcore.texts import clean_text, refusal_of


def rows_by_image(
    images: Mapping[str, np.ndarray], listed: Mapping[str, np.ndarray], file: str, source: str
) -> list[int] | None:
    """Return the row of each image in another file; None if no column names the images in both.

    ``images`` and ``listed`` have columns by title. Two columns are compared if one of them
    contains texts, if their titles are equal, or if the first has no title. They name the images if
    no value repeats and some values are in both. Raises FileRefusedError if an image is not listed,
    or if columns of names with the same title have no name in common; the message names ``file``
    and ``source``, the file of the images.
    """
    other_names = ""
    for (title, column), (name, values) in product(images.items(), listed.items()):
        are_texts = "U" in (column.dtype.kind, values.dtype.kind)
        if not are_texts and squeeze(title) not in ("", squeeze(name)):
            continue
        for shorten in (_image_name, _file_name, _bare_name):  # paths may begin in another folder
            keys = [shorten(image) for image in column.tolist()]
            row_of = {shorten(image): row for row, image in enumerate(values.tolist())}
            missing = [image for image in keys if image not in row_of]
            are_named = values.dtype.kind == "U" and squeeze(title) == squeeze(name) != ""
            if len({*keys}) == len(keys) and len(row_of) < len(values) and are_named:
                repeated = next(
                    i for i, n in Counter(map(shorten, values.tolist())).items() if n > 1
                )
                got = f"{clean_text(repeated, 60)!r} more than once"
                raise refusal_of(f"{file}, {clean_text(name, 40)}", "every image once", got)
            if len(row_of) < len(values) or len({*keys}) < len(keys) or len(missing) == len(keys):
                continue
            if missing:
                raise refusal_of(
                    file, f"every image of {source}", f"none called {clean_text(missing[0], 60)!r}"
                )
            return [row_of[image] for image in keys]
        texts = [column, values] if title and squeeze(title) == squeeze(name) else []
        if texts and all(len({*c.tolist()}) == len(c) and c.dtype.kind == "U" for c in texts):
            other_names = name
    if other_names:
        raise FileRefusedError(
            f"{file}, {clean_text(other_names, 40)}: expected the image names of {source}; got "
            "other names."
        )
    return None


def _image_name(image: object) -> str:
    """Return a name or number as text."""
    return str(int(image) if isinstance(image, float) and image.is_integer() else image)


def _file_name(image: object) -> str:
    """Return the last part of a path."""
    return re.split(r"[/\\]", _image_name(image))[-1]


def _bare_name(image: object) -> str:
    """Return the last part of a path without its suffix and leading zeros, in lower case."""
    return re.sub(r"^0+(?=\d)|\.[a-z]\w{1,4}$", "", _file_name(image).lower())
