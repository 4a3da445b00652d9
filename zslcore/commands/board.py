"""``python -m zslcore board FOLDER``: check a folder of results and write the board.

A folder holds one JSON a result. Every file is checked: is the split known by the digests of its
rows, is it a release that leaks (v1), how was gamma found, were unseen classes among those that the
feature extractor was trained on. --check computes the figures of x.json again from the predictions
x.parquet next to it, where there are any. The command ends with 1 when a file is refused. --add
writes such a file: of a stored run (by its key), of what `zslcore run --json` wrote, or of
what `zslcore score --json` wrote.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zslcore.datasets.sandbox.client import read_value
from zslcore.exceptions import FileRefusedError, ParameterError

if TYPE_CHECKING:
    from zslcore.board import Board, BoardEntry
    from zslcore.evaluation.runs import RunResult

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_parser"]


def add_parser(commands: Subparsers) -> None:
    """Add the command ``board`` to the command line of the package."""
    text = "check a folder of results and write the board"
    parser = commands.add_parser("board", help=text, description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    option = parser.add_argument
    option("folder", nargs="?", type=Path, metavar="FOLDER", help="results (the shipped ones)")
    option("--output", nargs="+", default=[], type=Path, metavar="FILE",
           help="files to write: .html, .csv or .tex")  # fmt: skip
    option(
        "--check",
        action="store_true",
        help="recompute results that have predictions; print refused files only",
    )
    option("--add", metavar="WHAT", help="key of a stored run, or a JSON of a run or of scores")
    option("--who", help="with --add: owner of the result")
    option("--link", default="", help="with --add: address of a page about it")
    option("--features", default="", help="with --add: which features")
    option("--pretraining", nargs="+", default=[], metavar="NAME",
           help="with --add: what the extractor was trained on, or none")  # fmt: skip
    option("--method", help="with --add of scores: name of the method")
    option("--provenance", default="", help="with --add of scores: where they come from")
    parser.set_defaults(run=run_board)


def run_board(args: argparse.Namespace) -> int:
    """Check a folder, write the board and report refused files."""
    from zslcore.board import read_board
    from zslcore.board.table import as_text
    from zslcore.storage.files import FACTS, write_out

    forms = {path: _form(path) for path in args.output}
    if args.add:
        _add(args)
    board = read_board(args.folder or FACTS / "board", recompute=True)
    for why in board.refused.values():
        sys.stderr.write(f"{why}\n")
    for path, form in forms.items():
        write_out(path, form(board))
    if not forms and not args.check:
        print(as_text(board))
    print(_summary(board))
    return 1 if board.refused else 0


def _summary(board: Board) -> str:
    """Return how many results there are, by split and by overlap."""
    from zslcore.evaluation import State

    kinds = [one.split.kind for one in board.results]
    states = [one.contamination.state for one in board.results]
    splits = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(sorted(kinds)))
    overlap = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(sorted(states)))
    found = f"{len(board.results)} results (splits: {splits or 'none'}; overlap: "
    verified = sum(one.state is State.VERIFIED for one in board.results)
    again = f", {verified} verified" if verified else ""
    return f"{found}{overlap or 'none'}){again}, {len(board.refused)} refused, files {board.digest}"


def _form(path: Path) -> Callable[[Board], str]:
    """Return what writes the kind of file that a name ends like."""
    from zslcore.board.as_html import to_html
    from zslcore.board.table import as_csv, as_latex

    forms: dict[str, Callable[[Board], str]] = {".html": to_html, ".csv": as_csv, ".tex": as_latex}
    if path.suffix.lower() not in forms:
        raise ParameterError(f"--output: expected a name that ends in .html, .csv or .tex; "
                             f"got {path.name!r}.")  # fmt: skip
    return forms[path.suffix.lower()]


def _add(args: argparse.Namespace) -> None:
    from zslcore.board.making import add_entry

    if args.folder is None or not args.who:
        missing = "--who" if args.folder else "FOLDER"
        raise ParameterError(f"--add: expected {missing} with it; got none.")
    print(f"added {add_entry(_entry(args), args.folder)}")


def _entry(args: argparse.Namespace) -> BoardEntry:
    """Return the entry of a stored run, of a run's JSON or of judged scores."""
    from zslcore.board.making import entry_of_run, entry_of_scores
    from zslcore.datasets import load
    from zslcore.results.store import ResultStore

    given: dict[str, Any] = {"who": args.who, "link": args.link, "features": args.features}
    given["pretraining"] = tuple(args.pretraining)
    if not Path(args.add).is_file():
        result = ResultStore().find(args.add).result
        return entry_of_run(result, load(result.spec.dataset), **given)
    values = _json(Path(args.add))
    if "spec" in values:
        result = _result(values, Path(args.add).name)
        return entry_of_run(result, load(result.spec.dataset), **given)
    if not args.method or not args.provenance:
        missing = "--provenance" if args.method else "--method"
        raise ParameterError(f"--add: expected {missing} for scores; got none.")
    return entry_of_scores(values, method=args.method, provenance=args.provenance, **given)


def _json(path: Path) -> dict[str, Any]:
    """Read an object from a JSON file."""
    from zslcore.results.imported import MAX_BYTES, MAX_VALUES

    values = read_value(path, "JSON", max_bytes=MAX_BYTES, most=MAX_VALUES)
    if not isinstance(values, dict):
        raise FileRefusedError(f"{path.name}: expected the JSON of one run or of one score file.")
    return values


def _result(values: dict[str, Any], name: str) -> RunResult:
    from zslcore.results.imported import checked_runs

    ((result, _),) = checked_runs(values, name)
    return result
