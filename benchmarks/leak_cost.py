"""What leaks cost, in points: methods fitted with a leak and without, on the same test images.

    python -m benchmarks.leak_cost [FOLDER] [--only NAME ...] [--rows METHOD ...] [--jobs N]

Real features, CUB (VGG fc7) and AWA1 (hand-crafted) from FOLDER (default ``../shared/data/xlsa17``)
where it is there, lose what the first release of the Proposed Split leaks; the simulated aPY, whose
boxes share photographs, loses what these tell. Parameters are chosen on the folds. Written to
``benchmarks/results/leak_cost.md`` and ``.csv`` after every method; what stands there is not run
again unless ``--again`` says so.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pandas as pd

from benchmarks.features import FEATURES, opened_by_name
from benchmarks.measuring import Experiment, markdown_table, traced
from zslcore.analysis.leak_cost import LEAKS, SHORT, costs, table
from zslcore.methods import get_method

SIMULATED = {"simulated-aPY": "aPY, simulated with a photograph effect"}
METHODS = ("LinearV2S", "LinearS2V", "ESZSL", "SAE", "GFZSL", "SYNC", "ALE", "DEVISE")
TITLES = {
    "training": "Trained on train_loc + val_loc of PS v1 in place of trainval_loc",
    "selection": "Parameters and gamma chosen on folds of PS v1, trained on trainval_loc",
    "photographs": "Trained on other boxes of the test images' photographs",
    "epochs": "Stopped at the epoch with the best H on the test images",
}
SHOWN = ("zsl", "unseen", "seen", "calibrated_harmonic", "best_harmonic", "ausuc")
INTRO = """# What leaks cost, in points

`python -m benchmarks.leak_cost` writes this file and `leak_cost.csv`.

Every cell: the figure without the leak in percent, then what the leak adds in points with its 95 %
interval over classes (bootstrap of classes, the same draws on both sides). Split PS 2.0; parameters
and gamma chosen for GZSL on the clean folds unless the leak is in the choice. H at gamma uses the
gamma of the folds; best H is an oracle, its gamma is found on the test set. A method is trained
with the photograph leak on as many images of every class as without.
"""


def measure(folder: Path, name: str, method: str) -> pd.DataFrame:
    """Return the rows of one method on one data set."""
    data, began = opened_by_name(folder, name), time.perf_counter()
    rows = table(costs(get_method(method)(), data, data.split("PS")))
    for side in ("clean_params", "leaky_params"):
        rows[side] = rows[side].map(json.dumps)
    return traced(rows.assign(dataset=name, seconds=time.perf_counter() - began))


def markdown(found: pd.DataFrame) -> str:
    """Return one table a data set and leak, a row a method."""
    titles = {name: title for name, (*_, title) in FEATURES.items()} | SIMULATED
    lines = [INTRO]
    for name, of_data in found.groupby("dataset", sort=False):
        lines += [f"## {titles[name]}", ""]
        for leak in LEAKS:
            of_leak = of_data[of_data["leak"] == leak]
            if of_leak.empty:
                continue
            head = ["method", *(SHORT[figure] for figure in SHOWN)]
            rows = (
                [method, *_cells(rows)] for method, rows in of_leak.groupby("method", sort=False)
            )
            lines += [f"**{TITLES[leak]}**", "", *markdown_table(head, rows), ""]
    return "\n".join(lines)


def _cells(rows: pd.DataFrame) -> list[str]:
    percent = 100 * rows.set_index("figure")[["clean", "difference", "low", "high"]]
    return [
        "{clean:.1f} {difference:+z.1f} ({low:+z.1f} to {high:+z.1f})".format(**percent.loc[figure])
        if figure in percent.index
        else ""
        for figure in SHOWN
    ]


def main() -> None:
    Experiment(
        "leak_cost",
        ("dataset", "method"),
        [*FEATURES, *SIMULATED],
        [*SIMULATED],
        METHODS,
        measure,
        markdown,
    ).run(__doc__)


if __name__ == "__main__":
    # Imported by its name, by which other processes find its functions.
    from benchmarks import leak_cost

    leak_cost.main()
