"""The command line, ``zslcore`` or ``python -m zslcore``: to open the app, run, import and audit.

One function adds one command. Whatever the package or the system refuses is one sentence on
standard error and exit code 2; the libraries a command needs are imported when it runs.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args, get_type_hints

from zslcore import settings
from zslcore.exceptions import ZSLError

if TYPE_CHECKING:
    from zslcore.datasets import ZSLDataset
    from zslcore.evaluation import Predictions
    from zslcore.runs import RunResult, RunSpec

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["main"]


def add_import(commands: Subparsers) -> None:
    """``import``: read a data set from files, for good."""
    parser = commands.add_parser(
        "import",
        help="import a data set from files",
        description="Import a data set: a folder in the xlsa17 layout (res101.mat, "
        "att_splits.mat), features of your own as .npz, HDF5 or CSV, or the archives of UCF101 and "
        "HMDB51 (labels, word vectors and random splits).",
    )
    parser.add_argument(
        "source",
        metavar="FOLDER",
        help="folder in the xlsa17 layout, the standard_split in it, or a file",
    )
    parser.add_argument(
        "--features", metavar="F", help="file of features, in FOLDER or any path (res101.mat)"
    )
    parser.add_argument(
        "--splits", metavar="S", help="file of splits, in FOLDER or any path (att_splits.mat)"
    )
    parser.add_argument(
        "--prototypes",
        metavar="P",
        help="class embeddings in place of a folder's att, or beside a file: CSV with a column "
        "class; for a folder also .mat, .npz or HDF5",
    )
    parser.add_argument(
        "--embedding", metavar="E", help="which of several in that file, as word2vec"
    )
    parser.add_argument(
        "--unseen",
        metavar="CLASS",
        nargs="+",
        help="unseen classes of a file: names or numbers, or a file of them",
    )
    parser.add_argument("--name", metavar="N", help="name to import it under")
    parser.set_defaults(run=run_import)


def run_import(args: argparse.Namespace) -> None:
    """Import what ``args.source`` holds and print what it is."""
    from zslcore.datasets.action_files import holds_actions
    from zslcore.datasets.door import listed_classes
    from zslcore.datasets.importing import import_dataset
    from zslcore.exceptions import ParameterError
    from zslcore.files import folder_of, path_of

    of_file, of_folder = ("unseen",), ("features", "splits", "embedding")
    if holds_actions(Path(args.source)):  # features have a file of their own, splits have not
        of_file, of_folder = ("features",), ("unseen", "splits", "embedding")
    for option in of_folder if Path(args.source).is_file() else of_file:
        if getattr(args, option) is not None:
            kind = "file" if option in of_folder else "folder"
            raise ParameterError(f"--{option} means nothing for a {kind}; got {args.source}.")
    options = {key: getattr(args, key) for key in ("name", "prototypes", *of_file, *of_folder)}
    given = {key: value for key, value in options.items() if value is not None}
    folder = folder_of(args.source)
    for key in {"features", "splits", "prototypes"} & {*given}:
        given[key] = str(path_of(given[key], folder))
    if "unseen" in given:
        given["unseen"] = listed_classes(given["unseen"], folder)
    print_dataset(import_dataset(args.source, **given))


def add_download(commands: Subparsers) -> None:
    """``download``: fetch a public archive and import its data sets."""
    parser = commands.add_parser(
        "download",
        help="download and import public data",
        description="Download a public archive (xlsa17: 0.9 GB) and import its data sets.",
    )
    parser.add_argument("archive", metavar="NAME", help="xlsa17")
    parser.add_argument("--only", metavar="SET", nargs="+", help="import these data sets only")
    parser.set_defaults(run=run_download)


def run_download(args: argparse.Namespace) -> None:
    """Fetch an archive, unpack what is known in it and import every data set."""
    from zslcore.datasets.download import archives, fetch, unpack
    from zslcore.datasets.xlsa17 import read_xlsa17

    path = fetch(args.archive, show_progress)
    archive = archives()[args.archive]
    print(f"{archive.title}\n{archive.citation}\n{archive.licence}\n")
    print(f"archive   {path}\nSHA-256   {archive.known_sha256()}\n")
    for folder in unpack(archive, path, path.parent / archive.name, args.only).values():
        print_dataset(read_xlsa17(folder))


def show_progress(done: int, total: int) -> None:
    """Rewrite one line on standard error."""
    share = f" of {total / 1e6:,.0f} MB, {done / total:.0%}" if total else " MB"
    sys.stderr.write(f"\r{done / 1e6:,.0f}{share} " + ("\n" if done == total else ""))
    sys.stderr.flush()


def print_dataset(data: ZSLDataset) -> None:
    """Print what a data set holds, one fact a line."""
    from zslcore.datasets.benchmarks import benchmark_of

    n, d = data.features.shape
    print(f"{data.name}")
    print(f"  images    {n:,} x {d:,} features")
    print(f"  classes   {data.n_classes} x {data.prototypes.shape[1]} attributes")
    print(f"  benchmark {benchmark_of(data) or 'none that is known'}, by its classes")
    print(f"  digest    {data.digest}")
    for split in data.splits.values():
        print(
            f"  {split.name:9} {len(split.seen_classes)} seen and "
            f"{len(split.unseen_classes)} unseen classes; {len(split.trainval):,} trainval, "
            f"{len(split.test_seen):,} test seen, "
            f"{len(split.test_unseen):,} test unseen rows; {len(split.folds)} folds"
        )
        print(f"            {split.note}")


def add_run(commands: Subparsers) -> None:
    """``run``: choose on folds, fit, look at the test set once."""
    parser = commands.add_parser(
        "run",
        help="run a method on a data set",
        description="Choose what is not given on the folds, fit on trainval, look at the test set "
        "once. The result is printed and kept in the run store.",
    )
    option = parser.add_argument
    option("--dataset", default="digits", help="name of the data set (digits)")
    option("--split", help="name of the split (PS, or the only one there is)")
    option("--method", required=True, help="name of the method, for example ESZSL")
    option("--param", metavar="NAME=VALUE", action="append", default=[], help="give a parameter")
    option("--grid", metavar="NAME=V,V", action="append", default=[], help="search these values")
    option("--gamma", type=float, help="give the calibration gamma")
    option("--select-for", default="gzsl", help="what parameters are chosen for: gzsl or zsl")
    option("--features", default="l2", help="scaling of features: none, l2 or zscore")
    option("--prototypes", default="l2", help="scaling of prototypes: none, l2 or binary")
    option("--seed", type=int, default=0, help="seed of stochastic methods and of held-out rows")
    option("--dask", default="", metavar="ADDRESS", help="Dask cluster that makes the run")
    option("--no-oracle", action="store_true", help="do not sweep the grid on the test set")
    option("--no-store", action="store_true", help="do not keep the result")
    option("--predictions", type=Path, metavar="FILE", help="write what every image is answered")
    option("--json", action="store_true", help="print everything as JSON instead of a table")
    parser.set_defaults(run=run_run)


def run_run(args: argparse.Namespace) -> None:
    """Run what ``args`` specify, print and keep the result."""
    from zslcore.datasets import load
    from zslcore.evaluation import write_predictions
    from zslcore.mending import refusal_of
    from zslcore.run_listing import as_text
    from zslcore.runs import RunSpec, RunStore

    dataset = load(args.dataset)
    fields = ("dataset", "method", "gamma", "select_for", "features", "prototypes", "seed")
    spec = RunSpec(
        split=dataset.split(args.split).name,
        params=read_params(args.method, args.param),
        grid=read_grid(args.method, args.grid),
        **{name: getattr(args, name) for name in fields},
    )
    store = RunStore()
    if not args.no_store and (refusal := refusal_of(store)):
        print(f"The result will be shown and not kept. {refusal}", file=sys.stderr)
    result, predictions = executed(spec, dataset, args.dask, not args.no_oracle)
    show_steps()
    print(result.to_json() if args.json else as_text(result), flush=True)
    if not args.no_store:
        store.keep(result)
    if store.unkept:
        print(f"The result is not kept. {store.unkept}", file=sys.stderr)
    if args.predictions is not None:
        write_predictions(args.predictions, predictions)


def executed(
    spec: RunSpec, dataset: ZSLDataset, dask: str, with_oracle: bool
) -> tuple[RunResult, Predictions]:
    """Return the result of a spec and its predictions, made here or by a Dask cluster."""
    from dataclasses import replace

    from zslcore.evaluation.running import execute_with_predictions
    from zslcore.jobs.run import Progress

    if dask:
        return elsewhere(replace(spec, digest=dataset.digest), dask, with_oracle)
    progress = Progress(spec, dataset, show_steps, with_oracle=with_oracle)
    return execute_with_predictions(
        spec,
        dataset,
        with_oracle=with_oracle,
        on_progress=progress.on_fit,
        on_epoch=progress.on_epoch,
    )


def elsewhere(spec: RunSpec, dask: str, with_oracle: bool) -> tuple[RunResult, Predictions]:
    """Return what a worker of a Dask cluster makes of a spec; he has to have the same data."""
    from joblib import delayed

    from zslcore.evaluation.running import execute_with_predictions
    from zslcore.large.engine import Engine, parallel

    with parallel(Engine(dask=dask), 1, "list") as work:
        (done,) = work([delayed(execute_with_predictions)(spec, with_oracle=with_oracle)])
    return done


def read_params(method: str, texts: Sequence[str]) -> dict[str, bool | float | int | str]:
    """Read every ``NAME=VALUE``; a word that the method knows stays one, even if it is ``01``."""
    from zslcore.methods import get_method

    hints = get_type_hints(get_method(method).__init__)
    params = {}
    for text in texts:
        name, value = read_param(text)
        word = text.partition("=")[2]
        params[name] = word if word in get_args(hints.get(name)) else value
    return params


def read_param(text: str) -> tuple[str, bool | float | int | str]:
    """Read ``NAME=VALUE``; a value that is a number, True or False becomes one."""
    from zslcore.exceptions import ParameterError

    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ParameterError(f"--param: expected NAME=VALUE; got {text!r}.")
    return name, read_value(value)


def read_value(text: str) -> bool | float | int | str:
    """Return the number, True or False that a text means, else the text."""
    if text in ("True", "False"):
        return text == "True"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def read_grid(
    method: str, texts: Sequence[str]
) -> dict[str, tuple[bool | float | str, ...]] | None:
    """Read ``NAME=V,V``: these values are searched instead of the method's own."""
    from zslcore.exceptions import ParameterError
    from zslcore.methods import get_method

    grid = dict(get_method(method).param_grid)
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not name or not values:
            raise ParameterError(f"--grid: expected NAME=VALUE,VALUE; got {text!r}.")
        grid[name] = tuple(read_value(value) for value in values.split(","))
    return grid if texts else None


