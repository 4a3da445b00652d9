"""Files from the drop zone: writing to disk and recognition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ui.intake import uploads
from zslcore.leakage.file_kinds import ENDINGS, RecognisedFile, grouped, recognise_file


@dataclass(frozen=True, eq=False)
class Sorted:
    """Files that are checked together: the recognised files on disk, and their uploads."""

    main: RecognisedFile
    companions: tuple[RecognisedFile, ...]
    file: BinaryIO
    others: tuple[BinaryIO, ...]

    @property
    def named(self) -> list[tuple[str, str]]:
        """(name, SHA-256) of each file."""
        return [(each.name, each.sha256) for each in (self.main, *self.companions)]

    @property
    def key(self) -> str:
        """Key of these files within the visit."""
        return uploads.key_of(self.file, *self.others)


def put_and_sort(files: Sequence[BinaryIO], folder: Path) -> list[Sorted]:
    """Write each file to its own folder, and group the files that are checked together.

    Raises FileRefusedError for a file that is not accepted.
    """
    uploaded = {}
    for k, file in enumerate(files):
        uploaded[recognise_file(uploads.put_one(file, folder / str(k), ENDINGS))] = file
    return [
        Sorted(of.main, of.others, uploaded[of.main], tuple(uploaded[each] for each in of.others))
        for of in grouped(list(uploaded))
    ]
