"""Every inductive method on the simulated data sets: what calibration lifts.

    python -m benchmarks.simulated_features [--only NAME ...] [--methods NAME ...] [--jobs N]

The calibration paper's table 2 on stand-ins with the real class names and splits: does a gamma
chosen on the folds lift the H of every method? What is run, and how it goes on where it stopped,
is said in :mod:`benchmarks.sweep`. Written to ``benchmarks/results/`` are
``simulated_features.csv`` and ``simulated_features.md``.
"""

from __future__ import annotations

import argparse
from functools import partial

from benchmarks.sweep import Source, arguments, sweep
from zslcore.datasets import load

BENCHMARKS = ("AWA1", "AWA2", "CUB", "SUN", "aPY")
INTRO = """# Simulated data sets, parameters chosen on the three folds

`python -m benchmarks.simulated_features` writes this file and `simulated_features.csv`.

**Simulated**: no camera was involved; the papers' results next to them are for real images. Small
size (about 3,000 images, 512 features), split PS; per-class accuracy in percent; features and
prototypes of unit length. ZSL, u, s, H plain and H calibrated use the parameters chosen for ZSL,
what says "for GZSL" those chosen for GZSL: the last H and AUSUC are of another fit than the figures
to their left. Every gamma is chosen on the folds. Stochastic methods: one seed.
"""
SOURCES = {
    f"simulated-{name}": Source(
        f"{name}, simulated", name, partial(load, f"simulated-{name}"), seeds=1
    )
    for name in BENCHMARKS
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments(parser, SOURCES)
    sweep("simulated_features", INTRO, SOURCES, parser.parse_args())


if __name__ == "__main__":
    main()
