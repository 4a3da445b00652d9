"""OverlapGain on real features: CUB, trained on ImageNet-1K, and AWA1, hand-crafted.

    python -m benchmarks.overlap_gain [FOLDER] [--only AWA1-lss] [--draws 30]

``FOLDER`` holds the benchmark's layout, one folder per data set. Nothing was trained for the
features of AWA1, so that they should gain nothing. Overlapping are classes with a strong match in
ImageNet-1K. Two questions, one formula: the field's own splits (SS, whose test classes overlap, and
PS, whose do not), parameters chosen on their folds; and draws of test classes, half overlapping and
half not, parameters given. Simulated features with and without pre-training are compared as well:
no real features of the same classes with both are available here.

Writes ``benchmarks/results/overlap_gain.md``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.measuring import FEATURES, keep, markdown_table, opened, percent
from zslcore.analysis.overlap import half_and_half, overlap_study, study_summary
from zslcore.datasets import ZSLDataset, load
from zslcore.evaluation.protocol import evaluate, fit_and_score, select
from zslcore.exceptions import DatasetError
from zslcore.leakage import get_vocabulary
from zslcore.leakage.counts import certain_and_possible
from zslcore.methods import get_method
from zslcore.metrics.gain import overlap_gain
from zslcore.metrics.significance import holm

METHODS = {
    "LinearS2V": get_method("LinearS2V")(lam=1e-3),
    "LinearV2S": get_method("LinearV2S")(lam=1e-4),
    "ESZSL": get_method("ESZSL")(gamma=1.0, lam=0.1),
}
SIMULATED, BASELINE = "simulated-AWA2", "simulated-AWA2-untrained"


def overlapping(dataset: ZSLDataset) -> np.ndarray:
    """Whether each class has a strong match in ImageNet-1K."""
    names = dataset.class_names
    certain, _ = certain_and_possible(names, [get_vocabulary("imagenet-1k")], names)
    return np.isin(names, certain)


def own_splits(dataset: ZSLDataset, known: np.ndarray) -> pd.DataFrame:
    """Gain on the splits that the data set comes with, parameters chosen on their folds."""
    rows = []
    for split in dataset.splits.values():
        found = []
        for name, method in METHODS.items():
            chosen = select(method, dataset, split, task="zsl", with_gamma=False)
            scores = fit_and_score(method.__class__(**chosen.params), dataset, split)
            found.append((name, evaluate(scores).per_class_zsl))
        rows += list(_gains(split.name, dict(found), known))
    table = pd.DataFrame(rows, columns=OF_SPLITS)
    of_split = table.dropna(subset="p").groupby("split")["p"]
    return table.assign(p_holm=of_split.transform(lambda p: holm(p)))


def _gains(split: str, accuracies: Mapping[str, Mapping[int, float]], known) -> Iterator[tuple]:
    """Yield a line for every method; without overlapping classes there is accuracy alone."""
    for method, accuracy in accuracies.items():
        n_ouc = int(sum(known[c] for c in accuracy))
        mean = float(np.mean(list(accuracy.values())))
        figures = (mean, mean, *[np.nan] * 5)
        try:
            g = overlap_gain(accuracy, [c for c in accuracy if known[c]])
            figures = (g.all, g.clean, g.overlap, g.gain, *g.interval, g.p)
        except DatasetError:
            pass
        yield (split, method, n_ouc, len(accuracy) - n_ouc, *figures)


def drawn(
    datasets: Mapping[str, ZSLDataset], known: np.ndarray, n_draws: int, baseline: str | None = None
) -> tuple[int, pd.DataFrame]:
    """Return how many classes of each kind were tested, and the gains over all draws."""
    draws = half_and_half(known, n_draws=n_draws)
    study = overlap_study(METHODS, datasets, draws)
    return len(draws[0].ouc), study_summary(study, baseline=baseline)


# --- Writing --------------------------------------------------------------------------------------

PERCENT = {"all", "clean", "overlap", "acc_ouc", "acc_tuc", "gain", "low", "high", "draw_mean",
           "draw_deviation", "gain_minus_baseline", "minus_low", "minus_high"}  # fmt: skip
HEADINGS = {
    "n_ouc": "overlapping", "n_tuc": "clean classes", "acc_ouc": "ACC_OUC", "acc_tuc": "ACC_TUC",
    "low": "from", "high": "to", "p_holm": "p, Holm", "draw_mean": "mean of draws",
    "draw_deviation": "+-", "gain_minus_baseline": "gain - baseline", "minus_low": "from",
    "minus_high": "to",
}  # fmt: skip
OF_SPLITS = ["split", "method", "n_ouc", "n_tuc", "all", "clean", "overlap", "gain", "low", "high",
             "p"]  # fmt: skip
OF_DRAWS = ["features", "method", "acc_ouc", "acc_tuc", "gain", "low", "high", "p", "p_holm",
            "draw_mean", "draw_deviation", "gain_minus_baseline", "minus_low",
            "minus_high"]  # fmt: skip
HEAD = """\
# OverlapGain on real features, and on simulated ones with a baseline

