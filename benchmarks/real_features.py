"""Every inductive method on real features, parameters chosen on the folds, next to the papers.

    python -m benchmarks.real_features [FOLDER] [--only NAME ...] [--methods NAME ...] [--jobs N]

FOLDER (default ``../shared/data/xlsa17``) holds ``CUB/`` and ``AWA1/`` in the xlsa17 layout. What
is run, and how it goes on where it stopped, is said in :mod:`benchmarks.sweep`. Written to
``benchmarks/results/`` are ``real_features.csv``, a row a run, and ``real_features.md``, the table
next to the papers' results, whose features are ResNet-101's.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from benchmarks.sweep import Source, arguments, sweep
from zslcore.datasets import read_xlsa17

#: Data set of the papers, file of features, what the features are.
FEATURES = {
    "CUB-vgg_fc7": ("CUB", "vgg_fc7.mat", "CUB, VGG fc7 (trained on ImageNet-1K)"),
    "AWA1-lss": ("AWA1", "lss.mat", "AWA1, local self-similarity (hand-crafted)"),
    "AWA1-phog": ("AWA1", "phog.mat", "AWA1, PHOG (hand-crafted)"),
}
INTRO = """# Real features, parameters chosen on the three folds

`python -m benchmarks.real_features` writes this file and `real_features.csv`.

Split PS 2.0, but for one column; per-class accuracy in percent; features and prototypes of unit
length. SS: the standard split, first seed. ZSL, u, s, H plain and H calibrated use the parameters
chosen for ZSL, what says "for GZSL" those chosen for GZSL: the last H and AUSUC are of another fit
than the figures to their left. Every gamma is chosen on the folds. The gaps are what
choosing on the test set would have gained. GBU and CAL are the printed figures of the comprehensive
and of the calibration paper; their features are ResNet-101's, while the hand-crafted ones of AWA1
know nothing of ImageNet. Stochastic methods: mean and standard deviation of five seeds, with the
parameters and the gamma that the first chose. Rows and seeds that are not there were not finished;
the command goes on where it stopped.

Every row of the CSV file says which revisions of method and protocol made it; where it was made or
made again since these are stamped, also the digest of the package's sources (`zslcore doctor` says
its own), and the commit where it is in the history. Rows of version 0.1.0 are of closed forms,
whose figures today's revisions give again to four digits, and, with revision 0, of what was not run
again: SYNC (struct) on CUB, with a tolerance of 0.01.

On CUB, the folds cannot tell c = 10 of SSE from c = 1: by the rule of one standard error the
smaller c is taken. SYNC's H lies 5.5 points below CAL's with a gap of 7.6; its struct loss
was run for ZSL only (24 minutes on a shared machine), cs not at all. GFZSL predicts the Gaussians
of seen classes as well; with their own, as in its paper, its plain H is near GBU's 0.0. The gamma
of CMT* is a threshold on a novelty measured from training images; how far unseen images lie from it
changes between a fold and all of trainval, so that here it loses more than it gains.

On AWA1 the features are what is missing: IAP ends 7 and 12 points of ZSL below its paper, the
others 14 and more, and all lie too close for any order. On PHOG no seen class stands out from all
others together, and the minimum of SYNC's cs is W = 0. Where a result exceeds its oracle, the
classifiers of one ridge weight stopped elsewhere than those of a whole path.
"""


def sources(folder: Path) -> dict[str, Source]:
    """Return the data sets, read from ``folder``."""
    return {
        name: Source(
            title,
            benchmark,
            partial(read_xlsa17, folder / benchmark, features=features),
        )
        for name, (benchmark, features, title) in FEATURES.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", default="../shared/data/xlsa17", type=Path)
    arguments(parser, FEATURES)
    args = parser.parse_args()
    sweep("real_features", INTRO, sources(args.folder), args)


if __name__ == "__main__":
    main()
