"""Methods that generate features, and the gain from choosing epochs on the test set.

    python -m benchmarks.generators [FOLDER] [--only NAME ...] [--rows "ALE 0" ...]

Runs three generators and, for comparison, ALE on the digits and on real features: CUB (VGG fc7) and
AWA1 (hand-crafted) from FOLDER (default ``../shared/data/xlsa17``), if it exists. Each point of a
grid of epochs is evaluated on the folds and on the test set, seed by seed. Results are written to
``benchmarks/results/generators.md`` and ``.csv`` after each method and seed; finished results are
computed again only with ``--again``. The gains with two seeds or more also go to
``data/measured/epoch_choice.csv``, for a finding and a view.
"""

from __future__ import annotations

import json
import time
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.epoch_choice import MEASURED, choices, mean_gains, points
from benchmarks.measuring import (
    FEATURES,
    RESULTS,
    Experiment,
    markdown_table,
    open_features,
    percent,
    with_provenance,
)
from zslcore.evaluation.protocol import Setting
from zslcore.methods import get_method
from zslcore.storage.files import open_atomically
from zslcore.version import read_stamped

TITLES = {"digits": "digits", **{name: title for name, (*_, title) in FEATURES.items()}}
#: Names of the features, with their training set.
FEATURES_OF = TITLES | {"digits": "digits (pixels)"}
METHODS = ("f-CLSWGAN", "CADA-VAE", "CE-GZSL", "ALE")
NAMES = ("epochs", "classifier_epochs")
#: Grids with about equal numbers of steps: AWA1 has three times as many images as CUB, the
#: digits a seventh as many.
GRIDS: dict[str, dict[str, tuple[int, ...]]] = {
    "digits": {"epochs": (5, 10, 20, 30, 40), "classifier_epochs": (3, 10)},
    "CUB-vgg_fc7": {"epochs": (5, 10, 15, 20, 30), "classifier_epochs": (3, 10)},
    "AWA1-lss": {"epochs": (2, 4, 6, 8, 12), "classifier_epochs": (3, 10)},
}
FIXED_PARAMETERS: dict[str, dict[str, Any]] = {
    "digits": {"batch_size": 32},
    "CUB-vgg_fc7": {"warm_up": 30},
    "AWA1-lss": {"warm_up": 12},
}
INTRO = """# Methods that generate features, and the gain from choosing epochs on the test set

`python -m benchmarks.generators` writes this file and `generators.csv`.

Split PS 2.0; per-class accuracy in percent; features and prototypes of unit length. All parameters
except the epochs are the defaults (f-CLSWGAN and CE-GZSL generate 100 features per unseen class,
CADA-VAE 400 codes per unseen and 200 per seen class), with two exceptions: a batch size of 32 for
the digits, and a warm-up of CADA-VAE that ends at the last point of the grid. **The generators are
small networks on principal components, with the departures stated on their cards: their results are
below those of the published systems, and below ALE on CUB; no row shows the accuracy of a published
system.** Each seed has one training per fold and one on all training classes, evaluated after
several numbers of epochs of the generator and of its softmax. The last column has the seconds per
seed for all four trainings, on a machine shared with other jobs.

First table of a data set: metrics at the epochs chosen on the folds for H with calibration, as mean
and, with two or more seeds, standard deviation over seeds. ZSL is computed from the scores among
all classes.

Second table: H at the epochs chosen on the folds, at the epochs chosen on the test set, and at the
last epochs of the grid; then the gain from choosing on the test set over the two other choices, in
points, with a 95 % interval over seeds (Student's; none for one seed). "plain": gamma is 0, also
when epochs are chosen. "calibrated": each point has the gamma chosen on the folds. Only epochs are
chosen on the test set here; if seeds or other parameters were chosen on it too, this H would be at
least as high. The best point on the test set cannot be worse than another choice, even if all
differences are noise: an interval above 0 shows the size of the gain, not its existence.

If data sets or seeds are missing, they are not finished; the command continues where it stopped. A
table with one seed ranks neither methods nor choices. "(before)" marks a method with results of an
earlier revision: CADA-VAE with all training rows as seen codes, CE-GZSL with steps of the generator
that also train the embedding. `--again` measures them again.
"""


