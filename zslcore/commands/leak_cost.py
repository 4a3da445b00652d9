"""Measure the gain from training or choosing on test images, in points of accuracy.

Fits each method with and without a leak, and evaluates both fits on the same test images. The leaks
are training (on train_loc and val_loc of PS v1, which contain all test images of seen classes),
selection (parameters and gamma chosen on these two lists), photographs (training on rows that share
a photograph with a test row, as boxes of aPY do) and epochs (training stopped at the best epoch on
the test images). Example::

    zslcore leak-cost --method ESZSL SAE --leak training
"""

from __future__ import annotations

import argparse
import sys

from zslcore.commands.command import Output, command, option
from zslcore.commands.options import JSON, METHOD, SPLIT, describe_dataset, show_steps


@command(
    option("--dataset NAME", "name of the data set (digits)", default="digits"),
    SPLIT,
    option("--method METHOD...", METHOD, required=True),
    option("--leak LEAK...", "leaks to measure (all that the split allows)", default=()),
    option("--given", "use default parameters instead of choosing parameters on the folds"),
    JSON,
)
def run(args: argparse.Namespace) -> Output:
    """Measure the cost of leaks."""
    from zslcore.analysis import leak_cost
    from zslcore.datasets import load
    from zslcore.evaluation import plugins
    from zslcore.evaluation.protocol import Setting
    from zslcore.exceptions import MethodError
    from zslcore.methods import get_method

    dataset = load(args.dataset)
    split = dataset.split(args.split)
    setting = Setting(dataset, split, progress=show_steps)
    methods = [get_method(plugins.register(method))() for method in args.method]
    costs = []
    for method in methods:
        try:
            costs += leak_cost.costs(method, setting, args.leak, choose=not args.given)
        except MethodError as error:  # the costs of all other methods are printed
            if len(methods) == 1:
                raise
            print(f"zslcore: {error}", file=sys.stderr)
    show_steps()
    columns = {"dataset": dataset.name, "split": split.name, "digest": dataset.digest}
    return Output(
        lambda: f"on {describe_dataset(dataset)}, split {split.name}\n{leak_cost.as_text(costs)}",
        lambda: leak_cost.table(costs).assign(**columns, simulated=dataset.simulated),
    )
