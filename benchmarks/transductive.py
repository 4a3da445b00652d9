"""What unlabelled test images add: every transductive method against its inductive base.

    python -m benchmarks.transductive [FOLDER] [--only NAME ...] [--rows NAME ...] [--again]

Parameters of both are chosen on the folds. Data: CUB (VGG fc7) and AWA1 (hand-crafted features)
from FOLDER (default ``../shared/data/xlsa17``), where it is there, and the simulated AWA2. Written
to ``benchmarks/results/transductive.md`` and ``.csv``, after every comparison; what stands there
is not run again unless ``--again`` says so.
"""

from __future__ import annotations

import time
from pathlib import Path

import pandas as pd

from benchmarks.measuring import FEATURES, Experiment, markdown_table, opened, percent, traced
from zslcore.analysis.transduction import TransductionStudy

SIMULATED = {"simulated-AWA2": "AWA2, simulated"}
#: Method and its parameters, as the row is called.
METHODS = {
    "ALE-tran": ("Propagation", {"base": "ALE"}),
    "ESZSL, propagated": ("Propagation", {"base": "ESZSL"}),
    "DEVISE, propagated": ("Propagation", {"base": "DEVISE"}),
    "GFZSL-tran": ("GFZSL-tran", {}),
    "DSRL": ("DSRL", {}),
}
HEADINGS = {
    "zsl": "ZSL",
    "plain_harmonic": "H plain",
    "calibrated_harmonic": "H calibrated",
    "ausuc": "AUSUC",
}


def compare(folder: Path, name: str, row: str) -> pd.DataFrame:
    """Return the rows of one comparison."""
    method, params = METHODS[row]
    data, began = opened(folder, name), time.perf_counter()
    table = TransductionStudy(name, "PS", method, params).compare(data).table()
    seconds = time.perf_counter() - began
    return traced(table.assign(dataset=name, comparison=row, seconds=seconds))


def markdown(table: pd.DataFrame) -> str:
    """Return one table a data set, inductive and transductive figures in one row, in percent."""
    lines = [
        "# What unlabelled test images add",
        "",
        "`python -m benchmarks.transductive` writes this file and `transductive.csv`.",
        "",
        "Split PS; per-class accuracy in percent, without and with the unlabelled test images;",
        "parameters and gamma of both chosen on the folds. DSRL does not exist without them.",
    ]
    titles = {name: title for name, (*_, title) in FEATURES.items()} | SIMULATED
    for name, part in table.groupby("dataset", sort=False):
        rows = (
            [row, *(" → ".join(map(percent, pair[column])) for column in HEADINGS)]
            for row, pair in part.groupby("comparison", sort=False)
        )
        lines += ["", f"## {titles[name]}", ""]
        lines += markdown_table(["method", *HEADINGS.values()], rows)
    return "\n".join([*lines, ""])


def main() -> None:
    Experiment(
        "transductive",
        ("dataset", "comparison"),
        [*FEATURES, *SIMULATED],
        [*SIMULATED],
        [*METHODS],
        compare,
        markdown,
    ).run(__doc__)


if __name__ == "__main__":
    # Imported by its name, by which other processes find its functions.
    from benchmarks import transductive

    transductive.main()