def measure(folder: Path, name: str, row: str) -> pd.DataFrame:
    """Return the points of one method and seed on one data set."""
    method, seed = row.rsplit(" ", 1)
    data, start = open_features(folder, name), time.perf_counter()
    parameters = get_method(method)().get_params()
    model = get_method(method)(
        **{k: v for k, v in FIXED_PARAMETERS[name].items() if k in parameters}
    )
    grid = {k: values for k, values in GRIDS[name].items() if k in parameters}
    table = points(model, Setting(data, data.split("PS"), seed=int(seed)), grid)
    labels = {"dataset": name, "row": row, "method": method, "seed": int(seed)}
    return with_provenance(
        table.assign(**labels, digest=data.digest, seconds=time.perf_counter() - start)
    )


def is_current(table: pd.DataFrame) -> pd.Series:
    """Return a mask of the rows with the current revision of their method."""
    today = {name: get_method(name).revision for name in table["method"].unique()}
    return pd.Series(
        [
            json.loads(row.revisions)[row.method] == today[row.method]
            for row in table[["method", "revisions"]].itertuples()
        ],
        index=table.index,
    )


def markdown(table: pd.DataFrame) -> str:
    """Return two tables per data set, with one row per method."""
    table = table.assign(
        method=table["method"].where(is_current(table), table["method"] + " (before)")
    )
    gains, lines = mean_gains(table, NAMES), [INTRO]
    for name, of_data in table.groupby("dataset", sort=False):
        lines += [f"## {TITLES[name]}", ""]
        head = ["method", "seeds", "epochs", "ZSL", "u", "s", "H plain", "H calibrated", "AUSUC"]
        rows = (_metrics(*of_method) for of_method in of_data.groupby("method", sort=False))
        lines += [*markdown_table([*head, "seconds per seed"], rows), ""]
        head = ["method", "H", "by the folds", "by the test set", "last"]
        head += ["test set over folds", "test set over last"]
        rows = (_gain_cells(row) for _, row in gains[gains["dataset"] == name].iterrows())
        lines += [*markdown_table(head, rows), ""]
    return "\n".join(lines)


def _metrics(method: str, table: pd.DataFrame) -> list[str]:
    names = [name for name in NAMES if name in table.dropna(axis=1, how="all")]
    chosen = pd.DataFrame(
        [choices(of_seed, "calibrated", names).loc["folds"] for _, of_seed in table.groupby("seed")]
    )
    epochs = "; ".join("/".join(str(int(n)) for n in row) for row in chosen[names].to_numpy())
    metrics = ["zsl", "unseen_plain", "seen_plain", "test_plain", "test_calibrated", "ausuc"]
    cells = [_spread(chosen[metric]) for metric in metrics]
    seconds = f"{chosen['seconds'].astype(float).mean():.0f}"
    return [method, str(len(chosen)), epochs, *cells, seconds]


def _spread(values: pd.Series) -> str:
    values = values.astype(float)
    deviation = f" ± {100 * values.std():.1f}" if len(values) > 1 else ""
    return percent(values.mean()) + deviation


def _gain_cells(row: pd.Series) -> list[str]:
    cells = [percent(row[choice]) for choice in ("folds", "test", "last")]
    for rule in ("over_folds", "over_last"):
        low, high = (percent(row[f"{rule}_{end}"], "+") for end in ("low", "high"))
        cells.append(percent(row[rule], "+") + (f" ({low} to {high})" if low else ""))
    return [row["method"], row["metric"], *cells]


def shipped(table: pd.DataFrame) -> str:
    """Return the gains of current revisions over two seeds or more as CSV for the package."""
    table = mean_gains(table[is_current(table)], NAMES).query("seeds > 1").round(6)
    table.insert(1, "features", table["dataset"].map(FEATURES_OF))
    return f"# python -m benchmarks.generators\n{table.to_csv(index=False)}"


def main() -> None:
    Experiment(
        "generators",
        ("dataset", "row"),
        [*GRIDS],
        ["digits"],
        [f"{method} {seed}" for method, seed in product(METHODS, range(5))],
        measure,
        markdown,
    ).run(__doc__)
    with open_atomically(MEASURED) as file:
        file.write(shipped(read_stamped(RESULTS / "generators.csv")).encode())


if __name__ == "__main__":
    # Import the module by name, so that other processes can unpickle its functions.
    from benchmarks import generators

    generators.main()