def show_steps(done: float = 0, total: float = 0, message: str = "") -> None:
    """Rewrite one line on standard error, where somebody sees it; without a message clear it."""
    if sys.stderr.isatty():
        line = f"{done / total:4.0%}  {message}" if message and total else message
        sys.stderr.write(f"\r{line:100}\r" if message else f"{'':100}\r")
        sys.stderr.flush()


def named(dataset: ZSLDataset) -> str:
    """Return which data these are, and whether a camera took them."""
    return f"{dataset.name}{', simulated' if dataset.simulated else ''}, data {dataset.digest}"


def add_compare(commands: Subparsers) -> None:
    """``compare``: many methods on several data sets, ranked."""
    parser = commands.add_parser(
        "compare",
        help="compare methods on several data sets, and rank them",
        description="Make the runs that the run store does not hold, parameters chosen on the "
        "folds, then rank the methods over all data sets and splits. What is stopped goes on where "
        "it stopped.",
    )
    option = parser.add_argument
    option("--dataset", nargs="+", default=["digits"], help="names of data sets (digits)")
    option("--split", nargs="+", default=["PS"], help="names of splits (PS)")
    option("--method", nargs="+", help="names of methods (all inductive ones)")
    option("--select-for", default="gzsl", choices=["gzsl", "zsl"], help="what parameters serve")
    option("--figure", default="H at gamma", help="zsl, u, s, H, or one of these 'at gamma'")
    option("--per", default="class", choices=["class", "sample"], help="mean per class or sample")
    option("--folds", action="store_true", help="also what each fold alone would choose")
    option("--jobs", type=int, default=2, help="runs at a time (2)")
    option("--dask", default="", metavar="ADDRESS", help="Dask cluster that shares our data folder")
    option("--json", action="store_true", help="print every figure as JSON instead of a table")
    parser.set_defaults(run=run_compare)


