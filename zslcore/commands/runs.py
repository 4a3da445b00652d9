"""``zslcore runs``: what has been computed, here and by other people.

Without a verb it lists all runs. KEY is what the list shows first; its beginning is enough.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from zslcore.analysis import stored_runs
from zslcore.analysis.stored_runs import (
    FORMATS,
    RunFilter,
    as_text,
    chosen,
    listed,
    oracle_keys,
    sorted_by,
)
from zslcore.commands.options import file_to_write, parquet_to_write, percent
from zslcore.evaluation import figures
from zslcore.evaluation.files import write_predictions
from zslcore.exceptions import ParameterError, UnknownNameError, closest_name
from zslcore.interactive.one_file import frame_line
from zslcore.printing import FORMATS as FORMATS_OF_PRINT
from zslcore.printing import WIDTHS, of_predictions, print_figure
from zslcore.results.imported import import_runs
from zslcore.results.store import HERE, KINDS, RUN, Result, ResultStore, StoredRun
from zslcore.storage.files import write_out
from zslcore.storage.tables import harmless_csv
from zslcore.version import stamped

if TYPE_CHECKING:
    from zslcore.evaluation import Predictions

    Run = Callable[[argparse.Namespace], object]


def shown() -> dict[str, str]:
    """Return the columns of the list and their headings."""
    return {
        "id": "key",
        "created": "made",
        "kind": "kind",
        "dataset": "data set",
        "split": "split",
        "method": "method",
        "tested": "tested on",
        "contender": "contender",
        "chosen_for": "chosen for",
        "seed": "seed",
        **figures.headings(printed=True),
        "origin": "origin",
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    verbs = parser.add_subparsers(metavar="VERB")
    listing = _verb(verbs, "list", list_runs, "list runs, newest first")
    _filters(listing)
    listing.add_argument("--json", action="store_true", help="rows as JSON, figures as fractions")
    parser.set_defaults(run=lambda _: list_runs(listing.parse_args([])))
    show = _verb(verbs, "show", show_run, "one run: its figures, and the command that repeats it")
    show.add_argument("key", metavar="KEY")
    show.add_argument("--json", action="store_true", help="everything as JSON")
    compare = _verb(verbs, "compare", compare_runs, "what differs between two runs")
    compare.add_argument("keys", metavar="KEY", nargs=2)
    compare.add_argument("--json", action="store_true", help="tables as JSON, all rows of them")
    export = _verb(verbs, "export", export_runs, "write runs as a table, or whole as JSON")
    export.add_argument("key", metavar="KEY", nargs="?", help="one run alone")
    _filters(export)
    export.add_argument(
        "--predictions",
        type=parquet_to_write,
        metavar="FILE",
        help="write the predictions of run KEY to a Parquet file",
    )
    export.add_argument(
        "--html", type=file_to_write, metavar="FILE", help="write the curve of run KEY as one page"
    )
    export.add_argument(
        "--figure",
        type=file_to_write,
        metavar="FILE",
        help=f"write run KEY for print: .{', .'.join(FORMATS_OF_PRINT)}",
    )
    export.add_argument("--panel", default="curve", help="of --figure: curve or classes")
    export.add_argument("--width-mm", type=float, default=WIDTHS[0], help="of --figure")
    export.add_argument("--font", default="sans", help="of --figure: sans or serif")
    export.add_argument("--format", default="csv", help=", ".join(FORMATS))
    export.add_argument(
        "--output", type=file_to_write, metavar="FILE", help="file to write, not the terminal"
    )
    delete = _verb(verbs, "delete", delete_runs, "delete runs")
    delete.add_argument("keys", metavar="KEY", nargs="+")
    bring = _verb(
        verbs, "import", import_file, "import results of another person, marked as imported"
    )
    bring.add_argument("file", metavar="FILE", help="what run --json or runs export wrote")
    bring.add_argument("--who", required=True, help="owner of the results")


def _verb(
    verbs: argparse._SubParsersAction[argparse.ArgumentParser], name: str, run: Run, text: str
) -> argparse.ArgumentParser:
    parser = verbs.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
    parser.set_defaults(run=run)
    return parser


def _filters(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    option("--kind", nargs="+", default=(), metavar="KIND", help=", ".join(KINDS))
    option("--dataset", nargs="+", default=(), metavar="NAME", help="only of these data sets")
    option("--split", nargs="+", default=(), metavar="NAME", help="only of these splits")
    option("--method", nargs="+", default=(), metavar="NAME", help="only of these methods")
    option("--since", metavar="DAY", help="only made on this day or later, 2026-01-31")
    option("--imported", action="store_true", help="only results of other people")
    option("--own", action="store_true", help="only results computed here")
    option("--sort", default="created", metavar="BY", help=", ".join(sorted_by()))
    option("--reverse", action="store_true", help="reverse the order")


def meant(args: argparse.Namespace, stored: Sequence[StoredRun]) -> list[StoredRun]:
    """Return the runs that the options name, in their order."""
    if args.imported and args.own:
        raise ParameterError("--imported and --own exclude each other; got both.")
    wanted = RunFilter(
        datasets=args.dataset,
        splits=args.split,
        methods=args.method,
        since=_day(args.since),
        imported=args.imported if args.imported or args.own else None,
    )
    wanted.check(stored)
    return listed(stored, wanted, args.sort, reverse=args.reverse)


def _all_runs() -> list[StoredRun]:
    """Return all runs; the number of unreadable ones goes to standard error."""
    store = ResultStore()
    runs = store.stored()
    if unreadable := store.unreadable(runs):
        sys.stderr.write(f"{unreadable}\n")
    return runs


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise ParameterError(f"--since: expected a day as 2026-01-31; got {text!r}.") from None


def list_runs(args: argparse.Namespace) -> object:
    """Return a line per run, and per row of other results."""
    runs, others, stored = _meant_of_all(args, LISTED)
    by_oracle = oracle_keys(stored)
    rows = [{"kind": RUN} | o.row() | {"chosen_for": chosen(o, by_oracle)} for o in runs]
    rows += [row for one in others for row in (one.table() if args.json else shown_rows(one))]
    table = pd.DataFrame(rows)
    if others and args.sort in table:
        ascending = sorted_by()[args.sort] == args.reverse
        table = table.sort_values(args.sort, ascending=ascending, kind="stable")
        if args.sort == "created":
            table = table.sort_values("origin", key=lambda of: of != HERE, kind="stable")
    if args.json:
        return table
    text = "No such run is stored." if stored else "No run is stored yet."
    if rows:
        text = _as_text(table[[name for name in shown() if name in table]])
    if not args.kind and (n := len(ResultStore().others(["action"]))):
        text += f"\n{n:,} fits of the study of actions: --kind action lists them."
    return text


#: Kinds that are listed without --kind: a study of actions has hundreds of fits.
LISTED = tuple(kind for kind in KINDS if kind != "action")
#: Rows of one result that a list shows; `runs show` prints all of them.
MOST_ROWS = 4


def _meant_of_all(
    args: argparse.Namespace, default: Sequence[str]
) -> tuple[list[StoredRun], list[Result], list[StoredRun]]:
    """Return the runs and the other results that the options name, and all runs."""
    for kind in args.kind:
        if kind not in KINDS:
            raise closest_name("kind of result", kind, KINDS)
    kinds, stored = args.kind or default, _all_runs()
    others = [one for one in ResultStore().others(kinds) if is_meant(args, one)]
    if RUN not in kinds:
        return [], others, stored
    try:
        return meant(args, stored), others, stored
    except UnknownNameError:  # of the runs: another result may have the name
        if others and args.sort in sorted_by():
            return [], others, stored
        raise


def is_meant(args: argparse.Namespace, one: Result) -> bool:
    """Whether the filters let a result of another kind than a run through."""
    table, since = one.table(), _day(args.since)
    filters = {"dataset": args.dataset, "split": args.split, "method": args.method}
    named = all(
        not names or any(row.get(column) in names for row in table)
        for column, names in filters.items()
    )
    return named and not args.imported and (since is None or one.created[:10] >= str(since))


def shown_rows(one: Result) -> list[dict[str, Any]]:
    """Return the rows that a list shows of a result: all, or one line where there are many."""
    rows = one.table()
    if len(rows) <= MOST_ROWS:
        return rows
    head = {name: rows[0].get(name) for name in ("kind", "id", "created", "origin")}
    return [head | one.about | {"tested": f"{len(rows)} rows, see runs show"}]


def _as_text(table: pd.DataFrame) -> str:
    """Write a table with its figures in percent."""
    written = table.copy()
    for name in figures.names(unit="fraction"):
        if name in written:
            written[name] = [percent(value) for value in written[name]]
    if "created" in written:
        written["created"] = written["created"].str.slice(0, 16)
    return written.rename(columns=shown()).to_string(index=False)


def show_run(args: argparse.Namespace) -> str:
    """Return the figures of a run, where it comes from and what repeats it."""
    one = ResultStore().find_any(args.key)
    if args.json:
        return one.to_json()
    if isinstance(one, Result):
        about = {"kind": one.kind, "key": one.key, "made": one.created} | one.about
        lines = [f"{name:<12} {value}" for name, value in about.items()]
        return "\n".join([*lines, _as_text(pd.DataFrame(one.rows))])
    result = one.result
    made = f"{result.created}, version {result.version} {result.commit}".rstrip()
    head = f"key          {one.id}\norigin       {one.origin}\nmade         {made}\n"
    return head + as_text(result, one.imported.who if one.imported else "")


def compare_runs(args: argparse.Namespace) -> str:
    """Return what differs between two runs: in the spec, in the figures, class by class."""
    store = ResultStore()
    first, second = (store.find(key) for key in args.keys)
    pair = first.result, second.result
    spec, compared = stored_runs.in_spec(*pair), stored_runs.in_figures(*pair)
    classes = stored_runs.by_class(*pair)
    if args.json:
        tables = {"spec": spec, "figures": compared, "classes": classes}
        parts = (
            f'"{name}": {table.to_json(orient="records", double_precision=15)}'
            for name, table in tables.items()
        )
        return "{" + ", ".join(parts) + "}"
    differs = spec[spec["differs"]].drop(columns="differs").map(_shortened)
    test = stored_runs.class_test(*pair)
    lines = [
        f"first   {first.id}  ({first.origin})\nsecond  {second.id}  ({second.origin})",
        *(f"Mind: {sentence}" for sentence in stored_runs.cautions(*pair)),
        _part("What differs", differs) if len(differs) else "\nThe same was run.",
        _part("Figures, percent", _in_percent(compared)),
        _part("Classes, percent, largest differences", _in_percent(classes.head(FEW))),
        *([f"\n{test.sentence}"] if test else []),
    ]
    return "\n".join(lines)


#: Classes that a comparison prints, and letters of a value; with --json all of them.
FEW, LETTERS = 10, 32


def _shortened(text: str) -> str:
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 3]}..."


def _in_percent(table: pd.DataFrame) -> pd.DataFrame:
    forms = {"first": ".1f", "second": ".1f", "difference": "+.1f"}
    texts = {name: [percent(value, form) for value in table[name]] for name, form in forms.items()}
    return table.assign(**texts)


def _part(title: str, table: pd.DataFrame) -> str:
    return f"\n{title}\n{table.to_string(index=False)}"


def export_runs(args: argparse.Namespace) -> None:
    """Write runs as CSV, JSON or LaTeX, or the predictions or a figure of one."""
    if args.predictions or args.html or args.figure:
        export_answers(args)
        return
    if args.format not in FORMATS:
        raise ParameterError(f"--format: expected {' or '.join(FORMATS)}; got {args.format!r}.")
    runs, others, stored = _meant_of_all(args, (RUN,))
    if args.key:
        runs, others = [ResultStore().find(args.key)], []
    if others and args.format != "csv":
        raise ParameterError(
            f"--format {args.format}: writes runs alone; got --kind {' '.join(args.kind)}. "
            "CSV writes every kind."
        )
    text = FORMATS[args.format](runs, oracle_keys(stored)) if not others else _as_csv(runs, others)
    if args.output:
        write_out(args.output, text)
    else:
        sys.stdout.write(text)


def _as_csv(runs: Sequence[StoredRun], others: Sequence[Result]) -> str:
    """Return one table of all kinds of results; accuracies are fractions."""
    rows = [{"kind": RUN} | one.row() for one in runs]
    rows += [row for one in others for row in one.table()]
    return harmless_csv(stamped(pd.DataFrame(rows)), index=False)


def export_answers(args: argparse.Namespace) -> None:
    """Write the predictions of one run to a file, its curve as one page, or a panel for print.

    Raises ParameterError without KEY, or where the run has no predictions in the store.
    """
    if not args.key:
        option = next(name for name in ("predictions", "html", "figure") if getattr(args, name))
        raise ParameterError(f"--{option}: expected the KEY of one run before it; got none.")
    store = ResultStore()
    one = store.find(args.key)
    found = None if one.imported else store.predictions(one.id)
    if found is None:
        raise ParameterError(
            f"{one.id}: no predictions are stored; `zslcore run --predictions FILE` makes them "
            "again."
        )
    if args.predictions:
        write_predictions(args.predictions, found)
    if args.html:
        write_out(args.html, found.page())
        line = frame_line(Path(args.html).name, f"Seen-unseen curve: {found.title}")
        print(f"{args.html} written. To show it on a page next to it:\n{line}")
    if args.figure:
        write_out(args.figure, figure_for_print(args, found))


def figure_for_print(args: argparse.Namespace, found: Predictions) -> bytes:
    """Return a panel of predictions for print, in the format of the file's ending."""
    form = Path(args.figure).suffix.lower().removeprefix(".")
    panel = of_predictions(found, args.panel)
    return print_figure(panel, width_mm=args.width_mm, font=args.font, form=form, title=found.title)


def delete_runs(args: argparse.Namespace) -> None:
    """Delete runs; all keys are looked up before any is deleted."""
    store = ResultStore()
    for one in [store.find_any(key) for key in args.keys]:
        store.delete(one.id)
        print(f"deleted {one.id}")


def import_file(args: argparse.Namespace) -> None:
    """Import results of another person."""
    found = import_runs(args.file, args.who, ResultStore())
    for one in found:
        spec: Any = one.result.spec
        print(f"{one.id}  {spec.method} on {spec.dataset}, split {spec.split}; {one.origin}")
    if any("validated" in (one.result.gamma_origin, one.result.params_origin) for one in found):
        print("What these results call validated is only stated: it cannot be checked here.")
