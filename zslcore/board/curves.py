"""The curve of every row of a board as a page of one file, which the board links."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote

from zslcore.board.checking import Board
from zslcore.board.recomputing import predictions_of_entry, read_predictions_of
from zslcore.storage.files import write_out


def write_curves(
    board: Board,
    folder: Path,
    target: Path,
    on_progress: Callable[[int, int], None] | None = None,
) -> Mapping[str, Path]:
    """Write a page for each result that has predictions with a curve.

    Parameters
    ----------
    board : of the folder
    folder : of the results
    target : folder of the pages
    on_progress : called with the results done and all of them

    Returns
    -------
    Mapping from the file of a result to its page
    """
    pages: dict[str, Path] = {}
    for done, one in enumerate(board.results, 1):
        file = predictions_of_entry(folder / one.file, one.entry)
        if file is not None:
            found = read_predictions_of(file)
            if found.test.has_curve:
                page = target / f"{Path(one.file).stem}.html"
                write_out(page, found.page(f"{one.entry.method} on {one.entry.data.name}"))
                pages[one.file] = page
        if on_progress:
            on_progress(done, len(board.results))
    return pages


def address_of(page: Path, board: Path) -> str:
    """Return the address of a page from a board, relative to its folder.

    Parameters
    ----------
    page, board : files
    """
    return quote(Path(os.path.relpath(page.absolute(), board.absolute().parent)).as_posix())