def run_compare(args: argparse.Namespace) -> None:
    """Make what is missing, then print every figure and the ranks."""
    from zslcore.analysis import comparison
    from zslcore.datasets import load
    from zslcore.jobs import compare
    from zslcore.methods import METHODS
    from zslcore.runs import RunStore

    methods = args.method or [name for name, m in METHODS.items() if not m.card.joint_space]
    datasets = {name: load(name) for name in args.dataset}
    digests = {name: data.digest for name, data in datasets.items()}
    spec = comparison.ComparisonSpec(digests, tuple(args.split), tuple(methods), args.select_for)
    choices: list[comparison.Choice] = ["folds"] if args.folds else []
    store = RunStore()
    todo = comparison.missing(spec, datasets, store, choices)
    for done, (run, refused) in enumerate(compare.make(todo, choices, args.jobs, args.dask), 1):
        show_steps(done, len(todo), f"{run.method} on {run.dataset}")
        if refused:
            print(f"{run.method} on {run.dataset}, split {run.split}: {refused}", file=sys.stderr)
    show_steps()
    found = comparison.occasions(
        spec,
        datasets,
        store,
        args.figure,
        choice="folds" if args.folds else "validated",
        average=args.per,
        n_draws=400,
    )
    if args.json:
        rows = found.table().assign(
            digest=lambda table: table["dataset"].map(digests),
            simulated=lambda table: [datasets[name].simulated for name in table["dataset"]],
        )
        print(rows.to_json(orient="records"))
        return
    for data in datasets.values():
        print(f"on {named(data)}")
    print(f"{args.figure}, mean per {args.per}, parameters chosen for {args.select_for}")
    print(comparison.as_text(found))


