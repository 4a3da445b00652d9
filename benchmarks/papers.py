"""Tables and figures of the papers on any data sets, with the printed values and ours.

    python -m benchmarks.papers DATASET ... [--only NAME ...] [--seeds N] [--jobs N] [--report]

DATASET is the name of an imported or embedded data set. Missing runs are computed, and finished
runs of ``zslcore reproduce`` are reused. ``--report`` computes nothing and writes the finished
cells. Output files in ``benchmarks/results/`` are ``papers.csv``, with one row per cell, and
``papers.md``. ``--ship`` instead updates the precomputed cells, which ``zslcore reproduce`` prints
if there are no features: cells of the named tables are replaced, and all other cells stay.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pandas as pd

from benchmarks.measuring import markdown_table, write_results
from zslcore.analysis.papers.experiments.experiment import Experiment, TablePart, widen_table
from zslcore.analysis.papers.experiments.reproducing import (
    EXPERIMENTS,
    configure_experiment,
    reproduce,
)
from zslcore.analysis.papers.experiments.runs import RunsExperiment
from zslcore.commands.options import show_status
from zslcore.commands.reproduce import heading, show_part
from zslcore.results.planning import SEEDS, RunPlan, first_specs
from zslcore.results.shipped import cached_dataset
from zslcore.results.store import ResultStore
from zslcore.storage.files import FACTS

#: Tables and figures that are computed by default.
DEFAULT_TABLES = (
    *("gbu:table3", "gbu:table6", "gbu:figure3", "gbu:figure4"),
    *("cal:table2", "cal:figure1", "cal:figure3"),
)
MEASURED = FACTS / "measured" / "papers.csv"
#: Columns of the cells in the package.
SHIPPED = ["experiment", "dataset", "method", "at", "cell"]
SHIPPED += ["ours", "std", "low", "high", "seeds", "key"]
INTRO = """# Tables and figures of the papers, with printed and our values

`{command}` writes this file and `papers.csv`.

Times are stored with the runs or paths that a table uses: wall seconds, one thread each. A run in
several tables counts in each of them.
"""


def parts_of(experiment: Experiment, args: argparse.Namespace) -> list[TablePart]:
    """Return the parts of the table of an experiment."""
    rows = experiment.check_methods(args.method)
    return [TablePart(names, rows, args.seeds) for names in experiment.parts(args.datasets)]


def finished(parts: Sequence[TablePart], experiment: Experiment) -> pd.DataFrame:
    """Return the cells that need no more runs."""
    tables = [experiment.table(part) for part in parts]
    return pd.concat(tables, ignore_index=True).dropna(subset=["ours"])


def fit_seconds(
    parts: Sequence[TablePart], experiment: Experiment, table: pd.DataFrame
) -> dict[str, float]:
    """Return the wall seconds of all stored runs and paths used in a table, by key."""
    store = ResultStore()
    if not isinstance(experiment, RunsExperiment):
        paths = (path for path in store.study_results(["path"]) if path.key in set(table["key"]))
        return {path.key: path.about["seconds"] for path in paths if "seconds" in path.about}
    seconds = {}
    for part in parts:
        for data in map(cached_dataset, part.datasets):
            for cell in experiment.cells_of(data):
                for method in part.methods:
                    chosen = (cell.select_for,), experiment.params_of(method), experiment.features
                    specs = first_specs(data, cell.split, method, *chosen)
                    plan = RunPlan(specs, part.seeds, experiment.choices)
                    seconds |= {run.key: run.seconds for run in plan.stored_runs(specs[0], store)}
    return seconds


def section(name: str, args: argparse.Namespace) -> tuple[str, pd.DataFrame]:
    """Return the section of ``papers.md`` for a table or figure, and its cells."""
    experiment = configure_experiment(name, on=args.on)
    parts = parts_of(experiment, args)
    table = finished(parts, experiment)
    seconds = fit_seconds(parts, experiment, table)
    about = argparse.Namespace(
        experiment=name, dataset=args.datasets, seeds=args.seeds, draws=parts[0].draws
    )
    shown = widen_table(table, experiment).astype(str)
    n, total = len(seconds), sum(seconds.values())
    timed = f"{n} run{'s'[: n > 1]} or path{'s'[: n > 1]}, {total:,.0f} s." if n else ""
    lines = [f"## {name}", "", heading(about, experiment, table), timed, ""]
    lines += markdown_table([*shown], shown.itertuples(index=False)) if len(table) else ["Not run."]
    return "\n".join([*lines, ""]), table.assign(experiment=name, seconds=table["key"].map(seconds))


def ship(cells: pd.DataFrame, on: str, path: Path = MEASURED) -> None:
    """Write cells into the file of cells in the package.

    Parameters
    ----------
    cells : cells of whole tables; they replace the same tables on the same data
    on : split for curves over lambda; a validation split has separate rows
    path : file to write
    """
    new = cells.loc[cells["key"] != "", SHIPPED]
    if on != "test":
        new = new.assign(experiment=new["experiment"] + f", {on}")
    text = {"dtype": str, "keep_default_na": False}  # keep the digits as written
    new = pd.read_csv(StringIO(new.to_csv(index=False)), **text)
    stored = pd.read_csv(path, **text)
    key_columns = ["experiment", "dataset"]
    is_kept = ~pd.MultiIndex.from_frame(stored[key_columns]).isin(
        pd.MultiIndex.from_frame(new[key_columns])
    )
    shipped = pd.concat([stored[is_kept], new], ignore_index=True)
    shipped.to_csv(path, index=False, lineterminator="\n")


def command_of(args: argparse.Namespace) -> str:
    """Return the command that reproduces the results, without default options."""
    words = [*args.datasets]
    words += ["--only", *args.only] if args.only != DEFAULT_TABLES else []
    words += ["--method", *args.method] if args.method else []
    words += ["--on", args.on] if args.on != "test" else []
    words += ["--seeds", str(args.seeds)] if args.seeds != SEEDS else []
    return f"python -m benchmarks.papers {shlex.join(words)}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("datasets", nargs="+", metavar="DATASET")
    parser.add_argument(
        "--only", nargs="+", default=DEFAULT_TABLES, choices=EXPERIMENTS, metavar="NAME"
    )
    parser.add_argument("--method", nargs="+", default=(), help="methods to run (all)")
    parser.add_argument(
        "--seeds", type=int, default=SEEDS, help=f"seeds of stochastic methods ({SEEDS})"
    )
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time, with a thread each")
    parser.add_argument("--on", default="test", choices=["test", "validation"])
    parser.add_argument("--report", action="store_true", help="write finished cells only")
    parser.add_argument("--ship", action="store_true", help="write data/measured/papers.csv alone")
    args = parser.parse_args(arguments)
    for name in () if args.report else args.only:
        sys.stderr.write(f"{name}\n")
        reproduce(
            name,
            args.datasets,
            args.method,
            seeds=args.seeds,
            jobs=args.jobs,
            on=args.on,
            on_done=show_part,
            on_status=show_status,
        )
    texts, tables = zip(*(section(name, args) for name in args.only), strict=True)
    intro = INTRO.format(command=command_of(args))
    cells = pd.concat(tables, ignore_index=True)
    if args.ship:
        ship(cells, args.on)
    else:
        write_results("papers", "\n".join([intro, *texts]), cells)


if __name__ == "__main__":
    main()
