"""``zslcore leak-cost``: what training on test images would gain, in points.

Fit methods with a leak and without, on the same test images: trained on test images of seen
classes, as train_loc and val_loc of PS v1 have them (training); parameters chosen on such folds
(selection); trained on other rows of the photographs that test images are cut from (photographs);
stopped at the epoch that is best on the test images (epochs, of methods that have any).
"""

from __future__ import annotations

import argparse
import sys

from zslcore.commands.options import METHOD, named, show_steps


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    option("--dataset", default="digits", help="name of the data set (digits)")
    option("--split", help="name of the split (PS, or the only one there is)")
    option("--method", nargs="+", required=True, metavar="METHOD", help=METHOD)
    option("--leak", nargs="+", default=(), help="which leaks (all that the split can show)")
    option("--given", action="store_true", help="default parameters, none chosen on the folds")
    option("--json", action="store_true", help="print everything as JSON instead of tables")


def run(args: argparse.Namespace) -> object:
    """Measure what leaks cost."""
    from zslcore.analysis import leak_cost
    from zslcore.datasets import load
    from zslcore.evaluation import plugins
    from zslcore.evaluation.protocol import Setting
    from zslcore.exceptions import MethodError
    from zslcore.methods import get_method

    dataset = load(args.dataset)
    split = dataset.split(args.split)
    setting = Setting(dataset, split, tell=show_steps)
    methods = [get_method(plugins.register(each))() for each in args.method]
    found = []
    for method in methods:
        try:
            found += leak_cost.costs(method, setting, args.leak, choose=not args.given)
        except MethodError as error:  # what other methods have cost is not lost
            if len(methods) == 1:
                raise
            print(f"zslcore: {error}", file=sys.stderr)
    show_steps()
    if args.json:
        about = {"dataset": dataset.name, "split": split.name, "digest": dataset.digest}
        return leak_cost.table(found).assign(**about, simulated=dataset.simulated)
    return f"on {named(dataset)}, split {split.name}\n{leak_cost.as_text(found)}"
