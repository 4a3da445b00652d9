"""Accuracy over WordNet hops, and the effect of leaving out leaked classes, on shipped results.

    python -m benchmarks.hops

Of every shipped result on CUB (VGG fc7, trained on ImageNet-1K) and AWA1 (features made by hand:
nothing was trained): Spearman's rho of the accuracy of an unseen class and its distance from
ImageNet-1K, p by permutations over classes, and the mean with and without the classes that are
certainly in ImageNet-1K. Class accuracies are stored with the results; nothing is fitted.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.wordnet_hops import class_hops, hop_trend
from zslcore.datasets.facts import class_facts
from zslcore.leakage import get_vocabulary
from zslcore.leakage.contamination import cells
from zslcore.names import spaced_name
from zslcore.results.shipped import shipped_results

AGAINST = "imagenet-1k"
#: Shipped data set -> benchmark, and its name on the map.
SETS = {
    "CUB-vgg_fc7": ("CUB", "CUB"),
    "AWA1-lss": ("AWA1", "AWA1 and AWA2"),
    "AWA1-phog": ("AWA1", "AWA1 and AWA2"),
}


def main() -> None:
    """Print a row a data set, split and method, and the range of each split."""
    rows = []
    for result in shipped_results():
        spec = result.spec
        if spec.dataset not in SETS:
            continue
        benchmark, title = SETS[spec.dataset]
        split = spec.split.split()[0]
        facts = class_facts(benchmark).classes
        names = [spaced_name(name) or name for name in facts["class"]]
        tested = np.flatnonzero(facts[split.lower()] == "test")
        of_class = result.evaluation.per_class_zsl
        accuracy = np.array([of_class[int(c)] for c in tested])
        hops = class_hops([names[c] for c in tested], get_vocabulary(AGAINST), names)
        trend = hop_trend(accuracy, hops["hops"])
        leaked = set(cells()[title, split, AGAINST].certain or ())
        clean = np.array([facts["class"][c] not in leaked for c in tested])
        rows.append((spec.dataset, split, spec.method, trend.classes, trend.rho, trend.p,
                     int((~clean).sum()), accuracy.mean(), accuracy[clean].mean()))  # fmt: skip
    columns = ["data set", "split", "method", "classes", "rho", "p", "leaked", "all", "without"]
    table = (
        pd.DataFrame(rows, columns=columns).drop_duplicates(columns[:3]).sort_values(columns[:3])
    )
    table["points"] = 100 * (table["without"] - table["all"])
    print(table.to_string(index=False, float_format="{:.3f}".format))
    by = table.groupby(["data set", "split"])
    ranges = by[["classes", "rho", "p", "leaked", "points"]].agg(["min", "max"])
    print(ranges.to_string(float_format="{:.3f}".format))


if __name__ == "__main__":
    main()