def add_leak_cost(commands: Subparsers) -> None:
    """``leak-cost``: what leaks of a split cost methods, in points."""
    parser = commands.add_parser(
        "leak-cost",
        help="measure what leaks cost, in points",
        description="Fit methods with a leak and without, on the same test images: trained on "
        "test images of seen classes, as train_loc and val_loc of PS v1 have them (training); "
        "parameters chosen on such folds (selection); trained on other rows of the photographs "
        "that test images are cut from (photographs).",
    )
    option = parser.add_argument
    option("--dataset", default="digits", help="name of the data set (digits)")
    option("--split", help="name of the split (PS, or the only one there is)")
    option("--method", nargs="+", required=True, help="names of methods")
    option("--leak", nargs="+", default=(), help="which leaks (all that the split can show)")
    option("--given", action="store_true", help="default parameters, none chosen on the folds")
    option("--json", action="store_true", help="print everything as JSON instead of tables")
    parser.set_defaults(run=run_leak_cost)


def run_leak_cost(args: argparse.Namespace) -> None:
    """Measure what leaks cost, and print it."""
    from zslcore.analysis import leak_cost
    from zslcore.datasets import load
    from zslcore.methods import get_method

    dataset = load(args.dataset)
    split = dataset.split(args.split)
    methods = [get_method(name)() for name in args.method]
    found = []
    for method in methods:
        found += leak_cost.costs(
            method,
            dataset,
            split,
            args.leak,
            choose=not args.given,
            on_progress=show_steps,
        )
    show_steps()
    if args.json:
        rows = leak_cost.table(found).assign(
            dataset=dataset.name,
            split=split.name,
            digest=dataset.digest,
            simulated=dataset.simulated,
        )
        print(rows.to_json(orient="records", double_precision=15))
        return
    print(f"on {named(dataset)}, split {split.name}")
    print(leak_cost.as_text(found))


def add_runs(commands: Subparsers) -> None:
    """Add ``runs``: what has been computed."""
    from zslcore.commands.runs import add_parser

    add_parser(commands)


def add_reproduce(commands: Subparsers) -> None:
    """``reproduce``: run an experiment of the papers."""
    from zslcore.commands.reproduce import add_parser

    add_parser(commands)


def add_score(commands: Subparsers) -> None:
    """``score``: judge score matrices from elsewhere."""
    from zslcore.commands.score import add_parser

    add_parser(commands)


