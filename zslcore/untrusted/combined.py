"""Arrays of several files, read as if they were in one file.

A folder of ``logits.npy`` and ``labels.npy`` is read like an archive of both arrays.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from zslcore.exceptions import FileRefusedError
from zslcore.texts import clean_text, listed
from zslcore.untrusted.client import (
    ARRAYS,
    DEFAULT_LIMITS,
    Contents,
    Limits,
    Role,
    Variables,
    look_into,
)
from zslcore.untrusted.readers.array_names import (
    CLASS_LISTS,
    LABEL_VARIABLES,
    PREDICTED,
    SCORE_VARIABLES,
    first_named,
)

#: Names by which an array of a folder is recognised.
ARRAY_NAMES = ({*SCORE_VARIABLES} - {"array", "scores"}) | {
    *LABEL_VARIABLES,
    *PREDICTED,
    *CLASS_LISTS,
}
#: Maximum number of files in a folder of arrays.
MAX_FILES = 12


@dataclass(frozen=True, eq=False)
class CombinedContents(Contents):
    """Arrays of several files; ``file_of`` maps each to the contents and the variable of a file.

    Matrices in ``transposed`` are transposed in their files.
    """

    file_of: Mapping[str, tuple[Contents, str]] = field(default_factory=dict)
    transposed: frozenset[str] = frozenset()

    def read(
        self,
        wanted: Mapping[str, Role],
        into: Path | None = None,
        *,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Variables:
        """Return variables by their roles, each from its file."""
        arrays: dict[str, np.ndarray] = {}
        names: dict[str, tuple[str, ...]] = {}
        for k, (variable, role) in enumerate(wanted.items()):
            contents, inner = self.file_of[variable]
            role = "columns" if variable in self.transposed and role == "rows" else role
            folder = None if into is None else into / str(k)
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
            read = contents.read({inner: role}, folder, limits=limits)
            arrays |= {variable: read.arrays[inner]} if inner in read.arrays else {}
            names |= {variable: read.names[inner]} if inner in read.names else {}
        return Variables(arrays, names)


def combine_arrays(
    path: Path, file_of: Mapping[str, tuple[Contents, str]], transposed: Collection[str] = ()
) -> CombinedContents:
    """Return arrays of several files under new names; messages name ``path`` as their source."""
    shapes: dict[str, tuple[int, ...] | None] = {}
    arrays: dict[str, np.ndarray] = {}
    refused: dict[str, str] = {}
    for new_name, (contents, name) in file_of.items():
        step = -1 if new_name in transposed else 1
        shapes[new_name] = (contents.shapes[name] or ())[::step] or None
        if contents.has(name):
            arrays[new_name] = (
                contents.arrays[name].T if new_name in transposed else contents.arrays[name]
            )
        if name in contents.refused:
            refused[new_name] = contents.refused[name]
    container = next(iter(file_of.values()))[0].container
    return CombinedContents(
        path, container, shapes, arrays, refused, file_of, frozenset(transposed)
    )


def look_into_folder(folder: Path, *, limits: Limits = DEFAULT_LIMITS) -> CombinedContents:
    """List the arrays of the files in a folder; a single array is named after its file.

    An array keeps its own name if this is a usual name of scores or labels and the name of the file
    is not. Raises a FileRefusedError for a folder without files, too many files, or two arrays with
    the same name.
    """
    name = clean_text(folder.resolve().name)
    files = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    titles = [clean_text(path.name, 60) for path in files]
    if not 0 < len(files) <= MAX_FILES or not all(path.is_file() for path in files):
        raise FileRefusedError(
            f"{name}: expected one file, or a folder of at most {MAX_FILES} files with one array "
            f"each, such as logits.npy and labels.npy; got {listed(titles) or 'no files'}."
        )
    file_of: dict[str, tuple[Contents, str]] = {}
    for path in files:
        contents = look_into(path, (*ARRAYS, "text"), limits=limits)
        for inner in contents.shapes:
            is_named = first_named([inner], ARRAY_NAMES) and not first_named(
                [path.stem], ARRAY_NAMES
            )
            variable = path.stem if len(contents.shapes) == 1 and not is_named else inner
            if variable in file_of:
                both = f"{file_of[variable][0].name} and {contents.name}"
                raise FileRefusedError(
                    f"{name}: expected one array called {clean_text(variable, 60)}; got one in "
                    f"each of {both}. Give one of the files."
                )
            file_of[variable] = contents, inner
    return combine_arrays(folder.resolve(), file_of)
