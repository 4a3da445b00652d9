"""``python -m zslcore runs``: what has been computed, here and by other people.

Without a verb it lists all runs. KEY is what the list shows first; its beginning is enough.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

import pandas as pd

from zslcore.analysis import run_comparison
from zslcore.analysis.run_listing import (
    FORMATS,
    SORTED_BY,
    RunFilter,
    as_text,
    chosen,
    listed,
    peeked,
)
from zslcore.evaluation.imported_runs import import_runs
from zslcore.evaluation.store import KeptRun, RunStore
from zslcore.exceptions import ParameterError
from zslcore.storage.files import write_out

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]
    Run = Callable[[argparse.Namespace], None]

__all__ = ["add_parser"]

#: Column of a run's row -> heading of the list.
SHOWN = {
    "id": "key",
    "created": "made",
    "dataset": "data set",
    "split": "split",
    "method": "method",
    "chosen_for": "chosen for",
    "seed": "seed",
    "zsl": "ZSL",
    "plain_unseen": "u",
    "plain_seen": "s",
    "plain_harmonic": "H",
    "calibrated_harmonic": "H cal.",
    "ausuc": "AUSUC",
    "origin": "origin",
}
FIGURES = ("zsl", "plain_unseen", "plain_seen", "plain_harmonic", "calibrated_harmonic", "ausuc")


def add_parser(commands: Subparsers) -> None:
    """Add the command ``runs`` with its verbs to the command line of the package."""
    text = "list, compare, export, delete and import runs"
    parser = commands.add_parser("runs", help=text, description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
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
    _filters(export)
    export.add_argument("--format", default="csv", help=", ".join(FORMATS))
    export.add_argument("--output", metavar="FILE", help="file to write, not the terminal")
    delete = _verb(verbs, "delete", delete_runs, "forget runs")
    delete.add_argument("keys", metavar="KEY", nargs="+")
    bring = _verb(verbs, "import", import_file, "keep results of somebody else, marked as such")
    bring.add_argument("file", metavar="FILE", help="what run --json or runs export wrote")
    bring.add_argument("--who", required=True, help="whose results these are")


def _verb(verbs: Subparsers, name: str, run: Run, text: str) -> argparse.ArgumentParser:
    parser = verbs.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
    parser.set_defaults(run=run)
    return parser


def _filters(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    option("--dataset", nargs="+", default=(), metavar="NAME", help="only of these data sets")
    option("--split", nargs="+", default=(), metavar="NAME", help="only of these splits")
    option("--method", nargs="+", default=(), metavar="NAME", help="only of these methods")
    option("--since", metavar="DAY", help="only made on this day or later, 2026-01-31")
    option("--imported", action="store_true", help="only results of other people")
    option("--own", action="store_true", help="only results computed here")
    option("--sort", default="created", metavar="BY", help=", ".join(SORTED_BY))
    option("--reverse", action="store_true", help="the other way round")


def meant(args: argparse.Namespace, kept: Sequence[KeptRun]) -> list[KeptRun]:
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
    wanted.check(kept)
    return listed(kept, wanted, args.sort, reverse=args.reverse)


def _kept() -> list[KeptRun]:
    """Return all runs; those that cannot be read are counted aloud."""
    store = RunStore()
    kept = store.kept()
    if unreadable := store.unreadable(kept):
        sys.stderr.write(f"{unreadable}\n")
    return kept


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise ParameterError(f"--since: expected a day as 2026-01-31; got {text!r}.") from None


def list_runs(args: argparse.Namespace) -> None:
    """Print a line a run."""
    kept = _kept()
    runs, by_oracle = meant(args, kept), peeked(kept)
    rows = pd.DataFrame([one.row() | {"chosen_for": chosen(one, by_oracle)} for one in runs])
    if args.json:
        print(rows.to_json(orient="records", double_precision=15))
    elif not runs:
        print("No such run is kept." if kept else "No run is kept yet.")
    else:
        print(_as_text(rows[[name for name in SHOWN if name in rows]].rename(columns=SHOWN)))


def _as_text(table: pd.DataFrame) -> str:
    """Write a table with its figures in percent."""
    shown = table.copy()
    for name in (SHOWN[figure] for figure in FIGURES):
        if name in shown:
            shown[name] = [_percent(value) for value in shown[name]]
    if "made" in shown:
        shown["made"] = shown["made"].str.slice(0, 16)
    return shown.to_string(index=False)


def _percent(value: float | None, form: str = ".1f") -> str:
    return "-" if value is None or pd.isna(value) else f"{100 * value:{form}}"


def show_run(args: argparse.Namespace) -> None:
    """Print the figures of a run, where it comes from and what repeats it."""
    one = RunStore().find(args.key)
    if args.json:
        print(one.to_json())
        return
    result = one.result
    made = f"{result.created}, version {result.version} {result.commit}".rstrip()
    print(f"key          {one.id}\norigin       {one.origin}\nmade         {made}")
    print(as_text(result, one.imported.who if one.imported else ""))


def compare_runs(args: argparse.Namespace) -> None:
    """Print what differs between two runs: in the spec, in the figures, class by class."""
    store = RunStore()
    first, second = (store.find(key) for key in args.keys)
    pair = first.result, second.result
    spec, figures = run_comparison.in_spec(*pair), run_comparison.in_figures(*pair)
    classes = run_comparison.by_class(*pair)
    if args.json:
        tables = {"spec": spec, "figures": figures, "classes": classes}
        parts = (
            f'"{name}": {table.to_json(orient="records", double_precision=15)}'
            for name, table in tables.items()
        )
        print("{" + ", ".join(parts) + "}")
        return
    print(f"first   {first.id}  ({first.origin})\nsecond  {second.id}  ({second.origin})")
    for sentence in run_comparison.cautions(*pair):
        print(f"Mind: {sentence}")
    differs = spec[spec["differs"]].drop(columns="differs").map(_shortened)
    print(_part("What differs", differs) if len(differs) else "\nThe same was run.")
    print(_part("Figures, percent", _in_percent(figures)))
    test = run_comparison.class_test(*pair)
    print(_part("Classes, percent, largest differences", _in_percent(classes.head(FEW))))
    if test is not None:
        print(f"\n{test.sentence}")


#: Classes that a comparison prints, and letters of a value; with --json all of them.
FEW, LETTERS = 10, 32


def _shortened(text: str) -> str:
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 3]}..."


def _in_percent(table: pd.DataFrame) -> pd.DataFrame:
    forms = {"first": ".1f", "second": ".1f", "difference": "+.1f"}
    texts = {name: [_percent(value, form) for value in table[name]] for name, form in forms.items()}
    return table.assign(**texts)


def _part(title: str, table: pd.DataFrame) -> str:
    return f"\n{title}\n{table.to_string(index=False)}"


def export_runs(args: argparse.Namespace) -> None:
    """Write runs as CSV, JSON or LaTeX."""
    if args.format not in FORMATS:
        raise ParameterError(f"--format: expected {' or '.join(FORMATS)}; got {args.format!r}.")
    kept = _kept()
    text = FORMATS[args.format](meant(args, kept), peeked(kept))
    if args.output:
        write_out(args.output, text)
    else:
        sys.stdout.write(text)


def delete_runs(args: argparse.Namespace) -> None:
    """Forget runs; all keys are looked up before any is deleted."""
    store = RunStore()
    for one in [store.find(key) for key in args.keys]:
        store.delete(one.id)
        print(f"deleted {one.id}")


def import_file(args: argparse.Namespace) -> None:
    """Keep results of somebody else."""
    for line in _told(import_runs(args.file, args.who, RunStore())):
        print(line)


def _told(found: Sequence[KeptRun]) -> Iterator[str]:
    for one in found:
        spec: Any = one.result.spec
        yield f"{one.id}  {spec.method} on {spec.dataset}, split {spec.split}; {one.origin}"
    if any("validated" in (one.result.gamma_origin, one.result.params_origin) for one in found):
        yield "What these results call validated is as stated: it cannot be checked here."