def add_board(commands: Subparsers) -> None:
    """``board``: check a folder of results, and write them as one table."""
    from zslcore.commands.board import add_parser

    add_parser(commands)


def add_extract(commands: Subparsers) -> None:
    """``extract``: turn images into features."""
    from zslcore.commands.extract import add_parser

    add_parser(commands)


def add_shards(commands: Subparsers) -> None:
    """Add ``shards``: features that do not fit into memory."""
    from zslcore.commands.shards import add_parser

    add_parser(commands)


def add_large_scale(commands: Subparsers) -> None:
    """Add ``large-scale``: methods on the nine ImageNet test sets."""
    from zslcore.commands.large_scale import add_parser

    add_parser(commands)


def add_claims(commands: Subparsers) -> None:
    """``claims``: whether statements of the papers hold."""
    from zslcore.commands.claims import add_parser

    add_parser(commands)


def add_contamination(commands: Subparsers) -> None:
    """``contamination``: which extractors have seen classes of which test sets."""
    from zslcore.commands.contamination import add_parser

    add_parser(commands)


def add_doctor(commands: Subparsers) -> None:
    """Add ``doctor``: whether everything that is kept is as it should be."""
    from zslcore.commands.doctor import add_parser

    add_parser(commands)


def add_audit(commands: Subparsers) -> None:
    """``audit``: look for leaks in a split."""
    from zslcore.leakage.cli import add_parser

    add_parser(commands)


def add_app(commands: Subparsers) -> None:
    """``app``: open the app in the browser."""
    from zslcore.commands.app import add_parser

    add_parser(commands)


def add_methods(commands: Subparsers) -> None:
    """``methods``: the table of methods, made from their cards."""
    parser = commands.add_parser(
        "methods",
        help="list the methods",
        description="Print the table of methods, made from their cards.",
    )
    parser.add_argument("--write", action="store_true", help="renew the table in README.md")
    parser.set_defaults(run=run_methods)


def run_methods(args: argparse.Namespace) -> None:
    """Print the table of methods, or put it between its marks in the README."""
    from zslcore.methods import markdown_table

    table = markdown_table()
    print(table)
    if args.write:
        readme = Path("README.md")
        before, _, rest = readme.read_text(encoding="utf-8").partition(TABLE_MARKS[0])
        after = rest.partition(TABLE_MARKS[1])[2]
        marked = f"{before}{TABLE_MARKS[0]}\n{table}\n{TABLE_MARKS[1]}{after}"
        readme.write_text(marked, encoding="utf-8")


TABLE_MARKS = ("<!-- methods -->", "<!-- /methods -->")
COMMANDS = (
    *(add_app, add_run, add_compare, add_runs, add_reproduce, add_import, add_download),
    *(
        add_extract,
        add_methods,
        add_audit,
        add_leak_cost,
        add_claims,
        add_score,
        add_board,
        add_shards,
        add_large_scale,
        add_doctor,
        add_contamination,
    ),
)


class TellVersion(argparse.Action):
    """Tells the version, which is asked for only then: in a checkout that is a question to git."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print the version and end."""
        from zslcore.version import version

        print(version())
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, 1 when an audit found what it guards against, 2 when refused."""
    prog = "zslcore" if Path(sys.argv[0]).stem == "zslcore" else "python -m zslcore"
    parser = argparse.ArgumentParser(prog=prog, description=__doc__.split("\n")[0])
    parser.add_argument("--version", action=TellVersion, nargs=0, help="tell the version and end")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for add in COMMANDS:
        add(commands)
    args = parser.parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name of a file may be no text
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        settings.check()
        ended = args.run(args) or 0
        sys.stdout.flush()  # what cannot be written would fail after the end otherwise
    except ZSLError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        return _refused_by_system(error)
    return int(ended)


def _refused_by_system(error: OSError) -> int:
    """Say in one sentence what the system refuses; a reader that left, as `head`, is no error."""
    from zslcore.files import refusal

    reader_left = isinstance(error, BrokenPipeError)
    if not reader_left:
        print(refusal(error, wish="read or write"), file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:  # the interpreter would try again at its end, and print a traceback
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0 if reader_left else 2


if __name__ == "__main__":
    sys.exit(main())
