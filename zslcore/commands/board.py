"""Check a folder of results and write the board.

A folder holds one JSON per result. Every result is checked: whether its split is published
(recognised by the digests of its rows) and not a leaking release, how gamma was chosen, and whether
unseen classes are in the training set of the feature extractor. The metrics of x.json are
recomputed from the predictions in x.parquet, if this file exists. --add writes the JSON of a result
from a stored run (its key), from the output of `zslcore run --json` or `zslcore score --json`, or
from a file of predictions, which is copied next to the JSON. Exit status: 0, or 1 when a file is
refused. Example::

    zslcore board results --add 3f2c --who "A. Author" && zslcore board results --output board.html
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zslcore.commands.command import OptionGroup, command, option
from zslcore.commands.options import file_to_write
from zslcore.exceptions import FileRefusedError, ParameterError
from zslcore.numbers import counted
from zslcore.storage.files import open_atomically
from zslcore.texts import clean_text
from zslcore.untrusted.client import read_value

if TYPE_CHECKING:
    from zslcore.board.checking import Board
    from zslcore.board.entry import BoardEntry, Parameters
    from zslcore.evaluation.runs import RunResult


@command(
    option("folder [FOLDER]", "folder of results (default: the package's own)", type=Path),
    option("--output FILE...", "files to write: .html or .csv", type=file_to_write, default=[]),
    option(
        "--curves FOLDER",
        "write the curve of every result with predictions, linked in the .html of --output",
        type=Path,
    ),
    option("--check", "print refused files and a summary, but no board"),
    option("--add SOURCE", "key of a stored run, JSON of a run or of scores, or predictions"),
    OptionGroup(
        "with --add",
        (
            option("--who NAME", "author of the result"),
            option("--link URL", "address of a page about the result", default=""),
            option("--code URL", "address of the code", default=""),
            option("--features TEXT", "name of the features", default=""),
            option("--pretraining NAME...", "training set of the extractor, or none", default=[]),
        ),
    ),
    OptionGroup(
        "with --add of scores or predictions",
        (
            option("--method NAME", "name of the method (default: as stated in the predictions)"),
            option("--provenance TEXT", "source of the scores", default=""),
            option("--parameters-from {validated,given,oracle}", "how the parameters were chosen"),
            option(
                "--chosen-for {zsl,gzsl}",
                "with --parameters-from validated: task that parameters were chosen for",
                default="",
            ),
            option(
                "--param NAME=VALUE",
                "with --parameters-from: a parameter of the method",
                action="append",
                default=[],
            ),
            option(
                "--grid NAME=V,V",
                "with --parameters-from: values that were searched",
                action="append",
                default=[],
            ),
            option(
                "--seeds FILE...",
                "scores of the same model with different seeds",
                type=Path,
                default=[],
            ),
        ),
    ),
)
def run(args: argparse.Namespace) -> int:
    """Check a folder, write the board and report refused files."""
    from zslcore.board.checking import read_board
    from zslcore.board.table import as_text
    from zslcore.storage.files import FACTS, write_out

    writers = {path: _writer(path) for path in args.output}
    if args.add:
        _add(args)
    board = read_board(args.folder or FACTS / "board", recompute=True)
    if not (board.results or board.refused):
        raise FileRefusedError(f"{args.folder}: expected results as .json files; got none.")
    for why in board.refused.values():
        sys.stderr.write(f"zslcore: {why}\n")
    if args.curves is not None:
        _write_curves(args, board)
    for path, writer in writers.items():
        if args.curves is None or path.suffix.lower() != ".html":
            write_out(path, writer(board))
    if not writers and not args.check:
        print(as_text(board))
    print(_summary(board))
    return 1 if board.refused else 0


def _write_curves(args: argparse.Namespace, board: Board) -> None:
    """Write the curves of a board as pages, and the board with links to these pages."""
    from zslcore.board.table import address_of, board_html, write_curves
    from zslcore.commands.options import show_steps
    from zslcore.storage.files import FACTS, write_out

    boards = [path for path in args.output if path.suffix.lower() == ".html"]
    if not boards:
        raise ParameterError(
            "--curves: expected --output with a name that ends in .html; got none."
        )
    pages = write_curves(board, args.folder or FACTS / "board", args.curves, show_steps)
    show_steps()
    for path in boards:
        write_out(
            path, board_html(board, curves={k: address_of(v, path) for k, v in pages.items()})
        )
    print(f"{counted(len(pages), 'curve')} in {args.curves}")


def _summary(board: Board) -> str:
    """Return the number of results in total, by split and by overlap."""
    from zslcore.evaluation.verification import State

    kinds = [result.split_kind for result in board.results]
    states = [result.overlap_word for result in board.results]
    splits = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(sorted(kinds)))
    overlap = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(sorted(states)))
    total = f"{counted(len(board.results), 'result')} (splits: {splits or 'none'}; overlap: "
    verified = sum(result.state is State.VERIFIED for result in board.results)
    verified_clause = f", {verified} verified" if verified else ""
    refused = f"{len(board.refused)} refused"
    return f"{total}{overlap or 'none'}){verified_clause}, {refused}, files {board.digest}"


def _writer(path: Path) -> Callable[[Board], str]:
    """Return the writer for the ending of a file name."""
    from zslcore.board.table import as_csv, board_html

    writer_of_ending: dict[str, Callable[[Board], str]] = {".html": board_html, ".csv": as_csv}
    if path.suffix.lower() not in writer_of_ending:
        expected = "--output: expected a name that ends in .html or .csv"
        raise ParameterError(f"{expected}; got {path.name!r}.")
    return writer_of_ending[path.suffix.lower()]


def _add(args: argparse.Namespace) -> None:
    from zslcore.board.making import add_entry

    if args.folder is None or not args.who:
        missing = "--who" if args.folder else "FOLDER"
        raise ParameterError(f"--add: expected {missing} as well; got none.")
    _require_origin(args)
    path = add_entry(_entry(args), args.folder)
    print(f"added {path}")
    if _is_predictions(Path(args.add)):
        with open_atomically(path.with_suffix(".parquet")) as file:
            file.write(Path(args.add).read_bytes())


def _require_origin(args: argparse.Namespace) -> None:
    """Refuse options that need --parameters-from."""
    for name in ("chosen_for", "param", "grid"):
        if getattr(args, name) and not args.parameters_from:
            raise ParameterError(
                f"--{name.replace('_', '-')}: expected --parameters-from as well; got none."
            )


def _is_predictions(path: Path) -> bool:
    from zslcore.evaluation.predictions_file import is_predictions

    return path.is_file() and is_predictions(path)


def _entry(args: argparse.Namespace) -> BoardEntry:
    """Return the entry of a stored run, of the JSON of a run, or of evaluated scores."""
    from zslcore.board.making import entry_of_run, entry_of_scores
    from zslcore.datasets import load
    from zslcore.results.store import ResultStore

    stated: dict[str, Any] = {"who": args.who, "link": args.link, "features": args.features}
    stated |= {"pretraining": tuple(args.pretraining), "code": args.code}
    if not Path(args.add).is_file():
        _require_scores(args)
        result = ResultStore().find(args.add).result
        return entry_of_run(result, load(result.spec.dataset), **stated)
    values = _scores(Path(args.add))
    if "spec" in values:
        _require_scores(args)
        result = _result(values, Path(args.add).name)
        return entry_of_run(result, load(result.spec.dataset), **stated)
    method = _method(args.method, values.get("method", ""))
    if not method or not args.provenance:
        missing = "--provenance" if method else "--method"
        raise ParameterError(f"--add: expected {missing} for scores; got none.")
    return entry_of_scores(
        values,
        method=method,
        provenance=args.provenance,
        parameters=_parameters(args),
        other_seeds=[_scores(path) for path in args.seeds],
        **stated,
    )


def _method(name: str | None, stated: str) -> str:
    """Return the method of the scores, which predictions may state."""
    if name and stated and name not in (stated, stated.partition("@")[0]):
        raise ParameterError(
            f"--method: expected the method of the predictions, {clean_text(repr(stated), 60)}; "
            f"got {clean_text(repr(name), 60)}."
        )
    return stated or name or ""


def _require_scores(args: argparse.Namespace) -> None:
    """Refuse options for scores, since the spec of a run states their values."""
    for name in ("parameters_from", "seeds"):
        if getattr(args, name):
            raise ParameterError(
                f"--{name.replace('_', '-')}: expected scores or predictions; got a run, which "
                "states this value in its spec."
            )


def _parameters(args: argparse.Namespace) -> Parameters | None:
    """Return the choice of parameters; None without --parameters-from."""
    from zslcore.board.entry import Parameters
    from zslcore.commands.run import read_param, read_values

    if not args.parameters_from:
        return None
    params = dict(map(read_param, args.param))
    return Parameters(args.parameters_from, args.chosen_for, params, read_values(args.grid))


def _scores(path: Path) -> dict[str, Any]:
    """Return the JSON of a file, or the metrics of predictions."""
    if not _is_predictions(path):
        return _json(path)
    from zslcore.scores.judging import judge_predicted
    from zslcore.scores.predicted import read_predicted

    predicted = read_predicted(path)
    metrics: dict[str, Any] = json.loads(judge_predicted(predicted).to_json())
    return metrics | {"method": predicted.predictions.provenance.method}


def _json(path: Path) -> dict[str, Any]:
    """Read an object from a JSON file."""
    from zslcore.results.run_files import MAX_BYTES, MAX_VALUES

    values = read_value(path, "JSON", max_bytes=MAX_BYTES, max_items=MAX_VALUES)
    if not isinstance(values, dict):
        raise FileRefusedError(f"{path.name}: expected the JSON of one run or of one score file.")
    return values


def _result(values: dict[str, Any], name: str) -> RunResult:
    from zslcore.results.run_files import checked_runs

    (result,) = checked_runs(values, name)
    return result
