"""``zslcore power``: how many classes and images a difference between two models needs.

Two files of one test set are the pilot: how often the models differ, and how much that varies
between classes, is read off them. Without files both are stated.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from zslcore.exceptions import ParameterError

if TYPE_CHECKING:
    import pandas as pd


#: What is stated where there is no pilot.
STATED = ("classes", "images", "disagreement", "spread")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    option(
        "files", nargs="*", type=Path, metavar="FILE", help="scores or predictions of two models"
    )
    option("--difference", type=float, default=1.0, help="in points (1)")
    option("--power", type=float, default=80.0, help="probability to find it, in percent (80)")
    option("--alpha", type=float, default=5.0, help="level of the two-sided test, in percent (5)")
    option("--classes", type=int, metavar="C", help="without FILEs: number of classes")
    option("--images", type=int, metavar="N", help="without FILEs: images a class")
    text = "without FILEs: images that one model alone answers rightly, in percent"
    option("--disagreement", type=float, metavar="Q", help=text)
    text = "without FILEs: deviation of the difference between classes, in points"
    option("--spread", type=float, metavar="TAU", help=text)
    option("--unseen", nargs="+", metavar="CLASS", help="of FILEs: names or numbers, or a file")
    option("--labels", type=Path, metavar="FILE", help="labels, where FILEs have none")
    option("--gamma", type=float, nargs=2, metavar="GAMMA", help="gamma of either FILE")
    option("--fix", action="append", default=[], metavar="FIX", help="as of score")
    option("--json", action="store_true", help="print everything as JSON; fractions")


def run(args: argparse.Namespace) -> object:
    """Return what a difference needs."""
    from zslcore.scores import paired

    table = _of_pilot(args) if args.files else _of_assumptions(args)
    if args.json:
        return table.rename_axis("figure").reset_index()
    return paired.as_text(table, args.difference / 100, args.power / 100, args.alpha / 100)


def _of_pilot(args: argparse.Namespace) -> pd.DataFrame:
    from zslcore.commands.score import judged, paired
    from zslcore.scores.paired import needs

    if len(args.files) != 2:
        raise ParameterError(f"power: expected two FILEs, or none; got {len(args.files)}.")
    if stated := [name for name in STATED if getattr(args, name) is not None]:
        raise ParameterError(
            f"--{stated[0]}: expected no FILEs, which show it; got {args.files[0]}."
        )
    reports = [
        judged(path, labels=args.labels, unseen=args.unseen, fix=args.fix, gamma=gamma)
        for path, gamma in zip(args.files, args.gamma or (None, None), strict=True)
    ]
    pair = paired(*reports)
    return needs(pair, args.difference / 100, args.power / 100, args.alpha / 100)


def _of_assumptions(args: argparse.Namespace) -> pd.DataFrame:
    import pandas as pd

    from zslcore.metrics.significance import Design, assumed_stratum
    from zslcore.scores.paired import needs_of

    missing = [name for name in STATED if getattr(args, name) is None]
    if missing:
        raise ParameterError(
            f"power: expected two FILEs, or --classes, --images, --disagreement and --spread; got "
            f"no --{missing[0]}."
        )
    q, tau, difference = args.disagreement / 100, args.spread / 100, args.difference / 100
    design = Design((assumed_stratum(args.classes, args.images, q, tau, difference),))
    row = needs_of(design, difference, args.power / 100, args.alpha / 100) | {"disagreement": q}
    return pd.DataFrame.from_dict({"mean over classes": row}, orient="index")