`python -m benchmarks.overlap_gain` writes this file.

Percent; overlapping are test classes with a strong match in ImageNet-1K; intervals over classes
(bootstrap-t, 95 %), p by permutation of classes, adjusted over methods after Holm. Own splits:
parameters chosen on the folds. Draws: {draws} times the same number of overlapping and clean test
classes, all others train; a class counts once, with its mean over the draws that tested it;
parameters given ({given}).
"""


def written(table: pd.DataFrame) -> str:
    """Return a table in Markdown."""
    table = table.dropna(axis=1, how="all")
    head = [HEADINGS.get(column, column) for column in table]
    rows = ([_cell(c, v) for c, v in row.items()] for _, row in table.iterrows())
    return "\n".join(markdown_table(head, rows))


def _cell(column: str, value) -> str:
    if not isinstance(value, str) and pd.isna(value):
        return ""
    if column in PERCENT:
        return percent(value)
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default="../shared/data/xlsa17", type=Path)
    parser.add_argument("--only", nargs="+", default=list(FEATURES), choices=FEATURES)
    parser.add_argument("--draws", type=int, default=30)
    args = parser.parse_args()
    given = "; ".join(f"{name}: {_parameters(method)}" for name, method in METHODS.items())
    parts = [HEAD.format(draws=args.draws, given=given), *_simulated(args.draws)]
    for name in args.only:
        began = time.perf_counter()
        parts += _real(opened(args.folder, name), FEATURES[name][2], args.draws)
        sys.stderr.write(f"{name}: {time.perf_counter() - began:.0f} s\n")
        keep("overlap_gain", "\n".join(parts))


def _parameters(method) -> str:
    grid = type(method).param_grid
    return ", ".join(f"{name} = {value:g}" for name, value in method.get_params().items()
                     if name in grid)  # fmt: skip


def _simulated(draws: int) -> Iterator[str]:
    datasets = {name: load(name) for name in (SIMULATED, BASELINE)}
    known = overlapping(datasets[SIMULATED])
    n, table = drawn(datasets, known, draws, BASELINE)
    yield "## Simulated: AWA2 with pre-training and without\n"
    yield f"Draws of {n} + {n} test classes, {known.sum()} of {len(known)} overlap.\n"
    yield written(table[OF_DRAWS]) + "\n"


def _real(dataset: ZSLDataset, title: str, draws: int) -> Iterator[str]:
    known = overlapping(dataset)
    yield f"## {title}\n"
    yield f"{known.sum()} of {len(known)} classes are in ImageNet-1K. Own splits:\n"
    yield written(own_splits(dataset, known)) + "\n"
    if min(known.sum(), (~known).sum()) < 4:
        yield "Too few overlapping classes to draw from.\n"
        return
    n, table = drawn({dataset.name: dataset}, known, draws)
    yield f"Draws of {n} + {n} test classes:\n"
    yield written(table[[c for c in OF_DRAWS if c in table and c != "features"]]) + "\n"


if __name__ == "__main__":
    main()
