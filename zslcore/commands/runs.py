"""List, show, compare, export and delete stored runs; without a verb, list all.

KEY is the first column of the list; the first characters of a key are enough. Example::

    zslcore runs list --dataset digits --sort ausuc
    zslcore runs export --format latex --output runs.tex
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from zslcore.analysis import stored_runs
from zslcore.analysis.stored_runs import (
    FORMATS,
    RunFilter,
    as_text,
    oracle_keys,
    runs_as_csv,
    select_runs,
    sort_orders,
    sort_results,
    tabulate_results,
)
from zslcore.commands.command import Option, Output, command, option
from zslcore.commands.options import JSON, file_to_write, parquet_to_write
from zslcore.evaluation import registry
from zslcore.evaluation.predictions_file import write_predictions
from zslcore.exceptions import ParameterError, UnknownNameError, closest_name
from zslcore.interactive.one_file import frame_line
from zslcore.numbers import bare_percent, counted
from zslcore.printing import FORMATS as FORMATS_OF_PRINT
from zslcore.printing import WIDTHS, prediction_panel, print_figure
from zslcore.results.store import KINDS, RUN, Result, ResultStore, StoredRun
from zslcore.storage.files import write_out

if TYPE_CHECKING:
    from zslcore.evaluation.predictions import Predictions


def list_columns() -> dict[str, str]:
    """Return the columns of the list and their headings."""
    return {
        "id": "key",
        "created": "created",
        "kind": "kind",
        "dataset": "data set",
        "split": "split",
        "method": "method",
        "tested": "tested on",
        "contender": "contender",
        "chosen_for": "chosen for",
        "seed": "seed",
        **registry.headings(printed=True),
        "origin": "origin",
    }


#: Options that choose runs.
FILTERS: tuple[Option, ...] = (
    option("--kind KIND...", f"only these kinds of results: {', '.join(KINDS)}", default=()),
    option("--dataset NAME...", "only these data sets", default=()),
    option("--split NAME...", "only these splits", default=()),
    option("--method NAME...", "only these methods", default=()),
    option("--since DAY", "only runs from this day or later, such as 2026-01-31"),
    option("--own", "only results computed here"),
    option("--sort BY", f"column to sort by: {', '.join(sort_orders())}", default="created"),
    option("--reverse", "reverse the order"),
)


def _all_runs() -> list[StoredRun]:
    """Return all runs; write the number of unreadable runs to standard error."""
    store = ResultStore()
    runs = store.stored()
    if unreadable := store.unreadable(runs):
        sys.stderr.write(f"{unreadable}\n")
    return runs


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise ParameterError(f"--since: expected a day such as 2026-01-31; got {text!r}.") from None


@command(*FILTERS, JSON)
def list_runs(args: argparse.Namespace) -> Output:
    """List runs, newest first.

    Example::

        zslcore runs list --dataset digits --sort ausuc
    """
    runs, other_results, stored = _selected_and_all(args, LISTED)
    more = [
        row
        for result in other_results
        for row in (result.table() if args.json else shown_rows(result))
    ]
    table = tabulate_results(runs, more, oracle_keys(stored))
    table = sort_results(table, args.sort, reverse=args.reverse)
    text = "No such run is stored." if stored else "No run is stored yet."
    if len(table):
        text = _as_text(table[[name for name in list_columns() if name in table]])
    if not args.kind and (n := len(ResultStore().study_results(["action"]))):
        text += f"\n{counted(n, 'fit')} of the action study; list them with --kind action."
    return Output(text, table)


#: Kinds listed without --kind: all except "action", since a study of actions has hundreds of fits.
LISTED = tuple(kind for kind in KINDS if kind != "action")
#: Maximum number of rows of a result in the list; `runs show` prints all rows.
MOST_ROWS = 4


def _selected_and_all(
    args: argparse.Namespace, default: Sequence[str]
) -> tuple[list[StoredRun], list[Result], list[StoredRun]]:
    """Return the runs and the study results chosen by the options, and all runs."""
    for kind in args.kind:
        if kind not in KINDS:
            raise closest_name("kind of result", kind, KINDS)
    kinds, stored = args.kind or default, _all_runs()
    run_filter = RunFilter(args.dataset, args.split, args.method, _day(args.since), args.own)
    other_results = [result for result in ResultStore().study_results(kinds) if run_filter(result)]
    if RUN not in kinds:
        return [], other_results, stored
    try:
        run_filter.check(stored)
        return (
            select_runs(stored, run_filter, args.sort, reverse=args.reverse),
            other_results,
            stored,
        )
    except UnknownNameError:  # no run has this name, but a study result may
        if other_results and args.sort in sort_orders():
            return [], other_results, stored
        raise


def shown_rows(result: Result) -> list[dict[str, Any]]:
    """Return the rows of a result for the list; more than the maximum become one summary row."""
    rows = result.table()
    if len(rows) <= MOST_ROWS:
        return rows
    shared_columns = {name: rows[0].get(name) for name in ("kind", "id", "created", "origin")}
    return [shared_columns | result.about | {"tested": f"{len(rows)} rows: see runs show"}]


def _as_text(table: pd.DataFrame) -> str:
    """Format a table with its metrics in percent."""
    written = table.copy()
    for name in registry.metric_names(unit="fraction"):
        if name in written:
            written[name] = [bare_percent(value) for value in written[name]]
    if "created" in written:
        written["created"] = written["created"].str.slice(0, 16)
    return written.rename(columns=list_columns()).to_string(index=False)


@command(option("key KEY", "key of the run"), JSON)
def show_run(args: argparse.Namespace) -> Output:
    """Show one run: its metrics, its origin and the command that repeats it.

    Example::

        zslcore runs show 3f2c
    """
    entry = ResultStore().find_any(args.key)
    if isinstance(entry, Result):
        about = {"kind": entry.kind, "key": entry.key, "created": entry.created} | entry.about
        lines = [f"{name:<12} {value}" for name, value in about.items()]
        return Output("\n".join([*lines, _as_text(pd.DataFrame(entry.rows))]), entry.to_json)
    result = entry.result
    created = f"{result.created}, version {result.version} {result.commit}".rstrip()
    head = f"key          {entry.id}\norigin       {entry.origin}\ncreated      {created}\n"
    return Output(head + as_text(result), entry.to_json)


@command(option("keys KEY", "keys of two runs", nargs=2), JSON)
def compare_runs(args: argparse.Namespace) -> Output:
    """Compare two runs: their specs, their metrics and their classes.

    Example::

        zslcore runs compare 3f2c 81ab
    """
    store = ResultStore()
    first, second = (store.find(key) for key in args.keys)
    pair = first.result, second.result
    spec, compared = stored_runs.compare_specs(*pair), stored_runs.compare_metrics(*pair)
    classes = stored_runs.compare_classes(*pair)
    tables = {"spec": spec, "metrics": compared, "classes": classes}
    values = {
        name: json.loads(table.to_json(orient="records", double_precision=15))
        for name, table in tables.items()
    }
    differs = spec[spec["differs"]].drop(columns="differs").map(_shorten)
    test = stored_runs.class_test(*pair)
    lines = [
        f"first   {first.id}  ({first.origin})\nsecond  {second.id}  ({second.origin})",
        *(f"Note: {sentence}" for sentence in stored_runs.cautions(*pair)),
        _part("Differences of the specs", differs) if len(differs) else "\nThe specs are the same.",
        _part("Metrics, in percent", _in_percent(compared)),
        _part("Classes with the largest differences, in percent", _in_percent(classes.head(FEW))),
        *([f"\n{test.sentence}"] if test else []),
    ]
    return Output("\n".join(lines), values)


#: Limits of a printed comparison: number of classes, and length of a value; --json has no limits.
FEW, LETTERS = 10, 32


def _shorten(text: str) -> str:
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 3]}..."


def _in_percent(table: pd.DataFrame) -> pd.DataFrame:
    formats = {"first": ".1f", "second": ".1f", "difference": "+.1f"}
    texts = {
        name: [bare_percent(value, number_format) for value in table[name]]
        for name, number_format in formats.items()
    }
    named = table.assign(**texts)
    return named.replace("γ", "gamma", regex=True)


def _part(title: str, table: pd.DataFrame) -> str:
    return f"\n{title}\n{table.to_string(index=False)}"


@command(
    option("key [KEY]", "only this run"),
    *FILTERS,
    option("--predictions FILE", "write the predictions of run KEY", type=parquet_to_write),
    option("--html FILE", "write the curve of run KEY as one page", type=file_to_write),
    option(
        "--figure FILE",
        f"write a figure of run KEY for print: .{', .'.join(FORMATS_OF_PRINT)}",
        type=file_to_write,
    ),
    option("--panel PANEL", "with --figure: curve or classes (curve)", default="curve"),
    option(
        "--width-mm MM",
        f"with --figure: width in mm ({WIDTHS[0]:g})",
        type=float,
        default=WIDTHS[0],
    ),
    option("--font FONT", "with --figure: sans or serif (sans)", default="sans"),
    option("--format FORMAT", f"{', '.join(FORMATS)} (csv)", default="csv"),
    option("--output FILE", "file to write (the terminal)", type=file_to_write),
)
def export_runs(args: argparse.Namespace) -> None:
    """Write runs as a table, or one run as predictions, page or figure.

    Example::

        zslcore runs export --format latex --output runs.tex
        zslcore runs export 3f2c --figure curve.pdf
    """
    if args.predictions or args.html or args.figure:
        export_predictions(args)
        return
    if args.format not in FORMATS:
        formats = ", ".join(FORMATS)
        raise ParameterError(f"--format: expected one of {formats}; got {args.format!r}.")
    runs, other_results, stored = _selected_and_all(args, (RUN,))
    if args.key:
        runs, other_results = [ResultStore().find(args.key)], []
    if other_results and args.format != "csv":
        raise ParameterError(
            f"--format {args.format}: expected runs; got --kind {' '.join(args.kind)}. "
            "Use --format csv for every kind of result."
        )
    if other_results:
        text = runs_as_csv(
            runs, oracle_keys(stored), [row for result in other_results for row in result.table()]
        )
    else:
        text = FORMATS[args.format](runs, oracle_keys(stored))
    if args.output:
        write_out(args.output, text)
    else:
        sys.stdout.write(text)


def export_predictions(args: argparse.Namespace) -> None:
    """Write the predictions of one run to a file, its curve as one page, or a panel for print.

    Raises ParameterError without KEY, or for a run without stored predictions.
    """
    if not args.key:
        option = next(name for name in ("predictions", "html", "figure") if getattr(args, name))
        raise ParameterError(f"--{option}: expected the KEY of one run; got none.")
    store = ResultStore()
    run = store.find(args.key)
    predictions = store.predictions(run.id)
    if predictions is None:
        raise ParameterError(
            f"{run.id}: no predictions are stored; `zslcore run --predictions FILE` writes them."
        )
    if args.predictions:
        write_predictions(args.predictions, predictions)
    if args.html:
        write_out(args.html, predictions.page())
        line = frame_line(Path(args.html).name, f"Seen-unseen curve: {predictions.title}")
        print(f"{args.html} written. To embed it in a page in the same folder:\n{line}")
    if args.figure:
        write_out(args.figure, figure_for_print(args, predictions))


def figure_for_print(args: argparse.Namespace, predictions: Predictions) -> bytes:
    """Return a panel of predictions for print, in the format of the file's ending."""
    file_format = Path(args.figure).suffix.lower().removeprefix(".")
    panel = prediction_panel(predictions, args.panel)
    return print_figure(
        panel, width_mm=args.width_mm, font=args.font, form=file_format, title=predictions.title
    )


@command(option("keys KEY...", "keys of runs"))
def delete_runs(args: argparse.Namespace) -> None:
    """Delete runs; with an unknown key, delete none.

    Example::

        zslcore runs delete 3f2c 81ab
    """
    store = ResultStore()
    for result in [store.find_any(key) for key in args.keys]:
        store.delete(result.id)
        print(f"deleted {result.id}")


def run(_: argparse.Namespace) -> object:
    """List all runs."""
    parser = argparse.ArgumentParser()
    list_runs.add_to(parser, "")
    return list_runs.run(parser.parse_args([]))


VERBS = {
    "list": list_runs,
    "show": show_run,
    "compare": compare_runs,
    "export": export_runs,
    "delete": delete_runs,
}
