"""``zslcore compare``: many methods on several data sets, ranked.

Make the runs that the run store does not hold, parameters chosen on the folds, then rank the
methods over all data sets and splits. What is stopped goes on where it stopped.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from zslcore.commands.options import METHOD, named, show_steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from zslcore.datasets import ZSLDataset
    from zslcore.results.planning import Plan
    from zslcore.results.store import ResultStore


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    option("--dataset", nargs="+", default=["digits"], help="names of data sets (digits)")
    option("--split", nargs="+", help="names of splits (PS, or the only one of a data set)")
    option("--method", nargs="+", metavar="METHOD", help=f"{METHOD} (all of the package)")
    option("--select-for", default="gzsl", choices=["gzsl", "zsl"], help="what parameters serve")
    option("--figure", default="H at gamma", help="zsl, u, s, H, or one of these 'at gamma'")
    option("--per", default="class", choices=["class", "sample"], help="mean per class or sample")
    option("--folds", action="store_true", help="also what each fold alone would choose")
    option("--jobs", type=int, default=2, help="runs at a time (2)")
    option("--dask", default="", metavar="ADDRESS", help="Dask cluster that shares our data folder")
    option("--json", action="store_true", help="print every figure as JSON instead of a table")


def run(args: argparse.Namespace) -> str | pd.DataFrame:
    """Make what is missing, then return every figure and the ranks."""
    from zslcore.analysis import comparison
    from zslcore.evaluation import plugins
    from zslcore.exceptions import ParameterError
    from zslcore.methods import METHODS
    from zslcore.results.planning import Choice
    from zslcore.results.store import ResultStore

    for option in ("dataset", "split", "method"):
        given = getattr(args, option) or []
        if twice := [each for k, each in enumerate(given) if each in given[:k]]:
            raise ParameterError(f"--{option}: expected each once; got {twice[0]!r} again.")
    methods = [plugins.register(each) for each in args.method or ()]
    methods = methods or [name for name, m in METHODS.items() if m.card.in_default_comparison]
    datasets = {name: _known(name) for name in args.dataset}
    digests = {name: data.digest for name, data in datasets.items()}
    splits = args.split or dict.fromkeys(data.split().name for data in datasets.values())
    spec = comparison.ComparisonSpec(digests, tuple(splits), tuple(methods), args.select_for)
    choices: list[Choice] = ["folds"] if args.folds else []
    store = ResultStore()
    plan = spec.plan(datasets, choices)
    _make(plan, store, args, datasets)
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
        return found.table().assign(
            digest=lambda table: table["dataset"].map(digests),
            simulated=lambda table: [datasets[name].simulated for name in table["dataset"]],
        )
    lines = [f"on {named(data)}" for data in datasets.values()]
    lines.append(f"{args.figure}, mean per {args.per}, parameters chosen for {args.select_for}")
    return "\n".join([*lines, comparison.as_text(found)])


def _known(name: str) -> ZSLDataset:
    """Load a data set; without its features where only results of it come with the package."""
    from zslcore.datasets import load
    from zslcore.results.shipped import is_known_by_results, load_results_only

    return load_results_only(name) if is_known_by_results(name) else load(name)


def _make(
    plan: Plan, store: ResultStore, args: argparse.Namespace, datasets: Mapping[str, ZSLDataset]
) -> None:
    """Make what is missing; a refused run is reported and stops no other."""
    todo, made = len(plan.unfinished(store)), plan.run(store, at_a_time=args.jobs, dask=args.dask)
    for done, (run, refused) in enumerate(made, 1):
        show_steps(done, todo, f"{run.method} on {run.dataset}")
        if refused:
            refused = getattr(datasets[run.dataset], "without_features", refused)
            print(
                f"zslcore: {run.method} on {run.dataset}, split {run.split}: {refused}",
                file=sys.stderr,
            )
    show_steps()
