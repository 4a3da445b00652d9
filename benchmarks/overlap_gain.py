"""OverlapGain on real features: AWA1 (hand-crafted, a baseline nothing was trained for) and CUB.

    python -m benchmarks.overlap_gain FOLDER [--features AWA1/phog.mat CUB/vgg_fc7.mat] [--draws 30]

``FOLDER`` holds the benchmark's layout, one folder per data set. Overlapping are the classes with a
strong match in ImageNet-1K. Two questions, the same formula: the field's own splits (SS, whose test
classes overlap, and PS, whose do not), and draws of test classes, half overlapping and half not.
Parameters are given, not chosen, and the same everywhere.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from zslcore.analysis.overlap import fair_draws, holm, overlap_gain, overlap_study, study_summary
from zslcore.datasets import ZSLDataset, read_xlsa17
from zslcore.leakage import get_vocabulary, match_names
from zslcore.methods import get_method
from zslcore.protocol import evaluate, fit_and_score

METHODS = {
    "ESZSL": get_method("ESZSL")(gamma=1.0, lam=0.1),
    "LinearS2V": get_method("LinearS2V")(lam=1e-3),
    "LinearV2S": get_method("LinearV2S")(lam=1e-4),
}
FEATURES = ("AWA1/phog.mat", "CUB/vgg_fc7.mat")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--features", nargs="+", default=FEATURES)
    parser.add_argument("--draws", type=int, default=30)
    args = parser.parse_args()
    pd.set_option("display.width", 140, "display.max_columns", 20, "display.precision", 3)
    for features in args.features:
        path = args.folder / features
        dataset = read_xlsa17(path.parent, features=path.name)
        known = overlapping(dataset)
        print(f"\n{features}: {known.sum()} of {len(known)} classes in ImageNet-1K")
        print(own_splits(dataset, known).to_string(index=False))
        n = min(5 if len(known) <= 50 else 25, known.sum() // 2, (~known).sum() // 2)
        if n < 2:
            print("too few overlapping classes to draw from")
            continue
        draws = fair_draws(known, n_ouc=n, n_tuc=n, n_draws=args.draws)
        study = overlap_study(METHODS, {features: dataset}, draws)
        print(f"{args.draws} draws of {n} + {n} test classes")
        print(study_summary(study).drop(columns="features").to_string(index=False))


def overlapping(dataset: ZSLDataset) -> np.ndarray:
    """Whether each class has a strong match in ImageNet-1K."""
    matches = match_names(dataset.class_names, get_vocabulary("imagenet-1k"), dataset.class_names)
    strong = {match.class_name for match in matches if match.strength == "strong"}
    return np.array([name in strong for name in dataset.class_names])


def own_splits(dataset: ZSLDataset, known: np.ndarray) -> pd.DataFrame:
    """Gain on the splits that the data set comes with, where some test classes overlap."""
    rows = []
    for split in dataset.splits.values():
        gains = {}
        for name, method in METHODS.items():
            accuracy = evaluate(fit_and_score(method, dataset, split)).per_class_zsl
            if 0 < sum(known[c] for c in accuracy) < len(accuracy):
                gains[name] = overlap_gain(accuracy, [c for c in accuracy if known[c]])
        for (name, g), p in zip(gains.items(), holm([g.p for g in gains.values()]), strict=True):
            rows.append((split.name, name, g.n_ouc, g.n_tuc, g.all, g.clean, g.overlap, g.gain,
                         *g.interval, g.p, p))  # fmt: skip
        if not gains:
            rows.append((split.name, "no overlapping test class", *[np.nan] * 10))
    columns = "split method n_ouc n_tuc all clean overlap gain low high p p_holm"
    return pd.DataFrame(rows, columns=columns.split())


if __name__ == "__main__":
    main()
