"""Run many methods on several data sets, and rank them.

Computes missing runs, with parameters chosen on the folds, then ranks the methods
over all data sets and splits. An interrupted command resumes. Example::

    zslcore compare --dataset digits --method ESZSL SAE ALE
"""

from __future__ import annotations

import argparse
import sys

from zslcore.commands.command import Output, command, option
from zslcore.commands.options import JSON, METHOD, describe_dataset, show_steps


@command(
    option("--dataset NAME...", "names of data sets (digits)", default=["digits"]),
    option("--split NAME...", "names of splits (PS, or the only one of a data set)"),
    option("--method METHOD...", f"{METHOD} (all methods of the package)"),
    option("--select-for {gzsl,zsl}", "task to choose parameters for (gzsl)", default="gzsl"),
    option(
        "--metric METRIC",
        "metric: zsl, u, s, H, 'u at gamma', 's at gamma' or 'H at gamma' (H at gamma)",
        default="H at gamma",
    ),
    option("--per {class,sample}", "mean per class or per image (class)", default="class"),
    option("--folds", "rank runs with parameters chosen on each single fold, not on all folds"),
    option("--jobs N", "number of parallel runs (2)", type=int, default=2),
    JSON,
)
def run(args: argparse.Namespace) -> Output:
    """Compute missing runs, then return every metric and the ranks."""
    from zslcore.analysis import comparison
    from zslcore.evaluation import plugins
    from zslcore.exceptions import ParameterError
    from zslcore.methods import METHODS
    from zslcore.results.planning import ChoiceRule
    from zslcore.results.shipped import cached_dataset
    from zslcore.results.store import ResultStore

    for name in ("dataset", "split", "method"):
        values = getattr(args, name) or []
        if repeated := [value for k, value in enumerate(values) if value in values[:k]]:
            raise ParameterError(f"--{name}: expected every name once; got {repeated[0]!r} twice.")
    methods = [plugins.register(method) for method in args.method or ()]
    methods = methods or [name for name, m in METHODS.items() if m.card.in_default_comparison]
    datasets = {name: cached_dataset(name) for name in args.dataset}
    digests = {name: data.digest for name, data in datasets.items()}
    splits = args.split or dict.fromkeys(data.split().name for data in datasets.values())
    spec = comparison.ComparisonSpec(digests, tuple(splits), tuple(methods), args.select_for)
    choices: list[ChoiceRule] = ["folds"] if args.folds else []
    store = ResultStore()
    plan = spec.plan(datasets, choices)
    for refused, error in plan.run(store, at_a_time=args.jobs, progress=show_steps):
        reason = getattr(datasets[refused.dataset], "without_features", error)
        where = f"{refused.method} on {refused.dataset}, split {refused.split}"
        print(f"zslcore: {where}: {reason}", file=sys.stderr)
    show_steps()
    ranked = comparison.occasions(
        spec,
        datasets,
        store,
        args.metric,
        choice="folds" if args.folds else "validated",
        average=args.per,
        n_draws=400,
    )
    lines = [f"on {describe_dataset(data)}" for data in datasets.values()]
    lines.append(
        f"{args.metric}, mean per {args.per}, parameters chosen for {args.select_for.upper()}"
    )
    return Output(
        lambda: "\n".join([*lines, comparison.as_text(ranked)]),
        lambda: ranked.table().assign(
            digest=lambda table: table["dataset"].map(digests),
            simulated=lambda table: [datasets[name].simulated for name in table["dataset"]],
        ),
    )
